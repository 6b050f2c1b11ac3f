"""What was said stays where it was agreed to, and goes without a byte left."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.cli.app import COMMANDS, run
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.stores import open_store
from orchestrator.core.home.folder import packaged_table
from orchestrator.panel.comments import Comments
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.review.catalogue import comments_beside, of_home, update
from orchestrator.web.timeline import as_redacted, timeline
from tests.helpers.figures import note
from tests.helpers.homes import new_home

PANEL = ("skeptic", "analyst", "contrarian")
CANARIES = {
    "deck": "zarquint",
    "notes of the deck": "brimvoxel",
    "speech": "quellodrim",
    "presenter": "Ottiwanda",
    "another speaker": "Felbrigno",
    "answers": "mandrukol",
    "news": "pelvastrine",
    "board": "Hexabrawn",
    "focus": "snorvitude",
    "off the record": "jumblewick",
    "name of the deck": "vintrellope",
}
"""Words that no language has, each in another of the things that a presenter brings."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "user-cache"))  # a review keeps things there
    return new_home(tmp_path / "home")


def _write(folder: Path) -> list[str]:
    """What the presenter brings, and the arguments of a run with it."""
    word = CANARIES
    deck = folder / f"{word['name of the deck']}.md"
    deck.write_text(
        f"""# Plan of {word["deck"]}

- Revenue of {word["deck"]} grew 18% to EUR 4.2M in 2026
- 94% of customers recommend {word["deck"]}

Note: say {word["notes of the deck"]} first.

---
# Risks

- We will double the fleet by 2028
"""
    )
    speaker = word["presenter"]
    (folder / "speech.vtt").write_text(
        f"""WEBVTT

00:00:01.000 --> 00:00:09.000
<v {speaker}>Revenue of {word["speech"]} grew eighteen percent in 2026.

00:00:10.000 --> 00:00:21.000
<v {word["another speaker"]}>Thank you, please continue.

00:00:22.000 --> 00:00:31.000
<v {speaker}>Off the record: {word["off the record"]} was late. Back on the record.

00:00:32.000 --> 00:00:41.000
<v {speaker}>We decided that {word["speech"]} doubles the fleet by 2028.
"""
    )
    (folder / "answers.yaml").write_text(
        f"""- text: We decided to sign with {word["answers"]} on Monday, since revenue grew by 31%.
- text: I always check {word["answers"]} twice before I promise EUR 4.2M.
- text: The churn of {word["answers"]} fell from 9% to 4%.
"""
    )
    (folder / "news.md").write_text(
        f"# {word['news']} doubles its fleet\n\n{word['news']} grew 40% in 2026.\n"
    )
    (folder / "board.yaml").write_text(f"- name: {word['board']}\n  role: treasurer\n  interests: [cash]\n")
    names = {
        "--speech": "speech.vtt",
        "--answers": "answers.yaml",
        "--intel": "news.md",
        "--board": "board.yaml",
    }
    given = [part for option, name in names.items() for part in (option, str(folder / name))]
    return ["run", str(deck), *given, "--presenter", speaker, "--speaker", speaker, "--focus", word["focus"]]


def _left(root: Path) -> dict[str, list[str]]:
    """Each canary that stands in the bytes or the name of a file below *root* → where."""
    left: dict[str, list[str]] = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        raw = (name.encode() + b"\n" + (path.read_bytes() if path.is_file() else b"")).lower()
        for what, word in CANARIES.items():
            # A database's and a cache's text may be in either of two encodings.
            if word.lower().encode() in raw or word.lower().encode("utf-16-le") in raw:
                left.setdefault(what, []).append(name)
    return left


def _used(home: Path, tmp_path: Path, session: str, *more: str) -> None:
    """A rehearsal, and every command and page that makes something of it."""
    folder = tmp_path / session
    folder.mkdir()
    options = ["--home", str(home), "--json"]
    assert run([*options, *_write(folder), "--id", session, *more]) == 0
    for command in (
        ["recap", session],
        ["summarise", session],
        *([["briefing", "skeptic"], ["briefing", "moderator"]] if "--remember" in more else []),
        ["list", "--search", CANARIES["speech"]],
        ["memory", "list"],
        ["debrief", session, "--format", "html"],
    ):
        assert run([*options, *command]) == 0, command
    found = Home.open(home)
    update(of_home(found), found.sessions, open_store(str(found.archives)))
    Comments(comments_beside(of_home(found))).add(session, "Somebody", f"Ask about {CANARIES['deck']}.")


