"""The presenter's promises: in the speech, as the debrief heard it, and in answers, as the panel did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.material.checks.grounding import grounded
from orchestrator.material.checks.passages import speech_passages
from orchestrator.panel.debrief.parts import Source
from orchestrator.panel.debrief.verified import source_of
from orchestrator.panel.records.exchanges import ExchangeOpened, VerdictGiven
from orchestrator.panel.records.kinds import value_of

if TYPE_CHECKING:
    from orchestrator.panel.loop.rehearsal import Rehearsal


def promises_of(rehearsal: Rehearsal) -> tuple[Source, ...]:
    """Every undertaking once: those of the speech, then those that a verdict names; all stand verbatim."""
    answered = _of_answers(rehearsal)
    told = [one.quote.casefold() for one in answered]
    spoken = [one for one in _of_speech(rehearsal) if not any(_is_one(one.quote, quote) for quote in told)]
    return (*spoken, *answered)


def _is_one(quote: str, other: str) -> bool:
    return quote.casefold() in other or other in quote.casefold()


def _of_speech(rehearsal: Rehearsal) -> list[Source]:
    """Those of the debrief's words that stand in the speech; what was said in an answer is that answer's."""
    projection, scene = rehearsal.projection, rehearsal.scene()
    told = projection.debrief_words.promises if projection.debrief_words is not None else ()
    passages = speech_passages(scene.segments)
    found = [place for one in told if (place := grounded(one, passages)) is not None]
    return [source_of(place, projection.exchanges) for place in dict.fromkeys(found)]


def _of_answers(rehearsal: Rehearsal) -> tuple[Source, ...]:
    """Those that a verdict names, in order."""
    store = rehearsal.store
    answers = {
        exchange.id: " ".join(" ".join((turn.answer or "").split()) for turn in exchange.turns)
        for exchange in rehearsal.projection.asked
    }
    found: dict[str, Source] = {}
    asked, withdrawn = "", rehearsal.projection.withdrawn_records
    for entry in store.entries():
        if entry.op != "note" or entry.seq in withdrawn:
            continue
        match value_of(store.record(entry.seq)):
            case ExchangeOpened(exchange):
                asked = exchange.id
            case VerdictGiven(judgement=judgement):
                for promise in judgement.promises:
                    quote = " ".join(promise.split())
                    if quote and quote in answers.get(asked, ""):
                        found.setdefault(quote.casefold(), Source(quote, origin="answer", exchange=asked))
    return tuple(found.values())
