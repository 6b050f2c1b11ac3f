"""Commands that tell what was: recap, briefing."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, looked_at
from orchestrator.errors import UsageError
from orchestrator.home.folder import Home


def recap(session: Name) -> None:
    """What a session came to: said, decided and left open."""
    from orchestrator.memory.session_context import previously_on, to_plain

    with looked_at(session) as opened:
        context = opened.recap()
    Screen.current.result(to_plain(context), previously_on(context))


def briefing(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="skeptic, analyst, contrarian, moderator, …")],
    presenter: Annotated[
        str | None, option("NAME", "Whose; else the newest session's that is remembered.")
    ] = None,
) -> None:
    """The situation as an agent would be told it now.

    Only of a presenter who agreed to be remembered.
    """
    from orchestrator.clock import utc_now
    from orchestrator.memory.briefing import Briefing
    from orchestrator.memory.briefing import briefing as made
    from orchestrator.memory.database import MemoryDatabase

    screen = Screen.current
    home = screen.open_home()
    known = ("moderator", *home.panelists())
    if agent not in known:
        raise UsageError(f"there is no agent {agent!r} here: this home has {', '.join(known)}")
    name = presenter or _newest_presenter(home)
    found = Briefing("", utc_now())
    if MemoryDatabase.exists(home.root):
        with MemoryDatabase.open(home.root) as db:
            found = made(db, home.root, agent=agent, presenter=name, now=found.built_at)
    plain = {"text": found.text, "built_at": found.built_at, "cached": found.cached}
    nothing = f"nothing to tell {agent}: {name} is not remembered here, or nothing has happened lately"
    screen.result({**plain, "agent": agent, "presenter": name}, found.text or nothing)


def _newest_presenter(home: Home) -> str:
    """The presenter of the newest session that is to be remembered.

    Raises:
        UsageError: There is none.
    """
    from orchestrator.memory.past_sessions import begun

    for session_id in reversed(home.session_ids()):
        found = begun(home.sessions / session_id)
        if found is not None:
            return found.presenter
    raise UsageError("no session here is to be remembered: name whose briefing you want with --presenter")
