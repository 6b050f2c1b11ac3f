"""The end of a session: a last record with the digest of every file, then read-only modes.

Modes stop accidents, not root. The immutable flag stops root too, until root lifts it; it needs Linux, a file
system that supports it, and the right to set it.

Source: DESIGN.md, section 6 ("Ended"); trust.md, "The store".
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from orchestrator.core.errors import SessionBusyError, StoreError, StoreWriteError
from orchestrator.core.store import files
from orchestrator.core.store.application import Ending
from orchestrator.core.store.store import DRIVER_LOCK, LEDGER_NAME, Store
from orchestrator.core.table import SeatedTable
from orchestrator.core.verify.disk import (
    Name,
    digest_file,
    open_folder,
    walk,
)
from orchestrator.core.verify.finding import Report, shown
from orchestrator.core.verify.session_folder import LEFTOVER, digest_in_home, source_of

# Of the rights that there are, those that stay: nobody writes, the owner included.
FILE_RIGHTS: Final = 0o440
FOLDER_RIGHTS: Final = 0o550
REJECTED: Final = "ledger/rejected/"

_LOOK_S: Final = 0.02
"""Seconds between two checks whether another process has ended the session."""

# Linux, include/uapi/linux/fs.h: FS_IOC_GETFLAGS and FS_IOC_SETFLAGS where `long` has 8 bytes.
_GETFLAGS: Final = 0x80086601
_SETFLAGS: Final = 0x40086602
_IMMUTABLE: Final = 0x00000010
_HAS_FLAGS: Final = sys.platform == "linux" and struct.calcsize("l") == 8


def freeze(store: Store, home_templates: Path | None, *, immutable: bool = False) -> str:
    """End the session for ever and make its folder read-only.

    The end is durable when this returns: every file is synced before the record of the end is written, and
    both happen under the session's lock, so no write slips in between. A crash after the record leaves a
    session that has ended but is not read-only yet; calling this again finishes the work.

    Args:
        store: The session's store, outside of a transaction. Waiting receipts are written first.
        home_templates: The home's `templates/`, whose digests go into the record. If None, the record has
            none.
        immutable: Also set the immutable flag on every file and folder, where that is possible.

    Returns:
        "flags" or "modes", whichever is in force. Modes do not stop root.

    Raises:
        StoreError: A file differs from what the ledger says, or the folder contains something that is not a
            file; nothing was recorded.
        StoreWriteError: The disk refused.
    """
    root = store.root
    if not store.frozen:
        with store.transaction() as tx, _naming(root):
            _clear(root)
            value = Ending(_digests(store), _template_digests(store.layout, home_templates))
            # Every file first, then the record that names their digests: after a crash the record is true or
            # not there.
            sync(root)
            (root / DRIVER_LOCK).unlink(missing_ok=True)
            tx.freeze(value)
    return seal(root, immutable=immutable)


def end_session(store: Store, home_templates: Path | None) -> None:
    """End the session as `freeze` does, one thread and process at a time.

    For a session that has already ended, finish what an earlier call left undone.

    Raises:
        SessionBusyError: Another thread or process was still ending the session at the time-out.
        StoreError: As `freeze`.
    """
    with ending_alone(store):
        store.catch_up()
        if not store.frozen:
            store.mend()
        freeze(store, home_templates)


@contextmanager
def ending_alone(store: Store) -> Iterator[None]:
    """Let one thread or process at a time end the session; the second one finds that the first has ended it.

    Raises:
        SessionBusyError: Another thread or process was still ending the session at the time-out.
    """
    with files.descriptors() as fds:
        fd = fds.open(store.root, files.FOLDER)  # its folder: no file that would have to go at the freeze
        until_s = monotonic() + store.timeout_s
        while not files.is_locked(fd):
            if monotonic() >= until_s:
                raise SessionBusyError(
                    f"{store.root.name}: it is being ended by another: ask again in a moment"
                )
            sleep(_LOOK_S)
        yield


def sync(root: Path) -> None:
    """Flush every file and folder below *root* to the disk.

    Raises:
        OSError: The disk refused.
    """
    _each(root, lambda fd, is_folder: files.sync_folder(fd) if is_folder else files.sync_file(fd))


def seal(root: Path, *, immutable: bool = False) -> str:
    """Make a frozen folder read-only: set modes of at most 0440 and 0550.

    If *immutable* is true, also set the immutable flag, where that is possible.

    Returns:
        "flags" or "modes", whichever is in force.

    Raises:
        StoreWriteError: The modes cannot be set.
    """
    with _naming(root):
        lift_flags(root)  # of an earlier call: a file under the flag takes no modes
        (root / DRIVER_LOCK).unlink(missing_ok=True)
        _each(root, _seal_one)
    if not immutable:
        return "modes"
    try:
        _each(root, lambda fd, _: _set_flag(fd))
    except OSError:
        lift_flags(root)  # all or none: "modes" is then the whole truth
        return "modes"
    return "flags"


def is_sealed(root: Path) -> bool:
    """Return whether the modes forbid everybody to write to any file or folder.

    Raises:
        StoreWriteError: The modes of a file or folder cannot be read.
    """
    modes: list[int] = []
    with _naming(root):
        _each(root, lambda fd, _: modes.append(os.fstat(fd).st_mode))
    return not any(mode & 0o222 for mode in modes)


def _seal_one(fd: int, is_folder: bool) -> None:
    os.fchmod(fd, os.fstat(fd).st_mode & (FOLDER_RIGHTS if is_folder else FILE_RIGHTS))


def thaw(root: Path) -> None:
    """Lift immutable flags and read-only modes, so that the folder can be removed or repaired.

    Raises:
        StoreWriteError: The system refuses: lifting a flag needs the right to set it.
    """

    def open_up(fd: int, is_folder: bool) -> None:
        _lift_flag(fd)
        os.fchmod(fd, os.fstat(fd).st_mode & 0o777 | (0o700 if is_folder else 0o600))

    with _naming(root):
        _each(root, open_up, folders_first=True)


def release(root: Path) -> None:
    """Lift the flag of the folder itself, where it is set, so that it can be moved.

    Raises:
        OSError: The right to do so is missing.
    """
    with open_folder(root) as fd:
        _lift_flag(fd)


def lift_flags(root: Path) -> None:
    """Lift the immutable flag of every file and folder, where it is set; leave the modes as they are.

    Raises:
        OSError: The right to do so is missing.
    """
    _each(root, lambda fd, _: _lift_flag(fd), folders_first=True)


def can_set_flags(folder: Path) -> bool:
    """Return whether the immutable flag can be set on files in *folder*; an empty temporary file there is
    the test."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder) as probe:
            _set_flag(probe.fileno())
            _lift_flag(probe.fileno())
    except OSError:
        return False
    return True


