"""Whether this process should be sent requests now: named checks, each with a word on what is wrong.

Liveness (`/api/v1/health`) says that the process answers, and whoever gets no answer starts it again.
Readiness says that it can do its work: a full disk is no reason to start it again, but one to ask another.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final

from orchestrator.core.errors import GreenroomError
from orchestrator.core.store.files import reason
from orchestrator.panel.home import Home

KEPT_S: Final = 1.0
"""Seconds for which a result is given again, so that many who ask cost no more than one."""
WITHIN_S: Final = 2.0
"""Maximum seconds of all checks together. Probes wait one second by default, and a disk that takes two for a
page of bytes is stuck."""
_LOOK_S: Final = 0.01
_PAGE: Final = b"\0" * 4096


@dataclass(frozen=True, slots=True)
class ReadyCheck:
    """A condition of readiness.

    Args:
        name: One or two words that name no session: anybody may read them.
        look: Returns what is wrong, or None. It may wait for a disk or a server, and may raise `OSError` and
            `GreenroomError`, which count as what is wrong.
    """

    name: str
    look: Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Ready:
    """The result: what is wrong, by check; "" where nothing is."""

    faults: tuple[tuple[str, str], ...]

    @property
    def is_ready(self) -> bool:
        """Whether nothing is wrong."""
        return not any(fault for _, fault in self.faults)


class Readiness:
    """The checks of one process. Safe to use from many threads and event loops."""

    def __init__(self, checks: Sequence[ReadyCheck] = ()) -> None:
        self.checks = list(checks)
        """Whoever adds a part to the process adds its checks."""
        self.draining = Event()
        """Set once the process takes nothing new, for it is about to end."""
        self._lock = Lock()
        self._known: tuple[float, Ready] | None = None
        self._looking: Event | None = None  # set once the look that is under way is over

    async def read(self) -> Ready:
        """Return whether the process is ready, as of the last second."""
        if self.draining.is_set():
            return Ready((("draining", "the process is about to end: ask another"),))
        over = self._begin()
        until = monotonic() + WITHIN_S
        while not over.is_set() and monotonic() < until:
            await asyncio.sleep(_LOOK_S)
        with self._lock:
            if over.is_set() and self._known is not None:
                return self._known[1]
        return Ready((("checks", f"they have not ended within {WITHIN_S:g} s"),))

    def _begin(self) -> Event:
        """Begin a look, unless one is under way or a fresh result is known; return the event of its end."""
        with self._lock:
            if self._looking is not None and not self._looking.is_set():
                return self._looking
            if self._looking is not None and self._known and monotonic() - self._known[0] < KEPT_S:
                return self._looking
            self._looking = over = Event()
        # A thread of its own, so that a stuck disk takes none of the server's.
        Thread(target=self._look, args=(over,), name="readiness", daemon=True).start()
        return over

    def _look(self, over: Event) -> None:
        try:
            found = Ready(tuple((one.name, _fault(one)) for one in tuple(self.checks)))
            with self._lock:
                self._known = monotonic(), found
        finally:
            over.set()


def _fault(check: ReadyCheck) -> str:
    try:
        return check.look() or ""
    except OSError as error:
        return reason(error)
    except GreenroomError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  # a check that cannot be made is no reason to call it well
        return f"it could not be looked at ({type(error).__name__})"


def home_check(home: Home) -> ReadyCheck:
    """Return the check that the home's disk takes bytes."""

    def look() -> str | None:
        with tempfile.TemporaryFile(dir=home.root) as file:
            file.write(_PAGE)
            file.flush()
        return None

    return ReadyCheck("home", look)
