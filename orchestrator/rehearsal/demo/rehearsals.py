"""The two rehearsals of the demonstration, a week apart; at the second one the panel remembers the first.

The replies of the model come from a recording (`engines/recorded.py`), so they are the same each time; the
program treats them as in any session. The presenter is remembered in a memory that only the demonstration
uses, and that each run empties.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from orchestrator.core.errors import UsageError
from orchestrator.core.packaged import PACKAGE
from orchestrator.material.speech.read import read_speech
from orchestrator.memory.database import NAME
from orchestrator.panel.answers import read_answers
from orchestrator.panel.engines.protocol import Engine
from orchestrator.panel.home import Home
from orchestrator.panel.loop.recorded import Loading
from orchestrator.rehearsal.rehearsal import Rehearsal

FOLDER: Final = PACKAGE / "rehearsal" / "demo"
PRESENTER: Final = "Dana Whitfield"
PANEL: Final = ("skeptic", "analyst", "contrarian")
"""The panelists for whom replies have been recorded."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act of the demonstration: its files in this folder, its day, and the number of questions that
    fit in."""

    deck: str
    speech: str
    answers: str
    date: str  # YYYY-MM-DD: what agents read as the day
    exchanges: int
    in_full: tuple[str, ...]  # the exchanges that the terminal shows word for word


ACTS: Final = (
    Act("deck.md", "speech.vtt", "answers-to-a-model.yaml", "2026-12-01", 5, ("x1", "x2")),
    Act(
        "deck-a-week-later.md",
        "speech-a-week-later.vtt",
        "answers-a-week-later.yaml",
        "2026-12-08",
        3,
        ("x2",),
    ),
)


def begin_act(home: Home, act: Act, engine: Engine, **options: Any) -> Rehearsal:
    """Start the session of *act*, ready to be played; *options* are those of `Rehearsal.start`."""
    loading = Loading(read_speech(FOLDER / act.speech), "run", read_answers(FOLDER / act.answers))
    return Rehearsal.start(
        home,
        FOLDER / act.deck,
        engine=engine,
        loading=loading,
        presenter=PRESENTER,
        panel=PANEL,
        date=act.date,
        exchanges=act.exchanges,
        intensity="moderate",
        mode="section-breaks",
        minutes=20,
        remember=True,
        **options,
    )


@contextmanager
def memory_begun_anew(home: Home) -> Iterator[None]:
    """Delete what earlier demonstrations remembered, and keep other demonstrations out during the block.

    Raises:
        UsageError: Another demonstration is being played in this home.
    """
    home.demo.mkdir(exist_ok=True)
    with (home.demo / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another demonstration is being played in {home.root}: wait until it has ended"
            ) from None
        for part in ("", "-wal", "-shm"):
            (home.demo / f"{NAME}{part}").unlink(missing_ok=True)
        yield
