"""Forgetting: memories go from the database, its index, its vectors and its log; a session goes whole.

Memories that left, or are superseded, can be forgotten as well. Forgetting a memory touches no session:
those whose ledgers quote it are named. Erasing a session removes its folder and what was remembered of
it; its archives are listed, or go as well.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from orchestrator.archive.download import list_archives
from orchestrator.archive.freeze import thaw
from orchestrator.archive.register import archives_of
from orchestrator.archive.upload import delete_archive
from orchestrator.clock import utc_now
from orchestrator.errors import SessionStateError
from orchestrator.home.folder import Home
from orchestrator.layout import SESSION_ID
from orchestrator.loop.driver import is_driven
from orchestrator.memory.briefing import drop_briefings
from orchestrator.memory.consent import name_in
from orchestrator.memory.database import MemoryDatabase, existing, note, scope_of, session_of
from orchestrator.memory.memories import MEMORY, memory_of, row_of, unindex
from orchestrator.memory.model import Forgotten, Memory
from orchestrator.memory.validation import checked_time, normalised
from orchestrator.review.catalogue import comments_beside, of_archives, of_home

_QUOTED: Final = re.compile(r'"(.{4,})"')  # shorter words stand on many a page by chance
_KEPT_OF: Final = (
    ("scratchpads", "(SELECT presenter FROM scopes WHERE n = scope)"),
    ("scopes", "presenter"),
    ("goals", "presenter"),
    ("consents", "presenter"),
    ("dismissed", "presenter"),
    ("history", "presenter"),
)
"""Beside memories, each table that holds what is kept of somebody, and of whom."""


def forget(db: MemoryDatabase, *memory_ids: str, now: str) -> Forgotten:
    """Remove these memories for good: all of them, or none.

    Raises:
        UnknownMemoryError: There is none with one of these ids.
    """
    with db.transaction() as connection:
        rows = [row_of(connection, one, also_left=True) for one in dict.fromkeys(memory_ids)]
        gone = _remove(connection, rows, checked_time(now))
    return replace(gone, is_wiped=db.wipe())


def forget_session(db: MemoryDatabase, session_id: str, *, now: str) -> Forgotten:
    """Remove what rests on a session alone: every memory whose only source it is or lies below it.

    A memory that another session said as well stays, with that session's source and date; so does one
    that the presenter edited, and a goal that they took up. Everything that stays is named.
    """
    at, of = checked_time(now), (session_id,)
    resting = "memories.n IN (SELECT memory FROM rests WHERE session_of(rests.source) = ?)"
    with db.transaction() as connection:
        found = connection.execute(f"{MEMORY} WHERE {resting}", of).fetchall()
        connection.execute("DELETE FROM rests WHERE session_of(source) = ?", of)
        staying = [row for row in found if _stays(connection, row)]
        gone = _remove(connection, [row for row in found if row not in staying], at)
        goals = connection.execute(
            "DELETE FROM goals WHERE session_of(source) = ? AND state = 'proposed' RETURNING id, presenter",
            of,
        ).fetchall()
        taken_up = connection.execute("SELECT id FROM goals WHERE session_of(source) = ?", of).fetchall()
        connection.execute("DELETE FROM goal_moves WHERE session_of(exchange) = ?", of)
        for goal, presenter in goals:
            note(connection, at, "forgotten", presenter, goal, None)
        connection.execute("DELETE FROM carried WHERE session = ?", of)
        connection.execute("DELETE FROM dismissed WHERE session = ?", of)
    return replace(
        gone,
        ids=(*gone.ids, *(row["id"] for row in goals)),
        sessions=tuple(one for one in gone.sessions if one != session_id),
        is_wiped=db.wipe(),
        memories=tuple(row["id"] for row in staying),
        goals=tuple(row["id"] for row in taken_up),
    )


def forget_agent(db: MemoryDatabase, presenter: str, agent: str, *, now: str) -> Forgotten:
    """Remove all that one agent keeps about a presenter: its memories and its scratchpad."""
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction() as connection:
        scope = scope_of(connection, name, agent)
        rows = connection.execute(f"{MEMORY} WHERE scope = ?", (scope,)).fetchall()
        gone = _remove(connection, rows, at)
        if connection.execute("DELETE FROM scratchpads WHERE scope = ?", (scope,)).rowcount:
            note(connection, at, "forgotten", name, agent, agent)
    return replace(gone, is_wiped=db.wipe(), pages=())


def forget_presenter(db: MemoryDatabase, presenter: str) -> Forgotten:
    """Remove all that is kept about a presenter: memories, pages, goals, consent, dismissals, history."""
    of = (name_in(db, presenter),)
    with db.transaction() as connection:
        gone = _remove(connection, connection.execute(f"{MEMORY} WHERE presenter = ?", of).fetchall(), None)
        goals = connection.execute("SELECT id, source FROM goals WHERE presenter = ?", of).fetchall()
        for table, presenter_of in _KEPT_OF:
            connection.execute(f"DELETE FROM {table} WHERE {presenter_of} = ?", of)  # noqa: S608 (our own names)
    sessions = {*gone.sessions, *_sessions_of(source for _, source in goals)}
    ids = (*gone.ids, *(goal for goal, _ in goals))
    return replace(gone, ids=ids, sessions=tuple(sorted(sessions)), is_wiped=db.wipe(), pages=())


def _stays(connection: sqlite3.Connection, row: sqlite3.Row) -> bool:
    """Whether a memory rests on something else as well, which it now names, or on the presenter's word."""
    left = connection.execute(
        "SELECT source, at FROM rests WHERE memory = ? ORDER BY at DESC, rowid DESC LIMIT 1", (row["n"],)
    ).fetchone()
    if left is not None:
        changed = (left["source"] or None, left["at"], row["n"])
        connection.execute("UPDATE memories SET source = ?, created_at = ? WHERE n = ?", changed)
        return True
    edited = connection.execute(
        "SELECT 1 FROM history WHERE act = 'edited' AND presenter = ? AND item = ?",
        (row["presenter"], row["id"]),
    )
    return edited.fetchone() is not None


