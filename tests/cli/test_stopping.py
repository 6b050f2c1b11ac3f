"""Ctrl-C at any moment of a run: exit 1, one line, and the line is true. In real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.cli.app import run
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.loop import recorded
from tests.helpers.rehearsals import ROOT, greenroom, greenroom_json, write_rehearsal

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

IN = "import sys; from orchestrator.cli import main; print('in', flush=True); main(sys.argv[1:])"
NOTHING = {
    "greenroom: stopped; nothing was made",
    "greenroom: stopped; nothing was done",
    "greenroom: stopped",
}
GO_ON = {
    "greenroom: stopped; go on with `greenroom resume r1`",
    "greenroom: stopped; r1 has ended and is not archived yet: go on with `greenroom resume r1`",
}
DONE = "greenroom: stopped; r1 has ended: see `greenroom debrief r1`"


def stopped(home: Path, folder: Path, moment: float | str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a run with a SIGINT after so many seconds, or as a file appears."""
    files = write_rehearsal(folder)
    command = [sys.executable, "-c", IN, "--home", str(home), "--quiet", "run", str(files.deck), "--id", "r1"]
    command += ["--speech", str(files.speech), "--exchanges", "1"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "in\n"
    if isinstance(moment, str):
        while not (home / moment).exists() and running.poll() is None:
            time.sleep(0.002)
    else:
        time.sleep(moment)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=300)
    return running.returncode, out, err


@pytest.mark.parametrize(
    "moment",
    [0.0, 0.4, 1.2, "sessions", "sessions/r1", "sessions/r1/debrief.md", "archives/r1"],
)
def test_ctrl_c_ends_a_run_with_one_line_that_says_how_to_go_on(
    home: Path, tmp_path: Path, moment: float | str
) -> None:
    code, out, err = stopped(home, tmp_path, moment)
    if code == 0:  # it was done before
        assert out
        assert err == ""
        return
    assert code == 1
    assert err.count("\n") == 1
    line = err.rstrip("\n")
    there = (home / "sessions" / "r1").is_dir()
    if there:
        assert line in GO_ON | {DONE} | ({"greenroom: stopped"} if out else set())  # all was done, and told
    else:
        assert line in NOTHING
    if line in GO_ON:
        greenroom(home, "resume", "r1")
    if there:
        assert greenroom_json(home, "verify", f"file://{home}/archives/r1")["valid"]
    else:
        assert list(home.glob("sessions/*")) == []


def test_ctrl_c_says_that_a_session_of_that_id_was_not_its_own(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "r1")

    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("orchestrator.rehearsal.rehearsal.Rehearsal.start", press)
    assert run(["--home", str(home), "run", str(files.deck), "--id", "r1"]) == 1
    assert capsys.readouterr().err == "greenroom: stopped; nothing was made\n"


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ("started", "stopped; r1 is active: go on with `greenroom feed r1 SPEECH`"),
        ("run", "stopped; r1 has ended: see `greenroom debrief r1`"),
        ("unarchived", "stopped; r1 has ended and is not archived yet: go on with `greenroom resume r1`"),
    ],
)
def test_the_line_names_what_there_is(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    state: str,
    line: str,
) -> None:
    files = write_rehearsal(tmp_path)

    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    after = {
        "started": "orchestrator.cli.session._tell_of_start",
        "run": "orchestrator.cli.dialogue.run_text",
        "unarchived": "orchestrator.rehearsal.ending.archive",
    }
    monkeypatch.setattr(after[state], press)
    command = "start" if state == "started" else "run"
    assert run(["--home", str(home), "--quiet", command, str(files.deck), "--id", "r1"]) == 1
    assert capsys.readouterr().err == f"greenroom: {line}\n"


def test_a_feed_that_is_stopped_again_is_not_taken_for_done(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_rehearsal(tmp_path)
    with Session.start(Home.open(home), files.deck, id="r1") as session:
        session.load(read_speech(files.speech), kind="feed")
    step = recorded.step

    def pressed(*given: Any) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return step(*given)

    monkeypatch.setattr(recorded, "step", pressed)
    assert run(["--home", str(home), "resume", "r1"]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "greenroom: stopped; go on with `greenroom resume r1`\n")
