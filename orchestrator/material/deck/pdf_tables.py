"""Find tables of figures on a PDF page by what stands above and beside what.

A PDF has no tables, only text at places. One is read where figures stand below each other, aligned, in rows
that each begin with a label; lines between the cells do not count, as half of the tables of talks have none.
Whatever is in doubt stays text: a cell that is read wrongly would be blamed on the presenter.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from orchestrator.material.deck.lines import is_lone_figure
from orchestrator.material.deck.pdf_lines import MARKS, row_text, runs_in_rows
from orchestrator.material.deck.pdf_runs import Run, box_of
from orchestrator.material.deck.places import Box, around
from orchestrator.material.values import Table

# ---------------------------------------------------------------------- pdf cells
# What may be cells of a table on a PDF page: texts that stand together, and columns of figures.


# In em, the size of the letters; each was tried on 78 tables and 16 pages that look like some, drawn in the
# ways of LaTeX, InDesign, PowerPoint, Excel and accountants, and on the real PDFs.
_GAP = 0.4  # the narrowest gap between cells
"""Words are at most 0.33 apart and the groups of a figure 0.28."""
_SPACE = 0.28  # the width of a space
LEVEL = 0.3  # how far the texts of one row may be off its baseline
_ALIGNED = 0.4  # how far figures of a column may be out of line: a bracket hangs by 0.33
_NEXT_ROW = 4.5  # the farthest that the figures of a column are apart
_SIGN = 8.0  # the widest gap between a currency sign that has a column of its own and its figure
SAME_SIZE = 1.2  # the ratio of sizes within a table

_MAX_TEXTS = 2_000
"""On one page; more are a drawing. Each figure is held against those of the rows above it."""

_NUMBER = r"\d{1,3}(?:[ \u00a0\u2009\u202f'’.,]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
_FIGURE = re.compile(rf"[^\d:/]*(?:{_NUMBER})[^\d:/]*")
"""One number with its signs, unit and marks; the times of an agenda are none."""
_WHOLE = re.compile(r"\D*\d+(?:[ \u00a0\u2009\u202f'’.,]\d{3})*")
_LEADER = re.compile(r"[\s.…·_]{4,}$")
"""The dots that lead from a label to its figure."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words that stand together, and the runs that draw them; places in points, as in `Run`."""

    words: str
    left: float
    right: float
    v: float
    size: float
    runs: tuple[Run, ...]
    sign: str = ""  # of its currency, where that has a column of its own

    @property
    def is_figure(self) -> bool:
        """Whether the text is one number with at most its unit."""
        return is_lone_figure(self.words) and bool(_FIGURE.fullmatch(self.words))

    @property
    def point(self) -> float:
        """The approximate end of the number's whole part; points and brackets are half as wide as digits."""
        widths = [2 if letter.isdigit() else 1 for letter in self.words]
        end = _WHOLE.match(self.words)
        return self.left + (self.right - self.left) * sum(widths[: end.end() if end else 0]) / sum(widths)

    @property
    def is_sign(self) -> bool:
        """Whether the text is a sign that belongs to a figure beside it."""
        return all(unicodedata.category(sign) == "Sc" or sign in "%()" for sign in self.words)


Row = list[Text]
Figures = dict[int, Text]
"""A column of figures: row → the figure in it."""


def text_rows(runs: Sequence[Run]) -> list[Row]:
    """Group the texts among *runs* into rows by baseline, from the left; signs join their figures."""
    texts = sorted((_text(row) for row in runs_in_rows(runs, _GAP)), key=lambda text: text.v)
    rows: list[Row] = []
    for text in texts if len(texts) <= _MAX_TEXTS else []:
        if rows and text.v - rows[-1][0].v <= LEVEL * text.size:
            rows[-1].append(text)
        else:
            rows.append([text])
    return [_with_signs(sorted(row, key=lambda text: text.left)) for row in rows]


