"""Folders of files that are made from the ledger and can be made again at any time, and their lock."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from orchestrator.core.errors import SessionDegradedError, SessionFrozenError, StoreError
from orchestrator.core.store import files
from orchestrator.core.store.store import Store

log = logging.getLogger(__name__)

_POLL_S: Final = 0.02
"""Between two looks at a lock: far below one engine call, for which it is held, and no load."""


@contextmanager
def derived_folder(root: Path, name: str, *, make: bool = True) -> Iterator[int]:
    """A folder of the session at *root*, open, and never reached through a link.

    Args:
        make: Where it is missing; only while holding the session's lock, so that it has not ended.

    Raises:
        OSError: It cannot be made or opened, or something else has its name.
    """
    root_fd = os.open(root, files.FOLDER)
    try:
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, files.FOLDER_MODE, dir_fd=root_fd)
        fd = os.open(name, files.FOLDER, dir_fd=root_fd)
    finally:
        os.close(root_fd)
    try:
        yield fd
    finally:
        os.close(fd)


class Made:
    """Files that are made from a session's ledger; that they cannot be is one warning until they can."""

    def __init__(self, store: Store, what: str, write: Callable[[], None]) -> None:
        self._store, self._what, self._write = store, what, write
        self._fails = False

    def write(self) -> bool:
        """Bring them up to date; False: the disk refused, or the ledger holds something strange.

        It is done under the session's lock: behind the back of an end elsewhere, there would be a file
        that the record of the end does not know. A session that has ended, or whose ledger takes
        nothing more, gets none, and that is no failure: the ledger has it all.
        """
        with suppress(SessionFrozenError, SessionDegradedError, StoreError), self._store.transaction():
            try:
                self._write()
                self._fails = False
            except (OSError, ValueError, TypeError, RecursionError) as error:
                why = files.reason(error) if isinstance(error, OSError) else type(error).__name__
                if not self._fails:
                    log.warning("%s: %s could not be written (%s)", self._store.root.name, self._what, why)
                self._fails = True
        return not self._fails


def replace_text(folder_fd: int, name: str, text: str) -> None:
    """Put *text* in the place of *name* at once: a reader sees the old or the new. No sync.

    Raises:
        OSError: The disk refused; *name* is as it was.
    """
    files.replace_file(folder_fd, name, text.encode())


def replace_if_different(folder_fd: int, name: str, text: str) -> bool:
    """The same; False: it was there already."""
    if files.read_plain(folder_fd, name, most=len(text.encode())) == text.encode():
        return False
    replace_text(folder_fd, name, text)
    return True


@contextmanager
def locked(root: Path, folder: str, *, wait_s: float = 0.0) -> Iterator[bool]:
    """Hold *folder* of the session at *root*; False: another process does, also after *wait_s* seconds.

    The lock is `flock` on the folder itself, so nothing is left behind, and the system gives it back
    the moment its holder dies. It makes no folder. Where it cannot be had (there is no folder, or the
    file system locks none), the answer is True: the ledger's records alone keep a window from being
    counted twice; the lock keeps it from being paid for twice.
    """
    with ExitStack() as stack:
        try:
            fd = stack.enter_context(derived_folder(root, folder, make=False))
        except OSError:
            yield True
            return
        yield _is_locked(fd, monotonic() + wait_s)


def _is_locked(fd: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if monotonic() >= deadline:
                return False
            sleep(_POLL_S)
        except OSError:
            return True
