"""How a run ends: debrief, freeze, archive, read back, verify."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.archive.upload import archive_session
from orchestrator.errors import UsageError
from orchestrator.session import Session
from orchestrator.verify import Verification, verify_session


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of the end of a run."""

    head: str
    archive: str
    verification: Verification


def finish(session: Session, *, endpoint_url: str | None = None) -> Finished:
    """End the session if it has not ended, archive it, and verify it.

    Raises:
        ArchiveError: The archive could not be completed; the session itself is ended and safe.
    """
    if session.home is None:
        raise UsageError("a session outside a home cannot be ended from here")
    loaded = session.room.playback
    if not session.room.ended:
        session.end()
    url = (
        (loaded.archive if loaded is not None else None)
        or session.home.config.archive
        or str(session.home.archives)
    )
    archived = archive_session(
        session.path, url, endpoint_url=endpoint_url, checksums=session.home.config.s3_checksums
    )
    return Finished(session.ledger_head, archived.archive, verify_session(session.path))
