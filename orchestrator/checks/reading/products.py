# ruff: noqa: E501 - a pattern lists its wordings
"""A total that is not its rate times what it is counted for: price times number, days times a day, months to a year."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.reading.amounts import DAYS, canonical
from orchestrator.checks.reading.levels import Setting
from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    MONEY,
    MOVED,
    OTHERS,
    PHYSICAL,
    RANGE,
    SHARE,
    TIME,
    Measure,
)
from orchestrator.checks.reading.subject import Rarity, features
from orchestrator.checks.reading.terms import plain, terms_of
from orchestrator.checks.reading.times import APART, compare_times
from orchestrator.claims.model import Tension

LEAST: Final = 1.05
_SMALL: Final = 12
_SLIP: Final = 0.35
"""A total that is right for another stretch of time shows what was meant."""
_EXPLAINS: Final = 0.6
_IN_A_YEAR: Final = {"day": 365.25, "week": 52.18, "month": 12.0, "quarter": 4.0, "year": 1.0}
_TIME_LABEL = re.compile(r"\b(?P<unit>hour|day|night|week|month|year)s\b", re.I)
_OF_WHAT = re.compile(
    r"\s*(?:['’]s?)?\s*(?:worth\s)?(?:of\s)?(?:our |its |the )?(?:running|operating|monthly|annual|normal|average|total|fixed)?\s?(?:costs?|expenses|spending|expenditure|burn|sales|production|output|demand|consumption|use|stock|payroll|turnover|outgoings)\b",
    re.I,
)
_DAYS_OF = re.compile(
    r"^(?:working|trading|opening|business|school|market|teaching|operating) (?P<unit>day|week|night)s$", re.I
)
_SUMS_UP = re.compile(
    r"\b(?:total|altogether|in all|makes?|comes? to|came to|brings?|brought|over the (?:year|season|month|week)|so|that is|adds? up|worth|amount(?:s|ed)? to|sum|overall|all told|together|in the year)\b",
    re.I,
)
_FOR_HOW_LONG = re.compile(
    r"(?:^|:|,|[×x*]|\b(?:in|for|over|during|ran|runs?|open|works?|worked|lasts?|of|all|the|after|by))\s*(?:(?:the|its|all|about|these|those|only|just|another|full|a|total of)\s)*$",
    re.I,
)
_CAPACITY = re.compile(
    r"\b(?:capacity|tank|room for|maximum|seats|holds?|places|saves?|saved|saving)\b", re.I
)


@dataclass(frozen=True, slots=True, eq=False)
class Triple:
    """A rate, what it is counted for, and their product."""

    rate: Measure
    count: Measure | None
    total: Measure
    low: float
    high: float
    strength: float
    words: str
    is_slip: bool = False

    @property
    def is_met(self) -> bool:
        amount = self.total.amount
        return amount.low <= self.high and self.low <= amount.high


def product_tensions(
    measures: Sequence[Measure], setting: Setting, spoken: frozenset[int] = frozenset()
) -> Iterator[Tension]:
    """Totals that no rate explains and one contradicts.

    Args:
        spoken: Ids of the measures of which one must take part; all where it is empty.
    """
    triples = [
        t
        for t in _triples(measures, setting, spoken)
        if not spoken or spoken & {id(t.rate), id(t.total), id(t.count)}
    ]
    explained: dict[int, float] = {}
    for triple in triples:
        if triple.is_met:
            for one in (triple.rate, triple.total):
                explained[id(one)] = max(explained.get(id(one), 0.0), triple.strength)
    told: set[int] = set()
    for triple in sorted(triples, key=lambda t: -t.strength):
        if triple.is_met or triple.strength < LEAST or not _accuses(triple):
            continue
        if any(
            explained.get(id(one), 0.0) >= _EXPLAINS * triple.strength for one in (triple.rate, triple.total)
        ):
            continue
        if {id(triple.rate), id(triple.total)} & told:
            continue
        told |= {id(triple.rate), id(triple.total)}
        yield Tension("rate", triple.rate.place, triple.total.place, triple.words)


def _accuses(triple: Triple) -> bool:
    if any(
        m is not None and m.status != ACTUAL and not (m is triple.count and m.status in ("partial", "past"))
        for m in (triple.rate, triple.total, triple.count)
    ):
        return False
    if triple.count is not None and triple.count.piece not in (triple.rate.piece, triple.total.piece):
        return False  # three numbers of three sentences multiply to anything
    middle = (triple.low + triple.high) / 2
    return middle > 0 and (0.2 < triple.total.amount.value / middle < 5 or triple.is_slip)


def _triples(
    measures: Sequence[Measure], setting: Setting, spoken: frozenset[int] = frozenset()
) -> Iterator[Triple]:
    usable = [
        m
        for m in measures
        if m.status not in (OTHERS, RANGE, MOVED) and m.amount.kind != SHARE and m.amount.value > 0
    ]
    counts = [(m, n, unit) for m in usable if (known := counted(m)) for n, unit in (known,)]
    said = [row for row in counts if id(row[0]) in spoken]
    for rate in usable:
        if (
            (rate.amount.kind == TIME and not rate.per)
            or not (rate.per or rate.rate or "average" in rate.traits)
            or (rate.amount.kind in (COUNT, BARE) and rate.amount.value < 2)
        ):
            continue
        for total in usable:
            if total is rate or _CAPACITY.search(total.piece.text) or not _is_total_of(rate, total):
                continue
            if not spoken or id(rate) in spoken or id(total) in spoken:
                yield from _with_counts(rate, total, counts, setting)
            elif said:
                yield from _with_counts(rate, total, said, setting)


def counted(measure: Measure) -> tuple[float, frozenset[str]] | None:
    """How many of what: rooms, hectares, days."""
    amount = measure.amount
    if measure.per or (amount.value < 2 and amount.kind != TIME):
        return None
    if (
        amount.kind == TIME
        and measure.row is None
        and not _FOR_HOW_LONG.search(measure.piece.text[: amount.start])
        and not _OF_WHAT.match(measure.piece.text[amount.end :])
    ):
        return None
    if amount.kind == COUNT and (days := _DAYS_OF.search(amount.noun)):
        return amount.value, frozenset({f"@{days['unit'].lower()}"})
    if amount.kind == COUNT and measure.noun:
        return amount.value, measure.noun
    if amount.kind == TIME:
        unit = next(
            (
                u
                for u in ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
                if re.search(rf"\b{u}s?\b", amount.text, re.I)
            ),
            "",
        )
        return (amount.value / DAYS[f"{unit}s"], frozenset({f"@{unit}"})) if unit else None
    if (
        amount.kind == PHYSICAL
        and (word := re.search(r"[A-Za-z²³]+$", amount.text.strip()))
        and (known := canonical(word[0]))
    ):
        found = terms_of(word[0])
        return amount.value / known[1], (features(found) | {plain(word[0])})
    if amount.kind == BARE:
        label = measure.piece.text[: measure.amount.start] if measure.row is None else ""
        if match := _TIME_LABEL.search(label):
            return amount.value, frozenset({f"@{match['unit'].lower()}"})
        return (amount.value, features(measure.own)) if measure.row is not None or measure.head else None
    return None


def _is_total_of(rate: Measure, total: Measure) -> bool:
    a, b = rate.amount, total.amount
    if total.per or (b.kind in (COUNT, BARE) and b.value < _SMALL):
        return False
    if a.kind == b.kind == MONEY:
        return a.unit == b.unit or "" in (a.unit, b.unit)
    if a.kind == b.kind == PHYSICAL:
        return a.unit == b.unit
    if a.kind == b.kind == TIME:
        return b.value > a.value
    if a.kind in (COUNT, BARE) and b.kind in (COUNT, BARE):
        if rate.noun and total.noun:
            return bool(rate.noun & total.noun)
        unit_of = features(rate.own) - rate.per  # what is counted, not what it is counted for
        return bool(unit_of & features((*total.own, *total.around)))
    return False


def _with_counts(
    rate: Measure, total: Measure, counts: Sequence[tuple[Measure, float, frozenset[str]]], setting: Setting
) -> Iterator[Triple]:
    if (
        all(any(w.first for w in m.when) for m in (rate, total))
        and compare_times(rate, total, setting.year, setting.present) == APART
    ):
        return
    a = rate.amount
    factor = _time_factor(rate, total)
    if factor is None:
        return
    alike = _alike(rate, total, setting.rarity)
    if factor != 1.0 and not rate.per and alike >= 0.35:
        words = f'"{_shown(rate)}" is {_number(a.value * factor)} a {total.rate or "year"}, not "{_shown(total)}".'
        yield Triple(rate, None, total, a.low * factor * 0.98, a.high * factor * 1.02, alike + 0.75, words)
    for count, n, unit in counts:
        if count is rate or count is total or (rate.amount.kind == TIME and count.amount.kind != COUNT):
            continue
        link, part = _link(rate, total, count, unit, setting)
        if not link:
            continue
        spread = (
            (count.amount.low / count.amount.value, count.amount.high / count.amount.value)
            if count.amount.value
            else (1.0, 1.0)
        )
        if part == "noun" and rate.rate and not total.rate:
            continue  # a week and for each: the weeks are missing
        whole = factor if part == "noun" else 1.0
        low, high = a.low * n * max(spread[0], 0) * whole, a.high * n * spread[1] * whole
        alike = 1.0 if _covers(rate, total, count) else _alike_three(rate, total, count, setting.rarity)
        if (
            alike < 0.35
            or (alike < 0.8 and len({m.piece.slide for m in (rate, total, count)}) == 3)
            or rate.names ^ total.names - count.names
        ):
            continue
        strength = link + 0.9 * min(alike, 1.3) + _nearness(rate, total, count)
        slip = whole > 1 and total.amount.low <= high / whole and low / whole <= total.amount.high
        strength += _SLIP * slip
        times = f" × {whole:.3g}" if whole != 1 else ""
        product = _number(a.value * n * whole / total.amount.factor)
        words = f'"{_shown(rate)}" × "{_shown(count)}"{times} is {product}, not "{_shown(total)}".'
        yield Triple(rate, count, total, low * 0.985, high * 1.015, strength, words, slip)


def _time_factor(rate: Measure, total: Measure) -> float | None:
    """From the rate's stretch of time to that of the total; None where they cannot be compared."""
    if rate.row and total.row and rate.row[:2] == total.row[:2] and rate.row != total.row:
        return None
    if rate.rate == total.rate or not rate.rate:
        return 1.0 if rate.rate == total.rate or not total.rate or rate.per else None
    if not total.rate:
        return 1.0
    if rate.rate in _IN_A_YEAR and total.rate in _IN_A_YEAR:
        factor = _IN_A_YEAR[rate.rate] / _IN_A_YEAR[total.rate]
        return factor if factor >= 1 else None
    return None


