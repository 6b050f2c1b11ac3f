"""A small server that speaks `/v1/embeddings`, on loopback, for tests: it can also lie, fail and stall.

Its vectors are counts of words of a few themes, so two texts are near where they speak of the same
theme in other words: which is what embeddings are for, and no full-text index can see.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

THEMES = (
    "churn leaving cancel customers depart",
    "runway cash money lasts funds",
    "growth increase grew more rising",
    "delay late postponed slipped",
)


def vector_of(text: str) -> list[float]:
    words = text.lower().replace(".", " ").split()
    return [0.1 + sum(word in theme.split() for word in words) for theme in THEMES]


class EmbeddingsServer:
    """Answers until it is closed. `answer` makes the reply's status and body from the request's."""

    def __init__(self, answer: Callable[[dict[str, Any]], tuple[int, Any]] | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answer = answer or right_answer
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                plain = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(plain)
                server.headers.append({key.lower(): value for key, value in self.headers.items()})
                server.paths.append(self.path)
                status, body = server.answer(plain)
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def right_answer(plain: dict[str, Any]) -> tuple[int, Any]:
    texts: Sequence[str] = plain["input"]
    items = [
        {"object": "embedding", "index": n, "embedding": vector_of(text)} for n, text in enumerate(texts)
    ]
    return 200, {"object": "list", "model": plain["model"], "data": items[::-1]}
