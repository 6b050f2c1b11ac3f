"""Errors of memory: refusals, and failures.

::

    GreenroomError
    ├── StoreError
    │   └── MemoryRefusedError          nothing was written: the value is none that may be kept
    │       ├── NotConsentedError       the presenter has not agreed to be remembered
    │       ├── ScratchpadTooLongError  over the limit; the message has the count
    │       └── ScratchpadChangedError  somebody wrote it since it was read
    ├── UnknownMemoryError              no memory has this id
    ├── UnknownGoalError                no goal has this id
    ├── MemoryDatabaseError             the database cannot be opened, read or written
    ├── NotRememberedError              a session is whole, and was not remembered as was asked
    └── EmbeddingError                  no usable vectors came back

A model is told the name of each, so those that are refused have one each (`tools.refused`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from orchestrator.core.errors import GreenroomError, StoreError
from orchestrator.core.legible import one_line

MAX_REASON_CHARS: Final = 300
"""Of an error's text in the ledger: two or three lines for whoever reads it. Our own limit."""

KEPT_BY: Final = frozenset({"memory", "scratchpads", "proposals", "scribe"})
"""Parts of memory of which each keeps something that `--remember` asks for; without the others it is kept."""


class MemoryRefusedError(StoreError):
    """Nothing was written: the message says which value may not be kept, and what may."""


class NotConsentedError(MemoryRefusedError):
    """The presenter has not agreed to be remembered, so nothing is kept about them."""


class ScratchpadTooLongError(MemoryRefusedError):
    """The page is over its limit; nothing was cut, and the page is as it was."""


class ScratchpadChangedError(MemoryRefusedError):
    """The page was written since it was read, so this update would lose what came between."""


class UnknownMemoryError(GreenroomError):
    """There is no memory with this id."""


class UnknownGoalError(GreenroomError):
    """There is no goal with this id."""


class MemoryDatabaseError(GreenroomError):
    """The database cannot be opened, read or written; what it held is as it was."""


class NotRememberedError(GreenroomError):
    """A session was to be remembered, and something of that failed; the session itself is whole."""


class EmbeddingError(GreenroomError):
    """The embedder cannot be reached, or what it gave are no vectors."""


def not_remembered(failures: Iterable[tuple[str, str]]) -> NotRememberedError | None:
    """The error that says what of remembering failed, by part and reason; None: nothing of it."""
    parts: dict[str, list[str]] = {}
    for part, reason in dict.fromkeys(failures):
        if part in KEPT_BY:
            parts.setdefault(reason, []).append(part)
    if not parts:
        return None
    told = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in parts.items())
    return NotRememberedError(f"the session is whole, but not remembered as --remember asks: {told}")


def reason_of(error: Exception) -> str:
    """Why something failed, without what was said: our own messages hold none of it, others' may."""
    if isinstance(error, GreenroomError):
        return one_line(str(error))[:MAX_REASON_CHARS]
    if isinstance(error, ImportError):
        return f"a part is missing: {error.name}"
    return type(error).__name__
