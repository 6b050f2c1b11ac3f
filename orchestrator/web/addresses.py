"""Mapping of request addresses: with or without the public path, the API's present and former addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PREFIX: Final = "/api/v1"
"""The prefix of every address of the API."""
FORMER: Final = re.compile(r"/api(?P<rest>/(?!v[0-9]+(?:/|$)).*)", re.DOTALL)
"""An address of the API as it was before addresses contained a version."""
LEAVES: Final = "greenroom-leaves"
"""The header of an answer whose redirect leads to another server on purpose."""
DEPRECATED_AT: Final = 1_795_651_200
"""The time, 2026-11-26, since which addresses without a version are deprecated; they still work for one
release."""


class Addresses:
    """A layer that maps every request to a path that the routes know, and redirects in answers back to a
    public one.

    A proxy may pass the public path on or cut it off; both work. The API's former addresses work too, with a
    body, a stream or a WebSocket as at the new address, which the answer's headers name.

    Args:
        base: The public path, "" or "/greenroom".

    Source: RFC 9745 (`Deprecation`), RFC 5829 (`successor-version`).
    """

    def __init__(self, app: ASGIApp, base: str = "") -> None:
        self._app = app
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        path, is_former = routed(scope["path"], self._base)
        if is_former:
            send = _sending(send, lambda headers: deprecate(headers, self._base + path))
        send = _sending(send, lambda headers: localise(headers, self._base))
        await self._app({**scope, "path": path, "raw_path": quote(path).encode("ascii")}, receive, send)


def routed(path: str, base: str) -> tuple[str, bool]:
    """Return the path that the routes know, and whether *path* is a former address."""
    if base and (path == base or path.startswith(f"{base}/")):
        path = path.removeprefix(base) or "/"
    former = FORMER.fullmatch(path)
    return (PREFIX + former["rest"], True) if former is not None else (path, False)


def deprecate(headers: MutableHeaders, successor: str) -> None:
    """Mark the address that was asked as deprecated, and name the path that succeeds it."""
    headers["deprecation"] = f"@{DEPRECATED_AT}"
    headers.append("link", f'<{quote(successor)}>; rel="successor-version"')


def localise(headers: MutableHeaders, base: str) -> None:
    """Replace the framework's redirect, which names scheme and host, by a path below the public path.

    The framework knows neither the public path nor the public scheme, while the browser knows which name and
    port it has asked. Our own redirects are already paths, and none leads to another server but the one to an
    OpenID provider, which says so by the header `LEAVES`; that header is not sent.
    """
    if LEAVES in headers:
        del headers[LEAVES]
        return
    to = urlsplit(headers.get("location", ""))
    if to.scheme:
        path = f"{base}/{to.path.lstrip('/')}"  # a second slash would make a host of what follows
        headers["location"] = f"{path}?{to.query}" if to.query else path


def _sending(send: Send, change: Callable[[MutableHeaders], None]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            message.setdefault("headers", [])
            change(MutableHeaders(scope=message))
        await send(message)

    return sending
