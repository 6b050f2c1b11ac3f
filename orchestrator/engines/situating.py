"""Why a panelist would ask about what a sentence puts before the board, and not about its wording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.claims.units import TIME_UNITS, is_currency
from orchestrator.deck.model import Deck, Slide
from orchestrator.engines.angles import KEPT, Angle, angles
from orchestrator.engines.fitting import is_count
from orchestrator.engines.holding_cues import EVENT
from orchestrator.engines.same import Same
from orchestrator.engines.settling import Held, in_deck
from orchestrator.engines.sort_cues import DATED, TITLE_AHEAD
from orchestrator.engines.sorts import NAMES, sorts_of
from orchestrator.pattern import ANY, Pattern
from orchestrator.persona import Seat

SITUATION: Final = "situation"

_WEIGHT: Final = 3.2
_LATER: Final = 0.02
"""What each sort weighs less than the one before it in `NAMES`: what a board asks about first comes first."""

Open = Mapping[str, tuple[Pattern, ...]]
"""By sort, the patterns of one panelist that deck and speech have not answered."""


def open_patterns(seat: Seat, numbers: Iterable[int]) -> Open:
    """What the panelist may ask about each sort of sentence, by the persona's patterns of these numbers."""
    found: dict[str, list[Pattern]] = {}
    for number in numbers:
        pattern = seat.persona.initial[number]
        for sort in pattern.only:
            found.setdefault(sort, []).append(pattern)
    return {sort: tuple(patterns) for sort, patterns in found.items()}


@lru_cache(maxsize=64)
def open_numbers(seat: Seat, told: Held) -> tuple[int, ...]:
    """Which of the persona's patterns for a sort, from 0, may be asked: none that *told* answers already."""
    return tuple(
        number
        for number, pattern in enumerate(seat.persona.initial)
        if pattern.only and told.isdisjoint(pattern.unless)
    )


def slides_by_number(deck: Deck) -> dict[int, tuple[str, str]]:
    """By slide number, its title and all the text on it."""
    return {slide.number: (slide.title, _text_of(slide)) for slide in deck.slides}


def _text_of(slide: Slide) -> str:
    cells = [cell for table in slide.tables for row in table.rows for cell in row]
    return "\n".join((slide.title, *slide.lines, *cells))


def situation_angles(claim: Claim, patterns: Open, slides: Mapping[int, tuple[str, str]]) -> Iterator[Angle]:
    """One angle for each sort of sentence that the claim is, if the panelist has a question on it."""
    spoken = claim.said_at_s is not None or claim.slide is None
    title, text = ("", "") if spoken else slides.get(claim.slide or 0, ("", ""))
    for sort in _sorts_of(Same(claim), title, text):
        fitting = tuple(pattern for pattern in patterns.get(sort, ()) if _fits(pattern, claim))
        if fitting:
            yield Angle(
                kind=SITUATION,
                name=sort,
                words=NAMES[sort],
                patterns=fitting,
                weight=_WEIGHT - _LATER * _PLACE[sort],
            )


@lru_cache(maxsize=KEPT)
def _sorts_of(claim: Same[Claim], title: str, text: str) -> tuple[str, ...]:
    return sorts_of(claim.value, title, text)


def angles_in(deck: Deck, claim: Claim, seat: Seat) -> list[Angle]:
    """All that the panelist would go after about a claim of the deck, before anything is said."""
    patterns, slides = _unheard(seat, Same(deck))
    found = [*situation_angles(claim, patterns, slides), *angles(claim, seat)]
    return sorted(found, key=lambda angle: -angle.weight)


@lru_cache(maxsize=16)
def _unheard(seat: Seat, deck: Same[Deck]) -> tuple[Open, dict[int, tuple[str, str]]]:
    told = in_deck(seat, deck.value)
    return open_patterns(seat, open_numbers(seat, told)), slides_by_number(deck.value)


def stands_ahead(claim: Claim, slides: Mapping[int, tuple[str, str]]) -> bool:
    """The claim stands on a slide of what is still to come."""
    title, _ = slides.get(claim.slide or 0, ("", ""))
    return claim.said_at_s is None and TITLE_AHEAD.search(title) is not None


def _fits(pattern: Pattern, claim: Claim) -> bool:
    """The pattern is for such claims, and the sentence does not answer it itself."""
    if ANY not in pattern.heads and not set(pattern.heads) & set(claim.kinds):
        return False
    return not any(asks.search(pattern.text) and tells(claim) for asks, tells in _TOLD)


_NUMBER_WORD = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|most|both|"
    r"all) (?:of )?(?:\w+ )?\w+s\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"\b\d|{_NUMBER_WORD.pattern}", re.IGNORECASE)


def _gives_count(claim: Claim) -> bool:
    if not claim.quantities:  # a sentence that claims nothing is read without its numbers
        return _NUMBER.search(claim.text) is not None
    return _NUMBER_WORD.search(claim.text) is not None or any(
        is_count(quantity) for quantity in claim.quantities
    )


def _gives_share(claim: Claim) -> bool:
    return any(quantity.unit in ("%", "points") for quantity in claim.quantities)


def _gives_money(claim: Claim) -> bool:
    return any(is_currency(quantity.unit) for quantity in claim.quantities)


def _gives_guarantor(claim: Claim) -> bool:
    return re.search(r"\bguarante|\bliab|\bsecured (?:by|on)\b", claim.text, re.IGNORECASE) is not None


