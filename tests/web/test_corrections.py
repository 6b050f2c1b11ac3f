"""A sentence that was misheard is corrected over HTTP, and the room shows what came of it."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from orchestrator.material.values import LiveSegment
from tests.web.test_microphone import room

PATH = "/api/v1/sessions/one/segments"


def test_a_correction_stands_in_the_room(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path) as (client, _, session):
        session.hear(LiveSegment("Good morning."))
        session.hear(LiveSegment("Fan mark pays.", doubt="confidence"))
        assert _captions(client)[1] == (2, "Fan mark pays.", "confidence", None)
        told = client.put(f"{PATH}/2", json={"text": "Fennmark pays."})
        assert told.json() == {"segment": 2, "text": "Fennmark pays.", "misheard": "Fan mark pays."}
        assert _captions(client)[1] == (2, "Fennmark pays.", None, "Fan mark pays.")


def test_asked_twice_by_one_key_it_counts_once(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path) as (client, _, session):
        session.hear(LiveSegment("Fan mark pays."))
        for _ in range(2):
            told = client.put(f"{PATH}/1", json={"text": "Fennmark."}, headers={"idempotency-key": "k1"})
            assert told.json() == {"segment": 1, "text": "Fennmark.", "misheard": "Fan mark pays."}
        assert session.read("shared/presenter-transcript.md").count("corrected by") == 1


def test_what_is_not_there_is_refused_in_words(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path) as (client, _, session):
        refused = client.put(f"{PATH}/1", json={"text": "Yes."})
        assert (refused.status_code, refused.json()["detail"]) == (
            422,
            "there is no segment 1: nothing was said yet",
        )
        session.hear(LiveSegment("Fan mark pays."))
        session.end()
        assert client.put(f"{PATH}/1", json={"text": "Yes."}).status_code == 409


def test_the_room_says_of_which_words_a_verdict_stands_already(home: Path, tmp_path: Path) -> None:
    with room(home, tmp_path) as (client, _, session):
        session.hear(LiveSegment("Good morning."))
        session.put("skeptic", "Is it audited?")
        session.hear(LiveSegment("It is", session.projection.put_at_s))
        session.answer_done()
        session.put("analyst", "By whom?")
        session.answer_and_judge("By two firms.")
        session.hear(LiveSegment("So much for that."))
        shown = client.get("/api/v1/sessions/one/room").json()["captions"]
        assert [(one["text"], one["is_judged"]) for one in shown] == [
            ("Good morning.", False),
            ("It is", True),
            ("By two firms.", True),
            ("So much for that.", False),
        ]


def _captions(client: TestClient) -> list[tuple[int, str, str | None, str | None]]:
    shown = client.get("/api/v1/sessions/one/room").json()["captions"]
    return [(one["number"], one["text"], one["doubt"], one["misheard"]) for one in shown]
