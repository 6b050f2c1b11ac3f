"""Headings of columns that stand in several rows, or over several columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.deck.tables import Spans, headed
from orchestrator.material.values import Slide, Table
from tests.helpers.slides_by_hand import deck_of, frame, paragraph

Rows = tuple[tuple[str, ...], ...]

BODY: Rows = (("Oslo", "3.1", "1.8", "3.4", "1.9"), ("Bergen", "2.0", "0.9", "2.2", "1.0"))
WHOLE = ("Site", "2025 / Staff", "2025 / Rent", "2026 / Staff", "2026 / Rent")


@pytest.mark.parametrize(
    ("rows", "spans", "table"),
    [
        (  # a label over both rows, and years over two columns each
            (("Site", "2025", "", "2026", ""), ("", "Staff", "Rent", "Staff", "Rent"), *BODY),
            {(0, 0): (1, 2), (0, 1): (2, 1), (0, 3): (2, 1)},
            (WHOLE, *BODY),
        ),
        (  # the label stands in the lower row
            (("", "2025", "", "2026", ""), ("Site", "Staff", "Rent", "Staff", "Rent"), *BODY),
            {(0, 1): (2, 1), (0, 3): (2, 1)},
            (WHOLE, *BODY),
        ),
        (  # periods under names
            (("", "Costs", ""), ("Site", "2024", "Q1 2025"), ("Oslo", "3", "4"), ("Bergen", "5", "6")),
            {(0, 1): (2, 1)},
            (("Site", "Costs / 2024", "Costs / Q1 2025"), ("Oslo", "3", "4"), ("Bergen", "5", "6")),
        ),
        (  # three rows, of which the first is a caption
            (
                ("Costs (€m)", "", ""),
                ("", "2025", ""),
                ("Site", "Plan", "Actual"),
                ("Oslo", "3", "4"),
                ("Bergen", "5", "6"),
            ),
            {(0, 0): (3, 1), (1, 1): (2, 1)},
            (
                ("Costs (€m) / Site", "Costs (€m) / 2025 / Plan", "Costs (€m) / 2025 / Actual"),
                ("Oslo", "3", "4"),
                ("Bergen", "5", "6"),
            ),
        ),
        (  # units below the names, nothing merged
            (("Site", "Staff", "Share"), ("", "people", "%"), ("Oslo", "3", "4"), ("Bergen", "5", "6")),
            {},
            (("Site", "Staff / people", "Share / %"), ("Oslo", "3", "4"), ("Bergen", "5", "6")),
        ),
        (  # a heading over figures at once
            (("Site", "2025", ""), ("Oslo", "3", "4"), ("Bergen", "5", "6")),
            {(0, 1): (2, 1)},
            (("Site", "2025", "2025"), ("Oslo", "3", "4"), ("Bergen", "5", "6")),
        ),
    ],
)
def test_each_column_has_its_whole_heading(rows: Rows, spans: Spans, table: Rows) -> None:
    assert headed(rows, spans) == Table(table)


@pytest.mark.parametrize(
    ("rows", "spans"),
    [
        # a merged value: nobody knows its parts
        ((("Item", "Oslo", "Bergen"), ("Rent", "3", "4"), ("Shared IT", "60", "")), {(2, 1): (2, 1)}),
        ((("60", "", "70"), ("1", "2", "3"), ("4", "5", "6")), {(0, 0): (2, 1)}),
        # no figures anywhere: a table of words
        ((("", "Now", "Then"), ("", "slow", "fast"), ("Cost", "high", "low")), {}),
        # a row of the body that names something
        ((("", "2024", "2025"), ("Oslo", "n/a", "n/a"), ("Bergen", "5", "6")), {}),
        # nothing below it
        ((("Site", "Staff"), ("", "people")), {}),
        ((), {}),
    ],
)
def test_what_is_no_row_of_headings_stays(rows: Rows, spans: Spans) -> None:
    assert headed(rows, spans) == Table(rows or ((),))


CELLS = st.sampled_from(["", "Staff", "2025", "Q1", "3.1", "€m", "40 %", "Oslo"])


@given(st.data())
def test_no_figure_moves_and_none_is_lost(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    rows = data.draw(
        st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=height, max_size=height)
    )
    places = st.tuples(st.integers(0, height - 1), st.integers(0, width - 1))
    spans = data.draw(st.dictionaries(places, st.tuples(st.integers(1, 3), st.integers(1, 3)), max_size=2))
    found = headed(rows, spans).rows
    assert list(map(list, found[1:])) == rows[len(rows) - len(found) + 1 :]
    assert {len(row) for row in found} == {width}
    lost = {cell for row in rows for cell in row} - {
        part for row in found for cell in row for part in cell.split(" / ")
    }
    covered = {
        rows[row][at]
        for (row, column), (across, _) in spans.items()
        for at in range(column + 1, min(width, column + across))
    }
    assert lost <= covered | {""}


def test_merged_cells_of_a_slide(tmp_path: Path) -> None:
    def cell(text: str, merged: str = "") -> str:
        return f"<a:tc {merged}><a:txBody>{paragraph(text)}</a:txBody></a:tc>"

    covered = cell("", 'hMerge="1"')
    rows = (
        cell("Site", 'rowSpan="2"') + cell("2025", 'gridSpan="2"') + covered,
        cell("", 'vMerge="1"') + cell("Staff") + cell("Rent"),
        cell("Oslo") + cell("3.1") + cell("1.8"),
        cell("Shared") + cell("60", 'gridSpan="2"') + covered,
    )
    deck = deck_of(tmp_path, frame(f"<a:tbl>{''.join(f'<a:tr>{row}</a:tr>' for row in rows)}</a:tbl>"))
    table = Table((("Site", "2025 / Staff", "2025 / Rent"), ("Oslo", "3.1", "1.8"), ("Shared", "60", "")))
    assert deck.slides == (Slide(1, "", tables=(table,)),)
