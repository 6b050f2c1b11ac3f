"""Waiting for a session's lock: in turn, until the time is over, or until one is told to stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import Final

from orchestrator.core.errors import SessionBusyError
from orchestrator.core.store import files, line

TIMEOUT_S: Final = 5.0
"""How long a lock is waited for unless the caller says otherwise: far above any write, and about as long as a
person waits before thinking that something is broken."""
_FIRST_WAIT_S: Final = 0.000_2
_LONGEST_WAIT_S: Final = 0.003
"""Between two looks at a lock that another process holds: at first about as long as one write takes, then so
short that the next in line loses little. The system's own wait has no limit of time."""
_TOLD_WAIT_S: Final = 0.05
"""Between two looks at a lock that this process holds: whoever lets go says so, and this is for the one that
could not. A hundred threads that each looked every 3 ms would leave the interpreter no time to write."""
_PATIENCE_S: Final = 0.1
"""How long one waits for another process before one stands in line, where who comes lets one go first. One
that writes without a pause had the lock back before the others looked, until their time was over. A line from
the first moment costs eight such writers two thirds of their writes a second, and this an eighth. A thread
that waits for another of its process is told at once and stands in line at once."""
_LINE_S: Final = 1.0
"""How long one lets those go first that stand before one: one of them may have been stopped as it stood."""

log = logging.getLogger(__name__)

_STOPPING_S: Final = 1.0
"""How long a thread that was told to stop still waits for a lock: far above any write, and it has several."""

_STOPPED: ContextVar[Callable[[], bool] | None] = ContextVar("stopped", default=None)
"""Of a thread that waits for locks until it is told to stop (`waits_until`)."""


class Waiter:
    """A thread that waits for a session's lock, at a lock of its own."""

    __slots__ = ("_told",)

    def __init__(self) -> None:
        self._told = threading.Lock()
        self._told.acquire()

    def wait(self, wait_s: float) -> None:
        """Return when a thread of this process has let go, or after *wait_s*; no other process says so."""
        self._told.acquire(timeout=wait_s)

    def tell(self) -> None:
        """Say that the lock is free."""
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
    is_held_here: Callable[[], bool] = lambda: False,
    is_shared: bool = False,
) -> None:
    """Wait for the lock on *fd*, and have it.

    Args:
        waiting: The threads of this process that wait for it.
        timeout_s: Seconds for which it is waited for; 0: it is free now, or it is refused. A thread within
            `waits_until` waits until it is told to stop, and then a second more.
        name: Of the session, for an error and the log.
        is_held_here: Whether a thread of this process has it.
        is_shared: Of a reader, who holds writers off and no other reader.

    Raises:
        SessionBusyError: Somebody else holds it, and the time is over.
        OSError: The file system has no such locks.
    """
    began_s = monotonic()
    if not (timeout_s and line.has_others_before(fd, None)) and files.is_locked(fd, is_shared=is_shared):
        return
    waiter, place = Waiter(), None
    waiting.append(waiter)
    try:
        look_s = _FIRST_WAIT_S
        until_s, stopped, is_told = began_s + timeout_s, _STOPPED.get(), False
        while True:
            now_s = monotonic()
            is_here = is_held_here()
            if place is None and (is_here or now_s - began_s >= _PATIENCE_S):
                place = line.join(fd)
            is_late = now_s >= min(until_s, began_s + _LINE_S)
            is_next = is_late or not line.has_others_before(fd, place)
            if is_next and files.is_locked(fd, is_shared=is_shared):
                return
            if stopped is not None and stopped():
                stopped, timeout_s = None, min(timeout_s, _STOPPING_S)
                until_s = monotonic() + timeout_s
                continue  # it may be free since that look
            left_s = until_s - now_s
            if left_s <= 0 and stopped is None:
                raise SessionBusyError(
                    f"{name}: another writer holds this session, and was waited for {timeout_s:g} s; "
                    "nothing was written: try again"
                )
            if left_s <= 0 and not is_told:
                is_told = True
                log.warning("%s: another writer holds it: waiting until it lets go", name)
            wait_s = _TOLD_WAIT_S if is_here else look_s
            waiter.wait(wait_s if stopped is not None else min(left_s, wait_s))
            look_s = min(2 * look_s, _LONGEST_WAIT_S)
    finally:
        line.leave(fd, place)
        waiting.remove(waiter)
