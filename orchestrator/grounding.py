"""Places that an engine names, looked up again: a quote stands where it is said to, or is dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from orchestrator.checks.passages import deck_passages, speech_passages
from orchestrator.checks.proposal import Passage
from orchestrator.checks.quotes import Broken, find_quote
from orchestrator.claims.model import Place
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


def _there(place: Place, passages: Sequence[Passage]) -> Iterator[Passage]:
    spoken = (one for one in passages if one.said_at_s is not None)
    if place.said_at_s is not None:
        at_s = place.said_at_s
        return islice((one for one in spoken if (one.said_at_s or 0.0) >= at_s), _SPREAD)
    if place.slide is not None:
        return (one for one in passages if one.said_at_s is None and one.slide == place.slide)
    return spoken
