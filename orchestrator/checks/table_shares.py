"""Rows of a table that hold a whole, a part and the part's share."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.checks.grid import NUMBER, Cell, grid
from orchestrator.checks.passages import shown
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck, Slide, Table

_SHARE = re.compile(
    r"^\W*(?:share|%|in %|per ?cent|percentage|ratio|rate|quota|proportion|% of .*|(?:share|rate) .*|\w+ "
    r"rate)\W*$",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?:of which|of whom|of them|thereof|those (?:that|who|which|with)|davon)\b", re.IGNORECASE
)
_CHANGE = re.compile(r"\b(?:growth|change|target|last|previous|margin|increase)\b|Δ", re.IGNORECASE)


def table_shares(deck: Deck) -> Iterator[Tension]:
    """Shares that are not part ÷ whole, where a header says so or the other rows of the table show it."""
    for slide in shown(deck):
        for table in slide.tables:
            yield from _of_table(slide, table)


def _of_table(slide: Slide, table: Table) -> Iterator[Tension]:
    if len(table.rows) < 2:
        return
    header, rows = table.rows[0], grid(table)
    shares = [i for i, head in enumerate(header) if _SHARE.match(head) and not _CHANGE.search(head)]
    numbers = [i for i in range(len(header)) if i not in shares and all(_is_count(row[i]) for row in rows)]
    if len(shares) != 1 or len(numbers) != 2:
        return
    share, (first, second) = shares[0], numbers
    named = [i for i in numbers if _PART.search(header[i])]
    part, whole = (named[0], first + second - named[0]) if len(named) == 1 else (second, first)
    if not named and all(row[first].value <= row[second].value for row in rows):
        part, whole = first, second
    wrong = [row for row in rows if _fits(row[part], row[whole], row[share]) is False]
    right = [row for row in rows if _fits(row[part], row[whole], row[share])]
    if not wrong or not (named or len(right) > max(1, len(wrong))):
        return
    for row in wrong:
        ratio = 100 * row[part].value / row[whole].value
        note = f"{row[part].text} of {row[whole].text} is {ratio:.3g}%, not {row[share].text}."
        yield Tension(
            "share",
            Place(slide.number, None, row[share].text),
            Place(slide.number, None, row[part].text),
            note,
        )


def _is_count(cell: Cell) -> bool:
    return cell.sort == NUMBER and cell.amount is not None and cell.amount.is_count and cell.value >= 0


def _fits(part: Cell, whole: Cell, share: Cell) -> bool | None:
    """None where the row does not say all three, or the part exceeds the whole."""
    if (
        share.sort != NUMBER
        or share.amount is None
        or share.amount.unit not in ("%", None)
        or whole.value <= 0
    ):
        return None
    if part.value > whole.value:
        return None
    return abs(100 * part.value / whole.value - share.value) <= 2 * share.half + 1e-9
