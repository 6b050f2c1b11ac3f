"""Writing the presenter's transcript: speech, changes of slide, and the session clock beside it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from orchestrator.core.errors import SessionFrozenError, UsageError
from orchestrator.core.store.requests import Request, do_once, request_of
from orchestrator.core.store.transaction import Draft
from orchestrator.core.values import to_json
from orchestrator.material.claims.extract import speech_claims
from orchestrator.material.speech.read import Recording
from orchestrator.material.speech.readings import told_doubt
from orchestrator.material.speech.slides import estimate_slides
from orchestrator.material.speech.stream import timed
from orchestrator.material.values import Deck, LiveSegment, Segment, possible
from orchestrator.panel import render
from orchestrator.panel.loop import contradiction_looks, turns
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.personas.orchestration import SECTION_BREAKS, Orchestration
from orchestrator.panel.records.moderator import ClockSet
from orchestrator.panel.records.projection import TRANSCRIPT, Line, Projection
from orchestrator.panel.records.setup import Options
from orchestrator.panel.records.speech import SlideShown, SpeechHeard


def add_segment(
    rehearsal: OpenRehearsal,
    segment: Segment,
    *,
    begun_s: float | None = None,
    played: int | None = None,
    source: Line | None = None,
    tx: Draft | None = None,
) -> None:
    """Add one piece of speech to the transcript, durably, with the claims that it makes.

    Args:
        begun_s: When the piece was begun, on the session clock (`turns.begun_s`). If None, at its start.
        played: How many segments of the playback are in the transcript with this one.
        source: The line of a followed file that completes the piece.
        tx: The transaction to write in. If None, a new one.
    """
    with rehearsal.store.joined(tx) as tx:  # a claim is numbered by its segment, and others add some too
        if begun_s is None:
            begun_s = min(segment.start_s + _offset_s(rehearsal, played), rehearsal.now_s())
        found = contradiction_looks.tensions_in(rehearsal, segment)
        claims = speech_claims(segment, len(rehearsal.projection.segments) + 1)
        part = turns.part_of(rehearsal.projection, begun_s)
        told_s = None if begun_s == segment.start_s else begun_s
        value = SpeechHeard(segment, claims, found, played, source, told_s, part)
        tx.append(TRANSCRIPT, render.segment_line(segment), by="transcript", value=value)
        contradiction_looks.note_tensions(rehearsal, tx, found)


def _offset_s(rehearsal: OpenRehearsal, played: int | None) -> float:
    """Return the session clock at which the recording began from which a segment is played, or 0."""
    playback = rehearsal.projection.playback
    return playback.offset_s if played is not None and playback is not None else 0.0


def hear(rehearsal: OpenRehearsal, piece: LiveSegment) -> None:
    """Add speech that has just come to the transcript, on the slide that was shown when the speech was begun.

    If the speech names a slide, that slide is shown from then on, unless another one has been shown since.

    Raises:
        UsageError: The deck does not have the slide; nothing was added.
    """
    with rehearsal.store.transaction() as tx:
        segment, begun_s = settled(rehearsal, piece)
        if piece.slide is None:
            segment = replace(segment, slide=rehearsal.projection.slide_at(begun_s))
        else:
            follow_slide(rehearsal, piece.slide, begun_s, tx)
        add_segment(rehearsal, segment, begun_s=begun_s, tx=tx)


def settled(
    rehearsal: OpenRehearsal, piece: LiveSegment, *, from_s: float | None = None
) -> tuple[Segment, float]:
    """Return the piece as a segment with its times, and the time when it was begun (`turns.begun_s`).

    Args:
        from_s: The session clock when its source was first heard. An earlier time comes from another clock
            and is ignored.
    """
    now_s, segments = rehearsal.now_s(), rehearsal.projection.segments
    previous = segments[-1] if segments else None
    segment, told_s = timed(piece, now_s, previous), possible(piece.start_s)
    estimated_s = segment.start_s
    if told_s is not None and from_s is not None and told_s < from_s:
        told_s, untimed = None, replace(piece, start_s=None, end_s=None)
        estimated_s = timed(untimed, now_s, previous).start_s
    runs = rehearsal.clock.is_running(rehearsal.projection.clock)
    seconds = segment.end_s - segment.start_s
    segment = replace(segment, doubt=piece.doubt or told_doubt(piece.text, piece.confidence, seconds))
    return segment, turns.begun_s(told_s, estimated_s, now_s, runs=runs)


def follow_slide(rehearsal: OpenRehearsal, number: int, begun_s: float, tx: Draft | None = None) -> None:
    """Show the slide that a piece of speech names, from *begun_s* on, unless another was shown since.

    Raises:
        UsageError: The deck has no such slide.
    """
    check_slide(rehearsal, number)
    slides = rehearsal.projection.slides
    if number == rehearsal.projection.slide or (slides and begun_s < slides[-1].at_s):
        return
    change_slide(rehearsal, number, at_s=begun_s, estimated=False, tx=tx)


def hear_once(
    rehearsal: OpenRehearsal,
    piece: LiveSegment,
    add: Callable[[], None],
    request: Request | None = None,
) -> int:
    """Add a piece to the transcript unless it was already added; return the number of segments up to it.

    Args:
        add: Adds the piece.
        request: Identifies a piece that was already added. If None, the piece's own id does, if it has one.

    Raises:
        RequestIdReusedError: Another piece was added under this id.
        UsageError: The id is invalid.
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


