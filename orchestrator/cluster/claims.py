"""The sessions that this worker answers for: claimed when they are first asked for, begun or left behind.

What has to be done before a session is this worker's, and after, is its `Keeping`: with one home for all
workers nothing but driving on; in a cluster, making its folder from the log.

Source: cluster.md, "Promises".
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from time import monotonic
from typing import Final, Protocol

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import ALIVE_EVERY_S, DEAD_AFTER_S, PROCESS, Owner, Owners
from orchestrator.core.errors import GreenroomError, ReplicaAwayError

log = logging.getLogger(__name__)

AT_ONCE: Final = 4
"""Sessions that are taken over at a time: each folds a ledger, and two cores do no more."""
CLAIM_WITHIN_S: Final = 30.0
CLAIM_EVERY_S: Final = 2.0
"""Seconds between two looks for sessions that nobody has: few of the 15 within which one is to be taken."""
MAX_TRIES: Final = 3
"""Workers that may die with a session, one right after the other, before it is set aside."""
STEADY_S: Final = 3.0
"""Seconds after which a session has not brought its worker down: one that does so does it as it is taken, and
workers that are killed or cut off one after the other must not set aside what they had."""


class Keeping(Protocol):
    """What a claim means here. Every method is called in a thread, for one session once at a time."""

    def is_live(self, session: str) -> bool:
        """Return whether there is such a session, and it has not ended: only then it needs an owner."""

    def is_current(self, session: str) -> bool:
        """Return whether a session that was prepared can be written, as far as is known; called in the loop.

        If not, it is prepared again within a second, and whoever asks for it waits for that.
        """

    def prepare(self, session: str, before: Owner | None) -> int:
        """Make the session ready to be answered for here; return the epoch in which it will be.

        Raises:
            GreenroomError: It cannot be; it is not claimed.
        """

    def taken(self, session: str, before: Owner | None) -> None:
        """Go on with a session of this worker's, where *before*, who has died, was (None: nobody was)."""

    def lost(self, session: str) -> None:
        """Write nothing any more to a session that is another worker's now."""


