"""Slides drawn as sheets: title, lines, tables and charts, from the deck's own data.

Preview, room and debrief show the same sheet; if the machine can draw pictures, they cover it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Final, TypeAlias

from markupsafe import Markup

from orchestrator.core.legible import one_line
from orchestrator.material.values import Chart, Deck, Series, Slide

# ---------------------------------------------------------------------- svg
# Shapes of a drawing as SVG text, and an axis of values between two round ends.
#
# No `style` attributes: the policy of the pages forbids them. Colours come from the page by class.


COLOURS: Final = 6
"""Number of colours, which are the classes `s1` to `s6` of the style sheet; a seventh part gets the first
again."""
LETTER: Final = 24
"""Height of a letter, in units of a drawing that is 960 wide. On a sheet 900 px wide it equals the letters
of the page."""
MIN_SPAN: Final = 1e-9
"""Minimum span of an axis as a share of the largest value; a float cannot tell ticks on a smaller span
apart."""
MIN_SIZE, MAX_SIZE = 1e-280, 1e300
"""Bounds of the sum of all values; beyond them, steps of an axis or sums of values become 0 or infinite."""
TICKS: Final = 5
"""Number of steps of an axis, perhaps one or two more: as many as fit at a third of a screen's height."""
_WIDE: Final = 0.56
"""Width of a letter as a share of its height: the mean of common sans-serif faces, digits included."""


def colour(number: int) -> str:
    """Return the CSS class of the colour of part *number*, counted from 0."""
    return f"s{number % COLOURS + 1}"


def rect(number: int, x: float, y: float, width: float, height: float) -> str:
    """Draw a bar of the part *number*."""
    return (
        f'<rect class="c-fill {colour(number)}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" '
        f'height="{max(height, 0.5):.1f}"/>'
    )


def dot(number: int, x: float, y: float) -> str:
    """Draw a point of the part *number*."""
    return f'<circle class="c-fill {colour(number)}" cx="{x:.1f}" cy="{y:.1f}" r="6"/>'


