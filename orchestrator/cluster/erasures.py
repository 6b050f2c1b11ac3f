"""What was erased, for the disks of the workers that were not asked: the names of sessions, and nothing else.

A worker that had a session before may still have its folder. It removes that when it hears of the erasure, or
when it starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from orchestrator.cluster.buckets import bucket
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import answered
from orchestrator.core.errors import GreenroomError

if TYPE_CHECKING:
    from nats.js.kv import KeyValue

BUCKET: Final = "g_erased"
_WATCH_S: Final = 0.5


class Erasures:
    """The erasures of all workers. Its coroutines run in the connection's loop."""

    def __init__(self, connection: Connection, erased: Callable[[str], None]) -> None:
        """Prepare to listen.

        Args:
            erased: Called in a thread with the name of a session that was erased; again at each start.
        """
        self._connection = connection
        self._erased = erased
        self._bucket: KeyValue
        self._watching: asyncio.Task[None]

    async def open(self) -> None:
        """Listen.

        Raises:
            ReplicaAwayError
        """
        self._bucket = await bucket(self._connection, BUCKET)
        self._watching = asyncio.create_task(self._watch())

    async def add(self, session: str) -> None:
        """Tell all workers that a session is erased.

        Raises:
            ReplicaAwayError
        """
        what = f"{session}: that it is erased is to be told"
        await answered(self._connection, lambda: self._bucket.put(session, b"erased"), what)

    async def _watch(self) -> None:
        lost = asyncio.Event()
        self._connection.on_reconnected.append(lost.set)
        while True:
            lost.clear()
            with suppress(Exception):  # whatever the library raises while no server answers: watched anew
                watcher = await self._bucket.watchall()
                await self._follow(watcher, lost)
            await asyncio.sleep(_WATCH_S)

    async def _follow(self, watcher: Any, lost: asyncio.Event) -> None:
        while not lost.is_set():
            try:
                entry = await watcher.updates(timeout=_WATCH_S)
            except TimeoutError:
                continue
            if entry is not None and entry.operation is None:
                with suppress(GreenroomError, OSError):  # its disk refuses: looked at again at the next start
                    await asyncio.to_thread(self._erased, entry.key)
