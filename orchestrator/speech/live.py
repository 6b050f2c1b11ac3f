"""A piece of speech as it came in, with whatever times it brought."""

from __future__ import annotations

import math
from dataclasses import dataclass

MAX_TIME_S = 24 * 3600.0
"""A time beyond one day is a broken clock, not a rehearsal; our own limit."""


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """Words that were said, before their times are settled.

    `text` and `speaker` are clean (see `orchestrator.speech.text`). A time is what the source
    gave, however impossible, or None where it gave none.
    """

    text: str
    start_s: float | None = None
    end_s: float | None = None
    speaker: str | None = None
    slide: int | None = None
    confidence: float | None = None  # 0 to 1


def possible(time_s: float | None) -> bool:
    """Whether this can be a time within a recording."""
    return time_s is not None and math.isfinite(time_s) and 0 <= time_s <= MAX_TIME_S
