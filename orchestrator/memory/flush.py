"""The end of a session: keep what matters in long-term memory, if the presenter agreed.

Each decision becomes a memory of the agent to whom it was told. Each question that was not answered
satisfactorily becomes a memory of the agent who asked it, `Left open: "…"`. When the same words are asked
about again, and the question is answered or left open again, the newer memory replaces the older one. Goals
that were stated are proposed. All of this happens in one transaction, and only once for each item: a second
flush adds nothing, nor does it restore what was forgotten in between.

Source: the seed of the Scribe (000), "Integration with Hippocampus"; DESIGN.md, section 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.core.table import MODERATOR
from orchestrator.material.values import Deck
from orchestrator.memory.database import MemoryDatabase, existing, note
from orchestrator.memory.english import stems
from orchestrator.memory.memories import keep, memories, withdraw
from orchestrator.memory.model import MAX_GOAL_CHARS, Goal, Memory, MemoryRefusedError
from orchestrator.memory.past_sessions import (
    ANSWERED,
    ANSWERED_TAG,
    OPEN,
    OPEN_TAG,
    about,
    deck_tag,
    of_question,
    saying,
    says,
    says_question,
)
from orchestrator.memory.presenter import add_goal, goals, is_given, move_goal, name_in, silence
from orchestrator.memory.scribe import Noted, Scribe, SessionContext
from orchestrator.memory.validation import checked_time
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.exchange import Exchange, each_once
from orchestrator.panel.records.memory import SessionFlushed
from orchestrator.panel.records.projection import with_persons

DECISION_TAG: Final = "decision"
_DECIDED: Final = "Decided: "
_SURE: Final = {"unresolved": 0.8, "parked": 0.7, "unjudged": 0.8}
"""Confidence that a question is still open, by its result. An "unjudged" one is stored only if nobody
answered."""
_SURE_SAID: Final = 0.8
"""Confidence of words in the transcript. All four numbers are our own; a memory with a higher one stays
longer (`worth`)."""
_FLUSHED: Final = "flushed"
_SHARED_STEMS: Final = 2
"""Minimum number of word stems that a goal shares with a question about it.

