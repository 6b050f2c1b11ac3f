"""The clocks: the wall's, a process's own, and where a session's stood when it was last set.

The wall clock dates records and decides nothing: it can be set. A session's time runs by the stopwatch of
the process that drives it.
Source: DESIGN.md, section 6 ("Clocks").
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_GAP_S: Final = 5.0
"""Maximum seconds between two looks of a process that looks at its clock every second: a longer gap is a
stop. On a machine with twenty times more to do than it can, a thread waits for some tenths of a second."""


def utc_now() -> str:
    """Return the wall clock's time, UTC, RFC 3339 with microseconds."""
    seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
    # Put together by hand: microseconds are always six digits, and isoformat leaves them out where they are
    # 0.
    return f"{_to_the_second(seconds)}.{microseconds:06}Z"


@lru_cache(maxsize=1)
def _to_the_second(seconds: int) -> str:
    """Format a time to the second; cached, since formatting is slow and most records share a second."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class Stopwatch:
    """A count of the seconds for which this process was there, by the monotonic clock, which nobody sets.

    That clock stands while the machine sleeps (Linux, macOS). It runs on while the process is stopped or its
    virtual machine paused, so whoever looks every second can leave such a gap out. Safe to use from many
    threads: a reading is one exchange of a pair, and two that come together agree.
    """

    def __init__(self) -> None:
        self.leaves_out_gaps = False
        """Whether somebody looks every second from now on, so that a longer while is one without them."""
        self.left_out_s = 0.0
        self._seen = (0.0, time.monotonic())

    def seconds(self) -> float:
        """Return the seconds so far, and begin to measure the next gap."""
        at_s, seen = self._seen
        now = time.monotonic()
        passed_s = now - seen
        if passed_s > MAX_GAP_S and self.leaves_out_gaps:
            self.left_out_s += passed_s
            passed_s = 0.0
        at_s += passed_s
        self._seen = at_s, now
        return at_s


@dataclass(frozen=True, slots=True)
class ClockState:
    """Where a session's clock stood when it was last set, and whether it has run since."""

    at_s: float = 0.0
    live_since: str | None = None  # when its record was written; None: it stands still
