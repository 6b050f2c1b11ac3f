"""File primitives of the store: append whole or not at all, replace in one step, never follow a link.

Names are always single components, opened relative to a folder's descriptor with
`O_NOFOLLOW`, so that a symlink swapped in while a session runs is refused and not followed.

Source: trust.md, "The store": short writes come before `ENOSPC`; a failed `fdatasync` is
never retried; macOS needs `F_FULLFSYNC`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from orchestrator.core.errors import StoreWriteError
from orchestrator.core.table import MIB

# O_NONBLOCK, since opening a pipe that somebody put in a file's place would otherwise wait for a writer for
# ever.
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
APPEND: Final = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
# O_EXCL fails on a link too, so a temporary name that was prepared by somebody else is never followed.
NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

FILE_MODE: Final = 0o640
FOLDER_MODE: Final = 0o750
"""Mode of the folders in a home: the owner may write, the group may read; a umask may narrow it."""

MAX_BYTES: Final = 512 * MIB
"""Maximum size of a file of a session, its ledger or its archive, checked before anything is read. Nothing
larger is this program's: it accepts decks of up to 500 MiB (deck/limits.py). It reads files into memory, a
ledger several times over while it is verified, so that one of this size still fits into 4 GB."""

_PROBE_BYTES: Final = 64 * 1024
"""Size of a trial write: more than a file system can store next to a file's name, so that real blocks are
written."""

# On macOS fsync leaves the bytes in the drive's own cache; only this asks the drive to write them.
_FULLFSYNC: Final = getattr(fcntl, "F_FULLFSYNC", None)


class Descriptors(list[int]):
    """A list of open descriptors.

    Each call that opens or closes a descriptor is one step of the interpreter. An exception from a signal
    handler comes between two steps, so it never finds a descriptor lost or closed twice.
    """

    def open(self, name: str | Path, flags: int, mode: int = FILE_MODE, *, dir_fd: int | None = None) -> int:
        """Open a file, put its descriptor at the end of the list, and return it.

        Raises:
            OSError: The file cannot be opened.
        """
        self.extend(map(partial(os.open, dir_fd=dir_fd), (name,), (flags,), (mode,)))
        return self[-1]

    def close(self) -> None:
        """Close all descriptors, the last one opened first. A second call does nothing."""
        while self:
            any(map(os.close, map(list.pop, (self,))))


@contextmanager
def descriptors() -> Iterator[Descriptors]:
    """Yield a list of descriptors that are closed after the block, whatever it raises, or when it is
    abandoned."""
    fds = Descriptors()
    try:
        try:
            yield fds
        finally:
            fds.close()
    finally:
        fds.close()  # again, for an exception within the first


def sync_file(fd: int) -> None:
    """Flush everything written to *fd* to the disk.

    Raises:
        OSError: The disk refused. Never call this again for the same bytes: a second call can succeed
            although the data is lost.
    """
    if _FULLFSYNC is not None:
        fcntl.fcntl(fd, _FULLFSYNC)
    else:
        os.fdatasync(fd)  # the size is synced with the data; times and modes need not be


def is_locked(fd: int, *, is_shared: bool = False) -> bool:
    """Try to lock *fd*, exclusively or shared, without waiting; return whether it is locked now."""
    # flock and not lockf: a POSIX lock is gone when any descriptor of the file is closed, by a reader too.
    try:
        fcntl.flock(fd, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync_folder(fd: int) -> None:
    """Put the folder's entries on the disk."""
    os.fsync(fd)  # a rename or a new name is lost in a power cut without this


