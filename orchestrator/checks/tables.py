"""Tables by structure: a line that is the sum or the difference of others everywhere but in one place.

No words are read but one: with a single column of figures, the last line must be labelled a total.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.grid import Cell, columns_of, figures_of
from orchestrator.checks.rounding import slack_of
from orchestrator.checks.written import number_text
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Table

_TOTAL = re.compile(r"\W*(?:grand )?(?:total|sum|overall|all together|altogether)\b", re.IGNORECASE)
"""The word for a total; of a label only its beginning counts."""

_MOST_LINES: Final = 60
"""Rows or columns; a table beyond that is read by nobody, and pairs of lines would take seconds."""

_LEAST_EVIDENCE: Final = 3.0
"""Powers of ten against chance, of all places that agree: two with two digits each would be luck."""

_LEAST_PLACES: Final = 3
"""Where no label names a total: two places that agree, and one that does not."""

_FARTHEST: Final = 2.0
"""A total that is half or twice its parts is one of something else."""


@dataclass(frozen=True, slots=True)
class _Relation:
    """Line `target` is the sum of `parts`, of which the one in `minus` is taken off."""

    target: int
    parts: tuple[int, ...]
    minus: int | None = None


def table_tensions(table: Table, slide: int) -> Iterator[Tension]:
    """The one wrong place of each sum that a table shows."""
    grid = figures_of(table)
    columns = columns_of(grid)
    if len(grid) > _MOST_LINES or len(columns) > _MOST_LINES:
        return
    labels = [row[0] if row else "" for row in table.rows]
    told: set[tuple[int, int]] = set()
    for by_rows, lines in ((True, grid), (False, columns)):
        for relation, wrong in _broken(lines, labels if by_rows else None):
            cells = [lines[at][wrong] for at in (*relation.parts, relation.target)]
            places = {(cell.row, cell.column) for cell in cells if cell is not None}
            if not places & told:
                told |= places
                yield _tension(table, slide, relation, [cell for cell in cells if cell is not None])


def _broken(
    lines: Sequence[Sequence[Cell | None]], labels: Sequence[str] | None
) -> Iterator[tuple[_Relation, int]]:
    """Relations that hold in all places but one, and that place."""
    width = max((len(line) for line in lines), default=0)
    for relation in _relations(lines):
        named = labels is not None and _is_total(relation, lines, labels)
        if not named and width < _LEAST_PLACES:
            continue
        places = [(at, cells) for at in range(width) if (cells := _cells(relation, lines, at))]
        sums = [(at, _sum(relation, cells, len(places))) for at, cells in places]
        evidence = [one.evidence for _, one in sums if one.holds and not one.is_empty]
        held, failed = len(evidence), [(at, one) for at, one in sums if not one.holds]
        if len(failed) != 1 or not failed[0][1].is_near:
            continue
        enough = held >= 2 and sum(evidence) >= _LEAST_EVIDENCE + math.log10(len(lines))
        is_all = held >= 1 or (_is_only_column(lines) and failed[0][1].is_complete)
        alone = named and relation.minus is None and is_all
        if enough or (alone and not _explained(relation, lines, failed[0][0])):
            yield relation, failed[0][0]


def _relations(lines: Sequence[Sequence[Cell | None]]) -> Iterator[_Relation]:
    """Each line as the sum of those beside it, or as the difference of two lines."""
    filled = [at for at, line in enumerate(lines) if any(cell is not None for cell in line)]
    for target in range(len(filled)):
        for first in range(target - 1):
            yield _Relation(filled[target], tuple(filled[first:target]))
        for last in range(target + 3, len(filled) + 1):
            yield _Relation(filled[target], tuple(filled[target + 1 : last]))
    for target, one, other in _triples(filled):
        yield _Relation(target, (one, other), minus=other)


def _triples(filled: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Three lines that adjoin, in every order: the difference stands beside what it is taken from."""
    for at in range(len(filled) - 2):
        x, y, z = filled[at : at + 3]
        yield from ((z, x, y), (z, y, x), (x, y, z), (x, z, y))


@dataclass(frozen=True, slots=True)
class _Sum:
    holds: bool
    is_empty: bool  # nought, or one figure repeated: that it holds shows nothing
    evidence: float
    is_near: bool
    is_complete: bool  # what the parts leave over is less than any of them: no list of the largest only


