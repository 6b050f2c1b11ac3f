"""How much of a deck rests on a claim: its ask and its summary, its titles and its figures come first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from orchestrator.claims.boilerplate import claims_nothing
from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck, Slide

_CENTRAL = re.compile(
    r"\b(?:ask|asks|proposals?|request|recommendations?|decision|summary|conclusions?|goals?|objectives?|benefits?|"
    r"purpose|solution|plans?|roadmap|next steps|budget|costs?|financials?|funding|results?|status|future)\b",
    re.IGNORECASE,
)
"""Titles of the slides that a vote is about."""
_ASKS = re.compile(
    r"\b(?:we|i) (?:\w+ly )?(?:ask|request|seek|need|propose|recommend)\b|\bwe are (?:asking|seeking|"
    r"raising)\b|\b(?:our|the) (?:ask|request|proposal|recommendation) is\b|\bneeds? a home\b|"
    r"\bwish to (?:join|enter)\b",
    re.IGNORECASE,
)
"""What the presenter has come for."""
_BESIDE = re.compile(
    r"\b(?:overview|appendix|backup|about us|the team|problems?|challenges?|history)\b", re.IGNORECASE
)

_ASK: Final = 0.3
_TITLE: Final = 0.3
_HEADING: Final = -0.35
"""A title that names a thing and states nothing."""
_CENTRAL_SLIDE: Final = 0.2
_LAST_SLIDE: Final = 0.2
_FIGURE: Final = 0.2
_BESIDE_SLIDE: Final = -0.1
_FRAGMENT: Final = {1: -0.3, 2: -0.1, 3: -0.4, 4: -0.1}
"""By the number of words: too little is said to be asked about, if there is anything else. (Below three
words, `interest` takes away as well.)"""
_UNCLAIMED: Final = -0.1
"""A sentence that claims nothing, though something is missing beside it."""


def standing(claim: Claim, slides: Mapping[int, float]) -> float:
    """What is added to a panelist's interest in a claim for how it stands on its slide.

    Args:
        slides: What `slide_standings` says of the deck.
    """
    if claim.said_at_s is not None or claim.origin in ("table", "chart"):
        return 0.0
    weight = slides.get(claim.slide or 0, 0.0)
    if claim.quantities:
        weight += _FIGURE
    else:
        weight += _FRAGMENT.get(len(claim.text.split()), 0.0)
    weight += _ASK * bool(_ASKS.search(claim.text))
    if claim.origin == "title":
        weight += _TITLE if claim.kinds else _HEADING
    return weight + _UNCLAIMED * (not claim.kinds)


def slide_standings(deck: Deck) -> dict[int, float]:
    """By slide number, what its title and its place in the deck add to everything that stands on it."""
    last = max((slide.number for slide in deck.slides if _speaks(slide)), default=0)
    return {
        slide.number: _CENTRAL_SLIDE * bool(_CENTRAL.search(slide.title))
        + _BESIDE_SLIDE * bool(_BESIDE.search(slide.title))
        + _LAST_SLIDE * (slide.number == last and len(deck.slides) > 1)
        for slide in deck.slides
    }


def _speaks(slide: Slide) -> bool:
    """The slide says something: it is neither the thanks nor the contacts."""
    return (
        not slide.hidden
        and not claims_nothing(slide.title)
        and bool(slide.lines or slide.tables or slide.charts)
    )
