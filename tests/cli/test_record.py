"""`session append`, `write` and `note`: the record of any crew's session, from a loop in any language."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.home.table_file import read_table_file
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.verify import verify_session
from tests.helpers.commands import Commands

TABLE = """\
table: code-review
version: 1
agents: [coordinator]
seats: {least: 1, most: 4}
files:
  shared/pull-request.md: {class: write-once, by: [start]}
  shared/meeting.md:      {class: append-only, by: [minutes], stream: true}
  shared/findings.md:     {class: append-only, by: [coordinator]}
  <agent>/question.md:    {class: overwrite, by: [<agent>]}
order:
  <agent>: [shared/pull-request.md, shared/meeting.md, <agent>/question.md]
  coordinator: [shared/pull-request.md, shared/findings.md]
"""


@pytest.fixture
def crew(home: Path) -> Path:
    """A session of a code review in the home: no deck, no talk, files and writers of its own."""
    (home / "table.yaml").write_text(TABLE, "utf-8")
    layout = read_table_file(home / "table.yaml").seated(["security", "tester"])
    root = home / "sessions" / "pr-42"
    store = create_store(root, layout, Unread({"id": "pr-42", "crew": "code-review", "templates": {}}))
    store.write("shared/pull-request.md", "- total = sum(rows)\n", by="start")
    store.close()
    return root


@pytest.fixture
def command(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


def give(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), "utf-8", errors="replace"))


def lines(root: Path) -> list[dict[str, Any]]:
    """The ledger's records, without what differs from one run to the next."""
    kept = ("seq", "op", "file", "by", "text", "value")
    records = [
        json.loads(line) for line in (root / "ledger" / "ledger.jsonl").read_text("utf-8").splitlines()
    ]
    return [{key: one[key] for key in kept if key in one} for one in records]


def test_a_loop_in_any_language_keeps_the_record_of_its_crew(command: Commands, crew: Path) -> None:
    said = command.json("session", "append", "pr-42", "shared/meeting.md", "Alice: done.", "--by", "minutes")
    assert said == {"version": 1, "session": "pr-42", "record": 3}
    asked = command.json(
        "session", "write", "last", "tester/question.md", "Who tests an empty list?", "--by", "tester"
    )
    assert asked == {"version": 1, "session": "pr-42", "record": 4}
    noted = command.json(
        "session", "note", "pr", "review.finding", '{"severity": "high"}', "--by", "coordinator"
    )
    assert noted == {"version": 1, "session": "pr-42", "record": 5}
    assert lines(crew)[2:] == [
        {"seq": 3, "op": "append", "file": "shared/meeting.md", "by": "minutes", "text": "Alice: done.\n"},
        {
            "seq": 4,
            "op": "replace",
            "file": "tester/question.md",
            "by": "tester",
            "text": "Who tests an empty list?",
        },
        {
            "seq": 5,
            "op": "note",
            "by": "coordinator",
            "value": {"type": "review.finding", "severity": "high"},
        },
    ]
    assert (crew / "shared" / "meeting.md").read_bytes() == b"Alice: done.\n"
    assert (crew / "tester" / "question.md").read_bytes() == b"Who tests an empty list?"
    assert verify_session(crew).findings == ()


def test_a_session_is_started_driven_and_ended_from_the_shell(
    command: Commands, home: Path, tmp_path: Path
) -> None:
    (home / "table.yaml").write_text(TABLE, "utf-8")
    for agent in ("security", "tester"):
        (home / "templates" / agent).mkdir(exist_ok=True)
        (home / "templates" / agent / "persona.md").write_text(f"# {agent}\n", "utf-8")
    (tmp_path / "42.diff").write_text("- total = sum(rows)\n", "utf-8")
    begun = command.json(
        *("session", "start", "pr-7", "--title", "PR 7", "--agents", "security,tester"),
        *("--file", f"shared/pull-request.md={tmp_path / '42.diff'}"),
    )
    root = home / "sessions" / "pr-7"
    assert len(begun.pop("ledger_head")) == 64
    assert begun == {
        "version": 1,
        "session": "pr-7",
        "path": str(root),
        "state": "active",
        "crew": "code-review",
        "title": "PR 7",
        "agents": ["coordinator", "security", "tester"],
        "files": [
            "shared/pull-request.md",
            "shared/meeting.md",
            "shared/findings.md",
            "security/question.md",
            "tester/question.md",
        ],
        "record": 2,
    }
    assert (root / "shared" / "pull-request.md").read_text("utf-8") == "- total = sum(rows)\n"
    command("session", "append", "pr-7", "shared/findings.md", "None.", "--by", "coordinator")
    url = str(tmp_path / "archives")
    ended = command.json("session", "end", "pr-7", "--archive", url)
    assert len(ended.pop("ledger_head")) == 64
    assert ended == {
        "state": "ended",
        "debrief": None,
        "archive": f"{url}/pr-7",
        "valid": True,
        "warnings": [],
    }
    again = command("end", "pr-7").stdout.splitlines()
    assert again[:3] == ["pr-7 has ended.", f"Archive   {url}/pr-7", "Verified  yes"]
    other = str(tmp_path / "other")
    assert command.json("archive", "pr-7", "--to", other)["archive"] == f"{other}/pr-7"
    assert command.json("verify", f"file://{other}/pr-7")["valid"]