def _clear(root: Path) -> None:
    """Remove what no archive can contain, and give each hard link below the quarantined files a copy of its
    own.

    That is temporary files of writes that a crash cut short, and links and pipes among the quarantined files.
    """
    for name in _names(root):
        path = root / name.path
        if LEFTOVER.fullmatch(name.path) and name.kind == "file":
            path.unlink()
        elif name.path.startswith(REJECTED) and name.kind != "file":
            has_other_names = path.is_file() and not path.is_symlink()
            # An archive holds a file once, and no second name of one.
            content = path.read_bytes() if has_other_names else None
            path.unlink()
            if content is not None:
                path.write_bytes(content)
            else:
                note = f"{name.kind} stood here; it was not kept.\n"
                path.with_name(f"{path.name}.txt").write_text(note, "utf-8")


def _names(root: Path) -> list[Name]:
    """Return every name below *root* that is not a folder."""
    report = Report()
    with open_folder(root) as fd:
        names = list(walk(fd, report))
    for finding in report.findings:
        raise StoreError(f"{root / finding.path}: {finding.found}; the session was not ended: mend it first")
    return names


def _digests(store: Store) -> dict[str, str]:
    """Return the SHA-256 of every file except the ledger and the driver's lock, after a check against the
    ledger."""
    root = store.root
    digests: dict[str, str] = {}
    names = _names(root)
    with open_folder(root) as fd:
        for name in names:
            if name.path in (LEDGER_NAME, DRIVER_LOCK):
                continue
            is_too_large = name.size_bytes > files.MAX_BYTES
            if name.kind != "file" or is_too_large or not name.path.isprintable():
                kind = f"{name.kind} of {name.size_bytes} bytes" if is_too_large else name.kind
                raise StoreError(
                    f"{root}: {shown(name.path)} is {kind}, which no archive can carry under this name; "
                    "the session was not ended: remove it first"
                )
            digests[name.path] = digest_file(fd, name.path)
    for path, sha256 in _expected(store).items():
        if digests.get(path) != sha256:
            raise StoreError(
                f"{root / path}: is not what the ledger says; the session was not ended: "
                "run `greenroom resume`, then end it again"
            )
    source = source_of(store.opening, digests)
    if source is not None and digests.get(source[0], source[1]) != source[1]:
        raise StoreError(
            f"{root / source[0]}: is not the deck that this session was started with; the session was not "
            "ended: put that deck back in its place, or remove the file, then end it again"
        )
    return digests


