"""/api/v1/sessions/{id}/slides and …/blank: the pictures of a session's slides, and a dark screen."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException
from pydantic import BaseModel, ConfigDict
from starlette.responses import FileResponse

from orchestrator.web.site import Site, site_of
from orchestrator.web.threads import draws, reads

router = APIRouter(tags=["room"])


@router.get("/sessions/{session}/slides/{number}.png", response_class=FileResponse)
@draws
def picture(session: str, number: int, site: Annotated[Site, Depends(site_of)]) -> FileResponse:
    """A slide as it looks; 404 where this machine cannot draw it: the page then shows its text."""
    found = site.sessions.get(session)
    deck = found.rehearsal.scene().deck
    source = found.path / "source"
    file = next(source.glob(f"{deck.sha256}.*"), source / "none")
    drawn = site.pictures.of(deck, file, number)
    if drawn is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"slide {number} has no picture here")
    return FileResponse(drawn, media_type="image/png", headers={"cache-control": "private, max-age=3600"})


class Blank(BaseModel):
    """Whether the slide is dark."""

    model_config = ConfigDict(extra="forbid")

    is_blank: bool


@router.put("/sessions/{session}/blank")
@reads
def blank(session: str, wanted: Blank, site: Annotated[Site, Depends(site_of)]) -> Blank:
    """Make the slide dark on every page that shows it, or light again. Nothing of it is recorded."""
    site.sessions.get(session)
    (site.blanked.add if wanted.is_blank else site.blanked.discard)(session)
    return wanted
