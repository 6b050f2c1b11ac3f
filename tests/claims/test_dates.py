"""Which dates a text holds, and the days that they cover."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.claims.dates import NO_YEAR, dates_in

Row = list[str | int | None]
EXAMPLES: list[tuple[str, list[Row]]] = yaml.safe_load(
    Path(__file__).with_name("dates.yaml").read_text("utf-8")
)


def rows(text: str) -> list[Row]:
    return [[d.text, str(d.first), str(d.last), d.precision, d.weekday] for d in dates_in(text)]


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_a_text_holds_these_dates_and_no_others(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_day_is_read_alike_in_whatever_form(day: date) -> None:
    forms = (
        f"{day:%Y-%m-%d}",
        f"{day:%d.%m.%Y}",
        f"{day.day} {day:%B %Y}",
        f"{day:%B} {day.day}, {day.year}",
    )
    for form in forms:
        (found,) = dates_in(f"signed on {form}")
        assert (found.text, found.first, found.last, found.precision) == (form, day, day, "day")


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_weekday_beside_a_day_is_told(day: date) -> None:
    for form in (
        f"{day:%A}, {day.day} {day:%B %Y}",
        f"{day:%a} {day:%d.%m.%Y}",
        f"{day:%Y-%m-%d} ({day:%A})",
    ):
        (found,) = dates_in(form)
        assert found.weekday == day.weekday()


WORDS = (
    "March may Sep Jan 3 31 12. 2026 '21 Q3 H1 FY26 2025/26 end of early mid- - – / . , to and first half "
    "quarter Monday twenty nineteen ninety-eight in by 2000 customers € % 29 Feb 1 0"
)
PIECES = st.sampled_from((*WORDS.split(), "\n"))
TEXTS = st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join))


@given(TEXTS)
def test_no_text_breaks_the_reader_and_every_date_stands_where_it_says(text: str) -> None:
    end = 0
    for found in dates_in(text):
        assert end <= found.start < found.end
        assert text[found.start : found.end] == found.text
        assert found.first <= found.last
        assert found.has_year == (found.first.year != NO_YEAR)
        end = found.end


@pytest.mark.parametrize(
    "piece", ["2026-", "2026 ", "3 March to ", "Mon ", "1.1.", "20 20", "Q3 ", "March ", "end of "]
)
def test_the_time_grows_with_the_length_of_the_text_and_no_faster(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    started = time.process_time()
    dates_in(text)
    assert time.process_time() - started < 10  # seconds; a machine that is busy takes 2