STARTS = {
    "--file shared/pull-request.md": (
        "--file 'shared/pull-request.md': give PATH=FILE, as in shared/pull-request.md=42.diff"
    ),
    "--file shared/pull-request.md=/nowhere": (
        "--file shared/pull-request.md=/nowhere: no such file or directory"
    ),
    "--file shared/a.md=/dev/null --file shared/a.md=/dev/null": (
        "--file names shared/a.md twice: give each file once"
    ),
}


@pytest.mark.parametrize("arguments", STARTS)
def test_a_start_that_cannot_be_meant_makes_nothing(command: Commands, home: Path, arguments: str) -> None:
    (home / "table.yaml").write_text(TABLE, "utf-8")
    refused = command("session", "start", "pr-7", *arguments.split(), check=False)
    assert (refused.returncode, refused.stderr) == (2, f"greenroom: {STARTS[arguments]}\n")
    assert not (home / "sessions" / "pr-7").exists()


def test_the_home_of_a_board_panel_starts_no_other_crew(command: Commands, home: Path) -> None:
    refused = command("session", "start", "deck", check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        (
            f"greenroom: {home} is the home of a board panel: begin a rehearsal with `greenroom start DECK`, "
            "or name your crew's home with --home\n"
        ),
    )


def test_people_are_told_what_was_recorded(command: Commands, crew: Path) -> None:
    said = command("session", "append", str(crew), "shared/meeting.md", "Alice: done.", "--by", "minutes")
    written = command("session", "write", "pr-42", "tester/question.md", "Why?", "--by", "tester")
    noted = command("session", "note", "pr-42", "review.done", "{}", "--by", "coordinator")
    assert (said.stdout, written.stdout, noted.stdout) == (
        "record 3: appended to shared/meeting.md\n",
        "record 4: tester/question.md is written\n",
        "record 5: review.done is noted\n",
    )


