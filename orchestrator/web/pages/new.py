"""GET /new: drop a deck, see how it was understood, choose options and start; also its slides for the
page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse

from orchestrator.core.errors import GreenroomError
from orchestrator.core.home.regular import read_regular
from orchestrator.core.table import MODERATOR, SESSION_ID
from orchestrator.documents.opening import check_is_of_board
from orchestrator.panel.config.config import Config
from orchestrator.panel.config.engine_names import BANK, installed_names
from orchestrator.panel.engines.model.settings import DEFAULT_MODEL
from orchestrator.panel.engines.prices import prices_read_at, rehearsal_usd
from orchestrator.panel.home import Home
from orchestrator.panel.loop.plan import RULES
from orchestrator.panel.personas.orchestration import read_orchestration
from orchestrator.panel.personas.persona import Persona, read_persona
from orchestrator.review.catalogue import Row
from orchestrator.web.api.decks import kept
from orchestrator.web.sheets import sheets
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

# ---------------------------------------------------------------------- front
# GET /: what a rehearsal gives, the one way to begin, and the last ones, to go on from.


router = APIRouter()

ANEW: Final = {"cache-control": "no-store"}
"""Headers of a page that the browser's Back button has to load anew."""
RECENT: Final = 6
"""Maximum number of rehearsals on the first page: one screen. If there are more, the page has filters; the
review lists all."""
MAX_FOUND: Final = 30
"""Maximum number of rehearsals that the filters list."""
Kind = Literal["", "unfinished", "ended", "drill"]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A rehearsal of this home, with the title under which it is listed."""

    row: Row
    title: str  # a person's own; "": it goes by its deck's


@router.get("/", response_class=HTMLResponse)
def front(
    site: Annotated[Site, Depends(site_of)],
    q: Annotated[str, Query(max_length=200)] = "",
    show: Kind = "",
) -> HTMLResponse:
    """Return the first page.

    *q* filters by words of title, deck or presenter, *show* by a kind of rehearsal.
    """
    reading = site.shown(site.review.refresh(is_needed=_is_behind(site)))
    known = list(islice(_rehearsed(site), RECENT + 1))
    is_filtered = bool(q.strip() or show)
    most = MAX_FOUND if is_filtered else RECENT
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
    """Return an example question with its part of a debrief, to put into the page; empty if the demo
    cannot be played."""
    shown = site.showcase.get()
    return page("example.html", shown=shown) if shown is not None else HTMLResponse("")


def under_way(site: Site) -> list[tuple[str, str]]:
    """Return the id and title of every session that this server drives, or another worker of its cluster."""
    found = []
    for name in site.drives.driven:
        try:
            rehearsal = site.sessions.get(name).rehearsal
            opening = rehearsal.store.opening
            if not site.sees(opening.owner, opening.groups):
                continue
            found.append((name, site.review.titles.of(name) or rehearsal.scene().deck.title))
        except (GreenroomError, OSError):  # erased or damaged since: the page is shown without it
            continue
    if site.shelf is not None:
        rows = site.shelf.rows
        known = {name for name, _ in found}
        others = (row for row in rows.values() if row.is_driven and row.session not in known)
        found += [(row.session, site.review.titles.of(row.session) or row.entry.deck) for row in others]
        found.sort(key=lambda one: rows[one[0]].started if one[0] in rows else ("", one[0]))
    return found


def _is_behind(site: Site) -> bool:
    """Return whether the catalogue has not yet read a session of this home, such as one that was just
    started."""
    if site.home is None:
        return False
    names = {one for one in site.home.session_names() if SESSION_ID.fullmatch(one)}
    return not site.review.catalogue.known().keys() >= names


def _rehearsed(site: Site, *, are_recorded: bool = False) -> Iterator[Rehearsed]:
    """Yield the user's own sessions in this home, newest first, or the demonstrations if *are_recorded* is
    true."""
    if site.home is None:
        return
    before: int | None = None
    while rows := site.catalogue.page(before=before, are_recorded=are_recorded):
        for row in rows:
            if site.review.is_ours(row) and not row.entry.crew:
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


# ---------------------------------------------------------------------- new


MODES = {
    "section-breaks": "At breaks: when a section ends",
    "hand-raise": "By raised hand: the chair calls on them",
    "free-flow": "At any pause: they may cut in",
}
PRESSED = (
    "Without a model nobody weighs an answer. What is asked again, up to these turns, is a refusal (“I do "
    "not know”, “next question”) and a contradiction of which you name no figure; once, an answer without "
    "any figure, date or name where one belongs."
)
"""The explanation of an intensity for a panel without a model."""
INTENSITIES = {
    "friendly": "Friendly: one question, one follow-up",
    "moderate": "Moderate: up to three turns each",
    "adversarial": "Adversarial: up to four turns each",
}


@router.get("/new", response_class=HTMLResponse)
def new(site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """Return the page on which a session is started."""
    home = site.own
    check_is_of_board(home)
    config = home.config
    rules = read_orchestration(read_regular(home.root / RULES).decode(), RULES)
    answer = page(
        "new.html",
        has_home=True,
        base=site.base,
        config=config,
        rules=rules,
        modes=MODES,
        pressed=PRESSED,
        intensities=INTENSITIES,
        members=_members(home),
        engines=engines(config, os.environ),
        hears_sound=site.recogniser is not None,
        under_way=under_way(site),
    )
    answer.headers.update(ANEW)
    return answer


@router.get("/new/slides/{deck}", response_class=HTMLResponse)
def slides(deck: str, site: Annotated[Site, Depends(site_of)]) -> HTMLResponse:
    """Return the slides of a deck that was dropped, as a list to put into the page."""
    return page("new_slides.html", slides=sheets(kept(deck, site).deck))


def _members(home: Home) -> list[Persona]:
    agents = [name for name in home.panelists() if name not in home.drafts()]
    files = [home.templates / name / "persona.md" for name in (MODERATOR, *agents)]
    return [read_persona(read_regular(file).decode(), str(file.relative_to(home.root))) for file in files]


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine that can be chosen: what it does and costs, and what it still needs to work."""

    name: str
    told: str
    price: str
    needs: str = ""  # before it can be used here; "": it is set up


