"""Rates and their totals; parts, wholes and shares."""

from __future__ import annotations

import pytest

from orchestrator.checks.parts import part_tensions
from orchestrator.checks.rates import rate_tensions
from orchestrator.deck.model import Deck, Slide, Table


def deck(*lines: str, rows: tuple[tuple[str, ...], ...] = ()) -> Deck:
    tables = (Table(rows),) if rows else ()
    return Deck("md", "d.md", "0" * 64, "A deck", (Slide(1, "Where we stand", lines, tables=tables),))


@pytest.mark.parametrize(
    "lines",
    [
        ("€50k per month for twelve months: €500k in total",),
        ("200 sites at €3k each = €0.9 M",),
        ("24 training hours a month over 12 months: 173 training hours",),
        ("200 cleaning contracts at 45 pounds a week: £749 k a year",),
        ("Licence: €4,000 per month", "Duration: 24 months", "Total: €120,000"),
        ("Cash position: €3.6 M", "Net burn is €200k per month", "That is a runway of 24 months"),
        ("Pilot fund: €2.6 million", "The pilot uses €200 thousand a month", "The fund lasts 18 months"),
        ("1,200 customers", "€40 per customer per month", "ARR: €960k"),
    ],
)
def test_a_total_that_is_not_rate_times_number(lines: tuple[str, ...]) -> None:
    assert [t.kind for t in rate_tensions(deck(*lines))] == ["rate"]


@pytest.mark.parametrize(
    ("why", "lines"),
    [
        ("right", ("€50k per month for twelve months: €600k in total",)),
        ("rounded", ("18 trucks at €99k each: €1.8 million",)),
        ("discount", ("200 sites at €3k each, less a discount: €0.5 M",)),
        ("about", ("About €50k per month for twelve months: €500k",)),
        ("growth", ("€50k per month, up from €40k, €500k in total for twelve months",)),
        ("two things", ("We have cash of €4.3 billion and, on slide 11, debt of €4.0 billion",)),
        (
            "with the round",
            ("Cash position: €3.6 M", "Net burn is €200k per month", "With the round: a runway of 24 months"),
        ),
        (
            "two burns",
            (
                "Cash position: €3.6 M",
                "Burn of €200k per month",
                "Burn of €150k per month",
                "Runway: 24 months",
            ),
        ),
        ("new customers", ("1,200 new customers", "€40 per customer per month", "ARR: €960k")),
    ],
)
def test_a_total_that_may_be_right(why: str, lines: tuple[str, ...]) -> None:
    assert list(rate_tensions(deck(*lines))) == [], why


def test_a_table_of_quantity_price_and_total() -> None:
    head = ("Item", "Qty", "Unit price", "Total")
    rows = (head, ("A", "10", "€20", "€200"), ("B", "5", "€30", "€150"), ("C", "4", "€25", "€120"))
    assert [(t.a.quote, t.b.quote) for t in rate_tensions(deck(rows=rows))] == [("€25", "€120")]
    other = (head, ("A", "10", "€20", "€350"), ("B", "5", "€30", "€900"), ("C", "4", "€25", "€120"))
    assert list(rate_tensions(deck(rows=other))) == []  # the columns are not what they seem


@pytest.mark.parametrize(
    "lines",
    [
        ("9 of 12 customers renewed, 80 %",),
        ("Nine of our twelve customers renewed, a renewal rate of 80 %",),
        ("80 % retention: 9 of 12 customers renewed",),
        ("15 of our 60 audits ended without a finding (three quarters)",),
        ("120 of 180 tenders, or a third, were won",),
        ("48 customers, of which 61 pay",),
        ("61 of our 48 customers",),
        ("120 % of our customers use it",),
        ("30 % of our 200 customers (80)",),
        (
            "240 buildings in total",
            "180 of the buildings have been renovated",
            "Half of the buildings have been renovated",
        ),
    ],
)
def test_a_share_that_does_not_fit(lines: tuple[str, ...]) -> None:
    assert [t.kind for t in part_tensions(deck(*lines))] == ["share"]


@pytest.mark.parametrize(
    "lines",
    [
        ("9 of 12 customers renewed, 75 %",),
        ("8 of 12 customers (66 %) renewed",),  # cut off, as many do
        ("9 of 12 customers renewed, 25 % churned",),
        ("9 of 12 customers renewed, up 20 %",),
        ("9 of 12 customers renewed, against a target of 90 %",),
        ("About 9 of 12 customers renewed, 80 %",),
        ("48 customers, of which 41 pay",),
        ("48 customers, 61 sites",),
        ("120 % of last year's customers",),
        ("120 % of plan",),
        ("30 % of our 200 customers, up from 80",),
        (
            "240 buildings in total",
            "180 of the buildings have been renovated",
            "Half of the buildings are owned by us",
        ),
    ],
)
def test_a_share_that_may_be_right(lines: tuple[str, ...]) -> None:
    assert list(part_tensions(deck(*lines))) == []


def test_a_table_with_a_share_column() -> None:
    rows = (("Company cars", "Those that are electric", "Share"), ("40", "22", "15 per cent"))
    assert [(t.a.quote, t.b.quote) for t in part_tensions(deck(rows=rows))] == [("15 per cent", "22")]
    fine = (("Company cars", "Those that are electric", "Share"), ("40", "22", "55 per cent"))
    assert list(part_tensions(deck(rows=fine))) == []


def test_a_margin_against_the_table_it_comes_from() -> None:
    rows = (("EUR m", "2025", "2024"), ("Revenue", "27.5", "26.1"), ("Operating profit", "3.3", "2.9"))
    assert len(list(part_tensions(deck("We earned an operating margin of 15 %", rows=rows)))) == 1
    assert list(part_tensions(deck("We earned an operating margin of 12 %", rows=rows))) == []
    assert list(part_tensions(deck("Our target is an operating margin of 15 %", rows=rows))) == []
