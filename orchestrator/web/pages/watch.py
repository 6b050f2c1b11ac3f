"""GET /watch/{session}: a rehearsal that has ended, shown as it went, at the speed of reading."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from orchestrator.panel.records.options import RECORDED
from orchestrator.web.demonstrations import a_week_later
from orchestrator.web.sheets import sheets
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page
from orchestrator.web.threads import reads
from orchestrator.web.timeline import timeline

router = APIRouter()


@router.get("/watch/{session}", response_class=HTMLResponse)
@reads
def watch(session: str, site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """The page; without its script all stands there at once."""
    found = site.sessions.get(session)
    rehearsal = found.rehearsal
    return page(
        "watch.html",
        has_home=True,
        base=site.base,
        session=session,
        options=rehearsal.options,
        deck=rehearsal.scene().deck,
        slides=sheets(rehearsal.scene().deck),
        moments=timeline(rehearsal, site.review.persons(found)),
        later=a_week_later(site, session) if rehearsal.options.engine == RECORDED else "",
    )