def _link(
    rate: Measure, total: Measure, count: Measure, unit: frozenset[str], setting: Setting
) -> tuple[float, str]:
    """How surely the rate is per one of what is counted; and whether by a noun or by time."""
    time = next((u[1:] for u in unit if u.startswith("@")), "")
    if time:
        beside = any(
            count.piece.slide == m.piece.slide
            and count.piece.origin == m.piece.origin
            and abs(count.piece.order - m.piece.order) <= 1
            for m in (rate, total)
        )
        tied = count.piece in (rate.piece, total.piece)  # or any number of months would do
        if rate.rate and time == rate.rate and not total.rate and beside and tied:
            return 0.55, "time"
        return 0.0, ""
    if count.rate:
        return 0.0, ""
    if rate.per & unit:
        strong = any(f[0] not in "#±" for f in rate.per & unit)
        return 0.6 if strong else 0.45, "noun"
    if "each" in rate.traits and count.piece is rate.piece and count.amount.kind == COUNT:
        return 0.6, "noun"
    if (
        not rate.per
        and not rate.rate
        and "average" in rate.traits
        and count.piece is total.piece
        and count.amount.kind == COUNT
        and rate.amount.kind == MONEY
    ):
        return 0.35, "noun"
    if (
        not rate.per
        and rate.rate
        and total.rate
        and rate.amount.kind == MONEY
        and count.piece.slide == rate.piece.slide
        and rate.rate != total.rate
    ):
        return 0.35, "noun"
    return 0.0, ""


