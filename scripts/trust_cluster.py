"""A cluster of real processes under faults, and what becomes of each acknowledged write.

    scripts/trust_cluster.py [--seconds N] [--sessions N] [--seed N] [--share N] [--kinds KIND,KIND…]

Three servers, four workers with homes of their own, two fronts, one folder for archives. Each session is
written to every two seconds through HTTP, each write with a word of its own and a key; a refused or lost
request is asked again by its key until it is acknowledged. Every tenth session is driven. Meanwhile one fault
after the other: workers and fronts are killed, frozen or cut off, servers killed or frozen, a disk filled.

At the end all is healthy again; every log is read message by message, every session is ended, archived and
restored from its archive. Then the same, shorter, with `durability: local` and faults of workers alone, which
are all that it may lose something by.

Source: cluster.md, "Promises" and "Failures".
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator.cluster.connection import Connection  # noqa: E402  # the path is set first
from orchestrator.cluster.log import STREAMS  # noqa: E402
from orchestrator.cluster.owners import Owners  # noqa: E402
from orchestrator.cluster.status import server_states  # noqa: E402
from orchestrator.cluster.takeover import ASIDE  # noqa: E402
from orchestrator.core.archive.download import restore  # noqa: E402
from orchestrator.core.errors import GreenroomError  # noqa: E402
from orchestrator.core.store import ledger  # noqa: E402
from orchestrator.core.store.history import LEDGER_NAME  # noqa: E402
from orchestrator.panel.application import BOARD  # noqa: E402
from orchestrator.rehearsal.rehearsal import Rehearsal  # noqa: E402
from tests.helpers.cluster_clients import WORD, Client, Given, Presenter, Told, insist  # noqa: E402
from tests.helpers.cluster_processes import (  # noqa: E402
    Running,
    await_ready,
    cluster,
    connect,
    until,
)
from tests.helpers.ferries import DECK  # noqa: E402
from tests.helpers.figures import not_run, note  # noqa: E402

WHOLE_S: Final = 600.0
SESSIONS: Final = 300
EVERY_S: Final = 2.0
WORKERS: Final = 4
FRONTS: Final = 2
SMALL_MB: Final = 512
"""Size of the one small disk: 100 sessions with room to spare."""
STARTERS: Final = 6
DRIVEN_EVERY: Final = 10
MEDIAN_S, LONGEST_S = 5.0, 15.0
"""Aims of a takeover (cluster.md, "Promises")."""
LAST_S: Final = 1.0
"""Seconds of writes that a death may cost with `durability: local`."""
SETTLE_S: Final = 60.0
END_S: Final = 120.0
ARCHIVED_S: Final = 240.0

KILLED, FROZEN, CUT, FULL = "killed", "frozen", "cut off", "disk full"
KINDS: Final = (
    f"worker {KILLED}",
    f"worker {FROZEN}",
    f"front {KILLED}",
    f"server {KILLED}",
    f"worker {CUT}",
    FULL,
    f"server {FROZEN}",
    f"front {CUT}",
    f"front {FROZEN}",
)
BEHIND_PROXIES: Final = ("w1", "w2", "w3", "f2")
"""Who can be cut off."""


def say(line: str) -> None:
    """Print a line with the seconds since the beginning."""
    print(f"{time.monotonic() - BEGAN_S:7.1f} s  {line}", flush=True)


BEGAN_S: Final = time.monotonic()


# ---------------------------------------------------------------------- faults


@dataclass
class Fault:
    """One fault, and the sessions that it meets."""

    kind: str
    target: str
    at_s: float
    sessions: tuple[str, ...]
    over_s: float = 0.0


class Faults:
    """One fault after the other, each undone and over before the next."""

    def __init__(
        self, running: Running, connection: Connection, owners: Owners, chance: random.Random
    ) -> None:
        self._running = running
        self._connection = connection
        self._owners = owners
        self._chance = chance
        self.done: list[Fault] = []
        self.unsettled: list[str] = []

    def go_on(
        self, until_s: float, kinds: Sequence[str], presenters: dict[str, Presenter], every_s: float
    ) -> None:
        """Make faults until a moment: every kind once before any comes again."""
        while True:
            hand = list(kinds)
            self._chance.shuffle(hand)
            for kind in hand:
                if time.monotonic() > until_s:
                    return
                self._one(kind, presenters)
                time.sleep(self._chance.uniform(0.5, 1.5) * every_s)

    def _one(self, kind: str, presenters: dict[str, Presenter]) -> None:
        who, _, how = kind.partition(" ")
        if kind == FULL:
            target = self._running.small_worker or ""
        elif how == CUT:
            target = self._choice([one for one in BEHIND_PROXIES if one[0] == who[0]])
        elif who == "server":
            target = self._chance.choice([one.name for one in self._running.servers.all])
        else:
            target = self._choice(sorted(self._running.workers if who == "worker" else self._running.fronts))
        met = self._met(who, kind, target)
        if not met:  # it has just come back, and nobody has died since: its turn comes again
            return
        fault = Fault(kind, target, time.monotonic(), met)
        self.done.append(fault)
        spread = Counter(one.worker for one in self._owners.owners().values())
        heard = {one.worker for one in self._owners.living()}
        who_has = ", ".join(
            f"{name} {spread[name]}{'' if name in heard else ' (silent)'}" for name in self._running.workers
        )
        say(f"{target} {kind} ({len(met)} sessions of {who_has})")
        if ended := self.ended():
            self.unsettled.append(f"ended by themselves: {', '.join(ended)}")
            say(self.unsettled[-1])
        self._make(fault, who, how)
        fault.over_s = time.monotonic()
        settled = until(partial(self._is_settled, fault, presenters), SETTLE_S)
        late = [one for one in met if not went_on(presenters[one], fault)]
        waited = [taken_s(presenters[one], fault) for one in met]
        longest = max((one for one in waited if one is not None), default=0.0)
        say(f"{target} is back; the longest pause was {longest:.1f} s; {len(late)} do not go on")
        if not settled:
            self.unsettled.append(f"{target} {kind}: not settled after {SETTLE_S:g} s, {len(late)} waiting")
            say(self.unsettled[-1])
            for one in late[:5]:
                print(f"    {one}: {self._owners.owner(one)}", flush=True)
            for line in self._lapsed():
                print(f"    {line}", flush=True)

    def _choice(self, names: Sequence[str]) -> str:
        """Any front, or one of the workers that have sessions."""
        busy = {one.worker for one in self._owners.owners().values()}
        return self._chance.choice([one for one in names if one[0] != "w" or one in busy] or list(names))

    def _lapsed(self) -> Iterator[str]:
        """What each worker says of sessions that it cannot write."""
        for worker in self._running.workers:
            with suppress(Exception):  # one that does not answer
                answer = self._connection.run(
                    self._connection.nc.request(f"g.to.{worker}.status", b"", timeout=3)
                )
                told = json.loads(answer.data)
                yield from (f"{worker}: {name}: {why}" for name, why in list(told["lapsed"].items())[:10])
                yield from (f"{worker} told: {line}" for line in told["told"][-5:])

    def ended(self) -> list[str]:
        """Processes that ended though nobody ended them."""
        programs = (self._running.workers | self._running.fronts).items()
        return [
            f"{name}: {one.running.returncode}" for name, one in programs if one.running and not one.is_up
        ]

    def _met(self, who: str, kind: str, target: str) -> tuple[str, ...]:
        owners = self._owners.owners()
        if who == "worker" or kind == FULL:
            return tuple(sorted(name for name, one in owners.items() if one.worker == target))
        return tuple(sorted(owners))

    def _make(self, fault: Fault, who: str, how: str) -> None:
        running, chance = self._running, self._chance
        frozen_s = chance.uniform(4, 8)
        if fault.kind == FULL:
            assert running.small is not None
            with full(running.small):
                time.sleep(frozen_s + 4)
        elif how == CUT:
            proxy = running.proxies[fault.target]
            proxy.send(signal.SIGSTOP)
            time.sleep(frozen_s)
            proxy.send(signal.SIGCONT)
        elif who == "server":
            running.servers.kill(fault.target, signal.SIGKILL if how == KILLED else signal.SIGSTOP)
            time.sleep(frozen_s)
            if how == KILLED:
                running.servers.start_one(fault.target)
            else:
                running.servers.kill(fault.target, signal.SIGCONT)
        else:
            program = (running.workers | running.fronts)[fault.target]
            if how == KILLED:
                program.send(signal.SIGKILL)
                time.sleep(chance.uniform(0.5, 6))
                program.start()
                await_ready(program)
            else:
                program.send(signal.SIGSTOP)
                time.sleep(frozen_s)
                program.send(signal.SIGCONT)

    def _is_settled(self, fault: Fault, presenters: dict[str, Presenter]) -> bool:
        if not all(went_on(presenters[one], fault) for one in fault.sessions):
            return False
        return is_current(self._connection)


def is_current(connection: Connection) -> bool:
    """Whether every server has all messages, and every stream a leader."""
    servers, headless = server_states(connection)
    return not headless and len(servers) == 3 and all(one.is_up and not one.lag for one in servers)


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """Leave no byte on a disk for the block."""
    filler = folder / "filler"
    try:
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            for size in (1 << 20, 4096, 1):
                with suppress(OSError):
                    while True:
                        file.write(bytes(size))
        yield
    finally:
        filler.unlink(missing_ok=True)


def went_on(presenter: Presenter, fault: Fault) -> bool:
    """Whether a write was acknowledged since a fault."""
    return taken_s(presenter, fault) is not None


def taken_s(presenter: Presenter, fault: Fault) -> float | None:
    """Seconds from a fault to the next acknowledged write; None: there was none.

    A write whose answer was on its way at that moment says nothing: it must have been sent since, or have
    been acknowledged a second later.
    """
    if fault.kind == FULL:  # there is room in the last block: the first refusal comes some writes later
        waited = [
            one.at_s - one.begun_s
            for one in presenter.acknowledged
            if fault.at_s <= one.begun_s <= (fault.over_s or time.monotonic())
        ]
        return max(waited, default=None)
    for one in presenter.acknowledged:
        if one.at_s > fault.at_s and (one.sent_s >= fault.at_s or one.at_s > fault.at_s + 1):
            return one.at_s - fault.at_s
    return None


# ---------------------------------------------------------------------- what the logs hold


@dataclass
class Logged:
    """What one session's log holds, and what is wrong in it."""

    content: bytearray = field(default_factory=bytearray)
    epoch: int = 0
    claims: int = 0
    messages: int = 0
    size_bytes: int = 0
    stale: int = 0
    """Messages that were taken from who had another epoch than the last claim's."""
    torn: int = 0
    """Messages that do not follow from what is before them."""
    is_claimed: bool = False  # the last message was a claim


