"""GET /: what a rehearsal gives, the one way to begin, and the last ones, to go on from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse

from orchestrator.core.errors import GreenroomError
from orchestrator.core.table import SESSION_ID
from orchestrator.review.catalogue import Row
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()

ANEW: Final = {"cache-control": "no-store"}
"""Of a page that Back shows as it is by then, and not as it was."""
RECENT: Final = 6
"""Rehearsals of the first page: a screen of them. With more there are filters, and the review has all."""
MOST_FOUND: Final = 30
"""Of what the filters find."""
Kind = Literal["", "unfinished", "ended", "drill"]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A rehearsal of this home, and what it is called."""

    row: Row
    title: str  # a person's own; "": it goes by its deck's


@router.get("/", response_class=HTMLResponse)
def front(
    site: Annotated[Site, Depends(site_of)],
    q: Annotated[str, Query(max_length=200)] = "",
    show: Kind = "",
) -> HTMLResponse:
    """The first page. *q*: words of title, deck or presenter; *show*: one kind of rehearsal."""
    reading = site.review.refresh(is_needed=_is_behind(site))
    known = list(islice(_rehearsed(site), RECENT + 1))
    is_filtered = bool(q.strip() or show)
    most = MOST_FOUND if is_filtered else RECENT
    found = _matching(_rehearsed(site), q, show) if is_filtered else iter(known)
    rehearsed = list(islice(found, most))
    recorded = list(islice(_rehearsed(site, are_recorded=True), RECENT))
    answer = page(
        "front.html",
        has_home=site.home is not None,
        base=site.base,
        under_way=under_way(site),
        reading=reading,
        rehearsed=rehearsed,
        recorded=recorded,
        counts={one.row.n: site.review.outcomes(one.row) for one in (*rehearsed, *recorded)},
        has_rehearsed=bool(known),
        has_many=len(known) > RECENT,
        q=q.strip(),
        show=show,
    )
    answer.headers.update(ANEW)
    return answer


@router.get("/example", response_class=HTMLResponse)
def example(site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """A question and its piece of a debrief, to put into the page; empty where the demo cannot be played."""
    shown = site.showcase.get()
    return page("example.html", shown=shown) if shown is not None else HTMLResponse("")


def under_way(site: Site) -> list[tuple[str, str]]:
    """Return id and title of every session that this server drives."""
    found = []
    for name in site.drives.driven:
        try:
            rehearsal = site.sessions.get(name).rehearsal
            found.append((name, site.review.titles.of(name) or rehearsal.scene().deck.title))
        except (GreenroomError, OSError):  # erased or damaged since: the page is shown without it
            continue
    return found


def _is_behind(site: Site) -> bool:
    """Whether a session lies in this home that the catalogue has not read: one was begun just now, say."""
    if site.home is None:
        return False
    names = {one for one in site.home.session_names() if SESSION_ID.fullmatch(one)}
    return not site.review.catalogue.known().keys() >= names


def _rehearsed(site: Site, *, are_recorded: bool = False) -> Iterator[Rehearsed]:
    """One's own sessions that lie in this home, newest first; else the demonstrations."""
    if site.home is None:
        return
    before: int | None = None
    while rows := site.review.catalogue.page(before=before, are_recorded=are_recorded):
        for row in rows:
            if row.is_here:
                yield Rehearsed(row, site.review.titles.of(row.entry.session))
        before = rows[-1].n


def _matching(rehearsed: Iterator[Rehearsed], q: str, show: str) -> Iterator[Rehearsed]:
    words = q.casefold().split()
    for one in rehearsed:
        entry = one.row.entry
        text = f"{one.title} {entry.deck} {entry.presenter} {entry.day}".casefold()
        is_of_kind = {
            "": True,
            "unfinished": not (entry.is_ended or entry.is_damaged or entry.unread),
            "ended": entry.is_ended and not entry.is_drill,
            "drill": entry.is_drill,
        }
        if is_of_kind[show] and all(word in text for word in words):
            yield one
