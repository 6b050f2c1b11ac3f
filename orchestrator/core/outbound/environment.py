"""Checks of the environment variables that clients of other servers use: which one is wrong, and what to do.

No message contains a value: a proxy's address may contain a password, and a key is one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from orchestrator.core.errors import OutboundError

# ---------------------------------------------------------------------- replies
# How large a server's reply may be, and how the server is named when it is larger.


MAX_REPLY_BYTES: Final = 8 << 20
"""Maximum size of a reply in bytes. It is three times that of a stream of 16,000 tokens, the maximum that
we ask for, at 170 bytes each; a page of 1,000 names of a bucket has at most 3.5 MB."""


def shown_host(url: str) -> str:
    """Return the host of *url*, with its port, for a message; never a name or password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "the server"
    return parts.netloc.rpartition("@")[2] or parts.path or "the server"


def without_password(url: str) -> str:
    """Return *url* for a message, without any name and password in it."""
    scheme, found, rest = url.partition("://")
    server, slash, path = rest.partition("/")
    return f"{scheme}{found}{server.rpartition('@')[2]}{slash}{path}"


def too_long(where: str, max_bytes: int) -> OutboundError:
    """Make the error for a reply that is longer than *max_bytes*."""
    return OutboundError(f"{where} sent a reply of more than {max_bytes >> 20} MB, which no request asks for")


# ---------------------------------------------------------------------- environment


PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy")
"""Proxy variables, which are read in capitals as well; the lower-case one counts first, as in other
programs."""
KEYS: Final = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "GREENROOM_MODEL_KEY",
    "GREENROOM_EMBEDDINGS_KEY",
)
AWS_KEYS: Final = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
ADDRESSES: Final = (
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "GREENROOM_S3_ENDPOINT",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
)
HEADERS: Final = "ANTHROPIC_CUSTOM_HEADERS"
MAX_PORT: Final = 65_535

_KEY: Final = re.compile(r"[!-~]+")  # what a header can carry without a blank
_HEADER: Final = re.compile(r"[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:[ -~\t]*")  # RFC 9110, section 5.1


def trimmed(value: str | None) -> str | None:
    """Return a key or address without the white space of the file that it came from; None if nothing is
    left."""
    return (value or "").strip() or None


def check_key(name: str, key: str | None) -> None:
    """Refuse a key that cannot be sent in a header.

    Raises:
        OutboundError: The key cannot be sent. The message names the variable *name* but does not contain the
            key.
    """
    if key is not None and not _KEY.fullmatch(key):
        raise OutboundError(
            f"{name} holds a line break, a blank or a character that is not ASCII: set it to the key alone"
        )


def check_headers(environment: Mapping[str, str]) -> None:
    """Refuse lines in ANTHROPIC_CUSTOM_HEADERS that cannot be sent as headers.

    Raises:
        OutboundError: A line cannot be sent.
    """
    lines = environment.get(HEADERS, "").split("\n")  # as the SDK divides them
    if not all(_HEADER.fullmatch(line) for line in lines if ":" in line):
        raise OutboundError(
            f"{HEADERS} holds what no header can: write a line `Name: value` in ASCII for each"
        )


def check_proxies(
    environment: Mapping[str, str] | None = None, *, scheme: str = "", socks: bool = True
) -> None:
    """Refuse proxy variables that do not name a usable proxy.

    Args:
        scheme: The scheme of the address that is asked ("http", "https"), if only that scheme's variable
            counts.
        socks: Whether the client supports SOCKS proxies at all.

    Raises:
        OutboundError: A variable names no usable proxy; the message names the variable.
    """
    known = os.environ if environment is None else environment
    none_for = known.get("no_proxy", known.get("NO_PROXY", ""))
    if "*" in [host.strip() for host in none_for.split(",")]:
        return
    for name, value in known.items():
        low = name.lower()
        counts = name == low or low not in known
        if low in PROXIES and value and counts and (not scheme or low == f"{scheme}_proxy"):
            fault = _proxy_fault(value, socks)
            if fault:
                raise OutboundError(f"{name} {fault}, or unset it")


