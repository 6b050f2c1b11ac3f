"""`serve --workers`: several processes of one machine behind one address, with one home.

This process is the front. It starts a NATS server on loopback, whose files are gone with it, and the workers;
it starts again what dies, and ends all of them with itself.

Source: cluster.md, "Parts".
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import uvicorn

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.front import Front
from orchestrator.cluster.owners import Owners
from orchestrator.cluster.process import Orders
from orchestrator.cluster.server import Servers
from orchestrator.cluster.wire import Wire
from orchestrator.core.errors import ReplicaAwayError, StoreWriteError, UsageError
from orchestrator.core.store.waiting import TIMEOUT_S
from orchestrator.web.server import Bound, FrontProtocol, allow_open_files, bind, configuration
from orchestrator.web.site import Site
from orchestrator.web.uploads import Shared

MAX_WORKERS: Final = 64
READY_WITHIN_S: Final = 60.0
"""Seconds within which all workers answer: importing takes each two seconds of a core."""
END_WITHIN_S: Final = 10.0 + TIMEOUT_S
"""Seconds that a worker has to pause its sessions; a session's lock may be waited for that long."""
AGAIN_AFTER_S: Final = (0.0, 1.0, 5.0, 30.0)
"""Seconds before a worker is started again, by how many have ended within a minute."""
_MINUTE_S: Final = 60.0
_LOOK_S: Final = 0.05


@dataclass
class _Child:
    """A process of a worker."""

    name: str
    process: subprocess.Popen[str]
    was_heard: bool = False


@dataclass(frozen=True, slots=True)
class Commands:
    """What is run, each as the arguments after the interpreter's name, with its orders on standard input."""

    worker: tuple[str, ...]
    guard: tuple[str, ...]
    """Puts back what somebody changes by hand: apart, as it looks at every write of every worker."""


class Crew:
    """The worker processes of one server. Used by one thread, which may not end before they do."""

    def __init__(self, orders: Orders, number: int, owners: Owners, commands: Commands) -> None:
        """Prepare *number* workers.

        Args:
            orders: What each is told; its name is filled in.
            commands: What is run.
        """
        self._orders = orders
        self._number = number
        self._owners = owners
        self._commands = commands
        self._children: list[_Child] = []
        self._guard: subprocess.Popen[str] | None = None
        self._begun = 0
        self._ended_at: list[float] = []

    def start(self) -> None:
        """Start all workers, and wait until each answers.

        Raises:
            StoreWriteError: One ended at once, or did not answer in time.
        """
        for _ in range(self._number):
            self._begin()
        self._guard = self._run(self._commands.guard, self._orders)
        until = monotonic() + READY_WITHIN_S
        while not all(self._owners.is_living(one.name) for one in self._children):
            for one in self._children:
                if (code := one.process.poll()) is not None:
                    raise StoreWriteError(
                        f"a worker ended at once ({code}): look at what it said before this"
                    )
            if monotonic() > until:
                raise StoreWriteError(
                    f"the workers have not answered within {READY_WITHIN_S:g} s: start fewer, or look at "
                    "what else this machine does"
                )
            sleep(_LOOK_S)

    def look(self, bury: Callable[[str], None]) -> None:
        """Start workers again that have ended, and end those that are frozen.

        Args:
            bury: Called with the name of a worker whose process has ended.
        """
        for one in tuple(self._children):
            is_living = self._owners.is_living(one.name)
            if one.was_heard and not is_living:  # stopped, or stuck: what it holds is freed by its end
                one.process.kill()
                one.process.wait()
            one.was_heard |= is_living
            if one.process.poll() is not None:
                self._children.remove(one)
                _close(one.process)
                bury(one.name)
                self._ended_at.append(monotonic())
        if len(self._children) < self._number and self._may_begin():
            self._begin()
        if self._guard is not None and self._guard.poll() is not None:
            _close(self._guard)
            self._guard = None
            self._ended_at.append(monotonic())
        if self._guard is None and self._may_begin():
            self._guard = self._run(self._commands.guard, self._orders)

    def end(self) -> None:
        """End all workers: each pauses its sessions."""
        running = [one.process for one in self._children]
        if self._guard is not None:
            running.append(self._guard)
        for one in running:
            _close(one)
        until = monotonic() + END_WITHIN_S
        for one in running:
            with suppress(subprocess.TimeoutExpired):
                one.wait(max(0.0, until - monotonic()))
                continue
            one.kill()
            one.wait()
        self._children.clear()
        self._guard = None

    def _may_begin(self) -> bool:
        now = monotonic()
        self._ended_at = [at for at in self._ended_at if now - at < _MINUTE_S]
        lately = len(self._ended_at)
        if not lately:
            return True
        pause = AGAIN_AFTER_S[min(lately - 1, len(AGAIN_AFTER_S) - 1)]
        return now - self._ended_at[-1] >= pause

    def _begin(self) -> None:
        self._begun += 1
        name = f"w{self._begun}"  # never one that another process had: what is said of that one stays said
        process = self._run(self._commands.worker, replace(self._orders, worker=name))
        self._children.append(_Child(name, process))

    def _run(self, command: Sequence[str], orders: Orders) -> subprocess.Popen[str]:
        package = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(one for one in (package, os.environ.get("PYTHONPATH")) if one)
        process = subprocess.Popen(
            [sys.executable, "-P", *command],  # -P: this very package, not one of the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for this process, which ends the others
        )
        if process.stdin is not None:
            with suppress(OSError):  # it has ended already, and `look` finds that
                process.stdin.write(orders.to_line())
                process.stdin.flush()
        return process