def _cells(relation: _Relation, lines: Sequence[Sequence[Cell | None]], at: int) -> list[Cell]:
    """The parts and, last, the target in one place; none where a figure is missing or has another unit.

    Rates do not add: the growth of a total is not the sum of its parts' growth. Shares of one whole
    are looked at in `shares`.
    """
    all_lines = [lines[line] for line in (*relation.parts, relation.target)]
    cells = [line[at] for line in all_lines if at < len(line)]
    found = [cell for cell in cells if cell is not None]
    units = {cell.unit for cell in found}
    return found if len(found) == len(all_lines) and len(units) == 1 and not units & {"%", "pp"} else []


def _sum(relation: _Relation, cells: Sequence[Cell], places: int) -> _Sum:
    """How the relation fares in one of the *places* that it is tried in."""
    *parts, target = cells
    signs = [-1 if part == relation.minus else 1 for part in relation.parts]
    value = sum(sign * cell.value for sign, cell in zip(signs, parts, strict=True))
    halves = [_slack(cell) for cell in cells]
    worst = sum(halves)
    slack = slack_of(halves, places) if all(cell.is_rounded for cell in cells) else worst
    off = abs(value - target.value)
    holds = off <= slack * (1 + 1e-9) + 1e-9 * abs(value)
    values = [cell.value for cell in parts]
    size = max(abs(one) for one in values)
    evidence = math.log10(max(1.0, abs(value) / max(2 * worst, _unit(target)))) if holds else 0.0
    return _Sum(
        holds,
        holds and (value == 0 or sum(one != 0 for one in values) < 2),
        evidence,
        _is_near(relation, values, target.value, value, size),
        target.value - value < min(abs(one) for one in values),
    )


def _is_near(relation: _Relation, parts: Sequence[float], target: float, value: float, size: float) -> bool:
    """The total could be meant as one: beyond each of its parts, and of their size.

    A stock, an average or a highest value stands where others have a sum, and is no wrong one.
    """
    if relation.minus is not None:
        return abs(target) > 0 and abs(target - value) <= size / 2
    if min(parts) >= 0:
        return target > max(parts) and value / _FARTHEST <= target <= value * _FARTHEST
    return target not in parts and abs(target - value) <= size / 2


def _slack(cell: Cell) -> float:
    return (cell.high - cell.low) / 2 if math.isfinite(cell.high - cell.low) else math.inf


def _unit(cell: Cell) -> float:
    """The last digit that is written: 1 of "48", 0.1 of "4.2"."""
    return max(2 * _slack(cell), 1e-6) if _slack(cell) else 1.0


def _is_total(relation: _Relation, lines: Sequence[Sequence[Cell | None]], labels: Sequence[str]) -> bool:
    """The target is the first line labelled a total, and its parts are all lines with figures above it."""
    if relation.target >= len(labels) or not _TOTAL.match(labels[relation.target]):
        return False
    above = [at for at in range(relation.target) if any(cell is not None for cell in lines[at])]
    return list(relation.parts) == above and not any(_TOTAL.match(labels[at]) for at in above)


def _is_only_column(lines: Sequence[Sequence[Cell | None]]) -> bool:
    return len({at for line in lines for at, cell in enumerate(line) if cell is not None}) == 1


def _explained(relation: _Relation, lines: Sequence[Sequence[Cell | None]], at: int) -> bool:
    """Leaving out one line, or a run of lines, makes the sum right: they are parts of others."""
    parts = [cell for line in relation.parts if (cell := lines[line][at]) is not None]
    target = lines[relation.target][at]
    if target is None:
        return True
    slack = sum(_slack(cell) for cell in (*parts, target)) + 1e-9 * abs(target.value)
    values = [cell.value for cell in parts]
    total = sum(values)
    runs = ((i, j) for i in range(len(values)) for j in range(i + 1, len(values) + 1))
    return any(abs(total - sum(values[i:j]) - target.value) <= slack for i, j in runs)


def _tension(table: Table, slide: int, relation: _Relation, cells: Sequence[Cell]) -> Tension:
    *parts, target = cells
    signs = ["−" if part == relation.minus else "+" for part in relation.parts]
    value = sum(-c.value if sign == "−" else c.value for sign, c in zip(signs, parts, strict=True))
    written = parts[0].text.strip()
    for sign, cell in zip(signs[1:], parts[1:], strict=True):
        written += f" {sign} {cell.text.strip()}"
    sum_ = f"{written} = {number_text(value)}, not {target.text.strip()}"
    return Tension(
        "sum",
        Place(slide, None, _quote(table, target)),
        Place(slide, None, _quote(table, parts[0])),
        f"the table adds up everywhere but here: {sum_}",
        sum=sum_,
        places=tuple(dict.fromkeys(Place(slide, None, cell.text) for cell in cells)),
    )


def _quote(table: Table, cell: Cell) -> str:
    return table.rows[cell.row][cell.column]
