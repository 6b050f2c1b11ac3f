"""Charts of PowerPoint files: the numbers behind a chart, as the deck stores them.

Source: ECMA-376 part 1, 21.2 (`c:`); [MS-ODRAWXML] 2.24 for waterfalls, funnels, treemaps (`cx:`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from orchestrator.material.deck.ooxml import (
    C15,
    CX,
    A,
    C,
    Element,
)
from orchestrator.material.deck.pptx_text import paragraphs
from orchestrator.material.deck.shown import shown
from orchestrator.material.values import Chart, Series

MAX_POINTS = 10_000
"""Maximum number of points of one series that are read; a screen 4,000 points wide cannot show more. The file
itself states a point's index, so this bounds the memory that a wrong index costs."""

_DAY_0 = {False: date(1899, 12, 30), True: date(1904, 1, 1)}
"""Day 0 of the workbook, by whether its dates count from 1904: ECMA-376 part 1, 18.17.4.1. Day 0 is the 30th
because spreadsheets treat 1900 as a leap year."""

_TRUE = ("1", "true")
_LITERAL = re.compile(r'"([^"]*)"|\[(?:\$([^]-]*)[^]]*|[^]]*)\]|\\(.)')
"""Matches the literal parts of a number format: quoted text, a currency in brackets, a sign behind a
backslash."""
_LINES = ("lineChart", "line3DChart", "scatterChart", "radarChart")
_COLOURS = (f"{A}solidFill", f"{A}gradFill", f"{A}pattFill", f"{A}blipFill")
_SHOWN_AT_A_POINT = ("showVal", "showPercent", "showBubbleSize")
SIZES = "bubble sizes"
"""The kind of the chart that contains the sizes of another chart's bubbles, under the same categories."""

Labels = tuple[str, ...]
Drawn = tuple[str, Labels, Series]


def read_charts(root: Element, typed_over: Sequence[str] = ()) -> tuple[list[Chart], bool]:
    """Return the charts of a `c:chartSpace` or `cx:chartSpace`, and whether they contain all of its series.

    Plots that are drawn over each other make up one chart. There are several charts only if series do not
    share their categories (scatter), and for the sizes of bubbles: one for each set. The list is empty if no
    series has a value. A series that is drawn without a colour, like the one on which a waterfall's columns
    rest, is left out. *typed_over* are the words of boxes that are drawn over the charts.
    """
    extended = root.tag.startswith(CX)
    drawn, is_all = (_extended_series(root), True) if extended else _series(root)
    kind = ", ".join(dict.fromkeys(kind for kind, _, _ in drawn if kind != SIZES))
    title = root.find(f"{CX}chart/{CX}title" if extended else f"{C}chart/{C}title")
    sets: dict[tuple[str, Labels], list[Series]] = {}
    for own, labels, series in drawn:
        name = own if own == SIZES else kind
        shared = labels or next((known for of, known in sets if of == name), ())
        sets.setdefault((name, shared), []).append(series)
    charts = [
        Chart(name, _title(title), labels, tuple(series), _axes(root))
        for (name, labels), series in sets.items()
        if any(value is not None for one in series for value in one.values)
    ]
    if charts and (written := (*_written(root), *typed_over)):
        charts[0] = replace(charts[0], labels=written)
    return charts, is_all


def _series(root: Element) -> tuple[list[Drawn], bool]:
    from_1904 = root.find(f"{C}date1904")
    day_0 = _DAY_0[from_1904 is not None and from_1904.get("val", "1") in _TRUE]
    drawn: list[Drawn] = []
    is_all = True
    for plot in root.iterfind(f"{C}chart/{C}plotArea/*"):
        for series in plot.iterfind(f"{C}ser"):
            if not _is_seen(series, is_line=plot.tag.removeprefix(C) in _LINES):
                is_all = False
                continue
            name = shown(series.findtext(f"{C}tx//{C}v") or "")
            labels = _labels(_first(series, f"{C}cat", f"{C}xVal"), day_0)
            numbers = _numbers(name, _first(series, f"{C}val", f"{C}yVal"))
            drawn.append(
                (_kind(plot), labels, _without_clear(series, numbers) if "bar" in plot.tag else numbers)
            )
            if (sizes := series.find(f"{C}bubbleSize")) is not None:
                drawn.append((SIZES, labels, _numbers(name, sizes)))
    return drawn, is_all


def _without_clear(series: Element, numbers: Series) -> Series:
    """Return *numbers* with a gap for each column of *series* that has no colour."""
    clear = {
        index.get("val", "")
        for point in series.iterfind(f"{C}dPt")
        if (look := point.find(f"{C}spPr")) is not None and _is_clear(look)
        if (index := point.find(f"{C}idx")) is not None
    }
    values = (None if str(at) in clear else value for at, value in enumerate(numbers.values))
    return replace(numbers, values=tuple(values))


def _is_seen(series: Element, *, is_line: bool) -> bool:
    """Return whether anything of *series* is drawn: its fill or line, a point, or values at its points."""
    labels = series.find(f"{C}dLbls")
    if labels is not None and any(
        one.get("val") in _TRUE for name in _SHOWN_AT_A_POINT for one in labels.iter(f"{C}{name}")
    ):
        return True
    of_points = series.iterfind(f"{C}dPt/{C}spPr")
    if any(_coloured(one) or (is_line and _coloured(one.find(f"{A}ln"))) for one in of_points):
        return True
    properties = series.find(f"{C}spPr")
    line = None if properties is None else properties.find(f"{A}ln")
    if is_line:
        marker = series.find(f"{C}marker/{C}symbol")
        return line is None or not _is_clear(line) or marker is None or marker.get("val") != "none"
    return properties is None or not _is_clear(properties)