class Claims:
    """The claims of one worker. Its coroutines run in the connection's loop."""

    def __init__(self, connection: Connection, owners: Owners, worker: str, keeping: Keeping) -> None:
        """Prepare to claim; what *keeping* does is done in threads."""
        self._connection = connection
        self._owners = owners
        self._worker = worker
        self._keeping = keeping
        self._held: dict[str, tuple[Owner, int]] = {}  # with the entry's revision
        self._claiming: dict[str, asyncio.Lock] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._since: dict[str, float] = {}  # when each was claimed
        self._begun_at = monotonic()
        self.is_draining = False
        self.may_take: Callable[[], bool] = lambda: True
        """Whether this worker takes further sessions, but for being drained: its disk may be full."""
        owners.on_change.append(self._look)
        owners.on_death.append(self._take_over)

    @property
    def held(self) -> tuple[str, ...]:
        """The sessions that this worker answers for."""
        return tuple(self._held)

    async def enter(self, session: str, epoch: int) -> bool:
        """Return whether this worker answers for a session in an epoch; claim it if nobody has it.

        Args:
            epoch: That of the owner whom the asking side knows; 0: it knows of none.

        Raises:
            GreenroomError: It would, but cannot: what `Keeping.prepare` says.
        """
        if (held := self._held.get(session)) is not None:
            return epoch in (0, held[0].epoch) and self._keeping.is_current(session)
        if epoch and not self._is_own(session):
            return False
        if not await self._is_live(session):
            return True  # whoever answers says that it is not there, or has ended
        return await self._claim(session) and epoch in (0, self._held[session][0].epoch)

    def _is_own(self, session: str) -> bool:
        """Return whether an entry names this worker: its claim was written, but never answered, say."""
        owner = self._owners.owner(session)
        return owner is not None and owner.worker == self._worker

    def begin(self, session: str) -> None:
        """Claim a session that was begun here, also while draining; call this in any thread but the loop's.

        Raises:
            ReplicaAwayError: The servers do not answer; it is claimed when it is asked for.
        """
        self._connection.run(self._claim(session, is_begun=True), timeout_s=CLAIM_WITHIN_S)

    async def sweep(self) -> None:
        """Let go of the sessions that have ended, or are not there any more."""
        self._since = {session: at for session, at in self._since.items() if session in self._held}
        for session, (_, revision) in tuple(self._held.items()):
            if await self._is_live(session):
                continue
            if self._held.pop(session, None) is not None:
                with suppress(ReplicaAwayError):  # the entry of an ended session harms nobody
                    await self._owners.release(session, revision)

    async def forgive(self) -> None:
        """Count no death any more that a session outlived."""
        for session, (owner, revision) in tuple(self._held.items()):
            if owner.tries and monotonic() - self._since.get(session, 0.0) > STEADY_S:
                await self._forgive(session, owner, revision)

    async def _forgive(self, session: str, owner: Owner, revision: int) -> None:
        if session in self._claiming:  # it is being taken again, by the entry as it stands
            return
        async with self._alone(session):
            steady = replace(owner, tries=0)
            with suppress(ReplicaAwayError):
                made = await self._owners.claim(session, steady, revision)
                if made is not None:
                    self._held[session] = steady, made

    async def _is_live(self, session: str) -> bool:
        return await asyncio.to_thread(self._keeping.is_live, session)

    async def _claim(self, session: str, *, is_begun: bool = False) -> bool:
        async with self._alone(session), self._slots:
            if session in self._held:
                return True
            before, revision = self._owners.owner(session), self._owners.revision(session)
            # Nobody else knows of one that was begun here: without an entry nobody would go on with it.
            may_take = is_begun or (not self.is_draining and self.may_take())
            if not may_take or not self._may_claim(before):
                return False
            tries = before.tries + 1 if before is not None and before.worker else 0
            if tries >= MAX_TRIES:
                await self._owners.claim(session, replace(before or Owner("", 0), state="aside"), revision)
                return False
            epoch = await asyncio.to_thread(self._keeping.prepare, session, before)
            owner = Owner(self._worker, epoch, "live", tries, PROCESS)
            made = await self._owners.claim(session, owner, revision)
            if made is None:
                await asyncio.to_thread(self._keeping.lost, session)
                return False
            self._hold(session, owner, made)
            await asyncio.to_thread(self._keeping.taken, session, before)
            return True

    async def again(self, session: str) -> None:
        """Prepare one of this worker's sessions anew, in a new epoch, and go on with it.

        Raises:
            GreenroomError: What `Keeping.prepare` says, or the servers.
        """
        async with self._alone(session), self._slots:
            before, revision = self._owners.owner(session), self._owners.revision(session)
            if before is not None and before.worker not in ("", self._worker):
                return
            epoch = await asyncio.to_thread(self._keeping.prepare, session, before)
            tries = before.tries if before is not None else 0
            owner = Owner(self._worker, epoch, "live", tries, PROCESS)
            made = await self._owners.claim(session, owner, revision)
            if made is not None:
                self._hold(session, owner, made)
                await asyncio.to_thread(self._keeping.taken, session, owner)
            else:
                # What is held is kept here: if the entry names this worker all the same, it claims anew.
                self._held.pop(session, None)
                await asyncio.to_thread(self._keeping.lost, session)

    async def hold(self, session: str) -> None:
        """Tell everybody that a session is this worker's, and not written for now."""
        held = self._held.get(session)
        if held is not None:
            owner = replace(held[0], state="held")
            with suppress(ReplicaAwayError):
                made = await self._owners.claim(session, owner, held[1])
                if made is not None:
                    self._hold(session, owner, made)

    async def hand_over(self, session: str) -> None:
        """Let another worker claim a session that this one has closed.

        Raises:
            ReplicaAwayError
        """
        held = self._held.get(session)
        if held is not None:
            await self._owners.claim(session, Owner("", held[0].epoch), held[1])
            if self._held.get(session) == held:
                del self._held[session]

    async def claim_left(self) -> None:
        """Claim what nobody has, as far as it falls to this worker: all workers were gone, say, or no server
        answered when it was to be claimed."""
        if (
            self.is_draining
            or not self.may_take()
            or monotonic() - self._begun_at < DEAD_AFTER_S + ALIVE_EVERY_S
        ):
            return  # it may not have heard of everybody yet
        # From the end: what an earlier process of this worker left, the others take from the beginning.
        for session, owner in reversed(self._owners.owners().items()):
            if owner.state != "live" or session in self._held or session in self._claiming:
                continue
            is_left = self._owners.is_dead(owner) and self._owners.pick(session) == self._worker
            if is_left or owner.worker == self._worker:  # of an earlier process, or its answer got lost
                self._spawn(self._claim_left(session))

    @asynccontextmanager
    async def _alone(self, session: str) -> AsyncIterator[None]:
        """Let one at a time claim a session, take it again, or let go of it in the block."""
        lock = self._claiming.setdefault(session, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked():
                self._claiming.pop(session, None)

    def _hold(self, session: str, owner: Owner, revision: int) -> None:
        self._held[session] = owner, revision
        self._since[session] = monotonic()

    def _may_claim(self, before: Owner | None) -> bool:
        if before is None or before.state == "ended":
            return True
        if before.state != "live":
            return False
        if before.worker in ("", self._worker):
            return True
        # Who hears nobody is cut off itself, and right after that it has not heard of everybody yet.
        return self._owners.is_dead(before)

    def _look(self, session: str) -> None:
        """Notice that another worker has one of this worker's sessions."""
        held, owner = self._held.get(session), self._owners.owner(session)
        if owner is not None and not owner.worker and self._owners.pick(session) == self._worker:
            self._spawn(self._claim_left(session))  # it is handed over
            return
        if held is None or owner is None or owner.worker in ("", self._worker):
            return
        del self._held[session]
        self._spawn(self._lose(session))

    async def _lose(self, session: str) -> None:
        """Let go of a session, unless it has come back meanwhile."""
        async with self._alone(session):
            if session not in self._held:
                await asyncio.to_thread(self._keeping.lost, session)

    def _take_over(self, dead: str) -> None:
        """Claim the sessions of a worker that has died, as far as they fall to this one."""
        if self.is_draining or dead == self._worker:
            return
        for session, owner in self._owners.owners().items():
            if owner.worker == dead and owner.state == "live" and self._owners.pick(session) == self._worker:
                self._spawn(self._claim_left(session))

    async def _claim_left(self, session: str) -> None:
        with suppress(GreenroomError):  # whoever asks for it next is told
            revision = self._owners.revision(session)
            if await self._is_live(session):
                await self._claim(session)
            elif revision:  # its worker died between the end of its log and the end of this
                await self._owners.release(session, revision)

    def _spawn(self, work: Awaitable[None]) -> None:
        async def quietly() -> None:
            with suppress(GreenroomError):
                try:
                    await work
                except OSError as error:  # of this worker's disk: it is tried again
                    log.warning("cluster: a session could not be taken: %s", type(error).__name__)

        task = asyncio.ensure_future(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
