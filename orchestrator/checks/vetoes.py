"""Whether the general reading lets a contradiction stand that a check of one kind has found.

The checks of levels look at the words of a metric; the reading also sees whose a figure is, what
narrows it, and whether it is a rate. What it reads as two different things is no contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.checks.reading.levels import Setting, may_differ
from orchestrator.checks.reading.model import Measure
from orchestrator.checks.reading.subject import comparable
from orchestrator.claims.model import Place, Tension


def let_stand(found: Iterable[Tension], measures: Sequence[Measure], setting: Setting) -> Iterator[Tension]:
    """Those of *found* whose two sides the reading does not set apart."""
    for tension in found:
        one, other = _at(tension.a, measures), _at(tension.b, measures)
        pairs = [(a, b) for a in one for b in other if a is not b and comparable(a, b)]
        if not pairs or any(may_differ(a, b, setting) for a, b in pairs):
            yield tension


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
