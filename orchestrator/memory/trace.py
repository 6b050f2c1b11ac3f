"""The step trace: what the loop did, step by step, derived from the ledger's records.

`full_trace` returns the full history of any session, including ended ones. A `Trace` stores what a snapshot
shows and no more, however long the session is. `Snapshots` writes that into `trace/session.json` after each
step or, if a server drives the session, once a second. The file is derived: losing it loses nothing, and a
failure to write it is only a warning.

The time that a step took is measured by the wall clock, from the record before the step. If a recording is
played, that is the step's own time. While the clock is live, a step that the clock or the presenter triggers
includes waiting: `waited` is then True, and the time is an upper bound. The time that a model took is in the
records of its calls.

Source: the seed of the trace (003); DESIGN.md, section 9.
"""

from __future__ import annotations

import json
import logging
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.legible import clipped, clock, one_line
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.store import Store
from orchestrator.memory.facts import Made, derived_folder, replace_text
from orchestrator.panel.records import value as telling
from orchestrator.panel.records.exchanges import CandidateWritten, ExchangeOpened, RoundMade
from orchestrator.panel.records.kinds import PanelRecord, known_value, step_of
from orchestrator.panel.records.memory import ToolUsed
from orchestrator.panel.records.moderator import Called, ClockSet

# ---------------------------------------------------------------------- snapshot
# A trace as one JSON text under a hard bound, whatever the sizes of what is in it.
#
# Where everything fits, everything is in it. Else the last five steps are, behind one stub with the true
# number of those before them; then outputs are cut, the longest first, each with the number of characters
# left out; and where even that is not enough, errors and summaries keep their last five, and everything is
# cut the same way.
#
# Source: the seed of the trace (003), "Truncation Policy"; DESIGN.md, section 9.


T = TypeVar("T")

MAX_CHARS: Final = 16_000
"""Maximum size of a snapshot, some 4,000 tokens; counted in bytes of UTF-8, which are never fewer than
characters."""
LAST: Final = 5
"""Number of last steps that are always listed, and of last errors and summaries if room is short."""
_FLOOR: Final = 400
"""Minimum size to which an output is cut as long as anything else could be cut instead. Five outputs of this
size still leave most of the room to errors and summaries."""
_MAX_KEYS: Final = 20
_MAX_KEY_CHARS: Final = 60
"""Maximum length of a key of the state, once nothing else helps: 1,200 bytes of keys leave room for their
values."""
_LINE: Final = ",\n "


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the loop: the action and its outcome."""

    step: int  # from 1
    action: Mapping[str, Any]
    output: Any
    record: int | None = None  # of the ledger
    at_s: float | None = None  # session clock
    took_s: float | None = None  # wall clock
    waited: bool = False  # `took_s` holds waiting for what the presenter says next: it took at most that
    words: str = ""  # as people are told it; a snapshot has none


class Tail(deque[T]):
    """The last items of a list, and the number of those before them."""

    def __init__(self, items: Iterable[T] = (), earlier: int = 0) -> None:
        super().__init__(items)
        self.earlier = earlier

    def keep(self, last: int) -> None:
        """Drop all but the last *last* items."""
        while len(self) > last:
            self.popleft()
            self.earlier += 1

    def last(self) -> Tail[T]:
        """Return a shorter tail, for a page that has no room for more."""
        short = Tail(self, self.earlier)
        short.keep(LAST)
        return short


Page = dict[str, Any]
Place = tuple[Any, Any]
"""A list or an object of a page, and the index or key of a value in it that may be cut."""


def snapshot(
    steps: Tail[Step], errors: Tail[Mapping[str, Any]], summaries: Tail[str], state: Mapping[str, Any]
) -> str:
    """Return the JSON text of `steps`, `errors`, `summaries` and `state`, at most `MAX_CHARS` long."""
    page = _page(steps, errors, summaries, state)
    if len((text := _text(page)).encode()) <= MAX_CHARS:  # the usual case; it is made after each step
        return text
    page = _page(steps.last(), errors, summaries, state)
    if _size(page) > MAX_CHARS:
        _cut(page, [(step, "output") for step in page["steps"] if "output" in step], at_least=_FLOOR)
    if _size(page) > MAX_CHARS:
        short = {str(key)[:_MAX_KEY_CHARS]: state[key] for key in list(state)[:_MAX_KEYS]}
        page = _page(steps.last(), errors.last(), summaries.last(), short)
        places: list[Place] = [
            (step, name) for step in page["steps"] if "output" in step for name in ("action", "output")
        ]
        for name, tail in (("errors", errors.last()), ("summaries", summaries.last())):
            places += [(page[name], at) for at in range(bool(tail.earlier), len(page[name]))]
        _cut(page, places + [(page["state"], key) for key in page["state"]], at_least=0)
    return _text(page)


def size_of(step: Step) -> int:
    """Return the bytes that a whole step takes in a snapshot."""
    return len(_json(_step(step)).encode())


def _page(
    steps: Tail[Step], errors: Tail[Mapping[str, Any]], summaries: Tail[str], state: Mapping[str, Any]
) -> Page:
    """Return the whole page; before a shortened list, a stub says how many of its items are left out."""
    note = {"index": "summary", "note": f"Summarized {steps.earlier} earlier steps", "earlier": steps.earlier}
    error = {"message": f"Left out {errors.earlier} earlier errors", "step": None}
    summary = f"Left out {summaries.earlier} earlier summaries"
    return {
        "steps": [*([note] if steps.earlier else []), *map(_step, steps)],
        "errors": [*([error] if errors.earlier else []), *(_plain(dict(one)) for one in errors)],
        "summaries": [*([summary] if summaries.earlier else []), *summaries],
        "state": {str(key): _plain(value) for key, value in state.items()},
    }


def _step(step: Step) -> Page:
    known = {"record": step.record, "at_s": step.at_s, "took_s": step.took_s, "waited": step.waited or None}
    head = {"step": step.step, **{name: one for name, one in known.items() if one is not None}}
    return {**head, "action": _plain(dict(step.action)), "output": _plain(step.output)}


def _plain(value: Any) -> Any:
    """Return *value* if JSON can express it, else its text; NaN and infinity become text."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return str(value)
    return value


