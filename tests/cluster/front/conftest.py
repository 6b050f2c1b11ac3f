"""A NATS server of the tests' own, and servers of several processes as a user starts them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.server import Servers
from tests.helpers.homes import new_home
from tests.web.browser import Web, chromium
from tests.web.conftest import Serve, Served, start_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

WORKERS = ("--workers", "2")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """One NATS server for the tests of a file."""
    made = Servers(tmp_path_factory.mktemp("nats"))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def connection(servers: Servers) -> Iterator[Connection]:
    """A connection of this test's own."""
    made = Connection.open(servers.cluster, "test")
    yield made
    made.close()


@pytest.fixture
def other(servers: Servers) -> Iterator[Connection]:
    """A second one: another process, as far as the server knows."""
    made = Connection.open(servers.cluster, "other")
    yield made
    made.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """As the fixture of tests/web, but each server has two workers."""
    running: list[Served] = []

    def start(home: Path | None = None, *arguments: str, command: str = "serve") -> Served:
        served = start_server(home or new_home(tmp_path / "home"), *WORKERS, *arguments, command=command)
        running.append(served)
        return served

    yield start
    for served in running:
        served.stop()


@pytest.fixture(scope="module")
def _chromium() -> Iterator[Chromium]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def web(_chromium: Chromium) -> Iterator[Web]:
    """As the fixture of tests/web."""
    opened = Web(_chromium)
    yield opened
    opened.finish()
