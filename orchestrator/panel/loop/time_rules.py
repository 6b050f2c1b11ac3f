"""The rules about time: warnings, a word when nobody asks, a pause after a monologue.

Each is spoken once per occasion, and never two at one moment. Which is due is seen from the state
alone, so it is due again after an interruption until it is recorded.

Source: DESIGN.md, section 7; orchestration.md, "Timers" and "Time warnings".
"""

from __future__ import annotations

from typing import Final

from orchestrator.core import legible
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.panel.loop import phrases
from orchestrator.panel.loop.phrases import MINUTES_LEFT, say, slots_in
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.state import State
from orchestrator.panel.records.base import PanelValue
from orchestrator.panel.records.moderator import Monologue, NoQuestion, TimeWarned

NOTES: Final = "moderator/debrief-notes.md"
SHARE_OF: Final = {phrases.TIME_80: 80, phrases.TIME_90: 90}
"""The share of the time, in per cent, that the phrases of an occasion may name."""
OF_TIME: Final = frozenset({*SHARE_OF, phrases.NO_QUESTION, phrases.PAUSE})
"""Occasions that are about time: no two of them are spoken within one pause of each other."""


def due(state: State, *, presides: bool, is_at_a_stop: bool) -> str | None:
    """The occasion of the one thing about time that is to be said now; None: there is none.

    Args:
        presides: The moderator runs the questions by itself, and so also speaks about the lack
            of them; otherwise only the time budget is watched.
        is_at_a_stop: The presenter has come to the end of a sentence or a slide. Nothing is said
            in between, unless that would put it off by more than a refresh.
    """
    projection, timers = state.projection, state.rules.timers_s
    last = projection.said[-1] if projection.said else None
    if last is not None and last.occasion in OF_TIME and state.now_s - last.at_s < timers.hand_raise_pause:
        return None
    shares = _due_shares(state)
    over_s = (
        {_warning(state, shares): state.used_s - shares[-1] * state.options.minutes * 60} if shares else {}
    )
    if presides and not projection.is_played_out:
        if not (
            projection.is_prompted or projection.quiet_from_s is None or state.is_full
        ):  # else there is no question
            over_s[phrases.NO_QUESTION] = state.now_s - projection.quiet_from_s - timers.no_question_prompt
        if not projection.is_pause_suggested:
            over_s[phrases.PAUSE] = projection.monologue_s - timers.monologue
    longest_s = 0.0 if is_at_a_stop else timers.refresh
    return next((occasion for occasion, seconds in over_s.items() if seconds >= longest_s), None)


def speak(rehearsal: Rehearsal, occasion: str) -> None:
    """Say what is due; what is about time is noted for the debrief."""
    if occasion not in OF_TIME:
        with rehearsal.store.transaction() as tx:
            say(rehearsal, tx, occasion)
        return
    state = rehearsal.state()
    projection, at = state.projection, legible.clock(state.now_s)
    with rehearsal.store.transaction() as tx:
        if occasion == phrases.NO_QUESTION:
            since_s = state.now_s - (projection.quiet_from_s or 0.0)
            line = f"- At {at}: nobody had asked anything for {_minutes(since_s)}.\n"
            _note(tx, line, NoQuestion(round(since_s, 3)))
        elif occasion == phrases.PAUSE:
            line = f"- At {at}: {_minutes(projection.monologue_s)} without another voice or a pause.\n"
            _note(tx, line, Monologue(round(projection.monologue_s, 3)))
        else:
            _warn(rehearsal, tx, state, occasion)
            return
        say(rehearsal, tx, occasion, slide=projection.slide)


def _warn(rehearsal: Rehearsal, tx: Draft, state: State, occasion: str) -> None:
    """Every share that is used up is noted; the last of them is spoken."""
    shares = _due_shares(state)
    for share in shares:
        line = f"- {share:.0%} of the time ({state.options.minutes} min) was used up.\n"
        _note(tx, line, TimeWarned(share))
    is_named = round(shares[-1] * 100) == SHARE_OF[occasion]
    say(
        rehearsal,
        tx,
        occasion,
        slide=state.projection.slide,
        fits=lambda text: is_named or MINUTES_LEFT in slots_in(text),  # else it names another share
    )


def _due_shares(state: State) -> list[float]:
    """Shares of the time that are used up and were not announced."""
    budget_s = state.options.minutes * 60
    used_s = state.used_s  # once: it adds up every exchange, and a live session asks some times a second
    shares = (share for share in state.rules.time_warnings if share not in state.projection.warned)
    return [share for share in shares if used_s >= share * budget_s]


def _warning(state: State, due: list[float]) -> str:
    return phrases.TIME_90 if due[-1] == state.rules.time_warnings[-1] else phrases.TIME_80


def _note(tx: Draft, line: str, value: PanelValue) -> None:
    tx.append(NOTES, line, by=MODERATOR, value=value)


def _minutes(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60} min {whole % 60} s"
