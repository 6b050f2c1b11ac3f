"""GET /room/{session}: where the presenter rehearses; with ?watch, where somebody looks on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse, RedirectResponse, Response

from orchestrator.layout import MODERATOR
from orchestrator.web.pictures import can_draw
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page
from orchestrator.web.threads import reads

router = APIRouter()


@router.get("/room/{session}", response_class=HTMLResponse)
@reads
def room(session: str, site: Annotated[Site, Depends(site_of)], watch: str | None = None) -> Response:
    """The room; of a session that has ended, its debrief."""
    found = site.sessions.get(session)
    if found.state == "ended":
        return RedirectResponse(f"{site.base}/debrief/{session}", 303)
    rehearsal = found.rehearsal
    agents = [rehearsal.seats[agent].persona for agent in (MODERATOR, *rehearsal.options.panel)]
    return page(
        "room.html",
        has_home=True,
        base=site.base,
        session=session,
        title=rehearsal.scene().deck.title,
        slides=rehearsal.scene().deck.slides,
        agents=agents,
        watches=watch is not None,
        has_pictures=can_draw(rehearsal.scene().deck.kind),
    )