def _close(process: subprocess.Popen[str]) -> None:
    """Close a process's standard input, which ends it."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()


def serve_with_workers(
    site: Site,
    host: str,
    port: int,
    workers: int,
    commands: Commands,
    say: Callable[[str, str, str | None], None],
) -> None:
    """Serve a home with several processes until Ctrl-C.

    Args:
        site: What is served: of it, the home and the addresses.
        port: As `web.server.serve`; *say* likewise.
        commands: As of `Crew`.

    Raises:
        UsageError: It is not possible to listen at this address.
        NotInstalledError: The extra `cluster` is missing.
        StoreWriteError: The server or a worker did not start.
    """
    if not 1 <= workers <= MAX_WORKERS:
        raise UsageError(f"--workers: 1 to {MAX_WORKERS}, and as many as this machine has cores")
    allow_open_files()
    bound = bind(site, host, port)
    prefix = "greenroom-workers-"
    with (
        Shared.make(site.own.root) as dropped,
        tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder,
    ):
        servers = Servers(Path(folder))
        try:
            servers.start()
            connection = Connection.open(servers.cluster, "front")
            try:
                _run(bound, connection, servers, dropped, workers, commands, say)
            finally:
                connection.close()
        finally:
            servers.stop()
            for one in bound.sockets:
                one.close()


def _run(
    bound: Bound,
    connection: Connection,
    servers: Servers,
    dropped: Shared,
    workers: int,
    commands: Commands,
    say: Callable[[str, str, str | None], None],
) -> None:
    owners, wire = Owners(connection), Wire(connection)
    owners.open()
    connection.run(wire.open())
    crew = Crew(_orders(bound.site, servers, dropped), workers, owners, commands)
    server = uvicorn.Server(configuration(Front(owners, wire, bound.site.base), FrontProtocol))
    serving: Future[None] | None = None

    def bury(worker: str) -> None:
        with suppress(ReplicaAwayError):  # then its silence tells the others
            connection.run(owners.bury(worker))

    try:
        with suppress(KeyboardInterrupt):
            crew.start()
            serving = connection.spawn(server.serve(sockets=bound.sockets))
            say(*bound.addresses)
            while not serving.done():
                crew.look(bury)
                servers.look()
                sleep(_LOOK_S)
    finally:
        with _undisturbed():
            server.should_exit = True
            crew.end()
            if serving is not None:
                with suppress(Exception):
                    serving.result(END_WITHIN_S)


def _orders(site: Site, servers: Servers, dropped: Shared) -> Orders:
    cluster = servers.cluster
    return Orders(
        worker="",
        home=str(site.own.root),
        archives=site.archives,
        endpoint_url=site.endpoint_url,
        hosts=tuple(sorted(site.hosts)),
        takes_addresses=site.takes_addresses,
        public=str(site.public) if site.public is not None else None,
        elsewhere=site.elsewhere,
        token=site.token,
        servers=cluster.servers,
        servers_token=cluster.token,
        dropped=str(dropped.folder),
    )


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore Ctrl-C in the block: what is being ended is ended whole."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
