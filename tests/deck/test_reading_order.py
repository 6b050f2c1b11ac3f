"""In what order boxes on a slide are read, and which of them is the heading."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.deck.places import Box, Heading, most_prominent, reading_order


def read(*boxes: tuple[float, float, float, float], letters: list[int] | None = None) -> list[int]:
    return reading_order([Box(*box) for box in boxes], letters or [10] * len(boxes))


def test_rows_from_the_top_then_from_the_left() -> None:
    assert read((50, 50, 40, 10), (0, 51, 40, 10), (50, 0, 40, 10), (0, 1, 40, 10)) == [3, 2, 1, 0]


def test_boxes_larger_than_their_text_may_overlap_a_little() -> None:
    assert read((0, 18, 100, 20), (0, 0, 100, 20)) == [1, 0]


def test_a_box_beside_two_stands_before_or_behind_both() -> None:
    assert read((0, 0, 40, 100), (50, 0, 40, 40), (50, 60, 40, 40)) == [0, 1, 2]
    assert read((50, 0, 40, 100), (0, 0, 40, 40), (0, 60, 40, 40)) == [1, 2, 0]


def test_a_grid_is_read_as_it_was_drawn() -> None:
    upper_left, upper_right = (0, 0, 40, 10), (50, 0, 40, 10)
    lower_left, lower_right = (0, 20, 40, 10), (50, 20, 40, 10)
    assert read(upper_left, upper_right, lower_left, lower_right) == [0, 1, 2, 3]
    assert read(upper_left, lower_left, upper_right, lower_right) == [0, 1, 2, 3]


def test_labels_go_with_their_texts_however_they_were_drawn() -> None:
    labels = [(0, 20 * row, 40, 10) for row in range(3)]
    texts = [(50, 20 * row, 90, 10) for row in range(3)]
    assert read(*labels, *texts, letters=[5] * 3 + [50] * 3) == [0, 3, 1, 4, 2, 5]


def test_boxes_on_top_of_each_other_are_read_by_where_they_begin() -> None:
    assert read((20, 10, 80, 80), (0, 0, 100, 100), (10, 5, 30, 90), (0, 60, 100, 100)) == [1, 2, 0, 3]


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2, *[st.floats(0, 1e6)] * 2), max_size=30))
def test_every_box_is_read_once(boxes: list[tuple[float, float, float, float]]) -> None:
    assert sorted(read(*boxes)) == list(range(len(boxes)))


def test_a_drawing_of_thousands_of_boxes_is_read_too() -> None:
    chance = random.Random(7)
    boxes = [(chance.random() * 900, chance.random() * 500, 9.0, 9.0) for _ in range(20_000)]
    assert sorted(read(*boxes)) == list(range(len(boxes)))


@pytest.mark.parametrize(
    ("candidates", "found"),
    [
        ([("Small", 12), ("The heading", 28), ("Body text", 14), ("More of it", 14)], 1),
        ([("First", 24), ("Second, larger", 28), ("Body", 12), ("Body", 12)], 0),
        ([("All", 12), ("alike", 12)], None),
        ([("42 %", 40), ("of the heading's size", 20), ("body", 12), ("body", 12)], 1),
        ([("x" * 121, 40), ("body", 12)], None),
        ([("Alone", 12)], 0),
        ([], None),
    ],
)
def test_the_heading_is_what_stands_out(candidates: list[tuple[str, float]], found: int | None) -> None:
    assert most_prominent([Heading(text, size) for text, size in candidates]) == found
