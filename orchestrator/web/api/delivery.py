"""/api/v1/sessions/{id}/delivery: how the words were said so far, to know it while one speaks."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel

from orchestrator.material.speech.delivery import is_recognised, said_in
from orchestrator.material.speech.fillers import FILLER
from orchestrator.material.speech.pace import pace_of, words_in
from orchestrator.web.site import Site, site_of
from orchestrator.web.threads import reads

router = APIRouter(tags=["room"])


class Delivery(BaseModel):
    """Words, pace and fillers of a session up to now."""

    words: int
    words_per_minute: int | None
    """While speaking; null: too little speech has times of its own."""
    fillers: dict[str, int] | None
    """Each with how often it was said, the most frequent first; null: the speech is not English."""
    is_recognised: bool
    """Some words are as speech recognition wrote them, which leaves out most of um and uh."""


@router.get("/sessions/{session}/delivery")
@reads
def delivery(session: str, site: Annotated[Site, Depends(site_of)]) -> Delivery:
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
