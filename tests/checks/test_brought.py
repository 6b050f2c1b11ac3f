"""What people bring, written by who had not seen the readers: nobody is blamed, and nobody mistaken."""

from __future__ import annotations

from collections import Counter

import pytest

from scripts import bench_brought


def test_no_right_sentence_of_twelve_countries_is_called_wrong() -> None:
    found = Counter(told for told, _ in bench_brought.sentences())
    assert found.total() == 240
    assert (found["clean: silent"], found["clean: contradiction"]) == (200, 0)
    assert found["wrong: contradiction"] >= 8  # in other languages than English only tables are reckoned


def test_who_presents_is_right_or_asked_in_the_transcripts_of_thirty_programs() -> None:
    assert Counter(told for told, _ in bench_brought.transcripts()) == {
        "one presents: right": 26,
        "nobody can tell: asked": 4,
    }


@pytest.mark.slow
def test_wrong_figures_in_tables_of_pdfs_are_found_and_right_ones_never_blamed() -> None:
    found = Counter(told for told, _ in bench_brought.tables())
    assert found.total() == 36
    assert not [told for told in found if "blamed" in told or "other" in told]
    assert sum(count for told, count in found.items() if told.endswith("found")) >= 10
