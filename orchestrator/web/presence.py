"""Who is in a room: open pages, their microphones, and clients without a page that say something at times.

A clock that runs in an empty room asks questions of nobody. Kept in this process alone: a drive is as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Final

GRACE_S: Final = 10.0
"""How long a room counts as attended after its last page went: a reload takes two seconds, a phone that locks
and is opened again some more. Our own measure."""
WORDS_S: Final = 60.0
"""The same after words or a request of a client that has no page: a pause within a talk is shorter."""


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
        """Note words or a request; where a page is open, it is the page's, and says nothing beyond it."""
        with self._lock:
            if self._pages[session] <= 0:
                self._until[session] = monotonic() + WORDS_S

    def has_page(self, session: str) -> bool:
        """Whether a page is open there, or a microphone."""
        return self._pages[session] > 0

    def is_attended(self, session: str) -> bool:
        """Whether a page is open there, or somebody was there just now."""
        return self._pages[session] > 0 or monotonic() < self._until.get(session, 0.0)
