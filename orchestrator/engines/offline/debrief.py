"""What a debrief says without a model: verdicts and contradictions, nothing that would need reading."""

from __future__ import annotations

from typing import Final

from orchestrator.claims.model import COMPUTED, Place, Tension
from orchestrator.engines.protocol import DebriefRequest
from orchestrator.engines.said import DebriefWords, RubricCheck
from orchestrator.exchange import Exchange, each_once

NOT_JUDGED: Final = "not judged"
MOST_WANTED: Final = 3


def debrief(request: DebriefRequest) -> DebriefWords:
    """The first computed contradiction, else the first question without an answer; no stronger answers."""
    checks = tuple(RubricCheck(name, NOT_JUDGED, "only reading can tell") for name in request.checks)
    wanted = tuple(one.question for one in request.never_asked[:MOST_WANTED] if one.question)
    tension = next((one for one in request.tensions if one.class_ == COMPUTED), None)
    if tension is not None:
        fix = f"Put right what contradicts itself: {_where(tension.a)} and {_where(tension.b)}."
        exchange = _asked_about(tension, request)
        return DebriefWords(fix, tension.sum or tension.note, exchange, checks=checks, still_wanted=wanted)
    open_one = next((one for one in each_once(request.scene.exchanges) if _has_no_answer(one)), None)
    if open_one is not None:
        fix = f"Have an answer ready to: {open_one.turns[0].question}"
        return DebriefWords(fix, "it was asked and got none", open_one.id, checks=checks, still_wanted=wanted)
    return DebriefWords(checks=checks, still_wanted=wanted)


def _has_no_answer(exchange: Exchange) -> bool:
    return exchange.outcome in ("unresolved", "parked")


def _asked_about(tension: Tension, request: DebriefRequest) -> str | None:
    pair = {tension.a.quote, tension.b.quote}
    for exchange in request.scene.exchanges:
        if exchange.beside is not None and {exchange.quote, exchange.beside.quote} == pair:
            return exchange.id
    return None


def _where(place: Place) -> str:
    quote = " ".join(place.quote.split())
    return f'"{quote}" ({"said aloud" if place.slide is None else f"slide {place.slide}"})'
