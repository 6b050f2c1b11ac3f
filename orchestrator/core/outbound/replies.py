"""How large a server's reply may be, and how the server is named when it is larger."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from orchestrator.core.errors import OutboundError

MAX_REPLY_BYTES: Final = 8 << 20
"""Three times what a stream of 16,000 tokens takes, the most that is asked for, at 170 bytes for each; a page
of 1,000 names of a bucket has at most 3.5 MB."""


def shown_host(url: str) -> str:
    """Return the host of *url* for a message, with its port: never a name or password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "the server"
    return parts.netloc.rpartition("@")[2] or parts.path or "the server"


def without_password(url: str) -> str:
    """Return *url* for a message, without a name and password in it."""
    scheme, found, rest = url.partition("://")
    server, slash, path = rest.partition("/")
    return f"{scheme}{found}{server.rpartition('@')[2]}{slash}{path}"


def too_long(where: str, max_bytes: int) -> OutboundError:
    """Return the error of a reply that is too long to be one."""
    return OutboundError(f"{where} sent a reply of more than {max_bytes >> 20} MB, which no request asks for")
