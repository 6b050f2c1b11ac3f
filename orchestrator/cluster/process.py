"""One worker of `serve --workers`: the web application in a process of its own, on the home that all share.

It ends when its standard input does, so it never outlives the process that started it.

Source: cluster.md, "Parts".
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep, time
from typing import Final

from orchestrator.access.gate import gate_of
from orchestrator.cluster.claims import CLAIM_EVERY_S, Claims
from orchestrator.cluster.codes import BucketCodes
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import ALIVE_EVERY_S, PROCESS, Alive, Owner, Owners
from orchestrator.cluster.wire import Answering, Wire
from orchestrator.core.errors import DriverBusyError, GreenroomError
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.material.speech.recognition import recogniser_or_why
from orchestrator.panel.config.cluster import Cluster
from orchestrator.panel.config.public_url import parse_public_url
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import state_of
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.pairing import Codes, Pairings
from orchestrator.web.server import allow_open_files, application
from orchestrator.web.site import Site
from orchestrator.web.uploads import Materials, Shared, Uploads

SWEEP_EVERY_S: Final = 10.0
FINISH_WITHIN_S: Final = 3.0
"""Seconds that requests under way have at the end, as with one process (`web.server.configuration`)."""
FREED_WITHIN_S: Final = 5.0
"""Seconds within which the lock of a driver that was frozen is free: it is killed by then."""
_LOOK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Orders:
    """What a worker is told by the process that starts it: on its standard input, as it holds secrets."""

    worker: str
    home: str
    archives: str
    endpoint_url: str | None
    hosts: tuple[str, ...]
    takes_addresses: bool
    public: str | None
    elsewhere: str | None
    token: str | None
    servers: tuple[str, ...]
    servers_token: str | None
    dropped: str
    """The folder for files that were dropped, which all workers share."""

    def to_line(self) -> str:
        """Return the orders as one line."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def of(cls, line: str) -> Orders:
        """Read the line that `to_line` has made."""
        told = json.loads(line)
        told["hosts"], told["servers"] = tuple(told["hosts"]), tuple(told["servers"])
        return cls(**told)


class OneHome:
    """What a claim means where all workers share one home: the folder is there, only its drive goes on."""

    def __init__(self, site: Site) -> None:
        """Prepare to keep sessions of *site*."""
        self._site = site

    def is_live(self, session: str) -> bool:
        """Return whether the session's folder is there and may be written, as an ended one's may not."""
        root = self._site.own.sessions / session
        try:
            return bool(os.stat(root).st_mode & 0o200) and (root / LEDGER_NAME).is_file()
        except OSError:
            return False

    def is_current(self, session: str) -> bool:
        """Return True: whoever has it may write it."""
        return True

    def prepare(self, session: str, before: Owner | None) -> int:
        """Return the epoch after that of *before*."""
        return before.epoch + 1 if before is not None else 1

    def taken(self, session: str, before: Owner | None) -> None:
        """Drive a session on whose driver has died; one that was paused stays paused."""
        if before is not None:
            go_on(self._site, session)

    def lost(self, session: str) -> None:
        """Stop driving the session, and close it."""
        self._site.drives.stop(session)
        self._site.sessions.forget(session)


def go_on(site: Site, session: str) -> None:
    """Drive a session on whose driver has died; one that was paused stays paused."""
    with suppress(GreenroomError), site.sessions.using(session) as found:  # another crew's has no drive
        until = monotonic() + FREED_WITHIN_S
        while monotonic() < until:
            if state_of(found.rehearsal) == "interrupted":
                with suppress(DriverBusyError):
                    site.drives.begin(session)
                    return
            elif found.projection.driver is None:
                return
            sleep(_LOOK_S)


