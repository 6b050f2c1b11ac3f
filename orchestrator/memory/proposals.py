"""Proposals: what an agent's tools write during a session stays in that session's ledger, until it ends.

So a deck that says "remember this" reaches nobody else: not another agent, not another session, and
not the database. The agent itself reads what it wrote, later in the same session. At the end,
`settle` moves it to long-term memory, with the presenter's consent and all in one transaction. Each
proposal moves at most once: a second call moves what was proposed since the first, and does not bring
back what was forgotten in between. What somebody said off the record, or what quotes it, stays.

The notes are `MemoryProposed` and `ScratchpadProposed`; their writer is the agent.

Source: DESIGN.md, section 9 ("Tools"); trust.md, point 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from orchestrator.core.clock import utc_now
from orchestrator.core.privacy.off_record import is_clean
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.store import Store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.store.value import held
from orchestrator.core.table import MODERATOR
from orchestrator.memory.consent import name_in, refusal, silence
from orchestrator.memory.database import MemoryDatabase, existing, note
from orchestrator.memory.errors import MemoryRefusedError
from orchestrator.memory.memories import keep
from orchestrator.memory.model import Memory, Scratchpad, Written
from orchestrator.memory.scratchpads import update_scratchpad
from orchestrator.memory.validation import checked_time
from orchestrator.panel.records.kinds import value_as
from orchestrator.panel.records.memory import MemoriesSettled, MemoryProposed, ScratchpadProposed
from orchestrator.panel.records.options import Options
from orchestrator.panel.records.taken_back import withdrawn_in

MAX_PROPOSALS: Final = 50
"""Of one kind, by one agent in one session: a quarter of what it may keep in all. Our own limit, so
that an agent that was talked into writing without end fills neither the ledger nor its memory."""

_SETTLED: Final = "settled"
"""In the history: "<session>/<record>", the last proposal that was moved."""

Proposal = Memory | Scratchpad
"""As an agent wrote it: a memory's id is "p" and the number of its record, the page has revision 0."""


def proposed(record: Record, presenter: str) -> Proposal | None:
    """The proposal that a record is; None: it is another record. Nothing in it is checked."""
    if (one := value_as(record, MemoryProposed)) is not None:
        of, words = (f"p{record.seq}", record.by, presenter), (one.memory_type, one.content)
        return Memory(*of, *words, one.confidence, one.tags, one.source, record.at)
    page = value_as(record, ScratchpadProposed)
    return Scratchpad(record.by, presenter, page.content, record.at) if page is not None else None


def _value(proposal: Proposal) -> MemoryProposed | ScratchpadProposed:
    """A proposal as it stands in its record."""
    if isinstance(proposal, Scratchpad):
        return ScratchpadProposed(proposal.content)
    return MemoryProposed(
        proposal.type, proposal.content, proposal.confidence, proposal.tags, proposal.source or None
    )


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

    def transaction(self) -> AbstractContextManager[Draft | None]:
        """What is read within is still so when it is written; what is held back locks nothing."""
        return self.store.transaction() if self.held is None else nullcontext()

    def add(self, proposal: Proposal, tx: Draft | None) -> Proposal:
        """Note a proposal, as it reads from now on; *tx*: what `transaction` gave.

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
        if tx is not None:
            tx.note(_value(proposal), by=self.agent)
        elif self.held is not None:
            self.held.append(Record(0, "note", self.agent, 0.0, utc_now(), held=held(_value(proposal))))
        return self._all()[-1]

    def _all(self) -> list[Proposal]:
        with self.store.history.mutex:
            self.store.catch_up()
            last = self.store.last
            notes = [entry.seq for entry in self.store.entries() if entry.op == "note"]
            notes += range(self.store.seq + 1, last + 1)
            withdrawn = withdrawn_in(self.store)
            records = [self.store.record(seq) for seq in notes if seq not in withdrawn]
            records += (one._replace(seq=last + n) for n, one in enumerate(self.held or (), 1))
        own = (proposed(record, self.presenter) for record in records if record.by == self.agent)
        return [one for one in own if one is not None]


# ---------------------------------------------------------------------- at the end


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a session's proposals."""

    memories: tuple[Written, ...] = ()
    pages: tuple[Scratchpad, ...] = ()
    left_out: int = 0  # proposals that are to stay in the session
    refused: tuple[str, ...] = ()  # why, for each proposal that could not be kept
    reason: str | None = None  # why nothing was moved at all


