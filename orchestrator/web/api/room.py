"""/api/v1/sessions/{id}/room: the room as its page shows it, as one document and as a stream of documents."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from functools import partial
from http import HTTPStatus
from itertools import count, repeat
from math import ceil
from typing import Annotated, Any, Final, Literal, Self

from fastapi import APIRouter, Depends, HTTPException, Path
from fastapi.encoders import jsonable_encoder
from pydantic import Field, model_validator
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request as HttpRequest
from starlette.responses import FileResponse

from orchestrator.core.errors import AccessError, GreenroomError, SessionNotFoundError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.requests import MAX_ID_CHARS, Request, part_of, request_of
from orchestrator.documents.models.base import Exchange, NoExchange
from orchestrator.documents.opening import archived_at, end_any
from orchestrator.documents.session import warnings_json
from orchestrator.material.speech.delivery import FILLER, is_recognised, said_in
from orchestrator.material.speech.segment_json import piece_of
from orchestrator.material.speech.times import pace_of, words_in
from orchestrator.material.values import LiveSegment
from orchestrator.panel.debrief.exchange_json import exchange_json
from orchestrator.panel.loop import turns
from orchestrator.panel.loop.driver_lock import is_driven
from orchestrator.panel.records.exchanges import ExchangeClosed, ExchangeOpened, VerdictGiven
from orchestrator.panel.records.moderator import QuestionsWanted
from orchestrator.panel.records.speech import AnswerGiven, AnswerHeard, NoAnswer, SlideShown, SpeechHeard
from orchestrator.panel.records.speech import Corrected as CorrectedRecord
from orchestrator.panel.records.taken_back import AnswerTakenBack
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web.description import (
    PICTURE,
    Body,
    Plain,
    ReceiptId,
    Reply,
    SessionId,
    SlideNumber,
    component,
    sends,
    sends_events,
    sent_of,
)
from orchestrator.web.once import Key, once
from orchestrator.web.open_sessions import Work, draws, reads, takes_long, writes
from orchestrator.web.site import Site, site_of
from orchestrator.web.view import RoomView, asked_now, room_view

# ---------------------------------------------------------------------- room


MAX_PIECES: Final = 1_000
"""Maximum number of pieces in one request: more than an hour of speech. Each is a write of some
milliseconds."""
ANSWERED: Final = (AnswerGiven.TYPE, NoAnswer.TYPE, AnswerHeard.TYPE, ExchangeClosed.TYPE)
"""Types of records that say what becomes of an answer; the first one counts."""

router = APIRouter(tags=["room"])
_ROOM_EVENTS: Final = sends_events(
    {
        "room": component(RoomView),
        "partial": {"type": "string", "description": "The words of a sentence that is being spoken."},
        "heartbeat": {"type": "integer", "description": "Seconds until the next one."},
        "gone": {"type": "string", "description": "Empty: the session was erased, and the stream ends."},
    },
    description="Each event's name says what its data is, as JSON; the id of `room` is its last record.",
)
At = Annotated[Site, Depends(site_of)]

LOOK_S: Final = 0.04
"""Seconds between two checks of a stream whether the ledger has grown (one `stat`).

