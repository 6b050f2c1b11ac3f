"""Turn-taking: which words are an answer, when it is complete, and when a question may be asked.

Pure functions of the state, and the only place where this is decided. Microphone, typed words, HTTP, `feed`
and a caller's own loop use `transcript.hear`, which calls `part_of`; the drive uses `next_step`.

          ┌──────────────────────────── talk ◄──────────────────────────────────────┐
          │                              │ a question is ready, and nothing to      │
          │                              │ wait for (`waits_for`), or asked for     │
          │                              ▼                                          │
          │  taken back  ┌──────────►  asked  ◄──────────────────────┐              │
          │  (`Mark`)    │               │ a word begun since        │              │
          │              │               ▼                           │ follow-up    │
          │              ├──────────  answering ◄─┐ any word, also   │ (a question  │
          │              │               │        │ one not yet      │ of its own)  │
          │              │  half of the  ▼        │ recognised       │              │
          │              │  silence   pausing ────┘                  │              │
          │              │               │ the other half, a key     │              │
          │              │               ▼                           │              │
          └──────────────┴────────────  judging ─────────────────────┴──────────────┘
            that was the talk (from                     closed, or parked from anywhere
            where it can be taken back)

**An answer is words begun after the question was asked.** A piece of speech counts whole, by its start:

- With a start time on the session's clock, from the microphone, the page's first key or a client: however
late the piece is recognised, it belongs to its start. A start ahead of the clock is invalid: such words count
from when they came.
- Without a start time, it has just been said: its start is as long ago as its words take at 150 a minute, but
not before the end of the previous piece. The transcript shows that time. Words that come sooner after a
question than they take to say were on their way when it was asked; once the answer is complete, they come too
late for it.
- While the session clock is stopped, only the order in which pieces come is known: their start is when they
came.

Words begun once the answer was ended, or while it waits for its verdict, are talk again. A key ends an answer
when it is pressed, but words begun before still belong to it (`AnswerEnds`). When an answer is taken back,
the question counts as asked again at that moment.

**It is complete** by a key, a button or a request (`answers.take_heard`), or by a silence of `answer_pause`
seconds, whose second half counts down. The end of a feed counts as silence. Words in doubt (`Segment.doubt`)
are never ended by silence: somebody looks at them first. Corrected words are no longer in doubt, and words
that were corrected to nothing are not part of an answer.

**A question waits** for the end of a sentence; at the end of a section for the presenter to have begun the
next slide and paused there. Where the presenter asks for questions, it waits for nothing.

**That was my talk** (`corrections.give_to_talk`): words that were taken for an answer are talk, with their
own times and slides, as if nobody had asked. The question gives way until the presenter has gone on and
paused, or asks for it, and is then asked again.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orchestrator.core.legible import clock
from orchestrator.panel.loop.calling_on import choose
from orchestrator.panel.loop.state import Live, State, ends_sentence
from orchestrator.panel.model.reply import ANSWER
from orchestrator.panel.records.moderator import NOBODY_THERE
from orchestrator.panel.records.projection import Mark, Projection
from orchestrator.panel.records.speech import TALK

BREATH_S: Final = 0.5
"""A silence that shows that a sentence has ended.

