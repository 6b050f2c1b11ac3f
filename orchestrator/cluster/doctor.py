"""What `doctor` says of the cluster: the program used here, the servers, their promises, the clock."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

from orchestrator.cluster.connection import Connection, uses_tls
from orchestrator.cluster.server import Program, programs
from orchestrator.cluster.status import MAX_CLOCK_S, ServerState, server_states, server_time
from orchestrator.core.errors import ConfigurationError, GreenroomError
from orchestrator.core.legible import counted
from orchestrator.core.outbound.loopback import is_loopback
from orchestrator.panel.config.cluster import Cluster

VARZ: Final = "$SYS.REQ.SERVER.PING.VARZ"
"""Each server's settings; only for who may ask: the system account, or one that imports this subject."""
VARZ_WITHIN_S: Final = 1.0
OLDEST: Final = (2, 10)
"""The first release of nats-server that knows `sync_interval: always`."""
HOW_TO_SEE_SYNC: Final = (
    "these credentials may not ask the servers for their settings: look for `sync_interval: always` under "
    "`jetstream` in each server's file, and try the file with `nats-server -t -c FILE`, or let them ask (see "
    "`greenroom help cluster`)"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One finding: its state (ok, off, missing, warning), and what that means."""

    name: str
    state: str
    detail: str


def lines(cluster: Cluster | None) -> list[Line]:
    """Return what there is to say, without a secret; asks the servers if a cluster is configured."""
    found = [program_line(programs(), is_installed=find_spec("nats") is not None)]
    if cluster is None:
        return [*found, Line("cluster", "off", "none is configured (`greenroom help cluster`)")]
    found.append(_wire(cluster))
    try:
        connection = Connection.open(cluster, "doctor")
    except ConfigurationError as error:
        return [*found, Line("cluster", "warning", str(error))]
    except GreenroomError as error:
        return [*found, Line("cluster", "missing", str(error))]
    try:
        return [*found, *_of(connection)]
    finally:
        connection.close()


def program_line(found: list[Program], *, is_installed: bool) -> Line:
    """Say which nats-server is used here, and why one that stands before it is not."""
    name = "nats-server"
    chosen = next((one for one in found if one.takes_us), None)
    old = [one for one in found if not one.takes_us]
    passed = ", ".join(f"{one.path} ({one.version})" for one in old)
    too_old = f"{passed}: too old to know `sync_interval: always`" if old else ""
    if chosen is None:
        how = "`serve --workers` and the demo need one: pip install 'greenroom[cluster]'"
        return Line(
            name, "missing" if old or is_installed else "off", "; ".join(filter(None, (too_old, how)))
        )
    used = f"{chosen.path}, {chosen.version}, for `serve --workers` and the demo"
    before = bool(old) and found.index(old[0]) < found.index(chosen)
    return Line(name, "warning" if before else "ok", f"{used}; not {too_old}" if before else used)


def _wire(cluster: Cluster) -> Line:
    hosts = {urlsplit(one).hostname or "" for one in cluster.servers}
    if uses_tls(cluster):
        signed = f"signed by {cluster.ca}" if cluster.ca is not None else "trusted as the system does"
        return Line("cluster TLS", "ok", f"nothing is sent unencrypted; certificates {signed}")
    if all(is_loopback(one) for one in hosts):
        return Line("cluster TLS", "off", "plain text, on loopback alone")
    return Line(
        "cluster TLS",
        "warning",
        "what is said in rehearsals goes to the servers as plain text: switch on `tls` there, write tls:// "
        "addresses, and set `cluster.ca`",
    )


def _of(connection: Connection) -> list[Line]:
    reached = server_time(connection)
    cluster = connection.cluster
    by = "a token" if cluster.token or cluster.token_file else "no credentials"
    by = (
        f"the user {cluster.user}"
        if cluster.user
        else f"{cluster.credentials}"
        if cluster.credentials
        else by
    )
    version = f"{reached.name}, nats-server {reached.version}"
    if _release(reached.version) < OLDEST:
        told = "is too old to sync every write: it must be 2.10 or later"
        found = [Line("cluster", "warning", f"{version} {told}")]
    else:
        found = [Line("cluster", "ok", f"{version} took this process by {by}")]
    try:
        states, headless = server_states(connection)
        found.append(_servers(cluster, states, headless))
    except GreenroomError as error:
        found.append(Line("cluster servers", "missing", str(error)))
    found.append(_sync(connection.run(_settings(connection))))
    found.append(_clock(reached.ahead_s))
    return found


def _servers(cluster: Cluster, states: tuple[ServerState, ...], headless: tuple[str, ...]) -> Line:
    name = "cluster servers"
    down = [one.name for one in states if not one.is_up]
    up = [one.name for one in states if one.is_up]
    copies = counted(cluster.copies, "copy", "copies")
    told = f"{len(up)} of {len(states)} up ({', '.join(up)}), {copies} of each write"
    if headless:
        return Line(name, "missing", f"{told}; no write to {', '.join(headless)}: start {', '.join(down)}")
    if down:
        return Line(name, "warning", f"{told}; {', '.join(down)} down: start before another one ends")
    if cluster.copies == 1:
        return Line(name, "warning", f"{told}: with one copy a server that is lost takes the log with it")
    if len(states) < cluster.copies:
        return Line(name, "ok", f"{told}; the others are known once a worker has run")
    return Line(name, "ok", told)


def _sync(settings: dict[str, bool]) -> Line:
    """Say whether each server that told its settings syncs every write."""
    name = "cluster sync"
    if not settings:
        return Line(name, "warning", HOW_TO_SEE_SYNC)
    late = sorted(server for server, is_always in settings.items() if not is_always)
    if late:
        told = f"writes are synced now and then at {', '.join(late)}, so a power cut loses acknowledged ones"
        return Line(name, "warning", f"{told}: set `sync_interval: always` under `jetstream` in their files")
    return Line(name, "ok", f"every write is synced at {', '.join(sorted(settings))}")


def _clock(ahead_s: float) -> Line:
    told = f"{abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} the server's"
    if abs(ahead_s) > MAX_CLOCK_S:
        return Line(
            "cluster clock", "warning", f"{told}: a worker here takes no session: set this machine's clock"
        )
    return Line("cluster clock", "ok", told)


async def _settings(connection: Connection) -> dict[str, bool]:
    """Return whether each server that answers syncs every write; empty if this user may not ask."""
    from nats.errors import Error

    nc = connection.nc
    inbox = nc.new_inbox()
    replies = await nc.subscribe(inbox)
    found: dict[str, bool] = {}
    try:
        await nc.publish(VARZ, b"", reply=inbox)
        async with asyncio.timeout(VARZ_WITHIN_S):
            while True:
                message = await replies.next_msg(timeout=VARZ_WITHIN_S)
                found.update(_syncs(message.data))
    except (TimeoutError, Error):  # nobody more, or nobody at all
        pass
    finally:
        await replies.unsubscribe()
    return found


def _syncs(data: bytes) -> dict[str, bool]:
    try:
        told: Any = json.loads(data)
        server, jetstream = told["server"]["name"], told["data"]["jetstream"].get("config")
    except (ValueError, KeyError, TypeError, AttributeError):  # no answer of that kind
        return {}
    # A server without JetStream keeps nothing.
    return {str(server): jetstream.get("sync_always") is True} if isinstance(jetstream, dict) else {}


def _release(version: str) -> tuple[int, ...]:
    numbers = version.split("-")[0].split(".")[:2]
    return tuple(int(one) if one.isdigit() else 0 for one in numbers)
