"""How a process reaches the servers of a cluster: the part `cluster:` of the configuration, as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

DURABILITIES: Final = ("kept", "local")
"""When a write is acknowledged: once it is in the log of all servers as well, or once it is on this disk."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The servers of a cluster, how a process signs in to them, and what it promises."""

    servers: tuple[str, ...]  # nats://host:port or tls://host:port
    durability: str = DURABILITIES[0]
    copies: int = 3  # servers that keep each message; 1 for a single server
    worker: str | None = None  # this worker's name; None: the host's
    token: str | None = None
    user: str | None = None
    password: str | None = None
    credentials: Path | None = None  # a .creds file of NATS
    ca: Path | None = (
        None  # the certificate authority that signed the servers' certificates; None: the system's
    )
    certificate: Path | None = None  # this process's own, if the servers ask for one
    key: Path | None = None
