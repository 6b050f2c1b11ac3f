"""/api/v1/sessions/{id}/room: the room as its page shows it, as one document and as a stream of them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import count, repeat
from math import ceil
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends
from fastapi.encoders import jsonable_encoder
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request as HttpRequest

from orchestrator.core.errors import GreenroomError, SessionNotFoundError
from orchestrator.core.legible import one_line
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.requests import (
    MAX_ID_CHARS,
    Request,
    part_of,
    request_of,
)
from orchestrator.material.model.segment import LiveSegment
from orchestrator.material.speech.segment_json import piece_of
from orchestrator.panel.loop import turns
from orchestrator.panel.loop.driver_lock import is_driven
from orchestrator.panel.records.exchanges import ExchangeClosed, ExchangeOpened
from orchestrator.panel.records.speech import (
    AnswerGiven,
    AnswerHeard,
    NoAnswer,
    SlideShown,
    SpeechHeard,
)
from orchestrator.panel.records.taken_back import AnswerTakenBack
from orchestrator.rehearsal.session import Session
from orchestrator.web.once import Key, once
from orchestrator.web.site import Site, site_of
from orchestrator.web.threads import Work, reads, takes_long, writes
from orchestrator.web.view import RoomView, asked_now, room_view

MAX_PIECES: Final = 1_000
"""Of one request: an hour and more of speech. Each is a write, at some milliseconds."""
ANSWERED: Final = (AnswerGiven.TYPE, NoAnswer.TYPE, AnswerHeard.TYPE, ExchangeClosed.TYPE)
"""Records of which the first is what becomes of an answer."""

router = APIRouter(tags=["room"])
At = Annotated[Site, Depends(site_of)]

LOOK_S: Final = 0.04
"""How often a stream looks whether the ledger has grown (one `stat`).

A page is to show it within 100 ms: with three pages open 41 ms in the median, 85 ms at the 95th percentile
of 50 (`scripts/bench web`, on two busy cores)."""
RETRY_MS: Final = 500
"""How soon a page that was cut off comes back; browsers wait three seconds by themselves."""
DRIVER_LOOKS: Final = 25
"""Each so many looks, about a second, a stream looks whether another process still drives the session."""
HEARTBEAT_S: Final = 5
"""How often a room's stream says that the server is there: its page says so soon after two were missed."""


@router.get("/sessions/{session}/room")
@reads
def room(session: str, site: At) -> RoomView:
    """The room at this moment."""
    site.presence.seen(session)
    return _view(site, site.sessions.get(session))


@router.post("/sessions/{session}/drive")
@takes_long
def drive(session: str, site: At, key: Key = None) -> RoomView:
    """This server drives the session: its clock runs, and the panel asks by itself. Twice is no error.

    It stops by itself where no page of the room is open and, for a minute, nobody says or asks anything.
    """

    def work() -> RoomView:
        site.drives.begin(session)
        return _view(site, site.sessions.get(session))

    view: RoomView = once(site, session, key, ["drive"], work)
    return view


@router.post("/sessions/{session}/pause")
@writes
def pause(session: str, site: At, key: Key = None) -> RoomView:
    """The clock stands still until somebody drives the session again."""

    def work() -> RoomView:
        found = site.sessions.get(session)
        # A drive that found the lock held could not stop the clock; who asks is told, and asks again.
        if not site.drives.stop(session) or found.projection.clock.live_since is not None:
            found.pause()
        return _view(site, found)

    view: RoomView = once(site, session, key, ["pause"], work)
    return view


class Spoken(BaseModel):
    """One piece of speech, as `feed` takes it on stdin; without times it has just been said."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=20_000)
    speaker: str | None = Field(None, max_length=200)
    slide: int | None = None
    start_s: float | None = Field(None, ge=0, allow_inf_nan=False)
    end_s: float | None = Field(None, ge=0, allow_inf_nan=False)
    confidence: float | None = Field(None, ge=0, le=1)
    id: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_ID_CHARS,
        description="Your own: sent again, the piece counts once.",
    )
    final: bool = True  # a piece that is not is shown elsewhere, and never stored


class Taken(BaseModel):
    """What came of speech: how many segments are in the transcript now."""

    segments: int


class Moved(BaseModel):
    """The slide that is shown."""

    slide: int


class Called(BaseModel):
    """Whom the moderator calls on; nobody named: whoever is next."""

    model_config = ConfigDict(extra="forbid")

    agent: str | None = None
    parked: bool = False  # come back to a question that was parked


class Answered(BaseModel):
    """The presenter's answer."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=20_000)
    start_s: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="When it was begun, on the session's clock: words begun before the question was put are "
        "part of the talk, and the question stays open.",
    )


