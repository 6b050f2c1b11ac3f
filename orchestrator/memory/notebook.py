"""The notebook of an agent about one presenter: what its memory tools read and write.

Without a session it is the database itself. With the proposals of a session, it reads them before
the database, and all that is written becomes a proposal there until `settle`; a database
that fails then costs what it holds, and nothing else.

Without the presenter's consent there is nothing to read, and the reason is part of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from orchestrator.core.clock import utc_now
from orchestrator.core.privacy.off_record import is_clean
from orchestrator.core.store.ledger import Record, held
from orchestrator.core.store.store import Store
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.memory.database import MemoryDatabase, existing, made_scope, note
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.english import words_of
from orchestrator.memory.memories import keep, memories, recent, search_memories
from orchestrator.memory.model import (
    MAX_SCRATCHPAD_CHARS,
    Memory,
    MemoryDatabaseError,
    MemoryRefusedError,
    NotConsentedError,
    Scratchpad,
    ScratchpadChangedError,
    Written,
)
from orchestrator.memory.presenter import name_in, refusal, require, silence
from orchestrator.memory.validation import (
    MemoryWrite,
    check_clean,
    checked_agent,
    checked_memory,
    checked_page,
    checked_time,
    normalised,
)
from orchestrator.panel.records.kinds import value_as
from orchestrator.panel.records.memory import MemoriesSettled, MemoryProposed, ScratchpadProposed
from orchestrator.panel.records.setup import Options
from orchestrator.panel.records.taken_back import withdrawn_in

# ---------------------------------------------------------------------- scratchpads
# Scratchpads: one page of Markdown for each agent and presenter, kept across sessions.
#
# At most 2,000 characters; a longer one is refused with its count and never cut. Pages are replaced whole,
# and the last ten are kept, so that no writer's page is lost when two write at once.
#
# Source: DESIGN.md, section 9.


KEPT_REVISIONS: Final = 10
"""Of a page, the last ones: 20 KB at most. Our own limit."""


def scratchpad(db: MemoryDatabase, agent: str, presenter: str) -> Scratchpad:
    """Return the agent's page about this presenter, or an empty one of revision 0."""
    agent, presenter = checked_agent(agent), name_in(db, presenter)
    return next(iter(_pages(db, presenter, agent)), Scratchpad(agent, presenter))


def scratchpads(db: MemoryDatabase, presenter: str) -> tuple[Scratchpad, ...]:
    """Return every agent's page about this presenter, by agent."""
    pages = _pages(db, name_in(db, presenter))
    return tuple({page.agent: page for page in reversed(pages)}.values())[::-1]


def earlier_scratchpads(db: MemoryDatabase, agent: str, presenter: str) -> tuple[Scratchpad, ...]:
    """Return the pages replaced by the current one, newest first: at most nine."""
    return tuple(_pages(db, name_in(db, presenter), checked_agent(agent))[1:])


def update_scratchpad(
    db: MemoryDatabase,
    agent: str,
    presenter: str,
    content: str,
    now: str,
    *,
    replacing: Scratchpad | None = None,
) -> Scratchpad:
    """Replace the agent's page with *content*; the same text again changes nothing.

    *replacing* is the page that was read before: if somebody wrote it since, it stays as they left it.

    Raises:
        ScratchpadTooLongError: *content* is over 2,000 characters.
        ScratchpadChangedError: It is no longer the page that was read.
        NotConsentedError: The presenter did not agree to be remembered.
    """
    agent, presenter = checked_agent(agent), name_in(db, presenter)
    content, at = checked_page(content), checked_time(now)
    with db.transaction():
        require(db, presenter)
        before = scratchpad(db, agent, presenter)
        if replacing is not None and replacing.revision != before.revision:
            raise changed_since(agent)
        if content == before.content:
            return before
        note(db, at, "scratchpad", presenter, agent, agent)
        return _put(db, before, content, at, kept=KEPT_REVISIONS)


def changed_since(agent: str) -> ScratchpadChangedError:
    """Return the error for an update of a page that somebody else wrote meanwhile."""
    return ScratchpadChangedError(
        f"{agent}'s scratchpad was written since it was read: read it again, and update that"
    )


