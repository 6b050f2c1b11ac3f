"""Quotes: the same words in the same order stand; one other character, and they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.material.checks.grounding import Broken, Part, Stretch, find_quote, fold

LINE = "The pilot’s “second phase” costs EUR 1,200.50 – a non-profit pays −5 % less"


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ('the pilot\'s "second phase" costs', "The pilot’s “second phase” costs"),
        ("COSTS  EUR\n1,200.50", "costs EUR 1,200.50"),
        ("• EUR 1,200.50 - a non-profit", "EUR 1,200.50 – a non-profit"),
        ("the pilot’s … pays −5 % less", LINE),
        ("costs [...] -5 % less", "costs EUR 1,200.50 – a non-profit pays −5 % less"),
        ("a non‑profit", "a non-profit"),
        ("1. The pilot's", "The pilot’s"),
    ],
)
def test_case_spaces_marks_and_left_out_parts_are_folded(quote: str, stands: str) -> None:
    found = find_quote(quote, [LINE])
    assert isinstance(found, Stretch)
    assert found.text == stands


@pytest.mark.parametrize(
    ("quote", "rule"),
    [
        ("", "empty"),
        ("… – …", "empty"),
        ("x" * 2_001, "long"),
        ("second phases costs", "words"),
        ("the second phase", "words"),
        ("second phase, costs", "words"),
        ("costs USD 1,200.50", "words"),
        ("pays … costs", "order"),
        ("econd phase", "cut"),
        ("EUR 1,200", "cut"),
        ("200.50", "cut"),
        ("profit pays", "cut"),
        ("5 % less", "cut"),
        ("The pilot", "cut"),
    ],
)
def test_a_quote_that_does_not_stand_names_the_rule_that_it_breaks(quote: str, rule: str) -> None:
    found = find_quote(quote, [LINE])
    assert isinstance(found, Broken)
    assert found.rule == rule
    assert found.told.endswith(".")


def test_a_quote_runs_through_adjoining_lines_and_cells() -> None:
    lines = ["Why now", "– Costs fall", "– Demand grows"]
    assert find_quote("costs fall\n• demand grows", lines) == Stretch(
        (Part(1, 2, 12, "Costs fall"), Part(2, 2, 14, "Demand grows"))
    )
    row = ["Staff", "EUR 40k", "EUR 44k"]
    assert find_quote("staff | EUR 40k", row) == Stretch((Part(0, 0, 5, "Staff"), Part(1, 0, 7, "EUR 40k")))
    assert isinstance(find_quote("staff | EUR 44k", row), Broken)


def test_whoever_quotes_wrongly_is_told_where_the_words_part() -> None:
    found = find_quote("The pilot's “second phase” costs EUR 900", [LINE])
    assert isinstance(found, Broken)
    assert found.told == 'After "the pilot\'s \'second phase\' costs eur" "900" does not follow there.'


TEXTS = st.text(alphabet="ab1 .,-–'“•\n…%€ßﬁ", max_size=40)


@given(st.lists(TEXTS, max_size=4), TEXTS)
def test_what_is_found_is_the_source_s_own_text_and_folds_to_the_quote(texts: list[str], quote: str) -> None:
    found = find_quote(quote, texts)
    if isinstance(found, Stretch):
        assert all(part.text == texts[part.index][part.start : part.end] for part in found.parts)
        words = [word for word in fold(quote.replace("…", " ")).split(" ") if word not in ("", "...")]
        held = " ".join(_within(part.text) for part in found.parts)
        assert all(word in held for word in words)
        assert "…" in quote or "..." in quote or _within(found.text) == fold(quote)


def _within(stretch: str) -> str:
    """A stretch folded as what stands within a line: cut out of "1- 1", "- 1" alone reads as a list item."""
    return fold(f"a {stretch}").removeprefix("a ")


@given(st.integers(0, 59), st.sampled_from("qxz079"))
def test_no_quote_survives_one_other_character(at: int, char: str) -> None:
    text = "alpha bravo 123 charlie delta 456.7 echo foxtrot golf hotel!"
    changed = text[:at] + char + text[at + 1 :]
    if changed != text:
        assert isinstance(find_quote(changed, [text]), Broken)
    assert isinstance(find_quote(text[:at] + char + text[at:], [text]), Broken)
