"""What is wrong is said once, where it belongs: as one line for people, as one document for programs."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.archive.register import note_archive
from orchestrator.core.errors import GreenroomError
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.rehearsal.session import Session
from tests.helpers.commands import Commands
from tests.helpers.homes import ROOT

DECK = "# A second cold store\n\n- It will save 2 million a year from 2028.\n"
SAMPLE = str(Path(__file__).resolve().parents[2] / "orchestrator" / "rehearsal" / "demo" / "deck.md")


@pytest.fixture
def greenroom(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


@pytest.fixture
def sessions(home: Path) -> tuple[str, ...]:
    """Two sessions, neither of them ended."""
    for name in ("first", "second"):
        Session.start(Home.open(home), deck_text=DECK, id=name).close()
    return ("first", "second")


def _listed(greenroom: Commands) -> tuple[dict[str, str], str]:
    done = greenroom("--json", "list")
    return {row["session"]: row["state"] for row in json.loads(done.stdout)["sessions"]}, done.stderr


# ---------------------------------------------------------------------- for programs


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (
            ["show", "nobody"],
            1,
            {
                "code": "session_not_found",
                "message": "there is no session 'nobody' in {home}/sessions: see `greenroom list`",
                "value": "nobody",
            },
        ),
        (
            ["check", "{home}/none.md"],
            1,
            {
                "code": "deck",
                "message": "{home}/none.md does not exist; check the path",
                "file": "{home}/none.md",
            },
        ),
        (["run"], 2, {"code": "usage", "message": "Missing argument 'DECK'."}),
        (["list", "--home"], 2, {"code": "usage", "message": "--home needs a folder"}),
        (
            ["start", "{deck}", "--panel", "skeptic,nobody"],
            2,
            {
                "code": "usage",
                "message": "there is no panelist 'nobody' here: this home has analyst, contrarian, skeptic",
                "value": "nobody",
            },
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_with_json_an_error_is_one_document_on_stdout(
    home: Path, greenroom: Commands, arguments: list[str], code: int, error: dict[str, Any]
) -> None:
    deck = home / "deck.md"
    deck.write_text(DECK, "utf-8")
    given = [argument.format(home=home, deck=deck) for argument in arguments]
    done = greenroom("--json", *given, check=False)
    expected = {name: text.format(home=home) for name, text in error.items()}
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (code, {"error": expected}, "")


def test_a_wrong_setting_names_its_file(home: Path, greenroom: Commands) -> None:
    (home / "greenroom.yaml").write_text("minutes: 10\nengine: ofline\n", "utf-8")
    (home / "deck.md").write_text(DECK, "utf-8")
    error = json.loads(greenroom("--json", "start", str(home / "deck.md"), check=False).stdout)["error"]
    assert error == {
        "code": "configuration",
        "message": f"{home}/greenroom.yaml, line 2: engine is 'ofline', but must be one of "
        "offline, claude, openai, model",
        "file": f"{home}/greenroom.yaml",
    }


@pytest.mark.parametrize(
    ("arguments", "message", "value"),
    [
        (["slide", "first", "two"], "N 'two': give a whole number", "two"),
        (["run", "x.md", "--minutes", "1.5"], "--minutes '1.5': give a whole number from 1 on", "1.5"),
        (["run", "x.md", "--exchanges", "-1"], "--exchanges '-1': give a whole number from 0 on", "-1"),
        (["memory", "edit", "m1", "--confidence", "high"], "--confidence 'high': give a number", "high"),
    ],
)
def test_a_number_that_is_none_is_told_in_our_words(
    greenroom: Commands, arguments: list[str], message: str, value: str
) -> None:
    done = greenroom("--json", *arguments, check=False)
    error = {"code": "usage", "message": message, "value": value}
    assert (done.returncode, json.loads(done.stdout)) == (2, {"error": error})


def test_a_command_that_is_named_can_be_typed_as_the_user_types_it(
    home: Path, greenroom: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENROOM_COMMAND", "scripts/greenroom")
    said = f"there is no session 'nobody' in {home}/sessions: see "
    done = greenroom("show", "nobody", check=False)
    assert done.stderr == f"greenroom: {said}`scripts/greenroom list`\n"
    done = greenroom("--json", "show", "nobody", check=False)
    assert json.loads(done.stdout)["error"]["message"] == f"{said}`greenroom list`"


@pytest.mark.parametrize("name", ["speech.vtt", "answers.yaml", "program.py"])
def test_text_of_another_kind_is_no_deck(home: Path, greenroom: Commands, name: str) -> None:
    (home / name).write_text(DECK, "utf-8")
    done = greenroom("check", str(home / name), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        f"greenroom: {home / name} is neither PowerPoint, PDF nor Markdown; give a .pptx, .pdf or .md file\n",
    )


def test_a_draft_is_one_line_and_then_all_that_is_left_to_do(home: Path, greenroom: Commands) -> None:
    greenroom("panel", "add", "regulator")
    seat, *files = greenroom("panel", "check", "regulator", check=False).stdout.splitlines()
    folder = home / "templates" / "regulator"
    assert seat == f"regulator is a draft and sits in no session yet; in {folder} there is left to do:"
    assert [line.split(",")[0] for line in files] == ["  persona.md", "  domain-knowledge.md"]
    assert str(folder) not in "".join(files)


def _kinds(kind: type[GreenroomError]) -> Iterator[type[GreenroomError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _kinds(narrower)


def test_every_error_has_a_code_of_its_own_kind(greenroom: Commands) -> None:
    codes = [kind.__new__(kind).code for kind in _kinds(GreenroomError)]  # one takes a status as well
    assert len(codes) == len(set(codes))
    for path in (Path(__file__).resolve().parents[2] / "orchestrator").rglob("*.py"):
        assert "raise GreenroomError(" not in path.read_text("utf-8"), f"{path} raises no kind of error"


# ---------------------------------------------------------------------- the list goes on


def test_a_wrong_setting_does_not_keep_sessions_from_being_listed(
    home: Path, greenroom: Commands, sessions: tuple[str, ...]
) -> None:
    (home / "greenroom.yaml").write_text("minuts: 10\n", "utf-8")
    assert _listed(greenroom) == (dict.fromkeys(sessions, "active"), "")


@pytest.mark.parametrize("damage", [b"", b"\0" * 4096, b"no record\n"])
def test_a_ledger_that_cannot_be_read_stops_no_list(
    home: Path, greenroom: Commands, sessions: tuple[str, ...], damage: bytes
) -> None:
    (home / "sessions" / "first" / "ledger" / "ledger.jsonl").write_bytes(damage)
    states, said = _listed(greenroom)
    assert states == {"first": "damaged", "second": "active"}
    assert said.startswith("greenroom: first: ")
    assert said.count("\n") == 1


def test_a_bad_line_in_the_register_of_archives_stops_no_list(
    home: Path, greenroom: Commands, sessions: tuple[str, ...]
) -> None:
    note_archive(Home.open(home), "first", "file:///elsewhere", "file:///elsewhere/first", head="0")
    register = home / "sessions" / ".records" / "first" / "archives.jsonl"
    register.write_text(register.read_text("utf-8") + "no line of ours\n", "utf-8")
    states, said = _listed(greenroom)
    assert states == dict.fromkeys(sessions, "active")
    assert said == (
        f"greenroom: {register}, line 2: this is no line of the register of archives: "
        "remove it, and archive the session again\n"
    )


def test_a_name_can_draw_nothing_at_the_terminal(home: Path, greenroom: Commands) -> None:
    forged = "Eve\x1b[2K\nmine ended 9 exchanges"
    for name in (forged, "Eve\u202e", "Eve\u2028b"):
        for option in ("--presenter", "--speaker"):
            refused = greenroom("start", SAMPLE, option, name, check=False)
            told = f"greenroom: {option} {name!r} is not one line of text: write it anew\n"
            assert (refused.returncode, refused.stderr) == (2, told)
    greenroom("start", SAMPLE, "--presenter", "علی\u200cرضا")


PIPES = {
    "greenroom.yaml": (["start", SAMPLE], "is not a file"),
    "templates/moderator/orchestration.md": (["start", SAMPLE], "is no file"),
    "templates/skeptic/domain-knowledge.md": (["panel", "check"], "cannot be read (is no file)"),
    "session-templates/shared/session-config.md": (["start", SAMPLE], "is no file"),
    "sessions/first/ledger/templates/skeptic/persona.md": (["context", "first", "skeptic"], "is missing"),
    "sessions/first/ledger/driver.lock": (["list"], ""),
    "sessions/.records/first/archives.jsonl": (["list"], ""),
}


@pytest.mark.parametrize("path", PIPES)
def test_a_pipe_in_place_of_a_file_is_never_waited_for(
    home: Path, greenroom: Commands, sessions: tuple[str, ...], path: str
) -> None:
    (home / path).parent.mkdir(parents=True, exist_ok=True)
    (home / path).unlink(missing_ok=True)
    os.mkfifo(home / path)
    arguments, words = PIPES[path]
    signal.alarm(30)  # else a wait would be for ever
    try:
        done = greenroom(*arguments, check=False)
    finally:
        signal.alarm(0)
    assert (done.returncode != 0) == bool(words)
    assert words in done.stdout + done.stderr


# ---------------------------------------------------------------------- counts and titles


def test_one_is_told_as_one(home: Path, greenroom: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    deck = home / "deck.md"
    deck.write_text(DECK, "utf-8")
    begun = greenroom("start", str(deck), "--id", "one").stdout
    assert begun.startswith("one is active: 1 slide, 1 claim; targets: ")
    for lines, said in (("a\n", "1 line;"), ("a\nb\n", "2 lines;")):
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        fed = greenroom("feed", "one", "-", check=False)
        others = 'any others were taken; write each as {"text": "…"}'
        assert fed.stderr.endswith(f"greenroom: stdin: left out as no speech: {said} {others}\n")
    greenroom("ask", "one")
    greenroom("park", "one")
    assert "\n1 fact (1 open_thread); " in greenroom("summarise", "one").stdout


@pytest.mark.parametrize("title", ["Our mission:", "Our mission.", "Our mission"])
def test_a_title_that_ends_a_sentence_does_not_end_it_twice(
    home: Path, greenroom: Commands, title: str
) -> None:
    deck = home / "deck.md"
    deck.write_text(DECK.replace("A second cold store", title), "utf-8")
    assert greenroom("check", str(deck)).stdout.startswith("Our mission: 1 slide, 1 claim, ")
    assert greenroom("dossier", str(deck)).stdout.startswith("Our mission: 1 slide, 1 claim. ")
    assert greenroom("run", str(deck), "--exchanges", "0").stdout.startswith(
        "Our mission: 1 slide, 1 claim\n"
    )


def test_a_result_that_stdout_does_not_take_is_said_on_stderr(home: Path) -> None:
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "list"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT)
        assert subprocess.run(command, stdout=full, stderr=full, check=False, cwd=ROOT).returncode == 1
    said = "what the command had to do is done, and its result could not be shown"
    where = "see `greenroom list` and `greenroom show`"
    assert done.returncode == 1
    assert done.stderr == f"greenroom: stdout: no space left on device: {said}: {where}\n"


def test_questions_are_asked_for_where_somebody_puts_them(
    greenroom: Commands, home: Path, sessions: tuple[str, ...]
) -> None:
    refused = greenroom("questions", "first", check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        "greenroom: first: nobody drives the session, so nobody would put a question: `greenroom ask first` "
        "does\n"
    )
    with Session.open(Home.open(home), "first") as session, driving(session.rehearsal, "serve"):
        assert greenroom("questions", "first").stdout == "The panel is asked for a question.\n"
        asked = session.ask()
        assert asked is not None
        refused = greenroom("questions", "first", check=False)
        assert refused.stderr == "greenroom: a question is open: answer it first, or park it\n"