A page should show a change within 100 ms. With three pages open it takes 41 ms in the median and 85 ms at the
95th percentile of 50 (`scripts/bench web`, on two busy cores).
"""
RETRY_MS: Final = 500
"""Milliseconds after which a page that was cut off reconnects; by default, browsers wait three seconds."""
DRIVER_LOOKS: Final = 25
"""Number of a stream's checks, about a second's, between two checks whether another process still drives
the session."""
HEARTBEAT_S: Final = 5
"""Seconds between two heartbeats of a room's stream; after two missed ones the page knows that it is cut
off."""


@router.get("/sessions/{session}/room")
@reads
def get_room(session: SessionId, site: At) -> RoomView:
    """Give the room at this moment."""
    site.presence.seen(session)
    return _view(site, site.sessions.get(session))


@router.post("/sessions/{session}/drive")
@takes_long
def drive_session(session: SessionId, site: At, key: Key = None) -> RoomView:
    """Have this server drive the session: its clock runs, and the panel asks by itself. Twice is no error.

    It stops by itself where no page of the room is open and, for a minute, nobody says or asks anything.
    """

    def work() -> RoomView:
        site.drives.begin(session)
        return _view(site, site.sessions.get(session))

    view: RoomView = once(site, session, key, ["drive"], work)
    return view


@router.post("/sessions/{session}/pause")
@writes
def pause_session(session: SessionId, site: At, key: Key = None) -> RoomView:
    """Stop the clock until somebody drives the session again."""

    def work() -> RoomView:
        found = site.sessions.get(session)
        # A drive that found the lock held could not stop the clock; who asks is told, and asks again.
        if not site.drives.stop(session) or found.projection.clock.live_since is not None:
            found.pause()
        return _view(site, found)

    view: RoomView = once(site, session, key, ["pause"], work)
    return view


class Spoken(Body):
    """One piece of speech, as `feed` takes it on stdin; without times it has just been said."""

    text: str = Field(min_length=1, max_length=20_000)
    speaker: str | None = Field(None, max_length=200, description="Without one it is the presenter.")
    slide: int | None = Field(None, description="Which was shown; without one the last that was.")
    start_s: float | None = Field(None, ge=0, allow_inf_nan=False)
    end_s: float | None = Field(None, ge=0, allow_inf_nan=False)
    confidence: float | None = Field(None, ge=0, le=1)
    id: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_ID_CHARS,
        description="Your own: sent again, the piece counts once.",
    )
    final: bool = Field(True, description="One that is not is never stored.")

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        if self.start_s is not None and self.end_s is not None and self.end_s < self.start_s:
            raise ValueError(f"it ends at {self.end_s} s, before it begins at {self.start_s} s")
        return self


class Taken(Reply):
    """The outcome of sent speech: how many segments are in the transcript now."""

    segments: int
    """All of the session."""


class ShownSlide(Reply):
    """The slide that is shown."""

    slide: int


class CalledOn(Body):
    """The panelist that the moderator calls on; nobody named: whoever is next."""

    agent: str | None = None
    parked: bool = False
    """Come back to a question that was parked."""


class Answer(Body):
    """The presenter's answer."""

    text: str = Field(min_length=1, max_length=20_000)
    start_s: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="When it was begun, on the session's clock: words begun before the question was put are "
        "part of the talk, and the question stays open.",
    )


@router.post("/sessions/{session}/segments")
async def add_speech(
    session: SessionId,
    spoken: Spoken | Annotated[list[Spoken], Field(max_length=MAX_PIECES)],
    site: At,
    request: HttpRequest,
    key: Key = None,
) -> Taken:
    """Put speech into the transcript, durably; what was begun after a question was put is its answer.

    A piece without times was begun as long ago as its words take at 150 a minute.

    Of a list the pieces go in one after the other, and no more once the client has left.
    """
    pieces = spoken if isinstance(spoken, list) else [spoken]
    whole = request_of(key, "segments", jsonable_encoder(pieces)) if key is not None else None
    look = partial(_pieces, site, session, pieces)
    taken, said = await site.threads.run(session, Work.WRITE, look)
    parts = (part_of(whole, number) for number in count()) if whole is not None else repeat(None)
    for number, piece in enumerate(said):
        if number and await request.is_disconnected():
            break
        part = next(parts) if piece.id is None else None
        try:
            hear = partial(_hear, site, session, piece, part)
            taken = await site.threads.run(session, Work.WRITE, hear)
        except GreenroomError as error:
            if number:
                error.args = (f"{error}; the {number} pieces before this one were taken",)
            raise
    return Taken(segments=taken)


@router.put("/sessions/{session}/slide")
@writes
def show_slide(session: SessionId, moved: ShownSlide, site: At, key: Key = None) -> ShownSlide:
    """Say that the presenter moved to another slide."""

    def work() -> ShownSlide:
        found = site.sessions.get(session)
        site.drives.go_on(found)
        found.slide(moved.slide)
        return moved

    asked = ["slide", moved.slide]
    reply = moved.model_dump()
    shown: ShownSlide = once(
        site, session, key, asked, work, effects=[SlideShown.TYPE], reply=lambda tx: reply
    )
    return shown


