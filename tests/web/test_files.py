"""Session files over HTTP: the table of DESIGN.md holds, whoever asks."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

FILES = "/api/v1/sessions/s1/files"

pytestmark = pytest.mark.usefixtures("session")


def test_what_was_appended_is_read_behind_what_stood_there(api: TestClient) -> None:
    address = f"{FILES}/shared/presenter-transcript.md"
    before = api.get(address).text
    answer = api.post(address, json={"text": "Good morning – first.", "by": "transcript"})
    after = api.get(address)
    assert after.text == before + "Good morning – first.\n"
    records = api.get("/api/v1/sessions/s1").json()["records"]
    assert answer.json() == {
        "path": "shared/presenter-transcript.md",
        "bytes": len(after.content),
        "record": records,
    }


def test_a_file_is_written_as_often_as_its_class_allows(api: TestClient) -> None:
    address = f"{FILES}/skeptic/candidate-question.md"
    revisions = [
        api.put(address, json={"text": text, "by": "skeptic"}).json()["revision"] for text in ("One", "Two")
    ]
    assert revisions == [1, 2]
    assert api.get(address).text == "Two"


@pytest.mark.parametrize(
    ("method", "path", "by", "text", "status", "code"),
    [
        ("GET", "nowhere.md", "", "", 404, "unknown_file"),
        ("GET", "ledger/ledger.jsonl", "", "", 404, "unknown_file"),
        ("PUT", "templates/skeptic/persona.md", "skeptic", "x", 403, "immutable_file"),
        ("PUT", "skeptic/candidate-question.md", "analyst", "x", 403, "writer_not_allowed"),
        ("PUT", "skeptic/focus-brief.md", "skeptic", "x", 409, "already_written"),
        ("PUT", "shared/presenter-transcript.md", "transcript", "x", 409, "append_only"),
        ("POST", "skeptic/candidate-question.md", "skeptic", "x", 409, "append_only"),
        ("POST", "shared/presenter-transcript.md", "transcript", "", 422, "invalid_text"),
        ("POST", "shared/presenter-transcript.md", "transcript", "a\0b", 422, "invalid_text"),
        ("POST", "shared/presenter-transcript.md", "transcript", "x" * 1_100_000, 413, "file_too_large"),
    ],
)
def test_a_refusal_of_the_store_is_a_problem_and_changes_nothing(
    api: TestClient, method: str, path: str, by: str, text: str, status: int, code: str
) -> None:
    before = api.get("/api/v1/sessions/s1").json()["ledger_head"]
    body = None if method == "GET" else {"text": text, "by": by}
    answer = api.request(method, f"{FILES}/{path}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert api.get("/api/v1/sessions/s1").json()["ledger_head"] == before


def test_after_the_end_nothing_is_written(api: TestClient) -> None:
    api.post("/api/v1/sessions/s1/end", json={})
    answer = api.post(f"{FILES}/shared/presenter-transcript.md", json={"text": "x", "by": "transcript"})
    assert (answer.status_code, answer.json()["code"]) == (409, "session_frozen")
