"""Charts and sheets: what the deck says stands on the slide, figure for figure, and inside of it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator.material.values import Chart, Series, Slide, Table
from orchestrator.web.sheets import (
    HEIGHT,
    MAX_BARS,
    MAX_POINTS,
    WIDTH,
    Axis,
    can_hold,
    draw_chart,
    figure,
    round_up,
    sheet,
)

QUARTERS = ("Q1", "Q2", "Q3", "Q4")
SALES = Series("Sales", (3.2, 4.1, 4.8, 5.9))
COSTS = Series("Costs", (2.1, None, 3.3, 3.9))
KINDS = (
    "column",
    "column stacked",
    "column stacked to 100 %",
    "column, line",
    "bar",
    "bar stacked",
    "line",
    "area stacked",
    "scatter",
    "bubble",
    "pie",
    "doughnut",
    "ofPie",
    "radar",
    "surface",
    "stock",
    "waterfall",
    "funnel",
    "treemap",
    "clusteredColumn",
)


def chart(kind: str, *series: Series, categories: tuple[str, ...] = QUARTERS, title: str = "") -> Chart:
    return Chart(kind, title, categories, series)


def parts(drawing: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawing).iter(tag))  # our own drawing


def words(drawing: str) -> list[str]:
    return [one.text or "" for one in parts(drawing, "text")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_chart_is_drawn_with_its_figures_in_words(kind: str) -> None:
    drawing = draw_chart(chart(kind, SALES, COSTS, title="EUR million"))
    shapes = [one for tag in ("rect", "polyline", "circle", "path") for one in parts(drawing, tag)]
    assert len(shapes) >= 4
    told = ElementTree.fromstring(drawing).get("aria-label") or ""
    assert told.startswith(f"Chart ({kind}) EUR million: Sales: Q1 3.2, Q2 4.1")
    assert "style=" not in drawing  # which the policy of the pages forbids


def test_a_column_is_as_high_as_its_value() -> None:
    drawing = draw_chart(chart("column", Series("", (1.0, 2.0, 4.0))))
    heights = [float(one.get("height", "")) for one in parts(drawing, "rect")]
    assert [round(one / heights[0], 1) for one in heights] == [1, 2, 4]
    labels = [one.text for one in parts(drawing, "text") if one.get("class") == "c-value"]
    assert labels == ["1", "2", "4"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(2.2e16,), (1e308, -1e308), (1e308, 1e308), (5e-324,), (0.0,)])
def test_figures_of_any_size_are_told(kind: str, sizes: tuple[float, ...]) -> None:
    drawing = draw_chart(chart(kind, Series("", sizes), categories=("1e308", "-1e308")[: len(sizes)]))
    told = ElementTree.fromstring(drawing).get("aria-label") or ""
    assert all(figure(value) in told for value in sizes)


def test_a_gap_is_no_bar_and_no_zero() -> None:
    drawing = draw_chart(chart("column", COSTS))
    assert len(parts(drawing, "rect")) == 3
    assert "Q2" not in (ElementTree.fromstring(drawing).get("aria-label") or "")


def test_shares_are_shown_as_shares() -> None:
    drawing = draw_chart(chart("pie", Series("Yes", (0.62, 0.38), percent=True), categories=("Yes", "No")))
    assert "Yes: 62 % (62 %)" in words(drawing)
    assert figure(0.125, percent=True) == "12.5 %"
    assert figure(1234567.5) == "1,234,567.5"
    assert figure(None) == ""


def test_a_waterfall_runs_from_value_to_value_and_ends_in_its_total() -> None:
    drawing = draw_chart(chart("waterfall", Series("", (100.0, 30.0, -12.0, 118.0))))
    bars = [(float(one.get("y", "")), float(one.get("height", ""))) for one in parts(drawing, "rect")]
    (start, new, lost, end) = bars
    assert new[0] + new[1] == pytest.approx(start[0], abs=0.2)  # begins where the first one ended
    assert lost[0] == pytest.approx(new[0], abs=0.2)
    assert end[0] == pytest.approx(lost[0] + lost[1], abs=0.2)
    assert end[0] + end[1] == pytest.approx(start[0] + start[1], abs=0.2)  # from the ground


def test_a_chart_of_thousands_of_points_stays_small() -> None:
    many = Series("t", tuple(float(number * 37 % 101) for number in range(10_000)))
    for kind in ("line", "column"):
        drawing = draw_chart(chart(kind, many, categories=()))
        (points,) = parts(drawing, "polyline")
        assert len((points.get("points") or "").split()) <= 2 * MAX_POINTS
        assert len(drawing) < 60_000
    assert MAX_BARS < 10_000


def test_words_of_a_deck_are_words_and_no_marks() -> None:
    evil = '<script>alert("x")</script>&'
    series = Series(evil, (1.0, 2.0))
    for kind in KINDS:
        drawing = draw_chart(chart(kind, series, series, categories=(evil, evil), title=evil))
        assert "<script" not in drawing
        ElementTree.fromstring(drawing)


finite = st.floats(allow_nan=False, allow_infinity=False)
values = st.one_of(st.none(), st.floats(-1e12, 1e12, allow_subnormal=False), finite)


@given(
    kind=st.sampled_from(KINDS),
    columns=st.lists(st.lists(values, min_size=1, max_size=30), min_size=1, max_size=8),
    names=st.lists(st.text(max_size=20), max_size=30),
)
def test_nothing_of_a_drawing_lies_outside_of_it(
    kind: str, columns: list[list[float | None]], names: list[str]
) -> None:
    if not any(value is not None for one in columns for value in one):
        return  # `read_charts` gives no chart without a value
    drawn = Chart(kind, "", tuple(names), tuple(Series(f"s{n}", tuple(one)) for n, one in enumerate(columns)))
    drawing = draw_chart(drawn)
    for one in parts(re.sub(r"[^\x20-\x7e]", "?", drawing), "rect"):
        x, y, width, height = (float(one.get(name, "")) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + width <= WIDTH + 1
        assert 0 <= y <= y + height <= HEIGHT + 1


@given(st.lists(finite, min_size=1, max_size=9).filter(can_hold))
@example([2.2e16])
@example([1e16, 1e16 + 2])
def test_an_axis_has_round_ends_that_hold_all(given_values: list[float]) -> None:
    axis = Axis.over(given_values, 0, 100)
    span = max(given_values) - min(given_values)
    assert axis.low - span / 1e6 <= min(given_values)
    assert max(given_values) <= axis.high + span / 1e6
    assert 2 <= len(axis.ticks) <= 8


def test_round_figures_are_those_of_a_ruler() -> None:
    assert [round_up(value) for value in (0.7, 1, 1.1, 2.4, 3, 7, 12, 240)] == [1, 1, 2, 2.5, 5, 10, 20, 250]


# ---------------------------------------------------------------- sheets


def test_a_sheet_has_all_that_the_slide_says_and_marks_what_is_quoted() -> None:
    slide = Slide(
        3,
        "Plan",
        lines=("We grow", "by 18 % in 2026", "confidential"),
        parents=(None, 0, None),
        furniture=(2,),
        tables=(Table((("Use", "EUR"), ("Boats", "4"))),),
        charts=(chart("column", SALES, title="Sales"),),
        notes="Slowly.\n\nThen stop.",
    )
    one = sheet(slide, ["by 18 %", "Boats"])
    assert [(line.text, line.depth, line.is_beside) for line in one.lines] == [
        (("We grow", False), 0, False),
        (("by 18 % in 2026", True), 1, False),
        (("confidential", False), 0, True),
    ]
    assert one.tables[0][1] == (("Boats", True), ("4", False))
    assert one.charts[0][0] == "Sales"
    assert one.notes == ("Slowly.", "Then stop.")
    assert not one.is_empty
    assert sheet(Slide(1, "")).title == ("Slide 1", False)
