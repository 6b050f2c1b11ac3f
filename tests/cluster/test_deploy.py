"""A deploy: all workers are replaced one by one under load, and nobody in a room loses anything."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from orchestrator.cluster.demo import WORKERS, Stage, staged
from tests.helpers.live_feeds import until

pytestmark = pytest.mark.slow  # eight processes

DRIVEN: Final = 6
WORDS_EVERY_S: Final = 0.4
AGAIN_S: Final = 0.5
"""Seconds until a page sends a request again that got no answer (`RETRY_MS` of static/request.js), and until
it opens its stream again (`RETRY_MS` of web/api/room.py)."""
GOES_WITHIN_S: Final = 60


@dataclass
class Client:
    """One person in a room: words that are sent, and the page's stream; what went wrong in either."""

    address: str
    session: str
    sent: int = 0
    longest_s: float = 0.0  # of a request, with its second try
    pause_s: float = 0.0  # longest time without a stream that has told the room
    breaks: int = 0  # of the stream
    again: int = 0  # requests that were tried twice
    failed: list[str] = field(default_factory=list)

    def ask(self, method: str, path: str, body: object = None, key: str = "") -> tuple[int, Any]:
        connection, headers = self._connection(), self._headers(key)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or b"{}")
        finally:
            connection.close()

    def speak(self, stop: Event) -> None:
        """Say something again and again; what fails is tried once more under its own id."""
        while not stop.wait(WORDS_EVERY_S):
            began, key = monotonic(), uuid4().hex
            words = {"text": f"Sentence number {self.sent + 1} of this talk."}
            path = f"/api/v1/sessions/{self.session}/segments"
            told = self._tried(path, words, key)
            if told is not None:
                self.again += 1
                sleep(AGAIN_S)
                told = self._tried(path, words, key)
            if told is not None:
                self.failed.append(told)
            self.sent += 1
            self.longest_s = max(self.longest_s, monotonic() - began)

    def watch(self, stop: Event) -> None:
        """Follow the room's stream, and open it again where it breaks off."""
        cut_off_at: float | None = None
        while not stop.is_set():
            connection = self._connection()
            try:
                connection.request(
                    "GET", f"/api/v1/sessions/{self.session}/room/events", headers=self._headers()
                )
                reply = connection.getresponse()
                while line := reply.readline():
                    if stop.is_set():
                        return
                    if line.strip() == b"event: room" and cut_off_at is not None:
                        self.pause_s = max(self.pause_s, monotonic() - cut_off_at)
                        cut_off_at = None
            except (OSError, HTTPException):
                pass
            finally:
                connection.close()
            if cut_off_at is None:
                cut_off_at = monotonic()
                self.breaks += 1
            stop.wait(AGAIN_S)

    def _tried(self, path: str, words: object, key: str) -> str | None:
        try:
            status, answer = self.ask("POST", path, words, key)
        except (OSError, HTTPException, ValueError) as error:
            return repr(error)
        return None if status < 300 else f"{status}: {answer.get('detail')}"

    def _connection(self) -> HTTPConnection:
        at = urlsplit(self.address)
        return HTTPConnection(str(at.hostname), at.port, timeout=30)

    def _headers(self, key: str = "") -> dict[str, str]:
        token = parse_qs(urlsplit(self.address).query)["token"][0]
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        return {**headers, "idempotency-key": key} if key else headers


@contextmanager
def busy(clients: list[Client]) -> Iterator[None]:
    """Have everybody speak and watch for the block."""
    stop = Event()
    threads = [Thread(target=work, args=(stop,)) for one in clients for work in (one.speak, one.watch)]
    for one in threads:
        one.start()
    try:
        yield
    finally:
        stop.set()
        for one in threads:
            one.join(GOES_WITHIN_S)


def begun(stage: Stage) -> str:
    """A session on a small deck of its own, driven."""
    deck = "# Plan\n\nRevenue grows by 40 % to 2 million euros.\n"
    body = {"deck_text": deck, "presenter": "Ines", "engine": "offline", "exchanges": 0}
    session = str(stage.ask("POST", "/api/v1/sessions", body)["session"])
    stage.ask("POST", f"/api/v1/sessions/{session}/drive")
    return session


def drained(stage: Stage, name: str) -> None:
    """Let a worker go by the command, and wait for the end of its process."""
    command = [sys.executable, "-m", "orchestrator.cli", "cluster", "drain", name]
    done = subprocess.run(command, env=stage.environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("greenroom:")) == (0, 0), done.stderr
    assert "has handed over" in done.stdout
    assert stage.end(name).wait(GOES_WITHIN_S) == 0


def test_all_workers_are_replaced_and_nobody_loses_a_word() -> None:
    """No request fails that is tried again once; what was driven is driven, and what was paused is paused."""
    with staged() as stage:
        stage.start()
        clients = [Client(stage.address, begun(stage)) for _ in range(DRIVEN)]
        paused = begun(stage)
        stage.ask("POST", f"/api/v1/sessions/{paused}/pause")
        with busy(clients):
            until("words of everybody", lambda: all(one.sent for one in clients))
            for old, new in zip(WORKERS, ("worker-4", "worker-5", "worker-6"), strict=True):
                stage.begin_worker(new)
                until("another worker", partial(stage.is_ready, new))
                if old == "worker-2":
                    drained(stage, old)
                else:
                    assert stage.end(old).wait(GOES_WITHIN_S) == 0
                until("words after it", said_more(clients))
        sys.stdout.write(  # shown with `pytest -s`
            f"\nlongest pause of a page {max(one.pause_s for one in clients):.1f} s, of a request "
            f"{max(one.longest_s for one in clients):.1f} s; {sum(one.sent for one in clients)} requests, "
            f"{sum(one.again for one in clients)} of them tried twice; "
            f"{sum(one.breaks for one in clients)} streams broke off\n"
        )
        assert [one.failed for one in clients] == [[]] * DRIVEN
        assert sum(one.breaks for one in clients) >= DRIVEN  # each was somewhere else in the end
        for one in clients:
            said = [item["text"] for item in viewed(stage, one.session)["captions"]]
            wanted = [f"Sentence number {number} of this talk." for number in range(1, one.sent + 1)]
            assert said == wanted[-len(said) :]
            last = stage.ask("POST", f"/api/v1/sessions/{one.session}/segments", {"text": "That was it."})
            assert last["segments"] == one.sent + 1  # each once
            assert viewed(stage, one.session)["is_driven_here"]
            assert viewed(stage, one.session)["is_running"]
        view = viewed(stage, paused)
        assert (view["is_driven_here"], view["is_running"], view["state"]) == (False, False, "active")


def said_more(clients: list[Client]) -> Callable[[], bool]:
    """Whether everybody has said three sentences more than now."""
    wanted = [one.sent + 3 for one in clients]
    return lambda: all(one.sent >= number for one, number in zip(clients, wanted, strict=True))


def viewed(stage: Stage, session: str) -> dict[str, Any]:
    found: dict[str, Any] | None = None
    with suppress(AssertionError):
        found = until("the room", lambda: stage.view(session))
    assert found is not None
    return found
