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
from orchestrator.engines.statements import statements
from orchestrator.engines.wording import was_used
from orchestrator.persona import Seat, Silence

SILENCE: Final = "silence"

_WEIGHT: Final = 3.1
"""About as much as a red flag: it is about this deck, and nobody who made it has thought of it."""
_LATER_ROW: Final = 0.04
"""What each row of the table weighs less than the one above it: a persona lists first what it asks first."""
_TITLE_WORDS: Final = 4
"""A title of fewer words is a heading, and nothing that was said."""
_LATEST: Final = 60
"""Segments of speech that are searched for what the deck leaves out: some eight minutes, so that a
refresh costs the same at any length. What was said before is in the exchanges, if it was asked."""

Ranked = tuple[tuple[Silence, float], ...]
"""Silences with their weights."""


def open_silences(seat: Seat, scene: Scene) -> Ranked:
    """The persona's silences that neither deck nor recent speech settles, and nobody has asked about."""
    if seat.domain is None or not seat.domain.silences:
        return ()
    deck, said = words_of(scene.deck), latest_words(scene)
    asked = [turn.question for exchange in scene.exchanges for turn in exchange.turns]
    return tuple(
        (silence, _WEIGHT - _LATER_ROW * row)
        for row, silence in enumerate(seat.domain.silences)
        if not found(deck, silence.unless)
        and not found(said, silence.unless)
        and not _is_claimed(silence.unless_kinds, scene)
        and not was_used(silence.question, asked)
    )


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


@lru_cache(maxsize=4)
def words_of(deck: Deck) -> str:
    """Everything that the deck says, shown or not, as one normalised text."""
    parts: list[str] = []
    for slide in deck.slides:
        parts += [slide.title, *slide.lines, slide.notes, *slide.alt_texts]
        parts += [cell for table in slide.tables for row in table.rows for cell in row]
    return normal(" \n ".join(parts))


def _is_claimed(kinds: tuple[str, ...], scene: Scene) -> bool:
    claims = (*scene.deck_claims, *scene.speech_claims[-_LATEST:])
    return any(kind in claim.kinds for claim in claims for kind in kinds)


def latest_words(scene: Scene) -> str:
    return normal(" ".join(segment.text for segment in scene.segments[-_LATEST:]))
