"""The next step of a rehearsal: one function from the state to a step, for recordings and live speech.

`next_step` writes nothing and asks nobody. Two drivers carry out the step that it returns: `recorded` waits
for the result of each step, `live` begins the step and collects its result later. The ledger is the only
state between two steps, so a rehearsal that was killed after any record goes on from there.

        Speak (opening)
          │
          ▼      speech, a slide, the end of a section
    ┌── Listen ◄───────────────────────────────────────────┐
    │     │                                                │
    │     │  where something is due, in this order:        │
    │     ├─► Look     contradictions in what was said ───►┤
    │     ├─► Refresh  the panel's candidate questions ───►┤
    │     ├─► Speak    about time ────────────────────────►┤
    │     └─► Ask      at a break, a pause, the end ──────►┤ nobody has a question
    │           │                                          │
    │           ▼                                          │
    │       TakeAnswer ───────────────────────────────────►┤ parked
    │        ▲  │                                          │
    │        │  ▼                                          │
    │        └─ Judge ────────────────────────────────────►┘ closed; else a follow-up was put
    ▼
   End

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from orchestrator.panel.loop import moderator, turns
from orchestrator.panel.loop.calling_on import (
    brought_choice,
    choose,
    choose_at_pause,
    may_ask_at_pause,
    to_come_back,
)
from orchestrator.panel.loop.refreshing import is_state_old, next_tick_s, why_refresh
from orchestrator.panel.loop.state import Live, State, ends_sentence
from orchestrator.panel.loop.transcript import comes_in
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.personas.orchestration import SECTION_BREAKS
from orchestrator.panel.records.projection import Playback

TIMEOUT_S = 5.0
"""How long, on the session clock, a break waits for questions that are being made if others are ready.

A longer wait is a silence in the room; a shorter wait leaves out panelists whose calls take a little longer.
"""


class Piece(Enum):
    """The next part of a recording that is added to the session."""

    SEGMENT = "segment"
    SLIDE = "slide"
    SECTION_END = "section_end"  # the panel comes in before the slide is changed
    PLAYED_OUT = "played_out"


@dataclass(frozen=True, slots=True)
class Listen:
    """A step: the presenter has the floor."""

    piece: Piece | None = None  # of the recording; None: whatever comes, live
    at_s: float | None = None  # session clock at which it is there; None: now


@dataclass(frozen=True, slots=True)
class Look:
    """A step: examine what was said since the last look for contradictions."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """A step: refresh every panelist's candidate question."""

    why: str  # of `refreshing.WHY`
    at_s: float | None = None  # as in Listen
    leave_out: str | None = None  # the panelist whose question is being judged


@dataclass(frozen=True, slots=True)
class Ask:
    """A step: let the next panelist ask a question."""

    at_pause: bool = False  # somebody comes in; else the moderator calls on somebody
    at_s: float | None = None  # as in Listen


@dataclass(frozen=True, slots=True)
class TakeAnswer:
    """A step: take the answer to the open question."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A step: judge the last answer; then ask a follow-up, or close the exchange."""


@dataclass(frozen=True, slots=True)
class ShowState:
    """A step of live speech: update session-state.md if nothing else has updated it since the last time."""


@dataclass(frozen=True, slots=True)
class Speak:
    """A step: let the moderator say something."""

    occasion: str  # a heading of the phrase library


@dataclass(frozen=True, slots=True)
class End:
    """The last step: nothing is left to do."""


Step: TypeAlias = Listen | Look | Refresh | Ask | TakeAnswer | Judge | ShowState | Speak | End


