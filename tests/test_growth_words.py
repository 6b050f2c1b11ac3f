"""A change in words, a mean per year, "every year": against the deck's own levels."""

from __future__ import annotations

import pytest

from orchestrator.checks.change_words import change_of
from orchestrator.checks.growth_words import growth_in_words, spoken_growth_in_words
from orchestrator.checks.timed_rows import timed_rows
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.speech.model import Segment

BULLETS = Slide(1, "Complaints received", ("2024: 310", "2025: 248"))
ROW = Slide(1, "Loans", tables=(Table((("", "2022", "2023", "2024"), ("Books", "410", "400", "520"))),))
COLUMN = Slide(
    1, "Club", tables=(Table((("Year", "Members"), ("2021", "1,150"), ("2023", "1,300"), ("2025", "1,760"))),)
)


def deck(first: Slide, *lines: str) -> Deck:
    return Deck("md", "d.md", "0" * 64, "A deck", (first, Slide(2, "In short", lines)))


def notes(first: Slide, line: str) -> list[str]:
    slides = deck(first, line)
    return [t.a.quote for t in growth_in_words(slides, timed_rows(slides))]


@pytest.mark.parametrize(
    ("where", "line"),
    [
        (BULLETS, "Since 2024, four in ten complaints have disappeared"),
        (BULLETS, "Complaints have halved"),
        (BULLETS, "A third fewer complaints than in 2024"),
        (ROW, "Book loans more than doubled since 2022"),
        (ROW, "Books: 20 % a year on average from 2022 to 2024"),
        (ROW, "Loans of books have grown every single year"),
        (COLUMN, "Membership has tripled since 2021"),
    ],
)
def test_a_change_that_the_levels_do_not_give(where: Slide, line: str) -> None:
    assert notes(where, line) == [line]


@pytest.mark.parametrize(
    ("why", "where", "line"),
    [
        ("right", BULLETS, "Since 2024, one in five complaints has disappeared"),
        ("nearly right", BULLETS, "Complaints fell by almost a quarter"),
        ("of something else", BULLETS, "Praise letters have doubled"),
        ("of a part", BULLETS, "Driver complaints have halved"),
        ("a goal", BULLETS, "We want complaints cut in half by 2027"),
        ("denied", BULLETS, "Complaints have not halved"),
        ("of others", BULLETS, "In the industry complaints have doubled"),
        ("another time", BULLETS, "In the second quarter complaints doubled"),
        ("right", ROW, "Books grew by 13 % a year between 2022 and 2024"),
        ("from a later year on", ROW, "Since 2023 loans of books have grown every year"),
        ("another row of years", COLUMN, "Membership has grown by half since 2021"),
        ("a year that is not there", COLUMN, "Membership has doubled since 2010"),
    ],
)
def test_a_change_that_may_be_right(why: str, where: Slide, line: str) -> None:
    assert notes(where, line) == [], why


def test_a_change_said_aloud_with_a_spoken_year() -> None:
    said = Segment("So since twenty twenty-one our membership has, er, nearly tripled.", 4.0, 8.0)
    found = list(spoken_growth_in_words(timed_rows(deck(COLUMN)), said))
    assert [(t.a.said_at_s, t.b.quote, t.note) for t in found] == [
        (4.0, "1,760", '"tripled" does not fit: from 1,150 (2021) to 1,760 (2025) it is +53.0%.')
    ]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("sales doubled", 1.8, 2.2),
        ("costs were cut in half", 0.4, 0.6),
        ("half as many again", 1.4, 1.6),
        ("a third fewer", 0.6, 0.73),
        ("up by a quarter", 1.2, 1.3),
        ("more than doubled", 1.98, 3.2),
        ("compound growth of 20 % a year", 1.189, 1.211),
    ],
)
def test_what_words_leave_open(text: str, low: float, high: float) -> None:
    change = change_of(text)
    assert change is not None
    assert (round(change.low, 3), round(change.high, 3)) == pytest.approx((low, high), abs=0.006)
