"""The list of sessions, of a home or of an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from orchestrator.archive.at_home import check_name
from orchestrator.archive.register import archived_heads, archives_of
from orchestrator.documents.glance import Glances
from orchestrator.errors import GreenroomError, HomeError
from orchestrator.home.folder import Home
from orchestrator.loop.state import options_of
from orchestrator.memory.past_sessions import first_record
from orchestrator.session import Session


def row_of(session: Session, home: Home | None, warn: Callable[[str], None]) -> dict[str, Any]:
    """One session as the list shows it."""
    options = session.rehearsal.options
    deck = session.projection.deck
    return {
        "session": session.id,
        "state": session.state,
        "deck": None if deck is None else deck.title or deck.name,
        "date": options.date,
        "presenter": options.presenter,
        "exchanges": len(session.projection.exchanges),
        "archive": None if home is None else _archive_of(home, session.id, session.ledger_head, warn),
    }


def local(home: Home, search: str | None, warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """The sessions of a home, oldest first; one that cannot be read is `damaged`, and *warn* is told why.

    They are opened without the home: a row needs no setting, and a wrong one keeps none from being listed.
    """
    rows, glances = [], Glances(home)
    for session_id in home.session_ids():
        root = home.sessions / session_id
        try:
            if search is None:
                rows.append(_row(glances, home, root, warn))
                continue
            with Session.open(None, root) as session:
                check_name(session.path, session.id)
                if _holds(session, search):
                    rows.append(row_of(session, home, warn))
        except (GreenroomError, OSError) as error:
            warn(f"{session_id}: {error}")
            unknown = dict.fromkeys(("deck", "date", "presenter", "archive"))
            rows.append({"session": session_id, "state": "damaged", **unknown, "exchanges": 0})
    glances.keep()
    return rows


def _row(glances: Glances, home: Home, root: Path, warn: Callable[[str], None]) -> dict[str, Any]:
    """As `row_of`, of a session whose ledger is read only where it is not known."""
    glance, state = glances.of(root)
    value = first_record(root).value or {}
    options, deck = options_of(value["options"]), value.get("deck")
    check_name(root, options.id)
    if not (isinstance(deck, Mapping) and "name" in deck):  # no release of ours wrote it
        with Session.open(None, root) as session:
            return row_of(session, home, warn)
    return {
        "session": options.id,
        "state": state,
        "deck": deck.get("title") or deck["name"] if glance.has_deck else None,
        "date": options.date,
        "presenter": options.presenter,
        "exchanges": glance.exchanges,
        "archive": _archive_of(home, options.id, glance.head, warn),
    }


def archived(url: str, search: str | None, s3: dict[str, str | None]) -> list[dict[str, Any]]:
    """The sessions of an archive; a search reads each of them whole."""
    from orchestrator.archive.download import list_archives  # the list of a home goes to no archive

    rows = []
    for one in list_archives(url, **s3):
        if search is not None:
            with fetched(url, one.session, s3) as session:
                if not _holds(session, search):
                    continue
        rows.append({"state": "ended", **asdict(one)})
    return rows


@contextmanager
def fetched(url: str, session_id: str, s3: dict[str, str | None]) -> Iterator[Session]:
    """An archived session, for reading: its copy is gone when the block ends."""
    import tempfile  # it loads random

    from orchestrator.archive.download import fetch

    with tempfile.TemporaryDirectory(prefix="greenroom-") as folder:
        root = fetch(session_id, url, Path(folder), **s3)
        with Session.open(None, root) as session:
            yield session


def _archive_of(home: Home, session: str, head: str, warn: Callable[[str], None]) -> str | None:
    """Where this session, as it is now, was archived last, if that is known."""
    try:
        found = archives_of(home, session, head=head)
        if any(other != head for other in archived_heads(home, session)):
            warn(f"{session}: is not as it was archived: see `greenroom verify {session}`")
    except HomeError as error:
        warn(str(error))
        return None
    return next(reversed(found.values()), None)


def _holds(session: Session, text: str) -> bool:
    wanted = text.casefold()
    store = session.rehearsal.store
    return any(wanted in store.content(path).casefold() for path in store.layout.files)