def read_logs(connection: Connection) -> dict[str, Logged]:
    """Read every message of every log, as the servers keep them."""
    found: dict[str, Logged] = {}
    for number in range(STREAMS):
        connection.run(_read_stream(connection, number, found), timeout_s=300)
    return found


async def _read_stream(connection: Connection, number: int, found: dict[str, Logged]) -> None:
    info = await connection.js.stream_info(f"g_ledger_{number}")
    if not info.state.messages:
        return
    subscription = await connection.js.subscribe(f"g.ledger.{number}.*", ordered_consumer=True)
    try:
        while True:
            message = await subscription.next_msg(timeout=20)
            session = message.subject.rpartition(".")[2]
            metadata = message.metadata
            _take_in(
                found.setdefault(session, Logged()),
                metadata.sequence.stream,
                message.headers or {},
                message.data,
            )
            if not metadata.num_pending:
                return
    finally:
        await subscription.unsubscribe()


def _take_in(log: Logged, seq: int, headers: dict[str, str], data: bytes) -> None:
    log.messages += 1
    log.size_bytes += len(data) + sum(len(name) + len(value) for name, value in headers.items())
    if "Greenroom-Claim" in headers:
        log.stale += seq <= log.epoch
        log.epoch, log.is_claimed = seq, True
        log.claims += 1
        return
    after = int(headers["Greenroom-After"])
    if log.is_claimed and after < len(log.content):  # a transaction in several messages that was cut short
        del log.content[max(after, ledger.scan(bytes(log.content)).end) :]
    log.is_claimed = False
    log.torn += after != len(log.content)
    log.stale += headers["Nats-Msg-Id"].rpartition(".")[2] != str(log.epoch)
    log.content += data


