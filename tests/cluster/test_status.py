"""`greenroom cluster status`: servers, workers and sessions as they are, and what needs somebody."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.server import Servers
from orchestrator.cluster.status import read, server_states, server_time
from orchestrator.core.errors import ReplicaAwayError
from tests.helpers.cluster_workers import put_owners, said_alive
from tests.helpers.commands import Commands

pytestmark = pytest.mark.slow  # real servers


def owner(worker: str, state: str = "live", tries: int = 0) -> dict[str, object]:
    return {"worker": worker, "epoch": 1, "state": state, "tries": tries}


OWNERS = {
    "s1": owner("w1"),
    "s2": owner("w1"),
    "s3": owner("gone"),
    "s4": owner("w2", "held"),
    "s5": owner("w2", "aside", 3),
    "s6": owner("w2", "ended"),
}


@pytest.fixture
def cluster_of_two(connection: Connection) -> Iterator[None]:
    put_owners(connection, OWNERS)
    with ExitStack() as alive:
        alive.enter_context(said_alive(connection, "w1", sessions=2, behind=7, pid=41))
        alive.enter_context(said_alive(connection, "w2", draining=True, clock_s=-3.5))
        yield


@pytest.mark.usefixtures("cluster_of_two")
def test_workers_sessions_and_what_needs_somebody_are_read(connection: Connection) -> None:
    found = read(connection)
    assert [(one.name, one.is_up) for one in found.servers] == [("n1", True)]
    first, second = found.workers
    assert (first.name, first.sessions, first.is_draining, first.behind, first.pid) == ("w1", 2, False, 7, 41)
    assert (second.name, second.is_draining) == ("w2", True)
    assert first.clock_s == pytest.approx(0, abs=1.5)
    assert second.clock_s == pytest.approx(-3.5, abs=1.5)
    assert found.sessions == {"live": 3, "ended": 1, "held": 1, "aside": 1}
    assert found.orphans == 1
    assert [(one.session, one.state, one.worker) for one in found.attention] == [
        ("s4", "held", "w2"),
        ("s5", "aside", "w2"),
    ]
    assert not found.is_well


def test_a_cluster_in_which_nobody_worked_yet_is_empty_and_well(one_server: Servers) -> None:
    connection = Connection.open(one_server.cluster, "test")
    try:
        put_owners(connection, {})
        found = read(connection)
    finally:
        connection.close()
    assert (found.workers, found.attention, found.orphans) == ((), (), 0)
    assert set(found.sessions.values()) == {0}
    assert found.is_well


def test_what_is_no_entry_is_counted_and_breaks_nothing(connection: Connection) -> None:
    put_owners(connection, {"s1": b"\xff", "s2": b"[1]", "s3": owner("w1")})
    connection.run(connection.nc.publish("g.alive.x", b"nonsense"))
    assert read(connection).sessions["live"] == 1


def test_the_servers_time_is_told_to_any_user(connection: Connection) -> None:
    told = server_time(connection)
    assert told.name == "n1"
    assert told.version.count(".") == 2
    assert abs(told.ahead_s) < 1.5  # one machine: within what a busy one takes to answer


def test_a_server_of_three_that_is_down_is_named(tmp_path: Path) -> None:
    servers = Servers(tmp_path, 3)
    servers.start()
    try:
        connection = Connection.open(servers.cluster, "test")
        try:
            _until_made(connection)
            _until_seen(connection, {"n1": True, "n2": True, "n3": True})
            servers.kill("n2")
            _until_seen(connection, {"n1": True, "n2": False, "n3": True})
        finally:
            connection.close()
    finally:
        servers.stop()


def _until_seen(connection: Connection, wanted: dict[str, bool]) -> None:
    """Wait until those servers are seen as up or not, and each stream has a leader: they elect first who
    decides, and hear each other once a second."""
    until = time.monotonic() + 30
    seen: tuple[object, ...] = ()
    while seen != (wanted, ()):
        assert time.monotonic() < until, seen
        time.sleep(0.2)
        with suppress(ReplicaAwayError):
            states, headless = server_states(connection)
            seen = {one.name: one.is_up for one in states}, headless


def _until_made(connection: Connection) -> None:
    """Make the bucket: servers that have just come up elect first who decides."""
    from nats.errors import Error

    until = time.monotonic() + 30
    while True:
        try:
            put_owners(connection, {"s1": owner("w1")})
            return
        except (Error, TimeoutError, ReplicaAwayError):
            assert time.monotonic() < until
            time.sleep(0.2)


@pytest.mark.usefixtures("cluster_of_two")
def test_the_command_shows_it_as_a_table_and_as_json(
    one_server: Servers, home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENROOM_CLUSTER_SERVERS", ",".join(one_server.cluster.servers))
    monkeypatch.setenv("GREENROOM_CLUSTER_TOKEN", one_server.token)
    command = Commands(home, capsys)
    shown = command("cluster", "status").stdout
    assert "sessions: 3 live, 1 ended, 1 held, 1 aside" in shown
    assert "w2: its clock differs by 3." in shown
    assert "s5: aside: it ended its worker three times" in shown
    assert one_server.token not in shown
    plain = json.loads(command("--json", "cluster", "status").stdout)
    assert plain["is_well"] is False
    assert [one["name"] for one in plain["workers"]] == ["w1", "w2"]


def test_without_a_cluster_the_command_says_what_to_set(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Commands(home, capsys)("cluster", "status", check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no cluster is configured: add `cluster: {servers: [nats://HOST:4222]}`" in refused.stderr
