"""Commands that keep: archive, restore; and words for what is not built yet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Endpoint, Name, opened, s3_options
from orchestrator.cli.stopping import told_if_stopped
from orchestrator.errors import GreenroomError

LATER = {
    "serve": "`serve`, the room in the browser",
    "review": "`review`, the review pages",
}
"""Commands of the contract that this release does not have yet: one line, exit 1."""


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for command in (archive, restore):
        app.command()(command)
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    for name, what in LATER.items():
        app.command(name, hidden=True, context_settings=anything)(_later(what))


def _later(what: str) -> Callable[[], None]:
    def command() -> None:
        raise GreenroomError(f"not built yet: {what}; the README says what is")

    return command


def archive(
    session: Name,
    to: Annotated[str, typer.Option(metavar="URL", help="A folder, file://… or s3://bucket/prefix.")],
    endpoint_url: Endpoint = None,
) -> None:
    """Archive an ended session, read it back, and compare.

    The archive is a BagIt bag.
    """
    screen = Screen.current
    rest = "what was sent is kept: the same command sends the rest"
    with told_if_stopped(lambda: rest), opened(session) as found:
        done = found.archive(to, endpoint_url=endpoint_url)
    plain = {"session": done.session, "archive": done.archive, "objects": done.objects, "sent": done.sent}
    screen.result(plain, f"{done.archive}: {done.objects} objects, {done.sent} sent, all read back and equal")


def restore(
    session: Annotated[str, typer.Argument(metavar="ID", help="The archived session's id.")],
    from_: Annotated[str, typer.Option("--from", metavar="URL", help="The archive.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the session folder goes.")],
    endpoint_url: Endpoint = None,
) -> None:
    """Bring an archived session back as a folder, verified."""
    from orchestrator.archive.download import restore as bring_back

    path = bring_back(session, from_, into, **s3_options(endpoint_url))
    Screen.current.result({"session": session, "path": str(path)}, f"restored to {path}")
