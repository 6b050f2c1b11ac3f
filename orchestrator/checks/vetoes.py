"""Whether the general reading lets a contradiction stand that a check of one kind has found.

The checks of levels look at the words of a metric; the reading also sees whose a figure is, what
narrows it, and whether it is a rate. What it reads as two different things is no contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from orchestrator.checks.reading.model import BARE, COUNT, MONEY, PAST, PLANNED, Measure
from orchestrator.claims.model import Place, Tension

_TOUCH: Final = 1e-9
_NOT_NOW: Final = frozenset({PLANNED, PAST})


def let_stand(found: Iterable[Tension], measures: Sequence[Measure]) -> Iterator[Tension]:
    """Those of *found* whose two sides the reading does not set apart."""
    for tension in found:
        one, other = _at(tension.a, measures), _at(tension.b, measures)
        pairs = [(a, b) for a in one for b in other if a is not b]
        if any(_is_the_rest(a, b, measures) for a, b in pairs):
            continue
        if not pairs or not all(is_set_apart(a, b) for a, b in pairs):
            yield tension


def is_set_apart(a: Measure, b: Measure) -> bool:
    """One is counted per something and the other is not; or of new ones alone; or not of now."""
    if a.amount.kind == COUNT == b.amount.kind:
        return bool(a.per) != bool(b.per) or "new" in a.traits ^ b.traits
    return (a.status in _NOT_NOW) != (b.status in _NOT_NOW)


def _is_the_rest(a: Measure, b: Measure, measures: Sequence[Measure]) -> bool:
    """A number beside one of the two is their difference: one is the whole, the other what is left of it."""
    gap = abs(a.amount.value - b.amount.value)
    return a.amount.kind in (COUNT, MONEY) and any(
        m is not a
        and m is not b
        and m.amount.kind in (a.amount.kind, BARE)
        and abs(m.amount.value - gap) <= _TOUCH * gap
        for m in measures
        if m.place in (a.place, b.place) and m.row is None
    )


def _at(place: Place, measures: Sequence[Measure]) -> list[Measure]:
    return [
        measure
        for measure in measures
        if (measure.place.slide, measure.place.said_at_s) == (place.slide, place.said_at_s)
        and measure.amount.text in place.quote
        and _overlap(place.quote, measure)
    ]


def _overlap(quote: str, measure: Measure) -> bool:
    own = measure.place.quote
    return quote in measure.piece.text or own in quote or quote in own
