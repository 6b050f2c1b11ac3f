"""Charts of PowerPoint files: the numbers that a chart was drawn from, as the deck keeps them.

Source: ECMA-376 part 1, 21.2 (`c:`); [MS-ODRAWXML] 2.24 for waterfalls, funnels, treemaps (`cx:`).
"""

from __future__ import annotations

import math
import re
from datetime import date, timedelta

from orchestrator.deck.ooxml import CX, C, Element
from orchestrator.deck.pptx_text import paragraphs
from orchestrator.deck.shown import shown
from orchestrator.model.slide import Chart, Series

MOST_POINTS = 10_000
"""Points of one series that are read; a screen 4,000 points wide cannot show more. A point's index is the
file's own word, so this bounds the memory that a wrong one costs."""

_DAY_0 = {False: date(1899, 12, 30), True: date(1904, 1, 1)}
"""Day 0 of the workbook, by whether it counts from 1904: ECMA-376 part 1, 18.17.4.1. (The 30th,
because spreadsheets hold 1900 for a leap year.)"""

_TRUE = ("1", "true")

Labels = tuple[str, ...]


def read_charts(root: Element) -> list[Chart]:
    """The charts of a `c:chartSpace` or `cx:chartSpace`.

    It is one, with all plots that are drawn over each other; only where series do not
    share their categories (scatter) it is one for each set of categories. Empty where no
    series holds a value.
    """
    extended = root.tag.startswith(CX)
    drawn = _extended_series(root) if extended else _series(root)
    kind = ", ".join(dict.fromkeys(kind for kind, _, _ in drawn))
    title = root.find(f"{CX}chart/{CX}title" if extended else f"{C}chart/{C}title")
    by_labels: dict[Labels, list[Series]] = {}
    for _, labels, series in drawn:
        shared = labels or next(iter(by_labels), ())
        by_labels.setdefault(shared, []).append(series)
    return [
        Chart(kind, _title(title), labels, tuple(series))
        for labels, series in by_labels.items()
        if any(value is not None for one in series for value in one.values)
    ]


def _series(root: Element) -> list[tuple[str, Labels, Series]]:
    from_1904 = root.find(f"{C}date1904")
    day_0 = _DAY_0[from_1904 is not None and from_1904.get("val", "1") in _TRUE]
    return [
        (
            _kind(plot),
            _labels(_first(series, f"{C}cat", f"{C}xVal"), day_0),
            _numbers(shown(series.findtext(f"{C}tx//{C}v") or ""), _first(series, f"{C}val", f"{C}yVal")),
        )
        for plot in root.iterfind(f"{C}chart/{C}plotArea/*")
        for series in plot.iterfind(f"{C}ser")
    ]


def _extended_series(root: Element) -> list[tuple[str, Labels, Series]]:
    sets = {one.get("id", ""): one for one in root.iterfind(f"{CX}chartData/{CX}data")}
    drawn: list[tuple[str, Labels, Series]] = []
    for series in root.iterfind(f"{CX}chart/{CX}plotArea/{CX}plotAreaRegion/{CX}series"):
        reference = series.find(f"{CX}dataId")
        data = None if reference is None else sets.get(reference.get("val", ""))
        if data is not None:
            labels = tuple(shown(text) for text in _points(data.find(f"{CX}strDim/{CX}lvl"), f"{CX}pt"))
            level = data.find(f"{CX}numDim/{CX}lvl")
            name = shown(series.findtext(f"{CX}tx//{CX}v") or "")
            percent = level is not None and "%" in level.get("formatCode", "")
            values = tuple(_number(text) for text in _points(level, f"{CX}pt"))
            drawn.append((series.get("layoutId", "chart"), labels, Series(name, values, percent)))
    return drawn


def _kind(plot: Element) -> str:
    """The kind of drawing, in a word or two: "column stacked", "line", "pie"."""
    kind = plot.tag.rsplit("}", 1)[-1].removesuffix("Chart").removesuffix("3D")
    if kind == "bar":
        direction = plot.find(f"{C}barDir")
        kind = "bar" if direction is not None and direction.get("val") == "bar" else "column"
    grouping = plot.find(f"{C}grouping")
    stacking = "" if grouping is None else grouping.get("val", "")
    return kind + {"stacked": " stacked", "percentStacked": " stacked to 100 %"}.get(stacking, "")


def _numbers(name: str, source: Element | None) -> Series:
    cache = None if source is None else _first(source, f"{C}numRef/{C}numCache", f"{C}numLit")
    if cache is None:
        return Series(name, ())
    percent = "%" in (cache.findtext(f"{C}formatCode") or "")
    return Series(name, tuple(_number(text) for text in _points(cache, f"{C}pt")), percent)


def _labels(source: Element | None, day_0: date) -> Labels:
    if source is None:
        return ()
    levels = source.findall(f"{C}multiLvlStrRef/{C}multiLvlStrCache/{C}lvl")
    if levels:
        return _nested([_points(level, f"{C}pt") for level in levels])
    numbers = _first(source, f"{C}numRef/{C}numCache", f"{C}numLit")
    if numbers is not None:
        as_dates = _is_date(numbers.findtext(f"{C}formatCode") or "")
        return tuple(_day(text, day_0) if as_dates else text for text in _points(numbers, f"{C}pt"))
    texts = _first(source, f"{C}strRef/{C}strCache", f"{C}strLit")
    return tuple(shown(text) for text in _points(texts, f"{C}pt"))


def _nested(levels: list[list[str]]) -> Labels:
    """Labels of several levels, the outer first: "2026 / Q1"; the innermost level comes first in the file."""
    names: list[str] = []
    current = [""] * len(levels)
    for index in range(max(len(level) for level in levels)):
        for depth, level in enumerate(levels):
            text = shown(level[index]) if index < len(level) else ""
            if text or depth == 0:  # an outer label stands until the next one
                current[depth] = text
        names.append(" / ".join(text for text in reversed(current) if text))
    return tuple(names)


def _points(cache: Element | None, tag: str) -> list[str]:
    """The texts of a cache's points by their index; "" where there is none."""
    found: dict[int, str] = {}
    for point in () if cache is None else cache.iterfind(tag):
        index = point.get("idx", "")
        if index.isdigit() and int(index) < MOST_POINTS:
            found[int(index)] = (point.findtext(f"{C}v") or point.text or "").strip()
    return [found.get(index, "") for index in range(max(found, default=-1) + 1)]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None  # a gap, or an error value such as #N/A
    return value if math.isfinite(value) else None


def _is_date(format_code: str) -> bool:
    """Whether a number format shows a date: letters for year, month or day outside quotes and brackets."""
    return bool(re.search(r"[ymd]", re.sub(r'"[^"]*"|\[[^]]*\]|\\.|General', "", format_code), re.IGNORECASE))


def _day(text: str, day_0: date) -> str:
    value = _number(text)
    try:
        return text if value is None else (day_0 + timedelta(days=int(value))).isoformat()
    except OverflowError:
        return text


def _title(title: Element | None) -> str:
    if title is None:
        return ""
    from_a_cell = title.findtext(f".//{C}v") or title.findtext(f".//{CX}v") or ""
    return " ".join(paragraphs(title)) or shown(from_a_cell)


def _first(element: Element, *paths: str) -> Element | None:
    for path in paths:
        if (found := element.find(path)) is not None:
            return found
    return None
