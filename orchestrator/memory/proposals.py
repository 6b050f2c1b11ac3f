"""Proposals: what an agent's tools write during a session stays in that session's ledger.

So a deck that says "remember this" reaches nobody else: not another agent, not another session, and
not the database. The agent itself reads what it wrote, later in the same session. At the end,
`settlement.settle` moves it to long-term memory, if the presenter agreed to be remembered.

Values of notes, by `type`; the writer is the agent, and `content` is what it wrote:

====================  =========================================================================
memory-proposal       memory_type, content, confidence, tags, source (the agent's own id for it)
scratchpad-proposal   content (the whole page)
====================  =========================================================================

Source: DESIGN.md, section 9 ("Tools"); trust.md, point 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from orchestrator.clock import utc_now
from orchestrator.memory.model import Memory
from orchestrator.memory.notebook import Draft, check_clean
from orchestrator.memory.rules import (
    checked_confidence,
    checked_content,
    checked_page,
    checked_source,
    checked_tags,
    checked_type,
    normalised,
)
from orchestrator.store.ledger import Entry, Record
from orchestrator.store.store import Store

MEMORY: Final = "memory-proposal"
PAGE: Final = "scratchpad-proposal"
MAX_PROPOSALS: Final = 50
"""Of one kind, by one agent in one session: a quarter of what it may keep in all. Our own limit, so
that an agent that was talked into writing without end fills neither the ledger nor its memory."""


@dataclass(frozen=True, slots=True)
class ProposedMemory:
    """A memory as one agent proposed it."""

    seq: int  # of its record
    agent: str
    draft: Draft
    at: str

    @property
    def id(self) -> str:
        """What the tools call it during the session."""
        return f"p{self.seq}"

    def memory(self, presenter: str) -> Memory:
        """As results show it."""
        drafted = asdict(self.draft)
        return Memory(id=self.id, agent=self.agent, presenter=presenter, created_at=self.at, **drafted)


@dataclass(frozen=True, slots=True)
class ProposedPage:
    """A scratchpad as one agent proposed it."""

    seq: int
    agent: str
    content: str
    at: str


@dataclass(slots=True)
class Proposals:
    """Everything that was proposed in one session: a fold over its records; `take` gets each once."""

    memories: list[ProposedMemory] = field(default_factory=list)
    pages: list[ProposedPage] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Fold in the next record."""
        value = record.value or {}
        match value.get("type"):
            case "memory-proposal":
                proposed = ProposedMemory(record.seq, record.by, draft_of(value), record.at)
                self.memories.append(proposed)
            case "scratchpad-proposal":
                self.pages.append(ProposedPage(record.seq, record.by, value["content"], record.at))

    @property
    def seqs(self) -> list[int]:
        """The number of each record, in no order."""
        return [*(one.seq for one in self.memories), *(one.seq for one in self.pages)]

    def memories_of(self, agent: str) -> list[ProposedMemory]:
        """What *agent* proposed, oldest first."""
        return [one for one in self.memories if one.agent == agent]

    def pages_of(self, agent: str) -> list[ProposedPage]:
        """Every page that *agent* proposed; the last one counts."""
        return [one for one in self.pages if one.agent == agent]


class ProposalLog:
    """The proposals of an open session, with those of a transaction that is still open."""

    def __init__(self, store: Store | Pad) -> None:
        self._store = store

    def now(self) -> Proposals:
        """The proposals as of now."""
        store, found = self._store, Proposals()
        with store.still() as last:
            notes = [entry.seq for entry in store.entries() if entry.op == "note"]
            for seq in (*notes, *range(store.seq + 1, last + 1)):
                found.take(store.record(seq))
        return found


class Pad:
    """A session whose notes are held back: it reads as if they stood in the ledger, and writes nothing.

    As much of a store as a notebook needs. Its own numbers go on behind the ledger's last one.
    """

    def __init__(self, store: Store, held: list[Record]) -> None:
        """*held*: the notes held back so far, oldest first; new ones are added."""
        self._store, self._held = store, held

    @property
    def seq(self) -> int:
        """As `Store.seq`."""
        return self._store.seq

    def entries(self) -> Iterator[Entry]:
        """As `Store.entries`."""
        return self._store.entries()

    @contextmanager
    def still(self) -> Iterator[int]:
        """As `Store.still`, with what is held."""
        with self._store.still() as last:
            yield last + len(self._held)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Nothing is written, so nothing is locked."""
        yield

    def record(self, seq: int) -> Record:
        """As `Store.record`, with what is held."""
        number = seq - self.seq
        return self._held[number - 1]._replace(seq=seq) if number > 0 else self._store.record(seq)

    def note(self, value: Mapping[str, Any], *, by: str) -> int:
        """Hold a note back. Returns the number that it reads as."""
        self._held.append(Record(0, "note", by, 0.0, utc_now(), value=value))
        return self.seq + len(self._held)


def memory_value(draft: Draft) -> dict[str, Any]:
    """A memory proposal as it stands in its record.

    Raises:
        MemoryRefusedError: It could not be kept, so it is not proposed.
    """
    check_clean("\n".join((draft.content, *draft.tags)), "this memory")
    tags, source = checked_tags(draft.tags), checked_source(draft.source)
    return {
        "type": MEMORY,
        "memory_type": checked_type(draft.type),
        "content": checked_content(draft.content),
        "confidence": checked_confidence(draft.confidence),
        **({"tags": list(tags)} if tags else {}),
        **({"source": source} if source else {}),
    }


def draft_of(value: Mapping[str, Any]) -> Draft:
    """The memory that a record proposes."""
    tags = tuple(value.get("tags", ()))
    return Draft(value["memory_type"], value["content"], value["confidence"], tags, value.get("source"))


def page_value(content: str) -> dict[str, Any]:
    """A scratchpad proposal as it stands in its record.

    Raises:
        ScratchpadTooLongError: It is over 2,000 characters; nothing is ever cut.
        MemoryRefusedError: It is no plain text, or may not leave the session.
    """
    check_clean(content, "the scratchpad")
    return {"type": PAGE, "content": checked_page(content)}


def same(one: Draft | Memory, other: Draft) -> bool:
    """Whether two memories are one: the same source, or the same content."""
    if other.source is not None and one.source == other.source:
        return True
    return normalised(one.content) == normalised(other.content)
