"""A memory that cannot be kept: the command says so in its own output, with the file, and ends with 1."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from orchestrator.memory import database
from orchestrator.memory.database import NAME, MemoryDatabase
from orchestrator.memory.presenter import set_consent
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.conftest import ROOT
from tests.helpers.commands import Commands
from tests.helpers.memories import INES, NOW
from tests.helpers.rehearsals import write_rehearsal

pytestmark = pytest.mark.own_memory

Spoil = Callable[[Path], object]


def _changed(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def _instead(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


SPOILT: dict[str, tuple[Spoil, str]] = {
    "other bytes": (lambda path: path.write_bytes(b"\x00no database" * 500), "is damaged"),
    "cut short": (lambda path: os.truncate(path, 6000), "is damaged"),
    "without a table": (lambda path: _changed(path, "DROP TABLE scopes"), "is damaged"),
    "of a later release": (lambda path: _changed(path, "PRAGMA user_version = 99"), "is of version 99"),
    "another program's": (lambda path: _changed(path, "PRAGMA application_id = 7"), "belongs to"),
    "a folder": (lambda path: _instead(path, Path.mkdir), "is no file"),
    "a pipe": (lambda path: _instead(path, os.mkfifo), "is no file"),
    "a link to nothing": (lambda path: _instead(path, lambda at: at.symlink_to("gone/db")), "cannot be made"),
}


@pytest.fixture
def greenroom(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    """The command line of a home in which Ines is remembered."""
    with MemoryDatabase.open(home) as db:
        set_consent(db, INES, True, NOW)
    return Commands(home, capsys)


@pytest.mark.parametrize("spoilt", SPOILT)
def test_a_run_that_cannot_remember_is_whole_and_says_so(
    home: Path, tmp_path: Path, greenroom: Commands, spoilt: str
) -> None:
    spoil, told = SPOILT[spoilt]
    spoil(home / NAME)
    files = write_rehearsal(tmp_path)
    given = ("--speech", str(files.speech), "--answers", str(files.answers), "--presenter", INES)
    done = greenroom("--quiet", "run", str(files.deck), *given, "--remember", "--id", "s1", check=False)
    assert done.returncode == 1
    assert "Verified        yes" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("greenroom: the session is whole, but not remembered as --remember asks: memory")
    assert f"{home / NAME}: {told}" in line
    shown = greenroom.json("show", "s1")
    assert {one["reason"].partition(": ")[0] for one in shown["warnings"]} == {str(home / NAME)}


@pytest.mark.parametrize("spoilt", [one for one in SPOILT if one != "without a table"])
def test_every_command_over_memory_refuses_in_the_same_line(
    home: Path, greenroom: Commands, spoilt: str
) -> None:
    spoil, told = SPOILT[spoilt]
    spoil(home / NAME)
    asked: list[tuple[str, ...]] = [
        ("memory", "list"),
        ("memory", "show"),
        ("memory", "show", "m1"),
        ("memory", "edit", "m1", "--content", "x"),
        ("memory", "export"),
        ("memory", "on", "--presenter", INES),
        ("memory", "off", "--presenter", INES),
        ("memory", "forget", "--all", "--presenter", INES, "--yes"),
        ("goal", "list"),
        ("goal", "add", "Say the unit.", "--presenter", INES),
        ("goal", "done", "g1"),
        ("goal", "drop", "g1"),
        ("briefing", "skeptic", "--presenter", INES),
    ]
    for command in asked:
        done = greenroom(*command, check=False)
        assert (done.returncode, done.stdout) == (1, ""), (command, done)
        assert done.stderr.startswith(f"greenroom: {home / NAME}: {told}"), (command, done)
        assert done.stderr.count("\n") == 1
    rows = {one["name"]: one for one in greenroom.json("doctor")["checks"]}
    assert rows["memory"]["state"] == "missing"
    assert rows["memory"]["detail"].startswith(f"{home / NAME}: {told}")


def test_start_and_end_say_it_each(home: Path, tmp_path: Path, greenroom: Commands) -> None:
    (home / NAME).write_bytes(b"no database" * 500)
    deck = str(write_rehearsal(tmp_path).deck)
    begun = greenroom("start", deck, "--presenter", INES, "--remember", "--id", "s1", check=False)
    assert (begun.returncode, begun.stdout.partition(":")[0]) == (1, "s1 is active")
    ended = greenroom("end", "s1", check=False)
    assert (ended.returncode, ended.stdout.partition(".")[0]) == (1, "s1 has ended")
    for done in (begun, ended):
        assert f"{home / NAME}: is damaged" in done.stderr.splitlines()[-1]


def test_a_dismissal_that_the_next_rehearsal_cannot_know_of_is_said(home: Path, greenroom: Commands) -> None:
    deck = ROOT / "orchestrator" / "rehearsal" / "demo" / "deck.md"  # its totals do not add up
    greenroom("start", str(deck), "--presenter", INES, "--remember", "--id", "s1")
    greenroom("end", "s1")
    (home / NAME).write_bytes(b"no database" * 500)
    done = greenroom("dismiss", "s1", "c1", check=False)
    assert (done.returncode, done.stdout != "") == (1, True)
    assert f"memory: {home / NAME}: is damaged" in done.stderr


def test_a_database_that_went_away_meanwhile_is_said(home: Path, tmp_path: Path, greenroom: Commands) -> None:
    deck = str(write_rehearsal(tmp_path).deck)
    greenroom("start", deck, "--presenter", INES, "--remember", "--id", "s1")
    (home / NAME).unlink()
    done = greenroom("end", "s1", check=False)
    assert done.returncode == 1
    assert f"memory: {home / NAME}: is not there any more, so nothing was kept" in done.stderr


def test_a_database_that_another_process_keeps_is_said(
    home: Path, tmp_path: Path, greenroom: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "TIMEOUT_S", 0.01)
    deck = str(write_rehearsal(tmp_path).deck)
    with closing(sqlite3.connect(home / NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = greenroom("start", deck, "--presenter", INES, "--remember", "--id", "s1", check=False)
        assert (done.returncode, "another process keeps it busy" in done.stderr) == (1, True)
        assert MemoryDatabase.exists(home)
    assert greenroom("memory", "on", "--presenter", INES).returncode == 0


def test_a_full_disk_and_one_that_may_only_be_read_are_told_apart() -> None:
    def error(code: int) -> sqlite3.Error:
        made = sqlite3.OperationalError("as SQLite says")
        made.sqlite_errorcode = code
        return made

    said = {
        name: str(database._refusal(Path("memory.db"), error(getattr(sqlite3, name))))
        for name in ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_BUSY")
    }
    assert "make room" in said["SQLITE_FULL"]
    assert "may only be read" in said["SQLITE_READONLY"]
    assert "check it" in said["SQLITE_IOERR"]
    assert "ulimit -n" in said["SQLITE_CANTOPEN"]
    assert "keeps it busy" in said["SQLITE_BUSY"]


def test_remembering_that_the_settings_switch_off_is_noted(
    home: Path, tmp_path: Path, greenroom: Commands
) -> None:
    (home / "greenroom.yaml").write_text("memory: false\n")
    deck = str(write_rehearsal(tmp_path).deck)
    done = greenroom("start", deck, "--presenter", INES, "--remember")
    assert "note: the setting `memory` is off, so --remember keeps nothing" in done.stderr


def test_doctor_looks_at_memory_and_changes_nothing(home: Path, greenroom: Commands) -> None:
    def row() -> Any:
        return next(one for one in greenroom.json("doctor")["checks"] if one["name"] == "memory")

    before = (home / NAME).read_bytes()
    assert row() == {
        "name": "memory",
        "state": "ok",
        "detail": f"{home / NAME}: 1 presenter to be remembered",
    }
    assert (home / NAME).read_bytes() == before
    (home / NAME).unlink()
    assert row()["state"] == "ok"
    assert not (home / NAME).exists()


def test_a_library_session_names_what_failed(home: Path, tmp_path: Path) -> None:
    (home / NAME).mkdir()
    deck = write_rehearsal(tmp_path).deck
    with Session.start(Home.open(home), deck, presenter=INES, remember=True) as session:
        assert [one.part for one in session.failures] == ["memory"]
