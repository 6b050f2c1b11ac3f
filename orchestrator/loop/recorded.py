"""Playing a recording: speech and slides in their own time, refreshes, and breaks for questions.

`step` looks at the room and takes the one next step, in a transaction of its own; nothing is
remembered between steps. So a rehearsal that was killed after any record goes on from there,
and ends with the same files as one that was not.

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from orchestrator import render
from orchestrator.claims.extract import speech_claims
from orchestrator.loop import looking, moderator, refreshing, time_rules
from orchestrator.loop.choosing import is_full, may_ask_at_pause
from orchestrator.loop.pauses import ends_sentence
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.loop.state import Playback, Room
from orchestrator.model.exchange import Exchange
from orchestrator.model.segment import Segment
from orchestrator.model.slide import Deck
from orchestrator.model.values import to_json
from orchestrator.speech.answers import Answer, pick_answer
from orchestrator.speech.presenter import presenter_of
from orchestrator.speech.read import Recording
from orchestrator.speech.slides import estimate_slides
from orchestrator.templates.orchestration import SECTION_BREAKS

TRANSCRIPT = moderator.TRANSCRIPT


@dataclass(frozen=True, slots=True)
class Loading:
    """A recording to be played, and what goes with it."""

    recording: Recording
    kind: str  # as in Playback
    answers: tuple[Answer, ...] = ()
    archive: str | None = None  # where a run archives at its end
    typed: bool = False  # answers are typed at the terminal while it plays


def begin(rehearsal: Rehearsal, loading: Loading) -> None:
    """Take a recording in, whole: it can then be played, and go on after any interruption.

    Raises:
        UsageError: The speaker that was named does not speak in it.
        SpeechError: It names slides that the deck does not have.
    """
    room, recording = rehearsal.room, loading.recording
    named = rehearsal.options.speaker
    speaker = presenter_of(recording.segments, named) if recording.segments else None
    loaded = Playback(
        kind=loading.kind,
        name=recording.name,
        segments=estimate_slides(recording.segments, rehearsal.scene().deck),
        answers=loading.answers,
        offset_s=rehearsal.now_s() if room.segments else 0.0,
        archive=loading.archive,
        typed=loading.typed,
    )
    store = rehearsal.store
    with store.transaction():
        store.note({"type": "playback", "playback": to_json(loaded)}, by="transcript")
        if speaker is not None and room.presenter_how is None:
            store.note({"type": "speaker", "label": speaker.label, "how": speaker.how}, by="transcript")


def play(
    rehearsal: Rehearsal,
    *,
    stop: Callable[[], bool] = lambda: False,
    wait_until: Callable[[float], None] | None = None,
    on_step: Callable[[Rehearsal], None] | None = None,
    prompt: Callable[[Exchange], str | None] | None = None,
) -> bool:
    """Take steps until the playback is over (True) or *stop* says so (False).

    Args:
        stop: Asked between steps.
        wait_until: Called with the session clock at which the next step is due; at the
            recording's own pace it sleeps, at full speed there is none.
        on_step: Called after every step, for a progress bar.
        prompt: Gives the answer to the open question, in place of the recorded answers.
    """
    try:
        while not stop():
            rehearsal.store.catch_up()
            if rehearsal.room.ended:
                return True
            if not step(rehearsal, wait_until, prompt):
                return True
            if on_step is not None:
                on_step(rehearsal)
        return False
    finally:
        rehearsal.playing_s = None


def step(
    rehearsal: Rehearsal,
    wait_until: Callable[[float], None] | None = None,
    prompt: Callable[[Exchange], str | None] | None = None,
) -> bool:
    """Take the next step; False if there is none left."""
    room = rehearsal.room
    playback = room.playback
    if playback is None:
        return False
    asks = playback.kind == "run"
    if asks and moderator.open_session(rehearsal):
        return True
    if asks and room.open is not None:
        return _go_on_asking(rehearsal, playback, prompt)
    if _may_look(rehearsal, asks=asks) and looking.look_if_due(rehearsal):
        return True
    if (why := _why_refresh(rehearsal, asks=asks)) is not None:
        refreshing.refresh(rehearsal, why)
        return True
    if asks and room.break_due:
        moderator.ask_somebody(rehearsal)
        return True
    if time_rules.speak_if_due(rehearsal, presides=asks, is_at_a_stop=_is_at_a_stop(rehearsal, playback)):
        return True
    if room.played < len(playback.segments):
        _play_on(rehearsal, playback, wait_until)
        return True
    if not asks or room.is_over:
        return False
    if not room.is_played_out:
        rehearsal.store.note({"type": "played_out"}, by="moderator")
        return True
    if len(room.exchanges) >= rehearsal.options.exchanges:
        return False
    moderator.ask_somebody(rehearsal)
    return True


def _may_look(rehearsal: Rehearsal, *, asks: bool) -> bool:
    """Whether what was said is looked through now, if that is due.

    In a run a model looks where a question may follow, and once when all is over: what an answer
    contradicts its verdict says.
    """
    room = rehearsal.room
    if not (asks and rehearsal.has_model):
        return True
    if room.is_played_out and room.exchanges and not (room.is_over or is_full(rehearsal)):
        return bool(room.suspected) or room.look_due == "break"
    return room.is_to_be_thought_of or room.is_played_out


def _why_refresh(rehearsal: Rehearsal, *, asks: bool) -> str | None:
    """Why the candidates are looked at before the next step; None: they are not.

    A model is asked only where its question can be put next.
    """
    room = rehearsal.room
    if not rehearsal.has_model:
        return ("played out" if room.is_played_out else "slide") if room.refresh_due else None
    if not asks or not room.is_to_be_thought_of or is_full(rehearsal):
        return None
    return "end" if room.is_played_out else "break"


def _is_at_a_stop(rehearsal: Rehearsal, playback: Playback) -> bool:
    """The recording has come to the end of a sentence, or to a pause."""
    played = rehearsal.room.played
    if played == len(playback.segments):
        return True
    if rehearsal.now_s() > playback.offset_s + playback.segments[played].start_s:
        return False  # within a long piece of speech
    return played == 0 or played in rehearsal.pauses(playback) or ends_sentence(playback.segments[played - 1])


def _go_on_asking(
    rehearsal: Rehearsal, playback: Playback, prompt: Callable[[Exchange], str | None] | None
) -> bool:
    exchange = moderator.still_open(rehearsal)
    if exchange.turns[-1].answer is not None:
        moderator.judge(rehearsal)
        return True
    if prompt is not None:
        moderator.take_answer(rehearsal, prompt(exchange))
        return True
    used = pick_answer(
        playback.answers,
        frozenset(rehearsal.room.answers_used),
        agent=exchange.agent,
        exchange=exchange.id,
        claim=exchange.claim,
        comes_back_to=exchange.comes_back_to,
    )
    answer = playback.answers[used] if used is not None else Answer("")
    moderator.take_answer(rehearsal, answer.text, used=used, parks=answer.park)
    return True


def _play_on(rehearsal: Rehearsal, playback: Playback, wait_until: Callable[[float], None] | None) -> None:
    """The next of: a refresh that is due, a pause to ask in, a change of slide, the next segment."""
    room = rehearsal.room
    segment = playback.segments[room.played]
    start_s = playback.offset_s + segment.start_s
    changes = segment.slide is not None and segment.slide != room.slide
    due_s = start_s if changes else playback.offset_s + segment.end_s
    refresh_s = rehearsal.rules.timers_s.refresh
    tick_s = inf if rehearsal.has_model else (room.refreshed_at_s // refresh_s + 1) * refresh_s
    pause_s = _pause_s(rehearsal, playback)
    if pause_s is not None and pause_s < tick_s and _ask_at_pause(rehearsal, pause_s, wait_until):
        return
    at_s = tick_s if tick_s <= due_s else due_s
    if wait_until is not None:
        wait_until(at_s)
    rehearsal.playing_s = at_s
    if tick_s <= due_s:
        refreshing.refresh(rehearsal, "timer")
    elif changes and segment.slide is not None:
        if _is_break(rehearsal, playback, segment.slide):
            rehearsal.store.note({"type": "section_end", "slides": len(room.slides)}, by="moderator")
            return
        change_slide(rehearsal, segment.slide, at_s=start_s, estimated=segment.slide_estimated)
    else:
        add_segment(rehearsal, segment, played=room.played + 1)


def _pause_s(rehearsal: Rehearsal, playback: Playback) -> float | None:
    """When the panel may come in before the next segment, on the session clock; None: it may not."""
    room = rehearsal.room
    if playback.kind != "run" or rehearsal.options.mode == SECTION_BREAKS:
        return None
    pause_s = rehearsal.pauses(playback).get(room.played)
    if pause_s is None or (room.slides and room.slides[-1].at_s > pause_s):  # the talk has gone on
        return None
    over_s = max(pause_s, playback.offset_s + playback.segments[room.played].start_s)
    return max(pause_s, rehearsal.now_s()) if rehearsal.now_s() <= over_s else None


def _ask_at_pause(rehearsal: Rehearsal, at_s: float, wait_until: Callable[[float], None] | None) -> bool:
    """Let somebody come in; False if nobody does. A model is first asked for questions, if one can be put."""
    if wait_until is not None:
        wait_until(at_s)
    rehearsal.playing_s = at_s
    if rehearsal.has_model and may_ask_at_pause(rehearsal) and rehearsal.room.refreshed_at_s < at_s:
        looking.look_if_due(rehearsal)
        refreshing.refresh(rehearsal, "pause")
        return True
    return moderator.ask_at_pause(rehearsal) is not None


def _is_break(rehearsal: Rehearsal, playback: Playback, to: int) -> bool:
    """Whether the panel comes in before this change of slide, and has not done so yet."""
    room = rehearsal.room
    if playback.kind != "run" or not _breaks_at_sections(rehearsal) or room.section_ended == len(room.slides):
        return False
    return ends_section(room, rehearsal.scene().deck, to, rehearsal.rules.section_break_slides)


def _breaks_at_sections(rehearsal: Rehearsal) -> bool:
    return rehearsal.options.mode == SECTION_BREAKS


def add_segment(
    rehearsal: Rehearsal,
    segment: Segment,
    *,
    played: int | None = None,
    source: tuple[str, int] | None = None,
) -> None:
    """Put one piece of speech into the transcript, durably, with the claims that it makes.

    Args:
        played: How many segments of the playback are then in the transcript.
        source: The followed file's name and the number of the line that it came from.
    """
    claims = speech_claims(segment, len(rehearsal.room.segments) + 1)
    found = looking.tensions_in(rehearsal, segment)
    value = {
        "type": "segment",
        "segment": to_json(segment),
        "claims": to_json(claims),
        **({"tensions": to_json(found)} if found else {}),
        **({"played": played} if played is not None else {}),
        **({"source": list(source)} if source is not None else {}),
    }
    line = render.segment_line(segment)
    if not found:  # the usual case: one record, one write
        rehearsal.store.append(TRANSCRIPT, line, by="transcript", value=value)
        return
    with rehearsal.store.transaction():
        rehearsal.store.append(TRANSCRIPT, line, by="transcript", value=value)
        looking.note_tensions(rehearsal, found)


def change_slide(rehearsal: Rehearsal, number: int, *, at_s: float, estimated: bool) -> None:
    """Mark a change of slide in the transcript; unless that was seen before, a section may end with it."""
    room, deck = rehearsal.room, rehearsal.scene().deck
    title = next((slide.title for slide in deck.slides if slide.number == number), "")
    ends = (
        _breaks_at_sections(rehearsal)
        and room.section_ended != len(room.slides)
        and ends_section(room, deck, number, rehearsal.rules.section_break_slides)
    )
    rehearsal.store.append(
        TRANSCRIPT,
        render.slide_line(number, title, at_s, estimated=estimated),
        by="transcript",
        value={"type": "slide", "slide": number, "at_s": at_s, "estimated": estimated, "break": ends},
    )


def ends_section(room: Room, deck: Deck, to: int, every: int) -> bool:
    """Whether a section ends when the presenter moves on to slide *to*.

    The deck's own sections count; without them, a slide with only a title begins one; without
    such slides, every *every*-th change of slide is a break.
    """
    if room.slide is None:
        return False
    slides = {slide.number: slide for slide in deck.slides}
    before, after = slides.get(room.slide), slides.get(to)
    if before is None or after is None:
        return False
    if any(slide.section is not None for slide in deck.slides):
        return before.section != after.section
    openers = {
        slide.number
        for slide in deck.slides[1:]
        if slide.title and not (slide.lines or slide.tables or slide.charts) and not slide.hidden
    }
    if openers:
        return to in openers and to > room.slide
    return len(room.slides) % every == 0
