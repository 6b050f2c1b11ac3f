"""The bundled demonstration: every question is about something, and every one gets its own answer."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from orchestrator.speech.answers import read_answers
from tests.rehearsals import ROOT, greenroom_json


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `greenroom demo` reports, in an empty home."""
    home = tmp_path_factory.mktemp("demo")
    for name in ("templates", "session-templates"):
        shutil.copytree(ROOT / "agents" / name, home / name)
    return greenroom_json(home, "demo")


def test_what_is_asked_and_what_comes_of_it(demo: dict[str, Any]) -> None:
    """Whole, since answers are written for these questions: a change here is a change to answers.yaml."""
    assert [
        (one["agent"], one["claim"], [turn["verdict"] for turn in one["turns"]], one["outcome"])
        for one in demo["exchanges"]
    ] == [
        ("skeptic", "d2.3", ["satisfied"], "satisfied"),
        ("analyst", "d6.1", ["unjudged"], "unjudged"),
        ("contrarian", "d6.3", ["follow_up", "escalate", "escalate"], "unresolved"),
        ("skeptic", "d10.2", ["follow_up", "satisfied"], "satisfied"),
        ("analyst", "d3.1", ["satisfied"], "satisfied"),
        ("contrarian", "d10.4", ["satisfied"], "satisfied"),
        ("skeptic", "d10.3", ["follow_up", "satisfied"], "satisfied"),
        ("analyst", "d3.2", ["satisfied"], "satisfied"),
    ]


def test_every_question_has_its_words_on_a_slide_and_its_answer(demo: dict[str, Any]) -> None:
    for one in demo["exchanges"]:
        assert one["grounded"]
        assert one["quote"] in one["turns"][0]["question"]
        assert all(turn["answer"] for turn in one["turns"])


def test_everybody_on_the_panel_speaks(demo: dict[str, Any]) -> None:
    assert {one["agent"] for one in demo["exchanges"]} == {"skeptic", "analyst", "contrarian"}


def test_no_answer_is_left_over(demo: dict[str, Any]) -> None:
    written = read_answers(ROOT / "orchestrator" / "demo" / "answers.yaml")
    given = [turn["answer"] for one in demo["exchanges"] for turn in one["turns"]]
    assert sorted(given) == sorted(answer.text for answer in written)