def edit_scratchpad(db: MemoryDatabase, agent: str, presenter: str, content: str, now: str) -> Scratchpad:
    """Replace the page with *content* as the presenter wishes, and wipe all that it said before.

    An empty *content* removes the page. It is their own page, so it needs no other consent.

    Raises:
        ScratchpadTooLongError: *content* is over 2,000 characters.
    """
    agent, presenter = checked_agent(agent), name_in(db, presenter)
    content, at = checked_page(content), checked_time(now)
    with db.transaction():
        before = scratchpad(db, agent, presenter)
        after = _put(db, before, content, at, kept=int(bool(content)))
        note(db, at, "scratchpad edited", presenter, agent, agent)
    db.wipe()
    return after if content else Scratchpad(agent, presenter)


def _put(db: MemoryDatabase, before: Scratchpad, content: str, at: str, *, kept: int) -> Scratchpad:
    """Add the next page and keep only the last *kept* pages."""
    after = replace(before, content=content, updated_at=at, revision=before.revision + 1)
    scope = made_scope(db, before.presenter, before.agent)
    db.write("INSERT INTO scratchpads VALUES (?, ?, ?, ?)", scope, after.revision, content, at)
    db.write("DELETE FROM scratchpads WHERE scope = ? AND revision <= ?", scope, after.revision - kept)
    return after


def _pages(db: MemoryDatabase, presenter: str, agent: str | None = None) -> list[Scratchpad]:
    """Return all pages kept, by agent, the newest first."""
    rows = db.rows(
        "SELECT agent, presenter, content, updated_at, revision FROM scratchpads JOIN scopes ON n = scope "
        "WHERE presenter = ?1 AND (?2 IS NULL OR agent = ?2) ORDER BY agent, revision DESC",
        presenter,
        agent,
    )
    return [Scratchpad(*row) for row in rows]


# ---------------------------------------------------------------------- proposals
# Proposals: what an agent's tools write during a session stays in that session's ledger, until it ends.
#
# So a deck that says "remember this" reaches nobody else: not another agent, not another session, and not
# the database. The agent itself reads what it wrote, later in the same session. At the end, `settle` moves
# it to long-term memory, with the presenter's consent and all in one transaction. Each proposal moves at
# most once: a second call moves what was proposed since the first, and does not bring back what was
# forgotten in between. What somebody said off the record, or what quotes it, stays.
#
# The notes are `MemoryProposed` and `ScratchpadProposed`; their writer is the agent.
#
# Source: DESIGN.md, section 9 ("Tools"); trust.md, point 4.


MAX_PROPOSALS: Final = 50
"""Of one kind, by one agent in one session: a quarter of what it may keep in all. Our own limit, so
that an agent that was talked into writing without end fills neither the ledger nor its memory."""

_SETTLED: Final = "settled"
"""In the history: "<session>/<record>", the last proposal that was moved."""

Proposal = Memory | Scratchpad
"""As an agent wrote it: a memory's id is "p" and the number of its record, the page has revision 0."""


def proposed(record: Record, presenter: str) -> Proposal | None:
    """Return the proposal in a record, unchecked, or None if it is another record."""
    if (one := value_as(record, MemoryProposed)) is not None:
        of, words = (f"p{record.seq}", record.by, presenter), (one.memory_type, one.content)
        return Memory(*of, *words, one.confidence, one.tags, one.source, record.at)
    page = value_as(record, ScratchpadProposed)
    return Scratchpad(record.by, presenter, page.content, record.at) if page is not None else None


def _value(proposal: Proposal) -> MemoryProposed | ScratchpadProposed:
    """Return a proposal as its record holds it."""
    if isinstance(proposal, Scratchpad):
        return ScratchpadProposed(proposal.content)
    return MemoryProposed(
        proposal.type, proposal.content, proposal.confidence, proposal.tags, proposal.source or None
    )


