"""Memories: written once each, listed, edited, superseded; of too many, the least valuable leave.

Every write checks the presenter's consent, the source, the content and the number of memories in the
transaction that adds the row, so any number of processes may write at once. Whatever takes a memory's id
raises `UnknownMemoryError` where there is none with it, or it has left.

Source: DESIGN.md, section 9; interfaces.md, "Tools".
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import datetime
from math import log2
from pathlib import Path
from typing import Any, Final

from orchestrator.core.legible import one_line
from orchestrator.memory.consent import name_in, require
from orchestrator.memory.database import MemoryDatabase, existing, made_scope, new_id, note
from orchestrator.memory.errors import MemoryRefusedError, UnknownMemoryError
from orchestrator.memory.model import MAX_MEMORIES, Act, Left, Memory, Written
from orchestrator.memory.validation import checked_agent, checked_memory, checked_time, normalised

HALF_LIFE_DAYS: Final = 90.0
"""A quarter: boards meet about that often, so what no rehearsal needed for one is worth half. Our own."""
KEPT_LEFT: Final = 200
"""Those that left and can still be listed, of each agent and presenter; older ones are gone."""
MEMORY: Final = "SELECT memories.*, agent, presenter FROM memories JOIN scopes ON scopes.n = scope "
"""Every query of memories begins with this; from a row that it reads, `memory_of` makes a value."""
_THERE: Final = "left_at IS NULL"
_STANDS: Final = f"{_THERE} AND superseded_by IS NULL"
_OF_SOURCE: Final = "(source = ?2 OR memories.n IN (SELECT memory FROM rests WHERE rests.source = ?2))"
_RESTS: Final = "INSERT OR IGNORE INTO rests VALUES (?, ?, ?)"


def keep(
    db: MemoryDatabase, memory: Memory, *, supersedes: str | None = None, confirms: bool = False
) -> Written:
    """Keep one thing about a presenter, unless it is known: then the known one comes back.

    Known is a memory with the same source, or one that is not superseded and has the same content
    (spacing, letter case and a last stop aside). Where the agent then has more than 200, the least
    valuable leave. *supersedes* is the id of one of the agent's memories that this one corrects: it
    is kept, marked, and no longer recalled.

    Args:
        memory: Its id is given here, whatever stands there.
        confirms: Where the content is known from another source, it now rests on both, and its source
            and date are the new ones.

    Raises:
        NotConsentedError: The presenter did not agree to be remembered.
        MemoryRefusedError: A value may not be kept; the message says which.
    """
    agent, presenter = checked_agent(memory.agent), name_in(db, memory.presenter)
    at = checked_time(memory.created_at)
    new = replace(checked_memory(memory), id=new_id("m"), agent=agent, presenter=presenter, created_at=at)
    with db.transaction():
        require(db, presenter)
        scope = made_scope(db, presenter, agent)
        row = db.row(f"{MEMORY} WHERE scope = ?1 AND {_THERE} AND {_OF_SOURCE}", scope, new.source)
        row = row or _twin(db, scope, new)
        if row is not None:
            known = memory_of(row)
            return Written(_confirm(db, row["n"], known, new) if confirms else known, is_new=False)
        if supersedes is not None:
            _supersede(db, scope, supersedes, new)
        values = {"id": new.id, "scope": scope, **_columns(new)}
        number = db.write(
            f"INSERT INTO memories ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",  # noqa: S608 (our own names)
            *values.values(),
        ).lastrowid
        assert number is not None  # noqa: S101 (an INSERT has one)
        if new.source is not None:
            db.write(_RESTS, number, new.source, at)
        _index(db, number)
        note(db, at, "written", presenter, new.id, agent)
        return Written(new, True, _evict(db, scope, at, newest=number))


def memories(
    db: MemoryDatabase, *, presenter: str, agent: str | None = None, include_superseded: bool = False
) -> tuple[Memory, ...]:
    """Every memory about a presenter, of all agents or one; newest first."""
    which = _THERE if include_superseded else _STANDS
    return tuple(map(memory_of, _listed(db, which, "created_at", presenter, agent)))


def left(db: MemoryDatabase, *, presenter: str, agent: str | None = None) -> tuple[Left, ...]:
    """Memories that left because an agent had too many; the last to leave first, 200 an agent."""
    rows = _listed(db, "left_at IS NOT NULL", "left_at", presenter, agent)
    return tuple(Left(memory_of(row), row["left_at"]) for row in rows)


def memory(db: MemoryDatabase, memory_id: str) -> Memory:
    """One memory, also where it is superseded."""
    return memory_of(row_of(db, memory_id))


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
    """Change the given values of one memory, as the presenter wishes; its words of before are wiped.

    Its vectors go with its old words, and are made again when it is next looked for.

    Raises:
        MemoryRefusedError: A value may not be kept, or another memory says the same already.
    """
    given: dict[str, Any] = {"type": type, "content": content, "confidence": confidence, "tags": tags}
    given = {name: value for name, value in given.items() if value is not None}
    with db.transaction():
        row = row_of(db, memory_id)
        before, number = memory_of(row), row["n"]
        changed = checked_memory(replace(before, **given))
        if changed == before:
            return before
        twin = _twin(db, row["scope"], changed)
        if twin is not None and changed.superseded_by is None and twin["n"] != number:
            raise MemoryRefusedError(f"{twin['id']} says the same already: edit or forget one of them")
        unindex(db, number)
        values = _columns(changed)
        assigned = ", ".join(f"{name} = ?" for name in values)
        db.write(f"UPDATE memories SET {assigned} WHERE n = ?", *values.values(), number)  # noqa: S608 (our own names)
        db.write("DELETE FROM embeddings WHERE memory = ?", number)
        _index(db, number)
        note(db, checked_time(now), "edited", changed.presenter, changed.id, changed.agent)
    if changed.words != before.words:
        db.wipe()
    return changed


def carried_into(home_root: Path | None, session_id: str, memory_ids: Iterable[str]) -> None:
    """Note that these memories stand in a session's ledger: `forget` names it then."""
    ids = tuple(memory_ids)
    carried = "INSERT OR IGNORE INTO carried (memory, session) SELECT n, ? FROM memories WHERE id = ?"
    with existing(home_root if ids else None) as db:
        if db is not None:
            with db.transaction():
                for one in ids:
                    db.write(carried, session_id, one)


