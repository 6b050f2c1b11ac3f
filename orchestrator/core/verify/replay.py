"""Replay: the check of every write in the ledger against the rules of the file's class.

Source: DESIGN.md, section 3.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.core.store.ledger import Record
from orchestrator.core.table import (
    MAX_APPEND_BYTES,
    Mutability,
    SeatedTable,
    SessionFile,
)
from orchestrator.core.verify.finding import Report, facts, shown

EMPTY_SHA256: Final = hashlib.sha256().hexdigest()

# Written again and not imported from store/rules: a fault there would excuse itself here.
_OP: Final = {
    Mutability.WRITE_ONCE: "write",
    Mutability.WRITE_FEW: "revise",
    Mutability.OVERWRITE: "replace",
    Mutability.APPEND_ONLY: "append",
}


@dataclass(frozen=True, slots=True)
class State:
    """The state of a file directly after one record."""

    seq: int
    size_bytes: int
    sha256: str
    line: int  # offset in the ledger of the line that holds its text
    origin: int  # the record of that line
    is_withheld: bool = False


@dataclass(slots=True)
class History:
    """One file's states according to the ledger, from its first record to its last."""

    row: SessionFile
    seqs: list[int] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    texts: dict[int, State] = field(default_factory=dict)  # of records that hold the whole text
    revisions: int = 0
    digest: Any = field(default_factory=hashlib.sha256)  # None: unknown, behind damage

    def as_of(self, seq: int) -> State | None:
        """Return the file's state when record *seq* was the last one, or None before its first."""
        index = bisect_right(self.seqs, seq)
        return self.states[index - 1] if index else None


@dataclass(slots=True)
class Replay:
    """The files of a session as its records build them; breaches of rules go into the report.

    After damage, a state that cannot be computed is taken from the record itself.
    """

    layout: SeatedTable
    max_revisions: int | None  # of write-few files; None: as their rows say
    report: Report
    files: dict[str, History] = field(init=False)
    withheld: list[tuple[int, str]] = field(default_factory=list)  # the records that nobody is shown
    _unsure: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.files = {path: History(row) for path, row in self.layout.files.items()}

    def lose(self) -> None:
        """Mark every file as unsure, since records that could not be read may have written to it."""
        self._unsure = set(self.files)

    def hidden(self, paths: Collection[str], seq: int) -> tuple[int, ...]:
        """Return the numbers of the withheld records of which these files, as of record *seq*, consist."""
        found = []
        for number, path in self.withheld:
            if number <= seq and path in paths:
                history = self.files[path]
                last = history.as_of(seq)
                if history.row.mutability is Mutability.APPEND_ONLY or (last and last.origin == number):
                    found.append(number)
        return tuple(found)

    def take(self, record: Record, line: int) -> None:
        """Apply one write, after checking it against the file's row and state."""
        path = record.file or ""
        history = self.files.get(path)
        if history is None:
            self.report.add(path, "rule", "a file of this session's table", f"{_place(record)} writes it")
            return
        for expected, found in _breaches(record, history, self._limit(history.row)):
            self.report.add(path, "rule", expected, f"{_place(record)}: {found}")
        if record.withheld:
            self.withheld.append((record.seq, path))
        self._apply(record, history, line)

    def _limit(self, row: SessionFile) -> int:
        if row.mutability is Mutability.WRITE_FEW and self.max_revisions is not None:
            return self.max_revisions
        return row.max_revisions

    def _apply(self, record: Record, history: History, line: int) -> None:
        text, size, sha256 = record.text or "", record.size_bytes or 0, record.sha256 or ""
        raw = text.encode()
        path = history.row.path
        unsure = path in self._unsure
        before = history.states[-1].size_bytes if history.states else 0
        if record.op == "append":
            # Bytes before the damage are unknown, so the running digest is; the record's own word is taken.
            if unsure:
                history.digest = None
            if history.digest is not None:
                history.digest.update(raw)
            computed = history.digest.hexdigest() if history.digest is not None else sha256
            length = size if unsure else before + len(raw)
        elif record.same is not None:
            origin = history.texts.get(record.same)
            if origin is None and not unsure:
                self.report.add(
                    path, "rule", f"{_place(record)}: a text of record {record.same}", "none there"
                )
            elif origin is not None and origin.is_withheld != record.withheld:
                what = f"{_place(record)}: withheld like record {record.same}, whose text it is"
                self.report.add(path, "rule", what, "it is not")
            length, computed = (origin.size_bytes, origin.sha256) if origin is not None else (size, sha256)
            line = origin.line if origin is not None else line
        else:
            history.digest = hashlib.sha256(raw)
            computed, length = history.digest.hexdigest(), len(raw)
        if (length, computed) != (size, sha256):
            self.report.add(
                path, "rule", f"{_place(record)}: {facts(length, computed)}", f"it says {facts(size, sha256)}"
            )
        self._unsure.discard(path)
        if record.op not in ("create", "append"):
            history.revisions += 1
        history.seqs.append(record.seq)
        state = State(record.seq, size, sha256, line, record.same or record.seq, record.withheld)
        history.states.append(state)
        if record.op != "append" and record.same is None:
            history.texts[record.seq] = state


def _place(record: Record) -> str:
    return f"record {record.seq}, {record.op} by {shown(record.by[:40])}"


def _breaches(record: Record, history: History, limit: int) -> list[tuple[str, str]]:
    """Return the rules that a write breaks, each as what the rule demands and what was done."""
    row, text = history.row, record.text or ""
    found: list[tuple[str, str]] = []
    if record.op == "create":
        if record.by != "start":
            found.append(("a blueprint is put in place by start", "another writer"))
        if history.states:
            found.append(("a blueprint is put in place before any write", "the file was there"))
    else:
        if record.by not in row.writers:
            found.append((f"writers are {', '.join(row.writers)}", "another writer"))
        if record.op != _OP[row.mutability]:
            found.append((f"{row.mutability}: `{_OP[row.mutability]}`", f"`{record.op}`"))
    if record.op in ("write", "revise") and history.revisions >= limit:
        found.append((f"{row.mutability}: at most {limit} of them", f"number {history.revisions + 1}"))
    if "\0" in text:
        found.append(("text without NUL", f"NUL at position {text.index(chr(0))}"))
    size = record.size_bytes or 0
    if size > row.max_bytes:
        found.append((f"at most {row.max_bytes} bytes", f"{size} bytes"))
    if record.op == "append":
        added = len(text.encode())
        if not added:
            found.append(("an append that adds something", "nothing"))
        if added > MAX_APPEND_BYTES:
            found.append((f"at most {MAX_APPEND_BYTES} bytes in one append", f"{added} bytes"))
    return found
