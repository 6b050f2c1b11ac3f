"""Readers for files that people write. Only plain files are read, so a pipe in place of a file is not
waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def read_regular(path: Path) -> bytes:
    """Return the bytes of the file at *path*, which may be a link.

    Raises:
        OSError: As `open_regular`.
    """
    with open_regular(path) as file:
        return file.read()


def open_regular(path: Path) -> BinaryIO:
    """Open the file at *path*, which may be a link, for reading.

    Raises:
        OSError: As `open`; with EINVAL and "is no file" if a pipe, a device or a folder is at *path*.
    """
    # Opening a pipe would wait for a writer without O_NONBLOCK, and reading a device for ever.
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "is no file", str(path))
    return os.fdopen(fd, "rb")
