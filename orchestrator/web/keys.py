"""Ids of requests that are under way: of two at once, the second waits for the first one's reply."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from orchestrator.core.errors import SessionBusyError
from orchestrator.core.store.waiting import TIMEOUT_S


class Keys:
    """Ids that are being worked on by this server: who asks by one of them waits for its first reply."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: dict[tuple[str, str], tuple[Lock, int]] = {}  # with how many hold it or wait for it

    @contextmanager
    def alone(self, session: str, key: str) -> Iterator[None]:
        """Let one at a time into the block.

        Raises:
            SessionBusyError: Another was in it all the time that a lock is waited for.
        """
        with self._lock:
            lock, users = self._held.get((session, key), (Lock(), 0))
            self._held[session, key] = lock, users + 1
        try:
            if not lock.acquire(timeout=TIMEOUT_S):
                raise SessionBusyError(
                    f"{session}: this very request is still under way: ask again in a moment"
                )
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._lock:
                lock, users = self._held.pop((session, key))
                if users > 1:
                    self._held[session, key] = lock, users - 1
