"""A model is asked where its words can have an effect, and nowhere else: a rehearsal's calls, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import Answer
from orchestrator.panel.home import Home
from orchestrator.panel.loop.recorded import Loading
from orchestrator.panel.model.exchange import Exchange
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import engine_on
from tests.helpers.messages_server import MessagesServer, Taken
from tests.helpers.rehearsals import ROOT
from tests.helpers.stores import values_of

pytestmark = pytest.mark.own_memory  # memory asks the model as well

DEMO = ROOT / "orchestrator" / "rehearsal" / "demo"
"""Six minutes of speech, ten slides, eight exchanges."""
ANSWERS = tuple(Answer(f"The auditors counted {number} of them in May.") for number in range(11, 31))
"""More than are needed, so that every question is answered."""


def rehearsed(
    home: Path, *, answers: tuple[Answer, ...] = ANSWERS, **options: Any
) -> tuple[list[Taken], list[Mapping[str, Any]], list[Exchange]]:
    """The demo with a model, to its end: every request that was sent, every record's value, the exchanges."""
    loading = Loading(read_speech(DEMO / "speech.vtt"), "run", answers)
    with MessagesServer() as server, engine_on(server) as engine:
        given: dict[str, Any] = {"engine": engine, "loading": loading, **options}
        with Session.start(Home.open(home), DEMO / "deck.md", **given) as session:
            assert session.play()
            session.end()
            assert session.verify().valid
            values = values_of(session.rehearsal.store)
            return server.requests, values, session.projection.exchanges


def by_task(taken: list[Taken]) -> Counter[str]:
    return Counter(one.task or "of its own" for one in taken)


@pytest.mark.parametrize("mode", ["section-breaks", "hand-raise", "free-flow"])
def test_a_rehearsal_of_six_minutes_needs_about_45_calls(home: Path, mode: str) -> None:
    taken, values, exchanges = rehearsed(home, mode=mode)
    print(mode, len(taken), dict(by_task(taken)))  # noqa: T201 (the figure that is promised)
    assert len(exchanges) == 8
    assert len(taken) <= 46
    rounds = [value for value in values if value.get("type") == "refresh"]
    assert by_task(taken)["candidate_question"] <= 3 * len(rounds) - 3  # whose question stands is not asked
    assert {value["why"] for value in rounds} <= {"break", "pause", "end"}


def test_no_question_is_thought_of_that_could_not_be_put(home: Path) -> None:
    """Behind every round of candidates comes a question, or nobody has one; none comes after the last."""
    _, values, exchanges = rehearsed(home, exchanges=3)
    kinds = [value.get("type") for value in values]
    steps = [kind for kind in kinds if kind in ("refresh", "segment", "slide", "exchange_opened", "passed")]
    behind = [after for before, after in pairwise(steps) if before == "refresh"]
    assert len(exchanges) == 3
    assert Counter(behind) == {"exchange_opened": 3}
    assert steps[-1] != "refresh"


def test_contradictions_are_looked_for_before_anybody_thinks_of_a_question(home: Path) -> None:
    """For the deck before the focus briefs, for what is new before each round in the talk, and at the end."""
    _, values, _ = rehearsed(home)
    kinds = [value.get("type") for value in values]
    assert kinds.index("tensions") < kinds.index("focus_brief")
    looks = [value for value in values if value.get("type") == "tensions"]
    assert [look["asked"] for look in looks] == ["start", *["break"] * 4, "exchange"]
    assert [look["upto"] for look in looks] == sorted(look["upto"] for look in looks)
    steps = [kind for kind in kinds if kind in ("refresh", "tensions", "segment", "exchange_closed")]
    in_the_talk = steps[: len(steps) - steps[::-1].index("segment")]
    before = [one for one, after in pairwise(in_the_talk) if after == "refresh"]
    assert set(before) == {"tensions"}


def test_no_note_is_asked_for_and_silence_is_judged_by_nobody(home: Path) -> None:
    taken, values, exchanges = rehearsed(home, answers=())
    assert {exchange.outcome for exchange in exchanges} == {"unjudged"}
    assert by_task(taken)["judgement"] == 0
    rounds = [value for value in values if value.get("type") == "refresh"]
    assert by_task(taken)["candidate_question"] < 3 * len(rounds)  # the others' questions stand
    noted = [value["exchange"] for value in values if value.get("type") == "notes"]
    assert noted == [exchange.id for exchange in exchanges]  # that nothing came is noted without a call
