"""The same event with two dates; durations against their own start and end."""

from __future__ import annotations

import pytest

from orchestrator.checks.dates import date_tensions, date_tensions_of_segment, deck_dates
from orchestrator.checks.durations import duration_tensions
from orchestrator.checks.moments import apart, moments
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.speech.model import Segment


def deck(*texts: str) -> Deck:
    return Deck(
        "md", "d.md", "0" * 64, "A deck", tuple(Slide(i, "A slide", (t,)) for i, t in enumerate(texts, 1))
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Launch of Atlas in March 2027", "Atlas launch: June 2027"),
        ("Saltmere opens in March 2027", "Opening of Saltmere: September 2027"),
        ("We break even in Q3 2027", "Break-even: Q1 2028"),
        ("The portal goes live on 12 May 2027", "Go-live of the portal by the end of March 2027"),
        ("Founded in 2015", "We were founded in 2012 by two engineers"),
        ("ISO 27001 certification in March 2026", "The ISO 27001 certification comes in September 2026"),
        (
            "The first harvest of the orchard is planned for May 2027",
            "We have set the first harvest of the orchard for July 2027",
        ),
        (
            "Opening of the second kitchen: May 2026",
            "The opening of kitchen number two is planned for July 2026",
        ),
        ("The licence expires in June 2027", "Our licence runs out in March 2028"),
    ],
)
def test_one_event_with_two_dates(first: str, second: str) -> None:
    assert [(t.kind, t.a.quote, t.b.quote) for t in date_tensions(deck(first, second))] == [
        ("date", first, second)
    ]


@pytest.mark.parametrize(
    ("why", "first", "second"),
    [
        ("month in its quarter", "Launch of Atlas in May 2026", "Atlas launch: Q2 2026"),
        ("month in its year", "Launch of Atlas in May 2026", "Atlas launch: 2026"),
        ("by", "Atlas launches by June 2026", "Launch of Atlas in May 2026"),
        ("another phase", "Phase 1 goes live in May 2026", "Phase 2 goes live in June 2027"),
        ("another version", "Launch of Atlas v1 in May 2025", "Launch of Atlas v2 in May 2026"),
        ("another edition", "Beta launch of Atlas in May 2026", "Launch of Atlas in June 2026"),
        ("another place", "Go-live in Berlin in May 2026", "Go-live in Lyon in June 2026"),
        ("another thing", "Launch of Atlas in May 2026", "Launch of Bora in June 2026"),
        ("another event", "Atlas project starts in May 2026", "Atlas goes live in June 2027"),
        ("said to have moved", "Launch of Atlas in May 2026", "The Atlas launch slipped to June 2026"),
        (
            "said to have moved",
            "Originally planned for May 2026, Atlas launches later",
            "Atlas launch: June 2026",
        ),
        ("happens often", "Stores opened in 2025", "Stores open in 2026"),
        ("only if", "If all goes well Atlas launches in May 2026", "Atlas launch: June 2026"),
        ("somebody else", "Our competitor launches Atlas in May 2026", "Atlas launch: June 2026"),
        ("fiscal year", "Atlas launch: Q1 FY26", "Atlas launch: November 2025"),
        ("a figure with a date", "Revenue was €4 M in 2025", "Revenue was €5 M in 2026"),
    ],
)
def test_two_dates_that_are_none(why: str, first: str, second: str) -> None:
    assert list(date_tensions(deck(first, second))) == [], why


def test_a_roadmap_in_a_table_and_a_word_in_speech() -> None:
    rows = (
        ("Milestone", "Date"),
        ("Opening of Saltmere", "September 2027"),
        ("Audit of the depot", "May 2027"),
    )
    slides = Deck("md", "d.md", "0" * 64, "A deck", (Slide(1, "Plan", tables=(Table(rows),)),))
    said = Segment("And as I said, Saltmere opens in March 2027.", 4.0, 8.0)
    found = list(date_tensions(slides, speech=[said]))
    assert [(t.a.quote, t.b.said_at_s) for t in found] == [("Opening of Saltmere", 4.0)]


@pytest.mark.parametrize(
    ("a", "b", "differ"),
    [
        ("March 2026", "Q1 2026", False),
        ("March 2026", "Q2 2026", True),
        ("in March", "12 March 2026", False),
        ("in March", "12 May 2026", True),
        ("by May 2026", "March 2026", False),
        ("by May 2026", "July 2026", True),
        ("from May 2026", "July 2026", False),
        ("H1 2026", "Q2 2026", False),
        ("late 2026", "March 2026", True),
        ("summer 2026", "July 2026", False),
        ("2026-05-12", "12.05.2026", False),
        ("2026", "FY27", False),
    ],
)
def test_dates_are_stretches_of_days(a: str, b: str, differ: bool) -> None:
    assert apart(moments(a)[0], moments(b)[0]) is differ


