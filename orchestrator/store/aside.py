"""Folders in which something is made before it gets its name, and what is left of those that died.

Whoever works in such a folder holds a lock on it (`flock`), which the system gives back the moment that
process dies: so what is left over is told from what is under way, however long that takes.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.store import files


@contextmanager
def made_aside(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder in *parent*, which goes with all that is still in it at the end.

    Those of the same prefix that processes which died have left go first.

    Raises:
        OSError: It cannot be made.
    """
    for left in parent.glob(f"{prefix}*"):
        with held(left) as is_left:
            if is_left:
                _remove(left)
    while True:
        folder = parent / f"{prefix}{secrets.token_hex(4)}"
        folder.mkdir(files.FOLDER_MODE)
        with held(folder, wait=True):
            if not folder.exists():  # whoever sweeps came between the two calls
                continue
            try:
                yield folder
            finally:
                _remove(folder)
            return


@contextmanager
def held(folder: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold *folder*; False: another process does, it is gone or no folder, or nothing can be locked here."""
    try:
        fd = os.open(folder, files.FOLDER)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            is_held = True
        except OSError:
            is_held = False
        yield is_held
    finally:
        os.close(fd)


def _remove(folder: Path) -> None:
    with suppress(OSError):
        for below, _, _ in os.walk(folder):
            os.chmod(below, 0o700)  # a session that was sealed already
    shutil.rmtree(folder, ignore_errors=True)
