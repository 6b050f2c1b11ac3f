"""Tables whose total is not the sum of what stands above it or beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.asks import ASK, USES
from orchestrator.checks.grid import EMPTY, NUMBER, Cell, grid, one_unit
from orchestrator.checks.rounding import rounding
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Slide, Table

_TOTAL_WORDS: Final = (
    r"totals?|sum|sum total|grand total|overall|in total|all|altogether|gesamt|gesamtsumme|summe|insgesamt|"
    r"totaal|"
    r"somme|totale|suma|razem|total général|разом|всього|итого|всего|合計|总计|total ask|total cost"
)
_TOTAL = re.compile(
    rf"^\W*(?:(?:grand|overall|group|project|programme|program|budget|net)\s+)?(?:{_TOTAL_WORDS})\b",
    re.IGNORECASE,
)
_TOTAL_BEHIND = re.compile(r"\b(?:total|gesamt|altogether)\W*(?:\([^)]*\))?\W*$", re.IGNORECASE)
_SUBTOTAL = re.compile(r"\bsub-?\s?totals?\b|\bzwischensumme\b|\bsous-total\b", re.IGNORECASE)
_PLAIN_TOTAL = re.compile(
    rf"^\W*(?:{_TOTAL_WORDS})\W*(?:\([^)]*\)|in .*|€.*|EUR.*|USD.*)?\W*$", re.IGNORECASE
)
_PART_OF = re.compile(
    r"^\W*(?:of which|thereof|davon|dont|incl\.?|including|o/w|whereof|memo)\b|^\s*[-–•↳]\s+\S", re.IGNORECASE
)
_NO_PART = re.compile(
    r"\b(?:average|avg\.?|mean|median|rate|ratio|margin|growth|change|target|benchmark|index|score|"
    r"nps|per (?:customer|user|unit|head|site|month|employee)|cumulative|running|year to date|ytd|yoy|plan|"
    r"budgeted|"
    r"variance|delta|difference|min|max|previous|prior|last year)\b|Δ|%|\bØ",
    re.IGNORECASE,
)
_NO_SUM_COLUMN = re.compile(
    r"\b(?:average|avg\.?|mean|median|rate|ratio|margin|growth|change|index|score|nps|csat|per|each|unit "
    r"price|price|"
    r"unique|distinct|cumulative|running|year|date|age|rank|id|phase|version|day|temperature|uptime|"
    r"utili[sz]ation|"
    r"capacity used|duration|weeks|months|days|hours|start|end|priority|probability|likelihood|impact|"
    r"headroom)\b|"
    r"^\W*(?:#|no\.?|nr\.?)\W*$|Ø|Δ|\bvs\b",
    re.IGNORECASE,
)
_SHARE_COLUMN = re.compile(
    r"\b(?:share|split|mix|weight|allocation|portion|proportion)\b|% of|of total", re.IGNORECASE
)
_TAKEN_OFF = re.compile(
    r"\b(?:less|minus|costs?|expenses?|cogs|opex|spend|churn(?:ed)?|lost|discounts?|refunds?|tax(?:es)?|"
    r"depreciation|"
    r"returns|cancelled|leavers|grants?|subsid\w+|credits?|write-?offs?|deductions?|contingency released)\b",
    re.IGNORECASE,
)
_NO_FLOW = re.compile(
    r"\b(?:customers|users|members|subscribers|headcount|employees|staff|ftes?|arr|mrr|cash|balance|debt|"
    r"backlog|"
    r"pipeline|nps|sites|stores|installed|active|open|stock|inventory|runway|team|assets|share)\b",
    re.IGNORECASE,
)
_PLAIN_GAP: Final = 0.6  # how far off, of the larger of the two, a row called "Total" may be
_NAMED_GAP: Final = 0.3  # the same for "Total revenue", which may name a figure of its own
_MOST_PARTS: Final = 60


@dataclass(frozen=True, slots=True)
class _Sum:
    """A total, its parts, and the label that calls it a total."""

    total: Cell
    label: str
    parts: tuple[Cell, ...]
    labels: tuple[str, ...]


def table_sums(slide: Slide) -> Iterator[Tension]:
    """Rows and columns that are called a total and are not the sum of their parts."""
    for table in slide.tables:
        if len(table.rows) < 2 or len(table.rows) > _MOST_PARTS:
            continue
        exact = _hands_out(slide, table)
        yield from _down(slide, table, exact=exact)
        yield from _across(slide, table, exact=exact)


def is_total(label: str) -> bool:
    """The label of a row or column says that it is a sum, and no subtotal."""
    if _SUBTOTAL.search(label):
        return False
    return bool(_TOTAL.match(label) or _TOTAL_BEHIND.search(label)) and not _NO_PART.search(
        re.sub(r"%|\(.*?\)", "", label)
    )


def is_no_sum_column(head: str) -> bool:
    """The header names what does not add up: a mean, a rate, a price, a date."""
    return _NO_SUM_COLUMN.search(head) is not None or _NO_PART.search(head) is not None


def _hands_out(slide: Slide, table: Table) -> bool:
    """The table says how an amount is to be spent: nothing there was measured, so nothing was rounded."""
    heads = (slide.title, slide.section or "", table.rows[0][0])
    return any(USES.search(head) or ASK.search(head) for head in heads)


def _down(slide: Slide, table: Table, *, exact: bool) -> Iterator[Tension]:
    rows, header = grid(table), table.rows[0]
    labels = [row[0].text for row in rows]
    totals = [i for i, label in enumerate(labels) if is_total(label)]
    if not totals:
        return
    for column in range(1, len(header)):
        if _NO_SUM_COLUMN.search(header[column]):
            continue
        cells = [row[column] for row in rows]
        for i in totals:
            if cells[i].sort == NUMBER and (found := _against_rows(i, totals, cells, labels, exact=exact)):
                yield from _tension(slide, found, header[column])


def _against_rows(
    i: int, totals: list[int], cells: list[Cell], labels: list[str], *, exact: bool
) -> _Sum | None:
    """The total in row *i* with its parts, if no reading of the rows makes it add up."""
    first = i == 0 and len(totals) == 1
    rows = range(1, len(cells)) if first else range(i)
    subtotals = [j for j in rows if _SUBTOTAL.search(labels[j]) or j in totals]
    leaves = [
        j
        for j in rows
        if j not in subtotals and not _PART_OF.match(labels[j]) and not _NO_PART.search(labels[j])
    ]
    since = [j for j in leaves if not subtotals or j > max(subtotals)]
    readings = [r for r in (leaves, since, subtotals, subtotals + since, list(rows)) if len(r) > 1]
    readings += [[j for j in leaves if j not in _sums_of_neighbours(leaves, cells)]]
    if not leaves or any(
        _adds_up(cells[i], [cells[j] for j in r], exact=exact) for r in readings if len(r) > 1
    ):
        return None
    parts = since if subtotals and len(since) > 1 else leaves
    return _sum_of(cells[i], labels[i], [cells[j] for j in parts], [labels[j] for j in parts])


def _sums_of_neighbours(rows: list[int], cells: list[Cell]) -> set[int]:
    """Rows that are the sum of the two or more right below or above them: subtotals without the name."""
    found: set[int] = set()
    for at, row in enumerate(rows):
        for step in (1, -1):
            for length in range(2, 8):
                near = rows[at + 1 : at + 1 + length] if step > 0 else rows[max(0, at - length) : at]
                if (
                    len(near) == length
                    and cells[row].value
                    and _adds_up(cells[row], [cells[j] for j in near])
                ):
                    found.add(row)
    return found


def _across(slide: Slide, table: Table, *, exact: bool) -> Iterator[Tension]:
    header = table.rows[0]
    totals = [c for c in range(1, len(header)) if is_total(header[c])]
    if len(totals) != 1 or len(header) < 4:
        return
    total = totals[0]
    columns = [c for c in range(1, len(header)) if c != total and not _NO_PART.search(header[c])]
    columns = [c for c in columns if c < total] if total > 1 else columns
    for row in grid(table):
        label = row[0].text
        if _NO_PART.search(label) or _NO_SUM_COLUMN.search(label) or row[total].sort != NUMBER:
            continue
        used = [c for c in columns if row[c].sort in (NUMBER, EMPTY)]
        cells = [row[c] for c in used]
        numbers = [c.value for c in cells if c.sort == NUMBER]
        if len(used) < len(columns) or not numbers or _adds_up(row[total], cells, exact=exact):
            continue
        if _NO_FLOW.search(label) and row[total].value in (numbers[-1], max(numbers)):
            continue  # "Total" of a stock is where it stands at the end
        if found := _sum_of(row[total], header[total], cells, [header[c] for c in used]):
            yield from _tension(slide, found, label)


def _sum_of(total: Cell, label: str, parts: list[Cell], labels: list[str]) -> _Sum | None:
    """None where something is missing, of another unit, or off by so much that it is no such sum."""
    if len(parts) < 2 or any(part.sort != NUMBER for part in parts) or not one_unit([total, *parts]):
        return None
    if any(_TAKEN_OFF.search(name) for name in labels) and not all(
        _TAKEN_OFF.search(name) for name in labels
    ):
        signed = [c.value * (-1 if _TAKEN_OFF.search(n) else 1) for c, n in zip(parts, labels, strict=True)]
        if abs(sum(signed) - total.value) <= _allowed(total, parts):
            return None
    whole = sum(part.value for part in parts)
    gap = _PLAIN_GAP if _PLAIN_TOTAL.match(label) else _NAMED_GAP
    if abs(whole - total.value) > gap * max(abs(whole), abs(total.value)):
        return None
    return _Sum(total, label, tuple(parts), tuple(labels))


def _adds_up(total: Cell, parts: Sequence[Cell], *, exact: bool = False) -> bool:
    return abs(sum(part.value for part in parts) - total.value) <= _allowed(total, parts, exact=exact)


def _allowed(total: Cell, parts: Sequence[Cell], *, exact: bool = False) -> float:
    """What rounding can explain: nothing where things are counted or a plan hands out an amount."""
    cells = [c for c in (total, *parts) if c.sort == NUMBER]
    counted = all(c.amount is not None and c.amount.is_count and not c.amount.scaled for c in cells)
    if exact or (counted and all(c.half == 0.5 for c in cells)):
        return 1e-6 * max(1.0, abs(total.value))
    return rounding([c.half for c in cells])


def _tension(slide: Slide, found: _Sum, head: str) -> Iterator[Tension]:
    share = _SHARE_COLUMN.search(head) or (found.total.amount is not None and found.total.amount.unit == "%")
    whole = sum(part.value for part in found.parts)
    if share and not 90 <= found.total.value <= 110:
        return
    written = " + ".join(part.text for part in found.parts)
    note = (
        f"{_named(found.label, head)} is given as {found.total.text}, but its parts "
        f"({written}) add up to {as_written(whole, found.total)}."
    )
    yield Tension(
        "sum",
        Place(slide.number, None, found.total.text),
        Place(slide.number, None, found.parts[-1].text),
        note,
    )


def _named(label: str, head: str) -> str:
    return f"{label.strip()} ({head.strip()})" if head.strip() else label.strip()


def as_written(value: float, like: Cell) -> str:
    """*value* in the scale in which the cell writes its own number."""
    if like.amount is None:
        return f"{value:g}"
    scale = 1.0
    digits = re.search(r"\d[\d.,’']*", like.text)
    if digits and like.amount.scaled:
        plain = float(re.sub(r"[^\d.]", "", digits[0]) or 0)
        scale = abs(like.amount.value) / plain if plain else 1.0
    return f"{round(value / scale, 6):,.10g}"
