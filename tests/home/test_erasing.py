"""Erasing: beside a writer, and where an earlier erasure was cut short."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.cli.app import run
from orchestrator.core.errors import StoreWriteError
from orchestrator.rehearsal.erasing import ERASING, erase_session

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"
SPOKEN = "shared/presenter-transcript.md"


def started(home: Path) -> Session:
    return Session.start(Home.open(home), deck_text=DECK, id="s1")


def test_a_session_is_erased_beside_its_writer_which_is_told(home: Path) -> None:
    told: list[str] = []
    begun = threading.Event()

    def write() -> None:
        try:
            while True:
                session.append(SPOKEN, "and another word\n", by="transcript")
                session.write("skeptic/candidate-question.md", "Why?\n", by="skeptic")
                begun.set()
        except StoreWriteError as error:
            told.append(str(error))

    for _ in range(8):
        begun.clear()
        with started(home) as session:
            writer = threading.Thread(target=write)
            writer.start()
            begun.wait(10)
            erase_session(Home.open(home), home / "sessions" / "s1", archives=False)
            writer.join(10)
        assert list((home / "sessions").iterdir()) == []
    assert len(told) == 8
    assert all("nothing was written: open the session again" in one for one in told)


@pytest.mark.parametrize(("at", "gone"), [(f"{ERASING}s1", "ledger"), (f"{ERASING}s1", "shared"), ("s1", "")])
def test_an_erasure_that_was_cut_short_is_finished_by_the_next(
    at: str, gone: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions, real = home / "sessions", shutil.rmtree
    started(home).close()
    (sessions / ".records" / "s1").mkdir(parents=True)
    (sessions / ".records" / "s1" / "comments.jsonl").write_text("{}\n")

    def cut_short(path: Path) -> None:
        real(path / gone if path.name == at else path)
        if path.name == at:
            raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", cut_short)
    with pytest.raises(KeyboardInterrupt):
        erase_session(Home.open(home), sessions / "s1", archives=False)
    monkeypatch.setattr(shutil, "rmtree", real)
    assert (sessions / f"{ERASING}s1").is_dir()
    assert run(["--home", str(home), "erase", "s1"]) == 0
    assert capsys.readouterr().out == f"removed {sessions / 's1'}\n"
    assert [path.name for path in sessions.rglob("*")] == [".records"]
    assert run(["--home", str(home), "erase", "s1"]) == 1


def test_an_erasure_that_the_disk_refuses_says_how_the_rest_goes(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started(home).close()

    def refuse(path: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", refuse)
        assert run(["--home", str(home), "erase", "s1", "--yes"]) == 1
    assert capsys.readouterr().err == (
        f"greenroom: {home}/sessions/.erasing-s1: input/output error: check the disk and the rights, "
        "then run the same command again: it removes the rest\n"
    )
    assert run(["--home", str(home), "erase", "s1", "--yes"]) == 0
    assert list((home / "sessions").iterdir()) == []