With one, any question about growth would move every goal about growth.
"""


@dataclass(frozen=True, slots=True)
class Flushed:
    """Everything that a flush wrote to memory."""

    memories: tuple[Memory, ...] = ()
    goals: tuple[Goal, ...] = ()
    left_out: int = 0  # things that are to stay in the session


def keep_what_matters(rehearsal: OpenRehearsal, home_root: Path, *, scribe: Scribe, now: str) -> Flushed:
    """Flush an open session into memory, and record the flush; doing it again adds nothing.

    Call it after the last exchange is closed and before the debrief.

    Raises:
        StoreError: The record could not be written.
    """
    options, store = rehearsal.options, rehearsal.store
    with existing(home_root if options.remember else None) as db:
        if db is None or silence(db, options.presenter) is not None:
            return Flushed()
        judged = rehearsal.projection.judged
        exchanges = [with_persons(one, judged) for one in rehearsal.projection.exchanges]
        kept = flush(
            scribe.context(),
            db,
            options.presenter,
            session=options.id,
            deck=rehearsal.scene().deck,
            exchanges=exchanges,
            stays=scribe.stays,
            now=now,
        )
    if kept != Flushed():
        memory_ids = tuple(memory.id for memory in kept.memories)
        goal_ids = tuple(goal.id for goal in kept.goals)
        store.note(SessionFlushed(memory_ids, goal_ids, kept.left_out), by=MODERATOR)
    return kept


def flush(
    context: SessionContext,
    db: MemoryDatabase,
    presenter: str,
    *,
    session: str,
    deck: Deck,
    exchanges: Sequence[Exchange],
    stays: Callable[[str], bool] = lambda text: False,
    now: str,
) -> Flushed:
    """Store what matters of a session in memory; store nothing without the presenter's consent.

    Args:
        session: The session's id; sources are "<session>/<record>" and "<session>/<exchange>".
        exchanges: All exchanges that were closed in the session, in order.
        stays: Whether a text quotes what was marked sensitive (`Scribe.stays`).

    Raises:
        MemoryRefusedError: No presenter is named.
    """
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction():
        if not is_given(db, name):
            return Flushed()
        flush = _Flush(db, name, session, deck, at, stays)
        for source, noted in _sources(session, context.decisions):
            if flush.is_first(source):
                flush.keep_decision(noted, source)
        for exchange in each_once(exchanges):
            if counts_as(exchange) is not None and flush.is_first(f"{session}/{exchange.id}"):
                flush.keep_exchange(exchange, f"{session}/{exchange.id}")
        for source, noted in _sources(session, context.goals):
            if flush.is_first(f"{source}/goal"):
                flush.propose(noted, source)
        for exchange in exchanges:
            if exchange.result == "satisfied" and flush.is_first(f"{session}/{exchange.id}/goals"):
                flush.move_goals(exchange)
        if exchanges:
            flush.is_first(session)  # by which a verdict of after the end finds that nothing was forgotten
    return Flushed(tuple(flush.written), tuple(flush.goals), flush.left_out)


def judge_again(
    db: MemoryDatabase,
    presenter: str,
    *,
    session: str,
    deck: Deck,
    before: Exchange,
    after: Exchange,
    is_asked_since: bool,
    stays: Callable[[str], bool] = lambda text: False,
    now: str,
) -> None:
    """Update memory as if the answer to a question had been judged before the flush as it is judged now.

    The memory that the flush wrote of the question is withdrawn, and the memory that it had replaced is
    restored. Memories that other sessions support as well, or that the presenter edited, stay. Nothing is
    changed if the session was never flushed, or if the agent that asked has forgotten anything since, because
    what was forgotten must not come back.

    Args:
        before: The exchange with the verdict that counted until now.
        after: The exchange with the verdict that counts now.
        is_asked_since: Whether a later rehearsal asked the same question; that one then says whether it is
            open.
        now: The time when the session ended, since the memory is about that rehearsal.
    """
    name, at, source = name_in(db, presenter), checked_time(now), f"{session}/{after.id}"
    was, counts = counts_as(before), counts_as(after)
    with db.transaction():
        if was == counts or not is_given(db, name) or _is_forgotten(db, name, session, after.agent):
            return
        flush = _Flush(db, name, session, deck, at, stays)
        if was is not None and (was == OPEN or not is_asked_since):
            withdraw(db, source, now=at)
        if counts is not None and not is_asked_since:
            flush.is_first(source)
            flush.keep_exchange(after, source)
        db.write("DELETE FROM goal_moves WHERE exchange = ?", source)
        if counts == ANSWERED:
            flush.is_first(f"{source}/goals")
            flush.move_goals(after)


def is_same_question(deck: Deck, one: Exchange, other: Exchange) -> bool:
    """Return whether two exchanges about *deck* would be stored as one memory."""
    said, told = (one_line(each.quote or each.turns[0].question) for each in (one, other))
    return said == told and about(deck, one) == about(deck, other)


def counts_as(exchange: Exchange) -> str | None:
    """Return how memory counts an exchange: OPEN, ANSWERED, or None for an answer that nobody judged."""
    if exchange.result == "unjudged" and exchange.answered:
        return None
    return ANSWERED if exchange.result == "satisfied" else OPEN


def _is_forgotten(db: MemoryDatabase, presenter: str, session: str, agent: str) -> bool:
    """Return whether this agent forgot anything about the presenter since the flush; True without a flush."""
    flushed = "SELECT n FROM history WHERE presenter = ? AND act = ? AND item = ?"
    row = db.row(flushed, presenter, _FLUSHED, session)
    if row is None:
        return True
    since = "SELECT 1 FROM history WHERE presenter = ? AND act = 'forgotten' AND agent = ? AND n > ?"
    return bool(db.rows(since, presenter, agent, row["n"]))


def _sources(session: str, noted: Sequence[Noted]) -> Iterator[tuple[str, Noted]]:
    """Yield each item with its source, "<session>/<record>"; a record's second item gets ".2" behind it."""
    for number, one in enumerate(noted):
        before = sum(other.seq == one.seq for other in noted[:number])
        yield f"{session}/{one.seq}" + (f".{before + 1}" if before else ""), one


