"""How a process reaches the servers of a cluster: the part `cluster:` of the configuration, as values.

A secret never stands in `greenroom.yaml`, which people copy and show: a token or a password comes from the
environment or from a file that the configuration names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from orchestrator.core.errors import ConfigurationError

DURABILITIES: Final = ("kept", "local")
"""When a write is acknowledged: once it is in the log of all servers as well, or once it is on this disk."""
COPIES: Final = (1, 3, 5)
"""Numbers of servers that may keep a message: a majority has to agree, so an even number adds no safety, and
JetStream keeps at most five copies."""
SCHEMES: Final = ("nats", "tls")
WORKER: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A worker's name. It is one part of a subject of NATS, where dots, stars and spaces have a meaning."""
PREFIX: Final = "GREENROOM_CLUSTER_"
"""The beginning of every environment variable of this part."""
MAX_TEXT: Final = 1_000
"""Maximum number of characters of an address, a name or a path."""
_SECRETS: Final = ("token", "password")
_FILES: Final = ("token_file", "password_file", "credentials", "ca", "certificate", "key")
_SHOWN_CHARS: Final = 80


@dataclass(frozen=True, slots=True)
class Cluster:
    """The servers of a cluster, how a process signs in to them, and what it promises.

    Files are read when the connection is opened, so that a command that needs no cluster needs none of them.
    """

    servers: tuple[str, ...]  # nats://host:port or tls://host:port
    durability: str = DURABILITIES[0]
    copies: int = 3  # servers that keep each message; 1 for a single server
    worker: str | None = None  # this worker's name; None: the host's
    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None  # holds the token alone
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    password_file: Path | None = None  # holds the password alone
    credentials: Path | None = None  # a .creds file of NATS
    ca: Path | None = None  # who signed the servers' certificates; None: those whom the system trusts
    certificate: Path | None = None  # this process's own, if the servers ask for one
    key: Path | None = None


KEYS: Final = tuple(one.name for one in fields(Cluster))


def parse_cluster(
    values: Mapping[str, Any], variables: Mapping[str, str], where: Callable[[str | None], str], folder: Path
) -> Cluster:
    """Return the part `cluster:` as a value.

    Args:
        values: The part in the file, by key; empty if there is none.
        variables: The environment's `GREENROOM_CLUSTER_*`, which win over the file.
        where: Returns the place of a key in the file, or of the part itself for None.
        folder: The folder of the file, from which its relative paths count; those of a variable count from
            the current folder.

    Raises:
        ConfigurationError: A key, a value, or what they say together is wrong; no secret is in the message.
    """
    found: dict[str, Any] = {}
    for key, value in values.items():
        found[str(key)] = _checked(str(key), value, where(str(key)), folder, is_file=True)
    for name, text in variables.items():
        key = name.removeprefix(PREFIX).lower()
        found[key] = _checked(key, text, name, Path(), is_file=False)
    place = ", ".join(sorted(variables)) if variables and not values else where(None)
    if "servers" not in found:
        raise ConfigurationError(
            f"{place}: cluster names no servers: add `servers: [nats://HOST:4222]`, or set {PREFIX}SERVERS"
        )
    made = Cluster(**found)
    if fault := _conflict(made):
        raise ConfigurationError(f"{place}: {fault}")
    return made


def _conflict(cluster: Cluster) -> str | None:
    """Return what does not go together, or None."""
    has_password = cluster.password is not None or cluster.password_file is not None
    has_token = cluster.token is not None or cluster.token_file is not None
    for secret in _SECRETS:
        if getattr(cluster, secret) is not None and getattr(cluster, f"{secret}_file") is not None:
            return f"cluster has a {secret} and a {secret}_file: keep one of them"
    if cluster.user is not None and not has_password:
        return f"cluster.user has no password: set {PREFIX}PASSWORD, or name a password_file"
    if cluster.user is None and has_password:
        return "cluster has a password and no user: add `user`"
    ways = [has_token, cluster.user is not None, cluster.credentials is not None]
    if sum(ways) > 1:
        return "cluster signs in by a token, by user and password, or by credentials: keep one of them"
    if cluster.key is not None and cluster.certificate is None:
        return "cluster.key has no certificate: name it as `certificate`"
    return None


def _checked(key: str, value: Any, where: str, folder: Path, *, is_file: bool) -> Any:
    """Return one value of the part in its type.

    Raises:
        ConfigurationError: It is not valid; the message begins with *where*.
    """
    if key not in KEYS:
        near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.0)[0]
        nearest = near if is_file else f"{PREFIX}{near.upper()}"
        raise ConfigurationError(
            f"{where}: cluster has no key {key[:_SHOWN_CHARS]!r}; the nearest is {nearest!r}"
        )
    if key in _SECRETS and is_file:
        raise ConfigurationError(
            f"{where}: cluster.{key} is a secret, which does not belong into this file: set "
            f"{PREFIX}{key.upper()}, or name a file that holds it as `{key}_file`"
        )
    if key == "servers":
        return _servers(value, where)
    if key == "copies":
        return _copies(value, where)
    is_line = isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= MAX_TEXT
    if not is_line:
        told = "" if key in _SECRETS else f" is {_shown(value)}, but"
        raise ConfigurationError(f"{where}: cluster.{key}{told} must be one line of text")
    if key in _FILES:
        return folder / Path(value).expanduser()
    if key == "durability" and value not in DURABILITIES:
        raise ConfigurationError(
            f"{where}: cluster.durability is {_shown(value)}, but must be one of {', '.join(DURABILITIES)}"
        )
    if key == "worker" and WORKER.fullmatch(value) is None:
        raise ConfigurationError(
            f"{where}: cluster.worker is {_shown(value)}, but must be up to 64 letters, digits, - or _"
        )
    return value


def _servers(value: Any, where: str) -> tuple[str, ...]:
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed:
        raise ConfigurationError(
            f"{where}: cluster.servers is {_shown(value)}, but must list addresses such as nats://HOST:4222"
        )
    return tuple(_server(one, where) for one in listed)


def _server(value: Any, where: str) -> str:
    text = value.strip() if isinstance(value, str) else ""
    try:
        url = urlsplit(text)
        is_plain = url.scheme in SCHEMES and url.hostname is not None and url.path in ("", "/")
        is_plain = is_plain and not (url.query or url.fragment) and len(text) <= MAX_TEXT
        port = url.port if url.port is not None else 4222  # NATS's own
    except ValueError:  # a port that is no number, or half an IPv6 address
        is_plain, url, port = False, urlsplit(""), 0
    if "@" in text:  # not shown: it may be a password
        raise ConfigurationError(
            f"{where}: an address of cluster.servers holds a user or a secret: give it as `user`, "
            "`password_file`, `token_file` or `credentials`"
        )
    if not is_plain or not text.isprintable() or not port:
        raise ConfigurationError(
            f"{where}: cluster.servers has {_shown(value)}, but an address is nats://HOST:PORT or "
            "tls://HOST:PORT"
        )
    host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
    return f"{url.scheme}://{host}:{port}"


def _copies(value: Any, where: str) -> int:
    number = int(value) if isinstance(value, str) and re.fullmatch("[0-9]{1,3}", value) else value
    if isinstance(number, bool) or number not in COPIES:
        raise ConfigurationError(
            f"{where}: cluster.copies is {_shown(value)}, but must be one of {', '.join(map(str, COPIES))}"
        )
    return int(number)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
