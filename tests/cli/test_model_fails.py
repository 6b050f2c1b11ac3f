"""What needs no session is worth having without a model: `check` and `dossier` print whatever fails of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.helpers.commands import Commands
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import write_rehearsal
from tests.helpers.server_faults import Fault


@pytest.fixture
def commands(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


WAYS = ("no key", "wrong key", "wrong port", "unknown model", "broken", "no_json", "loading", "hang", "page")


@contextmanager
def failing(way: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A service that fails in this way, and how it is called."""
    monkeypatch.setenv("GREENROOM_RETRIES", "0")
    monkeypatch.setattr("orchestrator.panel.engines.model.probing.CHECK_S", 0.3)
    monkeypatch.setattr("orchestrator.panel.engines.model.engine.LOADS_S", 0.0)
    deadlines = "{tensions: 1, dossier: 1}"
    with MessagesServer() as server:
        if way in ("broken", "no_json", "loading", "hang", "page"):
            server.always = Fault(way)
            if way == "hang":
                monkeypatch.setenv("GREENROOM_DEADLINES_S", deadlines)
        server.models = ("another",) if way == "unknown model" else None
        monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9" if way == "wrong port" else server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong" if way == "wrong key" else server.key)
        if way == "no key":
            monkeypatch.delenv("ANTHROPIC_API_KEY")
            monkeypatch.delenv("ANTHROPIC_BASE_URL")
        yield server.url.removeprefix("http://")


@pytest.mark.parametrize("way", WAYS)
def test_check_prints_its_arithmetic(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    deck = str(write_rehearsal(tmp_path).deck)
    offline, plain = commands("check", deck, "--engine", "offline"), commands.json("check", deck)
    with failing(way, monkeypatch):
        done = commands("check", deck, "--engine", "claude", check=False)
        shown = commands("--json", "check", deck, "--engine", "claude", check=False)
    assert (done.returncode, done.stdout) == (1, offline.stdout)
    before = "greenroom: warning: the claude engine did not read all of it: "
    last = done.stderr.splitlines()[-1]
    assert last.startswith(before)
    assert shown.returncode == 1
    failed = json.loads(shown.stdout)["failed"]
    assert json.loads(shown.stdout) == {**plain, "failed": failed}
    assert last == before + failed


@pytest.mark.parametrize("way", WAYS)
def test_dossier_prints_that_of_the_bank(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    deck = str(write_rehearsal(tmp_path).deck)
    plain = commands.json("dossier", deck, "--engine", "offline")
    with failing(way, monkeypatch):
        done = commands("--json", "dossier", deck, "--engine", "claude", check=False)
    assert done.returncode == 1
    failed = json.loads(done.stdout)["failed"]
    assert json.loads(done.stdout) == {**plain, "failed": failed}
    last = done.stderr.splitlines()[-1]
    assert last == f"greenroom: warning: the claude engine failed, so the offline one wrote it: {failed}"


def test_what_failed_is_said_in_one_plain_line(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = str(write_rehearsal(tmp_path).deck)
    with failing("wrong key", monkeypatch) as where:
        done = commands("check", deck, "--engine", "claude", check=False)
    assert done.stderr == (
        "greenroom: warning: the claude engine did not read all of it: "
        f"{where} refused the key: check ANTHROPIC_API_KEY\n"
    )