# ---------------------------------------------------------------------- what the archives hold


@dataclass(frozen=True, slots=True)
class Archived:
    """What an archive gives back."""

    session: str
    words: dict[int, int]  # how often each write stands in the transcript
    ledger_sha256: str
    begins_with: bool  # with what the log held before the end
    records: int
    rebuilt: int
    differ: tuple[str, ...]  # contexts that were not rebuilt to the same bytes, and why
    wrong: str = ""  # why it cannot be restored


def read_archive(
    session: str, url: str, into: Path, log_size: int, log_sha256: str, contexts: Sequence[Given]
) -> Archived:
    """Restore a session, which verifies its archive, and read it."""
    try:
        folder = restore(session, url, into, application=BOARD)
    except GreenroomError as error:
        return Archived(session, {}, "", begins_with=False, records=0, rebuilt=0, differ=(), wrong=str(error))
    kept = (folder / LEDGER_NAME).read_bytes()
    transcript = (folder / "shared" / "presenter-transcript.md").read_text("utf-8")
    words = Counter(int(one[2]) for one in WORD.finditer(transcript))
    differ = []
    with Rehearsal.open(None, folder) as opened:
        for one in contexts:
            try:
                if sha256(opened.replay(one.receipt).text.encode()).hexdigest() != one.digest:
                    differ.append(f"{session}: {one.agent}: other bytes")
            except GreenroomError as error:
                differ.append(f"{session}: {one.agent}: {error}")
    return Archived(
        session,
        dict(words),
        sha256(kept).hexdigest(),
        begins_with=sha256(kept[:log_size]).hexdigest() == log_sha256,
        records=kept.count(b"\n"),
        rebuilt=len(contexts) - len(differ),
        differ=tuple(differ),
    )


