"""Who is in a room: open pages, their microphones, and clients without a page that now and then send
something.

In an empty room the clock must not run, since nobody would hear the questions. Presence is only known in this
process, as drives are.
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
"""Seconds for which a room counts as attended after its last page was closed; our own measure. A reload
takes two seconds, a phone that is locked and opened again somewhat longer."""
WORDS_S: Final = 60.0
"""Seconds for which a room counts as attended after words or a request from a client without a page; a
pause within a talk is shorter."""


class Presence:
    """Who is in each room, by the session's name. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pages: Counter[str] = Counter()
        self._until: dict[str, float] = {}  # monotonic clock: attended until then, without any page

    @contextmanager
    def here(self, session: str) -> Iterator[None]:
        """Count a page or a microphone of the session for as long as the block lasts."""
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
        """Note words or a request for the session; while a page is open, they count as the page's."""
        with self._lock:
            if self._pages[session] <= 0:
                self._until[session] = monotonic() + WORDS_S

    def has_page(self, session: str) -> bool:
        """Return whether a page or a microphone of the session is open."""
        return self._pages[session] > 0

    def is_attended(self, session: str) -> bool:
        """Return whether a page or a microphone of the session is open, or somebody was there just now."""
        return self._pages[session] > 0 or monotonic() < self._until.get(session, 0.0)


# ---------------------------------------------------------------------- microphones
# The open microphones of a server: one for each session, and what they still owe the transcript.
#
# A sentence that was spoken is recognised a second later, and whoever ends the session waits for it.


FINISH_WITHIN_S: Final = 30.0
"""Maximum seconds that the end of a session waits for the last words. Four waiting sentences take half of
it on a slow machine, so whatever takes longer hangs."""
NOT_TAKEN: Final = (
    f"microphone: the last words could not be recognised within {FINISH_WITHIN_S:g} seconds and are not in "
    "the transcript"
)


class Open(Protocol):
    """An open microphone; its methods are called in the event loop."""

    async def give_way(self) -> None:
        """Finish the words so far and close the microphone, since another window has it now."""

    @property
    def is_owing(self) -> bool:
        """Whether something is being spoken or recognised that is not in the transcript yet."""

    @property
    def owed(self) -> int:
        """The number of sentences that were spoken into the microphone, including one that is being
        spoken."""

    def owes(self, owed: int) -> bool:
        """Return whether one of the first *owed* sentences is missing in the transcript."""

    async def finish(self) -> str | None:
        """Finish the words so far and close the microphone, as the session ends; return why words are
        missing, or None."""


class Microphones:
    """Microphones by session, each until all words spoken into it are in the transcript.

    Safe to use from many threads.
    """

    def __init__(self, within_s: float = FINISH_WITHIN_S) -> None:
        self._within_s = within_s
        self._open: dict[str, list[Open]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = Lock()

    async def enter(self, session: str, microphone: Open) -> None:
        """Make *microphone* the session's; the one before is notified, and the words spoken into it are
        kept."""
        with self._lock:
            self._loop = asyncio.get_running_loop()
            before = list(self._open.get(session, ()))
            self._open.setdefault(session, []).append(microphone)
        for one in before:
            await one.give_way()

    def leave(self, session: str, microphone: Open) -> None:
        """Remove a microphone whose words are all in the transcript."""
        with self._lock:
            left = [one for one in self._open.get(session, ()) if one is not microphone]
            if left:
                self._open[session] = left
            else:
                self._open.pop(session, None)

    def is_owing(self, session: str) -> bool:
        """Return whether words spoken into one of the session's microphones are not in the transcript yet."""
        with self._lock:
            return any(one.is_owing for one in self._open.get(session, ()))

    def owing(self, session: str) -> Callable[[], bool] | None:
        """Return a function that tells whether the words spoken so far are still missing, or None if none
        are."""
        with self._lock:
            owing = [(one, one.owed) for one in self._open.get(session, ()) if one.is_owing]
        return (lambda: any(one.owes(owed) for one, owed in owing)) if owing else None

    def finish(self, session: str) -> list[str]:
        """Wait until all words spoken into the session's microphones are in the transcript, and close the
        microphones.

        Call this in a thread other than the event loop's, which has to go on meanwhile.

        Returns:
            Why some words are not in the transcript: they were refused, or took too long and were given up.
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
