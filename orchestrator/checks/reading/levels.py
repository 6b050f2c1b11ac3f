"""One thing with two values: a level or a share that is told twice, in whatever words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.lexicon import mentions, tokens
from orchestrator.checks.reading.context import SOFT
from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    MONEY,
    OTHERS,
    PHYSICAL,
    SHARE,
    TIME,
    Measure,
)
from orchestrator.checks.reading.relations import Relation
from orchestrator.checks.reading.subject import Match, Rarity, comparable, features, match
from orchestrator.checks.reading.terms import poles, terms_of
from orchestrator.checks.reading.times import APART, SAME, compare_times

_LARGEST_RATIO: Final = 3.0
_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
_SMALL: Final = 12
_NEAR: Final = 1.45
_JOINED = re.compile(r"\s*(?:of|for|on)\s(?:the |our )?([a-z][\w-]*) and (?:the |our )?([a-z][\w-]*)\b")
_SURE: Final = 0.85
"""Sums of money are of too many things for more words than that to stand alone."""
_NOTHING: Final = 0.1
_LITTLE: Final = 0.15
"""With one word in common, one of the two must say nothing else."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the whole deck says for the comparison of two of its measures."""

    rarity: Rarity
    year: int | None
    present: int | None
    crowded: frozenset[str] = frozenset()  # kinds of which the deck has very many


def level_relations(statement: Measure, others: Sequence[Measure], setting: Setting) -> Iterator[Relation]:
    """What each measure of the same dimension makes of *statement*."""
    told = {_spot(m) for m in others if m is not statement and _is_same_number(m, statement)}
    for other in others:
        if (
            other is statement
            or (other.place == statement.place and other.row is None)
            or not comparable(statement, other)
        ):
            continue
        found = match(statement, other, setting.rarity)
        if found.shared + found.around <= 0:
            continue
        allowed = _allowed(statement, other)
        accuses = (
            (found.count >= 2 or found.apart < _LITTLE)
            and (statement.amount.kind != MONEY or found.alone < _SURE)
            and may_differ(statement, other, setting)
            and _of_a_size(statement, other)
            and _spot(other) not in told
        )
        strength = _strength(statement, other, found, setting)
        yield Relation(statement, (other,), allowed, strength, "deck-vs-deck", "", accuses)


def _spot(measure: Measure) -> tuple[int | None, float | None, int]:
    return measure.piece.slide, measure.place.said_at_s, measure.piece.order


def _is_same_number(a: Measure, b: Measure) -> bool:
    """The one is the other's number: a sentence that holds it, too, means that and not its neighbour."""
    kinds = {a.amount.kind, b.amount.kind}
    return (len(kinds) == 1 or BARE in kinds) and a.amount.value == b.amount.value


def may_differ(a: Measure, b: Measure, setting: Setting) -> bool:
    """Nothing that is said sets the two apart, so that a difference is a contradiction."""
    if a.status != ACTUAL or b.status != ACTUAL or not may_be_one(a, b, setting):
        return False
    if a.amount.kind in (COUNT, BARE) and min(abs(a.amount.value), abs(b.amount.value)) < _SMALL:
        return False
    if (a.amount.kind in (COUNT, BARE) and "new" in a.traits ^ b.traits) or not (
        _heads_fit(a, b) and _heads_fit(b, a)
    ):
        return False
    if a.amount.kind == COUNT == b.amount.kind and not tell_the_same(a, b, setting):
        return False
    return not (_metrics_differ(a, b) or (a.amount.kind != SHARE and is_opposed(a, b)))


def tell_the_same(a: Measure, b: Measure, setting: Setting) -> bool:
    """Two counts of one noun are of the same ones only if words beside the noun agree, or the time.

    "71 people" who work here and "64 people" who tried it share the noun alone.
    """
    if not (a.noun and b.noun) or a.row or b.row:
        return True
    if compare_times(a, b, setting.year, setting.present) == SAME:
        return True
    nouns = a.noun | b.noun
    beside = features(t for t in (*b.own, *b.around) if not t.features & nouns)
    return any(t.features & beside for t in (*a.own, *a.around) if not t.features & nouns)


def may_be_one(a: Measure, b: Measure, setting: Setting) -> bool:
    """No plan, part, name, place or time sets apart two figures of what is known to be one metric."""
    if a.status != b.status and not {a.status, b.status} <= {ACTUAL, OTHERS}:
        return False
    if (a.traits ^ b.traits) - SOFT or a.names ^ b.names - _around_names(a) - _around_names(b):
        return False
    if {"extreme"} & (a.traits ^ b.traits) or {"median", "average"} <= (a.traits ^ b.traits):
        return False
    if a.row and b.row and a.row[:2] == b.row[:2]:
        return False
    if a.piece.slide == b.piece.slide and a.piece.origin != "speech" and b.piece.origin != "speech":
        return False
    if not (_narrows_fit(a, b) and _narrows_fit(b, a)) or not (_joins_fit(a, b) and _joins_fit(b, a)):
        return False
    times = compare_times(a, b, setting.year, setting.present)
    return times == SAME or (times != APART and a.amount.kind not in setting.crowded)


