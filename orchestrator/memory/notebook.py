"""What an agent's memory tools read and write: one agent's notebook about one presenter.

Two kinds: `LongTermNotebook` is the database, for an agent that works without a session;
`proposals.SessionNotebook` is one session's ledger, where everything written is a proposal.

Without the presenter's consent there is nothing to read, and the reason is part of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from orchestrator.clock import utc_now
from orchestrator.loop.state import UNNAMED
from orchestrator.memory.consent import consented
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.errors import MemoryRefusedError, NotConsentedError
from orchestrator.memory.memories import memories, write_memory
from orchestrator.memory.model import MAX_SCRATCHPAD_CHARS, Memory, Scratchpad
from orchestrator.memory.recall import search_memories
from orchestrator.memory.scratchpads import scratchpad, update_scratchpad
from orchestrator.privacy.off_record import is_clean

LONG_TERM: Final = "long-term memory"
"""Where something was kept, as results say it."""


@dataclass(frozen=True, slots=True)
class Page:
    """The agent's scratchpad, as it reads it."""

    content: str
    chars: int
    limit: int = MAX_SCRATCHPAD_CHARS
    revision: int = 0
    updated_at: str | None = None
    reason: str | None = None  # why there is nothing, where that is not plain


@dataclass(frozen=True, slots=True)
class PageKept:
    """What came of an update of the scratchpad."""

    chars: int
    limit: int
    revision: int
    kept_in: str
    reason: str | None = None  # why it goes no further than there


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory that is to be kept."""

    type: str
    content: str
    confidence: float
    tags: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """A memory that had to leave."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class MemoryKept:
    """The memory that is there now: the new one, or the one that was known already."""

    id: str
    is_new: bool
    type: str
    content: str
    confidence: float
    tags: tuple[str, ...]
    created_at: str
    kept_in: str
    source: str | None = None
    left: tuple[Gone, ...] = ()  # the least valuable, where the agent has too many
    reason: str | None = None  # why it goes no further than it was kept


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory that a search found, and why."""

    id: str
    type: str
    content: str
    confidence: float
    tags: tuple[str, ...]
    created_at: str
    why: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first."""

    memories: tuple[FoundMemory, ...]
    reason: str | None = None  # why there is nothing, or not everything


class Notebook(Protocol):
    """One agent's notebook about one presenter."""

    def read_page(self) -> Page:
        """The scratchpad."""

    def update_page(self, content: str, revision: int | None) -> PageKept:
        """Replace the scratchpad; *revision* is the one that was read, where it may not have changed.

        Raises:
            ScratchpadTooLongError, ScratchpadChangedError, MemoryRefusedError
        """

    def write(self, draft: Draft) -> MemoryKept:
        """Keep one memory, or give back the one that is known.

        Raises:
            MemoryRefusedError: A value may not be kept.
        """

    def search(self, query: str, limit: int) -> Found:
        """The memories most relevant to *query*; the newest, where it is empty."""


def silence(db: MemoryDatabase | None, presenter: str) -> str | None:
    """Why nothing of this presenter may be read or kept; None: they agreed to be remembered."""
    if not presenter.strip() or presenter == UNNAMED:
        return "nobody is named as the presenter, so nothing is remembered: name one with --presenter"
    try:
        if db is not None and consented(db, presenter):
            return None
    except MemoryRefusedError as error:  # a name that nobody can be remembered by
        return str(error)
    return (
        f"{presenter} has not agreed to be remembered, so nothing is read or kept: go on without; only they "
        "can say yes, by starting a rehearsal with --remember"
    )


def check_clean(text: str, what: str) -> None:
    """Raises MemoryRefusedError for what may not leave a session: addresses, numbers, confidences."""
    if not is_clean(text):
        raise MemoryRefusedError(
            f"{what} holds an e-mail address, a phone or card number, or what is off the record: leave that "
            "out; nothing was changed"
        )


