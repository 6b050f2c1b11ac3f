"""Claims that tables and charts make: a cell with its row and column, a series with its ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.claims.dates import dates_in
from orchestrator.claims.measured import kinds_of
from orchestrator.claims.model import Quantity
from orchestrator.claims.numbers import Number, cell_number, numbers_in
from orchestrator.deck.model import Chart, Series, Table

MOST_CELLS: Final = 24
"""Claims of one table; the arithmetic reads the table itself."""
_LONGEST_CELL: Final = 60
_UNIT_PLACES = re.compile(r"[(\[]([^)\]]{1,20})[)\]]|\bin\s([^\s,;)]{1,12}(?:\s[^\s,;)]{1,12})?)\s*$|(%)")

Found = tuple[str, tuple[str, ...], tuple[Quantity, ...]]
"""Text, kinds and quantities of one claim."""


def table_assertions(table: Table) -> Iterator[Found]:
    """Each cell that is a number beside a label or under a heading, at most `MOST_CELLS`.

    Its subject is the row's label, its period a date in the column's heading or in the label,
    its unit its own, or the one that heading or label names: "Revenue (€m)".
    """
    found = 0
    for row_number, row in enumerate(table.rows):
        label = row[0].strip() if row else ""
        for column, cell in enumerate(row[1:], start=1):
            heading = table.rows[0][column] if row_number and column < len(table.rows[0]) else ""
            quantity = _quantity(cell, label, heading.strip())
            if quantity is None:
                continue
            yield cell.strip(), kinds_of((quantity,), has_date=False), (quantity,)
            found += 1
            if found == MOST_CELLS:
                return


def _quantity(cell: str, label: str, heading: str) -> Quantity | None:
    if len(cell) > _LONGEST_CELL or not any(char.isdigit() for char in cell) or dates_in(cell):
        return None
    number = cell_number(cell)
    if number is None or not (label or heading):
        return None
    if number.unit is None:
        number = next(
            (with_unit for text in (heading, label) if (with_unit := _with_unit(number, text))), number
        )
    dates = [date.text for text in (heading, label) for date in dates_in(text)]
    unit = number.unit or number.noun
    return Quantity(number.value, unit, dates[0] if dates else None, label or heading, number.text)


def _with_unit(number: Number, heading: str) -> Number | None:
    """The number with the unit and magnitude of its heading: "Costs (EUR thousand)", "Share in %"."""
    for match in _UNIT_PLACES.finditer(heading):
        words = next(group for group in match.groups() if group)
        for one in (f"1 {words}", f"1 {' '.join(reversed(words.split()))}"):
            read = numbers_in(one)
            if len(read) == 1 and read[0].text == one and read[0].unit:
                factor = read[0].value
                return number._replace(value=number.value * factor, unit=read[0].unit, noun=None)
    return None


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
        yield text.strip(), kinds_of(quantities, has_date=False), quantities


def _point(chart: Chart, series: Series, index: int, value: float) -> Quantity:
    category = chart.categories[index] if index < len(chart.categories) else None
    subject = series.name or chart.title
    if series.percent:
        return Quantity(100 * value, "%", category, subject, f"{value:g}")
    return Quantity(value, None, category, subject, f"{value:g}")
