"""A sentence that is said eight times is one contradiction, one note and one fact."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.material.checks.proposals import verify
from orchestrator.material.claim import Operand, Passage, Proposal, Refusal, Tension
from orchestrator.material.values import Segment

WRONG = "That is 3 million for boats, 4 million for piers and 5 million for staff, 14 million in total."
PROMISE = "We will deliver the boats by May 2027."


@pytest.mark.own_memory
def test_it_is_noted_once(home: Path) -> None:
    with Session.start(
        Home.open(home), deck_text="# Ferries\n", engine="offline", presenter="Ines"
    ) as session:
        for number in range(8):
            session.slide(1)
            session.add_segment(Segment(f"{WRONG} {PROMISE}", 20.0 * number, 20.0 * number + 9, "Ines", 1))
        assert [one.id for one in session.contradictions] == ["c1"]
        for agent in session.rehearsal.options.panel:
            assert session.read(f"{agent}/exchange-notes.md").count("Found while listening") == 1
        session.watch.before_end()
        facts = [one.content for one in session.watch.summariser.facts.facts]
    assert sorted(facts) == sorted({*facts})
    assert PROMISE in facts


def test_a_model_that_finds_it_again_is_told_that_it_is_known() -> None:
    deck = Passage("d1.l1", "We serve 212 schools", 1, None)
    spoken = [Passage(f"s{number}", "We serve 190 schools", 1, 20.0 * number) for number in range(3)]
    by_id = {one.id: one for one in (deck, *spoken)}

    def proposed(passage: str) -> Proposal:
        sides = (
            Operand("d1.l1", "We serve 212 schools", "212", 212, "count"),
            Operand(passage, "We serve 190 schools", "190", 190, "count"),
        )
        return Proposal("speech-vs-deck", "v0 == v1", sides, "schools", "Both are given.")

    first = verify(proposed("s0"), by_id, [], "model")
    assert isinstance(first, Tension)
    for again in ("s1", "s2"):
        refused = verify(proposed(again), by_id, [first], "model")
        assert isinstance(refused, Refusal)
        assert refused.reason == "known"
