"""The values of memory (memories, scratchpads, goals) and the limits on each.

Source: DESIGN.md, section 9; interfaces.md, "Tools".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

MemoryType = Literal["insight", "pattern", "strategy", "preference", "lesson"]
TYPES: Final[tuple[str, ...]] = get_args(MemoryType)
MIN_CONFIDENCE: Final = 0.4
MAX_CONFIDENCE: Final = 1.0
MAX_CONTENT_CHARS: Final = 200
MAX_MEMORIES: Final = 200
"""Of one agent about one presenter; superseded ones count."""
MAX_SCRATCHPAD_CHARS: Final = 2_000
BY_RELEVANCE: Final = 3
BY_RECENCY: Final = 2
"""All of these, and the types, are the seed's (001); a confidence is at most certainty."""

MAX_TAGS: Final = 10
MAX_TAG_CHARS: Final = 40
MAX_SOURCE_CHARS: Final = 200
MAX_PRESENTER_CHARS: Final = 100
MAX_GOAL_CHARS: Final = 200
MAX_GOALS: Final = 50
"""These six are our own limits: enough for what people write, and a bound on what a model can."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing that an agent keeps about one presenter."""

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
        """All that an agent wrote of it."""
        return "\n".join((self.content, *self.tags))


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of a write: the memory that is there now, and those that had to leave for it."""

    memory: Memory
    is_new: bool  # False: its source or its content was there already
    evicted: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Left:
    """A memory that left because the agent had too many."""

    memory: Memory
    left_at: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory that was picked, and why: by its words, its meaning, or its date."""

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
    """An agent's page about one presenter, kept across sessions. Never written: empty, revision 0."""

    agent: str
    presenter: str
    content: str = ""
    updated_at: str | None = None
    revision: int = 0

    @property
    def words(self) -> str:
        """All that an agent wrote of it."""
        return self.content


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that a presenter wants to get right in rehearsal."""

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
    """One line of the database's own history. It holds no content."""

    at: str
    act: str
    item: str  # the id of the memory or goal, or the agent whose scratchpad it was
    agent: str | None
