"""What the presenter undertook in answers, as the panel heard it: from the records of its verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.debrief.model import Source

if TYPE_CHECKING:
    from orchestrator.loop.rehearsal import Rehearsal


def promises_of(rehearsal: Rehearsal) -> tuple[Source, ...]:
    """Every undertaking that a verdict names, once, in order; its words stand in the answer."""
    store = rehearsal.store
    answers = {
        exchange.id: " ".join(" ".join((turn.answer or "").split()) for turn in exchange.turns)
        for exchange in rehearsal.room.asked
    }
    found: dict[str, Source] = {}
    asked = ""
    for entry in store.entries():
        if entry.op != "note":
            continue
        value = store.record(entry.seq).value or {}
        if value.get("type") == "exchange_opened":
            asked = value["exchange"]["id"]
        elif value.get("type") == "verdict":
            for promise in value["judgement"].get("promises", ()):
                quote = " ".join(promise.split())
                if quote and quote in answers.get(asked, ""):
                    found.setdefault(quote.casefold(), Source(quote, origin="answer", exchange=asked))
    return tuple(found.values())
