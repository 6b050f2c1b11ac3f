"""Erasing a session: its folder, what was remembered or indexed of it, and, if asked, its archives.

Archives that are not erased are listed. What long-term memory stores for other reasons stays, and is listed
too.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.core.archive.bag import facts_of
from orchestrator.core.archive.freeze import release, thaw
from orchestrator.core.archive.register import KeptArchive, check_name, uploads_of
from orchestrator.core.archive.s3 import endpoint_of
from orchestrator.core.archive.upload import delete_archive
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import ArchiveError, SessionStateError, StoreWriteError
from orchestrator.core.home.folder import LIST_CACHE
from orchestrator.core.store import files
from orchestrator.core.store.files import held
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.verify.disk import open_folder
from orchestrator.material.speech.sound import sound_folder
from orchestrator.memory.briefing import drop_briefings
from orchestrator.memory.database import existing
from orchestrator.memory.memories import forget_session
from orchestrator.memory.model import Forgotten
from orchestrator.panel.application import BOARD
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import is_driven
from orchestrator.review.catalogue import comments_beside, of_archives, of_home

ERASING: Final = ".erasing-"
"""Prefix of an erased session's folder, which it has until nothing is left of it."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed with a session, and what is left elsewhere."""

    removed: tuple[str, ...]
    archives: tuple[str, ...]
    forgotten: Forgotten  # of long-term memory, and where the same words still stand


def erase_session(home: Home, root: Path, *, archives: bool, endpoint_url: str | None = None) -> Erased:
    """Remove the session at *root*, in whatever state it is.

    If something else has a session's name there, it is removed as well: a folder without a ledger, a file, a
    link that leads nowhere. Nothing elsewhere is ever removed through a link.

    Raises:
        SessionStateError: *root* is not in this home, its session has another id than the folder's name, it
            is a link to a folder, or a process drives the session.
        MemoryDatabaseError: What was remembered of the session could not be removed; everything else is still
            there.
        ArchiveError: An archive could not be removed; the folder is still there.
        StoreWriteError: The disk refused; `finish_erasing` removes the rest.
    """
    if root.parent.resolve() != home.sessions.resolve():
        raise SessionStateError(f"{root} is no session of {home.sessions}: remove such a copy yourself")
    _check_lies_here(root)
    if is_driven(root):
        raise SessionStateError(f"{root.name} is being driven by another process: stop that first")
    title = ""
    with suppress(ArchiveError):  # one whose ledger cannot be read goes by its folder's name
        facts = facts_of(root, BOARD)
        check_name(root, facts.session)
        title = facts.deck_title
    return _erase(home, root.name, root, title=title, archives=archives, endpoint_url=endpoint_url)


def _check_lies_here(root: Path) -> None:
    """Raise SessionStateError if *root* is a link to a folder, since the session's words would be left
    there."""
    if not root.is_symlink():
        return
    try:
        is_folder = stat.S_ISDIR(os.stat(root).st_mode)
    except OSError as error:
        # Only where it surely leads nowhere is nothing left behind it.
        is_folder = error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
    if is_folder:
        raise SessionStateError(
            f"{root}: is a link to {os.path.realpath(root)}, and nothing is removed through a link: remove "
            "that folder yourself, then run the same command again, which removes the link and the rest"
        )


def erase_archived(home: Home, session: str, *, endpoint_url: str | None = None) -> Erased:
    """Remove a session of which only archives are left, as `erase_session` would."""
    return _erase(home, session, None, title="", archives=True, endpoint_url=endpoint_url)


def erase_beside(home: Home, session: str) -> Erased:
    """Remove what is remembered of a session and stored beside it, where its folder lies in another home; its
    archives stay."""
    return _erase(home, session, None, title="", archives=False, endpoint_url=None)


def finish_erasing(home: Home) -> tuple[Erased, ...]:
    """Complete erasures that were cut short: of sessions that are gone, but of which something is left.

    Raises:
        StoreWriteError: The disk refused again.
    """
    done = []
    for folder in sorted(home.sessions.glob(f"{ERASING}*")):
        session = folder.name.removeprefix(ERASING)
        if folder.is_symlink():
            _give_back(folder, home.sessions / session)
            continue
        known = all_archives(home, session)
        if _remove_rest(home, session, folder, known):
            nothing = Forgotten((), (), is_wiped=True)
            addresses = tuple(one.archive for one in known)
            done.append(Erased((str(home.sessions / session),), addresses, nothing))
    return tuple(done)


def _give_back(link: Path, root: Path) -> None:
    """Give a linked session its name back: an earlier release renamed the link and erased nothing."""
    if not os.path.lexists(root):
        with _naming(link):
            os.rename(link, root)


