"""Chart data against the words of its slide: what contradicts them, and what a chart leaves open."""

from __future__ import annotations

import pytest

from orchestrator.checks.chart_text import chart_tensions
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Chart, Deck, Series, Slide
from orchestrator.speech.model import Segment

YEARS = ("2023", "2024", "2025")
QUARTERS = ("Q1 2025", "Q2 2025", "Q3 2025", "Q4 2025")


def deck(title: str, chart: Chart, *lines: str) -> Deck:
    return Deck("pptx", "d.pptx", "0" * 64, "A deck", (Slide(1, title, lines, charts=(chart,)),))


def one(*values: float, name: str = "Revenue, EUR million", categories: tuple[str, ...] = YEARS) -> Chart:
    return Chart("column", name, categories[: len(values)], (Series(name, values),))


ORDERS = one(40.0, 55.0, 48.0, 52.0, name="Orders", categories=QUARTERS)
SHARES = Chart(
    "pie", "Sales by market, %", ("Germany", "France", "Italy"), (Series("Share", (0.45, 0.35, 0.2), True),)
)


@pytest.mark.parametrize(
    ("title", "chart"),
    [
        ("Revenue doubled", one(3.0, 3.5, 4.2)),
        ("Revenue more than doubled", one(3.0, 3.5, 5.6)),
        ("Revenue grew 40 % in 2025", one(3.0, 3.5, 4.2)),
        ("Revenue fell", one(3.0, 3.5, 4.2)),
        ("Revenue rose", one(4.2, 3.5, 3.0)),
        ("Revenue is up every year", one(3.0, 2.5, 4.2)),
        ("Revenue has been flat", one(3.0, 3.5, 4.2)),
        ("In 2025, we turned over €4.8m", one(3.0, 3.5, 4.2)),
        ("Revenue reached €4.8 million", one(3.0, 3.5, 4.2)),
        ("Orders peaked in Q3 2025", ORDERS),
        ("The worst quarter for orders was Q4 2025", ORDERS),
        ("61 orders in Q2 2025", ORDERS),
        ("France is our largest market", SHARES),
        ("More than half of sales come from Germany", SHARES),
        ("Sales: 40 % from Germany", SHARES),
    ],
)
def test_a_headline_that_its_chart_contradicts(title: str, chart: Chart) -> None:
    assert [t.a.quote for t in chart_tensions(deck(title, chart))] == [title]


@pytest.mark.parametrize(
    ("why", "title", "chart"),
    [
        ("true", "Revenue doubled", one(2.1, 3.5, 4.2)),
        ("true from first to last", "Revenue grew 40 %", one(3.0, 3.5, 4.2)),
        ("true for the last step", "Revenue grew 20 %", one(3.0, 3.5, 4.2)),
        ("true as a yearly mean", "Revenue grew 18 % a year", one(3.0, 3.5, 4.2)),
        (
            "true against a year before",
            "Orders up 10 %",
            one(50, 60, 70, 80, 55, name="Orders", categories=(*QUARTERS, "Q1 2026")),
        ),
        ("a target", "Revenue will double", one(3.0, 3.5, 4.2)),
        ("another metric", "Costs fell", one(3.0, 3.5, 4.2)),
        ("another metric's number", "EBITDA reached €4.8 million", one(3.0, 3.5, 4.2)),
        ("recovered", "Revenue is down from its peak", one(3.0, 4.5, 4.2)),
        ("peak", "Orders peaked in Q2 2025", ORDERS),
        ("value", "55 orders in Q2 2025", ORDERS),
        ("scaled", "Revenue of €4,200,000 in 2025", one(3.0, 3.5, 4.2)),
        ("a sum", "Revenue of €10.7 M in 2023, 2024 and 2025", one(3.0, 3.5, 4.2)),
        ("leader", "Germany is our largest market", SHARES),
        ("second", "France is our second largest market", SHARES),
        ("percent", "Sales: 45 % from Germany", SHARES),
        ("about", "Revenue was about €4 M in 2025", one(3.0, 3.5, 4.2)),
    ],
)
def test_a_headline_that_may_be_right(why: str, title: str, chart: Chart) -> None:
    assert list(chart_tensions(deck(title, chart))) == [], why


def test_with_several_series_only_a_named_one_is_meant() -> None:
    chart = Chart(
        "line", "Development", YEARS, (Series("Revenue", (3.0, 3.5, 4.2)), Series("Staff", (30, 25, 20)))
    )
    assert [t.a.quote for t in chart_tensions(deck("Where we stand", chart, "Staff doubled"))] == [
        "Staff doubled"
    ]
    assert list(chart_tensions(deck("Where we stand", chart, "Costs doubled"))) == []
    assert list(chart_tensions(deck("Everything fell", chart))) == []


def test_speech_is_held_against_the_chart_that_is_up() -> None:
    slides = deck("Where we stand", one(3.0, 3.5, 4.2))
    said = Segment("As you can see, our revenue doubled.", 7.0, 9.0, slide=1)
    note = "“doubled” does not fit the chart: it goes from 3 (2023) to 4.2 (2025)."
    a = Place(1, 7.0, "As you can see, our revenue doubled")
    assert list(chart_tensions(slides, speech=[said])) == [
        Tension("chart-vs-text", a, Place(1, None, "Revenue, EUR million"), note)
    ]
    assert list(chart_tensions(slides, speech=[Segment(said.text, 7.0, 9.0, slide=2)])) == []