def _coloured(properties: Element | None) -> bool:
    """Return whether a fill or line has a colour that is neither transparent nor that of the background."""
    fillings = [] if properties is None else [one for one in properties if one.tag in _COLOURS]
    return any(
        not any(mark.get("val") == "0" for mark in one.iter(f"{A}alpha"))
        and not any(colour.get("val") == "bg1" and not len(colour) for colour in one.iter(f"{A}schemeClr"))
        for one in fillings
    )


def _is_clear(properties: Element) -> bool:
    """Return whether the properties say that nothing visible is drawn; unstated ones are automatic."""
    stated = any(one.tag in (*_COLOURS, f"{A}noFill") for one in properties)
    return stated and not _coloured(properties) and not _coloured(properties.find(f"{A}ln"))


def _axes(root: Element) -> Labels:
    """Return the titles of the axes that are drawn, and the units stated for them."""
    axes = [one for kind in ("valAx", "catAx", "dateAx", "serAx") for one in root.iter(f"{C}{kind}")]
    titles = [
        _title(title)
        for axis in axes
        if (deleted := axis.find(f"{C}delete")) is None or deleted.get("val", "1") not in _TRUE
        for title in (axis.find(f"{C}title"), axis.find(f"{C}dispUnits/{C}dispUnitsLbl"))
    ]
    extended = root.iterfind(f"{CX}chart/{CX}plotArea/{CX}axis")
    titles += [_title(axis.find(f"{CX}title")) for axis in extended if axis.get("hidden") not in _TRUE]
    return tuple(dict.fromkeys(title for title in titles if title))


def _written(root: Element) -> Labels:
    """Return the labels of points that were typed, one by one or in cells: [MS-ODRAWXML] 2.24.3.17."""
    labels = [" ".join(paragraphs(one.find(f"{C}tx"))) for one in root.iter(f"{C}dLbl")]
    ranges = root.iter(f"{C15}dlblRangeCache")
    cells = [shown(one.text or "") for ranged in ranges for one in ranged.iter(f"{C}v")]
    return tuple(label for label in (*labels, *cells) if label)


def _extended_series(root: Element) -> list[Drawn]:
    sets = {one.get("id", ""): one for one in root.iterfind(f"{CX}chartData/{CX}data")}
    drawn: list[Drawn] = []
    for series in root.iterfind(f"{CX}chart/{CX}plotArea/{CX}plotAreaRegion/{CX}series"):
        reference = series.find(f"{CX}dataId")
        data = None if reference is None else sets.get(reference.get("val", ""))
        if data is not None and series.get("hidden") not in _TRUE:
            labels = _nested([_points(one, f"{CX}pt") for one in data.iterfind(f"{CX}strDim/{CX}lvl")])
            level = data.find(f"{CX}numDim/{CX}lvl")
            name = shown(series.findtext(f"{CX}tx//{CX}v") or "")
            code = "" if level is None else level.get("formatCode", "")
            values = tuple(_number(text) for text in _points(level, f"{CX}pt"))
            drawn.append((series.get("layoutId", "chart"), labels, Series(name, values, *_format(code))))
    return drawn


def _kind(plot: Element) -> str:
    """Return the kind of chart in a word or two: "column stacked", "line", "pie"."""
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
    values = tuple(_number(text) for text in _points(cache, f"{C}pt"))
    return Series(name, values, *_format(cache.findtext(f"{C}formatCode") or ""))


def _format(code: str) -> tuple[bool, str]:
    """Return whether a number format shows percentages, and which other text it puts beside a value.

    A format that shows a part of the value ("0.0,,": millions) puts its text beside that part, so that text
    is left out. Source: ECMA-376 part 1, 18.8.31.
    """
    first = code.partition(";")[0]
    if "%" in _LITERAL.sub("", first) or re.search(r"[0#?],+(?![0#?,])", first):
        return "%" in _LITERAL.sub("", first), ""
    written = "".join("".join(match.groups("")) for match in _LITERAL.finditer(first))
    return False, shown(written + "".join(re.findall("[€$£¥]", _LITERAL.sub("", first))))


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
    """Join labels of several levels, outer first ("2026 / Q1"); the file has the innermost level first."""
    names: list[str] = []
    current = [""] * len(levels)
    for index in range(max(map(len, levels), default=0)):
        for depth, level in enumerate(levels):
            text = shown(level[index]) if index < len(level) else ""
            if text or depth == 0:  # an outer label stands until the next one
                current[depth] = text
        names.append(" / ".join(text for text in reversed(current) if text))
    return tuple(names)


def _points(cache: Element | None, tag: str) -> list[str]:
    """Return the texts of a cache's points by index, with "" for each missing point."""
    found: dict[int, str] = {}
    for point in () if cache is None else cache.iterfind(tag):
        index = point.get("idx", "")
        if index.isdigit() and int(index) < MAX_POINTS:
            found[int(index)] = (point.findtext(f"{C}v") or point.text or "").strip()
    return [found.get(index, "") for index in range(max(found, default=-1) + 1)]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None  # a gap, or an error value such as #N/A
    return value if math.isfinite(value) else None


def _is_date(format_code: str) -> bool:
    """Return whether a number format shows a date: it has year, month or day letters outside literals.

    Literals are texts in quotes or brackets.
    """
    return bool(re.search(r"[ymd]", _LITERAL.sub("", format_code).replace("General", ""), re.IGNORECASE))


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
