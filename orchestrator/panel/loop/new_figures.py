"""The new numbers of an answer: those that are on no slide and were not said before.

Numbers are compared by value and unit, not by their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.values import Deck, Segment
from orchestrator.panel.engines.protocol import Scene
from orchestrator.panel.model.exchange import Exchange


class KnownNumbers:
    """The numbers of a session's deck and speech, each text read once.

    `numbers_in` caches 4,096 texts for all sessions of a process, which is too few for a hundred talks.
    Without this class each answer would read its whole talk again, which took a third of a second after ten
    minutes.
    """

    def __init__(self, deck: Deck) -> None:
        self.in_deck = tuple(
            number for slide in deck.slides for _, text in slide_texts(slide) for number in numbers_in(text)
        )
        self._said: list[tuple[Segment, tuple[Number, ...]]] = []

    def before(self, segments: Sequence[Segment], at_s: float) -> Iterator[Number]:
        """Yield the numbers in those of the session's *segments* that began before *at_s* on its clock."""
        if [segment for segment, _ in self._said] != [*segments[: len(self._said)]]:  # some were taken back
            self._said = []
        self._said += [(segment, numbers_in(segment.text)) for segment in segments[len(self._said) :]]
        for segment, numbers in self._said:
            if segment.start_s < at_s:
                yield from numbers


def new_numbers(exchange: Exchange, scene: Scene, numbers: KnownNumbers) -> tuple[str, ...]:
    """Return the numbers that this exchange's answers brought, verbatim, in order, each once.

    Numbers of the deck, of earlier speech and of the questions are left out.
    """
    brought = [one for turn in exchange.turns for one in numbers_in(turn.answer or "")]
    if not brought:
        return ()
    asked = (one for turn in exchange.turns for one in numbers_in(turn.question))
    known = [*numbers.in_deck, *numbers.before(scene.segments, exchange.asked_at_s), *asked]
    found: list[Number] = []
    for one in brought:
        if not any(_same(one, other) for other in (*known, *found)):
            found.append(one)
    return tuple(
        one.text for one in found
    )  # the word behind it may be a verb: what it counts, the answer says


def _same(one: Number, other: Number) -> bool:
    return one.unit == other.unit and isclose(one.value, other.value, rel_tol=1e-9)
