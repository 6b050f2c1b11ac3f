"""A table's figures as a grid: which cells hold one number and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.material.checks.comparable import (
    Form,
    all_known,
    name_of,
    without_dots,
    written_form,
)
from orchestrator.material.checks.rounding import is_rounded
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.model.slide import Table

_BESIDE = re.compile(r"[\s()\[\]+−–*†‡≈~⁰¹²³⁴-⁹]*")
"""Signs that may stand in a cell beside its number: brackets, a sign, a mark of a footnote."""

_PERCENT = re.compile(r"[%\uff05\u066a\ufe6a]")

LONGEST_CELL: Final = 40  # characters; a longer cell is a sentence


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is one number, which may be off by `slack` as it is worded or rounded."""

    row: int
    column: int
    text: str
    value: float
    slack: float  # infinite where it is open: "> 40"
    unit: str | None  # or the noun that is counted, or the unit of measure
    is_rounded: bool  # nothing but the rounding of its last digit makes the slack
    is_plain: bool  # a whole number without a unit, as of people or visits


UNREAD: Final = "?"
"""The unit of a cell that has a figure which is not read as one number: it fits no other cell."""

Line = Sequence[Cell | None]


def figures_of(table: Table) -> list[Line]:
    """Row by row the cells that hold one number and nothing else; None for those without a figure.

    A figure that is not read, as "less 30" or a year among amounts, is a cell of the unit `UNREAD`,
    so that no sum is tried as if it were not there. Headings and labels are None then.
    """
    form = written_form("\n".join("\n".join(row) for row in table.rows))
    return [
        [
            _cell(text, row, column, form, _is_rate(table, row, column)) or _unread(text, row, column)
            for column, text in enumerate(cells)
        ]
        for row, cells in enumerate(table.rows)
    ]


def _unread(text: str, row: int, column: int) -> Cell | None:
    is_figure = len(text) <= LONGEST_CELL and any(map(str.isdecimal, text))
    return Cell(row, column, text, 0.0, 0.0, UNREAD, False, False) if row and column and is_figure else None


def _is_rate(table: Table, row: int, column: int) -> bool:
    """Whether the heading of a cell's column or the label of its row says that it is in percent."""
    heading = table.rows[0][column] if row and column < len(table.rows[0]) else ""
    label = table.rows[row][0] if column else ""
    return any(_PERCENT.search(one) and not numbers_in(one) for one in (heading, label))


def columns_of(grid: Sequence[Line]) -> list[Line]:
    """The grid by columns; rows that are too short are filled up."""
    width = max((len(row) for row in grid), default=0)
    return [[row[at] if at < len(row) else None for row in grid] for at in range(width)]


def _cell(shown: str, row: int, column: int, form: Form, is_rate: bool) -> Cell | None:
    if len(shown) > LONGEST_CELL or not any(char.isdigit() for char in shown):
        return None
    text = without_dots(shown) if form.has_dots else shown
    numbers = numbers_in(text)
    if len(numbers) != 1 or dates_in(text) or "△" in text or not all_known(text, numbers, form):
        return None
    number = numbers[0]
    before, after = text[: number.start].strip(), text[number.end :].strip()
    noun = number.noun if number.unit is None else None
    after = after.removeprefix(noun or "").strip()  # "310 sites"
    if not (_BESIDE.fullmatch(before) and _BESIDE.fullmatch(after)):
        return None
    # Accountants put what is taken off into brackets; a dash before a figure is a minus.
    is_negative = (before.endswith("(") and after.startswith(")")) or before.endswith(("−", "–"))
    value = -number.value if is_negative and number.value > 0 else number.value
    slack = (number.high - number.low) / 2
    unit = number.unit or (noun and name_of(text, number)) or ("%" if is_rate else None)
    is_count = number.unit is None and number.value == int(number.value)
    return Cell(row, column, shown, value, slack, unit, is_rounded(number, text), is_count)
