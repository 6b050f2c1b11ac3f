"""Number against number: what must be found, and every reason to say nothing, as pairs of sentences."""

from __future__ import annotations

import pytest

from orchestrator.checks.find import index_of, tensions, tensions_of_segment
from orchestrator.claims.model import Tension
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.speech.model import Segment


def deck_of(*lines: str) -> Deck:
    """A deck with one line on each slide."""
    return Deck("md", "deck.md", "", "", tuple(Slide(n, "", (line,)) for n, line in enumerate(lines, 1)))


def found(*lines: str) -> tuple[Tension, ...]:
    """The tensions of one number against another among slides that hold one line each."""
    return tuple(t for t in tensions(deck_of(*lines), ()) if t.kind == "deck-vs-deck")


def said(line: str, speech: str) -> tuple[Tension, ...]:
    """The tensions between a slide and one piece of speech."""
    return tensions_of_segment(index_of(deck_of(line), ()), Segment(speech, 65.0, 70.0, "Presenter", 1))


SAME_METRIC = [
    ("ARR: $4.2M", "Our annual recurring revenue is $4.6M"),
    ("Headcount: 48", "Our 61 people work in three cities"),
    ("We have 48 employees", "A team of 61"),
    ("Customer churn is 6% a year", "Customer retention is 91%"),
    ("97% of deliveries arrived on time", "Late deliveries: 8%"),
    ("Gross margin: 64%", "The gross margin stands at 58%"),
    ("Revenue in FY2026 was €31.2 million", "Revenue 2026: EUR 33.9 million"),
    ("Runway: 18 months", "Our cash lasts for 11 months"),
    ("Payback: 18 months", "It pays for itself in two years"),
    ("CAC is $900", "It costs us $1,400 to acquire a customer"),
    ("Market share: 12%", "We hold 18% of the market"),
    ("NPS 62", "Our NPS is 48"),
    ("Uptime: 99.95%", "The platform was available 99.2% of the time"),
    ("We are active in 9 countries", "Our customers are in 12 countries"),
    ("Net loss of $1.2M", "The net loss was $1.9M"),
    ("Our wheat brings 11.7 t/ha", "Wheat: 8.4 t/ha"),
]


@pytest.mark.parametrize(("first", "second"), SAME_METRIC)
def test_two_values_of_one_metric_are_found_however_they_are_said(first: str, second: str) -> None:
    (tension,) = found(first, second)
    assert (tension.a.slide, tension.a.quote) == (1, first)
    assert (tension.b.slide, tension.b.quote) == (2, second)
    assert tension.note.endswith(".")


SILENT = {
    "the numbers agree": ("ARR: $4.2M", "Our annual recurring revenue is $4.2 million"),
    "one is rounded": ("Revenue was €31.2 million", "Revenue: €31 million"),
    "about": ("ARR: $4.2M", "ARR is about $4 million"),
    "more than": ("Headcount: 61", "We have over 50 employees"),
    "nearly": ("97.8% of deliveries arrived on time", "Nearly 98% of deliveries arrive on time"),
    "a range": ("Churn: 6%", "Churn is between 7% and 9%"),
    "another company": ("Churn: 6%", "Churn of our competitors is 9%"),
    "the industry": ("Churn: 6%", "The industry average for churn is 9%"),
    "a target": ("Churn: 6%", "Target: churn of 4%"),
    "a plan in the same clause": ("Churn: 6%", "We want churn to reach 4%"),
    "the future": ("ARR: $4.2M", "ARR will be $6M"),
    "history": ("Churn: 6%", "Churn used to be 9%"),
    "last year": ("Churn: 6%", "Last year churn was 9%"),
    "an earlier year": ("Revenue 2025: €4.2M", "Revenue 2024: €3.6M"),
    "a quarter and a year": ("Revenue in Q3 2026: €1.1M", "Revenue 2026: €4.2M"),
    "a month and a year": ("Churn is 2% a month", "Churn is 9% a year"),
    "no time against several": ("Revenue 2024: €3.6M, 2025: €4.2M", "Revenue: €3.6M"),
    "a region": ("Revenue: €4.2M", "Revenue in Germany: €1.9M"),
    "a segment": ("Churn: 6%", "Enterprise churn: 2%"),
    "gross and net": ("Gross margin: 64%", "Net margin: 12%"),
    "organic": ("Revenue growth: 18%", "Organic revenue growth: 9%"),
    "adjusted": ("EBITDA: €3.4M", "Adjusted EBITDA: €4.1M"),
    "median and average": ("Median salary cost: €52k", "Average salary cost: €58k"),
    "new and all": ("We have 164 customers", "We won 41 new customers"),
    "a part": ("We have 164 customers", "9 of our 164 customers are hospitals"),
    "those who use it": ("We have 164 customers", "41 customers use the app"),
    "another currency": ("Revenue: €4.2M", "Revenue: $4.9M"),
    "an example": ("Churn: 6%", "For example, churn of 9% would cost us a lot"),
    "a question": ("Churn: 6%", "What if churn is 9%?"),
    "somebody's words": ("Churn: 6%", 'A customer wrote: "your churn is 9% I hear"'),
    "the same stretch in another unit": ("Payback: 18 months", "Payback: a year and a half"),
    "the worst case": ("Headcount: 48", "Worst case: headcount of 61"),
    "a site": ("Headcount: 48", "The Westhill site: employees 14"),
    "shares of other wholes": ("40% of revenue comes from hospitals", "55% of costs come from hospitals"),
    "shares of other parts": ("40% of revenue comes from hospitals", "25% of revenue comes from pharmacies"),
}


