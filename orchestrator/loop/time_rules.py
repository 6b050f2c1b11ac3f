"""The rules about time: warnings, a word when nobody asks, a pause after a monologue.

Each is spoken once per occasion, and never two at one moment. What is due is seen from the room
alone, so it is due again after an interruption until it is recorded.

Source: DESIGN.md, section 7; orchestration.md, "Timers" and "Time warnings".
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator import render
from orchestrator.layout import MODERATOR
from orchestrator.loop import phrases
from orchestrator.loop.choosing import is_full
from orchestrator.loop.phrases import say
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.loop.state import Room

NOTES = "moderator/debrief-notes.md"
OF_TIME = frozenset({phrases.TIME_80, phrases.TIME_90, phrases.NO_QUESTION, phrases.PAUSE})


def speak_if_due(rehearsal: Rehearsal, *, presides: bool, is_at_a_stop: bool) -> bool:
    """Say and record the one thing about time that is due now; False if nothing is.

    Args:
        presides: The moderator runs the questions by itself, and so also speaks about the lack
            of them; otherwise only the time budget is watched.
        is_at_a_stop: The presenter has come to the end of a sentence or a slide. Nothing is said
            in between, unless that would put it off by more than a refresh.
    """
    room = rehearsal.room
    last = room.said[-1] if room.said else None
    if last is not None and last.occasion in OF_TIME and rehearsal.now_s() - last.at_s < _breath_s(rehearsal):
        return False
    acts: list[tuple[float | None, Callable[[Rehearsal], None]]] = [(_warning_over_s(rehearsal), _warn)]
    if presides and not room.is_played_out:
        acts += [(_quiet_over_s(rehearsal), _prompt), (_monologue_over_s(rehearsal), _suggest_pause)]
    for over_s, act in acts:
        if over_s is not None and (is_at_a_stop or over_s >= rehearsal.rules.timers_s.refresh):
            with rehearsal.store.transaction():
                act(rehearsal)
            return True
    return False


# ---------------------------------------------------------------------- what is due, and for how long


def _breath_s(rehearsal: Rehearsal) -> float:
    return rehearsal.rules.timers_s.hand_raise_pause


def _used_s(rehearsal: Rehearsal) -> float:
    return rehearsal.now_s() + rehearsal.room.spent_s


def _due_shares(rehearsal: Rehearsal) -> list[float]:
    """Shares of the time that are used up and were not announced."""
    budget_s = rehearsal.options.minutes * 60
    return [
        share
        for share in rehearsal.rules.time_warnings
        if share not in rehearsal.room.warned and _used_s(rehearsal) >= share * budget_s
    ]


def _warning_over_s(rehearsal: Rehearsal) -> float | None:
    due = _due_shares(rehearsal)
    return _used_s(rehearsal) - due[-1] * rehearsal.options.minutes * 60 if due else None


def _quiet_over_s(rehearsal: Rehearsal) -> float | None:
    """Only while questions are left: else there is nothing to wait for."""
    room = rehearsal.room
    if room.is_prompted or room.quiet_from_s is None or is_full(rehearsal):
        return None
    over_s = rehearsal.now_s() - room.quiet_from_s - rehearsal.rules.timers_s.no_question_prompt
    return over_s if over_s >= 0 else None


def _monologue_over_s(rehearsal: Rehearsal) -> float | None:
    room = rehearsal.room
    over_s = room.monologue_s - rehearsal.rules.timers_s.monologue
    return over_s if over_s >= 0 and not room.is_pause_suggested else None


# ---------------------------------------------------------------------- what is done


def _warn(rehearsal: Rehearsal) -> None:
    """Every share that is due is noted; the last of them is spoken."""
    shares = rehearsal.rules.time_warnings
    due = _due_shares(rehearsal)
    for share in due:
        rehearsal.store.append(
            NOTES,
            f"- {share:.0%} of the time ({rehearsal.options.minutes} min) was used up.\n",
            by=MODERATOR,
            value={"type": "time_warning", "share": share},
        )
    occasion = phrases.TIME_90 if due[-1] == shares[-1] else phrases.TIME_80
    named = f"Time warning {due[-1]:.0%}".rstrip("%")
    say(
        rehearsal,
        occasion,
        slide=rehearsal.room.slide,
        fits=lambda text: occasion == named or "{minutes_left}" in text,  # else it names another share
    )


def _prompt(rehearsal: Rehearsal) -> None:
    room = rehearsal.room
    since_s = rehearsal.now_s() - (room.quiet_from_s or 0.0)
    rehearsal.store.append(
        NOTES,
        f"- At {_now(rehearsal)}: nobody had asked anything for {_minutes(since_s)}.\n",
        by=MODERATOR,
        value={"type": "no_question", "since_s": round(since_s, 3)},
    )
    say(rehearsal, phrases.NO_QUESTION, slide=room.slide)


def _suggest_pause(rehearsal: Rehearsal) -> None:
    room: Room = rehearsal.room
    rehearsal.store.append(
        NOTES,
        f"- At {_now(rehearsal)}: {_minutes(room.monologue_s)} without another voice or a pause.\n",
        by=MODERATOR,
        value={"type": "monologue", "seconds": round(room.monologue_s, 3)},
    )
    say(rehearsal, phrases.PAUSE, slide=room.slide)


def _now(rehearsal: Rehearsal) -> str:
    return render.clock(rehearsal.now_s())


def _minutes(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60} min {whole % 60} s"
