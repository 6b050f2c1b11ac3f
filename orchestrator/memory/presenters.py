"""Who is who: one presenter has one name in a home, however it is spelled the next time.

Letter case, spaces and how accents are written do not make another person; the name that was given
first is the one that is kept and shown.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from orchestrator.entries import one_line
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.rules import checked_presenter

_TABLES: Final = ("consents", "scopes", "goals")


def same_name(one: str, other: str) -> bool:
    """Whether two spellings name one presenter."""
    return _folded(one) == _folded(other)


def name_in(db: MemoryDatabase, presenter: str) -> str:
    """The name by which the database knows this presenter; the given one, where it does not yet.

    Raises:
        MemoryRefusedError: Nobody is named, or the name is too long.
        MemoryDatabaseError: The database cannot be read.
    """
    given = checked_presenter(presenter)
    with db.reading() as connection:
        for table in _TABLES:
            if connection.execute(
                f"SELECT 1 FROM {table} WHERE presenter = ?",  # noqa: S608 (our own names)
                (given,),
            ).fetchone():
                return given
        known = connection.execute(
            "SELECT presenter FROM consents UNION SELECT presenter FROM scopes "
            "UNION SELECT presenter FROM goals"
        )
        return next((str(name) for (name,) in known if same_name(name, given)), given)


def _folded(name: str) -> str:
    return one_line(unicodedata.normalize("NFKC", name)).casefold()
