"""Ctrl-C, SIGTERM and SIGHUP: stopping between two steps or at once, and the line that says how to go on."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from orchestrator.cli import signals
from orchestrator.cli.screen import Screen
from orchestrator.core.errors import GreenroomError

if TYPE_CHECKING:
    from orchestrator.panel.home import Home


class StoppedError(GreenroomError):
    """Ctrl-C or another signal ended a command; the message says what is left and how to go on."""


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed; a second Ctrl-C stops at once."""
    pressed = False

    def press(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signals.press_again_after_grace()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signals.press_no_more()
        signal.signal(signal.SIGINT, before)


@contextmanager
def told_if_stopped(where_it_stands: Callable[[], str]) -> Iterator[None]:
    """End the command after a Ctrl-C in the block, with one line: "stopped" and the state.

    Raises:
        StoppedError: Ctrl-C was pressed, or SIGTERM or SIGHUP came.
    """
    try:
        yield
    except KeyboardInterrupt:
        with signals.undisturbed():
            raise StoppedError(f"stopped; {where_it_stands()}") from None


def told_if_ended(where_it_stands: Callable[[], str]) -> None:
    """Report the signal that ended something that is meant to end at a Ctrl-C, such as a live feed or a
    server.

    Raises:
        StoppedError: SIGTERM or SIGHUP came.
    """
    if signals.ended_by() is not None:
        with signals.undisturbed():
            raise StoppedError(f"stopped; {where_it_stands()}")


def how_to_go_on(home: Home, root: Path) -> str:
    """Return a line about the session that a stopped command has left at *root*, with the next command."""
    if not root.is_dir():
        return "nothing was made"
    command = Screen.current.command
    name = root.name if root.parent == home.sessions else str(root)
    from orchestrator.documents.opening import archived_at, is_rehearsal, open_any

    try:
        with open_any(home, root) as session:
            if not is_rehearsal(session):
                if session.state != "ended":
                    return f"{name} is {session.state}: see `{command} show {name}`"
                if archived_at(session) is None:
                    return f"{name} has ended and is not archived yet: go on with `{command} end {name}`"
                return f"{name} has ended: see `{command} show {name}`"
            if session.is_to_be_archived:
                return f"{name} has ended and is not archived yet: go on with `{command} resume {name}`"
            if session.projection.ended:
                return f"{name} has ended: see `{command} debrief {name}`"
            if session.state == "active" and not session.has_more_to_play:
                return f"{name} is active: go on with `{command} feed {name} SPEECH`"
    except (GreenroomError, OSError):
        pass  # `resume` says what is wrong with it, and mends what can be mended
    return f"go on with `{command} resume {name}`"


@contextmanager
def told_of_new(home: Home, options: dict[str, Any]) -> Iterator[None]:
    """Report, after a Ctrl-C in the block that makes a session, what is left of it; set its id before.

    Before the block, report the seats that are left out of the panel since they are still drafts.
    """
    for name in home.drafts() if options.get("panel") is None else ():
        Screen.current.note(
            f"note: {name} does not sit: its files are still a draft; "
            f"{Screen.current.command} panel check {name} says what to write"
        )
    if options.get("id") is None:
        options["id"] = home.new_id()
    root = home.sessions / options["id"]
    was_there = root.exists()  # then the block refuses; what is there is not its own
    with told_if_stopped(lambda: "nothing was made" if was_there else how_to_go_on(home, root)):
        yield
