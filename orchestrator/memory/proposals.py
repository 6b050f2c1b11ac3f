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

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.clock import utc_now
from orchestrator.memory.errors import MemoryRefusedError
from orchestrator.memory.model import Memory, Scratchpad
from orchestrator.store.ledger import Record
from orchestrator.store.store import Store

MAX_PROPOSALS: Final = 50
"""Of one kind, by one agent in one session: a quarter of what it may keep in all. Our own limit, so
that an agent that was talked into writing without end fills neither the ledger nor its memory."""

Proposal = Memory | Scratchpad
"""As an agent wrote it: a memory's id is "p" and the number of its record, the page has revision 0."""


def proposed(record: Record, presenter: str) -> Proposal | None:
    """The proposal that a record is; None: it is another record. Nothing in it is checked."""
    value = record.value or {}
    match value.get("type"):
        case "memory-proposal":
            words, tags = (value["memory_type"], value["content"]), tuple(value.get("tags", ()))
            of, source = (f"p{record.seq}", record.by, presenter), value.get("source")
            return Memory(*of, *words, value["confidence"], tags, source, record.at)
        case "scratchpad-proposal":
            return Scratchpad(record.by, presenter, value["content"], record.at)
    return None


def _value(proposal: Proposal) -> dict[str, Any]:
    """A proposal as it stands in its record."""
    if isinstance(proposal, Scratchpad):
        return {"type": "scratchpad-proposal", "content": proposal.content}
    return {
        "type": "memory-proposal",
        "memory_type": proposal.type,
        "content": proposal.content,
        "confidence": proposal.confidence,
        **({"tags": list(proposal.tags)} if proposal.tags else {}),
        **({"source": proposal.source} if proposal.source else {}),
    }


@dataclass(frozen=True, slots=True)
class ProposalLog:
    """One agent's proposals in an open session, with those of a transaction that is still open."""

    store: Store
    agent: str
    presenter: str
    held: list[Record] | None = None
    """Notes that are held back: they read as if they stood behind the ledger's last record, and new ones
    are added here. None: they are written."""

    def memories(self) -> list[Memory]:
        """The memories that it proposed, oldest first."""
        return [one for one in self._all() if isinstance(one, Memory)]

    def pages(self) -> list[Scratchpad]:
        """Every page that it proposed; the last one counts."""
        return [one for one in self._all() if isinstance(one, Scratchpad)]

    def transaction(self) -> AbstractContextManager[object]:
        """What is read within is still so when it is written; what is held back locks nothing."""
        return self.store.transaction() if self.held is None else nullcontext()

    def add(self, proposal: Proposal) -> Proposal:
        """Note a proposal, as it reads from now on.

        Raises:
            MemoryRefusedError: There are 50 of its kind.
        """
        count = sum(isinstance(one, type(proposal)) for one in self._all())
        if count >= MAX_PROPOSALS:
            what = "memories" if isinstance(proposal, Memory) else "updates of the scratchpad"
            raise MemoryRefusedError(
                f"{count} {what} were written in this session (limit {MAX_PROPOSALS}): nothing was changed; "
                "keep what matters for the next session"
            )
        if self.held is None:
            self.store.note(_value(proposal), by=self.agent)
        else:
            self.held.append(Record(0, "note", self.agent, 0.0, utc_now(), value=_value(proposal)))
        return self._all()[-1]

    def _all(self) -> list[Proposal]:
        with self.store.still() as last:
            notes = [entry.seq for entry in self.store.entries() if entry.op == "note"]
            notes += range(self.store.seq + 1, last + 1)
            records = [self.store.record(seq) for seq in notes]
            records += (one._replace(seq=last + n) for n, one in enumerate(self.held or (), 1))
        own = (proposed(record, self.presenter) for record in records if record.by == self.agent)
        return [one for one in own if one is not None]
