"""Serving of a site: bound to loopback unless told otherwise, and in that case only with a token."""

from __future__ import annotations

import asyncio
import ipaddress
import resource
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from threading import Event
from typing import Final

import h11
import uvicorn
from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from orchestrator import __version__
from orchestrator.core.errors import UsageError
from orchestrator.core.outbound.loopback import network_address
from orchestrator.web.access import Door, Way, way, ways_of
from orchestrator.web.addresses import PREFIX, Addresses
from orchestrator.web.description import describe, operation_name
from orchestrator.web.metrics import MEDIA_TYPE, Measured, Routed
from orchestrator.web.metrics import PATH as METRICS
from orchestrator.web.problems import RESPONSES, problem, tell_problems
from orchestrator.web.security import CLOSE, MAX_HEADER_BYTES, Bodies, Security, secured
from orchestrator.web.site import LOOPBACK, Site

# ---------------------------------------------------------------------- app
# The application: every route of the API and of the pages, behind one layer of security.


API: Final[tuple[str, ...]] = (
    "health", "decks", "materials", "starting", "room", "debrief", "speech", "microphone",
    "comments", "sessions", "crews", "contexts", "files", "records", "memories", "dossiers",
)  # fmt: skip
"""Modules of `api/`, whose addresses begin with `PREFIX`."""
PAGES: Final[tuple[str, ...]] = (
    "new", "dossier", "room", "debrief", "review", "review_compare", "review_session", "sign_in",
)  # fmt: skip
"""Modules of `pages/`, whose addresses a person opens."""
STATIC: Final = Path(__file__).parent / "static"


def routers() -> Iterator[tuple[APIRouter, str]]:
    """Yield every router with the prefix of its addresses, in the order in which an address is looked up."""
    for name in API:
        yield import_module(f"orchestrator.web.api.{name}").router, PREFIX
    for name in PAGES:
        yield import_module(f"orchestrator.web.pages.{name}").router, ""


def application(site: Site) -> ASGIApp:
    """Return the ASGI application of *site*; making it reads nothing and starts nothing."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        site.close()

    app = FastAPI(
        title="Greenroom",
        version=__version__,
        summary="Rehearse before a panel that asks what the board will ask; keep the proof.",
        docs_url=None,  # its pages fetch scripts from another host
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
        servers=[{"url": str(site.public).rstrip("/")}] if site.public is not None else None,
        lifespan=lifespan,
        generate_unique_id_function=operation_name,
    )
    describe(app)
    app.state.site = site
    tell_problems(app)
    for router, prefix in routers():
        if prefix:
            app.include_router(router, prefix=prefix, responses=RESPONSES)
        else:
            app.include_router(router, include_in_schema=False)
    app.add_api_route(METRICS, _metrics, include_in_schema=False)
    site.metrics.sources["site"] = site.figures
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    guarded = Security(Door(Bodies(Routed(app)), site, ways()), site)
    return Measured(Addresses(guarded, site.base), site.metrics)


async def _metrics(request: Request) -> Response:
    """Answer Prometheus; `Security` has asked for a token where one is needed."""
    site: Site = request.app.state.site
    return Response(site.metrics.text(), media_type=MEDIA_TYPE)


def ways() -> list[Way]:
    """Return every route of the application, in the order in which it looks at them."""
    known = [way("GET", f"{PREFIX}/openapi.json"), way("GET", METRICS), way("GET", "/static", is_folder=True)]
    return known + [one for router, prefix in routers() for one in ways_of(router, prefix)]


# ---------------------------------------------------------------------- serve


TOKEN_BYTES: Final = 32
HEAD_WITHIN_S: Final = 10.0
"""Maximum seconds for a request's head. It is one packet, which takes some seconds on the worst of
networks."""
IDLE_S: Final = 20
MAX_CONNECTIONS: Final = 400
"""Maximum number of connections; a request beyond it gets 503 and does not queue. A hundred rooms fit,
with a stream and a page each."""
MAX_FRONT_CONNECTIONS: Final = 4_000
"""Maximum number of connections of a front: a thousand rooms have a stream each, and some several pages."""

OPEN_FILES: Final = 10_240
"""Limit of open files that the server asks for: the maximum for a process of macOS, and far above what five
hundred live sessions take. Each keeps its ledger open, and some more while it is driven; each page and stream
is one of its own."""


def serve(site: Site, host: str, port: int, say: Callable[[str, str, str | None], None]) -> None:
    """Serve until Ctrl-C.

    Everybody who can reach a proxy can reach the server behind it, so a public address needs a token as well.

    Args:
        port: The port to listen at; 0 means any free one.
        say: Called once the server answers, with three addresses: the one for a browser (with the token if
            one is needed), the one at which the server listens, and the one for another device, or None.

    Raises:
        UsageError: It is not possible to listen at this address.
    """
    allow_open_files()
    bound = bind(site, host, port)
    say(*bound.addresses)
    with suppress(KeyboardInterrupt):  # the way that a server ends, and no failure
        uvicorn.Server(configuration(application(bound.site))).run(sockets=bound.sockets)


@dataclass(frozen=True, slots=True)
class Bound:
    """The sockets at which a server listens, and its site with the names that they give it."""

    sockets: list[socket.socket]
    site: Site
    listens: str  # the address at which it listens
    address: str  # the address for a browser, without the token

    @property
    def addresses(self) -> tuple[str, str, str | None]:
        """The arguments of `serve`'s *say*."""
        site = self.site
        token = f"?token={site.token}" if site.token is not None else ""
        elsewhere = site.elsewhere + token if site.elsewhere is not None else None
        return self.address + token, self.listens, elsewhere


