"""A loop outside asks and judges by itself; the session holds its words to the record all the same."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from orchestrator.web.site import Site

S = "/api/v1/sessions/s1"
SAID = "The second hub pays for itself in 31 months."

pytestmark = pytest.mark.usefixtures("session")


def test_a_question_and_a_verdict_of_ones_own_are_an_exchange(api: TestClient) -> None:
    api.post(f"{S}/segments", json={"text": SAID})
    put = {"agent": "skeptic", "question": "What is in it?", "quote": "pays for itself in 31 months"}
    asked = api.post(f"{S}/questions", json=put)
    assert (asked.status_code, asked.json()["quote"], asked.json()["grounded"]) == (201, put["quote"], True)
    api.post(f"{S}/segments", json={"text": "The saved freight alone."})
    first = {"verdict": "follow_up", "reason": "no volumes", "follow_up": "At which volumes?"}
    assert [turn["question"] for turn in api.post(f"{S}/verdict", json=first).json()["turns"]] == [
        "What is in it?",
        "At which volumes?",
    ]
    api.post(f"{S}/segments", json={"text": "At those of this year."})
    last = {"verdict": "satisfied", "reason": "says which", "quote": "those of this year"}
    closed = api.post(f"{S}/verdict", json=last).json()
    assert (closed["outcome"], closed["turns"][1]["answer"]) == ("satisfied", "At those of this year.")
    assert api.get(S).json()["exchanges"] == [closed]


def test_a_question_of_ones_own_with_its_receipt_is_shown_with_what_it_was_made_from(api: TestClient) -> None:
    api.post(f"{S}/segments", json={"text": SAID})
    receipt = api.get(f"{S}/contexts/skeptic").headers["greenroom-receipt"]
    put = {"agent": "skeptic", "question": "What is in it?", "receipt": receipt}
    assert api.post(f"{S}/questions", json=put).status_code == 201
    page = api.get("/review/s1/questions/x1").text
    assert "The question was made from these 11 files" in page
    assert f"receipt <code>{receipt}</code>" in page
    assert "put by hand" not in page
    assert api.get(f"{S}/verify").json()["valid"]


def test_a_file_says_from_which_context_it_was_written(api: TestClient, site: Site) -> None:
    receipt = api.get(f"{S}/contexts/skeptic").headers["greenroom-receipt"]
    note = {"text": "- ask for volumes", "by": "skeptic", "receipt": receipt}
    assert api.post(f"{S}/files/skeptic/exchange-notes.md", json=note).status_code == 200
    store = site.sessions.get("s1").rehearsal.store
    assert store.record(store.seq).receipt == receipt
    assert api.get(f"{S}/verify").json()["valid"]


def test_the_receipt_of_another_agent_is_refused(api: TestClient) -> None:
    receipt = api.get(f"{S}/contexts/analyst").headers["greenroom-receipt"]
    put = {"agent": "skeptic", "question": "What is in it?", "receipt": receipt}
    refused = api.post(f"{S}/questions", json=put)
    assert (refused.status_code, refused.json()["code"]) == (404, "receipt")
    assert "give the receipt of that agent's own context" in refused.json()["detail"]
    assert api.get(S).json()["exchanges"] == []


@pytest.mark.parametrize(
    ("rest", "body", "status"),
    [
        ("questions", {"agent": "nobody", "question": "Why?"}, 422),
        ("questions", {"agent": "moderator", "question": "Why?"}, 422),
        ("questions", {"agent": "skeptic", "question": "Why?", "quote": "never said"}, 422),
        ("questions", {"agent": "skeptic", "question": ""}, 422),
        ("questions", {"receipt": "r1"}, 422),
        ("questions", {"agent": "skeptic", "question": "Why?", "receipt": "r1"}, 404),
        ("segments", {"text": "It pays.", "start_s": 9.0, "end_s": 8.0}, 422),
        ("segments", {"text": "It pays.", "slide": 99}, 422),
        ("verdict", {"verdict": "satisfied", "reason": "x"}, 409),
        ("verdict", {"verdict": "great", "reason": "x"}, 422),
    ],
)
def test_what_cannot_be_meant_changes_nothing(
    api: TestClient, rest: str, body: dict[str, object], status: int
) -> None:
    before = api.get(S).json()["ledger_head"]
    assert api.post(f"{S}/{rest}", json=body).status_code == status
    assert api.get(S).json()["ledger_head"] == before
