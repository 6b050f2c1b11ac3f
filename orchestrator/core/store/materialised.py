"""The materialised files of a session's ledger: reading, appending and repairing them.

A file is opened relative to its folder, which is opened anew each time. So a folder that is swapped for
another while the session runs is noticed, and a link in place of a folder or file is never followed. Only a
writer that holds the session's lock repairs files, and whatever it removes is stored elsewhere.

Source: DESIGN.md, section 4; trust.md, "The store".
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from orchestrator.core.store import files
from orchestrator.core.store.ledger import Record
from orchestrator.core.table import Mutability, SeatedTable

_OWNERS: Final = stat.S_IRUSR | stat.S_IWUSR


class MaterialisedFiles:
    """The files in one session's folder, by their paths in the table of files."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._name = str(root)
        self._folders: dict[str, tuple[int, int]] = {}  # device and inode, as first met
        self.swapped = False
        """Whether a folder was found to be another one than before; what is in it is to be compared."""

    @contextmanager
    def _at(self, path: str) -> Iterator[tuple[int, str]]:
        """Open the file's folder, and yield its descriptor with the file's name in it.

        Raises:
            OSError: The folder is missing, or something else (such as a link) is in its place.
        """
        with files.descriptors() as fds:
            name = self._opened(path, fds)
            yield fds[-1], name

    def _opened(self, path: str, fds: files.Descriptors) -> str:
        """Open the file's folder, put its descriptor at the end of *fds*, and return the file's name in
        the folder."""
        folder, _, name = path.rpartition("/")
        status = os.fstat(fds.open(f"{self._name}/{folder}", files.FOLDER))
        identity = status.st_dev, status.st_ino
        # By device and inode: the name is the same when a folder is swapped for a link to another one.
        if self._folders.setdefault(folder, identity) != identity:
            self.swapped = True
            self._folders[folder] = identity
        return name

    def _make_folder(self, path: str) -> None:
        """Create the file's folder again if it is missing or something else is in its place."""
        name = path.rpartition("/")[0]
        folder = self._root / name
        while folder.is_symlink() or not folder.is_dir():
            self.swapped = True
            if os.path.lexists(folder):
                self._move_aside(".", name, f"folder-{name.replace('/', '-')}")
            with suppress(FileExistsError):  # something was put there in between: looked at once more
                folder.mkdir(files.FOLDER_MODE)

    def _move_aside(self, folder: str, name: str, to: str) -> str:
        """Quarantine a name in `ledger/rejected/`, without overwriting earlier ones; return its path
        there."""
        why = self._make_aside("rejected")
        with self._at(f"{folder}/{name}") as (source, _), self._at(f"ledger/rejected/{to}") as (target, _):
            # Never over what was kept before: the same file can be quarantined twice at one record.
            taken, number = to, 1
            while files.is_there(target, taken):
                number += 1
                taken = f"{to}-{number}"
            os.rename(name, taken, src_dir_fd=source, dst_dir_fd=target)
            mode = os.stat(taken, dir_fd=target, follow_symlinks=False).st_mode
            if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:  # else no archive could take it in
                os.chmod(taken, stat.S_IMODE(mode) | stat.S_IRUSR, dir_fd=target)
        return f"ledger/rejected/{taken}{why}"

    def _make_aside(self, folder: str) -> str:
        """Create `ledger/<folder>`, and quarantine what is there if it is not a folder.

        Return a text for the message about the latter, or "".
        """
        path, temporary, why = f"ledger/{folder}", f".{folder}.{os.getpid()}.tmp", ""
        with _named(path):
            is_other = self.is_there(path) and not self.is_folder(path)
            with self._at(path) as (above, _):
                if is_other:
                    os.rename(folder, temporary, src_dir_fd=above, dst_dir_fd=above)
                with suppress(FileExistsError):
                    os.mkdir(folder, files.FOLDER_MODE, dir_fd=above)
            if is_other:
                kept = self._move_aside("ledger", temporary, f"in-place-of-{folder}")
                why = f" (what stood in the place of {path} is kept in {kept})"
        return why

    def read(self, path: str, most: int | None = None) -> bytes | None:
        """Return the file's bytes, or None if it is not a plain file or may not be read.

        None is also returned for a file larger than *most* bytes.
        """
        try:
            with self._at(path) as (folder, name):
                return files.read_plain(folder, name, most)
        except PermissionError:  # somebody took the right away: it is treated as what it is not
            return None
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                return None
            raise

    def is_open_to_owner(self, path: str) -> bool:
        """Return whether the file's mode lets its owner read and write it."""
        status = self._status(path)
        return status is not None and status.st_mode & _OWNERS == _OWNERS

    def size(self, path: str) -> int | None:
        """Return the file's length in bytes, or None if there is no plain file of this name."""
        status = self._status(path)
        return status.st_size if status is not None and files.is_plain(status) else None

    def is_there(self, path: str) -> bool:
        """Return whether anything at all has the file's name."""
        return self._status(path) is not None

    def is_folder(self, path: str) -> bool:
        """Return whether a folder is in the file's place."""
        status = self._status(path)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def _status(self, path: str) -> os.stat_result | None:
        try:
            with self._at(path) as (folder, name):
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return None

    def append(self, path: str, content: bytes, *, size_after: int) -> bool:
        """Append to a materialised file; if it is not what the ledger says, do nothing and return False."""
        try:
            with files.descriptors() as fds:
                status = os.fstat(fds.open(self._opened(path, fds), files.APPEND, dir_fd=fds[-1]))
                # The size is compared, not the content: it costs one look, and a view that was changed at the
                # same size is found at the next open.
                if not files.is_plain(status) or status.st_size != size_after - len(content):
                    return False
                return os.write(fds[-1], content) == len(content)
        except OSError:
            return False

    def replace(self, path: str, content: bytes) -> None:
        """Replace the file by *content* in one step, whatever is in its place, except a folder."""
        with _named(path):
            self._make_folder(path)
            with self._at(path) as (folder, name):
                files.replace_file(folder, name, content)

    def keep_aside(self, folder: str, name: str, content: bytes) -> str:
        """Quarantine bytes that are about to be cut off, as `ledger/<folder>/<name>`; return that path."""
        why = self._make_aside(folder)
        path = f"ledger/{folder}/{name}"
        with _named(path), self._at(path) as (fd, _):
            files.replace_file(fd, name, content)
        return f"{path}{why}"

    def reject(self, path: str, seq: int) -> str:
        """Quarantine whatever is at *path*; return its new path."""
        folder, _, name = path.rpartition("/")
        with _named(path):
            return self._move_aside(folder, name, f"{seq}-{path.replace('/', '-')}")


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Add the file's path in the session to an OSError, unless it has one already."""
    try:
        yield
    except OSError as error:
        if not str(error.filename).startswith("ledger/"):
            error.filename = path
        raise


