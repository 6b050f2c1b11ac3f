"""A whole cluster of real processes on this machine: servers, workers with homes of their own, fronts.

Each worker and front may stand behind a proxy of its own. While the proxy is stopped, nothing passes and no
socket closes, as when a cable is cut.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.server import Servers
from orchestrator.core.errors import GreenroomError

ROOT: Final = Path(__file__).resolve().parents[2]
READY_WITHIN_S: Final = 90.0
END_WITHIN_S: Final = 40.0
_LOOK_S: Final = 0.05


@dataclass
class Program:
    """One process that is started, ended and started again; its output is kept."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]
    output: Path
    ready: str
    """What its output says once it is there."""
    running: subprocess.Popen[bytes] | None = field(default=None, init=False)
    is_stopped: bool = field(default=False, init=False)
    _from: int = field(default=0, init=False)

    def start(self) -> None:
        """Start it."""
        self._from = self.output.stat().st_size if self.output.exists() else 0
        self.is_stopped = False
        with self.output.open("ab") as out:
            self.running = subprocess.Popen(
                self.command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Its process."""
        assert self.running is not None
        return self.running.pid

    @property
    def said(self) -> str:
        """What it has said since it was started."""
        return self.output.read_bytes()[self._from :].decode("utf-8", "replace")

    @property
    def is_ready(self) -> bool:
        """Whether it has said that it is there."""
        return self.ready in self.said

    @property
    def is_up(self) -> bool:
        """Whether its process is there."""
        return self.running is not None and self.running.poll() is None

    def send(self, how: signal.Signals) -> None:
        """Send a signal; wait for its end if it is `SIGKILL`."""
        assert self.running is not None
        self.running.send_signal(how)
        self.is_stopped = how == signal.SIGSTOP
        if how == signal.SIGKILL:
            self.running.wait()

    def end(self) -> None:
        """End it, gently first. A second call does nothing."""
        if self.running is None or self.running.poll() is not None:
            return
        self.running.send_signal(signal.SIGCONT)
        self.running.terminate()
        try:
            self.running.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.running.kill()
            self.running.wait()


@dataclass
class Running:
    """What runs: by name."""

    folder: Path
    servers: Servers
    workers: dict[str, Program]
    fronts: dict[str, Program]
    proxies: dict[str, Program]
    """By the worker or front that stands behind it."""
    small: Path | None
    """The home of the one worker whose disk is small; None: this machine mounts none."""
    small_worker: str | None
    why_no_small: str

    @property
    def archives(self) -> Path:
        """Where all workers archive."""
        return self.folder / "archives"

    def home(self, worker: str) -> Path:
        """A worker's home."""
        return self.folder / worker

    def url(self, front: str) -> tuple[str, int]:
        """Where a front answers: host and port."""
        told = self.fronts[front].output.read_text("utf-8").split("open http://")[1].split()[0]
        host, _, port = told.partition("?")[0].rstrip("/").partition(":")
        return host, int(port)

    @property
    def token(self) -> str:
        """What a program shows the fronts."""
        told = next(iter(self.fronts.values())).output.read_text("utf-8")
        return told.partition("token=")[2].split()[0]


@contextmanager
def cluster(
    folder: Path,
    *,
    workers: int,
    fronts: int,
    servers: int = 3,
    durability: str = "kept",
    behind_proxies: tuple[str, ...] = (),
    small_mb: int | None = None,
) -> Iterator[Running]:
    """A cluster for the block; nothing of it is left.

    Args:
        behind_proxies: Workers (`w1`, `w2` …) and fronts (`f1` …) that stand behind a proxy.
        small_mb: Size of the disk on which the last worker's home lies; None: all lie in *folder*.
    """
    with ExitStack() as stack:
        nats = Servers(folder / "nats", servers)
        stack.callback(nats.stop)
        nats.start()
        (folder / "archives").mkdir()
        environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "GREENROOM_CLUSTER_TOKEN": nats.token,
            "GREENROOM_CLUSTER_COPIES": str(servers),
            "GREENROOM_CLUSTER_DURABILITY": durability,
            "GREENROOM_ARCHIVE": str(folder / "archives"),
        }
        running = Running(folder, nats, {}, {}, {}, None, None, "")
        for name in behind_proxies:
            _proxy(running, name, stack)
        names = [f"w{number + 1}" for number in range(workers)]
        for name in names:
            home = running.home(name)
            home.mkdir()
            if small_mb is not None and name == names[-1]:
                _mount(running, name, home, small_mb, stack)
            for part in ("templates", "session-templates"):
                shutil.copytree(ROOT / "agents" / part, home / part)
            running.workers[name] = _program(
                running, name, environment, ("worker", "--name", name), "takes sessions"
            )
        for number in range(fronts):
            name = f"f{number + 1}"
            running.fronts[name] = _program(running, name, environment, ("front", "--port", "0"), "open http")
        everybody = [*running.workers.values(), *running.fronts.values()]
        # In this order: what stops last is started first.
        stack.callback(_end_all, everybody, running)
        for one in everybody:
            one.start()
        for one in everybody:
            await_ready(one)
        for name, one in running.fronts.items():  # started again, it has the port that its clients know
            port = str(running.url(name)[1])
            one.command = (*one.command[:-1], port)
        yield running


