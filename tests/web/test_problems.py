"""Whatever goes wrong is one problem document: no traceback, and no place of the server's disk."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from orchestrator.core import errors
from orchestrator.core.errors import GreenroomError
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.problems import status_of
from orchestrator.web.server import application
from orchestrator.web.site import Site

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("GET", "/nowhere", b"", {}, 404),
        ("GET", "/api/v1/nowhere", b"", {}, 404),
        ("GET", "/api/v1/sessions/none", b"", {}, 404),
        ("PUT", "/api/v1/health", b"", {}, 405),
        ("OPTIONS", "/api/v1/health", b"", {"origin": "http://evil.example"}, 403),
        ("TRACE", "/api/v1/health", b"", {}, 405),
        ("BREW", "/api/v1/health", b"", {}, 405),
        ("POST", "/api/v1/goals", b'{"text": ', JSON, 400),
        ("POST", "/api/v1/goals", b"", JSON, 422),
        ("POST", "/api/v1/goals", b"[]", JSON, 422),
        ("POST", "/api/v1/goals", b'{"text": 1}', JSON, 422),
        ("POST", "/api/v1/goals", b'{"text": "\\ud800", "\\ud801": 1}', JSON, 422),
        ("POST", "/api/v1/goals", b'{"text": "x"}', {"content-type": "text/plain"}, 415),
        ("POST", "/api/v1/goals", b'{"text": "x"}', {}, 415),
        ("POST", "/api/v1/goals", b"text=x", {"content-type": "application/x-www-form-urlencoded"}, 415),
        ("POST", "/api/v1/decks", b"--x", {"content-type": "multipart/form-data"}, 400),
        ("POST", "/api/v1/decks", b"--x--", {"content-type": "multipart/form-data; boundary=x"}, 422),
    ],
)
def test_a_request_that_cannot_be_meant_gets_a_problem(
    api: TestClient, method: str, path: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    answer = api.request(method, path, content=body, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    problem = answer.json()
    assert problem["status"] == status
    assert problem["detail"]
    assert "access-control-allow-origin" not in answer.headers


def test_a_person_reads_a_command_without_the_marks_around_it(site: Site) -> None:
    archives = Site(None, site.archives, OpenSessions(None))
    with TestClient(application(archives), base_url="http://127.0.0.1") as client:
        told = client.get("/new").json()["detail"]
        page = client.get("/new", headers={"accept": "text/html"})
    assert "`greenroom serve`" in told
    assert page.status_code == 409
    assert "This server shows archives alone: greenroom serve opens a home as well." in page.text


def test_head_is_get_without_a_body_also_of_a_stream(api: TestClient, session: str) -> None:
    for path in (
        "/",
        "/static/style.css",
        f"/api/v1/sessions/{session}",
        f"/api/v1/sessions/{session}/records",
    ):
        answer = api.head(path)
        assert (answer.status_code, answer.content) == (200, b"")
    assert api.head("/api/v1/nowhere").status_code == 404


def test_a_damaged_session_is_told_without_its_place(api: TestClient, site: Site, session: str) -> None:
    site.sessions.forget(session)
    ledger = site.own.sessions / session / "ledger" / "ledger.jsonl"
    ledger.write_bytes(b"x" + ledger.read_bytes()[1:])
    answer = api.get(f"/api/v1/sessions/{session}")
    assert (answer.status_code, answer.json()["code"]) == (500, "ledger_corrupt")
    assert f"sessions/{session}/ledger/ledger.jsonl" in answer.json()["detail"]
    assert str(site.own.root) not in answer.text


def test_an_error_that_nobody_foresaw_tells_nothing_of_itself(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from orchestrator.web.server import application

    def broken(session: str) -> None:
        raise RuntimeError("what the presenter said")

    monkeypatch.setattr(site.sessions, "get_any", broken)
    with TestClient(application(site), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        answer = client.get("/api/v1/sessions/s1")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "said" not in answer.text


def test_only_faults_of_the_server_itself_are_told_as_such() -> None:
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GreenroomError)
    ]
    own = {kind.__name__ for kind in kinds if status_of(kind("x")) == 500}
    told = {"GreenroomError", "PersonaError", "LedgerCorruptError", "InstallationError", "OutputError"}
    assert own == told


@pytest.mark.parametrize("kind", [errors.SupersededError, errors.ReplicaAwayError, errors.ReplicaBehindError])
def test_what_a_log_refuses_for_the_moment_may_be_asked_again(
    kind: type[GreenroomError], api: TestClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no fault of the request: a page and a program send it again."""

    def refused(*_: object) -> None:
        raise kind("s1: ask again")

    monkeypatch.setattr(site.sessions, "get_any", refused)
    answer = api.get("/api/v1/sessions/s1")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


def test_a_server_with_no_file_left_to_open_says_what_to_do(
    api: TestClient, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Rehearsal, "hear", full)
    answer = api.post(f"/api/v1/sessions/{session}/segments", json={"text": "We grow."})
    told = (
        "the server has as many files open as it may: end sessions, or "
        "raise the limit (`ulimit -n`) and start it again"
    )
    assert (answer.status_code, answer.json()["detail"]) == (500, told)


def test_a_server_takes_as_many_open_files_as_it_may_have() -> None:
    looked = (
        "import resource as r; from orchestrator.web.server import allow_open_files; "
        "r.setrlimit(r.RLIMIT_NOFILE, (64, 3000)); allow_open_files(); print(r.getrlimit(r.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", looked], capture_output=True, text=True, check=True)
    assert done.stdout == "(3000, 3000)\n"
