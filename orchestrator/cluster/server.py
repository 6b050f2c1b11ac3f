"""A NATS server of our own on loopback: for `serve --workers`, the demonstration and the tests.

Its files are synced at every write. It listens on loopback alone, with a token that was made for this run,
and ends with the process that started it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from orchestrator.core.errors import NotInstalledError, StoreWriteError
from orchestrator.panel.config.cluster import Cluster

PROGRAM: Final = "nats-server"
READY_WITHIN_S: Final = 15.0
LOG: Final = "server.log"
_READY: Final = b"Server is ready"
"""What the server writes once it listens."""
_LOOK_S: Final = 0.02
OWN_PORTS: Final = range(20_000, 32_000)
"""Ports for our servers: below those that Linux hands out (32768 and up) and others do (RFC 6335: 49152)."""
TOKEN_BYTES: Final = 24
MAX_PAYLOAD_BYTES: Final = 8 * 1024 * 1024
"""Largest message: a transaction of the store in one piece. A record's line may be larger than NATS's own
1 MB, and 8 MB is the most that its makers advise."""


@dataclass(frozen=True, slots=True)
class Program:
    """A nats-server that is installed here."""

    path: str
    version: str
    takes_us: bool  # it knows `sync_interval: always`


def programs() -> list[Program]:
    """Return the nats-servers of this machine, in the order in which they are chosen: the one on the PATH,
    then the one that came with the extra `cluster`."""
    here = shutil.which(PROGRAM)
    beside = str(Path(sys.executable).with_name(PROGRAM))
    found = dict.fromkeys(one for one in (here, beside) if one is not None and os.access(one, os.X_OK))
    return [Program(one, _version(one), _takes_us(one)) for one in found]


def program() -> Program:
    """Return the nats-server that is used here.

    Raises:
        NotInstalledError: There is none, or none that accepts our configuration.
    """
    found = programs()
    chosen = next((one for one in found if one.takes_us), None)
    if chosen is None:
        old = "".join(f"; {one.path} ({one.version}) does not know sync_interval" for one in found)
        raise NotInstalledError(
            f"no {PROGRAM} is here that syncs every write{old}: pip install 'greenroom[cluster]' brings one"
        )
    return chosen


def _version(path: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False)
        return told.stdout.strip().rpartition("v")[2]
    return "unknown"


def _takes_us(path: str) -> bool:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="greenroom-nats-") as folder:
        given = Path(folder, "try.conf")
        given.write_text(_configuration(Path(folder), "try", 4222, "token", ()), "utf-8")
        with suppress(OSError, subprocess.TimeoutExpired):
            return (
                subprocess.run(
                    [path, "-t", "-c", str(given)], capture_output=True, timeout=10, check=False
                ).returncode
                == 0
            )
    return False


@dataclass(frozen=True, slots=True)
class Listening:
    """Where one server of ours listens, and where it keeps its files."""

    name: str
    folder: Path
    port: int
    peers: int  # the port at which the servers find each other


class Servers:
    """Servers of one cluster on this machine, each a process of its own."""

    def __init__(self, folder: Path, number: int = 1, token: str | None = None) -> None:
        """Prepare *number* servers (1 or 3) that keep their files in *folder*.

        Raises:
            StoreWriteError: No port is free.
        """
        self.token = token if token is not None else secrets.token_urlsafe(TOKEN_BYTES)
        ports = _free_ports(2 * number)
        self.all = [
            Listening(f"n{at + 1}", folder / f"n{at + 1}", ports[at], ports[number + at])
            for at in range(number)
        ]
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._said: dict[str, int] = dict.fromkeys((one.name for one in self.all), 0)  # bytes of its log

    @property
    def cluster(self) -> Cluster:
        """How a process reaches these servers."""
        servers = tuple(f"nats://127.0.0.1:{one.port}" for one in self.all)
        return Cluster(servers, copies=len(self.all), token=self.token)

    def start(self) -> None:
        """Start all servers, and wait until each answers.

        Raises:
            NotInstalledError: There is no program to start.
            StoreWriteError: One did not come up.
        """
        chosen = program()
        for one in self.all:
            self._begin(one, chosen.path)
        until = monotonic() + READY_WITHIN_S
        for one in self.all:
            self._await(one, until)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes of the servers that run."""
        return tuple(one.pid for one in self._running.values())

    def start_one(self, name: str) -> None:
        """Start the server of this name again, after `kill`."""
        one = self._named(name)
        self._begin(one, program().path)
        self._await(one, monotonic() + READY_WITHIN_S)

    def kill(self, name: str, how: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to one server; wait for its end if it ends it."""
        running = self._running[name]
        running.send_signal(how)
        if how in (signal.SIGKILL, signal.SIGTERM):
            running.wait()

    def look(self) -> None:
        """Start servers again that have ended by themselves, on the files that they have left."""
        for name, running in tuple(self._running.items()):
            if running.poll() is not None:
                self.start_one(name)

    def stop(self) -> None:
        """End all servers. A second call does nothing."""
        for running in self._running.values():
            if running.poll() is None:
                running.send_signal(signal.SIGCONT)
                running.terminate()
        for running in self._running.values():
            try:
                running.wait(5)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
        self._running.clear()

    def _named(self, name: str) -> Listening:
        return next(one for one in self.all if one.name == name)

    def _begin(self, one: Listening, path: str) -> None:
        one.folder.mkdir(0o700, parents=True, exist_ok=True)
        given = one.folder / "server.conf"
        fd = os.open(given, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(_configuration(one.folder, one.name, one.port, self.token, self._routes(one)))
        # Its own process group: Ctrl-C at the terminal is for who started it, and ends it after its users.
        with suppress(FileNotFoundError):  # of an earlier process, which said that it was ready
            self._said[one.name] = (one.folder / LOG).stat().st_size
        self._running[one.name] = subprocess.Popen(
            [path, "-c", str(given)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )

    def _routes(self, one: Listening) -> Sequence[int]:
        return (
            [one.peers, *(other.peers for other in self.all if other is not one)] if len(self.all) > 1 else ()
        )

    def _await(self, one: Listening, until: float) -> None:
        while monotonic() < until:
            if (ended := self._running[one.name].poll()) is not None:
                raise StoreWriteError(f"{PROGRAM} ended at once ({ended}): look at {one.folder / LOG}")
            with suppress(OSError), (one.folder / LOG).open("rb") as log:
                log.seek(self._said[one.name])
                if _READY in log.read():
                    return
            sleep(_LOOK_S)
        raise StoreWriteError(
            f"{PROGRAM} did not answer within {READY_WITHIN_S:g} s: look at {one.folder / LOG}"
        )


def end_with_parent() -> None:
    """Ask the kernel to end this process with the one that started it, where it knows how (Linux)."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG, prctl(2)


def _configuration(folder: Path, name: str, port: int, token: str, routes: Sequence[int]) -> str:
    """Return a server's configuration. *routes* are the ports of the servers' own network: its own first."""
    told = [
        f"server_name: {name}",
        f'listen: "127.0.0.1:{port}"',
        f"authorization {{ token: {json.dumps(token)} }}",
        f"max_payload: {MAX_PAYLOAD_BYTES}",
        f"log_file: {json.dumps(str(folder / LOG))}",
        "jetstream {",
        f"  store_dir: {json.dumps(str(folder / 'data'))}",
        "  sync_interval: always",
        "}",
    ]
    if routes:
        own, *others = routes
        named = ", ".join(f'"nats://greenroom:{token}@127.0.0.1:{one}"' for one in others)
        told += [
            "cluster {",
            "  name: greenroom",
            "  no_advertise: true",  # everybody is told of all servers, and by the addresses that reach them
            f'  listen: "127.0.0.1:{own}"',
            f"  authorization {{ user: greenroom, password: {json.dumps(token)} }}",
            f"  routes: [{named}]",
            "}",
        ]
    return "\n".join(told) + "\n"


def _free_ports(number: int) -> list[int]:
    """Return ports of loopback that nobody listens at now, of those that no system hands out by itself: one
    that was free would else be somebody's before the server begins, or begins again."""
    found: list[int] = []
    for port in secrets.SystemRandom().sample(OWN_PORTS, len(OWN_PORTS)):
        with socket.socket() as held, suppress(OSError):
            held.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == number:
            return found
    raise StoreWriteError(
        f"fewer than {number} ports from {OWN_PORTS[0]} to {OWN_PORTS[-1]} are free: end what listens there"
    )
