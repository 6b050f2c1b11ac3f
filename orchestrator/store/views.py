"""The Markdown files of a session as views of its ledger: read, append, replace, keep aside.

Files are reached relative to folders that are kept open, and each folder is looked at again
before it is used: one that is swapped for another while the session runs is noticed, and a
link in the place of a folder or file is never followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from orchestrator.store import files

_OWNERS: Final = stat.S_IRUSR | stat.S_IWUSR


class Views:
    """The files of one session's folder, by their paths in the layout table."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._name = str(root)
        self._folders: dict[str, tuple[int, tuple[int, int]]] = {}  # fd, device and inode
        self._appended: dict[str, tuple[int, tuple[int, int]]] = {}  # the same, of files
        self.swapped = False
        """Whether a folder was found to be another one than before; what is in it is to be compared."""

    def _at(self, path: str) -> tuple[int, str]:
        """The file's folder, open, and its name there.

        Raises:
            OSError: The folder is missing, or is a link or something else.
        """
        folder, _, name = path.rpartition("/")
        full = f"{self._name}/{folder}"
        kept = self._folders.get(folder)
        if kept is not None:
            # By device and inode: the name is the same when a folder is swapped for a link to another one.
            if kept[1] == _identity(os.stat(full, follow_symlinks=False)):
                return kept[0], name
            self._forget(folder)
        fd = os.open(full, files.FOLDER)
        self._folders[folder] = fd, _identity(os.fstat(fd))
        return fd, name

    def _made(self, path: str) -> tuple[int, str]:
        """As `_at`; a folder that is missing or replaced by something else is made again."""
        try:
            return self._made_once(path)
        except FileExistsError:  # something was put there in between; once more
            return self._made_once(path)

    def _made_once(self, path: str) -> tuple[int, str]:
        name = path.rpartition("/")[0]
        folder = self._root / name
        if folder.is_symlink() or not folder.is_dir():
            self._forget(name)
            if os.path.lexists(folder):
                self._move_aside(".", name, f"folder-{name.replace('/', '-')}")
            folder.mkdir(files.FOLDER_MODE)
        return self._at(path)

    def _forget(self, folder: str) -> None:
        """Close what is open of a folder that another one has taken the place of."""
        self.swapped = True
        for path in [path for path in self._appended if path.rpartition("/")[0] == folder]:
            os.close(self._appended.pop(path)[0])
        if folder in self._folders:
            os.close(self._folders.pop(folder)[0])

    def _move_aside(self, folder: str, name: str, to: str) -> str:
        """Move a name to `ledger/rejected/`, beside all that was moved there before; returns where to."""
        source, _ = self._at(f"{folder}/{name}")
        target, why = self._aside("rejected")
        # Never over what was kept before: the same file can be put aside twice at one record.
        taken, number = to, 1
        while files.is_there(target, taken):
            number += 1
            taken = f"{to}-{number}"
        os.rename(name, taken, src_dir_fd=source, dst_dir_fd=target)
        mode = os.stat(taken, dir_fd=target, follow_symlinks=False).st_mode
        if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:  # else no archive could take it in
            os.chmod(taken, stat.S_IMODE(mode) | stat.S_IRUSR, dir_fd=target)
        return f"ledger/rejected/{taken}{why}"

    def _aside(self, folder: str) -> tuple[int, str]:
        """`ledger/<folder>`, open; what is no folder there is put aside too, and told of."""
        path, temporary, why = f"ledger/{folder}", f".{folder}.{os.getpid()}.tmp", ""
        with _named(path):
            above, _ = self._at(path)
            is_other = files.is_there(above, folder) and not self.is_folder(path)
            if is_other:
                os.rename(folder, temporary, src_dir_fd=above, dst_dir_fd=above)
            with suppress(FileExistsError):
                os.mkdir(folder, files.FOLDER_MODE, dir_fd=above)
            if is_other:
                kept = self._move_aside("ledger", temporary, f"in-place-of-{folder}")
                why = f" (what stood in the place of {path} is kept in {kept})"
            return self._at(f"{path}/{temporary}")[0], why

    def read(self, path: str, most: int | None = None) -> bytes | None:
        """The file's bytes; None where there is no plain file of this name, or none that may be read.

        *most*: bytes; a larger file is not read either.
        """
        try:
            folder, name = self._at(path)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                return None
            raise
        try:
            return files.read_plain(folder, name, most)
        except PermissionError:  # somebody took the right away: it is treated as what it is not
            return None

    def is_open_to_owner(self, path: str) -> bool:
        """Whether the file's mode lets its owner read and write it."""
        try:
            folder, name = self._at(path)
            return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & _OWNERS == _OWNERS
        except OSError:
            return False

    def size(self, path: str) -> int | None:
        """The file's length in bytes; None where there is no plain file of this name."""
        try:
            folder, name = self._at(path)
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return None
        return status.st_size if files.is_plain(status) else None

    def is_there(self, path: str) -> bool:
        """Whether anything at all has the file's name."""
        try:
            folder, name = self._at(path)
            return files.is_there(folder, name)
        except OSError:
            return False

    def is_folder(self, path: str) -> bool:
        """Whether a folder stands where the file belongs."""
        try:
            folder, name = self._at(path)
            return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        except OSError:
            return False

    def append(self, path: str, content: bytes, *, size_after: int) -> bool:
        """Add to a view; False, and nothing done, where it is not what the ledger says it was before."""
        folder, name = self._at(path)
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            # The size is compared, not the content: it costs one look, and a view that was changed at the
            # same size is found at the next open.
            if not files.is_plain(status) or status.st_size != size_after - len(content):
                return False
            fd = self._appending(path, folder, name, status)
        except OSError:
            return False
        return fd is not None and os.write(fd, content) == len(content)

    def _appending(self, path: str, folder: int, name: str, status: os.stat_result) -> int | None:
        """A descriptor of the file that *status* is of; kept, since opening costs more than writing."""
        kept = self._appended.get(path)
        if kept is not None:
            fd, identity = kept
            if identity == _identity(status):
                return fd
            os.close(self._appended.pop(path)[0])
        fd = os.open(name, files.APPEND, dir_fd=folder)
        if _identity(os.fstat(fd)) != _identity(status):
            os.close(fd)  # swapped between the two calls
            return None
        self._appended[path] = fd, _identity(status)
        return fd

    def replace(self, path: str, content: bytes) -> None:
        """Put *content* in the file's place at once, whatever stands there (but a folder)."""
        with _named(path):
            folder, name = self._made(path)
            files.replace_file(folder, name, content)

    def keep_aside(self, folder: str, name: str, content: bytes) -> str:
        """Keep bytes that are about to be cut, under `ledger/<folder>/<name>`; returns where they are."""
        fd, why = self._aside(folder)
        with _named(f"ledger/{folder}/{name}"):
            files.replace_file(fd, name, content)
        return f"ledger/{folder}/{name}{why}"

    def reject(self, path: str, seq: int) -> str:
        """Move what stands at *path* aside; returns where to."""
        folder, _, name = path.rpartition("/")
        with _named(path):
            return self._move_aside(folder, name, f"{seq}-{path.replace('/', '-')}")

    def close(self) -> None:
        """Close the folders' descriptors."""
        while self._appended:
            os.close(self._appended.popitem()[1][0])
        while self._folders:
            os.close(self._folders.popitem()[1][0])


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Give what the system refuses the file's path in the session, unless it has one already."""
    try:
        yield
    except OSError as error:
        if not str(error.filename).startswith("ledger/"):
            error.filename = path
        raise


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
