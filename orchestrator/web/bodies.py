"""How large a request's body may be, by its address: JSON that is read takes up to thirty times its size."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.web.addresses import PREFIX
from orchestrator.web.problems import problem
from orchestrator.web.security import CLOSE, MAX_BODY_BYTES

MAX_BYTES: Final = 1_000_000
"""Of a body: fifty answers of the largest size, or an hour of speech with all its times."""
MAX_TEXT_BYTES: Final = 12_500_000
"""Where a deck or a whole file comes as text: 2,000,000 characters, each written as an escape of JSON."""
_UPLOADS: Final = re.compile(rf"{PREFIX}/(decks|materials/[^/]+|check|dossier|sessions/[^/]+/intel)")
_TEXTS: Final = re.compile(rf"{PREFIX}/(sessions|sessions/[^/]+/files/.*)", re.DOTALL)


class Bodies:
    """Refuses a body that is larger than its address takes, before more of it is read."""

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
    """Return how many bytes a body may have that is sent to *path*."""
    if _UPLOADS.fullmatch(path):
        return MAX_BODY_BYTES
    return MAX_TEXT_BYTES if _TEXTS.fullmatch(path) else MAX_BYTES
