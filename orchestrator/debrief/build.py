"""The debrief of a session, made from its records."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.bill import bill_of
from orchestrator.claims.model import Tension
from orchestrator.debrief import words
from orchestrator.debrief.first import first_of
from orchestrator.debrief.material import material
from orchestrator.debrief.model import Debrief, OpenPoint, Review, Source
from orchestrator.debrief.rubric import Record, rubric
from orchestrator.debrief.shares import shares_of
from orchestrator.debrief.stronger import Stock, bare_question, deciding_words, short, stronger
from orchestrator.debrief.timing import spans
from orchestrator.engines.promises import promises_in
from orchestrator.engines.protocol import Scene
from orchestrator.exchange import Exchange, not_taken_up
from orchestrator.rehearsal import Rehearsal
from orchestrator.speech.delivery import delivery_of


def debrief_of(rehearsal: Rehearsal, tensions: Sequence[Tension] | None = None) -> Debrief:
    """The debrief of a session as it stands.

    Args:
        tensions: The contradictions found in deck and speech; None: nobody looked for them.
    """
    room, options, scene = rehearsal.room, rehearsal.options, rehearsal.scene()
    said = material(scene)
    names = {agent: rehearsal.name_of(agent) for agent in options.panel}
    stock = Stock(said, scene)
    later = {one.comes_back_to: one.id for one in room.exchanges}
    reviews = tuple(
        _review(one, names.get(one.agent, one.agent), stock, later.get(one.id)) for one in room.exchanges
    )
    speech_s, budget_s = rehearsal.now_s(), options.minutes * 60
    record = Record(scene, reviews, tensions, said, speech_s, speech_s + room.spent_s, budget_s)
    return Debrief(
        deck=scene.deck.title or scene.deck.name,
        presenter=options.presenter,
        speaker=room.presenter,
        date=options.date,
        fix=first_of(reviews, tensions or ()),
        reviews=reviews,
        tensions=None if tensions is None else tuple(tensions),
        homework=tuple(_homework(reviews)),
        promises=tuple(_promises(scene)),
        slides=spans(room.slides, scene.deck, speech_s, budget_s),
        speech_s=speech_s,
        answers_s=room.spent_s,
        budget_s=budget_s,
        delivery=delivery_of(
            room.segments, room.presenter, asked_at_s=[one.asked_at_s for one in room.exchanges]
        ),
        rubric=rubric(record),
        engine=options.engine,
        language=options.language,
        bill=bill_of(room.calls),
        shares=shares_of(rehearsal),
    )


def _review(exchange: Exchange, name: str, stock: Stock, came_back_as: str | None) -> Review:
    answered = [turn for turn in exchange.turns if turn.answer]
    last = answered[-1] if answered else None
    return Review(
        exchange=exchange,
        name=name,
        asked=bare_question(exchange.turns[0].question, exchange.quote),
        said=None if last is None else deciding_words(last.answer or "", last.quote),
        verdict=words.outcome(exchange),
        reason=None if last is None else exchange.turns[-1].reason,
        stronger=None if came_back_as else stronger(exchange, stock),
        came_back_as=came_back_as,
    )


def _homework(reviews: Sequence[Review]) -> list[OpenPoint]:
    """Everything without a satisfying answer: parked ones first, then unresolved, then unjudged."""
    order = {"parked": 0, "unresolved": 1, "unjudged": 2}
    home = {one.id for one in not_taken_up([review.exchange for review in reviews])}
    left = [
        one
        for one in reviews
        if one.exchange.outcome in order and (one.exchange.outcome != "parked" or one.exchange.id in home)
    ]
    return [
        OpenPoint(
            one.exchange.id,
            one.place,
            "parked" if one.exchange.outcome == "parked" else one.exchange.turns[-1].reason or one.verdict,
            one.stronger,
        )
        for one in sorted(left, key=lambda one: order[one.exchange.outcome or ""])
    ]


def _promises(scene: Scene) -> list[Source]:
    """What the presenter will be held to: undertaken in answers first, then claimed in speech."""
    found = [
        Source(quote, origin="answer", exchange=exchange.id)
        for exchange in scene.exchanges
        for turn in exchange.turns
        for quote in promises_in(turn.answer or "")
    ]
    found += [
        Source(claim.text, claim.slide, claim.said_at_s, "speech")
        for claim in scene.speech_claims
        if "promise" in claim.kinds
    ]
    return [short(one) for one in found]
