"""The front: passes each request to the worker that answers for it, and knows no route of its own.

What a request is about is read from the routes of the web application: the parameter `session` names a
session, which its owner answers for. So a new route is passed on like the others.

Source: cluster.md, "Parts"; RFC 9110, section 9.2.2 (which requests may be repeated).
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from orchestrator.access.gate import gate_of
from orchestrator.cluster.codes import site_token
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.figures import ready_checks
from orchestrator.cluster.log import START_WITHIN_S
from orchestrator.cluster.owners import Owners
from orchestrator.cluster.wire import Body, Outcome, Wire, ask
from orchestrator.core.table import SESSION_ID
from orchestrator.panel.config.cluster import Cluster
from orchestrator.panel.config.public_url import PublicUrl
from orchestrator.panel.home import Home
from orchestrator.web.addresses import routed
from orchestrator.web.metrics import PATH as METRICS
from orchestrator.web.once import HEADER
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.probes import probes
from orchestrator.web.problems import RETRY_AFTER_S, problem
from orchestrator.web.readiness import ReadyCheck
from orchestrator.web.security import HEALTH, READY, secured
from orchestrator.web.server import (
    FrontProtocol,
    allow_open_files,
    bind,
    configuration,
    is_loopback,
    routers,
    until_signalled,
)
from orchestrator.web.site import Site
from orchestrator.web.templating import page

ANSWERED: Final = frozenset({"live", "held"})
"""States of a session that its owner answers for: one that is held is read."""
WITHIN_S: Final = 15.0
"""Seconds within which a request finds the owner of its session (cluster.md: "15 s at most")."""
_LOOK_S: Final = 0.1
_END_WITHIN_S: Final = 5.0
SESSION: Final = "session"
"""The parameter of a route that names the session which it is about."""
KEYS: Final = ("deck", "material")
"""Parameters of what one process may hold in memory, such as a dossier in the making: the same worker is
asked each time, as long as it lives."""
HELD: Final = frozenset({"/example"})
"""Addresses without a parameter that answer from memory."""
OWN: Final = frozenset({HEALTH, READY, METRICS})
"""Addresses that a front answers itself."""
REPEATED: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of requests that may be asked again at any time."""
NOBODY: Final = "no worker is there to answer this: ask again in some seconds"
NO_OWNER: Final = "the worker of this session is gone, and no other has taken it over yet: ask again in some"
ASIDE: Final = (
    "this session was set aside, since it ended its worker more than once; all of it is kept: ask whoever "
    "looks after the server"
)
LOST: Final = (
    "the worker that this was sent to is gone, and nobody knows whether it was done: look, then ask again; "
    f"a request with {HEADER} is asked again by itself"
)


@dataclass(frozen=True, slots=True)
class Place:
    """What a request is about: a session, something that one worker may hold, or neither."""

    session: str | None = None
    key: str | None = None


ANYWHERE: Final = Place()


class Routes:
    """The addresses of the web application, each with what it is about."""

    def __init__(self, base: str = "") -> None:
        """Read every route; *base* is the public path."""
        self._base = base
        self._routes: list[tuple[re.Pattern[str], frozenset[str] | None]] = [
            (compile_path(prefix + route.path)[0], _methods(route))
            for router, prefix in routers()
            for route in router.routes
            if hasattr(route, "path")
        ]
        self._known = lru_cache(4096)(self._place)

    def place(self, scope: Scope) -> Place:
        """Return what a request is about."""
        return self._known(scope.get("method"), scope["path"])

    def _place(self, method: str | None, path: str) -> Place:
        at, _ = routed(path, self._base)
        asked = "GET" if method in ("HEAD", "OPTIONS") else method
        partial: re.Match[str] | None = None
        for pattern, methods in self._routes:
            if (found := pattern.match(at)) is None:
                continue
            if asked is None or methods is None or asked in methods:
                return _about(found, at)
            partial = partial or found  # another method of this address: its route says so
        return _about(partial, at) if partial is not None else ANYWHERE


def _methods(route: object) -> frozenset[str] | None:
    methods = getattr(route, "methods", None)
    return frozenset(methods) if methods else None


def _about(found: re.Match[str], path: str) -> Place:
    values = found.groupdict()
    session = values.get(SESSION)
    if session is not None:
        return Place(session=session) if SESSION_ID.fullmatch(session) else ANYWHERE
    held = next((f"{name} {values[name]}" for name in KEYS if values.get(name)), None)
    return Place(key=held or (path if path in HELD else None))


