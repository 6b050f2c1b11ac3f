"""How a run ends: debrief and freeze, then the archive, read back and compared, and the page that says so."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from orchestrator.cli.screen import Screen
from orchestrator.errors import ArchiveError, EngineError
from orchestrator.session import Session

if TYPE_CHECKING:
    from orchestrator.cli.dialogue import Dialogue


def end_run(
    session: Session, *, began: float, repaired: Sequence[str] = (), dialogue: Dialogue | None = None
) -> dict[str, Any]:
    """End, archive and verify a run that was played; prints the result and returns it.

    Args:
        began: The moment of `perf_counter` at which the command began.
        dialogue: On the screen so far; None: it was not shown.

    Raises:
        ArchiveError: It is in no archive; the session itself is ended and safe.
        EngineError: The engine that was asked for never answered.
    """
    from orchestrator.cli.dialogue import say
    from orchestrator.cli.summary import run_json, run_text

    screen = Screen.current
    refused: ArchiveError | None = None
    try:
        if session.room.ended:
            session.archive()
        else:
            session.end()
    except ArchiveError as error:
        refused = error
    if dialogue is not None:
        say("")
        dialogue.show()
        say("")
    plain = run_json(session, session.archived_at, seconds=perf_counter() - began)
    plain["repaired"] = list(repaired)
    plain["took_over"] = session.room.took_over
    is_known = dialogue is not None and (dialogue.is_typed or screen.is_watched)
    screen.result(plain, run_text(session, plain, brief=is_known))
    if refused is not None:
        raise refused
    if session.room.took_over is not None:
        raise EngineError(
            "no call to the model succeeded, and the offline panel sat in its place: "
            f"{session.room.took_over}; `{screen.command} doctor` tries it with one call"
        )
    return plain
