"""The command that removes a session, and names what of it is left elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.options import flag
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Endpoint, Name, confirm, s3_options
from orchestrator.core.errors import SessionStateError, UsageError

if TYPE_CHECKING:
    from orchestrator.panel.home import Home
    from orchestrator.rehearsal.erasing import Erased


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
    from orchestrator.cli.left_over import left_over
    from orchestrator.documents.erasure import erased_json, left_over_json

    left = left_over_json(home, done.forgotten)
    lines = [f"removed {path}" for path in done.removed]
    lines += [_still_archived(home, session, address) for address in done.archives]
    Screen.current.result(erased_json(done, left), "\n".join([*lines, *left_over(done.forgotten, left)]))


def _still_archived(home: Home, session: str, address: str) -> str:
    """An archive that is left, and how it goes: once the session is gone, only the home's own are known."""
    from orchestrator.documents.erasure import only_archived

    own = address in only_archived(home, session)
    again = f"`{Screen.current.command} erase {session} --archives` removes it"
    return f"still archived: {address} ({again if own else 'remove it there yourself'})"


def _confirm(what: str, *, yes: bool) -> None:
    """Ask at the terminal whether *what* goes.

    Raises:
        UsageError: There is no terminal to ask at, and no `--yes`.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"this removes {what} for good, and there is no terminal to ask at: add --yes")
    confirm(f"Remove {what} for good?")
