"""What several commands need: opening a session by its argument, Ctrl-C between steps, pacing."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from orchestrator.cli.screen import Screen

if TYPE_CHECKING:
    from orchestrator.session import Session


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
    import os

    return {"endpoint_url": endpoint_url or os.environ.get("GREENROOM_S3_ENDPOINT")}


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