def _text(page: Page) -> str:
    """Format the page with one list item a line, for people who open the file."""
    lists = (f'"{name}": [{_LINE.join(map(_json, page[name]))}]' for name in ("steps", "errors", "summaries"))
    return "{" + ",\n".join((*lists, f'"state": {_json(page["state"])}')) + "}\n"


def _size(page: Page) -> int:
    return len(_text(page).encode())


def _cut(page: Page, places: Sequence[Place], *, at_least: int) -> None:
    """Cut the longest values at *places* to make the page fit; cut none below *at_least* bytes."""
    sizes = [len(_json(where[key]).encode()) for where, key in places]
    left = MAX_CHARS - _size(page) + sum(sizes)
    most = 0
    for done, size in enumerate(sorted(sizes)):
        most = left // (len(sizes) - done)  # each of those that are left may take
        if size > most:
            break
        left -= size
    most = max(most, at_least)
    for (where, key), size in zip(places, sizes, strict=True):
        if size > most:
            where[key] = _beginning(where[key], most)


def _beginning(value: Any, most: int) -> str:
    """Return the part of *value* that fits into *most* bytes of JSON, and how much is left out."""
    text = value if isinstance(value, str) else _json(value)

    def marked(kept: int) -> str:
        return f"{text[:kept]}… [{len(text) - kept} characters left out]"

    lengths = range(1, min(len(text), most) + 1)
    kept = bisect_left(lengths, True, key=lambda n: len(_json(marked(n)).encode()) > most)
    return marked(kept) if len(_json(marked(kept)).encode()) <= most else ""


def _json(value: Any) -> str:
    """Encode JSON for a file, replacing lone surrogates with question marks."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


# ---------------------------------------------------------------------- trace


log = logging.getLogger(__name__)


FOLDER: Final = "trace"
NAME: Final = "session.json"

MAX_HELD: Final = 50
"""Maximum number of errors, and of summaries, that are stored: more than a snapshot has room for."""
MAX_LINE_CHARS: Final = 400
"""Maximum number of characters of one line's words, far above any reason that the moderator gives; the JSON
has all of them."""


@dataclass(slots=True)
class Trace:
    """Steps, errors, summaries and state: a fold over the ledger's records.

    All steps are stored as long as they can fit into a snapshot. Beyond that, the last steps are stored with
    the number of those before them. If *whole* is set, nothing is ever left out.
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
        """The number of steps so far."""
        return self.steps.earlier + len(self.steps)

    def take(self, record: Record) -> None:
        """Fold in the next record; if its shape is unknown, note only that the record exists."""
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
        self._add(self.errors, {"message": message, "step": step}, MAX_HELD)

    def add_summary(self, text: str) -> None:
        self._add(self.summaries, text, MAX_HELD)

    def _add(self, tail: Tail[T], item: T, last: int | None) -> None:
        tail.append(item)
        if last is not None and not self.whole:
            tail.keep(last)

    def text(self) -> str:
        """Return the snapshot, within its maximum size."""
        return snapshot(self.steps, self.errors, self.summaries, self.state)


def _is_beside(value: PanelRecord | None) -> bool:
    """Return whether the record's work had ended before the record, so that the record ends no step."""
    match value:
        case Called() | CandidateWritten():
            return True
        case ToolUsed():
            return value.error is None  # with a refusal something ended, however little
    return False


def _seconds(before: str, at: str) -> float:
    """Return wall-clock seconds between two records, or 0 if the clock was set back between them."""
    return max(0.0, round((datetime.fromisoformat(at) - datetime.fromisoformat(before)).total_seconds(), 3))


def full_trace(records: Iterable[Record]) -> Trace:
    """Return the whole history of these records; nothing in it is cut."""
    trace = Trace(whole=True)
    for record in records:
        trace.take(record)
    return trace


def trace_lines(steps: Iterable[Step]) -> Iterator[str]:
    """Yield a line for each step: number, session clock, time taken ("<" if it includes waiting), words."""
    for step in steps:
        words = clipped(one_line(step.words), MAX_LINE_CHARS)
        took = "" if step.took_s is None else f"{'<' if step.waited else ''}{step.took_s:.3f} s"
        yield f"{step.step:>5}  {clock(step.at_s or 0.0):>7}  {took:>9}  {words}"


class Snapshots:
    """The trace of a session in this process, and the file with its snapshot."""

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
        """Update `trace/session.json`; return False if that fails, which also logs one warning.

        Call it after a step, outside of a transaction. The disk is not synced: the ledger is.
        """
        return self._store.catch_up() == self._upto or self._store.frozen or self._made.write()

    def _write(self) -> None:
        store, trace = self._store, self.trace
        with derived_folder(store.root, FOLDER) as fd:
            replace_text(fd, NAME, trace.text())  # each step's is another text
        self._upto = store.seq
        log.info("%s: trace of %d steps, %d shown", store.root.name, trace.count, len(trace.steps))