def line(name: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """Draw a straight line of the class *name*."""
    return f'<line class="{name}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def path_through(number: int, points: Sequence[tuple[float, float]]) -> str:
    """Draw a line of the part *number* through *points*."""
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="c-line {colour(number)}" points="{through}"/>'


def wedge(number: int, x: float, y: float, radius: float, start: float, end: float) -> str:
    """Draw part *number* of a circle, from *start* to *end* as shares of a full turn from the top."""
    if end - start > 1 - 1e-9:
        return f'<circle class="c-fill c-part {colour(number)}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'

    def at(turned: float) -> str:
        angle = 2 * math.pi * turned
        return f"{x + radius * math.sin(angle):.1f} {y - radius * math.cos(angle):.1f}"

    is_large = int(end - start > 0.5)
    arc = f"M{x:g} {y:g}L{at(start)}A{radius:g} {radius:g} 0 {is_large} 1 {at(end)}Z"
    return f'<path class="c-fill c-part {colour(number)}" d="{arc}"/>'


def text(
    x: float, y: float, words: str, anchor: str = "start", name: str = "c-soft", room: float | None = None
) -> str:
    """Write *words* starting at, centred on or ending at *x*; words wider than *room* units are cut with
    "…"."""
    if room is not None:
        most = max(1, int(room / (LETTER * _WIDE)))
        words = words if len(words) <= most else words[: max(1, most - 1)].rstrip() + "…"
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of values, and the positions of its ends in a drawing."""

    low: float
    high: float
    ticks: tuple[float, ...]
    begin: float  # where `low` stands, in units
    end: float  # where `high` stands

    @classmethod
    def over(cls, values: Sequence[float], begin: float, end: float) -> Axis:
        """Return the shortest axis with round ends that contains *values*, for which `can_hold` must be
        true."""
        low, high = min(values), max(values)
        most = max(abs(low), abs(high))
        if high - low <= most * MIN_SPAN:
            low, high = (low - most / TICKS, high + most / TICKS) if most else (0.0, 1.0)
        step = round_up((high - low) / TICKS)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        ticks = tuple(number * step for number in range(first, last + 1))
        return cls(ticks[0], ticks[-1], ticks, begin, end)

    def place(self, value: float) -> float:
        """Return the position of *value* in the drawing, in units."""
        return self.begin + (self.end - self.begin) * (value - self.low) / (self.high - self.low)


def can_hold(values: Iterable[float]) -> bool:
    """Return whether an axis can contain *values* and any sum of them."""
    size = sum(map(abs, values))
    return size == 0 or MIN_SIZE < size < MAX_SIZE


def round_up(value: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below *value*."""
    size = 10.0 ** math.floor(math.log10(value))
    return next(factor * size for factor in (1, 2, 2.5, 5, 10) if value <= factor * size * (1 + 1e-9))


# ---------------------------------------------------------------------- charts
# A chart drawn from the numbers that the deck keeps: values in, SVG out.
#
# One drawing for every page; it scales with the sheet that it stands on. What is not drawn here in its own
# form (radar, treemap, sunburst, funnel) stands as bars, and what a deck draws over each other as columns:
# the numbers are the deck's, the form is ours.
#
# Source: kinds as `orchestrator.material.deck.pptx_charts` names them.


WIDTH, HEIGHT = 960, 480
"""The size of the drawing in its own units; the page scales it."""
MAX_BARS: Final = 400
"""Maximum number of bars that can be told apart in 960 units; a chart with more is drawn as a line."""
MAX_POINTS: Final = WIDTH
"""Maximum number of points of one line: one for each unit of the width."""
MAX_LABELLED: Final = 24
"""Maximum number of figures that are written at their bars or points; more would overlap."""
MAX_TOLD: Final = 60
"""Maximum number of figures that are read out in place of the drawing."""
MAX_NAMED: Final = 5
"""Maximum number of series that the legend names; it says how many more there are."""
MAX_PARTS: Final = 12
"""Maximum number of parts of a pie that are named beside it."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 24, 26, 52
_BARS_LEFT, _BARS_RIGHT = 300, WIDTH - 120  # names stand before the bars, figures behind them


def draw_chart(chart: Chart) -> str:
    """Draw a chart as SVG, with its figures in words for people who cannot see it."""
    kind, series = chart.kind.partition(",")[0], chart.series
    names = _names(chart)
    top = _TOP + (LETTER * 1.6 if len(series) > 1 else 0)
    across = _numbers(names) if kind in ("scatter", "bubble") else None
    drawn: Iterable[str]
    if not can_hold(value for one in series for value in one.values if value is not None):
        drawn = ()  # its figures are told all the same
    elif kind in ("pie", "doughnut", "ofPie") and _has_parts(series[0]):
        drawn = _pie(series[0], names, is_ring=kind == "doughnut")
    elif across is not None:
        drawn = _points(series, across, top)
    elif kind.startswith(("line", "area", "stock")) or len(names) * len(series) > MAX_BARS:
        drawn = _lines(series, names, top)
    elif kind.startswith(("bar", "funnel", "treemap", "sunburst", "radar", "pie", "doughnut", "ofPie")):
        drawn = _bars(_laid(series, _stacking(kind)), names, top)
    elif kind == "waterfall":
        drawn = _columns(_running(series[0]), names, top, stacks=False)
    else:
        drawn = _columns(_laid(series, _stacking(kind)), names, top, stacks=_stacking(kind) != "")
    legend = _legend(series) if len(series) > 1 else ()
    return (
        f'<svg class="chart" role="img" aria-label="{escape(_told(chart, names))}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">{"".join([*legend, *drawn])}</svg>'
    )


def figure(value: float | None, *, percent: bool = False) -> str:
    """Format a value as people write it: "1,234.5", "25 %"; "" for a gap."""
    if value is None:
        return ""
    return f"{value * 100:,.10g} %" if percent else f"{value:,.10g}"


def _names(chart: Chart) -> list[str]:
    length = max([len(chart.categories), *(len(one.values) for one in chart.series)])
    return [chart.categories[at] if at < len(chart.categories) else str(at + 1) for at in range(length)]


def _told(chart: Chart, names: Sequence[str]) -> str:
    """Return the text that is read out: the chart's kind, its title, and as many figures as one can listen
    to."""
    figures = [
        (one.name, f"{name} {figure(value, percent=one.percent)}")
        for one in chart.series
        for name, value in zip(names, one.values, strict=False)
        if value is not None
    ]
    groups = groupby(figures[:MAX_TOLD], key=lambda one: one[0])
    parts = [f"{name}: {', '.join(words for _, words in group)}".removeprefix(": ") for name, group in groups]
    more = f"; and {len(figures) - MAX_TOLD} more" if len(figures) > MAX_TOLD else ""
    return f"Chart ({chart.kind}){f' {chart.title}' if chart.title else ''}: {'; '.join(parts)}{more}"


def _legend(series: Sequence[Series]) -> Iterator[str]:
    named = series[:MAX_NAMED]
    step = (WIDTH - _LEFT) / (len(named) + (len(series) > MAX_NAMED))
    for number, one in enumerate(named):
        yield rect(number, _LEFT + step * number, 4, 22, 22)
        name = one.name or f"Series {number + 1}"
        yield text(_LEFT + step * number + 32, 4 + LETTER * 0.85, name, room=step - 40)
    if len(series) > MAX_NAMED:
        yield text(_LEFT + step * len(named), 4 + LETTER * 0.85, f"and {len(series) - MAX_NAMED} more")


# ---------------------------------------------------------------------- bars and columns


@dataclass(frozen=True, slots=True)
class _Bar:
    """A bar, with its start and end on the axis of values."""

    category: int
    part: int  # whose colour it has
    start: float
    end: float
    label: str
    percent: bool  # whether the axis shows shares
    lane: int = 0  # of `lanes` beside each other in one category
    lanes: int = 1


def _stacking(kind: str) -> str:
    """Return how series are stacked: "stacked", "stacked to 100 %", or "" if they are side by side."""
    return kind[kind.find("stacked") :] if "stacked" in kind else ""


def _laid(series: Sequence[Series], stacking: str) -> list[_Bar]:
    """Return every value as a bar: side by side, or stacked, with values above and below 0 stacked
    separately."""
    bars = []
    for category in range(max(len(one.values) for one in series)):
        values = [one.values[category] if category < len(one.values) else None for one in series]
        whole = sum(abs(value) for value in values if value is not None) or 1.0
        reached = {True: 0.0, False: 0.0}
        for number, (one, value) in enumerate(zip(series, values, strict=True)):
            if value is None:
                continue
            label = figure(value, percent=one.percent)
            if not stacking:
                bars.append(_Bar(category, number, 0.0, value, label, one.percent, number, len(series)))
                continue
            is_share = "100" in stacking
            size = value / whole if is_share else value
            start = reached[size >= 0]
            reached[size >= 0] += size
            bars.append(_Bar(category, number, start, start + size, label, one.percent or is_share))
    return bars


def _running(series: Series) -> list[_Bar]:
    """Return a waterfall's bars: each begins where the last one ended; a value that equals their sum is a
    total."""
    bars, reached = [], 0.0
    for category, value in enumerate(series.values):
        if value is None:
            continue
        is_total = category == 0 or math.isclose(value, reached, rel_tol=1e-6)
        start = 0.0 if is_total else reached
        reached = start + value
        part = 0 if is_total else 1 if value < 0 else 2
        label = figure(value, percent=series.percent)
        bars.append(_Bar(category, part, start, reached, label, series.percent))
    return bars


def _columns(bars: Sequence[_Bar], names: Sequence[str], top: float, *, stacks: bool) -> Iterator[str]:
    ends = [end for one in bars for end in (one.start, one.end)]
    axis = Axis.over([0.0, *ends], HEIGHT - _BOTTOM, top + LETTER * 0.6)
    yield from _grid(axis, percent=all(one.percent for one in bars))
    step = (WIDTH - _LEFT - _RIGHT) / len(names)
    for one in bars:
        width = step * 0.72 / one.lanes
        x = _LEFT + step * (one.category + 0.14) + width * one.lane
        high, low = sorted((axis.place(one.start), axis.place(one.end)))
        yield rect(one.part, x, high, width * 0.94, low - high)
        if len(bars) > MAX_LABELLED or (stacks and low - high < LETTER * 1.1):
            continue
        is_inside = stacks or (one.end < one.start and low > HEIGHT - _BOTTOM - LETTER)  # names stand below
        y = (high + low) / 2 + LETTER / 3 if is_inside else high - 7 if one.end >= one.start else low + LETTER
        yield text(
            x + width * 0.47, y, one.label, "middle", "c-on" if is_inside else "c-value", step / one.lanes
        )
    yield line("c-axis", _LEFT, axis.place(0.0), WIDTH - _RIGHT, axis.place(0.0))
    yield from _below(names, [_LEFT + step * (at + 0.5) for at in range(len(names))])


def _bars(bars: Sequence[_Bar], names: Sequence[str], top: float) -> Iterator[str]:
    ends = [end for one in bars for end in (one.start, one.end)]
    axis = Axis.over([0.0, *ends], _BARS_LEFT, _BARS_RIGHT)
    step = (HEIGHT - top - _TOP) / len(names)
    for one in bars:
        height = step * 0.76 / one.lanes
        y = top + step * (one.category + 0.12) + height * one.lane
        left, right = sorted((axis.place(one.start), axis.place(one.end)))
        yield rect(one.part, left, y, right - left, height * 0.94)
        if one.start == 0.0 and len(bars) <= MAX_LABELLED and height > LETTER * 0.8:
            x, anchor = (right + 8, "start") if one.end >= 0 else (left - 8, "end")
            yield text(x, y + height / 2 + LETTER / 3, one.label, anchor, "c-value")
    yield line("c-axis", axis.place(0.0), top, axis.place(0.0), HEIGHT - _TOP)
    every = math.ceil(len(names) * LETTER * 1.2 / (HEIGHT - top - _TOP))
    for at in range(0, len(names), every):
        y = top + step * (at + 0.5) + LETTER / 3
        yield text(_BARS_LEFT - 14, y, names[at], "end", "c-name", room=_BARS_LEFT - 20)


# ---------------------------------------------------------------- lines, points, parts of a whole


def _lines(series: Sequence[Series], names: Sequence[str], top: float) -> Iterator[str]:
    axis = _axis_of(series, top)
    yield from _grid(axis, percent=all(one.percent for one in series))
    yield line("c-axis", _LEFT, axis.begin, WIDTH - _RIGHT, axis.begin)
    width = WIDTH - _LEFT - _RIGHT
    places = [_LEFT + width * (at + 0.5) / len(names) for at in range(len(names))]
    is_labelled = sum(len(one.values) for one in series) <= MAX_LABELLED / 2
    for number, one in enumerate(series):
        pairs = list(zip(places, one.values, strict=False))
        for is_there, stretch in groupby(pairs, key=lambda pair: pair[1] is not None):
            points = [(x, axis.place(value)) for x, value in stretch if value is not None]
            if is_there:
                yield path_through(number, _thinned(points))
        if len(pairs) > MAX_LABELLED:
            continue
        for x, value in pairs:
            if value is not None:
                yield dot(number, x, axis.place(value))
                if is_labelled:
                    y = axis.place(value) - 14
                    yield text(x, y, figure(value, percent=one.percent), "middle", "c-value")
    yield from _below(names, places)


def _points(series: Sequence[Series], across: Sequence[float], top: float) -> Iterator[str]:
    down = _axis_of(series, top)
    along = Axis.over(across, _LEFT, WIDTH - _RIGHT - 20)
    yield from _grid(down, percent=all(one.percent for one in series))
    yield line("c-axis", _LEFT, down.begin, WIDTH - _RIGHT, down.begin)
    for number, one in enumerate(series):
        for x, value in zip(across, one.values, strict=False):
            if value is not None:
                yield dot(number, along.place(x), down.place(value))
    yield from _below([figure(tick) for tick in along.ticks], [along.place(tick) for tick in along.ticks])


def _axis_of(series: Sequence[Series], top: float) -> Axis:
    """Return an axis that begins at 0, or, if all values are close together, one that shows their
    differences."""
    values = [value for one in series for value in one.values if value is not None]
    is_close = min(values) > 5 / 6 * max(values) > 0  # as PowerPoint's own automatic axis decides
    return Axis.over(values if is_close else [0.0, *values], HEIGHT - _BOTTOM, top + LETTER * 0.6)


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return only as many points as can be seen; of points at one place, the highest and the lowest."""
    if len(points) <= MAX_POINTS:
        return points
    step = math.ceil(2 * len(points) / MAX_POINTS)
    kept = []
    for at in range(0, len(points), step):
        some = points[at : at + step]
        kept += sorted({min(some, key=lambda one: one[1]), max(some, key=lambda one: one[1])})
    return kept


def _pie(series: Series, names: Sequence[str], *, is_ring: bool) -> Iterator[str]:
    values = [value or 0.0 for value in series.values]
    whole, turned = sum(values), 0.0
    x, y, radius = 230.0, HEIGHT / 2, 205.0
    for number, value in enumerate(values):
        if value:
            yield wedge(number, x, y, radius, turned, turned + value / whole)
        turned += value / whole
    if is_ring:
        yield f'<circle class="c-hole" cx="{x:g}" cy="{y:g}" r="{radius * 0.55:g}"/>'
    shown = min(len(values), MAX_PARTS)
    step = min(LETTER * 1.9, (HEIGHT - 2 * _TOP) / shown)
    for number in range(shown):
        down = y + step * (number - (shown - 1) / 2)
        share = f"{figure(values[number], percent=series.percent)} ({100 * values[number] / whole:.0f} %)"
        yield rect(number, 500, down - 11, 22, 22)
        yield text(534, down + LETTER / 3, f"{names[number]}: {share}", name="c-name", room=WIDTH - 540)
    if len(values) > shown:
        yield text(534, HEIGHT - 4, f"and {len(values) - shown} more")


def _has_parts(series: Series) -> bool:
    """Return whether the values of *series* can be the parts of one whole."""
    values = [value or 0.0 for value in series.values]
    return min(values, default=-1) >= 0 and sum(values) > 0


# ---------------------------------------------------------------------- around them


def _grid(axis: Axis, *, percent: bool) -> Iterator[str]:
    for tick in axis.ticks:
        y = axis.place(tick)
        yield line("c-grid", _LEFT, y, WIDTH - _RIGHT, y)
        yield text(_LEFT - 12, y + LETTER / 3, figure(tick, percent=percent), "end")


def _below(names: Sequence[str], places: Sequence[float]) -> Iterator[str]:
    """Yield the names below the axis, leaving out as many as needed so that no two overlap."""
    step = abs(places[1] - places[0]) if len(places) > 1 else WIDTH - _LEFT
    every = max(1, math.ceil(90 / step))
    for at in range(0, len(names), every):
        yield text(places[at], HEIGHT - 16, names[at], "middle", "c-name", room=step * every - 8)


def _numbers(names: Sequence[str]) -> list[float] | None:
    """Return the names as numbers, for the axis of a scatter chart, or None if one is not a number."""
    try:
        found = [float(one) for one in names]
    except ValueError:
        return None
    return found if found and can_hold(found) else None


# ---------------------------------------------------------------------- sheets


Text: TypeAlias = tuple[str, bool]
"""A piece of a slide's text, and whether a question quotes it."""

MAX_DEPTH: Final = 4
"""Maximum number of levels that are shown by indentation; a deeper line is indented like the last level."""


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph of a slide."""

    text: Text
    depth: int  # lines that it stands under
    is_beside: bool  # a footer or a label: nobody asserts it


@dataclass(frozen=True, slots=True)
class Sheet:
    """One slide in the form in which it is drawn."""

    number: int
    title: Text
    lines: tuple[Line, ...]
    tables: tuple[tuple[tuple[Text, ...], ...], ...]  # row by row
    charts: tuple[tuple[str, Markup], ...]  # each its title and the drawing
    hidden: bool
    notes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether only the title can be drawn, as for a slide that is a picture."""
        return not (self.lines or self.tables or self.charts)


def sheets(deck: Deck) -> list[Sheet]:
    """Return every slide of a deck as a sheet."""
    return [sheet(slide) for slide in deck.slides]


def sheet(slide: Slide, quotes: Sequence[str] = ()) -> Sheet:
    """Return one slide as a sheet, in which the texts that contain one of *quotes* are marked."""
    wanted = [one_line(one) for one in quotes]

    def marked(text: str) -> Text:
        return text, any(quote in one_line(text) for quote in wanted)

    beside = {*slide.furniture, *slide.labels}
    return Sheet(
        number=slide.number,
        title=marked(slide.title or f"Slide {slide.number}"),
        lines=tuple(
            Line(marked(text), _depth(slide, at), at in beside) for at, text in enumerate(slide.lines)
        ),
        tables=tuple(tuple(tuple(map(marked, row)) for row in table.rows) for table in slide.tables),
        charts=tuple((one.title, _drawn(one)) for one in slide.charts),
        hidden=slide.hidden,
        notes=tuple(line for line in slide.notes.split("\n") if line.strip()),
    )


def _drawn(chart: Chart) -> Markup:
    return Markup(draw_chart(chart))  # noqa: S704  # every text in it is escaped where it is drawn


def _depth(slide: Slide, at: int) -> int:
    depth, above = 0, at
    while depth < MAX_DEPTH and slide.parents and (parent := slide.parents[above]) is not None:
        depth, above = depth + 1, parent
    return depth
