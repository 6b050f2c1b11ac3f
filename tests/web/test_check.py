"""A deck that is checked, and one that is prepared for, without a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.web.site import Site
from tests.helpers.commands import Commands
from tests.helpers.messages_server import MessagesServer

DEMO = Path(__file__).resolve().parents[2] / "orchestrator" / "rehearsal" / "demo"


def test_a_check_answers_as_the_command_does(
    api: TestClient, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    deck, speech = DEMO / "deck.md", DEMO / "speech.vtt"
    sent = {"deck": (deck.name, deck.read_bytes()), "speech": (speech.name, speech.read_bytes())}
    answer = api.post("/api/v1/check", files=sent).json()
    said = Commands(site.own.root, capsys).json("check", str(deck), "--speech", str(speech))
    assert answer == {**said, "notices": [one["note"] for one in said["notices"]]}
    assert answer["tensions"]


def test_a_dossier_answers_as_the_command_does(
    api: TestClient, site: Site, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    deck, board, news = DEMO / "deck.md", tmp_path / "board.yaml", tmp_path / "news.md"
    board.write_text("- name: Ruth Alvarez\n  interests: [cash]\n")
    news.write_text("# Churn\n\nChurn in the sector was 9% in 2026.\n")
    sent = {"deck": deck, "board": board, "intel": news}
    answer = api.post(
        "/api/v1/dossier",
        files={name: (path.name, path.read_bytes()) for name, path in sent.items()},
        data={"focus": ["cash"]},
    ).json()
    assert answer.pop("notices") == []
    options = ["--board", str(board), "--intel", str(news), "--focus", "cash"]
    assert answer == Commands(site.own.root, capsys).json("dossier", str(deck), *options)


@pytest.mark.parametrize(
    ("files", "form", "detail"),
    [
        ({"deck": ("a.md", b"")}, {}, "a.md is empty"),
        ({"deck": ("a.md", b"# A\n\n- B\n")}, {"engine": "scripted"}, "engine: "),
        ({"deck": ("a.md", b"# A\n\n- B\n")}, {"kind": "poem"}, ""),
        ({"deck": ("a.md", b"# A\n\n- B\n"), "speech": ("s.vtt", b"\0")}, {}, "s.vtt"),
    ],
)
def test_what_cannot_be_read_is_named_as_it_was_sent(
    api: TestClient, files: dict[str, tuple[str, bytes]], form: dict[str, str], detail: str
) -> None:
    answer = api.post("/api/v1/check", files=files, data=form)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(detail)


@pytest.mark.parametrize("address", ["check", "dossier"])
def test_a_model_that_cannot_be_asked_is_named_in_a_field_beside_what_needs_none(
    api: TestClient, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    deck = DEMO / "deck.md"
    sent = {"deck": (deck.name, deck.read_bytes())}
    alone = api.post(f"/api/v1/{address}", files=sent, data={"engine": "offline"}).json()
    assert alone["failed"] is None
    with MessagesServer() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
        answer = api.post(f"/api/v1/{address}", files=sent, data={"engine": "claude"})
    assert answer.status_code == 200
    failed = f"{server.url.removeprefix('http://')} refused the key: check ANTHROPIC_API_KEY"
    assert {**answer.json(), "notices": []} == {**alone, "failed": failed, "notices": []}
