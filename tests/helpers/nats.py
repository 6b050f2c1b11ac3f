"""Real servers on loopback, and workers in this process that share them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.cluster.base import Base
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.custody import Custody
from orchestrator.cluster.log import Log
from orchestrator.cluster.server import Servers


@contextmanager
def servers(folder: Path, number: int) -> Iterator[Servers]:
    """One or three servers with their streams made, for the block."""
    running = Servers(folder / "nats", number)
    running.start()
    try:
        connection = Connection.open(running.cluster, "set-up")
        try:
            Log(connection, "set-up").set_up()
            Base(connection).set_up()
        finally:
            connection.close()
        yield running
    finally:
        running.stop()


@dataclass(frozen=True)
class Here:
    """What a worker has, without its web app: a connection, a log, a folder of sessions."""

    name: str
    sessions: Path
    connection: Connection
    custody: Custody


class Workers:
    """Workers in this process, each with a folder of its own; closed with the block."""

    def __init__(self, running: Servers, folder: Path, *, durability: str = "kept") -> None:
        self._cluster = replace(running.cluster, durability=durability)
        self._folder = folder
        self._open = ExitStack()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def new(self, name: str) -> Here:
        """A worker of this name; of the same name again, it finds the same folder."""
        connection = Connection.open(self._cluster, name)
        self._open.callback(connection.close)
        sessions = self._folder / name / "sessions"
        sessions.mkdir(parents=True, exist_ok=True)
        return Here(name, sessions, connection, Custody(Log(connection, name), Base(connection), sessions))
