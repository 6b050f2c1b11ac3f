"""How a run ends: debrief and freeze, then the archive, read back and compared."""

from __future__ import annotations

from orchestrator.archive.register import note_archive
from orchestrator.archive.upload import archive_session
from orchestrator.errors import UsageError
from orchestrator.session import Session


def close(session: Session) -> None:
    """Write the debrief and freeze, unless that is done."""
    if not session.room.ended:
        session.end()


def archive(session: Session, *, endpoint_url: str | None = None) -> str:
    """Archive an ended run where it asked for, else in the home's archive; returns where it is.

    Raises:
        ArchiveError: The archive could not be completed; the session itself is ended and safe.
    """
    if session.home is None:
        raise UsageError("a session outside a home is archived with `greenroom archive`")
    loaded = session.room.playback
    config = session.home.config
    url = (loaded.archive if loaded is not None else None) or config.archive or str(session.home.archives)
    done = archive_session(session.path, url, endpoint_url=endpoint_url, checksums=config.s3_checksums)
    note_archive(session.home, session.id, url, done.archive)
    return done.archive
