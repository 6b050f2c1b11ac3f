"""When a session ends, each panelist is asked once how its own page should stand.

What it answers is a proposal in the session's ledger like any other, so that a session whose
presenter takes the consent back keeps nothing of it.

Source: the scratchpad's seed (001), "updated by the agent at the end of each activation".
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from orchestrator.engines.protocol import ScratchpadRequest
from orchestrator.errors import EngineError
from orchestrator.layout import MODERATOR
from orchestrator.memory.consent import consented
from orchestrator.memory.database import existing
from orchestrator.memory.errors import MemoryRefusedError
from orchestrator.memory.model import MAX_SCRATCHPAD_CHARS
from orchestrator.memory.notebook import Notebook
from orchestrator.memory.proposals import ProposalLog
from orchestrator.privacy.masking import masked

if TYPE_CHECKING:
    from orchestrator.loop.rehearsal import Rehearsal

ASKED: Final = "scratchpads-asked"


def ask_for_pages(rehearsal: Rehearsal, home_root: Path, *, stays: Callable[[str], bool]) -> None:
    """Ask every panelist, unless that was done; one that fails costs its own page and is noted.

    Args:
        stays: Whether a text is, or quotes, what was said off the record: no model is shown that.

    Raises:
        MemoryDatabaseError: The database cannot be read.
    """
    store, options = rehearsal.store, rehearsal.options
    failed: dict[str, str] = {}
    with existing(home_root) as db:
        if db is None or _was_asked(rehearsal) or not consented(db, options.presenter):
            return
        for agent in options.panel:
            of = (agent, options.presenter)
            notebook = Notebook(db, *of, ProposalLog(store, *of))
            request = ScratchpadRequest(
                rehearsal.seats[agent],
                rehearsal.scene(),
                before=_kept_back(notebook.read_page().content, stays),
                day=options.date or store.opened.at[:10],
                limit=MAX_SCRATCHPAD_CHARS,
            )
            context = rehearsal.context(agent, purpose="scratchpad", request=request)
            try:
                page = masked(rehearsal.engine.reply(request, context))
                rehearsal.note_calls()  # first: a page that it proposed by a tool does not replace this one
                notebook.update_page(page)
            except (EngineError, MemoryRefusedError) as error:
                failed[agent] = str(error)
            finally:
                rehearsal.note_calls()
    store.note({"type": ASKED, **({"failed": failed} if failed else {})}, by=MODERATOR)


def _kept_back(page: str, stays: Callable[[str], bool]) -> str:
    """A page without the lines that are to stay in this session."""
    return "".join(line for line in page.splitlines(keepends=True) if not stays(line))


def _was_asked(rehearsal: Rehearsal) -> bool:
    store = rehearsal.store
    notes = (store.record(entry.seq).value for entry in store.entries() if entry.op == "note")
    return any(value is not None and value.get("type") == ASKED for value in notes)
