"""Consent: who presents, and whether they agreed to be remembered. Nobody is unless they said so.

It is asked inside the transaction of every write about them, so that nothing is kept after they have
said no, whatever was under way.

One presenter has one name in a home. Letter case, spaces and how accents are written do not make
another person; the name that was given first is the one that is kept and shown. Whatever takes a name
and a database raises `MemoryRefusedError` where nobody can be named so.
"""

from __future__ import annotations

import unicodedata
from contextlib import suppress

from orchestrator.core.legible import one_line
from orchestrator.memory.database import MemoryDatabase, note
from orchestrator.memory.errors import MemoryRefusedError, NotConsentedError
from orchestrator.memory.validation import checked_presenter, checked_time


def same_name(one: str, other: str) -> bool:
    """Whether two spellings name one presenter."""
    return _folded(one) == _folded(other)


def presenters(db: MemoryDatabase) -> tuple[str, ...]:
    """Everybody of whom anything is kept, or who has said yes or no; for the owner of the home only."""
    rows = db.rows(
        "SELECT presenter FROM scopes UNION SELECT presenter FROM goals "
        "UNION SELECT presenter FROM consents ORDER BY 1"
    )
    return tuple(str(row["presenter"]) for row in rows)


def name_in(db: MemoryDatabase, presenter: str) -> str:
    """The name by which the database knows this presenter; the given one, where it does not yet."""
    given, known = checked_presenter(presenter), presenters(db)
    if given in known:
        return given
    return next((name for name in known if same_name(name, given)), given)


def consented(db: MemoryDatabase, presenter: str) -> bool:
    """Whether this presenter said yes, and has not said no since."""
    return bool(is_given(db, name_in(db, presenter)))


def set_consent(db: MemoryDatabase, presenter: str, value: bool, now: str) -> None:
    """Note that this presenter agrees to be remembered, or no longer does.

    With a no, nothing more is kept or recalled; what is there stays until it is forgotten.
    """
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction():
        if is_given(db, name) == value:
            return
        db.write("INSERT OR REPLACE INTO consents VALUES (?, ?, ?)", name, value, at)
        note(db, at, "consented" if value else "refused", name, name, None)


def refusal(presenter: str) -> str:
    """Why nothing is read or kept of a presenter who did not agree to be remembered."""
    try:
        name = checked_presenter(presenter)
    except MemoryRefusedError as error:  # one that nobody can be remembered by
        return str(error)
    return (
        f"{name} has not agreed to be remembered, so nothing is read or kept: go on without; only they can "
        "say yes, with --remember or `greenroom memory on`"
    )


def silence(db: MemoryDatabase | None, presenter: str) -> str | None:
    """Why nothing of this presenter may be read or kept; None: they agreed to be remembered."""
    with suppress(MemoryRefusedError):
        if db is not None and consented(db, presenter):
            return None
    return refusal(presenter)


def require(db: MemoryDatabase, presenter: str) -> None:
    """Raises NotConsentedError where *presenter* did not agree to be remembered, or no longer does."""
    if not is_given(db, presenter):
        raise NotConsentedError(refusal(presenter))


def is_given(db: MemoryDatabase, presenter: str) -> bool | None:
    """The last word of whom the database knows by this name; None: they never said anything."""
    row = db.row("SELECT is_given FROM consents WHERE presenter = ?", presenter)
    return None if row is None else bool(row["is_given"])


def _folded(name: str) -> str:
    return one_line(unicodedata.normalize("NFKC", name)).casefold()