class Front:
    """The ASGI application of a front. It holds nothing that another front needs."""

    def __init__(
        self,
        owners: Owners,
        wire: Wire,
        base: str = "",
        within_s: float = WITHIN_S,
        own: ASGIApp | None = None,
    ) -> None:
        """Prepare to pass requests on.

        Args:
            base: The public path.
            within_s: Seconds within which a worker must be found.
            own: Answers for this process itself: health, readiness, metrics. None: a worker does.
        """
        self._owners = owners
        self._wire = wire
        self._base = base
        self._within_s = within_s
        self._own = own
        self._routes = Routes(base)
        self._asked: Counter[str] = Counter()  # requests under way, by worker
        owners.on_death.append(wire.break_off)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if self._own is not None and routed(scope["path"], self._base)[0].rstrip("/") in OWN:
            await self._own(scope, receive, send)
            return
        refusal = await self._pass_on(scope, Body(receive), send)
        if refusal is None:
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1013, "reason": "no worker"})
        else:
            await self._refused(scope, refusal)(scope, receive, secured(send))

    async def _pass_on(self, scope: Scope, body: Body, send: Send) -> str | None:
        """Pass a request on; return why that is not possible, or None after it was answered."""
        loop = asyncio.get_running_loop()
        place = self._routes.place(scope)
        held = place
        if place.session is None and place.key is None:
            key = Headers(scope=scope).get(HEADER)
            held = Place(key=key) if key is not None else place  # a start that is repeated finds the first
        may_repeat = _may_repeat(scope)
        silent: set[str] = set()  # who did not answer a moment ago
        until = loop.time() + self._within_s
        while loop.time() < until:
            if place.session is not None and self._is_aside(place.session):
                return ASIDE
            worker, epoch = self._worker(held, silent)
            if worker is None:
                await self._owners.changes(min(_LOOK_S, until - loop.time()))
                continue
            body.again()
            self._asked[worker] += 1
            try:
                about = {"session": place.session, "epoch": epoch} if place.session is not None else {}
                outcome = await ask(self._wire, worker, about, scope, body, send)
            finally:
                self._asked[worker] -= 1
            if outcome is Outcome.ANSWERED:
                return None
            if outcome is Outcome.GONE:
                if not may_repeat or not body.may_repeat:
                    return LOST
                may_repeat = False  # once
            silent.add(worker)
            await self._owners.changes(_LOOK_S)
            if place.session is not None:
                silent.clear()
        if body.refusal:
            return body.refusal
        return NO_OWNER + " seconds" if self._owners.living() else NOBODY

    def _is_aside(self, session: str) -> bool:
        owner = self._owners.owner(session)
        return owner is not None and owner.state == "aside"

    def _worker(self, place: Place, silent: set[str]) -> tuple[str | None, int]:
        """Return the worker for a request, with the epoch of its session (0: none is known)."""
        owners = self._owners
        if place.session is not None:
            owner = owners.owner(place.session)
            if owner is not None and owner.state in ANSWERED and owners.is_living(owner.worker):
                return owner.worker, owner.epoch
            return owners.pick(place.session, silent), 0
        if place.key is not None:
            return owners.pick(place.key, silent), 0
        living = owners.living()
        some = [one for one in living if one.worker not in silent and not one.draining] or living
        least = min(some, key=lambda one: (self._asked[one.worker], one.sessions, one.worker), default=None)
        return (least.worker if least is not None else None), 0

    def _refused(self, scope: Scope, why: str) -> Response:
        headers = Headers(scope=scope)
        at, _ = routed(scope["path"], self._base)
        answer = problem(HTTPStatus.SERVICE_UNAVAILABLE, why, code="service_unavailable")
        if "text/html" in headers.get("accept", "") and not at.startswith("/api/"):
            title = "Nobody is here to answer"
            answer = page("problem.html", 503, title=title, detail=why, has_home=False, base=self._base)
        answer.headers["retry-after"] = str(RETRY_AFTER_S)
        return answer


def _may_repeat(scope: Scope) -> bool:
    """Return whether a request may be asked again although nobody knows what became of it."""
    if scope["type"] == "websocket" or scope["method"] in REPEATED:
        return True
    return HEADER in Headers(scope=scope)


def run(
    home: Home,
    cluster: Cluster,
    host: str,
    port: int,
    public: PublicUrl | None,
    say: Callable[[dict[str, Any], str], None],
) -> None:
    """Be a front until Ctrl-C or SIGTERM.

    Args:
        say: Called with values and a line that says them, once it answers.

    Raises:
        UsageError: It is not possible to listen at this address.
        ReplicaAwayError, NotInstalledError
    """
    allow_open_files()
    connection = Connection.open(cluster, f"front-{socket.gethostname()}-{os.getpid()}")
    try:
        token = connection.run(site_token(connection), timeout_s=2 * START_WITHIN_S)
        gate = gate_of(home.config.access, home.root, os.environ)  # which the workers check
        shown_token = token if gate is None else None
        shown = Site(
            home, str(home.archives), OpenSessions(home), public=public, token=shown_token, gate=gate
        )
        bound = bind(shown, host, port)
        owners, wire = Owners(connection), Wire(connection)
        owners.open()
        connection.run(wire.open())
        site = bound.site
        site.readiness.checks[:] = [
            *ready_checks(connection),
            ReadyCheck("workers", lambda: None if owners.living() else "no worker is there"),
        ]
        metrics_token = os.environ.get("GREENROOM_METRICS_TOKEN") or None
        own = probes(site.readiness, site.metrics, metrics_token, is_local=is_loopback(host))
        front = Front(owners, wire, site.base, own=own)
        server = uvicorn.Server(configuration(front, FrontProtocol))
        address, _, elsewhere = bound.addresses
        if shown_token is not None and "token=" not in address:
            address += f"?token={shown_token}"
        serving = connection.spawn(server.serve(sockets=bound.sockets))
        with until_signalled() as stop:
            try:
                there = f"; on another device {elsewhere}" if elsewhere else ""
                say({"address": address, "elsewhere": elsewhere}, f"open {address} in a browser{there}")
                while not stop.wait(_LOOK_S) and not serving.done():
                    pass
            finally:
                server.should_exit = True
                with suppress(Exception):  # what is still being answered ends with this process
                    serving.result(_END_WITHIN_S)
    finally:
        connection.close()


async def _live(receive: Receive, send: Send) -> None:
    """Answer the server's own messages: a front has nothing to begin and nothing to end."""
    while (await receive())["type"] != "lifespan.shutdown":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})
