"""The command line as a user meets it, in real processes."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Never

import pytest

from tests.helpers.commands import Commands
from tests.helpers.rehearsals import ROOT, contents, greenroom, greenroom_json, write_rehearsal

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

NO_STDOUT = "stdout is closed, so no result can be shown: leave it open, or use >/dev/null"


def test_help_imports_nothing_heavy() -> None:
    heavy = ["boto3", "botocore", "anthropic", "pptx", "pypdfium2", "pydantic", "jinja2", "rich"]
    code = (
        "import sys\n"
        "from orchestrator.cli.app import run\n"
        "assert run(['--help']) == 0\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stderr == "[]\n"
    assert "Commands:" in done.stdout


def test_run_promises_its_json(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    out = greenroom_json(
        home, "run", files.deck, "--speech", files.speech, "--answers", files.answers, "--id", "r1",
        "--presenter", "Ines", "--date", "2026-11-20", "--exchanges", "4",
    )  # fmt: skip
    assert {
        "session", "path", "state", "slides", "segments", "claims", "speaker", "exchanges", "grounded_share",
        "debrief", "receipts", "ledger_head", "archive", "usage", "seconds", "sync_s",
    } <= set(out)  # fmt: skip
    assert (out["session"], out["state"], out["slides"], out["segments"]) == ("r1", "ended", 4, 8)
    assert out["speaker"] == "Ines"
    assert len(out["exchanges"]) == 4
    keys = {"id", "agent", "claim", "slide", "said_at_s", "quote", "turns", "outcome", "grounded"}
    for exchange in out["exchanges"]:
        assert keys <= set(exchange)
        assert set(exchange["turns"][0]) == {"question", "answer", "verdict", "reason", "quote"}

    verified = greenroom_json(home, "verify", "last")
    assert (verified["valid"], verified["findings"]) == (True, [])
    assert verified["ledger_head"] == out["ledger_head"]
    listed = greenroom_json(home, "list")["sessions"]
    assert [row["session"] for row in listed] == ["r1"]
    assert {"session", "state", "deck", "date", "presenter", "exchanges", "archive"} <= set(listed[0])
    shown = greenroom_json(home, "show", "r1")
    assert len(shown["receipts"]) == out["receipts"]
    debrief = greenroom_json(home, "debrief", "r1", "--format", "json")
    assert [one["id"] for one in debrief["exchanges"]] == ["x1", "x2", "x3", "x4"]


def test_read_only_commands_work_from_the_archive(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    run = greenroom_json(
        home, "run", files.deck, "--speech", files.speech, "--id", "r1", "--archive", tmp_path / "a"
    )
    address = f"file://{tmp_path}/a/r1"
    shown = greenroom_json(home, "show", address)
    assert shown["exchanges"] == run["exchanges"]
    receipt = shown["receipts"][-1]
    live = greenroom(home, "context", "r1", receipt["agent"], "--at", receipt["receipt"]).stdout
    archived = greenroom(home, "context", address, receipt["agent"], "--at", receipt["receipt"]).stdout
    assert live == archived
    assert greenroom(home, "debrief", address).stdout == greenroom(home, "debrief", "r1").stdout
    assert greenroom_json(home, "verify", address)["valid"]
    rows = greenroom_json(home, "list", "--archive", f"{tmp_path}/a")["sessions"]
    assert [(row["session"], row["exchanges"]) for row in rows] == [("r1", len(run["exchanges"]))]
    assert greenroom_json(home, "restore", "r1", "--from", f"{tmp_path}/a", "--into", tmp_path / "back") == {
        "session": "r1",
        "path": str(tmp_path / "back" / "r1"),
    }
    assert contents(tmp_path / "back" / "r1") == contents(Path(run["path"]))


def test_ask_and_answer_from_processes_of_their_own(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    started = greenroom_json(home, "start", files.deck, "--id", "s1")
    assert started["state"] == "active"
    assert sum(started["focus"].values()) > 0
    fed = greenroom_json(home, "feed", "s1", files.speech)
    assert fed == {"segments": 8, "from_s": 1.0, "to_s": 119.0}
    asked = greenroom_json(home, "ask", "s1", "--agent", "skeptic")
    assert asked["agent"] == "skeptic"
    assert asked["exchange"] == "x1"
    refused = greenroom(home, "ask", "s1", check=False)
    assert refused.returncode == 1
    assert refused.stderr == "greenroom: a question is still open: answer it or park it first\n"
    answered = greenroom_json(home, "answer", "s1", "It is audited: EUR 4.2M in 2026, from EUR 3.6M in 2025.")
    assert answered["verdict"] in ("satisfied", "follow_up", "escalate", "unjudged")
    if answered["outcome"] is None:
        assert greenroom_json(home, "park", "s1") == {"exchange": "x1", "outcome": "parked"}
    asked = greenroom_json(home, "ask", "s1")
    assert asked["exchange"] == "x2"
    ended = greenroom_json(home, "end", "s1")
    assert ended["state"] == "ended"
    assert greenroom_json(home, "verify", "s1")["valid"]
    assert greenroom(home, "answer", "s1", "Too late.", check=False).returncode == 1


def test_context_is_what_the_agent_is_given(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    receipt = greenroom_json(home, "context", "s1", "skeptic", "--as", "receipt")
    assert [one["index"] for one in receipt["files"]] == list(range(1, 12))
    assert [one["mutability"] for one in receipt["files"]] == [
        "immutable", "immutable", "write-once", "write-once", "write-few", "append-only", "append-only",
        "write-once", "append-only", "append-only", "overwrite",
    ]  # fmt: skip
    text = greenroom(home, "context", "s1", "skeptic", "--at", receipt["receipt"]).stdout
    assert len(text.encode()) == receipt["bytes"]
    by_number = greenroom(home, "context", "s1", "skeptic", "--at", str(receipt["seq"])).stdout
    assert by_number == text
    assert greenroom(home, "context", "s1", "nobody", check=False).returncode == 2
    assert greenroom(home, "context", "s1", "skeptic", "--at", "r000000000000", check=False).returncode == 1


def test_live_speech_from_stdin(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    lines = [
        {"text": "Revenue grew eighteen percent.", "speaker": "Ines", "slide": 1},
        {"text": "rev", "speaker": "Ines", "final": False},
        {"text": "And we carry 212,000 passengers.", "speaker": "Ines"},
    ]
    fed = greenroom_json(home, "feed", "s1", "-", stdin="".join(json.dumps(line) + "\n" for line in lines))
    assert fed["segments"] == 2
    text = (home / "sessions" / "s1" / "shared" / "presenter-transcript.md").read_text("utf-8")
    assert "Ines: Revenue grew eighteen percent." in text
    assert "Slide 1: Where we stand" in text
    assert "rev\n" not in text
    bad = greenroom(
        home, "feed", "s1", "-", stdin='{"text": "Good."}\nnot json\n{"text": "Also good."}\n', check=False
    )
    assert bad.returncode == 1
    assert "line 2" in bad.stderr
    assert (home / "sessions" / "s1" / "shared" / "presenter-transcript.md").read_text("utf-8").count(
        "ood."
    ) == 2


def test_ctrl_c_leaves_the_session_interrupted_and_resume_goes_on(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "run", str(files.deck)]
    command += ["--speech", str(files.speech), "--answers", str(files.answers), "--id", "r1", "--speed", "10"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    transcript = home / "sessions" / "r1" / "shared" / "presenter-transcript.md"
    deadline = time.monotonic() + 60
    while not (transcript.exists() and "Revenue grew" in transcript.read_text("utf-8")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    busy = greenroom(home, "resume", "r1", check=False)
    assert busy.returncode == 1
    assert f"process {running.pid} drives this session" in busy.stderr
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert (out, err.splitlines()[-1]) == ("", "greenroom: stopped; go on with `greenroom resume r1`")
    assert greenroom_json(home, "list")["sessions"][0]["state"] == "interrupted"
    resumed = greenroom_json(home, "resume", "r1")
    assert (resumed["state"], resumed["segments"]) == ("ended", 8)
    whole = greenroom_json(home, "run", files.deck, "--speech", files.speech, "--answers", files.answers)
    assert contents(Path(resumed["path"])) == contents(Path(whole["path"]))
    assert greenroom_json(home, "verify", "r1")["valid"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "missing.pptx"], 1, "missing.pptx"),
        (["run"], 2, "DECK"),
        (["nonsense"], 2, "nonsense"),
        (["verify", "nobody"], 1, "there is no session 'nobody'"),
        (["run", "x.md", "--id", "../x"], 2, "'../x' is no session id"),
        (["run", "x.md", "--panel", "skeptic"], 2, "2 to 5 panelists"),
        (["run", "x.md", "--engine", "psychic"], 2, "psychic"),
        (["run", "x.md", "--engine", "claude"], 1, "set ANTHROPIC_API_KEY"),
        (["run", "x.md", "--date", "yesterday"], 2, "YYYY-MM-DD"),
        (["run", "x.md", "--speed", "-3"], 2, "--speed"),
        (
            ["run", "x.md", "--engine", "Claude"],
            2,
            "--engine 'Claude': use offline, claude, openai or model\n",
        ),
        (["context", "x", "skeptic", "--as", "poem"], 2, "poem"),
    ],
)
def test_every_refusal_is_one_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    (tmp_path / "x.md").write_text("# Plan\n\nRevenue grew 18%.\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli", "--home", str(home), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert list(home.glob("sessions/[!.]*")) == []


def test_global_options_stand_anywhere(home: Path) -> None:
    first = greenroom(home, "--json", "list").stdout
    assert first == greenroom(home, "list", "--json").stdout
    assert json.loads(first) == {"sessions": []}
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli", "list", f"--home={home}", "--quiet"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert done.stdout == "no sessions\n"


def test_an_archive_folder_that_does_not_exist_is_not_called_empty(home: Path, tmp_path: Path) -> None:
    gone = tmp_path / "archvies"
    done = greenroom(home, "list", "--archive", gone, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    said = f"greenroom: {gone} does not exist, so nothing is archived there: check the path\n"
    assert done.stderr == said
    assert greenroom(home, "list", "--archive", f"file://{gone}", check=False).stderr == said
    gone.mkdir()
    assert greenroom(home, "list", "--archive", gone).stdout == "no sessions\n"


def test_erase_removes_the_folder_and_lists_the_archive(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    run = greenroom_json(home, "run", files.deck, "--id", "r1")
    erased = greenroom_json(home, "erase", "r1", "--yes")
    assert erased == {"removed": [run["path"]], "archives": [run["archive"]], "stays": {}}
    assert not Path(run["path"]).exists()
    assert greenroom_json(home, "verify", f"file://{home}/archives/r1")["valid"]


def test_what_erase_left_in_the_homes_archives_is_removed_as_erase_says(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    run = greenroom_json(home, "run", files.deck, "--id", "r1")
    greenroom(home, "archive", "r1", "--to", tmp_path / "else")
    said = greenroom(home, "erase", "r1", "--yes").stdout.splitlines()
    assert said == [
        f"removed {run['path']}",
        f"still archived: {run['archive']} (`greenroom erase r1 --archives` removes it)",
        f"still archived: {tmp_path}/else/r1 (remove it there yourself)",
    ]
    assert greenroom(home, "erase", "r1", check=False).stderr == (
        f"greenroom: r1 is left in an archive only, {run['archive']}: "
        "`greenroom erase r1 --archives` removes it\n"
    )
    erased = greenroom_json(home, "erase", "r1", "--archives", "--yes")
    assert erased == {"removed": [run["archive"]], "archives": [], "stays": {}}
    assert not Path(run["archive"]).exists()
    assert (tmp_path / "else" / "r1").exists()
    gone = greenroom(home, "erase", "r1", "--archives", check=False)
    assert (gone.returncode, gone.stderr.count("there is no session 'r1'")) == (1, 1)


def test_show_has_what_the_moderator_said(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    run = greenroom_json(home, "run", files.deck, "--speech", files.speech, "--id", "r1")
    assert run["said"]
    assert greenroom_json(home, "show", "r1")["said"] == run["said"]
    line = f"The moderator spoke {len(run['said'])} times (--json has the words)."
    assert line in greenroom(home, "show", "r1").stdout.splitlines()


def test_show_ends_with_the_question_that_is_open(home: Path, tmp_path: Path) -> None:
    greenroom(home, "start", write_rehearsal(tmp_path).deck, "--id", "r1")
    greenroom(home, "ask", "r1")
    greenroom(home, "answer", "r1", "Twelve of them, since May.")
    put = greenroom(home, "ask", "r1").stdout.splitlines()[-1]
    shown = greenroom(home, "show", "r1").stdout
    dialogue = " ".join(shown.partition("The moderator spoke")[0].split())
    assert dialogue.endswith(put)
    assert dialogue.count(": open ") == 1


@pytest.mark.parametrize(
    ("closed", "code", "out", "err"),
    [
        (">&-", 1, "", f"greenroom: {NO_STDOUT}\n"),
        ("<&-", 0, "no sessions\n", ""),
        ("2>&-", 0, "no sessions\n", ""),
    ],
)  # fmt: skip
def test_a_closed_stream_costs_no_traceback(home: Path, closed: str, code: int, out: str, err: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m orchestrator.cli --home {shlex.quote(str(home))} list {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (code, out, err)


def test_what_is_no_home_is_made_one_by_the_line_that_is_given(tmp_path: Path) -> None:
    place = tmp_path / "my home"
    refused = greenroom(place, "list", check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    start = f"greenroom: {place} is no Greenroom home: it has no templates/ and session-templates/; "
    assert refused.stderr.startswith(start)
    assert "without --home and GREENROOM_HOME your own home is set up by itself" in refused.stderr
    subprocess.run(["sh", "-c", refused.stderr.split("`")[1]], check=True)
    assert greenroom_json(place, "panel", "check")["valid"]
    shutil.rmtree(place / "session-templates")
    half = greenroom(place, "list", check=False).stderr
    assert "it has no session-templates/; " in half
    assert "/templates" not in half.split("`")[1]


def test_an_empty_variable_is_called_empty(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GREENROOM_MODEL", "")
    refused = greenroom(home, "run", write_rehearsal(tmp_path).deck, check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        "greenroom: GREENROOM_MODEL is empty: unset it, or give it a value\n",
    )


def test_doctor_says_what_is_in_force(home: Path) -> None:
    checks = greenroom_json(home, "doctor")["checks"]
    assert {"file locks", "sync", "immutable flag", "S3"} <= {check["name"] for check in checks}
    assert all(set(check) == {"name", "state", "detail"} for check in checks)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EMFILE])
def test_doctor_prints_its_table_on_a_disk_that_takes_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    def refuses(**_: object) -> Never:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("tempfile.TemporaryFile", refuses)
    rows = {one["name"]: one for one in Commands(home, capsys).json("doctor")["checks"]}
    told = {"state": "missing", "detail": f"{os.strerror(code).lower()}: nothing could be tried here"}
    for name in ("file locks", "sync"):
        assert rows[name] == {"name": name, **told}
    assert rows["engine offline"]["state"] == "ok"


def test_doctor_counts_only_variables_that_let_one_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def s3() -> set[str]:
        return {one["state"] for one in greenroom_json(home, "doctor")["checks"] if one["name"] == "S3"}

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CA_BUNDLE", "/etc/ssl/certs/ca-certificates.crt")
    assert s3() == {"off"}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    assert s3() == {"warning"}  # half of a key
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert s3() == {"ok"}


def test_a_wrong_slide_number_costs_no_words(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    lines = '{"text": "One."}\n{"text": "Two.", "slide": 99}\n{"text": "Three."}\n'
    fed = greenroom(home, "feed", "s1", "-", stdin=lines)
    assert "there is no slide 99: the deck has 1 to 4" in fed.stderr
    text = (home / "sessions" / "s1" / "shared" / "presenter-transcript.md").read_text("utf-8")
    assert [word in text for word in ("One.", "Two.", "Three.")] == [True, True, True]


def test_a_driver_stops_in_peace_when_the_session_ends(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    greenroom(home, "start", files.deck, "--id", "s1")
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "feed", "s1"]
    feeding = subprocess.Popen([*command, str(files.speech), "--speed", "5"], cwd=ROOT)
    transcript = home / "sessions" / "s1" / "shared" / "presenter-transcript.md"
    deadline = time.monotonic() + 60
    while "Revenue grew" not in transcript.read_text("utf-8"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    greenroom(home, "end", "s1")
    assert feeding.wait(60) == 0
    assert greenroom_json(home, "verify", "s1")["valid"]


def test_a_run_that_was_not_archived_is_archived_by_resume(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file stands where the archive belongs", "utf-8")
    failed = greenroom(home, "run", files.deck, "--id", "r1", "--archive", blocked / "a", check=False)
    assert failed.returncode == 1
    assert "not archived" in failed.stderr
    assert "the session has ended and is kept at" in failed.stderr
    assert greenroom_json(home, "list")["sessions"][0]["archive"] is None
    blocked.unlink()
    resumed = greenroom_json(home, "resume", "r1")
    assert (resumed["state"], resumed["repaired"]) == ("ended", [])
    assert greenroom_json(home, "verify", f"file://{blocked}/a/r1")["valid"]
    assert greenroom(home, "resume", "r1", check=False).returncode == 1


def test_erase_takes_sessions_of_this_home_only(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    run = greenroom_json(home, "run", files.deck, "--id", "r1")
    refused = greenroom(home, "erase", run["archive"], "--yes", check=False)
    assert refused.returncode == 1
    assert greenroom_json(home, "verify", run["archive"])["valid"]
    greenroom(home, "archive", "r1", "--to", tmp_path / "else")
    erased = greenroom_json(home, "erase", "r1", "--archives", "--yes")
    assert erased["archives"] == []
    assert not Path(run["archive"]).exists()
    assert not (tmp_path / "else" / "r1").exists()


def test_an_archive_address_that_cannot_be_meant_is_refused_before_anything_is_made(home: Path) -> None:
    demo = ROOT / "orchestrator" / "rehearsal" / "demo" / "deck.md"
    for address in ("ftp://x", "s3://KEY:secretsecret@bucket/p"):
        refused = greenroom(home, "run", demo, "--archive", address, check=False)
        assert refused.returncode == 2
        assert "secretsecret" not in refused.stderr
    assert list(home.glob("sessions/*")) == []
