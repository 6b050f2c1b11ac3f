"""What stands in a cluster at this moment: servers, workers, sessions, and what needs somebody.

Whoever is alive says so each second (`g.alive.<worker>`), so it is enough to listen for two. Who has which
session is read from the bucket `g_owner`; which servers are there, from what JetStream says of its streams.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from time import time
from typing import TYPE_CHECKING, Any, Final

from orchestrator.cluster.connection import ANSWER_WITHIN_S, Connection
from orchestrator.cluster.owners import ALIVE, BUCKET, STATES, TO
from orchestrator.core.errors import ReplicaAwayError

if TYPE_CHECKING:
    from nats.aio.msg import Msg
    from nats.js.api import PeerInfo

LISTEN_S: Final = 2.2
"""Seconds in which every worker is heard: each says each second that it is alive, and one message may be
late."""
TOLD_WITHIN_S: Final = 1.0
SILENT_S: Final = 5.0
"""Seconds without a word from a server after which it counts as down; they talk each second."""
MAX_CLOCK_S: Final = 2.0
"""Maximum seconds between a worker's clock and the servers' (cluster.md, "Promises")."""
SERVER_TIME: Final = "$SYS.REQ.USER.INFO"
"""Who is signed in; any user may ask, and the answer says which server gave it and at what time."""
ADVICE: Final = {
    "held": "its log lacks what was acknowledged: `greenroom cluster put-back SESSION` restores it",
    "aside": "it ended its worker three times; its folder and its log are kept: look at the worker's log",
}
"""What to do about a session in a state that needs somebody."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server of the cluster, as the others see it."""

    name: str
    is_up: bool
    lag: int  # messages that it still lacks of all streams


@dataclass(frozen=True, slots=True)
class WorkerState:
    """A worker that was heard of."""

    name: str
    sessions: int
    is_draining: bool
    behind: int  # transactions that are on its disk and not yet in the log
    clock_s: float | None  # its clock, less the servers'; None: no server said its time
    pid: int


@dataclass(frozen=True, slots=True)
class Attention:
    """A session that does not go on by itself, and what to do about it."""

    session: str
    state: str
    worker: str
    advice: str


@dataclass(frozen=True, slots=True)
class Status:
    """A cluster at one moment."""

    servers: tuple[ServerState, ...]
    workers: tuple[WorkerState, ...]
    sessions: Mapping[str, int]  # by state
    orphans: int  # live ones whose worker was not heard of
    attention: tuple[Attention, ...]
    streams_without_leader: tuple[str, ...]  # too few servers are there: these take no write
    told: tuple[str, ...] = ()  # what workers said of their sessions: kept aside, not archived yet

    @property
    def is_well(self) -> bool:
        """Whether nobody has to do anything."""
        clocks = all(one.clock_s is None or abs(one.clock_s) <= MAX_CLOCK_S for one in self.workers)
        up = all(one.is_up for one in self.servers)
        return up and clocks and not (self.attention or self.orphans or self.streams_without_leader)


@dataclass(frozen=True, slots=True)
class ServerTime:
    """What the server of this connection says of itself."""

    name: str
    version: str
    ahead_s: float  # this machine's clock, less the server's; half of the way there and back is left out


def read(connection: Connection, listen_s: float = LISTEN_S) -> Status:
    """Return what stands in the cluster; takes *listen_s* seconds.

    Raises:
        ReplicaAwayError: The servers do not answer, or JetStream does not.
    """
    return connection.run(_read(connection, listen_s), timeout_s=listen_s + 3 * ANSWER_WITHIN_S)


def server_time(connection: Connection) -> ServerTime:
    """Return the time of the server to which *connection* leads.

    Raises:
        ReplicaAwayError: It did not answer, or said no time.
    """
    return connection.run(_server_time(connection))


def server_states(connection: Connection) -> tuple[tuple[ServerState, ...], tuple[str, ...]]:
    """Return the servers that keep streams, and the names of streams that have no leader.

    Raises:
        ReplicaAwayError: JetStream does not answer.
    """
    return connection.run(_servers(connection), timeout_s=2 * ANSWER_WITHIN_S)


async def _read(connection: Connection, listen_s: float) -> Status:
    heard: dict[str, tuple[Mapping[str, Any], float]] = {}

    async def hear(message: Msg) -> None:
        told = object_in(message.data)
        if isinstance(name := told.get("worker"), str):
            heard[name] = told, time()

    subscription = await connection.nc.subscribe(f"{ALIVE}.>", cb=hear)
    try:
        listened = asyncio.create_task(asyncio.sleep(listen_s))
        servers, headless = await _servers(connection)
        owners = await _owners(connection)
        try:
            ahead_s: float | None = (await _server_time(connection)).ahead_s
        except ReplicaAwayError:
            ahead_s = None
        await listened
    finally:
        await subscription.unsubscribe()
    told = [line for name in sorted(heard) for line in await _told(connection, name)]
    workers = tuple(_worker(name, *heard[name], ahead_s) for name in sorted(heard))
    states = Counter(str(owner.get("state")) for owner in owners.values())
    return Status(
        servers=servers,
        workers=workers,
        sessions={state: states[state] for state in dict.fromkeys((*STATES, *sorted(states)))},
        orphans=sum(one.get("state") == "live" and one.get("worker") not in heard for one in owners.values()),
        attention=tuple(_attention(owners)),
        streams_without_leader=headless,
        told=tuple(told),
    )


