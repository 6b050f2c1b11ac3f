"""The address at which browsers reach this server behind a proxy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
OWN_PATHS: Final = frozenset(
    {
        "api", "debrief", "dossier", "example", "new", "review", "room", "sign-in", "sign-out", "static", "w",
        "watch",
    }
)  # fmt: skip
"""First parts of the server's own paths.

A public path that began with one could not be distinguished from them, since a proxy may pass the public path
on or cut it off.
"""
EXAMPLE: Final = "https://example.org/greenroom"
_LABEL: Final = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
MAX_HOST_CHARS: Final = 253  # RFC 1035, section 2.3.4, without the length bytes
_PATH: Final = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")
"""Matches paths that every server, proxy and browser writes in the same way (RFC 3986, "unreserved")."""


@dataclass(frozen=True, slots=True)
class PublicUrl:
    """A public address, in the form that browsers use.

    Args:
        host: The host as in a `Host` header: in lower case, an international name in ASCII, IPv6 in brackets.
        port: The port, even if the scheme implies it.
        path: Either "" or a path like "/greenroom", which begins with a slash and does not end with one.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def is_encrypted(self) -> bool:
        return self.scheme == "https"

    @property
    def origin(self) -> str:
        """Return the `Origin` header that a browser sends from one of the address's pages."""
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    def __str__(self) -> str:
        return f"{self.origin}{self.path}/"


def parse_public_url(text: str) -> PublicUrl:
    """Read a public address as a browser would read it.

    Raises:
        ValueError: *text* is not a public address; the message says what it must be.
    """
    from pydantic_core import Url, ValidationError  # reads as browsers do (WHATWG), also international names

    is_line = text.isprintable() and not re.search(r"[\s\\]", text)
    if not is_line or not re.match(r"https?://[^/]", text, re.IGNORECASE):
        raise ValueError(f"must be an address that begins with http:// or https://, such as {EXAMPLE}")
    if "@" in text.split("/")[2]:
        raise ValueError("must be without a user's name and password: the server has a token of its own")
    if "?" in text or "#" in text:
        raise ValueError(f"must end with its path, without `?` or `#`, such as {EXAMPLE}")
    try:
        read = Url(text)
    except ValidationError as error:
        reason = error.errors()[0]["ctx"]["error"]
        raise ValueError(f"must be an address such as {EXAMPLE} (this one has an {reason})") from None
    host, port, path = read.host or "", read.port or 0, (read.path or "").rstrip("/")
    if not _can_be_opened(host):
        raise ValueError(f"must name a host that a browser can open, such as {EXAMPLE}")
    if port == 0:
        raise ValueError("must have a port from 1 to 65535, or none")
    if not _PATH.fullmatch(path):
        raise ValueError("must have a path of letters, digits and `-._~` between single slashes, or none")
    if (first := path[1:].partition("/")[0]) in OWN_PATHS:
        raise ValueError(f"must not begin its path with /{first}, which is a path of Greenroom's own pages")
    return PublicUrl(read.scheme, host, port, path)


def _can_be_opened(host: str) -> bool:
    try:
        return not ip_address(host.removeprefix("[").removesuffix("]")).is_unspecified
    except ValueError:
        return len(host) <= MAX_HOST_CHARS and _HOST_NAME.fullmatch(host) is not None
