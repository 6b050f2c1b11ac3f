"""Commands that keep and remove: archive, restore, erase; and words for what is not built yet."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import opened, s3_options, told_if_stopped
from orchestrator.errors import GreenroomError, SessionStateError

if TYPE_CHECKING:
    from orchestrator.home import Home

Name = Annotated[str, typer.Argument(metavar="SESSION", help="The session.")]
Endpoint = Annotated[str | None, typer.Option(metavar="URL", help="An S3-compatible server.")]

LATER = {
    "serve": "`serve`, the room in the browser",
    "review": "`review`, the review pages",
}
"""Commands of the contract that this release does not have yet: one line, exit 1."""


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for command in (archive, restore, erase):
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
    """Archive an ended session as a BagIt bag, read it back, and compare."""
    from orchestrator.archive.upload import archive_session
    from orchestrator.records import note_archive

    screen = Screen.current
    rest = "what was sent is kept: the same command sends the rest"
    with told_if_stopped(lambda: rest), opened(session) as found:
        if found.state != "ended":
            raise SessionStateError(
                f"{found.id} is {found.state}: end it first with `greenroom end {found.id}`"
            )
        checksums = screen.open_home().config.s3_checksums
        done = archive_session(found.path, to, checksums=checksums, **s3_options(endpoint_url))
        if found.home is not None and found.path.parent == found.home.sessions:
            note_archive(found.home, found.id, to, done.archive)
    plain = {"session": done.session, "archive": done.archive, "objects": done.objects, "sent": done.sent}
    screen.result(plain, f"{done.archive}: {done.objects} objects, {done.sent} sent, all read back and equal")


def restore(
    session: Annotated[str, typer.Argument(metavar="ID", help="The archived session's id.")],
    from_: Annotated[str, typer.Option("--from", metavar="URL", help="The archive.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the session folder goes.")],
    endpoint_url: Endpoint = None,
) -> None:
    """Bring an archived session back as a folder, verified."""
    from orchestrator.archive.upload import restore as bring_back

    path = bring_back(session, from_, into, **s3_options(endpoint_url))
    Screen.current.result({"session": session, "path": str(path)}, f"restored to {path}")


def erase(
    session: Name,
    archives: Annotated[
        bool, typer.Option("--archives", help="Also remove its archives, wherever it was sent.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask at the terminal.")] = False,
    endpoint_url: Endpoint = None,
) -> None:
    """Remove a session's folder, memories and goals, and list (or remove) its archives."""
    from orchestrator.erase import erase_session

    screen = Screen.current
    home = screen.open_home()
    if (only := _only_archived(home, session)) is not None:
        _erase_archive(home, session, only, archives=archives, yes=yes)
        return
    root = home.find(session)
    _confirm(str(root), yes=yes)
    done = erase_session(home, root, archives=archives, **s3_options(endpoint_url))
    lines = [f"removed {path}" for path in done.removed]
    lines += [_still_archived(home, root.name, address) for address in done.archives]
    screen.result({"removed": list(done.removed), "archives": list(done.archives)}, "\n".join(lines))


def _still_archived(home: Home, session: str, address: str) -> str:
    """An archive that is left, and how it goes: once the session is gone, only the home's own are known."""
    own = address == _only_archived(home, session)
    how = (
        f"`{Screen.current.command} erase {session} --archives` removes it"
        if own
        else "remove it there yourself"
    )
    return f"still archived: {address} ({how})"


def _only_archived(home: Home, session: str) -> str | None:
    """The archive in this home of a session that is in the home no more; None: there is none, or it is."""
    if session in home.session_ids() or not home.archives.is_dir():
        return None
    from orchestrator.archive.upload import list_archives

    return next((one.archive for one in list_archives(str(home.archives)) if one.session == session), None)


def _erase_archive(home: Home, session: str, address: str, *, archives: bool, yes: bool) -> None:
    """Remove what `erase` left of a session, or say that it is only archived."""
    from orchestrator.archive.upload import delete_archive

    if not archives:
        again = f"`{Screen.current.command} erase {session} --archives`"
        raise SessionStateError(f"{session} is left in an archive only, {address}: {again} removes it")
    _confirm(address, yes=yes)
    delete_archive(str(home.archives), session)
    Screen.current.result({"removed": [address], "archives": []}, f"removed {address}")


def _confirm(what: str, *, yes: bool) -> None:
    if sys.stdin.isatty() and not yes:
        typer.confirm(f"Remove {what} for good?", abort=True, err=True)
