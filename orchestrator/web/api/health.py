"""GET /api/v1/health: whether the server is there, and which release it is."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from orchestrator import __version__

router = APIRouter(tags=["server"])


class Health(BaseModel):
    """The server as it is."""

    status: str
    version: str


@router.get("/health")
def health() -> Health:
    """Whether the server is there."""
    return Health(status="ok", version=__version__)
