"""The Markdown files of a session as views of its ledger: read, append, replace, keep aside.

Files are reached relative to folders that are kept open, and each folder is looked at again
before it is used: one that is swapped for another while the session runs is noticed, and a
link in the place of a folder or file is never followed.
"""

from __future__ import annotations

import errno
import os
import stat
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
        (self._root / "ledger" / "rejected").mkdir(files.FOLDER_MODE, exist_ok=True)
        source, _ = self._at(f"{folder}/{name}")
        target, _ = self._at(f"ledger/rejected/{to}")
        # Never over what was kept before: the same file can be put aside twice at one record.
        taken, number = to, 1
        while files.is_there(target, taken):
            number += 1
            taken = f"{to}-{number}"
        os.rename(name, taken, src_dir_fd=source, dst_dir_fd=target)
        mode = os.stat(taken, dir_fd=target, follow_symlinks=False).st_mode
        if stat.S_ISREG(mode) and not mode & stat.S_IRUSR:  # else no archive could take it in
            os.chmod(taken, stat.S_IMODE(mode) | stat.S_IRUSR, dir_fd=target)
        return f"ledger/rejected/{taken}"

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
        folder, name = self._made(path)
        files.replace_file(folder, name, content)

    def keep_aside(self, folder: str, name: str, content: bytes) -> None:
        """Keep bytes that are about to be cut or replaced, under `ledger/<folder>/<name>`."""
        aside = self._root / "ledger" / folder
        aside.mkdir(files.FOLDER_MODE, exist_ok=True)
        fd, _ = self._at(f"ledger/{folder}/{name}")
        files.replace_file(fd, name, content)

    def reject(self, path: str, seq: int) -> str:
        """Move what stands at *path* aside; returns where to."""
        folder, _, name = path.rpartition("/")
        return self._move_aside(folder, name, f"{seq}-{path.replace('/', '-')}")

    def close(self) -> None:
        """Close the folders' descriptors."""
        while self._appended:
            os.close(self._appended.popitem()[1][0])
        while self._folders:
            os.close(self._folders.popitem()[1][0])


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
