"""/api/v1/sessions/{id}/sound: one's own answers, to hear again: kept where the presenter said so."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from orchestrator.material.speech.kept_sound import delete_sound, joined, keeps_sound
from orchestrator.web.site import Site, site_of
from orchestrator.web.sounds import AnswerSound, sounds_of
from orchestrator.web.threads import reads

router = APIRouter(tags=["sessions"])
At = Annotated[Site, Depends(site_of)]


class Sound(BaseModel):
    """The sound of one answer."""

    exchange: str
    turn: int  # 1: the answer to the first question
    seconds: float


class Kept(BaseModel):
    """Whether sound is kept of a session, and what there is."""

    is_kept: bool
    answers: list[Sound]


@router.get("/sessions/{session}/sound")
@reads
def sounds(session: str, site: At) -> Kept:
    """The answers that can be heard again."""
    found = site.sessions.get(session)
    answers = [
        Sound(exchange=one.exchange, turn=one.turn, seconds=one.seconds) for one in sounds_of(site.own, found)
    ]
    return Kept(is_kept=keeps_sound(site.own.sessions, found.name), answers=answers)


@router.get("/sessions/{session}/sound/{exchange}/{turn}", response_class=Response)
@reads
def sound(session: str, exchange: str, turn: int, site: At) -> Response:
    """An answer as it was spoken: WAV, 16 kHz, one channel."""
    one = _answer(session, exchange, turn, site)
    name = f"{exchange}-{turn}.wav"
    headers = {"content-disposition": f'inline; filename="{name}"', "cache-control": "no-store"}
    return Response(joined(one.pieces), media_type="audio/wav", headers=headers)


@router.delete("/sessions/{session}/sound/{exchange}/{turn}", status_code=HTTPStatus.NO_CONTENT)
@reads
def delete(session: str, exchange: str, turn: int, site: At) -> None:
    """Delete the sound of one answer; its words stay in the transcript."""
    for piece in _answer(session, exchange, turn, site).pieces:
        piece.unlink(missing_ok=True)


@router.delete("/sessions/{session}/sound", status_code=HTTPStatus.NO_CONTENT)
@reads
def delete_all(session: str, site: At) -> None:
    """Delete all sound of a session; none is kept of it from then on."""
    delete_sound(site.own.sessions, site.sessions.get(session).name)


def _answer(session: str, exchange: str, turn: int, site: Site) -> AnswerSound:
    for one in sounds_of(site.own, site.sessions.get(session)):
        if (one.exchange, one.turn) == (exchange, turn):
            return one
    raise HTTPException(HTTPStatus.NOT_FOUND, f"no sound is kept of answer {turn} to {exchange}")
