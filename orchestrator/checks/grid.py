"""A table as numbers: what each cell holds, in the unit that its header or its row's label names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.claims.units import is_currency
from orchestrator.deck.model import Table

NUMBER: Final = "number"
EMPTY: Final = "empty"  # nothing, a dash, "n/a", "tbd": not known, or not written
VAGUE: Final = "vague"  # "~3", "10-12", "<1", "20+"
WORDS: Final = "words"

_EMPTY = re.compile(r"\W*(?:n\.?/?a\.?|tb[cda]|none|nil|open|pending|k\.?a\.?)?\W*", re.IGNORECASE)
_NEGATIVE = re.compile(r"^\s*\(.*\)\s*$|^\s*[-−–]\s*[€$£]?\s?\d")
_AROUND_NUMBER = re.compile(r"[\s\d.,’'()*†+%€£$¥~≈<>≤≥−–-]|[kKmMbB]n?\b|\b[A-Z]{3}\b")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what sort of thing it is, and its number where it is one."""

    sort: str
    text: str
    amount: Amount | None = None

    @property
    def value(self) -> float:
        """The number, negative where the cell writes it in brackets or with a minus."""
        if self.amount is None:
            return 0.0
        return -abs(self.amount.value) if _NEGATIVE.match(self.text) else self.amount.value

    @property
    def half(self) -> float:
        return self.amount.half if self.amount else 0.0


def cell(text: str) -> Cell:
    """What one cell holds. Only a cell that is a number and its unit counts as a number."""
    stripped = text.strip()
    if _EMPTY.fullmatch(stripped):
        return Cell(EMPTY, stripped)
    found = amounts(stripped)
    if len(found) != 1 or not _is_only(stripped, found[0]):
        return Cell(VAGUE if found and any(a.vague for a in found) else WORDS, stripped)
    return Cell(VAGUE if found[0].vague else NUMBER, stripped, found[0])


def grid(table: Table) -> tuple[tuple[Cell, ...], ...]:
    """The rows below the header, each as long as the header."""
    width = len(table.rows[0]) if table.rows else 0
    return tuple(
        tuple(cell(row[column]) if column < len(row) else Cell(EMPTY, "") for column in range(width))
        for row in table.rows[1:]
    )


def one_unit(cells: list[Cell]) -> bool:
    """The numbers of these cells are of one unit; a bare one goes with any currency or percent."""
    units = {c.amount.unit for c in cells if c.amount is not None}
    nouns = {_last(c.amount.noun) for c in cells if c.amount is not None and c.amount.noun}
    if len(units - {None}) > 1 or len(nouns) > 1:
        return False
    scaled = {c.amount.scaled for c in cells if c.amount is not None and c.value}
    money = any(is_currency(unit) for unit in units)
    return len(units) == 1 if money or "%" in units else (len(units) == 1 and len(scaled) <= 2)


def _last(noun: str) -> str:
    return noun.lower().rsplit(" ", 1)[-1]


def _is_only(text: str, amount: Amount) -> bool:
    rest = text[: amount.start] + text[amount.end :]
    return len(_AROUND_NUMBER.sub("", rest)) <= 1
