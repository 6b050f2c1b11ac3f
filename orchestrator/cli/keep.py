"""Commands that keep: archive, restore, and a title of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Endpoint, Name, opened, s3_options
from orchestrator.cli.stopping import told_if_stopped
from orchestrator.core.errors import UsageError


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


def title(
    session: Name,
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TEXT]", help="The title; '' takes it away. Default: it is shown."),
    ] = None,
) -> None:
    """Give a session a title of your own, which lists show.

    It is kept beside the session, never in it: its archive stays as it was.
    """
    from orchestrator.review.titles import titles_of

    screen = Screen.current
    home = screen.open_home()
    root = home.find(session)
    if root.parent.resolve() != home.sessions.resolve():
        raise UsageError(f"{root} is no session of {home.sessions}: only those have titles")
    titles = titles_of(home)
    now = titles.of(root.name) if text is None else titles.give(root.name, text)
    screen.result({"session": root.name, "title": now}, f"{root.name}: {now or 'no title'}")


def restore(
    session: Annotated[str, typer.Argument(metavar="ID", help="The archived session's id.")],
    from_: Annotated[str, option("URL", "The archive.", "--from")],
    into: Annotated[Path, option("DIR", "Where the session folder goes.")],
    endpoint_url: Endpoint = None,
) -> None:
    """Bring an archived session back as a folder, verified."""
    from orchestrator.core.archive.download import restore as bring_back

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
