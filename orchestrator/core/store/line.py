"""The line before a session's lock: who has waited goes before who comes, also among processes.

A place is a locked byte behind any ledger's end, of the open file description that waits. The system
gives it back with the descriptor, so whoever dies leaves the line; nothing is written anywhere.
"""

from __future__ import annotations

import fcntl
import os
import struct
from typing import Final

from orchestrator.core.store import files

_FIRST: Final = files.MAX_BYTES + 1
_FLOCK: Final = "hhqqi0q"  # struct flock of Linux: kind, whence, start, length (0: without an end), process
_ASK: Final = getattr(fcntl, "F_OFD_GETLK", None)  # None: a system without them, where nobody stands in line
_SET: Final = getattr(fcntl, "F_OFD_SETLK", None)


def join(fd: int) -> int | None:
    """Stand behind everybody who stands in line, and return the place; None: there is no line here."""
    place = _FIRST
    while (other := _locked_by_others(fd, place)) is not None:
        place = other + 1
    return place if _set(fd, fcntl.F_RDLCK, place) else None


def leave(fd: int, place: int | None) -> None:
    """Give the place back. Without one it is no error."""
    if place is not None:
        _set(fd, fcntl.F_UNLCK, place)


def has_others_before(fd: int, place: int | None) -> bool:
    """Return whether anybody stands before *place*, or at all where one has none."""
    if place == _FIRST:
        return False
    return _locked_by_others(fd, _FIRST, 0 if place is None else place - _FIRST) is not None


def _locked_by_others(fd: int, start: int, length: int = 0) -> int | None:
    """Find a place from *start* on that somebody else holds; *length* 0: up to the end of the line."""
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
