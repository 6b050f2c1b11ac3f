"""The notebook of an agent in a session: it reads long-term memory, and writes proposals.

Everything that is written stays in the session's ledger until `settlement.settle`. A database that
fails costs what it holds, and nothing else: the agent then reads what it wrote here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from orchestrator.clock import utc_now
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.errors import MemoryDatabaseError, MemoryRefusedError, ScratchpadChangedError
from orchestrator.memory.model import MAX_SCRATCHPAD_CHARS, Memory, Scratchpad
from orchestrator.memory.notebook import (
    Draft,
    Found,
    FoundMemory,
    LongTermNotebook,
    MemoryKept,
    Page,
    PageKept,
    found,
    kept,
    page_of,
)
from orchestrator.memory.proposals import (
    MAX_PROPOSALS,
    Pad,
    ProposalLog,
    Proposals,
    ProposedMemory,
    draft_of,
    memory_value,
    page_value,
    same,
)
from orchestrator.memory.words import words_of
from orchestrator.store.store import Store

IN_SESSION: Final = "this session, as a proposal"
"""Where something was kept, as results say it."""


class SessionNotebook:
    """One agent's notebook in one session. Others, and other sessions, see nothing of it."""

    def __init__(
        self,
        store: Store | Pad,
        db: MemoryDatabase | None,
        agent: str,
        presenter: str,
        *,
        embed: Embedder | None = None,
        now: Callable[[], str] = utc_now,
    ) -> None:
        """*db* None: long-term memory is switched off or not there. A `Pad`: nothing is written yet."""
        self._store, self._agent, self._presenter = store, agent, presenter
        self._log = ProposalLog(store)
        self._long_term = LongTermNotebook(db, agent, presenter, embed=embed, now=now)

    def read_page(self) -> Page:
        """The page as this agent last wrote it here, else the one from long-term memory."""
        written = self._log.now().pages_of(self._agent)
        before, reason = self._before()
        if not written:
            return page_of(before, reason)
        last, revision = written[-1], before.revision + len(written)
        return Page(last.content, len(last.content), revision=revision, updated_at=last.at)

    def update_page(self, content: str, revision: int | None = None) -> PageKept:
        """As `Notebook.update_page`; refused as well after 50 updates in one session."""
        before, reason = self._before()
        with self._store.transaction():
            written = self._log.now().pages_of(self._agent)
            there = before.revision + len(written)
            if revision is not None and revision != there:
                raise ScratchpadChangedError(
                    f"the scratchpad has revision {there} now, not {revision}: read it again, and update that"
                )
            value = page_value(content)
            if written and written[-1].content == content:
                return PageKept(len(content), MAX_SCRATCHPAD_CHARS, there, IN_SESSION, reason)
            _check_room(len(written), "updates of the scratchpad")
            self._store.note(value, by=self._agent)
        return PageKept(len(content), MAX_SCRATCHPAD_CHARS, there + 1, IN_SESSION, reason)

    def write(self, draft: Draft) -> MemoryKept:
        """As `Notebook.write`; refused as well after 50 proposals in one session."""
        value = memory_value(draft)
        clean = draft_of(value)
        kept_before = self._kept_before(clean)  # looked up first: no lock waits for the database
        with self._store.transaction():
            own = self._log.now().memories_of(self._agent)
            known = next((one for one in own if same(one.draft, clean)), None)
            if known is not None:
                return self._result(known, is_new=False)
            if kept_before is not None:
                return kept(kept_before, is_new=False)
            _check_room(len(own), "memories")
            seq = self._store.note(value, by=self._agent)
            proposal = ProposedMemory(seq, self._agent, clean, self._store.record(seq).at)
        return self._result(proposal, is_new=True)

    def search(self, query: str, limit: int) -> Found:
        """What was written here first, then long-term memory, each best first."""
        own = self._fitting(query, self._log.now())
        before = self._searched(query, limit)
        here = {one.content for one in own}
        others = tuple(one for one in before.memories if one.content not in here)
        if others:
            reason = None
        else:
            reason = self._before()[1] if own else before.reason
        return Found((*own, *others)[:limit], reason)

    def _fitting(self, query: str, proposals: Proposals) -> list[FoundMemory]:
        """What this agent proposed and the query shares a word with; all of it for an empty query."""
        wanted = words_of(query)
        fitting = []
        for one in reversed(proposals.memories_of(self._agent)):
            words = set(words_of(f"{one.draft.content} {' '.join(one.draft.tags)}"))
            common = [word for word in wanted if word in words]
            if common or not query.strip():
                why = f"words in common: {', '.join(common)}" if common else "recent"
                fitting.append((len(common), one, f"written in this session; {why}"))
        fitting.sort(key=lambda entry: -entry[0])  # of equals the newer stays first
        return [found(one.memory(self._presenter), why) for _, one, why in fitting]

    def _result(self, proposal: ProposedMemory, *, is_new: bool) -> MemoryKept:
        memory, (_, reason) = proposal.memory(self._presenter), self._before()
        return kept(memory, is_new=is_new, kept_in=IN_SESSION, reason=reason)

    def _before(self) -> tuple[Scratchpad, str | None]:
        try:
            return self._long_term.page()
        except MemoryDatabaseError as error:
            return Scratchpad(self._agent, self._presenter), _failing(error)

    def _searched(self, query: str, limit: int) -> Found:
        try:
            return self._long_term.search(query, limit)
        except MemoryDatabaseError as error:
            return Found((), _failing(error))

    def _kept_before(self, draft: Draft) -> Memory | None:
        try:
            return next((one for one in self._long_term.memories() if same(one, draft)), None)
        except MemoryDatabaseError:
            return None  # known or not, it is only proposed here; `settlement` looks again


def _check_room(count: int, what: str) -> None:
    if count >= MAX_PROPOSALS:
        raise MemoryRefusedError(
            f"{count} {what} were written in this session (limit {MAX_PROPOSALS}): nothing was changed; "
            "keep what matters for the next session"
        )


def _failing(error: MemoryDatabaseError) -> str:
    return f"long-term memory cannot be read now ({error}): what was written in this session is all there is"