It is as long as two checks of a drive, and shorter than any pause that means something. While somebody
speaks, the microphone reports it ten times a second.
"""
TALKING, ASKED, ANSWERING, PAUSING, JUDGING = PHASES = ("talk", "asked", "answering", "pausing", "judging")
SENTENCE: Final = "sentence"
SLIDE: Final = "slide"
PAUSE: Final = "pause"
"""The events that a question may wait for: the end of a sentence, words and a pause on the new slide, or a
pause.
"""
HELD: Final = "Some of these words may not be what you said. Look at them, then press “That was it”."


@dataclass(frozen=True, slots=True)
class Floor:
    """Whose turn it is, as a page shows it."""

    phase: str  # of PHASES
    ends_in_s: float | None = None  # only while the second half of the silence counts down
    held: str | None = None  # why silence does not end the answer
    back: str | None = None  # the exchange whose answer can be taken back
    waits: str | None = None  # what a question that is ready waits for: SENTENCE, SLIDE or PAUSE
    stopped: str | None = None  # why the clock stands


# ---------------------------------------------------------------------- which words are an answer


def begun_s(told_s: float | None, estimated_s: float, now_s: float, *, runs: bool) -> float:
    """Return when a piece of speech that has just come was begun, in seconds of the session clock.

    Args:
        told_s: The start that its source gave, or None if it gave no valid one.
        estimated_s: The start that the transcript gives it.
        now_s: The session clock.
        runs: Whether that clock runs.
    """
    if told_s is not None:
        return min(told_s, now_s)
    return estimated_s if runs else now_s


def part_of(projection: Projection, begun_at_s: float) -> str:
    """Return whether words begun at *begun_at_s* belong to an answer or to the talk: ANSWER or TALK."""
    if not is_waiting(projection) or begun_at_s < projection.put_at_s:
        return TALK
    ends_at_s = projection.ends_at_s
    return ANSWER if ends_at_s is None or begun_at_s < ends_at_s else TALK


def is_waiting(projection: Projection) -> bool:
    """Return whether a question waits for its answer, or for the rest of its answer."""
    return projection.asking is not None and projection.asking.turns[-1].answer is None


# ---------------------------------------------------------------------- when an answer is complete


def is_complete(state: State, live: Live) -> bool:
    """Return whether the words said so far are the whole answer to the open question."""
    if not state.projection.has_words or is_held(state.projection):
        return False
    return live.is_over or live.silent_s >= state.rules.timers_s.answer_pause


def is_held(projection: Projection) -> bool:
    """Return whether the answer so far has words in doubt, so that no silence ends it."""
    return any(segment.doubt for segment in projection.heard)


def ends_in_s(state: State, live: Live) -> float | None:
    """Return the seconds until silence ends the answer, or None while there is no countdown."""
    pause_s = state.rules.timers_s.answer_pause
    if not _is_answering(state.projection) or is_held(state.projection) or live.silent_s < pause_s / 2:
        return None
    return max(0.0, round(pause_s - live.silent_s, 3))


def _is_answering(projection: Projection) -> bool:
    """Return whether an incomplete answer has words."""
    return is_waiting(projection) and projection.has_words


# ---------------------------------------------------------------------- when a question may be put


def waits_for(state: State, live: Live) -> str | None:
    """Return what a question in live speech waits for: SENTENCE, SLIDE or PAUSE; None if it may be asked."""
    projection = state.projection
    if projection.is_question_wanted:
        return None
    if projection.gave_way_s is not None:
        if not any(one.start_s >= projection.gave_way_s for one in projection.segments):
            return PAUSE
    elif not projection.is_break_by_slide:
        return None if is_at_a_stop(state, live) else SENTENCE
    elif not _has_begun_slide(projection):
        return SLIDE
    return None if live.silent_s >= state.rules.timers_s.hand_raise_pause else PAUSE


def is_at_a_stop(state: State, live: Live) -> bool:
    """Return whether the presenter has come to the end of a sentence, or is silent."""
    pause_s, segments = state.rules.timers_s.hand_raise_pause, state.projection.segments
    if live.silent_s >= pause_s or not segments:
        return True
    return live.silent_s >= min(BREATH_S, pause_s) and ends_sentence(segments[-1])


def _has_begun_slide(projection: Projection) -> bool:
    """Return whether the presenter has begun to speak on the slide that is shown.

    If two pieces came since the change of slide, the second was begun on that slide, whatever its times say.
    """
    since = projection.segments[projection.segments_before_slide :]
    at_s = projection.slides[-1].at_s if projection.slides else 0.0
    return len(since) > 1 or any(one.start_s >= at_s for one in since)


# ---------------------------------------------------------------------- what can be taken back


def withdrawable(projection: Projection) -> Mark | None:
    """Return the question whose answer can be taken back, or None.

    It is the last question that was answered, even if only in part.

    The result is None if nothing was answered, the next question is already being answered, or a recording is
    played with its answers.
    """
    if projection.playback is not None and projection.playback.kind == "run":
        return None
    for mark in reversed(projection.marks):
        exchange = next((one for one in projection.asked if one.id == mark.exchange), None)
        if exchange is None or len(exchange.turns) < mark.turn:
            continue
        is_last = mark is projection.marks[-1]
        if exchange.turns[mark.turn - 1].answer is not None or (is_last and projection.has_words):
            return mark
    return None


# ---------------------------------------------------------------------- what a page shows


def floor_of(state: State) -> Floor:
    """Return whose turn it is; unless this process drives the session (`State.live`), nothing counts down."""
    projection, live = state.projection, state.live
    back = withdrawable(projection) if projection.state != "closing" and not projection.ended else None
    return Floor(
        phase=_phase(state),
        ends_in_s=ends_in_s(state, live) if live is not None else None,
        held=HELD if _is_answering(projection) and is_held(projection) else None,
        back=back.exchange if back is not None else None,
        waits=_waits(state, live) if live is not None else None,
        stopped=_stopped(projection),
    )


def _phase(state: State) -> str:
    projection, live = state.projection, state.live
    if projection.asking is None:
        return TALKING
    if projection.asking.turns[-1].answer is not None:
        return JUDGING
    if not projection.has_words:
        return ASKED
    return PAUSING if live is not None and ends_in_s(state, live) is not None else ANSWERING


def _waits(state: State, live: Live) -> str | None:
    projection = state.projection
    if not projection.break_due or projection.asking is not None:
        return None
    is_ready = projection.gave_way_s is not None or choose(state, holds_back=True) is not None
    return waits_for(state, live) if is_ready else None


def _stopped(projection: Projection) -> str | None:
    if projection.clock.live_since is not None or projection.ended:
        return None
    if projection.why_stopped == NOBODY_THERE:
        at = clock(projection.clock.at_s)
        return f"No page of this room was open, so the clock has stood since {at}. Go on when you are ready."
    return "The clock was stopped." if projection.clock.at_s > 0 else None
