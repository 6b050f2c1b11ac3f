"""Figures: what a number in a sentence means, and the interval that its words leave open."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.checks.figures import figures_of, figures_of_segment
from orchestrator.checks.intervals import hedges, interval
from orchestrator.checks.lexicon import mentions, stem, tokens, units_of
from orchestrator.checks.metrics import COMPLEMENTS, METRICS
from orchestrator.checks.model import ROLES, Figure
from orchestrator.checks.when import DIFFERENT, ONE_SIDED, SAME, compare_when, whens
from orchestrator.claims.periods import find_periods
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment


def read(line: str) -> list[Figure]:
    """The figures of a deck that holds this one line."""
    return list(figures_of(Deck("md", "d", "", "", (Slide(1, "", (line,)),)), ()))


READINGS = [
    ("Churn is 6% a year", "churn", "level", 6.0),
    ("8 % of our customers leave every year", "churn", "level", 8.0),
    ("We lose a third of customers each year", "churn", "level", 100 / 3),
    ("94% of customers renewed", "customer retention", "level", 94.0),
    ("97.8% of deliveries arrived on time", "on-time delivery", "level", 97.8),
    ("8% of orders were late", "late deliveries", "level", 8.0),
    ("Revenue grew 38%", "revenue", "growth", 38.0),
    ("Revenue fell by 12%", "revenue", "growth", -12.0),
    ("18% revenue growth", "revenue", "growth", 18.0),
    ("Revenue doubled", "revenue", "growth", 100.0),
    ("40% of revenue comes from hospitals", "share of revenue", "share", 40.0),
    ("€4.2M ARR", "arr", "level", 4.2e6),
    ("Target: ARR of $10M", "arr", "target", 1e7),
    ("ARR will reach $10M", "arr", "target", 1e7),
    ("Our 61 people", "headcount", "level", 61.0),
    ("A team of 48", "headcount", "level", 48.0),
    ("We hired 12 people", "headcount", "change", 12.0),
    ("12 months of runway", "runway", "level", 365.25),
    ("We hold 18% of the market", "market share", "level", 18.0),
    ("NPS of 62", "nps", "level", 62.0),
    ("We ask for €2.5 million", "ask", "level", 2.5e6),
    ("It costs us $1,400 to acquire a customer", "cac", "level", 1400.0),
]


@pytest.mark.parametrize(("line", "metric", "role", "value"), READINGS)
def test_a_number_is_read_with_its_metric_and_role(line: str, metric: str, role: str, value: float) -> None:
    figure = read(line)[0]
    assert (figure.metric, figure.role) == (metric, role)
    assert figure.value == pytest.approx(value)
    assert figure.place.quote[figure.start :].startswith(figure.text)


def test_a_part_of_the_company_is_its_segment() -> None:
    (europe,), (plain,) = read("Revenue in Europe: €4.2M"), read("Revenue: €4.2M")
    assert europe.segment == {"europe"}
    assert plain.segment == frozenset()


def test_a_title_gives_its_time_and_place_to_the_lines_below() -> None:
    deck = Deck("md", "d", "", "", (Slide(1, "Germany, Q3 2026", ("Revenue: €4.2M",)),))
    (figure,) = figures_of(deck, ())
    assert [when.words for when in figure.when] == ["q3 2026"]
    assert figure.segment == {"germany"}


def test_a_number_with_a_line_of_its_own_takes_the_label_beside_it() -> None:
    deck = Deck("md", "d", "", "", (Slide(1, "At a glance", ("$4.2M", "ARR", "48", "Employees")),))
    assert [(f.text, f.metric) for f in figures_of(deck, ())] == [("$4.2M", "arr"), ("48", "headcount")]


def test_what_a_speaker_takes_back_is_no_figure() -> None:
    segment = Segment("Churn is eight percent, sorry, I mean six percent.", 0.0, 4.0)
    assert [figure.text for figure in figures_of_segment(segment)] == ["six percent"]


def test_questions_are_no_figures() -> None:
    assert figures_of_segment(Segment("Is churn really eight percent?", 0.0, 3.0)) == ()


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        ("in FY26", "in 2026", SAME),
        ("in Q3 2026", "in the third quarter of 2026", SAME),
        ("in 2025", "in 2026", DIFFERENT),
        ("in Q3 2026", "in 2026", DIFFERENT),
        ("per month", "per year", DIFFERENT),
        ("", "in 2026", ONE_SIDED),
        ("", "per year", SAME),
        ("", "", SAME),
    ],
)
def test_times_are_compared_in_one_form(a: str, b: str, relation: str) -> None:
    assert compare_when(whens(find_periods(a)), whens(find_periods(b))) == relation


@pytest.mark.parametrize(
    ("written", "value", "low", "high"),
    [
        ("4.2M", 4.2e6, 4.15e6, 4.25e6),
        ("€31.2 million", 31.2e6, 31.15e6, 31.25e6),
        ("6%", 6.0, 5.5, 6.5),
    ],
)
def test_precision_is_what_is_written(written: str, value: float, low: float, high: float) -> None:
    found = interval(value, written, spoken=False, counted=False, hedged=frozenset())
    assert found == pytest.approx((low, high))


numbers = st.floats(min_value=0.01, max_value=1e9, allow_nan=False).map(lambda x: float(f"{x:.3g}"))
hedged = st.sets(st.sampled_from(["about", "nearly", "over", "under"]), max_size=1).map(frozenset)


@given(numbers, hedged, st.booleans(), st.booleans())
def test_an_interval_holds_its_value(
    value: float, words: frozenset[str], spoken: bool, counted: bool
) -> None:
    low, high = interval(value, f"{value:g}", spoken=spoken, counted=counted, hedged=words)
    assert low <= value <= high
    assert not math.isnan(low + high) or math.isinf(low)


@given(numbers, st.booleans(), st.booleans())
def test_about_never_narrows(value: float, spoken: bool, counted: bool) -> None:
    plain = interval(value, f"{value:g}", spoken=spoken, counted=counted, hedged=frozenset())
    about = interval(value, f"{value:g}", spoken=spoken, counted=counted, hedged=frozenset({"about"}))
    assert about[0] <= plain[0]
    assert plain[1] <= about[1]


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for figure in read(text):
        assert figure.low <= figure.value <= figure.high or figure.role == "level"
        assert figure.role in ROLES


@pytest.mark.parametrize(
    ("before", "written", "after", "words"),
    [
        ("about ", "8%", "", {"about"}),
        ("nearly ", "8%", "", {"nearly"}),
        ("more than ", "8%", "", {"over"}),
        ("up to ", "8%", "", {"under"}),
        ("", "40+", "", {"over"}),
        ("", "~40", "", {"about"}),
        ("", "40", " or so", {"about"}),
        ("", "40", "", set()),
    ],
)
def test_hedges_are_heard(before: str, written: str, after: str, words: set[str]) -> None:
    assert hedges(before, written, after) == words


def test_every_name_of_the_lexicon_is_found_in_a_text() -> None:
    for line in METRICS.strip().replace("\n    ", " ").splitlines():
        name, _, phrases = (part.strip() for part in line.split("|"))
        for phrase in phrases.split(";"):
            assert mentions(tokens(f"the {phrase.strip()} of")), (name, phrase)


def test_complements_are_metrics() -> None:
    assert {*COMPLEMENTS, *COMPLEMENTS.values()} <= units_of().keys()


@pytest.mark.parametrize(
    "words", ["served serves serving serve", "satisfied satisfying", "rents rent rented"]
)
def test_stems_join_the_forms_of_a_word(words: str) -> None:
    assert len({stem(word) for word in words.split()}) <= 2
