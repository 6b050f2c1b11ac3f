"""What a room's page shows at one moment, built from the session's records each time."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Final

from orchestrator.core.table import MODERATOR
from orchestrator.panel import render
from orchestrator.panel.debrief import phrasing
from orchestrator.panel.debrief.parts import shares
from orchestrator.panel.engines.protocol import Watched
from orchestrator.panel.loop.driver_lock import is_driven, state_of
from orchestrator.panel.loop.moderator import about, asked, spoken
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state import Live
from orchestrator.panel.loop.steps import End, is_run, next_step
from orchestrator.panel.loop.turns import Floor, floor_of
from orchestrator.panel.model.exchange import Exchange, still_to_come_back
from orchestrator.panel.records.projection import Projection

CAPTIONS = 12
"""Maximum number of pieces of speech on the page; the transcript has all of them."""
LINES = 4
"""Maximum number of the moderator's lines on the page."""
WAITS_S: Final = 5.0
"""Seconds after which the room shows that a call to a model is under way; a presenter would not see a
shorter one."""


@dataclass(frozen=True, slots=True)
class Caption:
    """One piece of speech."""

    at_s: float  # session clock
    speaker: str | None
    text: str
    slide: int | None
    number: int  # of the segment in the transcript, from 1
    doubt: str | None = None  # as Segment.doubt
    misheard: str | None = None  # as Segment.misheard
    is_judged: bool = False  # of an answer that has its verdict, which stays on what was heard


@dataclass(frozen=True, slots=True)
class Member:
    """One of the panel."""

    agent: str
    name: str
    title: str
    color: str  # "#rrggbb", as the persona has it
    has_hand_up: bool
    has_question: bool  # one that could be put now
    is_speaking: bool
    failed: str | None  # why it has no new question


@dataclass(frozen=True, slots=True)
class Question:
    """The question that is open."""

    exchange: str
    agent: str
    name: str
    color: str
    text: str  # without the quote, which stands above it
    quotes: tuple[str, ...]  # each with its place
    origin: str  # whose question it is; "": a panelist's, a general one where there is no quote
    slides: tuple[int | None, ...]
    """The slide on which each quote stands; None: it was said. Without a quote that of the question."""
    turn: int  # 1: asked for the first time
    is_judged: bool  # False while an answer waits for its verdict
    remark: str  # what the panelist said to the answer before
    at_s: float
    put_at_s: float  # session clock: a follow-up, or a question taken back, is put later than it was asked


@dataclass(frozen=True, slots=True)
class Closed:
    """An exchange that is over."""

    exchange: str
    agent: str
    name: str
    color: str
    question: str
    outcome: str  # in words
    reason: str
    remark: str


@dataclass(frozen=True, slots=True)
class RoomView:
    """The room as a page shows it."""

    session: str
    seq: int  # of the last record that it is made from
    state: str  # active, interrupted, closing, ended or degraded
    moment: str  # of the moderator's states
    is_driven_here: bool
    is_driven_elsewhere: bool  # by another process: a feed, or another server
    broke_off: str | None  # why this server's drive of it broke off
    title: str
    now_s: float  # session clock
    is_running: bool  # whether that clock runs
    used_s: float
    minutes: int
    warnings: tuple[float, ...]  # shares of the minutes at which time is short, ascending
    slide: int | None
    slides: tuple[tuple[int, str], ...]  # number and title
    plan: tuple[float, ...]  # of each of these its share of the minutes, in seconds; 0 of a hidden one
    is_blank: bool  # the slide is dark, for the audience to look at whoever speaks
    captions: tuple[Caption, ...]
    panel: tuple[Member, ...]
    said: tuple[str, ...]  # the moderator's last lines
    question: Question | None
    closed: tuple[Closed, ...]
    parked: tuple[str, ...]  # of these the exchanges whose question can still come back
    left: int  # questions that can still be put, with those that were parked
    contradictions: int
    took_over: str | None  # why the offline panel sits in the model's place
    turn: Floor  # whose turn it is
    asking: str | None = None  # who is asked what by the model, where that takes long
    recording: str | None = None  # the name of the recorded talk; None: it is held live
    is_playing: bool = False  # it is played here, up to the next question
    is_played: bool = False  # it is over, and so are its questions


