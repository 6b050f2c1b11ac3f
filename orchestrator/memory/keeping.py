"""How many memories an agent keeps about one presenter, and which leaves when there is one too many."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from math import log2
from typing import Final

from orchestrator.memory.database import note
from orchestrator.memory.model import MAX_MEMORIES, Memory
from orchestrator.memory.rows import MEMORY, NUMBER, memory_of, unindex

HALF_LIFE_DAYS: Final = 90.0
"""A quarter: boards meet about that often, so what no rehearsal needed for one is worth half. Our own."""
KEPT_LEFT: Final = 200
"""Those that left and can still be listed, of each agent and presenter; older ones are gone."""


def worth(memory: Memory, now: str) -> float:
    """What a memory is worth keeping for: its confidence, less with age, more with use.

    Age counts from when it was last of use, else from when it was written. Superseded ones are worth
    nothing.
    """
    if memory.superseded_by is not None:
        return 0.0
    since = datetime.fromisoformat(memory.recalled_at or memory.created_at)
    days = max(0.0, (datetime.fromisoformat(now) - since).total_seconds() / 86_400)
    fresh: float = 0.5 ** (days / HALF_LIFE_DAYS)
    return memory.confidence * fresh * (1 + log2(1 + memory.recalled) / 2)


def evict(connection: sqlite3.Connection, scope: int, now: str, *, newest: int) -> tuple[Memory, ...]:
    """Let the least valuable leave until there are 200; which they were.

    *newest*, just written, does not leave at once: its writer was told that it is there.
    """
    rows = connection.execute(f"{MEMORY} WHERE scope = ? AND left_at IS NULL", (scope,)).fetchall()
    excess = len(rows) - MAX_MEMORIES
    if excess <= 0:
        return ()
    others = [(row[NUMBER], memory_of(row)) for row in rows if row[NUMBER] != newest]
    leaving = sorted(others, key=lambda one: (worth(one[1], now), one[1].created_at, one[0]))[:excess]
    for number, memory in leaving:
        unindex(connection, number)
        connection.execute("DELETE FROM embeddings WHERE memory = ?", (number,))
        connection.execute("UPDATE memories SET left_at = ? WHERE n = ?", (now, number))
        note(connection, now, "left", memory.presenter, memory.id, memory.agent)
    connection.execute(
        "DELETE FROM memories WHERE scope = ? AND left_at IS NOT NULL AND n NOT IN (SELECT n FROM memories "
        "WHERE scope = ? AND left_at IS NOT NULL ORDER BY left_at DESC, n DESC LIMIT ?)",
        (scope, scope, KEPT_LEFT),
    )
    return tuple(memory for _, memory in leaving)
