"""GET /review/progress: one presenter over all runs, as plots with the same figures as a table."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse

from orchestrator.records.options import UNNAMED
from orchestrator.render import SILENT
from orchestrator.review.catalogue import Row
from orchestrator.review.reading import Entry
from orchestrator.web.plot import Plot, plot
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()

MOST_RUNS = 100
"""Of one presenter in a plot; with more the points touch."""


@router.get("/review/progress", response_class=HTMLResponse)
def progress(
    site: Annotated[Site, Depends(site_of)], presenter: Annotated[str | None, Query(max_length=200)] = None
) -> HTMLResponse:
    """The latest whole runs of *presenter*, so no drills; without one, who there is."""
    site.review.refresh()
    catalogue = site.review.catalogue
    latest = catalogue.page(presenter=presenter, most=MOST_RUNS) if presenter is not None else []
    ended = [row for row in reversed(latest) if row.entry.is_ended]
    rows = [row for row in ended if not row.entry.is_drill]
    return page(
        "review_progress.html",
        has_home=site.home is not None,
        base=site.base,
        presenter=presenter,
        presenters=[one for one in catalogue.presenters() if one[0] != UNNAMED],  # who may be several
        rows=rows,
        drills=len(ended) - len(rows),
        plots=_plots(rows),
        fillers=fillers,
        satisfied=satisfied,
    )


def satisfied(entry: Entry) -> float | None:
    """Percent of the judged questions that satisfied the panel; None: none was judged."""
    judged = sum(count for name, count in entry.outcomes.items() if name not in ("unjudged", SILENT))
    return round(100 * entry.outcomes.get("satisfied", 0) / judged) if judged else None


def fillers(entry: Entry) -> float | None:
    """In 100 words; None: they were not counted."""
    return round(100 * entry.fillers / entry.words, 1) if entry.fillers is not None and entry.words else None


def _plots(rows: list[Row]) -> list[Plot]:
    figures = (
        ("Questions answered", "of those that were judged", satisfied, " %"),
        ("Contradictions", "in deck and speech", lambda one: one.contradictions, ""),
        ("Pace", "words a minute", lambda one: one.words_per_minute, ""),
        ("Fillers", "in 100 words", fillers, ""),
        ("Time used", "of the time given", _time, " %"),
    )
    made = []
    for title, hint, value, unit in figures:
        made.append(plot(title, hint, [(value(row.entry), row.entry.started_at[:10]) for row in rows], unit))
    return [one for one in made if one is not None]


def _time(entry: Entry) -> float | None:
    return (
        round(100 * entry.used_s / (60 * entry.minutes))
        if entry.used_s is not None and entry.minutes
        else None
    )
