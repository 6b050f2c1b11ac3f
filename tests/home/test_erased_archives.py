"""Erasing removes each archive at the server that it was sent to, and a copy speaks for nobody."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.cli.app import run
from orchestrator.core.archive import s3
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.register import note_archive
from orchestrator.memory.database import existing
from tests.helpers.strict_s3 import KEY, SECRET, strict_s3

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"
URL = "s3://bucket/boards"


def test_each_archive_is_removed_at_its_own_server(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setattr(s3, "BACKOFF_S", [])
    with Session.start(Home.open(home), deck_text=DECK, id="talk") as session:
        session.end(without_debrief=True)
    with strict_s3() as first, strict_s3() as second, strict_s3() as third:
        for server in (first, second):
            arguments = ["archive", "talk", "--to", URL, "--endpoint-url", server.endpoint_url]
            assert run(["--home", str(home), *arguments]) == 0
        third.objects = dict(first.objects)  # of somebody else, under the same address
        erase = ["erase", "talk", "--archives", "--yes", "--endpoint-url", third.endpoint_url]
        assert run(["--home", str(home), *erase]) == 0
        assert (first.objects, second.objects) == ({}, {})
        assert len(third.objects) > 0
    assert f"removed {URL}/talk\n" in capsys.readouterr().out


def test_an_archive_at_amazon_is_not_looked_for_at_another_server(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = Home.open(home)
    with Session.start(opened, deck_text=DECK, id="talk") as session:
        session.end(without_debrief=True)
        note_archive(opened, "talk", URL, f"{URL}/talk", head=session.ledger_head, endpoint="")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert run(["--home", str(home), "erase", "talk", "--archives", "--yes"]) == 1
    told = "lies at Amazon's servers, and AWS_ENDPOINT_URL names http://127.0.0.1:9: unset it\n"
    assert capsys.readouterr().err == f"greenroom: {URL}/talk: {told}"
    assert opened.session_ids() == ("talk",)
    assert (opened.archives / "talk").is_dir()
    thaw(home / "sessions" / "talk")


def test_a_copy_that_is_ended_is_neither_remembered_nor_archived_for_its_original(home: Path) -> None:
    opened = Home.open(home)
    Session.start(opened, deck_text=DECK, id="talk", presenter="Ines Kroll", remember=True).close()
    shutil.copytree(home / "sessions" / "talk", home / "sessions" / "talk-backup")

    def kept() -> list[tuple[object, ...]]:
        with existing(opened.root) as db:
            if db is None:
                return []
            tables = ("memories", "goals", "scratchpads", "carried", "rests")
            return [(table, *row) for table in tables for row in db.rows(f"SELECT * FROM {table}")]

    before = kept()
    with Session.open(opened, "talk-backup") as copy:
        copy.slide(1)
        copy.append("shared/presenter-transcript.md", "We decided to sell the ferries.\n", by="transcript")
        copy.end()
        assert copy.state == "ended"
        assert copy.archived_at is None
    assert kept() == before
    assert not opened.archives.exists()
    with Session.open(opened, "talk") as session:
        assert session.state == "active"
        assert "ferries" not in session.read("shared/presenter-transcript.md")
    thaw(home / "sessions" / "talk-backup")
