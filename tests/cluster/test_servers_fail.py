"""What each durability promises when servers die, freeze and come back: three real ones, real signals."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.cluster.log import ELECTED_WITHIN_S, stream_of
from orchestrator.cluster.server import Servers
from orchestrator.core.errors import ReplicaAwayError
from tests.cluster.test_takeover import begun, opened, said, say, taken
from tests.helpers.nats import Here, Workers, servers
from tests.helpers.stores import on_disk

pytestmark = pytest.mark.slow


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Servers]:
    with servers(tmp_path, 3) as found:
        yield found


@pytest.fixture(params=["kept", "local"])
def durability(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def workers(running: Servers, tmp_path: Path, durability: str) -> Iterator[Workers]:
    with Workers(running, tmp_path, durability=durability) as found:
        yield found


def test_one_server_of_three_may_die_freeze_and_come_back(
    workers: Workers, running: Servers, tmp_path: Path
) -> None:
    """No write is refused, and none is lost or there twice, whichever server it is."""
    first = workers.new("a")
    store = begun(first, tmp_path, "s")
    number = 0

    def write(some: int) -> None:
        nonlocal number
        for _ in range(some):
            say(store, f"word {number}")
            number += 1

    for name in ("n1", "n2", "n3"):
        write(20)
        running.kill(name, signal.SIGKILL)
        write(20)
        running.start_one(name)
        write(20)
        running.kill(name, signal.SIGSTOP)
        write(5)
        running.kill(name, signal.SIGCONT)
        write(20)
        wait_for_all(first)
    log = first.custody.log_of("s")
    assert log is not None
    assert log.catch_up(10)
    store.close()
    there = taken(workers.new("b"), "s")
    assert [word for word in said(there) if word.startswith("word")] == [f"word {at}" for at in range(number)]
    there.close()


def test_with_two_of_three_away(workers: Workers, running: Servers, tmp_path: Path, durability: str) -> None:
    """`kept` refuses after seconds, and nothing was written; `local` goes on, and sends it afterwards."""
    first = workers.new("a")
    store = begun(first, tmp_path, "s")
    log = first.custody.log_of("s")
    assert log is not None
    say(store, "before")
    disk = on_disk(store.root)
    for name in ("n1", "n2"):
        running.kill(name)
    began = time.monotonic()
    if durability == "kept":
        with pytest.raises(
            ReplicaAwayError, match=r"has not answered for 12 s.*ask again with the same request id"
        ):
            say(store, "refused")
        assert time.monotonic() - began < ELECTED_WITHIN_S + 5
        assert on_disk(store.root) == disk
        assert said(store)[-1] == "before"
    else:
        for at in range(50):
            say(store, f"alone {at}")
        assert log.behind_bytes > 0
        assert log.behind_s > 0
    for name in ("n1", "n2"):
        running.start_one(name)
    wait_for_all(first)
    if durability == "kept":
        store.close()
        first.custody.take("s")
        store = opened(first, "s")
    else:
        assert log.catch_up(20)
        assert log.behind_s == 0
    say(store, "after")
    expected = said(store)
    if durability == "local":
        assert log.catch_up(10)
    store.close()
    there = taken(workers.new("b"), "s")
    assert said(there) == expected
    there.close()


def test_a_write_whose_answer_was_late_is_there_once(
    workers: Workers, running: Servers, tmp_path: Path, durability: str
) -> None:
    """All servers freeze in the middle of a write and wake: whatever was told, it is there at most once."""
    first = workers.new("a")
    store = begun(first, tmp_path, "s")
    say(store, "before")
    for name in ("n1", "n2", "n3"):
        running.kill(name, signal.SIGSTOP)
    told: list[str] = []

    def write() -> None:
        try:
            say(store, "late")
            told.append("acknowledged")
        except ReplicaAwayError:
            told.append("refused")

    thread = threading.Thread(target=write)
    thread.start()
    time.sleep(2)
    for name in ("n1", "n2", "n3"):
        running.kill(name, signal.SIGCONT)
    thread.join()
    wait_for_all(first)
    store.close_files()
    if durability == "local":
        log = first.custody.log_of("s")
        assert log is not None
        assert log.catch_up(20)
    there = taken(workers.new("b"), "s")
    late = said(there).count("late")
    assert late == 1 if told == ["acknowledged"] else late <= 1
    say(there, "after")
    there.close()


def test_local_loses_at_most_what_was_not_sent_and_says_which(
    workers: Workers, running: Servers, tmp_path: Path, durability: str
) -> None:
    """A worker dies while the servers are away: another goes on without its last records, and the first one
    keeps them aside and tells their number when it is back."""
    if durability == "kept":
        pytest.skip("kept acknowledges nothing that is not in the log")
    first = workers.new("a")
    store = begun(first, tmp_path, "s")
    log = first.custody.log_of("s")
    assert log is not None
    say(store, "sent")
    assert log.catch_up(10)
    for name in ("n1", "n2"):
        running.kill(name)
    for at in range(5):
        say(store, f"alone {at}")
    store.close_files()
    first.connection.close()
    for name in ("n1", "n2"):
        running.start_one(name)
    second = workers.new("b")
    wait_for_all(second)
    there = taken(second, "s")
    lost = [f"alone {at}" for at in range(5) if f"alone {at}" not in said(there)]
    assert lost, "a server that was cut off may have kept the first, and no more"
    assert len(lost) >= 4
    say(there, "elsewhere")
    other = second.custody.log_of("s")
    assert other is not None
    assert other.catch_up(10)
    there.close()
    told = workers.new("a").custody.take("s").told
    assert told is not None
    assert told.startswith(
        f"s: {len(lost)} records that only this worker's disk has are kept in ledger/rejected/"
    )


def wait_for_all(worker: Here) -> None:
    """Wait until the servers take a write again."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            found = worker.connection.run(worker.connection.js.stream_info(stream_of("s")), timeout_s=2)
        except Exception:  # noqa: BLE001  # no server answers yet
            time.sleep(0.2)
            continue
        group = found.cluster
        if group is not None and group.leader and all(one.current for one in group.replicas or ()):
            return
        time.sleep(0.2)
    raise AssertionError("the servers did not come back within 30 s")
