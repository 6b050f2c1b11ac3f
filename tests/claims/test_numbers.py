"""Which numbers a text holds, with the value, the interval and the unit that its wording gives them."""

from __future__ import annotations

import time
from math import isfinite
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import cell_number, numbers_in

Row = list[str | float | None]
EXAMPLES: list[tuple[str, list[Row]]] = yaml.safe_load(
    Path(__file__).with_name("numbers.yaml").read_text("utf-8")
)


def rows(text: str) -> list[Row]:
    return [
        [n.text, *(float(f"{value:.9g}") for value in (n.value, n.low, n.high)), n.unit, n.noun]
        for n in numbers_in(text)
    ]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_a_text_holds_these_numbers_and_no_others(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


def test_there_are_enough_examples() -> None:
    assert len(EXAMPLES) > 300


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("2026", 2026.0),
        ("(1,234)", -1234.0),
        ("1.2*", 1.2),
        ("€ 4.2M", 4.2e6),
        ("31 people", 31.0),
        ("n/a", None),
        ("–", None),
        ("", None),
        ("12 of 14", None),
        ("Phase 2 sites", None),
        ("grew 12 %", None),
    ],
)
def test_a_cell_is_one_number_or_none(cell: str, value: float | None) -> None:
    number = cell_number(cell)
    assert (number.value if number else None) == value


WORDS = (
    "$ € EUR T€ 4.2 1,200 1.234,5 12'000 million twenty hundred and half a third point % pp x k Mio. - – to "
    "from between about nearly over up-to + ( ) Q3 2026 FY26 March weeks days customers , . / # v2 slide ½ ٣ "
    "² one two minus Monday 0 '25 1e9 ISO = :"
)
PIECES = st.sampled_from((*WORDS.split(), "\n", "\u00a0"))
TEXTS = st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join))


@given(TEXTS)
def test_no_text_breaks_the_reader_and_every_number_stands_where_it_says(text: str) -> None:
    end = 0
    for number in numbers_in(text):
        assert end <= number.start < number.end
        assert text[number.start : number.end] == number.text
        assert isfinite(number.value)
        assert number.low <= number.value <= number.high
        end = number.end


@given(TEXTS)
def test_no_number_is_a_part_of_a_date(text: str) -> None:
    dates = dates_in(text)
    for number in numbers_in(text):
        assert not any(number.start < date.end and date.start < number.end for date in dates)


@given(st.integers(0, 10**11 - 1))
def test_a_number_is_read_alike_with_whatever_separators(value: int) -> None:
    plain, english = f"€{value}", f"€{value:,}"
    swiss, german = english.replace(",", "'"), english.replace(",", ".")
    assert [numbers_in(text)[0].value for text in (plain, english, swiss, german)] == [float(value)] * 4


@given(st.integers(1, 999), st.sampled_from(["%", "weeks", "customers"]))
def test_a_hedge_never_narrows_the_interval_but_at_its_own_side(value: int, unit: str) -> None:
    (bare,) = numbers_in(f"we have {value} {unit}")
    for words in ("about", "around", "roughly"):
        (hedged,) = numbers_in(f"we have {words} {value} {unit}")
        assert hedged.low <= bare.low <= bare.high <= hedged.high
        assert hedged.text == bare.text


HOSTILE = (
    "1 ", "1,", "one ", "hundred and ", "1/", "2026-", "a.", "a@", "a-1", "slide 1, 1, ", "3 March to ",
    "x=1", "10-12 ", "between 1 and ", "+1 2", "million ", "twenty ", "a third of ", "1) ", "½", "EUR",
    "ISO ", "ISO/", "http://", "Q3 ", "point one ", "tel 1", "(", "1.0.", "0", "-", " ", "Mon ", "about ",
    "€1 ", "1 h ", "3, ", "1 to ", "one in ", "[1]", "and a half ", "2026E ",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_grows_with_the_length_of_the_text_and_no_faster(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    started = time.process_time()
    numbers_in(text)
    assert time.process_time() - started < 10  # seconds; a machine that is busy takes 3
