"""GET /debrief/{session}: the debrief, with the slides that its questions were about."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from orchestrator.material.values import Deck
from orchestrator.panel.debrief.parts import Review
from orchestrator.panel.debrief.printing import find_browser
from orchestrator.panel.loop.plan import source_of
from orchestrator.panel.records.setup import RECORDED
from orchestrator.web.api.sessions import sounds_of
from orchestrator.web.api.starting import a_week_later
from orchestrator.web.open_sessions import reads
from orchestrator.web.pictures import can_draw
from orchestrator.web.sheets import Sheet, sheet, sheets
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page
from orchestrator.web.timeline import timeline

# ---------------------------------------------------------------------- watch
# GET /watch/{session}: a rehearsal that has ended, shown as it went, at the speed of reading.


router = APIRouter()


@router.get("/watch/{session}", response_class=HTMLResponse)
@reads
def watch(session: str, site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """Return the page on which a demonstration is watched; without its script, all of it is shown at once."""
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


# ---------------------------------------------------------------------- debrief


@router.get("/debrief/{session}", response_class=HTMLResponse)
@reads
def debrief(session: str, site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """Return the page of the debrief; while the session still runs, it shows the debrief as it stands."""
    found = site.sessions.get(session)
    told, deck = found.debrief(), source_of(found.rehearsal)
    return page(
        "debrief.html",
        has_home=site.home is not None,
        base=site.base,
        session=session,
        debrief=told,
        slides={review.exchange.id: _shown(review, deck.deck) for review in told.reviews},
        has_pictures=deck.path is not None and can_draw(deck.deck.kind),
        state=found.state,
        later=a_week_later(site, session) if told.engine == RECORDED else "",
        sounds=sounds_of(site.home, found) if site.home is not None else (),
        prints=find_browser() is not None,
    )


def _shown(review: Review, deck: Deck) -> list[Sheet]:
    """Return the slides that questions are about, each once, with the quoted words marked."""
    numbers = {one.slide for one in review.places}
    quotes = [one.quote for one in review.places if not one.is_missing]
    return [sheet(slide, quotes) for slide in deck.slides if slide.number in numbers]
