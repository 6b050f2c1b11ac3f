"""Claims that tables and charts make: a cell with its row and column, a series with its ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from orchestrator.claims.kinds import kinds_of
from orchestrator.claims.model import Quantity
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import measure
from orchestrator.currencies import CODES_IN_HEADERS
from orchestrator.deck.model import Chart, Series, Table

MOST_CELLS: Final = 24
"""Claims of one table; what comes after is for the cross-checks, which read the table itself."""

_BARE = re.compile(
    r"[~≈<>]?\s?[-−(]?\d{1,3}(?:[,’'\u00a0]\d{3})+(?:\.\d+)?\)?|[~≈<>]?\s?[-−(]?\d+(?:\.\d+)?\)?",
)
_UNIT_IN_HEADER = re.compile(rf"[%€£$¥]|\b(?:{CODES_IN_HEADERS}|percent|pct)\b")
_SCALE_IN_HEADER = re.compile(
    r"\b(?:in )?(?P<word>thousands?|millions?|billions?)\b|[€£$]\s?(?P<letter>k|K|m|M|bn|B)\b",
)
_SCALES: Final = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "b": 1e9, "bn": 1e9}
_CURRENCIES: Final = {"€": "EUR", "£": "GBP", "$": "USD", "¥": "JPY", "percent": "%", "pct": "%"}
_ORDER_HEADER = re.compile(
    r"^\W*(?:#|no\.?|nr\.?|id|rank|step|phase|year|date|page|slide|version|priority)?\W*$",
    re.IGNORECASE,
)

Found = tuple[str, tuple[str, ...], tuple[Quantity, ...]]
"""Text, kinds and quantities of one claim."""


def table_assertions(table: Table, *, english: bool) -> Iterator[Found]:
    """Each cell that holds a quantity, at most `MOST_CELLS`, and each that is a sentence making a claim.

    A bare number counts where its row has a label; its subject is that label, its period a
    time in the column's header or in the label, its unit what header or label says.
    """
    if not table.rows:
        return
    header, found = table.rows[0], 0
    for row_number, row in enumerate(table.rows):
        label = row[0].strip() if row else ""
        for column, cell in enumerate(row):
            if found == MOST_CELLS:
                return
            if not any(char.isdigit() for char in cell):
                continue
            head = header[column].strip() if row_number and column < len(header) else ""
            own_label = label if column else ""
            if assertion := _cell(cell, own_label, head, english=english):
                found += 1
                yield assertion


def _cell(cell: str, label: str, head: str, *, english: bool) -> Found | None:
    quantities = tuple(measured.quantity for measured in measure(cell, english=english))
    if not quantities and label and not _ORDER_HEADER.match(head) and _BARE.fullmatch(cell.strip()):
        quantities = (_bare(cell.strip(), label, head),)
    if not quantities:
        return None
    period = next((p.text for text in (head, label) for p in find_periods(text)), None)
    quantities = tuple(
        replace(q, subject=label or q.subject, period=q.period or period) if label else q for q in quantities
    )
    kinds = kinds_of(cell, quantities, find_periods(cell) if english else (), english=english)
    if not label and len(cell.split()) < 3:
        return None  # a number that only its neighbours explain
    return (cell.strip(), kinds, quantities) if kinds else None


def _bare(cell: str, label: str, head: str) -> Quantity:
    negative = cell.lstrip("~≈<> ").startswith(("-", "−", "("))
    value = float(re.sub(r"[^\d.]", "", cell)) * (-1 if negative else 1)
    unit = factor = None
    for text in (head, label):
        if unit is None and (sign := _UNIT_IN_HEADER.search(text)):
            unit = _CURRENCIES.get(sign[0], sign[0])
        if factor is None and (scale := _SCALE_IN_HEADER.search(text)):
            factor = _SCALES[(scale["word"] or scale["letter"]).lower().rstrip("s")]
    return Quantity(value * (factor or 1.0), unit, None, label, cell)


def chart_assertions(chart: Chart) -> Iterator[Found]:
    """Each series by its name, or by the chart's title where it is the only one.

    Its quantities are the first and the last value with their categories; since a chart
    shows no words for them, `Quantity.text` is the value as it is stored in the deck.
    """
    for series in chart.series:
        text = chart.title if chart.title and len(chart.series) == 1 else series.name
        points = [(i, value) for i, value in enumerate(series.values) if value is not None]
        if not text.strip() or not points:
            continue
        ends = [points[0]] if len(points) == 1 else [points[0], points[-1]]
        quantities = tuple(_point(chart, series, index, value) for index, value in ends)
        over_time = len(ends) == 2 and bool(find_periods(chart.categories[0] if chart.categories else ""))
        kinds = ("growth",) if over_time else ("percent",) if series.percent else ("count",)
        yield text.strip(), kinds, quantities


def _point(chart: Chart, series: Series, index: int, value: float) -> Quantity:
    category = chart.categories[index] if index < len(chart.categories) else None
    subject = series.name or chart.title
    if series.percent:
        return Quantity(100 * value, "%", category, subject, f"{value:g}")
    return Quantity(value, None, category, subject, f"{value:g}")
