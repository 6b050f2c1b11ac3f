"""Dossiers made in the background: a model takes minutes, so the page asks for the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, Thread
from time import monotonic
from typing import Final

from orchestrator.core.errors import GreenroomError
from orchestrator.core.legible import one_line
from orchestrator.panel.engines.in_flight import Calls

# ---------------------------------------------------------------------- starts
# The sessions that one server is starting: with a slow model that takes minutes, so a page asks for news.


class Starts:
    """The session starts that are under way. Safe to use from many threads."""

    def __init__(self) -> None:
        """Make an empty collection."""
        self._lock = Lock()
        self.elsewhere: Callable[[str], str | None] = lambda whose: None
        """Returns what other processes that serve this home are asking for somebody, in one line, or None."""
        self._under_way: list[tuple[str, Calls]] = []

    @contextmanager
    def one(self, whose: str) -> Iterator[Calls]:
        """Yield the place in which the calls of one start to a model are seen, for as long as the block
        lasts; *whose* is who starts."""
        calls = Calls()
        with self._lock:
            self._under_way.append((whose, calls))
        try:
            yield calls
        finally:
            with self._lock:
                self._under_way.remove((whose, calls))

    def line(self, whose: str) -> str | None:
        """Return what the longest-running start of *whose* is asking its model, in one line, or None if
        nothing is asked; first in this process, then in others."""
        return self.own_line(whose) or self.elsewhere(whose)

    def own_line(self, whose: str) -> str | None:
        """Return what the longest-running start of *whose* in this process is asking, or None."""
        with self._lock:
            under_way = tuple(calls for one, calls in self._under_way if one == whose)
        return next((line for calls in under_way if (line := calls.line()) is not None), None)


# ---------------------------------------------------------------------- dossiers


MAX_JOBS: Final = 4
"""Maximum number of dossiers that one server makes at a time: each may be a paid call, and reads a whole
deck."""


@dataclass(frozen=True, slots=True)
class Making:
    """A dossier that is being made, or that could not be made."""

    engine: str
    since: float  # monotonic clock, seconds
    failed: str | None = None
    calls: Calls = field(default_factory=Calls)  # of the model that makes it

    @property
    def seconds(self) -> int:
        """The seconds for which the dossier has been in the making."""
        return int(monotonic() - self.since)


class Dossiers:
    """The dossiers that one server makes, one at a time for each deck and person ("" where nobody signs in).

    Safe to use from many threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._making: dict[tuple[str, str], Making] = {}

    def of(self, deck: str, whose: str) -> Making | None:
        """Return the dossier of a deck that is being made or that failed, or None if there is neither."""
        return self._making.get((deck, whose))

    def make(self, deck: str, whose: str, engine: str, work: Callable[[Calls], None]) -> bool:
        """Start *work* in its own thread, unless work for this deck is running; return whether it was
        started."""
        with self._lock:
            under_way = [one for one, made in self._making.items() if made.failed is None]
            if (deck, whose) in under_way or len(under_way) >= MAX_JOBS:
                return (deck, whose) in under_way
            making = self._making[deck, whose] = Making(engine, monotonic())
        # It ends with the server: what it has not kept by then is made anew.
        Thread(
            target=self._run, args=((deck, whose), engine, partial(work, making.calls)), daemon=True
        ).start()
        return True

    def _run(self, job: tuple[str, str], engine: str, work: Callable[[], None]) -> None:
        failed: str | None = None
        try:
            work()
        except GreenroomError as error:
            failed = one_line(str(error))
        except Exception as error:  # noqa: BLE001  # whatever it was, no page may wait for ever
            failed = f"something broke ({type(error).__name__}): try again, or without a model"
        with self._lock:
            if failed is None:
                del self._making[job]
            else:
                self._making[job] = Making(engine, monotonic(), failed)
