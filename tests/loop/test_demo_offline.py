"""`greenroom demo --offline`: every question is about something, and every one gets its own answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.panel.answers import read_answers
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import ROOT, greenroom_json


def _play(home: Path) -> dict[str, Any]:
    """What it reports, in an empty home."""
    return greenroom_json(new_home(home), "demo", "--offline")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return _play(tmp_path_factory.mktemp("demo"))


def test_what_is_asked_and_what_comes_of_it(demo: dict[str, Any]) -> None:
    """Whole, since answers are written for these questions: a change here is a change to answers.yaml."""
    assert [
        (one["agent"], one["claim"], [turn["verdict"] for turn in one["turns"]], one["outcome"])
        for one in demo["exchanges"]
    ] == [
        ("analyst", None, ["unjudged"], "unjudged"),
        ("analyst", "d6.2", [None], "parked"),
        ("analyst", "d8.1", ["unjudged"], "unjudged"),
        ("contrarian", None, ["unjudged"], "unjudged"),
        ("skeptic", None, ["unjudged"], "unjudged"),
        ("analyst", "d6.2", ["unjudged"], "unjudged"),
        ("skeptic", "d10.2", ["follow_up", "unjudged"], "unjudged"),
        ("contrarian", None, ["unjudged"], "unjudged"),
    ]


def test_only_what_is_certain_is_judged_and_the_rest_is_the_presenters(demo: dict[str, Any]) -> None:
    reasons = [turn["reason"] for one in demo["exchanges"] for turn in one["turns"]]
    assert reasons == [
        "yours to judge",
        "the presenter asked to come back to it",
        *["yours to judge"] * 4,
        "the presenter does not know it, and says so",
        *["yours to judge"] * 2,
    ]


def test_the_total_that_is_not_the_sum_of_its_parts_is_asked_about(demo: dict[str, Any]) -> None:
    assert demo["exchanges"][2]["turns"][0]["question"] == (
        "Slide 8 says “6.4”. When I work it out: 3.1 + 1.8 + 0.9 + 0.4 = 6.2, not 6.4. "
        "Which figure do you stand by?"
    )


def test_a_follow_up_asks_for_what_the_presenter_does_not_know(demo: dict[str, Any]) -> None:
    first, second = demo["exchanges"][6]["turns"]
    assert first["answer"] == "I don't know."
    assert second["question"] == "Who could find that out, and by when would we have it?"


def test_the_parked_question_comes_back_once_the_speech_is_over(demo: dict[str, Any]) -> None:
    parked, back = demo["exchanges"][1], demo["exchanges"][5]
    assert parked["turns"][0]["question"] == back["turns"][0]["question"]
    assert (parked["comes_back_to"], back["comes_back_to"]) == (None, parked["id"])
    assert parked["turns"][0]["answer"].startswith("Can we come back to that")
    assert back["turns"][0]["answer"].startswith("The pilots.")


def test_every_question_has_its_answer_and_what_it_quotes_stands_in_it(demo: dict[str, Any]) -> None:
    for one in demo["exchanges"]:
        assert one["grounded"] == (one["quote"] is not None)
        assert one["quote"] is None or one["quote"].rstrip(".") in one["turns"][0]["question"]
        assert all(turn["answer"] for turn in one["turns"])


def test_everybody_on_the_panel_speaks(demo: dict[str, Any]) -> None:
    assert {one["agent"] for one in demo["exchanges"]} == {"skeptic", "analyst", "contrarian"}


def test_no_answer_is_left_over(demo: dict[str, Any]) -> None:
    written = read_answers(ROOT / "orchestrator" / "rehearsal" / "demo" / "answers.yaml")
    given = [turn["answer"] for one in demo["exchanges"] for turn in one["turns"]]
    assert sorted(given) == sorted(answer.text for answer in written)


def test_two_runs_are_equal(demo: dict[str, Any], tmp_path: Path) -> None:
    again = _play(tmp_path)
    same = ("slides", "segments", "claims", "exchanges", "said", "receipts")
    assert {name: again[name] for name in same} == {name: demo[name] for name in same}
    assert Path(again["debrief"]).read_bytes() == Path(demo["debrief"]).read_bytes()