def next_step(state: State) -> Step:
    """Return the one thing to do next."""
    projection, live = state.projection, state.live
    if _is_over(state):
        return End()
    if live is not None and (live.is_over or projection.state == "closing"):
        return _last_of(state, live)
    presides = live is not None or is_run(projection.playback)
    if presides and projection.asking is not None:
        return _in_exchange(state, projection.asking)
    if presides and moderator.can_open(state):
        return Speak(moderator.OPENING)
    if state.hears_contradictions and _may_look(state, presides=presides):
        return Look()
    if (why := why_refresh(state, presides=presides)) is not None:
        return Refresh(why)
    if presides and projection.break_due and not _waits(state):
        return Ask()
    occasion = moderator.due(state, presides=presides, is_at_a_stop=_is_at_a_stop(state))
    if occasion is not None:
        return Speak(occasion)
    if live is not None:
        return Ask(at_pause=True) if _may_come_in(state, live) else _meanwhile(state, None)
    return _play(state, projection.playback) if projection.playback is not None else End()


def is_run(playback: Playback | None) -> bool:
    """Return whether a recording is being played in which the panel asks its questions by itself."""
    return playback is not None and playback.kind == "run"


def _is_over(state: State) -> bool:
    """Return whether the session has ended, or there is nothing to listen to."""
    return state.projection.ended or (state.live is None and state.projection.playback is None)


# ---------------------------------------------------------------------- while a question is open


def _in_exchange(state: State, exchange: Exchange) -> Step:
    """Wait for the answer, take it and judge it; nobody else asks before the exchange is closed.

    In live speech, session-state.md is updated meanwhile as often as candidates are refreshed. A model's
    candidates are refreshed when the answer is complete, while the verdict on it is under way. The other
    panelists have then heard the answer, and are ready when the floor is free. An earlier refresh would be
    useless: a question made from half an answer cannot be asked, and the other half makes it outdated.
    Without a model a refresh costs nothing, so candidates are refreshed all the time.
    """
    live = state.live
    if live is None:
        return TakeAnswer() if exchange.turns[-1].answer is None else Judge()
    if exchange.turns[-1].answer is None:
        if turns.is_complete(state, live):
            return TakeAnswer()
        why = why_refresh(state, presides=True) if not state.has_model else None
        return _meanwhile(state, Refresh(why) if why is not None else None)
    if live.owes_verdict:
        return Judge()
    why = why_refresh(state, presides=True) if state.has_model else None
    return _meanwhile(state, Refresh(why, leave_out=exchange.agent) if why is not None else None)


def _meanwhile(state: State, refresh: Refresh | None) -> Step:
    """Return the step to take while somebody speaks: *refresh*, an update of the state's page, or
    listening.
    """
    if refresh is not None:
        return refresh
    return ShowState() if is_state_old(state) else Listen()


def _last_of(state: State, live: Live) -> Step:
    """Wait for what is under way, and begin nothing else, since the feed or the session is being ended."""
    if not live.is_over:
        return Listen()
    open_ = state.projection.open
    if open_ is not None and open_.turns[-1].answer is None and turns.is_complete(state, live):
        return TakeAnswer()
    if open_ is not None and live.owes_verdict:
        return Judge()
    return Listen() if live.is_waiting else End()


# ---------------------------------------------------------------------- while none is


def _may_look(state: State, *, presides: bool) -> bool:
    """Return whether a look for contradictions that is due may be made now.

    Live, there is one look at a time. In a run, a model looks where a question may follow, and once when
    everything is over, since a verdict names what its answer contradicts.
    """
    projection = state.projection
    if state.live is not None:
        return not state.live.is_looking
    if not (presides and state.has_model):
        return True
    if projection.is_played_out and projection.exchanges and not (projection.is_over or state.is_full):
        return bool(projection.suspected) or projection.look_due == "break"
    return projection.is_to_be_thought_of or projection.is_played_out


def _waits(state: State) -> bool:
    """Return whether a break waits for the presenter to stop, and for questions that are being made."""
    live = state.live
    return live is not None and (turns.waits_for(state, live) is not None or _waits_for_questions(state))


def _waits_for_questions(state: State) -> bool:
    """Return whether a break waits for questions: briefly if a panelist has one, else until one is ready."""
    live = state.live
    if live is None or not live.is_asking or state.projection.open is not None:  # which waits to be put again
        return False
    if brought_choice(state) is not None:
        return False
    return live.waited_s < TIMEOUT_S or choose(state, holds_back=True) is None


