"""The meter: how much of a call is read from the service's prompt cache, written to it, or paid in full.

The published rules, applied to the blocks that are really sent: so the bill of a rehearsal
can be computed without the service, and what the service reports be held against it.

Source: caching.md, "Rules of the service" (read 2026-11-21).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from orchestrator.core.context.messages import Messages, TextBlock

BYTES_PER_TOKEN: Final = 4
"""An estimate for English text; the service counts for itself and says what it counted."""
LOOKBACK: Final = 20
"""Positions before a mark, itself included, at which an earlier entry is looked for."""
LIFETIME_S: Final = 300.0
"""Seconds that an entry lives after the start of the request that last wrote or read it."""
# The meter gives one figure for all models, so the newest ones' cheaper reads are not in it (`prices.yaml`
# has each).
WRITE_PRICE: Final = 1.25
READ_PRICE: Final = 0.10
"""Relative to plain input, for entries that live five minutes."""


@dataclass(frozen=True, slots=True)
class InputUsage:
    """The input tokens of one call, or the sum of several."""

    read: int = 0  # taken from the cache
    written: int = 0  # put into it
    new: int = 0  # neither: paid in full each time

    @property
    def total(self) -> int:
        """All tokens that were sent."""
        return self.read + self.written + self.new

    @property
    def cost(self) -> float:
        """In plain input tokens."""
        return READ_PRICE * self.read + WRITE_PRICE * self.written + self.new

    def __add__(self, other: InputUsage) -> InputUsage:
        return InputUsage(self.read + other.read, self.written + other.written, self.new + other.new)


@dataclass(slots=True)
class CacheMeter:
    """The cache of one service, as its rules say it behaves."""

    minimum_tokens: int = 1024
    """The shortest prefix that is kept; 512 to 4096, by model. Templates of a panelist have some 3,700."""
    expires_s: dict[str, float] = field(default_factory=dict)  # by what stands up to a mark

    def call(self, at_s: float, messages: Messages, *, settings: str = "") -> InputUsage:
        """Count one call that starts at *at_s*, in seconds of any clock that does not run backwards.

        Args:
            settings: Whatever breaks the cache when it differs: model, tools, output schema.
        """
        blocks = (*messages.system, *messages.user)
        ends = list(accumulate(tokens_of(block.text) for block in blocks))
        names = _names(blocks, settings)
        marks = [place for place, block in enumerate(blocks) if block.marked]
        found = max((self._found(at_s, names, mark) for mark in marks), default=-1)
        read = ends[found] if found >= 0 else 0
        # A prefix below the minimum is silently not kept, so nothing is written up to such a mark.
        last = max((mark for mark in marks if ends[mark] >= self.minimum_tokens), default=-1)
        written = max(0, ends[last] - read) if last >= 0 else 0
        for mark in marks:
            if ends[mark] >= self.minimum_tokens:
                self.expires_s[names[mark]] = at_s + LIFETIME_S
        if found >= 0:
            self.expires_s[names[found]] = at_s + LIFETIME_S  # each use renews an entry
        return InputUsage(read, written, ends[-1] - read - written)

    def _found(self, at_s: float, names: Sequence[str], mark: int) -> int:
        """The place of the longest prefix that the cache holds, seen from *mark*; -1: none."""
        for place in range(mark, max(-1, mark - LOOKBACK), -1):
            if self.expires_s.get(names[place], -1.0) > at_s:
                return place
        return -1


def tokens_of(text: str) -> int:
    """About how many tokens a text is; at least one."""
    return max(1, round(len(text.encode()) / BYTES_PER_TOKEN))


def _names(blocks: Sequence[TextBlock], settings: str) -> list[str]:
    """For each place, a digest of everything up to it."""
    digest = hashlib.sha256(settings.encode())
    names = []
    for block in blocks:
        digest.update(hashlib.sha256(block.text.encode()).digest())
        names.append(digest.hexdigest())
    return names
