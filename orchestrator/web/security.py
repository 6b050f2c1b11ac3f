"""Who may reach the server, and what a page may do: one layer that checks every request before any route.

A page on another site can make a browser send requests here, and a name server can make a foreign name point
here. So the Host must be one of the server's names, and another site's page may only open pages: in the API,
even a GET may record something. Nothing on a page may load anything from elsewhere.

Source: trust.md, "Web" and "Page".
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import secrets
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.web.addresses import PREFIX
from orchestrator.web.metrics import PATH as METRICS
from orchestrator.web.problems import problem
from orchestrator.web.site import Site
from orchestrator.web.templating import page

# ---------------------------------------------------------------------- security


COOKIE: Final = "greenroom"
"""The end of the name of the token's cookie, without the port."""
MAX_HEADER_BYTES: Final = 16_384
"""Maximum size of all headers of a request together; our own pages need about 1 kB."""
HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^:\[\]]+)(?::(?P<port>[0-9]+))?")
"""A Host header: a name, and a port if it is not the default."""
HEALTH: Final = f"{PREFIX}/health"
READY: Final = f"{HEALTH}/ready"
PROBES: Final = frozenset({HEALTH, READY})
"""What a load balancer asks for: without a token, and by names that are not the server's own."""
PROBED: Final = re.compile(r"(?:[a-z0-9_-]+(?::[0-9]+)?)?")
"""The Host of a load balancer that asks for `HEALTH`: empty, or a name without a dot, which no name server
of a foreign site can point here."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_BODY_BYTES: Final = 60_000_000
"""Maximum size of a body with an upload: a deck may have 50 MB (`deck.limits`) and is sent inside a form."""
TOO_LARGE: Final = f"more than {MAX_BODY_BYTES // 1_000_000} MB is not taken"
CLOSE: Final = {"connection": "close"}
"""Headers of an answer that is sent before the whole body was read: the next bytes on this connection are
not a new request."""
BODY_WITHIN_S: Final = 60.0
"""Maximum seconds from the first to the last byte of a body, so that a slow sender does not occupy a
worker for ever."""
BODY_TYPES: Final = ("application/json", "multipart/form-data")
"""The accepted types of a body, so that a form on another site's page cannot send plain text or a plain
form as JSON."""
OPEN_PATHS: Final = ("/static/", "/w/")
"""Paths that need no token: style and scripts are not secret, and the page that asks for the token needs
them; `/w/CODE` contains its own secret."""

HEADERS: Final = {
    "content-security-policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "media-src 'self' blob:",
            "worker-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "microphone=(self), camera=(), geolocation=()",
}


class Security:
    """A layer that refuses requests that come neither from our own pages nor from a program that knows the
    token."""

    def __init__(self, app: ASGIApp, site: Site, body_within_s: float = BODY_WITHIN_S) -> None:
        self._app = app
        self._site = site
        self._body_within_s = body_within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        if answer is None:
            if scope["type"] == "http":
                receive = Body(receive, self._body_within_s)
                if scope["method"] == "HEAD":
                    scope, receive, send = headless(scope, send)
            await self._app(scope, receive, secured(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await answer(scope, receive, secured(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        # The server bounds headers that come in parts; those that came at once are all here by now.
        if sum(len(name) + len(value) for name, value in headers.raw) > MAX_HEADER_BYTES:
            return _refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the headers are too large")
        host = headers.get("host", "")
        is_health = scope["type"] == "http" and scope["path"].rstrip("/") in PROBES
        is_health = is_health and scope["method"] in ("GET", "HEAD")
        if (refusal := self._wrong_name(host.lower(), is_health)) is not None:
            return refusal
        is_page = not scope["path"].startswith("/api/")
        if scope["type"] == "websocket" or scope["method"] not in SAFE or not is_page:
            origin = headers.get("origin")
            if origin is not None and not self._is_own_page(origin.lower(), host.lower()):
                return _refused(HTTPStatus.FORBIDDEN, self._foreign_page())
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return _refused(HTTPStatus.FORBIDDEN, "the request comes from another site's page")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY_BYTES:
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE)
        has_body = length != "0" or "transfer-encoding" in headers
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["type"] == "http" and scope["method"] not in SAFE and has_body and kind not in BODY_TYPES:
            told = f"a body comes as {' or, with files, as '.join(BODY_TYPES)}"
            return _refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, told)
        return None if is_health else self._ask_for_token(scope, headers)

    def _wrong_name(self, host: str, is_health: bool) -> Response | None:
        """Return the refusal of a request to *host*, or None if *host* is a name of this server."""
        site, name = self._site, name_of(host)
        if name in site.names or (site.takes_addresses and _is_address(name)):
            return None
        if is_health and (site.token is not None or site.gate is not None) and PROBED.fullmatch(host):
            return None
        told = f"this server answers to {', '.join(sorted(site.names))}"
        told += " and to the IP addresses of this machine" if site.takes_addresses else ""
        told += ", not to this name: open one of them, start it with `--host` and the name or address, or, "
        told += "behind a proxy, set `public_url` to the address that browsers open (`greenroom help http`)"
        return _refused(HTTPStatus.MISDIRECTED_REQUEST, told)

    def _is_own_page(self, origin: str, host: str) -> bool:
        """Return whether *origin*, the site of a page, is this server, which was asked at *host*.

        A proxy may send any Host, but passes the page's origin on unchanged. So the public origin is ours
        whatever the Host is, and if the Host is only a public name, no other origin is ours.
        """
        public = self._site.public
        if public is not None:
            is_public_alone = name_of(host) == public.host and public.host not in self._site.hosts
            if origin == public.origin or is_public_alone:
                return origin == public.origin
        try:
            return urlsplit(origin).netloc == host
        except ValueError:  # half an IPv6 address, say
            return False

    def _foreign_page(self) -> str:
        told = "the request comes from another site's page"
        if self._site.public is not None:
            return f"{told}: this server's own are at {self._site.public}, as `public_url` says"
        return f"{told}: behind a proxy, set `public_url` to the address that browsers open"

    def _ask_for_token(self, scope: Scope, headers: Headers) -> Response | None:
        token = self._site.token
        if token is None or scope["path"].startswith(OPEN_PATHS):
            return None
        if scope["type"] == "http" and scope["method"] == "GET":
            query = scope["query_string"].decode("latin-1")
            shown = parse_qs(query).get("token", [""])[0]
            if is_same(shown, token):  # the link that was printed: into a cookie, and out of the address
                rest = [one for one in parse_qsl(query, keep_blank_values=True) if one[0] != "token"]
                path = quote(f"{self._site.base}/{scope['path'].lstrip('/')}")
                answer = RedirectResponse(f"{path}?{urlencode(rest)}" if rest else path, HTTPStatus.SEE_OTHER)
                set_cookie(answer, token, self._site, headers)
                return answer
        if shows_token(headers, self._site) or shows_metrics_token(scope, headers, self._site):
            return None
        method = "GET" if scope.get("method") == "HEAD" else scope.get("method", "")
        may = self._site.pairings.may
        if any(may(one, method, scope["path"]) for one in secrets_in(headers, self._site)):
            return None
        at = f" (at {self._site.public})" if self._site.public is not None else ""
        told = f"a token is needed: open the link that the server printed at its start{at}, "
        told += "or send it as a bearer token"
        if "text/html" in headers.get("accept", ""):  # a person who opened the address without its token
            refusal: Response = page(
                "problem.html",
                401,
                title="This room is locked",
                detail=told,
                has_home=False,
                base=self._site.base,
            )
        else:
            refusal = _refused(HTTPStatus.UNAUTHORIZED, told)
        refusal.headers["www-authenticate"] = "Bearer"
        return refusal


def name_of(host: str) -> str:
    """Return the name in a Host header, or "" if the header is not valid."""
    found = HOST.fullmatch(host)
    return found["name"] if found is not None else ""


def cookie_name(site: Site, host: str) -> str:
    """Return the name of the token's cookie, so that two servers on one host do not overwrite each other's.

    A browser sends a cookie to every port of a host, so the name contains the port: the public port, or else
    that of *host*. The prefixes make the browser refuse a cookie of this name that was not sent encrypted,
    or, with `__Host-`, that another host of the domain has set.

    Source: RFC 6265bis, "Cookie Name Prefixes".
    """
    public = site.public
    if public is None:
        found = HOST.fullmatch(host)
        return f"{COOKIE}-{found['port'] or 80}" if found is not None else COOKIE
    if not public.is_encrypted:
        return f"{COOKIE}-{public.port}"
    return f"{'__Secure' if public.path else '__Host'}-{COOKIE}-{public.port}"  # __Host- demands the path /


def shows_token(headers: Headers, site: Site) -> bool:
    """Return whether a request contains the token, as a bearer token or in the cookie, or needs none."""
    return site.token is None or any(is_same(one, site.token) for one in secrets_in(headers, site))


def shows_metrics_token(scope: Scope, headers: Headers, site: Site) -> bool:
    """Return whether a request is Prometheus's, with the token that opens the metrics and nothing else."""
    if site.metrics_token is None or scope["path"] != METRICS:
        return False
    return is_same(headers.get("authorization", "").removeprefix("Bearer "), site.metrics_token)


