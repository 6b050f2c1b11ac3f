"""How a session is erased: its folder, and what was remembered and can be found of it; archives as well.

Its archives are listed, or go too. What long-term memory keeps on other grounds stays, and is named.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.archive.download import list_archives
from orchestrator.archive.freeze import thaw
from orchestrator.archive.register import archives_of
from orchestrator.archive.upload import delete_archive
from orchestrator.clock import utc_now
from orchestrator.errors import SessionStateError
from orchestrator.home.folder import Home
from orchestrator.loop.driver_lock import is_driven
from orchestrator.memory.briefing import drop_briefings
from orchestrator.memory.database import existing
from orchestrator.memory.forgetting import forget_session
from orchestrator.memory.model import Forgotten
from orchestrator.review.catalogue import comments_beside, of_archives, of_home


@dataclass(frozen=True, slots=True)
class Erased:
    """Everything that was removed with a session, and what is left elsewhere."""

    removed: tuple[str, ...]
    archives: tuple[str, ...]
    forgotten: Forgotten  # of long-term memory, and where the same words still stand


def erase_session(home: Home, root: Path, *, archives: bool, endpoint_url: str | None = None) -> Erased:
    """Remove the session at *root*, whatever state it is in.

    Raises:
        SessionStateError: It is no session of this home, or a process drives it.
        MemoryDatabaseError: What was remembered of it could not be removed; all else is still there.
        ArchiveError: An archive could not be removed; the folder is still there.
    """
    if root.parent.resolve() != home.sessions.resolve():
        raise SessionStateError(f"{root} is no session of {home.sessions}: remove such a copy yourself")
    if is_driven(root):
        raise SessionStateError(f"{root.name} is being driven by another process: stop that first")
    return _erase(home, root.name, root, archives=archives, endpoint_url=endpoint_url)


def erase_archived(home: Home, session: str, *, endpoint_url: str | None = None) -> Erased:
    """Remove a session of which archives are all that is left, as `erase_session` would."""
    return _erase(home, session, None, archives=True, endpoint_url=endpoint_url)


def _take_out(home: Home, session: str, known: dict[str, str]) -> None:
    """Leave no word of it in what a review searches; last, since a review that runs reads what it finds."""
    for catalogue in (of_home(home), *map(of_archives, known)):
        catalogue.forget(session)
        shutil.rmtree(comments_beside(catalogue) / session, ignore_errors=True)


def _erase(
    home: Home, session: str, root: Path | None, *, archives: bool, endpoint_url: str | None
) -> Erased:
    # Memory first and the folder last: as long as an archive or the folder is there, the session can be
    # named, so that whatever fails can be asked for again.
    known = all_archives(home, session)
    drop_briefings(home.root)
    with existing(home.root) as db:
        nothing = Forgotten((), (), is_wiped=True)
        forgotten = nothing if db is None else forget_session(db, session, now=utc_now())
    for url in known if archives else ():
        delete_archive(url, session, endpoint_url=endpoint_url)
    records = home.sessions / ".records" / session
    if root is not None:
        thaw(root)
    for folder in (root, records):
        if folder is not None and folder.exists():
            shutil.rmtree(folder)
    _take_out(home, session, known)
    addresses, memories = tuple(known.values()), (f"memory {one}" for one in forgotten.ids)
    removed = (*(addresses if archives else ()), *memories, *([str(root)] if root is not None else ()))
    return Erased(removed, () if archives else addresses, forgotten)


def all_archives(home: Home, session: str) -> dict[str, str]:
    """Every store that is known to hold a session's archive, and the archive in it."""
    known = archives_of(home, session)
    own = str(home.archives)
    if own not in known and home.archives.is_dir():
        known.update((own, one.archive) for one in list_archives(own) if one.session == session)
    return known
