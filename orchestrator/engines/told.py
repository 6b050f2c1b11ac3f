"""What the deck tells elsewhere: a question whose answer stands on another slide is not asked.

The phrases of a persona's tables settle what can be told by words alone (`settling`). This is for what
is told about a certain thing: a price in the row of a table, a day in a timetable, ways that were compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck, Slide
from orchestrator.engines.holding_cues import TITLE_EXPECTED
from orchestrator.engines.same import Same
from orchestrator.engines.sort_cues import DATED, TITLE_OPTIONS
from orchestrator.engines.topics import topic_of
from orchestrator.pattern import Pattern

_RARE: Final = 4
"""A word that stands in more places of a deck says what the deck is about, not what the place is about."""
_MONEY = re.compile(
    r"[€$£¥]\s?\d|\b\d[\d.,]*\s?(?:[mk]|bn|million|thousand)?\s?(?:euros?|dollars?|pounds?|eur|usd|gbp|chf)\b",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?:switched off|switch-off|shut down|decommission\w*|end of (?:support|life|sales?)|"
    r"(?:last|final) (?:sale|day|patch|update|release|security)|support ends|"
    r"stop(?:s|ping)? (?:selling|supporting)|turned off)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"\b(?:led by|owned by|owner|responsible|in charge|answers for|takes over|successor|appointed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """One sentence, or one row of a table."""

    text: str
    words: frozenset[str]  # stems that say what it is about
    is_row: bool


@dataclass(frozen=True, slots=True)
class Told:
    """What a deck tells, place by place."""

    places: tuple[Place, ...]
    rare: frozenset[str]
    has_options: bool  # a slide sets several ways side by side
    has_end: bool  # a day is named on which something is switched off or no longer sold or supported
    has_aims: bool  # a slide says in figures what is expected

    def elsewhere(self, claim: Claim, cue: re.Pattern[str], least: int) -> bool:
        """Another place holds *cue* and shares so many telling words with the claim; of a row, one."""
        own = topic_of(claim.text).words & self.rare
        return bool(own) and any(
            place.text != claim.text
            and len(own & place.words) >= (1 if place.is_row and cue is _MONEY else least)
            and cue.search(place.text) is not None
            for place in self.places
        )


@lru_cache(maxsize=16)
def told_by(deck: Same[Deck]) -> Told:
    slides = [slide for slide in deck.value.slides if not slide.hidden]
    places = tuple(place for slide in slides for place in _places(slide))
    often = Counter(word for place in places for word in place.words)
    return Told(
        places,
        frozenset(word for word, times in often.items() if times <= _RARE),
        any(TITLE_OPTIONS.search(slide.title) for slide in slides),
        any(_END.search(place.text) and DATED.search(place.text) for place in places),
        any(
            TITLE_EXPECTED.search(slide.title) and any(re.search(r"\d", line) for line in slide.lines)
            for slide in slides
        ),
    )


def _places(slide: Slide) -> Iterator[Place]:
    for line in slide.lines:
        yield Place(line, topic_of(line).words, is_row=False)
    for table in slide.tables:
        for row in table.rows[1:]:
            yield Place(" | ".join(row), topic_of(row[0] if row else "").words, is_row=True)


def is_told(pattern: Pattern, claim: Claim, told: Told) -> bool:
    """The deck answers this question about the claim in another place."""
    return any(asks.search(pattern.text) and answers(claim, told) for asks, answers in _ANSWERED)


_A_FEW: Final = 2
_ANSWERED: Final[tuple[tuple[re.Pattern[str], Callable[[Claim, Told], bool]], ...]] = (
    (
        re.compile(
            r"\bwhat does that take\b|\bwhat does one of these posts cost\b|\bno cost anywhere\b", re.I
        ),
        lambda claim, told: told.elsewhere(claim, _MONEY, _A_FEW),
    ),
    (
        re.compile(r"\bwho does that\b|\bwho takes over\b|\bwho answers for putting\b", re.I),
        lambda claim, told: told.elsewhere(claim, _OWNED, _A_FEW),
    ),
    (
        re.compile(r"\bon which (?:day|date)\b|\bfrom when\b|\bby which day\b", re.I),
        lambda claim, told: told.elsewhere(claim, DATED, _A_FEW + 1),
    ),
    (
        re.compile(r"\bis the old one switched off\b", re.I),
        lambda claim, told: told.has_end,
    ),
    (
        re.compile(r"\bwhich other ways\b|\bwhat is the cheaper version\b|\bthird option\b", re.I),
        lambda claim, told: told.has_options,
    ),
    (
        re.compile(
            r"\bat which figure would you call\b|\bwhich (?:one )?(?:number|figure), taken how\b", re.I
        ),
        lambda claim, told: told.has_aims,
    ),
)
"""What a question asks for, and whether the deck tells it elsewhere."""