def rehearsals_of(db: MemoryDatabase, presenter: str) -> dict[str, int]:
    """The number of sessions in which each memory about a presenter was found, by id; only from 2 up."""
    rows = db.rows(
        "SELECT memories.id, count(DISTINCT session_of(rests.source)) AS often FROM rests "
        "JOIN memories ON memories.n = rests.memory JOIN scopes ON scopes.n = scope "
        "WHERE presenter = ? AND instr(rests.source, '/') > 1 GROUP BY memories.n HAVING often > 1",
        name_in(db, presenter),
    )
    return {row["id"]: row["often"] for row in rows}


def history(db: MemoryDatabase, presenter: str) -> tuple[Act, ...]:
    """Every act about a presenter, oldest first: the record of all writes, without their content."""
    acts = "SELECT at, act, item, agent FROM history WHERE presenter = ? ORDER BY n"
    return tuple(Act(*row) for row in db.rows(acts, name_in(db, presenter)))


def last_change(db: MemoryDatabase, presenter: str) -> int:
    """A number that grows whenever anything about a presenter changes: a briefing is made anew by it."""
    newest = "SELECT coalesce(max(n), 0) FROM history WHERE presenter = ?"
    return int(db.rows(newest, name_in(db, presenter))[0][0])


def worth(memory: Memory, now: str) -> float:
    """The worth of keeping a memory: its confidence, less with age, more with use.

    Age counts from its last use, else from when it was written. Superseded ones are worth nothing.
    """
    if memory.superseded_by is not None:
        return 0.0
    since = datetime.fromisoformat(memory.recalled_at or memory.created_at)
    days = max(0.0, (datetime.fromisoformat(now) - since).total_seconds() / 86_400)
    fresh: float = 0.5 ** (days / HALF_LIFE_DAYS)
    # One use adds half as much again, and each doubling of 1 + uses another half.
    return memory.confidence * fresh * (1 + log2(1 + memory.recalled) / 2)


def memory_of(row: sqlite3.Row) -> Memory:
    """The memory in a row that `MEMORY` read."""
    values = {field.name: row[field.name] for field in fields(Memory)}
    return Memory(**{**values, "tags": tuple(json.loads(row["tags"]))})


def row_of(db: MemoryDatabase, memory_id: str, *, also_left: bool = False) -> sqlite3.Row:
    """The row of one memory; *also_left*: one that has left is as good."""
    row = db.row(f"{MEMORY} WHERE memories.id = ? AND {'TRUE' if also_left else _THERE}", memory_id)
    if row is None:
        shown = one_line(memory_id)[:40]
        raise UnknownMemoryError(f"there is no memory {shown!r}: `greenroom memory list` shows their ids")
    return row


