"""Commands that tell what was: recap, briefing."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, looked_at


def recap(session: Name) -> None:
    """The sum of a session: said, decided and left open."""
    from orchestrator.memory.session_context import previously_on, to_plain

    with looked_at(session) as opened:
        context = opened.recap()
    Screen.current.result(to_plain(context), previously_on(context))


def briefing(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="skeptic, analyst, contrarian, moderator, …")],
    presenter: Annotated[
        str | None, option("NAME", "The presenter; else that of the newest session which is remembered.")
    ] = None,
) -> None:
    """The situation as an agent would be told it now.

    Only of a presenter who agreed to be remembered.
    """
    from orchestrator.documents.briefing import briefing_json

    plain = briefing_json(Screen.current.open_home(), agent, presenter)
    who = f"{plain['presenter']} is not remembered here, or nothing has happened lately"
    Screen.current.result(plain, plain["text"] or f"nothing to tell {agent}: {who}")
