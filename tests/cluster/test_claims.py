"""Who may claim a session, and that a session which comes back is not let go of."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from orchestrator.cluster.claims import Claims
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import DEAD, OUT_OF_TOUCH_S, Alive, Owner, Owners
from orchestrator.cluster.worker import Worker
from orchestrator.core.errors import ReplicaAwayError, SessionNotFoundError


class Entries:
    """Owners' entries in memory, and who is alive, as a worker has heard it."""

    def __init__(self) -> None:
        self.entries: dict[str, tuple[Owner, int]] = {}
        self.living: set[str] = {"a"}
        self.is_in_touch = True
        self.told_dead: set[str] = set()
        self.refuses = False
        self.is_away = False
        self.on_change: list[Callable[[str], None]] = []
        self.on_death: list[Callable[[str], None]] = []

    def owner(self, session: str) -> Owner | None:
        return self.entries[session][0] if session in self.entries else None

    def revision(self, session: str) -> int:
        return self.entries[session][1] if session in self.entries else 0

    def owners(self) -> dict[str, Owner]:
        return {session: owner for session, (owner, _) in self.entries.items()}

    async def release(self, session: str, revision: int) -> None:
        if self.revision(session) == revision:
            del self.entries[session]

    def is_living(self, worker: str) -> bool:
        return worker in self.living

    def is_dead(self, owner: Owner) -> bool:
        worker = owner.worker
        return worker in self.told_dead or (worker not in self.living and self.is_in_touch)

    def pick(self, key: str) -> str | None:
        return next(iter(sorted(self.living)), None)

    async def claim(self, session: str, owner: Owner, revision: int) -> int | None:
        if self.is_away:
            raise ReplicaAwayError("no server answers")
        if self.refuses or revision != self.revision(session):
            return None
        self.put(session, owner)
        return self.revision(session)

    def put(self, session: str, owner: Owner) -> None:
        self.entries[session] = owner, self.revision(session) + 1
        for told in self.on_change:
            told(session)


class Kept:
    """A worker's folders, as far as they are told of."""

    def __init__(self) -> None:
        self.here: set[str] = set()
        self.archived: set[str] = set()
        self.driven: list[str] = []
        self.may_lose = threading.Event()
        self.may_lose.set()

    def is_live(self, session: str) -> bool:
        return session not in self.archived

    def is_current(self, session: str) -> bool:
        return session in self.here

    def prepare(self, session: str, before: Owner | None) -> int:
        self.here.add(session)
        return before.epoch + 1 if before is not None else 1

    def taken(self, session: str, before: Owner | None) -> None:
        self.driven += [session] if before is not None else []

    def lost(self, session: str) -> None:
        self.may_lose.wait(10)
        self.here.discard(session)


@pytest.fixture
def entries() -> Entries:
    return Entries()


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def claims(entries: Entries, kept: Kept) -> Claims:
    return Claims(cast(Connection, None), cast(Owners, entries), "a", kept)


async def settled(claims: Claims) -> None:
    while claims._tasks:
        await asyncio.gather(*claims._tasks)


def test_who_hears_nobody_claims_nothing_of_others(claims: Claims, entries: Entries, kept: Kept) -> None:
    """All others seem dead to it, and they are not."""
    entries.put("s", Owner("b", 1))
    entries.is_in_touch = False
    assert asyncio.run(claims.enter("s", 0)) is False
    assert kept.here == set()
    entries.is_in_touch = True
    assert asyncio.run(claims.enter("s", 0)) is True
    assert kept.here == {"s"}


def test_who_is_told_of_a_death_need_not_have_heard_the_others_for_a_while(
    claims: Claims, entries: Entries, kept: Kept
) -> None:
    """As the second worker of a server, which has just begun itself."""
    entries.put("s", Owner("b", 1))
    entries.is_in_touch = False
    entries.told_dead = {"b"}

    async def die() -> None:
        claims._take_over("b")
        await settled(claims)

    asyncio.run(die())
    assert kept.driven == ["s"]


def test_what_a_worker_had_is_taken_also_once_its_next_process_is_there(
    claims: Claims, entries: Entries, kept: Kept
) -> None:
    """Which is one, and has just begun, where the others share what was left."""
    entries.put("s", Owner("b", 1))
    entries.living = {"a", "b"}
    assert asyncio.run(claims.enter("s", 0)) is False
    entries.told_dead = {"b"}
    assert asyncio.run(claims.enter("s", 0)) is True
    assert (kept.here, kept.driven) == ({"s"}, ["s"])


