"""The sessions that one server is starting: with a slow model that takes minutes, so a page asks for news."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from orchestrator.panel.engines.in_flight import Calls


class Starts:
    """Safe to use from many threads."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = Lock()
        self._under_way: list[Calls] = []

    @contextmanager
    def one(self) -> Iterator[Calls]:
        """Give a start the place where its calls are seen, while the block lasts."""
        calls = Calls()
        with self._lock:
            self._under_way.append(calls)
        try:
            yield calls
        finally:
            with self._lock:
                self._under_way.remove(calls)

    def line(self) -> str | None:
        """Return what the start that is under way the longest asks its model; None: nothing is asked."""
        with self._lock:
            under_way = tuple(self._under_way)
        return next((line for calls in under_way if (line := calls.line()) is not None), None)
