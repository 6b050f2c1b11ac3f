"""Figures of tables and charts: a cell with its row and column, a point with its series and category."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.intervals import interval
from orchestrator.checks.lexicon import Mention, mentions, singular, stems, tokens
from orchestrator.checks.model import CHANGE, GROWTH, LEVEL, SHARE, TARGET, Figure, When
from orchestrator.checks.naming import fits
from orchestrator.checks.numbers import BARE, MONEY, PERCENT, Number, kind_of, numbers
from orchestrator.checks.scope import Surroundings
from orchestrator.checks.vocabulary import FUNCTION, GENERIC, MODIFIERS, OTHERS, PLACES, TARGET_CUES
from orchestrator.checks.when import whens
from orchestrator.claims.model import Place
from orchestrator.claims.periods import find_periods
from orchestrator.deck.model import Chart, Table

_BARE_CELL = re.compile(
    r"[~≈<>]?\s?[+−(-]?\d{1,3}(?:[,’'\u00a0\u202f ]\d{3})+(?:\.\d+)?\)?|[~≈<>]?\s?[+−(-]?\d+(?:[.,]\d+)?\)?"
)
_UNIT = re.compile(r"[%€£$¥]|\b(?:USD|EUR|GBP|CHF|percent|pct|per cent)\b", re.I)
_SCALE = re.compile(
    r"(?:\b(?:in )?(?P<word>thousands?|millions?|billions?|mio|mn|mln|bn)\b|(?:[€£$]|\b(?:USD|EUR|GBP|"
    r"CHF)\s?)\s?"
    r"(?P<letter>k|K|m|M|bn|B)\b|[(\[]\s?(?P<alone>k|K|m|M|bn)\s?(?:[€£$]|EUR|USD|GBP|CHF)?\s?[)\]]|"
    r"\b(?P<glued>k|m|M)(?:EUR|USD|GBP|CHF|[€£$])|\b(?P<tail>[kKMm])[€£$])",
)
_SCALES: Final = {
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "mio": 1e6,
    "mn": 1e6,
    "mln": 1e6,
    "billion": 1e9,
    "b": 1e9,
    "bn": 1e9,
}
_CURRENCIES: Final = {
    "€": "EUR",
    "£": "GBP",
    "$": "USD",
    "¥": "JPY",
    "percent": "%",
    "pct": "%",
    "per cent": "%",
}
_TOTAL = re.compile(r"^\W*(?:grand |sub-?)?(?:total|sum|overall|group|all|company|combined)\b", re.I)
_PLAN = re.compile(
    r"\b(?:plan|planned|budget|target|forecast|goal|expected|outlook|projected|projection|estimate)\b|"
    r"\b20\d\d[EFP]\b",
    re.I,
)
_GROWTH = re.compile(
    r"\b(?:growth|yoy|y/y|cagr|qoq|variation)\b|^\W*(?:change|delta|Δ|±|\+/-|vs\.?\b.*|% ?change|change ?%)",
    re.I,
)
_SHARE = re.compile(r"\b(?:share|% of|percent of|proportion|mix|weight)\b", re.I)
_NOT_A_FIGURE = re.compile(
    r"^\W*(?:#|no\.?|nr\.?|id|rank|step|phase|page|slide|version|priority|year|date)\W*$", re.I
)
_OTHERS = re.compile(OTHERS, re.I)
_TARGET = re.compile(TARGET_CUES, re.I)


@dataclass(frozen=True, slots=True)
class _Label:
    """A row's or column's label, read."""

    text: str
    metric: Mention | None
    when: tuple[When, ...]
    rest: frozenset[str]
    modifiers: frozenset[str]


def table_figures(
    table: Table,
    slide: int,
    around: Surroundings,
    when: tuple[When, ...],
    title: str,
    *,
    english: bool = True,
) -> Iterator[Figure]:
    """The figures of a table's cells; the first row and the first column label the others.

    The cells of a row are as precise as the most precise of them: "2 | 2.3" is 2.0 and 2.3.
    """
    rows: dict[int, list[Figure]] = {}
    for figure in _cells(table, slide, around, when, title, english=english):
        rows.setdefault(figure.index // 1000, []).append(figure)
    for figures in rows.values():
        yield from _equally_precise(figures)


def _equally_precise(figures: list[Figure]) -> Iterator[Figure]:
    for figure in figures:
        others = [
            f
            for f in figures
            if kind_of(f.unit) == kind_of(figure.unit) and not f.modifiers and f.high > f.low
        ]
        slack = min((f.high - f.low for f in others if abs(f.value) < 20 * abs(figure.value)), default=0.0)
        if (
            slack
            and slack < figure.high - figure.low
            and not figure.modifiers
            and not float(figure.value).is_integer()
        ) or (
            slack and slack < figure.high - figure.low and not figure.modifiers and figure.unit is not None
        ):
            figure = replace(figure, low=figure.value - slack / 2, high=figure.value + slack / 2)
        yield figure


def _cells(
    table: Table,
    slide: int,
    around: Surroundings,
    when: tuple[When, ...],
    title: str,
    *,
    english: bool = True,
) -> Iterator[Figure]:
    if len(table.rows) < 2:
        return
    heads = [_label(cell) for cell in table.rows[0]]
    title_label = _label(title)
    headless = _is_headless(table.rows[0])
    corner = "" if headless or not table.rows[0] else table.rows[0][0]
    for row_number, row in enumerate(table.rows):
        if not row or (row_number == 0 and not headless):
            continue
        side = _label(row[0])
        for column, cell in enumerate(row[1:], start=1):
            if not any(char.isdigit() for char in cell) or column >= len(heads) or len(cell) > 60:
                continue
            head = _label("") if headless else heads[column]
            if _NOT_A_FIGURE.match(head.text) or not side.text.strip():
                continue
            number = _cell_number(cell, head.text, f"{side.text} {corner}", title, english=english)
            if number is None:
                continue
            figure = _figure(number, cell, slide, side, head, title_label, around, when, "table")
            yield _at(figure, 1000 * row_number + column)


def _is_headless(row: tuple[str, ...]) -> bool:
    """The first row is already data: a label and amounts that are no years."""
    cells = [cell for cell in row[1:] if cell.strip()]
    return bool(cells) and all(
        any(char.isdigit() for char in cell) and not find_periods(cell) for cell in cells
    )


def chart_figures(
    chart: Chart, slide: int, around: Surroundings, when: tuple[When, ...], title: str
) -> Iterator[Figure]:
    """The figures of a chart's points; a series' name, the chart's title and its category label them."""
    chart_label, title_label = _label(chart.title), _label(title)
    for series in chart.series:
        name = _label(series.name)
        quote = chart.title if chart.title and len(chart.series) == 1 else series.name or chart.title
        if not quote:
            continue
        both = chart_label if name.metric is None and chart_label.metric is not None else name
        for index, value in enumerate(series.values):
            if value is None or index >= len(chart.categories):
                continue
            category = _label(chart.categories[index])
            shown = 100 * value if series.percent else value
            text = f"{shown:.12g}"
            unit, factor = _unit(" ".join((series.name, chart.title)), "")
            unit = "%" if series.percent else unit
            low, high = interval(shown, text, spoken=False, counted=False, hedged=frozenset())
            scale = factor or 1.0
            number = Number(
                shown * scale,
                low * scale,
                high * scale,
                kind_of(unit),
                unit,
                -1,
                -1,
                text,
                "",
                series.name,
                frozenset(),
            )
            side = both if both is name else _merge(both, name)
            figure = _figure(number, quote, slide, side, category, title_label, around, when, "chart")
            known = bool(factor) or number.kind not in (BARE, MONEY) or abs(shown) >= 10_000
            yield _at(figure, index, scale_known=known and figure.scale_known)