def test_a_session_that_comes_back_while_it_is_let_go_of_stays(
    claims: Claims, entries: Entries, kept: Kept
) -> None:
    """Another worker took it and died: it is claimed anew before the first loss was worked off."""

    async def play() -> None:
        assert await claims.enter("s", 0)
        entries.living.add("b")
        lock = claims._claiming.setdefault("s", asyncio.Lock())
        async with lock:  # its claims are busy
            entries.put("s", Owner("b", 2))
            await asyncio.sleep(0)
            assert claims.held == ()
            claims._hold("s", Owner("a", 3), 3)  # what the claim that was waiting does
        await settled(claims)
        assert kept.here == {"s"}

    asyncio.run(play())


def test_what_another_worker_took_is_let_go_of(claims: Claims, entries: Entries, kept: Kept) -> None:
    async def play() -> None:
        assert await claims.enter("s", 0)
        entries.living.add("b")
        entries.put("s", Owner("b", 2))
        await settled(claims)
        assert (claims.held, kept.here) == ((), set())

    asyncio.run(play())


def test_a_session_that_cannot_be_claimed_again_is_let_go_of(
    claims: Claims, entries: Entries, kept: Kept
) -> None:
    """Somebody else's entry came first; a log that is kept open would be written by nobody."""

    async def play() -> None:
        entries.refuses = True
        await claims.again("s")
        assert (claims.held, kept.here) == ((), set())

    asyncio.run(play())


def test_a_session_that_was_superseded_is_not_answered_for(
    claims: Claims, entries: Entries, kept: Kept
) -> None:
    """Whoever asks waits until it is prepared again, and is not refused."""

    async def play() -> None:
        assert await claims.enter("s", 0)
        kept.here.discard("s")
        assert await claims.enter("s", 0) is False
        await claims.again("s")
        assert await claims.enter("s", 0) is True

    asyncio.run(play())


@pytest.fixture
def settled_in(claims: Claims) -> Claims:
    """As `claims`, of a worker that has been there for a while."""
    claims._begun_at -= 60
    return claims


