"""The values of memory (memories, scratchpads, goals) and the limits on each.

Source: DESIGN.md, section 9; interfaces.md, "Tools".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

from orchestrator.core.errors import GreenroomError, StoreError
from orchestrator.core.legible import one_line

# ---------------------------------------------------------------------- model


MemoryType = Literal["insight", "pattern", "strategy", "preference", "lesson"]
TYPES: Final[tuple[str, ...]] = get_args(MemoryType)
MIN_CONFIDENCE: Final = 0.4
MAX_CONFIDENCE: Final = 1.0
MAX_CONTENT_CHARS: Final = 200
MAX_MEMORIES: Final = 200
"""Maximum number of memories of one agent about one presenter; superseded ones count."""
MAX_SCRATCHPAD_CHARS: Final = 2_000
BY_RELEVANCE: Final = 3
BY_RECENCY: Final = 2
"""All of these limits so far, and the types of memories, are the seed's (001); a confidence is at most
certainty."""

MAX_TAGS: Final = 10
MAX_TAG_CHARS: Final = 40
MAX_SOURCE_CHARS: Final = 200
MAX_PRESENTER_CHARS: Final = 100
MAX_GOAL_CHARS: Final = 200
MAX_GOALS: Final = 50
"""This limit and the five above it are our own: enough for what people write, and a bound on what a model can
write."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory: something that an agent has stored about one presenter."""

    id: str
    agent: str
    presenter: str
    type: str  # one of TYPES
    content: str
    confidence: float
    tags: tuple[str, ...]
    source: str | None  # stable: the same source is never written twice
    created_at: str
    superseded_by: str | None = None  # kept, but no longer recalled
    recalled: int = 0  # how often it was recalled
    recalled_at: str | None = None

    @property
    def words(self) -> str:
        """All words of the memory that its agent wrote."""
        return "\n".join((self.content, *self.tags))


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of a write: the memory that now exists, and those evicted for it."""

    memory: Memory
    is_new: bool  # False: its source or its content was there already
    evicted: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Left:
    """A memory that was evicted because the agent had too many, and when."""

    memory: Memory
    left_at: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """A recalled memory, and why it was recalled: for its words, its meaning or its date."""

    memory: Memory
    reason: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Memories and goals that were removed for good, and the sessions whose ledgers still quote them."""

    ids: tuple[str, ...]
    sessions: tuple[str, ...]  # it was carried into these, or came out of them
    is_wiped: bool  # False: another process kept the log open; `wipe` does it when that has gone
    pages: tuple[tuple[str, str], ...] = ()  # presenter and agent of each scratchpad that quotes it
    memories: tuple[str, ...] = ()  # that stay: said elsewhere too, or edited by the presenter
    goals: tuple[str, ...] = ()  # that stay: taken up by the presenter


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """An agent's page about one presenter, kept across sessions; empty with revision 0 if never written."""

    agent: str
    presenter: str
    content: str = ""
    updated_at: str | None = None
    revision: int = 0

    @property
    def words(self) -> str:
        """All words of the page that its agent wrote."""
        return self.content


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: something that a presenter wants to get right in rehearsal."""

    id: str
    presenter: str
    text: str
    state: str  # proposed (heard in speech, not yet taken up), open, or done
    created_at: str
    done_at: str | None = None
    source: str | None = None  # where it was said; None: typed by the presenter
    moved_by: tuple[str, ...] = ()  # the exchanges that moved it, oldest first: "<session>/<exchange>"


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the database's own history, without the content that was written."""

    at: str
    act: str
    item: str  # the id of the memory or goal, or the agent whose scratchpad it was
    agent: str | None


# ---------------------------------------------------------------------- errors
# Errors of memory: refusals, and failures.
#
# ::
#
#     GreenroomError
#     ├── StoreError
#     │   └── MemoryRefusedError          nothing was written: the value is none that may be kept
#     │       ├── NotConsentedError       the presenter has not agreed to be remembered
#     │       ├── ScratchpadTooLongError  over the limit; the message has the count
#     │       └── ScratchpadChangedError  somebody wrote it since it was read
#     ├── UnknownMemoryError              no memory has this id
#     ├── UnknownGoalError                no goal has this id
#     ├── MemoryDatabaseError             the database cannot be opened, read or written
#     ├── NotRememberedError              a session is whole, and was not remembered as was asked
#     └── EmbeddingError                  no usable vectors came back
#
# A model is told the name of each, so those that are refused have one each (`tools.refused`).


MAX_REASON_CHARS: Final = 300
"""Maximum number of characters of an error's text in the ledger: two or three lines for its reader. Our own
limit."""

KEPT_BY: Final = frozenset({"memory", "scratchpads", "proposals", "scribe"})
"""The parts of memory that each store something for `--remember`.

If another part fails, the session is remembered all the same.
"""


class MemoryRefusedError(StoreError):
    """Nothing was written, since a value may not be stored; the message says which, and what may be."""


class NotConsentedError(MemoryRefusedError):
    """The presenter has not agreed to be remembered, so nothing is stored about them."""


class ScratchpadTooLongError(MemoryRefusedError):
    """The page is longer than its limit; it was not cut, and the stored page is unchanged."""


class ScratchpadChangedError(MemoryRefusedError):
    """Somebody has written the page since it was read, so this update would lose what they wrote."""


class UnknownMemoryError(GreenroomError):
    """No memory has this id."""


class UnknownGoalError(GreenroomError):
    """No goal has this id."""


class MemoryDatabaseError(GreenroomError):
    """The database cannot be opened, read or written; its content is unchanged."""


class NotRememberedError(GreenroomError):
    """Remembering a session failed in part; the session itself is whole."""


class EmbeddingError(GreenroomError):
    """The embedder cannot be reached, or returned something other than vectors."""


def not_remembered(failures: Iterable[tuple[str, str]]) -> NotRememberedError | None:
    """Return the error for the parts of remembering that failed, with their reasons; None if none failed."""
    parts: dict[str, list[str]] = {}
    for part, reason in dict.fromkeys(failures):
        if part in KEPT_BY:
            parts.setdefault(reason, []).append(part)
    if not parts:
        return None
    told = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in parts.items())
    return NotRememberedError(f"the session is whole, but not remembered as --remember asks: {told}")


def reason_of(error: Exception) -> str:
    """Return why something failed, without quoting speech, which other libraries' messages may contain."""
    if isinstance(error, GreenroomError):
        return one_line(str(error))[:MAX_REASON_CHARS]
    if isinstance(error, ImportError):
        return f"a part is missing: {error.name}"
    return type(error).__name__
