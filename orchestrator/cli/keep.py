"""Commands that keep: archive, restore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Endpoint, Name, opened, s3_options
from orchestrator.cli.stopping import told_if_stopped


def archive(
    session: Name,
    to: Annotated[str, option("URL", "A folder, file://… or s3://bucket/prefix.")],
    endpoint_url: Endpoint = None,
) -> None:
    """Archive an ended session, read it back, and compare.

    The archive is a BagIt bag.
    """
    rest = "what was sent is kept: the same command sends the rest"
    with told_if_stopped(lambda: rest), opened(session) as found:
        done = found.archive(to, endpoint_url=endpoint_url)
    plain = {"session": done.session, "archive": done.archive, "objects": done.objects, "sent": done.sent}
    said = f"{done.archive}: {done.objects} objects, {done.sent} sent, all read back and equal"
    Screen.current.result(plain, said)


def restore(
    session: Annotated[str, typer.Argument(metavar="ID", help="The archived session's id.")],
    from_: Annotated[str, option("URL", "The archive.", "--from")],
    into: Annotated[Path, option("DIR", "Where the session folder goes.")],
    endpoint_url: Endpoint = None,
) -> None:
    """Bring an archived session back as a folder, verified."""
    from orchestrator.archive.download import restore as bring_back

    screen = Screen.current
    path = bring_back(
        session,
        from_,
        into,
        endpoint_url=s3_options(endpoint_url)["endpoint_url"],
        known=screen.known_home(),
        say=screen.warn,
    )
    Screen.current.result({"session": session, "path": str(path)}, f"restored to {path}")