def room_view(
    rehearsal: OpenRehearsal,
    *,
    is_driven_here: bool,
    broke_off: str | None = None,
    live: Live | None = None,
    is_blank: bool = False,
) -> RoomView:
    """Return the room of one session, as of its last record; *live* is what only the session's drive
    knows."""
    rehearsal.store.catch_up()
    asking = asked_now(rehearsal)
    with rehearsal.store.history.mutex:  # the drive may fold a question in the middle of what is read here
        projection, options = rehearsal.projection, rehearsal.options
        now_s = rehearsal.now_s()
        shown = [
            line for said in projection.said[-3 * LINES :] if (line := spoken(rehearsal, said)) is not None
        ]
        deck = rehearsal.scene().deck
        plan = shares(deck, options.minutes * 60)
        playback, state = projection.playback, rehearsal.state(live)
        is_recorded = is_run(playback)
        return RoomView(
            session=rehearsal.store.root.name,  # the folder's: a copy has its original's id
            seq=rehearsal.store.seq,
            state=state_of(rehearsal),
            moment=projection.state,
            is_driven_here=is_driven_here,
            is_driven_elsewhere=not is_driven_here
            and projection.driver is not None
            and is_driven(rehearsal.store.root),
            broke_off=broke_off,
            title=deck.title,
            now_s=now_s,
            is_running=rehearsal.clock.is_running(projection.clock),
            used_s=sum(projection.times(now_s)),
            minutes=options.minutes,
            warnings=rehearsal.rules.time_warnings,
            slide=projection.slide,
            slides=tuple((slide.number, slide.title) for slide in deck.slides),
            plan=tuple(round(plan.get(slide.number, 0.0), 3) for slide in deck.slides),
            is_blank=is_blank,
            captions=_captions(projection),
            panel=tuple(_member(rehearsal, agent) for agent in (MODERATOR, *options.panel)),
            said=tuple(shown[-LINES:]),
            question=_question(rehearsal, projection.asking) if projection.asking is not None else None,
            closed=tuple(_closed(rehearsal, one) for one in projection.exchanges),
            parked=tuple(one.id for one in still_to_come_back(projection.asked)),
            left=max(options.exchanges - projection.opened, len(still_to_come_back(projection.exchanges))),
            contradictions=len(projection.tensions),
            took_over=projection.took_over,
            turn=floor_of(state),
            asking=asking,
            recording=playback.name if playback is not None and is_recorded else None,
            is_playing=is_recorded and is_driven_here,
            is_played=is_recorded and not is_driven_here and isinstance(next_step(state), End),
        )


def asked_now(rehearsal: OpenRehearsal) -> str | None:
    """Return what the model is being asked, if the call has taken `WAITS_S`, or None."""
    if not rehearsal.has_model or not isinstance(rehearsal.engine, Watched):
        return None
    under_way, _ = rehearsal.engine.calls.now()
    return next((str(call) for call in under_way if monotonic() - call.began_s >= WAITS_S), None)


def _captions(projection: Projection) -> tuple[Caption, ...]:
    """Return the last segments by their times, each with its number, without those that were taken back.

    Words that were taken for an answer but belong to the talk are recorded again, later than they were said.
    """
    segments = projection.spoken
    first = max(0, len(segments) - CAPTIONS)
    order = sorted(range(first, len(segments)), key=lambda index: projection.begun_s[index])
    return tuple(
        Caption(
            one.start_s,
            one.speaker,
            one.text,
            one.slide,
            index + 1,
            one.doubt,
            one.misheard,
            is_judged=_is_judged(projection, index + 1),
        )
        for index, one in ((index, segments[index]) for index in order)
        if one.text or one.misheard  # else it was taken back
    )


def _is_judged(projection: Projection, number: int) -> bool:
    """Return whether segment *number* belongs to an answer that has a verdict."""
    exchange, turn, _ = projection.answer_of(projection.segments[number - 1])
    return any(one.id == exchange and one.turns[turn - 1].verdict is not None for one in projection.asked)


def _member(rehearsal: OpenRehearsal, agent: str) -> Member:
    projection = rehearsal.projection
    persona = rehearsal.seats[agent].persona
    waiting = projection.waiting.get(agent)
    asks = (
        projection.asking is not None
        and projection.asking.agent == agent
        and projection.asking.turns[-1].answer is None
    )
    return Member(
        agent=agent,
        name=persona.name,
        title=persona.title,
        color=persona.color,
        has_hand_up=agent in projection.hands,
        has_question=waiting is not None and waiting.status == "ready",
        is_speaking=asks,
        failed=projection.failed.get(agent),
    )


def _question(rehearsal: OpenRehearsal, exchange: Exchange) -> Question:
    persona = rehearsal.seats[exchange.agent].persona
    last = exchange.turns[-1]
    quotes = tuple(about(rehearsal, exchange))
    return Question(
        exchange=exchange.id,
        agent=exchange.agent,
        name=persona.name,
        color=persona.color,
        text=asked(exchange),
        quotes=quotes,
        origin=render.brought_origin(exchange),
        slides=(exchange.slide, exchange.beside.slide if exchange.beside else None)[: max(1, len(quotes))],
        turn=len(exchange.turns),
        is_judged=last.answer is None,
        remark=exchange.turns[-2].remark if len(exchange.turns) > 1 else "",
        at_s=exchange.asked_at_s,
        put_at_s=rehearsal.projection.put_at_s,
    )


def _closed(rehearsal: OpenRehearsal, exchange: Exchange) -> Closed:
    persona = rehearsal.seats[exchange.agent].persona
    last = exchange.turns[-1]
    return Closed(
        exchange=exchange.id,
        agent=exchange.agent,
        name=persona.name,
        color=persona.color,
        question=exchange.turns[0].question,
        outcome=phrasing.outcome(exchange),
        reason=last.reason or "",
        remark=last.remark,
    )
