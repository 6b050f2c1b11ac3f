"""A server on loopback that answers as a test says: as a proxy that watches, with a redirect, without end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers, and the pieces of a body; without a length it ends with the connection."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Iterable[bytes] = (b"",)


@dataclass
class Loopback:
    """Serves between `__enter__` and `__exit__`; `seen` is what was asked of it, a line each."""

    answer: Callable[[str, str], Answer] = lambda method, target: Answer(502)
    seen: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    sent_bytes: int = 0  # of bodies, that the system took

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that hangs up is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    owner: Loopback

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what was asked is in `seen`."""

    def _serve(self) -> None:
        owner = self.owner
        owner.bodies.append(self.rfile.read(int(self.headers.get("content-length") or 0)))
        owner.seen.append(f"{self.command} {self.path}")
        owner.headers.append({name.lower(): value for name, value in self.headers.items()})
        answer = owner.answer(self.command, self.path)
        with suppress(ConnectionError):
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in answer.body:
                self.wfile.write(piece)
                owner.sent_bytes += len(piece)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_CONNECT = _serve
