"""What a cluster costs: writes through HTTP, the log of a write, and taking a session over.

    scripts/bench cluster [load] [log] [takeover] [--seconds N] [--sessions N,N…] [--workers N,N…] [--rate N]

`load`: sessions that are driven, three writes a second each, through `serve --workers` and through a cluster
of three servers and one front, with each number of workers. A write's time runs from the moment at which it
was due, and nothing waits for what went before but its own session's writes. The processor time of each role
stands beside it: two cores carry the clients too.

`log`: an append of the store without a log, with one server and three, kept and local, each in turn, so
that a slow machine slows all. `takeover`: a session of 3,600 writes made on another worker.

The machine's load stands in each line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import STREAMS, stream_of
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.store import Store
from orchestrator.documents.opening import store_of
from orchestrator.material.values import LiveSegment
from orchestrator.panel.home import Home
from orchestrator.rehearsal.rehearsal import Rehearsal
from scripts.bench import SPOKEN, TRANSCRIPT, folder, long_material, new_home, new_store
from tests.helpers.cluster_clients import Client, Told, insist
from tests.helpers.cluster_processes import cluster, connect
from tests.helpers.nats import Here, Workers, servers
from tests.web.conftest import start_server

WRITES_A_SECOND: Final = 3.0
STARTERS: Final = 4
GRACE_S: Final = 20.0
"""How long after the last write was due those that are late may still be sent."""
APPENDS: Final = 300
REHEARSAL_WRITES: Final = 3_600
"""Those of 30 minutes at two a second."""
TICK: Final = os.sysconf("SC_CLK_TCK")


# ---------------------------------------------------------------------- processes


@dataclass(frozen=True)
class Spent:
    """Processor seconds and megabytes of a role's processes."""

    cpu_s: float
    mb: float


def spent(pids: Sequence[int]) -> Spent:
    """What processes have used so far, together."""
    cpu, kb = 0, 0
    for pid in pids:
        at = Path("/proc", str(pid))
        with suppress(OSError):
            fields = (at / "stat").read_text().rpartition(")")[2].split()
            cpu += int(fields[11]) + int(fields[12])
            status = dict(line.split(":", 1) for line in (at / "status").read_text().splitlines())
            kb += int(status["VmRSS"].split()[0])
    return Spent(cpu / TICK, kb / 1024)


