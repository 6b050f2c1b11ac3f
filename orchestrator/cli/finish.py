"""How a run ends: debrief and freeze, then the archive, read back and compared, and the page that says so."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from orchestrator.archive.register import note_archive
from orchestrator.archive.upload import archive_session
from orchestrator.cli.screen import Screen
from orchestrator.errors import ArchiveError, EngineError, GreenroomError, UsageError
from orchestrator.session import Session

if TYPE_CHECKING:
    from orchestrator.cli.dialogue import Dialogue


def end_run(
    session: Session, *, began: float, repaired: Sequence[str] = (), dialogue: Dialogue | None = None
) -> dict[str, Any]:
    """End, archive and verify a run that was played; prints the result and returns it.

    Args:
        began: The moment of `perf_counter` at which the command began.
        dialogue: On the screen so far; None: it was not shown.

    Raises:
        ArchiveError: It is in no archive; the session itself is ended and safe.
        EngineError: The engine that was asked for never answered.
    """
    from orchestrator.cli.dialogue import say
    from orchestrator.cli.summary import run_json, run_text

    screen = Screen.current
    close(session)
    if dialogue is not None:
        say("")
        dialogue.show()
        say("")
    refused: GreenroomError | OSError | None = None
    archived: str | None = None
    try:
        archived = archive(session)
    except (GreenroomError, OSError) as error:
        refused = error
    plain = run_json(session, archived, seconds=perf_counter() - began)
    plain["repaired"] = list(repaired)
    plain["took_over"] = session.room.took_over
    is_known = dialogue is not None and (dialogue.is_typed or screen.is_watched)
    screen.result(plain, run_text(session, plain, brief=is_known))
    if refused is not None:
        raise ArchiveError(
            f"not archived: {refused}; the session has ended and is kept at {session.path}: "
            f"archive it with `{screen.command} archive {session.id} --to URL`"
        ) from refused
    if session.room.took_over is not None:
        raise EngineError(
            "no call to the model succeeded, and the offline panel sat in its place: "
            f"{session.room.took_over}; `{screen.command} doctor` tries it with one call"
        )
    return plain


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
