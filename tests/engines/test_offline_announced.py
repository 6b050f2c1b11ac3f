"""What announces itself without a model: a closed list of phrases, and nothing that may be anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.packaged import packaged_yaml
from orchestrator.material.values import Segment
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import memories
from orchestrator.memory.summariser import verified
from orchestrator.panel.engines.offline import OfflineEngine
from orchestrator.panel.engines.offline.memory import announces
from orchestrator.panel.engines.protocol import FactsRequest, ScribeRequest
from orchestrator.panel.model.reply import SPEECH, Passage, Remembered

SURE = {
    "We have decided to close the Oslo depot in March.": "decision",
    "We looked at three sites last year, and we have decided to keep the one in Oslo.": "decision",
    "In short, we decided not to hire this year.": "decision",
    "We’ve decided to postpone the fleet order until May 2028.": "decision",
    "So, our goal today is to get your approval.": "goal",
    "Our aim is to serve forty towns by 2028.": "goal",
    "The blocker is the permit for the northern quay.": "blocker",
    "But what blocks us is the harbour authority.": "blocker",
    "We cannot go on until the bank has signed.": "blocker",
    "We have finished the migration of all stores.": "task_completed",
    "We prefer to pay the yard by instalments.": "preference",
    "Our project lead is Anna Berg.": "person",
    "Wir haben beschlossen, das Depot in Oslo zu schließen.": "decision",
    "Unser Ziel ist ein Drittel weniger Abfall.": "goal",
}

UNSURE = (
    # somebody else's words
    "They say our goal is growth in every town.",
    "They say, our goal is growth in every town.",
    "According to the mayor, our goal is growth in every town.",
    "In her words, our aim is to sell the fleet.",
    "“Our goal is growth in every town,” wrote the mayor.",
    "Our goal is, they say, to sell the fleet.",
    "Their view is that we have decided to leave.",
    "We were told our goal is too modest for a port.",
    "I hear that they are leaving, and our goal is theirs now.",
    "The report claims the blocker is the harbour authority.",
    "Die Stadt sagt, unser Ziel ist ein Verkauf der Flotte.",
    # a question, a condition, a hedge
    "Have we decided to close the Oslo depot?",
    "Our goal is to close the Oslo depot?",
    "If we have decided to close the depot, you will hear of it.",
    "We have decided to close the depot if the grant fails.",
    "Unless the bank signs, we have decided to stop the work.",
    "When we have decided to hire, you will be the first to know.",
    "Once it rained and we decided to stay at home.",
    "Suppose we have decided to sell the fleet.",
    "Had we decided to sell the fleet, you would know.",
    "Perhaps our goal is too modest for this board.",
    "We think our goal is too modest for this board.",
    "We might say the blocker is the harbour authority.",
    "On paper, our goal is growth in every town.",
    "Wenn die Bank zusagt, wir haben beschlossen zu bauen.",
    # a "not", a change of mind, another's decision
    "Our goal is not to grow at any price.",
    "Nobody knows what the blocker is in Oslo.",
    "We decided to close the depot, but changed our minds.",
    "Originally we decided to close the depot in March.",
    "The city has decided to close the depot in March.",
    "But our goal is not to grow at any price.",
    # the opposite, said of it
    "The blocker is gone now, to our relief.",
    "The main blocker is out of the way.",
    "Our goal is out of reach for a port.",
    "Our goal is unclear to me today.",
    "Our project manager is ill today.",
    "The blocker is solved since Monday.",
    "We decided to close Hamar and then kept it open.",
    "I prefer to disagree with that.",
    # nothing in it, or not a whole sentence
    "Our goal is clear.",
    "We have decided to.",
    "we have decided to close the Oslo depot in March",
    "We have decided to close the",
    "",
)


@pytest.mark.parametrize(("sentence", "kind"), SURE.items())
def test_a_plain_announcement_is_what_it_says(sentence: str, kind: str) -> None:
    assert announces(sentence) == kind


@pytest.mark.parametrize("sentence", UNSURE)
def test_whatever_may_be_something_else_is_none(sentence: str) -> None:
    assert announces(sentence) is None


@pytest.mark.parametrize("kind", sorted(packaged_yaml("panel/engines/offline/announcements.yaml")["phrases"]))
def test_each_phrase_of_the_list_announces_and_none_does_behind_an_if(kind: str) -> None:
    for phrase in packaged_yaml("panel/engines/offline/announcements.yaml")["phrases"][kind]:
        what = (
            "Anna Berg"
            if kind == "person"
            else "das Haus"
            if phrase.endswith("ist")
            else "the harbour of Oslo"
        )
        assert announces(f"{phrase[0].upper()}{phrase[1:]} {what}.") == kind
        assert announces(f"If {phrase} the harbour of Oslo, you will know.") is None
        assert announces(f"They said {phrase} the harbour of Oslo.") is None


def test_goals_decisions_and_blockers_are_told_word_for_word_and_once() -> None:
    text = "Good morning. Our aim is to serve forty towns. The blocker is the permit for Oslo. Thank you."
    passages = (Passage(4, SPEECH, text, "2026-11-22"), Passage(5, SPEECH, text, "2026-11-22"))
    known = ("the blocker is the permit for oslo",)
    found = OfflineEngine().reply(ScribeRequest(passages, known))
    aim = "Our aim is to serve forty towns."
    assert found == (Remembered("goal", aim, aim, 4),)
    assert [(one.kind, one.text, one.seq) for one in verified(found, passages)] == [("goal", aim, 4)]


def test_facts_of_their_types_come_of_the_same_sentences() -> None:
    passages = tuple(Passage(n, SPEECH, text, "2026-11-22") for n, text in enumerate([*SURE, *UNSURE], 1))
    found = OfflineEngine().reply(FactsRequest(passages))
    types = {fact.content: fact.type for fact in found if fact.type not in ("number", "commitment")}
    assert types == {text: kind for text, kind in SURE.items() if kind not in ("goal", "blocker")}


def test_a_decision_that_is_announced_is_remembered_without_a_model(home: Path) -> None:
    given: dict[str, Any] = {"presenter": "Ines", "remember": True, "engine": "offline"}
    with Session.start(Home.open(home), deck_text="# Depots\n\n- Three of them\n", **given) as session:
        session.slide(1)
        for number, text in enumerate(
            ("We have decided to close the Oslo depot.", "They say we have decided to close Bergen.")
        ):
            session.add_segment(Segment(text, 5.0 * number, 5.0 * number + 4, "Ines"))
        session.end()
        assert [one.text for one in session.recap().decisions] == ["We have decided to close the Oslo depot."]
    with MemoryDatabase.open(home) as db:
        decided = [one for one in memories(db, presenter="Ines") if one.content.startswith("Decided: ")]
    assert [(one.agent, one.type, one.content) for one in decided] == [
        ("moderator", "insight", 'Decided: "We have decided to close the Oslo depot."')
    ]