def _erase(
    home: Home, session: str, root: Path | None, *, title: str, archives: bool, endpoint_url: str | None
) -> Erased:
    # Memory first and the folder last: as long as an archive or the folder is there, the session can be
    # named, so that whatever fails can be asked for again.
    known = all_archives(home, session)
    servers = [(one.url, _server_of(one, endpoint_url)) for one in known] if archives else []
    drop_briefings(home.root)
    nothing = Forgotten((), (), is_wiped=True)
    with existing(home.demo) as db:
        if db is not None:
            forget_session(db, session, now=utc_now(), title=title)
    with existing(home.root) as db:
        forgotten = nothing if db is None else forget_session(db, session, now=utc_now(), title=title)
    for url, server in servers:
        delete_archive(url, session, endpoint_url=server)
    aside = home.sessions / f"{ERASING}{session}"
    if root is not None:
        _put_aside(root, aside)
    _remove_rest(home, session, aside, known)
    addresses = tuple(dict.fromkeys(one.archive for one in known))
    memories = (f"memory {one}" for one in forgotten.ids)
    removed = (*(addresses if archives else ()), *memories, *([str(root)] if root is not None else ()))
    return Erased(removed, () if archives else addresses, forgotten)


def _server_of(archive: KeptArchive, endpoint_url: str | None) -> str | None:
    """Return the server of an archive, or *endpoint_url* if an earlier release did not record the server.

    Raises:
        ArchiveError: The archive is on Amazon's own servers, but the environment names another server instead
            of them.
    """
    if archive.endpoint is None:
        return endpoint_url
    if not archive.endpoint and archive.url.startswith("s3://") and (other := endpoint_of(None)):
        raise ArchiveError(
            f"{archive.archive}: lies at Amazon's servers, and AWS_ENDPOINT_URL names {other}: unset it"
        )
    return archive.endpoint or None


def _put_aside(root: Path, aside: Path) -> None:
    """Rename the session's folder, between two writes of any process that has it open, so that no write
    follows."""
    with _naming(root), _between_writes(root):
        if _is_folder(root):
            with suppress(PermissionError):  # a flag that is in the way keeps it from being moved
                release(root)
        os.rename(root, aside)
        with open_folder(root.parent) as fd:
            files.sync_folder(fd)


@contextmanager
def _between_writes(root: Path) -> Iterator[None]:
    """Hold the ledger's lock, as a writer does; a ledger that cannot be opened has no writers."""
    try:
        fd = os.open(root / LEDGER_NAME, files.READ)
    except OSError:
        yield
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _remove_rest(home: Home, session: str, aside: Path, known: Sequence[KeptArchive]) -> bool:
    """Remove everything except memory and archives; return False if another process is doing so.

    The folder is removed last: as long as it exists, it shows that something is left.
    """
    if _is_folder(aside) and not os.access(aside, os.R_OK | os.X_OK):
        with _naming(aside):
            aside.chmod(0o700)  # one that nobody may read could be neither held nor emptied
    with _naming(aside), held(aside) as is_held:
        if _is_folder(aside) and not is_held:
            return False
        # What a review searches after the name is gone, since a review that runs reads what it finds.
        (home.root / LIST_CACHE).unlink(missing_ok=True)  # it holds no words, but the id
        places = {(one.url, server) for one in known for server in ("", one.endpoint or "")}
        catalogues = (of_home(home), *(of_archives(*place) for place in sorted(places)))
        for catalogue in catalogues:
            catalogue.forget(session)
        comments = (comments_beside(catalogue) / session for catalogue in catalogues)
        beside = (home.records / session, sound_folder(home.sessions, session))
        for folder in (*comments, *beside, aside):
            if _is_folder(folder):
                _thaw_all(folder)
                shutil.rmtree(folder)
            elif os.path.lexists(folder):
                folder.unlink()
    return True


def _is_folder(path: Path) -> bool:
    """Return whether *path* is a folder itself, and not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _thaw_all(folder: Path) -> None:
    """Thaw *folder* as `thaw` does, even if it contains folders that its owner may not read."""
    try:
        thaw(folder)
    except StoreWriteError:
        for below, names, _ in os.walk(folder):  # from the top: each is opened before it is looked into
            for name in names:
                if _is_folder(Path(below, name)):
                    os.chmod(Path(below, name), 0o700)
        thaw(folder)


@contextmanager
def _naming(folder: Path) -> Iterator[None]:
    """Convert an OSError into a StoreWriteError that says how to remove the rest."""
    try:
        yield
    except OSError as error:
        raise StoreWriteError(
            f"{error.filename or folder}: {files.reason(error)}: check the disk and the rights, then run the "
            "same command again: it removes the rest"
        ) from error


def all_archives(home: Home, session: str) -> tuple[KeptArchive, ...]:
    """Return every place where objects of the session may lie, in a complete or an incomplete archive."""
    known = uploads_of(home, session)
    own = str(home.archives)
    if all(one.url != own for one in known) and (home.archives / session).is_dir():
        known = (*known, KeptArchive(own, f"{own}/{session}", "", None))
    return known
