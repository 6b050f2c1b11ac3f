"""What the general reading sets apart is no contradiction, whichever check has found it."""

from __future__ import annotations

import pytest

from orchestrator.deck.read import read_deck_text
from tests.planted_measure import tensions_in

APART = {
    "a rate is no count": """# Our village school

- We have one helper for every eight pupils at lunch
- Swimming lessons for 31 pupils, with a teacher from the pool
""",
    "a price in brackets is last year's": """# What a litre costs

- Members paid 31 cents a litre in 2025, delivery included (2024: 33 cents)
- Of these 31 cents, 12 are for the dairy
""",
}


@pytest.mark.parametrize("deck", APART.values(), ids=APART)
def test_two_things_that_share_a_word_are_left_alone(deck: str) -> None:
    assert tensions_in(read_deck_text(deck), ()) == ()


def test_one_thing_with_two_values_is_found() -> None:
    deck = read_deck_text(
        "# Results\n\n- Revenue in 2025 was 4.0 million euro\n\n---\n\n# The year\n\n"
        "- We closed 2025 with revenue of 4.6 million euro\n"
    )
    assert [(t.kind, t.a.slide, t.b.slide) for t in tensions_in(deck, ())] == [("deck-vs-deck", 1, 2)]
