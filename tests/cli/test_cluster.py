"""`greenroom cluster …`: what each command is given, and one line where it cannot be meant."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orchestrator.cli import cluster as commands
from orchestrator.panel.config.cluster import KEYS, Cluster
from orchestrator.panel.config.public_url import parse_public_url
from orchestrator.panel.home import Home
from tests.helpers.commands import Commands
from tests.project.test_topics import DOCS

SERVER = "nats://127.0.0.1:4222"


@pytest.fixture
def command(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    """The command line with a cluster that is configured and, here, never reached."""
    monkeypatch.setenv("GREENROOM_CLUSTER_SERVERS", SERVER)
    return Commands(home, capsys)


Calls = list[tuple[tuple[Any, ...], dict[str, Any]]]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Calls]:
    """Puts a module in place of one of the cluster's, and returns the list of its calls."""

    def put(name: str, function: str = "run", result: Any = None) -> Calls:
        calls: Calls = []

        def called(*args: Any, **kwargs: Any) -> Any:
            calls.append((args, kwargs))
            return result

        module = ModuleType(f"orchestrator.cluster.{name}")
        setattr(module, function, called)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        return calls

    return put


def test_a_worker_gets_its_home_its_name_and_its_address_for_probes(
    command: Commands, home: Path, stand_in: Callable[..., Calls]
) -> None:
    calls = stand_in("worker")
    command("cluster", "worker", "--name", "w-1", "--probes", "[::1]:8717")
    command("cluster", "worker")
    (first, told), (second, _) = calls
    assert isinstance(first[0], Home)
    assert first[0].root == home.resolve()
    assert first[1] == Cluster((SERVER,), worker="w-1")
    assert told["probes"] == ("::1", 8717)
    assert second[1] == Cluster((SERVER,))


@pytest.mark.parametrize(
    "given",
    [("--name", "a.b"), ("--probes", "8717"), ("--probes", "a:b"), ("--probes", "a:99999")]
    + [("--probes", one) for one in ("127.0.0.1:", ":8717")],
)
def test_a_worker_with_an_option_that_cannot_be_meant_is_refused(
    command: Commands, stand_in: Callable[..., Calls], given: tuple[str, str]
) -> None:
    calls = stand_in("worker")
    refused = command("cluster", "worker", *given, check=False)
    assert (refused.returncode, calls) == (2, [])
    assert refused.stderr.startswith(f"greenroom: {given[0]} is {given[1]!r}, but must be ")


def test_a_front_gets_where_it_listens_and_its_public_address(
    command: Commands, stand_in: Callable[..., Calls]
) -> None:
    calls = stand_in("front")
    command("cluster", "front")
    command("cluster", "front", "--host", "0.0.0.0", "--port", "80", "--public-url", "https://a.example/g")
    assert [args[2:5] for args, _ in calls] == [
        ("127.0.0.1", 8716, None),
        ("0.0.0.0", 80, parse_public_url("https://a.example/g")),
    ]
    assert command("cluster", "front", "--host", "", check=False).returncode == 2


@dataclass(frozen=True)
class _PutBack:
    session: str
    records: int

    def __str__(self) -> str:
        return f"{self.session}: {self.records} records are in the log again"


def test_put_back_asks_first_and_tells_what_was_done(
    command: Commands, stand_in: Callable[..., Calls], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = stand_in("put_back", "put_back", _PutBack("s1", 3))
    stand_in("connection", "unused")
    monkeypatch.setattr(commands, "_connected", _Nowhere)
    refused = command("cluster", "put-back", "s1", check=False)  # stdin is no terminal and says nothing
    assert (refused.returncode, calls) == (1, [])
    done = command("cluster", "put-back", "s1", "--yes")
    assert done.stdout == "s1: 3 records are in the log again\n"
    assert calls[0][0][1] == "s1"
    assert command.json("cluster", "put-back", "s1", "--yes") == {"session": "s1", "records": 3}


class _Nowhere:
    """In place of a connection."""

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    "words", [("worker",), ("front",), ("status",), ("drain", "w1"), ("put-back", "s1", "--yes")]
)
def test_without_a_cluster_each_command_says_what_to_set(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    refused = Commands(home, capsys)("cluster", *words, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(
        f"greenroom: {home.resolve() / 'greenroom.yaml'}: no cluster is configured"
    )


def test_without_the_extras_the_line_names_what_to_install(
    command: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "find_spec", lambda name: None)
    assert command("cluster", "status", check=False).stderr == (
        "greenroom: a cluster needs the extra `cluster`: pip install 'greenroom[cluster]'\n"
    )
    assert command("cluster", "worker", check=False).stderr == (
        "greenroom: a cluster needs the extra `cluster` and the extra `web`: "
        "pip install 'greenroom[cluster,web]'\n"
    )


def test_the_page_has_every_setting_but_the_secrets() -> None:
    page = (DOCS / "cluster.md").read_text("utf-8")
    table = page.partition("### Settings")[2].partition("\n## ")[0]
    rows = "".join(re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", rows)) - {"key"} == set(KEYS) - {"token", "password", "key"}
    assert "`key`" in rows
