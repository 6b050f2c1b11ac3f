"""Whether the general reading lets a contradiction stand that a check of one kind has found.

The checks of levels look at the words of a metric; the reading also sees whose a figure is, what
narrows it, and whether it is a rate. What it reads as two different things is no contradiction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from orchestrator.checks.reading.levels import Setting, may_be_one, tell_the_same
from orchestrator.checks.reading.model import BARE, COUNT, MONEY, OTHERS, PAST, PLANNED, Measure
from orchestrator.checks.reading.subject import comparable
from orchestrator.claims.model import Place, Tension

_TOUCH: Final = 1e-9
_NOT_NOW: Final = frozenset({PLANNED, PAST})
_OF_LEVELS: Final = frozenset({"deck-vs-deck", "speech-vs-deck"})
_COUNTED: Final = frozenset({COUNT, BARE})


def levels_stand(
    found: Iterable[Tension], measures: Sequence[Measure], setting: Setting
) -> Iterator[Tension]:
    """Those of *found*, by the words of one metric, that plan, part, name, place or time do not explain."""
    for tension in found:
        pairs = _pairs(tension, measures)
        alike = [(a, b) for a, b in pairs if comparable(a, b)]
        if _has_the_rest(tension, measures) or (pairs and all(_is_of_another_kind(a, b) for a, b in pairs)):
            continue
        if not alike or any(may_be_one(a, b, setting) for a, b in alike):
            yield tension


def let_stand(found: Iterable[Tension], measures: Sequence[Measure], setting: Setting) -> Iterator[Tension]:
    """Those of *found*, by whatever words, whose two sides the reading does not set apart."""
    for tension in found:
        pairs = _pairs(tension, measures)
        if _has_the_rest(tension, measures):
            continue
        if not pairs or not all(is_set_apart(a, b, setting) for a, b in pairs):
            yield tension


def without_parts(found: Iterable[Tension], measures: Sequence[Measure]) -> Iterator[Tension]:
    """Those of *found* that do not set two parts, or a part and its whole, against each other."""
    for tension in found:
        if tension.kind not in _OF_LEVELS or not _has_the_rest(tension, measures):
            yield tension


def of_ours(found: Iterable[Tension], measures: Sequence[Measure]) -> Iterator[Tension]:
    """Those of *found* of which not one side alone is another's figure."""
    for tension in found:
        pairs = _pairs(tension, measures)
        if not pairs or not all((a.status == OTHERS) != (b.status == OTHERS) for a, b in pairs):
            yield tension


def is_set_apart(a: Measure, b: Measure, setting: Setting) -> bool:
    """One is counted per something, or of new ones alone, or of other ones, or not of now."""
    if _is_of_another_kind(a, b) or (a.status == OTHERS) != (b.status == OTHERS):
        return True
    return {a.amount.kind, b.amount.kind} <= _COUNTED and not tell_the_same(a, b, setting)


def _is_of_another_kind(a: Measure, b: Measure) -> bool:
    if a.amount.kind == COUNT == b.amount.kind:
        return bool(a.per) != bool(b.per) or "new" in a.traits ^ b.traits
    if {a.amount.kind, b.amount.kind} <= _COUNTED:
        return False
    return (a.status in _NOT_NOW) != (b.status in _NOT_NOW)


def _has_the_rest(tension: Tension, measures: Sequence[Measure]) -> bool:
    return any(
        _is_the_rest(a, b, measures) or _is_told_too(a, b, measures) for a, b in _pairs(tension, measures)
    ) or any(_is_the_rest(a, b, measures) for a, b in _crossed(tension, measures))


def _crossed(tension: Tension, measures: Sequence[Measure]) -> list[tuple[Measure, Measure]]:
    one, other = _at(tension.a, measures), _at(tension.b, measures)
    return [(a, b) for a in one for b in other if a is not b]


def _pairs(tension: Tension, measures: Sequence[Measure]) -> list[tuple[Measure, Measure]]:
    """The figures of the two sides that are compared, as far as they can be told."""
    pairs = _crossed(tension, measures)
    alike = [pair for pair in pairs if comparable(*pair)]
    return [(a, b) for a, b in alike if a.amount.kind == b.amount.kind] or alike or pairs


def _is_the_rest(a: Measure, b: Measure, measures: Sequence[Measure]) -> bool:
    """A number beside the two is their difference or sum: they are a whole and a part, or two parts."""
    one, other = a.amount.value, b.amount.value
    return a.amount.kind in (COUNT, MONEY) and any(
        m is not a
        and m is not b
        and m.amount.kind in (a.amount.kind, BARE)
        and any(abs(m.amount.value - told) <= _TOUCH * told for told in (abs(one - other), one + other))
        for m in measures
        if m.place in (a.place, b.place) and m.row is None
    )


def _is_told_too(a: Measure, b: Measure, measures: Sequence[Measure]) -> bool:
    """The sentence of the one gives the value of the other as well: "7 seats, 3 up for election"."""
    return {a.amount.kind, b.amount.kind} <= _COUNTED and any(
        m is not near
        and m.place == near.place
        and m.piece is near.piece
        and m.row is None
        and m.amount.kind in _COUNTED
        and m.amount.value == far.amount.value
        for near, far in ((a, b), (b, a))
        for m in measures
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
