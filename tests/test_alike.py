"""Numbers about the same thing in other words: what is found, and what must stay silent."""

from __future__ import annotations

import pytest

from orchestrator.checks.alike import alike_of, deck_alike, said_of, speech_alike
from orchestrator.checks.figures import words_of
from orchestrator.claims.model import Tension
from orchestrator.deck.read import read_deck_text
from orchestrator.speech.model import Segment

FRONT = "# Annual report to the trustees\n\nNovember 2026\n\n"


def _deck(*slides: str) -> str:
    return FRONT + "".join(f"---\n\n# Part {number}\n\n- {line}\n\n" for number, line in enumerate(slides, 1))


def _in_deck(*slides: str) -> list[tuple[str, str]]:
    deck = read_deck_text(_deck(*slides))
    return [(found.a.quote, found.b.quote) for found in deck_alike(alike_of(deck, words_of(deck)))]


def _in_speech(line: str, said: str) -> list[Tension]:
    deck = read_deck_text(_deck(line, "The garden shed was painted in green"))
    alike = alike_of(deck, words_of(deck))
    return list(speech_alike(alike, said_of(alike, Segment(said, 3.0, 9.0, "Presenter", 2))))


FOUND = [
    (
        "Average rent for a studio flat: £640 per month",
        "Tenants in a studio flat pay £710 per month on average",
    ),
    (
        "Median wait for a dentist appointment: 40 days",
        "Half of all dental patients got a dentist appointment within 28 days",
    ),
    ("Swimming lessons: 1,450 children enrolled", "We taught 1,720 kids in swimming lessons"),
    ("Annual staff turnover of carers: 12 %", "95 % of our carers stayed with us last year"),
    ("Shuttle punctuality: 91 %", "16 % of shuttle rides were late"),
    ("Diesel price paid: 134 p a litre", "We paid £1,480 for every 1,000 litres of diesel"),
]


@pytest.mark.parametrize(("one", "other"), FOUND)
def test_one_thing_with_two_values_is_found_in_other_words(one: str, other: str) -> None:
    assert _in_deck(one, other) == [(one, other)]


SILENT = [
    (
        "Average rent for a studio flat: £640 per month",
        "Tenants in a studio flat pay £640 per month on average",
    ),
    ("Average rent for a studio flat: £640 per month", "The average rent for a garage is £710 per month"),
    ("Swimming lessons: 1,450 children enrolled", "We aim for 1,720 kids in swimming lessons"),
    ("Swimming lessons: 1,450 children enrolled", "A year earlier we taught 1,720 kids in swimming lessons"),
    (
        "Swimming lessons: 1,450 children enrolled",
        "The neighbouring club taught 1,720 kids in swimming lessons",
    ),
    (
        "Swimming lessons: 1,450 children enrolled",
        "Swimming lessons alone for toddlers: 1,120 children enrolled",
    ),
    ("Shuttle punctuality: 91 %", "9 % of shuttle rides were late"),
    ("Longest wait for a dentist appointment: 60 days", "Patients wait 40 days for a dentist appointment"),
    ("Gross takings of the tea room: £41,300", "Net takings of the tea room: £35,900"),
    ("Diesel price paid: 134 p a litre", "We paid £1,340 for every 1,000 litres of diesel"),
    ("Tea room takings 2024: £41,300", "Tea room takings 2025: £48,900"),
    ("Tea room takings rose by £41,300", "Tea room takings came to £58,900"),
]


@pytest.mark.parametrize(("one", "other"), SILENT)
def test_what_is_set_apart_is_silent(one: str, other: str) -> None:
    assert _in_deck(one, other) == []


SAID = [
    ("Museum visitors: 86,000", "a shade under a hundred and five thousand people came to the museum", True),
    ("Museum visitors: 86,000", "a bit over eighty-five thousand people came to the museum", False),
    ("Members who renew: 84 %", "one in four of our members does not renew", True),
    ("Members who renew: 84 %", "roughly one in six of our members does not renew", False),
    (
        "Average ticket for the musical: €38.50",
        "people pay roughly forty-six euros for a musical ticket",
        True,
    ),
    (
        "Average ticket for the musical: €38.50",
        "people pay about thirty-nine euros for a musical ticket",
        False,
    ),
    (
        "Average ticket for the musical: €38.50",
        "the programme for the musical costs roughly six euros",
        False,
    ),
]


@pytest.mark.parametrize(("line", "said", "found"), SAID)
def test_speech_is_held_against_the_deck_with_the_room_that_its_words_leave(
    line: str, said: str, found: bool
) -> None:
    tensions = _in_speech(line, said)
    assert [(t.kind, t.a.quote, t.b.quote) for t in tensions] == (
        [("speech-vs-deck", line, said)] if found else []
    )


def test_a_value_that_agrees_elsewhere_explains_a_number() -> None:
    assert _in_deck(
        "Swimming lessons: 1,450 children enrolled",
        "We taught 1,720 kids in swimming lessons",
        "Swimming lessons: 1,720 pupils taught",
        "Children enrolled in swimming lessons: 1,450",
    ) == []  # fmt: skip
