"""A client's own id counts once: whoever asks again gets the first reply, and nothing is written twice."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from orchestrator.core.errors import RequestIdReusedError, UsageError
from orchestrator.core.store import requests
from orchestrator.core.store.ledger import Unread
from orchestrator.material.speech.stream import LiveSegment
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.rehearsals import DECK, greenroom
from tests.web.conftest import Served

NOTES = "skeptic/exchange-notes.md"
QUESTION = {"agent": "skeptic", "question": "What is it made of?"}
VERDICT = {"verdict": "satisfied", "reason": "it names the parts"}

Sent = tuple[str, str, dict[str, Any]]

STEPS: tuple[Sent, ...] = (
    ("POST", "segments", {"text": "We grow by a third."}),
    ("PUT", "slide", {"slide": 2}),
    ("POST", f"files/{NOTES}", {"text": "- Watch the third.", "by": "skeptic"}),
    ("PUT", "files/skeptic/candidate-question.md", {"text": "Which third?\n", "by": "skeptic"}),
    ("POST", "questions", QUESTION),
    ("POST", "segments", {"text": "Of freight and of rent."}),
    ("POST", "verdict", VERDICT),
    ("POST", "ask", {"agent": "analyst"}),
    ("POST", "answer", {"text": "We signed the lease for ten years, with a break at five."}),
    ("POST", "drive", {}),
    ("POST", "pause", {}),
)
"""Every writing operation on a session that is another when asked twice, in an order that works."""


def ask(client: Any, session: str, sent: Sent, key: str) -> tuple[int, Any]:
    method, path, body = sent
    answer = client.request(
        method, f"/api/v1/sessions/{session}/{path}", json=body, headers={"Idempotency-Key": key}
    )
    return answer.status_code, answer.json()


def records(root: Path) -> list[dict[str, Any]]:
    """The ledger's records without what a look notes: receipts."""
    lines = (root / "ledger" / "ledger.jsonl").read_text("utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one["op"] != "receipt"]


def test_every_operation_that_is_asked_again_counts_once_and_gives_the_first_reply(
    site: Site, api: TestClient, session: str
) -> None:
    root = site.own.sessions / session
    first = []
    for number, sent in enumerate(STEPS):
        first.append(ask(api, session, sent, f"key {number}"))
        before = records(root)
        assert ask(api, session, sent, f"key {number}") == first[-1]
        if sent[1] not in ("drive",):  # beside which the panel goes on
            assert records(root) == before
    assert [status for status, _ in first] == [200, 200, 200, 200, 201, 200, 200, 200, 200, 200, 200]
    other = Site(site.home, site.archives, OpenSessions(site.home))  # the server was started anew
    with TestClient(application(other), base_url="http://127.0.0.1") as client:
        before = records(root)
        again = [ask(client, session, sent, f"key {number}") for number, sent in enumerate(STEPS)]
        assert again == first
        assert records(root) == before
        assert client.post(f"/api/v1/sessions/{session}/end", json={}).status_code == 200
        assert [ask(client, session, sent, f"key {number}") for number, sent in enumerate(STEPS)] == first
        assert client.get(f"/api/v1/sessions/{session}/verify").json()["valid"]


def test_an_id_with_another_request_is_refused_and_nothing_is_written(
    site: Site, api: TestClient, session: str
) -> None:
    ask(api, session, STEPS[0], "one")
    before = records(site.own.sessions / session)
    others: list[Sent] = [
        ("POST", "segments", {"text": "We grow by half."}),
        ("POST", "segments", {"text": "We grow by a third.", "slide": 1}),
        *STEPS[1:5],
        *STEPS[7:],
    ]
    told = [ask(api, session, sent, "one") for sent in others]
    assert {(status, body["code"], body["value"]) for status, body in told} == {
        (409, "request_id_reused", "one")
    }
    assert records(site.own.sessions / session) == before


@pytest.mark.parametrize("key", ["", "x" * 201, "tab\there", "half \x7f"])
def test_an_id_that_is_none_is_refused(api: TestClient, session: str, key: str) -> None:
    assert ask(api, session, STEPS[0], key)[0] == 422
    piece = {"text": "We grow.", "id": key}
    assert api.post(f"/api/v1/sessions/{session}/segments", json=piece).status_code == 422
    assert api.get(f"/api/v1/sessions/{session}/room").json()["captions"] == []


def test_pieces_of_a_list_count_once_each_by_their_own_ids_or_by_the_lists(
    api: TestClient, session: str
) -> None:
    at = f"/api/v1/sessions/{session}/segments"
    pieces = [{"text": "One.", "id": "a"}, {"text": "Two."}, {"text": "Three.", "id": "c"}]
    header = {"Idempotency-Key": "list"}
    assert api.post(at, json=pieces[:1]).json() == {"segments": 1}
    assert api.post(at, json=pieces, headers=header).json() == {"segments": 3}
    assert api.post(at, json={"text": "Four."}).json() == {"segments": 4}
    assert api.post(at, json=pieces, headers=header).json() == {"segments": 3}
    changed = [*pieces[:2], {"text": "3."}]
    assert api.post(at, json=changed, headers=header).json()["code"] == "request_id_reused"
    said = [one["text"] for one in api.get(f"/api/v1/sessions/{session}/room").json()["captions"]]
    assert said == ["One.", "Two.", "Three.", "Four."]


def test_of_many_that_come_at_once_one_counts(api: TestClient, session: str) -> None:
    for sent in (STEPS[0], STEPS[4]):
        with ThreadPoolExecutor(6) as pool:
            asked = [pool.submit(ask, api, session, sent, f"same {sent[1]}") for _ in range(6)]
            replies = [one.result() for one in asked]
        assert [one == replies[0] for one in replies] == [True] * 6
        assert replies[0][0] in (200, 201)
    view = api.get(f"/api/v1/sessions/{session}/room").json()
    assert [one["text"] for one in view["captions"]] == ["We grow by a third."]


def test_of_two_programs_that_say_the_same_by_one_id_one_is_heard(home: Path) -> None:
    piece = LiveSegment("We grow.", id="p 1")
    with Session.start(Home.open(home), deck_text=DECK, id="s1") as session:
        fed = greenroom(home, "feed", "s1", "-", stdin='{"text": "We grow.", "id": "p 1"}\n' * 2)
        assert fed.returncode == 0
        assert session.hear(piece) == 1
        with pytest.raises(RequestIdReusedError, match="'p 1': this id was used for another request"):
            session.hear(LiveSegment("We shrink.", id="p 1"))
        with pytest.raises(UsageError, match="1 to 200 characters that print"):
            session.hear(LiveSegment("We shrink.", id="\n"))
        other = '{"text": "We shrink.", "id": "p 1"}\n'
        refused = greenroom(home, "feed", "s1", "-", stdin=other, check=False)
        assert refused.returncode == 1
        assert "'p 1': this id was used for another request" in refused.stderr
        assert [one.text for one in session.projection.segments] == ["We grow."]
        session.end()
        assert session.hear(piece) == 1
        assert session.verify().valid


def test_an_id_that_was_written_by_another_within_the_lock_counts_for_both(home: Path) -> None:
    """Both have looked and found nothing, so only the look within the lock can tell."""
    with (
        Session.start(Home.open(home), deck_text=DECK, id="s1") as session,
        Session.open(Home.open(home), "s1") as other,
    ):
        piece = LiveSegment("We grow.", id="p 1")
        store, request = session.rehearsal.store, requests.request_of("k", "anything")

        def work() -> str:
            requests.do_once(
                other.rehearsal.store,
                request,
                lambda: other.rehearsal.store.note(Unread({"type": "mark"}), by="moderator"),
                is_effect=lambda record: record.op == "note",
                again=lambda done: 0,
                reply=lambda tx: "the other's",
            )
            session.hear(LiveSegment("We shrink."))
            return "mine"

        given = requests.do_once(
            store,
            request,
            work,
            is_effect=lambda record: record.type == "segment",
            again=lambda done: str(done.reply),
        )
        assert given == "the other's"
        assert session.projection.segments == []
        assert (session.hear(piece), other.hear(piece)) == (1, 1)


def test_what_was_done_and_not_replied_to_is_found_done(
    api: TestClient, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is cut off between the writing and its reply; the client asks again."""
    ask(api, session, STEPS[4], "question")
    with monkeypatch.context() as patched:
        patched.setattr("orchestrator.panel.loop.answers.judge", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            ask(api, session, STEPS[8], "answer")
    status, view = ask(api, session, STEPS[8], "answer")
    assert (status, view["question"]) == (200, None)
    assert ask(api, session, STEPS[8], "answer") == (status, view)
    assert len(view["captions"]) == 1
    assert [one["outcome"] for one in view["closed"]] == ["not judged"]


def test_a_session_that_is_begun_again_by_one_id_is_one(api: TestClient, site: Site) -> None:
    at = "/api/v1/sessions"
    for body in ({"sample": True}, {"sample": True, "id": "own"}):
        header = {"Idempotency-Key": f"begin {len(body)}"}
        with ThreadPoolExecutor(3) as pool:
            asked = [pool.submit(api.post, at, json=body, headers=header) for _ in range(3)]
            told = [(one.result().status_code, one.result().json()) for one in asked]
        assert told == [told[0]] * 3
        assert told[0][0] == 201
        site.sessions.forget(told[0][1]["session"])  # as after a restart
        again = api.post(at, json=body, headers=header)
        assert (again.status_code, again.json()) == told[0]
        other = api.post(at, json={**body, "minutes": 9}, headers=header)
        assert (other.status_code, other.json()["code"]) == (409, "request_id_reused")
    assert api.post(at, json={"sample": True, "id": "own"}).json()["code"] == "session_exists"
    assert len(api.get(at).json()["sessions"]) == 2


@pytest.mark.slow  # a real server that is killed
def test_a_server_that_was_killed_before_its_reply_gives_it_to_whoever_asks_again(
    serve: Callable[..., Served],
) -> None:
    served = serve()
    with served.client() as client:
        assert client.post("/api/v1/sessions", json={"sample": True, "id": "s1"}).status_code == 201
        first = ask(client, "s1", STEPS[0], "one")
    served.process.send_signal(signal.SIGKILL)
    served.process.wait(30)
    anew = serve(served.home)
    with anew.client() as client:
        assert ask(client, "s1", STEPS[0], "one") == first == (200, {"segments": 1})
        assert len(client.get("/api/v1/sessions/s1/room").json()["captions"]) == 1


def test_every_writing_address_of_a_session_takes_an_id_or_is_the_same_twice(api: TestClient) -> None:
    same_twice = {
        ("delete", "/api/v1/sessions/{session}"),
        ("post", "/api/v1/sessions/{session}/resume"),
        ("post", "/api/v1/sessions/{session}/archive"),
        ("post", "/api/v1/sessions/{session}/end"),
        ("post", "/api/v1/sessions/{session}/speaking"),  # leaves nothing anywhere
        ("put", "/api/v1/sessions/{session}/blank"),  # says how it is to be
        ("put", "/api/v1/sessions/{session}/title"),
        ("delete", "/api/v1/sessions/{session}/sound"),
        ("delete", "/api/v1/sessions/{session}/sound/{exchange}/{turn}"),
    }
    takes_none = {
        ("post", "/api/v1/sessions/{session}/drill"),  # makes another session, whose id is its own
        ("post", "/api/v1/sessions/{session}/comments"),  # beside the session, in no ledger
    }
    without = {
        (method, path)
        for path, methods in api.get("/api/v1/openapi.json").json()["paths"].items()
        for method, one in methods.items()
        if "{session}" in path
        and method != "get"
        and "Idempotency-Key" not in [parameter["name"] for parameter in one["parameters"]]
    }
    assert without == same_twice | takes_none
