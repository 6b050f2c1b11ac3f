"""A loop outside asks and judges by itself; the session holds its words to the record all the same."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

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


@pytest.mark.parametrize(
    ("rest", "body", "status"),
    [
        ("questions", {"agent": "nobody", "question": "Why?"}, 422),
        ("questions", {"agent": "moderator", "question": "Why?"}, 422),
        ("questions", {"agent": "skeptic", "question": "Why?", "quote": "never said"}, 422),
        ("questions", {"agent": "skeptic", "question": ""}, 422),
        ("verdict", {"verdict": "satisfied", "reason": "x"}, 409),
        ("verdict", {"verdict": "great", "reason": "x"}, 422),
    ],
)
def test_what_cannot_be_meant_changes_nothing(
    api: TestClient, rest: str, body: dict[str, str], status: int
) -> None:
    before = api.get(S).json()["ledger_head"]
    assert api.post(f"{S}/{rest}", json=body).status_code == status
    assert api.get(S).json()["ledger_head"] == before
