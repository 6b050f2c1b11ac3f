"""GET /dossier/{deck}: the dossier to prepare with; …/of/{session}: the dossier of a rehearsal's deck."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import HTMLResponse, RedirectResponse

from orchestrator.core.legible import one_line
from orchestrator.panel.config.engine_names import is_bank
from orchestrator.panel.dossier.page import (
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
from orchestrator.panel.dossier.prepared import Prepared, keep_prepared, read_prepared
from orchestrator.panel.loop.plan import source_of
from orchestrator.panel.model.reply import Attack
from orchestrator.review.progress import AskedBefore
from orchestrator.web.open_sessions import reads
from orchestrator.web.pages.new import engines
from orchestrator.web.site import Site, site_of
from orchestrator.web.templating import page

router = APIRouter()
At = Annotated[Site, Depends(site_of)]


@router.get("/dossier/of/{session}")
@reads
def of_session(session: str, site: At) -> RedirectResponse:
    """Store the dossier that was made at a rehearsal's start, unless the deck has one; redirect to its
    page."""
    found = site.sessions.get(session)
    source, made = source_of(found.rehearsal), found.projection.dossier
    if made is not None and read_prepared(site.own, source.deck.sha256, site.whose) is None:
        keep_prepared(site.own, Prepared(source.deck, made), source.path, site.whose)
    return RedirectResponse(f"{site.base}/dossier/{source.deck.sha256}", 303)


@router.get("/dossier/{deck}", response_class=HTMLResponse)
def dossier(deck: str, site: At) -> HTMLResponse:
    """Return the page of a deck's dossier, whether the dossier is ready, is being made, or does not exist
    yet."""
    making = site.dossiers.of(deck, site.whose)  # before what it keeps is read
    made, before = read_prepared(site.own, deck, site.whose), site.review.asked_before(deck, site.catalogue)
    attacks = made.dossier.attacks if made is not None else ()
    return page(
        "dossier.html",
        has_home=True,
        base=site.base,
        deck=deck,
        making=making,
        made=made,
        before=before,
        cards=_cards(attacks, before),
        shared_why=_shared_why(attacks),
        engines=engines(site.own.config, os.environ),
        config=site.own.config,
        is_bank=is_bank,
        told={
            "about": about, "at": at, "by_class": by_class, "dated": dated, "noted": noted,
            "notices": notices, "sides": sides, "stances": STANCES, "support": support, "titled": titled,
        },
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card:
    """A question of the dossier, and its result in the last rehearsal that asked it."""

    number: int  # in the dossier, from 1
    attack: Attack
    before: AskedBefore | None


def _cards(attacks: Sequence[Attack], before: Sequence[AskedBefore]) -> list[Card]:
    """Return the cards: first those whose question is open or unjudged, then the others in the dossier's
    order."""
    known = {words: one for one in before for words in (one.point, one.question.casefold())}
    found = [
        Card(number, attack, known.get(_point(attack)) or known.get(one_line(attack.question).casefold()))
        for number, attack in enumerate(attacks, start=1)
    ]
    return sorted(found, key=lambda card: _rank(card.before))


def _rank(before: AskedBefore | None) -> int:
    if before is None:
        return 2
    return 0 if before.is_open else 3 if before.by else 1


def _point(attack: Attack) -> str:
    """See `review.reading.Asked.point`."""
    if attack.about is None or attack.is_missing:
        return one_line(attack.question).casefold()
    return f"{attack.about.slide} {one_line(attack.about.quote)}".casefold()


def _shared_why(attacks: Sequence[Attack]) -> str:
    """Return the reason that most questions share, so that it is shown once, or "" if no two share one."""
    [(why, many)] = Counter(one.why for one in attacks).most_common(1) or [("", 0)]
    return why if many > 1 else ""
