"""The folder on the disk: every name in it, and the bytes of plain files. Reading follows no link and
never waits."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.core.store import files
from orchestrator.core.store.files import FOLDER, READ
from orchestrator.core.verify.finding import Report

MAX_DEPTH: Final = 32
"""Maximum depth of nested folders; a session has four levels."""
_CHUNK_BYTES: Final = 1 << 20  # a piece at a time, since a file of any size may lie in a folder


@dataclass(frozen=True, slots=True)
class Name:
    """One name in the folder that is not a folder itself."""

    path: str
    size_bytes: int
    kind: str  # "file", or what stands there instead


def kind_of(status: os.stat_result) -> str:
    """Return in words what kind of thing has a name: "file", "a symbolic link", "a pipe"."""
    mode = status.st_mode
    # A second name is a finding: whoever has it can change the file past every check of folders.
    if stat.S_ISREG(mode):
        return "file" if status.st_nlink == 1 else f"a file with {status.st_nlink} names (hard links)"
    for test, kind in (
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return kind
    return "a device"


def walk(root_fd: int, report: Report, *, below: str = "", depth: int = 0) -> Iterator[Name]:
    """Yield every name below an open folder that is not a folder, in order; report folders that cannot be
    read."""
    try:
        with os.scandir(root_fd) as found:
            # The order of findings is part of a report that people compare.
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        report.add(below or ".", "unreadable", "a folder", files.reason(error))
        return
    for entry in entries:
        path = f"{below}{entry.name}"
        try:
            status = entry.stat(follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                yield Name(path, status.st_size, kind_of(status))
                continue
            if depth == MAX_DEPTH:  # each level holds a descriptor open
                report.add(path, "extra", f"at most {MAX_DEPTH} folders below each other", "one more")
                continue
            fd = os.open(entry.name, FOLDER, dir_fd=root_fd)
        except OSError as error:
            report.add(path, "unreadable", "a file or folder", files.reason(error))
            continue
        try:
            yield from walk(fd, report, below=f"{path}/", depth=depth + 1)
        finally:
            os.close(fd)


@contextmanager
def open_folder(path: Path) -> Iterator[int]:
    """Open a folder for reading. *path* itself may be a link; links below it are not followed.

    Raises:
        OSError: *path* does not exist, or is not a folder.
    """
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def opened(root_fd: int, path: str) -> Iterator[int]:
    """Open a plain file below an open folder for reading; no part of *path* may be a link.

    Raises:
        OSError: *path* does not exist, or is not a plain file.
    """
    # Part by part: O_NOFOLLOW holds for the last component of a path alone.
    fd = os.dup(root_fd)
    try:
        *folders, name = path.split("/")
        for folder in folders:
            below = os.open(folder, FOLDER, dir_fd=fd)
            os.close(fd)
            fd = below
        file = os.open(name, READ, dir_fd=fd)
    finally:
        os.close(fd)
    try:
        status = os.fstat(file)
        if not files.is_plain(status):
            raise OSError(f"it is {kind_of(status)}")
        yield file
    finally:
        os.close(file)


def read_file(root_fd: int, path: str) -> bytes:
    """Return a plain file's bytes.

    Raises:
        OSError: As `opened`, and `files.size_of`.
    """
    with opened(root_fd, path) as fd:
        return files.read_range(fd, 0, files.size_of(fd))


def digest_file(root_fd: int, path: str, algorithm: str = "sha256") -> str:
    """Return a plain file's digest in hex, read piece by piece.

    Raises:
        OSError: As `opened`, and `files.size_of`.
    """
    digest = hashlib.new(algorithm)
    with opened(root_fd, path) as fd:
        files.size_of(fd)  # a sparse file of any size costs whoever put it there nothing
        while piece := os.read(fd, _CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()
