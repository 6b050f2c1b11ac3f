"""One worker of a cluster: the web application on this machine's disk, for the sessions that it has.

It takes sessions over from workers that died, hands its own over when it is drained, takes a session again
whose log was away for a while, and keeps each ended session in the log until its archive was read back.

Source: cluster.md, "Parts", "Promises" and "Failures".
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import socket
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Event, Lock
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Any, Final

from orchestrator.access.gate import gate_of
from orchestrator.cluster.base import Base
from orchestrator.cluster.claims import CLAIM_EVERY_S, Claims
from orchestrator.cluster.codes import BucketCodes, site_token
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.custody import Custody
from orchestrator.cluster.drops import Drops
from orchestrator.cluster.figures import Figures, ready_checks
from orchestrator.cluster.log import START_WITHIN_S, Log, SessionLog, handed_over
from orchestrator.cluster.owners import ALIVE_EVERY_S, PROCESS, TO, Alive, Owner, Owners
from orchestrator.cluster.process import FINISH_WITHIN_S, SWEEP_EVERY_S, every, go_on
from orchestrator.cluster.shelf import Shelf
from orchestrator.cluster.status import MAX_CLOCK_S, server_time
from orchestrator.cluster.takeover import keep_aside_if_longer
from orchestrator.cluster.wire import Answering, Wire
from orchestrator.core.archive.download import verify_archive
from orchestrator.core.archive.register import archives_of
from orchestrator.core.errors import (
    ConfigurationError,
    GreenroomError,
    ReplicaAwayError,
    ReplicaBehindError,
    SessionNotFoundError,
    StoreError,
    SupersededError,
)
from orchestrator.core.legible import one_line
from orchestrator.core.store import files
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.table import check_session_id
from orchestrator.documents.opening import AnySession, store_of
from orchestrator.material.speech.recognition import recogniser_or_why
from orchestrator.panel.application import BOARD
from orchestrator.panel.config.cluster import Cluster
from orchestrator.panel.config.public_url import parse_public_url
from orchestrator.panel.home import Home
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.pairing import Pairings
from orchestrator.web.probes import served
from orchestrator.web.server import allow_open_files, application, until_signalled
from orchestrator.web.site import LOOPBACK, Site
from orchestrator.web.uploads import Materials, Shared, Uploads

if TYPE_CHECKING:
    from nats.aio.msg import Msg

MEND_EVERY_S: Final = 0.5
ARCHIVE_AGAIN_S: Final = (5.0, 15.0, 60.0, 300.0)
"""Pauses before an archive that failed is tried again, the last one for ever."""
S3_ENDPOINT: Final = "GREENROOM_S3_ENDPOINT"
ACCESS_KEY: Final = "GREENROOM_ACCESS_KEY"
REST_S: Final = 30.0
"""Seconds for which a worker whose disk refused a write takes no further session, if others are there."""
MIN_ROOM_BYTES: Final = 64 * 1024 * 1024
"""Room on its disk without which it goes on resting: some ten sessions of 30 minutes with their files."""
HANDED_AT_ONCE: Final = 4
HAND_AGAIN_S: Final = 0.2
HANDED_WITHIN_S: Final = 15.0
"""Seconds within which another worker takes a session that is handed over."""
_MAX_TOLD: Final = 200
"""Lines of what happened that `status` can ask for; older ones are dropped."""

log = logging.getLogger(__name__)


@dataclass
class Told:
    """What this worker has to say of its sessions: kept aside, held, not archived. No words of any."""

    lines: list[str] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def say(self, line: str) -> None:
        """Keep a line for `status`, and write it to the log."""
        with self._lock:
            self.lines.append(line)
            del self.lines[:-_MAX_TOLD]
        log.warning("%s", line)


class InCluster:
    """What a claim means past one machine: the folder comes from the log, and the log fences who had it."""

    def __init__(self, site: Site, custody: Custody, told: Told, took_over: Callable[[], None]) -> None:
        """Prepare to keep sessions of *site*."""
        self._site = site
        self._custody = custody
        self._told = told
        self._took_over = took_over

    def is_live(self, session: str) -> bool:
        """Return whether the session has a log; it has one until it is archived."""
        return self._custody.log_of(session) is not None or self._custody.log.is_there(session)

    def is_current(self, session: str) -> bool:
        """Return whether nobody has claimed the session's log since, as far as is known."""
        here = self._custody.log_of(session)
        return here is not None and not isinstance(here.why, SupersededError)

    def prepare(self, session: str, before: Owner | None) -> int:
        """Take the session over unless it is here; return its epoch.

        Raises:
            GreenroomError: As `Custody.take`.
        """
        here = self._custody.log_of(session)
        if here is not None and here.why is None:
            return here.epoch
        self.close(session)
        taken = self._custody.take(session)
        self._took_over()
        self.close(session)  # who had it open meanwhile has no log, or the one before
        if taken.told is not None:
            self._told.say(taken.told)
        return taken.kept.epoch

    def taken(self, session: str, before: Owner | None) -> None:
        """Drive a session on that was driven elsewhere, or here until its log was away."""
        if before is not None:
            go_on(self._site, session)

    def lost(self, session: str) -> None:
        """Write the session no more; what it was doing has been taken up elsewhere.

        What was acknowledged here and never reached the log is kept aside, and told: with `durability: local`
        there may be a second of it.
        """
        here = self._custody.log_of(session)
        is_behind = here is not None and here.behind_bytes > 0
        self._custody.let_go(session)
        self.close(session)
        if is_behind:
            self.look_at_old_copy(session)
        with suppress(OSError):  # then it lies where it was, and the next start looks again
            self._custody.put_away(session)

    def look_at_old_copy(self, session: str, *, is_elsewhere: bool = False) -> None:
        """Put away the folder of a session that another worker has; keep aside, and tell, what it has beyond
        the log.

        Args:
            is_elsewhere: That another worker has it, or had it to its end, is known also without a log.
        """
        root = self._custody.folder(session)
        try:
            is_open = bool(os.stat(root / LEDGER_NAME).st_mode & 0o222)
            if self._custody.log_of(session) is not None or not is_open:
                return
            kept = self._custody.log.read(session)
            if kept is None and is_elsewhere:
                self._custody.put_away(session)
            if kept is None or kept.claimed_by == self._custody.log.worker:
                return
            told = keep_aside_if_longer(root, kept)
            if told is not None:
                self._told.say(told)
            self._custody.put_away(session)
        except (GreenroomError, OSError):
            return  # no session, or no servers: whoever takes it over looks again

    def close(self, session: str) -> None:
        """Stop what drives the session here, and close it."""
        self._site.drives.stop(session)
        self._site.sessions.forget(session)