def settle(
    records: Iterable[Record],
    db: MemoryDatabase | None,
    *,
    session: str,
    presenter: str,
    stays: Callable[[str], bool] = lambda text: False,
    now: str,
) -> Settled:
    """Move a session's proposals to long-term memory; nothing without the presenter's consent.

    A memory's source is "<session>/<record>". Of the pages that an agent proposed, the last one
    counts; what it replaces is kept among the earlier pages. A proposal that may not be kept leaves
    the others alone.

    Args:
        records: The session's, in order; at least its notes.
        db: None: there is no database, so nobody has agreed to anything.
        stays: Whether a text quotes what was marked sensitive (`Scribe.stays`).

    Raises:
        MemoryDatabaseError: The disk refused; nothing has changed, and it can be done again.
    """
    found = [(record.seq, one) for record in records if (one := proposed(record, presenter)) is not None]
    if not found:
        return Settled()
    if db is None:
        return Settled(reason=refusal(presenter))
    with db.transaction():
        if (reason := silence(db, presenter)) is not None:
            return Settled(reason=reason)
        whose, at = name_in(db, presenter), checked_time(now)
        before, last = _settled_before(db, whose, session), found[-1][0]
        memories, pages, refused, left_out = list[Written](), list[Scratchpad](), list[str](), 0
        for name, (seq, one) in {_name(one): (seq, one) for seq, one in found if seq > before}.items():
            if stays(one.words) or not is_clean(one.words):
                left_out += 1
                continue
            try:
                if isinstance(one, Scratchpad):
                    pages.append(update_scratchpad(db, one.agent, whose, one.content, at))
                else:
                    source = f"{session}/{seq}"
                    memory = replace(one, presenter=whose, source=source, created_at=at)
                    memories.append(keep(db, memory, confirms=True))
            except MemoryRefusedError as error:  # a later release may have other rules
                refused.append(f"{name}: {error}")
        if last > before:
            note(db, at, _SETTLED, whose, f"{session}/{last}", None)
    return Settled(tuple(memories), tuple(pages), left_out, tuple(refused))


def _name(proposal: Proposal) -> str:
    """Of each memory its own; of the pages of one agent the same, so that the last one counts."""
    return f"{proposal.agent}, {proposal.id if isinstance(proposal, Memory) else 'scratchpad'}"


def settle_session(
    store: Store,
    options: Options,
    home_root: Path,
    *,
    stays: Callable[[str], bool] = lambda text: False,
    now: str,
) -> Settled:
    """Settle the proposals of an open session, and leave one record that says what was moved.

    Called when the session ends, before the freeze. A session that was started without --remember
    moves nothing. Doing it again adds nothing.

    Raises:
        MemoryDatabaseError: The disk refused; nothing was moved.
        StoreError: The record could not be written.
    """
    if not options.remember:
        return Settled()
    store.catch_up()
    withdrawn = withdrawn_in(store)
    notes = [
        store.record(entry.seq)
        for entry in store.entries()
        if entry.op == "note" and entry.seq not in withdrawn
    ]
    with existing(home_root) as db:
        done = settle(notes, db, session=options.id, presenter=options.presenter, stays=stays, now=now)
    if done.memories or done.pages or done.left_out:
        memories = tuple(written.memory.id for written in done.memories)
        pages = tuple(page.agent for page in done.pages)
        store.note(MemoriesSettled(memories, pages, done.left_out), by=MODERATOR)
    return done


def _settled_before(db: MemoryDatabase, presenter: str, session: str) -> int:
    """The last proposal of this session that was moved; 0: none was."""
    query = "SELECT item FROM history WHERE presenter = ? AND act = ? AND session_of(item) = ?"
    rows = db.rows(query, presenter, _SETTLED, session)
    return max((int(item.partition("/")[2]) for (item,) in rows), default=0)
