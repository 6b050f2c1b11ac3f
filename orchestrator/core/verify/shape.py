"""Whether a line of the ledger whose hash is right is a record in the ledger's format."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import FILE_OPS, FIRST_HASH, OTHER_OPS, Record, decode, encode
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.verify.finding import Report

# ---------------------------------------------------------------------- ledger lines
# The ledger's lines, each checked against its hash; behind damage, as far as lines can be read.


_TAIL: Final = re.compile(rb',"hash":"([0-9a-f]{64})"\}\Z')
# `,"hash":"`, 64 digits and `"}`; written out here, so that a fault in the store's own sum is found.
_TAIL_BYTES: Final = 75
_HEADS_KEPT: Final = 4
"""Maximum number of hashes that a line after damage may follow: enough for a line that was inserted,
doubled or swapped with its neighbour."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line whose hash is right, and its position."""

    number: int  # 1-based; a record's `seq` in a ledger without damage
    offset: int
    content: bytes  # without the newline
    previous: str  # the hash that it follows
    digest: str
    skipped: int  # lines right before it that could not be read


@dataclass(slots=True)
class Lines:
    """The good lines in a ledger's bytes; the faults of the others go into the report.

    A torn last write that a crash explains is reported as such and left out, as every reader does. Other
    damage is reported line by line, and reading goes on.
    """

    content: bytes
    report: Report
    damaged: int = 0
    torn_bytes: int = 0

    def __iter__(self) -> Iterator[Line]:
        found = ledger.scan(self.content)
        end = len(self.content)
        if found.damage is None and found.rest:
            end = found.end
            self.torn_bytes = len(found.rest)
        yield from self._read(end)
        if found.damage is not None and not self.report.has(LEDGER_NAME):
            self._damage(f"byte {found.end}", "whole records to the end", found.damage)

    def _read(self, end: int) -> Iterator[Line]:
        heads: deque[str] = deque([FIRST_HASH], maxlen=_HEADS_KEPT)
        start = number = 0
        skipped = 0
        while start < end:
            newline = self.content.find(b"\n", start, end)
            stop = end if newline < 0 else newline
            line = self.content[start:stop]
            number += 1
            tail = _TAIL.search(line, max(0, len(line) - _TAIL_BYTES))
            claimed = tail[1].decode() if tail else None
            body = line[:-_TAIL_BYTES]
            previous = _followed(heads, body, claimed)
            if previous is not None and claimed is not None and newline >= 0:
                # Behind damage the earlier hashes are kept as well: a swapped pair follows the one before the
                # last.
                if not self.damaged:
                    heads.clear()
                heads.appendleft(claimed)
                yield Line(number, start, line, previous, claimed, skipped)
                skipped = 0
            else:
                self._damage(
                    f"line {number}, from byte {start}",
                    "a record that follows the one before it",
                    f"{len(line)} bytes that are not what their hash says",
                )
                # The next line follows this one's hash: as it stands here, or as it was.
                heads.appendleft(hashlib.sha256(heads[0].encode() + body).hexdigest())
                if claimed is not None:
                    heads.appendleft(claimed)
                skipped += 1
            start = stop + 1

    def _damage(self, place: str, expected: str, found: str) -> None:
        self.damaged += 1
        self.report.add(LEDGER_NAME, "damaged", f"{place}: {expected}", found)


def _followed(heads: deque[str], body: bytes, claimed: str | None) -> str | None:
    """Return the hash in *heads* that *body* follows, or None if there is none or its own hash is wrong."""
    if claimed is None:
        return None
    for head in heads:
        if hashlib.sha256(head.encode() + body).hexdigest() == claimed:
            return head
    return None


# ---------------------------------------------------------------------- shape


_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")

MAX_CLOCK_S: Final = 1e9
"""Maximum of a session's clock in seconds, some thirty years; a larger number is refused, and so is
infinity."""


def is_sha256(value: object) -> bool:
    """Return whether *value* is a SHA-256 in lower-case hex."""
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def read_record(line: Line) -> tuple[Record | None, str | None]:
    """Return the record of *line*, or None if it cannot be read, and what is wrong with its shape, or
    None."""
    try:
        line.content.decode()
        record = decode(line.content)
    except (LedgerCorruptError, UnicodeDecodeError, RecursionError):
        return None, "it is no JSON object with the keys of a record"
    wrong = _wrong(record)
    if wrong is not None:
        return None, wrong
    likely = b',"more":true' in line.content[-190:]  # a value may end so too: then the other is tried
    try:
        # Written again and compared byte for byte: JSON reads `1.0` and `1` alike, doubled keys and spaces
        # too, and the format has one way to write each.
        if not any(
            encode(record, line.previous, more=more)[0][:-1] == line.content for more in (likely, not likely)
        ):
            return record, "its keys are not those of a record, each once, in their order"
    except (ValueError, RecursionError):  # a lone surrogate, a number that is not finite
        return None, "it holds a number or a string that this format cannot carry"
    return record, None


def _wrong(record: Record) -> str | None:
    """Return the first fault in the record: a part of the wrong type, missing or superfluous.

    None if there is none.
    """
    if not _is_count(record.seq) or record.seq < 1:
        return "`seq` is no number from 1 on"
    if not isinstance(record.op, str) or record.op not in FILE_OPS | OTHER_OPS:
        return "`op` is none that this release knows"
    if not isinstance(record.by, str) or not record.by:
        return "`by` names no writer"
    if not isinstance(record.clock_s, int | float) or isinstance(record.clock_s, bool):
        return "`clock_s` is no number"
    if not 0 <= record.clock_s <= MAX_CLOCK_S:
        return "`clock_s` is no time of a session"
    if not isinstance(record.at, str) or not _UTC.fullmatch(record.at):
        return "`at` is no UTC time with microseconds"
    if record.held is not None and not record.held.type:
        return "`value` is no object with a `type`"
    return _wrong_for_op(record)


def _wrong_for_op(record: Record) -> str | None:
    parts = (record.file, record.text, record.size_bytes, record.sha256)
    if record.op in OTHER_OPS:
        if any(part is not None for part in (*parts, record.same)) or record.withheld:
            return f"a record of `{record.op}` writes no file"
        return None if record.held is not None else f"a record of `{record.op}` needs a `value`"
    if not isinstance(record.file, str) or (record.text is None) == (record.same is None):
        return "`file` or `text` is missing"
    if record.same is not None and record.op != "replace":
        return f"a record of `{record.op}` has its own text"
    if not _is_count(record.size_bytes) or not is_sha256(record.sha256):
        return "`bytes` or `sha256` is missing or is none"
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