def add_recording(rehearsal: OpenRehearsal, recording: Recording) -> None:
    """Append a recording's segments unchanged, while another process drives the session."""
    for segment in estimate_slides(recording.segments, rehearsal.scene().deck):
        with rehearsal.store.transaction() as tx:
            if segment.slide is not None and segment.slide != rehearsal.projection.slide:
                move_to(rehearsal, segment.slide, tx)
            add_segment(rehearsal, segment, tx=tx)


def show_first(rehearsal: OpenRehearsal) -> None:
    """Show the first slide from the beginning if no slide was shown yet, since a room sees one."""
    slides = rehearsal.scene().deck.slides
    first = next((slide for slide in slides if not slide.hidden), None)
    if first is None or rehearsal.projection.slides:
        return
    with rehearsal.store.transaction() as tx:
        if not rehearsal.projection.slides:
            change_slide(rehearsal, first.number, at_s=0.0, estimated=False, tx=tx)


def move_to(rehearsal: OpenRehearsal, number: int, tx: Draft | None = None) -> None:
    """Record that the presenter moved to slide *number* now.

    Raises:
        UsageError: The deck has no such slide.
    """
    check_slide(rehearsal, number)
    change_slide(rehearsal, number, at_s=rehearsal.now_s(), estimated=False, tx=tx)


def check_slide(rehearsal: OpenRehearsal, number: int) -> None:
    """Raise UsageError unless the deck has slide *number*."""
    slides = rehearsal.scene().deck.slides
    if number not in {slide.number for slide in slides}:
        raise UsageError(f"there is no slide {number}: the deck has 1 to {len(slides)}")


def change_slide(
    rehearsal: OpenRehearsal, number: int, *, at_s: float, estimated: bool, tx: Draft | None = None
) -> None:
    """Mark a change of slide in the transcript.

    A section may end with the change, unless that was already recorded.
    """
    projection, deck = rehearsal.projection, rehearsal.scene().deck
    title = next((slide.title for slide in deck.slides if slide.number == number), "")
    ends = comes_in(projection, rehearsal.options, rehearsal.rules, number)
    with rehearsal.store.joined(tx) as tx:
        tx.append(
            TRANSCRIPT,
            render.slide_line(number, title, at_s, estimated=estimated),
            by="transcript",
            value=SlideShown(number, at_s, estimated, ends),
        )
        show_state(rehearsal, tx, projection.state, projection.asking)


def comes_in(projection: Projection, options: Options, rules: Orchestration, to: int) -> bool:
    """Return whether the panel comes in when the presenter moves on to slide *to*.

    With section breaks, it comes in where a section ends. In every mode, it comes in where the presenter's
    own question is for the slide that is being left. It does not come in twice at the same end.
    """
    deck, here = projection.deck, projection.slide
    if deck is None or here is None or projection.section_ended == len(projection.slides):
        return False
    if to != here and any(one.slide == here for _, one in projection.still_brought):
        return projection.opened < options.exchanges
    return options.mode == SECTION_BREAKS and ends_section(projection, deck, to, rules.section_break_slides)


def ends_section(projection: Projection, deck: Deck, to: int, every: int) -> bool:
    """Return whether a section ends when the presenter moves on to slide *to*.

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


def set_clock(rehearsal: OpenRehearsal, *, runs: bool, why: str | None = None) -> None:
    """Run the session clock in this process from now on, or stop it; *why* is as in `ClockSet.why`."""
    store, clock = rehearsal.store, rehearsal.clock
    with store.transaction() as tx:
        there_s = clock.there_s()
        tx.note(ClockSet(store.now_s(), runs, why), by="moderator")
    if runs:
        clock.run(rehearsal.projection.clock, there_s)
    else:
        clock.stop()


def clock_reaches(rehearsal: OpenRehearsal, at_s: float) -> None:
    """Set a session clock that is stopped and behind *at_s* to *at_s*, which speech with times has
    reached.
    """
    state = rehearsal.projection.clock
    if state.live_since is None and rehearsal.playing_s is None and at_s > rehearsal.now_s():
        rehearsal.store.note(ClockSet(at_s, False), by="moderator")


def take_up_clock(rehearsal: OpenRehearsal) -> None:
    """Set the clock again if this process was suspended and goes on, so that the ledger records it, once."""
    if rehearsal.clock.has_gap(rehearsal.projection.clock):
        with suppress(SessionFrozenError):  # it was ended in this very moment
            set_clock(rehearsal, runs=True)
