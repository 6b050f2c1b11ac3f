"""Figures without a common metric that are about the same thing, told by the words around them.

The lexicon cannot hold what every trade counts. Two figures of the same unit are kin when
the words that mean something are nearly the same on both sides: "our wheat brings 11.7 t/ha"
and "wheat yield: 8.4 t/ha".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from orchestrator.checks.compare import canonical, clusters, level_tension, meet, same_time
from orchestrator.checks.lexicon import singular
from orchestrator.checks.model import LEVEL, SHARE, Figure
from orchestrator.checks.numbers import BARE, COUNT, MEASURE, MONEY, PERCENT, kind_of
from orchestrator.checks.vocabulary import HEDGES, PLACES
from orchestrator.checks.when import fixed
from orchestrator.claims.model import Tension

_ENOUGH: Final = 0.66
"""Share of the words' weight that both sides must have in common."""
_UNKNOWN_WEIGHT: Final = math.log(2)
"""What a word tells that the deck never uses: as little as one on every slide."""
_LARGEST_RATIO: Final = 4.0
_MOST: Final = 150
_MOST_VALUES: Final = 3
_SOFT_MODIFIERS: Final = frozenset(
    {"average", "new", "per", "first", "second", "third", "cash", "open", "paid"}
)


@dataclass(frozen=True, slots=True)
class Kin:
    """The figures that may be compared by their words, and how much each word tells."""

    figures: tuple[Figure, ...]
    weight: dict[str, float]
    names: frozenset[str]
    present: date | None


def kin_of(figures: Sequence[Figure], names: frozenset[str], present: date | None) -> Kin:
    """The comparable figures of a deck: levels and shares of our own with words around them."""
    chosen = tuple(f for f in figures if _comparable(f))[:_MOST]
    slides: Counter[str] = Counter()
    for _, words in {(f.place.slide, word) for f in figures for word in f.about}:
        slides[words] += 1
    total = max(1, len({f.place.slide for f in figures}))
    return Kin(chosen, {word: math.log(1 + total / count) for word, count in slides.items()}, names, present)


def _comparable(figure: Figure) -> bool:
    return (
        figure.role in (LEVEL, SHARE)
        and figure.is_ours
        and bool(figure.about)
        and not figure.modifiers & {"range", "part"}
        and figure.origin != "chart"
        and figure.scale_known
    )


def deck_kin(kin: Kin) -> Iterator[Tension]:
    """Pairs of slides that give the same thing two values."""
    for position, a in enumerate(kin.figures):
        for b in kin.figures[position + 1 :]:
            if a.place.slide != b.place.slide and akin(a, b, kin) and _clash(a, b, kin) and not _loose(a, b):
                like = [a, *(f for f in kin.figures if akin(a, f, kin))]
                if clusters([f for f in like if not fixed(f.when)]) <= _MOST_VALUES:
                    yield level_tension(a, b)


def _loose(a: Figure, b: Figure) -> bool:
    """Two amounts of money without a time and far apart, which need not be of one stretch."""
    if kind_of(a.unit) != MONEY or (fixed(a.when) and fixed(b.when)):
        return False
    return max(abs(a.value), abs(b.value)) > 2.2 * min(abs(a.value), abs(b.value))


def speech_kin(kin: Kin, spoken: Sequence[Figure]) -> Iterator[Tension]:
    """Spoken figures whose like the deck gives another value."""
    for figure in spoken:
        if not _comparable(figure):
            continue
        like = [other for other in kin.figures if akin(figure, other, kin)]
        if like and not any(meet(figure, other) for other in like):
            against = [other for other in like if _clash(figure, other, kin)]
            if against:
                yield level_tension(figure, against[0])


def _clash(a: Figure, b: Figure, kin: Kin) -> bool:
    if meet(a, b) or min(abs(a.value), abs(b.value)) <= 0:
        return False
    if max(abs(a.value), abs(b.value)) / min(abs(a.value), abs(b.value)) > _LARGEST_RATIO:
        return False
    members = [other for other in kin.figures if akin(a, other, kin) or other is a]
    return same_time(a, b, members, kin.present)


def akin(a: Figure, b: Figure, kin: Kin) -> bool:
    """The two are about the same thing, as far as unit, names, modifiers and words tell."""
    if a is b or not _same_unit(a, b) or _named_apart(a, b) or a.place == b.place:
        return False
    if {a.role, b.role} == {LEVEL, SHARE} and kind_of(a.unit) != PERCENT:
        return False
    if a.modifiers - HEDGES - _SOFT_MODIFIERS != b.modifiers - HEDGES - _SOFT_MODIFIERS:
        return False
    apart = (a.about ^ b.about) | (a.segment ^ b.segment)
    if apart & (kin.names | PLACES):
        return False
    common = a.about & b.about
    if not common:
        return False
    shared = _weight(kin, common)
    return shared >= _ENOUGH * _weight(kin, a.about) and shared >= _ENOUGH * _weight(kin, b.about)


def _weight(kin: Kin, words: Iterable[str]) -> float:
    return sum(kin.weight.get(word, _UNKNOWN_WEIGHT) for word in words)


def _named_apart(a: Figure, b: Figure) -> bool:
    """Both have a metric of the lexicon, and not the same one."""
    one, other = canonical(a), canonical(b)
    known = [name for name in (one, other) if name and not name.startswith(("label:", "share of"))]
    return len(known) == 2 and one != other


def _same_unit(a: Figure, b: Figure) -> bool:
    one, other = kind_of(a.unit), kind_of(b.unit)
    if one == MONEY and other == MONEY:
        return a.unit == b.unit
    if MEASURE in (one, other):
        return one == other and _measure(a.unit) == _measure(b.unit)
    if one == COUNT and other == COUNT:
        heads = [singular((f.unit or "").split()[-1]) if f.unit else "" for f in (a, b)]
        return heads[0] == heads[1]
    return one == other or {one, other} == {BARE, COUNT}


def _measure(unit: str | None) -> str:
    plain = (unit or "").lower().rstrip("s")
    return {"tonne": "t", "ton": "t", "kilometre": "km", "hectare": "ha"}.get(plain, plain)
