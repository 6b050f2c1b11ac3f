"""Find table lines that are the sum or difference of other lines in all places but one.

Only one word is read: if the table has a single column of figures, the last line must be labelled as a total.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.material.checks.comparison import (
    Form,
    all_known,
    is_explained,
    is_rounded,
    name_of,
    slack_of,
    without_dots,
    written_form,
)
from orchestrator.material.checks.grounding import cell_labels
from orchestrator.material.checks.written import number_text
from orchestrator.material.claim import Place, Tension
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.claims.words import total_label
from orchestrator.material.values import Table

# ---------------------------------------------------------------------- grid
# A table's figures as a grid: which cells hold one number and nothing else.


_BESIDE = re.compile(r"[\s()\[\]+−–*†‡≈~⁰¹²³⁴-⁹]*")
"""Matches signs that may be beside the number in a cell: brackets, a sign, a mark of a footnote."""

_PERCENT = re.compile(r"[%\uff05\u066a\ufe6a]")

MAX_CELL: Final = 40  # characters; a longer cell is a sentence


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is one number, which may be off by `slack` in view of its wording or rounding."""

    row: int
    column: int
    text: str
    value: float
    slack: float  # infinite where it is open: "> 40"
    unit: str | None  # or the noun that is counted, or the unit of measure
    is_rounded: bool  # nothing but the rounding of its last digit makes the slack
    is_plain: bool  # a whole number without a unit, as of people or visits


UNREAD: Final = "?"
"""The unit of a cell whose figure is not read as one number: such a cell fits no other cell."""

Line = Sequence[Cell | None]


def figures_of(table: Table) -> list[Line]:
    """Return, row by row, the cells that contain only one number; None for each cell without a figure.

    A figure that is not read, such as "less 30" or a year among amounts, becomes a cell of the unit `UNREAD`,
    so that no sum is tried as if the figure were missing. Headings and labels become None.
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
    is_figure = len(text) <= MAX_CELL and any(map(str.isdecimal, text))
    return Cell(row, column, text, 0.0, 0.0, UNREAD, False, False) if row and column and is_figure else None


def _is_rate(table: Table, row: int, column: int) -> bool:
    """Return whether the cell's heading or label says that the cell is in percent."""
    heading = table.rows[0][column] if row and column < len(table.rows[0]) else ""
    label = table.rows[row][0] if column else ""
    return any(_PERCENT.search(one) and not numbers_in(one) for one in (heading, label))


def columns_of(grid: Sequence[Line]) -> list[Line]:
    """Return the columns of *grid*, with None at the end of rows that are too short."""
    width = max((len(row) for row in grid), default=0)
    return [[row[at] if at < len(row) else None for row in grid] for at in range(width)]


def _cell(shown: str, row: int, column: int, form: Form, is_rate: bool) -> Cell | None:
    if len(shown) > MAX_CELL or not any(char.isdigit() for char in shown):
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


# ---------------------------------------------------------------------- tables


_UNIT = re.compile(r"[(\[]([^)\]]{1,5})[)\]]\s*$|[^\w\s]?([€$£¥])\S*$")
"""Matches the unit in a label: "Rent (€)", "Licences (USD)"."""

_MAX_LINES: Final = 60
"""Maximum number of rows and of columns; nobody reads a larger table, and comparing pairs of its lines would
take seconds."""

_MIN_EVIDENCE: Final = 3.0
"""Minimum evidence against chance, in powers of ten: that of all places that agree, and one more for ten
lines. Two places with two digits each would be luck. At 4, sums of small counts are missed, as the tests
show."""

_MIN_PLACES: Final = 3
"""Minimum number of places if no label names a total: two that agree, and one that does not."""

FARTHEST: Final = 2.0
"""Factor by which a total may differ from the sum of its parts; a total further off is that of something
else. At 1.5 a wrong first digit is missed."""


@dataclass(frozen=True, slots=True)
class _Relation:
    """Line `target` as the sum of `parts`, of which the one in `minus` is subtracted."""

    target: int
    parts: tuple[int, ...]
    minus: int | None = None


@dataclass(frozen=True, slots=True)
class _Lines:
    """The rows or the columns of a table, with a heading for each place within a line."""

    lines: Sequence[Line]
    headings: Sequence[str]
    labels: Sequence[str] | None  # of the rows, which may be named a total

    @property
    def filled(self) -> list[int]:
        """The indexes of the lines that contain figures."""
        return [at for at, line in enumerate(self.lines) if any(line)]

    @property
    def is_one_place(self) -> bool:
        """Whether all figures are at one place of their lines: the table has one column of figures."""
        return (
            len({at for line in self.lines for at, cell in enumerate(line) if cell and cell.unit != UNREAD})
            == 1
        )

    @property
    def is_one_measure(self) -> bool:
        """Whether every place but the first is a time, so that each line measures one thing throughout."""
        return all(map(dates_in, self.headings[1:]))


