"""An address for probes and Prometheus alone, for a process of a cluster that browsers never reach.

Health and readiness are open, as on the site itself. The metrics ask for their token past loopback.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from threading import Thread
from typing import Any, Final

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from orchestrator.core.errors import UsageError
from orchestrator.web import metrics
from orchestrator.web.metrics import Metrics
from orchestrator.web.problems import problem
from orchestrator.web.readiness import Readiness
from orchestrator.web.security import HEALTH, READY, secured
from orchestrator.web.server import PromptProtocol, is_loopback, listen

_END_WITHIN_S: Final = 5.0


def probes(readiness: Readiness, figures: Metrics, token: str | None, *, is_local: bool) -> ASGIApp:
    """Return an ASGI application that answers health, readiness and metrics, and nothing else.

    Args:
        token: What Prometheus sends as a bearer token. If None, the metrics are shown on loopback alone.
        is_local: Whether only this machine reaches the address.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            answer = await _answer(scope, readiness, figures, token, is_local=is_local)
            await answer(scope, receive, secured(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})

    return app


async def _answer(
    scope: Scope, readiness: Readiness, figures: Metrics, token: str | None, *, is_local: bool
) -> Response:
    path = scope["path"].rstrip("/")
    if scope["method"] not in ("GET", "HEAD"):
        return problem(HTTPStatus.METHOD_NOT_ALLOWED, "only GET", code="method_not_allowed")
    if path == HEALTH:
        return _json({"status": "ok"}, HTTPStatus.OK)
    if path == READY:
        found = await readiness.read()
        status = HTTPStatus.OK if found.is_ready else HTTPStatus.SERVICE_UNAVAILABLE
        checks = [{"name": name, "is_ready": not fault} for name, fault in found.faults]
        return _json({"status": "ready" if found.is_ready else "not ready", "checks": checks}, status)
    if path != metrics.PATH:
        told = f"here are {HEALTH}, {READY} and {metrics.PATH} alone"
        return problem(HTTPStatus.NOT_FOUND, told, code="not_found")
    shown = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ")
    if (token is None and is_local) or (
        token is not None and secrets.compare_digest(shown.encode(), token.encode())
    ):
        return Response(figures.text(), media_type=metrics.MEDIA_TYPE)
    told = "the metrics need a token: set GREENROOM_METRICS_TOKEN here, and send it as a bearer token"
    refusal = problem(HTTPStatus.UNAUTHORIZED, told, code="unauthorized")
    refusal.headers["www-authenticate"] = "Bearer"
    return refusal


def _json(plain: dict[str, Any], status: int) -> Response:
    return Response(json.dumps(plain), status, media_type="application/json")


@contextmanager
def served(address: str, readiness: Readiness, figures: Metrics, token: str | None) -> Iterator[int]:
    """Answer probes at *address*, HOST:PORT, in a thread of its own; yield the port.

    Raises:
        UsageError: It is no address, or cannot be listened at.
    """
    host, _, text = address.rpartition(":")
    if not host or not text.isascii() or not text.isdigit():
        raise UsageError(f"{address}: must be HOST:PORT, such as 0.0.0.0:8717", value=address)
    host = host.removeprefix("[").removesuffix("]")
    listening = listen(host, int(text))
    app = probes(readiness, figures, token, is_local=is_loopback(host))
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        http=PromptProtocol,
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, name="probes", daemon=True)
    port: int = listening.getsockname()[1]
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(_END_WITHIN_S)
        listening.close()
