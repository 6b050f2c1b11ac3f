"""Sessions over HTTP: the same documents as the command line's, and the same refusals."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from orchestrator.web.site import Site
from tests.helpers.commands import Commands


@pytest.fixture
def ended(api: TestClient, session: str) -> str:
    assert api.post(f"/api/v1/sessions/{session}/end", json={}).status_code == 200
    return session


@pytest.mark.parametrize(
    ("address", "command"),
    [
        ("/api/v1/sessions", ["list"]),
        ("/api/v1/sessions?search=Saltmere", ["list", "--search", "Saltmere"]),
        ("/api/v1/sessions?search=nobody-said-this", ["list", "--search", "nobody-said-this"]),
        ("/api/v1/sessions?archive=true", ["list", "--archive", "{archives}"]),
        ("/api/v1/sessions/s1", ["show", "s1"]),
        ("/api/v1/sessions/s1?trace=true", ["show", "s1", "--trace"]),
        ("/api/v1/sessions/s1/verify", ["verify", "s1"]),
        ("/api/v1/sessions/s1/recap", ["recap", "s1"]),
        ("/api/v1/sessions/s1/intel", ["intel", "s1"]),
        ("/api/v1/sessions/s1/debrief", ["debrief", "s1", "--format", "json"]),
        (
            "/api/v1/sessions/s1/contexts/skeptic?as=messages",
            ["context", "s1", "skeptic", "--as", "messages"],
        ),
        ("/api/v1/sessions/s1/contexts/skeptic?as=receipt", ["context", "s1", "skeptic", "--as", "receipt"]),
    ],
)
def test_an_address_answers_as_the_command_does(
    api: TestClient,
    site: Site,
    ended: str,
    capsys: pytest.CaptureFixture[str],
    address: str,
    command: list[str],
) -> None:
    named = [word.replace("{archives}", site.archives) for word in command]
    assert api.get(address).json() == Commands(site.own.root, capsys).json(*named)


def test_the_debrief_as_markdown_is_the_file(api: TestClient, site: Site, ended: str) -> None:
    answer = api.get(f"/api/v1/sessions/{ended}/debrief", params={"format": "md"})
    assert answer.headers["content-type"].startswith("text/markdown")
    assert answer.text == (site.own.sessions / ended / "debrief.md").read_text("utf-8")


def test_a_head_that_was_kept_elsewhere_proves_no_roll_back(api: TestClient, ended: str) -> None:
    verify = f"/api/v1/sessions/{ended}/verify"
    head = api.get(verify).json()["ledger_head"]
    assert api.get(verify, params={"head": head[:8]}).json()["valid"] is True
    assert api.get(verify, params={"head": "0" * 64}).json()["valid"] is False


def test_news_comes_as_files(api: TestClient, session: str) -> None:
    news = {"files": ("news.md", b"# Churn\n\nChurn in the sector was 9% in 2026.\n")}
    address = f"/api/v1/sessions/{session}/intel"
    before = api.get(address).json()["revision"]
    known = api.post(address, files=news).json()
    assert (known["revision"], [one["source"] for one in known["items"]]) == (before + 1, ["news.md"])


def test_a_broken_file_is_named_as_it_was_sent(api: TestClient, session: str) -> None:
    answer = api.post(f"/api/v1/sessions/{session}/intel", files={"files": ("../a/news.yaml", b"- bad: x\n")})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("news.yaml, line 1: unknown key 'bad'")


def test_a_dismissed_contradiction_is_gone(api: TestClient, session: str) -> None:
    address = f"/api/v1/sessions/{session}"
    before = [one["id"] for one in api.get(address).json()["tensions"]]
    answer = api.post(f"{address}/dismiss", json={"finding": before[0]})
    assert answer.json() == {"state": "active", "finding": before[0]}
    assert [one["id"] for one in api.get(address).json()["tensions"]] == before[1:]
    assert api.post(f"{address}/dismiss", json={"finding": "c99"}).status_code == 422


def test_a_session_that_was_left_is_repaired(api: TestClient, session: str) -> None:
    assert api.post(f"/api/v1/sessions/{session}/resume").json() == {"state": "active", "repaired": []}


def test_an_ended_session_is_archived_once_more_elsewhere(
    api: TestClient, ended: str, tmp_path: object
) -> None:
    done = api.post(f"/api/v1/sessions/{ended}/archive", json={"to": f"{tmp_path}/else"}).json()
    assert done["archive"] == f"{tmp_path}/else/{ended}"
    assert done["objects"] == done["sent"]


@pytest.mark.parametrize(
    ("method", "rest", "body"),
    [("POST", "/archive", {}), ("POST", "/intel/search", {}), ("POST", "/archive", {"to": "/nowhere"})],
)
def test_what_the_state_forbids_is_a_conflict(
    api: TestClient, session: str, method: str, rest: str, body: dict[str, str]
) -> None:
    assert api.request(method, f"/api/v1/sessions/{session}{rest}", json=body).status_code == 409


def test_an_ended_session_has_nothing_to_go_on_with(api: TestClient, ended: str) -> None:
    assert api.post(f"/api/v1/sessions/{ended}/resume").status_code == 409


def test_erasing_lists_the_archives_or_removes_them_too(api: TestClient, site: Site, ended: str) -> None:
    address, root = f"/api/v1/sessions/{ended}", site.own.sessions / ended
    erased = api.delete(address).json()
    assert erased["removed"] == [str(root)]
    assert erased["archives"] == [f"{site.archives}/{ended}"]
    assert not root.exists()
    assert api.get(address).status_code == 404
    refused = api.delete(address)
    assert refused.status_code == 409
    assert str(site.own.root) not in refused.text
    assert api.delete(address, params={"archives": True}).json()["archives"] == []
    assert api.delete(address).status_code == 404


def test_a_session_under_way_here_is_not_erased(api: TestClient, session: str) -> None:
    api.post(f"/api/v1/sessions/{session}/drive")
    assert api.delete(f"/api/v1/sessions/{session}").json()["code"] == "driver_busy"
    api.post(f"/api/v1/sessions/{session}/pause")
    assert api.delete(f"/api/v1/sessions/{session}").status_code == 200