# ---------------------------------------------------------------------- one run


@dataclass
class Outcome:
    """What one run has shown."""

    rows: list[tuple[str, int, int, str]] = field(default_factory=list)

    def row(self, what: str, count: int, wrong: int, told: str = "") -> None:
        """Keep a row, and print it."""
        self.rows.append((what, count, wrong, told))
        note("cluster", what, count=count, wrong=wrong, told=told)

    @property
    def is_well(self) -> bool:
        """Whether nothing was wrong."""
        return not any(wrong for _, _, wrong, _ in self.rows)

    def lines(self) -> Iterator[str]:
        """The table."""
        for what, count, wrong, told in self.rows:
            yield f"{count:>9,}{f', {wrong:,} WRONG' if wrong else ''}  {what}{f': {told}' if told else ''}"


def try_out(
    durability: str, seconds: float, sessions: int, seed: int, kinds: Sequence[str], kept: Path | None
) -> Outcome:
    """Run a cluster under faults; return what was shown."""
    outcome = Outcome()
    chance = random.Random(seed)
    about = "" if durability == "kept" else f"{durability}: "
    with (
        tempfile.TemporaryDirectory(prefix=".trust-", dir=ROOT) as place,
        cluster(
            Path(place),
            workers=WORKERS,
            fronts=FRONTS,
            durability=durability,
            behind_proxies=BEHIND_PROXIES,
            small_mb=SMALL_MB,
        ) as running,
    ):
        say(f"{durability}: 3 servers, {WORKERS} workers, {FRONTS} fronts; seed {seed}")
        if running.small is None:
            not_run("cluster", f"{about}{FULL}", running.why_no_small)
            kinds = [one for one in kinds if one != FULL]
        connection = connect(running, "trust")
        try:
            owners = Owners(connection)
            owners.open()
            _run(outcome, about, running, connection, owners, seconds, sessions, chance, kinds)
        finally:
            connection.close()
            if kept is not None:
                kept.mkdir(parents=True, exist_ok=True)
                for log in running.folder.rglob("*.log"):
                    shutil.copy(log, kept / f"{durability}-{log.parent.name}-{log.name}")
    for line in outcome.lines():
        print(line, flush=True)
    return outcome