@router.post("/sessions/{session}/ask")
@takes_long
def call_on_panelist(session: SessionId, called: CalledOn, site: At, key: Key = None) -> RoomView:
    """Have the moderator call on a panelist; `question` stays null where nobody has one."""

    def work() -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.go_on(found)
            found.call_on(called.agent, parked=called.parked)
            return _view(site, found)

    asked = ["ask", called.model_dump()]
    again = partial(_now, site, session)
    view: RoomView = once(site, session, key, asked, work, effects=[ExchangeOpened.TYPE], again=again)
    return view


@router.post("/sessions/{session}/answer")
@takes_long
def answer_question(session: SessionId, answered: Answer, site: At, key: Key = None) -> RoomView:
    """Give the presenter's answer to the open question; returns once it is judged.

    An answer that is refused does not stand in the transcript; one that stands there is not refused, also
    where somebody else judges, parks or closes the question meanwhile.
    """

    def work(text: str | None = answered.text) -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.go_on(found)
            if found.is_of_talk(answered.start_s):
                found.hear(LiveSegment(answered.text, answered.start_s))
            else:
                site.drives.end_answer(found)
                found.answer_and_judge(text)
            return _view(site, found)

    def again() -> RoomView:
        open_ = site.sessions.get(session).projection.open
        taken = (open_.turns[-1].answer or "") if open_ is not None else ""
        return work() if taken.endswith(one_line(answered.text)) else _now(site, session)

    asked = ["answer", answered.text]
    effects = (*ANSWERED, SpeechHeard.TYPE)
    view: RoomView = once(site, session, key, asked, work, effects=effects, again=again)
    return view


@router.post("/sessions/{session}/answer/done")
@takes_long
def finish_answer(session: SessionId, site: At, key: Key = None) -> RoomView:
    """Say that the answer that was heard is complete; returns once it is judged.

    What is being spoken at this moment is taken in before. Refused where nothing was said to the question
    since it was put.
    """

    def work() -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.go_on(found)
            site.drives.end_answer(found)
            found.answer_done()
            return _view(site, found)

    def again() -> RoomView:
        with site.sessions.using(session) as found:
            if found.projection.open is not None and not turns.is_waiting(found.projection):
                found.answer_done()
            return _view(site, found)

    view: RoomView = once(site, session, key, ["answer/done"], work, effects=ANSWERED, again=again)
    return view


@router.post("/sessions/{session}/answer/back")
@takes_long
def take_back_answer(session: SessionId, site: At, key: Key = None) -> RoomView:
    """Take back the last answer, with its verdict and what followed: its question is open again.

    Refused once the next question is being answered.
    """

    def work() -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.go_on(found)
            at_s = found.rehearsal.now_s()
            if turns.is_waiting(found.projection):  # what is being spoken is of the answer that falls
                site.drives.hear_out(found.name)
            found.answer_back(at_s)
            return _view(site, found)

    again = partial(_now, site, session)
    effects = [AnswerTakenBack.TYPE]
    view: RoomView = once(site, session, key, ["answer/back"], work, effects=effects, again=again)
    return view


@router.post("/sessions/{session}/answer/talk")
@takes_long
def count_answer_as_talk(session: SessionId, site: At, key: Key = None) -> RoomView:
    """Say that what was taken for the last answer was the talk.

    It counts as such, and the question waits for a pause. The verdict and what followed fall. Refused
    once the next question is being answered.
    """

    def work() -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.go_on(found)
            at_s = found.rehearsal.now_s()
            if turns.is_waiting(found.projection) and not found.projection.has_words:
                site.drives.hear_out(found.name)  # the one sentence may be all of it
            found.answer_was_talk(at_s)
            return _view(site, found)

    again = partial(_now, site, session)
    effects = [AnswerTakenBack.TYPE]
    view: RoomView = once(site, session, key, ["answer/talk"], work, effects=effects, again=again)
    return view


@router.post("/sessions/{session}/speaking", status_code=204)
@reads
def report_speaking(session: SessionId, site: At) -> None:
    """Say that somebody speaks whose words are not there yet: no silence ends an answer meanwhile."""
    site.drives.hears(site.sessions.get(session).name)


@router.post("/sessions/{session}/park")
@takes_long
def park_question(session: SessionId, site: At, key: Key = None) -> RoomView:
    """Come back to the open question later."""

    def work() -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.end_answer(found)
            found.park()
            return _view(site, found)

    again = partial(_now, site, session)
    view: RoomView = once(site, session, key, ["park"], work, effects=[ExchangeClosed.TYPE], again=again)
    return view


