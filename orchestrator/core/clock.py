"""The clocks: the wall's, a process's own, and where a session's stood when it was last set.

The wall clock dates records and decides nothing: it can be set. A session's time runs by the stopwatch of
the process that drives it.
Source: DESIGN.md, section 6 ("Clocks").
"""

from __future__ import annotations

import time
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_GAP_S: Final = 5.0
"""Maximum seconds between two readings by a process that reads its clock every second; after a longer gap
the process is taken to have been stopped. On a machine with twenty times more work than it can do, a
thread waits for some tenths of a second."""


def utc_now() -> str:
    """Return the wall clock's time in UTC, in the format of RFC 3339 with microseconds."""
    seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
    # Put together by hand: microseconds are always six digits, and isoformat leaves them out where they are
    # 0.
    return f"{_to_the_second(seconds)}.{microseconds:06}Z"


@lru_cache(maxsize=1)
def _to_the_second(seconds: int) -> str:
    """Format a time to the second.

    The result is cached, since formatting is slow and most records share a second.
    """
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class Stopwatch:
    """A count of the seconds during which this process ran, by the monotonic clock, which nobody can set.

    The monotonic clock stands still while the machine sleeps (Linux, macOS). It runs on while the process is
    stopped or its virtual machine is paused, so a caller that reads every second can leave such a gap out.
    The stopwatch is safe to use from many threads: a reading replaces one pair in one step, and two
    simultaneous readings agree.
    """

    def __init__(self) -> None:
        self.leaves_out_gaps = False
        """Whether somebody looks every second from now on, so that a longer while is one without them."""
        self.left_out_s = 0.0
        self._seen = (0.0, time.monotonic())

    def seconds(self) -> float:
        """Return the seconds counted so far, and begin to measure the next gap."""
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
    """The reading at which a session's clock was last set, and whether the clock has run since."""

    at_s: float = 0.0
    live_since: str | None = None  # when its record was written; None: it stands still


class Timings:
    """How long something took, each time: counts by upper bound, and the sum. Safe to use from many threads.

    Args:
        bounds_s: Upper bounds in seconds, ascending; what took longer than the last is counted beyond it.
    """

    def __init__(self, bounds_s: tuple[float, ...]) -> None:
        self.bounds_s = bounds_s
        self._counts = [0] * (len(bounds_s) + 1)
        self._sum_s = 0.0

    def observe(self, seconds: float) -> None:
        """Count one that took so long."""
        at = bisect_left(self.bounds_s, seconds)
        # Without a lock: a signal's exception right behind its acquisition would leave it held, and every
        # write would wait. The interpreter changes threads at calls and jumps alone, and here is none.
        self._counts[at] += 1
        self._sum_s += seconds

    def read(self) -> tuple[tuple[int, ...], float]:
        """Return the counts, the last of them beyond all bounds, and the sum in seconds, of one moment."""
        return tuple(self._counts), self._sum_s


SYNCS: Final = Timings((0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0))
"""The syncs of all ledgers that this process writes, one a transaction. A disk with a cache of its own takes
under a millisecond, a spinning one 10 to 30, and one that is in trouble whole seconds."""
