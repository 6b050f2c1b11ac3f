"""Who has which session, and which workers are alive, as this process has heard it.

An owner stands in a bucket of the servers; who changes it names the revision that it has seen, so that of two
one is refused. A worker says each second that it is alive; that is stored nowhere.

Source: cluster.md, "Parts" and "Promises".
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from orchestrator.cluster.buckets import away, bucket
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.log import MADE_WITHIN_S, START_WITHIN_S, WRONG_SEQUENCE
from orchestrator.core.errors import ReplicaAwayError

if TYPE_CHECKING:
    from nats.aio.msg import Msg
    from nats.js.kv import KeyValue

BUCKET: Final = "g_owner"
ALIVE: Final = "g.alive"
DEAD: Final = "g.dead"
TO: Final = "g.to"
"""The subject of a worker, before its name: requests to it, and behind the name what commands ask it."""
STATES: Final = ("live", "ended", "held", "aside")
"""Of an owner's entry: a worker answers for the session; it has ended; nobody takes it for now; it was set
aside, since it ended its worker more than once."""
ALIVE_EVERY_S: Final = 1.0
DEAD_AFTER_S: Final = 3.0
"""Seconds of silence after which a worker counts as dead (cluster.md: "ack wait 3 s")."""
FROZEN_AFTER_S: Final = 1.0
"""Seconds between two looks after which this process was stopped itself: then it knows nothing of others."""
OUT_OF_TOUCH_S: Final = 2 * ALIVE_EVERY_S
"""Seconds without a word of any worker, this one included, after which this process is cut off; and as many
until it has heard of everybody again."""
PROCESS: Final = int.from_bytes(os.urandom(6))
"""Tells this process from others of its worker's name. The system's own number does not: in a container it is
1 each time, and whoever had heard that the first one is dead would never hear the next."""
_LOOK_S: Final = 0.25
_WRONG_LAST: Final = (WRONG_SEQUENCE, 10164)
"""Codes of NATS where another revision is the last one (`KeyValue.delete` passes them on as they come)."""
_WATCH_AGAIN_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Owner:
    """Who answers for a session, and since which epoch."""

    worker: str
    epoch: int
    state: str = "live"  # of STATES
    tries: int = 0  # workers that died with it, one after the other
    pid: int = field(default=0, compare=False)  # `PROCESS` of the worker; 0: an older release

    def to_bytes(self) -> bytes:
        """Return the entry as it stands in the bucket."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of(cls, value: bytes) -> Owner | None:
        """Return the owner in an entry, or None if the entry is none that this release can read."""
        try:
            told = json.loads(value)
            names = str(told["worker"]), int(told["epoch"]), str(told["state"]), int(told["tries"])
            made = cls(*names, int(told.get("pid", 0)))
        except (ValueError, KeyError, TypeError):
            return None
        return made if made.state in STATES else None


