"""A session on another worker: the same folder to the byte, one writer, nothing lost and nothing twice."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from orchestrator.cluster import log as logs
from orchestrator.cluster.base import Base
from orchestrator.cluster.custody import AWAY
from orchestrator.cluster.log import Log, stream_of, subject_of
from orchestrator.cluster.server import Servers
from orchestrator.core.errors import (
    FileTooLargeError,
    ReplicaAwayError,
    ReplicaBehindError,
    SessionExistsError,
    SessionNotFoundError,
    StoreError,
    SupersededError,
)
from orchestrator.core.session import Session, store_of
from orchestrator.core.store.store import Store
from orchestrator.core.verify import verify_session
from tests.helpers.nats import Here, Workers, servers
from tests.helpers.sessions import TRANSCRIPT, rehearse, start
from tests.helpers.stores import contents, ledger_of, on_disk

NAME = "rehearsal-1"


@pytest.fixture(scope="module", params=[1, pytest.param(3, marks=pytest.mark.slow)], ids=["one", "three"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Servers that the tests of this file share; each test has sessions of its own names."""
    with servers(tmp_path_factory.mktemp("servers"), request.param) as found:
        yield found


@pytest.fixture
def workers(running: Servers, tmp_path: Path) -> Iterator[Workers]:
    with Workers(running, tmp_path) as found:
        yield found


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A session's name that no other test of the same servers has."""
    return f"s-{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12]}"


def begun(worker: Here, folder: Path, name: str) -> Store:
    """A session that was just started on this worker and is in the log, open."""
    sample, store = start(folder, name)
    store.close()
    shutil.move(sample.root, worker.sessions / name)
    worker.custody.begin(name)
    return opened(worker, name)


def opened(worker: Here, name: str) -> Store:
    store = Store(worker.sessions / name)
    worker.custody.attach(store)
    return store


def taken(worker: Here, name: str) -> Store:
    worker.custody.take(name)
    return opened(worker, name)


def rebuilt(root: Path) -> dict[str, str]:
    """Every context whose receipt a session has, made again, by the receipt's id."""
    with Session.open(None, root) as session:
        return {one: session.replay(one).text for one in store_of(session).receipts_on_disk()}


def say(store: Store, word: str) -> None:
    store.append(TRANSCRIPT, f"{word}\n", by="transcript")


def said(store: Store) -> list[str]:
    store.catch_up()
    return store.content(TRANSCRIPT).splitlines()


def test_the_folder_that_is_made_equals_the_old_one(workers: Workers, tmp_path: Path, name: str) -> None:
    """Byte for byte: ledger, copies of templates, the deck, and every file that the ledger holds."""
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    rehearse(store)
    store.close()
    there = taken(second, name)
    assert on_disk(second.sessions / name) == on_disk(first.sessions / name)
    assert contents(there) == contents(Store(first.sessions / name))
    there.close()
    assert verify_session(second.sessions / name).findings == ()


def test_receipts_of_before_rebuild(workers: Workers, tmp_path: Path, name: str) -> None:
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    rehearse(store)
    store.close()
    before = rebuilt(store.root)
    assert len(before) == 5
    taken(second, name).close()
    assert rebuilt(second.sessions / name) == before


def test_the_one_who_had_it_writes_it_no_more(workers: Workers, tmp_path: Path, name: str) -> None:
    """Also where the new owner has written nothing yet; its own bytes are cut off, and it says who has it."""
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    say(store, "one")
    before = on_disk(store.root)
    there = taken(second, name)
    for _ in range(2):
        with pytest.raises(SupersededError, match=f"{name}: the worker b has it now; nothing was written"):
            say(store, "stale")
    assert on_disk(store.root) == before
    assert said(store)[-1] == "one", "reading goes on"
    say(there, "two")
    with pytest.raises(SupersededError):
        say(store, "stale")
    assert said(there)[-2:] == ["one", "two"]
    for one in (store, there):
        one.close()


