"""The ledger's lines, each checked against its hash; behind damage, as far as lines can be read."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import FIRST_HASH
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.verify.finding import Report

_TAIL: Final = re.compile(rb',"hash":"([0-9a-f]{64})"\}\Z')
# `,"hash":"`, 64 digits and `"}`; written out here, so that a fault in the store's own sum is found.
_TAIL_BYTES: Final = 75
_HEADS_KEPT: Final = 4
"""How many hashes a line behind damage may follow: enough for a line that was inserted, doubled
or swapped with its neighbour."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line whose hash is right, and where it stands."""

    number: int  # 1-based; a record's `seq` in a ledger without damage
    offset: int
    content: bytes  # without the newline
    previous: str  # the hash that it follows
    digest: str
    skipped: int  # lines right before it that could not be read


@dataclass(slots=True)
class Lines:
    """The good lines of a ledger's bytes; what is wrong with the others goes into the report.

    A crash explains a torn last write: it is then reported as such and left out, as every
    reader leaves it out. Other damage is reported line by line, and reading goes on.
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
    """Which of the hashes *body* follows, if its own hash is right."""
    if claimed is None:
        return None
    for head in heads:
        if hashlib.sha256(head.encode() + body).hexdigest() == claimed:
            return head
    return None
