"""How a session is erased: its folder, and what was remembered and can be found of it; archives as well.

Its archives are listed, or go too. What long-term memory keeps on other grounds stays, and is named.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.archive.at_home import check_name
from orchestrator.archive.bag import facts_of
from orchestrator.archive.freeze import release, thaw
from orchestrator.archive.register import uploads_of
from orchestrator.archive.upload import delete_archive
from orchestrator.clock import utc_now
from orchestrator.errors import ArchiveError, SessionStateError, StoreWriteError
from orchestrator.home.folder import LIST_CACHE, Home
from orchestrator.loop.driver_lock import is_driven
from orchestrator.memory.briefing import drop_briefings
from orchestrator.memory.database import existing
from orchestrator.memory.forgetting import forget_session
from orchestrator.memory.model import Forgotten
from orchestrator.review.catalogue import comments_beside, of_archives, of_home
from orchestrator.store import files
from orchestrator.store.aside import held
from orchestrator.store.history import LEDGER_NAME
from orchestrator.verify.disk import open_folder

ERASING: Final = ".erasing-"
"""Prefix of a session's folder once it is no session any more and until nothing is left of it."""


@dataclass(frozen=True, slots=True)
class Erased:
    """Everything that was removed with a session, and what is left elsewhere."""

    removed: tuple[str, ...]
    archives: tuple[str, ...]
    forgotten: Forgotten  # of long-term memory, and where the same words still stand


def erase_session(home: Home, root: Path, *, archives: bool, endpoint_url: str | None = None) -> Erased:
    """Remove the session at *root*, whatever state it is in.

    Raises:
        SessionStateError: It is no session of this home, it is another one than its folder is named for, or
            a process drives it.
        MemoryDatabaseError: What was remembered of it could not be removed; all else is still there.
        ArchiveError: An archive could not be removed; the folder is still there.
        StoreWriteError: The disk refused; `finish_erasing` removes the rest.
    """
    if root.parent.resolve() != home.sessions.resolve():
        raise SessionStateError(f"{root} is no session of {home.sessions}: remove such a copy yourself")
    if is_driven(root):
        raise SessionStateError(f"{root.name} is being driven by another process: stop that first")
    title = ""
    with suppress(ArchiveError):  # one whose ledger cannot be read goes by its folder's name
        facts = facts_of(root)
        check_name(root, facts.session)
        title = facts.deck_title
    return _erase(home, root.name, root, title=title, archives=archives, endpoint_url=endpoint_url)


def erase_archived(home: Home, session: str, *, endpoint_url: str | None = None) -> Erased:
    """Remove a session of which archives are all that is left, as `erase_session` would."""
    return _erase(home, session, None, title="", archives=True, endpoint_url=endpoint_url)


def finish_erasing(home: Home) -> tuple[Erased, ...]:
    """Go on with what was cut short: sessions that are none any more and of which something is left.

    Raises:
        StoreWriteError: The disk refused again.
    """
    done = []
    for folder in sorted(home.sessions.glob(f"{ERASING}*")):
        session = folder.name.removeprefix(ERASING)
        known = all_archives(home, session)
        if _remove_rest(home, session, folder, known):
            nothing = Forgotten((), (), is_wiped=True)
            done.append(Erased((str(home.sessions / session),), tuple(known.values()), nothing))
    return tuple(done)


def _erase(
    home: Home, session: str, root: Path | None, *, title: str, archives: bool, endpoint_url: str | None
) -> Erased:
    # Memory first and the folder last: as long as an archive or the folder is there, the session can be
    # named, so that whatever fails can be asked for again.
    known = all_archives(home, session)
    drop_briefings(home.root)
    with existing(home.root) as db:
        nothing = Forgotten((), (), is_wiped=True)
        forgotten = nothing if db is None else forget_session(db, session, now=utc_now(), title=title)
    for url in known if archives else ():
        delete_archive(url, session, endpoint_url=endpoint_url)
    aside = home.sessions / f"{ERASING}{session}"
    if root is not None:
        _put_aside(root, aside)
    _remove_rest(home, session, aside, known)
    addresses, memories = tuple(known.values()), (f"memory {one}" for one in forgotten.ids)
    removed = (*(addresses if archives else ()), *memories, *([str(root)] if root is not None else ()))
    return Erased(removed, () if archives else addresses, forgotten)


def _put_aside(root: Path, aside: Path) -> None:
    """Take the session's name away, between two writes of whoever has it open: there is no third."""
    with _naming(root), _between_writes(root):
        release(root)
        os.rename(root, aside)
        with open_folder(root.parent) as fd:
            files.sync_folder(fd)


@contextmanager
def _between_writes(root: Path) -> Iterator[None]:
    """Hold the ledger's lock, as a writer does; of one that cannot be opened there is no writer."""
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


def _remove_rest(home: Home, session: str, aside: Path, known: dict[str, str]) -> bool:
    """Everything but memory and archives; False: another process is at it.

    The folder goes last: as long as it is there, it is known that something is left.
    """
    with _naming(aside), held(aside) as is_held:
        if aside.exists() and not is_held:
            return False
        # What a review searches after the name is gone, since a review that runs reads what it finds.
        (home.root / LIST_CACHE).unlink(missing_ok=True)  # it holds no words, but the id
        catalogues = (of_home(home), *map(of_archives, known))
        for catalogue in catalogues:
            catalogue.forget(session)
        comments = (comments_beside(catalogue) / session for catalogue in catalogues)
        for folder in (*comments, home.sessions / ".records" / session, aside):
            if folder.exists():
                thaw(folder)
                shutil.rmtree(folder)
    return True


@contextmanager
def _naming(folder: Path) -> Iterator[None]:
    """Turn what the system refuses into an error that says how the rest goes."""
    try:
        yield
    except OSError as error:
        raise StoreWriteError(
            f"{error.filename or folder}: {files.reason(error)}: check the disk and the rights, then run the "
            "same command again: it removes the rest"
        ) from error


def all_archives(home: Home, session: str) -> dict[str, str]:
    """Every store that may hold objects of a session, finished or not → where in it they lie."""
    known = uploads_of(home, session)
    own = str(home.archives)
    if own not in known and (home.archives / session).is_dir():
        known[own] = f"{own}/{session}"
    return known
