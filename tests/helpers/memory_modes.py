"""The panel's tests with memory off, on, and failing: none of them may notice.

`TEST_MEMORY=off|on|failing` before pytest chooses, for every test and every program that it starts.
As a program, what `.ci/run` does: the panel's tests, once for each. Arguments go to pytest::

    python -m tests.helpers.memory_modes [ARGUMENTS...]

off      memory, facts and trace are switched off, and whoever reaches into them all the same fails.
on       every session that does not say otherwise is remembered, under a name, and carries something
         over from earlier ones.
failing  the same, and the database, the Scribe, the summariser and the trace raise whenever asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Never

if TYPE_CHECKING:
    from orchestrator.memory.database import MemoryDatabase
    from orchestrator.panel.home import Home

ROOT: Final = Path(__file__).resolve().parents[2]
VARIABLE: Final = "TEST_MEMORY"  # not GREENROOM_: those are deleted, and unknown ones refused
MODES: Final = ("off", "on", "failing")

PANEL_TESTS: Final = (
    "loop",
    "debrief",
    "engines/test_evidence.py",
    "engines/test_offline_judging.py",
    "engines/test_offline_quotable.py",
    "engines/test_offline_questions.py",
    "engines/test_scripted_engine.py",
    "project/test_flow.py",
    "speech/test_delivery.py",
    "templates/test_panel.py",
)
"""Below `tests/`: who asks what and when, what becomes of answers, and what is told at the end."""

name: str | None = "Ines"
"""Of presenters whom a test does not name; None while a test marked `nameless` runs."""
PAGE: Final = "## An earlier plan (2026-10-01)\n\n- Gives figures without their period.\n"
LESSON: Final = "Answers best when asked for one figure at a time."


class MemoryReachedError(BaseException):
    """Memory is switched off, and something went into it; no guard catches this."""


class BrokenError(Exception):
    """What failing parts raise: of no class that anything in the program expects."""


applied: str | None = None
"""What this process has: a worker of pytest-xdist gets it at its start, and again from conftest."""


def apply(mode: str) -> None:
    """Give this process, and those that it starts, memory of this mode; a second time replaces nothing.

    Raises:
        ValueError: There is no such mode.
    """
    if mode not in MODES:
        raise ValueError(f"{VARIABLE}={mode}: use one of {', '.join(MODES)}")
    here = str(Path(__file__).with_name("in_every_process"))
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join([here, *(path for path in paths if path not in ("", here))])
    if mode == "off":
        for key in ("MEMORY", "FACTS", "TRACE"):
            os.environ[f"GREENROOM_{key}"] = "false"
    global applied
    if applied == mode:  # what stands in for the real thing may not be taken for it
        return
    applied = mode
    if mode == "off":
        _replace_all(_reached)
        return
    _remember_all()
    if mode == "failing":
        _replace_all(_broken)


def _reached(*_: Any, **__: Any) -> Never:
    raise MemoryReachedError("memory is off, and was reached")


def _broken(*_: Any, **__: Any) -> Never:
    raise BrokenError("fails for the test")


def _replace_all(stand_in: Callable[..., Never]) -> None:
    """Every way from a session into memory."""
    from orchestrator.memory.database import MemoryDatabase
    from orchestrator.memory.scribe import Scribe
    from orchestrator.memory.summariser import Summariser
    from orchestrator.memory.trace import Snapshots

    ways = {
        MemoryDatabase: ("open",),
        Scribe: ("take", "context"),
        Summariser: ("__init__", "run_if_due", "run_at_end", "run"),
        Snapshots: ("__init__", "write"),
    }
    for owner, names in ways.items():
        for name in names:
            setattr(owner, name, stand_in)


def _remember_all() -> None:
    """Every session is remembered, and each agent has a page and a memory to bring along."""
    from orchestrator.memory.database import MemoryDatabase
    from orchestrator.panel.records.setup import UNNAMED
    from orchestrator.rehearsal.session import Session

    opened = MemoryDatabase.open  # the real one, whatever takes its place
    started: Callable[..., Session] = Session.start.__func__  # type: ignore[attr-defined]  # not bound yet

    def remembered(cls: type[Session], home: Home, *decks: Any, **options: Any) -> Session:
        if options.get("presenter") in (None, UNNAMED):
            if name is None:  # then it cannot be remembered
                return started(cls, home, *decks, **options)
            options["presenter"] = name
        if not options.setdefault("remember", True):  # a drill says itself that it is not
            return started(cls, home, *decks, **options)
        if home.config.memory:
            _bring_along(home, options["presenter"], opened)
        return started(cls, home, *decks, **options)

    Session.start = classmethod(remembered)  # type: ignore[assignment]


def _bring_along(home: Home, presenter: Any, opened: Callable[[Path], MemoryDatabase]) -> None:
    from orchestrator.core.clock import utc_now
    from orchestrator.core.errors import GreenroomError
    from orchestrator.memory.notebook import update_scratchpad
    from orchestrator.memory.presenter import set_consent
    from tests.helpers.memories import write_memory

    now = utc_now()
    with opened(home.root) as db:
        try:
            set_consent(db, presenter, True, now)
            for agent in home.panelists():
                update_scratchpad(db, agent, presenter, PAGE, now)
                write_memory(
                    db,
                    agent=agent,
                    presenter=presenter,
                    type="lesson",
                    content=LESSON,
                    confidence=0.8,
                    now=now,
                )
        except (GreenroomError, TypeError):  # a name that cannot be kept: what a start makes of it is tested
            pass


def main(arguments: list[str]) -> int:
    """The panel's tests in each mode; 1 if any fails in any."""
    files = [f"tests/{name}" for name in PANEL_TESTS]
    failed = []
    for mode in MODES:
        print(f"-- memory {mode}", flush=True)  # noqa: T201 (a program)
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            "2",
            "-q",
            "-m",
            "not slow and not own_memory",
            *files,
            *arguments,
        ]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, VARIABLE: mode}, check=False)
        failed += [mode] if done.returncode else []
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