class Worker:
    """The worker of this process, from `open` to `close`."""

    def __init__(self, home: Home, cluster: Cluster) -> None:
        """Prepare a worker; nothing is opened yet."""
        self._home = home
        self._cluster = cluster
        self.name = cluster.worker or socket.gethostname().partition(".")[0].lower()
        self.told = Told()
        self._figures = Figures(self._behind, self._behind_s)
        self._archive_at: dict[str, tuple[float, int]] = {}  # when to try again, and how often it failed
        self._mending: set[str] = set()
        self._rests_until = 0.0  # its disk refused a write
        self._handing: set[str] = set()
        self._is_closed = False
        self._dropped = ExitStack()  # the folder for what is dropped here, which the next start sweeps

    def open(self) -> None:
        """Connect, and take sessions from now on.

        Raises:
            ReplicaAwayError: The servers do not answer.
            ConfigurationError: This machine's clock is wrong.
        """
        self._connection = Connection.open(self._cluster, self.name)
        try:
            self._log = Log(self._connection, self.name)
            self._log.set_up()
            skew_s = server_time(self._connection).ahead_s
            if abs(skew_s) > MAX_CLOCK_S:
                way = "ahead of" if skew_s > 0 else "behind"
                raise ConfigurationError(
                    f"this machine's clock is {abs(skew_s):.1f} s {way} the cluster's servers, and "
                    f"{MAX_CLOCK_S:g} s is the most: set it (NTP), then start again"
                )
            base = Base(self._connection)
            base.set_up()
            self._home.sessions.mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)
            self.custody = Custody(self._log, base, self._home.sessions)
            self._owners = Owners(self._connection)
            self._owners.open()
            drops = self._dropped.enter_context(Shared.make(self._home.root)).folder
            self._shelf = Shelf(
                self._connection,
                self.name,
                self._home,
                self._archives,
                endpoint_url=os.environ.get(S3_ENDPOINT),
                epoch_of=self._epoch_of,
            )
            self._shelf.set_up()
            self.site = self._site_here(drops)
            self._keeping = InCluster(self.site, self.custody, self.told, self._figures.took_over)
            self._claims = Claims(self._connection, self._owners, self.name, self._keeping)
            self._claims.may_take = self._may_take
            self.site.sessions.on_opened.append(self.custody.attach)
            self.site.sessions.on_begun += [self._begun, self._claims.begin]
            self.site.sessions.on_erased.append(self.custody.forget)
            self._count()
            self._shelf.opened = self.site.sessions.using_any
            self._shelf.on_erased.append(self._gone)
            self._shelf.open()
            self.site.starts.elsewhere = partial(self._owners.asking, but=self.name)
            self._wire = Wire(self._connection)
            self._answering = Answering(self._wire, application(self.site), self._claims.enter)
            self._connection.run(self._begin(), timeout_s=2 * START_WITHIN_S)
        except BaseException:
            self._dropped.close()
            self._connection.close()
            raise

    def drain(self, say: Callable[[int], None] = lambda _: None) -> int:
        """Hand every session over to other workers, and take no further one; return how many nobody took.

        Args:
            say: Called with the number of sessions that are left, at least once a second.
        """
        self._claims.is_draining = True
        with suppress(GreenroomError):
            self._connection.run(self._say_alive())
        self.site.readiness.draining.set()
        held = self._claims.held
        say(len(held))
        with ThreadPoolExecutor(HANDED_AT_ONCE) as pool:
            for number, _ in enumerate(pool.map(self._hand_over, held), start=1):
                say(len(held) - number)
        until = monotonic() + HANDED_WITHIN_S
        left = [one for one in held if not self._is_elsewhere(one)]
        while left and self._has_others() and monotonic() < until:
            self._connection.run(self._owners.changes(0.2))
            left = [one for one in left if not self._is_elsewhere(one)]
            say(len(left))
        return len(left)

    def close(self) -> None:
        """Finish what is under way, and leave; sessions that are still here are handed over first."""
        if self._is_closed:
            return
        self._is_closed = True
        if not self._claims.is_draining:
            with suppress(GreenroomError):
                self.drain()
        self.site.closing.set()
        with suppress(GreenroomError):
            self._connection.run(self._answering.stop(FINISH_WITHIN_S), timeout_s=FINISH_WITHIN_S + 1)
        for session in self._claims.held if self._connection.is_connected else ():
            self._hand_over(session)  # begun by a request that was under way
        self.site.close()
        self._shelf.close()
        with suppress(GreenroomError):
            self._connection.run(self._owners.bury(self.name, PROCESS))
        self._connection.close()
        self._dropped.close()

    # ------------------------------------------------------------------ the site

    def _site_here(self, drops: Path) -> Site:
        config = self._home.config
        recogniser, why = recogniser_or_why(config.stt_model, config.stt_language)
        token = self._connection.run(site_token(self._connection), timeout_s=2 * START_WITHIN_S)
        shared = Drops(drops, self._connection)
        gate = gate_of(config.access, self._home.root, os.environ)
        if gate is not None and not os.environ.get(ACCESS_KEY):
            raise ConfigurationError(
                f"`access` is set, and {ACCESS_KEY} is not: set it to one secret for all workers, since "
                "each must know whom another has signed in"
            )
        return Site(
            self._home,
            self._archives,
            OpenSessions(self._home),
            hosts=LOOPBACK | {socket.gethostname().lower()},
            takes_addresses=True,  # of whichever front
            public=parse_public_url(config.public_url) if config.public_url is not None else None,
            token=token if gate is None else None,
            gate=gate,
            metrics_token=os.environ.get("GREENROOM_METRICS_TOKEN") or None,
            endpoint_url=os.environ.get(S3_ENDPOINT),
            shelf=self._shelf,
            recogniser=recogniser,
            no_recogniser=why,
            pairings=Pairings(
                codes=BucketCodes(self._connection), key=sha256(f"passes {token}".encode()).digest()
            ),
            uploads=Uploads(shared),
            materials=Materials(shared),
            worker=self.name,
        )

    def _begun(self, session: str) -> None:
        """Put a session that was begun here into the log; if that fails, it was never begun."""
        try:
            self.custody.begin(session)
        except BaseException:
            self.site.sessions.forget(session)
            shutil.rmtree(self._home.sessions / session, ignore_errors=True)
            raise
        with self.site.sessions.using_any(session) as found:
            self.custody.attach(store_of(found))

    @property
    def _archives(self) -> str:
        return self._home.config.archive or str(self._home.archives)

    def _epoch_of(self, session: str) -> int | None:
        here = self.custody.log_of(session)
        return here.epoch if here is not None and here.why is None else None

    def _gone(self, session: str) -> None:
        """Keep nothing of a session that was erased; whoever was asked to has removed its log."""
        self._keeping.close(session)
        self.custody.drop(session)

    def _count(self) -> None:
        """Add what a worker has to say to readiness and metrics."""
        self.site.readiness.checks += ready_checks(self._connection)
        self._log.seconds = self._figures.log.observe
        self.site.metrics.sources["cluster"] = self._figures.read

    def _behind(self) -> int:
        return sum(one.behind_bytes > 0 for one in self.custody.logs)

    def _behind_s(self) -> float:
        return max((one.behind_s for one in self.custody.logs), default=0.0)

    # ------------------------------------------------------------------ in the loop

    async def _begin(self) -> None:
        nc = self._connection.nc
        await self._wire.open()
        await self._wire.answer_for(self.name, self._answering)
        for verb, answer in (
            ("drain", self._asked_to_drain),
            ("status", self._asked_status),
            ("put_back", self._asked_to_put_back),
        ):
            await nc.subscribe(f"{TO}.{self.name}.{verb}", cb=answer)
        self._tasks = [
            asyncio.create_task(every(ALIVE_EVERY_S, self._say_alive)),
            asyncio.create_task(every(SWEEP_EVERY_S, self._archive_ended)),
            asyncio.create_task(every(SWEEP_EVERY_S, self._claims.sweep)),
            asyncio.create_task(every(CLAIM_EVERY_S, self._claims.claim_left)),
            asyncio.create_task(every(ALIVE_EVERY_S, self._claims.forgive)),
            asyncio.create_task(every(MEND_EVERY_S, self._mend)),
            asyncio.create_task(asyncio.to_thread(self._look_at_old_copies)),
        ]
        self.drained = Event()
        self._handing_slots = asyncio.Semaphore(HANDED_AT_ONCE)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task, which is held until its end."""
        task = asyncio.create_task(work)
        self._tasks.append(task)
        task.add_done_callback(self._tasks.remove)

    async def _say_alive(self) -> None:
        asking = self.site.starts.own_line("")
        await self._owners.announce(
            Alive(
                self.name,
                time(),
                len(self._claims.held),
                self._claims.is_draining or self._is_resting(),
                PROCESS,
                self._behind(),
                asking,
            )
        )

    async def _archive_ended(self) -> None:
        """Archive what has ended. Apart from all else: an archive may take its time to refuse each."""
        for session in self._claims.held:
            await asyncio.to_thread(self._end, session)

    async def _mend(self) -> None:
        """Take sessions again whose log has lapsed, once the servers answer; hand over what the disk
        refused."""
        if not self._connection.is_connected:
            return
        await self._relieve()
        for one in self.custody.logs:  # each apart: none waits for another; `Claims` does some at a time
            if one.why is not None and one.session not in self._mending:
                self._mending.add(one.session)
                self._do(self._mend_one(one))

    async def _mend_one(self, one: SessionLog) -> None:
        """Take a session again whose log has lapsed."""
        try:
            if isinstance(one.why, ReplicaBehindError):
                return  # told; `put_back` goes on with it
            owner = self._owners.owner(one.session)
            if isinstance(one.why, SupersededError) and owner is not None and owner.worker != self.name:
                return  # `Claims` sees it, and lets go of it
            await self._claims.again(one.session)
        except ReplicaBehindError as error:
            one.why = error
            self.told.say(one_line(str(error)))
            await self._claims.hold(one.session)
        except SessionNotFoundError:
            self.custody.let_go(one.session)  # another worker has archived it, or it was erased
        except (GreenroomError, OSError):
            pass  # the servers do not answer yet, or the disk refuses: tried again
        finally:
            self._mending.discard(one.session)

    async def _relieve(self) -> None:
        """Hand over the sessions of which this worker's disk has refused a write."""
        refused = [one for one in self.custody.logs if one.is_refused_by_disk]
        if not refused:
            return
        if not self._is_resting():
            self.told.say(
                f"{self._home.sessions}: the disk refused a write: this worker takes no further session for "
                f"{REST_S:g} s, and then only once {MIN_ROOM_BYTES >> 20} MiB are free; other workers get "
                "those that were refused: make room there"
            )
        self._rests_until = monotonic() + REST_S
        await self._say_alive()
        for one in refused:
            one.is_refused_by_disk = False
            if self._has_others() and one.session not in self._handing:
                self._handing.add(one.session)
                self._do(self._hand_one_over(one.session))

    async def _hand_one_over(self, session: str) -> None:
        try:
            async with self._handing_slots:
                await asyncio.to_thread(self._hand_over, session)
        finally:
            self._handing.discard(session)

    def _is_resting(self) -> bool:
        """Return whether the disk refused a write lately, and is not known to have room again."""
        if not self._rests_until:
            return False
        if monotonic() > self._rests_until:
            with suppress(OSError):
                if shutil.disk_usage(self._home.sessions).free >= MIN_ROOM_BYTES:
                    self._rests_until = 0.0
        return bool(self._rests_until)

    def _may_take(self) -> bool:
        return not self._is_resting() or not self._has_others()

    def _end(self, session: str) -> None:
        """Archive a session that has ended, read the archive back, and let its log go."""
        root = self._home.sessions / session
        try:
            if os.stat(root / LEDGER_NAME).st_mode & 0o222:
                return
        except OSError:
            return
        again_at, failed = self._archive_at.get(session, (0.0, 0))
        if monotonic() < again_at:
            return
        try:
            with self.site.sessions.using_any(session) as found:
                self._archived(found)
            self._shelf.put(session)
            self.custody.forget(session)
            self._archive_at.pop(session, None)
        except (GreenroomError, OSError) as error:
            pause_s = ARCHIVE_AGAIN_S[min(failed, len(ARCHIVE_AGAIN_S) - 1)]
            self._archive_at[session] = monotonic() + pause_s, failed + 1
            self.told.say(
                f"{session}: not archived yet, tried again in {pause_s:g} s: {one_line(str(error))}"
            )

    def _archived(self, session: AnySession) -> None:
        """Archive the session if no archive has it, and read that back.

        Raises:
            GreenroomError, OSError: It is not archived.
        """
        head = session.ledger_head
        if not archives_of(self._home, session.name, head=head):
            session.archive(self.site.archives, endpoint_url=self.site.endpoint_url)
        url = next(reversed(archives_of(self._home, session.name, head=head)))
        found = verify_archive(url, session.id, endpoint_url=self.site.endpoint_url, application=BOARD)
        if not found.valid or found.head != head:
            raise StoreError(f"{session.id}: its archive in {url} is not what was sent: look at the archive")

    # ------------------------------------------------------------------ handing over

    def _hand_over(self, session: str) -> None:
        """Stop with a session where it is, and let another worker claim it."""
        here = self.custody.log_of(session)
        with suppress(GreenroomError, OSError), self.site.sessions.using_any(session) as found:
            store_of(found).flush()  # a receipt that waits for the next write would stay behind
        if here is not None:
            here.stop(handed_over(session))
            with suppress(ReplicaAwayError):
                here.catch_up(HANDED_WITHIN_S)
        # First: what the drive writes as it stops is refused, so that whoever takes it drives it on.
        self.custody.let_go(session)
        with suppress(GreenroomError, OSError):
            self._keeping.close(session)
            self.custody.put_away(session)
        until = monotonic() + HANDED_WITHIN_S
        while True:
            with suppress(GreenroomError):
                self._connection.run(self._claims.hand_over(session))
                return
            if self._claims.is_draining and (not self._connection.is_connected or monotonic() > until):
                return  # the others hear that this worker is gone
            sleep(HAND_AGAIN_S)

    def _has_others(self) -> bool:
        return any(one.worker != self.name and not one.draining for one in self._owners.living())

    def _is_elsewhere(self, session: str) -> bool:
        owner = self._owners.owner(session)
        return owner is None or owner.worker not in ("", self.name)

    def _look_at_old_copies(self) -> None:
        """Keep aside what this disk has beyond the log of a session that another worker went on with."""
        for root in sorted(self._home.sessions.glob("*/")):
            row = self._shelf.rows.get(root.name)
            is_elsewhere = row is not None and row.worker != self.name
            self._keeping.look_at_old_copy(root.name, is_elsewhere=is_elsewhere)

    # ------------------------------------------------------------------ asked by commands

    async def _asked_to_drain(self, message: Msg) -> None:
        loop = asyncio.get_running_loop()

        async def tell(left: int, *, is_done: bool = False) -> None:
            await message.respond(json.dumps({"left": left, "done": is_done, "error": None}).encode())

        def say(left: int) -> None:
            asyncio.run_coroutine_threadsafe(tell(left), loop)

        async def work() -> None:
            try:
                left = await asyncio.to_thread(self.drain, say)
                await tell(left, is_done=True)
            finally:  # whoever asked may be gone, or has named nobody to tell
                self.drained.set()

        self._do(work())

    async def _asked_status(self, message: Msg) -> None:
        lapsed = {one.session: one_line(str(one.why)) for one in self.custody.logs if one.why is not None}
        told = {"worker": self.name, "told": self.told.lines, "lapsed": lapsed}
        await message.respond(json.dumps(told).encode())

    async def _asked_to_put_back(self, message: Msg) -> None:
        session = message.data[:100].decode("utf-8", "replace")  # no id is so long

        async def work() -> None:
            try:
                check_session_id(session)
                close = partial(self._keeping.close, session)
                more = await asyncio.to_thread(self.custody.put_back, session, close)
                await self._claims.again(session)
                answer: dict[str, Any] = {"worker": self.name, "records": more}
            except (GreenroomError, OSError) as error:
                code = error.code if isinstance(error, GreenroomError) else None
                answer = {"worker": self.name, "refused": one_line(str(error)), "code": code}
            await message.respond(json.dumps(answer).encode())

        self._do(work())


def run(
    home: Home,
    cluster: Cluster,
    *,
    probes: tuple[str, int] | None = None,
    say: Callable[[dict[str, Any], str], None],
) -> None:
    """Be a worker until Ctrl-C, SIGTERM or a drain; sessions are handed over before the process ends.

    Args:
        probes: Where they and Prometheus are answered, as host and port; None: nowhere.
        say: Called with values and a line that says them, once it takes sessions, and at its end.

    Raises:
        ReplicaAwayError, ConfigurationError, NotInstalledError
    """
    allow_open_files()
    worker = Worker(home, cluster)
    worker.open()
    site = worker.site
    answered = served(*probes, site.readiness, site.metrics, site.metrics_token) if probes else nullcontext()
    with until_signalled() as stop:
        try:
            with answered:
                say({"worker": worker.name}, f"worker {worker.name} takes sessions")
                while not stop.wait(0.1) and not worker.drained.is_set():
                    pass
                if not worker.drained.is_set():
                    left = worker.drain()
                    wait = f"; {left} of its sessions wait for one" if left else "; others have its sessions"
                    text = f"worker {worker.name} goes{wait}"
                    say({"worker": worker.name, "left": left}, text)
        finally:
            worker.close()
