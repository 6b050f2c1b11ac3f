"""Servers of our own on loopback, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.server import Servers


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """One server, shared by the tests of a module."""
    servers = Servers(tmp_path_factory.mktemp("nats"))
    servers.start()
    try:
        yield servers
    finally:
        servers.stop()


@pytest.fixture
def connection(one_server: Servers) -> Iterator[Connection]:
    """A connection to that server."""
    made = Connection.open(one_server.cluster, "test")
    try:
        yield made
    finally:
        made.close()
