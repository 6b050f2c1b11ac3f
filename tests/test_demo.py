"""The bundled demonstration: every question is about something, and every one gets its own answer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from orchestrator.speech.answers import read_answers
from tests.rehearsals import ROOT, greenroom_json

REASONS = """\
gives a cause ("because the ones who left were larger than most")
the presenter asked to come back to it
gives a number ("6.2 million") and a source ("from our general ledger")
gives a source ("signed contracts for the time after it") and a date ("by 31 January")
gives a date ("31 March 2027") and a cause \
("because there is no other hall with a loading dock on that coast")
no period in the answer ("It was a record year")
gives a period ("October 2024 to September 2026")
says that it is not known yet, and when it will be ("by 12 December"), and who answers for it \
("Ilse Varnholt, our finance director")
leaves the question open ("It's hard to say"); no comparison in the answer
turns to something else ("I would rather talk about what FennTrack does"); no comparison in the answer
puts the question off ("But I don't know what we would do"); no comparison in the answer
"""


def _play(home: Path) -> dict[str, Any]:
    """What `greenroom demo` reports, in an empty home."""
    for name in ("templates", "session-templates"):
        shutil.copytree(ROOT / "agents" / name, home / name)
    return greenroom_json(home, "demo")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return _play(tmp_path_factory.mktemp("demo"))


def test_what_is_asked_and_what_comes_of_it(demo: dict[str, Any]) -> None:
    """Whole, since answers are written for these questions: a change here is a change to answers.yaml."""
    assert [
        (one["agent"], one["claim"], [turn["verdict"] for turn in one["turns"]], one["outcome"])
        for one in demo["exchanges"]
    ] == [
        ("contrarian", "d3.2", ["satisfied"], "satisfied"),
        ("skeptic", "d6.1", [None], "parked"),
        ("analyst", "d8.1", ["satisfied"], "satisfied"),
        ("skeptic", "d6.1", ["satisfied"], "satisfied"),
        ("contrarian", "d10.4", ["satisfied"], "satisfied"),
        ("analyst", "d3.1", ["follow_up", "satisfied"], "satisfied"),
        ("skeptic", "d10.2", ["satisfied"], "satisfied"),
        ("contrarian", "d6.2", ["follow_up", "escalate", "escalate"], "unresolved"),
    ]


def test_what_the_verdicts_rest_on(demo: dict[str, Any]) -> None:
    assert [turn["reason"] for one in demo["exchanges"] for turn in one["turns"]] == REASONS.splitlines()


def test_both_contradictions_are_asked_about(demo: dict[str, Any]) -> None:
    """What was said against the slide, and a total that is not the sum of its parts."""
    spoken, total = (demo["exchanges"][index]["turns"][0]["question"] for index in (0, 2))
    assert '"Customer churn is 6% a year". At 1:39 it is "Churn is about eight percent a year".' in spoken
    assert "its parts (3.1 + 1.8 + 0.9 + 0.4) add up to 6.2." in total


def test_a_follow_up_uses_the_words_of_the_answer(demo: dict[str, Any]) -> None:
    first, second = demo["exchanges"][5]["turns"]
    assert first["answer"].startswith("It was a record year.")
    assert second["question"].startswith('You said "It was a record year".')


def test_the_parked_question_comes_back_once_the_speech_is_over(demo: dict[str, Any]) -> None:
    parked, back = demo["exchanges"][1], demo["exchanges"][3]
    assert parked["turns"][0]["question"].endswith(f" {back['turns'][0]['question']}")
    assert (parked["comes_back_to"], back["comes_back_to"]) == (None, parked["id"])
    assert parked["turns"][0]["answer"].startswith("Can we come back to that")
    assert back["turns"][0]["answer"].startswith("Here it is.")


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


def test_two_runs_are_equal(demo: dict[str, Any], tmp_path: Path) -> None:
    again = _play(tmp_path)
    same = ("slides", "segments", "claims", "exchanges", "said", "receipts")
    assert {name: again[name] for name in same} == {name: demo[name] for name in same}
    assert Path(again["debrief"]).read_bytes() == Path(demo["debrief"]).read_bytes()
