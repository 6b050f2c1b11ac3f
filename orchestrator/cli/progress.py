"""A progress bar for long playbacks; nothing where nobody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.loop.rehearsal import Rehearsal
    from orchestrator.session import Session


@contextmanager
def progress(session: Session, shown: bool) -> Iterator[Callable[[Rehearsal], None]]:
    """A callback for every step of a playback."""
    loaded = session.projection.playback
    if not shown or loaded is None or not loaded.segments:
        yield lambda rehearsal: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("rehearsing"), BarColumn(), TextColumn("{task.completed}/{task.total} segments"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(loaded.segments))

        def step(rehearsal: Rehearsal) -> None:
            bar.update(task, completed=rehearsal.projection.played)

        yield step
