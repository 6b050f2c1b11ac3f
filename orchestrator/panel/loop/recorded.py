"""Playing a recording: each step of the loop runs in a separate transaction and is waited for.

The recording's clock stops while an engine is awaited.

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.core.errors import SessionFrozenError, SessionStateError
from orchestrator.core.store.waiting import waits_until
from orchestrator.material.speech.read import Recording
from orchestrator.material.speech.slides import estimate_slides
from orchestrator.material.speech.speakers import UNCLEAR, presenter_of
from orchestrator.material.values import Segment
from orchestrator.panel.answers import Answer, pick_answer
from orchestrator.panel.loop import answers as answering
from orchestrator.panel.loop import answers as judging
from orchestrator.panel.loop import asking, contradiction_looks, moderator, refreshing
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.steps import (
    Ask,
    End,
    Judge,
    Listen,
    Look,
    Piece,
    Refresh,
    Speak,
    TakeAnswer,
    next_step,
)
from orchestrator.panel.loop.transcript import add_segment, change_slide
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.projection import Playback
from orchestrator.panel.records.speech import PlayedOut, SectionEnded
from orchestrator.panel.records.start import PlaybackLoaded, SpeakerFound

WaitUntil = Callable[[float], None]
Prompt = Callable[[Exchange], str | None]


@dataclass(frozen=True, slots=True)
class Loading:
    """A recording to be played, with the settings for it."""

    recording: Recording
    kind: str  # as in Playback
    answers: tuple[Answer, ...] = ()
    archive: str | None = None  # where a run archives at its end
    typed: bool = False  # answers are typed at the terminal while it plays


def begin(rehearsal: OpenRehearsal, loading: Loading) -> None:
    """Load a whole recording, so that it can be played, and resumed after any interruption.

    Raises:
        UsageError: The named speaker does not speak in the recording.
        SpeechError: The recording names slides that the deck does not have.
        SessionStateError: Another recording was interrupted, and its rest would be lost.
    """
    projection, recording = rehearsal.projection, loading.recording
    before = projection.playback
    if before is not None and projection.played < len(before.segments):
        left = len(before.segments) - projection.played
        raise SessionStateError(
            f"{rehearsal.options.id} has {left} of {len(before.segments)} segments of {before.name} still to "
            f"come: go on with `greenroom resume {rehearsal.options.id}` first"
        )
    options = rehearsal.options
    speaker = (
        presenter_of(recording.segments, options.speaker, name=options.presenter)
        if recording.segments
        else None
    )
    # Only where words without a label stand beside labels: other ledgers stay as they were.
    is_mixed = speaker is not None and (
        speaker.how == UNCLEAR or (speaker.alone and any(one.speaker is None for one in recording.segments))
    )
    loaded = Playback(
        kind=loading.kind,
        name=recording.name,
        segments=estimate_slides(recording.segments, rehearsal.scene().deck),
        answers=loading.answers,
        offset_s=max(rehearsal.now_s(), projection.segments[-1].end_s) if projection.segments else 0.0,
        archive=loading.archive,
        typed=loading.typed,
        notices=recording.notices,
    )
    store = rehearsal.store
    with store.transaction() as tx:
        tx.note(PlaybackLoaded(loaded), by="transcript")
        if speaker is not None and projection.presenter_how is None:
            tx.note(SpeakerFound(speaker.label, speaker.how, alone=is_mixed), by="transcript")


def drive(rehearsal: OpenRehearsal, **how: Any) -> bool:
    """Play the rest of the loaded recording as the session's driver.

    *how* is passed on to `play`. If the playing is cut short, the session shows as interrupted, so that
    `resume` can continue it.

    Raises:
        DriverBusyError: Another process drives the session.
    """
    playback = rehearsal.projection.playback
    if playback is None:
        return True
    finished = True  # also where somebody ends the session meanwhile
    with driving(rehearsal, playback.kind) as driven:
        finished = play(rehearsal, **how)
        if not finished:
            driven.cut_short()
    return finished


def play(
    rehearsal: OpenRehearsal,
    *,
    stop: Callable[[], bool] = lambda: False,
    wait_until: WaitUntil | None = None,
    on_step: Callable[[OpenRehearsal], None] | None = None,
    prompt: Prompt | None = None,
    ask_person: judging.AskPerson | None = None,
) -> bool:
    """Take steps until the playback is over (return True) or *stop* returns True (return False).

    Args:
        stop: Called between steps.
        wait_until: Called with the session clock at which the next step is due. To play at the recording's
            own pace, it sleeps until then. If None, play at full speed.
        on_step: Called after every step, for a progress bar.
        prompt: Returns the answer to the open question, in place of the recorded answers.
        ask_person: As for `answers.judge`.
    """
    try:
        with waits_until(stop):
            while not stop():
                seen = rehearsal.store.catch_up()
                try:
                    if not step(rehearsal, wait_until, prompt, ask_person):
                        return True
                except (SessionStateError, SessionFrozenError):
                    # Somebody else answered, parked, judged or ended it in this very moment, and that stands.
                    if rehearsal.store.catch_up() == seen:
                        raise
                if on_step is not None:
                    on_step(rehearsal)
        return False
    finally:
        rehearsal.playing_s = None


def step(
    rehearsal: OpenRehearsal,
    wait_until: WaitUntil | None = None,
    prompt: Prompt | None = None,
    ask_person: judging.AskPerson | None = None,
) -> bool:
    """Take the next step; return False if there is none left."""
    found = next_step(rehearsal.state())
    at_s = found.at_s if isinstance(found, Listen | Refresh | Ask) else None
    if at_s is not None:
        if wait_until is not None:
            wait_until(at_s)
        rehearsal.playing_s = at_s
    match found:
        case Listen():
            _take_in(rehearsal, found.piece)
        case Look():
            contradiction_looks.look_if_due(rehearsal)
        case Refresh():
            if found.why == "pause":  # a question can be put now, so what it could rest on is looked at first
                contradiction_looks.look_if_due(rehearsal)
            refreshing.refresh(rehearsal, found.why)
        case Ask():
            asking.ask(rehearsal, at_pause=found.at_pause)
        case TakeAnswer():
            _take_answer(rehearsal, prompt)
        case Judge():
            judging.judge(rehearsal, ask_person=ask_person)
        case Speak():
            moderator.speak(rehearsal, found.occasion)
        case End():
            return False
    return True


def _take_in(rehearsal: OpenRehearsal, piece: Piece | None) -> None:
    """Add the next piece of the recording to the session: a segment, the end of a section, or the end."""
    projection = rehearsal.projection
    if projection.playback is None:
        return
    if piece is Piece.PLAYED_OUT:
        rehearsal.store.note(PlayedOut(), by="moderator")
        return
    if piece is Piece.SECTION_END:
        rehearsal.store.note(SectionEnded(len(projection.slides)), by="moderator")
        return
    segment = projection.playback.segments[projection.played]
    if piece is Piece.SLIDE and segment.slide is not None:
        at_s = projection.playback.offset_s + segment.start_s
        change_slide(rehearsal, segment.slide, at_s=at_s, estimated=segment.slide_estimated)
    else:
        add_segment(
            rehearsal, _on_the_clock(segment, projection.playback.offset_s), played=projection.played + 1
        )


def _on_the_clock(segment: Segment, offset_s: float) -> Segment:
    """Return the segment with times on the session clock; a second recording starts where the first ended."""
    if not offset_s:
        return segment
    return replace(segment, start_s=segment.start_s + offset_s, end_s=segment.end_s + offset_s)


def _take_answer(rehearsal: OpenRehearsal, prompt: Prompt | None) -> None:
    """Take the answer that *prompt* returns; without *prompt*, take the matching recorded answer, if any."""
    exchange, playback = answering.still_open(rehearsal), rehearsal.projection.playback
    if prompt is not None or playback is None:
        answering.take_answer(rehearsal, prompt(exchange) if prompt is not None else None)
        return
    used = pick_answer(
        playback.answers,
        frozenset(rehearsal.projection.answers_used),
        agent=exchange.agent,
        exchange=exchange.id,
        claim=exchange.claim,
        slide=exchange.slide,
        questions=[turn.question for turn in exchange.turns],
        comes_back_to=exchange.comes_back_to,
    )
    answer = playback.answers[used] if used is not None else Answer("")
    answering.take_answer(rehearsal, answer.text, used=used, parks=answer.park, verdict=answer.verdict)
