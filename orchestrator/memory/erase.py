"""Erasing a session: its folder and what was remembered of it go; its archives are listed, or go as well."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.archive.freeze import thaw
from orchestrator.archive.register import archives_of
from orchestrator.archive.upload import delete_archive, list_archives
from orchestrator.clock import utc_now
from orchestrator.errors import SessionStateError
from orchestrator.home.folder import Home
from orchestrator.loop.driver import is_driven
from orchestrator.memory.briefing import drop_briefings
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.forgetting import forget_session
from orchestrator.memory.model import Forgotten

NOTHING = Forgotten((), (), is_wiped=True)


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed, and what is left elsewhere."""

    removed: tuple[str, ...]
    archives: tuple[str, ...]
    forgotten: Forgotten = NOTHING  # of long-term memory, and where the same words still stand


def erase_session(home: Home, root: Path, *, archives: bool, endpoint_url: str | None = None) -> Erased:
    """Remove the session at *root*, whatever state it is in.

    Raises:
        SessionStateError: It is no session of this home, or a process drives it.
        MemoryDatabaseError: What was remembered of it could not be removed; the folder is still there.
        ArchiveError: An archive could not be removed; the folder is then still there.
    """
    if root.parent.resolve() != home.sessions.resolve():
        raise SessionStateError(f"{root} is no session of {home.sessions}: remove such a copy yourself")
    if is_driven(root):
        raise SessionStateError(f"{root.name} is being driven by another process: stop that first")
    known = all_archives(home, root.name)
    gone = _delete(known, root.name, endpoint_url) if archives else ()
    forgotten = _forget(home, root.name)
    thaw(root)
    shutil.rmtree(root)
    _drop_records(home, root.name)
    return Erased(
        (*gone, *_names(forgotten), str(root)), () if archives else tuple(known.values()), forgotten
    )


def erase_archived(home: Home, session: str, *, endpoint_url: str | None = None) -> Erased:
    """Remove a session of which archives are all that is left, and what was remembered of it.

    Raises:
        MemoryDatabaseError: What was remembered of it could not be removed; the archives are still there.
        ArchiveError: An archive could not be removed.
    """
    forgotten = _forget(home, session)
    gone = _delete(all_archives(home, session), session, endpoint_url)
    _drop_records(home, session)
    return Erased((*gone, *_names(forgotten)), (), forgotten)


def all_archives(home: Home, session: str) -> dict[str, str]:
    """Where a session is archived, as far as this home knows: store → the archive in it."""
    known = archives_of(home, session)
    own = str(home.archives)
    if own not in known and home.archives.is_dir():
        for one in list_archives(own):
            if one.session == session:
                known[own] = one.archive
    return known


def _delete(known: dict[str, str], session: str, endpoint_url: str | None) -> tuple[str, ...]:
    for url in known:
        delete_archive(url, session, endpoint_url=endpoint_url)
    return tuple(known.values())


def _drop_records(home: Home, session: str) -> None:
    records = home.sessions / ".records" / session
    if records.exists():
        shutil.rmtree(records)


def _forget(home: Home, session: str) -> Forgotten:
    """Remove what was remembered of a session."""
    drop_briefings(home.root)
    if not MemoryDatabase.exists(home.root):
        return NOTHING
    with MemoryDatabase.open(home.root) as db:
        return forget_session(db, session, now=utc_now())


def _names(forgotten: Forgotten) -> tuple[str, ...]:
    return tuple(f"memory {one}" for one in forgotten.ids)
