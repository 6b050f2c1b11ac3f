"""The layer that lets a request through to its route, or does not: once for every route, page and stream.

It finds the route and the sessions that the request names, and who asks; `access.people.judged` decides. It
stands between `Security`, which looks at Host, Origin and size, and the routes. Where the setting `access` is
not set it passes everything on.

A session that somebody may not see is answered as one that there is not: by this layer, before the body is
read, with the same bytes but for the id that was asked for.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import parse_qs, quote

import anyio.to_thread
from fastapi import APIRouter
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute, compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.access.audit import Audit
from orchestrator.access.gate import Gate
from orchestrator.access.needs import IN_QUERY, ROUTES, Need
from orchestrator.access.people import NOBODY, Person, Verdict, judged, person_of
from orchestrator.core.errors import GreenroomError
from orchestrator.core.owner import Owner, identity_of
from orchestrator.core.store.application import opening_of
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.table import SESSION_ID
from orchestrator.memory.past_sessions import first_record
from orchestrator.panel.config.access import Access, Proxy
from orchestrator.web.addresses import PREFIX
from orchestrator.web.problems import problem
from orchestrator.web.security import HOST, secrets_in, shows_metrics_token
from orchestrator.web.site import PERSON, Site
from orchestrator.web.templating import SIGNED_IN, page

LOGIN: Final = "login"
"""The purpose of the signed value that says who is signed in, and a part of its cookie's name."""
LOGIN_S: Final = 8 * 3600
"""Seconds for which a sign-in counts: a working day. Nobody is signed out before, but by that person's own
browser, since no server keeps the sign-ins."""
SIGN_IN: Final = "/sign-in"
NO_PAGE: Final = "there is no such page here"
LEFT_OPEN: Final = "`access` is set, and this server was started without it: start it with `greenroom serve`"


class RefusedError(Exception):
    """Who asks cannot be told; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, as the table of needs knows it."""

    route: str  # "GET /review/{session}"; "": no route of ours
    session: str | None  # in the path
    sessions: tuple[str, ...]  # all that it names


class Door:
    """The layer itself."""

    def __init__(self, app: ASGIApp, site: Site, ways: Sequence[Way]) -> None:
        self._app = app
        self._site = site
        self._ways = ways
        self._owners = Owners(site)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gate = self._site.gate
        if scope["type"] == "lifespan" or (gate is None and not self._is_left_open):
            await self._app(scope, receive, send)
            return
        if gate is None:
            left_open = problem(HTTPStatus.SERVICE_UNAVAILABLE, LEFT_OPEN, code="service_unavailable")
            await _refuse(left_open, scope, receive, send)
            return
        headers = Headers(scope=scope)
        if shows_metrics_token(scope, headers, self._site):
            await self._app(scope, receive, send)
            return
        asked = _asked(self._ways, scope)
        person: Person | None = None
        try:
            person = who(gate, self._site, scope, headers)
            answer, person = await self._answer(scope, headers, asked, person)
        except RefusedError as error:
            answer = signed_out(self._site, scope, headers, str(error))
        send = _noted(send, gate.audit, asked, scope, person)
        if answer is None:
            token = SIGNED_IN.set(person)
            try:
                await self._app({**scope, PERSON: person}, receive, send)
            finally:
                SIGNED_IN.reset(token)
        else:
            await _refuse(answer, scope, receive, send)

    @cached_property
    def _is_left_open(self) -> bool:
        """Whether the home says that people sign in, and whoever made this site forgot it."""
        home = self._site.home
        return home is not None and home.config.access is not None

    async def _answer(
        self, scope: Scope, headers: Headers, asked: _Asked, person: Person | None
    ) -> tuple[Response | None, Person | None]:
        """Return the refusal, or None if the request is let through; and as whom."""
        need = ROUTES.get(asked.route) if asked.route else Need.SIGNED_IN
        if not asked.route and person is not None:  # never passed on: a route may be unknown here
            answer = _told(scope, headers, self._site, HTTPStatus.NOT_FOUND, NO_PAGE)
            return answer, person
        if need is None:
            told = f"{asked.route}: this address is in no table of what people may do, so nobody may use it"
            return _told(scope, headers, self._site, HTTPStatus.FORBIDDEN, told), person
        owners: list[Owner | None] = []
        if person is not None and not person.is_keeper:
            for one in asked.sessions:
                owners.append(await anyio.to_thread.run_sync(partial(self._owners.of, one)))
        verdict = judged(need, person, owners)
        if verdict is not Verdict.YES:
            # A device with a pass is nobody, or somebody else: its one window is open to it in any case.
            paired = self._paired(scope, headers, asked)
            if paired is not None:
                return None, paired
        match verdict:
            case Verdict.YES:
                return None, person
            case Verdict.SIGN_IN:
                told = f"sign in at {self._site.base}{SIGN_IN}, or send who you are as a bearer token"
                return signed_out(self._site, scope, headers, told), person
            case Verdict.UNKNOWN:
                hidden = next(
                    name
                    for name, one in zip(asked.sessions, owners, strict=True)
                    if one is None or person is None or not person.sees(one.identity, one.groups)
                )
                told = f"there is no session {hidden[:64]!r} here"
                return _told(
                    scope, headers, self._site, HTTPStatus.NOT_FOUND, told, value=hidden[:64]
                ), person
            case _:
                return _told(scope, headers, self._site, HTTPStatus.FORBIDDEN, _why(need, person)), person

    def _paired(self, scope: Scope, headers: Headers, asked: _Asked) -> Person | None:
        if asked.session is None or scope["type"] != "http":
            return None
        may = self._site.pairings.may
        if any(may(one, scope["method"], scope["path"]) for one in secrets_in(headers, self._site)):
            return Person("", window=asked.session)
        return None


