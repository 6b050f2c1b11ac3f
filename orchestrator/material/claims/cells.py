"""Claims that tables and charts make: a cell with its row and column, a series with its ends."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import Number, cell_number, numbers_in
from orchestrator.material.model.claim import Quantity
from orchestrator.material.model.slide import Chart, Table

MOST_CELLS: Final = 24
"""Claims of one table: more would crowd out the page's others; the arithmetic reads the table itself."""
_LONGEST_CELL: Final = 60  # characters; a longer cell is a sentence
_MONEY = r"[^\s\d]{0,2}[€$£¥][^\s\d]{0,2}"  # "€m", "k$"
_UNIT_PLACES = re.compile(
    r"[(\[]([^)\]]{1,20})[)\]]|\bin\s([^\s,;)]{1,12}(?:\s[^\s,;)]{1,12})?)\s*$"
    rf"|(?<!\S)({_MONEY})\s*$|(?<!\d)(?<!\d\s)(%)"  # of "EBITDA 20% lower" the % is the figure's own
)

Found = tuple[str, tuple[Quantity, ...]]
"""Text and quantities of one claim."""


def table_assertions(table: Table) -> Iterator[Found]:
    """Each cell that is a number beside a label or under a heading, at most `MOST_CELLS`.

    Its subject is the row's label, its period a date in the column's heading or in the label,
    its unit its own, or the one that heading or label names: "Revenue (€m)"; else the money that
    stands alone in the table's corner, unless the label has a unit.
    """
    cells = (
        (cell, row[0].strip(), table.rows[0][column].strip() if at and column < len(table.rows[0]) else "")
        for at, row in enumerate(table.rows)
        for column, cell in enumerate(row[1:], start=1)
    )
    corner = table.rows[0][0].strip() if table.rows and table.rows[0] else ""
    money = corner if re.fullmatch(_MONEY, corner) else ""
    found = ((cell.strip(), _quantity(cell, label, heading, money)) for cell, label, heading in cells)
    return itertools.islice(((text, (one,)) for text, one in found if one is not None), MOST_CELLS)


def _quantity(cell: str, label: str, heading: str, money: str) -> Quantity | None:
    if len(cell) > _LONGEST_CELL or not any(char.isdigit() for char in cell) or dates_in(cell):
        return None
    number = cell_number(cell)
    if number is None or not (label or heading):
        return None
    if number.unit is None:
        corner = "" if _UNIT_PLACES.search(label) else money
        with_units = (_with_unit(number, text) for text in (heading, label, corner))
        number = next((one for one in with_units if one is not None), number)
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
                # Rounded: a third of a cent is noise of the multiplication, and would be shown.
                return number._replace(
                    value=round(number.value * read[0].value, 6), unit=read[0].unit, noun=None
                )
    return None


def chart_assertions(chart: Chart) -> Iterator[Found]:
    """Each series by its name, or by the chart's title where it is the only one.

    Its quantities are the first and the last value with their categories; since a chart
    shows no words for them, `Quantity.text` is the value as it is stored in the deck.
    """
    for series in chart.series:
        text = chart.title if chart.title and len(chart.series) == 1 else series.name
        points = [(at, value) for at, value in enumerate(series.values) if value is not None]
        if not text.strip() or not points:
            continue
        factor, unit = (100, "%") if series.percent else (1, None)
        yield (
            text.strip(),
            tuple(
                Quantity(
                    factor * value,
                    unit,
                    chart.categories[at] if at < len(chart.categories) else None,
                    series.name or chart.title,
                    f"{value:.15g}",
                )
                for at, value in dict.fromkeys((points[0], points[-1]))
            ),
        )
