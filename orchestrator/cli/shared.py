"""What several commands need: opening a session by its argument, Ctrl-C between steps, pacing."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from orchestrator.cli.screen import Screen
from orchestrator.errors import ConfigurationError, GreenroomError

if TYPE_CHECKING:
    from orchestrator.home.folder import Home
    from orchestrator.session import Session


class StoppedError(GreenroomError):
    """Ctrl-C ended a command; the message says what there is and how to go on."""


@contextmanager
def opened(name: str) -> Iterator[Session]:
    """The session that a command names, for reading and writing."""
    from orchestrator.session import Session

    screen = Screen.current
    home = screen.open_home()
    with Session.open(home, name, on_repair=screen.repaired, say=screen.warn) as session:
        yield session


@contextmanager
def looked_at(name: str) -> Iterator[Session]:
    """The session that a read-only command names; also one in an archive, by `URL/ID`."""
    from orchestrator.session import Session

    if "://" not in name:
        path = Path(name)
        if not (path.is_dir() and (path / "tagmanifest-sha256.txt").is_file()):
            with opened(name) as session:
                yield session
            return
    from orchestrator.archive.upload import fetch

    url, _, session_id = name.rstrip("/").rpartition("/")
    with tempfile.TemporaryDirectory(prefix="greenroom-") as folder:
        root = fetch(session_id, url, Path(folder), **s3_options())
        with Session.open(None, root) as session:
            yield session


def s3_options(endpoint_url: str | None = None) -> dict[str, str | None]:
    """Where S3 is, by option or environment."""
    return {"endpoint_url": endpoint_url or os.environ.get("GREENROOM_S3_ENDPOINT")}


def check_address(engine: str) -> None:
    """Refuse an address of the service that is none, before anything is asked of it.

    Raises:
        ConfigurationError: It has no http:// or https:// before it. The address itself is not said.
    """
    address = os.environ.get("ANTHROPIC_BASE_URL", "")
    if engine == "claude" and address and not address.lower().startswith(("http://", "https://")):
        raise ConfigurationError("ANTHROPIC_BASE_URL must begin with http:// or https://: put it before")


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """A question that is true once Ctrl-C was pressed; a second Ctrl-C stops at once."""
    pressed = False

    def press(_signal: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def told_if_stopped(where_it_stands: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C anywhere in the block ends the command with one line: "stopped", and where things stand.

    Raises:
        StoppedError: It was pressed.
    """
    try:
        yield
    except KeyboardInterrupt:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one takes nobody's line away
        try:
            raise StoppedError(f"stopped; {where_it_stands()}") from None
        finally:
            signal.signal(signal.SIGINT, before)


def how_to_go_on(home: Home, root: Path) -> str:
    """What a command that was stopped has left of the session at *root*, and which one goes on with it."""
    if not root.is_dir():
        return "nothing was made"
    command = Screen.current.command
    name = root.name if root.parent == home.sessions else str(root)
    from orchestrator.session import Session

    try:
        with Session.open(home, root) as session:
            if session.is_to_be_archived:
                return f"{name} has ended and is not archived yet: go on with `{command} resume {name}`"
            if session.room.ended:
                return f"{name} has ended: see `{command} debrief {name}`"
            if session.state == "active" and not session.has_more_to_play:
                return f"{name} is active: go on with `{command} feed {name} SPEECH`"
    except GreenroomError:
        pass  # `resume` says what is wrong with it, and mends what can be mended
    return f"go on with `{command} resume {name}`"


def pacer(speed: str, stop: Callable[[], bool]) -> Callable[[float], None] | None:
    """Waits until a recording's moment comes, at *speed* times its own pace; None at `max`.

    Raises:
        UsageError: *speed* is neither a positive number nor `max`.
    """
    from orchestrator.errors import UsageError

    if speed == "max":
        return None
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise UsageError(f"--speed {speed!r}: give a number above 0, or max")
    began: list[float] = []

    def wait(at_s: float) -> None:
        if not began:
            began.append(time.monotonic() - at_s / factor)
        while not stop() and (left := began[0] + at_s / factor - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))

    return wait
