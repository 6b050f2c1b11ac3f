"""Sessions of presenters who agreed to be remembered, with memory at their start and end; for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.core.clock import utc_now
from orchestrator.material.values import Deck
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import carried_into
from orchestrator.memory.presenter import set_consent
from orchestrator.memory.session_memory import Guard, take_along
from orchestrator.panel.engines.by_name import engine_named
from orchestrator.panel.home import Home
from orchestrator.panel.loop.plan import StartOptions, read_source
from orchestrator.panel.loop.session_folder import start_session
from orchestrator.panel.model.carryover import CarryOver
from orchestrator.panel.records.setup import Options
from orchestrator.rehearsal.session import Session

DECK = """# Harbour ferries

---

# Where we stand

- Revenue grew 18% to EUR 4.2M in 2026
- We are the leading ferry operator on the estuary

---

# The ask

- We ask for EUR 1.8M
- We will double the fleet by 2028
"""


def agree(home: Path, *presenters: str) -> None:
    """These presenters agree to be remembered."""
    with MemoryDatabase.open(home) as db:
        for name in presenters:
            set_consent(db, name, True, utc_now())


def begun(home: Path, id: str, presenter: str = "Ines", deck: str = DECK, **given: Any) -> Session:
    """A session that carries over what there is, as `Session.start` will."""
    guard, taken = Guard(), []

    def carry(options: Options, of: Deck) -> CarryOver:
        found = guard.call("memory", lambda: take_along(home, options, of, now=utc_now()), None)
        taken.append(found)
        return found.carried if found is not None else CarryOver()

    options = {"remember": True, **given}
    engine = engine_named("offline")
    at = Home.open(home)
    root = start_session(
        at, read_source(None, deck), StartOptions(id=id, presenter=presenter, **options), engine, carry=carry
    )
    session = Session.open(at, root, engine=engine)
    guard.tell(session.rehearsal.store)
    if taken[0] is not None:
        carried_into(home, id, taken[0].memory_ids)
    return session


def over(session: Session) -> None:
    """End it and close it."""
    session.end()
    session.close()


def rehearsed(home: Path, id: str, presenter: str = "Ines", questions: int = 2, **given: Any) -> Session:
    """A whole short session: so many questions about words of the deck, without an answer; closed.

    Questions about the deck as a whole may come between; they get no answer either.
    """
    session = begun(home, id, presenter, **given)
    for _ in range(2 * questions + 2 if questions else 0):
        enough = sum(one.quote is not None for one in session.projection.exchanges) >= questions
        if enough or session.ask() is None:
            break
        session.answer(None)
    over(session)
    return session
