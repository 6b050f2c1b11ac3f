"""Places that an engine names, looked up again: a quote stands where it is said to, or is dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from orchestrator.checks.passages import deck_passages, speech_passages
from orchestrator.checks.proposal import Passage
from orchestrator.checks.quotes import Broken, find_quote
from orchestrator.claims.dates import dates_in
from orchestrator.claims.model import Place
from orchestrator.claims.numbers import numbers_in
from orchestrator.deck.model import Deck
from orchestrator.speech.model import Segment

_SPREAD: Final = 3
"""Pieces of speech that one quote may run over: a sentence of captions takes two or three."""


def material(deck: Deck, segments: Sequence[Segment] = ()) -> tuple[Passage, ...]:
    """Everything that can be quoted: the deck with its notes, then what was said."""
    return (*deck_passages(deck), *speech_passages(segments))


def grounded(place: Place, passages: Sequence[Passage]) -> Place | None:
    """*place* with the source's own words; None: they do not stand there.

    A place with a time is looked for in the speech from that time on, one with only a slide on that
    slide, and one with neither in all that was said.
    """
    found = find_quote(place.quote, [passage.text for passage in _there(place, passages)])
    return None if isinstance(found, Broken) else Place(place.slide, place.said_at_s, found.text)


def figures(text: str) -> set[object]:
    """The numbers and dates that a text gives, in digits or words: "eighteen percent" is 18.

    A date gives its year, its month and its day each, so that a part of it is found in the whole.
    """
    found: set[object] = {number.value for number in numbers_in(text)}
    for date in dates_in(text):
        if date.has_year:
            found.add(("year", date.last.year))
        if date.precision in ("day", "month"):
            found.add(("month", date.first.month))
        if date.precision not in ("month", "year"):
            found.add((date.precision, date.first.month, date.first.day))
    return found


def _there(place: Place, passages: Sequence[Passage]) -> Iterator[Passage]:
    spoken = (one for one in passages if one.said_at_s is not None)
    if place.said_at_s is not None:
        at_s = place.said_at_s
        return islice((one for one in spoken if (one.said_at_s or 0.0) >= at_s), _SPREAD)
    if place.slide is not None:
        return (one for one in passages if one.said_at_s is None and one.slide == place.slide)
    return spoken
