"""What a board expects to hear wherever certain words stand, and what this deck does not say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import Claim
from orchestrator.deck.model import Deck
from orchestrator.engines.angles import KEPT, Angle
from orchestrator.engines.matching import found, normal
from orchestrator.engines.protocol import Scene
from orchestrator.engines.same import Same
from orchestrator.engines.settling import LATEST, Held, in_deck, in_speech
from orchestrator.engines.statements import statements
from orchestrator.engines.wording import was_used
from orchestrator.persona import Alternatives, Seat, Silence

SILENCE: Final = "silence"

_WEIGHT: Final = 3.1
"""About as much as a red flag: it is about this deck, and nobody who made it has thought of it."""
_LATER_ROW: Final = 0.04
"""What each row of the table weighs less than the one above it: a persona lists first what it asks first."""
_TITLE_WORDS: Final = 4
"""A title of fewer words is a heading, and nothing that was said."""

Ranked = tuple[tuple[Silence, float], ...]
"""Silences with their weights."""


def open_silences(seat: Seat, scene: Scene) -> Ranked:
    """The persona's silences that neither deck nor recent speech settles, and nobody has asked about."""
    return ranked(seat, open_rows(seat, scene, in_deck(seat, scene.deck), in_speech(seat, scene)))


def ranked(seat: Seat, rows: Sequence[int]) -> Ranked:
    """The silences in these rows of the persona's table, from 0."""
    table = seat.domain.silences if seat.domain is not None else ()
    return tuple((table[row], _WEIGHT - _LATER_ROW * row) for row in rows)


def open_rows(seat: Seat, scene: Scene, deck: Held, said: Held) -> tuple[int, ...]:
    """In which rows of the persona's table `open_silences` stand, by what deck and recent speech hold."""
    if seat.domain is None or not seat.domain.silences:
        return ()
    used = _used_rows(seat, tuple(turn.question for exchange in scene.exchanges for turn in exchange.turns))
    claimed = _kinds_of(Same(tuple(scene.deck_claims))).union(
        *(claim.kinds for claim in scene.speech_claims[-LATEST:])
    )
    return tuple(
        row
        for row, silence in _unsettled(seat, deck, said)
        if row not in used and claimed.isdisjoint(silence.unless_kinds)
    )


@lru_cache(maxsize=64)
def _unsettled(seat: Seat, *held: Held) -> tuple[tuple[int, Silence], ...]:
    """The rows that none of these settles; what one text says half and another half settles nothing."""
    rows = seat.domain.silences if seat.domain is not None else ()
    return tuple(
        (row, silence)
        for row, silence in enumerate(rows)
        if not any(_settles(one, silence.unless) for one in held)
    )


def _settles(held: Held, alternatives: Alternatives) -> bool:
    return any(phrases and held.issuperset(phrases) for phrases in alternatives)


@lru_cache(maxsize=64)
def _used_rows(seat: Seat, asked: tuple[str, ...]) -> frozenset[int]:
    rows = seat.domain.silences if seat.domain is not None else ()
    return frozenset(row for row, silence in enumerate(rows) if was_used(silence.question, asked))


@lru_cache(maxsize=16)
def _kinds_of(claims: Same[tuple[Claim, ...]]) -> frozenset[str]:
    return frozenset(kind for claim in claims.value for kind in claim.kinds)


def silence_angles(claim: Claim, seat: Seat, silences: Ranked) -> Iterator[Angle]:
    """One angle for each of the silences that the claim's words bring up."""
    brought_up = _brought_up(claim.text, seat)
    for silence, weight in silences:
        if phrases := brought_up.get(silence.name):
            yield Angle(
                kind=SILENCE,
                name=silence.name,
                words=f"not said anywhere: {silence.name[:1].lower()}{silence.name[1:]}",
                patterns=(silence.question,),
                weight=weight,
                around=phrases,
            )


@lru_cache(maxsize=KEPT)
def _brought_up(sentence: str, seat: Seat) -> Mapping[str, tuple[str, ...]]:
    """The words by which a sentence brings up each of the persona's silences, by its name."""
    text = normal(sentence)
    rows = seat.domain.silences if seat.domain is not None else ()
    return {row.name: phrases for row in rows if (phrases := found(text, row.words))}


def silent_statements(
    deck: Deck,
    claims: Sequence[Claim],
    seat: Seat,
    silences: Ranked,
    also: Callable[[Claim], bool] = lambda claim: False,
) -> Iterator[Claim]:
    """Sentences of the deck that claim nothing and yet bring up one of the silences, or wave a red flag.

    Args:
        also: What else makes a sentence worth asking about.
    """
    claimed = {(claim.slide, claim.text) for claim in claims}
    names = {silence.name for silence, _ in silences}
    for statement in statements(deck):
        if statement.origin == "title" and len(statement.text.split()) < _TITLE_WORDS:
            continue
        if (statement.slide, statement.text) not in claimed and (
            not names.isdisjoint(_brought_up(statement.text, seat))
            or _waves_a_flag(statement.text, seat)
            or also(statement)
        ):
            yield statement


@lru_cache(maxsize=KEPT)
def _waves_a_flag(sentence: str, seat: Seat) -> bool:
    text = normal(sentence)
    return seat.domain is not None and any(found(text, flag.words) for flag in seat.domain.red_flags)