def cut_at_gaps(run: Run) -> list[Run]:
    """Split *run* at gaps wide enough to separate columns, and strip the spaces of each piece."""
    if not run.cuts and run.text.strip() == run.text:
        return [run]
    space = min((run.end - run.start) / len(run.text), _SPACE * run.size)
    ends = (*((end, at) for at, end, _ in run.cuts), (run.end, len(run.text)))
    starts = ((run.start, 0), *((start, at) for at, _, start in run.cuts))
    pieces: list[Run] = []
    for (start, first), (end, last) in zip(starts, ends, strict=True):
        words = run.text[first:last]
        before = len(words) - len(words.lstrip())
        after = len(words) - len(words.rstrip())
        if words.strip():
            left, right = start + space * before, end - space * after
            pieces.append(replace(run, text=words.strip(), start=left, end=right, cuts=()))
    return pieces


def _text(runs: list[Run]) -> Text:
    largest = max(runs, key=lambda run: run.size)
    left, right = min(run.start for run in runs), max(run.end for run in runs)
    return Text(_LEADER.sub("", row_text(runs)), left, right, largest.v, largest.size, tuple(runs))


def _with_signs(row: Row) -> Row:
    """Join each currency sign, bracket and percent sign of *row* that stands apart to its figure."""
    joined: Row = []
    for text in row:
        before = joined[-1] if joined else None
        gap = (text.left - before.right) / text.size if before else 0.0
        if before and not text.words:
            joined[-1] = replace(before, runs=before.runs + text.runs)
        elif before and before.is_figure and text.is_sign and gap <= 1:
            joined[-1] = replace(before, words=f"{before.words} {text.words}", runs=before.runs + text.runs)
        elif before and before.is_sign and text.is_figure and gap <= _SIGN:
            joined[-1] = replace(text, sign=before.words, runs=before.runs + text.runs)
        elif text.words:
            joined.append(text)
    return joined


def groups_of_columns(rows: Sequence[Row]) -> list[list[Figures]]:
    """Return columns of aligned figures; columns that share at least two rows form one group."""
    columns: list[Figures] = []
    near: list[Figures] = []
    for at, row in enumerate(rows):
        near = [column for column in near if _is_near(column[max(column)], row)]
        for text in row:
            if text.is_figure:
                above = next((column for column in near if _goes_on(column, at, text)), None)
                if above is None:
                    columns.append({at: text})
                    near.append(columns[-1])
                else:
                    above[at] = text
    groups: list[list[Figures]] = []
    for column in columns:
        if len(column) > 1:
            beside = [group for group in groups if any(len(column.keys() & one.keys()) > 1 for one in group)]
            groups = [group for group in groups if group not in beside]
            groups.append([column, *(one for group in beside for one in group)])
    return groups


def _is_near(last: Text, row: Row) -> bool:
    return bool(row) and row[0].v - last.v <= _NEXT_ROW * max(last.size, *(text.size for text in row))


def _goes_on(column: Figures, at: int, text: Text) -> bool:
    """Return whether *text* aligns with the last figure of *column*: at an edge, the centre or the point."""
    last_at = max(column)
    last = column[last_at]
    em = max(last.size, text.size)
    offsets = (
        *(last.left - text.left, last.right - text.right, last.point - text.point),
        (last.left + last.right - text.left - text.right) / 2,
    )
    return (
        last_at < at
        and text.v - last.v <= _NEXT_ROW * em
        and em <= SAME_SIZE * min(last.size, text.size)
        and min(map(abs, offsets)) <= _ALIGNED * em
        and text.left < last.right
        and last.left < text.right
    )


# ---------------------------------------------------------------------- pdf tables


# In em, the size of the letters; tried as those of the cells above.
_HEADING = 2.6  # the farthest that a heading is above the row below it
_ROOM = 1.2  # or above it by this many times the distance of the first two rows
_LINE = 1.35  # the widest distance of two lines of a wrapped label
_NEARER = 0.8  # a wrapped line is nearer to its own row than to the next by this
_SAME_CELL = 0.9  # lines that are closer than this cannot stand below each other

_MIN_ROWS = 3  # of a table with one column of figures; one with more may have two
_FILLED = 0.6  # share of its places that hold something
_STANDS = 0.5  # share of the rows in which an outer column stands, or it is no part of the table
_MAX_HEADINGS = 3  # rows
_MAX_LABEL = 60  # characters; what is longer is prose
_MAX_TEXT = 25  # of other columns of text; what is longer is prose that stands beside the table
_MAX_WORDS = 3  # the same
_MAX_LETTERS_OF_A_UNIT = 4  # as of "sqkm"; a longer word between two columns of figures is a label

