"""Servers of several processes as a user starts them, with the fixtures of tests/web."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.server import Servers
from tests.web.conftest import _chromium, serve, web

__all__ = ["_chromium", "serve", "web"]


@pytest.fixture
def server_options() -> tuple[str, ...]:
    """Each server of `serve` has two workers."""
    return ("--workers", "2")


@pytest.fixture
def other(one_server: Servers) -> Iterator[Connection]:
    """A second connection: another process, as far as the server knows."""
    made = Connection.open(one_server.cluster, "other")
    yield made
    made.close()
