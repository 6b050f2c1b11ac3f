"""Programs that use a cluster through its fronts, as pages do: what was refused or lost is asked again.

A write has a key, and is asked again by it at one front after the other until it is acknowledged.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Any, Final

from orchestrator.web.api.contexts import RECEIPT
from orchestrator.web.once import HEADER

TRY_S: Final = 8.0
"""Seconds after which a request without an answer is asked of another front."""
AGAIN_S: Final = 0.3
GIVE_UP_S: Final = 90.0
"""Seconds after which a write counts as refused for good."""
CONTEXT_EVERY: Final = 8
"""Writes of a session between two contexts."""
AGENTS: Final = ("skeptic", "analyst", "contrarian")


class Lost(Exception):
    """No answer came."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a front answered."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def detail(self) -> str:
        """Why it was refused, as it says."""
        try:
            return str(json.loads(self.content)["detail"])
        except (ValueError, KeyError, TypeError):
            return self.content[:80].decode("utf-8", "replace")


class Client:
    """Requests to any of several fronts. Each thread has connections of its own."""

    def __init__(
        self, fronts: Sequence[tuple[str, int]], token: str | None, timeout_s: float = TRY_S
    ) -> None:
        self.fronts = fronts
        self._token = token
        self._timeout_s = timeout_s
        self._own = threading.local()

    def ask(self, front: int, method: str, path: str, body: object = None, key: str | None = None) -> Reply:
        """Ask one front once.

        Raises:
            Lost: No whole answer came.
        """
        connections: dict[int, HTTPConnection] = self._own.__dict__.setdefault("connections", {})
        at = front % len(self.fronts)
        connection = connections.get(at)
        if connection is None:
            host, port = self.fronts[at]
            connection = connections[at] = HTTPConnection(host, port, timeout=self._timeout_s)
        headers = {"content-type": "application/json"}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        if key is not None:
            headers[HEADER] = key
        content = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, f"/api/v1{path}", content, headers)
            answer = connection.getresponse()
            came = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise Lost(type(error).__name__) from error
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, came)

    def close(self) -> None:
        """Close this thread's connections."""
        for one in self._own.__dict__.pop("connections", {}).values():
            one.close()


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A write that was acknowledged, with this machine's monotonic seconds."""

    number: int
    begun_s: float  # when it was first sent
    sent_s: float  # when the request was sent that was acknowledged
    at_s: float
    tries: int


@dataclass(frozen=True, slots=True)
class Given:
    """A context that was given."""

    agent: str
    receipt: str
    digest: str  # of its text


@dataclass
class Told:
    """What failing requests said, by what they wanted; safe to use from many threads."""

    counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, what: str, why: str) -> None:
        """Count one; numbers and names of sessions are left out, so that the same is the same."""
        plain = re.sub(r"\d+(\.\d+)?", "N", re.sub(r"trust-\d+", "SESSION", why))
        with self._lock:
            self.counts[f"{what}: {plain}"[:170]] += 1


class Presenter(threading.Thread):
    """One session's program: it writes regularly, and takes a context now and then."""

    def __init__(
        self, client: Client, session: str, number: int, every_s: float, begin_s: float, told: Told
    ) -> None:
        super().__init__(name=session, daemon=True)
        self._client = client
        self.session = session
        self._number = number
        self._every_s = every_s
        self._begin_s = begin_s
        self._told = told
        self.stop = threading.Event()
        self.acknowledged: list[Acknowledged] = []
        self.contexts: list[Given] = []
        self.given_up: list[int] = []
        self.front = number

    def run(self) -> None:
        """Write until told to stop; what is under way then is still brought to its end."""
        count = 0
        while not self.stop.wait(max(0.0, self._begin_s + count * self._every_s - time.monotonic())):
            self._write(count)
            if count % CONTEXT_EVERY == self._number % CONTEXT_EVERY:
                self._context(AGENTS[count % len(AGENTS)])
            count += 1
        self._client.close()

    def _write(self, count: int) -> None:
        body = {"text": f"The plan goes on as it was said before, {word(self._number, count)}."}
        begun = time.monotonic()
        tries = 0
        while time.monotonic() - begun < GIVE_UP_S:
            tries += 1
            sent = time.monotonic()
            reply = self._ask("POST", "segments", body, f"{self.session}-{count}")
            if reply is not None and reply.status < HTTPStatus.MULTIPLE_CHOICES:
                self.acknowledged.append(Acknowledged(count, begun, sent, time.monotonic(), tries))
                return
            self.front += 1
            time.sleep(AGAIN_S)
        self.given_up.append(count)

    def _context(self, agent: str) -> None:
        reply = self._ask("GET", f"contexts/{agent}")
        if reply is None:
            self.front += 1
        elif reply.status == HTTPStatus.OK and RECEIPT in reply.headers:
            self.contexts.append(Given(agent, reply.headers[RECEIPT], sha256(reply.content).hexdigest()))

    def _ask(self, method: str, what: str, body: object = None, key: str | None = None) -> Reply | None:
        kind = what.partition("/")[0]
        try:
            reply = self._client.ask(self.front, method, f"/sessions/{self.session}/{what}", body, key)
        except Lost as error:
            self._told.add(kind, f"no answer, {error}")
            return None
        if reply.status >= HTTPStatus.BAD_REQUEST:
            self._told.add(kind, f"{reply.status} {reply.detail}")
        return reply


def word(session: int, number: int) -> str:
    """What stands in one write and in no other."""
    return f"marker q{session}m{number}q"


WORD: Final = re.compile(r"marker q(\d+)m(\d+)q")


def insist(
    client: Client,
    front: int,
    method: str,
    path: str,
    body: Any,
    key: str | None,
    told: Told,
    within_s: float,
) -> Reply | None:
    """Ask until the answer is no refusal of the moment; None: none came in time."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        try:
            reply = client.ask(front, method, path, body, key)
        except Lost as error:
            told.add(f"{method} {path.rpartition('/')[2]}", f"no answer, {error}")
        else:
            if reply.status < HTTPStatus.BAD_REQUEST:
                return reply
            told.add(f"{method} {path.rpartition('/')[2]}", f"{reply.status} {reply.detail}")
            if reply.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                return reply
        front += 1
        time.sleep(AGAIN_S)
    return None
