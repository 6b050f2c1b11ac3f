"""Whether a presenter agreed to be remembered: nobody is unless they said so.

It is asked inside the transaction of every write about them, so that nothing is kept after they
have said no, whatever was under way.
"""

from __future__ import annotations

import sqlite3

from orchestrator.memory.database import MemoryDatabase, note
from orchestrator.memory.errors import NotConsentedError
from orchestrator.memory.presenters import name_in
from orchestrator.memory.rules import checked_time


def consented(db: MemoryDatabase, presenter: str) -> bool:
    """Whether this presenter said yes, and has not said no since.

    Raises:
        MemoryRefusedError: Nobody is named.
    """
    name = name_in(db, presenter)
    with db.reading() as connection:
        return is_given(connection, name)


def set_consent(db: MemoryDatabase, presenter: str, value: bool, now: str) -> None:
    """Note that this presenter agrees to be remembered, or no longer does.

    With a no, nothing more is kept or recalled; what is there stays until it is forgotten.

    Raises:
        MemoryRefusedError: Nobody is named.
    """
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction() as connection:
        if is_given(connection, name) == value and _is_known(connection, name):
            return
        connection.execute(
            "INSERT INTO consents (presenter, is_given, at) VALUES (?, ?, ?) "
            "ON CONFLICT (presenter) DO UPDATE SET is_given = excluded.is_given, at = excluded.at",
            (name, value, at),
        )
        note(connection, at, "consented" if value else "refused", name, name, None)


def require(connection: sqlite3.Connection, presenter: str) -> None:
    """Nothing, if *presenter* agreed to be remembered.

    Raises:
        NotConsentedError: They did not, or no longer do.
    """
    if not is_given(connection, presenter):
        raise NotConsentedError(
            f"{presenter} has not agreed to be remembered, so nothing is kept: only they can say yes, "
            "with --remember or `greenroom memory on`"
        )


def is_given(connection: sqlite3.Connection, presenter: str) -> bool:
    """As `consented`, within a transaction."""
    row = connection.execute("SELECT is_given FROM consents WHERE presenter = ?", (presenter,)).fetchone()
    return row is not None and bool(row[0])


def _is_known(connection: sqlite3.Connection, presenter: str) -> bool:
    found = connection.execute("SELECT 1 FROM consents WHERE presenter = ?", (presenter,))
    return found.fetchone() is not None
