"""The notebook of an agent about one presenter: what its memory tools read and write.

Without a session it is the database itself. With the proposals of a session, it reads them before
the database, and all that is written becomes a proposal there until `proposals.settle`; a database
that fails then costs what it holds, and nothing else.

Without the presenter's consent there is nothing to read, and the reason is part of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, TypeVar

from orchestrator.core.clock import utc_now
from orchestrator.memory.arguments import MemoryWrite
from orchestrator.memory.consent import refusal, silence
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.english import words_of
from orchestrator.memory.errors import MemoryDatabaseError, NotConsentedError
from orchestrator.memory.memories import keep, memories
from orchestrator.memory.model import MAX_SCRATCHPAD_CHARS, Memory, Scratchpad
from orchestrator.memory.proposals import ProposalLog
from orchestrator.memory.recall import recent, search_memories
from orchestrator.memory.scratchpads import changed_since, scratchpad, update_scratchpad
from orchestrator.memory.validation import check_clean, checked_memory, checked_page, normalised

T = TypeVar("T")
S = TypeVar("S")
LONG_TERM: Final = "long-term memory"
IN_SESSION: Final = "this session, as a proposal"
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
class Gone:
    """A memory that had to leave."""

    id: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory as results show it."""

    id: str
    type: str
    content: str
    confidence: float
    tags: tuple[str, ...]
    created_at: str
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryKept(Shown):
    """The memory that is there now: the new one, or the one that was known already."""

    is_new: bool
    kept_in: str
    left: tuple[Gone, ...] = ()  # the least valuable, where the agent has too many
    reason: str | None = None  # why it goes no further than it was kept


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory(Shown):
    """A memory that a search found, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first."""

    memories: tuple[FoundMemory, ...]
    reason: str | None = None  # why there is nothing, or not everything