def bind(site: Site, host: str, port: int) -> Bound:
    """Listen at an address; make the token if one is needed.

    Raises:
        UsageError: It is not possible to listen at this address.
    """
    listening = listen(host, port)
    name = f"[{host}]" if ":" in host else host.lower()
    is_local = is_loopback(host)
    port = listening.getsockname()[1]
    listens = f"http://{name}:{port}/"
    address = listens
    sockets = [listening]
    own = {name, *LOOPBACK}
    if not is_local:
        own.add(socket.gethostname().lower())
        address = f"http://127.0.0.1:{port}/"  # a browser gives a microphone to no other without https
        if is_everywhere(host):
            name = network_address() or socket.gethostname().lower()
        else:
            sockets.append(listen("127.0.0.1", port))
    elsewhere = None if is_local else f"http://{name}:{port}/"
    if site.public is not None:
        address = elsewhere = str(site.public)
    site = replace(site, hosts=frozenset(own), takes_addresses=not is_local, elsewhere=elsewhere)
    if site.gate is not None:
        if site.gate.sign_in is not None and not is_local and site.public is None:
            raise UsageError(
                f"--host {host}: with access.oidc the provider has to know the one address to which people "
                "come back: set `public_url` to it, or listen on loopback"
            )
    elif not is_local or site.public is not None:
        site = replace(site, token=site.token or secrets.token_urlsafe(TOKEN_BYTES))
    return Bound(sockets, site, listens, address)


def configuration(app: ASGIApp, protocol: type[PromptProtocol] | None = None) -> uvicorn.Config:
    """Return how an application is served, with every limit of this server's.

    Args:
        protocol: None: that of one process.
    """
    return uvicorn.Config(
        app,
        log_level="critical",  # a request's line can hold what was searched for
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nothing here asks who the client is, so nobody's word on it is taken
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=3,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        http=protocol or PromptProtocol,
        ws_max_size=1_000_000,
    )


@contextmanager
def until_signalled() -> Iterator[Event]:
    """Yield what SIGTERM and Ctrl-C set within the block, in place of what they did before."""
    stop = Event()
    before = {one: signal.signal(one, lambda *_: stop.set()) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for one, earlier in before.items():
            signal.signal(one, earlier)


def allow_open_files() -> None:
    """Raise this process's limit of open files to `OPEN_FILES`, or as far as its user is allowed to."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class PromptProtocol(H11Protocol):
    """The HTTP protocol with a deadline for a request's head, so that a sender cannot keep a connection by
    sending it byte by byte.

    Beyond `MAX_CONNECTIONS`, a connection on which nobody waits for anything is cut to make room. If there is
    none, the answer is `_busy`, since the library's own answer is plain text.
    """

    max_connections = MAX_CONNECTIONS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        if len(self.connections) >= self.max_connections:
            self._make_room()
        super().connection_made(transport)
        self._set_deadline()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._set_deadline()

    def handle_events(self) -> None:
        most = self.max_connections
        is_full = len(self.connections) > most or len(self.tasks) >= most
        self.app = partial(_busy, most) if is_full else self.config.loaded_app
        super().handle_events()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _make_room(self) -> None:
        """Cut the connection that has been silent for longest, so that 400 silent ones do not keep others
        out.

        A connection is silent if a head is awaited on it, or if its request was answered and no other has
        come.
        """
        silent: list[tuple[float, PromptProtocol]] = []
        for one in self.connections:
            if isinstance(one, PromptProtocol) and (since := one._silent_since()) is not None:
                silent.append((since, one))
        if silent:
            chosen = min(silent, key=itemgetter(0))[1]
            self.connections.discard(chosen)  # now: of many that come together, each needs a place
            chosen.transport.abort()

    def _silent_since(self) -> float | None:
        """Return the event loop's time since which the connection is silent, or None if somebody waits for
        an answer."""
        if self._deadline is not None:
            return self._deadline.when() - HEAD_WITHIN_S
        answered = self.timeout_keep_alive_task
        return answered.when() - IDLE_S if answered is not None else None

    def _set_deadline(self) -> None:
        """Set the deadline while a head is awaited, from its first byte or from the beginning of the
        connection."""
        is_awaited = self.conn.their_state is h11.IDLE
        if is_awaited and self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_WITHIN_S, self.transport.close)
        elif not is_awaited and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class FrontProtocol(PromptProtocol):
    """The protocol of a front, behind which many processes work."""

    max_connections = MAX_FRONT_CONNECTIONS


async def _busy(most: int, scope: Scope, receive: Receive, send: Send) -> None:
    told = f"{most} connections are open, and that is all there may be: ask again in some seconds"
    answer = problem(HTTPStatus.SERVICE_UNAVAILABLE, told, code="service_unavailable")
    answer.headers.update(CLOSE)
    await answer(scope, receive, secured(send))


def is_loopback(host: str) -> bool:
    """Return whether only programs on this machine can reach *host*."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    """Return whether *host* stands for all addresses of this machine, including loopback."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        UsageError: It is not possible to listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        raise UsageError(
            f"{host}, port {port}: cannot be listened at ({error}): choose another --port"
        ) from error
    return listening
