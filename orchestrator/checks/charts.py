"""A chart's data against the figure in its own headline, and the slices of a pie in percent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.checks.interval import Interval
from orchestrator.checks.passages import value_text
from orchestrator.checks.sentence import interval_of
from orchestrator.checks.written import number_text
from orchestrator.claims.model import Place, Tension
from orchestrator.claims.numbers import Number, numbers_in
from orchestrator.deck.model import Chart, Series, Slide

_BETWEEN = re.compile(
    r"in|of|at|to|was|is|were|are|for|by|the|a|reached|reaches|hit|hits|stood|came|total", re.IGNORECASE
)
"""The words that a headline may have beside series, category and figure: anything else could be a target."""

_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
_FARTHEST: Final = 2.0
_MOST_SLICES: Final = 30
_WORD = re.compile(r"[^\W\d_]+")


def chart_tensions(chart: Chart, slide: Slide) -> Iterator[Tension]:
    """Where a chart does not say the figure that its headline gives for one of its categories."""
    yield from _pie(chart, slide)
    if len(chart.series) != 1:
        return
    for headline in dict.fromkeys((chart.title, slide.title)):
        if headline.strip():
            yield from _against(headline, chart, chart.series[0], slide)


def _against(headline: str, chart: Chart, series: Series, slide: Slide) -> Iterator[Tension]:
    named = [at for at, category in enumerate(chart.categories) if _stands(category, headline)]
    if len(named) != 1 or not _stands(series.name, headline):
        return
    category = chart.categories[named[0]]
    rest = headline
    for label in (series.name, category):
        rest = re.sub(re.escape(label.strip()), lambda match: " " * len(match[0]), rest, count=1, flags=re.I)
    numbers = numbers_in(rest)
    if len(numbers) != 1 or (said := value_text(chart, series, named[0])) == "":
        return
    number = numbers[0]
    words = _WORD.findall(rest[: number.start] + " " + rest[number.end :])
    if not all(_BETWEEN.fullmatch(word) for word in words) or any(
        _fits(number, series, at) for at in range(len(series.values))
    ):
        return
    if not _is_near(number, series, named[0]):
        return
    sum_ = f"{said.rsplit(': ', 1)[-1]} in the chart, not {number.text}"
    yield Tension(
        "chart-vs-text",
        Place(slide.number, None, headline),
        Place(slide.number, None, said),
        f"the headline does not give the chart's own value for {' '.join(category.split())}: {sum_}",
        sum=sum_,
    )


def _stands(label: str, text: str) -> bool:
    label = label.strip()
    return bool(label) and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) is not None


def _value(series: Series, at: int, scale: float) -> Interval | None:
    value = series.values[at] if at < len(series.values) else None
    if value is None:
        return None
    shown = value * (100 if series.percent else 1)
    digits = f"{shown:.12g}".partition(".")[2]
    half = 0.5 * 10 ** -len(digits) if digits else 0.5
    return Interval((shown - half) * scale, (shown + half) * scale)


def _fits(number: Number, series: Series, at: int) -> bool:
    """The headline's figure is this value, in one scale or another."""
    values = [value for scale in _SCALES if (value := _value(series, at, scale)) is not None]
    return any(value.may_equal(interval_of(number)) for value in values)


def _is_near(number: Number, series: Series, at: int) -> bool:
    """In some scale the two are of one size: they could be meant as the same."""
    values = [value for scale in _SCALES if (value := _value(series, at, scale)) is not None]
    return any(0 < number.value / _FARTHEST <= value.high <= number.value * _FARTHEST for value in values)


def _pie(chart: Chart, slide: Slide) -> Iterator[Tension]:
    """The slices of one pie in percent make a whole, give or take the rounding of each."""
    if not re.search(r"pie|doughnut", chart.kind, re.IGNORECASE) or len(chart.series) != 1:
        return
    series = chart.series[0]
    values = [value * (100 if series.percent else 1) for value in series.values if value is not None]
    in_percent = series.percent or "%" in series.name or "%" in chart.title
    if not in_percent or not 2 <= len(values) <= _MOST_SLICES or min(values) < 0:
        return
    if (total := sum(values)) <= 100 + 0.5 * len(values):
        return
    first, last = value_text(chart, series, 0), value_text(chart, series, len(series.values) - 1)
    sum_ = f"{' + '.join(f'{value:.4g}' for value in values)} = {number_text(total)} %, not 100 %"
    yield Tension(
        "sum",
        Place(slide.number, None, first),
        Place(slide.number, None, last),
        f"the slices of one pie are more than the whole: {sum_}",
        sum=sum_,
    )
