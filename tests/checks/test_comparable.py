"""What is not understood accuses nobody: units, magnitudes and number formats of many countries."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.material.checks.arithmetic import speech_tensions
from orchestrator.material.checks.tables import table_tensions
from orchestrator.material.values import Segment, Table

RIGHT = yaml.safe_load(Path(__file__).with_name("right_arithmetic.yaml").read_text("utf-8"))


def sums(text: str) -> list[str]:
    return [one.sum for one in speech_tensions(Segment(text, 0.0, 5.0))]


def table_sums(*rows: tuple[str, ...]) -> list[str]:
    return [one.sum for one in table_tensions(Table(rows), 1)]


@pytest.mark.parametrize("text", RIGHT["sentences"])
def test_no_right_sentence_is_called_a_contradiction(text: str) -> None:
    assert sums(text) == []


@pytest.mark.parametrize("rows", RIGHT["tables"])
def test_no_table_of_mixed_units_and_formats_is_called_wrong(rows: str) -> None:
    cells = [tuple(row.split("|")) for row in rows.split(";")]
    head = [("Item", "2025")] if len(cells[0]) == 2 else []
    assert table_sums(*head, *cells) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Storage grew from 800 GB to 900 GB (+33 %)", "800 to 900 is 12.5 %, not 33 %"),
        ("Staff rose from 40 people to 50 people (+50 %)", "40 to 50 is 25 %, not 50 %"),
        (
            "Revenue grew from ₹90 lakh to ₹1.2 Cr (+50 %)",
            "₹90 lakh to ₹1.2 Cr is 33.3 %, not 50 %",
        ),
        (
            "Sales rose from CHF 900 Mio. to CHF 1.1 Mia. (+40 %)",
            "CHF 900 Mio. to CHF 1.1 Mia. is 22.2 %, not 40 %",
        ),
        (
            "Sales rose from 100 250 in 2024 to 125 313 in 2025 (+45 %)",
            "100 250 to 125 313 is 25 %, not 45 %",
        ),
        ("Sales rose from １２０ to １５０ (+45 ％)", "１２０ to １５０ is 25 %, not 45 ％"),
        ("480 MW of 1,200 MW (70 %) are built", "480 of 1,200 is 40 %, not 70 %"),
    ],
)
def test_a_wrong_sentence_is_still_found_where_all_of_it_is_read(text: str, found: str) -> None:
    assert sums(text) == [found]


UNITS = st.sampled_from(
    [
        *("GB", "TB", "kg", "t", "MW", "GWh", "km", "m²", "ha", "l", "hl", "bbl", "sites", "staff"),
        *("tkr", "Mkr", "mil", "bil", "mi", "bi", "MNOK", "tys.", "bin", "mdr"),
    ]
)


@given(UNITS, UNITS, st.integers(100, 900), st.integers(100, 900))
def test_figures_of_two_units_are_never_compared(one: str, other: str, low: int, high: int) -> None:
    if one == other:
        return
    assert sums(f"It went from {low} {one} to {high} {other}, up 77 %") == []
    assert sums(f"We had {low} {one} in A, {high} {other} in B, {low + high + 50} {one} in total") == []


def test_a_change_of_more_than_a_hundredfold_is_never_said() -> None:
    assert sums("Sales rose from 900 to 1,500 (+5 %)") == ["900 to 1,500 is 66.7 %, not 5 %"]
    assert sums("Sales rose from 900 to 150,000 (+5 %)") == []
    assert sums("The EUR 1.2M lasts 20 months at EUR 100k a month") == [
        "EUR 1.2M ÷ EUR 100k a month = 12 months, not 20 months"
    ]
    assert sums("The EUR 1.2bn lasts 20 months at EUR 100k a month") == []


def test_units_in_cells_are_summed_and_named_totals_are_those_of_many_languages() -> None:
    head = ("Site", "2025")
    rows = (head, ("North", "310 sites"), ("South", "180 sites"))
    assert table_sums(*rows, ("Total", "590 sites")) == ["310 sites + 180 sites = 490, not 590 sites"]
    for label in ("Totals", "Summe", "Razem", "Celkem", "合計", "Toplam", "المجموع"):
        assert table_sums(head, ("A", "1,234"), ("B", "2,345"), ("C", "312"), (label, "3,991")) == [
            "1,234 + 2,345 + 312 = 3,891, not 3,991"
        ]
    assert table_sums(head, ("A", "850.000"), ("B", "1.250.000"), ("Summe", "2.200.000")) == [
        "850.000 + 1.250.000 = 2.1M, not 2.200.000"
    ]


@settings(max_examples=60)
@given(st.integers(2, 4), st.integers(2, 4), st.randoms(use_true_random=False), st.booleans())
def test_a_cell_whose_row_and_column_fail_by_one_amount_is_found_always(
    height: int, width: int, rng: random.Random, is_small: bool
) -> None:
    inner = [
        [rng.randint(10, 40) if is_small else rng.randint(100, 999) for _ in range(width)]
        for _ in range(height)
    ]
    rows = [[*row, sum(row)] for row in inner]
    grid = [*rows, [sum(column) for column in zip(*rows, strict=True)]]

    def found() -> list[str]:
        head = ("", *(f"Team {at}" for at in range(width)), "All")
        return table_sums(
            head, *((f"Line {at}", *(f"{one:,}" for one in row)) for at, row in enumerate(grid))
        )

    assert found() == []
    row, column, off = rng.randrange(height), rng.randrange(width), rng.randint(10, 60)
    grid[row][column] += -off if grid[row][column] > off and rng.random() < 0.5 else off
    assert len(found()) == 1