def stand_again(db: MemoryDatabase, memory_id: str) -> None:
    """Let a memory count whose successor is gone, unless another says the same meanwhile, or it has left."""
    row = db.row(f"{MEMORY} WHERE memories.id = ? AND {_THERE}", memory_id)
    if row is not None and _twin(db, row["scope"], memory_of(row)) is None:
        db.write("UPDATE memories SET superseded_by = NULL WHERE n = ?", row["n"])
        _index(db, row["n"])


def unindex(db: MemoryDatabase, number: int) -> None:
    """Take one memory's words out of the index, if they are in it; before its row changes or goes."""
    db.write(
        "INSERT INTO words (words, rowid, scope, content, tags) "
        "SELECT 'delete', n, scope, content, tags FROM recallable WHERE n = ?",
        number,
    )


def _index(db: MemoryDatabase, number: int) -> None:
    """Make one memory findable by its words, unless it is superseded."""
    db.write(
        "INSERT INTO words (rowid, scope, content, tags) "
        "SELECT n, scope, content, tags FROM recallable WHERE n = ?",
        number,
    )


def _listed(db: MemoryDatabase, which: str, by: str, presenter: str, agent: str | None) -> list[sqlite3.Row]:
    return db.rows(
        f"{MEMORY} WHERE {which} AND presenter = ?1 AND (?2 IS NULL OR agent = ?2) "
        f"ORDER BY {by} DESC, memories.n DESC",
        name_in(db, presenter),
        agent,
    )


def _twin(db: MemoryDatabase, scope: int, memory: Memory) -> sqlite3.Row | None:
    """The memory that says the same."""
    words = normalised(memory.content)
    return db.row(f"{MEMORY} WHERE scope = ? AND {_STANDS} AND normalised = ?", scope, words)


def _confirm(db: MemoryDatabase, number: int, known: Memory, again: Memory) -> Memory:
    """Note that *known* was found again; the newer occurrence gives its source and date."""
    source, at = again.source, again.created_at
    rests_on_it = "SELECT 1 FROM rests WHERE memory = ? AND source = ?"
    if source is None or db.rows(rests_on_it, number, source):
        return known
    db.write(_RESTS, number, known.source or "", known.created_at)  # "": it was said without a source
    db.write(_RESTS, number, source, at)
    if at >= known.created_at:
        known = replace(known, source=source, created_at=at)
        db.write("UPDATE memories SET source = ?, created_at = ? WHERE n = ?", source, at, number)
    note(db, at, "confirmed", known.presenter, known.id, known.agent)
    return known


def _supersede(db: MemoryDatabase, scope: int, old: str, new: Memory) -> None:
    row = row_of(db, old)
    if row["scope"] != scope:
        raise UnknownMemoryError(f"{old[:40]} is no memory of {new.agent} about {new.presenter}")
    if row["superseded_by"] is not None:
        raise MemoryRefusedError(f"{old} was superseded by {row['superseded_by']} already: supersede that")
    unindex(db, row["n"])
    db.write("UPDATE memories SET superseded_by = ? WHERE n = ?", new.id, row["n"])
    note(db, new.created_at, "superseded", new.presenter, old, new.agent)


def _columns(memory: Memory) -> dict[str, Any]:
    """The columns of a memory's row that it is written with; the others the database counts."""
    same = ("type", "content", "confidence", "source", "created_at")
    return {
        **{name: getattr(memory, name) for name in same},
        "normalised": normalised(memory.content),
        "tags": json.dumps(memory.tags, ensure_ascii=False),
    }


def _evict(db: MemoryDatabase, scope: int, now: str, *, newest: int) -> tuple[Memory, ...]:
    """Let the least valuable leave until there are 200; those that left.

    *newest*, just written, does not leave at once: its writer was told that it is there.
    """
    rows = db.rows(f"{MEMORY} WHERE scope = ? AND {_THERE}", scope)
    excess = len(rows) - MAX_MEMORIES
    if excess <= 0:
        return ()
    others = [(row["n"], memory_of(row)) for row in rows if row["n"] != newest]
    leaving = sorted(others, key=lambda one: (worth(one[1], now), one[1].created_at, one[0]))[:excess]
    for number, memory in leaving:
        unindex(db, number)
        db.write("DELETE FROM embeddings WHERE memory = ?", number)
        db.write("UPDATE memories SET left_at = ? WHERE n = ?", now, number)
        note(db, now, "left", memory.presenter, memory.id, memory.agent)
    db.write(
        "DELETE FROM memories WHERE scope = ?1 AND left_at IS NOT NULL AND n NOT IN (SELECT n FROM memories "
        "WHERE scope = ?1 AND left_at IS NOT NULL ORDER BY left_at DESC, n DESC LIMIT ?2)",
        scope,
        KEPT_LEFT,
    )
    return tuple(memory for _, memory in leaving)