def test_a_session_comes_back_to_a_worker_that_had_it(workers: Workers, tmp_path: Path, name: str) -> None:
    first, second = workers.new("a"), workers.new("b")
    begun(first, tmp_path, name).close()
    there = taken(second, name)
    say(there, "meanwhile")
    there.close()
    back = taken(first, name)
    say(back, "back")
    assert said(back)[-2:] == ["meanwhile", "back"]
    assert on_disk(first.sessions / name).keys() == on_disk(second.sessions / name).keys()
    assert "ledger/rejected" not in {path.rpartition("/")[0] for path in on_disk(first.sessions / name)}
    back.close()


def test_nothing_acknowledged_is_lost_or_there_twice_while_workers_take_it_from_each_other(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    """Three workers take one session from each other, and each writes as much as it can."""
    here = [workers.new(one) for one in "abc"]
    begun(here[0], tmp_path, name).close()
    acknowledged: list[str] = []

    def write(worker: Here, rounds: int) -> None:
        for at in range(rounds):
            try:
                store = taken(worker, name)
            except SupersededError:
                continue
            try:
                for number in range(20):
                    word = f"{worker.name}-{at}-{number}"
                    say(store, word)
                    acknowledged.append(word)
            except SupersededError:
                pass
            finally:
                store.close_files()

    threads = [threading.Thread(target=write, args=(worker, 6)) for worker in here]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    there = taken(here[0], name)
    words = said(there)
    kept = [word for word in words if word in set(acknowledged)]
    assert sorted(kept) == sorted(acknowledged)
    assert len(set(words)) == len(words)
    assert len(acknowledged) > 20
    assert verify_session(there.root).findings == ()
    there.close()


def test_a_write_that_another_process_made_goes_along(workers: Workers, tmp_path: Path, name: str) -> None:
    """A command on the worker's machine writes past the log; the next write brings both."""
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    other = Store(store.root)
    say(other, "by hand")
    other.close()
    say(store, "by the worker")
    store.close()
    there = taken(second, name)
    assert said(there)[-2:] == ["by hand", "by the worker"]
    there.close()


@pytest.mark.parametrize("tail", ["torn", "whole"])
def test_what_a_crash_left_of_an_unacknowledged_write(
    workers: Workers, tmp_path: Path, name: str, tail: str
) -> None:
    """Torn: gone, as ever. Whole, on the same worker: it is there, since nothing contradicts it."""
    first = workers.new("a")
    store = begun(first, tmp_path, name)
    say(store, "kept")
    store.replica = None
    say(store, "unsent")
    store.close()
    if tail == "torn":
        path = ledger_of(store.root)
        path.write_bytes(path.read_bytes()[:-20])
    again = workers.new("a")
    there = taken(again, name)
    say(there, "next")
    assert said(there)[-2:] == (["kept", "next"] if tail == "torn" else ["unsent", "next"])
    there.close()
    there = taken(workers.new("b"), name)
    assert said(there)[-1] == "next"
    assert verify_session(there.root).findings == ()
    there.close()


def test_a_longer_ledger_of_a_worker_that_comes_back_is_kept_aside_and_told(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    say(store, "kept")
    store.replica = None
    for word in ("alone 1", "alone 2"):
        say(store, word)
    longer = ledger_of(store.root).read_bytes()
    store.close()
    there = taken(second, name)
    say(there, "elsewhere")
    there.close()
    told = first.custody.take(name).told
    back = opened(first, name)
    assert told is not None
    assert told.startswith(f"{name}: 2 records that only this worker's disk has are kept in ledger/rejected/")
    assert "b went on without them" in told
    assert said(back)[-2:] == ["kept", "elsewhere"]
    [aside] = (back.root / "ledger/rejected").glob("ledger-*")
    assert aside.read_bytes() == longer
    assert verify_session(back.root).findings == ()
    back.close()


def test_what_a_frozen_worker_had_not_sent_yet_is_told_when_it_wakes(
    running: Servers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `durability: local`, as soon as it hears that another worker has the session."""
    from orchestrator.cluster.log import SessionLog
    from orchestrator.cluster.worker import InCluster, Told

    with Workers(running, tmp_path, durability="local") as workers:
        first, second = workers.new("a"), workers.new("b")
        store = begun(first, tmp_path, name)
        say(store, "sent")
        assert store.replica is not None
        first.custody.logs[0].catch_up(5)
        monkeypatch.setattr(SessionLog, "_send_soon", lambda self: None)
        say(store, "alone")
        monkeypatch.undo()
        taken(second, name).close()
        told = Told()
        site = SimpleNamespace(
            drives=SimpleNamespace(stop=lambda _: None), sessions=SimpleNamespace(forget=lambda _: None)
        )
        InCluster(cast(Any, site), first.custody, told, lambda: None).lost(name)
        with pytest.raises(SupersededError):
            say(store, "late")
        store.close()
    assert [line.partition(" are kept")[0] for line in told.lines] == [
        f"{name}: 1 records that only this worker's disk has"
    ]
    [aside] = (tmp_path / "a" / AWAY / name / "ledger/rejected").glob("ledger-*")
    assert b"alone" in aside.read_bytes()


class TestTheLogLosesItsTail:
    """Files of the servers were damaged: told, nothing is played over, and the disk's copy puts it back."""

    def _lost(self, worker: Here, name: str, messages: int) -> None:
        """Remove the last messages of a log, as damaged files of two servers do."""
        js = worker.connection.js

        async def cut() -> None:
            config = (await js.stream_info(stream_of(name))).config
            last = (await js.get_last_msg(stream_of(name), subject_of(name))).seq
            left = []
            for seq in range(1, (last or 0) + 1):
                try:
                    found = await js.get_msg(stream_of(name), seq)
                except Exception:  # noqa: BLE001  # of another session, removed earlier
                    continue
                left.append(found)
            await js.delete_stream(stream_of(name))
            await js.add_stream(config)
            mine = [one.seq for one in left if one.subject == subject_of(name)]
            for one in left:
                if one.seq not in mine[-messages:]:
                    await js.publish(str(one.subject), one.data or b"", headers=_plain(one.headers))

        worker.connection.run(cut(), timeout_s=30)

    def test_the_owner_says_so_and_writes_nothing(self, workers: Workers, tmp_path: Path, name: str) -> None:
        first = workers.new("a")
        store = begun(first, tmp_path, name)
        for word in ("one", "two", "three"):
            say(store, word)
        before = on_disk(store.root)
        self._lost(first, name, 2)
        with pytest.raises((ReplicaBehindError, SupersededError)) as caught:
            say(store, "four")
        assert on_disk(store.root) == before
        if isinstance(caught.value, ReplicaBehindError):
            assert f"greenroom cluster put-back {name}" in str(caught.value)
        with pytest.raises(ReplicaBehindError, match=rf"lacks 2 records.*greenroom cluster put-back {name}"):
            first.custody.take(name)
        assert on_disk(store.root) == before

        assert first.custody.put_back(name) == 2
        again = opened(first, name)
        say(again, "four")
        assert said(again)[-4:] == ["one", "two", "three", "four"]
        for one in (store, again):
            one.close()
        there = taken(workers.new("b"), name)
        assert said(there)[-4:] == ["one", "two", "three", "four"]
        there.close()

    def test_a_gap_in_the_middle_is_told_and_never_played_over(
        self, workers: Workers, tmp_path: Path, name: str
    ) -> None:
        first, second = workers.new("a"), workers.new("b")
        store = begun(first, tmp_path, name)
        for word in ("one", "two", "three"):
            say(store, word)
        store.close()
        js = first.connection.js

        async def cut() -> None:
            last = (await js.get_last_msg(stream_of(name), subject_of(name))).seq
            config = (await js.stream_info(stream_of(name))).config
            left = [await js.get_msg(stream_of(name), seq) for seq in await _seqs(js, name)]
            await js.purge_stream(stream_of(name), subject=subject_of(name))
            for one in left:
                if one.seq != (last or 0) - 1:
                    await js.publish(str(one.subject), one.data or b"", headers=_plain(one.headers))
            assert config.name == stream_of(name)

        first.connection.run(cut(), timeout_s=30)
        with pytest.raises(ReplicaBehindError, match=r"does not follow.*nothing is played over it"):
            second.custody.take(name)
        assert not (second.sessions / name).exists()
        assert first.custody.put_back(name) == 2
        there = taken(second, name)
        assert said(there)[-3:] == ["one", "two", "three"]
        there.close()

    def test_what_went_on_elsewhere_is_not_put_back_over(
        self, workers: Workers, tmp_path: Path, name: str
    ) -> None:
        first, second = workers.new("a"), workers.new("b")
        store = begun(first, tmp_path, name)
        store.replica = None
        say(store, "alone")
        store.close()
        there = taken(second, name)
        say(there, "elsewhere")
        with pytest.raises(StoreError, match="has gone on without the records behind"):
            first.custody.put_back(name)
        say(there, "still mine")
        there.close()


def test_a_forged_message_is_told_by_the_chain(workers: Workers, tmp_path: Path, name: str) -> None:
    """Whoever can write to the servers can put something into a log, but not what follows from its chain."""
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    say(store, "true")
    line = ledger_of(store.root).read_bytes().splitlines(keepends=True)[-1]
    forged = line.replace(b"true", b"fake")
    size = ledger_of(store.root).stat().st_size
    first.connection.run(
        first.connection.js.publish(subject_of(name), forged, headers={"Greenroom-After": str(size)})
    )
    with pytest.raises(StoreError):
        say(store, "next")
    with pytest.raises(ReplicaBehindError, match=r"not whole: .*\(record \d+\)"):
        second.custody.take(name)
    assert first.custody.put_back(name) == 0
    there = taken(second, name)
    assert said(there)[-1] == "true"
    for one in (store, there):
        one.close()


def test_a_replayed_message_is_refused_or_told(workers: Workers, tmp_path: Path, name: str) -> None:
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    say(store, "one")
    js = first.connection.js

    async def replay() -> None:
        last = await js.get_last_msg(stream_of(name), subject_of(name))
        await js.publish(
            subject_of(name), last.data or b"", headers={"Greenroom-After": _after(last.headers)}
        )

    first.connection.run(replay())
    with pytest.raises(StoreError):
        say(store, "two")
    with pytest.raises(ReplicaBehindError):
        second.custody.take(name)
    store.close()


def test_a_session_of_this_name_is_begun_once(workers: Workers, tmp_path: Path, name: str) -> None:
    first, second = workers.new("a"), workers.new("b")
    begun(first, tmp_path / "one", name).close()
    sample, store = start(tmp_path / "two", name)
    store.close()
    shutil.move(sample.root, second.sessions / name)
    with pytest.raises(SessionExistsError, match="choose another id"):
        second.custody.begin(name)
    first.custody.forget(name)
    second.custody.begin(name)


def test_what_nobody_began_is_not_found(workers: Workers) -> None:
    with pytest.raises(SessionNotFoundError):
        workers.new("a").custody.take("s-nobody")


def test_a_session_that_is_forgotten_is_gone_from_log_and_base(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    first = workers.new("a")
    begun(first, tmp_path, name).close()
    first.custody.forget(name)
    assert first.custody.log.read(name) is None
    with pytest.raises(ReplicaBehindError):
        first.custody.base.get(name, tmp_path / "empty")


def test_a_transaction_of_many_records_is_one_message_and_a_large_one_several(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    with store.transaction() as tx:
        for number in range(200):
            tx.append(TRANSCRIPT, f"word {number} {'x' * 9_000}\n", by="transcript")
    say(store, "after")
    store.close()
    there = taken(second, name)
    assert len(said(there)) == len(said(Store(store.root)))
    assert ledger_of(there.root).read_bytes() == ledger_of(store.root).read_bytes()
    there.close()


def test_thirty_minutes_are_taken_over_whole(workers: Workers, tmp_path: Path, name: str) -> None:
    """Two writes a second for half an hour, which is more than anybody says."""
    first, second = workers.new("a"), workers.new("b")
    store = begun(first, tmp_path, name)
    store.replica = None
    for number in range(3_600):
        say(store, f"word {number}")
    store.close()
    log = first.custody.log_of(name)
    assert log is not None
    log.send_rest()
    there = taken(second, name)
    assert said(there)[-1] == "word 3599"
    there.close()


def _plain(headers: object) -> dict[str, str]:
    """A message's headers without what the server checks or has added."""
    found = dict(headers or {})  # type: ignore[call-overload]
    return {key: value for key, value in found.items() if key.startswith("Greenroom-")}


def _after(headers: object) -> str:
    return _plain(headers)["Greenroom-After"]


async def _seqs(js: object, name: str) -> list[int]:
    sub = await js.subscribe(subject_of(name), ordered_consumer=True)  # type: ignore[attr-defined]
    found = []
    while True:
        message = await sub.next_msg(2)
        found.append(message.metadata.sequence.stream)
        if not message.metadata.num_pending:
            break
    await sub.unsubscribe()
    return found


def test_what_is_opened_after_it_has_gone_takes_no_write(workers: Workers, tmp_path: Path, name: str) -> None:
    """Whoever was let in before opens the folder again, which is still there: nothing is acknowledged."""
    a = workers.new("a")
    store = begun(a, tmp_path, name)
    say(store, "one")
    a.custody.let_go(name)
    store.close()
    late = opened(a, name)
    before = ledger_of(late.root).read_bytes()
    with pytest.raises(SupersededError, match="does not have it; nothing was written"):
        say(late, "two")
    assert ledger_of(late.root).read_bytes() == before
    late.close()


def test_templates_that_sessions_share_are_read_once(
    workers: Workers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a worker which takes many sessions over asks for two objects of each, not for a dozen."""
    from nats.js.object_store import ObjectStore

    a, b = workers.new("a"), workers.new("b")
    for one in (f"{name}-1", f"{name}-2"):
        begun(a, tmp_path / one, one).close()
    asked: list[str] = []
    get = ObjectStore.get

    def counting(self: ObjectStore, key: str) -> object:
        asked.append(key)
        return get(self, key)

    monkeypatch.setattr(ObjectStore, "get", counting)
    taken(b, f"{name}-1").close()
    shared = [one for one in asked if one.startswith("t/")]
    assert shared
    asked.clear()
    taken(b, f"{name}-2").close()
    assert [one for one in asked if one.startswith("t/")] == []


@pytest.mark.parametrize("had_it", [False, True], ids=["new there", "was there before"])
def test_an_ended_session_that_is_taken_over_can_be_archived_there(
    workers: Workers, tmp_path: Path, name: str, had_it: bool
) -> None:
    """Its worker died after the end was acknowledged: the next one has the same folder, as read-only, with
    what stands beside the ledger."""
    a, b = workers.new("a"), workers.new("b")
    begun(a, tmp_path, name).close()
    if had_it:
        taken(b, name).close()
        (b.sessions / name / "debrief.md").write_text("of before")
        taken(a, name).close()
    with Session.open(None, a.sessions / name) as session:
        a.custody.attach(store_of(session))
        rehearse(store_of(session))
        (session.path / "debrief.md").write_text("what it came to")
        session.end()
    there = taken(b, name)
    there.close()
    assert there.frozen
    assert not ledger_of(b.sessions / name).stat().st_mode & 0o222
    assert on_disk(b.sessions / name) == on_disk(a.sessions / name)
    assert verify_session(b.sessions / name).findings == ()


def test_a_write_that_is_just_being_refused_does_not_get_into_the_log(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    """Its bytes stand in the ledger until they are cut off; meanwhile the session is taken again."""
    a = workers.new("a")
    store = begun(a, tmp_path, name)
    say(store, "one")
    log, is_there = a.custody.logs[0], threading.Event()
    log.release(SupersededError("away"))
    keep = log.keep

    def slowly(content: bytes, after: int) -> int:
        is_there.set()
        time.sleep(0.5)
        return keep(content, after)

    log.keep = slowly  # type: ignore[method-assign]
    refused: list[BaseException] = []

    def write() -> None:
        try:
            say(store, "refused")
        except SupersededError as error:
            refused.append(error)

    writing = threading.Thread(target=write)
    writing.start()
    assert is_there.wait(5)
    a.custody.take(name)
    writing.join()
    assert refused
    again = opened(a, name)
    say(again, "two")
    there = taken(workers.new("b"), name)
    assert said(there)[-2:] == ["one", "two"]
    for one in (store, again, there):
        one.close()


def test_what_cannot_be_removed_from_the_log_can_be_taken_again(
    workers: Workers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To erase was refused, since the servers did not answer: nobody else has the session, so it stays."""
    a = workers.new("a")
    begun(a, tmp_path, name).close()

    def away(self: Log, session: str) -> None:
        raise ReplicaAwayError("they do not answer")

    monkeypatch.setattr(Log, "forget", away)
    with pytest.raises(ReplicaAwayError):
        a.custody.forget(name)
    monkeypatch.undo()
    [lapsed] = a.custody.logs
    assert lapsed.why is not None
    again = taken(a, name)
    say(again, "on")
    again.close()


def test_nothing_is_put_back_into_a_log_that_lacks_nothing(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    """The order came twice, or to one who had the session once: whoever has it writes on."""
    a, b = workers.new("a"), workers.new("b")
    begun(a, tmp_path, name).close()
    there = taken(b, name)
    closed: list[str] = []
    assert a.custody.put_back(name, lambda: closed.append(name)) == 0
    assert b.custody.put_back(name, lambda: closed.append(name)) == 0
    assert closed == []
    say(there, "still mine")
    there.close()


def test_what_is_written_while_a_log_is_to_be_put_back_is_not_lost(
    workers: Workers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker has it and goes on: either its write is refused, or nothing is put back."""
    a, b = workers.new("a"), workers.new("b")
    store = begun(a, tmp_path, name)
    store.replica = None
    say(store, "alone")
    there = taken(b, name)
    put = Base.put

    def meanwhile(self: Base, session: str, folder: Path) -> None:
        put(self, session, folder)
        say(there, "acknowledged")

    monkeypatch.setattr(Base, "put", meanwhile)
    with pytest.raises(StoreError, match="has gone on without the records behind"):
        a.custody.put_back(name)
    monkeypatch.undo()
    assert said(taken(b, name))[-1] == "acknowledged"
    store.close_files()


def test_a_write_whose_answer_got_lost_counts_also_where_another_worker_took_over_at_once(
    workers: Workers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in the log that the other one goes on from: whoever is told that it is not says it again."""
    a, b = workers.new("a"), workers.new("b")
    store = begun(a, tmp_path, name)
    publish = a.custody.log.publish

    async def loses_its_answer(*asked: Any) -> int:
        await publish(*asked)
        await asyncio.to_thread(b.custody.take, name)
        return await publish(*asked)

    monkeypatch.setattr(a.custody.log, "publish", loses_its_answer)
    say(store, "kept")
    monkeypatch.undo()
    there = opened(b, name)
    assert said(there).count("kept") == 1
    with pytest.raises(SupersededError):
        say(store, "refused")
    say(there, "on")
    assert said(there)[-2:] == ["kept", "on"]
    for one in (store, there):
        one.close()


def test_a_start_whose_answer_got_lost_is_no_other_session_of_its_name(
    workers: Workers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = workers.new("a")
    publish = a.custody.log.publish

    async def loses_its_answer(*asked: Any) -> int:
        await publish(*asked)
        return await publish(*asked)

    monkeypatch.setattr(a.custody.log, "publish", loses_its_answer)
    store = begun(a, tmp_path, name)
    monkeypatch.undo()
    say(store, "on")
    store.close()


def test_a_transaction_that_no_message_can_hold_is_refused_and_what_follows_is_kept(
    running: Servers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a write is acknowledged before it is sent: that would be tried for ever."""
    monkeypatch.setattr(logs, "MAX_TRANSACTION_BYTES", 20_000)
    with Workers(running, tmp_path, durability="local") as workers:
        store = begun(workers.new("a"), tmp_path, name)
        with pytest.raises(FileTooLargeError, match="nothing was written"):
            say(store, "x" * 30_000)
        for word in ("one", "y" * 12_000, "z" * 12_000):  # which together no message holds
            say(store, word)
        store.close()
        log = workers.new("a").custody.log
        until = time.monotonic() + 20
        while (kept := log.read(name)) is None or kept.content != ledger_of(store.root).read_bytes():
            assert time.monotonic() < until
            time.sleep(0.05)


def test_more_threads_may_wait_for_ledgers_to_be_read_than_a_small_machine_has_cores(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    """Each takes a session whose disk has more than the log, and is itself a thread of the loop."""
    a = workers.new("a")
    names = [f"{name}-{number}" for number in range(12)]
    for one in names:
        store = begun(a, tmp_path / one, one)
        store.replica = None
        say(store, "alone")
        store.close()

    async def take_all() -> None:
        await asyncio.gather(*(asyncio.to_thread(a.custody.take, one) for one in names))

    a.connection.run(take_all(), timeout_s=25)


def test_what_other_processes_wrote_is_not_taken_for_what_the_log_has_lost(
    workers: Workers, tmp_path: Path, name: str
) -> None:
    """The log was away for a moment; it has all that this worker had acknowledged, and gets the rest."""
    a = workers.new("a")
    store = begun(a, tmp_path, name)
    say(store, "one")
    other = Store(store.root)
    for word in ("two", "three"):
        say(other, word)
    a.custody.logs[0].release(ReplicaAwayError("away"))
    again = taken(a, name)
    there = taken(workers.new("b"), name)
    assert said(there)[-3:] == ["one", "two", "three"]
    for one in (store, other, again, there):
        one.close_files()


def test_a_worker_that_goes_sends_all_that_it_acknowledged(
    running: Servers, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what came while it looked whether anything was left: with `local` it would stay behind, unsaid."""
    from orchestrator.cluster.worker import Worker

    with Workers(running, tmp_path, durability="local") as workers:
        a = workers.new("a")
        store = begun(a, tmp_path, name)
        say(store, "one")
        [log] = a.custody.logs
        catch_up = log.catch_up

        def and_then(timeout_s: float) -> bool:
            is_sent = catch_up(timeout_s)
            with pytest.raises(SupersededError):
                say(store, "late")
            return is_sent

        async def hand_over(_: str) -> None:
            pass

        monkeypatch.setattr(log, "catch_up", and_then)
        worker = SimpleNamespace(
            custody=a.custody,
            site=SimpleNamespace(sessions=SimpleNamespace(using_any=lambda _: nullcontext(store))),
            _keeping=SimpleNamespace(close=lambda _: None),
            _claims=SimpleNamespace(is_draining=True, hand_over=hand_over),
            _connection=a.connection,
        )
        monkeypatch.setattr("orchestrator.cluster.worker.store_of", lambda found: found)
        Worker._hand_over(cast(Any, worker), name)
        there = taken(workers.new("b"), name)
        assert said(there)[-1] == "one"
        assert said(there) == said(store)
        for one in (store, there):
            one.close_files()
