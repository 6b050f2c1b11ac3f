"""A table's figures as a grid: which cells hold one number and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.comparable import all_known, name_of
from orchestrator.checks.rounding import is_rounded
from orchestrator.claims.dates import dates_in
from orchestrator.claims.numbers import numbers_in
from orchestrator.model.slide import Table

_BESIDE = re.compile(r"[\s()\[\]+−–*†‡≈~¹²³]*")
"""Signs that may stand in a cell beside its number: brackets, a sign, a mark of a footnote."""

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


Line = Sequence[Cell | None]


def figures_of(table: Table) -> list[Line]:
    """Row by row the cells that hold one number and nothing else; None for all others."""
    unsure = _unsure(table)
    return [
        [
            None if unsure and unsure.fullmatch(text.strip()) else _cell(text, row, column)
            for column, text in enumerate(cells)
        ]
        for row, cells in enumerate(table.rows)
    ]


_COMMAS = re.compile(r"(?<![\d,.])(?:\d+,\d{1,2}|0,\d+)(?![\d,.])", re.ASCII)
_ONE_COMMA = re.compile(r"[^\d,.]*\d{1,3},\d{3}[^\d,.]*", re.ASCII)
_ONE_DOT = re.compile(r"[^\d,.]*[1-9]\d{0,2}\.\d{3}[^\d,.]*", re.ASCII)
_SMALL_WHOLE = re.compile(r"(?m)^\D*\d{1,3}[^\d%]*$", re.ASCII)
_OTHER_DECIMALS = re.compile(r"(?<![\d,.])\d+\.(?:\d{1,2}|\d{4,})(?![\d,.])|(?<![\d.])0\.\d", re.ASCII)


def _unsure(table: Table) -> re.Pattern[str] | None:
    """The form of cells that may be thousands or thousandths: "1,125" beside "0,9", "850.000" beside "700"."""
    text = "\n".join("\n".join(row[1:]) for row in table.rows)
    if _COMMAS.search(text):
        return _ONE_COMMA
    is_mixed = _SMALL_WHOLE.search(text) is not None and _OTHER_DECIMALS.search(text) is None
    return _ONE_DOT if is_mixed else None


def columns_of(grid: Sequence[Line]) -> list[Line]:
    """The grid by columns; rows that are too short are filled up."""
    width = max((len(row) for row in grid), default=0)
    return [[row[at] if at < len(row) else None for row in grid] for at in range(width)]


def _cell(text: str, row: int, column: int) -> Cell | None:
    if len(text) > LONGEST_CELL or not any(char.isdigit() for char in text):
        return None
    numbers = numbers_in(text)
    if len(numbers) != 1 or dates_in(text) or "△" in text or not all_known(text, numbers):
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
    unit = number.unit or (noun and name_of(text, number))
    is_count = number.unit is None and number.value == int(number.value)
    return Cell(row, column, text, value, slack, unit, is_rounded(number, text), is_count)
