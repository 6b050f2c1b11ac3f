"""What a record tells: an entry of the Scribe's, a passage that facts are taken from, a step of the trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """What the Scribe notes of a record."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What facts may be taken from."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the trace."""