def _heads_fit(a: Measure, b: Measure) -> bool:
    """The label of the one is not wholly foreign to the other."""
    others = features((*b.own, *b.around))
    return not a.head or 2 * sum(bool(term.features & others) for term in a.head) > len(a.head)


def _narrows_fit(a: Measure, b: Measure) -> bool:
    """What narrows the one ("for reagents", "in the hill farms") is known of the other, too."""
    others = features((*b.own, *b.around))
    return all(2 * sum(bool(t.features & others) for t in part) >= len(part) for part in a.parts)


def _joins_fit(a: Measure, b: Measure) -> bool:
    """A figure "of treatment and follow-up" together is not one of treatment."""
    match = _JOINED.match(a.piece.text[a.amount.end :]) if a.amount.start >= 0 else None
    own = features(b.own)
    return match is None or all(t.features & own for word in match.groups() for t in terms_of(word))


def _around_names(measure: Measure) -> frozenset[str]:
    return frozenset(term.plain for term in measure.around)


def _metrics_differ(a: Measure, b: Measure) -> bool:
    """Both name a metric of the lexicon, and not one in common."""
    one, two = metrics_of(a), metrics_of(b)
    return bool(one and two and not one & two) and a.amount.kind in (MONEY, SHARE)


def metrics_of(measure: Measure) -> frozenset[str]:
    """The metrics that the words of a measure name."""
    words = " ".join(term.plain for term in measure.own)
    return frozenset(m.metric for m in mentions(tokens(words)))


def is_opposed(a: Measure, b: Measure) -> bool:
    """The two name the two sides of one whole."""
    one, two = poles(a.own), poles(b.own)
    axes = {pole[:-1] for pole in one} & {pole[:-1] for pole in two}
    return any(
        len(x := {p[-1] for p in one if p[:-1] == axis}) == 1
        and len(y := {p[-1] for p in two if p[:-1] == axis}) == 1
        and x != y
        for axis in axes
    )


def _allowed(statement: Measure, other: Measure) -> tuple[tuple[float, float], ...]:
    low, high = other.amount.low, other.amount.high
    if other.amount.kind in (COUNT, BARE) and (other.amount.value % 1 or statement.amount.value % 1):
        low, high = low - 0.5, high + 0.5
    if other.amount.kind == TIME:
        low, high = low - 0.02 * abs(low), high + 0.02 * abs(high)
    found = [(low, high)]
    if statement.amount.kind == SHARE:
        found = (
            [(100 - high, 100 - low)]
            if is_opposed(statement, other)
            else [(low, high), (100 - high, 100 - low)]
        )
    if not (statement.scale_known and other.scale_known):
        scales = [x / y for x in _SCALES for y in _SCALES]
        found = [(bottom * scale, top * scale) for bottom, top in found for scale in scales]
    return tuple(found)


def _of_a_size(a: Measure, b: Measure) -> bool:
    if not (a.scale_known and b.scale_known):
        return True
    one, two = a.amount.value, b.amount.value
    if is_opposed(a, b) and a.amount.kind == SHARE:
        two = 100 - two
    low, high = sorted((abs(one), abs(two)))
    return low > 0 and one * two > 0 and high / low <= _LARGEST_RATIO


def _strength(a: Measure, b: Measure, found: Match, setting: Setting) -> float:
    value = found.score
    if compare_times(a, b, setting.year, setting.present) == SAME:
        value += 0.25
    if a.traits & b.traits:
        value += 0.15
    if a.per & b.per or (a.rate and a.rate == b.rate):
        value += 0.15
    if (
        a.piece.slide == b.piece.slide
        and a.piece.origin != b.piece.origin
        and "speech" in (a.piece.origin, b.piece.origin)
    ):
        value += 0.3
    low, high = sorted((abs(a.amount.value), abs(b.amount.value)))
    if low and high / low <= _NEAR and a.amount.kind in (COUNT, BARE, MONEY, PHYSICAL) and high >= 100:
        value += 0.15
    if len(metrics_of(a) & metrics_of(b)):
        value += 0.2
    if found.alone < _NOTHING and a.amount.kind in (MONEY, SHARE, PHYSICAL):
        value += 0.15
    return value
