"""An ext4 disk in an image file: its power can be cut, and it has immutable flags wherever the tests run.

The image, copied while it is mounted, is the disk as it is at that moment: what the system still keeps in
memory is not in it. A mount of the copy replays its journal, as the next start of the machine would.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers.figures import Promise, not_run

OPTIONS = "commit=300,noauto_da_alloc"
"""What is not synced stays off the disk for five minutes, and a file that takes another's place by a rename
is not written early: ext4 does both so that careless programs lose less."""


class NoDiskError(Exception):
    """This machine mounts no image file."""


@dataclass(frozen=True)
class LoopDisk:
    """A disk that is mounted at *folder*."""

    image: Path
    folder: Path
    device: str  # as it stands in /sys/block

    def copy(self, to: Path) -> None:
        """The disk as it is now; whatever writes to it through the mount must stand still."""
        while True:
            before = self._written()
            _run("cp", "--sparse=always", str(self.image), str(to))
            if self._written() == before:  # the system has written nothing of its own accord meanwhile
                return

    def _written(self) -> str:
        """How many blocks have been written since it was mounted, and how many writes are under way."""
        counts = Path("/sys/block", self.device, "stat").read_text().split()
        return f"{counts[6]} {counts[8]}"  # kernel documentation, block/stat.rst: write sectors, in_flight


@contextmanager
def made(folder: Path, *, size_mib: int = 48) -> Iterator[LoopDisk]:
    """A new, empty disk, mounted for as long as the block runs.

    Raises:
        NoDiskError: This machine lacks a program or the right.
    """
    image = folder / "disk.img"
    folder.mkdir(parents=True, exist_ok=True)
    with image.open("wb") as file:
        file.truncate(size_mib * 1024 * 1024)
    # Nothing is written later, behind the test's back, and root may fill it to the last block.
    _run(
        "mkfs.ext4",
        "-q",
        "-F",
        "-m",
        "0",
        "-b",
        "4096",
        "-E",
        "lazy_itable_init=0,lazy_journal_init=0",
        image,
    )
    with mounted(image, folder / "disk") as disk:
        yield disk


@contextmanager
def mounted(image: Path, folder: Path) -> Iterator[LoopDisk]:
    """The disk in *image*, mounted at *folder* for as long as the block runs; its journal is replayed first.

    Raises:
        NoDiskError: It cannot be.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _run("mount", "-o", f"loop,{OPTIONS}", image, folder)
    try:
        device = _run("findmnt", "-n", "-o", "SOURCE", folder).strip()
        yield LoopDisk(image, folder, device.rpartition("/")[2])
    finally:
        try:
            _run("umount", folder)
        except NoDiskError:  # something is still open there: the name goes now, the mount when that is closed
            _run("umount", "-l", folder)
            raise


def or_skip(promise: Promise, what: str, folder: Path) -> Iterator[LoopDisk]:
    """For a fixture: a disk, or a test that is skipped and says why."""
    disk = made(folder)
    try:
        here = disk.__enter__()
    except NoDiskError as error:
        not_run(promise, what, str(error))
        pytest.skip(f"no disk can be mounted here: {error}")
    try:
        yield here
    finally:
        disk.__exit__(None, None, None)


def _run(program: str, *given: str | Path) -> str:
    """What the program says.

    Raises:
        NoDiskError: It is not there, or refuses; the message is its own.
    """
    path = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if path is None:
        raise NoDiskError(f"{program} is not installed")
    done = subprocess.run([path, *given], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise NoDiskError(f"{program}: {(done.stderr.strip() or str(done.returncode)).splitlines()[0]}")
    return done.stdout