def children(pid: int) -> dict[str, list[int]]:
    """The processes that a process has started, by role."""
    found: dict[str, list[int]] = {"front": [pid], "worker": [], "server": []}
    for at in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((at / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == pid:
                command = (at / "cmdline").read_bytes()
                found["server" if b"nats-server" in command else "worker"].append(int(at.name))
    return found


@dataclass
class Target:
    """What is measured: where it answers, and its processes by role."""

    address: tuple[str, int]
    token: str | None
    roles: dict[str, list[int]]
    connection: Connection | None = None


@contextmanager
def served(workers: int) -> Iterator[Target]:
    """`greenroom serve --workers N` on a home of its own."""
    with folder() as at:
        home = new_home(at)
        running = start_server(home, "--workers", str(workers))
        try:
            host, _, port = running.url.removeprefix("http://").partition(":")
            pid = running.process.pid
            roles = children(pid)
            if workers == 1:
                roles = {"front": [], "worker": [pid], "server": []}
            yield Target((host, int(port)), None, roles)
        finally:
            running.process.terminate()
            running.process.wait(60)


@contextmanager
def clustered(workers: int) -> Iterator[Target]:
    """A cluster of three servers and one front."""
    with folder() as at, cluster(at, workers=workers, fronts=1) as running:
        connection = connect(running, "bench")
        try:
            roles = {
                "front": [one.pid for one in running.fronts.values()],
                "worker": [one.pid for one in running.workers.values()],
                "server": [one.pid for one in running.servers._running.values()],
            }
            yield Target(running.url("f1"), running.token, roles, connection)
        finally:
            connection.close()


# ---------------------------------------------------------------------- load


@dataclass
class Came:
    """What one load has shown."""

    taken_ms: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    unsent: int = 0
    seconds: float = 0.0


class Stream:
    """One connection of HTTP/1.1 that stays open: small, since its own cost is on the same cores."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Post JSON; return status and answer."""
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection(*self._target.address)
        host, port = self._target.address
        token = f"authorization: Bearer {self._target.token}\r\n" if self._target.token else ""
        head = (
            f"POST /api/v1{path} HTTP/1.1\r\nhost: {host}:{port}\r\n{token}"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        lines = answer.decode("latin-1").lower().split("\r\n")
        size = next(int(one.partition(":")[2]) for one in lines if one.startswith("content-length:"))
        return int(lines[0].split()[1]), await self._reader.readexactly(size)

    def close(self) -> None:
        """Close it."""
        if self._writer is not None:
            self._writer.close()


async def load(target: Target, sessions: Sequence[str], seconds: float, rate: float) -> Came:
    """Write *rate* times a second to each session."""
    came = Came()
    _, speech = long_material()
    said = [line for line in speech.splitlines() if line.endswith(".")]
    begin = time.monotonic() + 0.5
    end = begin + seconds

    async def present(number: int, session: str) -> None:
        stream = Stream(target)
        for count in range(int(seconds * rate)):
            due = begin + (count + number / len(sessions)) / rate
            if time.monotonic() > end + GRACE_S:
                came.unsent += 1
                continue
            if (early := due - time.monotonic()) > 0:
                await asyncio.sleep(early)
            body = json.dumps({"text": f"{said[(number * 37 + count) % len(said)]} Point {count}."}).encode()
            try:
                status, answer = await stream.post(f"/sessions/{session}/segments", body)
            except (OSError, asyncio.IncompleteReadError) as error:
                came.refused[type(error).__name__] += 1
                stream.close()
                stream = Stream(target)
                continue
            if status >= 400:
                came.refused[f"{status} {answer[:120]!r}"] += 1
            else:
                came.taken_ms.append(1000 * (time.monotonic() - due))
        stream.close()

    await asyncio.gather(*(present(number, session) for number, session in enumerate(sessions)))
    came.seconds = max(seconds, time.monotonic() - begin)
    return came


def start(target: Target, sessions: Sequence[str], *, is_driven: bool) -> None:
    """Start sessions, each with a deck of its own."""
    from concurrent.futures import ThreadPoolExecutor

    deck, _ = long_material()
    client, told = Client([target.address], target.token, timeout_s=60), Told()

    def one(session: str) -> None:
        body = {"deck_text": f"# Plan of {session}\n\n---\n\n{deck}", "id": session, "minutes": 60}
        reply = insist(client, 0, "POST", "/sessions", body, session, told, 120)
        if reply is None or reply.status >= 400:
            raise SystemExit(f"{session} does not begin: {told.counts.most_common(2)}")
        if is_driven:
            insist(client, 0, "POST", f"/sessions/{session}/drive", None, None, told, 120)

    with ThreadPoolExecutor(STARTERS) as pool:
        list(pool.map(one, sessions))


def log_state(target: Target) -> tuple[int, int]:
    """Messages and bytes in all logs."""
    if target.connection is None:
        return 0, 0
    connection = target.connection
    states = [
        connection.run(connection.js.stream_info(f"g_ledger_{number}")).state for number in range(STREAMS)
    ]
    return sum(one.messages for one in states), sum(one.bytes for one in states)


def bench_load(
    seconds: float,
    counts: Sequence[int],
    workers: Sequence[int],
    ways: Sequence[str],
    rate: float,
    *,
    is_driven: bool,
) -> None:
    """Print a line for each number of sessions, way and number of workers."""
    print(f"{rate:g} writes a second and session for {seconds:g} s, {os.cpu_count()} cores; ", end="")
    print("driven" if is_driven else "not driven")
    print(
        "sessions way       workers   asked reached/s   p50 ms   p95 ms   p99 ms"
        "  cores: front worker server client   MB/session  log B/write  load"
    )
    for count in counts:
        for way in ways:
            for number in workers:
                with (served if way == "serve" else clustered)(number) as target:
                    _one_load(target, count, way, number, seconds, rate, is_driven=is_driven)


def _one_load(
    target: Target, count: int, way: str, workers: int, seconds: float, rate: float, *, is_driven: bool
) -> None:
    sessions = [f"load-{number:04}" for number in range(count)]
    empty = {role: spent(pids) for role, pids in target.roles.items()}
    start(target, sessions, is_driven=is_driven)
    messages, size = log_state(target)
    before = {role: spent(pids) for role, pids in target.roles.items()}
    own = time.process_time()
    came = asyncio.run(load(target, sessions, seconds, rate))
    own = time.process_time() - own
    after = {role: spent(pids) for role, pids in target.roles.items()}
    more, larger = log_state(target)
    cores = {role: (after[role].cpu_s - before[role].cpu_s) / came.seconds for role in after}
    memory = (after["worker"].mb - empty["worker"].mb) / count
    p50, p95, p99 = percentiles(came.taken_ms)
    each = f"{(larger - size) / max(1, len(came.taken_ms)):8.0f}" if more > messages else "       -"
    print(
        f"{count:8} {way:9} {workers:7} {count * rate:7.0f} {len(came.taken_ms) / came.seconds:9.0f}"
        f" {p50:8.1f} {p95:8.0f} {p99:8.0f}         {cores['front']:5.2f} {cores['worker']:6.2f}"
        f" {cores['server']:6.2f} {own / came.seconds:6.2f} {memory:12.1f} {each}"
        f"     {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    if came.unsent:
        print(f"         {came.unsent} writes never sent: {GRACE_S:g} s behind")
    for what, times in came.refused.most_common(3):
        print(f"         {times} x {what}")


def percentiles(taken_ms: list[float]) -> tuple[float, float, float]:
    """p50, p95 and p99."""
    ordered = sorted(taken_ms) or [float("nan")]
    p50, p95, p99 = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95, 0.99))
    return p50, p95, p99


# ---------------------------------------------------------------------- the log of one write


def bench_log() -> None:
    """An append without a log beside appends with one, in turn."""
    with folder() as at, ExitStack() as stack:
        stores: dict[str, Store] = {"without": new_store(at / "without")}
        sizes: dict[str, Here] = {}
        for number in (1, 3):
            running = stack.enter_context(servers(at / f"servers-{number}", number))
            for durability in ("kept", "local"):
                name = f"{durability}, {number} server{'s' * (number > 1)}"
                own = at / name.replace(", ", "-").replace(" ", "-")
                here = stack.enter_context(Workers(running, own, durability=durability)).new("w")
                session = f"s{durability}{number}"
                new_store(here.sessions / session).close_files()
                here.custody.begin(session)
                stores[name] = Store(here.sessions / session)
                here.custody.attach(stores[name])
                sizes[name] = here
        taken: dict[str, list[float]] = {name: [] for name in stores}
        for _ in range(APPENDS):
            for name, store in stores.items():
                began = time.perf_counter()
                store.append(TRANSCRIPT, SPOKEN, by="transcript")
                taken[name].append(1000 * (time.perf_counter() - began))
        floor = median(taken["without"])
        print(f"append, {APPENDS} of each in turn; load {os.getloadavg()[0]:.1f}")
        for name, times in taken.items():
            p50, p95, p99 = percentiles(times)
            print(f"  {name:18} p50 {p50:6.2f} ms  p95 {p95:6.2f}  p99 {p99:6.2f}  ratio {p50 / floor:5.2f}")
        here = sizes["kept, 3 servers"]
        kept = here.custody.logs[0]
        size = (here.sessions / kept.session / LEDGER_NAME).stat().st_size
        stream = here.connection.run(here.connection.js.stream_info(stream_of(kept.session))).state
        print(
            f"  ledger {size} bytes; its log {stream.bytes} bytes in {stream.messages} messages, kept 3 times"
        )
        for store in stores.values():
            store.close_files()


async def _objects(here: Here) -> tuple[int, int]:
    store = await here.connection.js.object_store("g_base")
    found = await store.list()
    return len(found), sum(one.size or 0 for one in found)


# ---------------------------------------------------------------------- takeover


def bench_takeover() -> None:
    """A session of 30 minutes, taken over by a worker that never had it."""
    with folder() as at, servers(at, 3) as running, Workers(running, at) as workers:
        a, b = workers.new("a"), workers.new("b")
        home = new_home(at)
        deck, speech = long_material()
        said = [line for line in speech.splitlines() if line.endswith(".")]
        Rehearsal.start(Home.open(home), deck_text=deck, id="long", minutes=60).close()
        shutil.move(home / "sessions" / "long", a.sessions / "long")
        a.custody.begin("long")
        objects, put_bytes = a.connection.run(_objects(a))
        with Rehearsal.open(None, a.sessions / "long") as opened:
            a.custody.attach(store_of(opened))  # a message for each write, as while somebody speaks
            for number in range(REHEARSAL_WRITES):
                opened.hear(LiveSegment(said[number % len(said)]))
        taken, opening = [], []
        for worker in (b, workers.new("c"), workers.new("d")):
            began = time.perf_counter()
            worker.custody.take("long")
            taken.append(time.perf_counter() - began)
            began = time.perf_counter()
            with Rehearsal.open(None, worker.sessions / "long") as opened:
                assert opened.projection.segments
                worker.custody.attach(store_of(opened))
                opened.hear(LiveSegment("It goes on here."))
            opening.append(time.perf_counter() - began)
        size = (b.sessions / "long" / "ledger" / "ledger.jsonl").stat().st_size
        print(
            f"takeover of {REHEARSAL_WRITES} writes ({size / 1e6:.1f} MB): folder made in "
            f"{median(taken):.2f} s, opened and written to in {median(opening):.2f} s; "
            f"load {os.getloadavg()[0]:.1f}; its base: {objects} objects, {put_bytes} bytes"
        )


PARTS: Final = ("log", "takeover", "load")


def main(arguments: Sequence[str]) -> int:
    """Print the figures of each part that is named."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench cluster", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--sessions", default="100,300", help="one number or several")
    parser.add_argument("--workers", default="1,2,4", help="one number or several")
    parser.add_argument("--rate", type=float, default=WRITES_A_SECOND, help="writes a second and session")
    parser.add_argument("--ways", default="serve,cluster")
    parser.add_argument(
        "--idle", action="store_true", help="sessions that are not driven: nothing but writes"
    )
    chosen = parser.parse_args(arguments)
    parts: dict[str, Any] = {"log": bench_log, "takeover": bench_takeover}
    for part in chosen.parts or PARTS:
        if part in parts:
            parts[part]()
            continue
        bench_load(
            chosen.seconds,
            [int(one) for one in chosen.sessions.split(",")],
            [int(one) for one in chosen.workers.split(",")],
            chosen.ways.split(","),
            chosen.rate,
            is_driven=not chosen.idle,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
