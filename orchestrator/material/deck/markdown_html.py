"""Tables that a Markdown deck writes in HTML, as converters of documents do."""

from __future__ import annotations

import re
from collections.abc import Callable

from orchestrator.material.deck.breaks import BREAK, joined
from orchestrator.material.deck.headings import headed
from orchestrator.material.model.slide import Table

TABLE_BEGINS = re.compile(r"(.*?)<table\b", re.IGNORECASE)
TABLE_ENDS = re.compile(r"</table\s*>", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^<>]*>", re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b([^<>]*)>", re.IGNORECASE)
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?(\d{1,2})\b", re.IGNORECASE)
_MOST_COVERED = 10_000
"""Places under merged cells: as many cells as are read of a deck (`limits`); further ones count as single."""


def html_table(markup: str, typed: Callable[[str], str]) -> Table:
    """The table in *markup*; *typed* gives the words of a cell."""
    rows: list[list[str]] = []
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    covered: set[tuple[int, int]] = set()
    for at, row in enumerate(_ROW.split(markup)[1:]):
        cells: list[str] = []
        _, *parts = _CELL.split(row)
        for attributes, content in zip(parts[::2], parts[1::2], strict=True):
            while (at, len(cells)) in covered:
                cells.append("")
            stated = {name.lower(): int(count) for name, count in _SPAN.findall(attributes)}
            across, down = stated.get("col", 1), stated.get("row", 1)
            if (across, down) != (1, 1) and len(covered) + across * down <= _MOST_COVERED:
                spans[at, len(cells)] = across, down
                covered |= {(at + y, len(cells) + x) for y in range(down) for x in range(across)}
            cells.append(joined(typed(content).split(BREAK)))
        while (at, len(cells)) in covered:
            cells.append("")
        rows.append(cells)
    return headed(rows, spans) if rows else Table(())