def engines(config: Config, environment: Mapping[str, str]) -> list[EngineChoice]:
    """Return the engines of this installation, each described in plain words."""
    found = [
        EngineChoice(
            BANK,
            "Without a model: questions come from a bank, by the kind of deck, most without a quote. The "
            "deck’s arithmetic is checked, and an answer is judged only where that is certain.",
            "Free. Nothing leaves this machine.",
        )
    ]
    if find_spec("anthropic") is not None:
        is_set_up = any(environment.get(name) for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"))
        found.append(
            EngineChoice(
                "claude",
                f"Claude {_READS}",
                f"{_price(config.model or DEFAULT_MODEL)} Deck and talk are sent to the service.",
                "" if is_set_up else "Not set up: set ANTHROPIC_API_KEY, then start greenroom serve again.",
            )
        )
    if any(environment.get(name) for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL")):
        found.append(
            EngineChoice(
                "openai",
                f"{config.model or 'A model of OpenAI'} {_READS}",
                f"{_price(config.model or 'the model')} Deck and talk are sent to the service.",
                "" if config.model else _NO_MODEL,
            )
        )
    if config.model_url is not None:
        found.append(
            EngineChoice(
                "model",
                f"{config.model or 'The model'} at {config.model_url} {_READS}",
                "Costs what that server costs. Deck and talk are sent to it.",
                "" if config.model else _NO_MODEL,
            )
        )
    return [*found, *(EngineChoice(name, f"{name}: {_INSTALLED}", _OWN_PRICE) for name in installed_names())]


_NO_MODEL: Final = "Not set up: name its `model` in greenroom.yaml."
_INSTALLED: Final = "an engine that was installed beside this program."
_OWN_PRICE: Final = "What it costs, and where deck and talk go, its authors say."


_READS: Final = (
    "reads deck and talk, asks, judges your answers and writes the debrief; every quote is verified."
)


def _price(model: str) -> str:
    dollars = rehearsal_usd(model)
    if dollars is None:
        return f"The price of {model} is not known here."
    recorded, live = dollars
    return (
        f"With {model}, 30 minutes cost about ${recorded:.2f} from a recording and ${live:.2f} live, and "
        f"what it writes on top (prices of {prices_read_at()}). The debrief has the bill."
    )