def _proxy_fault(value: str, socks: bool) -> str:
    """Return what is wrong with a proxy's address, and what to do, or "" if nothing is wrong."""
    wanted = "set it as in http://proxy.example:3128"
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        is_server = bool(parts.hostname) and (parts.port is None or 0 < parts.port <= MAX_PORT)
    except ValueError:
        is_server = False
    if not is_server or not value.isprintable() or " " in value:
        return f"is no address of a proxy: {wanted}"
    if parts.scheme in ("socks5", "socks5h"):
        if not socks:
            return f"names a SOCKS proxy, which S3's client cannot use: {wanted}"
        needs = "names a SOCKS proxy, which needs the package socksio: install it (pip install socksio)"
        return "" if _has_socks() else f"{needs}, {wanted}"
    return "" if parts.scheme in ("http", "https") else f"names a proxy of another kind than http: {wanted}"


def _has_socks() -> bool:
    from importlib.util import find_spec

    return find_spec("socksio") is not None


def check_certificates(environment: Mapping[str, str] | None = None) -> None:
    """Refuse SSL_CERT_FILE and SSL_CERT_DIR if they do not name certificates.

    Raises:
        OutboundError: One of them does not; the message names it.
    """
    known = os.environ if environment is None else environment
    if path := known.get("SSL_CERT_FILE"):
        _check_bundle("SSL_CERT_FILE", path)
    elif (path := known.get("SSL_CERT_DIR")) and not any(map(os.path.isdir, path.split(os.pathsep))):
        raise OutboundError("SSL_CERT_DIR names no folder: correct it, or unset it")


def check_aws(environment: Mapping[str, str] | None = None) -> None:
    """Refuse variables that would stop S3's client before its first request.

    Raises:
        OutboundError: There is such a variable; the message names it.
    """
    known = os.environ if environment is None else environment
    for name in AWS_KEYS:
        check_key(name, known.get(name) or None)
    if path := known.get("SSLKEYLOGFILE"):  # the library writes TLS keys there, and fails where it cannot
        place = path if os.path.lexists(path) else os.path.dirname(path) or "."
        if os.path.isdir(path) or not os.access(place, os.W_OK):
            raise OutboundError("SSLKEYLOGFILE names a file that cannot be written: correct it, or unset it")


def check_aws_certificates(environment: Mapping[str, str] | None = None) -> None:
    """Refuse AWS_CA_BUNDLE if it does not name certificates.

    Raises:
        OutboundError: The variable does not name certificates.
    """
    if path := (os.environ if environment is None else environment).get("AWS_CA_BUNDLE"):
        _check_bundle("AWS_CA_BUNDLE", path)


def _check_bundle(name: str, path: str) -> None:
    import ssl

    is_folder = name == "AWS_CA_BUNDLE" and os.path.isdir(path)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(
            cafile=None if is_folder else path, capath=path if is_folder else None
        )
    except (OSError, ValueError):  # an SSLError is an OSError
        raise OutboundError(
            f"{name} names no file of certificates (PEM) that can be read: correct it, or unset it"
        ) from None


def check_address(name: str, address: str) -> None:
    """Refuse *address* if it is not the address of a server.

    Raises:
        OutboundError: It is not. The message contains *name*, the setting or variable, but not the address,
            which may contain a password.
    """
    try:
        parts = urlsplit(address)
        is_server = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_server = is_server and (parts.port is None or 0 < parts.port <= MAX_PORT)
    except ValueError:
        is_server = False
    if not is_server or not address.isprintable() or " " in address:
        raise OutboundError(
            f"{name} is no address of a server: begin it with http:// or https://, as in http://127.0.0.1:11434"
        )


def environment_faults(environment: Mapping[str, str]) -> list[str]:
    """Return a line for each fault in the variables that clients of other servers use, to check this
    machine."""
    checks: list[Callable[[], None]] = [
        partial(check_proxies, environment),
        partial(check_certificates, environment),
        partial(check_aws, environment),
        partial(check_aws_certificates, environment),
        partial(check_headers, environment),
        *(partial(check_key, name, trimmed(environment.get(name))) for name in KEYS),
        *(partial(check_address, name, known) for name in ADDRESSES if (known := environment.get(name))),
    ]
    return [fault for check in checks for fault in _faults(check)]


def _faults(check: Callable[[], None]) -> Iterator[str]:
    try:
        check()
    except OutboundError as error:
        yield str(error)
