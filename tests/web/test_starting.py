"""POST /api/v1/sessions: which contradictions are none, and decks that are not here."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from orchestrator.panel.engines.protocol import Watched
from orchestrator.web.site import Site
from orchestrator.web.view import asked_now
from tests.helpers.live_feeds import until
from tests.helpers.messages_server import MessagesServer
from tests.helpers.server_faults import Fault

TWO_WRONG_SUMS = b"""# Costs in 2026

| Site | Costs / EUR million |
|---|---|
| Aldermouth | 3.1 |
| Brackwater | 1.8 |
| Total | 5.4 |

---

# Staff in 2026

| Site | Employees |
|---|---|
| Aldermouth | 310 |
| Brackwater | 180 |
| Total | 520 |
"""


@pytest.mark.parametrize("number", [0, -1, 99])
def test_a_number_that_the_deck_has_not_leaves_no_session(api: TestClient, number: int) -> None:
    answer = api.post("/api/v1/sessions", json={"sample": True, "id": "s1", "dismissed": [1, number]})
    assert answer.status_code == 422
    assert f"{number} is no contradiction of this deck" in answer.json()["detail"]
    assert api.get("/api/v1/sessions").json() == {"sessions": []}


def test_the_numbers_are_those_of_the_deck_as_it_was_shown(api: TestClient) -> None:
    shown = api.post("/api/v1/decks", files={"deck": ("plan.md", TWO_WRONG_SUMS)}).json()
    assert len(shown["tensions"]) == 2
    begun = {"deck": shown["deck"], "presenter": "Dana Whitfield", "remember": True, "dismissed": [1]}
    for name in ("s1", "s2"):  # in the second, memory has dismissed it already, and all others count from c1
        assert api.post("/api/v1/sessions", json={**begun, "id": name}).status_code == 201
        left = api.get(f"/api/v1/sessions/{name}").json()["tensions"]
        assert [one["note"] for one in left] == [one["note"] for one in shown["tensions"][1:]]


def test_questions_of_ones_own_are_read_from_a_file_and_put_as_theirs(api: TestClient) -> None:
    sent = {"name": "feared.yaml", "text": "- {text: 'Who else knows?', slide: 2}\n- Why you?\n"}
    answer = api.post("/api/v1/questions", json=sent)
    assert answer.status_code == 200, answer.text
    read = answer.json()["questions"]
    assert read == [
        {"text": "Who else knows?", "slide": 2, "agent": None},
        {"text": "Why you?", "slide": None, "agent": None},
    ]
    broken = api.post("/api/v1/questions", json={"name": "feared.yaml", "text": "- {word: a}"})
    assert broken.json()["detail"].startswith("feared.yaml, line 1: unknown key 'word':")
    begun = {
        "sample": True,
        "id": "s1",
        "questions": [*read, "slide 3: And <b>who</b> pays?"],
        "exchanges": 3,
    }
    assert api.post("/api/v1/sessions", json=begun).status_code == 201
    room = api.post("/api/v1/sessions/s1/ask", json={}).json()
    question = room["question"]
    assert (question["text"], question["origin"], question["quotes"], question["slides"]) == (
        "Why you?",
        "your own question",
        [],
        [None],
    )
    refused = api.post("/api/v1/sessions", json={"sample": True, "questions": [{"text": "a", "slide": 99}]})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("question 1: there is no slide 99: the deck has 1 to ")


@pytest.mark.parametrize("rest", ["", "/slides/1.png"])
def test_a_deck_that_is_not_here_is_not_found(api: TestClient, rest: str) -> None:
    answer = api.get(f"/api/v1/decks/{'0' * 64}{rest}")
    assert (answer.status_code, answer.json()["title"]) == (404, "Not Found")
    assert "drop it once more" in answer.json()["detail"]
    assert api.post("/api/v1/sessions", json={"deck": "0" * 64}).status_code == 422


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", "socks5://proxy.example:1080"),
        ("ALL_PROXY", "http://[::1"),
        ("SSL_CERT_FILE", "/nowhere/at.pem"),
        ("ANTHROPIC_API_KEY", "s3cret\ns3cret"),
    ],
)
def test_an_environment_that_cannot_be_used_is_a_problem_that_names_the_variable(
    api: TestClient, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    monkeypatch.setenv(name, value)
    answer = api.post("/api/v1/sessions", json={"sample": True, "id": "s1", "engine": "claude"})
    assert (answer.status_code, answer.json()["code"]) == (502, "engine")
    assert answer.json()["detail"].startswith(f"{name} ")
    assert "s3cret" not in answer.text
    assert api.get("/api/v1/sessions").json() == {"sessions": []}


# ---------------------------------------------------------------------- with a model


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesServer]:
    with MessagesServer() as made:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", made.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", made.key)
        monkeypatch.setenv("GREENROOM_RETRIES", "0")
        yield made


def test_a_page_that_waits_for_a_start_sees_what_the_model_is_asked(
    api: TestClient, server: MessagesServer
) -> None:
    server.by_task = {"tensions": Fault("hang")}
    assert api.get("/api/v1/asking").json() == {"asking": None}
    with ThreadPoolExecutor() as aside:
        begun = aside.submit(api.post, "/api/v1/sessions", json={"sample": True, "engine": "claude"})
        until("a call that hangs", lambda: any(one.fault for one in server.requests))
        (said,) = api.get("/api/v1/asking").json().values()
        assert said.startswith("asking moderator: what contradicts what: 0 s so far")
        server.by_task = {}
        server.let_go()
        assert begun.result().status_code == 201
    assert api.get("/api/v1/asking").json() == {"asking": None}


@pytest.mark.parametrize("fault", ["broken", "no_json"])
def test_a_model_that_fails_stops_no_start_and_the_room_says_so(
    api: TestClient, server: MessagesServer, fault: str
) -> None:
    server.always = Fault(fault)
    begun = api.post("/api/v1/sessions", json={"sample": True, "engine": "claude", "id": "s1"})
    assert begun.status_code == 201
    room = api.get("/api/v1/sessions/s1/room").json()
    assert " gave no usable reply to 3 calls (3 times: " in room["took_over"]
    assert room["asking"] is None


def test_what_can_be_put_right_at_once_stops_a_start(
    api: TestClient, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    answer = api.post("/api/v1/sessions", json={"sample": True, "engine": "claude", "id": "s1"})
    assert answer.status_code == 502
    assert answer.json()["detail"].endswith(" refused the key: check ANTHROPIC_API_KEY")
    assert api.get("/api/v1/sessions").json() == {"sessions": []}


def test_the_room_says_what_takes_the_model_long(
    api: TestClient, site: Site, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.web.view.WAITS_S", 0.0)
    api.post("/api/v1/sessions", json={"sample": True, "engine": "claude", "id": "s1"})
    rehearsal = site.sessions.get("s1").rehearsal
    assert asked_now(rehearsal) is None
    assert isinstance(rehearsal.engine, Watched)
    with rehearsal.engine.calls.under_way("skeptic", "judgement"):
        assert api.get("/api/v1/sessions/s1/room").json()["asking"] == "skeptic: whether that was answered"
