"""The session's clock: the recording's time, the wall's, or standing still.

Its state is the session's last clock record, so every process computes the same time.
Source: DESIGN.md, section 6 ("Clocks").
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache


def utc_now() -> str:
    """The wall clock, UTC, RFC 3339 with microseconds."""
    seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
    # Put together by hand: microseconds are always six digits, and isoformat leaves them out where they are
    # 0.
    return f"{_to_the_second(seconds)}.{microseconds:06}Z"


@lru_cache(maxsize=1)
def _to_the_second(seconds: int) -> str:
    """Formatting a date takes longer than the rest of a record; most come within the same second."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def seconds_since(at: str) -> float:
    """Wall-clock seconds since *at* (as `utc_now` writes it), never negative."""
    # A wall clock may be set back.
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds())


@dataclass(frozen=True, slots=True)
class ClockState:
    """Where the clock stood when it was last set, and whether it has run since."""

    at_s: float = 0.0
    live_since: str | None = None  # None: it stands still

    def now_s(self) -> float:
        """Session seconds, to the millisecond."""
        if self.live_since is None:
            return self.at_s
        return round(self.at_s + seconds_since(self.live_since), 3)
