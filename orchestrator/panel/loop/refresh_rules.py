"""When the panel's candidate questions are looked at again: the 15-second rule and its exceptions.

The seconds stand in the session's orchestration.md (`refresh`, under "Timers"); here is decided what
they mean. `steps` asks before each step, and `refreshing` does it.

The offline engine costs nothing, so it is asked at every tick and change of slide, live also while a
question is open. A model is asked where a question can be put: in a recording at breaks, at pauses in which
somebody may come in (`steps`), and at the end; live, where that can be at any moment, by the timer and at
each change of slide. While a question is open no other can be put, so it is asked once the answer is
complete and its verdict under way, and then those alone whose question something of the answer bears on.

The moderator's page of the session's state costs nothing with either: it follows the clock all the time.

Source: DESIGN.md, section 6.
"""

from __future__ import annotations

from math import inf
from typing import Final

from orchestrator.panel.loop.state import State

TIMER: Final = "timer"
SLIDE: Final = "slide"
REFRESH: Final = "refresh"
WHY: Final = {
    TIMER: REFRESH,
    SLIDE: REFRESH,
    "break": "break",
    "pause": "pause",
    "ask": "pause",
    "end": "end",
    "played out": "end",
}
"""Why the candidates are looked at, and the occasion that a panelist's request then names."""


def why_refresh(state: State, *, presides: bool) -> str | None:
    """Why the candidates are looked at before anything else; None: they are not.

    *presides*: the moderator runs the questions by itself.
    """
    projection = state.projection
    if state.has_model and state.left <= len(projection.still_brought):
        return None  # no panelist can ask a question of its own any more
    if state.live is not None:
        is_time = state.now_s - projection.refreshed_at_s >= state.rules.timers_s.refresh
        return SLIDE if projection.refresh_due else TIMER if is_time else None
    if not state.has_model:
        return ("played out" if projection.is_played_out else SLIDE) if projection.refresh_due else None
    if not presides or not projection.is_to_be_thought_of:
        return None
    return "end" if projection.is_played_out else "break"


def is_state_old(state: State) -> bool:
    """Whether the page of the session's state is older than the timer allows; in a recording time stands."""
    is_time = state.now_s - state.projection.state_shown_s >= state.rules.timers_s.refresh
    return state.live is not None and is_time


def next_tick_s(state: State) -> float:
    """When the timer is next due in a recording, on the session clock; never, where a model is asked.

    Ticks are whole multiples of the interval, so that they do not move with what a refresh took.
    """
    every_s = state.rules.timers_s.refresh
    return inf if state.has_model else (state.projection.refreshed_at_s // every_s + 1) * every_s