def _at(figure: Figure, index: int, scale_known: bool | None = None) -> Figure:
    return replace(
        figure, index=index, scale_known=figure.scale_known if scale_known is None else scale_known
    )


def _merge(label: _Label, name: _Label) -> _Label:
    return _Label(
        label.text,
        label.metric,
        label.when + name.when,
        label.rest | name.rest,
        label.modifiers | name.modifiers,
    )


def _label(text: str) -> _Label:
    found = tokens(text)
    named = mentions(found)
    metric = max(named, key=lambda m: m.end - m.start, default=None)
    periods = find_periods(text)
    when = whens(p for p in periods)
    rest, modifiers = set(), set()
    for token in found:
        if metric and metric.start <= token.start < metric.end:
            continue
        if any(p.start <= token.start < p.end for p in periods) or not token.word[0].isalpha():
            continue
        if token.word in MODIFIERS:
            modifiers.add(MODIFIERS[token.word])
        elif (
            token.word in FUNCTION
            or token.word in GENERIC
            or token.word in _SCALES
            or (
                token.word
                in (
                    "usd",
                    "eur",
                    "gbp",
                    "chf",
                    "actual",
                    "metric",
                    "kpi",
                    "item",
                    "unit",
                    "growth",
                    "change",
                    "plan",
                    "budget",
                    "target",
                    "forecast",
                    "yoy",
                    "share",
                    "mio",
                    "mln",
                    "status",
                    "our",
                    "us",
                    "thousand",
                    "million",
                    "billion",
                )
                and not (token.word == "us" and "US" in text)
            )
        ):
            continue
        else:
            rest.add(token.word)
    return _Label(text, metric, when, frozenset(rest), frozenset(modifiers))