async def _told(connection: Connection, worker: str) -> list[str]:
    """Return what a worker has to say of its sessions; nothing if it does not answer."""
    from nats.errors import Error

    try:
        answer = await connection.nc.request(f"{TO}.{worker}.status", b"", timeout=TOLD_WITHIN_S)
    except (Error, TimeoutError):
        return []
    lines = object_in(answer.data).get("told")
    return [str(line) for line in lines] if isinstance(lines, list) else []


def _worker(name: str, told: Mapping[str, Any], heard_at: float, ahead_s: float | None) -> WorkerState:
    at = told.get("at")
    clock_s = None
    if ahead_s is not None and isinstance(at, int | float):
        clock_s = round(at - heard_at + ahead_s, 3)
    return WorkerState(
        name,
        sessions=_number(told.get("sessions")),
        is_draining=told.get("draining") is True,
        behind=_number(told.get("behind")),
        clock_s=clock_s,
        pid=_number(told.get("pid")),
    )


def _attention(owners: Mapping[str, Mapping[str, Any]]) -> Iterable[Attention]:
    for session in sorted(owners):
        owner = owners[session]
        state = str(owner.get("state"))
        if state in ADVICE:
            yield Attention(session, state, str(owner.get("worker", "")), ADVICE[state])


async def _owners(connection: Connection) -> dict[str, Mapping[str, Any]]:
    """Return every entry of the bucket, by session; none if there was never a worker."""
    from nats.errors import Error
    from nats.js.errors import BucketNotFoundError

    found: dict[str, Mapping[str, Any]] = {}
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            bucket = await connection.js.key_value(BUCKET)
            watcher = await bucket.watchall(ignore_deletes=True)
            try:
                async for entry in watcher:
                    if entry is None:  # all that was there before
                        break
                    found[entry.key] = object_in(entry.value or b"")
            finally:
                await watcher.stop()  # type: ignore[no-untyped-call]  # of the client
    except BucketNotFoundError:
        return {}
    except (Error, TimeoutError) as error:
        raise _away(connection, "who has which session") from error
    return found


async def _servers(connection: Connection) -> tuple[tuple[ServerState, ...], tuple[str, ...]]:
    from nats.errors import Error

    try:
        streams = await connection.js.streams_info()
    except (Error, TimeoutError) as error:
        raise _away(connection, "which streams there are") from error
    lags: Counter[str] = Counter()
    away: set[str] = set()
    headless: list[str] = []
    for stream in streams:
        group = stream.cluster
        if group is None:  # a single server, which forms no group
            continue
        if group.leader:
            lags[group.leader] += 0
        else:
            headless.append(stream.config.name or "")
        for peer in group.replicas or ():
            lags[peer.name or ""] += peer.lag or 0
            if not _is_up(peer):
                away.add(peer.name or "")
    if not lags:  # a single server, or no stream yet: there is the one that answers
        lags[(await _server_time(connection)).name] += 0
    found = tuple(ServerState(name, name not in away, lags[name]) for name in sorted(lags))
    return found, tuple(sorted(headless))


def _is_up(peer: PeerInfo) -> bool:
    """Whether the stream's leader hears this server.

    One that was down when the leader was elected is not `offline` to it, but was never heard: 0 s ago.
    """
    if peer.offline:
        return False
    return bool(peer.current) or 0 < (peer.active or 0) < SILENT_S * 1e9  # nanoseconds


async def _server_time(connection: Connection) -> ServerTime:
    from nats.errors import Error

    before = time()
    try:
        message = await connection.nc.request(SERVER_TIME, b"", timeout=ANSWER_WITHIN_S / 2)
    except (Error, TimeoutError) as error:
        raise _away(connection, "its time") from error
    after = time()
    server = object_in(message.data).get("server")
    try:
        told = dict(server or {})
        at = datetime.fromisoformat(str(told["time"])[:26].rstrip("Z") + "+00:00").timestamp()
    except (KeyError, ValueError, TypeError) as error:
        raise _away(connection, "its time") from error
    return ServerTime(str(told.get("name", "")), str(told.get("ver", "")), (before + after) / 2 - at)


def _away(connection: Connection, what: str) -> ReplicaAwayError:
    servers = ", ".join(connection.cluster.servers)
    return ReplicaAwayError(
        f"{servers}: the servers do not say {what}: look whether JetStream is on and most of them are there, "
        "then try again"
    )


def object_in(data: bytes) -> Mapping[str, Any]:
    """Return the object in a message; an empty one if it holds something else, since anybody may publish."""
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
