"""The log: off until it is asked for, and then JSON lines of ids and sizes."""

from __future__ import annotations

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.cli.log import VARIABLE
from tests.helpers.commands import Commands

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """A process logs until it ends, and the tests go on in this one."""
    logger = logging.getLogger("orchestrator")
    yield
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        if type(handler.formatter).__name__ == "_Line" and isinstance(handler, logging.StreamHandler):
            handler.stream.close()
    logger.setLevel(logging.NOTSET)


def test_each_record_is_a_line_with_its_size_and_not_its_text(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deck.md").write_text(DECK)
    commands = Commands(home, capsys)
    commands("start", str(tmp_path / "deck.md"), "--id", "quiet")
    assert logging.getLogger("orchestrator").handlers == []
    monkeypatch.setenv(VARIABLE, str(tmp_path / "log"))
    assert commands("start", str(tmp_path / "deck.md"), "--id", "s1").stderr == ""
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["command"] for line in lines if line["message"] == "began"] == ["start"]
    ledger = (home / "sessions" / "s1" / "ledger" / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    recorded = {line["seq"]: line["bytes"] for line in lines if line["message"] == "recorded"}
    assert recorded == {number: len(line) for number, line in enumerate(ledger, 1) if number > 1}
    assert "Revenue" not in (tmp_path / "log").read_text()
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o640


def test_a_log_that_cannot_be_written_is_refused_in_one_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    done = Commands(home, capsys)("list", check=False)
    said = f"greenroom: GREENROOM_LOG: {tmp_path}: is a directory: name a file, or - for stderr\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_a_log_whose_disk_is_full_says_so_once(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deck.md").write_text(DECK)
    monkeypatch.setenv(VARIABLE, "/dev/full")
    done = Commands(home, capsys)("--quiet", "start", str(tmp_path / "deck.md"), "--id", "s1")
    assert (
        done.stderr
        == "greenroom: GREENROOM_LOG: /dev/full: no space left on device: nothing more is logged\n"
    )
