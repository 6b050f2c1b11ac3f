"""Dismissals: contradictions that a presenter said are none, so that no later rehearsal raises them.

Only the digest of each is kept (`Tension.digest`), with the session that it was said in; no words.
"""

from __future__ import annotations

from typing import Final

from orchestrator.memory.consent import is_given, name_in
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.validation import checked_time

MOST: Final = 1_000
"""Dismissals that a session takes along, the newest; a digest is 64 bytes of its first record."""


def keep_dismissal(db: MemoryDatabase, presenter: str, digest: str, *, session: str, now: str) -> None:
    """Keep one, where the presenter agreed to be remembered.

    Raises:
        MemoryDatabaseError: The disk refused; nothing has changed.
    """
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction():
        if is_given(db, name):
            db.write("INSERT OR IGNORE INTO dismissed VALUES (?, ?, ?, ?)", name, digest, session, at)


def dismissals(db: MemoryDatabase, presenter: str) -> tuple[str, ...]:
    """The digests of a presenter's dismissals, each once, in order."""
    rows = db.rows(
        "SELECT digest FROM dismissed WHERE presenter = ? "
        "GROUP BY digest ORDER BY max(at) DESC, digest LIMIT ?",
        name_in(db, presenter),
        MOST,
    )
    return tuple(sorted(row["digest"] for row in rows))


def dismissals_json(db: MemoryDatabase, presenter: str) -> list[dict[str, str]]:
    """All that is kept of them, as it is exported."""
    query = "SELECT digest, session, at FROM dismissed WHERE presenter = ? ORDER BY at, digest, session"
    return [dict(row) for row in db.rows(query, name_in(db, presenter))]
