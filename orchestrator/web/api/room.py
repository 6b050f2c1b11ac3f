"""/api/v1/sessions/{id}/room: the room as its page shows it, as one document and as a stream of them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from itertools import count
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool

from orchestrator.errors import SessionNotFoundError
from orchestrator.loop.driver_lock import is_driven
from orchestrator.session import Session
from orchestrator.speech.segment_json import piece_of
from orchestrator.store.history import LEDGER_NAME
from orchestrator.web.site import Site, site_of
from orchestrator.web.view import RoomView, room_view

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
PING_S: Final = 15
"""A stream that says nothing for longer is cut by some proxies."""


@router.get("/sessions/{session}/room")
def room(session: str, site: At) -> RoomView:
    """The room at this moment."""
    return _view(site, site.sessions.get(session))


@router.post("/sessions/{session}/drive")
def drive(session: str, site: At) -> RoomView:
    """This server drives the session: its clock runs, and the panel asks by itself. Twice is no error."""
    site.drives.begin(session)
    return _view(site, site.sessions.get(session))


@router.post("/sessions/{session}/pause")
def pause(session: str, site: At) -> RoomView:
    """The clock stands still until somebody drives the session again."""
    found = site.sessions.get(session)
    if not site.drives.stop(session):
        found.pause()
    return _view(site, found)


class Spoken(BaseModel):
    """One piece of speech, as `feed` takes it on stdin; without times it has just been said."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=20_000)
    speaker: str | None = Field(None, max_length=200)
    slide: int | None = None
    start_s: float | None = Field(None, ge=0, allow_inf_nan=False)
    end_s: float | None = Field(None, ge=0, allow_inf_nan=False)
    confidence: float | None = Field(None, ge=0, le=1)
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


# These two come most often by far. As coroutines they go to a worker once; for a plain function the
# framework goes there again, to look at what was returned.
@router.post("/sessions/{session}/segments")
async def segments(session: str, spoken: Spoken | list[Spoken], site: At) -> Taken:
    """Speech goes into the transcript, durably; while a question is open, it is the answer."""
    pieces = spoken if isinstance(spoken, list) else [spoken]
    return Taken(segments=await run_in_threadpool(_hear, site, session, pieces))


@router.put("/sessions/{session}/slide")
async def slide(session: str, moved: Moved, site: At) -> Moved:
    """The presenter moved to another slide."""
    await run_in_threadpool(_move, site, session, moved.slide)
    return moved


@router.post("/sessions/{session}/ask")
def ask(session: str, called: Called, site: At) -> RoomView:
    """The moderator calls on a panelist; `question` stays null where nobody has one."""
    found = site.sessions.get(session)
    found.ask(called.agent, parked=called.parked)
    return _view(site, found)


@router.post("/sessions/{session}/answer")
def answer(session: str, answered: Answered, site: At) -> RoomView:
    """The presenter's answer to the open question; returns once it is judged."""
    with site.sessions.using(session) as found:
        found.answer(answered.text)
        return _view(site, found)


@router.post("/sessions/{session}/park")
def park(session: str, site: At) -> RoomView:
    """Come back to the open question later."""
    found = site.sessions.get(session)
    found.park()
    return _view(site, found)


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
    """Parts of memory that failed, each with the reason: what they were to keep is not kept."""


@router.post("/sessions/{session}/end")
def end(session: str, ending: Ending, site: At) -> Ended:
    """Debrief, freeze, archive, verify."""
    with site.sessions.using(session) as found:
        site.drives.stop(session)
        head = found.end(without_debrief=ending.without_debrief, archive=ending.archive)
        told = [f"{part}: {reason}" for part, reason in dict.fromkeys(found.failures)]
        return Ended(state=found.state, ledger_head=head, archive=found.archived_at, warnings=told)


@router.get("/sessions/{session}/room/events", response_class=EventSourceResponse)
async def events(session: str, site: At) -> EventSourceResponse:
    """Every change of the room, each as one whole document; the first comes at once.

    A further event, `partial`, has the words of a sentence that is being spoken.
    """
    found = await run_in_threadpool(site.sessions.get, session)
    return EventSourceResponse(_changes(site, found), ping=PING_S)


async def _changes(site: Site, session: Session) -> AsyncIterator[dict[str, Any]]:
    ledger = session.path / LEDGER_NAME
    before: tuple[int, bool, bool] | None = None
    is_elsewhere = False
    shown = ""
    for look in count():
        if site.closing.is_set():
            return
        try:
            is_here = site.drives.is_driving(session.name)
            if look % DRIVER_LOOKS == 0:  # a feed that was killed leaves no record
                is_elsewhere = not is_here and is_driven(session.path)
            now = (os.stat(ledger).st_size, is_here, is_elsewhere)
            if now != before:
                before = now
                view = await run_in_threadpool(_shown, site, session.name)
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
        if (partial := site.partials.get(session.name, "")) != shown:
            shown = partial
            yield {"event": "partial", "data": json.dumps(partial)}
        await asyncio.sleep(LOOK_S)


def _hear(site: Site, session: str, pieces: Sequence[Spoken]) -> int:
    found = site.sessions.get(session)
    for piece in pieces:
        if (said := piece_of(piece.model_dump(exclude_none=True), "segment")) is not None:
            found.hear(said)
    return len(found.projection.segments)


def _move(site: Site, session: str, number: int) -> None:
    site.sessions.get(session).slide(number)


def _view(site: Site, session: Session) -> RoomView:
    drives = site.drives
    return room_view(
        session.rehearsal,
        is_driven_here=drives.is_driving(session.name),
        broke_off=drives.broke_off(session.name),
    )


def _shown(site: Site, session_id: str) -> RoomView:
    """The view of a session that is looked up anew: a stream holds none open that others have pushed out."""
    return _view(site, site.sessions.get(session_id))
