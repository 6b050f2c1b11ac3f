"""Folders of files that are made from the ledger and can be made again at any time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator import files


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
    files.replace_file(folder_fd, name, content)
    return True