_TWO_FIGURES = re.compile(r"[^\w]*\d[\d.,]*\s+[-+−–]?\d[^:/]*")
"""What may be the cells of two columns that stand too close."""
_PERIOD = re.compile(r"[^\W\d]{1,3}\s?\d{1,4}|(?:19|20)\d\d[^\W\d]?")
"""What may head a column: "2025", "Q3", "FY25", "2026e"."""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table and its box on the page as shown, in points."""

    table: Table
    box: Box


@dataclass(frozen=True, slots=True)
class PageTables:
    """The tables of a page, the runs that are in none, and whether a table could not be read."""

    tables: tuple[FoundTable, ...]
    rest: list[Run]
    in_doubt: bool


class _InDoubt(Exception):
    """The cells of a possible table cannot be assigned to rows and columns with certainty."""


def page_tables(runs: Sequence[Run], pages: int) -> PageTables:
    """Find the tables of figures among *runs*, on a page of a document with *pages* pages."""
    if sum(any(map(str.isdigit, run.text)) for run in runs) < _MIN_ROWS:
        return PageTables((), list(runs), in_doubt=False)
    parts = [cut_at_gaps(run) for run in runs]
    found: list[FoundTable] = []
    used: set[Run] = set()
    in_doubt = False
    for direction in dict.fromkeys(run.direction for run in runs):
        rows = text_rows([part for part in chain(*parts) if part.direction == direction])
        for grid in (part for columns in groups_of_columns(rows) for part in _Grid(rows, columns).parts()):
            try:
                table, texts = grid.read(pages)
            except _InDoubt:
                in_doubt = True
                continue
            drawn = {run for text in texts for run in text.runs}
            if table is not None and used.isdisjoint(drawn):
                used |= drawn
                found.append(FoundTable(table, around([_box(run) for run in drawn])))
    rest = [
        piece
        for run, cut in zip(runs, parts, strict=True)
        for piece in ([run] if used.isdisjoint(cut) else cut)
        if piece not in used
    ]
    return PageTables(tuple(found), rest, in_doubt)


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the table being read: texts by column."""

    v: float
    cells: dict[int, Row]

    def words(self, column: int, *, signed: bool = False) -> str:
        texts = self.cells.get(column, [])
        return " ".join(f"{text.sign} {text.words}".strip() if signed else text.words for text in texts)

    def add(self, words: _Line) -> None:
        """Append further lines of wrapped cells, from top to bottom."""
        for column, texts in words.cells.items():
            self.cells[column] = sorted([*self.cells.get(column, []), *texts], key=lambda text: text.v)

    def is_of_periods(self, figures: Sequence[int]) -> bool:
        """Return whether the columns of figures hold only years, quarters and words."""
        cells = [self.words(at) for at in figures if any(map(str.isdigit, self.words(at)))]
        return bool(cells) and all(map(_PERIOD.fullmatch, cells))


@dataclass(frozen=True, slots=True)
class _Span:
    """The extent of a column, and the texts in it."""

    left: float
    right: float
    texts: Row
    is_of_figures: bool

    def holds(self, text: Text) -> bool:
        return text.left < self.right and self.left < text.right

    def is_outside(self, rows: int, longest: int) -> bool:
        """Return whether the column stands beside a table of *rows* rows: it is in few rows, or is prose."""
        if self.is_of_figures:
            return False
        is_prose = any(
            len(text.words) > longest
            or (longest == _MAX_TEXT and len(text.words.split()) > _MAX_WORDS)
            or text.words[0] in MARKS
            for text in self.texts
        )
        return len(self.texts) < _STANDS * rows or is_prose


