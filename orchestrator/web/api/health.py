"""GET /api/v1/health and /health/ready: whether the server is running, and whether it can do its work.

A request with the token also gets the release, and what is wrong.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

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
    return Health(status="ok", version=__version__ if _is_known(request, site) else None)


def _is_known(request: Request, site: Site) -> bool:
    """Return whether who asks has the token, or is signed in."""
    return shows_token(request.headers, site) if site.gate is None else site.asker is not None


class ReadinessCheck(Reply):
    """A condition of readiness."""

    name: str
    """What is looked at: home, log, clock."""
    is_ready: bool
    """Whether nothing is wrong with it."""
    detail: str | None = None
    """What is wrong, for whoever has the token, or where none is needed."""


class ReadinessReply(Reply):
    """Whether the server should be sent requests now."""

    status: str
    """ready, or not ready."""
    checks: list[ReadinessCheck]
    """What was looked at within the last second."""


@router.get(
    "/health/ready",
    response_model_exclude_none=True,
    openapi_extra={"security": []},
    responses={HTTPStatus.SERVICE_UNAVAILABLE: {"model": ReadinessReply, "description": "Not ready."}},
)
async def get_readiness(
    request: Request, response: Response, site: Annotated[Site, Depends(site_of)]
) -> ReadinessReply:
    """Say whether the server can do its work now: 503 if not, for load balancers, so without a token."""
    found = await site.readiness.read()
    if not found.is_ready:
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    is_told = _is_known(request, site)
    checks = [
        ReadinessCheck(name=name, is_ready=not fault, detail=(fault or None) if is_told else None)
        for name, fault in found.faults
    ]
    return ReadinessReply(status="ready" if found.is_ready else "not ready", checks=checks)
