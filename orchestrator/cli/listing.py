"""`list`: what is in a home, or in an archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from orchestrator.archive.register import archives_of
from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Endpoint, s3_options
from orchestrator.errors import GreenroomError, HomeError
from orchestrator.home.folder import Home

if TYPE_CHECKING:
    from orchestrator.session import Session


def list_(
    archive: Annotated[str | None, option("URL", "List an archive instead.")] = None,
    search: Annotated[str | None, option("TEXT", "Only sessions that hold this text.")] = None,
    endpoint_url: Endpoint = None,
) -> None:
    """The sessions of this home, or of an archive."""
    screen = Screen.current
    if archive is not None:
        rows = archived(archive, search, s3_options(endpoint_url))
    else:
        rows = local(screen.open_home(), search, screen.warn)
    lines = [
        f"{row['session']:28} {row['state']:12} {row['exchanges']:>2} exchanges  {row['deck'] or ''}"
        + (f"  ({row['presenter']})" if row["presenter"] else "")
        for row in rows
    ]
    screen.result({"sessions": rows}, "\n".join(lines) or "no sessions")


def row_of(session: Session, home: Home | None, warn: Callable[[str], None]) -> dict[str, Any]:
    """One session as `list` shows it."""
    options = session.rehearsal.options
    deck = session.room.deck
    return {
        "session": session.id,
        "state": session.state,
        "deck": None if deck is None else deck.title or deck.name,
        "date": options.date,
        "presenter": options.presenter,
        "exchanges": len(session.room.exchanges),
        "archive": None if home is None else _archive_of(home, session.id, warn),
    }


def _archive_of(home: Home, session_id: str, warn: Callable[[str], None]) -> str | None:
    """Where this session was archived last, if that is known."""
    try:
        return next(reversed(archives_of(home, session_id).values()), None)
    except HomeError as error:
        warn(str(error))
        return None


def local(home: Home, search: str | None, warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """The sessions of a home, oldest first; one that cannot be read is `damaged`, and *warn* is told why.

    They are opened without the home: a row needs no setting, and a wrong one keeps none from being listed.
    """
    from orchestrator.session import Session

    rows = []
    for session_id in home.session_ids():
        try:
            with Session.open(None, home.sessions / session_id) as session:
                if search is None or _holds(session, search):
                    rows.append(row_of(session, home, warn))
        except (GreenroomError, OSError) as error:
            warn(f"{session_id}: {error}")
            unknown = dict.fromkeys(("deck", "date", "presenter", "archive"))
            rows.append({"session": session_id, "state": "damaged", **unknown, "exchanges": 0})
    return rows


def _holds(session: Session, text: str) -> bool:
    wanted = text.casefold()
    store = session.rehearsal.store
    return any(wanted in store.content(path).casefold() for path in store.layout.files)


def archived(url: str, search: str | None, s3: dict[str, str | None]) -> list[dict[str, Any]]:
    """The sessions of an archive; a search reads each of them whole."""
    from orchestrator.archive.download import list_archives
    from orchestrator.cli.shared import looked_at

    rows = []
    for one in list_archives(url, **s3):
        row = {"state": "ended", **asdict(one)}
        if search is not None:
            address = url if "://" in url else f"file://{url}"
            with looked_at(f"{address.rstrip('/')}/{one.session}") as session:
                if not _holds(session, search):
                    continue
        rows.append(row)
    return rows
