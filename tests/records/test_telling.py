"""What memory tells of each type of record: every class says it, and it stays what it was.

`told.jsonl` holds records, one of each type and of each of its forms, and what the release before the classes
told of them: the Scribe's entry, the passage for facts, the trace's step, error and line for people.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.store.ledger import Held, Record, held
from orchestrator.memory.scribe import Scribe
from orchestrator.memory.trace import Trace, trace_lines
from orchestrator.panel.records.kinds import KINDS, passage_of
from orchestrator.panel.records.moderator import ClockSet
from orchestrator.panel.records.value import PanelValue

TOLD = Path(__file__).with_name("told.jsonl")
TELLERS = ("entry", "passage", "step")

UNTOLD = {
    "entry": "session state candidate refreshed dossier focus_brief phrases playback speaker section_end "
    "played_out answered answer_ends answer_used passed left_out notes profile tensions finding dismissed "
    "time_warning no_question monologue clock driver call took_over debrief_words freeze remembered "
    "scratchpads-asked settled flushed exchange_reopened answer_corrected put_again verdict_noted",
    "step": "candidate dossier phrases speaker section_end answer_ends answer_used notes profile",
}
"""Of whom that is told nothing: they belong to a record beside them, or show nothing that it does not."""
PASSAGES = {"segment", "answer", "exchange_closed", "corrected"}
"""Whose words facts may be taken from: what was said, and what was asked."""


def told_of(record: Record) -> dict[str, Any]:
    """What memory tells of a record whose work began ten seconds before it, while the clock was live."""
    scribe, trace = Scribe(), Trace(whole=True)
    trace.take(Record(1, "note", "moderator", 0.0, "2026-11-22T08:00:00.000000Z", held=Held({"type": "x"})))
    trace.take(_clock(2))
    scribe.take(record)
    trace.take(record)
    passage = passage_of(record)
    steps = list(trace.steps)[2:]
    return json.loads(  # type: ignore[no-any-return]
        json.dumps({
            "entry": [asdict(one) for one in scribe.context().recent_entries],
            "passage": asdict(passage) if passage is not None else None,
            "steps": [
                {"action": one.action, "output": one.output, "took_s": one.took_s, "waited": one.waited}
                for one in steps
            ],
            "lines": list(trace_lines(steps)),
            "errors": list(trace.errors),
            "summaries": list(trace.summaries),
            "state": trace.state,
        })
    )  # fmt: skip


def _clock(seq: int) -> Record:
    value = held(ClockSet(0.0, live=True))
    return Record(seq, "note", "moderator", 0.0, "2026-11-22T08:00:00.000000Z", held=value)


def record_of(plain: dict[str, Any]) -> Record:
    """A record with the number 3, ten seconds behind the one before it."""
    value = Held(plain["value"]) if plain["value"] is not None else None
    file, text = plain.get("file"), plain.get("text")
    return Record(3, plain["op"], plain["by"], 10.0, "2026-11-22T08:00:10.000000Z", file, text, value)


CASES = [json.loads(line) for line in TOLD.read_text("utf-8").splitlines()]


def type_of(case: dict[str, Any]) -> str:
    return str((case["record"]["value"] or {}).get("type", "text"))


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{type_of(case)}" for n, case in enumerate(CASES, 1)])
def test_what_is_told_of_a_record_stays_what_it_was(case: dict[str, Any]) -> None:
    assert told_of(record_of(case["record"])) == case["told"]


def test_each_type_stands_among_the_records_that_are_told() -> None:
    assert {type_ for type_, _ in KINDS} - set(map(type_of, CASES)) == set()


def _defines(kind: type, name: str) -> bool:
    return any(name in vars(one) for one in kind.__mro__ if one is not PanelValue)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.TYPE)
def test_a_class_says_what_memory_tells_of_it(kind: type) -> None:
    type_ = kind.TYPE  # type: ignore[attr-defined]
    said = {name for name in TELLERS if _defines(kind, name)}
    silent = {name for name, types in UNTOLD.items() if type_ in types.split()}
    if type_ not in PASSAGES:
        silent.add("passage")
    assert said | silent == set(TELLERS), "define the method, or name the type above"
    assert not said & silent, "the type is named above as one that tells nothing"