def _covers(rate: Measure, total: Measure, count: Measure) -> bool:
    """ "Reserves of 1.2 million, four months of running costs": the months are of what the rate is of."""
    return (
        count.amount.kind == TIME
        and count.piece is total.piece
        and count.row is None
        and bool(_OF_WHAT.match(count.piece.text[count.amount.end :]))
        and bool(features(count.own) & features(rate.own))
        and all(t.features & features((*rate.own, *rate.around)) for t in count.own)
    )


def _alike(a: Measure, b: Measure, rarity: Rarity) -> float:
    others = features(b.own)
    return sum(
        (1.0 if t.plain in others else 0.7) * max(0.4, rarity.of(t.plain))
        for t in a.own
        if t.features & others
    )


def _alike_three(rate: Measure, total: Measure, count: Measure, rarity: Rarity) -> float:
    others, around = features(total.own), features(total.around)
    seen: dict[str, float] = {}
    for term in (*rate.own, *count.own):
        if len(term.plain) <= 2:
            continue  # a unit
        if common := term.features & others:
            seen[term.plain] = (1.0 if term.plain in common else 0.7) * max(0.4, rarity.of(term.plain))
        elif term.features & around:
            seen.setdefault(term.plain, 0.3 * rarity.of(term.plain))
    return sum(seen.values())


def _nearness(rate: Measure, total: Measure, count: Measure) -> float:
    value = 0.0
    slides = [m.piece.slide for m in (rate, total, count)]
    if rate.piece is count.piece:
        value += 0.25
    elif rate.piece.slide == count.piece.slide and abs(rate.piece.order - count.piece.order) <= 1:
        value += 0.2
    elif total.piece is count.piece or total.piece is rate.piece:
        value += 0.15
    if len(set(slides)) == 1:
        value += 0.2
    if _SUMS_UP.search(total.piece.text):
        value += 0.2
    return value


def _shown(measure: Measure) -> str:
    return " ".join(measure.amount.text.split())


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