class LongTermNotebook:
    """The database itself: what is written is kept at once."""

    def __init__(
        self,
        db: MemoryDatabase | None,
        agent: str,
        presenter: str,
        *,
        embed: Embedder | None = None,
        now: Callable[[], str] = utc_now,
    ) -> None:
        """*db* None: there is no database yet, so nobody has agreed to anything."""
        self._db, self._agent, self._presenter = db, agent, presenter
        self._embed, self._now = embed, now

    def read_page(self) -> Page:
        """As `Notebook.read_page`."""
        return page_of(*self.page())

    def page(self) -> tuple[Scratchpad, str | None]:
        """The page as the database has it, or an empty one and the reason why."""
        nothing = Scratchpad(self._agent, self._presenter)
        if self._db is None:
            return nothing, silence(None, self._presenter)
        with self._db.reading():  # consent and page are of one moment
            reason = silence(self._db, self._presenter)
            return (nothing, reason) if reason else (scratchpad(self._db, self._agent, self._presenter), None)

    def update_page(self, content: str, revision: int | None = None) -> PageKept:
        """As `Notebook.update_page`."""
        check_clean(content, "the scratchpad")
        read = Scratchpad(self._agent, self._presenter, revision=revision) if revision is not None else None
        page = update_scratchpad(
            self._agreed(), self._agent, self._presenter, content, self._now(), replacing=read
        )
        return PageKept(len(page.content), MAX_SCRATCHPAD_CHARS, page.revision, LONG_TERM)

    def write(self, draft: Draft) -> MemoryKept:
        """As `Notebook.write`."""
        check_clean("\n".join((draft.content, *draft.tags)), "this memory")
        written = write_memory(
            self._agreed(),
            agent=self._agent,
            presenter=self._presenter,
            type=draft.type,
            content=draft.content,
            confidence=draft.confidence,
            tags=draft.tags,
            source=draft.source,
            now=self._now(),
        )
        left = tuple(Gone(one.id, one.content) for one in written.evicted)
        return kept(written.memory, is_new=written.is_new, left=left)

    def search(self, query: str, limit: int) -> Found:
        """As `Notebook.search`."""
        reason = silence(self._db, self._presenter)
        if self._db is None or reason is not None:
            return Found((), reason)
        if not query.strip():
            newest = self.memories()[:limit]
            recent = tuple(found(one, f"recent: {one.created_at[:10]}") for one in newest)
            return Found(recent, None if recent else "nothing is remembered yet")
        hits = search_memories(
            self._db,
            agent=self._agent,
            presenter=self._presenter,
            query=query,
            limit=limit,
            embed=self._embed,
            now=self._now(),
        )
        return Found(tuple(found(one.memory, one.reason) for one in hits), None if hits else self._nothing())

    def memories(self) -> Sequence[Memory]:
        """Everything that is kept and not superseded, newest first; nothing without consent."""
        if self._db is None or silence(self._db, self._presenter) is not None:
            return ()
        return memories(self._db, presenter=self._presenter, agent=self._agent)

    def _nothing(self) -> str:
        count = len(self.memories())
        if not count:
            return "nothing is remembered yet"
        return f"none of the memories here ({count}) fits this query: try other words, or none for the newest"

    def _agreed(self) -> MemoryDatabase:
        """The database; whether the presenter agreed is asked again in the transaction of every write.

        Raises:
            NotConsentedError: Nobody ever did.
        """
        if self._db is None:
            raise NotConsentedError(silence(None, self._presenter))
        return self._db


def page_of(found: Scratchpad, reason: str | None) -> Page:
    """A scratchpad as it is read."""
    if reason is None and not found.content:
        reason = "nothing has been written here yet"
    return Page(
        found.content,
        len(found.content),
        revision=found.revision,
        updated_at=found.updated_at,
        reason=reason,
    )


def kept(memory: Memory, **more: Any) -> MemoryKept:
    """A memory as the result of a write; *more*: what `MemoryKept` says besides."""
    return MemoryKept(**_shown(memory), **{"kept_in": LONG_TERM, **more})


def found(memory: Memory, why: str) -> FoundMemory:
    """A memory as a search found it."""
    return FoundMemory(**_shown(memory), why=why)


def _shown(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "type": memory.type,
        "content": memory.content,
        "confidence": memory.confidence,
        "tags": memory.tags,
        "created_at": memory.created_at,
        "source": memory.source,
    }
