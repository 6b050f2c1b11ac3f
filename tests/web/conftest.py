"""The application in this process; a real server on loopback in its own; and a real browser."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
from starlette.testclient import TestClient

from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.described import HeldClient
from tests.helpers.homes import new_home
from tests.web.browser import Web, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Served:
    """A server that runs: its address, its home, and its process."""

    url: str
    home: Path
    process: subprocess.Popen[str]
    line: str  # what it printed

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=30)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)  # a session that is driven is paused first
        assert self.process.stdout is not None
        self.process.stdout.close()


def start_server(home: Path, *arguments: str, command: str = "serve") -> Served:
    """`greenroom serve` as a user starts it; returns once it answers."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GREENROOM_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestrator.cli", "--home", str(home), command, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        process.stdout.close()
        raise AssertionError(f"the server ended with {process.wait()}")
    return Served(line.split()[1].rstrip("/"), home, process, line)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site with a home of its own and nothing in it."""
    home = Home.open(new_home(tmp_path / "home"))
    made = Site(home, str(home.archives), OpenSessions(home))
    yield made
    made.close()


@pytest.fixture
def api(site: Site) -> Iterator[TestClient]:
    """The application in the test's own process; each of its replies is held to the API's description."""
    with HeldClient(application(site), base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def session(api: TestClient) -> str:
    """A session on the bundled deck."""
    begun = api.post("/api/v1/sessions", json={"sample": True, "id": "s1", "presenter": "Dana Whitfield"})
    assert begun.status_code == 201, begun.text
    return "s1"


Serve = Callable[..., Served]
"""What the fixture `serve` is: it starts a server on a home, with options of the command."""


@pytest.fixture
def server_options() -> tuple[str, ...]:
    """Options of every server of `serve`."""
    return ()


@pytest.fixture
def serve(tmp_path: Path, server_options: tuple[str, ...]) -> Iterator[Serve]:
    """Starts servers that end with the test."""
    running: list[Served] = []

    def start(home: Path | None = None, *arguments: str, command: str = "serve") -> Served:
        at = home or new_home(tmp_path / "home")
        served = start_server(at, *server_options, *arguments, command=command)
        running.append(served)
        return served

    yield start
    for served in running:
        served.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a file that do not stand in each other's way."""
    served = start_server(new_home(tmp_path_factory.mktemp("server") / "home"))
    yield served
    served.stop()


@pytest.fixture(scope="module")
def _chromium() -> Iterator[Chromium]:
    """One browser for a file's tests; not for all, as its event loop would stand in the way of others."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def web(_chromium: Chromium) -> Iterator[Web]:
    """Windows of a real browser; an error in one of them, or a request elsewhere, fails the test."""
    opened = Web(_chromium)
    yield opened
    opened.finish()
