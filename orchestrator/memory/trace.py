"""The step trace: what the loop did, step by step, as the ledger's records tell it.

`full_trace` gives the full history of any session, ended ones too. A `Trace` keeps what a snapshot
shows and no more, however long the session; `Snapshots` puts that into `trace/session.json` after
each step; where a server drives the session, once a second. The file is derived: losing it loses
nothing, and not being able to write it is a warning.

How long a step took is the wall clock from the record before it. Where a recording is played,
that is the step itself. While the clock is live, a step that the clock or the presenter sets off
also waited: `waited` says so, and the time is then an upper bound. A model's own time stands in
the records of its calls.

Source: the seed of the trace (003); DESIGN.md, section 9.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.legible import clipped, clock, one_line
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.store import Store
from orchestrator.memory.derived import Made, derived_folder, replace_text
from orchestrator.memory.snapshot import LAST, MAX_CHARS, Step, Tail, size_of, snapshot
from orchestrator.panel.records import telling
from orchestrator.panel.records.candidates import CandidateWritten, RoundMade
from orchestrator.panel.records.exchanges import ExchangeOpened
from orchestrator.panel.records.kinds import PanelRecord
from orchestrator.panel.records.memory import ToolUsed
from orchestrator.panel.records.moderator import Called, ClockSet
from orchestrator.panel.records.tellers import known_value, step_of

log = logging.getLogger(__name__)
T = TypeVar("T")

FOLDER: Final = "trace"
NAME: Final = "session.json"

MOST_HELD: Final = 50
"""Errors, and summaries: more than a snapshot has room for."""
MAX_LINE_CHARS: Final = 400
"""Of one line's words, far above any reason that the moderator gives; the JSON has all of them."""


@dataclass(slots=True)
class Trace:
    """Steps, errors, summaries and state: a fold over the ledger's records.

    All steps are held as long as they can fit into a snapshot, then the last ones and how many came
    before; with *whole* nothing is ever left out.
    """

    whole: bool = False
    steps: Tail[Step] = field(default_factory=Tail)
    errors: Tail[Mapping[str, Any]] = field(default_factory=Tail)
    summaries: Tail[str] = field(default_factory=Tail)
    state: dict[str, Any] = field(default_factory=dict)
    _before: str | None = None  # when the work of the next step began, as far as is known
    _live: bool = False
    _candidates: dict[str, str] = field(default_factory=dict)  # made since the last refresh
    _exchange_began: int = 1  # step
    _held_bytes: int = 0  # of all steps; beyond a snapshot's size they are not all held any more

    @property
    def count(self) -> int:
        """Steps so far."""
        return self.steps.earlier + len(self.steps)

    def take(self, record: Record) -> None:
        """Fold in the next record; of one in a shape that this release does not know, that it was there."""
        try:
            value, told = known_value(record), step_of(record)
        except LedgerCorruptError:
            value, told = None, telling.Step(record.type, timing="none")
        if isinstance(value, ClockSet):
            self._live = value.live
        elif isinstance(value, CandidateWritten) and value.waiting.status == "ready":
            self._candidates[record.by] = value.waiting.candidate.question
        if told is not None:
            self._tell(told, value, record)
        if record.op != "receipt" and not _is_beside(value):
            self._before = record.at

    def _tell(self, told: telling.Step, value: PanelRecord | None, record: Record) -> None:
        if told.name is not None:
            if isinstance(value, ExchangeOpened):
                self._exchange_began = self.count + 1
            self.add_step(self._step(told, told.name, value, record))
        for message in told.errors:
            self.add_error(message, self.count)
        if told.summary is not None:
            self.add_summary(f"step {self._exchange_began}-{self.count}: {told.summary}")
            self.state["exchanges"] = self.state.get("exchanges", 0) + 1
        self.state.update(told.state)
        self.state["record"] = record.seq

    def _step(self, told: telling.Step, name: str, value: PanelRecord | None, record: Record) -> Step:
        took_s = told.took_s
        if told.timing != "none" and self._before is not None:
            took_s = _seconds(self._before, record.at)
        output = told.output
        if isinstance(value, RoundMade):
            output = {**(output or {}), "questions": {who: self._candidates.get(who) for who in value.made}}
            self._candidates.clear()
        waited = took_s is not None and self._live and told.timing == "waits"
        action = {"action": name, "by": record.by, **told.action}
        at_s = round(record.clock_s, 3)
        return Step(self.count + 1, action, output, record.seq, at_s, took_s, waited=waited, words=told.words)

    def add_step(self, step: Step) -> None:
        if self._held_bytes <= MAX_CHARS:
            self._held_bytes += size_of(step)
        self._add(self.steps, step, LAST if self._held_bytes > MAX_CHARS else None)

    def add_error(self, message: str, step: int) -> None:
        self._add(self.errors, {"message": message, "step": step}, MOST_HELD)

    def add_summary(self, text: str) -> None:
        self._add(self.summaries, text, MOST_HELD)

    def _add(self, tail: Tail[T], item: T, last: int | None) -> None:
        tail.append(item)
        if last is not None and not self.whole:
            tail.keep(last)

    def text(self) -> str:
        """The snapshot, under its bound."""
        return snapshot(self.steps, self.errors, self.summaries, self.state)


def _is_beside(value: PanelRecord | None) -> bool:
    """Return whether the work that a record belongs to was over before it: no step ends with such a one."""
    match value:
        case Called() | CandidateWritten():
            return True
        case ToolUsed():
            return value.error is None  # with a refusal something ended, however little
    return False


def _seconds(before: str, at: str) -> float:
    """Wall-clock seconds between two records; a clock that was set back gives none."""
    return max(0.0, round((datetime.fromisoformat(at) - datetime.fromisoformat(before)).total_seconds(), 3))


def full_trace(records: Iterable[Record]) -> Trace:
    """The whole history that these records tell, never cut."""
    trace = Trace(whole=True)
    for record in records:
        trace.take(record)
    return trace


def trace_lines(steps: Iterable[Step]) -> Iterator[str]:
    """One line a step: number, session clock, time taken ("<" where it includes waiting), words."""
    for step in steps:
        words = clipped(one_line(step.words), MAX_LINE_CHARS)
        took = "" if step.took_s is None else f"{'<' if step.waited else ''}{step.took_s:.3f} s"
        yield f"{step.step:>5}  {clock(step.at_s or 0.0):>7}  {took:>9}  {words}"


class Snapshots:
    """A session's trace in this process, and the file that shows it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._trace = store.fold(Trace, Trace.take)
        self._upto = -1
        self._made = Made(store, f"{FOLDER}/{NAME}", self._write)

    @property
    def trace(self) -> Trace:
        """The steps up to now."""
        return self._trace.now()

    def write(self) -> bool:
        """Bring `trace/session.json` up to date; False: it could not be, which is one warning.

        Call it after a step, outside of a transaction. The disk is not synced: the ledger is.
        """
        return self._store.catch_up() == self._upto or self._store.frozen or self._made.write()

    def _write(self) -> None:
        store, trace = self._store, self.trace
        with derived_folder(store.root, FOLDER) as fd:
            replace_text(fd, NAME, trace.text())  # each step's is another text
        self._upto = store.seq
        log.info("%s: trace of %d steps, %d shown", store.root.name, trace.count, len(trace.steps))
