"""A whole cluster on this machine: servers, workers as processes of the command, a front, a client."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from orchestrator.cluster.server import Servers

ROOT = Path(__file__).resolve().parents[2]
UP_WITHIN_S = 90.0


class Cluster:
    """Servers, workers and a front; each worker has a home of its own in *folder*."""

    def __init__(self, folder: Path, servers: int = 1, **settings: str) -> None:
        self.folder = folder
        self.servers = Servers(folder / "nats", servers)
        self.archives = folder / "archives"
        self.archives.mkdir(parents=True)
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self._settings = settings
        self.client = httpx2.Client()

    @property
    def environment(self) -> dict[str, str]:
        reached = self.servers.cluster
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("GREENROOM_")},
            "PYTHONPATH": str(ROOT),
            "GREENROOM_CLUSTER_SERVERS": ",".join(reached.servers),
            "GREENROOM_CLUSTER_TOKEN": self.servers.token,
            "GREENROOM_CLUSTER_COPIES": str(reached.copies),
            "GREENROOM_ARCHIVE": str(self.archives),
            **self._settings,
        }

    def home(self, worker: str) -> Path:
        return self.folder / "homes" / worker

    def start_worker(self, name: str, **settings: str) -> None:
        home = self.home(name)
        if not home.is_dir():
            shutil.copytree(ROOT / "agents", home, ignore=shutil.ignore_patterns("sessions"))
        self._start(name, home, "cluster", "worker", "--name", name, **settings)

    def start_front(self, name: str = "front") -> None:
        home = self.folder / "homes" / name
        if not home.is_dir():
            shutil.copytree(ROOT / "agents", home, ignore=shutil.ignore_patterns("sessions"))
        self._start(name, home, "cluster", "front", "--port", "0")

    def _start(self, name: str, home: Path, *arguments: str, **settings: str) -> None:
        with (self.folder / f"{name}.log").open("w") as told:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", "orchestrator.cli", "--home", str(home), *arguments],
                env={**self.environment, **settings},
                stdin=subprocess.DEVNULL,
                stdout=told,
                stderr=subprocess.STDOUT,
                text=True,
            )

    def told(self, name: str) -> str:
        """What a process has said so far."""
        return (self.folder / f"{name}.log").read_text()

    def await_up(self, *names: str) -> None:
        for name in names:
            wait(partial(self._is_up, name), UP_WITHIN_S)

    def _is_up(self, name: str) -> bool:
        told = self.told(name)
        return "takes sessions" in told or "open http" in told

    def connect(self, front: str = "front") -> httpx2.Client:
        """A client of a front, signed in by the cluster's token."""
        self.await_up(front)
        address = self.told(front).partition("open ")[2].split()[0]
        base, _, token = address.partition("?token=")
        self.client.close()
        self.client = httpx2.Client(base_url=base, headers={"authorization": f"Bearer {token}"}, timeout=40)
        return self.client

    def kill(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        self.processes[name].send_signal(how)
        if how is signal.SIGKILL:
            self.processes[name].wait()

    def command(self, *arguments: str, home: str | None = None) -> subprocess.CompletedProcess[str]:
        """A command in a worker's home: in any, unless it is named."""
        place = self.home(home) if home is not None else next((self.folder / "homes").iterdir())
        return subprocess.run(
            [sys.executable, "-m", "orchestrator.cli", "--home", str(place), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    def status(self) -> dict[str, Any]:
        done = self.command("cluster", "status", "--json")
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def owner(self, session: str) -> str | None:
        """The worker whose home holds the session's folder alone, or the one that says so in the bucket."""
        homes = [
            one.name for one in (self.folder / "homes").iterdir() if (one / "sessions" / session).is_dir()
        ]
        return homes[0] if len(homes) == 1 else None

    def close(self) -> None:
        self.client.close()
        for one in self.processes.values():
            if one.poll() is None:
                one.send_signal(signal.SIGCONT)
                one.terminate()
        for one in self.processes.values():
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        self.servers.stop()


@contextmanager
def cluster(folder: Path, workers: str = "abc", servers: int = 1, **settings: str) -> Iterator[Cluster]:
    """A cluster that is up, with a client at its front, for the block."""
    made = Cluster(folder, servers, **settings)
    try:
        made.servers.start()
        for name in workers:
            made.start_worker(name)
        made.start_front()
        made.await_up(*workers, "front")
        made.connect()
        yield made
    finally:
        made.close()


def wait(until: Callable[[], Any], within_s: float = 20.0) -> Any:
    """Wait until something is so, and return it."""
    began = time.monotonic()
    while time.monotonic() - began < within_s:
        if found := until():
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {within_s:g} s")


def patiently(client: httpx2.Client, method: str, path: str, **options: Any) -> httpx2.Response:
    """Ask until it is answered, by one id, as a page does."""
    options.setdefault("headers", {})["Idempotency-Key"] = options.pop("key", f"{time.monotonic_ns()}")
    until = time.monotonic() + 40
    while True:
        try:
            answer = client.request(method, path, **options)
        except httpx2.HTTPError:
            answer = None
        if answer is not None and answer.status_code != 503:
            return answer
        assert time.monotonic() < until, answer.text if answer is not None else "no answer"
        time.sleep(0.2)
