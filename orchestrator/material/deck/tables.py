"""Tables that people type in a text box with tabs between the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from orchestrator.material.deck.lines import joined
from orchestrator.material.deck.shown import shown
from orchestrator.material.values import Table

# ---------------------------------------------------------------------- headings
# The heading of each column of a table, where it stands in several rows or over several columns.


Spans = Mapping[tuple[int, int], tuple[int, int]]
"""The row and column of each merged cell, mapped to how many columns and rows it covers; covered cells are
empty."""

_SAYS_SOMETHING = re.compile(r"[^\W_]|[%€$£¥]")
# Without a digit; a year ("2025", "2024/25", "2025E"); or a period by its letter ("Q1", "FY25", "1H25").
_WORD = re.compile(
    r"\D*|\W*(?:(?:19|20)\d\d(?:[/–-]\d{2,4})?[^\W\d]?|[^\W\d]{1,3}\d{1,4}(?:[/–-][^\W\d]{0,3}\d{1,4})?"
    r"|\d[^\W\d]\d{2,4})\W*"
)


def headed(rows: Sequence[Sequence[str]], spans: Spans) -> Table:
    """Build a table of *rows*, with all rows of headings joined into the first: "2025 / Plan".

    A row is a row of headings if it has only names and divides a merged cell above it, or if it has no label
    of its own above columns of figures. A merged value stays where it is, because nobody knows its parts.
    """
    depth = 1
    while depth < len(rows) - 1 and _is_heading(rows, spans, depth):
        depth += 1
    top = [list(row) for row in rows[:depth]]
    for (row, column), (width, _) in spans.items():
        if row < depth and (depth > 1 or not is_figure(rows[row][column])):
            top[row][column : column + width] = [rows[row][column]] * len(top[row][column : column + width])
    width = max(map(len, top), default=0)
    columns = ([row[at] for row in top if at < len(row) and row[at]] for at in range(width))
    return Table((tuple(" / ".join(dict.fromkeys(texts)) for texts in columns), *map(tuple, rows[depth:])))


def _is_heading(rows: Sequence[Sequence[str]], spans: Spans, at: int) -> bool:
    names = [text for text in rows[at] if text]
    if not any(rows[at][1:]) or any(map(is_figure, names)) or not all(map(_SAYS_SOMETHING.search, names)):
        return False
    if any(
        row < at <= row + down - 1 or (row == at - 1 and across > 1)
        for (row, _), (across, down) in spans.items()
    ):
        return True
    # Without merged cells: a label in front would make it a row of the table's body.
    if rows[at][0] or len(names) < len(rows[at]) - 1 or any(map(is_figure, rows[at - 1])):
        return False
    columns = (
        [row[column] for row in rows[at + 1 :] if column < len(row)] for column in range(1, len(rows[at]))
    )
    return all(any(map(is_figure, column)) for column in columns)


def is_figure(text: str) -> bool:
    return not all(map(_WORD.fullmatch, text.split()))


# ---------------------------------------------------------------------- pptx tabs


_MIN_ROWS = 3
"""Minimum number of lines of a table: two lines with a tab in each ("Phone:", "Mail:") say no more as a table
than as lines."""

Lines = list[tuple[str, int]]


def split_tabs(typed: Lines) -> tuple[Lines, tuple[Table, ...]]:
    """Split *typed* into its plain lines and the tables that the other lines form."""
    lines: Lines = []
    tables: list[Table] = []
    seen = [(line, level) for line, level in typed if shown(line)]
    for tabbed, group in groupby(seen, lambda one: "\t" in one[0].rstrip()):
        block = list(group)
        rows = _rows([line.rstrip() for line, _ in block]) if tabbed else None
        if rows is None:
            lines += [(joined(line.split("\t")), level) for line, level in block]
        else:
            tables.append(headed(rows, {}))
    return lines, tuple(tables)


def _rows(lines: list[str]) -> list[list[str]] | None:
    """Return the cells of *lines* if they form the rows of a table, else None.

    Rows of a table have labels, and in all but the first row also figures.
    """
    for separator in ("\t", "\t+"):  # some take one tab for a column, others as many as it needs
        rows = [[shown(cell) for cell in re.split(separator, line)] for line in lines]
        if len(rows) >= _MIN_ROWS and len({*map(len, rows)}) == 1:
            figures = [any(cell and is_figure(cell) for cell in row[1:]) for row in rows]
            return rows if all(figures[1:]) and all(row[0] for row in rows[1:]) else None
    return None