def table_tensions(table: Table, slide: int) -> Iterator[Tension]:
    """Yield a tension for each sum in the table that is wrong in exactly one place."""
    grid = figures_of(table)
    columns = columns_of(grid)
    if len(grid) > _MAX_LINES or len(columns) > _MAX_LINES or not grid:
        return
    labels = [row[0] if row else "" for row in table.rows]
    rows = [*_broken(_Lines(grid, table.rows[0], labels))]
    both = [*_broken(_Lines(columns, labels, None))]
    crossed = [pair for pair in itertools.product(rows, both) if _is_one_cell(*pair)]
    told: set[tuple[int, int]] = set()
    for at, one in enumerate((*(row for row, _ in crossed), *rows, *both)):
        if (at < len(crossed) or one.is_certain) and not one.places & told:
            told |= one.places | (crossed[at][1].places if at < len(crossed) else set())
            yield _tension(table, slide, one)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A relation that holds in all places but one."""

    relation: _Relation
    cells: Sequence[Cell]  # of the one place: the parts and, last, the target
    off: float
    evidence: float  # of the other places
    is_only: bool  # it is the only place
    is_certain: bool  # by itself: the other places agree too often for chance

    @property
    def places(self) -> set[tuple[int, int]]:
        return {(cell.row, cell.column) for cell in self.cells}


def _is_one_cell(row: _Broken, column: _Broken) -> bool:
    """Return whether a sum down and a sum across fail in the same cell by the same amount.

    The corner, which is the total of both, does not count, because one failure follows from the other there:
    somebody who is counted in two of the parts may be counted once in the total.
    """
    if not math.isclose(abs(row.off), abs(column.off), rel_tol=1e-6):
        return False
    is_corner = row.cells[-1] == column.cells[-1]
    evidence = row.evidence + column.evidence
    return not is_corner and evidence >= _MIN_EVIDENCE and len(row.places & column.places) == 1


def _broken(lines: _Lines) -> Iterator[_Broken]:
    """Yield the relations that hold in all places but one."""
    width = max(map(len, lines.lines))
    is_one_place, is_one_measure = lines.is_one_place, lines.is_one_measure
    for relation in _relations(lines.filled):
        named = lines.labels is not None and _is_total(relation, lines.filled, lines.labels)
        places = [(at, cells) for at in range(width) if (cells := _cells(relation, lines.lines, at))]
        sums = [(at, _sum(relation, cells, len(places))) for at, cells in places]
        evidence = [one.evidence for _, one in sums if one.holds and not one.is_empty]
        failed = [(at, one) for at, one in sums if not one.holds]
        if len(failed) != 1:
            continue
        ((wrong, one),) = failed
        may_overlap = one.may_overlap and not (is_one_place or is_one_measure)
        is_tried = (named or width >= _MIN_PLACES) and not may_overlap and one.is_near
        enough = len(evidence) >= 2 and sum(evidence) >= _MIN_EVIDENCE + math.log10(len(lines.lines))
        is_all = bool(evidence) or (is_one_place and one.is_complete)
        labels = [lines.labels[at] for at in (*relation.parts, relation.target)] if lines.labels else []
        units = {found[1] or found[2] for label in labels if (found := _UNIT.search(label))}
        alone = named and relation.minus is None and is_all and len(units) < 2
        *parts, target = cells = _cells(relation, lines.lines, wrong)
        slack = sum(cell.slack for cell in (*parts, target)) + 1e-9 * abs(target.value)
        alone = alone and not is_explained([cell.value for cell in parts], target.value, slack)
        own = [lines.lines[at] for at in (*relation.parts, relation.target)]
        if (evidence or alone) and not _is_derived(own, wrong):
            off = _value(relation, parts) - target.value
            is_certain = is_tried and (enough or alone)
            yield _Broken(relation, cells, off, sum(evidence), len(places) == 1, is_certain)


def _relations(filled: Sequence[int]) -> Iterator[_Relation]:
    """Yield each line as the sum of its neighbours, or as the difference of two lines next to it."""
    for at, target in enumerate(filled):
        for first in range(at - 1):
            yield _Relation(target, tuple(filled[first:at]))
        for last in range(at + 3, len(filled) + 1):
            yield _Relation(target, tuple(filled[at + 1 : last]))
    for x, y, z in zip(filled, filled[1:], filled[2:], strict=False):
        for target, one, other in ((z, x, y), (z, y, x), (x, y, z), (x, z, y)):
            yield _Relation(target, (one, other), minus=other)


@dataclass(frozen=True, slots=True)
class _Sum:
    holds: bool
    is_empty: bool  # nought, or one figure repeated: that it holds shows nothing
    evidence: float
    is_near: bool
    is_complete: bool  # what the parts leave over is less than any of them: no list of the largest only
    may_overlap: bool  # less than its parts: who comes to two of them is counted once in all


def _cells(relation: _Relation, lines: Sequence[Line], at: int) -> list[Cell]:
    """Return the parts and then the target at place *at*; empty if a figure is missing or units differ.

    Rates do not add up: the growth of a total is not the sum of its parts' growth. But shares whose total is
    100 % do add up.
    """
    all_lines = [lines[line] for line in (*relation.parts, relation.target)]
    found = [cell for line in all_lines if at < len(line) and (cell := line[at])]
    if len(found) < len(all_lines) or len({cell.unit for cell in found}) > 1 or found[0].unit == UNREAD:
        return []
    is_rate = found[-1].unit == "pp" or (found[-1].unit == "%" and found[-1].value != 100)
    return [] if is_rate else found


def _is_derived(lines: Sequence[Line], at: int) -> bool:
    """Return whether the value at index *at* of each line is the change or ratio of two others of that line.

    In "618, 571, 8", the 8 is a growth in percent, whatever its heading says; growths do not add up.
    """
    others = [one for one in range(min(map(len, lines))) if one != at and all(line[one] for line in lines)]
    return any(
        all(_is_ratio(line[at], line[one], line[other]) for line in lines)
        for one, other in itertools.permutations(others, 2)
    )


def _is_ratio(shown: Cell | None, one: Cell | None, other: Cell | None) -> bool:
    if shown is None or one is None or other is None or other.value == 0:
        return False
    ratio = one.value / other.value
    return any(abs(shown.value - of) <= shown.slack for of in (100 * (ratio - 1), 100 * ratio, ratio))


def _sum(relation: _Relation, cells: Sequence[Cell], places: int) -> _Sum:
    """Return whether and how the relation holds at one of the *places* at which it is tried."""
    *parts, target = cells
    value = _value(relation, parts)
    halves = [cell.slack for cell in cells]
    worst = sum(halves)
    slack = slack_of(halves, places) if all(cell.is_rounded for cell in cells) else worst
    holds = abs(value - target.value) <= slack * (1 + 1e-9) + 1e-9 * abs(value)
    values = [cell.value for cell in parts]
    last_digit = max(2 * target.slack, 1e-6) if target.slack else 1.0
    return _Sum(
        holds,
        holds and (value == 0 or sum(one != 0 for one in values) < 2),
        math.log10(max(1.0, abs(value) / max(2 * worst, last_digit))) if holds else 0.0,
        _is_near(relation, values, target.value, value),
        target.value - value < min(map(abs, values)),
        relation.minus is None and target.value < value and all(cell.is_plain for cell in cells),
    )


def _value(relation: _Relation, parts: Sequence[Cell]) -> float:
    signs = [-1 if part == relation.minus else 1 for part in relation.parts]
    return sum(sign * cell.value for sign, cell in zip(signs, parts, strict=True))


def _is_near(relation: _Relation, parts: Sequence[float], target: float, value: float) -> bool:
    """Return whether the target may be meant as the total: larger than each part, and of a similar size.

    A stock, an average or a highest value may be where other tables have a sum, but it is not a wrong sum.
    """
    size = max(map(abs, parts))
    if relation.minus is not None:
        return abs(target) > 0 and abs(target - value) <= size / 2
    if min(parts) >= 0:
        return target > max(parts) and value / FARTHEST <= target <= value * FARTHEST
    return target not in parts and abs(target - value) <= size / 2


def _is_total(relation: _Relation, filled: Sequence[int], labels: Sequence[str]) -> bool:
    """Return whether the target is the first line labelled a total, and its parts are all figures above."""
    above = [at for at in filled if at < relation.target]
    is_first = not any(total_label().match(labels[at]) for at in above)
    return bool(total_label().match(labels[relation.target])) and is_first and list(relation.parts) == above


def _tension(table: Table, slide: int, broken: _Broken) -> Tension:
    relation, cells = broken.relation, broken.cells
    *parts, target = cells
    signs = ["−" if part == relation.minus else "+" for part in relation.parts[1:]]
    others = (f" {sign} {cell.text.strip()}" for sign, cell in zip(signs, parts[1:], strict=True))
    written = parts[0].text.strip() + "".join(others)
    sum_ = f"{written} = {number_text(_value(relation, parts))}, not {target.text.strip()}"
    places = [Place(slide, None, cell.text, cell_labels(table, cell.row, cell.column)) for cell in cells]
    where = "does not add up" if broken.is_only else "adds up everywhere but here"
    note = f"the table {where}: {sum_}"
    return Tension("sum", places[-1], places[0], note, sum=sum_, places=tuple(dict.fromkeys(places)))
