"""The engine that plays a list: in order, by kind, and with a clear word when it cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import EngineError
from orchestrator.material.claim import Operand, Place, Proposal, Tension
from orchestrator.material.values import Deck
from orchestrator.panel.engines.protocol import (
    CandidateRequest,
    DebriefRequest,
    DossierRequest,
    DoubtRequest,
    FactsRequest,
    FocusBriefRequest,
    JudgementRequest,
    NewsRequest,
    Request,
    Scene,
    ScratchpadRequest,
    ScribeRequest,
    TensionsRequest,
)
from orchestrator.panel.engines.scripted import ScriptedEngine
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Judgement,
    Observation,
    Target,
)
from orchestrator.panel.model.reply import (
    Attack,
    Bearing,
    DebriefWords,
    FactDraft,
    Remembered,
)
from orchestrator.panel.personas.persona import Persona, Seat

SEAT = Seat(
    Persona("tester", "Ines Falk", "Director", "tests", "#2a6f97", "calm", (), (), (), (), (), (), {})
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
    "scratchpad": ["- Gives no periods."],
    "tensions": [
        [
            {
                "kind": "deck-vs-deck",
                "relation": "v0 == v1",
                "operands": [
                    {"passage": "d1.l1", "quote": "We grow"},
                    {"passage": "d1.l2", "quote": "We shrink"},
                ],
                "subject": "size",
                "why": "Both cannot be.",
            }
        ]
    ],
    "doubt": [[None, "another year"]],
    "dossier": [
        [{"question": "How?", "asked_by": "Ines Falk", "why": "w", "about": None, "good_answer": "g"}]
    ],
    "news": [
        [{"reported": 0, "stance": "neutral", "about": {"slide": 1, "said_at_s": None, "quote": "We grow"}}]
    ],
    "facts": [[{"type": "number", "content": "c", "confidence": "high", "source": 4, "quote": "q"}]],
    "scribe": [[{"kind": "goal", "text": "t", "quote": "q", "seq": 4}]],
    "debrief": [{"fix": "Say the period.", "why": "It was asked twice.", "still_wanted": ["Since when?"]}],
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
    assert engine.reply(ScratchpadRequest(SEAT, SCENE, "", "2026-11-22", 2000)) == "- Gives no periods."
    assert engine.reply(TensionsRequest(())) == (
        Proposal(
            "deck-vs-deck",
            "v0 == v1",
            (Operand("d1.l1", "We grow"), Operand("d1.l2", "We shrink")),
            "size",
            "Both cannot be.",
        ),
    )
    assert engine.reply(DoubtRequest((), ())) == (None, "another year")
    assert engine.reply(DossierRequest(SCENE.deck, (), (), ())) == (
        Attack("How?", "Ines Falk", "w", None, "g"),
    )
    assert engine.reply(NewsRequest((), ())) == (Bearing(0, "neutral", Place(1, None, "We grow")),)
    assert engine.reply(FactsRequest(())) == (FactDraft("number", "c", "high", 4, "q"),)
    assert engine.reply(ScribeRequest(())) == (Remembered("goal", "t", "q", 4),)
    assert engine.reply(DebriefRequest(SEAT, SCENE)) == DebriefWords(
        "Say the period.", "It was asked twice.", still_wanted=("Since when?",)
    )


def test_a_script_without_lists_for_the_newer_kinds_has_nothing_to_say_there() -> None:
    engine = ScriptedEngine({"judgement": []})
    tension = Tension("sum", Place(1, None, "3"), Place(1, None, "4"), "3 is not 4")
    asked: tuple[Request[Any], ...] = (
        TensionsRequest(()),
        DossierRequest(SCENE.deck, (), (), ()),
        NewsRequest((), ()),
        FactsRequest(()),
        ScribeRequest(()),
        DebriefRequest(SEAT, SCENE),
        DoubtRequest((tension,), ()),
    )
    assert [engine.reply(one) for one in asked] == [(), (), (), (), (), DebriefWords(), (None,)]


def test_older_scripts_notes_and_observations_go_into_the_judgements() -> None:
    plain = {"verdict": "unjudged", "reason": "r"}
    engine = ScriptedEngine(
        {
            "judgement": [plain, {**plain, "note": "- own"}, plain],
            "notes": ["- first", "- second"],
            "observation": [None, {"text": "hedges", "quote": "I think"}],
            "phrases": [["Welcome."]],
        }
    )
    got = [engine.reply(JudgementRequest(SEAT, SCENE, EXCHANGE)) for _ in range(3)]
    assert [one.note for one in got] == ["- first", "- own", ""]
    assert [one.noticed for one in got] == [None, Observation("hedges", "I think"), None]


def test_each_kind_of_request_gets_its_next_reply() -> None:
    play_all(ScriptedEngine(SCRIPT))


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_the_same_from_a_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"script{suffix}"
    path.write_text(json.dumps(SCRIPT, indent=2), encoding="utf-8")
    play_all(ScriptedEngine.from_file(path))


def test_when_the_list_is_used_up_it_says_which() -> None:
    engine = ScriptedEngine({"scratchpad": ["- one"]})
    page = ScratchpadRequest(SEAT, SCENE, "", "2026-11-22", 2000)
    engine.reply(page)
    with pytest.raises(EngineError, match=r"^script: no scratchpad is left: add one to the list$"):
        engine.reply(page)
    with pytest.raises(EngineError, match=r"^script: no judgement is left: add one to the list$"):
        engine.reply(JudgementRequest(SEAT, SCENE, EXCHANGE))


def test_the_list_given_is_left_as_it_was() -> None:
    script = {"candidate_question": [None]}
    ScriptedEngine(script).reply(CandidateRequest(SEAT, SCENE))
    assert script == {"candidate_question": [None]}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            {"verdict": []},
            "script: unknown kind 'verdict': use one of candidate_question, debrief, dossier, doubt",
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
