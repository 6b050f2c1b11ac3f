"""Playing a recording: speech and slides in their own time, refreshes, and breaks for questions.

`step` looks at the room and takes the one next step, in a transaction of its own; nothing is
remembered between steps. So a rehearsal that was killed after any record goes on from there,
and ends with the same files as one that was not.

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator import moderator, panelist, render
from orchestrator.claims.extract import speech_claims
from orchestrator.deck.model import Deck
from orchestrator.exchange import Exchange
from orchestrator.rehearsal import Rehearsal
from orchestrator.room import Playback, Room
from orchestrator.speech.answers import pick_answer
from orchestrator.speech.model import Segment
from orchestrator.values import to_json

TRANSCRIPT = moderator.TRANSCRIPT


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
    if asks and room.open is not None:
        return _go_on_asking(rehearsal, playback, prompt)
    if room.refresh_due:
        panelist.refresh(rehearsal, "played out" if room.is_played_out else "slide")
        return True
    if asks and room.break_due:
        return _ask_somebody(rehearsal)
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
    return _ask_somebody(rehearsal)


def _ask_somebody(rehearsal: Rehearsal) -> bool:
    full = len(rehearsal.room.exchanges) >= rehearsal.options.exchanges
    choice = None if full else moderator.choose(rehearsal)
    if choice is None:
        why = "the exchanges are used up" if full else "nobody has a question"
        rehearsal.store.note({"type": "passed", "why": why}, by="moderator")
    else:
        moderator.open_exchange(rehearsal, choice)
    return True


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
    )
    moderator.take_answer(rehearsal, None if used is None else playback.answers[used].text, used=used)
    return True


def _play_on(rehearsal: Rehearsal, playback: Playback, wait_until: Callable[[float], None] | None) -> None:
    """The next of: a refresh that is due, a change of slide, the next segment."""
    room = rehearsal.room
    segment = playback.segments[room.played]
    start_s = playback.offset_s + segment.start_s
    changes = segment.slide is not None and segment.slide != room.slide
    due_s = start_s if changes else playback.offset_s + segment.end_s
    refresh_s = rehearsal.rules.timers_s.refresh
    tick_s = (room.refreshed_at_s // refresh_s + 1) * refresh_s
    at_s = tick_s if tick_s <= due_s else due_s
    if wait_until is not None:
        wait_until(at_s)
    rehearsal.playing_s = at_s
    if tick_s <= due_s:
        panelist.refresh(rehearsal, "timer")
    elif changes and segment.slide is not None:
        if _is_break(rehearsal, playback, segment.slide):
            rehearsal.store.note({"type": "section_end", "slides": len(room.slides)}, by="moderator")
            return
        change_slide(rehearsal, segment.slide, at_s=start_s, estimated=segment.slide_estimated)
    else:
        with rehearsal.store.transaction():
            add_segment(rehearsal, segment, played=room.played + 1)
            moderator.warn_of_time(rehearsal)


def _is_break(rehearsal: Rehearsal, playback: Playback, to: int) -> bool:
    """Whether the panel comes in before this change of slide, and has not done so yet."""
    room = rehearsal.room
    if playback.kind != "run" or room.section_ended == len(room.slides):
        return False
    return ends_section(room, rehearsal.scene().deck, to, rehearsal.rules.section_break_slides)


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
    index = len(rehearsal.room.segments) + 1
    value = {
        "type": "segment",
        "segment": to_json(segment),
        "claims": to_json(speech_claims(segment, index)),
        **({"played": played} if played is not None else {}),
        **({"source": list(source)} if source is not None else {}),
    }
    rehearsal.store.append(TRANSCRIPT, render.segment_line(segment), by="transcript", value=value)


def change_slide(rehearsal: Rehearsal, number: int, *, at_s: float, estimated: bool) -> None:
    """Mark a change of slide in the transcript; unless that was seen before, a section may end with it."""
    room, deck = rehearsal.room, rehearsal.scene().deck
    title = next((slide.title for slide in deck.slides if slide.number == number), "")
    ends = room.section_ended != len(room.slides) and ends_section(
        room, deck, number, rehearsal.rules.section_break_slides
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
