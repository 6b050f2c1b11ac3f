"""What goes into the presenter's transcript: speech, changes of slide, and the session clock beside it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from orchestrator import render
from orchestrator.claims.extract import speech_claims
from orchestrator.errors import SessionFrozenError, UsageError
from orchestrator.loop import contradiction_looks
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.loop.state_page import show_state
from orchestrator.model.segment import LiveSegment, Segment
from orchestrator.model.slide import Deck
from orchestrator.model.values import to_json
from orchestrator.records.moderator import ClockSet
from orchestrator.records.projection import TRANSCRIPT, Line, Projection
from orchestrator.records.speech import SlideShown, SpeechHeard
from orchestrator.speech.read import Recording
from orchestrator.speech.slide_times import estimate_slides
from orchestrator.speech.stream import timed
from orchestrator.store.requests import Request, do_once, request_of
from orchestrator.store.transaction import Draft
from orchestrator.templates.orchestration import SECTION_BREAKS


def add_segment(
    rehearsal: Rehearsal,
    segment: Segment,
    *,
    played: int | None = None,
    source: Line | None = None,
    tx: Draft | None = None,
) -> None:
    """Put one piece of speech into the transcript, durably, with the claims that it makes.

    Args:
        played: How many segments of the playback are then in the transcript.
        source: The line of a followed file with which it was complete.
        tx: The transaction that it belongs to; None: one of its own.
    """
    with rehearsal.store.joined(tx) as tx:  # a claim is numbered by its segment, and others add some too
        found = contradiction_looks.tensions_in(rehearsal, segment)
        claims = speech_claims(segment, len(rehearsal.projection.segments) + 1)
        value = SpeechHeard(segment, claims, found, played, source)
        tx.append(TRANSCRIPT, render.segment_line(segment), by="transcript", value=value)
        contradiction_looks.note_tensions(rehearsal, tx, found)


def hear(rehearsal: Rehearsal, piece: LiveSegment) -> None:
    """Put what was said just now into the transcript, on the slide that it names or that is shown.

    Raises:
        UsageError: The deck has no such slide; nothing was taken.
    """
    with rehearsal.store.transaction() as tx:
        projection = rehearsal.projection
        segment = timed(piece, rehearsal.now_s(), projection.segments[-1] if projection.segments else None)
        if piece.slide is None:
            segment = replace(segment, slide=projection.slide)
        elif piece.slide != projection.slide:
            move_to(rehearsal, piece.slide, tx)
        add_segment(rehearsal, segment, tx=tx)


def hear_once(
    rehearsal: Rehearsal,
    piece: LiveSegment,
    add: Callable[[], None],
    request: Request | None = None,
) -> int:
    """Have a piece added to the transcript unless it was before; returns the segments up to and with it.

    Args:
        add: Puts it there.
        request: What shows that it was added before; None: the piece's own id, where it has one.

    Raises:
        RequestIdReusedError: Something else was said by this id.
        UsageError: The id is none.
    """
    if request is None and piece.id is not None:
        request = request_of(piece.id, "segment", to_json(replace(piece, id=None)))

    do_once(
        rehearsal.store,
        request,
        add,
        is_effect=lambda record: record.type == SpeechHeard.TYPE,
        reply=lambda tx: len(rehearsal.projection.segments),
        again=lambda done: None,
    )
    if request is None:
        return len(rehearsal.projection.segments)
    return int(rehearsal.store.requests[request.id].reply)


def add_recording(rehearsal: Rehearsal, recording: Recording) -> None:
    """Append a recording's segments as they are, while another process drives the session."""
    for segment in estimate_slides(recording.segments, rehearsal.scene().deck):
        with rehearsal.store.transaction() as tx:
            if segment.slide is not None and segment.slide != rehearsal.projection.slide:
                move_to(rehearsal, segment.slide, tx)
            add_segment(rehearsal, segment, tx=tx)


def move_to(rehearsal: Rehearsal, number: int, tx: Draft | None = None) -> None:
    """The presenter moved to slide *number*, now.

    Raises:
        UsageError: The deck has no such slide.
    """
    check_slide(rehearsal, number)
    change_slide(rehearsal, number, at_s=rehearsal.now_s(), estimated=False, tx=tx)


def check_slide(rehearsal: Rehearsal, number: int) -> None:
    """Raise UsageError unless the deck has slide *number*."""
    slides = rehearsal.scene().deck.slides
    if number not in {slide.number for slide in slides}:
        raise UsageError(f"there is no slide {number}: the deck has 1 to {len(slides)}")


def change_slide(
    rehearsal: Rehearsal, number: int, *, at_s: float, estimated: bool, tx: Draft | None = None
) -> None:
    """Mark a change of slide in the transcript; unless that was seen before, a section may end with it."""
    projection, deck = rehearsal.projection, rehearsal.scene().deck
    title = next((slide.title for slide in deck.slides if slide.number == number), "")
    ends = (
        rehearsal.options.mode == SECTION_BREAKS
        and projection.section_ended != len(projection.slides)
        and ends_section(projection, deck, number, rehearsal.rules.section_break_slides)
    )
    with rehearsal.store.joined(tx) as tx:
        tx.append(
            TRANSCRIPT,
            render.slide_line(number, title, at_s, estimated=estimated),
            by="transcript",
            value=SlideShown(number, at_s, estimated, ends),
        )
        show_state(rehearsal, tx, projection.state, projection.open)


def ends_section(projection: Projection, deck: Deck, to: int, every: int) -> bool:
    """Whether a section ends when the presenter moves on to slide *to*.

    The deck's own sections count; without them, a slide with only a title begins one; without
    such slides, every *every*-th change of slide is a break.
    """
    if projection.slide is None:
        return False
    slides = {slide.number: slide for slide in deck.slides}
    before, after = slides.get(projection.slide), slides.get(to)
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
        return to in openers and to > projection.slide
    return len(projection.slides) % every == 0


def set_clock(rehearsal: Rehearsal, *, runs: bool) -> None:
    """Let the session clock run in this process from now on, or stand still."""
    store, clock = rehearsal.store, rehearsal.clock
    with store.transaction() as tx:
        there_s = clock.there_s()
        tx.note(ClockSet(store.now_s(), runs), by="moderator")
    if runs:
        clock.run(rehearsal.projection.clock, there_s)
    else:
        clock.stop()


def take_up_clock(rehearsal: Rehearsal) -> None:
    """Set the clock anew where this process was stopped and goes on, so that the ledger says it, once."""
    if rehearsal.clock.has_gap(rehearsal.projection.clock):
        with suppress(SessionFrozenError):  # it was ended in this very moment
            set_clock(rehearsal, runs=True)
