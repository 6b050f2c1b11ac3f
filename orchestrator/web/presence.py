"""Who is in a room: open pages, their microphones, and clients without a page that say something at times.

A clock that runs in an empty room asks questions of nobody. Kept in this process alone: a drive is as well.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Final, Protocol

# ---------------------------------------------------------------------- presence


GRACE_S: Final = 10.0
"""Seconds for which a room counts as attended after its last page went: a reload takes two seconds, a phone
that locks and is opened again some more. Our own measure."""
WORDS_S: Final = 60.0
"""Seconds of the same after words or a request of a client without a page: a pause within a talk is
shorter."""


class Presence:
    """Who is in each room, by the session's name. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pages: Counter[str] = Counter()
        self._until: dict[str, float] = {}  # monotonic clock: attended until then, without any page

    @contextmanager
    def here(self, session: str) -> Iterator[None]:
        """Count a page, or a microphone, for as long as the block lasts."""
        with self._lock:
            self._pages[session] += 1
        try:
            yield
        finally:
            with self._lock:
                self._pages[session] -= 1
                if self._pages[session] <= 0:
                    del self._pages[session]
                self._until[session] = monotonic() + GRACE_S

    def seen(self, session: str) -> None:
        """Note words or a request; while a page is open they count as the page's."""
        with self._lock:
            if self._pages[session] <= 0:
                self._until[session] = monotonic() + WORDS_S

    def has_page(self, session: str) -> bool:
        """Return whether a page is open there, or a microphone."""
        return self._pages[session] > 0

    def is_attended(self, session: str) -> bool:
        """Return whether a page is open there, or somebody was there just now."""
        return self._pages[session] > 0 or monotonic() < self._until.get(session, 0.0)


# ---------------------------------------------------------------------- microphones
# The open microphones of a server: one for each session, and what they still owe the transcript.
#
# A sentence that was spoken is recognised a second later, and whoever ends the session waits for it.


FINISH_WITHIN_S: Final = 30.0
"""Maximum seconds that the end of a session waits for what was said last: four sentences that wait take half
of it on a slow machine, so whatever takes longer hangs."""
NOT_TAKEN: Final = (
    f"microphone: the last words could not be recognised within {FINISH_WITHIN_S:g} seconds and are not in "
    "the transcript"
)


class Open(Protocol):
    """An open microphone, in the event loop."""

    async def give_way(self) -> None:
        """Take in what was said, and close it: another window has the microphone now."""

    @property
    def is_owing(self) -> bool:
        """Whether something is being spoken, or recognised, that does not stand in the transcript yet."""

    @property
    def owed(self) -> int:
        """How many sentences, from its beginning, have been spoken or are being spoken now."""

    def owes(self, owed: int) -> bool:
        """Return whether one of so many sentences is missing in the transcript."""

    async def finish(self) -> str | None:
        """Take in what was said, and close it, as the session ends; return why not all could be taken in."""


class Microphones:
    """Microphones by session, each until all that was said into it is taken in; for many threads."""

    def __init__(self, within_s: float = FINISH_WITHIN_S) -> None:
        self._within_s = within_s
        self._open: dict[str, list[Open]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = Lock()

    async def enter(self, session: str, microphone: Open) -> None:
        """Make *microphone* the session's: the one before is notified, and what was said into it is kept."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
            before = list(self._open.get(session, ()))
            self._open.setdefault(session, []).append(microphone)
        for one in before:
            await one.give_way()

    def leave(self, session: str, microphone: Open) -> None:
        """Forget a microphone that owes nothing any more."""
        with self._lock:
            left = [one for one in self._open.get(session, ()) if one is not microphone]
            if left:
                self._open[session] = left
            else:
                self._open.pop(session, None)

    def is_owing(self, session: str) -> bool:
        """Return whether one of the session's microphones is owing."""
        with self._lock:
            return any(one.is_owing for one in self._open.get(session, ()))

    def owing(self, session: str) -> Callable[[], bool] | None:
        """Return a check whether what is being spoken now is still owed, or None if nothing is."""
        with self._lock:
            owing = [(one, one.owed) for one in self._open.get(session, ()) if one.is_owing]
        return (lambda: any(one.owes(owed) for one, owed in owing)) if owing else None

    def finish(self, session: str) -> list[str]:
        """Have all that was said into the session's microphones taken in, and close them.

        For a thread other than the event loop's, which goes on meanwhile.

        Returns:
            Why some of it does not stand in the transcript: it was refused, or took too long and is given up.
        """
        with self._lock:
            owing, loop = list(self._open.get(session, ())), self._loop
        if not owing or loop is None:
            return []

        async def all_of_them() -> list[str | None]:
            return await asyncio.gather(*(one.finish() for one in owing))

        finishing = asyncio.run_coroutine_threadsafe(all_of_them(), loop)
        try:
            refused = finishing.result(self._within_s)
        except (TimeoutError, CancelledError):
            finishing.cancel()
            return [NOT_TAKEN]
        return [f"microphone: {why}" for why in refused if why is not None]
