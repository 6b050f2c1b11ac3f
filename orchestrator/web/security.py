"""Who may reach the server, and what a page may do: one layer before every route.

A page on another site can make a browser send requests here, and a name server can make a foreign
name point here; so the Host must be ours and whatever changes something must come from our own page.
Nothing that a page shows may fetch anything from elsewhere.

Source: trust.md, "Web" and "Page".
"""

from __future__ import annotations

import asyncio
import secrets
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.web.problems import problem
from orchestrator.web.site import Site
from orchestrator.web.templating import page

COOKIE: Final = "greenroom"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_BODY_BYTES: Final = 60_000_000
"""A deck may have 50 MB (`deck.limits`) and travels with its form around it."""
BODY_WITHIN_S: Final = 60.0
"""From the first to the last byte of a body: a slow sender must not hold a worker for ever."""
OPEN_PATHS: Final = ("/static/",)
"""Style and scripts are no secret, and the page that asks for the token needs them."""

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
    """Refuses what does not come from our own pages or a program that knows the token."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        if answer is None:
            body = Body(receive)
            await self._app(scope, body if scope["type"] == "http" else receive, secured(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        else:
            await answer(scope, receive, secured(send))

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if host.rsplit(":", 1)[0].lower() not in self._site.hosts and host.lower() not in self._site.hosts:
            return _refused(HTTPStatus.MISDIRECTED_REQUEST, "this server does not answer to that name")
        if scope["type"] == "websocket" or scope["method"] not in SAFE:
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
                return _refused(HTTPStatus.FORBIDDEN, "the request comes from another site's page")
            if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
                return _refused(HTTPStatus.FORBIDDEN, "the request comes from another site's page")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY_BYTES:
            told = f"more than {MAX_BODY_BYTES // 1_000_000} MB is not taken"
            return _refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, told)
        return self._ask_for_token(scope, headers)

    def _ask_for_token(self, scope: Scope, headers: Headers) -> Response | None:
        token = self._site.token
        if token is None or scope["path"].startswith(OPEN_PATHS):
            return None
        if scope["type"] == "http" and scope["method"] == "GET":
            shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if _same(shown, token):  # the link that was printed: into a cookie, and out of the address
                answer = RedirectResponse(scope["path"], HTTPStatus.SEE_OTHER)
                answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
                return answer
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if _same(bearer, token) or _same(_cookie(headers), token):
            return None
        told = "a token is needed: open the link that `greenroom serve` printed, or send it as a bearer token"
        if "text/html" in headers.get("accept", ""):  # a person who opened the address without its token
            refusal: Response = page(
                "problem.html", 401, title="This room is locked", detail=told.replace("`", ""), has_home=False
            )
        else:
            refusal = _refused(HTTPStatus.UNAUTHORIZED, told)
        refusal.headers["www-authenticate"] = "Bearer"
        return refusal


class Body:
    """A request's body, with a bound on its bytes and on the time that it takes."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._bytes = 0
        self._is_whole = False

    async def __call__(self) -> Message:
        if self._is_whole:  # what comes now is the end of the connection, and that may take long
            return await self._receive()
        try:
            async with asyncio.timeout(BODY_WITHIN_S):
                message = await self._receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        self._bytes += len(message.get("body", b""))
        if self._bytes > MAX_BODY_BYTES:  # chunked, so no length was said
            return {"type": "http.disconnect"}
        self._is_whole = not message.get("more_body", False)
        return message


def secured(send: Send) -> Send:
    """*send*, with the headers that every answer carries."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def _refused(status: HTTPStatus, detail: str) -> Response:
    return problem(status, detail, code=status.name.lower())


def _same(shown: str, token: str) -> bool:
    return secrets.compare_digest(shown.encode(), token.encode())


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""
