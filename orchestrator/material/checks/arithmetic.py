"""Find sums that fail, without a model: in tables by their structure, and in single sentences.

Every rule compares figures that layout or one sentence ties together. No rule decides which figure belongs to
which words, and no rule compares two sentences or two slides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from orchestrator.material.checks.amount import Interval, point
from orchestrator.material.checks.comparison import all_known
from orchestrator.material.checks.figures import SCALES
from orchestrator.material.checks.grounding import value_text
from orchestrator.material.checks.sentence import (
    Sentence,
    growth_tensions,
    interval_of,
    list_tensions,
    rate_tensions,
    sentences_of,
    share_tensions,
    time_tensions,
)
from orchestrator.material.checks.tables import FARTHEST, table_tensions
from orchestrator.material.checks.written import number_text
from orchestrator.material.claim import Place, Tension
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.values import Chart, Deck, Segment, Series, Slide

# ---------------------------------------------------------------------- charts
# A chart's data against the figure in its own headline, and the slices of a pie in percent.


_BETWEEN = re.compile(
    r"in|of|at|to|was|is|were|are|for|by|the|a|reached|reaches|hit|hits|stood|came|total", re.IGNORECASE
)
"""Matches the words that a headline may have beside series, category and figure: with any other word, the
figure could be a target."""

_MAX_SLICES: Final = 30  # beyond that it is no pie that anybody drew
_WORD = re.compile(r"[^\W\d_]+")


def chart_tensions(chart: Chart, slide: Slide) -> Iterator[Tension]:
    """Yield the places where a chart contradicts the figure that its headline states for a category."""
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
    if (
        len(numbers) != 1
        or not all_known(rest, numbers)
        or (said := value_text(chart, series, named[0])) == ""
    ):
        return
    number = numbers[0]
    words = _WORD.findall(rest[: number.start] + " " + rest[number.end :])
    if not all(_BETWEEN.fullmatch(word) for word in words):
        return
    values = [_in_scales(value, series.percent) for value in series.values]
    if any(value.may_equal(interval_of(number)) for scaled in values for value in scaled):
        return
    if not any(_is_near(number.value, value) for value in values[named[0]]):
        return
    sum_ = f"{said.rsplit(': ', 1)[-1]} in the chart, not {number.text}"
    note = f"the headline does not give the chart's own value for {' '.join(category.split())}: {sum_}"
    yield Tension("chart-vs-text", _on(slide, headline), _on(slide, said), note, sum=sum_)


def _stands(label: str, text: str) -> bool:
    label = label.strip()
    return bool(label) and re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) is not None


def _in_scales(value: float | None, is_share: bool) -> list[Interval]:
    """Return the values that a stored value may mean, one for each scale; none if the chart has a gap."""
    if value is None:
        return []
    shown = value * (100 if is_share else 1)
    half = 0.5 * 10.0 ** -len(f"{shown:.12g}".partition(".")[2])
    return [Interval(shown - half, shown + half) * point(scale) for scale in SCALES]


def _is_near(said: float, value: Interval) -> bool:
    """Return whether both are of similar size and could be meant as the same figure."""
    return 0 < said / FARTHEST <= value.high <= said * FARTHEST


def _pie(chart: Chart, slide: Slide) -> Iterator[Tension]:
    """Yield a tension if the slices of a pie in percent do not add up to 100 %, within their rounding.

    Only the series itself shows whether it is in percent: a title with a % sign may be that of counts as
    well.
    """
    if not re.search(r"pie|doughnut", chart.kind, re.IGNORECASE) or len(chart.series) != 1:
        return
    series = chart.series[0]
    values = [value * (100 if series.percent else 1) for value in series.values if value is not None]
    in_percent = series.percent or "%" in series.name
    if not in_percent or not 2 <= len(values) <= _MAX_SLICES or min(values) < 0:
        return
    total = sum(values)
    # Half a percent each: the rounding to whole ones, in the worst case.
    if abs(total - 100) <= 0.5 * len(values) or not 100 / FARTHEST < total < 100 * FARTHEST:
        return
    first, last = value_text(chart, series, 0), value_text(chart, series, len(series.values) - 1)
    sum_ = f"{' + '.join(f'{value:.4g}' for value in values)} = {number_text(total)} %, not 100 %"
    note = f"the slices of one pie do not make the whole: {sum_}"
    yield Tension("sum", _on(slide, first), _on(slide, last), note, sum=sum_)


def _on(slide: Slide, quote: str) -> Place:
    return Place(slide.number, None, quote)


# ---------------------------------------------------------------------- arithmetic


_ON_SENTENCES: Final[tuple[Callable[[Sentence], Iterator[Tension]], ...]] = (
    list_tensions,
    share_tensions,
    growth_tensions,
    rate_tensions,
    time_tensions,
)


def deck_tensions(deck: Deck) -> tuple[Tension, ...]:
    """Return the tensions where arithmetic on a visible slide, or in its notes, is certainly wrong."""
    found: list[Tension] = []
    for slide in deck.slides:
        if slide.hidden:
            continue
        for table in slide.tables:
            found += table_tensions(table, slide.number)
        for chart in slide.charts:
            found += chart_tensions(chart, slide)
        lines = (line for at, line in enumerate(slide.lines) if at not in slide.furniture)
        for text in (slide.title, *lines, *slide.notes.split("\n")):
            found += _of_text(text, slide.number, None)
    return tuple(dict.fromkeys(found))


def speech_tensions(segment: Segment) -> tuple[Tension, ...]:
    """Return the tensions where arithmetic within one sentence of *segment* is certainly wrong."""
    return tuple(dict.fromkeys(_of_text(segment.text, segment.slide, segment.start_s)))


def _of_text(text: str, slide: int | None, said_at_s: float | None) -> Iterator[Tension]:
    for sentence in sentences_of(text, lambda quote: Place(slide, said_at_s, quote)):
        for rule in _ON_SENTENCES:
            yield from rule(sentence)
