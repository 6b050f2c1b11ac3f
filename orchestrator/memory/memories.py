"""Memories: written once each, listed, edited and superseded. (`forgetting` removes them.)

Every write checks the presenter's consent, the source, the content and the number of memories in the
transaction that adds the row, so any number of processes may write at once.

Source: DESIGN.md, section 9; interfaces.md, "Tools".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from orchestrator.entries import one_line
from orchestrator.memory.consent import require
from orchestrator.memory.database import MemoryDatabase, note
from orchestrator.memory.errors import MemoryRefusedError, UnknownMemoryError
from orchestrator.memory.keeping import evict
from orchestrator.memory.model import Act, Left, Memory, Written
from orchestrator.memory.presenters import name_in
from orchestrator.memory.rows import (
    LEFT_AT,
    MEMORY,
    NUMBER,
    SCOPE,
    index,
    made_scope,
    memory_of,
    new_id,
    tags_text,
    unindex,
)
from orchestrator.memory.rules import (
    checked_agent,
    checked_confidence,
    checked_content,
    checked_source,
    checked_tags,
    checked_time,
    checked_type,
    normalised,
)


def write_memory(
    db: MemoryDatabase,
    *,
    agent: str,
    presenter: str,
    type: str,
    content: str,
    confidence: float,
    tags: Iterable[str] = (),
    source: str | None = None,
    now: str,
    supersedes: str | None = None,
    confirms: bool = False,
) -> Written:
    """Keep one thing about a presenter, unless it is known: then what is there comes back.

    Known is what has the same *source*, or the same content as a memory that is not superseded
    (spacing, letter case and a last stop aside). Where the agent then has more than 200, the least
    valuable leave. *supersedes* is the id of one of the agent's memories that this one corrects: it
    is kept, marked, and no longer recalled.

    Args:
        content: One line of at most 200 characters.
        confidence: From 0.4 to 1.
        source: A stable id, such as "<session>/<record>"; give the same for the same.
        confirms: Where the content is known from another source, it now rests on both, and its source
            and date are the new ones.
        now: RFC 3339, UTC.

    Raises:
        NotConsentedError: The presenter did not agree to be remembered.
        MemoryRefusedError: A value may not be kept; the message says which.
        UnknownMemoryError: There is no memory to supersede.
        MemoryDatabaseError: The disk refused; nothing has changed.
    """
    agent, presenter, type = checked_agent(agent), name_in(db, presenter), checked_type(type)
    content, confidence, at = checked_content(content), checked_confidence(confidence), checked_time(now)
    tags, source = checked_tags(tags), checked_source(source)
    with db.transaction() as connection:
        require(connection, presenter)
        scope = made_scope(connection, presenter, agent)
        known = _known(connection, scope, source, normalised(content))
        if known is not None:
            if confirms and source is not None:
                known = _confirm(connection, known, source, at)
            return Written(known, is_new=False)
        memory = Memory(new_id("m"), agent, presenter, type, content, confidence, tags, source, at)
        if supersedes is not None:
            _supersede(connection, scope, supersedes, memory, at)
        number = _insert(connection, scope, memory)
        note(connection, at, "written", presenter, memory.id, agent)
        return Written(memory, is_new=True, evicted=evict(connection, scope, at, newest=number))


def memories(
    db: MemoryDatabase, *, presenter: str, agent: str | None = None, include_superseded: bool = False
) -> tuple[Memory, ...]:
    """What is kept about a presenter, by all agents or one; newest first."""
    where = "WHERE presenter = ? AND left_at IS NULL"
    given: list[str] = [name_in(db, presenter)]
    if agent is not None:
        where, given = f"{where} AND agent = ?", [*given, agent]
    if not include_superseded:
        where = f"{where} AND superseded_by IS NULL"
    with db.reading() as connection:
        rows = connection.execute(f"{MEMORY} {where} ORDER BY created_at DESC, memories.n DESC", given)
        return tuple(map(memory_of, rows))


def memory(db: MemoryDatabase, memory_id: str) -> Memory:
    """One memory, also where it is superseded.

    Raises:
        UnknownMemoryError: There is none with this id, or it has left.
    """
    with db.reading() as connection:
        return memory_of(_row(connection, memory_id))


def left(db: MemoryDatabase, *, presenter: str, agent: str | None = None) -> tuple[Left, ...]:
    """Which memories left because an agent had too many; the last to leave first, 200 an agent."""
    where = "WHERE presenter = ? AND left_at IS NOT NULL"
    given: list[str] = [name_in(db, presenter)]
    if agent is not None:
        where, given = f"{where} AND agent = ?", [*given, agent]
    with db.reading() as connection:
        rows = connection.execute(f"{MEMORY} {where} ORDER BY left_at DESC, memories.n DESC", given)
        return tuple(Left(memory_of(row), row[LEFT_AT]) for row in rows)


def edit_memory(
    db: MemoryDatabase,
    memory_id: str,
    *,
    type: str | None = None,
    content: str | None = None,
    confidence: float | None = None,
    tags: Iterable[str] | None = None,
    now: str,
) -> Memory:
    """Change what is given of one memory, as the presenter wishes; what it said before is wiped.

    Its vectors go with its old words, and are made again when it is next looked for.

    Raises:
        UnknownMemoryError: There is none with this id, or it has left.
        MemoryRefusedError: A value may not be kept, or another memory says the same already.
        MemoryDatabaseError: The disk refused; nothing has changed.
    """
    at = checked_time(now)
    with db.transaction() as connection:
        row = _row(connection, memory_id)
        before = memory_of(row)
        changed = replace(
            before,
            type=before.type if type is None else checked_type(type),
            content=before.content if content is None else checked_content(content),
            confidence=before.confidence if confidence is None else checked_confidence(confidence),
            tags=before.tags if tags is None else checked_tags(tags),
        )
        if changed == before:
            return before
        _refuse_twin(connection, row[SCOPE], changed)
        _rewrite(connection, row[NUMBER], row[SCOPE], changed)
        note(connection, at, "edited", changed.presenter, changed.id, changed.agent)
    if (changed.content, changed.tags) != (before.content, before.tags):
        db.wipe()
    return changed


def note_carried(db: MemoryDatabase, session_id: str, memory_ids: Iterable[str]) -> None:
    """Note that these memories stand in a session's ledger: `forget` names it then."""
    with db.transaction() as connection:
        connection.executemany(
            "INSERT OR IGNORE INTO carried (memory, session) SELECT n, ? FROM memories WHERE id = ?",
            [(session_id, one) for one in memory_ids],
        )