@pytest.mark.parametrize(("first", "second"), SILENT.values(), ids=SILENT.keys())
def test_nothing_is_said_where_both_may_be_right(first: str, second: str) -> None:
    assert found(first, second) == ()


SPOKEN = [
    ("Churn is 6% a year", "So about eight percent of our customers leave every year."),
    ("Headcount: 48", "We are sixty-one people now, and I am proud of every one."),
    ("ARR: $4.2M", "Our ARR is five point one million dollars."),
    ("Runway: 18 months", "We have eleven months of runway left."),
    ("Churn is 6% a year", "One in five of our customers leaves every year."),
]


@pytest.mark.parametrize(("line", "speech"), SPOKEN)
def test_speech_that_contradicts_a_slide_is_found(line: str, speech: str) -> None:
    (tension,) = said(line, speech)
    assert tension.kind == "speech-vs-deck"
    assert tension.a.said_at_s == 65.0
    assert tension.a.quote in speech
    assert tension.b.quote == line
    assert "at 1:05" in tension.note


SPOKEN_SILENT = {
    "round numbers are wide": ("ARR: $4.2M", "Our ARR is four million dollars."),
    "about": ("ARR: $4.2M", "Our ARR is about four million dollars."),
    "a correction": ("Churn is 6% a year", "Churn is eight percent, sorry, I mean six percent a year."),
    "another company": ("Churn is 6% a year", "The churn of our competitors is twelve percent a year."),
    "a plan": ("Headcount: 48", "Next year we will be sixty-one people."),
    "a question": ("Headcount: 48", "Are we sixty-one people?"),
    "history": ("Headcount: 48", "We used to be sixty-one people."),
    "the deck's own value of another year": ("Churn 2025: 6%, 2024: 8%", "Churn is eight percent."),
}


@pytest.mark.parametrize(("line", "speech"), SPOKEN_SILENT.values(), ids=SPOKEN_SILENT.keys())
def test_speech_that_may_be_right_is_left_alone(line: str, speech: str) -> None:
    assert said(line, speech) == ()


def test_a_cell_of_a_table_is_compared_with_a_line() -> None:
    table = Table((("Metric", "Value"), ("ARR", "4.6M"), ("Customers", "53")))
    deck = Deck("md", "d", "", "", (Slide(3, "", ("ARR: $4.2M",)), Slide(7, "Figures", (), (table,))))
    (tension,) = tensions(deck, ())
    assert (tension.a.slide, tension.a.quote, tension.b.slide, tension.b.quote) == (
        3,
        "ARR: $4.2M",
        7,
        "4.6M",
    )


def test_hidden_slides_are_not_compared() -> None:
    deck = Deck("md", "d", "", "", (Slide(1, "", ("Churn: 6%",)), Slide(2, "", ("Churn: 9%",), hidden=True)))
    assert tensions(deck, ()) == ()


def test_the_answer_is_the_same_every_time() -> None:
    deck = deck_of("ARR: $4.2M", "ARR: $4.6M", "Churn: 6%", "Churn: 9%")
    assert tensions(deck, ()) == tensions(deck, ())
    assert len(tensions(deck, ())) == 2