def test_stdin_is_taken_byte_for_byte(command: Commands, crew: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# Findings\r\n\r\n- größer\tals 3\r\n"
    give(monkeypatch, text.encode())
    command("session", "append", "pr-42", "shared/findings.md", "-", "--by", "coordinator")
    give(monkeypatch, b'{"file": "totals.py",\n "line": 3}')
    command("session", "note", "pr-42", "review.finding", "-", "--by", "coordinator")
    assert (crew / "shared" / "findings.md").read_bytes() == text.encode()
    assert lines(crew)[-1]["value"] == {"type": "review.finding", "file": "totals.py", "line": 3}


REFUSED = {
    "append shared/meeting.md Hello. --by alice": (
        1,
        "shared/meeting.md: 'alice' may not write this append-only file; its writers are minutes",
    ),
    "append shared/pull-request.md Hello. --by start": (
        1,
        "shared/pull-request.md: is write-once and takes no appends: use write",
    ),
    "write shared/pull-request.md Hello. --by start": (
        1,
        "shared/pull-request.md: is write-once and has been written: it stays as it is",
    ),
    "write shared/meeting.md Hello. --by minutes": (
        1,
        "shared/meeting.md: is append-only and cannot be written whole: use append",
    ),
    "append shared/meeting.md - --by minutes": (
        2,
        "stdin is not UTF-8 (byte 2); nothing was written: convert the text",
    ),
    "append shared/meeting.md Hello. --by minutes --receipt r9": (
        1,
        "there is no receipt 'r9' in pr-42: see `greenroom show pr-42`",
    ),
    "note finding {} --by coordinator": (
        2,
        (
            "'finding' is no type for a note of your own: give it a prefix that is yours, as in "
            "review.finding; names without one are the core's and the board panel's"
        ),
    ),
    "note review.finding high --by coordinator": (
        2,
        (
            "the note is not JSON (Expecting value, line 1); nothing was written: give an object, as in "
            '\'{"severity": "high"}\''
        ),
    ),
    "note review.finding [] --by coordinator": (
        2,
        'the note is no JSON object; nothing was written: give one, as in \'{"severity": "high"}\'',
    ),
    "append shared/meeting.md Hello.": (2, "Missing option '--by'."),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_the_crews_table_forbids_is_refused_and_changes_nothing(
    command: Commands, crew: Path, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    give(monkeypatch, b"no\xff")
    before = (crew / "ledger" / "ledger.jsonl").read_bytes()
    name, *rest = arguments.split()
    refused = command("session", name, "pr-42", *rest, check=False)
    code, message = REFUSED[arguments]
    assert (refused.returncode, refused.stdout, refused.stderr) == (code, "", f"greenroom: {message}\n")
    assert (crew / "ledger" / "ledger.jsonl").read_bytes() == before


def test_an_unknown_file_is_refused_with_those_that_the_table_has(command: Commands, crew: Path) -> None:
    refused = command("session", "write", "pr-42", "shared/plan.md", "x", "--by", "start", check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        (
            "greenroom: 'shared/plan.md' is no file of this session: the names are security/question.md, "
            "shared/findings.md, shared/meeting.md, shared/pull-request.md, tester/question.md\n"
        ),
    )


@pytest.mark.parametrize("arguments", ["feed pr-42 talk.txt", "ask pr-42"])
def test_what_only_a_rehearsal_has_is_refused_with_what_there_is(
    command: Commands, crew: Path, arguments: str
) -> None:
    refused = command("session", *arguments.split(), check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        (
            "greenroom: session pr-42 is of the crew code-review and no rehearsal: use show, context, "
            "append, write, note, verify, end and archive\n"
        ),
    )


def test_a_session_of_the_board_panel_takes_the_same(command: Commands, home: Path) -> None:
    with Session.start(Home.open(home), deck_text="# Plan\n\n- We grew.\n", id="board") as session:
        context = session.context("skeptic", task="Ask one question.", engine="my-model-1")
    receipt = context.receipt.id
    path = "skeptic/candidate-question.md"
    record = command.json(
        "session", "write", "board", path, "Why?\n", "--by", "skeptic", "--receipt", receipt
    )
    with Session.open(Home.open(home), "board") as session:
        written = session.rehearsal.store.record(record["record"])
        assert (written.op, written.file, written.text, written.receipt) == (
            "replace",
            path,
            "Why?\n",
            receipt,
        )
        assert session.verify().valid
        session.end(without_debrief=True)
    refused = command("session", "write", "board", path, "Why?", "--by", "skeptic", check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        (
            f"greenroom: {path} (overwrite): board has ended and is frozen: nothing is written any more; "
            "start a new session\n"
        ),
    )


def test_words_off_the_record_are_withheld_as_in_any_other_way(command: Commands, home: Path) -> None:
    transcript = "shared/presenter-transcript.md"
    with Session.start(Home.open(home), deck_text="# Plan\n\n- We grew.\n", id="board"):
        pass
    for text in ("This is off the record.", "We lose two sites.", "Back on the record.", "We hired Ann."):
        command("session", "append", "board", transcript, text, "--by", "transcript")
    with Session.open(Home.open(home), "board") as session:
        shown = session.context("skeptic").text
    assert ("We lose two sites." in shown, "We hired Ann." in shown) == (False, True)


def test_a_damaged_view_is_mended_and_said(command: Commands, crew: Path) -> None:
    (crew / "shared" / "pull-request.md").chmod(0o600)
    (crew / "shared" / "pull-request.md").write_text("changed\n", "utf-8")
    said = command("session", "append", "pr-42", "shared/meeting.md", "Hello.", "--by", "minutes")
    assert said.stderr.startswith("greenroom: shared/pull-request.md: ")
    assert (crew / "shared" / "pull-request.md").read_text("utf-8") == "- total = sum(rows)\n"


def test_a_store_and_a_command_write_one_record_after_the_other(command: Commands, crew: Path) -> None:
    store = Store(crew)
    for number in range(3):
        store.append("shared/meeting.md", f"store {number}\n", by="minutes")
        command("session", "append", "pr-42", "shared/meeting.md", f"command {number}", "--by", "minutes")
    store.close()
    assert (crew / "shared" / "meeting.md").read_text("utf-8") == "".join(
        f"{who} {number}\n" for number in range(3) for who in ("store", "command")
    )
