"""Folders of files that are made from the ledger and can be made again at any time."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

from orchestrator import files

_RENAME_EXCHANGE: Final = 2
"""Linux, include/uapi/linux/fs.h; see renameat2(2)."""


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
                os.mkdir(name, dir_fd=root_fd)
        fd = os.open(name, files.FOLDER, dir_fd=root_fd)
    finally:
        os.close(root_fd)
    try:
        yield fd
    finally:
        os.close(fd)


def replace_if_different(folder_fd: int, name: str, text: str) -> bool:
    """Put *text* in the place of *name* at once; False: it was there already.

    Raises:
        OSError: The disk refused; *name* is as it was.
    """
    content = text.encode()
    if files.read_plain(folder_fd, name) == content:
        return False
    replace(folder_fd, name, text)
    return True


def replace(folder_fd: int, name: str, text: str) -> None:
    """Put *text* in the place of *name* at once: a reader sees the old or the new. No sync.

    Where the system can swap two names, that is done: renaming over a file makes ext4 write the new
    one out first ("auto_da_alloc"), some milliseconds which a file that can be made again is not worth.

    Raises:
        OSError: The disk refused; *name* is as it was.
    """
    if not _is_file(folder_fd, name) or (swap := _swap()) is None:
        files.replace_file(folder_fd, name, text.encode())
        return
    other = f".{name}.{os.getpid()}.tmp"  # as `files` calls its own, which the freeze clears away
    files.unlink_if_there(folder_fd, other)
    fd = os.open(
        other, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=folder_fd
    )
    try:
        try:
            files.write_all(fd, text.encode())
        finally:
            os.close(fd)
        if not swap(folder_fd, other, name):
            os.rename(other, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    finally:
        files.unlink_if_there(folder_fd, other)


def _is_file(folder_fd: int, name: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder_fd, follow_symlinks=False).st_mode)
    except OSError:
        return False


@cache
def _swap() -> Callable[[int, str, str], bool] | None:
    """Swaps two names in a folder, and says whether it could; None: this system has no such call."""
    call = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    if call is None:
        return None

    def swap(folder_fd: int, one: str, other: str) -> bool:
        done: int = call(folder_fd, os.fsencode(one), folder_fd, os.fsencode(other), _RENAME_EXCHANGE)
        return done == 0

    return swap
