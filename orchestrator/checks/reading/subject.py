"""Whether two measures are about the same thing: how many words agree, the rare ones counting most."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.model import BARE, COUNT, MONEY, Measure
from orchestrator.checks.reading.terms import Term

_SYNONYM: Final = 0.75
"""How much two words of one group count beside one word on both sides."""
_SPOKEN: Final = 0.35
"""How much a word counts that only the speaker says: people say more than they write."""
_AROUND: Final = 0.5
"""How much a word counts that stands in the title or beside the clause of the other."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How rare each word and each group of synonyms is in a deck, from nought to one."""

    weights: dict[str, float]

    def of(self, feature: str) -> float:
        """The weight of a feature; one for what the deck does not hold."""
        return self.weights.get(feature, 1.0)


@dataclass(frozen=True, slots=True)
class Match:
    """What two measures have in common, and what each says alone."""

    shared: float  # weight of the words of the clauses that agree
    around: float  # weight of words that agree with the other's title or neighbouring words
    alone: float  # weight of what stays without a partner, on both sides
    apart: float  # the same, on the side that has less of it
    count: int  # how many words agree

    @property
    def score(self) -> float:
        """What they share less what sets them apart; grows with certainty."""
        return self.shared + self.around - 0.08 * min(self.alone, 6.0) - 0.2 * min(self.apart, 2.0)


def rarity_of(measures: Iterable[Measure]) -> Rarity:
    """The rarity of the words that stand around the numbers of a deck."""
    lines: dict[tuple[int | None, str], set[str]] = defaultdict(set)
    for measure in measures:
        for term in (*measure.own, *measure.around):
            lines[measure.piece.slide, measure.piece.text] |= term.features
    counts = Counter(feature for features in lines.values() for feature in features)
    total = max(6, len(lines))
    return Rarity({f: math.log(1 + total / count) / math.log(1 + total) for f, count in counts.items()})


def match(a: Measure, b: Measure, rarity: Rarity) -> Match:
    """How well the subjects of two measures agree."""
    one, two = _half(a, b, rarity), _half(b, a, rarity)
    return Match(
        max(one[0], two[0]), max(one[1], two[1]), one[2] + two[2], min(one[2], two[2]), max(one[3], two[3])
    )


def features(terms: Iterable[Term]) -> frozenset[str]:
    """All features of some terms."""
    return frozenset(feature for term in terms for feature in term.features)


def _half(a: Measure, b: Measure, rarity: Rarity) -> tuple[float, float, float, int]:
    own, around = features(b.own), features(b.around)
    shared = beside = alone = 0.0
    count = 0
    for term in a.own:
        hit = _weight(term, own, rarity)
        near = _AROUND * _weight(term, around, rarity)
        if hit >= near and hit:
            shared += hit
            count += 1
        elif near:
            beside += near
        elif a.piece.origin == "speech":
            alone += _SPOKEN * rarity.of(term.plain)
        else:
            alone += rarity.of(term.plain)
    return shared, beside, alone, count


def _weight(term: Term, others: frozenset[str], rarity: Rarity) -> float:
    common = term.features & others
    if not common:
        return 0.0
    groups = [f for f in term.features if f[0] in "#±"]
    if term.plain in common:
        return max([rarity.of(term.plain), *(rarity.of(f) for f in groups)])
    return _SYNONYM * max(rarity.of(f) for f in common)


def comparable(a: Measure, b: Measure) -> bool:
    """The two measure the same dimension, in the same unit, per the same stretch of time."""
    one, two = a.amount, b.amount
    if one.kind != two.kind:
        return _bare_and_other(a, b) or _bare_and_other(b, a)
    if one.kind == MONEY and one.unit and two.unit and one.unit != two.unit:
        return False
    if one.unit != two.unit and one.kind != MONEY:
        return False
    if one.kind == COUNT and not nouns_agree(a, b):
        return False
    return rates_agree(a, b) and _per_agrees(a, b)


def rates_agree(a: Measure, b: Measure) -> bool:
    """Both are counted per the same stretch of time; what is not said is a year, or none."""
    return (a.rate or "year") == (b.rate or "year")


def _per_agrees(a: Measure, b: Measure) -> bool:
    if not a.per or not b.per:
        return not (a.per or b.per) or bool((a.per or b.per) & features((*a.own, *b.own)))
    return bool(a.per & b.per)


def _bare_and_other(bare: Measure, other: Measure) -> bool:
    if bare.amount.kind != BARE:
        return False
    if other.amount.kind == COUNT:
        return bool(other.noun & features((*bare.own, *bare.around))) and rates_agree(bare, other)
    return (
        other.amount.kind == MONEY
        and rates_agree(bare, other)
        and bare.piece.origin == "speech"
        and bare.amount.value >= 1000
    )


def nouns_agree(a: Measure, b: Measure) -> bool:
    """What the two count is called by the same word or by words of one group."""
    return bool(a.noun & b.noun) or bool(a.noun & features(b.own)) or bool(b.noun & features(a.own))


def overlap(a: Sequence[Term], b: Sequence[Term], rarity: Rarity) -> float:
    """The weight of the words of *a* that *b* has, too."""
    others = features(b)
    return sum(_weight(term, others, rarity) for term in a)
