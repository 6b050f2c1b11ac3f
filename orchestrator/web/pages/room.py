"""GET /room/{session} and its windows: where the presenter rehearses, and what an audience sees of it.

`/room/{session}` is the room, with `?watch` for somebody who looks on; `/room/{session}/audience` is the
slide alone; `/room/{session}/presenter` has the notes, the next slide and the pace.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from orchestrator.core.table import MODERATOR
from orchestrator.material.speech.kept_sound import keeps_sound
from orchestrator.web.pages.devices import has_local_address
from orchestrator.web.pictures import can_draw
from orchestrator.web.sheets import sheets
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page
from orchestrator.web.threads import reads

router = APIRouter()
At = Annotated[Site, Depends(site_of)]


@router.get("/room/{session}", response_class=HTMLResponse)
@reads
def room(session: str, site: At, request: Request, watch: str | None = None) -> Response:
    """The room; of a session that has ended, its debrief."""
    is_elsewhere = has_local_address(request, site)
    return _page("room.html", session, site, watches=watch is not None, has_local_address=is_elsewhere)


@router.get("/room/{session}/audience", response_class=HTMLResponse)
@reads
def audience(session: str, site: At) -> Response:
    """The slide alone, for a projector or a second screen."""
    return _page("audience.html", session, site)


@router.get("/room/{session}/presenter", response_class=HTMLResponse)
@reads
def presenter(session: str, site: At) -> Response:
    """Notes, next slide, clock and pace."""
    return _page("presenter.html", session, site)


def _page(template: str, session: str, site: Site, **values: bool) -> Response:
    found = site.sessions.get(session)
    if found.state == "ended":
        return RedirectResponse(f"{site.base}/debrief/{session}", 303)
    rehearsal = found.rehearsal
    deck = rehearsal.scene().deck
    agents = [rehearsal.seats[agent].persona for agent in (MODERATOR, *rehearsal.options.panel)]
    return page(
        template,
        has_home=True,
        base=site.base,
        session=session,
        title=deck.title,
        slides=sheets(deck),
        agents=agents,
        has_pictures=can_draw(deck.kind),
        keeps_sound=keeps_sound(site.own.sessions, found.name),
        **values,
    )
