"""Settling: what agents proposed in a session moves to long-term memory when the session ends.

Only with the presenter's consent, and all in one transaction. Each proposal moves at most once: a
second call moves what was proposed since the first, and does not bring back what was forgotten in
between. What somebody said off the record, or what quotes it, stays in the session.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from orchestrator.layout import MODERATOR
from orchestrator.ledger import Record
from orchestrator.memory.consent import name_in
from orchestrator.memory.database import MemoryDatabase, note
from orchestrator.memory.errors import MemoryRefusedError
from orchestrator.memory.memories import write_memory
from orchestrator.memory.model import Scratchpad, Written
from orchestrator.memory.notebook import silence
from orchestrator.memory.off_record import is_clean
from orchestrator.memory.proposals import Proposals, ProposedMemory, ProposedPage
from orchestrator.memory.rules import checked_time
from orchestrator.memory.scratchpads import update_scratchpad
from orchestrator.room import Options
from orchestrator.store import Store

_SETTLED: Final = "settled"
"""In the history: "<session>/<record>", the last proposal that was moved."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a session's proposals."""

    memories: tuple[Written, ...] = ()
    pages: tuple[Scratchpad, ...] = ()
    left_out: int = 0  # proposals that are to stay in the session
    refused: tuple[str, ...] = ()  # why, for each proposal that could not be kept
    reason: str | None = None  # why nothing was moved at all


@dataclass(slots=True)
class _Settling:
    """One settling under way."""

    db: MemoryDatabase
    session: str
    presenter: str
    now: str
    stays: Callable[[str], bool]
    memories: list[Written] = field(default_factory=list)
    pages: list[Scratchpad] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    left_out: int = 0


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
        session: Its id.
        stays: Whether a text quotes what was marked sensitive (`Scribe.stays`).
        now: RFC 3339, UTC.

    Raises:
        MemoryDatabaseError: The disk refused; nothing has changed, and it can be done again.
    """
    proposals = Proposals()
    for record in records:
        proposals.take(record)
    if not proposals.seqs:
        return Settled()
    if db is None:
        return Settled(reason=silence(None, presenter))
    with db.transaction() as connection:
        reason = silence(db, presenter)
        if reason is not None:
            return Settled(reason=reason)
        name = name_in(db, presenter)
        before = _settled_before(connection, name, session)
        under_way = _Settling(db, session, name, checked_time(now), stays)
        for proposal in proposals.memories:
            if proposal.seq > before:
                _move(under_way, proposal)
        for page in {page.agent: page for page in proposals.pages}.values():
            if page.seq > before:
                _move_page(under_way, page)
        last = max(proposals.seqs)
        if last > before:
            note(connection, under_way.now, _SETTLED, name, f"{session}/{last}", None)
    return Settled(
        tuple(under_way.memories), tuple(under_way.pages), under_way.left_out, tuple(under_way.refused)
    )


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
    if not options.remember or not MemoryDatabase.exists(home_root):
        return Settled()
    store.catch_up()
    notes = [store.record(entry.seq) for entry in store.entries() if entry.op == "note"]
    with MemoryDatabase.open(home_root) as db:
        done = settle(notes, db, session=options.id, presenter=options.presenter, stays=stays, now=now)
    if done.memories or done.pages or done.left_out:
        value = {
            "type": _SETTLED,
            "memories": [written.memory.id for written in done.memories],
            "scratchpads": [page.agent for page in done.pages],
            "left_out": done.left_out,
        }
        store.note(value, by=MODERATOR)
    return done


def _settled_before(connection: sqlite3.Connection, presenter: str, session: str) -> int:
    """The last proposal of this session that was moved; 0: none was."""
    below = f"{session}/"
    rows = connection.execute(
        "SELECT item FROM history WHERE presenter = ? AND act = ? AND substr(item, 1, ?) = ?",
        (presenter, _SETTLED, len(below), below),
    )
    return max((int(item.removeprefix(below)) for (item,) in rows), default=0)


def _move(under_way: _Settling, proposal: ProposedMemory) -> None:
    draft = proposal.draft
    if _has_to_stay(under_way, "\n".join((draft.content, *draft.tags))):
        return
    try:
        written = write_memory(
            under_way.db,
            agent=proposal.agent,
            presenter=under_way.presenter,
            type=draft.type,
            content=draft.content,
            confidence=draft.confidence,
            tags=draft.tags,
            source=f"{under_way.session}/{proposal.seq}",
            now=under_way.now,
            confirms=True,
        )
    except MemoryRefusedError as error:  # a later release may have other rules
        under_way.refused.append(f"{proposal.agent}, {proposal.id}: {error}")
        return
    under_way.memories.append(written)


def _move_page(under_way: _Settling, page: ProposedPage) -> None:
    if _has_to_stay(under_way, page.content):
        return
    try:
        moved = update_scratchpad(under_way.db, page.agent, under_way.presenter, page.content, under_way.now)
    except MemoryRefusedError as error:
        under_way.refused.append(f"{page.agent}, scratchpad: {error}")
        return
    under_way.pages.append(moved)


def _has_to_stay(under_way: _Settling, text: str) -> bool:
    if is_clean(text) and not under_way.stays(text):
        return False
    under_way.left_out += 1
    return True
