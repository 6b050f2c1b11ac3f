"""Growth that does not follow from its endpoints: in a sentence, across slides, in a table, in a chart."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from orchestrator.checks.compare import canonical, metric_words, place_words, shown
from orchestrator.checks.levels import Groups
from orchestrator.checks.model import FROM, GROWTH, LEVEL, Figure
from orchestrator.checks.numbers import MULTIPLE, PERCENT, kind_of
from orchestrator.checks.vocabulary import HEDGES
from orchestrator.checks.when import fixed
from orchestrator.claims.model import Tension

_YEAR_KINDS: Final = ("year", "quarter", "half", "month")
_SLACK: Final = 0.6
"""Percentage points that rounding of the stated growth may cost besides its own precision."""


def deck_growth(groups: Groups, figures: Sequence[Figure]) -> Iterator[Tension]:
    """Stated growth that no pair of the deck's own values gives."""
    yield from in_one_sentence(figures)
    told: set[tuple[str | None, float, int | None]] = set()
    for figure in figures:
        key = (canonical(figure), figure.value, figure.place.slide)
        if key not in told and (tension := against_ends(groups, figure)):
            told.add(key)
            yield tension


def in_one_sentence(figures: Sequence[Figure]) -> Iterator[Tension]:
    """ "Up 30% from 3.0 to 3.6": the sentence holds both ends and the growth."""
    by_place: dict[tuple[int | None, float | None, str], list[Figure]] = defaultdict(list)
    for figure in figures:
        if figure.origin not in ("table", "chart"):
            by_place[figure.place.slide, figure.place.said_at_s, figure.place.quote].append(figure)
    for members in by_place.values():
        yield from _sentence(members)


def _sentence(members: Sequence[Figure]) -> Iterator[Tension]:
    growths = [f for f in members if kind_of(f.unit) in (PERCENT, MULTIPLE) and f.role == GROWTH]
    starts = [f for f in members if f.role == FROM]
    if len(growths) != 1 or len(starts) != 1 or "range" in growths[0].modifiers | starts[0].modifiers:
        return
    growth, start = growths[0], starts[0]
    ends = [
        f
        for f in members
        if f is not start
        and f is not growth
        and f.role in (LEVEL, "change", "target")
        and _same_kind(f, start)
    ]
    if len(ends) != 1 or "range" in ends[0].modifiers or start.value <= 0 or ends[0].value <= 0:
        return
    if kind_of(start.unit) == PERCENT and not growth.modifiers & {"relative"}:
        return  # from 20% to 25% is 25% or 5 points: either is said
    low, high = rate(start, ends[0])
    if fits_growth(growth, low, high, years=_years_said(growth)):
        return
    note = (
        f'From "{shown(start)}" to "{shown(ends[0])}" is {_percent(start, ends[0])}, '
        f'and not "{shown(growth)}", '
        f"{place_words(growth.place)}."
    )
    yield Tension("growth", growth.place, ends[0].place, note)


def _same_kind(a: Figure, b: Figure) -> bool:
    one, other = kind_of(a.unit), kind_of(b.unit)
    if one == other:
        return a.unit == b.unit or one == "c" or one == "t"
    return "bare" in (one, other) and {one, other} <= {"bare", "m", "c"}


def rate(start: Figure, end: Figure) -> tuple[float, float]:
    """The least and the greatest growth in percent that two levels leave open."""
    if start.low <= 0 or math.isinf(start.low) or math.isinf(end.low):
        return -math.inf, math.inf
    low = 100 * (end.low / start.high - 1) if math.isfinite(start.high) else -math.inf
    high = 100 * (end.high / start.low - 1)
    return low, high


def stated(growth: Figure) -> tuple[tuple[float, float], ...]:
    """The percentages that the words can mean; "3x" may be three times or three times more."""
    if kind_of(growth.unit) == MULTIPLE:
        low, high = 100 * (growth.low - 1), 100 * (growth.high - 1)
        return ((low, high), (100 * growth.low, 100 * growth.high))
    return ((growth.low, growth.high),)


def fits_growth(growth: Figure, low: float, high: float, *, years: float = 1.0) -> bool:
    """The stated growth lies within what the ends leave open, over the whole time or a year of it."""
    spans = [(low, high)]
    if years > 1:
        spans.append((_yearly(low, years), _yearly(high, years)))
    return any(
        first - _SLACK <= upper and lower <= last + _SLACK
        for lower, upper in stated(growth)
        for first, last in spans
    )


def _yearly(percent: float, years: float) -> float:
    return 100 * (max(0.0, 1 + percent / 100) ** (1 / years) - 1) if math.isfinite(percent) else percent


def _years_said(growth: Figure) -> float:
    for when in growth.when:
        if when.kind == "span" and when.first and when.last:
            return float(when.last.year - when.first.year) or 1.0
    return 1.0


