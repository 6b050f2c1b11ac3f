"""What follows from a deck's own figures by multiplying and dividing: found when wrong, silent when right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.checks.amounts import amounts
from orchestrator.checks.durations import duration_tensions
from orchestrator.checks.hedged import interval, shares
from orchestrator.checks.parts import part_tensions
from orchestrator.checks.rates import rate_tensions
from orchestrator.checks.roots import root, roots
from orchestrator.checks.said import said_of
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck, Slide
from orchestrator.deck.read import read_deck_text

ROWS = yaml.safe_load((Path(__file__).parent / "contradictions" / "derived.yaml").read_text(encoding="utf-8"))
WRONG = [row for row in ROWS if "bad" in row]


def found(deck: Deck) -> list[Tension]:
    return [tension for check in (rate_tensions, part_tensions, duration_tensions) for tension in check(deck)]


def deck(*lines: str) -> Deck:
    return Deck("md", "d.md", "0" * 64, "A deck", (Slide(1, "Where we stand", lines),))


def filled(row: dict[str, Any], value: str) -> Deck:
    return read_deck_text(row["deck"].replace("{}", str(row.get(value, ""))))


@pytest.mark.parametrize("row", WRONG, ids=[row["id"] for row in WRONG])
def test_a_figure_that_does_not_follow_is_quoted(row: dict[str, Any]) -> None:
    tensions = found(filled(row, "bad"))
    assert len(tensions) == 1
    assert str(row["bad"]) in tensions[0].a.quote + tensions[0].b.quote
    assert tensions[0].a != tensions[0].b or row["deck"].count("\n") < 5


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_figure_that_follows_is_left_alone(row: dict[str, Any]) -> None:
    assert found(filled(row, "good")) == []


def test_the_note_says_the_sum() -> None:
    tensions = found(deck("1,200 loaves per hour", "2 shifts of 8 hours", "That makes 22,400 loaves a day"))
    assert [t.note for t in tensions] == ["1,200 × 8 hours × 2 is 19,200, not 22,400."]


@pytest.mark.parametrize(
    ("why", "lines"),
    [
        ("second", ("40 vans", "Each van makes 50 stops a day", "2,000 stops a day", "2,600 a day")),
        (
            "two rates",
            ("40 vans", "A van makes 50 stops a day", "A bike makes 30 stops a day", "2,900 stops a day"),
        ),
        ("a target", ("40 vans", "Each van makes 50 stops a day", "Target: 2,600 stops a day")),
        ("at least", ("40 vans", "Each van makes at least 50 stops a day", "2,600 stops a day")),
        ("about", ("40 vans", "Each van makes about 50 stops a day", "2,140 stops a day")),
        ("supposed", ("40 vans", "If each van made 50 stops a day, we could have 2,600 stops a day")),
        ("other things", ("40 vans", "Each van makes 50 stops a day", "2,600 calls a day")),
        ("an online rate", ("90 replies to the survey", "30 replied by letter", "Online return rate: 13 %")),
        ("a lunch break", ("Open from 9:00 to 18:00 with a lunch break", "Open eight hours a day")),
        ("two ranges", ("Open 9:00 to 18:00, Sundays 10:00 to 16:00", "Open 70 hours a week")),
        ("extended", ("Mill Lane: let in May 2010 for 10 years, extended", "Mill Lane: let until May 2030")),
    ],
)  # fmt: skip
def test_what_may_be_right_is_left_alone(why: str, lines: tuple[str, ...]) -> None:
    assert found(deck(*lines)) == [], why


def test_a_quantity_has_a_dimension() -> None:
    (slide,) = deck("We sail 14 times a day", "Each visit takes 45 minutes", "35 tonnes per hectare").slides
    assert [(s.what, s.value, s.per) for s in said_of(slide)] == [
        ("count", 14.0, ("day",)),
        ("time", 45.0, ("visit",)),
        ("kg", 35_000.0, ("hectare",)),
    ]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("About 4,200 crossings", 3_864.0, 4_536.0),
        ("nearly 80 % of them", 73.6, 80.4),
        ("412 readers", 412.0, 412.0),
    ],
)
def test_what_hedged_words_leave_open(text: str, low: float, high: float) -> None:
    assert interval(text, amounts(text)[0]) == pytest.approx((low, high), rel=1e-3)


def test_shares_in_words() -> None:
    assert [(a.text, a.value) for a in shares("Four seats out of five; one in three; nine in ten")] == [
        ("Four seats out of five", 80.0),
        ("one in three", pytest.approx(33.3, abs=0.1)),
        ("nine in ten", 90.0),
    ]
    assert shares("one in 2025, three in 10 months") == ()


def test_words_of_one_root() -> None:
    for words in (
        "answer answers answered answering",
        "cancel cancelled cancellation",
        "sail sails sailing sailings",
    ):
        assert len(roots(words)) == 1
    assert root("loaves") == root("loaf")
    assert root("staff") != root("stage")
