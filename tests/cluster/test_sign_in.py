"""TLS and credentials against the real server: what is right goes in, and what is wrong is one line."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cluster.connection import Connection
from orchestrator.core.errors import ConfigurationError, GreenroomError, ReplicaAwayError
from orchestrator.panel.config.cluster import Cluster
from tests.helpers.certificates import Authority, Pair
from tests.helpers.nats_credentials import Operator
from tests.helpers.nats_servers import nats_server

pytestmark = pytest.mark.slow  # real servers

PASSWORD = "secret-of-the-test"
SIGNS_IN = f"authorization {{ user: app, password: {PASSWORD} }}"


def with_tls(pair: Pair, more: str = "") -> str:
    return f'tls {{\ncert_file: "{pair.certificate}"\nkey_file: "{pair.key}"\n{more}\n}}\n{SIGNS_IN}'


@dataclass(frozen=True)
class Made:
    """A server with TLS, who signed its certificate, and who signed nothing here."""

    port: int
    authority: Authority
    other: Authority

    @property
    def cluster(self) -> Cluster:
        """How it is reached rightly."""
        servers = (f"tls://127.0.0.1:{self.port}",)
        return Cluster(servers, copies=1, user="app", password=PASSWORD, ca=self.authority.ca)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("tls")
    authority, other = Authority(folder), Authority(folder, "other")
    with nats_server(folder / "server", with_tls(authority.sign("server"))) as port:
        yield Made(port, authority, other)


def enters(cluster: Cluster) -> None:
    connection = Connection.open(cluster, "test")
    try:
        assert connection.is_connected
        connection.run(connection.nc.flush())
    finally:
        connection.close()


def refusal(cluster: Cluster, kind: type[GreenroomError] = ReplicaAwayError) -> str:
    """The line with which it is refused; no thread of it is left."""
    with pytest.raises(kind) as caught:
        Connection.open(cluster, "test").close()
    message = str(caught.value)
    assert "\n" not in message
    assert PASSWORD not in message
    assert not [one for one in threading.enumerate() if one.name == "cluster"]
    return message


def test_the_right_authority_and_password_go_in(
    made: Made, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        enters(made.cluster)
        enters(replace(made.cluster, servers=(f"nats://127.0.0.1:{made.port}",)))
        file = tmp_path / "password"
        file.write_text(f"{PASSWORD}\n")
        enters(replace(made.cluster, password=None, password_file=file))
    assert caplog.records == []


def test_another_authority_is_not_trusted(made: Made) -> None:
    for ca in (made.other.ca, None):
        told = refusal(replace(made.cluster, ca=ca))
        assert "their certificate is not trusted here" in told
        assert told.endswith("set `cluster.ca` to the certificate of who signed it")


def test_a_plain_client_is_told_to_name_the_authority(made: Made) -> None:
    plain = replace(made.cluster, servers=(f"nats://127.0.0.1:{made.port}",), ca=None)
    assert refusal(plain).endswith("set `cluster.ca` to the certificate of who signed it")


@pytest.mark.parametrize(
    "changed",
    [{"password": "wrong"}, {"user": None, "password": None}, {"user": None, "password": None, "token": "t"}],
)
def test_wrong_credentials_are_told_as_such(made: Made, changed: dict[str, Any]) -> None:
    told = refusal(replace(made.cluster, **changed))
    assert "they refuse its credentials: look at `user` and the password" in told


def test_an_expired_certificate_is_told_as_such(made: Made, tmp_path: Path) -> None:
    old = made.authority.sign("old", days=-1)
    with nats_server(tmp_path, with_tls(old)) as port:
        told = refusal(replace(made.cluster, servers=(f"tls://127.0.0.1:{port}",)))
    assert told.endswith("their certificate has expired: renew it on the servers")


def test_a_certificate_of_another_host_is_told_as_such(made: Made, tmp_path: Path) -> None:
    foreign = made.authority.sign("foreign", addresses=("10.0.0.1",))
    with nats_server(tmp_path, with_tls(foreign)) as port:
        told = refusal(replace(made.cluster, servers=(f"tls://127.0.0.1:{port}",)))
    assert "their certificate is for other names" in told


def test_servers_that_ask_for_a_certificate_get_it_or_say_so(made: Made, tmp_path: Path) -> None:
    server = made.authority.sign("asking")
    asks = with_tls(server, f'ca_file: "{made.authority.ca}"\nverify: true')
    own, foreign = made.authority.sign("client"), made.other.sign("stranger")
    with nats_server(tmp_path, asks) as port:
        cluster = replace(made.cluster, servers=(f"tls://127.0.0.1:{port}",))
        enters(replace(cluster, certificate=own.certificate, key=own.key))
        for pair in (None, foreign):
            shown: dict[str, Any] = {} if pair is None else {"certificate": pair.certificate, "key": pair.key}
            told = refusal(replace(cluster, **shown))
            assert "set `cluster.certificate` and `cluster.key` to a pair that their authority signed" in told


@pytest.mark.parametrize("address", ["tls://127.0.0.1:{}", "nats://127.0.0.1:{}"])
def test_a_server_without_tls_gets_no_password_from_who_asks_for_tls(made: Made, address: str) -> None:
    heard: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                one, _ = listening.accept()
            except OSError:
                return
            with one:
                one.settimeout(1)
                one.sendall(b'INFO {"server_id":"x","version":"2.15.1","auth_required":true,"proto":1}\r\n')
                try:
                    heard.append(one.recv(4096))
                except OSError:
                    heard.append(b"")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        port = listening.getsockname()[1]
        told = refusal(replace(made.cluster, servers=(address.format(port),)))
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(5)
    assert "they do not encrypt, so nothing was sent" in told
    assert heard
    assert b"".join(heard) == b""


def test_files_that_cannot_be_used_are_named(made: Made, tmp_path: Path) -> None:
    own, foreign = made.authority.sign("mine"), made.other.sign("theirs")
    unfit = tmp_path / "unfit"
    unfit.write_text("no PEM\n\nat all\n")
    wrong: list[dict[str, Any]] = [
        {"ca": tmp_path / "none.pem"},
        {"ca": unfit},
        {"certificate": own.certificate, "key": foreign.key},
    ]
    for changed in wrong:
        told = refusal(replace(made.cluster, **changed), ConfigurationError)
        assert str(next(iter(changed.values()))) in told
        assert told.endswith("name PEM files that belong together")
    for name in ("password_file", "credentials"):
        cluster = Cluster(made.cluster.servers, user="app", ca=made.authority.ca)
        gone: dict[str, Any] = {name: tmp_path / "none"}
        missing = replace(cluster, **gone)
        assert str(tmp_path / "none") in refusal(missing, ConfigurationError)
    empty = replace(made.cluster, password=None, password_file=unfit)
    assert refusal(empty, ConfigurationError).endswith("must hold the password alone, in one line")


def test_a_credentials_file_goes_in_and_a_foreign_or_expired_one_does_not(tmp_path: Path) -> None:
    operator, other = Operator(), Operator()
    with nats_server(tmp_path / "server", operator.configuration) as port:
        cluster = Cluster((f"nats://127.0.0.1:{port}",), copies=1)
        enters(replace(cluster, credentials=operator.credentials(tmp_path / "right.creds")))
        for path in (
            other.credentials(tmp_path / "foreign.creds"),
            operator.credentials(tmp_path / "expired.creds", expires_s=-60),
        ):
            assert "they refuse its credentials" in refusal(replace(cluster, credentials=path))
        unfit = tmp_path / "unfit.creds"
        unfit.write_text("nothing of the kind\n")
        told = refusal(replace(cluster, credentials=unfit), ConfigurationError)
    assert told.startswith(f"cluster.credentials: {unfit} ")


def test_nobody_at_the_address_is_told_with_the_reason(made: Made) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tls://127.0.0.1:{free.getsockname()[1]}"
        told = refusal(replace(made.cluster, servers=(address,)))
    assert told.startswith(f"{address}: no server of the cluster takes this process: they do not answer (")
    assert told.endswith("start them, or mend `cluster.servers` in greenroom.yaml")
