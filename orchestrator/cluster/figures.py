"""What a worker or front of a cluster adds to its metrics and to its readiness."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.status import MAX_CLOCK_S, server_time
from orchestrator.core.clock import Timings
from orchestrator.web.metrics import COUNTER, GAUGE, HISTOGRAM, Family, one
from orchestrator.web.readiness import ReadyCheck

CLOCK_EVERY_S: Final = 10.0
"""Seconds between two questions for the servers' time: a clock drifts by milliseconds a minute, and one that
somebody sets is seen soon enough."""
STREAM: Final = "g_ledger_0"
LOG_WITHIN_S: Final = 0.8
"""Seconds in which a stream's leader answers; probes wait one."""
LOG_BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
"""Upper bounds in seconds of a write to the log: 1.1 ms at best among three servers (cluster.md), and refused
after 5 s."""


class Figures:
    """What a worker counts of the log and of takeovers. Safe to use from many threads."""

    def __init__(
        self, behind: Callable[[], int] = lambda: 0, behind_s: Callable[[], float] = lambda: 0.0
    ) -> None:
        """Prepare to count.

        Args:
            behind: Returns of how many sessions the log lacks something that is on this disk.
            behind_s: Returns since how many seconds it lacks the oldest of it.
        """
        self.log = Timings(LOG_BOUNDS_S)
        """Observe the seconds of each write that the log has acknowledged."""
        self._behind = behind
        self._behind_s = behind_s
        self._lock = Lock()
        self._takeovers = 0

    def took_over(self) -> None:
        """Count a session that this worker has taken over from another one."""
        with self._lock:
            self._takeovers += 1

    def read(self) -> list[Family]:
        """Return the figures; add this to `Metrics.sources`."""
        with self._lock:
            takeovers = self._takeovers
        return [
            one("greenroom_log_seconds", HISTOGRAM, "Seconds until the log acknowledged a write.", self.log),
            one("greenroom_takeovers_total", COUNTER, "Sessions taken over from another worker.", takeovers),
            one("greenroom_log_behind", GAUGE, "Sessions that the log lacks something of.", self._behind()),
            one("greenroom_log_behind_seconds", GAUGE, "Since when it lacks the oldest.", self._behind_s()),
        ]


def ready_checks(connection: Connection) -> list[ReadyCheck]:
    """Return what must be true of the servers for a process to be ready; add them to `Readiness.checks`."""
    clock = _Clock(connection)

    def log() -> str | None:
        if not connection.is_connected:
            return "no server of the cluster answers: start them"
        if not connection.run(_takes_writes(connection), timeout_s=2 * LOG_WITHIN_S):
            return "the log has no leader: too few servers are there"
        return None

    return [ReadyCheck("log", log), ReadyCheck("clock", clock.look)]


async def _takes_writes(connection: Connection) -> bool:
    """Return whether the servers can keep a write, as far as one stream shows it."""
    from nats.errors import Error

    try:
        answer = await connection.nc.request(f"$JS.API.STREAM.INFO.{STREAM}", b"", timeout=LOG_WITHIN_S)
        told = json.loads(answer.data)
    except (Error, TimeoutError, ValueError):
        return False
    group = told.get("cluster")  # None: a single server, or no worker has made the streams yet
    return group is None or bool(group.get("leader"))


class _Clock:
    """This machine's clock beside the servers', asked for now and then."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: tuple[float, float] | None = None  # when it was asked, and what came

    def look(self) -> str | None:
        """Return what is wrong with the clock, or None.

        Raises:
            ReplicaAwayError: The server does not say its time.
        """
        known = self._known
        if known is None or monotonic() - known[0] > CLOCK_EVERY_S:
            self._known = known = monotonic(), server_time(self._connection).ahead_s
        ahead_s = known[1]
        if abs(ahead_s) <= MAX_CLOCK_S:
            return None
        way = "ahead of" if ahead_s > 0 else "behind"
        return f"this machine's clock is {abs(ahead_s):.1f} s {way} the servers': set it"
