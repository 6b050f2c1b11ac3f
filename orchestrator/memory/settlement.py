"""Settling: what agents proposed in a session moves to long-term memory when the session ends.

Only with the presenter's consent, and all in one transaction. Each proposal moves at most once: a
second call moves what was proposed since the first, and does not bring back what was forgotten in
between. What somebody said off the record, or what quotes it, stays in the session.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from orchestrator.layout import MODERATOR
from orchestrator.loop.state import Options
from orchestrator.memory.consent import name_in, refusal, silence
from orchestrator.memory.database import MemoryDatabase, existing, note
from orchestrator.memory.errors import MemoryRefusedError
from orchestrator.memory.memories import keep
from orchestrator.memory.model import Memory, Scratchpad, Written
from orchestrator.memory.proposals import Proposal, proposed
from orchestrator.memory.scratchpads import update_scratchpad
from orchestrator.memory.validation import checked_time
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
    found = [(record.seq, one) for record in records if (one := proposed(record, presenter)) is not None]
    if not found:
        return Settled()
    if db is None:
        return Settled(reason=refusal(presenter))
    with db.transaction() as connection:
        if (reason := silence(db, presenter)) is not None:
            return Settled(reason=reason)
        whose, at = name_in(db, presenter), checked_time(now)
        before, last = _settled_before(connection, whose, session), found[-1][0]
        moved, refused, left_out = list[Written | Scratchpad](), list[str](), 0
        for name, (seq, one) in {_name(one): (seq, one) for seq, one in found if seq > before}.items():
            if stays(one.words) or not is_clean(one.words):
                left_out += 1
                continue
            try:
                moved.append(_move(db, one, whose, f"{session}/{seq}", at))
            except MemoryRefusedError as error:  # a later release may have other rules
                refused.append(f"{name}: {error}")
        if last > before:
            note(connection, at, _SETTLED, whose, f"{session}/{last}", None)
    memories = tuple(one for one in moved if isinstance(one, Written))
    pages = tuple(one for one in moved if isinstance(one, Scratchpad))
    return Settled(memories, pages, left_out, tuple(refused))


def _name(proposal: Proposal) -> str:
    """Of each memory its own; of the pages of one agent the same, so that the last one counts."""
    return f"{proposal.agent}, {proposal.id if isinstance(proposal, Memory) else 'scratchpad'}"


def _move(
    db: MemoryDatabase, proposal: Proposal, presenter: str, source: str, at: str
) -> Written | Scratchpad:
    if isinstance(proposal, Scratchpad):
        return update_scratchpad(db, proposal.agent, presenter, proposal.content, at)
    memory = replace(proposal, presenter=presenter, source=source, created_at=at)
    return keep(db, memory, confirms=True)


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
    rows = connection.execute(
        "SELECT item FROM history WHERE presenter = ? AND act = ? AND session_of(item) = ?",
        (presenter, _SETTLED, session),
    )
    return max((int(item.partition("/")[2]) for (item,) in rows), default=0)
