"""GET /review: every session, newest first, with a search that shows each hit in its place."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse

from orchestrator.review.catalogue import PAGE, Hit, Row
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()


@router.get("/review", response_class=HTMLResponse)
def review(
    site: Annotated[Site, Depends(site_of)],
    q: Annotated[str, Query(max_length=400)] = "",
    before: int | None = None,
) -> HTMLResponse:
    """The list, or what a search finds. *before*: the pages behind the first go on from there."""
    reading, catalogue = site.review.refresh(), site.review.catalogue
    found: list[tuple[Row, list[Hit]]]
    if q.strip():
        found = catalogue.search(q, before=before, most=PAGE + 1)
    else:
        found = [(row, []) for row in catalogue.page(before=before, most=PAGE + 1)]
    shown = found[:PAGE]
    return page(
        "review.html",
        has_home=site.home is not None,
        base=site.base,
        q=q.strip(),
        found=shown,
        older=shown[-1][0].n if len(found) > PAGE else None,
        is_first=before is None,
        reading=reading,
        standings={row.n: site.review.standing(row) for row, _ in shown},
        counts={row.n: site.review.outcomes(row) for row, _ in shown},
        titles={row.n: site.review.titles.of(row.entry.session) for row, _ in shown},
        seals=site.review.seals([row for row, _ in shown]),
        unsearched=catalogue.unsearched() if q.strip() else [],
        presenters=catalogue.presenters(),
        archives=site.archives,
    )
