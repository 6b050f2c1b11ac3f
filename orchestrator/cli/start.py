"""Commands that begin and end a session: start, end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli import options
from orchestrator.cli.options import options_of
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, check_address, opened
from orchestrator.cli.stopping import how_to_go_on, told_if_stopped, told_of_new
from orchestrator.errors import ArchiveError

if TYPE_CHECKING:
    from orchestrator.session import Session


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command(epilog=options.DEFAULTS)(start)
    app.command()(end)


def start(
    context: typer.Context,
    deck: options.Deck,
    id_: options.Id = None,
    presenter: options.Presenter = None,
    speaker: options.Speaker = None,
    panel: options.Panel = None,
    date: options.Date = None,
    intel: options.Intel = None,
    board: options.Board = None,
    kind: options.Kind = None,
    engine: options.Engine = None,
    layout: options.LayoutName = None,
    intensity: options.Intensity = None,
    mode: options.Mode = None,
    minutes: options.Minutes = None,
    exchanges: options.Exchanges = None,
    focus: options.Focus = None,
    remember: options.Remember = False,
    no_source: options.NoSource = False,
) -> None:
    """Begin a session and leave it active."""
    given = options_of(context.params)
    screen = Screen.current
    home = screen.open_home()
    with told_of_new(home, given):
        from orchestrator.session import Session

        check_address(given["engine"] or home.config.engine)
        with Session.start(home, deck, say=screen.warn, **given) as session:
            _tell_of_start(session)


def _tell_of_start(session: Session) -> None:
    screen = Screen.current
    room = session.room
    focus_counts = {agent: len(room.targets.get(agent, ())) for agent in session.rehearsal.options.panel}
    deck_read = session.rehearsal.scene().deck
    plain = {
        "session": session.id,
        "path": str(session.path),
        "state": session.state,
        "slides": len(deck_read.slides),
        "claims": len(room.deck_claims),
        "focus": focus_counts,
    }
    for notice in (*session.notices, *deck_read.notices):
        screen.note(f"note: {notice}")
    targets = ", ".join(f"{agent} {count}" for agent, count in focus_counts.items())
    screen.result(
        plain,
        f"{session.id} is active: {plain['slides']} slides, {plain['claims']} claims; "
        f"targets: {targets}.\nNext: {screen.command} feed {session.id} SPEECH, then ask, answer, end",
    )


def end(
    session: Name,
    without_debrief: Annotated[
        bool, typer.Option("--without-debrief", help="Freeze without a debrief.")
    ] = False,
    archive: options.Archive = None,
) -> None:
    """Write the debrief, freeze the session, archive it and verify."""
    from orchestrator.loop.moderator_lines import Teller

    screen = Screen.current
    refused: ArchiveError | None = None
    home = screen.open_home()
    found = home.find(session)
    with told_if_stopped(lambda: how_to_go_on(home, found)), opened(session) as opened_session:
        teller = Teller(opened_session.rehearsal)
        try:
            opened_session.end(without_debrief=without_debrief, archive=archive)
        except ArchiveError as error:
            refused = error
        for line in teller.lines():
            screen.note(line)
        path = None if without_debrief else str(opened_session.path / "debrief.md")
        plain = {
            "state": opened_session.state,
            "debrief": path,
            "ledger_head": opened_session.ledger_head,
            "archive": opened_session.archived_at,
            "valid": opened_session.verify().valid,
        }
        proof = "yes" if plain["valid"] else f"NO: run {screen.command} verify {opened_session.id}"
        lines = [
            f"{opened_session.id} has ended.",
            *([f"Debrief   {path}"] if path else []),
            f"Archive   {plain['archive'] or 'none'}",
            f"Verified  {proof}",
            f"Ledger head (keep it elsewhere; it shows any later change): {plain['ledger_head']}",
        ]
        screen.result(plain, "\n".join(lines))
    if refused is not None:
        raise refused