def set_cookie(answer: Response, secret: str, site: Site, headers: Headers) -> None:
    """Make the browser that gets *answer* send *secret*, the token or a pass, from then on."""
    answer.set_cookie(
        cookie_name(site, headers.get("host", "")),
        secret,
        path=site.base or "/",
        secure=site.public is not None and site.public.is_encrypted,
        httponly=True,
        samesite="strict",
    )


def secrets_in(headers: Headers, site: Site) -> list[str]:
    """Return every secret that a request contains: its bearer token, and its cookies with our name."""
    name = cookie_name(site, headers.get("host", ""))
    found = [headers.get("authorization", "").removeprefix("Bearer ")]
    for line in headers.getlist("cookie"):
        for one in line.split(";"):
            known, _, value = one.strip().partition("=")
            if known == name:  # several: those of a server below another one's path, say
                found.append(value)
    return found


class Body:
    """A request's body, with a bound on its bytes and on the time that it takes."""

    def __init__(self, receive: Receive, within_s: float) -> None:
        self._receive = receive
        self._until = asyncio.get_running_loop().time() + within_s
        self._bytes = 0
        self._is_whole = False

    async def __call__(self) -> Message:
        if self._is_whole:  # what comes now is the end of the connection, and that may take long
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            told = "the body came too slowly: send it again"
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, told, CLOSE) from None
        self._bytes += len(message.get("body", b""))
        if self._bytes > MAX_BODY_BYTES:  # chunked, so no length was said
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE, CLOSE)
        self._is_whole = not message.get("more_body", False)
        return message


