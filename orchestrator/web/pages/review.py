"""GET /review: every session, newest first, with a search that shows each hit in its context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse

from orchestrator.panel.records.setup import UNNAMED
from orchestrator.review.catalogue import PAGE, Hit, Row
from orchestrator.review.progress import Progress, Run, answers_of, ended_of, progress_of
from orchestrator.review.reading import Entry
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

# ---------------------------------------------------------------------- plot
# A small plot of one figure over several runs: points of an inline SVG, and nothing that needs a script.


WIDTH, HEIGHT = 640, 150
"""The size of the drawing in its own units; the page scales it."""
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 14, 24


@dataclass(frozen=True, slots=True)
class Point:
    """One run in a plot."""

    x: float
    y: float
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Plot:
    """One measured number, plotted over all runs that have it."""

    title: str
    hint: str
    points: tuple[Point, ...]
    lines: tuple[tuple[float, str], ...]  # height and label of each line of the grid

    @property
    def path(self) -> str:
        """The line through the points, as an SVG path."""
        return " ".join(
            f"{'L' if number else 'M'}{one.x:.1f} {one.y:.1f}" for number, one in enumerate(self.points)
        )


def plot(title: str, hint: str, runs: Sequence[tuple[float | None, str]], unit: str = "") -> Plot | None:
    """Return a plot of *runs*, pairs of value and label with the oldest first; None if no run has the value.

    The scale begins at 0, so that a small change looks small.
    """
    known = [(place, value, label) for place, (value, label) in enumerate(runs) if value is not None]
    if not known:
        return None
    most = max(value for _, value, _ in known)
    top = _round_up(max(most, 2) if isinstance(most, int) else most)  # there is no half of a contradiction
    step = (WIDTH - LEFT - RIGHT) / max(1, len(runs) - 1)
    start = LEFT if len(runs) > 1 else WIDTH / 2

    def height(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top

    points = tuple(
        Point(start + step * place, height(value), f"{value:g}{unit}", label) for place, value, label in known
    )
    grid = tuple((height(value), f"{value:g}{unit}") for value in (0, top / 2, top))
    return Plot(title, hint, points, grid)


def _round_up(value: float) -> float:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … that is not below *value*, so that its half is short
    to write."""
    size = 1.0
    while True:
        for factor in (1, 2, 5):
            if value <= factor * size:
                return factor * size
        size *= 10


# ---------------------------------------------------------------------- review


router = APIRouter()


@router.get("/review", response_class=HTMLResponse)
def review(
    site: Annotated[Site, Depends(site_of)],
    q: Annotated[str, Query(max_length=400)] = "",
    before: int | None = None,
) -> HTMLResponse:
    """Return the list of sessions, or the hits of the search *q*.

    *before* is for the pages after the first.
    """
    reading, catalogue = site.shown(site.review.refresh()), site.catalogue
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


# ---------------------------------------------------------------------- review progress
# GET /review/progress: one presenter over all rehearsals of each deck, in a sentence, a table and plots.


@router.get("/review/progress", response_class=HTMLResponse)
def progress(
    site: Annotated[Site, Depends(site_of)], presenter: Annotated[str | None, Query(max_length=200)] = None
) -> HTMLResponse:
    """Return the page with the latest complete runs of *presenter*, without drills.

    If *presenter* is None, the runs are those of the presenter who last ended one.
    """
    site.review.refresh()
    catalogue = site.catalogue
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
    """Return the number of fillers in 100 words, or None if they were not counted."""
    return round(100 * entry.fillers / entry.words, 1) if entry.fillers is not None and entry.words else None


def _plots(one: Progress) -> list[Plot]:
    """Return the plots, or none for fewer than two runs, of which a table says as much."""
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