@dataclass(frozen=True, slots=True)
class Alive:
    """What a worker says of itself each second."""

    worker: str
    at: float  # its own clock: seconds since 1970
    sessions: int  # that it answers for
    draining: bool = False  # it takes no further session
    pid: int = 0  # `PROCESS` of who says it
    behind: int = 0  # records that are not in the log yet
    asking: str | None = None  # what a session that it starts asks a model, as `Starts.line` says it

    def to_bytes(self) -> bytes:
        """Return the message."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of(cls, value: bytes) -> Alive | None:
        """Return what a message says, or None if it is none that this release can read."""
        try:
            told = json.loads(value)
            asking = told["asking"]
            return cls(
                str(told["worker"]),
                float(told["at"]),
                int(told["sessions"]),
                bool(told["draining"]),
                int(told["pid"]),
                int(told["behind"]),
                None if asking is None else str(asking),
            )
        except (ValueError, KeyError, TypeError):
            return None


class Owners:
    """Owners and workers, as this process has heard of them. Reading is safe in any thread.

    All else happens in the connection's loop.
    """

    def __init__(self, connection: Connection, clock: Callable[[], float] = monotonic) -> None:
        """Prepare to listen; *clock* gives this process's monotonic seconds."""
        self._connection = connection
        self._clock = clock
        self._owners: dict[str, Owner] = {}
        self._revisions: dict[str, int] = {}
        self._workers: dict[str, tuple[Alive, float]] = {}  # with the moment at which it was heard
        self._ended: set[tuple[str, int]] = set()  # workers' processes that are not there any more
        self._heard_at = self._touched_at = clock()  # any worker; and since when without a pause
        self._changed: asyncio.Event
        self._tasks: list[asyncio.Task[None]] = []
        self._subscriptions: list[Any] = []
        self._bucket: KeyValue
        self.on_change: list[Callable[[str], None]] = []
        """Called in the loop with the session whose owner has changed."""
        self.on_death: list[Callable[[str], None]] = []
        """Called in the loop with the worker that has died."""

    def open(self) -> None:
        """Listen; return once every owner of this moment is known.

        Raises:
            ReplicaAwayError: The servers do not answer.
        """
        self._connection.run(self._open(), timeout_s=2 * START_WITHIN_S)

    def close(self) -> None:
        """Listen no more."""
        with suppress(ReplicaAwayError):
            self._connection.run(self._close())

    # ------------------------------------------------------------------ reading

    def owner(self, session: str) -> Owner | None:
        """Return who has a session, or None if nobody does."""
        return self._owners.get(session)

    def revision(self, session: str) -> int:
        """Return the revision of a session's entry, for `claim`; 0: there is none."""
        return self._revisions.get(session, 0)

    def owners(self) -> dict[str, Owner]:
        """Return every owner, by session."""
        return dict(self._owners)

    def living(self) -> tuple[Alive, ...]:
        """Return the workers that were heard of lately, by name."""
        return tuple(
            sorted((alive for alive, _ in self._workers.copy().values()), key=lambda one: one.worker)
        )

    def is_living(self, worker: str) -> bool:
        """Return whether a worker was heard of lately."""
        return worker in self._workers

    def asking(self, whose: str, but: str) -> str | None:
        """Return what a session that another worker than *but* starts asks a model, as `Starts.line` says it,
        or None if none does.

        Args:
            whose: As at `Starts.line`.
        """
        if whose:  # what somebody's model is asked is not for others
            return None
        return next((one.asking for one in self.living() if one.asking and one.worker != but), None)

    def is_dead(self, owner: Owner) -> bool:
        """Return whether an owner has died: its process has ended, as who saw it said, or as the next one of
        its name shows; or it fell silent while this process heard others."""
        if owner.pid and (owner.worker, owner.pid) in self._ended:
            return True
        return owner.worker not in self._workers and self.is_in_touch

    @property
    def is_in_touch(self) -> bool:
        """Whether what this process knows of the workers is worth anything: it has heard of some all the
        time."""
        now = self._clock()
        return now - self._heard_at <= OUT_OF_TOUCH_S and now - self._touched_at >= OUT_OF_TOUCH_S

    def pick(self, key: str, without: Iterable[str] = ()) -> str | None:
        """Return the worker for a key, by rendezvous hashing: the same one everywhere, and another one only
        for the keys of a worker that is gone. None: there is no worker that takes sessions.

        Args:
            without: Workers that are left out, unless there are no others.
        """
        open_to = [one.worker for one in self.living() if not one.draining]
        some = [one for one in open_to if one not in set(without)] or open_to
        return max(some, key=lambda worker: _weight(worker, key), default=None)

    async def changes(self, timeout_s: float) -> None:
        """Wait until an owner or a worker changes, but no longer than *timeout_s*."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._changed.wait()

    # ------------------------------------------------------------------ writing

    async def claim(self, session: str, owner: Owner, revision: int) -> int | None:
        """Write a session's owner over the entry of this revision (0: none).

        Return the new revision, or None if somebody else was first.

        Raises:
            ReplicaAwayError: The servers do not answer; nobody knows whether it was written.
        """
        from nats.errors import Error
        from nats.js.errors import KeyNotFoundError, KeyWrongLastSequenceError

        try:
            if revision:
                made = await self._bucket.update(session, owner.to_bytes(), last=revision)
            else:
                made = await self._bucket.create(session, owner.to_bytes())
        except (KeyWrongLastSequenceError, KeyNotFoundError):  # the latter where a server lags behind
            return None
        except (Error, TimeoutError) as error:
            raise away(session, error) from error
        self._note(session, owner, made)
        return made

    async def release(self, session: str, revision: int) -> None:
        """Remove a session's entry, if it is still of this revision.

        Raises:
            ReplicaAwayError: As `claim`.
        """
        from nats.errors import Error
        from nats.js.errors import APIError

        try:
            await self._bucket.delete(session, last=revision)
        except (Error, TimeoutError) as error:
            if not isinstance(error, APIError) or error.err_code not in _WRONG_LAST:
                raise away(session, error) from error

    async def announce(self, alive: Alive) -> None:
        """Say that a worker is alive."""
        await self._connection.nc.publish(f"{ALIVE}.{alive.worker}", alive.to_bytes())

    async def bury(self, worker: str, pid: int = 0) -> None:
        """Say to everybody that a worker is dead: its process has ended.

        Args:
            pid: The `Alive.pid` of that process, so that no later one of its name is meant; 0: the one that
                was heard here last.
        """
        await self._connection.nc.publish(f"{DEAD}.{worker}", str(pid or self._pid(worker) or "").encode())
        await self._connection.nc.flush()

    # ------------------------------------------------------------------ listening

    async def _open(self) -> None:
        nc = self._connection.nc
        self._changed = asyncio.Event()
        self._bucket = await bucket(self._connection, BUCKET)
        self._subscriptions = [
            await nc.subscribe(f"{ALIVE}.*", cb=self._hear_alive),
            await nc.subscribe(f"{DEAD}.*", cb=self._hear_dead),
        ]
        known = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._watch(known)),
            asyncio.create_task(self._look()),
        ]
        await known.wait()

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for one in self._subscriptions:
            with suppress(Exception):  # the connection may be gone already
                await one.unsubscribe()

    async def _watch(self, known: asyncio.Event) -> None:
        """Follow the bucket, from its whole content anew whenever the connection was lost."""
        lost = asyncio.Event()
        self._connection.on_reconnected.append(lost.set)
        while True:
            try:
                lost.clear()
                async with asyncio.timeout(MADE_WITHIN_S):
                    watcher = await self._bucket.watchall()
                try:
                    await self._follow(watcher, known, lost)
                finally:
                    with suppress(Exception):  # of a server that has forgotten it
                        await watcher.stop()  # type: ignore[no-untyped-call]
            except asyncio.CancelledError:
                raise
            except Exception:  # noqa: BLE001  # whatever the library raises while no server answers
                await asyncio.sleep(_WATCH_AGAIN_S)

    async def _follow(self, watcher: Any, known: asyncio.Event, lost: asyncio.Event) -> None:
        seen: set[str] | None = set()
        while not lost.is_set():
            try:
                entry = await watcher.updates(timeout=_WATCH_AGAIN_S)
            except TimeoutError:
                continue
            if entry is None:  # up to here is what was there when this began
                for gone in self._owners.keys() - (seen or set()):
                    self._note(gone, None, self._revisions.get(gone, 0))
                seen = None
                known.set()
                continue
            owner = None if entry.operation is not None else Owner.of(entry.value or b"")
            if seen is not None and owner is not None:
                seen.add(entry.key)
            self._note(entry.key, owner, entry.revision)

    def _note(self, session: str, owner: Owner | None, revision: int) -> None:
        """Take in an entry, unless a newer one is known."""
        if revision < self._revisions.get(session, 0):
            return
        before = self._owners.get(session)
        if owner is None:
            self._owners.pop(session, None)
            self._revisions.pop(session, None)
        else:
            self._owners[session] = owner
            self._revisions[session] = revision
        if owner != before:
            for told in tuple(self.on_change):
                told(session)
            self._tell()

    async def _hear_alive(self, message: Msg) -> None:
        alive = Alive.of(message.data)
        if alive is None or (alive.worker, alive.pid) in self._ended:
            return
        now = self._clock()
        if now - self._heard_at > OUT_OF_TOUCH_S:
            self._touched_at = now
        self._heard_at = now
        before = self._workers.get(alive.worker)
        if before is not None and before[0].pid != alive.pid:  # another process has its name
            self._ended.add((alive.worker, before[0].pid))
            self._die(alive.worker)
        is_new = alive.worker not in self._workers
        self._workers[alive.worker] = alive, self._clock()
        if is_new or (before is not None and before[0].draining != alive.draining):
            self._tell()

    async def _hear_dead(self, message: Msg) -> None:
        worker, text = message.subject.removeprefix(f"{DEAD}."), message.data.decode("ascii", "replace")
        here = self._pid(worker)
        pid = int(text) if text.isdigit() else here
        if pid is not None:
            self._ended.add((worker, pid))
        if here in (None, pid):  # else an earlier process of this name
            self._die(worker)

    async def _look(self) -> None:
        """Notice the workers that fell silent."""
        looked = self._clock()
        while True:
            await asyncio.sleep(_LOOK_S)
            now = self._clock()
            if now - looked > FROZEN_AFTER_S:  # this process was stopped: what was said meanwhile comes now
                self._workers = {name: (alive, now) for name, (alive, _) in self._workers.items()}
            looked = now
            for name, (_, heard) in tuple(self._workers.items()):
                if now - heard > DEAD_AFTER_S:
                    self._die(name)

    def _pid(self, worker: str) -> int | None:
        """Return the process of a worker, if it was heard of lately."""
        return self._workers[worker][0].pid if worker in self._workers else None

    def _die(self, worker: str) -> None:
        self._workers.pop(worker, None)
        for told in tuple(self.on_death):
            told(worker)
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _weight(worker: str, key: str) -> bytes:
    return blake2b(f"{worker}\0{key}".encode(), digest_size=8).digest()
