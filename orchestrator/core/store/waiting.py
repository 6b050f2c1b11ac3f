"""Waiting for a session's lock: in turn, until the time-out, or until the waiting thread has to stop."""

from __future__ import annotations

import fcntl
import logging
import os
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import Final

from orchestrator.core.errors import SessionBusyError
from orchestrator.core.store import files

# ---------------------------------------------------------------------- line
# The line before a session's lock: who has waited goes before who comes, also among processes.
#
# A place is a locked byte behind any ledger's end, of the open file description that waits. The system
# gives it back with the descriptor, so whoever dies leaves the line; nothing is written anywhere.


_FIRST: Final = files.MAX_BYTES + 1
_FLOCK: Final = "hhqqi0q"  # struct flock of Linux: kind, whence, start, length (0: without an end), process
_ASK: Final = getattr(fcntl, "F_OFD_GETLK", None)  # None: a system without them, where nobody stands in line
_SET: Final = getattr(fcntl, "F_OFD_SETLK", None)


def join(fd: int) -> int | None:
    """Join the end of the line and return the place in it, or None if the file system does not support a
    line."""
    place = _FIRST
    while (other := _locked_by_others(fd, place)) is not None:
        place = other + 1
    return place if _set(fd, fcntl.F_RDLCK, place) else None


def leave(fd: int, place: int | None) -> None:
    """Leave *place* in the line; do nothing if it is None."""
    if place is not None:
        _set(fd, fcntl.F_UNLCK, place)


def has_others_before(fd: int, place: int | None) -> bool:
    """Return whether anybody is before *place* in the line; if *place* is None, whether anybody is in it."""
    if place == _FIRST:
        return False
    return _locked_by_others(fd, _FIRST, 0 if place is None else place - _FIRST) is not None


def _locked_by_others(fd: int, start: int, length: int = 0) -> int | None:
    """Return a place from *start* on that somebody else has, or None.

    With a *length* of 0, search to the line's end.
    """
    if _ASK is None:
        return None
    try:
        found = fcntl.fcntl(fd, _ASK, struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0))
    except OSError:  # a file system that has no such locks: as if nobody stood in line
        return None
    kind, _, place, *_ = struct.unpack(_FLOCK, found)
    # What begins before the line is no place: a file system may show the session's lock itself so.
    return place if kind != fcntl.F_UNLCK and place >= start else None


def _set(fd: int, kind: int, place: int) -> bool:
    if _SET is None:
        return False
    try:
        fcntl.fcntl(fd, _SET, struct.pack(_FLOCK, kind, os.SEEK_SET, place, 1, 0))
    except OSError:
        return False
    return True


# ---------------------------------------------------------------------- waiting


TIMEOUT_S: Final = 5.0
"""Seconds to wait for a lock unless the caller says otherwise: far above any write, and about as long as a
person waits before thinking that something is broken."""
_FIRST_WAIT_S: Final = 0.000_2
_MAX_WAIT_S: Final = 0.003
"""Seconds between two tries for a lock that another process holds: at first about as long as one write
takes, then so short that the next in line loses little. The system's own wait has no time-out."""
_TOLD_WAIT_S: Final = 0.05
"""Seconds between two tries for a lock that this process holds. A thread that releases it notifies the
next; this interval is for the case that it could not. A hundred threads that each tried every 3 ms would
leave the interpreter no time to write."""
_TIMEOUT_S: Final = 0.1
"""Seconds that a writer waits for another process before it joins the line, where newcomers let it go
first. Without the line, a process that writes without a pause had the lock back before the others tried,
until they timed out. A line from the first moment would cost eight such writers two thirds of their writes
a second, and this delay costs an eighth. A thread that waits for another thread of its process is notified
at once and joins the line at once."""
_LINE_S: Final = 1.0
"""Maximum seconds to let those go first that are earlier in the line, since one of them may have been
stopped."""

log = logging.getLogger(__name__)

_STOPPING_S: Final = 1.0
"""Seconds that a thread still waits for a lock once it has to stop: far above any write, of which it may
have several."""

_STOPPED: ContextVar[Callable[[], bool] | None] = ContextVar("stopped", default=None)
"""The check that tells a thread to stop waiting for locks, set by `waits_until`."""


class Waiter:
    """A thread that waits for a session's lock, blocked on its own lock."""

    __slots__ = ("_told",)

    def __init__(self) -> None:
        self._told = threading.Lock()
        self._told.acquire()

    def wait(self, wait_s: float) -> None:
        """Wait until a thread of this process releases the session's lock, or for *wait_s*; other
        processes do not notify."""
        self._told.acquire(timeout=wait_s)

    def tell(self) -> None:
        """Notify the waiting thread that the session's lock is free."""
        with suppress(RuntimeError):  # somebody else has told it already
            self._told.release()


@contextmanager
def waits_until(stopped: Callable[[], bool]) -> Iterator[None]:
    """Make writes of this thread in the block wait for a session's lock until *stopped* returns True.

    Code that takes in or moderates speech uses this: a lock that somebody else holds then costs time, but
    never words.
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
    """Wait for the lock on *fd*, and lock it.

    Args:
        waiting: The threads of this process that wait for the lock.
        timeout_s: Seconds to wait for the lock. With 0, SessionBusyError is raised unless the lock is free
            now. A thread within `waits_until` waits until it has to stop, and then for one more second.
        name: The session's name, for an error and the log.
        is_held_here: Returns whether a thread of this process holds the lock.
        is_shared: Whether the lock is a reader's, which keeps out writers but not other readers.

    Raises:
        SessionBusyError: Somebody else held the lock until the time-out.
        OSError: The file system has no such locks.
    """
    began_s = monotonic()
    if not (timeout_s and has_others_before(fd, None)) and files.is_locked(fd, is_shared=is_shared):
        return
    waiter, place = Waiter(), None
    waiting.append(waiter)
    try:
        look_s = _FIRST_WAIT_S
        until_s, stopped, is_told = began_s + timeout_s, _STOPPED.get(), False
        while True:
            now_s = monotonic()
            is_here = is_held_here()
            if place is None and (is_here or now_s - began_s >= _TIMEOUT_S):
                place = join(fd)
            is_late = now_s >= min(until_s, began_s + _LINE_S)
            is_next = is_late or not has_others_before(fd, place)
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
            look_s = min(2 * look_s, _MAX_WAIT_S)
    finally:
        leave(fd, place)
        waiting.remove(waiter)
