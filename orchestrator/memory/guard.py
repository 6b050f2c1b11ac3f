"""Memory is optional: what fails in it is one warning in the ledger, and the rehearsal goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, TypeVar

from orchestrator.errors import GreenroomError
from orchestrator.home.user_list import one_line
from orchestrator.layout import MODERATOR
from orchestrator.store.store import Store

T = TypeVar("T")
S = TypeVar("S")
MAX_REASON_CHARS: Final = 300
"""Of an error's text in the ledger: two or three lines for whoever reads it. Our own limit."""


@dataclass(slots=True)
class Guard:
    """Makes calls that may fail, and remembers those that did until a ledger can be told.

    One guard tells of each part once, however often it fails.
    """

    failures: dict[str, str] = field(default_factory=dict)  # reason by part, not told yet
    told: set[str] = field(default_factory=set)  # parts

    def call(self, part: str, optional: Callable[[], T], otherwise: S) -> T | S:
        """The result of *optional*, or *otherwise* where it fails in whatever way."""
        try:
            return optional()
        except Exception as error:  # noqa: BLE001 (nothing in memory may stop a rehearsal)
            self.note(part, reason_of(error))
            return otherwise

    def note(self, part: str, reason: str) -> None:
        """A part failed, and its caller went on without."""
        if part not in self.told:
            self.failures.setdefault(part, reason[:MAX_REASON_CHARS])

    def has_failed(self, part: str) -> bool:
        """Whether a call of this part has failed."""
        return part in self.told or part in self.failures

    def tell(self, store: Store) -> None:
        """Write one warning for each part that failed; a ledger that refuses has worse to tell."""
        waiting, self.failures = self.failures, {}
        self.told.update(waiting)
        for part, reason in waiting.items():
            with suppress(GreenroomError):
                store.note({"type": "warning", "part": part, "reason": reason}, by=MODERATOR)


def reason_of(error: Exception) -> str:
    """Why something failed, without what was said: our own messages hold none of it, others' may."""
    if isinstance(error, GreenroomError):
        return one_line(str(error))[:MAX_REASON_CHARS]
    if isinstance(error, ImportError):
        return f"a part is missing: {error.name}"
    return type(error).__name__