def _expected(store: Store) -> dict[str, str]:
    """Return the digests that the ledger records for the session's files and its copies of the templates."""
    expected = {f"ledger/{path}": sha256 for path, sha256 in store.opening.templates.items()}
    for path in store.layout.files:
        state = store.state(path)
        if state.seqs and state.sha256 is not None:
            expected[path] = state.sha256
    return expected


def _template_digests(layout: SeatedTable, home_templates: Path | None) -> dict[str, str]:
    """Return the current digests of the home's templates; where there is no digest, the reason stands in its
    place.

    Raises:
        OSError: A template cannot be read now; without the error, its digest would be lost for good.
    """
    digests: dict[str, str] = {}
    if home_templates is None:
        return digests
    for path in layout.templates:
        try:
            digests[path] = digest_in_home(home_templates, path)
        except OSError as error:
            if error.errno in files.MACHINE_FAULTS:
                raise
            digests[path] = files.reason(error)
    return digests


@contextmanager
def _naming(root: Path) -> Iterator[None]:
    """Convert an OSError into a StoreWriteError that names the file or folder."""
    try:
        yield
    except OSError as error:
        name = error.filename if isinstance(error.filename, str) else ""
        where = root / name if name else root
        raise StoreWriteError(
            f"{where}: {files.reason(error)}: check the disk and the rights, then try again"
        ) from error


def _each(root: Path, action: Callable[[int, bool], None], *, folders_first: bool = False) -> None:
    """Call *action* for *root* and every plain file and folder in it: with the descriptor, and whether it
    is a folder."""
    with open_folder(root) as fd:
        _each_below(fd, action, folders_first)


def _each_below(fd: int, action: Callable[[int, bool], None], folders_first: bool) -> None:
    if folders_first:
        action(fd, True)
    with os.scandir(fd) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not entry.is_file(follow_symlinks=False):
            continue
        # Opened and then changed by descriptor: what is swapped for a link meanwhile is refused.
        below = os.open(entry.name, files.FOLDER if is_folder else files.READ, dir_fd=fd)
        try:
            if is_folder:
                _each_below(below, action, folders_first)
            else:
                action(below, False)
        finally:
            os.close(below)
    if not folders_first:
        action(fd, True)


def _flags(fd: int) -> int:
    if not _HAS_FLAGS:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    # The kernel writes an int (4 bytes), though the call is declared with a long (8).
    buffer = bytearray(8)
    fcntl.ioctl(fd, _GETFLAGS, buffer, True)
    return int.from_bytes(buffer[:4], sys.byteorder)


def _set_flag(fd: int) -> None:
    flags = _flags(fd) | _IMMUTABLE
    fcntl.ioctl(fd, _SETFLAGS, bytearray(flags.to_bytes(8, sys.byteorder)), True)


def _lift_flag(fd: int) -> None:
    try:
        flags = _flags(fd)
    except OSError:  # this file system has none
        return
    if flags & _IMMUTABLE:
        fcntl.ioctl(fd, _SETFLAGS, bytearray((flags & ~_IMMUTABLE).to_bytes(8, sys.byteorder)), True)
