"""A person's verdict over HTTP and on the pages, of a session in a home and of an archive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.core.archive.freeze import thaw
from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.homes import new_home
from tests.helpers.reviewed import ended


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    home = Home.open(new_home(tmp_path_factory.mktemp("verdicts") / "home"))
    ended(home, "first", "unjudged")
    yield home
    thaw(home.sessions / "first")


@pytest.fixture(params=["home", "archives alone"])
def client(
    request: pytest.FixtureRequest, made: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = made if request.param == "home" else None
    site = Site(home, str(made.archives), OpenSessions(home))
    with TestClient(application(site), base_url="http://127.0.0.1") as client:
        yield client


def pressed(page: str) -> list[tuple[str, str, str]]:
    """Exchange, turn and verdict of each button that is pressed."""
    groups = re.findall(r'data-exchange="(x\d+)" data-turn="(\d+)">(.*?)</p>', page, re.DOTALL)
    found = []
    for exchange, turn, buttons in groups:
        on = re.findall(r'data-verdict="(\w+)" aria-pressed="true"', buttons)
        found += [(exchange, turn, verdict) for verdict in on]
    return found


def test_a_verdict_is_kept_shown_and_taken_back(client: TestClient) -> None:
    at = "/api/v1/sessions/first/judge"
    given = client.post(at, json={"exchange": "x1", "verdict": "partly", "note": "No year.", "by": "Ola"})
    assert given.status_code == 200, given.text
    said = given.json()
    assert said == {
        "exchange": "x1",
        "turn": 1,
        "verdict": "partly",
        "by": "Ola",
        "at": said["at"],
        "note": "No year.",
    }
    page = client.get("/review/first").text
    assert pressed(page) == [("x1", "1", "partly")]
    assert "gave it in part, says Ola: No year." in page
    exported = client.get("/review/first/export").text
    assert "**Judged:** gave it in part, says Ola: No year." in exported
    redacted = client.get("/review/first/redacted?format=md").text
    assert "says [judge 1]: No year." in redacted
    assert "Ola" not in redacted
    assert client.post(at, json={"exchange": "x1", "verdict": None, "by": "Ola"}).json()["verdict"] is None
    assert pressed(client.get("/review/first").text) == []


def test_what_cannot_be_judged_is_refused(client: TestClient) -> None:
    at = "/api/v1/sessions/first/judge"
    assert client.post(at, json={"exchange": "x9", "verdict": "given"}).status_code == 422
    assert client.post(at, json={"exchange": "x1", "verdict": "good"}).status_code == 422
    missing = client.post("/api/v1/sessions/nowhere/judge", json={"exchange": "x1", "verdict": "given"})
    assert missing.status_code == 404


def test_a_request_by_its_own_id_counts_once_and_the_debrief_shows_it(made: Home) -> None:
    site = Site(made, str(made.archives), OpenSessions(made))
    with TestClient(application(site), base_url="http://127.0.0.1") as client:
        said, key = {"exchange": "x1", "verdict": "given"}, {"Idempotency-Key": "k-1"}
        for _ in range(2):
            done = client.post("/api/v1/sessions/first/judge", json=said, headers=key)
            assert (done.status_code, done.json()["by"]) == (200, "Ines Kroll")
        page = client.get("/debrief/first").text
        assert pressed(page) == [("x1", "1", "given")]
        assert "answered, says Ines Kroll" in page
        assert client.get("/api/v1/sessions/first/debrief").json()["exchanges"][0]["result"] == "satisfied"


def test_an_archive_alone_is_judged_by_a_request_with_its_own_id_as_well(made: Home, tmp_path: Path) -> None:
    home = Home.open(new_home(tmp_path / "another"))
    site = Site(home, str(made.archives), OpenSessions(home))
    with TestClient(application(site), base_url="http://127.0.0.1") as client:
        said, key = {"exchange": "x1", "verdict": "not"}, {"Idempotency-Key": "k-1"}
        done = client.post("/api/v1/sessions/first/judge", json=said, headers=key)
        assert (done.status_code, done.json()["verdict"]) == (200, "not")
        assert pressed(client.get("/review/first").text) == [("x1", "1", "not")]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[tuple[Home, TestClient]]:
    home = Home.open(new_home(tmp_path / "own"))
    ended(home, "s1", "unjudged")
    site = Site(home, str(home.archives), OpenSessions(home))
    with TestClient(application(site), base_url="http://127.0.0.1") as client:
        yield home, client
    thaw(home.sessions / "s1")


def test_every_list_counts_as_the_debrief_does(own: tuple[Home, TestClient]) -> None:
    _, client = own
    pages = ("/", "/review", "/review/s1", "/debrief/s1")
    for verdict, counted in (
        (None, "1 answered, 1 not judged"),
        ("partly", "1 answered, 1 partly answered"),
        ("given", "2 answered"),
        (None, "1 answered, 1 not judged"),
    ):
        client.post("/api/v1/sessions/s1/judge", json={"exchange": "x1", "verdict": verdict})
        for address in pages:
            assert f"2 questions: {counted}" in client.get(address).text, (verdict, address)


def test_the_presenter_is_told_you_and_others_are_named(own: tuple[Home, TestClient]) -> None:
    home, client = own
    at = "/api/v1/sessions/s1/judge"
    client.post(at, json={"exchange": "x1", "verdict": "partly", "note": "no year"})
    page = client.get("/review/s1").text
    assert "gave it in part, you say: no year" in page
    assert 'value="no year"' in page
    guarded = Site(home, str(home.archives), OpenSessions(home), token="secret")
    with TestClient(application(guarded), base_url="http://127.0.0.1") as other:
        page = other.get("/review/s1", headers={"authorization": "Bearer secret"}).text
    assert "gave it in part, says Ines Kroll: no year" in page
    client.post(at, json={"exchange": "x1", "verdict": "given", "by": "Ola"})
    assert "gave it, says Ola" in client.get("/review/s1").text


def test_two_runs_without_a_model_do_not_read_as_clean(own: tuple[Home, TestClient]) -> None:
    home, client = own
    ended(home, "s2", "unjudged")
    page = client.get("/review/compare?a=s1&b=s2").text
    thaw(home.sessions / "s2")
    [row] = re.findall(r'<th scope="row" role="rowheader">Contradictions</th>(.*?)</tr>', page)
    assert re.findall(r"<td [^>]*>(.*?)</td>", row) == ["not looked for, but for sums that fail"] * 2