class Ending(Body):
    """How the session ends."""

    without_debrief: bool = False
    archive: str | None = None
    """Where it goes: a folder, file://… or s3://…; null: as is set."""


class Ended(Reply):
    """The ledger's head: kept elsewhere, it shows whether the session was rolled back."""

    state: str
    ledger_head: str
    archive: str | None
    """Where it was archived."""
    warnings: list[str]
    """What is not kept, and why: a part of memory that failed, or words that could not be recognised."""


@router.post("/sessions/{session}/end")
@takes_long
def end_session(session: SessionId, ending: Ending, site: At) -> Ended:
    """Debrief, freeze, archive, verify; what an open microphone is recognising is taken in first.

    A session of another crew has no debrief; all else is the same.
    """
    if ending.archive is not None and not site.is_keeper:
        raise AccessError("archive: only a keeper may name another place: leave `archive` out")
    with site.sessions.using_any(session) as found:
        told = site.microphones.finish(session)
        site.drives.stop(session)
        head = end_any(found, without_debrief=ending.without_debrief, archive=ending.archive, **site.s3)
        told += [f"{one['part']}: {one['reason']}" for one in warnings_json(found)]
        return Ended(state=found.state, ledger_head=head, archive=archived_at(found), warnings=told)


@router.get(
    "/sessions/{session}/room/events",
    response_class=EventSourceResponse,
    response_model=None,
    responses={200: _ROOM_EVENTS},
)
async def stream_room(session: SessionId, site: At) -> EventSourceResponse:
    """Send every change of the room, each as one whole document; the first comes at once.

    A further event, `partial`, has the words of a sentence that is being spoken; `heartbeat` comes every five
    seconds, so that a page notices a server that is gone without having closed the connection.
    """
    found = await site.threads.run(session, Work.READ, partial(site.sessions.get, session))
    changes = _attended(site, found)
    return EventSourceResponse(changes, ping=HEARTBEAT_S, ping_message_factory=_heartbeat)


async def _attended(site: Site, session: Rehearsal) -> AsyncIterator[dict[str, Any]]:
    """Yield the changes; as long as somebody reads them, the room counts as having an open page."""
    with site.presence.here(session.name):
        async for change in _changes(site, session):
            yield change


def _heartbeat() -> ServerSentEvent:
    """Return a heartbeat as an event.

    A comment would also keep proxies content, but no page sees comments.
    """
    return ServerSentEvent(event="heartbeat", data=str(HEARTBEAT_S))


async def _changes(site: Site, session: Rehearsal) -> AsyncIterator[dict[str, Any]]:
    ledger = session.path / LEDGER_NAME
    before: tuple[int, bool, bool, bool, tuple[Any, ...]] | None = None
    is_elsewhere = False
    shown = ""
    for look in count():
        if site.closing.is_set():
            return
        try:
            is_here = site.drives.is_driving(session.name)
            if look % DRIVER_LOOKS == 0:  # a feed that was killed leaves no record
                is_elsewhere = not is_here and is_driven(session.path)
            is_blank = session.name in site.blanked
            now = (os.stat(ledger).st_size, is_here, is_elsewhere, is_blank, _countdown(site, session))
            if now != before:
                before = now
                view = await site.threads.run(session.name, Work.READ, partial(_shown, site, session.name))
                yield {
                    "event": "room",
                    "id": str(view.seq),
                    "data": json.dumps(asdict(view)),
                    "retry": RETRY_MS,
                }
        except (FileNotFoundError, SessionNotFoundError):  # it was erased
            yield {"event": "gone", "data": ""}
            return
        except OSError:  # too many files are open, say: the session is there, and the page comes back
            return
        if (spoken := site.partials.get(session.name, "")) != shown:
            shown = spoken
            yield {"event": "partial", "data": json.dumps(spoken)}
        await asyncio.sleep(LOOK_S)


def _countdown(site: Site, session: Rehearsal) -> tuple[Any, ...]:
    """Return what changes without a record: the silence that counts down, what waits, and who is asked."""
    floor = site.drives.floor(session.name)
    if floor is None:
        return ()
    left_s = None if floor.ends_in_s is None else ceil(floor.ends_in_s)
    return floor.phase, left_s, floor.waits, asked_now(session.rehearsal)