def _cell_number(cell: str, head: str, side: str, title: str, *, english: bool) -> Number | None:
    stripped = cell.strip()
    if _BARE_CELL.fullmatch(stripped):
        unit, factor = _unit(head, side)
        if unit is None and factor is None:
            unit, factor = _unit(title, "") if _SCALE.search(title) else (None, None)
        negative = stripped.lstrip("~≈<> ").startswith(("-", "−", "("))
        plain = re.sub(r"[^\d.,]", "", stripped)
        plain = plain.replace(",", ".") if re.fullmatch(r"\d+,\d{1,2}", plain) else plain.replace(",", "")
        value = float(plain)
        counted = unit is None and factor is None and value == int(value)
        low, high = interval(value, plain, spoken=False, counted=counted, hedged=frozenset())
        sign, scale = (-1.0 if negative else 1.0), factor or 1.0
        low, high = sorted((sign * scale * low, sign * scale * high))
        return Number(
            sign * scale * value,
            low,
            high,
            kind_of(unit),
            unit,
            0,
            len(stripped),
            stripped,
            "",
            "",
            frozenset(),
        )
    periods = find_periods(cell)
    found = numbers(cell, periods, english=english)
    words = [t for t in tokens(cell) if t.word[0].isalpha() and t.word not in FUNCTION]
    if len(found) != 1 or found[0].is_range or len(words) > 3:
        return None
    number = found[0]
    if number.kind == BARE and number.value < 1000:
        unit, factor = _unit(head, side)
        if unit:
            scale = factor or 1.0
            return Number(
                number.value * scale,
                number.low * scale,
                number.high * scale,
                kind_of(unit),
                unit,
                number.start,
                number.end,
                number.text,
                "",
                "",
                number.hedged,
            )
    return number


def _unit(first: str, second: str) -> tuple[str | None, float | None]:
    unit: str | None = None
    factor: float | None = None
    for text in (first, second):
        if unit is None and (sign := _UNIT.search(text)):
            unit = _CURRENCIES.get(sign[0].lower(), sign[0].upper())
        if factor is None and (scale := _SCALE.search(text)):
            word = next(group for group in scale.groups() if group)
            factor = _SCALES[word.lower().rstrip("s")]
    if unit == "%":
        factor = None
    return unit, factor


