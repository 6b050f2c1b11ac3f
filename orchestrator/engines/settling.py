"""What deck and recent speech say that settles a question before it is asked.

A persona's tables name the phrases. What each piece of speech holds of them is looked up once, so that
a refresh costs what was said since the last one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from orchestrator.deck.model import Deck
from orchestrator.engines.angles import KEPT
from orchestrator.engines.matching import holds, normal
from orchestrator.engines.protocol import Scene
from orchestrator.engines.same import Same
from orchestrator.persona import Seat

LATEST: Final = 60
"""Segments of speech that are searched for what the deck leaves out: some eight minutes, so that a
refresh costs the same at any length. What was said before is in the exchanges, if it was asked."""

Held = frozenset[str]
"""Those of one panelist's phrases that a text holds."""


def in_deck(seat: Seat, deck: Deck) -> Held:
    """What the deck holds, shown or not."""
    return _in_deck(seat, Same(deck))


def in_speech(seat: Seat, scene: Scene) -> Held:
    """What the latest speech holds, read as one text: a phrase may go over from one segment to the next."""
    held: set[str] = set()
    following: tuple[str, ...] = ()
    for segment in reversed(scene.segments[-LATEST:]):
        found, following = _in_segment(seat, segment.text, following)
        if found:
            held |= found
    return frozenset(held)


@lru_cache(maxsize=64)
def _settling(seat: Seat) -> tuple[tuple[str, ...], int]:
    """Every phrase that settles something for this panelist, and how many words the longest has."""
    rows = seat.domain.silences if seat.domain is not None else ()
    of_silences = (phrase for row in rows for phrases in row.unless for phrase in phrases)
    of_patterns = (phrase for pattern in seat.persona.initial for phrase in pattern.unless)
    every = tuple(dict.fromkeys((*of_silences, *of_patterns)))
    return every, max((phrase.count(" ") + 1 for phrase in every), default=1)


@lru_cache(maxsize=64)
def _in_deck(seat: Seat, deck: Same[Deck]) -> Held:
    return _held(seat, _words_of(deck))


@lru_cache(maxsize=KEPT)
def _in_segment(seat: Seat, text: str, following: tuple[str, ...]) -> tuple[Held, tuple[str, ...]]:
    """What begins in this segment, given the first words after it; and the first words from here on."""
    words = (*normal(text).split(), *following)
    return _held(seat, " ".join(words)), words[: _settling(seat)[1] - 1]


def _held(seat: Seat, text: str) -> Held:
    there = [phrase for phrase in _settling(seat)[0] if phrase in text]
    return frozenset(phrase for phrase in there if holds(text, phrase))


@lru_cache(maxsize=4)
def _words_of(deck: Same[Deck]) -> str:
    """Everything that the deck says, shown or not, as one normalised text."""
    parts: list[str] = []
    for slide in deck.value.slides:
        parts += [slide.title, *slide.lines, slide.notes, *slide.alt_texts]
        parts += [cell for table in slide.tables for row in table.rows for cell in row]
    return normal(" \n ".join(parts))
