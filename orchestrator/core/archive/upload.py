"""Archive a session: send what is missing, read it back, and only then store and read back the commit mark.

The opposite way is in `download.py`.

Source: DESIGN.md, section 10; trust.md, "The archive".
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.archive.bag import (
    COMMIT_MARK,
    INFO_NAME,
    Part,
    bag_files,
    facts_of,
)
from orchestrator.core.archive.download import desktop_files
from orchestrator.core.archive.manifest import TagFileError, other_content, read_info
from orchestrator.core.archive.places import check_takes_archives
from orchestrator.core.archive.stores import ArchiveStore, open_store, side_by_side
from orchestrator.core.errors import ArchiveConflictError, ArchiveError
from orchestrator.core.store.application import PLAIN, Application
from orchestrator.core.table import check_session_id
from orchestrator.core.verify.finding import shown

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Archived:
    """An archive that is complete and has been read back."""

    session: str
    archive: str  # the archives' address and the session's id
    objects: int
    sent: int  # of them, by this call; the others were there


def archive_session(
    root: Path,
    url: str,
    *,
    endpoint_url: str | None = None,
    checksums: bool = True,
    before_sending: Callable[[str], None] = lambda archive: None,
    application: Application = PLAIN,
) -> Archived:
    """Store the bag of the frozen session at *root* under *url*.

    When this returns, every object has been read back and equals what the session gives. The call can be
    stopped at any point and repeated: it then sends what is missing, and nothing twice.

    Args:
        root: The session's folder.
        url, endpoint_url, checksums: As `open_store`.
        application: As at `verify_session`.
        before_sending: Called with the archive's address before the first object is sent, if one has to be
            sent.

    Raises:
        UsageError: *url* is not an archive address.
        ArchiveConflictError: Other bytes are stored under a name of this archive; nothing was sent.
        ArchiveError: The session cannot be archived, or the store refuses it or returns other bytes.
    """
    store = open_store(url, endpoint_url=endpoint_url, checksums=checksums)
    parts = bag_files(root, application)
    session = check_session_id(facts_of(root, application).session)
    check_takes_archives(store, session)
    there = set(store.list(f"{session}/"))
    strange = there - {f"{session}/{part.name}" for part in parts}
    if strange:  # what a desktop leaves there is no part of the archive and keeps nobody from completing it
        names = [name.removeprefix(f"{session}/") for name in there]
        strange -= {f"{session}/{name}" for name in desktop_files(store, session, names)}
    if strange:
        raise ArchiveConflictError(
            f"{store.url}/{min(strange)}: is no part of this archive: remove it, or archive elsewhere"
        )
    kept = [part for part in parts if f"{session}/{part.name}" in there]
    missing = [part for part in parts if part not in kept]
    # Before anything is sent: objects of ours beside those of another session would spoil both archives.
    side_by_side(lambda part: _compare(store, session, part, was_sent=False), kept)
    archive = f"{store.url}/{session}"
    if missing:
        before_sending(archive)
    sent = 0
    # The mark says that all else is there and right, so it is stored when all else has been read back: a
    # store may acknowledge and keep other bytes, and an ETag would not tell.
    for is_mark in (False, True):
        group = [part for part in missing if (part.name == COMMIT_MARK) is is_mark]
        sent += sum(side_by_side(lambda part: _send(store, session, part), group))
        side_by_side(lambda part: _compare(store, session, part, was_sent=True), group)
    return Archived(session, archive, len(parts), sent)


def delete_archive(url: str, session: str, *, endpoint_url: str | None = None) -> int:
    """Remove the archive of *session*, its commit mark first; return the number of objects removed.

    Raises:
        UsageError: *url* is not an archive address, or *session* is not a session id.
        ArchiveError: The bag-info names another session, in which case nothing was removed. Or the store
            refused, or still lists objects that it said it had removed.
    """
    store = open_store(url, endpoint_url=endpoint_url)
    prefix = f"{check_session_id(session)}/"
    # The mark goes first: an archive that is half removed is then none, and not a complete one with gaps.
    names = sorted(store.list(prefix), key=lambda name: name != f"{prefix}{COMMIT_MARK}")
    _check_owner(store, session, names)
    for name in names[:1]:
        store.delete(name)
    side_by_side(store.delete, names[1:])
    if left := store.list(prefix):  # an answer of success is not the proof that something is gone
        raise ArchiveError(
            f"{store.url}/{min(left)}: is still there, one of {len(left)}, though the store said that it was "
            "removed: remove it there yourself"
        )
    return len(names)


def _check_owner(store: ArchiveStore, session: str, names: list[str]) -> None:
    """Raise ArchiveError if the bag-info stored under the id of *session* names another session."""
    info = f"{session}/{INFO_NAME}"
    told: dict[str, str] = {}
    if info in names:
        with suppress(ArchiveError, TagFileError):  # what says nothing goes as well
            told = read_info(store.get(info))
    owner = told.get("External-Identifier", session)
    if owner != session:
        raise ArchiveError(
            f"{store.url}/{session}: is an archive of {shown(owner[:64])}, and nothing of it was removed: "
            "give it that name, or remove it there yourself"
        )


def _send(store: ArchiveStore, session: str, part: Part) -> bool:
    """Send one object of the bag to the store; return False if another process has just stored it."""
    is_new = store.put_new(f"{session}/{part.name}", part.read(), part.sha256)
    told = {"session": session, "object": part.name, "bytes": part.size_bytes, "new": is_new}
    log.debug("sent", extra={"told": told})
    return is_new


def _compare(store: ArchiveStore, session: str, part: Part, *, was_sent: bool) -> None:
    name = f"{session}/{part.name}"
    found = hashlib.sha256(store.get(name)).hexdigest()
    if found == part.sha256:
        return
    if not was_sent:
        raise other_content(f"{store.url}/{name}")
    raise ArchiveError(
        f"{store.url}/{name}: reads back with SHA-256 {found}, and {part.sha256} was sent: "
        "remove this object and archive again; the rest is kept"
    )