def rehearsals_of(db: MemoryDatabase, presenter: str) -> dict[str, int]:
    """In how many sessions each memory about a presenter was found, by id; those of one are left out."""
    with db.reading() as connection:
        rows = connection.execute(
            "SELECT memories.id, "
            "count(DISTINCT substr(rests.source, 1, instr(rests.source, '/') - 1)) AS often "
            "FROM rests JOIN memories ON memories.n = rests.memory JOIN scopes ON scopes.n = scope "
            "WHERE presenter = ? AND instr(rests.source, '/') > 1 GROUP BY memories.n HAVING often > 1",
            (name_in(db, presenter),),
        )
        return {str(memory): int(often) for memory, often in rows}


def presenters(db: MemoryDatabase) -> tuple[str, ...]:
    """Everybody of whom anything is kept, or who has said yes or no; for the owner of the home only."""
    with db.reading() as connection:
        rows = connection.execute(
            "SELECT presenter FROM scopes UNION SELECT presenter FROM goals "
            "UNION SELECT presenter FROM consents ORDER BY 1"
        )
        return tuple(str(row[0]) for row in rows)


def history(db: MemoryDatabase, presenter: str) -> tuple[Act, ...]:
    """What was done about a presenter, oldest first: the record of every write, without its content."""
    with db.reading() as connection:
        rows = connection.execute(
            "SELECT at, act, item, agent FROM history WHERE presenter = ? ORDER BY n",
            (name_in(db, presenter),),
        )
        return tuple(Act(*row) for row in rows)


def last_change(db: MemoryDatabase, presenter: str) -> int:
    """A number that grows whenever anything about a presenter changes: what shows it asks this first."""
    with db.reading() as connection:
        found = connection.execute(
            "SELECT coalesce(max(n), 0) FROM history WHERE presenter = ?", (name_in(db, presenter),)
        )
        return int(found.fetchone()[0])


