"""`cluster:` of greenroom.yaml and GREENROOM_CLUSTER_*: what may be set, and how a mistake is named."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from orchestrator.core.errors import ConfigurationError
from orchestrator.panel.config.cluster import Cluster
from orchestrator.panel.config.config import Config, read_config

THREE = """minutes: 20
cluster:
  servers:
    - nats://a:4222
    - tls://b.example
    - tls://[::1]:4333/
  durability: local
  copies: 3
  worker: w-1
  user: greenroom
  password_file: secrets/password
  ca: /etc/ca.pem
  certificate: own.pem
  key: own.key
"""
SECRET = "hunter2-of-the-test"


def read(folder: Path, text: str | None, **environment: str) -> Config:
    path = folder / "greenroom.yaml"
    if text is not None:
        path.write_text(text, "utf-8")
    return read_config(path, {f"GREENROOM_CLUSTER_{key}": value for key, value in environment.items()})


def refused(folder: Path, text: str | None, **environment: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(folder, text, **environment)
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    return message


def test_every_key_of_the_file_reaches_the_value_and_paths_count_from_its_folder(tmp_path: Path) -> None:
    assert read(tmp_path, THREE).cluster == Cluster(
        servers=("nats://a:4222", "tls://b.example:4222", "tls://[::1]:4333"),
        durability="local",
        copies=3,
        worker="w-1",
        user="greenroom",
        password_file=tmp_path / "secrets/password",
        ca=Path("/etc/ca.pem"),
        certificate=tmp_path / "own.pem",
        key=tmp_path / "own.key",
    )


def test_without_the_part_there_is_no_cluster(tmp_path: Path) -> None:
    assert read(tmp_path, "minutes: 20\n").cluster is None
    assert read(tmp_path, "cluster:\n").cluster is None


def test_the_environment_alone_is_enough_and_takes_a_secret_as_it_stands(tmp_path: Path) -> None:
    found = read(tmp_path, None, SERVERS="nats://a:1, nats://b:2", TOKEN="{a: 1}", COPIES="1").cluster
    assert found == Cluster(("nats://a:1", "nats://b:2"), copies=1, token="{a: 1}")


def test_the_environment_wins_over_the_file_key_by_key(tmp_path: Path) -> None:
    found = read(tmp_path, THREE, WORKER="other", COPIES="5").cluster
    assert found is not None
    assert (found.worker, found.copies, found.durability) == ("other", 5, "local")


def test_no_listing_shows_a_secret(tmp_path: Path) -> None:
    config = read(tmp_path, None, SERVERS="nats://a:1", USER="u", PASSWORD=SECRET)
    assert config.cluster is not None
    assert config.cluster.password == SECRET
    assert SECRET not in repr(config)
    assert {one.name for one in fields(Cluster) if not one.repr} == {"token", "password"}


def _with(line: str) -> str:
    return f"minutes: 20\ncluster:\n  servers: [nats://a:4222]\n  {line}\n"


@pytest.mark.parametrize(
    ("line", "told"),
    {
        "server: nats://a": "cluster has no key 'server'; the nearest is 'servers'",
        "durability: safe": "cluster.durability is 'safe', but must be one of kept, local",
        "durability: true": "cluster.durability is True, but must be one line of text",
        "copies: 2": "cluster.copies is 2, but must be one of 1, 3, 5",
        "copies: true": "cluster.copies is True, but must be one of 1, 3, 5",
        "copies: three": "cluster.copies is 'three', but must be one of 1, 3, 5",
        "worker: a.b": "cluster.worker is 'a.b', but must be up to 64 letters, digits, - or _",
        "worker: ''": "cluster.worker is '', but must be one line of text",
        "ca: [a]": "cluster.ca is ['a'], but must be one line of text",
        f"token: {SECRET}": "cluster.token is a secret, which does not belong into this file: set "
        "GREENROOM_CLUSTER_TOKEN, or name a file that holds it as `token_file`",
        f"password: {SECRET}": "cluster.password is a secret",
    }.items(),
)
def test_a_bad_value_is_refused_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    message = refused(tmp_path, _with(line))
    assert message.startswith(f"{tmp_path / 'greenroom.yaml'}, line 4: {told}")


@pytest.mark.parametrize(
    "servers",
    [
        "''", "[]", "[1]", "{a: 1}", "a:4222", "http://a:4222", "nats://", "nats://a:port", "nats://a/b",
        "nats://a:0", "nats://a?x=1", f"nats://u:{SECRET}@a:4222", "'nats://a:1,,nats://b:2'", "12",
    ],
)  # fmt: skip
def test_servers_that_are_no_addresses_are_refused_with_their_line(tmp_path: Path, servers: str) -> None:
    message = refused(tmp_path, f"cluster:\n  copies: 1\n  servers: {servers}\n")
    assert message.startswith(f"{tmp_path / 'greenroom.yaml'}, line 3: ")
    assert "cluster.servers" in message


@pytest.mark.parametrize(
    ("lines", "told"),
    {
        "user: u": "cluster.user has no password: set GREENROOM_CLUSTER_PASSWORD, or name a password_file",
        "password_file: p": "cluster has a password and no user: add `user`",
        "key: k": "cluster.key has no certificate: name it as `certificate`",
        "token_file: t\n  credentials: c": "cluster signs in by a token, by user and password",
    }.items(),
)
def test_what_does_not_go_together_is_refused_at_the_part(tmp_path: Path, lines: str, told: str) -> None:
    assert refused(tmp_path, _with(lines)).startswith(f"{tmp_path / 'greenroom.yaml'}, line 2: {told}")


def test_a_part_without_servers_or_without_keys_is_refused(tmp_path: Path) -> None:
    assert "line 1: cluster names no servers" in refused(tmp_path, "cluster: {copies: 1}\n")
    assert "line 1: cluster names no servers" in refused(tmp_path, "cluster: {}\n")
    assert "line 1: cluster is 'nats://a'" in refused(tmp_path, "cluster: nats://a\n")


def test_a_bad_variable_is_refused_by_its_name(tmp_path: Path) -> None:
    server = "nats://a:1"
    assert refused(tmp_path, None, TOKEN="t") == (
        "GREENROOM_CLUSTER_TOKEN: cluster names no servers: add `servers: [nats://HOST:4222]`, or set "
        "GREENROOM_CLUSTER_SERVERS"
    )
    assert refused(tmp_path, None, SERVER=server).endswith("the nearest is 'GREENROOM_CLUSTER_SERVERS'")
    assert refused(tmp_path, None, SERVERS=server, COPIES="4").startswith("GREENROOM_CLUSTER_COPIES: ")
    assert refused(tmp_path, None, SERVERS="").startswith("GREENROOM_CLUSTER_SERVERS: ")
    assert refused(tmp_path, None, SERVERS=server, TOKEN=f"{SECRET}\n") == (
        "GREENROOM_CLUSTER_TOKEN: cluster.token must be one line of text"
    )
    with pytest.raises(ConfigurationError, match="GREENROOM_CLUSTER: set its keys"):
        read_config(tmp_path / "none", {"GREENROOM_CLUSTER": "nats://a:1"})
