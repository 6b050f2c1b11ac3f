"""The driver's lock: held by the one process that refreshes candidates and moderates a session.

Source: DESIGN.md, section 4.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.core.errors import DriverBusyError, SessionFrozenError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.store import files
from orchestrator.core.store.store import DRIVER_LOCK
from orchestrator.core.table import MODERATOR
from orchestrator.panel.loop.rehearsal import PID_BYTES, OpenRehearsal
from orchestrator.panel.records.moderator import Driving


class Driven:
    """A drive of a session that is under way."""

    def __init__(self) -> None:
        self.is_cut_short = False

    def cut_short(self) -> None:
        """Make the drive write no closing record, so that the session shows as interrupted."""
        self.is_cut_short = True


@contextmanager
def driving(rehearsal: OpenRehearsal, what: str, worker: str | None = None) -> Iterator[Driven]:
    """Hold the driver's lock during the block, and write a closing record at its end.

    The closing record is left out if the drive fails or is cut short.

    Args:
        what: What drives it, for the record: run, feed, serve.
        worker: The name of this worker of a cluster; None: there is no cluster.

    Raises:
        DriverBusyError: Another process drives this session; the message names its process id.
    """
    rehearsal.store.catch_up()
    if rehearsal.store.frozen:
        raise SessionFrozenError(f"{rehearsal.options.id} has ended and is frozen: start a new session")
    path = rehearsal.store.root / DRIVER_LOCK
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, files.FILE_MODE)
    try:
        if not _taken(fd):
            raise DriverBusyError(
                f"{rehearsal.options.id}: process {driver_pid(path) or 'unknown'} drives this session: "
                "stop it first, or use ask, answer and slide beside it"
            )
        try:
            # What stands behind it is the last driver's clock, which `SessionClock` goes on from.
            os.pwrite(fd, f"{os.getpid():<{PID_BYTES - 1}}\n".encode(), 0)
        except OSError as error:
            error.filename = str(path)
            raise
        rehearsal.store.note(Driving("started", what, worker), by=MODERATOR)
        driven = Driven()
        # Somebody may end the session at any moment, also while this drive is being closed: then
        # there is nothing left to drive, and no record to write.
        with suppress(SessionFrozenError):
            yield driven
            if not driven.is_cut_short:
                rehearsal.store.note(Driving("stopped", what, worker), by=MODERATOR)
    finally:
        os.close(fd)


def _taken(fd: int) -> bool:
    """Try to take the driver's lock, and return whether this process holds it now.

    This retries for a moment, since a check whether a session is driven holds a shared lock for some
    microseconds.
    """
    for wait_s in (0.0, 0.005, 0.02):
        time.sleep(wait_s)
        with suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def driver_pid(path: Path) -> int | None:
    """Return the process id in the lock file, or None if it contains none."""
    try:
        return int(read_regular(path)[:PID_BYTES])
    except (OSError, ValueError):
        return None


def is_driven(root: Path) -> bool:
    """Return whether some process holds the driver's lock now."""
    try:
        fd = os.open(root / DRIVER_LOCK, files.READ)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(fd)


def state_of(rehearsal: OpenRehearsal) -> str:
    """Return the session's state: "active", "interrupted", "closing", "ended" or "degraded"."""
    store, projection = rehearsal.store, rehearsal.projection
    is_left = projection.driver is not None and not is_driven(store.root)
    if is_left:  # by a drive that died, or that wrote its closing record before it let go of the lock
        store.catch_up()
    if projection.ended:
        return "ended"
    if store.is_degraded:
        return "degraded"
    if projection.state == "closing":
        return "closing"
    return "interrupted" if is_left and projection.driver is not None else "active"
