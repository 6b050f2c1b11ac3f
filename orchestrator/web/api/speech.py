"""GET /api/v1/speech: what turns speech into text here, for the page to choose and to say."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel

from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["speech"])


class Speech(BaseModel):
    """Whether sound can be sent here; where not, why."""

    recognises: bool
    detail: str
    language: str | None = None  # for people: "English alone"; None: none is recognised
    warning: str | None = None  # why it will not hear what is spoken; None: it may


@router.get("/speech")
def speech(site: Annotated[Site, Depends(site_of)]) -> Speech:
    """Whether this server recognises speech."""
    if site.recogniser is None:
        return Speech(recognises=False, detail=site.no_recogniser)
    one = site.recogniser
    detail = f"recognised on this machine, {one.hears}; no sound is kept unless the presenter asks for it"
    return Speech(recognises=True, detail=detail, language=one.hears, warning=one.warning)