def await_ready(one: Program, within_s: float = READY_WITHIN_S) -> None:
    """Wait until a process says that it is there.

    Raises:
        AssertionError: It does not, and what it said instead.
    """
    until = time.monotonic() + within_s
    while not one.is_ready:
        if not one.is_up or time.monotonic() > until:
            raise AssertionError(f"{one.name} did not begin: {one.said[-2000:]}")
        time.sleep(_LOOK_S)


def until(true: Callable[[], bool], within_s: float) -> bool:
    """Wait until something is true; return whether it became so in time."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        with suppress(GreenroomError):
            if true():
                return True
        time.sleep(_LOOK_S)
    return False


def connect(running: Running, name: str) -> Connection:
    """A connection of this process to the servers, past every proxy."""
    return Connection.open(running.servers.cluster, name)


def _program(
    running: Running, name: str, environment: dict[str, str], command: tuple[str, ...], ready: str
) -> Program:
    ports = [one.port for one in running.servers.all]
    if (proxy := running.proxies.get(name)) is not None:
        ports = [int(one) for one in proxy.said.split()[1:]]
    servers = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
    home = running.home(name if name in command else "w1")
    return Program(
        name,
        (sys.executable, "-m", "orchestrator.cli", "--home", str(home), "cluster", *command),
        environment | {"GREENROOM_CLUSTER_SERVERS": servers},
        running.folder / f"{name}.log",
        ready,
    )


def _proxy(running: Running, name: str, stack: ExitStack) -> None:
    targets = [str(one.port) for one in running.servers.all]
    made = Program(
        f"{name}'s proxy",
        (sys.executable, str(ROOT / "tests" / "helpers" / "cut_cable.py"), *targets),
        dict(os.environ),
        running.folder / f"{name}-proxy.log",
        "listening",
    )
    stack.callback(made.end)
    made.start()
    running.proxies[name] = made
    await_ready(made)


def _mount(running: Running, name: str, home: Path, size_mb: int, stack: ExitStack) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(home)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except OSError as error:
        running.why_no_small = str(error)
        return
    if done.returncode:
        running.why_no_small = (done.stderr.strip() or "mount refused").splitlines()[0]
        return
    running.small, running.small_worker = home, name
    stack.callback(subprocess.run, ["umount", "-l", str(home)], check=True)


def _end_all(everybody: list[Program], running: Running) -> None:
    for proxy in running.proxies.values():
        if proxy.is_up:
            proxy.send(signal.SIGCONT)
    for one in everybody:
        if one.is_up:
            one.send(signal.SIGKILL)
