"""An address for probes and Prometheus alone, for a process of a cluster that browsers never reach.

Health and readiness are open, as on the site itself. The metrics ask for their token past loopback.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from threading import Thread
from typing import Any, Final

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from orchestrator.web import metrics
from orchestrator.web.metrics import Metrics
from orchestrator.web.problems import problem
from orchestrator.web.readiness import Readiness
from orchestrator.web.security import HEALTH, READY, is_same, secured
from orchestrator.web.server import configuration, is_loopback, listen

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
    if is_local if token is None else is_same(shown, token):
        return Response(figures.text(), media_type=metrics.MEDIA_TYPE)
    told = "the metrics need a token: set GREENROOM_METRICS_TOKEN here, and send it as a bearer token"
    refusal = problem(HTTPStatus.UNAUTHORIZED, told, code="unauthorized")
    refusal.headers["www-authenticate"] = "Bearer"
    return refusal


def _json(plain: dict[str, Any], status: int) -> Response:
    return Response(json.dumps(plain), status, media_type="application/json")


@contextmanager
def served(host: str, port: int, readiness: Readiness, figures: Metrics, token: str | None) -> Iterator[int]:
    """Answer probes at an address, in a thread of its own; yield the port.

    Raises:
        UsageError: It is not possible to listen at this address.
    """
    listening = listen(host, port)
    server = uvicorn.Server(configuration(probes(readiness, figures, token, is_local=is_loopback(host))))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, name="probes", daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(_END_WITHIN_S)
        listening.close()
