"""The numbers that came to light in an answer: on no slide, and not said before.

Two numbers are the same where their values are, in the same unit: their words are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isclose

from orchestrator.claims.numbers import Number, numbers_in
from orchestrator.deck.texts import slide_texts
from orchestrator.engines.protocol import Scene
from orchestrator.model.exchange import Exchange


def new_numbers(exchange: Exchange, scene: Scene) -> tuple[str, ...]:
    """The numbers that this exchange's answers brought, verbatim, in order, each once.

    Left out is what stands in the deck, in what was said before, or in one of the questions.
    """
    known = [one for text in _known_texts(exchange, scene) for one in numbers_in(text)]
    found: list[Number] = []
    for turn in exchange.turns:
        for one in numbers_in(turn.answer or ""):
            if not any(_same(one, other) for other in (*known, *found)):
                found.append(one)
    return tuple(f"{one.text} {one.noun}" if one.noun else one.text for one in found)


def _known_texts(exchange: Exchange, scene: Scene) -> Iterator[str]:
    for slide in scene.deck.slides:
        yield from _texts(slide_texts(slide))
    yield from (segment.text for segment in scene.segments if segment.start_s < exchange.asked_at_s)
    yield from (turn.question for turn in exchange.turns)


def _texts(pieces: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (text for _, text in pieces)


def _same(one: Number, other: Number) -> bool:
    return one.unit == other.unit and isclose(one.value, other.value, rel_tol=1e-9)
