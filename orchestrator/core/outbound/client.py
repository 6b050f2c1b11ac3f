"""HTTP clients for one server each: a model's server, or one that makes embeddings.

A caller names the setting that the address comes from, which error messages then name. An error in a hook or
a body leaves a call as `OutboundError`, or as the cause of another library's error.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx2

from orchestrator.core.errors import OutboundError
from orchestrator.core.outbound.environment import (
    MAX_REPLY_BYTES,
    check_address,
    check_certificates,
    check_proxies,
    shown_host,
    too_long,
)
from orchestrator.core.outbound.loopback import is_loopback

C = TypeVar("C", httpx2.Client, httpx2.AsyncClient)

_HEADERS: Final = {"Accept-Encoding": "identity"}
"""The headers of each request. A compressed reply may be a thousand times as large as its bytes on the
way, so none is asked for."""
_SHOWN_HOST: Final = re.compile(r"[A-Za-z0-9.:\[\]-]{1,100}")


def client(
    url: str, setting: str, *, timeout_s: float, max_reply_bytes: int = MAX_REPLY_BYTES
) -> httpx2.Client:
    """Return a client that sends requests to the server at *url* and to no other.

    Args:
        setting: The configuration key or variable that *url* comes from.
        timeout_s: The limit for each operation on the connection, and for reading a whole body.

    Raises:
        OutboundError: *url* is not an address, or a variable of the environment cannot be used.
    """
    look = _Look(url, setting, max_reply_bytes, timeout_s)
    return _made(httpx2.Client, url, setting, timeout=timeout_s, event_hooks={"response": [look]})


def async_client(url: str, setting: str, *, max_reply_bytes: int = MAX_REPLY_BYTES) -> httpx2.AsyncClient:
    """Return a client like that of `client`, but for an event loop; the caller sets its own deadlines.

    Raises:
        OutboundError: As `client`.
    """
    look = _Look(url, setting, max_reply_bytes)

    async def awaited(response: httpx2.Response) -> None:
        look(response)

    return _made(httpx2.AsyncClient, url, setting, timeout=None, event_hooks={"response": [awaited]})


def _made(kind: type[C], url: str, setting: str, **more: Any) -> C:
    check_address(setting, url)
    try:
        at = httpx2.URL(url)
    except httpx2.InvalidURL:
        raise OutboundError(f"{setting} is no address of a server: correct it") from None
    is_direct = is_loopback(at.host)
    if not is_direct:
        check_proxies()
    # Over plain HTTP to this machine no certificate counts, so none can be in the way.
    trusts_nobody = is_direct and at.scheme == "http"
    verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if trusts_nobody else _certificates()
    try:
        # With the certificates given, `trust_env` is about proxies alone; a .netrc is never read.
        return kind(verify=verify, trust_env=not is_direct, follow_redirects=False, headers=_HEADERS, **more)
    except (ImportError, ValueError, OSError, httpx2.InvalidURL):  # what `check_proxies` does not know
        raise OutboundError(
            "the environment's proxy cannot be used: correct HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and "
            "NO_PROXY, or unset them"
        ) from None


def _certificates() -> ssl.SSLContext:
    """Return the context that checks a server's certificate; TLS keys are never written to SSLKEYLOGFILE."""
    check_certificates()
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if not file and not folder:
        return httpx2.create_ssl_context(trust_env=False)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cafile=file or None, capath=None if file else folder)
    return context


@dataclass(frozen=True, slots=True)
class _Look:
    """A check of each response before anything of its body is read."""

    url: str
    setting: str
    max_bytes: int
    timeout_s: float | None = None

    def __call__(self, response: httpx2.Response) -> None:
        where = shown_host(self.url)
        if 300 <= response.status_code < 400:
            to = _target(response.headers.get("location", ""))
            raise OutboundError(
                f"{where} answered {response.status_code}, a redirect{to}, which is not followed: "
                f"set {self.setting} to the address of the server itself"
            )
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise OutboundError(
                f"{where} sent a compressed reply, which was not asked for: switch compression off there"
            )
        until_s = None if self.timeout_s is None else monotonic() + self.timeout_s
        response.stream = _Bounded(response.stream, where, self.max_bytes, until_s)


@dataclass(frozen=True, slots=True, eq=False)
class _Bounded(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """The body of a response, which raises an error once it is too long or takes too long."""

    stream: Any  # of the one kind or the other, as the client is
    where: str
    max_bytes: int
    until_s: float | None

    def __iter__(self) -> Iterator[bytes]:
        read = 0
        for piece in self.stream:
            read = self._counted(read, piece)
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for piece in self.stream:
            read = self._counted(read, piece)
            yield piece

    def _counted(self, read: int, piece: bytes) -> int:
        if read + len(piece) > self.max_bytes:
            raise too_long(self.where, self.max_bytes)
        if self.until_s is not None and monotonic() > self.until_s:
            raise OutboundError(
                f"{self.where} did not come to the end of its reply in time: is it overloaded?"
            )
        return read + len(piece)

    def close(self) -> None:
        self.stream.close()

    async def aclose(self) -> None:
        await self.stream.aclose()


def _target(location: str) -> str:
    """Return the scheme, host and port to which a redirect leads, or "" if they cannot be shown."""
    try:
        parts = urlsplit(location)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return ""
    is_plain = parts.scheme in ("http", "https") and _SHOWN_HOST.fullmatch(host)
    return f" to {parts.scheme}://{host}" if is_plain else ""
