"""Threads in which a session is worked on: a few for each, so that a session that is stuck takes no other's.

A write waits for the session's lock, a reader for its disk, a question for a model. The server's own threads
are as many as 40, and requests for one session would take all of them. Here each session has some of its
own, and whoever finds them taken waits in the event loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from enum import Enum
from functools import partial, wraps
from typing import Any, Final, ParamSpec, TypeVar

import anyio
import anyio.to_thread

from orchestrator.core.errors import SessionBusyError
from orchestrator.core.store.waiting import TIMEOUT_S

P = ParamSpec("P")
T = TypeVar("T")


class Work(Enum):
    """What is done with a session; each kind has threads of its own, so that none keeps another waiting."""

    READ = "read"
    """Needs no lock."""
    WRITE = "write"
    """Takes milliseconds, once the lock is free."""
    LONG = "long"
    """Waits for a model or an archive."""
    DRAW = "draw"
    """Waits for a program that draws or prints."""


PLACES: Final = {Work.READ: 4, Work.WRITE: 4, Work.LONG: 3, Work.DRAW: 2}
"""Threads of one session. Few: more write no faster; several: one may wait for the disk."""
_WITHOUT_LIMIT: Final = frozenset({Work.READ, Work.DRAW})
"""They change nothing, so they end by themselves."""


class Lane:
    """The places of one session for one kind of work. Used in the event loop alone."""

    def __init__(self, session: str, kind: Work) -> None:
        self._session = session
        self._timeout_s = None if kind in _WITHOUT_LIMIT else TIMEOUT_S
        self._free = PLACES[kind]
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.users = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Do *work* in a thread.

        Raises:
            SessionBusyError: No place came free in time; or a write before this one found the lock held for
                all its time, so that this one need not wait as long again.
        """
        await self._enter()
        try:
            # A limiter of its own: the server's threads for everything else stay as many as they are.
            return await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1))
        except SessionBusyError as error:
            while self._waiting:
                if not (place := self._waiting.popleft()).done():
                    place.set_exception(SessionBusyError(str(error)))
            raise
        finally:
            self._leave()

    async def _enter(self) -> None:
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            async with asyncio.timeout(self._timeout_s):
                await place
        except BaseException as error:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._leave()  # it came at this very moment, and nobody takes it
            if isinstance(error, TimeoutError):
                raise SessionBusyError(
                    f"{self._session}: others have worked on this session for {self._timeout_s:g} s; nothing "
                    "was written: try again"
                ) from None
            raise

    def _leave(self) -> None:
        while self._waiting:
            if not (place := self._waiting.popleft()).done():
                place.set_result(None)
                return
        self._free += 1


class SessionThreads:
    """The lanes that are in use. Used in the event loop alone."""

    def __init__(self) -> None:
        self._lanes: dict[tuple[str, Work], Lane] = {}

    async def run(self, session: str, kind: Work, work: Callable[[], T]) -> T:
        """Do *work* on *session* in a thread, as `Lane.run`."""
        lane = self._lanes.setdefault((session, kind), Lane(session, kind))
        lane.users += 1
        try:
            return await lane.run(work)
        finally:
            lane.users -= 1
            if not lane.users:
                del self._lanes[session, kind]


def _working(kind: Work) -> Callable[[Callable[P, T]], Callable[P, Awaitable[T]]]:
    def decorate(route: Callable[P, T]) -> Callable[P, Awaitable[T]]:
        @wraps(route)
        async def working(*args: P.args, **kwargs: P.kwargs) -> T:
            given: dict[str, Any] = kwargs  # the framework gives all by name
            threads: SessionThreads = given["site"].threads
            return await threads.run(given["session"], kind, partial(route, *args, **kwargs))

        return working

    return decorate


reads: Final = _working(Work.READ)
"""Have a route, a plain function with the arguments `session` and `site`, read in the session's threads."""
writes: Final = _working(Work.WRITE)
"""As `reads`, for a route that writes to the session."""
takes_long: Final = _working(Work.LONG)
"""As `reads`, for a route that waits for a model or an archive."""
draws: Final = _working(Work.DRAW)
"""As `reads`, for a route that waits for a program that draws."""