@dataclass(frozen=True, slots=True)
class _Grid:
    """The rows of a page, and the columns of figures that may form a table."""

    rows: Sequence[Row]
    columns: Sequence[Figures]

    def parts(self) -> Iterator[_Grid]:
        """Yield the tables that stand side by side; each begins with labels."""
        spans = self._spans()
        figures = [index for index, span in enumerate(spans) if span.is_of_figures]
        cuts = [
            (spans[index - 1].right + span.left) / 2
            for index, span in enumerate(spans)
            if figures
            and figures[0] < index < figures[-1]
            and not span.is_of_figures
            and any(sum(map(str.isalpha, text.words)) > _MAX_LETTERS_OF_A_UNIT for text in span.texts)
        ]
        for left, right in pairwise((-math.inf, *cuts, math.inf)):
            columns = [column for column in self.columns if left < next(iter(column.values())).left < right]
            if columns:
                yield _Grid(
                    [[text for text in row if left < text.left < right] for row in self.rows], columns
                )

    def read(self, pages: int) -> tuple[Table | None, Row]:
        """Return the table and the texts in it, or None if there is none.

        Raises:
            _InDoubt: There is one, and its cells cannot be told apart.
        """
        spans = self._spans()
        figures = [index for index, span in enumerate(spans) if span.is_of_figures]
        if not figures or figures[0] == 0:
            return None, []
        lines = [_line(self.rows[at], spans) for at in self._at]
        headings = self._headings(lines, spans, figures)
        if len(lines) > 1 and lines[0].is_of_periods(figures):
            headings.append(lines.pop(0))
        lines = self._with_labels(lines, spans)
        if not _is_table(lines, figures, pages):
            return None, []
        if any(_is_unclear(cell, column in figures) for line in lines for column, cell in line.cells.items()):
            if len(figures) > 1 and len(lines) >= _MIN_ROWS:
                raise _InDoubt
            return None, []
        columns = range(len(spans))
        signs = [_sign_of(line.cells[at][0].sign for line in lines if at in line.cells) for at in columns]
        head = (" ".join(filter(None, (*(one.words(at) for one in headings), signs[at]))) for at in columns)
        body = (tuple(line.words(at, signed=not signs[at]) for at in columns) for line in lines)
        texts = [text for line in (*headings, *lines) for cell in line.cells.values() for text in cell]
        return Table((tuple(head), *body)), texts

    @property
    def _at(self) -> list[int]:
        """The indexes of the rows that hold figures."""
        return sorted({row for column in self.columns for row in column})

    def _spans(self) -> list[_Span]:
        """Return the extents of the columns; a column has no gap within it in any row."""
        parts: list[Row] = []
        end = -math.inf
        rows = self._at
        for text in sorted((text for at in rows for text in self.rows[at]), key=lambda text: text.left):
            if text.left >= end:
                parts.append([])
            parts[-1].append(text)
            end = max(end, text.right)
        aligned = {text for column in self.columns for text in column.values()}
        spans = [
            _Span(part[0].left, max(text.right for text in part), part, not aligned.isdisjoint(part))
            for part in parts
        ]
        while len(spans) > 1:
            longest = _MAX_LABEL if spans[1].is_of_figures else _MAX_TEXT
            if not spans[0].is_outside(len(rows), longest):
                break
            del spans[0]
        while spans and spans[-1].is_outside(len(rows), _MAX_TEXT):
            del spans[-1]
        return spans

    def _headings(self, lines: list[_Line], spans: Sequence[_Span], figures: Sequence[int]) -> list[_Line]:
        """Return the rows above *lines* that head their columns, the uppermost first."""
        size = max(text.size for cell in lines[0].cells.values() for text in cell)
        farthest = max(_HEADING * size, _ROOM * (lines[min(1, len(lines) - 1)].v - lines[0].v))
        left, right = spans[0].left - size, spans[-1].right + max(size, spans[-1].left - spans[-2].right)
        headings: list[_Line] = []
        v = lines[0].v
        for row in reversed([row for row in self.rows if row and row[0].v < v - LEVEL * size]):
            inside = [text for text in row if text.right > left and text.left < right]
            line = _Line(row[0].v, {})
            for text in inside:
                for index in _headed(text, spans):
                    line.cells.setdefault(index, []).append(text)
            is_caption = any(  # it stands over the labels and what is beside them, or is no part of the table
                (spans[0].holds(text) and spans[1].holds(text))
                or not (left <= text.left and text.right <= right)
                or text.size > SAME_SIZE * size
                or text.words[0] in MARKS
                for text in inside
            )
            is_heading = line.cells.keys() & set(figures) and v - line.v <= farthest
            if is_caption or not is_heading or len(headings) == _MAX_HEADINGS:
                break
            headings.insert(0, line)
            v = line.v
        return headings

    def _with_labels(self, lines: list[_Line], spans: Sequence[_Span]) -> list[_Line]:
        """Return *lines* with the text-only rows between them: wrapped labels, and headings of parts."""
        size = max(text.size for line in lines for cell in line.cells.values() for text in cell)
        own = set(self._at)
        words = [_line(row, spans) for index, row in enumerate(self.rows) if index not in own]
        waiting = [line for line in words if line.cells]
        whole = list(lines)
        for farthest in (_SAME_CELL, _LINE):  # first what is level with figures: it may be all of a label
            words, waiting = waiting, []
            for line in words:
                above = next((one for one in reversed(lines) if one.v <= line.v), None)
                below = next((one for one in lines if one.v > line.v), None)
                up = (line.v - above.v) / size if above else math.inf
                down = (below.v - line.v) / size if below else math.inf
                if above and _belongs(above, up, down, farthest) and (below or _hangs(above, line)):
                    above.add(line)
                elif below and _belongs(below, down, up, farthest if above else _SAME_CELL):
                    below.add(line)
                elif farthest < _LINE:
                    waiting.append(line)
                elif above and below:
                    whole.append(line)
        return sorted(whole, key=lambda line: line.v)


