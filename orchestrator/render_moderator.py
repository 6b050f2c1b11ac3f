"""How the moderator's lines read at a terminal: sparingly, so that the questions stand out."""

from __future__ import annotations

from orchestrator import phrases, render
from orchestrator.layout import MODERATOR
from orchestrator.rehearsal import Rehearsal
from orchestrator.room import Said
from orchestrator.timekeeping import OF_TIME

SHOWN = OF_TIME | {
    phrases.OPENING,
    phrases.CALLING,
    phrases.PARKING,
    phrases.COMING_BACK,
    phrases.STALLING,
    phrases.CLOSING,
}
"""Follow-ups, thanks and transitions are left out: the question or the silence behind them says it."""


def spoken(rehearsal: Rehearsal, said: Said) -> str | None:
    """The line as it is shown; None for one that is not."""
    if said.occasion not in SHOWN:
        return None
    return f"{rehearsal.name_of(MODERATOR)} ({render.clock(said.at_s)}): {said.text}"