def _pieces(site: Site, session: str, sent: Sequence[Spoken]) -> tuple[int, list[LiveSegment]]:
    """Return the number of segments and the pieces to add; all pieces are checked before the first is
    added."""
    found = site.sessions.get(session)
    read = (piece_of(piece.model_dump(exclude_none=True), "segment") for piece in sent)
    pieces = [piece for piece in read if piece is not None]
    for piece in pieces:
        if piece.slide is not None:
            found.check_slide(piece.slide)
    return len(found.projection.segments), pieces


def _hear(site: Site, session: str, piece: LiveSegment, part: Request | None) -> int:
    with site.sessions.using(session) as found:
        site.drives.go_on(found)
        return found.hear(piece, request=part)


def _now(site: Site, session: str) -> RoomView:
    return _view(site, site.sessions.get(session))


def _view(site: Site, session: Rehearsal) -> RoomView:
    drives = site.drives
    return room_view(
        session.rehearsal,
        is_driven_here=drives.is_driving(session.name),
        broke_off=drives.broke_off(session.name),
        is_blank=session.name in site.blanked,
        live=drives.live(session.name),
    )


def _shown(site: Site, session_id: str) -> RoomView:
    """Return the room of a session, which is looked up anew so that a stream does not keep a closed
    session open."""
    return _view(site, site.sessions.get(session_id))


# ---------------------------------------------------------------------- slides
# /api/v1/sessions/{id}/slides and …/blank: the pictures of a session's slides, and a dark screen.


@router.get("/sessions/{session}/slides/{number}.png", response_class=FileResponse, **PICTURE)
@draws
def get_session_slide_picture(session: SessionId, number: SlideNumber, site: At) -> FileResponse:
    """Draw a slide as it looks; 404 where this machine cannot draw it: the page then shows its text."""
    found = site.sessions.get(session)
    deck = found.rehearsal.scene().deck
    source = found.path / "source"
    file = next(source.glob(f"{deck.sha256}.*"), source / "none")
    drawn = site.pictures.of(deck, file, number)
    if drawn is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"slide {number} has no picture here")
    return FileResponse(drawn, media_type="image/png", headers={"cache-control": "private, max-age=3600"})


class Blank(Body):
    """Whether the slide is dark."""

    is_blank: bool


@router.put("/sessions/{session}/blank")
@reads
def blank_slide(session: SessionId, wanted: Blank, site: At) -> Blank:
    """Make the slide dark on every page that shows it, or light again. Nothing of it is recorded."""
    site.sessions.get(session)
    (site.blanked.add if wanted.is_blank else site.blanked.discard)(session)
    return wanted


# ---------------------------------------------------------------------- delivery
# /api/v1/sessions/{id}/delivery: how the words were said so far, to know it while one speaks.


class Delivery(Reply):
    """Words, pace and fillers of a session up to now."""

    words: int
    words_per_minute: int | None
    """Words a minute while speaking; null: too little speech has times of its own."""
    fillers: dict[str, int] | None
    """The fillers, each with how often it was said, the most frequent first; null: the speech is not
    English."""
    is_recognised: bool
    """Whether some words are as speech recognition wrote them, which leaves out most of um and uh."""


@router.get("/sessions/{session}/delivery")
@reads
def get_delivery(session: SessionId, site: At) -> Delivery:
    """Count what the presenter said so far."""
    projection = site.sessions.get(session).projection
    segments = [one for one in projection.spoken if one.text and one.speaker in projection.presenter_labels]
    said = said_in(segments) if segments else ()
    fillers = Counter(one.mark.word for one in said if one.mark.kind == FILLER) if said is not None else None
    return Delivery(
        words=round(sum(words_in(one.text) for one in segments)),
        words_per_minute=pace_of(segments),
        fillers=None if fillers is None else dict(fillers.most_common()),
        is_recognised=is_recognised(segments),
    )


# ---------------------------------------------------------------------- corrections
# /api/v1/sessions/{id}/segments/{number}: what was misheard is corrected.


MAX_NUMBER = 1_000_000
"""Maximum number of a segment, which no session reaches: at one segment a second, it would take eleven
days."""