def _figure(
    number: Number,
    quote: str,
    slide: int,
    side: _Label,
    head: _Label,
    title: _Label,
    around: Surroundings,
    when: tuple[When, ...],
    origin: str,
) -> Figure:
    labels = f"{side.text} {head.text}"
    metric, used = _metric(number, side, head, title, labels)
    segment: set[str] = set()
    for label in (side, head):
        if metric.startswith("label:") and label is used:
            continue
        if _TOTAL.match(label.text) and label is not used:
            continue
        segment |= label.rest
    if used is title:
        segment |= title.rest - set(around.segment) if len(title.rest) <= 1 else set()
    generic_head = {
        "value",
        "amount",
        "metric",
        "number",
        "figure",
        "total",
        "result",
        "level",
        "status",
        "kpi",
        "series",
        "today",
    }
    segment = {word for word in segment if word not in generic_head and word not in around.own_names}
    times = (*side.when, *head.when)
    if not any(w.kind != "rate" for w in times):
        times = (*times, *when)
    role = LEVEL
    if number.kind == PERCENT and (
        _GROWTH.search(side.text)
        or _GROWTH.search(head.text)
        or (used is title and re.search(r"\bgrowth\b", title.text, re.I))
    ):
        role = GROWTH
    elif _GROWTH.search(head.text) or _GROWTH.search(side.text):
        role = CHANGE
    elif number.kind == PERCENT and _SHARE.search(labels) and not metric.startswith("market share"):
        role = SHARE
    if role in (LEVEL, GROWTH) and (_PLAN.search(labels) or around.target or _TARGET.search(title.text)):
        role = TARGET
    modifiers = (side.modifiers | head.modifiers | number.hedged) - (
        frozenset({"annualised"}) if False else frozenset()
    )
    if number.is_range:
        modifiers |= {"range"}
    ours = around.ours and not _OTHERS.search(labels)
    units = used.metric.units if used is not None and used.metric else ""
    scale_known = not (
        number.kind in (BARE, MONEY)
        and "m" in units
        and abs(number.value) < 10_000
        and origin != "line"
        and (number.kind == BARE or not re.search(r"[€$£]|[A-Z]{3}", number.text))
    )
    return Figure(
        claim=None,
        place=Place(slide, None, quote),
        text=number.text,
        start=-1 if origin == "chart" else max(quote.find(number.text), 0),
        value=number.value,
        low=number.low,
        high=number.high,
        unit=number.unit,
        metric=metric,
        subject=used.text if used is not None else side.text,
        role=role,
        when=tuple(dict.fromkeys(times)),
        segment=frozenset(segment) | around.segment,
        modifiers=frozenset(modifiers),
        is_ours=ours,
        origin=origin,
        about=stems(t.word for label in (side, head) for t in tokens(label.text) if t.word[0].isalpha()),
        scale_known=scale_known,
    )


def _metric(
    number: Number, side: _Label, head: _Label, title: _Label, labels: str
) -> tuple[str, _Label | None]:
    """The metric of a cell and the label that names it: the row's, else the column's, else the slide's."""
    growth = number.kind == PERCENT and bool(_GROWTH.search(labels))
    for label in (side, head, title):
        if label is title and (
            side.rest - PLACES
            and not re.search(r"\b(?:by|per|split|breakdown|across|each)\b", title.text, re.I)
        ):
            continue
        if label.metric is None or (
            label is title and label.metric.metric in ("ask", "budget", "cost", "capex")
        ):
            continue
        if (
            fits(label.metric.units, number)
            or (growth and "p" not in label.metric.units)
            or (number.kind == BARE and label.metric.units != "t")
        ):
            return label.metric.metric, label
        if label is not title and number.kind == PERCENT and _SHARE.search(labels):
            return f"share of {label.metric.metric}", label
    words = [
        t.word
        for t in tokens(side.text)
        if t.word[0].isalpha() and t.word not in FUNCTION and t.word not in GENERIC
    ]
    words = [w for w in words if w not in MODIFIERS]
    return "label:" + " ".join(words) if words else "label:" + singular(side.text.strip()), side