def _row(connection: sqlite3.Connection, memory_id: str) -> tuple[Any, ...]:
    row = connection.execute(f"{MEMORY} WHERE memories.id = ? AND left_at IS NULL", (memory_id,)).fetchone()
    if row is None:
        raise UnknownMemoryError(
            f"there is no memory {one_line(memory_id)[:40]!r}: `greenroom memory list` shows their ids"
        )
    return tuple(row)


def _known(connection: sqlite3.Connection, scope: int, source: str | None, text: str) -> Memory | None:
    """The memory with this source, else with this content."""
    by_source = "(source = ?1 OR memories.n IN (SELECT memory FROM rests WHERE rests.source = ?1))"
    for where, value in ((by_source, source), ("normalised = ?1 AND superseded_by IS NULL", text)):
        row = connection.execute(
            f"{MEMORY} WHERE scope = ?2 AND left_at IS NULL AND {where}", (value, scope)
        ).fetchone()
        if row is not None:
            return memory_of(row)
    return None


def _confirm(connection: sqlite3.Connection, known: Memory, source: str, at: str) -> Memory:
    """Note that *known* was found again; the newer occurrence gives its source and date."""
    number = _row(connection, known.id)[NUMBER]
    if connection.execute("SELECT 1 FROM rests WHERE memory = ? AND source = ?", (number, source)).fetchone():
        return known
    rests = "INSERT OR IGNORE INTO rests VALUES (?, ?, ?)"
    connection.execute(rests, (number, known.source or "", known.created_at))
    connection.execute(rests, (number, source, at))
    if at >= known.created_at:
        known = replace(known, source=source, created_at=at)
        connection.execute("UPDATE memories SET source = ?, created_at = ? WHERE n = ?", (source, at, number))
    note(connection, at, "confirmed", known.presenter, known.id, known.agent)
    return known


def _supersede(connection: sqlite3.Connection, scope: int, old: str, new: Memory, at: str) -> None:
    row = _row(connection, old)
    before = memory_of(row)
    if row[SCOPE] != scope:
        raise UnknownMemoryError(f"{old[:40]} is no memory of {new.agent} about {new.presenter}")
    if before.superseded_by is not None:
        raise MemoryRefusedError(f"{old} was superseded by {before.superseded_by} already: supersede that")
    unindex(connection, row[NUMBER])
    connection.execute("UPDATE memories SET superseded_by = ? WHERE n = ?", (new.id, row[NUMBER]))
    note(connection, at, "superseded", before.presenter, before.id, before.agent)


def _insert(connection: sqlite3.Connection, scope: int, memory: Memory) -> int:
    tags = tags_text(memory.tags)
    number = connection.execute(
        "INSERT INTO memories (id, scope, type, content, normalised, confidence, tags, source, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            memory.id,
            scope,
            memory.type,
            memory.content,
            normalised(memory.content),
            memory.confidence,
            tags,
            memory.source,
            memory.created_at,
        ),
    ).lastrowid
    assert number is not None  # noqa: S101 (an INSERT has one)
    if memory.source is not None:
        rests = (number, memory.source, memory.created_at)
        connection.execute("INSERT INTO rests VALUES (?, ?, ?)", rests)
    index(connection, number, scope, memory.content, tags)
    return number


def _refuse_twin(connection: sqlite3.Connection, scope: int, memory: Memory) -> None:
    if memory.superseded_by is not None:
        return
    twin = connection.execute(
        f"{MEMORY} WHERE scope = ? AND left_at IS NULL AND superseded_by IS NULL AND normalised = ? "
        "AND memories.id != ?",
        (scope, normalised(memory.content), memory.id),
    ).fetchone()
    if twin is not None:
        raise MemoryRefusedError(f"{memory_of(twin).id} says the same already: edit or forget one of them")


def _rewrite(connection: sqlite3.Connection, number: int, scope: int, memory: Memory) -> None:
    tags = tags_text(memory.tags)
    unindex(connection, number)
    connection.execute(
        "UPDATE memories SET type = ?, content = ?, normalised = ?, confidence = ?, tags = ? WHERE n = ?",
        (memory.type, memory.content, normalised(memory.content), memory.confidence, tags, number),
    )
    connection.execute("DELETE FROM embeddings WHERE memory = ?", (number,))
    if memory.superseded_by is None:
        index(connection, number, scope, memory.content, tags)
