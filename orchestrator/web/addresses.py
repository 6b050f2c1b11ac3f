"""Where requests arrive: the API's prefix, and the API's former addresses, which still answer."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PREFIX: Final = "/api/v1"
"""Of every address of the API."""
FORMER: Final = re.compile(r"/api(?P<rest>/(?!v[0-9]+(?:/|$)).*)", re.DOTALL)
"""An address of the API as it was before addresses had a version."""
DEPRECATED_AT: Final = 1_795_651_200
"""2026-11-26: since then addresses without a version are deprecated; they answer for one release."""


class FormerAddresses:
    """Answer the API's former addresses as their successors answer, and name those in the headers.

    They are the same routes: a body, a stream or a WebSocket arrives there as it would at the successor.

    Source: RFC 9745 (`Deprecation`), RFC 5829 (`successor-version`).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = FORMER.fullmatch(scope["path"]) if scope["type"] != "lifespan" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        path = PREFIX + found["rest"]
        scope = {**scope, "path": path, "raw_path": quote(path).encode("ascii")}
        await self._app(scope, receive, deprecated(send, successor=path))


def deprecated(send: Send, successor: str) -> Send:
    """Return *send* with headers that call the address deprecated and name the path that succeeds it."""

    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            headers["deprecation"] = f"@{DEPRECATED_AT}"
            headers.append("link", f'<{quote(successor)}>; rel="successor-version"')
        await send(message)

    return sending
