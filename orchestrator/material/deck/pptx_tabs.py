"""Lines of a text box that stand in columns by tabs: a table, as many people draw one."""

from __future__ import annotations

import re
from itertools import groupby

from orchestrator.material.deck.breaks import joined
from orchestrator.material.deck.headings import headed, is_figure
from orchestrator.material.deck.shown import shown
from orchestrator.material.model.slide import Table

_FEWEST_ROWS = 3
"""Two lines with a tab in each ("Phone:", "Mail:") say no more as a table than as lines."""

Lines = list[tuple[str, int]]


def split_tabs(typed: Lines) -> tuple[Lines, tuple[Table, ...]]:
    """The lines of *typed* that are lines, and the tables that the others are."""
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
    """The cells of *lines*, if they are rows: labels in front, and figures behind all but the first."""
    for separator in ("\t", "\t+"):  # some take one tab for a column, others as many as it needs
        rows = [[shown(cell) for cell in re.split(separator, line)] for line in lines]
        if len(rows) >= _FEWEST_ROWS and len({*map(len, rows)}) == 1:
            figures = [any(cell and is_figure(cell) for cell in row[1:]) for row in rows]
            return rows if all(figures[1:]) and all(row[0] for row in rows[1:]) else None
    return None
