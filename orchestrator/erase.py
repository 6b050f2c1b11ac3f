"""Erasing a session: its folder and what was remembered of it go; its archives are listed, or go as well."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.archive.freeze import thaw
from orchestrator.archive.upload import delete_archive, list_archives
from orchestrator.clock import utc_now
from orchestrator.driver import is_driven
from orchestrator.errors import SessionStateError
from orchestrator.home import Home
from orchestrator.memory.briefing import drop_briefings
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.forgetting import forget_session
from orchestrator.records import archives_of


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed, and what is left elsewhere."""

    removed: tuple[str, ...]
    archives: tuple[str, ...]


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
    known = archives_of(home, root.name)
    own = str(home.archives)
    if own not in known and home.archives.is_dir():
        for one in list_archives(own):
            if one.session == root.name:
                known[own] = one.archive
    if archives:
        for url in known:
            delete_archive(url, root.name, endpoint_url=endpoint_url)
    memories = _forget(home, root.name)
    thaw(root)
    shutil.rmtree(root)
    records = home.sessions / ".records" / root.name
    if records.exists():
        shutil.rmtree(records)
    gone = tuple(known.values()) if archives else ()
    return Erased((*gone, *memories, str(root)), () if archives else tuple(known.values()))


def _forget(home: Home, session: str) -> tuple[str, ...]:
    """Remove what was remembered of a session; returns each memory by name."""
    drop_briefings(home.root)
    if not MemoryDatabase.exists(home.root):
        return ()
    with MemoryDatabase.open(home.root) as db:
        return tuple(f"memory {one}" for one in forget_session(db, session, now=utc_now()).ids)
