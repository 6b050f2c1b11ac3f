"""The API's former addresses: each answers as its successor does, and says which that is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from tests.helpers.recognisers import ToneRecogniser, silence, tone
from tests.web.conftest import Served
from tests.web.test_attacks import addresses, filled
from tests.web.test_microphone import WORDS, room, speak, until_final

DEPRECATED = {"deprecation": "@1795651200"}


def successor(path: str) -> dict[str, str]:
    return {**DEPRECATED, "link": f'<{path}>; rel="successor-version"'}


def test_the_description_names_each_address_once_and_with_its_version(api: TestClient) -> None:
    paths = api.get("/api/v1/openapi.json").json()["paths"]
    assert [path for path in paths if not path.startswith("/api/v1/")] == []
    assert len(set(paths)) == len(paths) > 35


def test_every_former_address_answers_as_its_successor(api: TestClient) -> None:
    """Refusals show the route that answered: a missing session, a missing body, a wrong parameter."""
    asked = 0
    for method, template in addresses(api):
        path = filled(template, session="none", form="md")
        if not path.startswith("/api/v1/") or method == "DELETE" or path == "/api/v1/demo":  # new each time
            continue
        now = api.request(method, path)
        then = api.request(method, path.replace("/api/v1/", "/api/", 1))
        assert (then.status_code, then.content) == (now.status_code, now.content), (method, path)
        assert then.headers.items() >= successor(path).items(), (method, path)
        assert now.headers.keys().isdisjoint(successor(path)), (method, path)
        asked += 1
    assert asked > 40


def test_bodies_and_uploads_arrive_at_former_addresses(api: TestClient) -> None:
    sent = api.post("/api/decks", files={"deck": ("plan.md", b"# Plan\n\n- Revenue grew 18% in 2026\n")})
    assert sent.status_code == 201
    begun = api.post("/api/sessions", json={"deck": sent.json()["deck"], "id": "s1"})
    assert (begun.status_code, begun.headers["link"]) == (201, '</api/v1/sessions>; rel="successor-version"')
    said = api.post("/api/sessions/s1/segments", json={"text": "We grow."})
    assert (said.status_code, said.json()) == (200, {"segments": 1})
    written = {"text": "More.", "by": "transcript"}
    file = "/api/sessions/s1/files/shared/presenter-transcript.md"
    assert api.post(file, json=written).status_code == 200
    assert "More." in api.get(file.replace("/api/", "/api/v1/")).text


def test_a_stream_at_a_former_address_sends_what_is_new(serve: Callable[..., Served]) -> None:
    with serve().client() as client:
        client.post("/api/v1/sessions", json={"sample": True, "id": "s1"})
        with client.stream("GET", "/api/sessions/s1/room/events") as stream:
            assert stream.headers["link"] == '</api/v1/sessions/s1/room/events>; rel="successor-version"'
            assert next(line for line in stream.iter_lines() if line.startswith("event")) == "event: room"


def test_the_microphone_is_heard_at_its_former_address(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path, recogniser=ToneRecogniser(WORDS)) as (client, _, session):
        session.run_clock()
        with client.websocket_connect("ws://localhost/api/sessions/one/microphone") as socket:
            sent = Headers(raw=list(socket.extra_headers or ()))
            assert dict(sent) == successor("/api/v1/sessions/one/microphone")
            speak(socket, silence(0.2) + tone(1.5) + silence(0.8))
            assert until_final(socket)[1] == WORDS[8000]


def test_a_former_address_is_as_closed_as_its_successor(api: TestClient) -> None:
    assert api.get("/api/sessions", headers={"host": "evil.example"}).status_code == 421
    assert api.post("/api/goals", json={}, headers={"origin": "http://evil.example"}).status_code == 403


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v2/sessions", "/api/v1/v1/sessions", "/api/v1"])
def test_what_was_never_an_address_is_none(api: TestClient, path: str) -> None:
    assert api.get(path).status_code == 404


def test_a_session_may_be_called_like_a_version(api: TestClient) -> None:
    api.post("/api/v1/sessions", json={"sample": True, "id": "v1"})
    assert api.get("/api/sessions/v1").json()["session"] == "v1"
    assert api.get("/api/v1/sessions/v1").json()["session"] == "v1"


@pytest.mark.parametrize("path", ["/api/nowhere%3e%0d%0ax-y:%20z", "/api/%3e;%20rel=%22x%22", "/api/ü"])
def test_no_path_writes_a_header_of_its_own(api: TestClient, path: str) -> None:
    answer = api.get(path)
    assert answer.status_code == 404
    assert "x-y" not in answer.headers
    assert answer.headers["link"].count(">") == 1
