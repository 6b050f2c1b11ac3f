"""What a session asks of memory: what to take along when it starts, what to keep when it ends.

Two calls, both made through a `Guard`. Nothing else in a rehearsal knows of the Scribe.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.layout import MODERATOR
from orchestrator.memory.carryover import Taken, take_along
from orchestrator.memory.consent import consented
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.flushing import Flushed, flush
from orchestrator.memory.memories import note_carried
from orchestrator.memory.rules import checked_presenter
from orchestrator.memory.scribe import Scribe, scribe_of
from orchestrator.rehearsal import Rehearsal
from orchestrator.room import UNNAMED

__all__ = ["carried_into", "keep_what_matters", "take_along"]


def carried_into(home_root: Path, session: str, taken: Taken) -> None:
    """Note which memories stand in a session's ledger now, so that `forget` can name it.

    Raises:
        MemoryDatabaseError: The disk refused.
    """
    if taken.memory_ids:
        with MemoryDatabase.open(home_root) as db:
            note_carried(db, session, taken.memory_ids)


def keep_what_matters(
    rehearsal: Rehearsal, home_root: Path, *, scribe: Scribe | None = None, now: str
) -> Flushed:
    """The Scribe's flush at the end: to long-term memory, if the presenter agreed; one record tells of it.

    Called after the last exchange is closed and before the debrief. Doing it again adds nothing.

    Args:
        scribe: Its fold of this session, where somebody has it already.

    Raises:
        MemoryDatabaseError: The disk refused; nothing was written.
        StoreError: The record could not be written.
    """
    options, store = rehearsal.options, rehearsal.store
    if not options.remember or options.presenter == UNNAMED or not MemoryDatabase.exists(home_root):
        return Flushed()
    with MemoryDatabase.open(home_root) as db:
        if not consented(db, checked_presenter(options.presenter)):
            return Flushed()
        scribe = scribe or scribe_of(store)
        kept = flush(
            scribe.context(),
            db,
            options.presenter,
            session=options.id,
            deck=rehearsal.scene().deck,
            exchanges=rehearsal.room.exchanges,
            stays=scribe.stays,
            now=now,
        )
    if kept != Flushed():
        value = {
            "type": "flushed",
            "memories": [memory.id for memory in kept.memories],
            "goals": [goal.id for goal in kept.goals],
            "left_out": kept.left_out,
        }
        store.note(value, by=MODERATOR)
    return kept
