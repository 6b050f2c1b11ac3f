"""Forgetting: memories go from the database, its index, its vectors and its log.

Memories that left, or are superseded, can be forgotten as well. Forgetting touches no session: those
whose ledgers quote what went are named.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from orchestrator.core.table import SESSION_ID
from orchestrator.memory.consent import name_in
from orchestrator.memory.database import MemoryDatabase, note, scope_of, session_of
from orchestrator.memory.memories import MEMORY, memory_of, row_of, stand_again, unindex
from orchestrator.memory.model import Forgotten, Memory
from orchestrator.memory.validation import checked_time, normalised

_QUOTED: Final = re.compile(r'"(.{4,})"')  # shorter words stand on many a page by chance
_RESTING: Final = "memories.n IN (SELECT memory FROM rests WHERE session_of(rests.source) = ?)"
"""Those that a session said, alone or beside others."""
_OF_SOURCE: Final = "memories.n IN (SELECT memory FROM rests WHERE rests.source = ?)"
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
    with db.transaction():
        rows = [row_of(db, one, also_left=True) for one in dict.fromkeys(memory_ids)]
        gone = _remove(db, rows, checked_time(now))
    return replace(gone, is_wiped=db.wipe())


def forget_session(db: MemoryDatabase, session_id: str, *, now: str, title: str = "") -> Forgotten:
    """Remove what rests on a session alone: every memory whose only source it is or lies below it.

    A memory that another session said as well stays, with that session's source and date; so does one
    that the presenter edited, and a goal that they took up. Everything that stays is named, the pages
    with the deck's *title* too, under which agents write down what they asked.
    """
    at = checked_time(now)
    with db.transaction():
        found = db.rows(f"{MEMORY} WHERE {_RESTING}", session_id)
        db.write("DELETE FROM rests WHERE session_of(source) = ?", session_id)
        staying = [row for row in found if _stays(db, row)]
        gone = _remove(db, [row for row in found if row not in staying], at)
        goals = db.write(
            "DELETE FROM goals WHERE session_of(source) = ? AND state = 'proposed' RETURNING id, presenter",
            session_id,
        ).fetchall()
        taken_up = db.rows("SELECT id FROM goals WHERE session_of(source) = ?", session_id)
        db.write("DELETE FROM goal_moves WHERE session_of(exchange) = ?", session_id)
        for goal, presenter in goals:
            note(db, at, "forgotten", presenter, goal, None)
        db.write("DELETE FROM carried WHERE session = ?", session_id)
        db.write("DELETE FROM dismissed WHERE session = ?", session_id)
    return replace(
        gone,
        ids=(*gone.ids, *(row["id"] for row in goals)),
        sessions=tuple(one for one in gone.sessions if one != session_id),
        pages=tuple(dict.fromkeys([*gone.pages, *_pages_that_hold(db, [(None, normalised(title))])])),
        is_wiped=db.wipe(),
        memories=tuple(row["id"] for row in staying),
        goals=tuple(row["id"] for row in taken_up),
    )


def resting_on(db: MemoryDatabase, session_id: str) -> tuple[int, int]:
    """Count the memories and goals that `forget_session` would remove, and those that it would leave."""
    with db.reading():
        found = db.rows(f"{MEMORY} WHERE {_RESTING}", session_id)
        elsewhere = "SELECT 1 FROM rests WHERE memory = ? AND session_of(source) IS NOT ?"
        staying = [row for row in found if db.rows(elsewhere, row["n"], session_id) or _is_edited(db, row)]
        goals = db.rows("SELECT state FROM goals WHERE session_of(source) = ?", session_id)
    proposed = sum(state == "proposed" for (state,) in goals)
    return len(found) - len(staying) + proposed, len(staying) + len(goals) - proposed


def forget_agent(db: MemoryDatabase, presenter: str, agent: str, *, now: str) -> Forgotten:
    """Remove all that one agent keeps about a presenter: its memories and its scratchpad."""
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction():
        scope = scope_of(db, name, agent)
        gone = _remove(db, db.rows(f"{MEMORY} WHERE scope = ?", scope), at)
        if db.write("DELETE FROM scratchpads WHERE scope = ?", scope).rowcount:
            note(db, at, "forgotten", name, agent, agent)
    return replace(gone, is_wiped=db.wipe(), pages=())


def forget_presenter(db: MemoryDatabase, presenter: str) -> Forgotten:
    """Remove all that is kept about a presenter: memories, pages, goals, consent, dismissals, history."""
    name = name_in(db, presenter)
    with db.transaction():
        gone = _remove(db, db.rows(f"{MEMORY} WHERE presenter = ?", name), None)
        goals = db.rows("SELECT id, source FROM goals WHERE presenter = ?", name)
        for table, presenter_of in _KEPT_OF:
            db.write(f"DELETE FROM {table} WHERE {presenter_of} = ?", name)  # noqa: S608 (our own names)
    sessions = {*gone.sessions, *_sessions_of(source for _, source in goals)}
    ids = (*gone.ids, *(goal for goal, _ in goals))
    return replace(gone, ids=ids, sessions=tuple(sorted(sessions)), is_wiped=db.wipe(), pages=())


def withdraw(db: MemoryDatabase, source: str, *, now: str) -> None:
    """Take back what one source said, which it no longer says; what was superseded by that stands again.

    A memory that another source says as well, or that the presenter edited, stays.
    """
    found = db.rows(f"{MEMORY} WHERE {_OF_SOURCE}", source)
    db.write("DELETE FROM rests WHERE source = ?", source)
    for row in found:
        if _stays(db, row):
            continue
        _remove(db, [row], None)
        note(db, now, "withdrawn", row["presenter"], row["id"], row["agent"])
        for (old,) in db.rows("SELECT id FROM memories WHERE superseded_by = ?", row["id"]):
            stand_again(db, old)


def _stays(db: MemoryDatabase, row: sqlite3.Row) -> bool:
    """Whether a memory rests on something else as well, which it now names, or on the presenter's word."""
    newest = "SELECT source, at FROM rests WHERE memory = ? ORDER BY at DESC, rowid DESC LIMIT 1"
    if (left := db.row(newest, row["n"])) is not None:
        changed = (left["source"] or None, left["at"], row["n"])
        db.write("UPDATE memories SET source = ?, created_at = ? WHERE n = ?", *changed)
        return True
    return _is_edited(db, row)


