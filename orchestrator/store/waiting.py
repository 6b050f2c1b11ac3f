"""Waiting for a session's lock: in turn, until the time is over, or until one is told to stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import Final

from orchestrator.errors import SessionBusyError
from orchestrator.store import files

TIMEOUT_S: Final = 5.0
"""How long a lock is waited for unless the caller says otherwise: far above any write, and about as long as a
person waits before thinking that something is broken."""
_FIRST_WAIT_S: Final = 0.000_2
_LONGEST_WAIT_S: Final = 0.003
"""Between two looks at a lock that another process holds: at first about as long as one write takes, then so
short that of several writers without a pause each finds its gap within a second, also where a sync takes
40 ms and the gap 0.3 ms. The system's own wait has no limit of time."""
_TOLD_WAIT_S: Final = 0.05
"""Between two looks at a lock that this process holds: whoever lets go says so, and this is for the one that
could not. A hundred threads that each looked every 3 ms would leave the interpreter no time to write."""
_TURN_S: Final = 0.25
"""How long who comes to a lock lets the threads of this process go first that wait for it already. One that
writes without a pause had it back before they woke, until their time was over."""

log = logging.getLogger(__name__)

_STOPPING_S: Final = 1.0
"""How long a thread that was told to stop still waits for a lock: far above any write, and it has several."""

_STOPPED: ContextVar[Callable[[], bool] | None] = ContextVar("stopped", default=None)
"""Of a thread that waits for locks until it is told to stop (`waits_until`)."""


class Waiter:
    """A thread that waits for a session's lock, at a lock of its own.

    An exception at whatever line leaves nothing that another needs: a waiter that nobody took back has ended
    to wait by its time.
    """

    __slots__ = ("_told", "until_s")

    def __init__(self) -> None:
        self._told = threading.Lock()
        self._told.acquire()
        self.until_s = monotonic() + _TURN_S  # it waits, or is about to look, at most until then

    def wait(self, wait_s: float) -> None:
        """Return when a thread of this process has let go, or after *wait_s*; no other process says so."""
        self.until_s = monotonic() + wait_s + _TURN_S
        self._told.acquire(timeout=wait_s)

    def tell(self) -> None:
        """The lock is free."""
        with suppress(RuntimeError):  # somebody else has told it already
            self._told.release()


@contextmanager
def waits_until(stopped: Callable[[], bool]) -> Iterator[None]:
    """In the block, this thread's writes wait for a session's lock until *stopped* says to stop.

    For whatever takes in speech, or moderates it: a lock that another holds costs time, never words.
    """
    before = _STOPPED.set(stopped)
    try:
        yield
    finally:
        _STOPPED.reset(before)


def take(
    fd: int,
    waiting: list[Waiter],
    timeout_s: float,
    *,
    name: str,
    is_held_here: Callable[[], bool],
) -> None:
    """Wait for the lock on *fd*, and have it.

    Args:
        waiting: The threads of this process that wait for it.
        timeout_s: Seconds for which it is waited for; 0: it is free now, or it is refused. A thread within
            `waits_until` waits until it is told to stop, and then a second more.
        name: Of the session, for an error and the log.
        is_held_here: Whether a thread of this process has it.

    Raises:
        SessionBusyError: Somebody else holds it, and the time is over.
    """
    began_s = monotonic()
    has_others = any(one.until_s > began_s for one in tuple(waiting))
    if not has_others and files.is_locked(fd):
        return
    waiter = Waiter()
    waiting.append(waiter)
    try:
        if has_others:
            waiter.wait(min(timeout_s, _TURN_S))
        look_s = _FIRST_WAIT_S
        until_s, stopped, is_told = began_s + timeout_s, _STOPPED.get(), False
        while not files.is_locked(fd):
            if stopped is not None and stopped():
                stopped, timeout_s = None, min(timeout_s, _STOPPING_S)
                until_s = monotonic() + timeout_s
                continue  # it may be free since that look
            left_s = until_s - monotonic()
            if left_s <= 0 and stopped is None:
                raise SessionBusyError(
                    f"{name}: another writer holds this session, and was waited for {timeout_s:g} s; "
                    "nothing was written: try again"
                )
            if left_s <= 0 and not is_told:
                is_told = True
                log.warning("%s: another writer holds it: waiting until it lets go", name)
            wait_s = _TOLD_WAIT_S if is_held_here() else look_s
            waiter.wait(wait_s if stopped is not None else min(left_s, wait_s))
            look_s = min(2 * look_s, _LONGEST_WAIT_S)
    finally:
        waiting.remove(waiter)
