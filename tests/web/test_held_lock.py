"""A session whose lock another process holds: it alone is refused, and nothing of the server stands still."""

from __future__ import annotations

import asyncio
import fcntl
import inspect
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.core.errors import SessionBusyError
from orchestrator.core.store import waiting
from orchestrator.material.speech.stream import LiveSegment
from orchestrator.panel.home import Home
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web import open_sessions
from orchestrator.web.drives import Drives
from orchestrator.web.open_sessions import PLACES, OpenSessions, SessionThreads, Work
from orchestrator.web.server import API, PAGES
from orchestrator.web.site import Site
from tests.helpers.live_feeds import until
from tests.helpers.rehearsals import DECK
from tests.web.conftest import Served

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "rb")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(session: Path) -> Iterator[None]:
    """Another process holds the session's lock while the block lasts."""
    command = [sys.executable, "-c", HOLD, str(session / "ledger" / "ledger.jsonl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "held\n"
            yield
        finally:
            holder.stdin.close()
            holder.wait()


@contextmanager
def held_here(session: Rehearsal) -> Iterator[None]:
    """The session's lock is held, by a descriptor of the test's own."""
    fd = os.open(session.path / "ledger" / "ledger.jsonl", os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@pytest.mark.slow  # waits for a lock as long as a client would
def test_forty_requests_for_a_held_session_are_refused_and_all_others_answered(
    serve: Callable[..., Served],
) -> None:
    served = serve()
    with served.client() as client:
        for name in ("held", "free"):
            assert client.post("/api/v1/sessions", json={"sample": True, "id": name}).status_code == 201
        with held_elsewhere(served.home / "sessions" / "held"), ThreadPoolExecutor(40) as pool:

            def ask(number: int) -> tuple[int, str | None, str]:
                with served.client() as own:
                    answer = own.post("/api/v1/sessions/held/segments", json={"text": f"Word {number}."})
                return answer.status_code, answer.headers.get("retry-after"), answer.json()["code"]

            asked = [pool.submit(ask, number) for number in range(40)]
            others = []
            while not all(one.done() for one in asked):  # all that time the others are answered
                others += [
                    client.get("/api/v1/health").status_code,
                    client.get("/static/style.css").status_code,
                    client.get("/api/v1/sessions/held/room").status_code,
                    client.post("/api/v1/sessions/free/segments", json={"text": "We grow."}).status_code,
                ]
            refused = {one.result() for one in asked}
        assert refused == {(503, "1", "session_busy")}
        assert set(others) == {200}
        assert len(others) >= 8
        assert client.get("/api/v1/sessions/held/room").json()["captions"] == []
        again = client.post("/api/v1/sessions/held/segments", json={"text": "Now it is free."})
        assert (again.status_code, again.json()) == (200, {"segments": 1})


def test_no_more_threads_work_on_one_session_than_it_has_places_and_others_find_theirs() -> None:
    """Whoever waits does so in the event loop; a write that was refused refuses those that waited with it."""
    free, working = threading.Event(), threading.Semaphore(0)

    def stuck() -> None:
        working.release()
        free.wait()
        raise SessionBusyError("s1: another writer holds this session")

    async def tried() -> tuple[int, str, set[str]]:
        threads = SessionThreads()
        for kind in Work:
            asked = [asyncio.create_task(threads.run("s1", kind, stuck)) for _ in range(40)]
            for _ in range(PLACES[kind]):
                await asyncio.to_thread(working.acquire)
            await asyncio.sleep(0)
            began = PLACES[kind] + working._value
            other = await threads.run("s2", kind, lambda: "answered")
            if kind is Work.WRITE:
                free.set()
                told = await asyncio.gather(*asked, return_exceptions=True)
                found = began, other, {str(one) for one in told}
                assert threads._lanes == {}
                return found
            for one in asked:
                one.cancel()
            free.set()
            await asyncio.gather(*asked, return_exceptions=True)
            free.clear()
            while working.acquire(blocking=False):
                pass
        raise AssertionError("no write was tried")

    assert asyncio.run(tried()) == (
        PLACES[Work.WRITE],
        "answered",
        {"s1: another writer holds this session"},
    )


def test_every_address_of_a_session_works_in_its_threads() -> None:
    """A plain function would take one of the threads that all sessions share."""
    from importlib import import_module

    sources = [f"api.{name}" for name in API] + [f"pages.{name}" for name in PAGES]
    shared = [
        (source, route.path)
        for source in sources
        for route in import_module(f"orchestrator.web.{source}").router.routes
        if "{session}" in route.path and not inspect.iscoroutinefunction(route.endpoint)
    ]
    assert shared == []


def test_who_drives_waits_for_a_held_lock_until_told_to_stop(home: Path) -> None:
    sessions = OpenSessions(Home.open(home))
    session = Rehearsal.start(Home.open(home), deck_text=DECK, id="s1")
    session.rehearsal.store.timeout_s = 0.0  # what others wait; a drive waits until it is told to stop
    sessions.add(session)
    drives = Drives(sessions)
    try:
        drives.begin("s1")
        until("the opening words", lambda: session.projection.said)
        with held_here(session):
            drives.hears("s1")
            with pytest.raises(SessionBusyError):
                session.hear(LiveSegment("We grow."))
            assert drives.is_driving("s1")
        session.rehearsal.store.timeout_s = 5.0
        session.hear(LiveSegment("We grow."))
        assert drives.is_driving("s1")
        assert drives.broke_off("s1") is None
    finally:
        drives.stop_all()
        sessions.close()


def test_a_thread_that_waits_until_it_is_told_writes_once_the_lock_is_free(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_STOPPING_S", 0.0)
    with Rehearsal.start(Home.open(home), deck_text=DECK, id="s1") as session:
        session.rehearsal.store.timeout_s = 0.0
        told, looks = threading.Event(), threading.Semaphore(0)

        def stopped() -> bool:
            looks.release()
            return told.is_set()

        def heard(text: str) -> int:
            with waiting.waits_until(stopped):
                return session.hear(LiveSegment(text))

        with ThreadPoolExecutor(1) as pool:
            with held_here(session):
                heard_at_last = pool.submit(heard, "We grow.")
                for _ in range(3):
                    looks.acquire()
                assert not heard_at_last.done()
            assert heard_at_last.result() == 1
            with held_here(session):
                told.set()
                with pytest.raises(SessionBusyError, match="try again"):
                    pool.submit(heard, "We shrink.").result()
        assert [one.text for one in session.projection.segments] == ["We grow."]


def test_a_held_session_is_read_verified_and_pushed_out_by_nobody(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_sessions, "MAX_IDLE", 1)
    monkeypatch.setattr("orchestrator.core.verify.verification.LOCK_TIMEOUT_S", 0.0)
    sessions = OpenSessions(Home.open(home))
    held = Rehearsal.start(Home.open(home), deck_text=DECK, id="held")
    sessions.add(held)
    with sessions.using("held"):
        held.context("skeptic")  # its receipt waits for the next record
        with held_here(held):
            assert held.verify().valid
    with held_here(held):
        sessions.add(Rehearsal.start(Home.open(home), deck_text=DECK, id="free"))  # no error of another's
    assert sessions.get("held") is held
    assert len(held.rehearsal.store.waiting_receipts) == 1
    sessions.close()
    with Rehearsal.open(Home.open(home), "held") as again:
        assert [one.agent for one in again.receipts()][-1:] == ["skeptic"]


def test_a_pause_that_cannot_stop_the_clock_is_refused(api: TestClient, site: Site, session: str) -> None:
    assert api.post(f"/api/v1/sessions/{session}/drive").status_code == 200
    found = site.sessions.get(session)
    found.rehearsal.store.timeout_s = 0.0
    with held_here(found):
        refused = api.post(f"/api/v1/sessions/{session}/pause")
    assert (refused.status_code, refused.json()["code"]) == (503, "session_busy")
    assert api.post(f"/api/v1/sessions/{session}/pause").json()["is_running"] is False
