"""All that is kept about one presenter, as plain JSON: theirs to read and to take away."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from orchestrator.memory.consent import consented, name_in
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.dismissals import dismissals_json
from orchestrator.memory.goals import goals
from orchestrator.memory.memories import history, left, memories
from orchestrator.memory.model import Scratchpad
from orchestrator.memory.scratchpads import earlier_scratchpads, scratchpads


def export(db: MemoryDatabase, presenter: str) -> dict[str, Any]:
    """Everything about *presenter* but vectors, which are made from the contents: of one moment."""
    name = name_in(db, presenter)
    with db.reading():
        pages = scratchpads(db, name)
        return {
            "presenter": name,
            "consented": consented(db, name),
            "memories": [asdict(one) for one in memories(db, presenter=name, include_superseded=True)],
            "left": [{**asdict(one.memory), "left_at": one.left_at} for one in left(db, presenter=name)],
            "scratchpads": [
                {
                    **scratchpad_json(page),
                    "earlier": [
                        {"content": one.content, "updated_at": one.updated_at}
                        for one in earlier_scratchpads(db, page.agent, name)
                    ],
                }
                for page in pages
            ],
            "goals": [asdict(one) for one in goals(db, name)],
            "dismissed": dismissals_json(db, name),
            "history": [asdict(one) for one in history(db, name)],
        }


def scratchpad_json(page: Scratchpad) -> dict[str, Any]:
    """One page as commands and tools print it."""
    return {**asdict(page), "characters": len(page.content)}
