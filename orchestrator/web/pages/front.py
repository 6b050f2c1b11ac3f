"""GET /: where to go from here."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from orchestrator.errors import GreenroomError
from orchestrator.loop.driver_lock import state_of
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()

ANEW: Final = {"cache-control": "no-store"}
"""Of a page that Back shows as it is by then, and not as it was."""


@router.get("/", response_class=HTMLResponse)
def front(site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """The first page."""
    answer = page("front.html", has_home=site.home is not None, base=site.base, under_way=under_way(site))
    answer.headers.update(ANEW)
    return answer


def under_way(site: Site) -> list[tuple[str, str]]:
    """Return id and title of every session that this server has driven and that has not ended."""
    found = []
    for name in site.drives.begun:
        try:
            rehearsal = site.sessions.get(name).rehearsal
            if state_of(rehearsal) != "ended":
                found.append((name, rehearsal.scene().deck.title))
        except (GreenroomError, OSError):  # erased or damaged since: the page is shown without it
            continue
    return found
