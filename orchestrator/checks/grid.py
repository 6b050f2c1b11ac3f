"""A table's figures as a grid: which cells hold one number and nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.rounding import is_rounded
from orchestrator.claims.dates import dates_in
from orchestrator.claims.numbers import Number, numbers_in
from orchestrator.deck.model import Table

_BESIDE = re.compile(r"[\s()\[\]+−–*†‡≈~¹²³]*")
"""What may stand in a cell beside its number: brackets, a sign, a mark of a footnote."""

LONGEST_CELL: Final = 40


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is one number: `low` to `high` are the values that its last digit allows."""

    row: int
    column: int
    text: str
    value: float
    low: float
    high: float
    unit: str | None
    is_rounded: bool = False  # nothing but the rounding of its last digit makes `low` and `high`


Line = tuple[Cell | None, ...]


def figures_of(table: Table) -> list[list[Cell | None]]:
    """Row by row the cells that hold one number and nothing else; None for all others."""
    return [
        [_cell(text, row, column) for column, text in enumerate(cells)]
        for row, cells in enumerate(table.rows)
    ]


def columns_of(grid: list[list[Cell | None]]) -> list[list[Cell | None]]:
    """The grid by columns; rows that are too short are filled up."""
    width = max((len(row) for row in grid), default=0)
    return [[row[at] if at < len(row) else None for row in grid] for at in range(width)]


def _cell(text: str, row: int, column: int) -> Cell | None:
    if len(text) > LONGEST_CELL or not any(char.isdigit() for char in text):
        return None
    numbers = numbers_in(text)
    if len(numbers) != 1 or dates_in(text):
        return None
    number = numbers[0]
    before, after = text[: number.start], text[number.end :]
    if not (_BESIDE.fullmatch(before) and _BESIDE.fullmatch(after)):
        return None
    return _signed(number, row, column, text, is_negative=_is_negative(before, after, number))


def _is_negative(before: str, after: str, number: Number) -> bool:
    """Accountants put what is taken off into brackets; a dash before a figure is a minus."""
    bracketed = before.strip().endswith("(") and after.strip().startswith(")")
    return number.value > 0 and (bracketed or before.strip()[-1:] in ("−", "–"))


def _signed(number: Number, row: int, column: int, text: str, *, is_negative: bool) -> Cell:
    plain = is_rounded(number, text)
    if is_negative:
        return Cell(row, column, text, -number.value, -number.high, -number.low, number.unit, plain)
    return Cell(row, column, text, number.value, number.low, number.high, number.unit, plain)
