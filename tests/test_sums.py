"""Totals against their parts: tables, lists, splits and pies, and everything that is no such sum."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from orchestrator.checks.rounding import rounding
from orchestrator.checks.sums import sum_tensions
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Chart, Deck, Series, Slide, Table
from orchestrator.deck.read import read_deck
from orchestrator.speech.model import Segment
from tests.conftest import ROOT


def deck(*slides: Slide) -> Deck:
    return Deck("md", "deck.md", "0" * 64, "A deck", slides)


def lines(*texts: str, title: str = "Where we stand") -> Deck:
    return deck(Slide(1, title, texts))


def table(*rows: Sequence[str], title: str = "Where we stand") -> Deck:
    return deck(Slide(1, title, tables=(Table(tuple(tuple(row) for row in rows)),)))


def test_the_demo_asks_for_more_than_its_uses() -> None:
    from pathlib import Path

    found = list(sum_tensions(read_deck(Path(ROOT / "orchestrator" / "demo" / "deck.md"))))
    note = "Total (€ million) is given as 6.4, but its parts (3.1 + 1.8 + 0.9 + 0.4) add up to 6.2."
    assert found == [Tension("sum", Place(8, None, "6.4"), Place(8, None, "0.4"), note)]


@pytest.mark.parametrize(
    "rows",
    [
        (("Region", "Sites"), ("North", "12"), ("South", "9"), ("Total", "22")),
        (("Region", "Revenue, EUR k"), ("North", "1,110"), ("South", "810"), ("Sum", "2,430")),
        (("Posten", "Mio. €"), ("Halle", "3,1"), ("Wagen", "1,8"), ("Gesamt", "5,9")),
        (("Team", "Q1", "Q2", "Q3", "Total"), ("Sales", "4", "5", "6", "16")),
        (("Part", "Share of revenue"), ("A", "60 %"), ("B", "30 %"), ("C", "15 %"), ("Total", "100 %")),
        (("Step", "2025"), ("A", "40"), ("B", "30"), ("Subtotal", "70"), ("C", "10"), ("Total", "85")),
    ],
)
def test_a_table_whose_total_is_not_the_sum(rows: tuple[tuple[str, ...], ...]) -> None:
    assert [found.kind for found in sum_tensions(table(*rows))] == ["sum"]


@pytest.mark.parametrize(
    ("why", "rows"),
    [
        ("adds up", (("Region", "Sites"), ("North", "12"), ("South", "9"), ("Total", "21"))),
        ("rounded", (("Region", "EUR M"), ("North", "1.14"), ("South", "0.81"), ("Total", "1.96"))),
        ("missing", (("Region", "Sites"), ("North", "12"), ("South", "n/a"), ("Total", "21"))),
        ("vague", (("Region", "Sites"), ("North", "12"), ("South", "~9"), ("Total", "22"))),
        ("average", (("Region", "NPS score"), ("North", "12"), ("South", "9"), ("Total", "11"))),
        ("rate", (("Region", "Growth"), ("North", "12 %"), ("South", "9 %"), ("Total", "11 %"))),
        ("of which", (("Item", "k"), ("Staff", "10"), ("of which IT", "4"), ("Rent", "5"), ("Total", "15"))),
        ("subtotal", (("Item", "k"), ("A", "4"), ("B", "5"), ("Subtotal", "9"), ("C", "1"), ("Total", "10"))),
        ("unnamed subtotal", (("Item", "k"), ("Staff", "9"), ("IT", "4"), ("HR", "5"), ("Total", "9"))),
        ("signed", (("Item", "k"), ("Income", "90"), ("Costs", "40"), ("Total", "50"))),
        ("stock", (("What", "Q1", "Q2", "Q3", "Total"), ("Customers", "40", "45", "51", "51"))),
        (
            "another figure",
            (("Item", "k"), ("New customers", "12"), ("Left", "3"), ("Total customers", "140")),
        ),
        ("units", (("Item", "Value"), ("Staff", "12"), ("Revenue", "€3 M"), ("Total", "€9 M"))),
    ],
)
def test_a_table_that_is_no_such_sum(why: str, rows: tuple[tuple[str, ...], ...]) -> None:
    assert list(sum_tensions(table(*rows))) == [], why


@pytest.mark.parametrize(
    "line",
    [
        "We raise €5 M: €2 M product, €1.5 M sales, €1 M operations",
        "€840 thousand are requested: €520 k for equipment, €360k for two sites and €320,000 for a reserve",
        "€2.1 M from licences, €1.4 M from services and €0.8 M from training make €4.5 M",
        "212 employees: 140 drivers, 40 in the warehouse and 30 in the office",
        "Of 104 vehicles, 52 run on batteries, 49 run on gas and 37 run on diesel",
        "Revenue split: 60 % north, 30 % south, 20 % east",
        "Our mix is 60/30/20",
    ],
)
def test_a_line_whose_parts_do_not_make_its_total(line: str) -> None:
    assert [found.a.quote for found in sum_tensions(lines(line))] == [line]


@pytest.mark.parametrize(
    "line",
    [
        "We raise €5 M: €2 M product, €1.5 M sales, €1.5 M operations",
        "We raise €5 M, including €2 M for product and €1 M for sales",
        "Revenue of €5 M: about €2 M product, €1.5 M sales, €1 M services",
        "212 employees: 140 drivers, 40 in the warehouse and others",
        "Revenue €5 M: EBITDA €1 M, cash €2 M",
        "If we raise €5 M: €2 M product, €1 M sales, €1 M operations",
        "60 % use the app, 50 % the portal and 20 % the phone",
        "Our mix is 60/30/10",
        "Growth was 60 %, 30 % and 20 %",
    ],
)
def test_a_line_that_is_no_such_sum(line: str) -> None:
    assert list(sum_tensions(lines(line))) == []


USES = ("Product: €2.0 M", "Sales: €1.5 M", "Operations: €1.0 M")


@pytest.mark.parametrize(
    "slides",
    [
        lines(*USES, "We ask for €5 M."),
        lines("We ask the board for €5 M, for:", *USES),
        lines(*USES, title="Our ask: €5 M"),
        deck(Slide(1, "The plan", ("We ask the board for €5 M.",)), Slide(2, "Use of funds", USES)),
    ],
)
def test_an_ask_and_its_uses_add_up_exactly(slides: Deck) -> None:
    assert [found.note for found in sum_tensions(slides)] == [
        "The total is given as €5 M, but its parts (€2.0 M + €1.5 M + €1.0 M) add up to 4.5 million."
    ]


def test_a_total_below_its_parts_may_be_rounded() -> None:
    assert len(list(sum_tensions(lines(*USES, "Total: €5.0 M")))) == 1
    assert list(sum_tensions(lines(*USES, "Total: €5 M"))) == []


@pytest.mark.parametrize(
    "slides",
    [
        lines(*USES, "We ask for €4.5 M."),
        lines(*USES),
        lines(*USES, "Others: to be decided", title="Main uses of the €5 M"),
        lines("Total revenue 2025: €5 M", "Costs in 2024: €2.0 M", "Cash in March: €1.5 M", title="Figures"),
    ],
)
def test_lines_that_are_no_uses_of_an_ask(slides: Deck) -> None:
    assert list(sum_tensions(slides)) == []


def chart(*values: float, kind: str = "pie", title: str = "Revenue by region, %") -> Deck:
    names = ("North", "South", "East", "West")[: len(values)]
    return deck(
        Slide(1, "Where it comes from", charts=(Chart(kind, title, names, (Series("Share", values),)),))
    )


def test_a_pie_of_more_than_everything() -> None:
    assert len(list(sum_tensions(chart(60, 30, 20)))) == 1


@pytest.mark.parametrize(
    "fine",
    [
        chart(60, 30, 10),
        chart(33, 33, 33),
        chart(600, 300, 200, title="Revenue by region, EUR k"),
        chart(60, 50, 40, kind="bar", title="What customers use, % (survey, multiple answers)"),
    ],
)
def test_charts_that_are_no_shares_of_one_whole(fine: Deck) -> None:
    assert list(sum_tensions(fine)) == []


def test_shares_under_a_heading_that_speaks_of_a_split() -> None:
    shares = ("60 % product", "30 % sales", "20 % operations")
    assert len(list(sum_tensions(lines(*shares, title="Use of funds")))) == 1
    assert list(sum_tensions(lines(*shares, title="What customers say in our survey"))) == []


def test_speech_is_added_up_too() -> None:
    said = (
        "We raise five million euros: two million for product, one million for sales and one million for IT."
    )
    assert [found.a.said_at_s for found in sum_tensions(deck(), speech=[Segment(said, 3.0, 9.0)])] == [3.0]


def test_rounding_allows_what_it_can_explain() -> None:
    assert rounding([0.5, 0.5, 0.5]) == pytest.approx(1.5, rel=1e-5)
    assert rounding([0.05] * 5) == pytest.approx(0.1936, abs=1e-3)  # 0.2 off in five numbers is no rounding


CROPS = (
    ("Crop", "Hectares", "Tonnes"),
    ("Wheat", "232", "1,860"),
    ("Barley", "134", "940"),
    ("Rape", "122", "415"),
)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("4,100 tonnes brought in altogether", 1),
        ("We brought in 3,215 tonnes in all", 0),
        ("4,100 tonnes brought in", 0),  # nothing says that these are all crops
        ("Last year 4,100 tonnes in all", 0),
        ("The store can hold 4,100 tonnes in all", 0),
        ("9,000 tonnes in total", 0),  # so far off that it is a total of something else
        ("Of the three crops 4,100 tonnes were brought in", 1),
    ],
)
def test_a_column_without_a_total_row(line: str, found: int) -> None:
    slides = deck(Slide(1, "Harvest", (line,)), Slide(2, "By crop", tables=(Table(CROPS),)))
    assert len([t for t in sum_tensions(slides) if t.kind == "sum"]) == found


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (("One box to tick per slip", "Open on Sundays: 58 %", "Closed: 27 %", "Only in winter: 21 %"), 1),
        (("Yes: 54 %", "No: 39 %", "Undecided: 13 %"), 1),
        (("Yes: 54 %", "No: 33 %", "Undecided: 13 %"), 0),
        (("Open on Sundays: 58 %", "Closed: 27 %", "Only in winter: 21 %"), 0),
        (("Multiple answers possible", "Yes: 54 %", "No: 39 %", "Undecided: 13 %"), 0),
    ],
)
def test_answers_that_exclude_each_other(texts: tuple[str, ...], found: int) -> None:
    assert len(list(sum_tensions(lines(*texts, title="The poll")))) == found