class History(Protocol):
    """What the ledger says about a session's files."""

    layout: SeatedTable
    materialised: MaterialisedFiles

    @property
    def seq(self) -> int:
        """The last record's number."""

    def state(self, path: str) -> Any:
        """See `history.History.state`."""

    def record(self, seq: int) -> Record:
        """Return one record by its number."""

    def replay(self, seqs: Sequence[int]) -> str:
        """Return a file's text from some of its records."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair: which file was repaired, and how."""

    path: str
    what: str


def keep_torn(history: History, rest: bytes) -> Repair:
    """Quarantine a torn last record, before it is cut off."""
    # The digest is in the name: a second crash at the same record leaves other bytes, and both are kept.
    name = f"torn-{history.seq + 1}-{hashlib.sha256(rest).hexdigest()[:8]}"
    kept = history.materialised.keep_aside("torn", name, rest)
    return Repair("ledger/ledger.jsonl", f"cut off a torn last record ({len(rest)} bytes kept in {kept})")


def mend_all(history: History) -> list[Repair]:
    """Compare every materialised file with the ledger, and write those that differ again; return the
    repairs."""
    repairs = [repair for path in history.layout.files if (repair := mend(history, path)) is not None]
    history.materialised.swapped = False
    return repairs


def mend_written(history: History, paths: Iterable[str]) -> list[Repair]:
    """Repair the materialised files at *paths*, which a writer recorded but perhaps did not write."""
    repairs = []
    for path in paths:
        state = history.state(path)
        # Of an append-only file the size tells whether its writer got that far; one that is written whole may
        # have any size, so it is compared.
        is_whole = state.row.mutability is not Mutability.APPEND_ONLY
        if is_whole or history.materialised.size(path) != state.size_bytes:
            repair = mend(history, path)
            if repair is not None:
                repairs.append(repair)
    return repairs


def mend(history: History, path: str) -> Repair | None:
    """Compare a materialised file's digest with the ledger, and write the file again if it differs.

    A file that is only behind is brought up to date; one that was changed from outside is first quarantined
    under `ledger/rejected/`.
    """
    files_there = history.materialised
    state = history.state(path)
    if not state.seqs:
        if files_there.is_there(path):
            return _reject(history, path, "something was there before the first write")
        return None
    raw = files_there.read(path, state.row.max_bytes)  # whatever is longer was written by somebody else
    is_right = (
        raw is not None and len(raw) == state.size_bytes and hashlib.sha256(raw).hexdigest() == state.sha256
    )
    if is_right and files_there.is_open_to_owner(path):
        return None
    content = history.replay(state.seqs).encode()  # before anything is moved: it may raise
    if is_right:
        repair: Repair | None = Repair(path, "the rights to read and write it have been put back")
    elif raw is None and not files_there.is_there(path):
        repair = Repair(path, "was missing and has been put back from the ledger")
    else:
        repair = keep_changed(history, path, raw, content)
    files_there.replace(path, content)
    return repair or Repair(path, "brought up to date with the ledger")


def keep_changed(history: History, path: str, raw: bytes | None, content: bytes) -> Repair | None:
    """Quarantine what is at *path* before *content* replaces it; return None if the ledger has all of it.

    *raw* contains the bytes that were read there; None if it is not a plain file or may not be read.
    """
    if raw is None:
        if not history.materialised.is_there(path):
            return None
        what = "a folder" if history.materialised.is_folder(path) else "something else"
        return _reject(history, path, f"{what} stood in its place, which has been put back from the ledger")
    if _is_earlier(history, raw, path, content):
        return None
    return _reject(history, path, "was changed from outside and has been put back from the ledger")


def _is_earlier(history: History, raw: bytes, path: str, content: bytes) -> bool:
    """Return whether *raw* is the file's content before its last writes, or a part of that."""
    if is_remainder(raw, content):
        return True
    for seq in reversed(history.state(path).seqs):
        record = history.record(seq)
        is_whole = record.op != "append" and record.text is not None
        if is_whole and is_remainder(raw, (record.text or "").encode()):
            return True
    return False


def is_remainder(raw: bytes, content: bytes) -> bool:
    """Return whether a crash can have left *raw* of *content*: its beginning, with zeros for unwritten
    blocks.

    No session file contains a zero byte. The zeros may begin anywhere, since a block may be written before
    the file grows in it.
    """
    return len(raw) <= len(content) and (
        content.startswith(raw) or all(one in (0, right) for one, right in zip(raw, content, strict=False))
    )


def _reject(history: History, path: str, why: str) -> Repair:
    kept = history.materialised.reject(path, history.seq)
    return Repair(path, f"{why}: what stood there is kept in {kept}")
