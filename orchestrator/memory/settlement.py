"""Settling: what agents proposed in a session moves to long-term memory when the session ends.

Only with the presenter's consent, and all in one transaction. Each proposal moves at most once: a
second call moves what was proposed since the first, and does not bring back what was forgotten in
between. What somebody said off the record, or what quotes it, stays in the session.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from orchestrator.layout import MODERATOR
from orchestrator.loop.state import Options
from orchestrator.memory.consent import name_in
from orchestrator.memory.database import MemoryDatabase, existing, note
from orchestrator.memory.errors import MemoryRefusedError
from orchestrator.memory.memories import write_memory
from orchestrator.memory.model import Scratchpad, Written
from orchestrator.memory.notebook import silence
from orchestrator.memory.proposals import Proposals, ProposedMemory, ProposedPage
from orchestrator.memory.rules import checked_time
from orchestrator.memory.scratchpads import update_scratchpad
from orchestrator.privacy.off_record import is_clean
from orchestrator.store.ledger import Record
from orchestrator.store.store import Store

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
        if (reason := silence(db, presenter)) is not None:
            return Settled(reason=reason)
        name, at = name_in(db, presenter), checked_time(now)
        before, last = _settled_before(connection, name, session), max(proposals.seqs)
        memories, pages, refused, left_out = list[Written](), list[Scratchpad](), list[str](), 0
        things: list[ProposedMemory | ProposedPage] = [*proposals.memories]
        things += {page.agent: page for page in proposals.pages}.values()
        for proposal in things:
            if proposal.seq <= before:
                continue
            text = _text_of(proposal)
            if stays(text) or not is_clean(text):
                left_out += 1
                continue
            try:
                if isinstance(proposal, ProposedMemory):
                    memories.append(_move(db, proposal, name, session, at))
                else:
                    pages.append(update_scratchpad(db, proposal.agent, name, proposal.content, at))
            except MemoryRefusedError as error:  # a later release may have other rules
                refused.append(f"{_name_of(proposal)}: {error}")
        if last > before:
            note(connection, at, _SETTLED, name, f"{session}/{last}", None)
    return Settled(tuple(memories), tuple(pages), left_out, tuple(refused))


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
    notes = [store.record(entry.seq) for entry in store.entries() if entry.op == "note"]
    with existing(home_root) as db:
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


def _text_of(proposal: ProposedMemory | ProposedPage) -> str:
    if isinstance(proposal, ProposedPage):
        return proposal.content
    return "\n".join((proposal.draft.content, *proposal.draft.tags))


def _name_of(proposal: ProposedMemory | ProposedPage) -> str:
    what = proposal.id if isinstance(proposal, ProposedMemory) else "scratchpad"
    return f"{proposal.agent}, {what}"


def _move(db: MemoryDatabase, proposal: ProposedMemory, presenter: str, session: str, now: str) -> Written:
    draft = proposal.draft
    return write_memory(
        db,
        agent=proposal.agent,
        presenter=presenter,
        type=draft.type,
        content=draft.content,
        confidence=draft.confidence,
        tags=draft.tags,
        source=f"{session}/{proposal.seq}",
        now=now,
        confirms=True,
    )