@pytest.mark.parametrize(
    "texts",
    [
        ("The pilot runs from March to May 2026, a six-month pilot",),
        ("A five-year plan from 2026 to 2028",),
        ("The barn rebuilding runs from January 2027 to June 2028 (12 months)",),
        ("The rollout takes nine months", "The rollout runs from January 2027 to March 2027"),
        ("The ISO audit takes 14 days", "It takes us 29 days to finish the ISO audit"),
        ("Founded in 2015 in Hexley", "20 years in business in 2026"),
        ("Nine months in all: 2 months design, 4 months build, 2 months test",),
    ],
)
def test_a_duration_that_its_dates_contradict(texts: tuple[str, ...]) -> None:
    from orchestrator.checks.sums import sum_tensions

    slides = deck(*texts)
    assert [t.kind for t in (*duration_tensions(slides), *sum_tensions(slides))] == ["duration"]


@pytest.mark.parametrize(
    "texts",
    [
        ("The pilot runs from March to May 2026, a three-month pilot",),
        ("A three-year plan, 2026-2028",),
        ("The lease runs from January to March 2026, with six months' notice",),
        ("The team has 20 years of experience", "Founded in 2015 in Hexley"),
        ("The rollout takes nine months", "The rollout of the portal runs from January 2027 to March 2027"),
        ("About three months, from March to May 2026",),
        ("The audit takes 14 days", "The audit took 29 days last year"),
        ("One year of snapshots", "Two years of snapshots"),
    ],
)
def test_a_duration_that_may_be_right(texts: tuple[str, ...]) -> None:
    assert list(duration_tensions(deck(*texts))) == []


def test_start_end_and_duration_as_labels_and_as_columns() -> None:
    labels = Slide(1, "Pilot", ("Start: March 2026", "End: August 2026", "Duration: 9 months"))
    rows = (("Phase", "Start", "End", "Months"), ("Design", "January 2026", "March 2026", "3"),
            ("Build", "April 2026", "June 2026", "5"))  # fmt: skip
    columns = Slide(2, "Phases", tables=(Table(rows),))
    found = list(duration_tensions(Deck("md", "d.md", "0" * 64, "A deck", (labels, columns))))
    assert [(t.a.quote, t.b.quote) for t in found] == [
        ("Duration: 9 months", "End: August 2026"),
        ("5", "June 2026"),
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The lease of the river terrace runs out on 30 November 2029",
         "The river terrace goes back to the parish in autumn 2027"),
        ("Ballot in Altdorf: 14 June 2027", "On 28 June 2027 Altdorf votes"),
        ("Phase 2: application handed in on 3 March 2026", ("The application for phase 2 was filed on 9 "
                                                           "June 2026")),
        ("The festival has been postponed from 8 May to 18 September 2027",
         "The festival takes place on 25 September 2027"),
        ("The new owner of hull 214 takes her over on 30 June 2026",
         "Hand-over of hull 214: 15 December 2026"),
        ("The ordinance takes effect on 1 January 2028", "The ordinance enters into force in July 2028"),
    ],
)  # fmt: skip
def test_one_event_in_two_wordings(first: str, second: str) -> None:
    assert [(t.a.quote, t.b.quote) for t in date_tensions(deck(first, second))] == [(first, second)]


@pytest.mark.parametrize(
    ("why", "first", "second"),
    [
        ("siblings", "Market square: contract expires on 31 January 2028",
         "Station: contract expires on 31 July 2030"),
        ("begin and end", "The lease of the hall begins on 1 May 2026",
         "The lease of the hall ends on 30 June 2029"),
        ("another number", "Hull 213 is delivered on 14 January 2026",
         "Hull 214 is delivered on 30 June 2026"),
        ("the old date", "Release of the game: 12 May 2026",
         "We moved the release of the game from 12 May to 9 September 2026"),
        ("the new date", "We moved the release from 12 May to 9 September 2026",
         "Release day: September 2026"),
        ("another edition", "Annual general meeting on 18 April 2026",
         "Annual general meeting on 17 April 2027"),
        ("again and again", "Board meeting on 12 March 2026", "Board meeting on 9 June 2026"),
        ("its construction", "Construction of the museum starts in March 2027",
         "The museum opens in May 2028"),
        ("season", "The main warehouse closes in summer 2027",
         "Last day in the main warehouse: 31 August 2027"),
    ],
)  # fmt: skip
def test_two_wordings_of_two_events(why: str, first: str, second: str) -> None:
    assert list(date_tensions(deck(first, second))) == [], why


def test_a_day_of_the_week_that_its_date_does_not_have() -> None:
    wrong, right = "Hearing: Friday, 12 November 2026", "Hearing: Thursday, 12 November 2026"
    assert [t.note for t in date_tensions(deck(wrong))] == ["12 November 2026 is a Thursday, not a Friday."]
    assert list(date_tensions(deck(right, "Every Friday, 12 November or not"))) == []


def test_a_date_said_aloud_is_held_against_the_deck_by_itself() -> None:
    index = deck_dates(deck("Election of the works council: 17 March 2027"))
    said = Segment("So on the twenty-fourth of March we elect the works council.", 4.0, 8.0)
    fine = Segment("So on the seventeenth of March we elect the works council.", 9.0, 12.0)
    assert [t.b.said_at_s for t in date_tensions_of_segment(index, said)] == [4.0]
    assert date_tensions_of_segment(index, fine) == ()
