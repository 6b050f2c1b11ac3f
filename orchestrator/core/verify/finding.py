"""The result of a verification: every difference, by file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_LISTED: Final = 200
"""Maximum findings that are listed for one kind in one file. The others are only counted, so that a ruined
file of a million lines does not give a report of a million lines."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference. `expected` and `found` contain sizes, digests and places, never words that were spoken.

    ==========  ===================================================================
    kind        what it says of the file at `path`
    ==========  ===================================================================
    missing     it is not there
    changed     its bytes are others
    behind      it holds an earlier state (a live session: `resume` mends it)
    extra       nothing accounts for it
    not-plain   a link, second name, pipe, device or folder stands in its place
    unreadable  the system does not let it be read, or its name cannot be used
    torn        a crash cut the last write of the ledger (`resume` mends it)
    damaged     a line of the ledger is not what its hash says
    sequence    records are missing, doubled or out of order
    shape       a record is not in the format of the ledger
    version     the ledger was written by a release that this one does not know
    clock       the session clock went back
    rule        a write broke a rule of the file's class
    receipt     a receipt does not say what the ledger gives
    freeze      the record of the end contradicts the ledger
    head        the ledger's head is not the one that was kept elsewhere
    replaced    another archive of this name lies where the one with the head that was kept did
    misplaced   its first record, or its archive's bag-info, names another session than its place does
    bag         the bag around the session breaks the standard
    ==========  ===================================================================
    """

    path: str
    kind: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class JudgedBy:
    """The table of files by which a session was verified."""

    name: str
    version: int
    sha256: str  # of its plain form


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification. `valid` is true if `findings` is empty; `notes` are not faults."""

    valid: bool
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    head: str  # hash of the last whole record
    seq: int  # its number
    ended: bool
    table: JudgedBy | None = None  # None: there is no ledger to judge


@dataclass(slots=True)
class Report:
    """A collection of findings and notes during a verification."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, path: str, kind: str, expected: str, found: str) -> None:
        """Add a finding, unless it is already listed."""
        finding = Finding(shown(path), kind, expected, found)
        count = self._counts[path, kind] = self._counts.get((path, kind), 0) + 1
        # Compared with the latest only: a report on a ruined file must not take the square of its lines.
        if count <= MAX_LISTED and finding not in self.findings[-MAX_LISTED:]:
            self.findings.append(finding)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def has(self, path: str) -> bool:
        """Return whether there is a finding at *path*."""
        return any(finding.path == shown(path) for finding in self.findings)

    def listed(self) -> tuple[Finding, ...]:
        """Return the findings; for each kind that has more than are listed, a last finding gives the
        number."""
        over = [
            Finding(shown(path), kind, f"the first {MAX_LISTED} are listed", f"{count} in all")
            for (path, kind), count in self._counts.items()
            if count > MAX_LISTED
        ]
        return (*self.findings, *over)

    def result(self, *, head: str, seq: int, ended: bool, table: JudgedBy | None = None) -> Verification:
        findings = self.listed()
        return Verification(not findings, findings, tuple(self.notes), head, seq, ended, table)


def shown(name: str) -> str:
    """Return *name* on one printable line, whatever bytes it contains."""
    if name.isprintable():
        return name
    # A file system holds bytes, and a terminal obeys control characters in a name.
    raw = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in raw)


def facts(size_bytes: int, sha256: str) -> str:
    """Return a file's size and digest in the form that a finding shows."""
    return f"{size_bytes} bytes, SHA-256 {sha256}"