def is_plain(status: os.stat_result) -> bool:
    """Return whether *status* is that of a regular file with one name: not a device, a pipe or a hard
    link."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def append_whole(fd: int, content: bytes, *, size: int, name: str) -> None:
    """Append *content* to a file of *size* bytes with one write, or leave the file at *size* bytes.

    Raises:
        StoreWriteError: The write failed or was short, and the file has been cut back. (If even that fails, a
            torn end is left, which the next writer cuts.)
    """
    cause: OSError | None = None
    try:
        # One call: O_APPEND keeps writers apart only within a call. A full disk takes a part of the bytes
        # before it says ENOSPC (302 of 5,018 were measured), so what was taken is compared.
        written = os.write(fd, content)
        if written == len(content):
            return
        why = f"the disk took {written} of {len(content)} bytes (is it full?)"
    except OSError as error:
        why, cause = reason(error), error
    try:
        os.ftruncate(fd, size)
    except OSError as error:
        why = f"{why}; cutting back failed as well ({reason(error)})"
    raise StoreWriteError(
        f"{name}: {why}; nothing was written: make room or check the disk, then try again"
    ) from cause


def replace_file(
    folder_fd: int, name: str, content: bytes, *, mode: int = FILE_MODE, is_synced: bool = False
) -> None:
    """Replace the file *name* by *content* in one step: a reader sees either the old content or the new.

    The file is not synced, since materialised files are made again from the ledger after an unclean end. Set
    *is_synced* for a file that nothing else can restore; the caller then has to sync the folder.

    Raises:
        OSError: The disk refused; *name* is as it was.
    """
    temporary = f".{name}.{os.getpid()}.tmp"
    # The process's number keeps two writers apart, and one that died leaves a name that verify knows.
    unlink_if_there(folder_fd, temporary)  # of a process that died; never opened, whatever it is
    try:
        with descriptors() as fds:
            fd = fds.open(temporary, NEW, mode, dir_fd=folder_fd)
            write_all(fd, content)
            if is_synced:
                sync_file(fd)
        os.rename(temporary, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    except BaseException as error:
        unlink_if_there(folder_fd, temporary)
        if isinstance(error, OSError):
            error.filename = name  # a write names none, and a rename the temporary one
        raise


def write_all(fd: int, content: bytes) -> None:
    """Write all of *content* to a new file, whose partial content nobody sees."""
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]  # a write may take fewer bytes than it was given


def try_disk(folder_fd: int, name: str) -> None:
    """Write a new file, sync it and remove it again.

    Raises:
        OSError: The disk refused.
    """
    unlink_if_there(folder_fd, name)
    try:
        with descriptors() as fds:
            fd = fds.open(name, NEW, FILE_MODE, dir_fd=folder_fd)
            write_all(fd, b"\n" * _PROBE_BYTES)
            sync_file(fd)
    finally:
        unlink_if_there(folder_fd, name)


def read_plain(folder_fd: int, name: str, most: int | None = None) -> bytes | None:
    """Return the bytes of a plain file, or None if *name* is missing or is a link, device or pipe.

    None is also returned for a file larger than *most* bytes.
    """
    with descriptors() as fds:
        try:
            fd = fds.open(name, READ, dir_fd=folder_fd)
        except OSError as error:
            # ELOOP: a link, refused by O_NOFOLLOW. ENXIO: a socket. ENOTDIR: a part of the way is a file.
            if error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.ENOTDIR):
                return None
            raise
        status = os.fstat(fd)
        if not is_plain(status) or (most is not None and status.st_size > most):
            return None
        return read_range(fd, 0, status.st_size)


def read_range(fd: int, offset: int, size: int) -> bytes:
    """Return *size* bytes from *offset* on, or fewer at the end of the file."""
    parts = []
    while size > 0:
        part = os.pread(fd, size, offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def size_of(fd: int) -> int:
    """Return the size in bytes of an open file, for reading all of it.

    Raises:
        OSError: The file is larger than any that this program writes.
    """
    size = os.fstat(fd).st_size
    if size > MAX_BYTES:
        raise OSError(too_large(size))
    return size


def too_large(size: int) -> str:
    """Return the message for a file of *size* bytes, which is too large to be read."""
    return f"{size} bytes, and no file of a session has more than {MAX_BYTES}"


def is_there(folder_fd: int, name: str) -> bool:
    """Return whether anything has this name, even a link that leads nowhere."""
    try:
        os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def unlink_if_there(folder_fd: int, name: str) -> None:
    """Remove a file; do nothing if it does not exist."""
    try:
        os.unlink(name, dir_fd=folder_fd)
    except FileNotFoundError:
        return


NO_DESCRIPTORS: Final = frozenset((errno.EMFILE, errno.ENFILE))
"""Error codes that mean that this process, or the machine, has as many files open as it may."""
MACHINE_FAULTS: Final = NO_DESCRIPTORS | {errno.EIO, errno.ENOMEM}
"""Error codes that come from the machine and say nothing about the file, which may exist and be right."""


def explain(error: OSError, of: str, otherwise: str) -> str:
    """Return why a session could not be written: *otherwise*, or a message that no descriptor is left.

    Without descriptors, the file that happened to be opened last is not to blame, and only the person who
    runs the process can help.

    Args:
        of: The session's name.
        otherwise: The message for every other reason.
    """
    if error.errno not in NO_DESCRIPTORS:
        return otherwise
    whose = "this process" if error.errno == errno.EMFILE else "this machine"
    return (
        f"{of}: too many open files: {whose} has as many as it may; nothing was written: "
        "close sessions that nobody uses, or raise the limit (`ulimit -n`), then try again"
    )


def told(error: OSError) -> str:
    """Return the system's reason, after the file's name if the system gives it."""
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)


def reason(error: OSError) -> str:
    """Return the system's reason without the error number, in lower case: "no space left on device"."""
    return (error.strerror or str(error)).lower()


# ---------------------------------------------------------------------- made under another name
# Whoever makes a folder before it gets its name holds a lock on it (`flock`), which the system gives back the
# moment that process dies: so what is left over is told from what is under way, however long that takes.


@contextmanager
def made_aside(parent: Path, prefix: str) -> Iterator[Path]:
    """Create a new folder in *parent* and lock it; after the block, remove it with all that is still in it.

    Folders with the same prefix that dead processes have left are removed first.

    Raises:
        OSError: The folder cannot be created.
    """
    sweep(parent, prefix)
    while True:
        folder = parent / f"{prefix}{secrets.token_hex(8)}"  # so long that it is nobody else's
        try:  # before the folder is there: a Ctrl-C right behind `mkdir` leaves nothing either
            folder.mkdir(FOLDER_MODE)
            with held(folder, wait=True):
                if not folder.exists():  # whoever sweeps came between the two calls
                    continue
                yield folder
                return
        finally:
            _remove(folder)


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders of `made_aside` that dead processes have left; those locked by a living process
    stay."""
    for left in parent.glob(f"{prefix}*"):
        with held(left) as is_left:
            if is_left:
                _remove(left)


@contextmanager
def held(folder: Path, *, wait: bool = False) -> Iterator[bool]:
    """Lock *folder*; yield whether that succeeded.

    False if another process holds it, if it is missing or not a folder, or if locking fails.
    """
    try:
        fd = os.open(folder, FOLDER)
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
