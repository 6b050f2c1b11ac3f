"""A progress bar for long playbacks; nothing where nobody watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from orchestrator.cli.waiting import SHOWN_AFTER_S

if TYPE_CHECKING:
    from orchestrator.panel.loop.rehearsal import Rehearsal
    from orchestrator.rehearsal.session import Session


@contextmanager
def progress(session: Session, shown: bool) -> Iterator[Callable[[Rehearsal], None]]:
    """A callback for every step of a playback."""
    loaded = session.projection.playback
    if not shown or loaded is None or not loaded.segments:
        yield lambda rehearsal: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    from orchestrator.panel.engines.offers import Watched

    engine = session.rehearsal.engine

    class Asking(ProgressColumn):
        """What a model is asked, while it is waited for."""

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

        def step(rehearsal: Rehearsal) -> None:
            bar.update(task, completed=rehearsal.projection.played)

        yield step
