"""The names of a deck are those that it writes large, and small nowhere."""

from __future__ import annotations

from orchestrator.material.deck.read import read_deck_text
from orchestrator.memory.english import MAX_NAMES, names_in


def test_the_commonest_name_comes_first() -> None:
    deck = read_deck_text(
        "# Saltmere harbour\n\n- We signed with Fennmark in March\n- Fennmark pays the harbour\n"
        "- The boats of Kalyna Ferries are new\n"
    )
    assert names_in(deck)[0] == "Fennmark"
    assert {"Saltmere", "Kalyna"} <= set(names_in(deck))
    assert "harbour" not in " ".join(names_in(deck)).casefold()


def test_they_are_bounded() -> None:
    letters = "abcdefghij"
    words = [f"Zor{a}{b}k" for a in letters for b in letters]
    deck = read_deck_text("# Plan\n\n" + "\n".join(f"- We know {word} well\n" for word in words))
    assert len(names_in(deck)) == MAX_NAMES


def test_a_name_may_have_a_hyphen_an_apostrophe_an_and_or_figures() -> None:
    deck = read_deck_text(
        "# Plan\n\n- We buy Rolls-Royce's engines and O'Neill boards\n"
        "- We ask GPT-5, B2B and AT&T (not 2026)\n"
        "- Our plan is for the harbour, and Harbour stays\n"
    )
    assert names_in(deck) == ("Rolls-Royce", "O'Neill", "GPT-5", "B2B", "AT&T")
