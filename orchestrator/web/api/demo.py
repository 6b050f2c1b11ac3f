"""POST /api/v1/demo: the two recorded rehearsals of `greenroom demo`, played here once."""

from __future__ import annotations

from contextlib import closing
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from orchestrator.panel.engines.recorded import Replies, read_recording, recorded_engine
from orchestrator.rehearsal.demo.rehearsals import ACTS, begin_act, memory_begun_anew
from orchestrator.web.demonstrations import played
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["sessions"])


class Demonstrated(BaseModel):
    """The two sessions, which have ended."""

    sessions: list[str]
    by: str
    """Who gave the replies that were played."""


@router.post("/demo", status_code=HTTPStatus.CREATED)
def demo(site: Annotated[Site, Depends(site_of)], answer: Response) -> Demonstrated:
    """Play both rehearsals to their debriefs, a week apart, from recorded replies: no key, no network.

    Those that lie here already are told again, with the status 200.
    """
    recording, done = read_recording(), list(played(site))
    if done:
        answer.status_code = HTTPStatus.OK
        return Demonstrated(sessions=done, by=recording.by)
    replies = Replies(recording.replies)
    with memory_begun_anew(site.own), closing(recorded_engine(replies)) as engine:
        for act in ACTS:
            with begin_act(site.own, act, engine) as session:
                if session.play(
                    stop=site.closing.is_set
                ):  # else the server is stopped, and it stays unfinished
                    session.end()
                done.append(session.id)
    return Demonstrated(sessions=done, by=recording.by)
