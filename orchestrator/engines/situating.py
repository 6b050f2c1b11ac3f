"""Why a panelist would ask about what a sentence puts before the board, and not about its wording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.deck.model import Deck, Slide
from orchestrator.engines.angles import Angle, angles
from orchestrator.engines.fitting import is_count
from orchestrator.engines.matching import holds
from orchestrator.engines.protocol import Scene
from orchestrator.engines.silences import latest_words, words_of
from orchestrator.engines.sort_cues import TITLE_AHEAD
from orchestrator.engines.sorts import NAMES, sorts_of
from orchestrator.pattern import ANY, Pattern
from orchestrator.persona import Seat

SITUATION: Final = "situation"

_WEIGHT: Final = 3.2
_LATER: Final = 0.03
"""What each sort weighs less than the one before it in `NAMES`: what a board asks about first comes first."""

Open = Mapping[str, tuple[Pattern, ...]]
"""By sort, the patterns of one panelist that deck and speech have not answered."""


def told_in(scene: Scene) -> str:
    """All that deck and recent speech say, as one normalised text."""
    return f"{words_of(scene.deck)}\n{latest_words(scene)}"


def open_patterns(seat: Seat, told: str) -> Open:
    """What the panelist may ask about each sort of sentence: nothing that *told* answers already."""
    found: dict[str, list[Pattern]] = {}
    for pattern in seat.persona.initial:
        if not pattern.only or any(holds(told, phrase) for phrase in pattern.unless):
            continue
        for sort in pattern.only:
            found.setdefault(sort, []).append(pattern)
    return {sort: tuple(patterns) for sort, patterns in found.items()}


def slides_by_number(deck: Deck) -> dict[int, tuple[str, str]]:
    """By slide number, its title and all the text on it."""
    return {slide.number: (slide.title, _text_of(slide)) for slide in deck.slides}


@lru_cache(maxsize=512)
def _text_of(slide: Slide) -> str:
    cells = [cell for table in slide.tables for row in table.rows for cell in row]
    return "\n".join((slide.title, *slide.lines, *cells))


def situation_angles(claim: Claim, patterns: Open, slides: Mapping[int, tuple[str, str]]) -> Iterator[Angle]:
    """One angle for each sort of sentence that the claim is, if the panelist has a question on it."""
    spoken = claim.said_at_s is not None or claim.slide is None
    title, text = ("", "") if spoken else slides.get(claim.slide or 0, ("", ""))
    for sort in sorts_of(claim, title, text):
        fitting = tuple(pattern for pattern in patterns.get(sort, ()) if _fits(pattern, claim))
        if fitting:
            yield Angle(
                kind=SITUATION,
                name=sort,
                words=NAMES[sort],
                patterns=fitting,
                weight=_WEIGHT - _LATER * _PLACE[sort],
            )


def angles_in(deck: Deck, claim: Claim, seat: Seat) -> list[Angle]:
    """All that the panelist would go after about a claim of the deck, before anything is said."""
    patterns = open_patterns(seat, words_of(deck))
    found = [*situation_angles(claim, patterns, slides_by_number(deck)), *angles(claim, seat)]
    return sorted(found, key=lambda angle: -angle.weight)


def stands_ahead(claim: Claim, slides: Mapping[int, tuple[str, str]]) -> bool:
    """The claim stands on a slide of what is still to come."""
    title, _ = slides.get(claim.slide or 0, ("", ""))
    return claim.said_at_s is None and TITLE_AHEAD.search(title) is not None


def _fits(pattern: Pattern, claim: Claim) -> bool:
    """The pattern is for such claims, and the sentence does not answer it itself."""
    if ANY not in pattern.heads and not set(pattern.heads) & set(claim.kinds):
        return False
    return not any(asks.search(pattern.text) and tells(claim) for asks, tells in _TOLD)


def _gives_count(claim: Claim) -> bool:
    if not claim.quantities:  # a sentence that claims nothing is read without its numbers
        return re.search(r"\b\d", claim.text) is not None
    return any(is_count(quantity) for quantity in claim.quantities)


def _gives_share(claim: Claim) -> bool:
    return any(quantity.unit in ("%", "points") for quantity in claim.quantities)


def _gives_money(claim: Claim) -> bool:
    return any(is_currency(quantity.unit) for quantity in claim.quantities)


def _gives_guarantor(claim: Claim) -> bool:
    return re.search(r"\bguarante|\bliab|\bsecured (?:by|on)\b", claim.text, re.IGNORECASE) is not None


def _is_of_time(claim: Claim) -> bool:
    return bool(claim.quantities) and all(quantity.unit in TIME_UNITS for quantity in claim.quantities)


_TOLD: Final = (
    (re.compile(r"\bwho is liable\b", re.IGNORECASE), _gives_guarantor),
    (re.compile(r"\bcome to in money\b", re.IGNORECASE), _is_of_time),
    (re.compile(r"\bhow many (?:of them|have applied|were asked)\b", re.IGNORECASE), _gives_count),
    (re.compile(r"\bat which figure would you call\b", re.IGNORECASE), _gives_share),
    (re.compile(r"\bwhat does that take, in money\b", re.IGNORECASE), _gives_money),
)
"""What a question asks for, and whether the very sentence gives it, or has nothing of the kind."""
_PLACE: Final = {sort: place for place, sort in enumerate(NAMES)}
