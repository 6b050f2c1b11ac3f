"""Arithmetic without a model: what layout or one sentence ties together, and nothing beyond."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.packaged import PACKAGE
from orchestrator.material.checks.arithmetic import deck_tensions, speech_tensions
from orchestrator.material.checks.comparison import slack_of
from orchestrator.material.checks.tables import table_tensions
from orchestrator.material.claim import COMPUTED, Place
from orchestrator.material.values import Chart, Deck, Segment, Series, Slide, Table


def deck(*slides: Slide) -> Deck:
    return Deck("md", "deck.md", "0" * 64, "Deck", slides)


def said(text: str) -> list[tuple[str, str]]:
    """What is found in one sentence, on a slide and in speech alike."""
    shown = deck_tensions(deck(Slide(1, "Title", (text,))))
    heard = speech_tensions(Segment(text, 3.0, 9.0))
    assert [one.sum for one in shown] == [one.sum for one in heard]
    assert all(one.a.quote in text and one.class_ == COMPUTED and one.by == "offline" for one in shown)
    return [(one.kind, one.sum) for one in shown]


def in_table(*rows: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(one.kind, one.sum) for one in deck_tensions(deck(Slide(1, "Title", tables=(Table(rows),))))]


# ---------------------------------------------------------------------- found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "EUR 3.1M for roads, EUR 2.4M for bridges, EUR 1.2M for lights, EUR 5.8M in all",
            ("sum", "EUR 3.1M + EUR 2.4M + EUR 1.2M = 6.7M, not EUR 5.8M"),
        ),
        ("48 of 120 sites (45 %) are open", ("share", "48 of 120 is 40 %, not 45 %")),
        ("48 of 120 sites, or 45 %, are open", ("share", "48 of 120 is 40 %, not 45 %")),
        (
            "Donations rose from EUR 3.0M to EUR 4.2M (+14 %)",
            ("growth", "EUR 3.0M to EUR 4.2M is 40 %, not 14 %"),
        ),
        (
            "440,000 visitors, up 20 % on 400,000 the year before",
            ("growth", "400,000 to 440,000 is 10 %, not 20 %"),
        ),
        (
            "The grant of EUR 1.2M lasts 20 months at EUR 100k a month",
            ("rate", "EUR 1.2M ÷ EUR 100k a month = 12 months, not 20 months"),
        ),
        (
            "The works run from March 2026 to August 2027 (9 months)",
            ("duration", "March 2026 to August 2027 is 18 months, not 9 months"),
        ),
        ("We meet on Monday, 4 March 2026", ("date", "4 March 2026 is a Wednesday, not a Monday")),
    ],
)
def test_a_sentence_whose_own_figures_fail_is_found_with_its_sum(text: str, found: tuple[str, str]) -> None:
    assert said(text) == [found]


def test_the_page_on_models_gives_sentences_in_which_that_is_found() -> None:
    page = (PACKAGE / "docs" / "models.md").read_text("utf-8")
    examples = re.findall(r'\| "([^"]+)": ([^|]+) \|', page)
    of_sentences = [(text, value) for text, value in examples if not value.endswith("in the chart")]
    assert len(of_sentences) == 6
    for text, value in of_sentences:
        [(_, sum_)] = said(text)
        assert value in sum_


def test_a_line_that_is_the_sum_of_others_in_all_places_but_one_is_found_without_any_word() -> None:
    rows = (
        ("", "Nord", "Sud", "Est"),
        ("Pont", "412", "388", "97"),
        ("Quai", "150", "262", "133"),
        ("Ensemble", "562", "710", "230"),
    )
    (found,) = deck_tensions(deck(Slide(4, "Title", tables=(Table(rows),))))
    assert (found.kind, found.sum) == ("sum", "388 + 262 = 650, not 710")
    assert (found.a, found.b) == (Place(4, None, "710"), Place(4, None, "388"))
    assert [one.under for one in found.places] == ["Pont / Sud", "Quai / Sud", "Ensemble / Sud"]


def test_a_difference_is_found_as_a_sum_is() -> None:
    head = ("Line", "Before", "After", "Change")
    rows = [("A", "412", "517", "105"), ("B", "388", "431", "43"), ("C", "745", "868", "132")]
    assert in_table(head, *rows, ("D", "633", "699", "66")) == [("sum", "868 − 745 = 123, not 132")]


def test_one_column_of_figures_needs_a_line_named_total() -> None:
    rows = (("Vans", "12"), ("Cars", "31"), ("Bikes", "44"))
    assert in_table(("Kind", "Number"), *rows, ("Total", "78")) == [("sum", "12 + 31 + 44 = 87, not 78")]
    assert in_table(("Kind", "Number"), *rows, ("Rented", "78")) == []


def test_shares_add_up_where_their_total_is_100_percent_and_rates_do_not() -> None:
    rows = (("Grants", "45 %"), ("Fees", "35 %"), ("Gifts", "25 %"))
    assert in_table(("Source", "Share"), *rows, ("Total", "100 %")) == [
        ("sum", "45 % + 35 % + 25 % = 105, not 100 %")
    ]
    assert in_table(("Source", "Share"), *rows[:2], ("Gifts", "19.6 %"), ("Total", "100 %")) == []
    assert in_table(("Source", "Paid on time"), *rows, ("Total", "38 %")) == []
    assert in_table(("Source", "Paid on time"), *rows) == []


def test_a_chart_is_compared_with_the_figure_in_its_own_headline() -> None:
    chart = Chart("column", "", ("2024", "2025"), (Series("Turnover", (31.0, 42.0)),))
    slide = Slide(1, "Turnover reached EUR 48M in 2025", charts=(chart,))
    (found,) = deck_tensions(deck(slide))
    assert (found.kind, found.sum) == ("chart-vs-text", "42 in the chart, not EUR 48M")
    assert (found.a.quote, found.b.quote) == (slide.title, "Turnover 2025: 42")


def test_slices_of_a_pie_in_percent_are_no_more_than_the_pie() -> None:
    def slices(*values: float) -> list[str]:
        pie = Chart("pie", "Costs", ("a", "b", "c"), (Series("Share in %", values),))
        return [one.sum for one in deck_tensions(deck(Slide(1, "Title", charts=(pie,))))]

    assert slices(45, 35, 32) == ["45 + 35 + 32 = 112 %, not 100 %"]
    assert slices(45, 35, 12) == ["45 + 35 + 12 = 92 %, not 100 %"]
    assert slices(33.4, 33.4, 33.4) == []
    assert slices(45, 35, 19) == []
    assert slices(450, 350, 320) == []  # counts, of which the chart shows the share
    assert slices(0.45, 0.35, 0.32) == []


# ---------------------------------------------------------------------- what a clean deck may say


@pytest.mark.parametrize(
    "text",
    [
        # Figures that stand beside each other and are about different things.
        "At €140 a visit and 3,100 visits, the ward still costs €2.7m a year",
        "The machine does 1,750 scans at €310 each, within a budget of €1.9m",
        "A decade of service, which began in March 2019 and was renewed in May 2023",
        "Ten years on, from May 2021 to June 2024 alone, the ward has doubled",
        "12 % of patients wait too long, and 30 of 90 beds stand empty",
        "12 of 40 clinics saw waiting times fall (15 %)",
        "Revenue rose from EUR 3M to EUR 4M, with a margin of 30 %",
        "Turnover of EUR 4.2M, costs up 3 % on EUR 3.1M",
        "We ask for EUR 1.2M, burn EUR 100k a month and have a runway of 4 months",
        # A list that is not all of it, and figures of other things.
        "We spend EUR 3M on staff, EUR 2M on rent, EUR 8M in total",
        "3 teams, 4 products, 12 people in total",
        "Of the EUR 5M, EUR 3M is new and EUR 1M is old, EUR 5M in total",
        # Rounding, cut shares, and other ways to count.
        "EUR 3.1M for roads, EUR 2.4M for bridges, EUR 1.2M for lights, EUR 6.8M in all",
        "26 of 90 sites (28 %)",
        "From EUR 3.1M to EUR 4.2M (+35 %)",
        "Growth of 12 % a year, from EUR 3.1M to EUR 4.2M",
        "Costs fell from 40 % to 30 %, down 10 %",
        "From 2019 to 2024, from EUR 3.1M to EUR 4.2M (+6 %)",
        "The works run from March to August 2026 (six months)",
        "From 1 February to 1 March 2026 (four weeks)",
        "From January to March 2026, six weeks later than planned",
        "Wednesday, 4 March 2026",
        "We meet on Monday 4 March",
        "If we spend EUR 3M and EUR 2M, that is EUR 9M in all",
    ],
)
def test_a_sentence_that_holds_or_leaves_it_open_is_left_alone(text: str) -> None:
    assert said(text) == []


def test_nothing_is_put_together_over_two_sentences_or_two_slides() -> None:
    """A price and a count here, an amount there; "ten years" here, two dates there; shares of two things."""
    lines = (
        "A visit costs €140.",
        "We count 3,100 visits. The ward costs €2.7m.",
        "The roof lasts ten years.",
        "It was built in May 2021 and repaired in June 2024.",
        "10 % of beds are private.",
        "Of 90 private rooms 30 are let.",
    )
    slides = [Slide(number, "Title", (line,)) for number, line in enumerate(lines, start=1)]
    assert deck_tensions(deck(*slides, Slide(9, "All", lines, notes="\n".join(lines)))) == ()
    assert [speech_tensions(Segment(" ".join(lines), 0.0, 60.0))] == [()]


def test_tables_that_hold_other_things_than_sums_are_left_alone() -> None:
    head = ("", "Q1", "Q2", "Q3", "Q4", "Year")
    money, costs = (
        ("Income", "412", "388", "451", "460", "1,711"),
        ("Costs", "301", "290", "322", "340", "1,253"),
    )
    staff = ("Staff", "48", "50", "53", "55", "55")
    share = ("Margin", "27 %", "25 %", "29 %", "26 %", "27 %")
    best = ("Best day", "31", "28", "36", "33", "36")
    mean = ("Mean wait", "41", "44", "39", "47", "43")
    for other in (staff, share, best, mean):
        assert in_table(head, money, costs, other) == []
    sales = (("Goods", "618", "571", "8"), ("Service", "204", "219", "−7"), ("Group", "822", "790", "4"))
    for heading in ("Change, %", "Change"):  # by its sign, and by the figures that it is the growth of
        assert in_table(("", "2024", "2023", heading), *sales) == []
    sites = (("Oslo", "12.4", "8.1"), ("Bergen", "9.6", "11.3"), ("Both", "22.0", "9.5"))
    assert in_table(("", "Sales", "Margin ٪"), *sites) == []
    parts = (("Vans", "12"), ("of which electric", "5"), ("Cars", "31"))
    assert in_table(("Kind", "Number"), *parts, ("Total", "43")) == []
    largest = (("Rent", "40"), ("Staff", "31"), ("Power", "12"))
    assert in_table(("Largest costs", "EUR k"), *largest, ("Total", "140")) == []


def test_a_total_that_counts_everybody_once_is_no_sum() -> None:
    two = (("Castle", "4,120", "2,310"), ("Mill", "1,874", "1,145"), ("Port", "963", "702"))
    assert in_table(("Museum", "Visits", "Visitors"), *two, ("Total", "6,957", "3,388")) == []
    tours = ("412", "188", "97")
    three = tuple((*row, tour) for row, tour in zip(two, tours, strict=True))
    head, years = ("Museum", "Visits", "Visitors", "Tours"), ("Museum", "2023", "2024", "2025")
    assert in_table(head, *three, ("Total", "6,957", "3,388", "697")) == []
    assert in_table(head, *three, ("Total", "6,412", "3,388", "697")) == []  # two columns are no sums
    assert in_table(head, *three, ("Total", "6,957", "4,357", "697")) == [
        ("sum", "2,310 + 1,145 + 702 = 4,157, not 4,357")
    ]
    assert in_table(years, *three, ("Total", "6,957", "3,388", "697")) == [
        ("sum", "2,310 + 1,145 + 702 = 4,157, not 3,388")
    ]


def test_hidden_slides_and_footers_are_not_reckoned() -> None:
    wrong = "Monday, 4 March 2026"
    assert deck_tensions(deck(Slide(1, "Title", (wrong,), hidden=True))) == ()
    assert deck_tensions(deck(Slide(1, "Title", (wrong,), furniture=(0,)))) == ()


# ---------------------------------------------------------------------- properties

NO_ROUND = st.integers(101, 9_999).filter(lambda number: number % 10 != 0)
FIGURES = st.lists(st.lists(NO_ROUND, min_size=3, max_size=3), min_size=2, max_size=5)


@given(FIGURES)
@settings(deadline=None)
def test_no_table_that_adds_up_is_blamed(rows: list[list[int]]) -> None:
    sums = [sum(column) for column in zip(*rows, strict=True)]
    cells = [(f"Line {at}", *(f"{one:,}" for one in row)) for at, row in enumerate([*rows, sums])]
    assert in_table(("", "A", "B", "C"), *cells) == []


@given(FIGURES, st.integers(0, 2), st.integers(4, 9))
@settings(deadline=None)
def test_a_total_that_is_far_from_its_parts_is_found(rows: list[list[int]], at: int, tenths: int) -> None:
    sums = [sum(column) for column in zip(*rows, strict=True)]
    real = sums[at]
    sums[at] += real * tenths // 10
    cells = [(f"Line {n}", *(f"{one:,}" for one in row)) for n, row in enumerate([*rows, sums])]
    found = in_table(("", "A", "B", "C"), *cells)
    assert all(kind == "sum" for kind, _ in found)
    assert any(f"not {sums[at]:,}" in sum_ for _, sum_ in found)


@given(st.text(alphabet="0123456789 .,%€MkEURfromtof()–/+-", max_size=80))
@settings(deadline=None)
def test_any_text_is_read_without_an_error(text: str) -> None:
    for one in speech_tensions(Segment(text, 0.0, 1.0)):
        assert one.a.quote in text


# ---------------------------------------------------------------------- rounding


def test_a_total_that_only_the_worst_case_of_every_rounding_would_explain_is_found() -> None:
    rows = (("Hall", "3.1"), ("Trucks", "1.8"), ("Sensors", "0.9"), ("Training", "0.4"))
    assert in_table(("Use", "EUR m"), *rows, ("Total", "6.4")) == [
        ("sum", "3.1 + 1.8 + 0.9 + 0.4 = 6.2, not 6.4")
    ]
    assert in_table(("Use", "EUR m"), *rows, ("Total", "6.3")) == []
    assert in_table(("Use", "EUR m"), *rows[:3], ("Total", "6.0")) == [
        ("sum", "3.1 + 1.8 + 0.9 = 5.8, not 6.0")
    ]


def test_a_hedge_keeps_its_whole_interval() -> None:
    rows = (("Hall", "~3.1"), ("Trucks", "1.8"), ("Sensors", "0.9"), ("Training", "0.4"))
    assert in_table(("Use", "EUR m"), *rows, ("Total", "6.4")) == []


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=12), st.integers(1, 40))
def test_chance_is_never_allowed_more_than_the_worst_case_nor_less_with_more_sums(
    halves: list[float], sums: int
) -> None:
    assert slack_of(halves) <= slack_of(halves, sums) <= sum(halves)


def test_two_and_three_figures_of_one_digit_are_allowed_the_worst_case_and_four_are_not() -> None:
    assert [slack_of([0.05] * count) for count in (2, 3)] == pytest.approx([0.1, 0.15])
    assert slack_of([0.05] * 4) == pytest.approx(0.15 * (4 / 3) ** 0.5)
    assert slack_of([0.05, float("inf")]) == float("inf")


@pytest.mark.slow
def test_of_tables_that_add_up_before_rounding_no_more_are_blamed_than_the_bound_says() -> None:
    """20,000 tables: 3 in 1,000 of all, and 6 in 1,000 of those with one number of parts."""
    chance = random.Random(20_261_122)
    tables, blamed = Counter[int](), Counter[int]()
    for _ in range(20_000):
        parts = [chance.uniform(0.5, 30) for _ in range(chance.randint(3, 10))]
        cells = [f"{part:.1f}" for part in parts]
        rows = (*((str(at), cell) for at, cell in enumerate(cells)), ("Total", f"{sum(parts):.1f}"))
        tables[len(parts)] += 1
        blamed[len(parts)] += any(table_tensions(Table(rows), 1))
    assert blamed.total() <= 0.003 * 20_000
    assert all(blamed[size] <= 0.006 * count + 3 * (0.006 * count) ** 0.5 for size, count in tables.items())
    assert blamed[3] == 0