def _percent(start: Figure, end: Figure) -> str:
    change = 100 * (end.value / start.value - 1)
    return f"{change:+.1f}%".replace(".0%", "%")


def against_ends(groups: Groups, growth: Figure) -> Tension | None:
    """The tension between a stated growth and the levels of the same metric, if no pair of them allows it."""
    if growth.role != GROWTH or not growth.is_ours or growth.modifiers & {"range", "annualised"}:
        return None
    if kind_of(growth.unit) not in (PERCENT, MULTIPLE):
        return None
    name = canonical(growth)
    levels = [f for f in groups.figures.get(name or "", ()) if _is_end(growth, f)]
    pairs = _pairs(levels)
    if not pairs:
        return None
    chosen = _chosen(growth, pairs)
    if chosen is None:
        return None
    meant = [chosen] if _says_which(growth, chosen) else pairs
    if any(fits_growth(growth, *rate(a, b), years=_distance(a, b)) for a, b in meant):
        return None
    start, end = chosen
    if abs(end.value / start.value - 1) > 20:
        return None
    note = (
        f'{metric_words(growth)} is "{shown(growth)}" {place_words(growth.place)}, but from "{shown(start)}" '
        f'({start_time(start)}) to "{shown(end)}" ({start_time(end)}) {place_words(end.place)} it is '
        f"{_percent(start, end)}."
    )
    return Tension("growth", growth.place, end.place, note)


def _says_which(growth: Figure, chosen: tuple[Figure, Figure]) -> bool:
    """The growth names its year, and the pair is that year and the one before."""
    if _distance(*chosen) != 1 or re.search(
        r"\b(?:since|over the|in the last|within|compound|cagr)\b", growth.place.quote, re.I
    ):
        return False
    times = [when for when in fixed(growth.when) if when.kind == "year"]
    return len(fixed(growth.when)) == 1 == len(times)


def start_time(figure: Figure) -> str:
    """The time of a level, as a reader writes it."""
    return next((w.words.upper() if w.words[0] in "qh" else w.words for w in fixed(figure.when)), "before")


def _is_end(growth: Figure, level: Figure) -> bool:
    return (
        level.role in (LEVEL, FROM)
        and level.is_ours
        and level.segment == growth.segment
        and level.modifiers - HEDGES == growth.modifiers - HEDGES
        and "range" not in level.modifiers
        and level.value > 0
        and _time(level) is not None
        and kind_of(level.unit) != PERCENT
    )


def _time(figure: Figure) -> tuple[str, date] | None:
    """Kind and first day of the one stretch of the calendar that a level holds for."""
    times = [when for when in fixed(figure.when) if when.kind in _YEAR_KINDS]
    if len(times) != 1 or times[0].first is None or len(fixed(figure.when)) != 1:
        return None
    return times[0].kind, times[0].first


def _pairs(levels: Sequence[Figure]) -> list[tuple[Figure, Figure]]:
    """Every two levels of the same kind of stretch, the earlier first; of one unit and scale."""
    return [
        (a, b)
        for a in levels
        for b in levels
        if (one := _time(a))
        and (other := _time(b))
        and one[0] == other[0]
        and one[1] < other[1]
        and _same_kind(a, b)
        and a.scale_known == b.scale_known
        and (a.scale_known or a.place.slide == b.place.slide)
    ]


def _distance(a: Figure, b: Figure) -> float:
    one, other = _time(a), _time(b)
    return max(1.0, round((other[1] - one[1]).days / 365.25)) if one and other else 1.0


def _chosen(growth: Figure, pairs: Sequence[tuple[Figure, Figure]]) -> tuple[Figure, Figure] | None:
    """The pair that the growth speaks of: ending at its time and a year or one step before, else the last."""
    times = [when for when in fixed(growth.when) if when.kind in _YEAR_KINDS and when.first]
    if spans := [when for when in fixed(growth.when) if when.kind == "span" and when.first and when.last]:
        ends = {(span.first.year, span.last.year) for span in spans if span.first and span.last}
        return next((pair for pair in pairs if (_first(pair[0]).year, _first(pair[1]).year) in ends), None)
    if any(when.words not in ("last year", "this year", "year") for when in fixed(growth.when)) and not times:
        return None
    best = [(a, b) for a, b in pairs if not times or _time(b) == (times[0].kind, times[0].first)]
    if not best:
        return None
    latest = max(_first(b) for _, b in best)
    ending = [(a, b) for a, b in best if _first(b) == latest]
    return max(ending, key=lambda pair: _first(pair[0]))


def _first(figure: Figure) -> date:
    time = _time(figure)
    return time[1] if time else date.min


def speech_growth(groups: Groups, spoken: Sequence[Figure]) -> Iterator[Tension]:
    """Growth that is said aloud and that the deck's levels do not give."""
    yield from in_one_sentence(spoken)
    for figure in spoken:
        if tension := against_ends(groups, figure):
            yield tension
