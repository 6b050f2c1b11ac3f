"""Which numbers are quantities, with unit, period and subject, and which are something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import LONGEST_TEXT, find_quantities, measure
from orchestrator.claims.rejects import rejected
from orchestrator.claims.units import is_currency

Row = tuple[str, float, str | None, str | None, str | None]


def rows(text: str) -> list[Row]:
    return [(q.text, q.value, q.unit, q.period, q.subject) for q in find_quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Revenue grew 20% to $4.2M in Q3 2026",
            [
                ("20%", 20, "%", "in Q3 2026", "Revenue"),
                ("$4.2M", 4.2e6, "USD", "in Q3 2026", None),
            ],
        ),
        (
            "ARR of $2.3M, up from $1.1M a year ago",
            [("$2.3M", 2.3e6, "USD", None, "ARR"), ("$1.1M", 1.1e6, "USD", "a year ago", None)],
        ),
        ("Costs of EUR 1.8 million", [("EUR 1.8 million", 1.8e6, "EUR", None, "Costs")]),
        ("We need 1.2 million euros", [("1.2 million euros", 1.2e6, "EUR", None, None)]),
        ("US$ 1.5bn market by 2030", [("US$ 1.5bn", 1.5e9, "USD", "by 2030", "market")]),
        ("£900k of savings", [("£900k", 900_000, "GBP", None, "savings")]),
        ("CHF 12'500 a month", [("CHF 12'500", 12_500, "CHF", "a month", None)]),
        ("Price: 49 EUR/month per seat", [("49 EUR", 49, "EUR", "/month", "Price")]),
        ("a loss of -$3M", [("-$3M", -3e6, "USD", None, "loss")]),
    ],
)
def test_money(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("a fine of NOK 41 million", "NOK", 41e6),
        ("a fine of ISK 41 million", "ISK", 41e6),
        ("a fine of KWD 3.5m", "KWD", 3.5e6),
        ("a fine of 12,000 XOF", "XOF", 12_000),
        ("a fine of PEN 3 million", "PEN", 3e6),
        ("a fine of TRY 40,000", "TRY", 40_000),
        ("a fine of 40 million ALL", "ALL", 40e6),
    ],
)
def test_every_currency_of_the_standard_is_money(text: str, unit: str, value: float) -> None:
    (quantity,) = find_quantities(text)
    assert (quantity.unit, quantity.value, is_currency(quantity.unit)) == (unit, value, True)


@pytest.mark.parametrize(
    "text",
    ["ALL 12 sites", "ALL 2,400 staff", "TOP 10", "TOP 1,000 customers", "COP 26", "SDG 13", "TRY 3 times"],
)
def test_words_in_capitals_are_no_currencies(text: str) -> None:
    assert not any(is_currency(quantity.unit) for quantity in find_quantities(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("99.95% uptime", [("99.95%", 99.95, "%", None, "uptime")]),
        ("churn is 2.1% per month", [("2.1%", 2.1, "%", "per month", "churn")]),
        ("Gross margin: 64%", [("64%", 64, "%", None, "Gross margin")]),
        ("~50% of voltage violations are avoided", [("~50%", 50, "%", None, "voltage violations")]),
        ("a 450 basis point benefit", [("450 basis point", 4.5, "points", None, "benefit")]),
        ("growth of 15 percentage points", [("15 percentage points", 15, "points", None, "growth")]),
        ("-5% margin", [("-5%", -5, "%", None, "margin")]),
        ("3x ARR", [("3x", 3, "x", None, "ARR")]),
        ("three times as many", [("three times", 3, "x", None, None)]),
        ("5x faster than the previous model", [("5x", 5, "x", None, None)]),
    ],
)
def test_percentages_points_and_multiples(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an 18-month payback", [("18-month", 18, "months", None, "payback")]),
        ("a 90-day pilot", [("90-day", 90, "days", None, "pilot")]),
        ("improvement in ~200ms", [("~200ms", 200, "milliseconds", None, None)]),
        ("7+ years of experience", [("7+ years", 7, "years", None, "experience")]),
        ("We won 35 users last quarter", [("35 users", 35, "users", "last quarter", "users")]),
        ("7k+ buses", [("7k+ buses", 7000, "buses", None, "buses")]),
        ("29 new members", [("29 new members", 29, "new members", None, "new members")]),
        ("12 substations, 57 switches", [
            ("12 substations", 12, "substations", None, "substations"),
            ("57 switches", 57, "switches", None, "switches"),
        ]),
        ("8 Parallel CI Jobs", [("8 Parallel CI Jobs", 8, "Parallel CI Jobs", None, "Parallel CI Jobs")]),
        ("Attendees peaked at ~50, regularly 20", [("~50", 50, None, None, "Attendees")]),
        ("User limit per site: 50,000", [("50,000", 50_000, None, None, "User limit per site")]),
        ("2 of 3 pilots", [("2 of 3 pilots", 2, "pilots", None, "pilots")]),
        ("10 out of 12 customers renewed", [("10 out of 12 customers", 10, "customers", None, "customers")]),
    ],
)  # fmt: skip
def test_durations_and_counts(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("four point two million dollars", [("four point two million dollars", 4.2e6, "USD", None, None)]),
        (
            "three and a half million users",
            [("three and a half million users", 3.5e6, "users", None, "users")],
        ),
        ("half a million users", [("half a million users", 500_000, "users", None, "users")]),
        ("thirty-five percent", [("thirty-five percent", 35, "%", None, None)]),
        ("sales fell by five percent", [("five percent", 5, "%", None, "sales")]),
        (
            "negative sixty-four million pesos",
            [("negative sixty-four million pesos", -64e6, "pesos", None, None)],
        ),
        ("only one customer", [("one customer", 1, "customer", None, "customer")]),
        ("in two thousand and twenty-one", []),
        ("in twenty twenty-six", []),
        ("one of the best, and no one knows", []),
        ("millions of users", []),
    ],
)
def test_spoken_numbers_by_their_words(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("€3–5M over three years", [
            ("€3–5M", 3e6, "EUR", "over three years", None), ("three years", 3, "years", None, None)]),
        ("60-70% of our revenue", [("60-70%", 60, "%", None, "revenue")]),
        ("ten to twelve engineers", [("ten to twelve engineers", 10, "engineers", None, "engineers")]),
        ("between 5 and 10 percent", [("between 5 and 10 percent", 5, "%", None, None)]),
        ("from 2 to 4 million euros", [
            ("2", 2e6, "EUR", None, None), ("4 million euros", 4e6, "EUR", None, None)]),
        ("by 10% to 25%", [("10%", 10, "%", None, None), ("25%", 25, "%", None, None)]),
    ],
)  # fmt: skip
def test_a_range_is_one_quantity_and_a_change_two(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Page 3 of 12", "designator"),
        ("3 / 12", "page"),
        ("Call (555) 123-4567", "phone"),
        ("+49 30 1234567", "phone"),
        ("v2.3", "version"),
        ("Releases: 1.0.4", "version"),
        ("License MPL-2.0", "licence"),
        ("Apache License 2.0", "licence"),
        ("CC BY 4.0", "licence"),
        ("ISO/IEC 5230:2020", "standard"),
        ("SOC 2 and ISO 27001", "standard"),
        ("see https://example.org/2024/12 users", "url"),
        ("team5@example.org", "email"),
        ("closes #123", "identifier"),
        ("CVE-2024-3094", "identifier"),
        ("issues 218, 344, 425", "designator"),
        ("FERC Order 881 requires it", "designator"),
        ("Unreal Engine 5.6 users", "designator"),
        ("14.04.2026", "date"),
        ("June 29, 2023", "date"),
        ("at 10:30 am", "time"),
        ("1. Normalizer", "numbering"),
        ("(2) forward pass", "numbering"),
        ("24/7 support", "idiom"),
        ("Zero trust solutions", "idiom"),
        ("Fortune 500 customers", "index"),
        ("trainer.train(n_epochs=10)", "code"),
        ("C++17 and H264 and Log4Shell", "name"),
        ("the 1990s", "decade"),
        ("the 2nd draft", "ordinal"),
        ("1920x1080", "dimension"),
    ],
)
def test_numbers_that_measure_nothing_are_rejected_by_kind(text: str, kind: str) -> None:
    assert rows(text) == []
    assert kind in {reject.kind for reject in rejected(text)}


@pytest.mark.parametrize("text", ["", "45", "In 2024-2028 programs", "by 2030", "Slide 7", "Title 2"])
def test_a_number_that_nothing_explains_is_left_out(text: str) -> None:
    assert rows(text) == []


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("by the end of the year", ["by the end of the year"]),
        ("FY25 and Q3 FY26", ["FY25", "Q3 FY26"]),
        ("in 18 months", ["in 18 months"]),
        ("From January to June.", ["From January to June"]),
        ("as of 30 September.", ["as of 30 September"]),
        ("third quarter twenty twenty one", ["third quarter twenty twenty one"]),
        ("year over year, per month", ["year over year", "per month"]),
        ("We may march on", []),
        ("Between June and September 2026 it was full", ["Between June and September 2026"]),
        ("A second hub, every second customer", []),
        ("5 requests a second.", ["a second"]),
        ("profit in twenty twenty-nine, up from today", ["in twenty twenty-nine", "today"]),
    ],
)
def test_time_expressions(text: str, periods: list[str]) -> None:
    assert [period.text for period in find_periods(text)] == periods


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In the last twelve months we turned away €4.5 million a year",
         [("€4.5 million", 4.5e6, "EUR", "a year", None)]),
        ("all within 150 km of Hexley", [("150 km", 150, "km", None, None)]),
        ("EBITDA will reach five million euros in twenty twenty-nine, and today it is three",
         [("five million euros", 5e6, "EUR", "in twenty twenty-nine", "EBITDA")]),
    ],
)  # fmt: skip
def test_a_number_keeps_its_own_time_and_thing(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


def test_another_language_keeps_digits_with_units_and_nothing_else() -> None:
    text = "Der Umsatz stieg um 20 % auf 4,2 Mio EUR mit zwölf Kunden, 12 Kunden und three customers"
    assert [m.quantity.text for m in measure(text, english=False)] == ["20 %", "4,2 Mio EUR"]


PIECES = st.sampled_from(
    [
        "$",
        "4.2",
        "million",
        "twenty",
        " ",
        "-",
        "to",
        "from",
        "%",
        "Q3",
        "2026",
        "k",
        "customers",
        ",",
        ".",
        "of",
        "(",
        "point",
        "per month",
        "one",
        "EUR",
        "½",
        "٣",
        "x",
        "\n",
        "#",
        "/",
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)))
def test_no_text_breaks_it_and_all_words_are_verbatim(text: str) -> None:
    for measured in measure(text):
        assert measured.quantity.text
        assert text[measured.start : measured.end] == measured.quantity.text
        assert abs(measured.quantity.value) < 1e15
    for period in find_periods(text):
        assert text[period.start : period.end] == period.text


def test_a_very_long_text_is_read_up_to_a_limit() -> None:
    assert find_quantities("a" * LONGEST_TEXT + " 20%") == ()
