"""Stores of archives: objects by name, each written once. A store in a folder is here, one in S3 in `s3.py`.

Source: DESIGN.md, section 10; trust.md, "The archive".
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol, TypeVar
from urllib.parse import unquote, urlsplit

from orchestrator.core.archive.manifest import is_safe_name, other_content
from orchestrator.core.archive.s3 import S3Store, check_endpoint
from orchestrator.core.errors import ArchiveError, ArchiveUnavailableError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store import files
from orchestrator.core.verify.disk import open_folder, read_file, walk
from orchestrator.core.verify.finding import Report, shown

# ---------------------------------------------------------------------- streams
# Several objects under way at once.


T = TypeVar("T")
R = TypeVar("R")

STREAMS: Final = 8
"""Number of simultaneous calls to a store: objects are small, so most time is spent waiting for answers."""


def side_by_side(action: Callable[[T], R], things: Iterable[T]) -> list[R]:
    """Call *action* on all *things*, several at a time, and return the results in order; stop at the first
    failure."""
    with ThreadPoolExecutor(STREAMS) as pool:
        futures = [pool.submit(action, thing) for thing in things]
        try:
            return [future.result() for future in futures]
        except BaseException:
            # Leaving the block waits for what is under way; what has not begun would be sent for nothing.
            pool.shutdown(cancel_futures=True)
            raise


# ---------------------------------------------------------------------- stores


INCOMING: Final = ".incoming"
"""Folder beside the archives in which an object is written before it gets its name.