def _box(run: Run) -> Box:
    return box_of(run.direction, run.start, run.end, run.v, run.size)


def _line(row: Row, spans: Sequence[_Span]) -> _Line:
    """Assign the texts of *row* to the columns in which they stand."""
    cells: dict[int, Row] = {}
    for text in row:
        index = next((index for index, span in enumerate(spans) if span.holds(text)), None)
        if index is not None:
            cells.setdefault(index, []).append(text)
    return _Line(row[0].v if row else 0.0, cells)


def _headed(text: Text, spans: Sequence[_Span]) -> list[int]:
    """Return the columns below a heading, else the column nearest to it."""
    over = [index for index, span in enumerate(spans) if span.holds(text)]
    offsets = [abs(span.left + span.right - text.left - text.right) for span in spans]
    return over or [offsets.index(min(offsets))]


def _belongs(line: _Line, distance: float, other: float, farthest: float) -> bool:
    """Return whether words at this distance (em) belong to the labelled *line* and not to its neighbour."""
    if distance < _SAME_CELL:
        return True
    return 0 in line.cells and distance <= farthest and distance < _NEARER * other


def _hangs(last: _Line, words: _Line) -> bool:
    """Return whether *words*, below the last row, continue its label and are no note under the table."""
    label, rest = last.cells.get(0), words.cells.get(0)
    if not label or not rest or words.cells.keys() != {0}:
        return False
    return rest[0].size == label[0].size and abs(rest[0].left - label[0].left) <= LEVEL * label[0].size


def _is_table(lines: Sequence[_Line], figures: Sequence[int], pages: int) -> bool:
    """Return whether labelled rows are filled like a table's and are no list of page numbers."""
    filled = [line for line in lines if line.cells.keys() & set(figures)]
    labels = [line.words(0) for line in filled]
    cells = sum(len(line.cells.keys() & set(figures)) for line in filled)
    if (
        len(filled) < (2 if len(figures) > 1 else _MIN_ROWS)
        or not all(any(map(str.isalpha, label)) for label in labels[:-1])
        or cells < _FILLED * len(filled) * len(figures)
    ):
        return False
    if len(figures) > 1:
        return True
    values = [line.words(figures[0]) for line in lines]
    if not all(any(map(str.isdigit, value)) for value in values):
        return False  # a value is missing, or stands for several rows: the others would not add up
    numbers = [int(value) for value in values if value.isdecimal()]
    return len(numbers) < len(values) or numbers != sorted(numbers) or numbers[-1] > pages


def _is_unclear(cell: Row, in_figures: bool) -> bool:
    """Return whether a cell holds a figure with other text, or possibly the figures of two columns."""
    if len(cell) > 1:
        return in_figures or any(text.is_figure for text in cell)
    return in_figures and not cell[0].is_figure and bool(_TWO_FIGURES.fullmatch(cell[0].words))


def _sign_of(signs: Iterable[str]) -> str:
    """Return the currency sign of a column in which only some figures have it, as accountants set it."""
    kinds = set(signs)
    return max(kinds) if len(kinds) == 2 and "" in kinds and "(" not in kinds else ""