def _is_edited(db: MemoryDatabase, row: sqlite3.Row) -> bool:
    """Whether a memory rests on the presenter's own word."""
    edited = "SELECT 1 FROM history WHERE act = 'edited' AND presenter = ? AND item = ?"
    return bool(db.rows(edited, row["presenter"], row["id"]))


def _remove(db: MemoryDatabase, rows: Sequence[sqlite3.Row], at: str | None) -> Forgotten:
    """Delete these memories, and look where else they stand. *at* None: the history does not tell of it."""
    sessions = _sessions_of(row["source"] for row in rows)
    for row in rows:
        number = row["n"]
        rests = db.rows("SELECT source FROM rests WHERE memory = ?", number)
        sessions |= _sessions_of(source for (source,) in rests)
        carried = db.rows("SELECT session FROM carried WHERE memory = ?", number)
        sessions |= {str(session) for (session,) in carried}
        unindex(db, number)
        db.write("DELETE FROM memories WHERE n = ?", number)  # vectors go with it
        if at is not None:
            note(db, at, "forgotten", row["presenter"], row["id"], row["agent"])
    pages = _pages_that_quote(db, map(memory_of, rows))
    return Forgotten(tuple(row["id"] for row in rows), tuple(sorted(sessions)), False, pages)


def _pages_that_quote(db: MemoryDatabase, gone: Iterable[Memory]) -> tuple[tuple[str, str], ...]:
    """Presenter and agent of each scratchpad, pages it replaced included, that has the words of one."""
    return _pages_that_hold(db, [(one.presenter, _told_words(one.content)) for one in gone])


def _pages_that_hold(
    db: MemoryDatabase, words: Sequence[tuple[str | None, str]]
) -> tuple[tuple[str, str], ...]:
    """The pages that hold one of these texts: of this presenter, or of anybody (None)."""
    pages = db.rows(
        "SELECT presenter, agent, content FROM scratchpads JOIN scopes ON n = scope "
        "ORDER BY presenter, agent, revision"
    )
    holding = [
        (page["presenter"], page["agent"])
        for page in pages
        if any(
            told and name in (None, page["presenter"]) and told in normalised(page["content"])
            for name, told in words
        )
    ]
    return tuple(dict.fromkeys(holding))


def _told_words(content: str) -> str:
    """The quotation in a memory, as far as it is kept; its whole content, where it quotes nothing."""
    quoted = _QUOTED.search(content)
    return normalised(quoted[1] if quoted else content)


def _sessions_of(sources: Iterable[str | None]) -> set[str]:
    """The sessions of those sources that name a record or an exchange."""
    found = {session_of(source) or "" for source in sources if source is not None and "/" in source}
    return {one for one in found if SESSION_ID.fullmatch(one)}
