"""Commands of the group `cluster`: its processes, what stands in it, and taking a worker out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.arguments import confirm, flag, option
from orchestrator.cli.screen import Screen
from orchestrator.cli.serve import DEFAULT_PORT, Host, Port, Public, public_address
from orchestrator.cli.stopping import told_if_ended, told_if_stopped
from orchestrator.core.errors import ConfigurationError, NotInstalledError, UsageError
from orchestrator.core.legible import counted

if TYPE_CHECKING:
    from orchestrator.cluster.connection import Connection
    from orchestrator.cluster.status import Status
    from orchestrator.panel.config.cluster import Cluster
    from orchestrator.panel.home import Home

Worker = Annotated[str, typer.Argument(metavar="WORKER", help="Its name, as `cluster status` has it.")]


def worker(
    name: Annotated[
        str | None, option("NAME", "Its name in the cluster; default: `cluster.worker`, or else the host's.")
    ] = None,
    probes: Annotated[
        str | None,
        option("HOST:PORT", "Where health, readiness and metrics are answered; default: nowhere."),
    ] = None,
) -> None:
    """Take sessions of the cluster and drive them, until it is ended.

    The home keeps the worker's own copy of each session that it has. At SIGTERM or Ctrl-C it hands its
    sessions over to other workers first.
    """
    home, cluster = _configured(web=True)
    if name is not None:
        from orchestrator.panel.config.cluster import WORKER

        if WORKER.fullmatch(name) is None:
            raise UsageError(f"--name is {name[:80]!r}, but must be up to 64 letters, digits, - or _")
        cluster = replace(cluster, worker=name)
    at = None if probes is None else _address(probes)
    from orchestrator.cluster.worker import run

    run(home, cluster, probes=at, say=_say)


def front(host: Host = "127.0.0.1", port: Port = DEFAULT_PORT, public_url: Public = None) -> None:
    """Answer browsers, and pass each request on to its worker."""
    if not host:
        raise UsageError("--host needs an address")
    home, cluster = _configured(web=True)
    from orchestrator.cluster.front import run

    run(home, cluster, host, port, public_address(home, public_url), _say)


def status() -> None:
    """Show the servers, workers and sessions, and what needs somebody.

    Listens for two seconds, since each worker says each second that it is there.
    """
    _, cluster = _configured()
    from orchestrator.cluster.status import read

    with _connected(cluster, "status") as connection:
        found = read(connection)
    Screen.current.result({**asdict(found), "is_well": found.is_well}, _table(found))


def drain(
    worker: Worker,
    timeout: Annotated[int, option("SECONDS", "How long it may take.", least=1)] = 60,
) -> None:
    """Let a worker hand over its sessions and go.

    Before a deploy, or for good. Nobody in a room loses anything; a page waits under two seconds.
    """
    _, cluster = _configured()
    from orchestrator.cluster.drain import drain as ask

    def say(left: int) -> None:
        Screen.current.note(f"{worker}: {counted(left, 'session')} left")

    with _connected(cluster, "drain") as connection:
        done = ask(connection, worker, timeout, say)
    text = f"{worker} has handed over {counted(done.sessions, 'session')} and goes"
    Screen.current.result(asdict(done), text)


def demo(
    no_open: Annotated[bool, flag("--no-browser", "Print the address, and open no browser.")] = False,
    play: Annotated[bool, flag("--play", "Kill, answer and end without a person, then stop.")] = False,
) -> None:
    """Show a cluster on this machine, of which one worker is killed.

    Three servers, three workers and a front, on loopback and in a temporary folder; Ctrl-C ends all of them,
    and nothing stays. The bundled deck is rehearsed; while a question is open, its worker is killed.
    """
    begun = monotonic()
    _extras(web=True)
    from orchestrator.cluster.demo import run

    def left() -> str:
        return "nothing of the demonstration is left"

    with told_if_stopped(left):
        run(_say, opens=not (no_open or play), plays=play, begun=begun)
    told_if_ended(left)


def put_back(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Its id, as `cluster status` has it.")],
    yes: Annotated[bool, flag("--yes", "Do not ask at the terminal.")] = False,
) -> None:
    """Put back into the log what only a worker's disk has.

    Needed where `cluster status` or a worker's line names a session whose log is shorter than its folder.
    """
    _, cluster = _configured()
    from orchestrator.cluster.put_back import put_back as put

    if not yes:
        confirm(f"put back what the log lacks of {session}?")
    with _connected(cluster, "put-back") as connection:
        done = put(connection, session)
    Screen.current.result(asdict(done), str(done))


def _configured(*, web: bool = False) -> tuple[Home, Cluster]:
    """Return the home and how its cluster is reached.

    Raises:
        NotInstalledError: An extra is missing.
        ConfigurationError: No cluster is configured.
    """
    _extras(web=web)
    home = Screen.current.open_home()
    if home.config.cluster is None:
        raise ConfigurationError(
            f"{home.root / 'greenroom.yaml'}: no cluster is configured: add `cluster: "
            "{servers: [nats://HOST:4222]}`, or set GREENROOM_CLUSTER_SERVERS (`greenroom help cluster`)"
        )
    return home, home.config.cluster


def _extras(*, web: bool) -> None:
    wanted = {"cluster": "nats", **({"web": "fastapi"} if web else {})}
    if missing := [extra for extra, module in wanted.items() if find_spec(module) is None]:
        raise NotInstalledError(
            f"a cluster needs {' and '.join(f'the extra `{one}`' for one in missing)}: "
            f"pip install 'greenroom[{','.join(missing)}]'"
        )


@contextmanager
def _connected(cluster: Cluster, what: str) -> Iterator[Connection]:
    from orchestrator.cluster.connection import Connection

    connection = Connection.open(cluster, f"greenroom {what} {os.getpid()}")
    try:
        yield connection
    finally:
        connection.close()


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"--probes is {text[:80]!r}, but must be HOST:PORT, such as 0.0.0.0:8717")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _say(plain: dict[str, Any], text: str) -> None:
    """Print what a process of the cluster has to say, at once: whoever waits for it reads a pipe."""
    Screen.current.result(plain, text)
    sys.stdout.flush()


def _table(found: Status) -> str:
    lines = [f"{'server':<20} {'state':<8} {'lacks':>8}"]
    lines += [f"{one.name:<20} {'up' if one.is_up else 'DOWN':<8} {one.lag:>8}" for one in found.servers]
    if not found.servers:
        lines.append("none has a stream yet")
    lines += ["", f"{'worker':<20} {'state':<8} {'sessions':>8} {'behind':>8} {'clock':>9}"]
    for one in found.workers:
        clock = "unknown" if one.clock_s is None else f"{one.clock_s:+.1f} s"
        state = "draining" if one.is_draining else "up"
        lines.append(f"{one.name:<20} {state:<8} {one.sessions:>8} {one.behind:>8} {clock:>9}")
    if not found.workers:
        lines.append("none was heard of")
    states = ", ".join(f"{number} {state}" for state, number in found.sessions.items())
    lines += ["", f"sessions: {states}"]
    lines += [f"{one.session}: {one.state}: {one.advice}" for one in found.attention]
    if found.orphans:
        lines.append(
            f"{found.orphans} live without a worker that was heard of: a worker takes them within seconds; "
            "if not, start one"
        )
    from orchestrator.cluster.status import MAX_CLOCK_S

    lines += [
        f"{one.name}: its clock differs by {abs(one.clock_s):.1f} s from the servers', so it takes no "
        "session: set the machine's clock"
        for one in found.workers
        if one.clock_s is not None and abs(one.clock_s) > MAX_CLOCK_S
    ]
    lines += [
        f"{name}: has no leader, so it takes no write: start the servers that are down"
        for name in found.streams_without_leader
    ]
    return "\n".join([*lines, *found.told])
