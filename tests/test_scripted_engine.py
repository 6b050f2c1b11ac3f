"""The engine that plays a list: in order, by kind, and with a clear word when it cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.deck.model import Deck
from orchestrator.engines.protocol import (
    CandidateRequest,
    FocusBriefRequest,
    JudgementRequest,
    NotesRequest,
    ObservationRequest,
    PhrasesRequest,
    Scene,
)
from orchestrator.engines.scripted import ScriptedEngine
from orchestrator.errors import EngineError
from orchestrator.exchange import Candidate, Exchange, Judgement, Observation, Target
from orchestrator.persona import Persona, Seat

SEAT = Seat(
    Persona("tester", "Ines Falk", "Director", "tests", "#2a6f97", "calm", (), (), (), (), (), (), (), {})
)
SCENE = Scene(Deck("md", "deck.md", "0" * 64, "Plan", ()), (), (), (), (), None, 0.0, "moderate", ())
EXCHANGE = Exchange("x1", "tester", None, None, None, None, False, "", 0.0, ())

TARGET: dict[str, Any] = {
    "claim": "d1.1",
    "slide": 1,
    "said_at_s": None,
    "quote": "We grow",
    "angle": "pattern",
    "good_answer": "a figure",
}
CANDIDATE: dict[str, Any] = {
    "agent": "tester",
    "question": 'On slide 1 you say "We grow". By how much?',
    "claim": "d1.1",
    "slide": 1,
    "said_at_s": None,
    "quote": "We grow",
    "grounded": True,
    "needs": ["number"],
    "relevance": 0.8,
    "lead_in": "",
    "angle": "pattern",
}
SCRIPT: dict[str, list[Any]] = {
    "focus_brief": [[TARGET], []],
    "candidate_question": [CANDIDATE, None],
    "judgement": [
        {"verdict": "follow_up", "reason": "no period", "missing": ["period"], "follow_up": "When?"}
    ],
    "notes": ["- asked for the period."],
    "observation": [{"text": "hedges", "quote": "I think"}, None],
    "phrases": [["Welcome.", "Next question."]],
}


def play_all(engine: ScriptedEngine) -> None:
    expected = Candidate(**{**CANDIDATE, "needs": ("number",)})
    assert engine.name == "scripted"
    assert engine.reply(FocusBriefRequest(SEAT, SCENE)) == (Target(**TARGET),)
    assert engine.reply(FocusBriefRequest(SEAT, SCENE)) == ()
    assert engine.reply(CandidateRequest(SEAT, SCENE)) == expected
    assert engine.reply(CandidateRequest(SEAT, SCENE)) is None
    assert engine.reply(JudgementRequest(SEAT, SCENE, EXCHANGE)) == Judgement(
        "follow_up", "no period", missing=("period",), follow_up="When?"
    )
    assert engine.reply(NotesRequest(SEAT, SCENE, EXCHANGE)) == "- asked for the period."
    assert engine.reply(ObservationRequest(SEAT, SCENE, EXCHANGE)) == Observation("hedges", "I think")
    assert engine.reply(ObservationRequest(SEAT, SCENE, EXCHANGE)) is None
    assert engine.reply(PhrasesRequest(SEAT, SCENE, {}, {})) == ("Welcome.", "Next question.")


def test_each_kind_of_request_gets_its_next_reply() -> None:
    play_all(ScriptedEngine(SCRIPT))


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_the_same_from_a_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"script{suffix}"
    path.write_text(json.dumps(SCRIPT, indent=2), encoding="utf-8")
    play_all(ScriptedEngine.from_file(path))


def test_when_the_list_is_used_up_it_says_which() -> None:
    engine = ScriptedEngine({"notes": ["- one"]})
    engine.reply(NotesRequest(SEAT, SCENE, EXCHANGE))
    with pytest.raises(EngineError, match=r"^script: no notes is left: add one to the list$"):
        engine.reply(NotesRequest(SEAT, SCENE, EXCHANGE))
    with pytest.raises(EngineError, match=r"^script: no judgement is left: add one to the list$"):
        engine.reply(JudgementRequest(SEAT, SCENE, EXCHANGE))


def test_the_list_given_is_left_as_it_was() -> None:
    script = {"notes": ["- one"]}
    ScriptedEngine(script).reply(NotesRequest(SEAT, SCENE, EXCHANGE))
    assert script == {"notes": ["- one"]}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            {"verdict": []},
            "script: unknown kind 'verdict': use one of candidate_question, facts, focus_brief",
        ),
        ({"judgement": [{"reason": "none"}]}, "script: a judgement is not of the right shape: verdict: "),
        ({"judgement": ["yes"]}, "script: a judgement is not of the right shape: : "),
    ],
)
def test_a_wrong_script_is_refused_in_one_line(script: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(EngineError) as caught:
        ScriptedEngine(script).reply(JudgementRequest(SEAT, SCENE, EXCHANGE))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["- a list", "notes: one", ": : :", "text"])
def test_a_file_that_is_no_script_is_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(EngineError) as caught:
        ScriptedEngine.from_file(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"script\.yaml: cannot be read as a script: "):
        ScriptedEngine.from_file(tmp_path / "script.yaml")