def _why(need: Need, person: Person | None) -> str:
    if person is not None and not person.roles:
        return (
            f"{person.identity} is signed in and has no role here: ask a keeper to name one of your groups "
            "in the setting `access`"
        )
    who_may = {
        Need.KEEPER: "a keeper may do this: ask one",
        Need.OWN: "its own presenter may do this: ask that person, or a keeper",
        Need.PRESENTER: "a presenter may do this: ask a keeper for the role",
    }
    return f"only {who_may.get(need, 'somebody with another role may do this: ask a keeper')}"


# ---------------------------------------------------------------------- who asks


def is_of_proxy(client: Sequence[object] | None, proxy: Proxy) -> bool:
    """Return whether a request comes from the proxy that is trusted.

    Args:
        client: Address and port of who sent it, as the ASGI scope has them; None where there are none.
    """
    if not client:
        return False
    try:
        address = ipaddress.ip_address(str(client[0]).partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return any((mapped or address) in ipaddress.ip_network(one) for one in proxy.addresses)


def who(gate: Gate, site: Site, scope: Scope, headers: Headers) -> Person | None:
    """Return who asks, or None if nobody is signed in.

    Raises:
        RefusedError: The request says who asks in a way that is not accepted.
    """
    proxy = gate.access.proxy
    if proxy is not None:
        given = headers.getlist(proxy.identity)
        if given and not is_of_proxy(scope.get("client"), proxy):
            raise RefusedError(
                f"the header {proxy.identity} is taken from the proxy alone, and this request does not come "
                "from it: open the proxy's address, or name the proxy in access.proxy.addresses"
            )
        if given:
            return _proxied(gate.access, proxy, headers, given)
    for one in (_bearer(headers), *cookies(headers, login_cookie(site, headers))):
        value = gate.seal.open(LOGIN, one) if one else None
        if value is not None:
            return person_of(gate.access, value["identity"], value["name"], value["groups"])
    return None


def _proxied(access: Access, proxy: Proxy, headers: Headers, given: Sequence[str]) -> Person:
    identity = identity_of(given[0]) if len(given) == 1 else ""
    if not identity:
        raise RefusedError(f"the proxy must send one {proxy.identity} that names a person: see its settings")
    groups = (one.strip() for line in headers.getlist(proxy.groups) for one in line.split(","))
    return person_of(access, identity, headers.get(proxy.name, ""), groups)


def _bearer(headers: Headers) -> str:
    kind, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else ""


def cookies(headers: Headers, name: str) -> Iterator[str]:
    """Yield the value of each cookie of this name."""
    for line in headers.getlist("cookie"):
        for one in line.split(";"):
            known, _, value = one.strip().partition("=")
            if known == name:
                yield value


def login_cookie(site: Site, headers: Headers, purpose: str = LOGIN) -> str:
    """Return the name of a signed cookie: another for each port, as `security.cookie_name` explains."""
    public = site.public
    if public is None:
        found = HOST.fullmatch(headers.get("host", "").lower())
        return f"greenroom-{purpose}-{found['port'] or 80}" if found is not None else f"greenroom-{purpose}"
    prefix = "" if not public.is_encrypted else "__Secure-" if public.path else "__Host-"
    return f"{prefix}greenroom-{purpose}-{public.port}"


def set_signed(
    answer: Response, site: Site, headers: Headers, purpose: str, value: str, lasts_s: int
) -> None:
    """Put a signed value into a cookie of the browser that gets *answer*; "" takes it away."""
    answer.set_cookie(
        login_cookie(site, headers, purpose),
        value,
        max_age=lasts_s if value else 0,
        path=site.base or "/",
        secure=site.public is not None and site.public.is_encrypted,
        httponly=True,
        samesite="lax",  # the provider sends the browser back from another site
    )


# ---------------------------------------------------------------------- whose a session is


MAX_OWNERS: Final = 10_000
"""Maximum number of sessions whose owner is remembered; one takes some 300 bytes."""
_START_BYTES: Final = 512
"""Bytes of a ledger by which it is known again: they hold the microsecond in which it was begun."""


class Owners:
    """Whose each session is: by its first record, or, of an archived one, by the catalogue.

    Safe to use from many threads.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = Lock()
        self._known: dict[str, tuple[bytes, Owner]] = {}

    def of(self, session: str) -> Owner | None:
        """Return the owner, `NOBODY` if the session has none or cannot be read, or None if there is no
        session."""
        if not SESSION_ID.fullmatch(session):
            return None
        home = self._site.home
        if home is not None:
            root = home.sessions / session
            start = _start(root / LEDGER_NAME)
            if start is not None:
                known = self._known.get(session)
                if known is not None and known[0] == start:
                    return known[1]
                owner = _owner(root)
                with self._lock:
                    if len(self._known) >= MAX_OWNERS:
                        self._known.clear()
                    self._known[session] = start, owner
                return owner
            if root.exists() or root.is_symlink():
                return NOBODY
        # As far as it is known: to wait for an update would tell by the time which names there are.
        row = self._site.review.catalogue.get(session)
        return None if row is None else Owner(row.entry.owner, tuple(row.entry.groups))


def _owner(root: Path) -> Owner:
    try:
        opening = opening_of(first_record(root))
    except (GreenroomError, OSError):
        return NOBODY
    return Owner(opening.owner, opening.groups)


def _start(path: Path) -> bytes | None:
    try:
        with path.open("rb") as ledger:
            return ledger.read(_START_BYTES)
    except OSError:
        return None


# ---------------------------------------------------------------------- what is asked


@dataclass(frozen=True, slots=True)
class Way:
    """A route of the application, by which the door knows an address."""

    method: str  # "WS" for a WebSocket
    template: str
    address: re.Pattern[str]

    @property
    def key(self) -> str:
        """The route's name in the table of needs."""
        return f"{self.method} {self.template}"


def way(method: str, template: str, *, is_folder: bool = False) -> Way:
    """Return a route by its template, which the framework reads in the same way; of a folder, all in it."""
    return Way(method, template, compile_path(f"{template}/{{path:path}}" if is_folder else template)[0])


def ways_of(router: APIRouter, prefix: str = "") -> list[Way]:
    """Return the routes of one router, in the order in which the framework looks at them."""
    found = []
    for route in router.routes:
        if isinstance(route, Route):
            found += [way(one, prefix + route.path) for one in sorted((route.methods or set()) - {"HEAD"})]
        elif isinstance(route, WebSocketRoute):
            found.append(way("WS", prefix + route.path))
    return found


def _asked(ways: Sequence[Way], scope: Scope) -> _Asked:
    """Return which route a request is for, as the application will choose it, and the sessions in it."""
    method = "WS" if scope["type"] == "websocket" else scope["method"]
    for one in ways:
        if one.method != method or (found := one.address.match(scope["path"])) is None:
            continue
        session = found.groupdict().get("session")
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        others = [value for name in IN_QUERY.get(one.key, ()) for value in query.get(name, [])]
        return _Asked(one.key, session, (*([session] if session is not None else []), *others))
    return _Asked("", None, ())


# ---------------------------------------------------------------------- answers


def signed_out(site: Site, scope: Scope, headers: Headers, told: str) -> Response:
    """Return the answer to somebody who is not signed in: a page to sign in, or 401 for a program."""
    if _wants_page(scope, headers):
        path = scope["path"] if scope["method"] in ("GET", "HEAD") else "/"
        query = f"?to={quote(path, safe='/')}"
        gate = site.gate
        answer: Response = page(
            "sign_in.html",
            HTTPStatus.UNAUTHORIZED,
            has_home=False,
            base=site.base,
            detail=told if gate is None or gate.sign_in is None else "",
            go=f"{site.base}{SIGN_IN}{query}" if gate is not None and gate.sign_in is not None else "",
        )
    else:
        answer = problem(HTTPStatus.UNAUTHORIZED, told, code="unauthorized")
    answer.headers["www-authenticate"] = "Bearer"
    answer.headers["cache-control"] = "no-store"
    return answer


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
    else:
        await answer(scope, receive, send)


def _told(
    scope: Scope, headers: Headers, site: Site, status: HTTPStatus, told: str, *, value: str | None = None
) -> Response:
    if _wants_page(scope, headers):
        title = "Nothing is here" if status == HTTPStatus.NOT_FOUND else "Not for this account"
        return page("problem.html", status, title=title, detail=told, has_home=False, base=site.base)
    code = "session_not_found" if value is not None else status.name.lower()
    return problem(status, told, code=code, value=value)


def _wants_page(scope: Scope, headers: Headers) -> bool:
    is_page = scope["type"] == "http" and not scope["path"].startswith(f"{PREFIX.rpartition('/')[0]}/")
    return is_page and "text/html" in headers.get("accept", "")


def _noted(send: Send, audit: Audit, asked: _Asked, scope: Scope, person: Person | None) -> Send:
    """Wrap *send* so that the answer's status goes into the log, with who asked for what."""
    is_noted = False

    async def sending(message: Message) -> None:
        nonlocal is_noted
        status = {
            "http.response.start": message.get("status"),
            "websocket.accept": HTTPStatus.SWITCHING_PROTOCOLS.value,
            "websocket.close": HTTPStatus.FORBIDDEN.value,
        }.get(message["type"])
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")  # after a sign-out, nothing is shown from a cache
            # Without a referrer a browser sends the form that signs out with the origin `null`.
            headers.setdefault("referrer-policy", "same-origin")
        if status is not None and not is_noted and ROUTES.get(asked.route) is not Need.OPEN:
            is_noted = True
            method, _, route = asked.route.partition(" ")
            audit.note(
                who=person.identity if person is not None else None,
                roles=list(person.roles) if person is not None else [],
                method=method or scope.get("method", "WS"),
                route=route or None,
                sessions=[one for one in asked.sessions if SESSION_ID.fullmatch(one)],
                status=status,
            )
        await send(message)

    return sending
