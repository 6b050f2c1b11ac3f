"""The one thing to fix first, as far as code can tell it: where an engine that reads has not said it."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator import render
from orchestrator.debrief import phrasing
from orchestrator.debrief.parts import Fix, Review, asked_about
from orchestrator.loop.question_text import bare_question
from orchestrator.model.claim import OF_TWO_PLACES, Tension
from orchestrator.model.exchange import not_taken_up


def first_of(reviews: Sequence[Review], tensions: Sequence[Tension]) -> Fix | None:
    """The worst of what was found, in this order; None where nothing was.

    A contradiction that the panel asked about and got no good answer to; the unanswered question
    that was asked most often; any other contradiction; the first question without an answer; the
    first that was parked; the one that was answered only after being asked most often. An answer
    that nobody judged is never a fault.

    Args:
        tensions: Only those that fail as sums.
    """
    left = [one for one in reviews if one.exchange.result == "unresolved"]
    for tension in tensions:
        review = asked_about(reviews, tension)
        if review is not None and review in left:
            why = f"{review.exchange.id} asked about it and got no good answer."
            return Fix(_heading(tension), why, _both(tension), review.exchange.id, review.stronger)
    if left:
        return _unresolved(max(left, key=lambda one: len(one.exchange.turns)), len(left))
    if tensions:
        why = "Nobody has to ask: whoever sees both places sees it."
        return Fix(_heading(tensions[0]), why, _both(tensions[0]))
    return _unanswered(reviews)


def _unresolved(review: Review, count: int) -> Fix:
    exchange = review.exchange
    often = phrasing.times_asked(exchange) or "asked once"
    rank = "the only question" if count == 1 else f"the most pressed of {count} questions"
    why = f"It is {rank} left without a good answer, {often}"
    reason = render.said_by(exchange.person) if exchange.person is not None else review.reason
    why += f": {reason.rstrip('.')}." if reason else "."
    return _question(review, len(exchange.turns) - 1, why)


def _unanswered(reviews: Sequence[Review]) -> Fix | None:
    silent = [one for one in reviews if one.is_silent and one.exchange.result != "parked"]
    home = {one.id for one in not_taken_up([review.exchange for review in reviews])}
    parked = [one for one in reviews if one.exchange.id in home]
    if silent:
        return _question(silent[0], 0, "It was the first question to get no answer.")
    if parked:
        return _question(parked[0], 0, "You put it off, so it will come back.")
    return _late(reviews)


def _late(reviews: Sequence[Review]) -> Fix | None:
    late = [
        one for one in reviews if one.exchange.result == "satisfied" and phrasing.times_asked(one.exchange)
    ]
    if not late:
        return None
    worst = max(late, key=lambda one: len(one.exchange.turns))
    often = phrasing.times_asked(worst.exchange)
    return _question(worst, 0, f"No answer was found wanting, but this one had to be {often}.")


def _what(review: Review, turn: int) -> str:
    exchange = review.exchange
    question = bare_question(exchange.turns[turn], exchange.quote)
    about = f", on {phrasing.with_place(review.places[0])}" if review.places else f" ({phrasing.GENERAL})"
    return f"{exchange.id}{about}: {question}"


def _question(review: Review, turn: int, why: str) -> Fix:
    return Fix(_what(review, turn), why, exchange=review.exchange.id, better=review.stronger)


def _heading(tension: Tension) -> str:
    """The note, which elsewhere stands within a sentence, as one of its own."""
    return f"{tension.note[:1].upper()}{tension.note[1:]}"


def _both(tension: Tension) -> str:
    sides = phrasing.sides(tension)
    if tension.kind in OF_TWO_PLACES:
        return f"Decide which holds: {' or '.join(phrasing.with_place(one) for one in sides)}."
    numbers = dict.fromkeys(f"slide {one.slide}" for one in tension.sides if one.slide is not None)
    where = f" on {phrasing.listed(list(numbers))}" if numbers else ""
    return f"Do the arithmetic{where} again."
