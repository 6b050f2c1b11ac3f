"""What the arithmetic finds reaches the model: shown on the message lists that were really sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.material.speech.read import Recording
from orchestrator.material.values import Segment
from orchestrator.panel.answers import Answer
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.settings import Settings
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.homes import new_home
from tests.helpers.messages_replies import NOBODY_SAID
from tests.helpers.messages_server import MessagesServer, Taken
from tests.helpers.server_faults import Fault

DECK = """---
title: Ferries
---
# Money

- Revenue grew 18% to EUR 4.2M in 2026

| Use | EUR million |
|---|---|
| Boats | 3.1 |
| Charging | 1.8 |
| Total | 5.9 |

---
# Customers

- The cost overrun was 4%

---
# Borrowing

- Debt to EBITDA of 6.5x
"""
SAID = (
    "Good morning, this is about our ferries and what they cost.",
    "We have borrowed, and we will pay it back out of the tickets.",
    "Churn went from 200 to 250, up 60 percent, and that is as bad as it gets.",
    "Those are the figures, and I am glad to take your questions.",
)
SPOKEN = "Churn went from 200 to 250, up 60 percent"


def rehearsed(folder: Path, server: MessagesServer) -> Session:
    engine = ModelEngine(Settings(base_url=server.url, api_key=server.key))
    session = Session.start(Home.open(new_home(folder / "home")), deck_text=DECK, engine=engine, exchanges=1)
    segments = tuple(
        Segment(text, number * 20.0, number * 20.0 + 8, "Ines", 1 + number // 2)
        for number, text in enumerate(SAID)
    )
    recording = Recording(segments, times_estimated=False, notices=(), sha256="", name="talk.json")
    session.load(
        recording, kind="run", answers=[Answer("I cannot say."), Answer("It is 6% by the register.")]
    )
    assert session.play()
    engine.close()
    return session


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Taken]]:
    """Every request of a rehearsal whose deck does not add up, and whose speech contradicts it."""
    with MessagesServer() as server, rehearsed(tmp_path_factory.mktemp("evidence"), server):
        yield list(server.requests)


def blocks(taken: Taken) -> list[str]:
    return [block["text"] for block in taken.body["messages"][0]["content"]]


def seat(taken: Taken) -> str:
    """Whose call it is, by the first file of the system prompt."""
    name: str = taken.body["system"][0]["text"].partition("templates/")[2].partition("/")[0]
    return name


def data(taken: Taken) -> dict[str, Any]:
    """The line of JSON of the task."""
    found: dict[str, Any] = json.loads(blocks(taken)[-1].splitlines()[-1].partition(": ")[2])
    return found


def notes(taken: Taken) -> str:
    return next(text for text in blocks(taken) if "/exchange-notes.md (append-only)\n" in text)


def test_what_was_found_in_the_deck_stands_in_each_focus_brief_call(sent: list[Taken]) -> None:
    asked = {seat(taken): data(taken) for taken in sent if taken.task == "focus_brief"}
    assert sorted(asked) == ["analyst", "contrarian", "skeptic"]
    for found in asked.values():
        (tension,) = found["tensions"]
        assert tension["class"] == "computed"
        assert "3.1 + 1.8 = 4.9, not 5.9" in tension["note"]


def test_what_was_found_in_speech_stands_in_every_panelists_notes_from_then_on(sent: list[Taken]) -> None:
    refreshes = [taken for taken in sent if taken.task == "candidate_question"]
    heard = ["".join(blocks(taken)).find(SPOKEN) >= 0 for taken in refreshes]
    told = ["Found while listening (growth)" in notes(taken) for taken in refreshes]
    assert told == heard
    after = [taken for taken, is_told in zip(refreshes, told, strict=True) if is_told]
    assert {seat(taken) for taken in after} == {"analyst", "contrarian", "skeptic"}
    for taken in after:
        (line,) = [line for line in notes(taken).splitlines() if line.startswith("- Found while listening")]
        assert "200 to 250 is 25 %, not 60 percent" in line
    judged = [taken for taken in sent if taken.task == "judgement"]
    assert judged
    assert all("Found while listening" in notes(taken) for taken in judged)


@pytest.mark.slow
def test_a_quote_that_nobody_said_is_never_asked_or_judged_by(tmp_path: Path) -> None:
    faults = {"candidate_question": Fault("false_quote"), "judgement": Fault("false_quote")}
    with MessagesServer(by_task=faults) as server, rehearsed(tmp_path, server) as session:
        asked = [exchange for exchange in session.projection.exchanges if exchange.grounded]
        assert [exchange.quote for exchange in asked if exchange.quote == NOBODY_SAID] == []
        verdicts = {turn.verdict for one in session.projection.exchanges for turn in one.turns if turn.answer}
        assert verdicts <= {"unjudged"}
        assert session.verify().valid
        by_task = [taken for taken in server.requests if taken.task == "candidate_question"]
        turns = [len(taken.body["messages"]) for taken in by_task]
        assert set(turns) == {1, 3}  # each is sent back once, and not twice
        assert turns.count(1) == turns.count(3)
        for path in session.rehearsal.store.layout.files:
            assert NOBODY_SAID not in session.read(path)
