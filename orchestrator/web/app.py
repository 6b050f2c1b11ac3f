"""The application: every route of the API and of the pages, behind one layer of security."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Final

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from orchestrator import __version__
from orchestrator.web.addresses import PREFIX, Addresses
from orchestrator.web.bodies import Bodies
from orchestrator.web.problems import RESPONSES, tell_problems
from orchestrator.web.security import Security
from orchestrator.web.site import Site

API: Final[tuple[str, ...]] = (
    "health", "decks", "materials", "starting", "demo", "room", "slides", "delivery", "debrief", "speech",
    "microphone", "comments", "corrections", "sessions", "contexts", "files", "records", "check", "memories",
    "questions", "dossiers", "sounds",
)  # fmt: skip
"""Files of `api/`: the addresses under `PREFIX`."""
PAGES: Final[tuple[str, ...]] = (
    "front", "new", "dossier", "room", "devices", "watch", "debrief", "review", "review_compare",
    "review_progress", "review_session",
)  # fmt: skip
"""Files of `pages/`: the addresses that a person opens."""
STATIC: Final = Path(__file__).parent / "static"


def application(site: Site) -> ASGIApp:
    """The server of *site*; making it reads nothing and starts nothing."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        site.close()

    app = FastAPI(
        title="Greenroom",
        version=__version__,
        summary="Rehearse before a panel that asks what the board will ask; keep the proof.",
        docs_url=None,  # its pages fetch scripts from another host
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        servers=[{"url": str(site.public).rstrip("/")}] if site.public is not None else None,
        lifespan=lifespan,
    )
    app.state.site = site
    tell_problems(app)
    for name in API:
        router = import_module(f"orchestrator.web.api.{name}").router
        app.include_router(router, prefix=PREFIX, responses=RESPONSES)
    for name in PAGES:
        app.include_router(import_module(f"orchestrator.web.pages.{name}").router, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return Addresses(Security(Bodies(app), site), site.base)
