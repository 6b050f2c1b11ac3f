"""The one thing to fix first, as far as code can tell it: where an engine that reads has not said it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orchestrator.material.model.claim import OF_TWO_PLACES, Tension
from orchestrator.panel import render
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.parts import Fix, Review, asked_about
from orchestrator.panel.engines.offline.judging import has_figure
from orchestrator.panel.loop.question_text import bare_question
from orchestrator.panel.model.exchange import PARTLY, Exchange, not_taken_up

_COUNTED: Final = {"number": "figure", "date": "date"}
"""Of NEEDS, those of which code can tell that an answer lacks them, and how they are called."""
_SAY: Final = "The answer first, in one sentence; then what it rests on."
_BRING: Final = "What answers it, or the day on which you bring it."


def first_of(reviews: Sequence[Review], tensions: Sequence[Tension]) -> Fix | None:
    """The worst of what was found, in this order; None where nothing was.

    An open contradiction, first one that the panel asked about; what a person judged not to be given; an
    answer without the figure or date that was asked for; any other that was certainly none; the first
    question without an answer; the first that was parked; what a person judged to be given in part; a
    contradiction that was answered and stands in the deck; the question that was answered only after being
    asked most often. An answer that nobody judged is never a fault.

    Args:
        tensions: Only those that fail as sums.
    """
    asked = [(tension, asked_about(reviews, tension)) for tension in tensions]
    open_ = [pair for pair in asked if pair[1] is None or pair[1].exchange.result != "satisfied"]
    if open_:
        return _contradiction(reviews, *min(open_, key=lambda pair: pair[1] is None))
    return (
        _left([one for one in reviews if not _is_partly(one)])
        or _unanswered(reviews)
        or _left([one for one in reviews if _is_partly(one)])
        or next((_contradiction(reviews, *one) for one in asked), None)
        or _late(reviews)
    )


def _contradiction(reviews: Sequence[Review], tension: Tension, review: Review | None) -> Fix:
    exchanges = [one.exchange for one in reviews]
    why = "Nobody has to ask: whoever sees both places sees it."
    if review is not None and review.exchange.result == "satisfied":
        why = f"You settled it in {review.exchange.id}, and it still stands there."
    elif review is not None:
        why = f"{review.exchange.id} asked about it and {_came_of(review.exchange)}."
    heading = f"{tension.note[:1].upper()}{tension.note[1:]}"  # elsewhere it stands within a sentence
    slides = dict.fromkeys(f"slide {one.slide}" for one in tension.sides if one.slide is not None)
    where = phrasing.listed(list(slides))
    if tension.kind in OF_TWO_PLACES:
        sides = " or ".join(map(phrasing.with_place, phrasing.sides(tension, exchanges)))
        say = f"Which holds: {sides}; and where the other comes from."
        bring = f"{where[:1].upper()}{where[1:]}, corrected where it is wrong." if where else _BRING
    else:
        on = f" on {where}" if where else ""
        say, bring = f"Which figure{on} is wrong, and what is right.", f"The arithmetic{on}, done again."
    if review is None:
        return Fix(heading, why, say, bring)
    return Fix(heading, why, say, bring, review.exchange.id, review.stronger)


def _came_of(exchange: Exchange) -> str:
    if exchange.result == "parked":
        return "was parked"
    if not exchange.answered:
        return "got no answer"
    return "nobody has judged the answer" if exchange.result == "unjudged" else "got no good answer"


def _left(reviews: Sequence[Review]) -> Fix | None:
    """The worst of the answers that are known to be none, by a person first."""

    def rank(one: Review) -> tuple[bool, bool, int]:
        return one.exchange.person is None, not _lacked(one.exchange), -len(one.exchange.turns)

    left = [one for one in reviews if one.exchange.result == "unresolved" or _lacked(one.exchange)]
    if not left:
        return None
    review = min(left, key=rank)
    exchange, lacked = review.exchange, _lacked(review.exchange)
    if exchange.person is not None:
        return _question(review, phrasing.stopped(f"Your answer {render.said_by(exchange.person)}"))
    if lacked and exchange.result != "unresolved":
        return _question(review, f"It asks for a {lacked}, and no answer holds one.")
    often = phrasing.times_asked(exchange)
    why = f"{often[:1].upper()}{often[1:]}, it got no good answer" if often else "It got no good answer"
    return _question(review, phrasing.stopped(f"{why}: {review.reason}" if review.reason else why))


def _is_partly(review: Review) -> bool:
    said = review.exchange.person
    return said is not None and said.verdict == PARTLY


def _lacked(exchange: Exchange) -> str:
    """ "figure" or "date", where the question asked for one and no answer holds any; else ""."""
    if (
        exchange.result not in ("unresolved", "unjudged")
        or exchange.person is not None
        or not exchange.answered
    ):
        return ""
    if any(has_figure(turn.answer or "") for turn in exchange.answered):
        return ""
    return next((_COUNTED[need] for need in exchange.turns[0].needs if need in _COUNTED), "")


def _unanswered(reviews: Sequence[Review]) -> Fix | None:
    silent = [one for one in reviews if one.is_silent and one.exchange.result != "parked"]
    home = {one.id for one in not_taken_up([review.exchange for review in reviews])}
    parked = [one for one in reviews if one.exchange.id in home]
    if silent:
        return _question(silent[0], "It was the first question to get no answer.")
    return _question(parked[0], "You put it off, so it will come back.") if parked else None


def _late(reviews: Sequence[Review]) -> Fix | None:
    late = [
        one for one in reviews if one.exchange.result == "satisfied" and phrasing.times_asked(one.exchange)
    ]
    if not late:
        return None
    worst = max(late, key=lambda one: len(one.exchange.turns))
    often = phrasing.times_asked(worst.exchange)
    return _question(worst, f"No answer was found wanting, but this one had to be {often}.")


def _question(review: Review, why: str) -> Fix:
    """The question as it was first asked, which a follow-up may leave out, and what would answer it."""
    exchange = review.exchange
    question = bare_question(exchange.turns[0], exchange.quote)
    about = next(iter(review.places), None)
    say = exchange.good_answer or _SAY
    return Fix(
        phrasing.question_about(exchange.id, question, about, phrasing.origin(exchange)),
        why,
        phrasing.stopped(f"{say[:1].upper()}{say[1:]}"),
        _BRING,
        exchange.id,
        review.stronger,
    )
