"""Who has a session is decided once; who is silent is dead, unless it was this process that slept."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from orchestrator.cluster import owners as module
from orchestrator.cluster.claims import Claims
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.owners import Alive, Owner, Owners
from orchestrator.cluster.server import Servers
from orchestrator.core.errors import SessionBusyError

WITHIN_S = 20.0
"""Far more than anything here takes: what has not come by then never will."""


def wait_for(is_so: Callable[[], bool]) -> None:
    until = monotonic() + WITHIN_S
    while not is_so():
        assert monotonic() < until
        sleep(0.01)


@pytest.fixture
def here(connection: Connection) -> Iterator[Owners]:
    made = Owners(connection)
    made.open()
    yield made
    made.close()


@pytest.fixture
def there(other: Connection) -> Iterator[Owners]:
    made = Owners(other)
    made.open()
    yield made
    made.close()


def alive(worker: str, pid: int = 1, *, draining: bool = False) -> Alive:
    return Alive(worker, 0.0, 0, draining=draining, pid=pid)


def say(connection: Connection, owners: Owners, one: Alive) -> None:
    connection.run(owners.announce(one))


def test_of_two_who_claim_a_session_one_gets_it(
    here: Owners, there: Owners, connection: Connection, other: Connection
) -> None:
    first = connection.run(here.claim("one", Owner("w1", 1), 0))
    assert first is not None
    assert other.run(there.claim("one", Owner("w2", 1), 0)) is None
    wait_for(lambda: there.owner("one") == Owner("w1", 1))
    second = other.run(there.claim("one", Owner("w2", 2, tries=1), there.revision("one")))
    assert second is not None
    assert connection.run(here.claim("one", Owner("w1", 3), first)) is None
    wait_for(lambda: here.owner("one") == Owner("w2", 2, tries=1))


def test_who_comes_later_knows_every_owner_at_once(connection: Connection, other: Connection) -> None:
    early, late = Owners(connection), Owners(other)
    early.open()
    for number in range(20):
        connection.run(early.claim(f"known-{number}", Owner("w1", number), 0))
    late.open()
    assert [late.owner(f"known-{number}") for number in range(20)] == [Owner("w1", n) for n in range(20)]
    early.close()
    late.close()


def test_a_session_that_was_let_go_of_may_be_claimed_again(
    here: Owners, there: Owners, connection: Connection, other: Connection
) -> None:
    revision = connection.run(here.claim("freed", Owner("w1", 1), 0))
    assert revision is not None
    connection.run(here.release("freed", revision + 1))  # of another revision: it stays
    wait_for(lambda: there.owner("freed") is not None)
    connection.run(here.release("freed", revision))
    wait_for(lambda: there.owner("freed") is None)
    assert other.run(there.claim("freed", Owner("w2", 1), there.revision("freed"))) is not None


def test_what_is_no_entry_of_ours_is_no_owner(here: Owners, other: Connection) -> None:
    """A later release may write what this one does not know."""

    async def forge() -> None:
        bucket = await other.js.key_value(module.BUCKET)
        for name, value in (
            ("a", b"{}"),
            ("b", b"no"),
            ("c", b'{"worker":"w","epoch":1,"state":"x","tries":0}'),
        ):
            await bucket.put(name, value)
        await bucket.put("last", Owner("w1", 1).to_bytes())

    other.run(forge())
    wait_for(lambda: here.owner("last") is not None)
    assert [here.owner(name) for name in "abc"] == [None, None, None]


def test_owners_are_followed_on_after_the_server_was_away(tmp_path: Path) -> None:
    """Its files are synced, so what it knew is there again."""
    servers = Servers(tmp_path)
    servers.start()
    connections = [Connection.open(servers.cluster, name) for name in ("a", "b")]
    here, there = (Owners(one) for one in connections)
    try:
        here.open()
        there.open()
        connections[0].run(here.claim("one", Owner("w1", 1), 0))
        servers.kill("n1")
        servers.start_one("n1")
        wait_for(lambda: all(one.is_connected for one in connections))
        revision = connections[0].run(here.claim("one", Owner("w2", 2), here.revision("one")), timeout_s=15)
        assert revision is not None
        wait_for(lambda: there.owner("one") == Owner("w2", 2))
    finally:
        for one in connections:
            one.close()
        servers.stop()


def test_who_is_silent_is_dead_and_it_is_said_once(
    here: Owners, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DEAD_AFTER_S", 0.5)
    dead: list[str] = []
    here.on_death.append(dead.append)
    say(connection, here, alive("w1"))
    wait_for(lambda: here.is_living("w1"))
    wait_for(lambda: not here.is_living("w1"))
    assert dead == ["w1"]


def test_a_process_that_slept_takes_nobody_for_dead(connection: Connection) -> None:
    """Its own clock shows the gap: it was stopped, and has not heard what was said meanwhile."""
    offset_s = 0.0
    here = Owners(connection, clock=lambda: monotonic() + offset_s)
    here.open()
    dead: list[str] = []
    here.on_death.append(dead.append)
    say(connection, here, alive("w1"))
    wait_for(lambda: here.is_living("w1"))
    offset_s = 60.0
    sleep(3 * module._LOOK_S)  # looks that would have found it dead
    assert (here.is_living("w1"), dead) == (True, [])
    here.close()


def test_a_worker_whose_process_has_ended_is_dead_at_once_and_stays_so(
    here: Owners, there: Owners, connection: Connection
) -> None:
    """What it had said before may arrive later; another process may take its name."""
    say(connection, here, alive("w1"))
    wait_for(lambda: there.is_living("w1"))
    connection.run(here.bury("w1"))
    wait_for(lambda: not there.is_living("w1"))
    say(connection, here, alive("w1"))
    say(connection, here, alive("w2"))
    wait_for(lambda: there.is_living("w2"))
    assert not there.is_living("w1")
    say(connection, here, alive("w1", pid=2))
    wait_for(lambda: there.is_living("w1"))


def test_what_is_said_of_a_dead_process_is_not_said_of_the_next_of_its_name(
    here: Owners, there: Owners, connection: Connection
) -> None:
    """It may be heard late, or twice."""
    say(connection, here, alive("w1", pid=1))
    wait_for(lambda: there.is_living("w1"))
    say(connection, here, alive("w1", pid=2))
    connection.run(here.bury("w1", 1))
    say(connection, here, alive("w2"))
    wait_for(lambda: there.is_living("w2"))
    assert there.is_living("w1")
    connection.run(here.bury("w1", 2))
    wait_for(lambda: not there.is_living("w1"))


def test_a_process_is_told_from_another_with_the_same_number_as_in_a_container() -> None:
    """There each is number 1: a worker that was started again would be taken for dead for ever."""
    program = (
        "import os; os.getpid = lambda: 1\nfrom orchestrator.cluster.owners import PROCESS; print(PROCESS)"
    )
    told = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(told) == 2


def test_another_process_by_the_same_name_means_that_the_first_is_dead(
    here: Owners, connection: Connection
) -> None:
    dead: list[str] = []
    here.on_death.append(dead.append)
    for pid in (1, 2):
        say(connection, here, alive("w1", pid))
        wait_for(lambda pid=pid: any(one.pid == pid for one in here.living()))  # type: ignore[misc]
    assert dead == ["w1"]


def test_a_key_falls_to_the_same_worker_everywhere_and_moves_only_with_it(
    here: Owners, there: Owners, connection: Connection
) -> None:
    names = ["w1", "w2", "w3"]
    for name in names:
        say(connection, here, alive(name))
    wait_for(lambda: len(here.living()) == len(there.living()) == len(names))
    keys = [f"session-{number}" for number in range(300)]
    before = {key: here.pick(key) for key in keys}
    assert before == {key: there.pick(key) for key in keys}
    assert all(50 < list(before.values()).count(name) < 150 for name in names)
    say(connection, here, alive("w2", draining=True))
    wait_for(lambda: any(one.draining for one in here.living()))
    after = {key: here.pick(key) for key in keys}
    assert "w2" not in after.values()
    assert {key for key in keys if before[key] != after[key]} == {key for key in keys if before[key] == "w2"}


# ---------------------------------------------------------------------- claims


class Kept:
    """What a claim does, as notes; `is_refused` are sessions that cannot be prepared."""

    def __init__(self) -> None:
        self.ended: set[str] = set()
        self.refused: set[str] = set()
        self.done: list[tuple[str, str]] = []

    def is_live(self, session: str) -> bool:
        return session not in self.ended

    def is_current(self, session: str) -> bool:
        return True

    def prepare(self, session: str, before: Owner | None) -> int:
        if session in self.refused:
            raise SessionBusyError(f"{session} cannot be made")
        return before.epoch + 1 if before is not None else 1

    def taken(self, session: str, before: Owner | None) -> None:
        self.done.append(("taken", session))

    def lost(self, session: str) -> None:
        self.done.append(("lost", session))


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def claims(connection: Connection, here: Owners, kept: Kept) -> Iterator[Claims]:
    """The claims of w1, with w1 and w2 alive; both go on saying so, also w2 once it is called dead."""
    made = Claims(connection, here, "w1", kept)

    async def go_on() -> None:
        while True:
            for name in ("w1", "w2"):
                await here.announce(alive(name))
            await asyncio.sleep(0.3)

    saying = connection.spawn(go_on())
    wait_for(lambda: len(here.living()) == 2 and here.is_in_touch)
    yield made
    saying.cancel()


def test_the_first_request_claims_and_a_stale_epoch_is_refused(
    claims: Claims, kept: Kept, connection: Connection, here: Owners
) -> None:
    assert connection.run(claims.enter("c1", 0))
    assert here.owner("c1") == Owner("w1", 1)
    assert [connection.run(claims.enter("c1", epoch)) for epoch in (0, 1, 2)] == [True, True, False]
    assert not connection.run(claims.enter("unknown", 5))
    assert kept.done == [("taken", "c1")]


def test_many_first_requests_claim_once(claims: Claims, kept: Kept, connection: Connection) -> None:
    async def all_at_once() -> list[bool]:
        return await asyncio.gather(*(claims.enter("c2", 0) for _ in range(20)))

    assert connection.run(all_at_once()) == [True] * 20
    assert kept.done == [("taken", "c2")]


def test_what_has_ended_needs_no_owner(
    claims: Claims, kept: Kept, connection: Connection, here: Owners
) -> None:
    kept.ended.add("c3")
    assert connection.run(claims.enter("c3", 0))
    assert here.owner("c3") is None
    assert connection.run(claims.enter("c4", 0))
    kept.ended.add("c4")
    connection.run(claims.sweep())
    wait_for(lambda: here.owner("c4") is None)
    assert "c4" not in claims.held


def test_anothers_session_is_not_claimed_while_it_lives(
    claims: Claims, connection: Connection, here: Owners, there: Owners, other: Connection
) -> None:
    other.run(there.claim("c5", Owner("w2", 4), 0))
    wait_for(lambda: here.owner("c5") is not None)
    assert not connection.run(claims.enter("c5", 0))
    connection.run(here.bury("w2"))
    wait_for(lambda: not here.is_living("w2"))
    assert connection.run(claims.enter("c5", 0))
    assert here.owner("c5") == Owner("w1", 5, tries=1)


def test_the_sessions_of_the_dead_are_claimed_by_who_is_left_without_a_request(
    claims: Claims, connection: Connection, here: Owners, there: Owners, other: Connection
) -> None:
    names = [f"left-{number}" for number in range(12)]
    for name in names:
        other.run(there.claim(name, Owner("w2", 1), 0))
    wait_for(lambda: all(here.owner(name) for name in names))
    connection.run(here.bury("w2"))
    wait_for(lambda: set(names) <= set(claims.held))
    wait_for(lambda: {there.owner(name) for name in names} == {Owner("w1", 2, tries=1)})


def test_what_cannot_be_prepared_is_not_claimed_and_says_why(
    claims: Claims, kept: Kept, connection: Connection, here: Owners
) -> None:
    kept.refused.add("c6")
    with pytest.raises(SessionBusyError, match="c6 cannot be made"):
        connection.run(claims.enter("c6", 0))
    assert here.owner("c6") is None
    kept.refused.clear()
    assert connection.run(claims.enter("c6", 0))


def test_who_loses_a_session_is_told_and_answers_for_it_no_more(
    claims: Claims, kept: Kept, connection: Connection, there: Owners, other: Connection
) -> None:
    assert connection.run(claims.enter("c7", 0))
    wait_for(lambda: there.owner("c7") is not None)
    other.run(there.claim("c7", Owner("w2", 9), there.revision("c7")))
    wait_for(lambda: ("lost", "c7") in kept.done)
    assert not connection.run(claims.enter("c7", 1))
    assert not connection.run(claims.enter("c7", 9))


def test_a_claim_whose_answer_got_lost_is_made_again(
    claims: Claims, connection: Connection, here: Owners, there: Owners, other: Connection
) -> None:
    """The entry names this worker, which does not know it: nobody else could answer."""
    other.run(there.claim("c8", Owner("w1", 3), 0))
    wait_for(lambda: here.owner("c8") is not None)
    assert not connection.run(claims.enter("c8", 3))  # by now it has another epoch, which the next is sent to
    assert here.owner("c8") == Owner("w1", 4, tries=1)
    assert connection.run(claims.enter("c8", 4))


def test_who_drains_takes_no_further_session(claims: Claims, connection: Connection) -> None:
    claims.is_draining = True
    assert not connection.run(claims.enter("c9", 0))
