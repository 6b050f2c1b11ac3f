"""The general reading: numbers as people write and say them, and what follows from them."""

from __future__ import annotations

import math

import pytest

from orchestrator.checks.figures import words_of
from orchestrator.checks.reading.amounts import amounts
from orchestrator.checks.reading.find import deck_tensions, reading_of, segment_tensions
from orchestrator.claims.model import Tension
from orchestrator.claims.periods import find_periods
from orchestrator.deck.read import read_deck_text
from orchestrator.speech.model import Segment


@pytest.mark.parametrize(
    ("text", "kind", "low", "high"),
    [
        ("three in four of them pay", "share", 70.5, 79.5),
        ("nine times out of ten the tram comes", "share", 85.5, 94.5),
        ("every second van is electric", "share", 43.0, 57.0),
        ("out of every five litres, one is lost", "share", 17.2, 22.8),
        ("more than four out of five said so", "share", 80.0, math.inf),
        ("12 % of the loans", "share", 11.5, 12.5),
        ("12 percentage points up", "points", 11.5, 12.5),
        ("4,580 MW of load", "physical", 4.575e9, 4.585e9),
        ("87p a bottle", "money", 0.865, 0.875),
    ],
)
def test_a_number_is_read_with_the_interval_of_its_wording(
    text: str, kind: str, low: float, high: float
) -> None:
    (found,) = amounts(text, find_periods(text))
    assert found.kind == kind
    assert [found.low, found.high] == pytest.approx([low, high])


def test_a_part_and_its_whole_are_two_numbers() -> None:
    text = "46 of our 120 rooms stood empty"
    assert [(a.value, a.noun) for a in amounts(text, ())] == [(46.0, "rooms"), (120.0, "rooms")]


def found(deck: str, speech: str = "") -> list[Tension]:
    read = read_deck_text(deck)
    reading = reading_of(read, words_of(read))
    said = [Segment(speech, 3.0, 9.0, "Presenter")] if speech else []
    return [*deck_tensions(reading), *(t for one in said for t in segment_tensions(reading, one))]


PAIRS = [
    (
        "growth",
        (
            "# Roofs\n\n- End of 2021: 2.0 MWp on 40 roofs\n- End of 2024: {} MWp on 60 roofs\n\n---\n\n"
            "# Thanks to you\n\nIn three years we have more than tripled our capacity.\n"
        ),
        "4.4",
        "6.6",
    ),
    (
        "share",
        (
            "# Homes\n\n- 600 homes connected\n- {} of them ready for low temperatures\n\n---\n\n# Next\n\n"
            "A third of the connected homes is ready for low temperatures.\n"
        ),
        "320",
        "200",
    ),
    (
        "rate",
        (
            "# Hampers\n\n- Hampers brought in {}\n\n---\n\n# Closer\n\n"
            "- 20,000 hampers left the shop, every one at £30\n"
        ),
        "£900,000",
        "£600,000",
    ),
    (
        "duration",
        (
            "# The hall\n\n- Ground broken: March 2023\n- Keys handed over: November 2024\n\n---\n\n"
            "# Facts\n\n"
            "From breaking the ground to the keys it was a {}-month build.\n"
        ),
        "12",
        "20",
    ),
    (
        "sum",
        (
            "# The bill\n\nThe fair cost {} all told\n\n---\n\n# Where it went\n\n"
            "- Stage €40,000\n"
            "- Guards €25,000\n- Toilets €9,000\n- Print €6,000\n"
        ),
        "€92,000",
        "€80,000",
    ),
]


@pytest.mark.parametrize(("kind", "deck", "wrong", "right"), PAIRS, ids=[row[0] for row in PAIRS])
def test_what_does_not_follow_is_found_and_what_follows_is_not(
    kind: str, deck: str, wrong: str, right: str
) -> None:
    assert [tension.kind for tension in found(deck.format(wrong))] == [kind]
    assert found(deck.format(right)) == []


def test_a_direction_without_a_number() -> None:
    deck = "# Registry\n\n| | 2023 | 2024 |\n|---|---|---|\n| Weddings | 810 | 905 |\n"
    fewer = "There were fewer weddings than in the year before."
    assert [tension.kind for tension in found(deck, fewer)] == ["growth"]
    assert found(deck, fewer.replace("fewer", "more")) == []


def test_a_number_that_agrees_with_another_of_the_deck_is_left_alone() -> None:
    deck = "# Staff\n\nPermanent crew and shore staff: {}\n\n---\n\n# Pay\n\n"
    deck += "221 permanent shore staff and crew\n"
    assert len(found(deck.format(212))) == 1
    assert found(deck.format(212) + "\n---\n\n# Notes\n\nPermanent crew and shore staff: 221\n") == []