def _gives_size(claim: Claim) -> bool:
    return _SCOPE.search(claim.text) is not None or _gives_share(claim)


def _gives_day(claim: Claim) -> bool:
    return DATED.search(claim.text) is not None


def _gives_owner(claim: Claim) -> bool:
    """The sentence names who does it, or says that this is still open."""
    return _OWNED.search(claim.text) is not None


def _gives_no_share(claim: Claim) -> bool:
    return not _gives_share(claim) and _PART.search(claim.text) is None


def _is_scope(claim: Claim) -> bool:
    """It says how large a thing is or when it is there, and nothing that is to change by it."""
    return _SCOPE.search(claim.text) is not None or _gives_day(claim)


def _is_of_business(claim: Claim) -> bool:
    """What is measured costs money or brings it."""
    return _gives_money(claim) or (_BUSINESS.search(claim.text) is not None and not _is_of_time(claim))


def _is_of_time(claim: Claim) -> bool:
    return bool(claim.quantities) and all(quantity.unit in TIME_UNITS for quantity in claim.quantities)


def _aims(claim: Claim) -> bool:
    """What is asked for is to bring something about that can be seen in a figure."""
    return _PROJECT.search(claim.text) is not None and _PAPERWORK.search(claim.text) is None


_BUSINESS = re.compile(
    r"\b(?:costs?|spend\w*|sales|revenues?|income|margins?|profits?|turnover|volume|output|waste|losses|"
    r"energy|"
    r"fuel|electricity|prices?|wages?|orders?|bookings?|tickets?|visitors?|passengers?|customers?|members?|"
    r"subscri\w+|churn|headcount|staff|scrap|returns|yield)\b",
    re.IGNORECASE,
)
_PROJECT = re.compile(
    r"\b(?:plan|programme|program|project|pilot|trial|scheme|strategy|campaign|investment|purchase|posts?|"
    r"positions?|hir\w+|extension|expansion|launch|build\w*|replace\w*|buy|service|line)\b|[€$£]\s?\d",
    re.IGNORECASE,
)
_PAPERWORK = re.compile(
    r"\b(?:design|study|studies|surveys?|subscribe|shares|loan|contract|lease|agreement|consultation|mandate|"
    r"policy|rule|sign|endorse|note|freeze|stop|close|end|abolish|pause|appoint|elect|accounts|report|"
    r"minutes|budget of)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    r"\b(?:throughout|always|permanent\w*|for ever|forever|at all times|for good|until|during)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"\bowners?\b|\b(?:led|owned|run|done|carried out) by\b|\bto be (?:named|appointed|assigned|decided)\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:half|thirds?|quarters?|fifth|tenth|most|majority|percent|per cent|share)\b|%", re.IGNORECASE
)
_SCOPE = re.compile(
    r"^\W*(?:(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d[\d.,]*)\s)"
    r"(?!(?:more|fewer|less|extra|additional|further|\w+ (?:more|fewer|less|extra|additional))\b)",
    re.IGNORECASE,
)
"""It opens with how many there are to be: "Two theatres and 14 recovery bays", "One policy for all"."""

_TOLD: Final = (
    (re.compile(r"\bhow large was that share\b", re.IGNORECASE), _gives_no_share),
    (re.compile(r"\bwho else could do that\b", re.IGNORECASE), lambda claim: not _gives_no_share(claim)),
    (re.compile(r"\bat which figure would you call\b", re.IGNORECASE), _is_scope),
    (re.compile(r"\bhow did you arrive at that size\b", re.IGNORECASE), lambda claim: not _gives_size(claim)),
    (re.compile(r"\bwho does that\b", re.IGNORECASE), _gives_owner),
    (re.compile(r"\bon which date does that money|by which day will you know\b", re.IGNORECASE), _gives_day),
    (
        re.compile(
            r"\bcomes half a year late\b|\bwhy then and not\b|\bnot in your own hands\b", re.IGNORECASE
        ),
        lambda claim: EVENT.search(claim.text) is not None,
    ),
    (
        re.compile(r"\buntil when does it hold\b", re.IGNORECASE),
        lambda claim: _ALWAYS.search(claim.text) is not None,
    ),
    (
        re.compile(r"\bget out of that early\b", re.IGNORECASE),
        lambda claim: re.search(r"\bnotice\b|\bbreak clause\b", claim.text, re.IGNORECASE) is not None,
    ),
    (
        re.compile(r"\bagainst which named others\b|\bsays the same of themselves\b", re.IGNORECASE),
        lambda claim: (
            re.search(r"\bever (?:made|had|done|built|seen)\b|\brecord\b", claim.text, re.I) is not None
        ),
    ),
    (re.compile(r"\bwho is liable\b", re.IGNORECASE), _gives_guarantor),
    (re.compile(r"\bcome to in money\b", re.IGNORECASE), lambda claim: not _is_of_business(claim)),
    (re.compile(r"\bcome back with the figure\b", re.IGNORECASE), lambda claim: not _aims(claim)),
    (re.compile(r"\bhow many (?:of them|have applied|were asked)\b", re.IGNORECASE), _gives_count),
    (re.compile(r"\bat which figure would you call\b", re.IGNORECASE), _gives_share),
    (re.compile(r"\bwhat does that take, in money\b", re.IGNORECASE), _gives_money),
)
"""What a question asks for, and whether the very sentence gives it, or has nothing of the kind."""
_PLACE: Final = {sort: place for place, sort in enumerate(NAMES)}