def _remove(connection: sqlite3.Connection, rows: Sequence[sqlite3.Row], at: str | None) -> Forgotten:
    """Delete these memories, and look where else they stand. *at* None: the history does not tell of it."""
    sessions = _sessions_of(row["source"] for row in rows)
    for row in rows:
        number = (row["n"],)
        rests = connection.execute("SELECT source FROM rests WHERE memory = ?", number)
        sessions |= _sessions_of(source for (source,) in rests)
        carried = connection.execute("SELECT session FROM carried WHERE memory = ?", number)
        sessions |= {str(session) for (session,) in carried}
        unindex(connection, row["n"])
        connection.execute("DELETE FROM memories WHERE n = ?", number)  # vectors go with it
        if at is not None:
            note(connection, at, "forgotten", row["presenter"], row["id"], row["agent"])
    pages = _pages_that_quote(connection, map(memory_of, rows))
    return Forgotten(tuple(row["id"] for row in rows), tuple(sorted(sessions)), False, pages)


def _pages_that_quote(connection: sqlite3.Connection, gone: Iterable[Memory]) -> tuple[tuple[str, str], ...]:
    """Presenter and agent of each scratchpad, pages it replaced included, that has the words of one."""
    words = [(one.presenter, told) for one in gone if (told := _told_words(one.content))]
    pages = connection.execute(
        "SELECT presenter, agent, content FROM scratchpads JOIN scopes ON n = scope "
        "ORDER BY presenter, agent, revision"
    ).fetchall()
    quoting = [
        (page["presenter"], page["agent"])
        for page in pages
        if any(name == page["presenter"] and told in normalised(page["content"]) for name, told in words)
    ]
    return tuple(dict.fromkeys(quoting))


def _told_words(content: str) -> str:
    """The quotation in a memory, as far as it is kept; its whole content, where it quotes nothing."""
    quoted = _QUOTED.search(content)
    return normalised(quoted[1] if quoted else content)


def _sessions_of(sources: Iterable[str | None]) -> set[str]:
    """The sessions of those sources that name a record or an exchange."""
    found = {session_of(source) or "" for source in sources if source is not None and "/" in source}
    return {one for one in found if SESSION_ID.fullmatch(one)}


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
