"""Forgetting: what a presenter wants gone is gone from the database, its index, its vectors and its log.

What left an agent's memories, or is superseded, can be forgotten as well. Sessions are not touched:
those whose ledgers quote what was forgotten are named.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from orchestrator.entries import one_line
from orchestrator.layout import SESSION_ID
from orchestrator.memory.database import MemoryDatabase, note
from orchestrator.memory.errors import UnknownMemoryError
from orchestrator.memory.model import Forgotten, Memory
from orchestrator.memory.presenters import name_in
from orchestrator.memory.rows import MEMORY, NUMBER, memory_of, scope_of, unindex
from orchestrator.memory.rules import checked_time, normalised

_QUOTED: Final = re.compile(r'"(.{4,})"')
_RESTS_ON: Final = (
    "memories.n IN (SELECT memory FROM rests WHERE rests.source = ? OR substr(rests.source, 1, ?) = ?)"
)


def forget(db: MemoryDatabase, *memory_ids: str, now: str) -> Forgotten:
    """Remove these memories for good: all of them, or none.

    Raises:
        UnknownMemoryError: There is none with one of these ids.
        MemoryDatabaseError: The disk refused; nothing has changed.
    """
    at = checked_time(now)
    with db.transaction() as connection:
        rows = []
        for one in dict.fromkeys(memory_ids):
            row = connection.execute(f"{MEMORY} WHERE memories.id = ?", (one,)).fetchone()
            if row is None:
                raise UnknownMemoryError(
                    f"there is no memory {one_line(one)[:40]!r}: `greenroom memory list` shows their ids"
                )
            rows.append(row)
        sessions = _remove(connection, rows, at)
        pages = _pages_that_quote(connection, [memory_of(row) for row in rows])
    return Forgotten(tuple(dict.fromkeys(memory_ids)), sessions, db.wipe(), pages)


def forget_session(db: MemoryDatabase, session_id: str, *, now: str) -> Forgotten:
    """Remove what rests on a session alone: every memory whose only source it is or lies below it.

    What another session said as well stays, with that session's source and date; so does what the
    presenter edited, and a goal that they took up. What stays is named.
    """
    at = checked_time(now)
    below = f"{session_id}/"
    given = (session_id, len(below), below)
    with db.transaction() as connection:
        found = connection.execute(f"{MEMORY} WHERE {_RESTS_ON}", given).fetchall()
        connection.execute("DELETE FROM rests WHERE source = ? OR substr(source, 1, ?) = ?", given)
        staying = {row[NUMBER] for row in found if _stays(connection, row)}
        rows = [row for row in found if row[NUMBER] not in staying]
        goals = connection.execute(
            "DELETE FROM goals WHERE (source = ? OR substr(source, 1, ?) = ?) AND state = 'proposed' "
            "RETURNING id, presenter",
            given,
        ).fetchall()
        taken_up = connection.execute(
            "SELECT id FROM goals WHERE source = ? OR substr(source, 1, ?) = ?", given
        ).fetchall()
        sessions = _remove(connection, rows, at)
        pages = _pages_that_quote(connection, [memory_of(row) for row in rows])
        connection.execute("DELETE FROM goal_moves WHERE substr(exchange, 1, ?) = ?", (len(below), below))
        for goal, presenter in goals:
            note(connection, at, "forgotten", presenter, goal, None)
        connection.execute("DELETE FROM carried WHERE session = ?", (session_id,))
    ids = (*(memory_of(row).id for row in rows), *(str(goal) for goal, _ in goals))
    return Forgotten(
        ids,
        tuple(one for one in sessions if one != session_id),
        db.wipe(),
        pages,
        tuple(memory_of(row).id for row in found if row[NUMBER] in staying),
        tuple(str(goal) for (goal,) in taken_up),
    )


def forget_agent(db: MemoryDatabase, presenter: str, agent: str, *, now: str) -> Forgotten:
    """Remove all that one agent keeps about a presenter: its memories and its scratchpad."""
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction() as connection:
        scope = scope_of(connection, name, agent)
        rows = connection.execute(f"{MEMORY} WHERE scope = ?", (scope,)).fetchall()
        sessions = _remove(connection, rows, at)
        pages = connection.execute("DELETE FROM scratchpads WHERE scope = ?", (scope,))
        if pages.rowcount:
            note(connection, at, "forgotten", name, agent, agent)
    return Forgotten(tuple(memory_of(row).id for row in rows), sessions, db.wipe())


def forget_presenter(db: MemoryDatabase, presenter: str) -> Forgotten:
    """Remove all that is kept about a presenter: memories, scratchpads, goals, consent and history."""
    name = name_in(db, presenter)
    with db.transaction() as connection:
        rows = connection.execute(f"{MEMORY} WHERE presenter = ?", (name,)).fetchall()
        goals = connection.execute("SELECT id, source FROM goals WHERE presenter = ?", (name,)).fetchall()
        sessions = {*_remove(connection, rows, None), *_sessions_of(source for _, source in goals)}
        connection.execute(
            "DELETE FROM scratchpads WHERE scope IN (SELECT n FROM scopes WHERE presenter = ?)", (name,)
        )
        for table in ("scopes", "goals", "consents", "history"):
            connection.execute(f"DELETE FROM {table} WHERE presenter = ?", (name,))  # noqa: S608 (our own names)
    ids = (*(memory_of(row).id for row in rows), *(str(goal) for goal, _ in goals))
    return Forgotten(ids, tuple(sorted(sessions)), db.wipe())


def _pages_that_quote(connection: sqlite3.Connection, gone: Sequence[Memory]) -> tuple[tuple[str, str], ...]:
    """Presenter and agent of each scratchpad, pages it replaced included, that has the words of one."""
    found = []
    for presenter in dict.fromkeys(one.presenter for one in gone):
        words = [_told_words(one.content) for one in gone if one.presenter == presenter]
        pages = connection.execute(
            "SELECT agent, content FROM scratchpads JOIN scopes ON n = scope WHERE presenter = ? "
            "ORDER BY agent, revision",
            (presenter,),
        )
        for agent, content in pages:
            page = normalised(content)
            if (presenter, agent) not in found and any(one in page for one in words if one):
                found.append((presenter, str(agent)))
    return tuple(found)


def _told_words(content: str) -> str:
    """What a memory quotes, as far as it is kept; all that it says, where it quotes nothing."""
    quoted = _QUOTED.search(content)
    return normalised(quoted[1] if quoted else content)


def _stays(connection: sqlite3.Connection, row: Sequence[Any]) -> bool:
    """Whether a memory rests on something else as well, which it now names, or on the presenter's word."""
    left = connection.execute(
        "SELECT source, at FROM rests WHERE memory = ? ORDER BY at DESC, rowid DESC LIMIT 1", (row[NUMBER],)
    ).fetchone()
    if left is not None:
        connection.execute(
            "UPDATE memories SET source = ?, created_at = ? WHERE n = ?",
            (left[0] or None, left[1], row[NUMBER]),
        )
        return True
    edited = connection.execute(
        "SELECT 1 FROM history WHERE act = 'edited' AND presenter = ? AND item = ?",
        (memory_of(row).presenter, memory_of(row).id),
    )
    return edited.fetchone() is not None


def _remove(connection: sqlite3.Connection, rows: Sequence[Sequence[Any]], at: str | None) -> tuple[str, ...]:
    """Delete these rows; the sessions that quote them. *at* None: nor does the history tell of it."""
    sessions = _sessions_of(memory_of(row).source for row in rows)
    for row in rows:
        memory, number = memory_of(row), row[NUMBER]
        rests = connection.execute("SELECT source FROM rests WHERE memory = ?", (number,))
        sessions |= _sessions_of(source for (source,) in rests)
        carried = connection.execute("SELECT session FROM carried WHERE memory = ?", (number,))
        sessions |= {str(session) for (session,) in carried}
        unindex(connection, number)
        connection.execute("DELETE FROM memories WHERE n = ?", (number,))  # vectors go with it
        if at is not None:
            note(connection, at, "forgotten", memory.presenter, memory.id, memory.agent)
    return tuple(sorted(sessions))


def _sessions_of(sources: Iterable[str | None]) -> set[str]:
    """The sessions that sources name: what stands before the first slash."""
    found = {source.partition("/")[0] for source in sources if source is not None and "/" in source}
    return {one for one in found if SESSION_ID.fullmatch(one)}
