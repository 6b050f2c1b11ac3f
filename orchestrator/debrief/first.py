"""The one thing to fix first, and why it is that one."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.claims.model import OF_TWO_PLACES, Place, Tension
from orchestrator.debrief import words
from orchestrator.debrief.model import Fix, Review
from orchestrator.debrief.stronger import bare_question
from orchestrator.exchange import not_taken_up


def first_of(reviews: Sequence[Review], tensions: Sequence[Tension]) -> Fix | None:
    """The worst of what was found, in this order; None where nothing was.

    A contradiction that the panel asked about and got no good answer to; the unanswered question
    that was asked most often; any other contradiction; the first question without an answer; the
    first that was parked; the one that was answered only after being asked most often.
    """
    left = [one for one in reviews if one.exchange.outcome == "unresolved"]
    for review in left:
        for tension in tensions:
            if any(_is_about(review, side) for side in (tension.a, tension.b)):
                why = f"Why this first: {review.exchange.id} asked about it and got no good answer."
                return Fix(tension.note, why, None, review.exchange.id)
    if left:
        return _unresolved(max(left, key=lambda one: len(one.exchange.turns)), len(left))
    if tensions:
        why = "Why this first: nobody has to ask; whoever sees both places sees it."
        return Fix(tensions[0].note, why, _both(tensions[0]))
    return _unanswered(reviews)


def _unresolved(review: Review, count: int) -> Fix:
    exchange = review.exchange
    often = words.times_asked(exchange) or "asked once"
    rank = "the only question" if count == 1 else f"the most pressed of {count} questions"
    why = f"Why this first: it is {rank} left without a good answer, {often}"
    why += f": {review.reason}." if review.reason else "."
    return Fix(_what(review, len(exchange.turns) - 1), why, _do(review), exchange.id)


def _unanswered(reviews: Sequence[Review]) -> Fix | None:
    silent = [one for one in reviews if one.said is None and one.exchange.outcome != "parked"]
    home = {one.id for one in not_taken_up([review.exchange for review in reviews])}
    parked = [one for one in reviews if one.exchange.id in home]
    if silent:
        why = "Why this first: it was the first question to get no answer."
        return Fix(_what(silent[0], 0), why, _do(silent[0]), silent[0].exchange.id)
    if parked:
        why = "Why this first: you put it off, so it will come back."
        return Fix(_what(parked[0], 0), why, _do(parked[0]), parked[0].exchange.id)
    return _late(reviews)


def _late(reviews: Sequence[Review]) -> Fix | None:
    late = [one for one in reviews if one.exchange.outcome == "satisfied" and len(one.exchange.turns) > 1]
    if not late:
        return None
    worst = max(late, key=lambda one: len(one.exchange.turns))
    often = words.times_asked(worst.exchange)
    why = f"Why this first: no answer was found wanting, but this one had to be {often}."
    return Fix(_what(worst, 0), why, _do(worst), worst.exchange.id)


def _what(review: Review, turn: int) -> str:
    exchange = review.exchange
    question = bare_question(exchange.turns[turn].question, exchange.quote)
    return f"{exchange.id}, on {words.about(review)}: {question}"


def _do(review: Review) -> str | None:
    return " ".join(words.stronger(review.stronger)) if review.stronger is not None else None


def _both(tension: Tension) -> str:
    sides = [words.with_place(words.of_place(side)) for side in (tension.a, tension.b)]
    if tension.kind in OF_TWO_PLACES:
        return f"Decide which holds: {' or '.join(dict.fromkeys(sides))}."
    return f"Do the arithmetic again, beginning at {' and '.join(dict.fromkeys(sides))}."


def _is_about(review: Review, side: Place) -> bool:
    exchange = review.exchange
    here = (exchange.slide, exchange.said_at_s) == (side.slide, side.said_at_s)
    return here and bool(exchange.quote) and (exchange.quote or "") in side.quote