class Correcting(Body):
    """What was really said."""

    text: str = Field(max_length=20_000, description='"": nothing was said.')


class Corrected(Reply):
    """The segment as it stands now."""

    segment: int
    text: str
    misheard: str | None
    """The words that had been heard; null where the words as they were heard stand."""


@router.put("/sessions/{session}/segments/{number}")
@writes
def correct_speech(
    session: SessionId,
    number: Annotated[int, Path(ge=1, le=MAX_NUMBER, description="In the transcript: 1 is the first.")],
    correcting: Correcting,
    site: At,
    key: Key = None,
) -> Corrected:
    """Correct what was misheard; the same words say that they were heard right. The transcript shows both."""

    def work() -> Corrected:
        found = site.sessions.get(session).correct(number, correcting.text)
        return Corrected(segment=number, text=found.text, misheard=found.misheard)

    asked = ["correct", number, correcting.text]
    corrected: Corrected = once(site, session, key, asked, work, effects=[CorrectedRecord.TYPE])
    return corrected


# ---------------------------------------------------------------------- questions
# Questions and verdicts of a loop outside: it asks and judges by itself, and Greenroom keeps the proof.


Words = Annotated[str, Field(min_length=1, max_length=20_000)]


class OwnQuestion(Body):
    """A question that the panel's own engine did not make; empty: the panel is to ask one of its own, now."""

    agent: str | None = Field(None, max_length=32, description="The panelist who puts it.")
    question: Words | None = None
    quote: Words | None = Field(
        None, description="The words it is about, as they stand on a slide or were said."
    )
    receipt: ReceiptId = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.agent is None) != (self.question is None):
            raise ValueError("a question of your own needs both the agent who puts it and its words")
        if self.question is None and self.quote is not None:
            raise ValueError("a quote goes with a question of your own: give that as well")
        if self.question is None and self.receipt is not None:
            raise ValueError("a receipt goes with a question of your own: give that as well")
        return self


class OwnVerdict(Body):
    """What the last answer was worth."""

    verdict: Literal["satisfied", "follow_up", "escalate", "unjudged"]
    reason: Words
    quote: Words | None = Field(
        None, description="The presenter's words behind it, as they stand in the answer."
    )
    follow_up: Words | None = Field(
        None, description="The next question; without one the exchange is closed."
    )


@router.post("/sessions/{session}/questions", **sends(Exchange | NoExchange, HTTPStatus.CREATED))
@writes
def put_question(session: SessionId, own: OwnQuestion, site: At, key: Key = None) -> Plain:
    """Put a question of your own; return its exchange.

    With an empty object: the presenter asks the panel for one now, wherever the talk stands. Who drives the
    session puts it, so nothing is returned yet.
    """

    def work() -> Plain:
        site.drives.go_on(site.sessions.get(session))
        if own.question is None:
            site.sessions.get(session).questions_now()
            return {}
        if own.agent is None:
            raise UsageError("a question of your own needs the agent who puts it")
        found = site.sessions.get(session)
        return exchange_json(found.put(own.agent, own.question, quote=own.quote, receipt=own.receipt))

    what, again = ["question", sent_of(own)], partial(_last, site, session)
    effects = [ExchangeOpened.TYPE]
    if own.question is None:
        effects, again = [QuestionsWanted.TYPE], partial(dict[str, Any])
    put: Plain = once(site, session, key, what, work, effects=effects, again=again)
    return put


@router.post("/sessions/{session}/verdict", **sends(Exchange))
@takes_long
def record_verdict(session: SessionId, own: OwnVerdict, site: At, key: Key = None) -> Plain:
    """Judge the open question's answer: what was said since it was asked. Return the exchange."""

    def work() -> Plain:
        with site.sessions.using(session) as found:
            judged = found.judge(own.verdict, reason=own.reason, quote=own.quote, follow_up=own.follow_up)
            return exchange_json(judged)

    what, again = ["verdict", own.model_dump()], partial(_last, site, session)
    effects = [VerdictGiven.TYPE, ExchangeClosed.TYPE]
    judged: Plain = once(site, session, key, what, work, effects=effects, again=again)
    return judged


def _last(site: Site, session: str) -> Plain:
    """Return the last exchange as it is now, for a request that was cut off before its reply."""
    return exchange_json(site.sessions.get(session).projection.asked[-1])