def _is_at_a_stop(state: State) -> bool:
    """Return whether the presenter has come to the end of a sentence, or is silent."""
    projection, playback = state.projection, state.projection.playback
    if state.live is not None:
        return turns.is_at_a_stop(state, state.live)
    if playback is None or projection.played == len(playback.segments):
        return True
    if state.now_s > playback.offset_s + playback.segments[projection.played].start_s:
        return False  # within a long piece of speech
    is_first = projection.played == 0
    return (
        is_first
        or projection.played in state.pauses
        or ends_sentence(playback.segments[projection.played - 1])
    )


def _may_come_in(state: State, live: Live) -> bool:
    """Return whether, in live speech, the presenter is silent for so long that a panelist may come in."""
    if state.options.mode == SECTION_BREAKS or state.projection.break_due or not state.projection.segments:
        return False
    is_silent = live.silent_s >= state.rules.timers_s.hand_raise_pause
    return is_silent and (choose_at_pause(state) is not None or _may_come_back(state))


def _may_come_back(state: State) -> bool:
    """Return whether a parked question may come back at this pause, at the distance that any question
    needs.
    """
    last_s = max((one.at_s for one in state.projection.said[-1:]), default=0.0)
    is_late_enough = state.now_s - last_s >= state.rules.timers_s.free_flow_gap
    return is_late_enough and to_come_back(state) is not None


# ---------------------------------------------------------------------- a recording


def _play(state: State, playback: Playback) -> Step:
    """Return the next step of a recording that is played.

    It is a pause to ask in, a refresh by timer, a change of slide, a segment, or the end.
    """
    projection = state.projection
    if projection.played == len(playback.segments):
        return _behind_the_last(state, playback)
    segment = playback.segments[projection.played]
    changes = segment.slide is not None and segment.slide != projection.slide
    due_s = playback.offset_s + (segment.start_s if changes else segment.end_s)
    tick_s = next_tick_s(state)
    pause_s = _pause_s(state, playback)
    if pause_s is not None and pause_s < tick_s:
        if (step := _at_pause(replace(state, now_s=pause_s))) is not None:
            return step
        due_s = max(due_s, pause_s)
    if tick_s <= due_s:
        return Refresh("timer", tick_s)
    if not changes:
        return Listen(Piece.SEGMENT, due_s)
    return Listen(Piece.SECTION_END if _comes_in_before(state, segment.slide) else Piece.SLIDE, due_s)


def _behind_the_last(state: State, playback: Playback) -> Step:
    projection = state.projection
    if not is_run(playback) or projection.is_over:
        return End()
    if not projection.is_played_out:
        return Listen(Piece.PLAYED_OUT)
    return End() if state.is_full else Ask()


def _pause_s(state: State, playback: Playback) -> float | None:
    """Return the session clock when the panel may come in before the next segment, or None."""
    projection = state.projection
    if not is_run(playback) or state.options.mode == SECTION_BREAKS:
        return None
    pause_s = state.pauses.get(projection.played)
    if pause_s is None or (
        projection.slides and projection.slides[-1].at_s > pause_s
    ):  # the talk has gone on
        return None
    over_s = max(pause_s, playback.offset_s + playback.segments[projection.played].start_s)
    return max(pause_s, state.now_s) if state.now_s <= over_s else None


def _at_pause(state: State) -> Step | None:
    """Return the step at a pause: let a panelist come in, or None.

    If one can be asked, a model's questions are refreshed first.
    """
    if state.has_model and may_ask_at_pause(state) and state.projection.refreshed_at_s < state.now_s:
        return Refresh("pause", state.now_s)
    return Ask(at_pause=True, at_s=state.now_s) if choose_at_pause(state) is not None else None


def _comes_in_before(state: State, slide: int | None) -> bool:
    """Return whether the panel comes in before this change of slide, and has not done so yet."""
    projection = state.projection
    if not is_run(projection.playback) or slide is None:
        return False
    return comes_in(projection, state.options, state.rules, slide)
