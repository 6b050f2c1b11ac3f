"""Files of lines beside a session: appended to by many, and put in another order by one.

Whoever appends holds the file's lock and looks whether the file still has its name, so that no line goes into
one that was just replaced.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.core.store import files


@contextmanager
def alone(path: Path, mode: int = files.FILE_MODE) -> Iterator[int]:
    """Yield a descriptor for appending to *path*, which is made if it is missing; nobody else appends in the
    block.

    Args:
        mode: The permissions of a file that is made.

    Raises:
        OSError: The file cannot be opened.
    """
    while True:
        fd = os.open(path, files.APPEND | os.O_CREAT, mode)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            if _is_named(fd, path):
                yield fd
                return
        finally:
            os.close(fd)


def arrange(path: Path, made: Callable[[bytes], bytes], mode: int = files.FILE_MODE) -> bool:
    """Replace the content of *path* by what *made* returns for it, in one step; return whether it differs.

    It is on the disk when this returns. The folder is made if it is missing.

    Raises:
        OSError: The disk refused; the content is as it was.
    """
    path.parent.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
    with alone(path, mode) as fd, files.descriptors() as fds:
        if not files.is_plain(os.fstat(fd)):
            raise OSError(None, "no plain file", str(path))
        before = files.read_range(fd, 0, files.size_of(fd))
        if (after := made(before)) == before:
            return False
        folder = fds.open(path.parent, files.FOLDER)
        files.replace_file(folder, path.name, after, mode=mode, is_synced=True)
        files.sync_folder(folder)
        return True


def _is_named(fd: int, path: Path) -> bool:
    """Return whether the open file still has its name: it may have been replaced or removed meanwhile."""
    try:
        here, there = os.fstat(fd), os.lstat(path)
    except FileNotFoundError:
        return False
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