@dataclass(frozen=True, slots=True)
class ProposalLog:
    """One agent's proposals in an open session, including those of a transaction still open."""

    store: Store
    agent: str
    presenter: str
    held: list[Record] | None = None
    """Notes that are held back: they read as if they stood behind the ledger's last record, and new ones
    are added here. None: they are written."""

    def memories(self) -> list[Memory]:
        """Return the memories that the agent proposed, oldest first."""
        return [one for one in self._all() if isinstance(one, Memory)]

    def pages(self) -> list[Scratchpad]:
        """Return every page that the agent proposed; the last one counts."""
        return [one for one in self._all() if isinstance(one, Scratchpad)]

    def transaction(self) -> AbstractContextManager[Draft | None]:
        """Keep what is read within valid until the write; deferred proposals lock nothing."""
        return self.store.transaction() if self.held is None else nullcontext()

    def add(self, proposal: Proposal, tx: Draft | None) -> Proposal:
        """Add a proposal and return it as it now reads; *tx* is what `transaction` gave.

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
    """The outcome of a session's proposals."""

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
    """Return a memory's own key, and one key for all pages of an agent, so that the last one counts."""
    return f"{proposal.agent}, {proposal.id if isinstance(proposal, Memory) else 'scratchpad'}"


def settle_session(
    store: Store,
    options: Options,
    home_root: Path,
    *,
    stays: Callable[[str], bool] = lambda text: False,
    now: str,
) -> Settled:
    """Settle the proposals of an open session, and leave one record of what was moved.

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
    """Return the last proposal of this session that was moved, or 0 if none was."""
    query = "SELECT item FROM history WHERE presenter = ? AND act = ? AND session_of(item) = ?"
    rows = db.rows(query, presenter, _SETTLED, session)
    return max((int(item.partition("/")[2]) for (item,) in rows), default=0)


# ---------------------------------------------------------------------- notebook


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
    """One agent's notebook about one presenter; others, and other sessions, see none of its proposals."""

    db: MemoryDatabase | None  # None: switched off, or not there, so nobody has agreed to anything
    agent: str
    presenter: str
    proposals: ProposalLog | None = None  # None: no session, so what is written is kept at once
    embed: Embedder | None = None
    now: Callable[[], str] = utc_now

    def read_page(self) -> Page:
        """Return the page that this agent wrote last in the session, else the one from long-term memory."""
        page, reason = self._kept_page()
        if self.proposals is not None and (written := self.proposals.pages()):
            page, reason = replace(written[-1], revision=page.revision + len(written)), None
        elif reason is None and not page.content:
            reason = "nothing has been written here yet"
        size = len(page.content)
        return Page(page.content, size, revision=page.revision, updated_at=page.updated_at, reason=reason)

    def update_page(self, content: str, revision: int | None = None) -> PageKept:
        """Replace the scratchpad; *revision* is the one read, if the page must not have changed since.

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
        """Keep one memory, or return the one already known.

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
        """Return the memories most relevant to *query*, those written in the session first.

        For an empty query, the newest of each.
        """
        kept, reason = self._read(lambda: self._searched(query, limit), ())
        own = self._proposed(query)
        here = {one.content for one in own}
        others = [one for one in kept if one.content not in here]
        if own and not others:
            reason = self._kept_page()[1]
        return Found((*own, *others)[:limit], reason)

    def _proposed(self, query: str) -> list[FoundMemory]:
        """Return the proposals that share a word with the query; all of them for an empty query."""
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
        """Return the memories of long-term memory that match, or why there are none."""
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
        """Return all memories not superseded, newest first, or why there are none."""
        reason = silence(self.db, self.presenter)
        if self.db is None or reason is not None:
            return (), reason
        found = memories(self.db, presenter=self.presenter, agent=self.agent)
        return found, None if found else "nothing is remembered yet"

    def _kept_page(self) -> tuple[Scratchpad, str | None]:
        """Return the page in long-term memory, or an empty one and the reason."""
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
        """Return what long-term memory gives; if it fails in a session, *otherwise* and the reason."""
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
        """Return the database; every write's transaction checks the presenter's consent again.

        Raises:
            NotConsentedError: Nobody ever did.
        """
        if self.db is None:
            raise NotConsentedError(refusal(self.presenter))
        return self.db


def _is_one(known: Memory, memory: Memory) -> bool:
    """Return whether two memories are one: the same source, or the same content."""
    has_its_source = memory.source is not None and known.source == memory.source
    return has_its_source or normalised(known.content) == normalised(memory.content)


def _shown(memory: Any) -> dict[str, Any]:
    plain = asdict(memory)
    return {field.name: plain[field.name] for field in fields(Shown)}
