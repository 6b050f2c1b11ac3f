"""POST /api/v1/sessions: which contradictions are none, and decks that are not here."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

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
