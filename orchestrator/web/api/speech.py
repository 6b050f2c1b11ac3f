"""GET /api/v1/speech: what turns speech into text on this server, so that the page can choose and say it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from orchestrator.web.description import Reply
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["speech"])


class SpeechRecognition(Reply):
    """Whether sound can be sent here; where not, why."""

    recognises: bool
    detail: str
    """How; where not, why."""
    language: str | None = None
    """For people: "English alone"; null: none is recognised."""
    warning: str | None = None
    """Why it will not hear what is spoken; null: it may."""


@router.get("/speech")
def get_speech_recognition(site: Annotated[Site, Depends(site_of)]) -> SpeechRecognition:
    """Say whether this server recognises speech."""
    if site.recogniser is None:
        return SpeechRecognition(recognises=False, detail=site.no_recogniser)
    one = site.recogniser
    detail = f"recognised on this machine, {one.hears}; no sound is kept unless the presenter asks for it"
    return SpeechRecognition(recognises=True, detail=detail, language=one.hears, warning=one.warning)
