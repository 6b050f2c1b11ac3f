"""Commands that store a session elsewhere or change what is kept: archive, restore, title, erase."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.arguments import Endpoint, Name, confirm, flag, opened_any, option, s3_options
from orchestrator.cli.screen import Screen
from orchestrator.cli.stopping import told_if_stopped
from orchestrator.core.errors import SessionStateError, UsageError

if TYPE_CHECKING:
    from orchestrator.memory.model import Forgotten
    from orchestrator.panel.home import Home
    from orchestrator.rehearsal.erasing import Erased


# ---------------------------------------------------------------------- left over
# The places where words that `erase` or `memory forget` took away still stand, and how they go there too.


def left_over(done: Forgotten, plain: dict[str, Any]) -> list[str]:
    """Return *plain* as lines for people: the sessions, archives and scratchpads, and the items that stay."""
    command = Screen.current.command
    lines = []
    if not done.is_wiped:
        lines.append("another process reads the database: its log is wiped when that has ended")
    lines += [
        f"still in the session: {one} (`{command} erase {Path(one).name}` removes it)"
        for one in plain["sessions"]
    ]
    lines += [f"still archived: {one}" for one in plain["archives"]]
    for name, keeper in done.pages:
        way = f"{command} memory edit --scratchpad {keeper} --content - --presenter {shlex.quote(name)}"
        lines.append(f"still on {keeper}'s scratchpad (write it anew without: `{way}`)")
    lines += [
        f"still remembered, since it was said elsewhere too or edited: {one} "
        f"(`{command} memory forget {one}` removes it)"
        for one in done.memories
    ]
    lines += [
        f"still a goal, since it was taken up: {one} (`{command} goal drop {one}` removes it)"
        for one in done.goals
    ]
    return lines


# ---------------------------------------------------------------------- keep


def archive(
    session: Name,
    to: Annotated[str, option("URL", "A folder, file://… or s3://bucket/prefix.")],
    endpoint_url: Endpoint = None,
) -> None:
    """Archive an ended session, read it back, and compare.

    The archive is a BagIt bag.
    """
    rest = "what was sent is kept: the same command sends the rest"
    with told_if_stopped(lambda: rest), opened_any(session) as found:
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
    from orchestrator.panel.application import BOARD

    screen = Screen.current
    path = bring_back(
        session,
        from_,
        into,
        endpoint_url=s3_options(endpoint_url)["endpoint_url"],
        known=screen.known_home(),
        say=screen.warn,
        application=BOARD,
    )
    Screen.current.result({"session": session, "path": str(path)}, f"restored to {path}")


# ---------------------------------------------------------------------- erase
# The command that removes a session, and names what of it is left elsewhere.


def erase(
    session: Name,
    archives: Annotated[bool, flag("--archives", "Also remove its archives, wherever it was sent.")] = False,
    yes: Annotated[bool, flag("--yes", "Do not ask; needed without a terminal.")] = False,
    endpoint_url: Endpoint = None,
) -> None:
    """Remove a session and what was remembered of it.

    Its archives are listed, or removed as well. Words that other sessions hold too, that the
    presenter edited or took up, or that stand on an agent's scratchpad stay: they are named, with
    the command that removes them.
    """
    from orchestrator.documents.erasure import only_archived
    from orchestrator.rehearsal.erasing import erase_archived, erase_session, finish_erasing

    screen = Screen.current
    home = screen.open_home()
    for rest in finish_erasing(home):
        root = Path(rest.removed[0])
        if root.name.startswith(session) and not root.exists():
            _print(home, root.name, rest)
            return
    if only := only_archived(home, session):
        if not archives:
            again = f"`{screen.command} erase {session} --archives`"
            raise SessionStateError(
                f"{session} is left in an archive only, {', '.join(only)}: {again} removes it"
            )
        _confirm(", ".join(only), yes=yes)
        _print(home, session, erase_archived(home, session, **s3_options(endpoint_url)))
        return
    root = home.find(session)
    _confirm(str(root), yes=yes)
    _print(home, root.name, erase_session(home, root, archives=archives, **s3_options(endpoint_url)))


def _print(home: Home, session: str, done: Erased) -> None:

    from orchestrator.documents.erasure import erased_json, left_over_json

    left = left_over_json(home, done.forgotten)
    lines = [f"removed {path}" for path in done.removed]
    lines += [_still_archived(home, session, address) for address in done.archives]
    Screen.current.result(erased_json(done, left), "\n".join([*lines, *left_over(done.forgotten, left)]))


def _still_archived(home: Home, session: str, address: str) -> str:
    """Return a line about an archive that is left, and how to remove it; later only the home's own are
    known."""
    from orchestrator.documents.erasure import only_archived

    own = address in only_archived(home, session)
    again = f"`{Screen.current.command} erase {session} --archives` removes it"
    return f"still archived: {address} ({again if own else 'remove it there yourself'})"


def _confirm(what: str, *, yes: bool) -> None:
    """Ask at the terminal whether to remove *what*.

    Raises:
        UsageError: There is no terminal to ask at, and no `--yes`.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"this removes {what} for good, and there is no terminal to ask at: add --yes")
    confirm(f"Remove {what} for good?")
