"""/api/v1/health/ready: 200 where the server can do its work, 503 with the reason where it cannot."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.core.errors import ReplicaAwayError
from orchestrator.panel.home import Home
from orchestrator.web import readiness as module
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.readiness import Readiness, Ready, ReadyCheck
from orchestrator.web.server import application
from orchestrator.web.site import Site

PATH = "/api/v1/health/ready"
SECRET = "not-to-be-seen"


def site_of(home: Path, token: str | None = None) -> Site:
    opened = Home.open(home)
    hosts = frozenset({"testserver"})
    return Site(opened, str(opened.archives), OpenSessions(opened), hosts=hosts, token=token)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_S", 0.0)


def test_a_server_whose_home_takes_bytes_is_ready(home: Path) -> None:
    with TestClient(application(site_of(home))) as client:
        answer = client.get(PATH)
    assert (answer.status_code, answer.json()) == (
        200,
        {"status": "ready", "checks": [{"name": "home", "is_ready": True}]},
    )


def test_a_home_that_takes_none_makes_it_not_ready_and_alive(home: Path) -> None:
    with TestClient(application(site_of(home))) as client:
        shutil.rmtree(home)
        answer = client.get(PATH)
        alive = client.get("/api/v1/health").status_code
    assert (answer.status_code, alive) == (503, 200)
    (check,) = answer.json()["checks"]
    assert (check["name"], check["is_ready"]) == ("home", False)
    assert "no such file" in check["detail"]


def test_who_has_no_token_gets_the_answer_without_the_reasons(home: Path) -> None:
    site = site_of(home, token="t")
    site.readiness.checks.append(ReadyCheck("log", lambda: SECRET))
    with TestClient(application(site)) as client:
        refused = client.get("/api/v1/sessions").status_code
        answer = client.get(PATH)
        probed = client.get(PATH, headers={"host": ""}).status_code
        told = client.get(PATH, headers={"authorization": "Bearer t"}).json()
    assert (refused, answer.status_code, probed) == (401, 503, 503)
    assert SECRET not in answer.text
    assert answer.json()["checks"][1] == {"name": "log", "is_ready": False}
    assert told["checks"][1]["detail"] == SECRET


def test_a_server_that_ends_takes_nothing_new(home: Path) -> None:
    site = site_of(home)
    with TestClient(application(site)) as client:
        site.readiness.draining.set()
        answer = client.get(PATH)
    assert answer.status_code == 503
    assert answer.json()["checks"][0]["name"] == "draining"


def _away() -> str | None:
    raise ReplicaAwayError("the servers do not answer: look at them")


def _broken() -> str | None:
    raise KeyError(SECRET)


def _refused() -> str | None:
    raise PermissionError(13, "Permission denied", SECRET)


def test_a_check_that_fails_in_any_way_is_a_fault_with_its_reason() -> None:
    checks = [ReadyCheck("a", _away), ReadyCheck("b", _broken), ReadyCheck("c", _refused)]
    found = asyncio.run(Readiness(checks).read())
    assert found == Ready(
        (
            ("a", "the servers do not answer: look at them"),
            ("b", "it could not be looked at (KeyError)"),
            ("c", "permission denied"),
        )
    )
    assert not found.is_ready


def test_a_check_that_hangs_is_told_and_begun_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WITHIN_S", 0.1)
    ends, begun = threading.Event(), []

    def hang() -> str | None:
        begun.append(1)
        ends.wait(30)
        return None

    readiness = Readiness([ReadyCheck("home", hang)])
    try:
        found = [asyncio.run(readiness.read()) for _ in range(3)]
    finally:
        ends.set()
    assert {one.faults[0][0] for one in found} == {"checks"}
    assert len(begun) == 1


def test_many_who_ask_within_a_second_cost_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_S", 60.0)
    looks: list[int] = []

    def look() -> str | None:
        looks.append(1)
        return None

    readiness = Readiness([ReadyCheck("home", look)])

    async def ask() -> list[Ready]:
        return await asyncio.gather(*(readiness.read() for _ in range(20)))

    assert {one.is_ready for one in asyncio.run(ask()) + asyncio.run(ask())} == {True}
    assert len(looks) == 1