@dataclass(frozen=True, slots=True)
class Notebook:
    """One agent's notebook about one presenter. Others, and other sessions, see no proposal of it."""

    db: MemoryDatabase | None  # None: switched off, or not there, so nobody has agreed to anything
    agent: str
    presenter: str
    proposals: ProposalLog | None = None  # None: no session, so what is written is kept at once
    embed: Embedder | None = None
    now: Callable[[], str] = utc_now

    def read_page(self) -> Page:
        """The page as this agent last wrote it in the session, else the one from long-term memory."""
        page, reason = self._kept_page()
        if self.proposals is not None and (written := self.proposals.pages()):
            page, reason = replace(written[-1], revision=page.revision + len(written)), None
        elif reason is None and not page.content:
            reason = "nothing has been written here yet"
        size = len(page.content)
        return Page(page.content, size, revision=page.revision, updated_at=page.updated_at, reason=reason)

    def update_page(self, content: str, revision: int | None = None) -> PageKept:
        """Replace the scratchpad; *revision* is the one that was read, where it may not have changed.

        Raises:
            ScratchpadTooLongError, ScratchpadChangedError: Nothing was changed.
            MemoryRefusedError: It may not leave a session, or there were 50 updates in this one.
        """
        check_clean(content, "the scratchpad")
        content = checked_page(content)
        if self.proposals is None:
            read = None if revision is None else Scratchpad(self.agent, self.presenter, revision=revision)
            page = update_scratchpad(
                self._agreed(), self.agent, self.presenter, content, self.now(), replacing=read
            )
            return PageKept(len(content), MAX_SCRATCHPAD_CHARS, page.revision, LONG_TERM)
        before, reason = self._kept_page()
        with self.proposals.transaction() as tx:
            written = self.proposals.pages()
            there = before.revision + len(written)
            if revision not in (None, there):
                raise changed_since(self.agent)
            if not written or written[-1].content != content:
                self.proposals.add(replace(before, content=content), tx)
                there += 1
        return PageKept(len(content), MAX_SCRATCHPAD_CHARS, there, IN_SESSION, reason)

    def write(self, given: MemoryWrite) -> MemoryKept:
        """Keep one memory, or give back the one that is known.

        Raises:
            MemoryRefusedError: It may not be kept, or there were 50 in this session.
        """
        said = (given.type, given.content, given.confidence, given.tags, given.source_trace_id)
        memory = checked_memory(Memory("", self.agent, self.presenter, *said, self.now()))
        check_clean(memory.words, "this memory")
        if self.proposals is None:
            written = keep(self._agreed(), memory)
            left = tuple(Gone(one.id, one.content) for one in written.evicted)
            return MemoryKept(**_shown(written.memory), is_new=written.is_new, kept_in=LONG_TERM, left=left)
        kept, _ = self._read(self._kept, ())  # first, so that no lock waits for the database
        with self.proposals.transaction() as tx:
            own = next((one for one in self.proposals.memories() if _is_one(one, memory)), None)
            known = next((one for one in kept if _is_one(one, memory)), None)
            if own is None and known is not None:
                return MemoryKept(**_shown(known), is_new=False, kept_in=LONG_TERM)
            there = own or self.proposals.add(memory, tx)
        reason = self._kept_page()[1]
        return MemoryKept(**_shown(there), is_new=own is None, kept_in=IN_SESSION, reason=reason)

    def search(self, query: str, limit: int) -> Found:
        """The memories most relevant to *query*, those written in the session first; the newest of each,
        where it is empty.
        """
        kept, reason = self._read(lambda: self._searched(query, limit), ())
        own = self._proposed(query)
        here = {one.content for one in own}
        others = [one for one in kept if one.content not in here]
        if own and not others:
            reason = self._kept_page()[1]
        return Found((*own, *others)[:limit], reason)

    def _proposed(self, query: str) -> list[FoundMemory]:
        """What was proposed here and the query shares a word with; all of it for an empty query."""
        wanted, fitting = words_of(query), []
        for memory in reversed(self.proposals.memories() if self.proposals is not None else ()):
            words = set(words_of(" ".join((memory.content, *memory.tags))))
            common = [word for word in wanted if word in words]
            if common or not query.strip():
                why = f"words in common: {', '.join(common)}" if common else "recent"
                fitting.append((len(common), memory, f"written in this session; {why}"))
        fitting.sort(key=lambda entry: -entry[0])  # of equals the newer stays first
        return [FoundMemory(**_shown(memory), why=why) for _, memory, why in fitting]

    def _searched(self, query: str, limit: int) -> tuple[tuple[FoundMemory, ...], str | None]:
        """The memories of long-term memory that fit, or why there are none."""
        kept, reason = self._kept()
        if self.db is None or not kept:
            return (), reason
        found = tuple(map(recent, kept[:limit]))
        if query.strip():
            found = search_memories(
                self.db,
                agent=self.agent,
                presenter=self.presenter,
                query=query,
                limit=limit,
                embed=self.embed,
                now=self.now(),
            )
        if not found:
            none = f"none of the memories here ({len(kept)}) fits this query"
            return (), f"{none}: try other words, or none for the newest"
        return tuple(FoundMemory(**_shown(one.memory), why=one.reason) for one in found), None

    def _kept(self) -> tuple[tuple[Memory, ...], str | None]:
        """All that long-term memory has and is not superseded, newest first, or why there is nothing."""
        reason = silence(self.db, self.presenter)
        if self.db is None or reason is not None:
            return (), reason
        found = memories(self.db, presenter=self.presenter, agent=self.agent)
        return found, None if found else "nothing is remembered yet"

    def _kept_page(self) -> tuple[Scratchpad, str | None]:
        """The page as long-term memory has it, or an empty one and the reason why."""
        nothing = Scratchpad(self.agent, self.presenter)

        def page() -> tuple[Scratchpad, str | None]:
            with (
                self.db.reading() if self.db is not None else nullcontext()
            ):  # consent and page of one moment
                reason = silence(self.db, self.presenter)
                if self.db is None or reason is not None:
                    return nothing, reason
                return scratchpad(self.db, self.agent, self.presenter), None

        return self._read(page, nothing)

    def _read(self, read: Callable[[], tuple[T, str | None]], otherwise: S) -> tuple[T | S, str | None]:
        """What long-term memory gives; in a session, where it fails, *otherwise* and the reason."""
        try:
            return read()
        except MemoryDatabaseError as error:
            if self.proposals is None:
                raise
            return otherwise, (
                f"long-term memory cannot be read now ({error}): "
                "what was written in this session is all there is"
            )

    def _agreed(self) -> MemoryDatabase:
        """The database; whether the presenter agreed is asked again in the transaction of every write.

        Raises:
            NotConsentedError: Nobody ever did.
        """
        if self.db is None:
            raise NotConsentedError(refusal(self.presenter))
        return self.db


def _is_one(known: Memory, memory: Memory) -> bool:
    """Whether two memories are one: the same source, or the same content."""
    has_its_source = memory.source is not None and known.source == memory.source
    return has_its_source or normalised(known.content) == normalised(memory.content)


def _shown(memory: Any) -> dict[str, Any]:
    plain = asdict(memory)
    return {field.name: plain[field.name] for field in fields(Shown)}
