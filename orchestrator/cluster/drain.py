"""Asking a worker to hand over its sessions and go, and following it until it has.

The worker gets a request at `g.to.<worker>.drain` and answers with messages, at least one a second: JSON of
`{"left": sessions that it still has, "done": whether it is over, "error": what kept it from going on}`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import TO
from orchestrator.cluster.status import object_in, read
from orchestrator.core.errors import ReplicaAwayError, SessionStateError, UsageError
from orchestrator.core.legible import counted
from orchestrator.panel.config.cluster import WORKER

TIMEOUT_S: Final = 60.0
"""Seconds for a whole worker: a session takes under one (cluster.md, "Promises"), several go at once."""
SILENT_S: Final = 5.0
"""Seconds without a message after which the worker counts as gone: as long as a takeover takes."""


@dataclass(frozen=True, slots=True)
class Drained:
    """What became of a worker that was asked to go."""

    worker: str
    sessions: int  # that it had when it was asked
    seconds: float


class _UnknownError(Exception):
    """Nobody listens under this name."""


def drain(
    connection: Connection,
    worker: str,
    timeout_s: float = TIMEOUT_S,
    say: Callable[[int], None] = lambda left: None,
) -> Drained:
    """Ask *worker* to hand each session over and go; return once it has none.

    Args:
        say: Called with the number of sessions that are left, whenever it has changed.

    Raises:
        UsageError: No worker of this name is there.
        SessionStateError: It broke off, fell silent, or was not done in time.
        ReplicaAwayError: The servers do not answer.
    """
    if WORKER.fullmatch(worker) is None:
        raise UsageError(f"{worker!r} is no worker's name: take one from `greenroom cluster status`")
    begun = monotonic()
    try:
        first = connection.run(_follow(connection, worker, timeout_s, say), timeout_s=timeout_s + SILENT_S)
    except _UnknownError:
        heard = [one.name for one in read(connection).workers]
        if worker in heard:
            raise SessionStateError(
                f"{worker}: it is there, and takes no request to drain: end its process by SIGTERM"
            ) from None
        known = f"there are {', '.join(heard)}" if heard else "none is there"
        raise UsageError(
            f"{worker}: no worker of this name is there ({known}): if it has gone, others have its sessions, "
            "as `greenroom cluster status` shows",
            value=worker,
        ) from None
    return Drained(worker, first, round(monotonic() - begun, 3))


async def _follow(connection: Connection, worker: str, timeout_s: float, say: Callable[[int], None]) -> int:
    """Return the number of sessions that the worker had."""
    from nats.errors import ConnectionClosedError, OutboundBufferLimitError
    from nats.errors import TimeoutError as NatsTimeoutError

    inbox = connection.nc.new_inbox()
    replies = await connection.nc.subscribe(inbox)
    until = monotonic() + timeout_s
    first: int | None = None
    left: int | None = None
    try:
        await connection.nc.publish(f"{TO}.{worker}.drain", b"{}", reply=inbox)
        while True:
            remaining = until - monotonic()
            if remaining <= 0:
                raise SessionStateError(
                    f"{worker}: {_counted(left)} after {timeout_s:g} s; it goes on with that: look at "
                    "`greenroom cluster status`, or ask again with a longer --timeout"
                )
            try:
                message = await replies.next_msg(timeout=min(SILENT_S, remaining))
            except (TimeoutError, NatsTimeoutError):
                if until - monotonic() <= 0:
                    continue
                raise SessionStateError(
                    f"{worker}: nothing was heard of it for {SILENT_S:g} s ({_counted(left)}): if it is "
                    "gone, others take its sessions, as `greenroom cluster status` shows"
                ) from None
            if (message.headers or {}).get("Status") == "503":
                raise _UnknownError
            told = object_in(message.data)
            if told.get("error"):
                raise SessionStateError(f"{worker}: it could not be drained: {told['error']}")
            now = told.get("left")
            if isinstance(now, int) and now != left:
                left = now
                first = now if first is None else first
                say(now)
            if told.get("done") is True:
                return first or 0
    except (ConnectionClosedError, OutboundBufferLimitError) as error:
        raise ReplicaAwayError(f"{worker}: the connection to the servers was lost: try again") from error
    finally:
        await replies.unsubscribe()


def _counted(left: int | None) -> str:
    if left is None:
        return "it has not said how many sessions it has"
    return f"it still has {counted(left, 'session')}"
