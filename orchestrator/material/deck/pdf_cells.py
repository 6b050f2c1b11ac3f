"""What may be cells of a table on a PDF page: texts that stand together, and columns of figures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.material.deck.furniture import is_lone_figure
from orchestrator.material.deck.pdf_lines import row_text, runs_in_rows
from orchestrator.material.deck.pdf_runs import Run

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

_MOST_TEXTS = 2_000
"""On one page; more are a drawing. Each figure is held against those of the rows above it."""

_NUMBER = r"\d{1,3}(?:[ \u00a0\u2009\u202f'’.,]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
_FIGURE = re.compile(rf"[^\d:/]*(?:{_NUMBER})[^\d:/]*")
"""One number with its signs, unit and marks; the times of an agenda are none."""
_WHOLE = re.compile(r"\D*\d+(?:[ \u00a0\u2009\u202f'’.,]\d{3})*")
_LEADER = re.compile(r"[\s.…·_]{4,}$")
"""The dots that lead from a label to its figure."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words that stand together, and the runs that they are drawn in; places in points, as in `Run`."""

    words: str
    left: float
    right: float
    v: float
    size: float
    runs: tuple[Run, ...]
    sign: str = ""  # of its currency, where that has a column of its own

    @property
    def is_figure(self) -> bool:
        """Whether it is one number, with at most its unit."""
        return is_lone_figure(self.words) and bool(_FIGURE.fullmatch(self.words))

    @property
    def point(self) -> float:
        """About where the whole part of its number ends; points and brackets are half as wide as digits."""
        widths = [2 if letter.isdigit() else 1 for letter in self.words]
        end = _WHOLE.match(self.words)
        return self.left + (self.right - self.left) * sum(widths[: end.end() if end else 0]) / sum(widths)

    @property
    def is_sign(self) -> bool:
        """Whether it is a sign that belongs to a figure beside it."""
        return all(unicodedata.category(sign) == "Sc" or sign in "%()" for sign in self.words)


Row = list[Text]
Figures = dict[int, Text]
"""A column of figures: row → the figure in it."""


def text_rows(runs: Sequence[Run]) -> list[Row]:
    """The texts among *runs* by their baselines, each row from the left; signs stand with their figures."""
    texts = sorted((_text(row) for row in runs_in_rows(runs, _GAP)), key=lambda text: text.v)
    rows: list[Row] = []
    for text in texts if len(texts) <= _MOST_TEXTS else []:
        if rows and text.v - rows[-1][0].v <= LEVEL * text.size:
            rows[-1].append(text)
        else:
            rows.append([text])
    return [_with_signs(sorted(row, key=lambda text: text.left)) for row in rows]


def cut_at_gaps(run: Run) -> list[Run]:
    """*run* in pieces where wide gaps may part columns, without the spaces at the ends of each."""
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
    """*row*, with each currency sign, bracket and percent sign that stands apart put to its figure."""
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
    """Columns of aligned figures; those that share two rows or more are one group."""
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
    """Whether *text* is aligned with the last figure of *column*: at an edge, the centre or the point."""
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
