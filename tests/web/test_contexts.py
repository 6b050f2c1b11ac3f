"""Contexts over HTTP: what was given can be asked for again, and what did not change is not sent twice."""

from __future__ import annotations

import hashlib

import pytest
from starlette.testclient import TestClient

ADDRESS = "/api/v1/sessions/s1/contexts/skeptic"

pytestmark = pytest.mark.usefixtures("session")


def receipts(api: TestClient) -> list[str]:
    api.put("/api/v1/sessions/s1/slide", json={"slide": 1})  # receipts go to disk with the next record
    return [one["receipt"] for one in api.get("/api/v1/sessions/s1").json()["receipts"]]


def test_the_etag_is_the_texts_digest(api: TestClient) -> None:
    given = api.get(ADDRESS)
    assert given.headers["etag"] == f'"{hashlib.sha256(given.content).hexdigest()}"'
    assert given.text.startswith("^^^ file 1 of 11: templates/skeptic/persona.md")


def test_what_the_caller_has_already_is_not_sent_and_leaves_no_receipt(api: TestClient) -> None:
    tag = api.get(ADDRESS).headers["etag"]
    before = receipts(api)
    tag = api.get(ADDRESS, params={"at": 1}).headers["etag"]
    again = api.get(ADDRESS, params={"at": 1}, headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert receipts(api) == before
    now = api.get(ADDRESS).headers["etag"]
    assert api.get(ADDRESS, headers={"if-none-match": f'"other", W/{now}'}).status_code == 304


def test_what_was_given_is_given_again_by_its_receipt(api: TestClient) -> None:
    given = api.get(ADDRESS)
    receipt = given.headers["greenroom-receipt"]
    assert receipt in receipts(api)
    api.post(
        "/api/v1/sessions/s1/files/shared/presenter-transcript.md", json={"text": "More.", "by": "transcript"}
    )
    assert api.get(ADDRESS).text != given.text
    then = api.get(ADDRESS, params={"at": receipt})
    assert then.text == given.text
    assert api.get(ADDRESS, params={"at": receipt, "as": "receipt"}).json()["receipt"] == receipt


def test_of_an_ended_session_nothing_is_recorded(api: TestClient) -> None:
    api.post("/api/v1/sessions/s1/end", json={})
    answer = api.get(ADDRESS, params={"as": "receipt"})
    assert answer.json()["receipt"] is None
    assert "greenroom-receipt" not in answer.headers


@pytest.mark.parametrize(
    ("address", "params", "status"),
    [
        (ADDRESS, {"as": "html"}, 422),
        (ADDRESS, {"layout": "loose"}, 422),
        (ADDRESS, {"layout": "strict", "at": "1"}, 422),
        (ADDRESS, {"at": "r000000000000"}, 404),
        (ADDRESS, {"at": "999999"}, 404),
        (ADDRESS, {"at": "9" * 21}, 422),
        ("/api/v1/sessions/s1/contexts/nobody", {}, 422),
        ("/api/v1/sessions/s2/contexts/skeptic", {}, 404),
    ],
)
def test_what_cannot_be_given_is_a_problem(
    api: TestClient, address: str, params: dict[str, str], status: int
) -> None:
    answer = api.get(address, params=params)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