@pytest.mark.parametrize("is_remembered", [True, False])
def test_no_byte_of_what_was_said_is_left_after_erase_and_forget(
    is_remembered: bool, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _used(home, tmp_path, "s1", *(["--remember"] if is_remembered else []))
    before = _left(home)
    assert before.keys() == CANARIES.keys()
    options = ["--home", str(home)]
    capsys.readouterr()
    assert run([*options, "erase", "s1", "--yes", "--archives"]) == 0
    said = capsys.readouterr().out
    # What agents noted of a presenter who is remembered stays with them, and is named.
    named = {"deck", "presenter"} if is_remembered else set()
    erased = _left(home)
    wrong = [what for what, where in erased.items() if what not in named or where != ["memory.db"]]
    is_named = not is_remembered or "still on skeptic's scratchpad" in said
    if is_remembered:
        assert (
            run([*options, "memory", "forget", "--all", "--yes", "--presenter", CANARIES["presenter"]]) == 0
        )
    left = _left(home)
    files = len({where for places in before.values() for where in places})
    what = f"canary words in a home, erased{', and forgotten' if is_remembered else ''}"
    wrongs = len(wrong) + len(left) + (not is_named)
    note("privacy", what, count=len(CANARIES), wrong=wrongs, told=f"they had been in {files} files")
    assert (wrong, is_named, left) == ([], True, {})


def test_without_consent_nothing_is_remembered(home: Path, tmp_path: Path) -> None:
    _used(home, tmp_path, "s1")
    kept = {what: [one for one in where if "memory" in one] for what, where in _left(home).items()}
    wrong = {what: where for what, where in kept.items() if where}
    note("privacy", "canary words in memory without --remember", count=len(CANARIES), wrong=len(wrong))
    assert wrong == {}


def test_a_redacted_copy_names_nobody_who_spoke_and_nothing_off_the_record(
    home: Path, tmp_path: Path
) -> None:
    _used(home, tmp_path, "s1", "--remember")
    with Session.open(Home.open(home), "s1") as session:
        text = as_redacted(session, timeline(session.rehearsal)).lower()
    hidden = ("presenter", "another speaker", "off the record")
    wrong = [what for what in hidden if CANARIES[what].lower() in text]
    note("privacy", "names and off-record words in a redacted copy", count=len(hidden), wrong=len(wrong))
    assert wrong == []
    assert CANARIES["speech"] in text


def _program(folder: Path, *arguments: str, umask: int = 0o022, **environment: str) -> None:
    """The program itself, as a shell with this umask starts it, with all that is the user's in *folder*."""
    own = {name: str(folder / name) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli", "--quiet", *arguments],
        cwd=folder,
        env={**os.environ, **own, **environment},
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (arguments, done.stderr)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_nothing_that_is_made_is_open_to_others(umask: int, tmp_path: Path) -> None:
    """The user's own home is set up, used, archived from, restored from and exported from."""
    brought, made = tmp_path / "brought", tmp_path / "made"
    brought.mkdir()
    made.mkdir()
    steps = (
        [*_write(brought), "--id", "s1", "--remember"],
        ["start", str(brought / f"{CANARIES['name of the deck']}.md"), "--id", "live"],
        ["feed", "live", str(brought / "speech.vtt")],
        ["briefing", "skeptic"],
        ["goal", "add", "Name every source."],
        ["archive", "s1", "--to", str(made / "archive")],
        ["restore", "s1", "--from", str(made / "archive"), "--into", str(made / "restored")],
        ["panel", "add", "treasurer"],
    )
    for step in steps:
        who = ["--presenter", CANARIES["presenter"]] if step[0] == "goal" else []
        _program(made, *step, *who, umask=umask, GREENROOM_LOG=str(made / "log"))
    found = [path for path in made.rglob("*") if path != made]
    most = {True: 0o750 & ~umask, False: 0o640 & ~umask}
    wide = {
        str(path.relative_to(made)): oct(stat.S_IMODE(path.stat().st_mode))
        for path in found
        if stat.S_IMODE(path.stat().st_mode) & ~most[path.is_dir()]
    }
    told = f"umask {umask:03o}: a home, its archive, restored"
    note("privacy", "file modes at most 0640 and 0750", count=len(found), wrong=len(wide), told=told)
    for root in (made / "restored" / "s1", *made.rglob("sessions/s1")):
        thaw(root)
    assert wide == {}
    assert len(found) > 150


def test_the_log_holds_no_word_of_what_was_said(tmp_path: Path) -> None:
    brought, made = tmp_path / "brought", tmp_path / "made"
    brought.mkdir()
    made.mkdir()
    log = made / "log"
    for step in (
        [*_write(brought), "--id", "s1", "--remember"],
        ["summarise", "s1"],
        ["recap", "s1"],
        ["check", str(brought / f"{CANARIES['name of the deck']}.md")],
        ["archive", "s1", "--to", str(made / "archive")],
        ["erase", "s1", "--yes", "--archives"],
    ):
        _program(made, *step, GREENROOM_LOG=str(log))
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    words = {
        word.lower() for path in brought.iterdir() for word in re.findall(r"[^\W\d]{4,}", path.read_text())
    }
    words |= {word.lower() for word in CANARIES.values()}
    # Names of files, commands and a kind of record are in a log, whoever says the same words.
    words -= set(re.findall(r"[a-z]+", " ".join([*packaged_table().seated(PANEL).files, *COMMANDS, "note"])))
    told = [
        word for word in words if any(re.search(rf"\b{word}\b", json.dumps(line).lower()) for line in lines)
    ]
    note("privacy", "words of a rehearsal looked for in its log", count=len(words), wrong=len(told))
    assert told == []
    assert len(lines) > 50
    assert {line["message"] for line in lines} >= {"began", "recorded", "sent"}
