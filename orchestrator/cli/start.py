"""Commands that begin and end a session: start, end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from orchestrator.cli import options
from orchestrator.cli.options import flag, options_of
from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.cli.shared import Name, check_address, memory_failure, opened, refuse
from orchestrator.cli.stopping import how_to_go_on, told_if_stopped, told_of_new
from orchestrator.cli.waiting import waiting
from orchestrator.core.errors import ArchiveError

if TYPE_CHECKING:
    from orchestrator.rehearsal.session import Session


@options.begins_a_session
def start(deck: options.DeckFile, **given: Any) -> None:
    """Begin a session and leave it active.

    A file of --questions has one question a line ("slide 4: Who pays?" is put at that slide), or is a list in
    YAML or JSON; of an entry only the text must be there:

    \b
        - text: Who pays if the harbour freezes?
          slide: 4
          agent: skeptic
        - What does it cost in the second year?

    Each is put once, as it stands, before the panel's own.
    """
    begun = options_of(given)
    screen = Screen.current
    home = screen.open_home()
    with told_of_new(home, begun):
        from orchestrator.rehearsal.session import Session

        check_address(begun["engine"] or home.config.engine)
        with (
            waiting() as wait,
            Session.start(home, deck, say=screen.warn, calls=wait.calls, **begun) as session,
        ):
            _tell_of_start(session)
            refuse(memory_failure(session.failures))


def _tell_of_start(session: Session) -> None:
    from orchestrator.core.legible import counted
    from orchestrator.documents.session import warnings_json

    screen = Screen.current
    projection = session.projection
    focus_counts = {
        agent: len(projection.targets.get(agent, ())) for agent in session.rehearsal.options.panel
    }
    deck_read = session.rehearsal.scene().deck
    plain = {
        "session": session.id,
        "path": str(session.path),
        "state": session.state,
        "slides": len(deck_read.slides),
        "claims": len(projection.deck_claims),
        "focus": focus_counts,
        "warnings": warnings_json(session),
    }
    for notice in (*session.notices, *deck_read.notices):
        screen.note(f"note: {notice}")
    targets = ", ".join(f"{agent} {count}" for agent, count in focus_counts.items())
    counts = f"{counted(len(deck_read.slides), 'slide')}, {counted(len(projection.deck_claims), 'claim')}"
    active = wrapped(f"{session.id} is active: {counts}; targets: {targets}.", columns(sys.stdout))
    following = f"Next: {screen.command} feed {session.id} SPEECH, then ask, answer, end"
    screen.result(plain, f"{active}\n{following}")


def end(
    session: Name,
    without_debrief: Annotated[bool, flag("--without-debrief", "Freeze without a debrief.")] = False,
    archive: options.Archive = None,
) -> None:
    """Write the debrief, freeze the session, archive it and verify."""
    from orchestrator.documents.session import warnings_json
    from orchestrator.panel.loop.moderator_lines import Teller

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
        debrief = opened_session.path / "debrief.md"
        path = str(debrief) if debrief.exists() else None
        plain = {
            "state": opened_session.state,
            "debrief": path,
            "ledger_head": opened_session.ledger_head,
            "archive": opened_session.archived_at,
            "valid": opened_session.verify().valid,
            "warnings": warnings_json(opened_session),
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
        refuse(memory_failure(opened_session.failures), refused)