def headless(scope: Scope, send: Send) -> tuple[Scope, Receive, Send]:
    """Treat a HEAD request as the corresponding GET, but send no body, even if the answer is a stream."""
    begun = asyncio.Event()
    is_asked = False

    async def receiving() -> Message:
        nonlocal is_asked
        if not is_asked:
            is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await begun.wait()
        return {"type": "http.disconnect"}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            await send(message)
            await send({"type": "http.response.body", "body": b""})
            begun.set()

    return {**scope, "method": "GET"}, receiving, sending


def secured(send: Send) -> Send:
    """Wrap *send* so that every answer carries the security headers."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def _refused(status: HTTPStatus, detail: str) -> Response:
    return problem(status, detail, code=status.name.lower())


def _is_address(name: str) -> bool:
    """Return whether *name* is an IP address, to which no name server can point a foreign name."""
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def is_same(shown: str, token: str) -> bool:
    """Return whether what is shown is the token, in a time that tells nothing of it."""
    return secrets.compare_digest(shown.encode(), token.encode())


# ---------------------------------------------------------------------- bodies
# How large a request's body may be, by its address: JSON that is read takes up to thirty times its size.


MAX_BYTES: Final = 1_000_000
"""Maximum size of most bodies: fifty answers of the largest size, or an hour of speech with all times."""
MAX_TEXT_BYTES: Final = 12_500_000
"""Maximum size of a body with a deck or a file as text: 2,000,000 characters, each written as an escape of
JSON."""
_UPLOADS: Final = re.compile(rf"{PREFIX}/(decks|materials/[^/]+|check|dossier|sessions/[^/]+/intel)")
_TEXTS: Final = re.compile(rf"{PREFIX}/(sessions|crew/sessions|sessions/[^/]+/files/.*)", re.DOTALL)


class Bodies:
    """A layer that refuses a body that is larger than its address accepts, before more of it is read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = max_bytes(scope["path"])
        refused = f"the body is larger than this address takes ({most:,} bytes): send it in parts"
        length = Headers(scope=scope).get("content-length", "0")  # digits, by `Security`
        if int(length) > most:
            answer = problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, refused, code="request_entity_too_large")
            answer.headers.update(CLOSE)
            await answer(scope, receive, send)
            return
        taken = 0

        async def receiving() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:  # chunked, so no length was said
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, refused, CLOSE)
            return message

        await self._app(scope, receiving, send)


def max_bytes(path: str) -> int:
    """Return the maximum size in bytes of a body that is sent to *path*."""
    if _UPLOADS.fullmatch(path):
        return MAX_BODY_BYTES
    return MAX_TEXT_BYTES if _TEXTS.fullmatch(path) else MAX_BYTES