@dataclass(slots=True)
class _Flush:
    """The state of a flush while it is under way."""

    db: MemoryDatabase
    presenter: str
    session: str
    deck: Deck
    now: str
    stays: Callable[[str], bool]
    written: list[Memory] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    left_out: int = 0

    def is_first(self, item: str) -> bool:
        """Return whether this item is flushed for the first time, and record that it was flushed."""
        query = "SELECT 1 FROM history WHERE presenter = ? AND act = ? AND item = ?"
        if self.db.rows(query, self.presenter, _FLUSHED, item):
            return False
        note(self.db, self.now, _FLUSHED, self.presenter, item, None)
        return True

    def has_to_stay(self, text: str) -> bool:
        """Return whether *text* must not leave the session; count it if so."""
        stays = self.stays(text)
        self.left_out += stays
        return stays

    def keep_decision(self, noted: Noted, source: str) -> None:
        if not self.has_to_stay(noted.text):
            content = saying(_DECIDED, noted.text)
            self.write(noted.agent or MODERATOR, "insight", content, _SURE_SAID, DECISION_TAG, source)

    def keep_exchange(self, exchange: Exchange, source: str) -> None:
        words, question = exchange.quote, exchange.turns[0].question
        if self.has_to_stay(f"{words or ''}\n{question}"):
            return
        if exchange.result == "satisfied":
            for one in self.saying_same(OPEN, exchange):  # whoever asked
                content = self.saying(ANSWERED, exchange)
                self.write(one.agent, "pattern", content, _SURE_SAID, ANSWERED_TAG, source, one.id)
            return
        sure = _SURE.get(exchange.result or "", 0.5)
        own = (one.id for one in self.saying_same(ANSWERED, exchange) if one.agent == exchange.agent)
        content = self.saying(OPEN, exchange)
        self.write(exchange.agent, "pattern", content, sure, OPEN_TAG, source, next(own, None))

    def saying(self, how: str, exchange: Exchange) -> str:
        """Return the memory's text about the words that the exchange asks about, else about its question."""
        if exchange.quote:
            return saying(how, one_line(exchange.quote), about(self.deck, exchange))
        return of_question(how, exchange)

    def saying_same(self, how: str, exchange: Exchange) -> list[Memory]:
        """Return the memories of any agent that say the same about the words or question of this exchange.

        Only memories about this deck are returned.
        """
        kept, tag = memories(self.db, presenter=self.presenter), deck_tag(self.deck)
        mine = [one for one in kept if tag in one.tags]
        if not exchange.quote:
            return [one for one in mine if says_question(one, how, exchange)]
        words, of_what = one_line(exchange.quote), about(self.deck, exchange)
        return [one for one in mine if says(one, how, words, of_what)]

    def write(
        self,
        agent: str,
        type_: str,
        content: str,
        sure: float,
        tag: str,
        source: str,
        supersedes: str | None = None,
    ) -> None:
        """Store a memory about this deck."""
        tags = (tag, deck_tag(self.deck))
        memory = Memory("", agent, self.presenter, type_, content, sure, tags, source, self.now)
        written = keep(self.db, memory, supersedes=supersedes, confirms=True)
        if written.is_new:
            self.written.append(written.memory)

    def propose(self, noted: Noted, source: str) -> None:
        """Propose a stated goal, unless it is too long to be stored whole or must not leave the session."""
        if self.has_to_stay(noted.text) or len(noted.text) > MAX_GOAL_CHARS:
            return
        with suppress(MemoryRefusedError):  # there are enough of them
            goal = add_goal(self.db, self.presenter, noted.text, self.now, state="proposed", source=source)
            if goal.source == source:
                self.goals.append(goal)

    def move_goals(self, exchange: Exchange) -> None:
        """Record the exchange for each goal that shares two content words with its question."""
        asked = stems(f"{exchange.quote or ''} {exchange.turns[0].question}")
        for goal in goals(self.db, self.presenter, include_done=False):
            own = stems(goal.text)
            if len(own & asked) >= min(_SHARED_STEMS, len(own)) > 0:
                move_goal(self.db, goal.id, f"{self.session}/{exchange.id}", self.now)
