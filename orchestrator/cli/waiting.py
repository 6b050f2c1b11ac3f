"""Reports on stderr of what a model is asked while the user waits, so that the screen is never silent for
minutes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, RLock, Thread
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final

from orchestrator.cli.screen import Screen, columns
from orchestrator.core.legible import printable
from orchestrator.panel.engines.in_flight import Calls

if TYPE_CHECKING:
    from orchestrator.panel.loop.rehearsal import OpenRehearsal
    from orchestrator.rehearsal.rehearsal import Rehearsal


# ---------------------------------------------------------------------- waiting


SHOWN_AFTER_S: Final = 2.0
"""Seconds after which a call is reported; a shorter call is not felt as a wait."""
EVERY_S: Final = 0.5
"""Seconds between two updates of the terminal's line."""
LINES_EVERY_S: Final = 10.0
"""Minimum seconds between two lines if stderr is a file or a pipe."""


class Waiting:
    """The calls of one command, and the thread that reports them."""

    current: ClassVar[Waiting | None] = None

    def __init__(self) -> None:
        """Prepare to report calls, without reporting any yet."""
        self.calls = Calls()
        self.is_muted = False
        self._is_over = Event()
        self._lock = RLock()  # the line and what else is written on stderr, one after the other
        self._shown = 0  # columns of the line that stands at the terminal
        self._told_at: float | None = None
        self._thread = Thread(target=self._run, name="waiting", daemon=True)

    def begin(self) -> None:
        """Start to check the calls at intervals."""
        self._thread.start()

    def end(self) -> None:
        """Stop reporting."""
        self._is_over.set()
        self.clear()

    def clear(self) -> None:
        """Remove the line from the terminal, so that something else can be written."""
        with self._lock:
            if self._shown:
                self._write(f"\r{' ' * self._shown}\r")
                self._shown = 0

    def _run(self) -> None:
        is_terminal = sys.stderr.isatty()
        while not self._is_over.wait(EVERY_S):
            with self._lock:
                if self._is_over.is_set() or self.is_muted:
                    continue
                line = self.calls.line(after_s=SHOWN_AFTER_S)
                if line is None:
                    self.clear()
                elif is_terminal:
                    self._rewrite(printable(line))
                elif self._told_at is None or monotonic() - self._told_at >= LINES_EVERY_S:
                    self._told_at = monotonic()
                    self._write(f"{printable(line)}\n")

    def _rewrite(self, line: str) -> None:
        line = line[: columns(sys.stderr) - 1]
        self._write(f"\r{line.ljust(self._shown)}")
        self._shown = len(line)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody reads it any more: what is said by the way is not missed
            self._is_over.set()


@contextmanager
def waiting() -> Iterator[Waiting]:
    """Report the calls that are made in the block, except with --json or --quiet."""
    found = Waiting()
    if Screen.current.json or Screen.current.quiet or sys.stderr is None:
        yield found
        return
    before, Waiting.current, Screen.clear = (Waiting.current, Screen.clear), found, found.clear
    found.begin()
    try:
        yield found
    finally:
        found.end()
        Waiting.current, Screen.clear = before


@contextmanager
def muted() -> Iterator[None]:
    """Report nothing in the block, which needs the terminal for itself."""
    found = Waiting.current
    if found is None:
        yield
        return
    found.is_muted = True
    found.clear()
    try:
        yield
    finally:
        found.is_muted = False


# ---------------------------------------------------------------------- progress
# A progress bar for long playbacks; nothing where nobody watches.


@contextmanager
def progress(session: Rehearsal, shown: bool) -> Iterator[Callable[[OpenRehearsal], None]]:
    """Yield a callback for every step of a playback."""
    loaded = session.projection.playback
    if not shown or loaded is None or not loaded.segments:
        yield lambda rehearsal: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    from orchestrator.panel.engines.protocol import Watched

    engine = session.rehearsal.engine

    class Asking(ProgressColumn):
        """A column that shows what a model is asked while the user waits."""

        def render(self, task: Task) -> Text:
            line = engine.calls.line(after_s=SHOWN_AFTER_S) if isinstance(engine, Watched) else None
            return Text(line or "")

    columns = (
        TextColumn("rehearsing"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} segments"),
        Asking(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(loaded.segments))

        def step(rehearsal: OpenRehearsal) -> None:
            bar.update(task, completed=rehearsal.projection.played)

        yield step