def _run(
    outcome: Outcome,
    about: str,
    running: Running,
    connection: Connection,
    owners: Owners,
    seconds: float,
    sessions: int,
    chance: random.Random,
    kinds: Sequence[str],
) -> None:
    told = Told()
    client = Client([running.url(one) for one in running.fronts], running.token)
    names = [f"trust-{number:04}" for number in range(sessions)]
    with ThreadPoolExecutor(STARTERS) as pool:
        started = list(pool.map(partial(_start, client, told), names, range(sessions)))
    say(f"{sum(started)} sessions have begun; load {os.getloadavg()[0]:.1f}")
    outcome.row(f"{about}sessions begun through HTTP", sessions, sessions - sum(started))
    begin_s = time.monotonic() + 0.5
    presenters = {
        name: Presenter(client, name, number, EVERY_S, begin_s + EVERY_S * number / sessions, told)
        for number, name in enumerate(names)
    }
    for one in presenters.values():
        one.start()
    time.sleep(2 * EVERY_S)
    faults = Faults(running, connection, owners, chance)
    faults.go_on(begin_s + seconds, kinds, presenters, min(3.0, seconds / 60))
    for one in presenters.values():
        one.stop.set()
    for one in presenters.values():
        one.join(120)
    say(f"all is healthy again; load {os.getloadavg()[0]:.1f}")
    _show_writes(outcome, about, presenters, faults)
    if "local" in about:
        until(lambda: _is_sent(owners), SETTLE_S)
    logs = read_logs(connection)
    say(f"{sum(one.messages for one in logs.values()):,} messages of {len(logs)} logs read")
    _show_logs(outcome, about, logs, presenters)
    _end(outcome, about, client, told, running, connection, names)
    _show_archives(outcome, about, running, logs, presenters, faults)
    outcome.row(
        f"{about}requests that were asked again",
        sum(told.counts.values()),
        0,
        "; ".join(f"{count} x {what}" for what, count in told.counts.most_common(3)),
    )
    for what, count in told.counts.most_common(25):
        print(f"    {count:6} x {what}")


def _start(client: Client, told: Told, name: str, number: int) -> bool:
    body = {"deck_text": f"# Plan of {name}\n\n---\n\n{DECK}", "id": name, "minutes": 120, "exchanges": 100}
    reply = insist(client, number, "POST", "/sessions", body, f"start-{name}", told, END_S)
    if reply is None or reply.status >= HTTPStatus.BAD_REQUEST:
        return False
    if number % DRIVEN_EVERY == 0:
        insist(client, number, "POST", f"/sessions/{name}/drive", None, None, told, END_S)
    return True


def _is_sent(owners: Owners) -> bool:
    return not any(one.behind for one in owners.living())


