"""GET /api/v1/health: whether the server is running; a request with the token also gets its release."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from orchestrator import __version__
from orchestrator.web.description import Reply
from orchestrator.web.security import shows_token
from orchestrator.web.site import Site, site_of

router = APIRouter(tags=["server"])


class Health(Reply):
    """The server as it is."""

    status: str
    """ok."""
    version: str | None = None
    """The server's version, for whoever has the token, or where none is needed."""


@router.get("/health", response_model_exclude_none=True, openapi_extra={"security": []})
async def get_health(request: Request, site: Annotated[Site, Depends(site_of)]) -> Health:
    """Say whether the server is there: for load balancers, so without a token."""
    is_known = shows_token(request.headers, site) if site.gate is None else site.asker is not None
    return Health(status="ok", version=__version__ if is_known else None)
