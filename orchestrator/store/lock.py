"""The session's lock: the ledger, open for writing, with an exclusive `flock` on it.

A write must be found under the ledger's name, and under no other: each time the lock is taken, the
file of that name is compared with the one that was opened.
"""

from __future__ import annotations

import fcntl
import os

from orchestrator.errors import StoreWriteError
from orchestrator.store import files
from orchestrator.store.history import LEDGER_NAME, History


class Lock:
    """One process's hold on one session. It is opened at the first write, and kept open."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._name = str(history.root / LEDGER_NAME)  # text: a path takes longer to make than to look at
        self._identity = (0, 0)  # device and inode of what is open
        self.fd = -1

    @property
    def is_open(self) -> bool:
        """Whether the ledger is open for writing here."""
        return self.fd >= 0

    def open(self) -> None:
        """Open the ledger for writing.

        Raises:
            StoreWriteError: It cannot be.
        """
        try:
            self.fd, status = self._history.open_ledger(files.APPEND)
        except OSError as error:
            raise StoreWriteError(
                f"{self._history.path}: {files.reason(error)}; nothing was written: "
                "check the rights and the disk"
            ) from error
        self._identity = (status.st_dev, status.st_ino)

    def take(self, *, wait: bool) -> None:
        """Wait for the lock.

        Raises:
            BlockingIOError: Another writer has it, and is not to be waited for.
        """
        # flock and not lockf: a POSIX lock is gone when any descriptor of the file is closed, by a reader
        # too.
        fcntl.flock(self.fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release(self) -> None:
        """Let others write."""
        if self.is_open:
            fcntl.flock(self.fd, fcntl.LOCK_UN)

    def checked_size(self) -> int:
        """The ledger's size, of the very file that is open.

        Raises:
            StoreWriteError: Another file stands under its name, or it has a second name.
        """
        path = self._name
        try:
            status = os.stat(self._name, follow_symlinks=False)
        except OSError as error:
            raise StoreWriteError(
                f"{path}: {files.reason(error)}; nothing was written: open the session again"
            ) from error
        # Whoever moves the session away and puts a copy in its place leaves this process with the moved file:
        # without this look its writes would go where nobody reads.
        if (status.st_dev, status.st_ino) != self._identity:
            raise StoreWriteError(
                f"{path}: another file stands here than when the session was opened; "
                "nothing was written: open the session again"
            )
        if status.st_nlink != 1:
            raise StoreWriteError(
                f"{path}: has a second name (a hard link), which a write would change too; "
                "nothing was written: put a copy of its own here"
            )
        return status.st_size

    def close(self) -> None:
        """Let go of it. Twice is no error."""
        if self.is_open:
            os.close(self.fd)
        self.fd = -1
