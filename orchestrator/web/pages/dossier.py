"""GET /dossier/{deck}: the dossier to prepare with; …/of/{session}: that of a rehearsal's deck."""

from __future__ import annotations

import os
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse, RedirectResponse

from orchestrator.dossier.page import (
    STANCES,
    about,
    at,
    by_class,
    dated,
    noted,
    notices,
    sides,
    support,
    titled,
)
from orchestrator.dossier.prepared import Prepared, keep_prepared, read_prepared
from orchestrator.loop.drilling import source_of
from orchestrator.web.api.dossiers import look
from orchestrator.web.pages.new import engines
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page
from orchestrator.web.threads import reads

router = APIRouter()
At = Annotated[Site, Depends(site_of)]


@router.get("/dossier/of/{session}")
@reads
def of_session(session: str, site: At) -> RedirectResponse:
    """Take the dossier that was made at a rehearsal's start, unless the deck has one; go on to its page."""
    found = site.sessions.get(session)
    source, made = source_of(found.rehearsal), found.projection.dossier
    if made is not None and read_prepared(site.own, source.deck.sha256) is None:
        keep_prepared(site.own, Prepared(source.deck, made), source.path)
    return RedirectResponse(f"{site.base}/dossier/{source.deck.sha256}", 303)


@router.get("/dossier/{deck}", response_class=HTMLResponse)
def dossier(deck: str, site: At) -> HTMLResponse:
    """The page, whether the dossier is ready, being made, or none yet."""
    made = read_prepared(site.own, deck)
    return page(
        "dossier.html",
        has_home=True,
        base=site.base,
        deck=deck,
        standing=look(deck, site),
        made=made,
        engines=engines(site.own.config, os.environ),
        config=site.own.config,
        told={
            "about": about, "at": at, "by_class": by_class, "dated": dated, "noted": noted,
            "notices": notices, "sides": sides, "stances": STANCES, "support": support, "titled": titled,
        },
    )  # fmt: skip
