"""GET /: where to go from here."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()


@router.get("/")
def front(site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """The first page."""
    return page("front.html", has_home=site.home is not None, base=site.base)