def test_a_death_is_forgiven_beside_a_session_that_is_being_taken_again_and_it_stays_whole(
    claims: Claims, entries: Entries, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each writes the entry; the one that came second must not let go of what the entry says is here."""
    monkeypatch.setattr("orchestrator.cluster.claims.STEADY_S", -1.0)
    entries.put("s", Owner("b", 1))
    may_prepare, prepare = threading.Event(), kept.prepare

    def slowly(session: str, before: Owner | None) -> int:
        may_prepare.wait(10)
        return prepare(session, before)

    async def play() -> None:
        assert await claims.enter("s", 0)
        monkeypatch.setattr(kept, "prepare", slowly)
        taking = asyncio.create_task(claims.again("s"))
        await asyncio.sleep(0.05)
        await claims.forgive()
        may_prepare.set()
        await taking
        assert (claims.held, kept.here) == (("s",), {"s"})
        await claims.forgive()
        assert [owner.tries for owner in entries.owners().values()] == [0]

    asyncio.run(play())


def test_what_could_not_be_taken_again_is_not_held(claims: Claims, entries: Entries, kept: Kept) -> None:
    """Else the entry would say that it is here, and nobody would answer for it."""

    async def play() -> None:
        assert await claims.enter("s", 0)
        entries.refuses = True
        await claims.again("s")
        assert (claims.held, kept.here) == ((), set())
        entries.refuses = False
        assert await claims.enter("s", 0)
        assert (claims.held, kept.here) == (("s",), {"s"})

    asyncio.run(play())


def test_what_is_begun_while_its_worker_drains_is_told_of_and_handed_over(
    claims: Claims, entries: Entries, kept: Kept
) -> None:
    """A start takes seconds, and the order to drain comes within them."""

    async def play() -> None:
        claims.is_draining = True
        assert await claims.enter("another", 0) is False
        assert await claims._claim("s", is_begun=True)
        assert claims.held == ("s",)
        await claims.hand_over("s")
        assert entries.owner("s") == Owner("", 1)

    asyncio.run(play())


def test_a_session_that_could_not_be_handed_over_stays_until_it_can(claims: Claims, entries: Entries) -> None:
    """Its entry names this worker, so that no other takes it."""

    async def play() -> None:
        assert await claims.enter("s", 0)
        entries.is_away = True
        with pytest.raises(ReplicaAwayError):
            await claims.hand_over("s")
        assert "s" in claims.held
        entries.is_away = False
        await claims.hand_over("s")
        assert "s" not in claims.held
        assert entries.owner("s") == Owner("", 1)

    asyncio.run(play())


def test_what_an_earlier_process_of_this_worker_left_is_driven_on_without_a_request(
    settled_in: Claims, entries: Entries, kept: Kept
) -> None:
    """It was started again before anybody missed it, so nobody takes its sessions for left."""

    async def play() -> None:
        entries.put("s", Owner("a", 4))
        await settled_in.claim_left()
        await settled(settled_in)
        assert (settled_in.held, kept.driven) == (("s",), ["s"])

    asyncio.run(play())


def test_the_entry_of_a_session_that_was_archived_as_its_worker_died_is_removed(
    settled_in: Claims, entries: Entries, kept: Kept
) -> None:
    """Else each look for what is left would ask for it for ever."""

    async def play() -> None:
        entries.put("s", Owner("dead", 4))
        kept.archived.add("s")
        await settled_in.claim_left()
        await settled(settled_in)
        assert (settled_in.held, entries.owners()) == ((), {})

    asyncio.run(play())


def test_a_session_that_is_gone_or_slow_keeps_no_other_from_being_taken_again() -> None:
    """Its log lapsed here, and another worker has archived it meanwhile; or its servers take their time."""
    logs = [SimpleNamespace(session=name, why=ReplicaAwayError("away")) for name in ("slow", "gone", "s")]
    again: list[str] = []
    let_go: list[str] = []
    slow: list[str] = []

    async def take(session: str) -> None:
        if session == "gone":
            raise SessionNotFoundError("no log of it")
        if session == "slow":
            slow.append(session)
            await asyncio.Event().wait()
        again.append(session)

    async def relieve() -> None:
        pass

    worker = cast(
        Any,
        SimpleNamespace(
            _connection=SimpleNamespace(is_connected=True),
            _relieve=relieve,
            _mending=set(),
            _tasks=[],
            _owners=SimpleNamespace(owner=lambda _: None),
            _claims=SimpleNamespace(again=take),
            custody=SimpleNamespace(logs=logs, let_go=let_go.append),
            name="a",
        ),
    )
    worker._mend_one = partial(Worker._mend_one, worker)
    worker._do = partial(Worker._do, worker)

    async def play() -> None:
        await Worker._mend(worker)
        await asyncio.sleep(0)
        assert (again, let_go) == (["s"], ["gone"])
        logs[:] = logs[:1]
        await Worker._mend(worker)
        await asyncio.sleep(0)

    asyncio.run(play())
    assert slow == ["slow"]  # and is not begun twice


class Heard:
    """A message that says that a worker is alive."""

    def __init__(self, worker: str, pid: int = 0) -> None:
        self.data = Alive(worker, 0.0, 0, pid=pid).to_bytes()


class HeardDead:
    """A message that says that the process of a worker has ended."""

    def __init__(self, worker: str, pid: int) -> None:
        self.subject, self.data = f"{DEAD}.{worker}", str(pid).encode()


def test_a_process_is_in_touch_once_it_has_heard_of_workers_for_a_while() -> None:
    """And no more after it has heard of none, itself included, until it has heard of everybody again."""
    now = [100.0]
    owners = Owners(cast(Connection, None), lambda: now[0])

    def hears(at: float) -> bool:
        now[0] = at

        async def hear() -> None:
            owners._changed = asyncio.Event()
            await owners._hear_alive(cast(Any, Heard("a")))

        asyncio.run(hear())
        return owners.is_in_touch

    assert [hears(101), hears(102), hears(103)] == [False, True, True]
    now[0] = 103 + OUT_OF_TOUCH_S + 0.1
    assert not owners.is_in_touch
    assert [hears(106), hears(107), hears(108)] == [False, False, True]


def test_a_process_whose_end_was_seen_is_dead_whoever_has_its_name_then() -> None:
    """Also for one that has not heard the others for long; of a silence alone it says nothing yet."""
    now = [100.0]
    owners = Owners(cast(Connection, None), lambda: now[0])
    of = {pid: Owner("a", 1, pid=pid) for pid in (0, 1, 2)}  # 0: of a release that does not say it
    told = []

    def look() -> None:
        told.append("".join(str(pid) for pid, owner in of.items() if owners.is_dead(owner)))

    async def hear() -> None:
        owners._changed = asyncio.Event()
        await owners._hear_alive(cast(Any, Heard("a", pid=1)))
        look()
        await owners._hear_dead(cast(Any, HeardDead("a", pid=1)))
        look()
        await owners._hear_alive(cast(Any, Heard("a", pid=1)))  # said before its end, and late
        assert not owners.is_living("a")
        look()
        await owners._hear_alive(cast(Any, Heard("a", pid=2)))
        look()
        await owners._hear_dead(cast(Any, HeardDead("a", pid=1)))  # of the process before, again
        look()
        await owners._hear_alive(cast(Any, Heard("a", pid=3)))  # the end of the second one nobody saw
        look()

    asyncio.run(hear())
    assert told == ["", "1", "1", "1", "1", "12"]


def test_an_entry_of_a_release_that_names_no_process_is_read() -> None:
    before = b'{"worker": "a", "epoch": 7, "state": "live", "tries": 1}'
    assert Owner.of(before) == Owner("a", 7, "live", 1)
    made = Owner("a", 7, pid=5)
    assert (Owner.of(made.to_bytes()) or made).pid == 5
    assert json.loads(made.to_bytes()) == {"worker": "a", "epoch": 7, "state": "live", "tries": 0, "pid": 5}
