"""Tables of a PDF: cell by cell where the page leaves no doubt, and text where it does."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.material.checks.tables import table_tensions
from orchestrator.material.deck.limits import DEFAULT_LIMITS
from orchestrator.material.deck.pdf import read_pdf
from orchestrator.material.values import Slide
from tests.helpers.deck_files import PAGE, pdf
from tests.helpers.pdf_text import text, width

Rows = Sequence[Sequence[str]]

COSTS = (
    ("Site", "Q1", "Q2", "Q3"),
    ("Oslo", "1.2", "2.4", "3.3"),
    ("Bergen", "2.0", "3.1", "4.1"),
    ("Total", "3.2", "5.5", "7.4"),
)


def page(*content: bytes) -> Slide:
    """The slide of one page under a title; pages are read in this process, which is faster."""
    file = io.BytesIO(pdf(text("Title", 40, 370, 30) + b"".join(content)))
    (slide,) = read_pdf(file, "deck.pdf", "", DEFAULT_LIMITS).slides
    return slide


def notices(*content: bytes) -> tuple[str, ...]:
    file = io.BytesIO(pdf(b"".join(content)))
    return read_pdf(file, "deck.pdf", "", DEFAULT_LIMITS).notices


def drawn(
    rows: Rows, *, size: float = 12, pitch: float = 24, column: float = 90, align: float = 1, font: str = "F1"
) -> bytes:
    """*rows* from 300 points upwards, labels at the left and figures aligned: 0 is left, 1 right."""
    content = b""
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            right = 150 + column * across
            left = 60 if not across else right - align * width(cell, size, font)
            content += text(cell, left, 300 - pitch * down, size, font) if cell else b""
    return content


def rows_of(slide: Slide) -> list[tuple[tuple[str, ...], ...]]:
    return [table.rows for table in slide.tables]


@pytest.mark.parametrize("align", [0, 0.5, 1])
@pytest.mark.parametrize(("pitch", "column"), [(13, 32), (24, 90), (44, 150)])
@pytest.mark.parametrize("font", ["F1", "F2"])
def test_a_table_is_read_cell_by_cell(align: float, pitch: float, column: float, font: str) -> None:
    column = max(column, 50) if font == "F2" else column
    assert page(drawn(COSTS, align=align, pitch=pitch, column=column, font=font)) == Slide(
        1, "Title", tables=page(drawn(COSTS)).tables
    )
    assert rows_of(page(drawn(COSTS))) == [COSTS]


def test_figures_that_are_aligned_at_their_points_are_a_column() -> None:
    rows = (("Cost", "Share"), ("Oslo", "100"), ("Bergen", "1.25"), ("Graz", "12.5"), ("Total", "113.75"))
    content = b"".join(
        text(label, 60, 300 - 24 * down, 12)
        + text(figure, 240 - width(figure.split(".")[0], 12), 300 - 24 * down, 12)
        for down, (label, figure) in enumerate(rows)
    )
    assert rows_of(page(content)) == [rows]


def test_a_table_on_a_page_that_is_turned_is_read_as_shown() -> None:
    upright = re.sub(rb"(\S+) (\S+) Td", rb"0 1 -1 0 0 0 Tm 0 0 Td \1 \2 Td", drawn(COSTS))
    turned = PAGE.replace(b"/MediaBox[0 0 720 405]", b"/Rotate 90/MediaBox[-405 0 0 720]")
    (slide,) = read_pdf(io.BytesIO(pdf(upright, page=turned)), "deck.pdf", "", DEFAULT_LIMITS).slides
    assert rows_of(slide) == [COSTS]


def test_rows_that_are_written_with_spaces_between_their_columns_are_a_table() -> None:
    lines = (f"{row[0]:12}" + "".join(f"{cell:>8}" for cell in row[1:]) for row in COSTS)
    content = b"".join(text(line, 60, 300 - 16 * down, 12, "F2") for down, line in enumerate(lines))
    assert rows_of(page(content)) == [COSTS]


def test_the_order_in_which_cells_are_drawn_does_not_count() -> None:
    by_column = sorted(drawn(COSTS).splitlines(keepends=True), key=lambda line: line.split()[4:6])
    assert rows_of(page(b"".join(by_column))) == [COSTS]


def test_a_wrong_sum_in_a_pdf_is_found() -> None:
    wrong = (*COSTS[:3], ("Total", "3.2", "5.9", "7.4"))
    (table,) = page(drawn(wrong)).tables
    assert [tension.sum for tension in table_tensions(table, 1)] == ["2.4 + 3.1 = 5.5, not 5.9"]


NAMES = ("Oslo", "Bergen depot", "Rent and energy", "Pay", "Cloud", "Travel")


@settings(max_examples=40, deadline=None)
@given(
    cells=st.lists(
        st.lists(st.integers(1, 99_999), min_size=2, max_size=4).map(tuple), min_size=3, max_size=6
    ).map(lambda rows: [row[: min(map(len, rows))] for row in rows]),
    size=st.sampled_from([8, 11, 14]),
    pitch=st.sampled_from([1.25, 1.6, 2.4]),
    align=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_whatever_figures_a_table_holds_it_is_read_whole_and_nothing_else_is(
    cells: list[tuple[int, ...]], size: float, pitch: float, align: float
) -> None:
    total = tuple(map(sum, zip(*cells, strict=True)))
    body = tuple(zip(NAMES, cells, strict=False))
    figures = tuple((name, *(f"{value:,}" for value in row)) for name, row in (*body, ("Total", total)))
    rows = (("Cost", *("North", "South", "East", "West")[: len(total)]), *figures)
    slide = page(drawn(rows, size=size, pitch=pitch * size, column=90, align=align))
    assert (rows_of(slide), slide.lines) == ([rows], ())


def test_headings_of_several_lines_and_over_several_columns_head_each_of_theirs() -> None:
    heads = (
        text("Plan", 60 + 90 * 1.5, 340, 12)
        + b"".join(text("First", 150 + 90 * at - 40, 325, 12) for at in (1, 2, 3))
        + b"".join(text("half", 150 + 90 * at - 40, 312, 12) for at in (1, 2, 3))
    )
    (rows,) = rows_of(page(heads + drawn(COSTS[1:], pitch=20)))
    assert rows[0] == ("", "Plan First half", "First half", "First half")


def test_years_and_quarters_head_columns_and_counts_do_not() -> None:
    years = (("", "2023", "2024", "2025"), *COSTS[1:])
    counts = (("Vienna", "3", "7", "12"), ("Graz", "14", "22", "31"), ("Total", "17", "29", "43"))
    assert rows_of(page(drawn(years))) == [years]
    assert rows_of(page(drawn(counts))) == [(("", "", "", ""), *counts)]


@pytest.mark.parametrize("centred", [True, False])
def test_a_wrapped_label_is_one(*, centred: bool) -> None:
    figures = drawn([("", *row[1:]) for row in COSTS], pitch=32)
    labels = ((300, "Site"), (268, "Oslo"), (236, "Bergen and"), (222, "the rest"), (204, "Total"))
    shift = -7 if centred else 0
    moved = figures.replace(b" 236 Td", b" %d Td" % (236 + shift))
    slide = page(moved, *(text(label, 60, up, 12) for up, label in labels))
    assert rows_of(slide) == [(*COSTS[:2], ("Bergen and the rest", *COSTS[2][1:]), COSTS[3])]


def test_a_currency_sign_with_a_column_of_its_own_is_that_of_the_column() -> None:
    signs = b"".join(text("$", 150 + 90 * at - 60, up, 12) for at in (1, 2, 3) for up in (276, 228))
    (rows,) = rows_of(page(drawn(COSTS) + signs))
    assert rows == (("Site", "Q1 $", "Q2 $", "Q3 $"), *COSTS[1:])


def test_a_mark_in_a_cell_is_no_digit_and_the_note_below_no_row() -> None:
    cell = text("3.1", 330 - width("3.1", 12), 252, 12)
    mark = text("1", 330, 256, 8)
    note = text("\u00b9 Not audited: 4 sites are missing in it.", 60, 205, 8)
    assert cell in drawn(COSTS)
    slide = page(drawn(COSTS).replace(cell, cell + mark), note)
    assert rows_of(slide) == [(*COSTS[:2], ("Bergen", "2.0", "3.1¹", "4.1"), COSTS[3])]
    assert slide.lines == ("¹ Not audited: 4 sites are missing in it.",)


def test_text_beside_a_table_is_no_part_of_it() -> None:
    prose = ("We grew in four regions", "and pay is the largest", "part of it; rent fell to", "120 a month.")
    beside = b"".join(text(words, 470, 300 - 24 * down, 12) for down, words in enumerate(prose))
    slide = page(drawn(COSTS), beside)
    assert rows_of(slide) == [COSTS]
    assert " ".join(slide.lines) == " ".join(prose)


def test_tables_side_by_side_are_two() -> None:
    left = (("Rent", "100"), ("Pay", "250"), ("Travel", "50"), ("Total", "400"))
    right = (("Sales", "130"), ("Grants", "280"), ("Others", "80"), ("Total", "490"))
    both = [(*one, *other) for one, other in zip(left, right, strict=True)]
    content = b"".join(
        text(cell, (60, 200, 300, 440)[at], 300 - 24 * down, 12)
        for down, row in enumerate(both)
        for at, cell in enumerate(row)
    )
    assert rows_of(page(content)) == [(("", ""), *left), (("", ""), *right)]


# What looks like a table and is none.

KPI = (("40%", "of customers renew"), ("12", "plants in Austria"), ("42M", "euros of revenue"))

LABELS = ((60, 300, "Rent"), (60, 276, "Energy"), (60, 252, "Pay"), (60, 228, "Total"))


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(
            [(at, 300 - 28 * down, words) for down, row in enumerate(
                [("09:00", "Welcome"), ("09:30", "Results"), ("10:15", "Budget"), ("11:00", "Close")]
            ) for at, words in zip(order, row, strict=True)],
            id=f"agenda {order}",
        )
        for order in ((60, 140), (340, 60))
    ]
    + [
        pytest.param(
            [(60 + 200 * across, 300 - 110 * down - 20 * below, words)
             for down in (0, 1) for across, pair in enumerate(KPI) for below, words in enumerate(pair)],
            id="figures with captions below",
        ),
        pytest.param(
            [(60 + 120 * across, 300 - 60 * down, words)
             for down, pair in enumerate(KPI) for across, words in enumerate(pair)],
            id="figures with captions beside",
        ),
        pytest.param(
            [(60, 80 + 40 * at, f"{20 * at}") for at in range(6)]
            + [(140 + 110 * at, 60, f"{2021 + at}") for at in range(4)]
            + [(140 + 110 * at, 90 + 2 * value, str(value)) for at, value in enumerate((37, 52, 61, 88))],
            id="a chart with its axes",
        ),
        pytest.param(
            [(left, 300 - 18 * down, words) for left in (60, 400) for down, words in enumerate(
                ("We reviewed the report and", "the budget of 12 million for", "2025. There were 40 sites;",
                 "in 2026 we want 60 of them", "and ask for a plan with 3."))],
            id="prose in two columns",
        ),
        pytest.param(
            [*LABELS, (300, 288, "300"), (300, 252, "400"), (300, 228, "900")],
            id="a value of two rows",
        ),
        pytest.param(
            [*LABELS, (300, 300, "300"), (300, 252, "400"), (300, 228, "900")],
            id="a value that is missing",
        ),
    ],
)  # fmt: skip
def test_what_is_no_table_stays_text(texts: list[tuple[float, float, str]]) -> None:
    slide = page(*(text(words, left, up, 12) for left, up, words in texts))
    assert slide.tables == ()
    said = " ".join((*slide.lines, slide.title)).split()
    assert sorted(said) == sorted(" ".join((*(words for _, _, words in texts), "Title")).split())


def test_page_numbers_of_contents_are_no_table() -> None:
    contents = drawn((("Introduction", "1"), ("Results", "2"), ("Plans", "2"), ("Request", "3")))
    file = io.BytesIO(pdf(text("Contents", 40, 370, 30) + contents, b"", b""))
    assert read_pdf(file, "deck.pdf", "", DEFAULT_LIMITS).slides[0].tables == ()


def test_a_table_whose_columns_run_into_each_other_is_text_and_is_named() -> None:
    glued = b"".join(
        text(label, 60, 300 - 24 * down, 12)
        + text(figures, 200, 300 - 24 * down, 12)
        + text(last, 320, 300 - 24 * down, 12)
        for down, (label, figures, last) in enumerate(
            (("Oslo", "11", "33"), ("Bergen", "20 31", "41"), ("Graz", "42", "51"), ("Total", "73", "125"))
        )
    )
    assert page(glued).tables == ()
    assert notices(glued) == (
        "slide 1: a table whose columns could not be told apart is read as lines; its sums are not checked",
    )


def test_a_page_of_nothing_but_figures_is_read_in_time_and_is_none() -> None:
    content = b"".join(text(f"{at}", 20 + 17 * (at % 40), 8 * (at // 40), 6) for at in range(1_900))
    assert page(content).tables == ()


def test_a_single_column_of_rising_figures_in_a_short_deck_is_a_table() -> None:
    rising = list(accumulate((3, 4, 5)))
    rows = (("", ""), *((name, str(value)) for name, value in zip(NAMES, rising, strict=False)))
    assert rows_of(page(drawn(rows[1:]))) == [rows]