@router.post("/sessions/{session}/segments")
async def segments(
    session: str,
    spoken: Spoken | Annotated[list[Spoken], Field(max_length=MAX_PIECES)],
    site: At,
    request: HttpRequest,
    key: Key = None,
) -> Taken:
    """Speech goes into the transcript, durably; what was begun after a question was put is its answer.

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
def slide(session: str, moved: Moved, site: At, key: Key = None) -> Moved:
    """The presenter moved to another slide."""

    def work() -> Moved:
        found = site.sessions.get(session)
        site.drives.go_on(found)
        found.slide(moved.slide)
        return moved

    asked = ["slide", moved.slide]
    reply = moved.model_dump()
    shown: Moved = once(site, session, key, asked, work, effects=[SlideShown.TYPE], reply=lambda tx: reply)
    return shown


@router.post("/sessions/{session}/ask")
@takes_long
def ask(session: str, called: Called, site: At, key: Key = None) -> RoomView:
    """The moderator calls on a panelist; `question` stays null where nobody has one."""

    def work() -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.go_on(found)
            found.ask(called.agent, parked=called.parked)
            return _view(site, found)

    asked = ["ask", called.model_dump()]
    again = partial(_now, site, session)
    view: RoomView = once(site, session, key, asked, work, effects=[ExchangeOpened.TYPE], again=again)
    return view


@router.post("/sessions/{session}/answer")
@takes_long
def answer(session: str, answered: Answered, site: At, key: Key = None) -> RoomView:
    """The presenter's answer to the open question; returns once it is judged.

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
                found.answer(text)
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
def answer_done(session: str, site: At, key: Key = None) -> RoomView:
    """The answer that was heard is complete; returns once it is judged.

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
def answer_back(session: str, site: At, key: Key = None) -> RoomView:
    """The last answer is taken back, with its verdict and what followed: its question is open again.

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
def answer_talk(session: str, site: At, key: Key = None) -> RoomView:
    """What was taken for the last answer was the talk: it counts as such, and the question waits for a pause.

    The verdict and what followed fall. Refused once the next question is being answered.
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
def speaking(session: str, site: At) -> None:
    """Somebody speaks or types, and the words are not there yet: no silence ends an answer meanwhile."""
    site.drives.hears(site.sessions.get(session).name)


@router.post("/sessions/{session}/park")
@takes_long
def park(session: str, site: At, key: Key = None) -> RoomView:
    """Come back to the open question later."""

    def work() -> RoomView:
        with site.sessions.using(session) as found:
            site.drives.end_answer(found)
            found.park()
            return _view(site, found)

    again = partial(_now, site, session)
    view: RoomView = once(site, session, key, ["park"], work, effects=[ExchangeClosed.TYPE], again=again)
    return view


class Ending(BaseModel):
    """How the session ends."""

    model_config = ConfigDict(extra="forbid")

    without_debrief: bool = False
    archive: str | None = None


class Ended(BaseModel):
    """The ledger's head: kept elsewhere, it shows whether the session was rolled back."""

    state: str
    ledger_head: str
    archive: str | None
    warnings: list[str]
    """What is not kept, and why: a part of memory that failed, or words that could not be recognised."""


@router.post("/sessions/{session}/end")
@takes_long
def end(session: str, ending: Ending, site: At) -> Ended:
    """Debrief, freeze, archive, verify; what an open microphone is recognising is taken in first."""
    with site.sessions.using(session) as found:
        told = site.microphones.finish(session)
        site.drives.stop(session)
        head = found.end(without_debrief=ending.without_debrief, archive=ending.archive)
        told += [f"{part}: {reason}" for part, reason in dict.fromkeys(found.failures)]
        return Ended(state=found.state, ledger_head=head, archive=found.archived_at, warnings=told)


@router.get("/sessions/{session}/room/events", response_class=EventSourceResponse)
async def events(session: str, site: At) -> EventSourceResponse:
    """Every change of the room, each as one whole document; the first comes at once.

    A further event, `partial`, has the words of a sentence that is being spoken; `heartbeat` comes every five
    seconds, so that a page notices a server that is gone without having closed the connection.
    """
    found = await site.threads.run(session, Work.READ, partial(site.sessions.get, session))
    changes = _attended(site, found)
    return EventSourceResponse(changes, ping=HEARTBEAT_S, ping_message_factory=_heartbeat)


async def _attended(site: Site, session: Session) -> AsyncIterator[dict[str, Any]]:
    """The changes; as long as somebody reads them, the room has a page."""
    with site.presence.here(session.name):
        async for change in _changes(site, session):
            yield change


def _heartbeat() -> ServerSentEvent:
    """A comment would keep proxies content too, but no page sees one."""
    return ServerSentEvent(event="heartbeat", data=str(HEARTBEAT_S))


async def _changes(site: Site, session: Session) -> AsyncIterator[dict[str, Any]]:
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


def _countdown(site: Site, session: Session) -> tuple[Any, ...]:
    """What changes without a record: a silence that counts down, by the second, what waits, who is asked."""
    floor = site.drives.floor(session.name)
    if floor is None:
        return ()
    left_s = None if floor.ends_in_s is None else ceil(floor.ends_in_s)
    return floor.phase, left_s, floor.waits, asked_now(session.rehearsal)


def _pieces(site: Site, session: str, sent: Sequence[Spoken]) -> tuple[int, list[LiveSegment]]:
    """How many segments there are, and the pieces to add: all are looked at before the first is taken."""
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


def _view(site: Site, session: Session) -> RoomView:
    drives = site.drives
    return room_view(
        session.rehearsal,
        is_driven_here=drives.is_driving(session.name),
        broke_off=drives.broke_off(session.name),
        is_blank=session.name in site.blanked,
        live=drives.live(session.name),
    )


def _shown(site: Site, session_id: str) -> RoomView:
    """The view of a session that is looked up anew: a stream holds none open that others have pushed out."""
    return _view(site, site.sessions.get(session_id))
