"""Commands that tell what was: recap, briefing."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, looked_at

READ_WITHOUT_A_MODEL: Final = (
    "Read without a model: of goals, decisions and blockers only what was announced in plain words, such as "
    "“We have decided to …”, “Our goal is …”, “The blocker is …”."
)


def recap(session: Name) -> None:
    """The sum of a session: said, decided and left open.

    Goals, decisions and blockers are read by a model. Without one they are only those that somebody
    announced in plain words: "We have decided to …", "Our goal is …", "The blocker is …".
    """
    from orchestrator.memory.session_context import previously_on, to_plain
    from orchestrator.panel.config.engine_names import is_bank

    with looked_at(session) as opened:
        context, rehearsal = opened.recap(), opened.rehearsal
        is_read = not is_bank(rehearsal.options.engine) and rehearsal.projection.took_over is None
    text = previously_on(context)
    Screen.current.result(to_plain(context), text if is_read else f"{text}\n{READ_WITHOUT_A_MODEL}")


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
