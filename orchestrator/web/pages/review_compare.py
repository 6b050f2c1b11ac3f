"""GET /review/compare: two runs of one deck side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse

from orchestrator.core.errors import ArchiveError
from orchestrator.review.catalogue import Row
from orchestrator.web.comparison import comparison
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()


@router.get("/review/compare", response_class=HTMLResponse)
def compare(a: str, b: str, site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """The earlier run first, whichever is named first."""
    rows = sorted((site.review.row(a), site.review.row(b)), key=lambda row: row.n)
    compared, why = None, _why_not(*rows)
    if why is None:
        try:
            compared = comparison(*(site.review.session(row).debrief() for row in rows))
        except ArchiveError as error:
            why = str(error)
    return page(
        "review_compare.html",
        200 if why is None else 409,
        has_home=site.home is not None,
        base=site.base,
        a=rows[0],
        b=rows[1],
        why=why,
        compared=compared,
    )


def _why_not(a: Row, b: Row) -> str | None:
    """Why these two cannot be compared; None: they can."""
    if a.n == b.n:
        return "These are one and the same session: choose another run to compare it with."
    is_same = a.entry.deck_sha256 == b.entry.deck_sha256
    if not is_same and a.entry.deck != b.entry.deck:  # a revised one keeps its title
        return "These are runs of different decks: what held in one cannot be looked for in the other."
    if a.entry.panel != b.entry.panel:
        return (
            "The panels differ: at least one persona, its knowledge or the rules changed between these runs, "
            "so other questions and verdicts may be the panel's doing and not the presenter's."
        )
    if a.entry.engine != b.entry.engine:
        return f"The panels thought differently: with the engine {a.entry.engine}, then {b.entry.engine}."
    return None