class Worker:
    """The worker of this process, from `open` to `close`."""

    def __init__(self, orders: Orders) -> None:
        """Prepare a worker; nothing is opened yet."""
        self._orders = orders
        self._home = Home.open(orders.home)

    def open(self) -> None:
        """Connect, and answer requests from now on.

        Raises:
            ReplicaAwayError: The server does not answer.
        """
        name = self._orders.worker
        cluster = Cluster(self._orders.servers, copies=1, worker=name, token=self._orders.servers_token)
        self._connection = Connection.open(cluster, name)
        self._owners = Owners(self._connection)
        self._owners.open()
        codes = BucketCodes(self._connection)
        self._site = site_of_orders(self._orders, self._home, codes)
        self._claims = Claims(self._connection, self._owners, name, OneHome(self._site))
        self._site.sessions.on_begun.append(self._claims.begin)
        self._site.starts.elsewhere = partial(self._owners.asking, but=name)
        self._wire = Wire(self._connection)
        self._answering = Answering(self._wire, application(self._site), self._claims.enter)
        self._connection.run(self._begin())

    def close(self) -> None:
        """Finish what is under way, pause what is driven, and leave."""
        self._claims.is_draining = True
        self._site.closing.set()
        with suppress(GreenroomError):
            self._connection.run(self._answering.stop(FINISH_WITHIN_S), timeout_s=FINISH_WITHIN_S + 1)
        self._site.close()
        self._connection.close()

    async def _begin(self) -> None:
        await self._wire.open()
        await self._wire.answer_for(self._orders.worker, self._answering)
        self._tasks = [
            asyncio.create_task(every(ALIVE_EVERY_S, self._say_alive)),
            asyncio.create_task(every(SWEEP_EVERY_S, self._claims.sweep)),
            asyncio.create_task(every(CLAIM_EVERY_S, self._claims.claim_left)),
            asyncio.create_task(every(ALIVE_EVERY_S, self._claims.forgive)),
        ]

    async def _say_alive(self) -> None:
        held, asking = len(self._claims.held), self._site.starts.own_line("")
        alive = Alive(self._orders.worker, time(), held, self._claims.is_draining, PROCESS, asking=asking)
        await self._owners.announce(alive)


def site_of_orders(orders: Orders, home: Home, codes: Codes) -> Site:
    """Return the site that a worker serves; the codes that it offers are redeemed at any of them."""
    recogniser, why = recogniser_or_why(home.config.stt_model, home.config.stt_language)
    shared = Shared(Path(orders.dropped))
    gate = gate_of(home.config.access, home.root, os.environ)
    return Site(
        home,
        orders.archives,
        OpenSessions(home),
        hosts=frozenset(orders.hosts),
        takes_addresses=orders.takes_addresses,
        public=parse_public_url(orders.public) if orders.public is not None else None,
        elsewhere=orders.elsewhere,
        token=orders.token if gate is None else None,
        gate=gate,
        endpoint_url=orders.endpoint_url,
        recogniser=recogniser,
        no_recogniser=why,
        pairings=Pairings(codes=codes, key=sha256(f"passes {orders.servers_token}".encode()).digest()),
        uploads=Uploads(shared),
        materials=Materials(shared),
    )


async def every(seconds: float, work: Callable[[], Awaitable[object]]) -> None:
    """Do *work* now and every so many seconds; a failure is tried again the next time."""
    while True:
        with suppress(Exception):  # the servers are away: the next time they may be back
            await work()
        await asyncio.sleep(seconds)


def work() -> int:
    """Work by the orders on standard input until it ends; return the exit code."""
    if not (line := sys.stdin.readline()):
        return 0
    allow_open_files()
    worker = Worker(Orders.of(line))
    worker.open()
    _wait_for_end()
    worker.close()
    return 0


def guard(guarded: Callable[[Home], AbstractContextManager[None]]) -> int:
    """Guard the home of the orders on standard input until it ends; return the exit code.

    Args:
        guarded: Makes the block in which a home is guarded.
    """
    if not (line := sys.stdin.readline()):
        return 0
    with guarded(Home.open(Orders.of(line).home)):
        _wait_for_end()
    return 0


def _wait_for_end() -> None:
    """Wait until standard input ends, as it does with the process that started this one."""
    ended = Event()

    def read() -> None:
        with suppress(OSError, ValueError):
            sys.stdin.read()
        ended.set()

    Thread(target=read, daemon=True).start()
    with suppress(KeyboardInterrupt):  # a signal to the whole group means the same
        ended.wait()