def _show_writes(outcome: Outcome, about: str, presenters: dict[str, Presenter], faults: Faults) -> None:
    writes = [one for presenter in presenters.values() for one in presenter.acknowledged]
    given_up = sum(len(one.given_up) for one in presenters.values())
    slow = sorted(one.at_s - one.begun_s for one in writes)
    p50, p99 = (slow[int(share * (len(slow) - 1))] for share in (0.5, 0.99))
    outcome.row(
        f"{about}writes acknowledged",
        len(writes) + given_up,
        given_up,
        f"p50 {1000 * p50:.0f} ms, p99 {p99:.1f} s, longest {slow[-1]:.1f} s with its repetitions; "
        f"{sum(one.tries > 1 for one in writes)} of them were asked more than once",
    )
    kinds = Counter(one.kind for one in faults.done)
    outcome.row(
        f"{about}faults",
        len(faults.done),
        len(faults.unsettled),
        "; ".join(
            [", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())), *faults.unsettled[:3]]
        ),
    )
    for what, mine, has_median in (
        ("takeovers of a worker's sessions", [f"worker {how}" for how in (KILLED, FROZEN, CUT)], True),
        ("sessions of a worker whose disk is full", [FULL], False),
        ("sessions, a server killed or frozen", [f"server {how}" for how in (KILLED, FROZEN)], False),
        (
            "sessions, a front killed, frozen, cut off",
            [f"front {how}" for how in (KILLED, FROZEN, CUT)],
            False,
        ),
    ):
        found = [(one, name) for one in faults.done if one.kind in mine for name in one.sessions]
        if not found:
            continue
        times = [taken_s(presenters[name], one) for one, name in found]
        known = [one for one in times if one is not None]
        never = len(times) - len(known)
        late = sum(one > LONGEST_S for one in known)
        middle = median(known) if known else 0.0
        by_kind = "; ".join(
            f"{kind} {_middle(presenters, [one for one in found if one[0].kind == kind])}"
            for kind in mine
            if any(one.kind == kind for one, _ in found)
        )
        outcome.row(
            f"{about}{what}, to the next acknowledged write",
            len(found),
            never,  # seconds are shown: how many depends on what else the machine does
            ("SHORT: " if late or (has_median and middle > MEDIAN_S) else "")
            + f"median {middle:.1f} s"
            + (f" (aim {MEDIAN_S:g} s)" if has_median else "")
            + f", longest {max(known, default=0.0):.1f} s (aim {LONGEST_S:g} s), "
            f"{late} later, {never} never; {by_kind}",
        )


def _middle(presenters: dict[str, Presenter], found: Sequence[tuple[Fault, str]]) -> str:
    times = [taken for one, name in found if (taken := taken_s(presenters[name], one)) is not None]
    return f"{median(times):.1f}/{max(times):.1f} s" if times else "none went on"


def _show_logs(
    outcome: Outcome, about: str, logs: dict[str, Logged], presenters: dict[str, Presenter]
) -> None:
    broken = [name for name, one in logs.items() if one.torn or ledger.scan(bytes(one.content)).damage]
    missing = len(presenters.keys() - logs.keys())
    outcome.row(f"{about}logs, each one chain", len(presenters), len(broken) + missing, ", ".join(broken[:5]))
    stale = sum(one.stale for one in logs.values())
    claims = sum(one.claims for one in logs.values())
    messages = sum(one.messages for one in logs.values())
    outcome.row(
        f"{about}messages of one writer: the epoch of each is that of the last claim before it",
        messages,
        stale,
        f"{claims} claims of {len(logs)} sessions, each with a higher epoch",
    )


def _end(
    outcome: Outcome,
    about: str,
    client: Client,
    told: Told,
    running: Running,
    connection: Connection,
    names: Sequence[str],
) -> None:
    def end(number: int) -> str:
        path = f"/sessions/{names[number]}/end"
        reply = insist(client, number, "POST", path, {}, None, told, END_S)
        if reply is None:
            return f"{names[number]}: no answer"
        if reply.status >= HTTPStatus.BAD_REQUEST:
            again = insist(client, number, "GET", f"/sessions/{names[number]}", None, None, told, END_S)
            if again is not None and b'"frozen"' in again.content:
                return ""
            return f"{names[number]}: {reply.status} {reply.detail}"
        return ""

    with ThreadPoolExecutor(STARTERS) as pool:
        wrong = [one for one in pool.map(end, range(len(names))) if one]
    say(f"{len(names) - len(wrong)} sessions have ended")
    outcome.row(f"{about}sessions ended", len(names), len(wrong), "; ".join(wrong[:3]))

    def left() -> int:
        return sum(
            connection.run(connection.js.stream_info(f"g_ledger_{number}")).state.messages
            for number in range(STREAMS)
        )

    is_empty = until(lambda: left() == 0, ARCHIVED_S)
    still = read_logs(connection) if not is_empty else {}
    say(f"{len(still)} logs are left")
    outcome.row(f"{about}logs gone once archived", len(names), len(still), ", ".join(sorted(still)[:5]))


def _show_archives(
    outcome: Outcome,
    about: str,
    running: Running,
    logs: dict[str, Logged],
    presenters: dict[str, Presenter],
    faults: Faults,
) -> None:
    into = running.folder / "restored"
    into.mkdir()
    with ProcessPoolExecutor(2) as pool:
        asked = [
            pool.submit(
                read_archive,
                name,
                str(running.archives),
                into,
                len(log.content),
                sha256(log.content).hexdigest(),
                presenters[name].contexts,
            )
            for name in presenters
            for log in [logs.get(name, Logged())]
        ]
        found = {one.session: one for one in (each.result() for each in asked)}
    say(f"{len(found)} archives read")
    wrong = [f"{name}: {one.wrong}" for name, one in found.items() if one.wrong]
    outcome.row(f"{about}archives restored and verified", len(found), len(wrong), "; ".join(wrong[:3])[:300])
    outcome.row(
        f"{about}archived ledgers that begin with all that the log held",
        len(found),
        sum(not one.begins_with for one in found.values() if not one.wrong),
        f"{sum(one.records for one in found.values()):,} records",
    )
    twice = [
        (name, number) for name, one in found.items() for number, times in one.words.items() if times > 1
    ]
    lost = {
        name: [one for one in presenter.acknowledged if one.number not in found[name].words]
        for name, presenter in presenters.items()
        if not found[name].wrong
    }
    count = sum(len(one.acknowledged) for one in presenters.values())
    gone = sum(map(len, lost.values()))
    if "local" not in about:
        outcome.row(
            "acknowledged writes in the archives",
            count,
            gone + len(twice),
            f"{gone} lost, {len(twice)} twice"
            + "".join(f"; {name} {[x.number for x in some][:5]}" for name, some in lost.items() if some)[
                :300
            ],
        )
    else:
        _show_lost(outcome, about, running, lost, count, len(twice), faults)
    contexts = sum(len(one.contexts) for one in presenters.values())
    differ = [line for one in found.values() for line in one.differ]
    if "local" in about:  # a receipt is a record like the others: in the last second it may be lost with them
        known = [one for one in differ if "no such receipt" not in one and "no receipt" not in one]
        outcome.row(
            f"{about}contexts rebuilt from their receipts",
            contexts,
            len(known),
            f"{len(differ) - len(known)} lost with the last second; " + "; ".join(known[:2]),
        )
    else:
        outcome.row(
            "contexts rebuilt from their receipts", contexts, len(differ), "; ".join(differ[:3])[:300]
        )


def _show_lost(
    outcome: Outcome,
    about: str,
    running: Running,
    lost: dict[str, list[Any]],
    count: int,
    twice: int,
    faults: Faults,
) -> None:
    """Whether what was lost is of the last second before a fault, and told."""
    said = "\n".join(one.output.read_text("utf-8", "replace") for one in running.workers.values())
    told = {line.partition(": ")[0].rpartition(" ")[2] for line in said.splitlines() if ASIDE in line}
    old, untold = 0, []
    for name, writes in lost.items():
        for one in writes:
            ends = [
                fault.at_s
                for fault in faults.done
                if name in fault.sessions and fault.kind.startswith("worker") and fault.at_s > one.sent_s
            ]
            # The fault came while the answer was on its way at the earliest.
            old += not any(end - one.at_s <= LAST_S for end in ends)
        if writes and name not in told:
            untold.append(name)
    gone = sum(map(len, lost.values()))
    outcome.row(
        f"{about}acknowledged writes: there twice; those lost are shown",
        count,
        twice,  # what was written while the servers were away is older than a second, too (`help cluster`)
        f"{'SHORT: ' if old else ''}{gone} lost of {sum(map(bool, lost.values()))} sessions, "
        f"{old} of them older than the last second before a death; {twice} twice",
    )
    outcome.row(
        f"{about}sessions that lost something, and it is told",
        sum(map(bool, lost.values())),
        len(untold),
        ", ".join(untold[:8]),
    )


def main(arguments: Sequence[str]) -> int:
    """Run it in both durabilities; 1 where a promise was broken."""
    parser = argparse.ArgumentParser(
        prog="scripts/trust_cluster.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--seconds", type=float, help="how long the faults last; default 600, less by --share"
    )
    parser.add_argument("--sessions", type=int, help="default 300, less by --share")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="of the faults")
    parser.add_argument("--share", type=int, default=1, help="one in how many seconds and sessions")
    parser.add_argument("--kinds", default=",".join(KINDS), help="which faults: " + ", ".join(KINDS))
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what the processes said there")
    parser.add_argument("--durability", choices=("kept", "local", "both"), default="both")
    chosen = parser.parse_args(arguments)
    seconds = chosen.seconds or WHOLE_S / chosen.share
    sessions = chosen.sessions or max(12, SESSIONS // chosen.share)
    kinds = chosen.kinds.split(",")
    if strange := set(kinds) - set(KINDS):
        parser.error(f"--kinds: there is no {', '.join(sorted(strange))}; there are {', '.join(KINDS)}")
    well = []
    if chosen.durability != "local":
        well.append(try_out("kept", seconds, sessions, chosen.seed, kinds, chosen.keep).is_well)
    if chosen.durability != "kept":
        shorter = seconds if chosen.durability == "local" else max(20.0, seconds / 4)
        fewer = sessions if chosen.durability == "local" else max(12, sessions // 3)
        own = [one for one in kinds if one.startswith("worker")] or kinds
        well.append(try_out("local", shorter, fewer, chosen.seed, own, chosen.keep).is_well)
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
