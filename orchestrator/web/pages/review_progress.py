"""GET /review/progress: one presenter over all rehearsals of each deck, in a sentence, a table and plots."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse

from orchestrator.panel.records.options import UNNAMED
from orchestrator.review.progress import Progress, Run, answers_of, ended_of, progress_of
from orchestrator.review.reading import Entry
from orchestrator.web.plot import Plot, plot
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()


@router.get("/review/progress", response_class=HTMLResponse)
def progress(
    site: Annotated[Site, Depends(site_of)], presenter: Annotated[str | None, Query(max_length=200)] = None
) -> HTMLResponse:
    """The latest whole runs of *presenter*, so no drills; without one, of whoever ended one last."""
    site.review.refresh()
    catalogue = site.review.catalogue
    whose, rows = ended_of(catalogue, presenter)
    decks = progress_of(rows, site.review.verdicts.of)
    named = [one for one in catalogue.presenters() if one[0] != UNNAMED or one[0] == whose]
    return page(
        "review_progress.html",
        has_home=site.home is not None,
        base=site.base,
        presenter=whose,
        presenters=named,
        decks=[(one, _plots(one)) for one in decks],
        ended=(ended := sum(len(one.runs) for one in decks)),
        drills=len(rows) - ended,
        fillers=fillers,
        answers_of=answers_of,
    )


def fillers(entry: Entry) -> float | None:
    """In 100 words; None: they were not counted."""
    return round(100 * entry.fillers / entry.words, 1) if entry.fillers is not None and entry.words else None


def _plots(one: Progress) -> list[Plot]:
    """What a plot says more of than a table: from two runs on."""
    if len(one.runs) < 2:
        return []
    figures = (
        ("Answers that gave it", "of those judged, where most were", _gave_it, " %"),
        ("Time used", "of the time given", lambda run: _time(run.entry), " %"),
        ("Pace", "words a minute", lambda run: run.entry.words_per_minute, ""),
        ("Fillers", "in 100 words", lambda run: fillers(run.entry), ""),
    )
    made = []
    for title, hint, value, unit in figures:
        values = [(value(run), run.entry.day) for run in one.runs]
        made.append(plot(title, hint, values, unit))
    return [drawn for drawn in made if drawn is not None and len(drawn.points) > 1]


def _gave_it(run: Run) -> float | None:
    return round(100 * run.held / run.judged) if run.judged and run.is_mostly_judged else None


def _time(entry: Entry) -> float | None:
    return round(100 * entry.used_s / (60 * entry.minutes)) if entry.used_s and entry.minutes else None
