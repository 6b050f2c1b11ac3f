"""Rows of the database as values, and back: what several parts of long-term memory read and write."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from orchestrator.memory.model import Memory

MEMORY: Final = (
    "SELECT memories.id, agent, presenter, type, content, confidence, tags, source, created_at, "
    "superseded_by, recalled, recalled_at, memories.n, scope, left_at "
    "FROM memories JOIN scopes ON scopes.n = scope "
)
"""Every query of memories begins with this; what it reads, `memory_of` makes a value."""
NUMBER: Final = 12
SCOPE: Final = 13
LEFT_AT: Final = 14


def memory_of(row: Sequence[Any]) -> Memory:
    """The memory in a row that `MEMORY` read."""
    id_, agent, presenter, type_, content, confidence, tags, *others = row[:NUMBER]
    return Memory(id_, agent, presenter, type_, content, confidence, tuple(json.loads(tags)), *others)


def tags_text(tags: Sequence[str]) -> str:
    """Tags as they stand in their column."""
    return json.dumps(list(tags), ensure_ascii=False)


def new_id(first: str) -> str:
    """An id that says nothing about what it names: *first*, then 12 hex digits."""
    return first + secrets.token_hex(6)


def scope_of(connection: sqlite3.Connection, presenter: str, agent: str) -> int | None:
    """The number of what *agent* keeps about *presenter*; None where there is nothing yet."""
    row = connection.execute(
        "SELECT n FROM scopes WHERE presenter = ? AND agent = ?", (presenter, agent)
    ).fetchone()
    return None if row is None else int(row[0])


def made_scope(connection: sqlite3.Connection, presenter: str, agent: str) -> int:
    """The same, made where there is none."""
    found = scope_of(connection, presenter, agent)
    if found is not None:
        return found
    added = connection.execute("INSERT INTO scopes (presenter, agent) VALUES (?, ?)", (presenter, agent))
    return int(added.lastrowid or 0)


def index(connection: sqlite3.Connection, number: int, scope: int, content: str, tags: str) -> None:
    """Make one memory findable by its words."""
    connection.execute(
        "INSERT INTO words (rowid, scope, content, tags) VALUES (?, ?, ?, ?)", (number, scope, content, tags)
    )


def unindex(connection: sqlite3.Connection, number: int) -> None:
    """Take one memory's words out of the index, if they are in it; before its row changes or goes."""
    row = connection.execute("SELECT scope, content, tags FROM recallable WHERE n = ?", (number,)).fetchone()
    if row is not None:
        connection.execute(
            "INSERT INTO words (words, rowid, scope, content, tags) VALUES ('delete', ?, ?, ?, ?)",
            (number, *row),
        )