It is used where the system cannot create files without a name.
"""
_STALE_S: Final = 24 * 3600
"""Age in seconds at which a file that a killed process left in `INCOMING` is removed."""
_OBJECT_MODE: Final = 0o440  # an object is written once: nobody has to change it
_OF_THE_NAME: Final = frozenset(
    {None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.ENAMETOOLONG}
)
"""Error codes that mean that no object has the name (None is our own error for what has it). All other
codes come from the state of the system or the disk at this moment."""
_UNNAMED: Final = getattr(os, "O_TMPFILE", None)
"""The flag with which Linux creates a file without a name, which gets one when it is complete. If the
process is killed, the file vanishes."""


class ArchiveStore(Protocol):
    """A store of objects under relative names with `/`. No object is ever overwritten."""

    url: str
    endpoint: str
    """The server (see `s3.endpoint_of`), which is part of the archive's place beside the address; "" where
    only one server is possible."""

    def put_new(self, name: str, content: bytes, sha256: str) -> bool:
        """Store *content*, whose SHA-256 is *sha256*; return False if the same content already exists.

        Raises:
            ArchiveConflictError: The name already has another content.
            ArchiveError: The store refused.
        """

    def get(self, name: str) -> bytes:
        """Return an object's bytes.

        Raises:
            ArchiveUnavailableError: The object cannot be read now, which says nothing about its state.
            ArchiveError: There is no such object, or something else has its name.
        """

    def list(self, prefix: str = "") -> tuple[str, ...]:
        """Return the names that begin with *prefix*, sorted.

        Raises:
            ArchiveError: The store refused.
        """

    def folders(self) -> tuple[str, ...]:
        """Return the first part of every name that has several parts: one for each archive.

        Does not list all names.

        Raises:
            ArchiveError: The store refused.
        """

    def delete(self, name: str) -> None:
        """Remove an object; do nothing if there is none.

        Raises:
            ArchiveError: The store refused.
        """


def open_store(url: str, *, endpoint_url: str | None = None, checksums: bool = True) -> ArchiveStore:
    """Return the store at *url*, without contacting it: a folder's path, `file://…` or `s3://bucket/prefix`.

    Args:
        url: Where the archives are. A folder need not exist yet.
        endpoint_url: The address of an S3-compatible server; if None, the AWS variables name it.
        checksums: Whether S3 puts carry a SHA-256 for the server to check. Set it to False only for servers
            that refuse the checksum; what was sent is read back and compared in any case.

    Raises:
        UsageError: *url* is none of these.
    """
    try:
        url.encode()  # it is noted in the home's register
    except UnicodeEncodeError:
        raise UsageError(f"{one_line(url)}: the address is not valid Unicode text: write it anew") from None
    scheme, separator, rest = url.partition("://")
    if separator and scheme == "s3":
        bucket, _, prefix = rest.partition("/")
        if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", bucket):
            raise UsageError(
                "an S3 address is s3://bucket/prefix; a bucket has 3 to 63 lower-case letters, digits, dots "
                "and hyphens; keys go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, not into the address"
            )
        return S3Store(bucket, prefix.strip("/"), check_endpoint(endpoint_url), checksums=checksums)
    if separator and scheme == "file":
        parts = urlsplit(url)
        if parts.netloc in ("", "localhost") and parts.path:
            return FolderStore(Path(unquote(parts.path)))
    if separator or not url or "\0" in url:
        raise UsageError("an archive address is a folder, file:///folder or s3://bucket/prefix: this is none")
    return FolderStore(Path(url))


def is_same_store(store: ArchiveStore, url: str, endpoint: str | None) -> bool:
    """Return whether *url* and *endpoint*, spelled as `open_store` does, are those of *store*.

    If *endpoint* is None, it is not known, and only *url* is compared.
    """
    if isinstance(store, FolderStore):
        return "://" not in url and os.path.realpath(store.url) == os.path.realpath(url)
    return store.url == url and endpoint in (None, store.endpoint)


class FolderStore:
    """A folder of archives, each in its own folder: an archive is an unpacked bag.

    An object gets its name only when its bytes are on the disk. Links in the folder are not followed; the
    folder itself may be a link.
    """

    endpoint = ""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.url = str(self.root)

    def put_new(self, name: str, content: bytes, sha256: str) -> bool:
        """Store an object as `ArchiveStore.put_new` does; it is on the disk when this returns."""
        _check_name(name)
        base = name.rpartition("/")[2]
        try:
            with self._folder(name, make=True) as fd:
                try:
                    # A link and not a rename: it fails where the name is taken, whoever came first.
                    if not _link_unnamed(fd, base, content):
                        self._rename_new(fd, base, content)
                # The same content is success: a run that was killed is run again, and another may archive at
                # once.
                except FileExistsError:
                    if hashlib.sha256(self.get(name)).hexdigest() != sha256:
                        raise other_content(str(self.root / name)) from None
                    return False
                files.sync_folder(fd)
        except OSError as error:
            raise self._refused(name, error) from error
        return True

    def get(self, name: str) -> bytes:
        """See `ArchiveStore.get`."""
        _check_name(name)
        try:
            with open_folder(self.root) as root_fd:
                return read_file(root_fd, name)
        except OSError as error:
            raise self._refused(name, error) from error

    def list(self, prefix: str = "") -> tuple[str, ...]:
        """See `ArchiveStore.list`.

        The names include whatever is not a plain file, and folders that cannot be read.
        """
        report = Report()
        folder = prefix.rpartition("/")[0]
        if folder:
            _check_name(folder)
        try:
            with self._folder(prefix, make=False) as fd:
                names = {name.path for name in walk(fd, report, below=f"{folder}/" if folder else "")}
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._refused(prefix, error) from error
        names.update(finding.path for finding in report.findings)
        # Files under way are no objects.
        kept = (name for name in names if name.startswith(prefix) and not name.startswith(INCOMING))
        return tuple(sorted(kept))

    def folders(self) -> tuple[str, ...]:
        """See `ArchiveStore.folders`."""
        try:
            with open_folder(self.root) as fd, os.scandir(fd) as entries:
                return tuple(sorted(one.name for one in entries if one.is_dir(follow_symlinks=False)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise self._refused("", error) from error

    def delete(self, name: str) -> None:
        """Remove an object as `ArchiveStore.delete` does, and then the folders above it that are empty."""
        _check_name(name)
        path = self.root / name
        try:
            with self._folder(name, make=False) as fd:
                files.unlink_if_there(fd, path.name)
                files.sync_folder(fd)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._refused(name, error) from error
        for folder in path.parents:
            if folder == self.root:
                break
            try:
                folder.rmdir()  # refuses where another object lies there
            except OSError:
                break

    @contextmanager
    def _folder(self, name: str, *, make: bool) -> Iterator[int]:
        """Open the folder in which *name* lies; if *make* is true, create it and sync its entry."""
        if make:
            self.root.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
        with open_folder(self.root) as root_fd:
            fd = os.dup(root_fd)
            try:
                for part in name.split("/")[:-1]:
                    if make:
                        with suppress(FileExistsError):
                            os.mkdir(part, files.FOLDER_MODE, dir_fd=fd)
                            files.sync_folder(fd)
                    below = os.open(part, files.FOLDER, dir_fd=fd)
                    os.close(fd)
                    fd = below
                yield fd
            finally:
                os.close(fd)

    def _rename_new(self, folder_fd: int, base: str, content: bytes) -> None:
        """Write *content* beside the archives, then rename the file to *base*, unless that name exists.

        The check and the rename are two steps. That is safe, since two writers of one name archive the same
        session, which gives the same bytes.

        Raises:
            FileExistsError: The name already exists.
        """
        incoming = self.root / INCOMING
        incoming.mkdir(files.FOLDER_MODE, exist_ok=True)
        for left in incoming.iterdir():
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _STALE_S:
                    left.unlink()
        path = incoming / f"{os.getpid()}-{secrets.token_hex(8)}"
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OBJECT_MODE)
        try:
            try:
                files.write_all(fd, content)
                files.sync_file(fd)
            finally:
                os.close(fd)
            if files.is_there(folder_fd, base):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), base)
            os.rename(path, base, dst_dir_fd=folder_fd)
        finally:
            path.unlink(missing_ok=True)

    def _refused(self, name: str, error: OSError) -> ArchiveError:
        kind = ArchiveError if error.errno in _OF_THE_NAME else ArchiveUnavailableError
        return kind(f"{self.root / name}: {files.reason(error)}")


def _link_unnamed(folder_fd: int, base: str, content: bytes) -> bool:
    """Write *content* to a file without a name, then name it *base*; return False if the system cannot do
    that.

    Raises:
        FileExistsError: The name already exists.
    """
    if _UNNAMED is None:
        return False
    try:
        fd = os.open(".", _UNNAMED | os.O_WRONLY | os.O_CLOEXEC, _OBJECT_MODE, dir_fd=folder_fd)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
            return False
        raise
    try:
        files.write_all(fd, content)
        files.sync_file(fd)
        # The link in /proc is followed to the file itself: linkat(2), AT_SYMLINK_FOLLOW.
        os.link(f"/proc/self/fd/{fd}", base, dst_dir_fd=folder_fd, follow_symlinks=True)
    except FileNotFoundError:  # no /proc here
        return False
    finally:
        os.close(fd)
    return True


def _check_name(name: str) -> None:
    if not is_safe_name(name) or any(part in ("", ".") for part in name.split("/")):
        raise ArchiveError(f"{shown(name)}: is no name for an object of an archive")
