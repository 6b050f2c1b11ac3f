"""SIGTERM and SIGHUP end every command, alone and as the first process of a container. In real processes.

The command says one line, its exit code names the signal, and what was said is there to go on with.
"""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import PATIENT
from tests.helpers.live_feeds import until
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import ROOT, Rehearsal, greenroom, greenroom_json, write_rehearsal
from tests.helpers.server_faults import Fault

CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129}
FIRST = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
WORDS = "Revenue grew eighteen percent."
HANGING = Fault("hang")


def _why_not_first() -> str | None:
    try:
        done = subprocess.run([*FIRST, "true"], capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip()


WHY_NOT_FIRST = _why_not_first()
IS_FIRST = pytest.mark.skipif(
    WHY_NOT_FIRST is not None, reason=f"no process here can be the first of its own: {WHY_NOT_FIRST}"
)
in_both_ways = pytest.mark.parametrize(
    "before", [pytest.param((), id="alone"), pytest.param(FIRST, id="first", marks=IS_FIRST)]
)
in_each_way = pytest.mark.parametrize(
    ("before", "number"),
    [
        pytest.param((), signal.SIGTERM, id="alone"),
        pytest.param((), signal.SIGHUP, id="terminal-closed"),
        pytest.param(FIRST, signal.SIGTERM, id="first", marks=IS_FIRST),
    ],
)
at_both_signals = pytest.mark.parametrize("number", CODES)


@dataclass
class Command:
    """A command under way."""

    process: subprocess.Popen[str]
    is_first: bool

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def ended_by(self, number: signal.Signals) -> tuple[int, str, str]:
        """Exit code, what is left of stdout, and the last line of stderr."""
        pid = self.process.pid
        if self.is_first:  # the process itself, and not `unshare`, which waits for it
            pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()[0])
        os.kill(pid, number)
        out, err = self.process.communicate(timeout=300)
        assert "Traceback" not in err
        return self.process.returncode, out, (err.splitlines() or [""])[-1]


@contextmanager
def under_way(home: Path, before: Sequence[str], *arguments: str | Path) -> Iterator[Command]:
    command = [*before, sys.executable, "-m", "orchestrator.cli", "--home", str(home), *map(str, arguments)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Command(process, bool(before))
        finally:
            process.kill()


def is_said(home: Path, words: str) -> Callable[[], bool]:
    path = home / "sessions" / "r1" / "shared" / "presenter-transcript.md"
    return lambda: path.exists() and words in path.read_text("utf-8")


def is_valid(home: Path) -> bool:
    return bool(greenroom_json(home, "verify", "r1")["valid"])


@pytest.fixture
def files(tmp_path: Path) -> Rehearsal:
    return write_rehearsal(tmp_path)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesServer]:
    """A service that the commands find by their environment."""
    with MessagesServer() as made:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", made.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", made.key)
        monkeypatch.setenv("GREENROOM_DEADLINES_S", json.dumps(PATIENT))
        yield made


pytestmark = pytest.mark.slow


@in_each_way
def test_a_run_keeps_its_words_and_says_how_to_go_on(
    home: Path, files: Rehearsal, before: Sequence[str], number: signal.Signals
) -> None:
    options = ("--speech", files.speech, "--answers", files.answers, "--id", "r1", "--speed", "10")
    with under_way(home, before, "run", files.deck, *options) as command:
        until("the first words", is_said(home, "Revenue grew"))
        ended = command.ended_by(number)
    assert ended == (CODES[number], "", "greenroom: stopped; go on with `greenroom resume r1`")
    assert greenroom_json(home, "list")["sessions"][0]["state"] == "interrupted"
    assert (greenroom_json(home, "resume", "r1")["segments"], is_valid(home)) == (8, True)


@in_each_way
def test_an_answer_that_is_awaited_keeps_no_run_from_ending(
    home: Path, files: Rehearsal, before: Sequence[str], number: signal.Signals
) -> None:
    options = ("--speech", files.speech, "--answers", "-", "--id", "r1")
    with under_way(home, before, "run", files.deck, *options) as command:
        ledger = home / "sessions" / "r1" / "ledger" / "ledger.jsonl"
        until("a question", lambda: ledger.exists() and b'"type":"exchange_opened"' in ledger.read_bytes())
        ended = command.ended_by(number)
    assert ended == (CODES[number], "", "greenroom: stopped; go on with `greenroom resume r1`")


@in_each_way
def test_a_live_feed_keeps_its_words(
    home: Path, files: Rehearsal, before: Sequence[str], number: signal.Signals
) -> None:
    greenroom(home, "start", files.deck, "--id", "r1")
    with under_way(home, before, "feed", "r1", "-") as command:
        command.type(json.dumps({"text": WORDS}))
        until("the words", is_said(home, WORDS))
        code, out, said = command.ended_by(number)
    assert (code, out.startswith("1 segment,")) == (CODES[number], True)
    assert said == "greenroom: stopped; r1 is active: go on with `greenroom feed r1 SPEECH`"
    assert is_valid(home)


@in_each_way
def test_a_recording_that_is_fed_goes_on_with_resume(
    home: Path, files: Rehearsal, before: Sequence[str], number: signal.Signals
) -> None:
    greenroom(home, "start", files.deck, "--id", "r1")
    with under_way(home, before, "feed", "r1", files.speech, "--speed", "10") as command:
        until("the first words", is_said(home, "Revenue grew"))
        ended = command.ended_by(number)
    assert ended == (CODES[number], "", "greenroom: stopped; go on with `greenroom resume r1`")


@in_each_way
@pytest.mark.parametrize("arguments", [("serve",), ("review",), ("mcp", "--http")], ids=" ".join)
def test_a_server_ends_with_a_line(
    home: Path, before: Sequence[str], arguments: tuple[str, ...], number: signal.Signals
) -> None:
    with under_way(home, before, *arguments, "--port", "0") as command:
        assert "http://127.0.0.1:" in command.line()
        code, out, said = command.ended_by(number)
    assert (code, out) == (CODES[number], "")
    assert said.startswith("greenroom: stopped")


@in_each_way
def test_a_server_of_mcp_whose_client_is_there_ends(
    home: Path, before: Sequence[str], number: signal.Signals
) -> None:
    with under_way(home, before, "mcp") as command:
        command.type(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
        assert command.line()
        ended = command.ended_by(number)
    assert ended == (CODES[number], "", "greenroom: stopped")


@in_both_ways
@pytest.mark.parametrize("name", ["start", "run", "check", "dossier"])
def test_a_model_that_hangs_keeps_no_command_from_ending_and_nothing_is_left_half_made(
    home: Path, files: Rehearsal, server: MessagesServer, before: Sequence[str], name: str
) -> None:
    by_task = ("focus_brief", "board_dossier", "dossier", "contradictions", "tensions")
    server.by_task = dict.fromkeys(by_task, HANGING)
    greenroom(home, "list")
    options = ("--engine", "claude", *(("--id", "r1") if name in ("start", "run") else ()))
    with under_way(home, before, name, files.deck, *options) as command:
        until("a call that hangs", lambda: any(one.fault == HANGING for one in server.requests))
        code, out, said = command.ended_by(signal.SIGTERM)
    assert (code, out) == (143, "")
    assert said.startswith("greenroom: stopped")
    assert list(home.glob("sessions/*")) == []
    assert list(home.glob("sessions/.new-*")) == []


@in_both_ways
def test_a_model_that_hangs_in_a_run_is_given_up(
    home: Path, files: Rehearsal, server: MessagesServer, before: Sequence[str]
) -> None:
    server.by_task = {"candidate_question": HANGING}
    options = ("--speech", files.speech, "--engine", "claude", "--id", "r1")
    with under_way(home, before, "run", files.deck, *options) as command:
        until("a call that hangs", lambda: any(one.fault == HANGING for one in server.requests))
        code, out, said = command.ended_by(signal.SIGTERM)
    assert (code, out) == (143, "")
    assert said == "greenroom: stopped; go on with `greenroom resume r1`"
    with Session.open(None, home / "sessions" / "r1") as session:
        assert session.projection.segments
        assert session.verify().valid


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
@pytest.mark.parametrize("task", ["candidate_question", "judgement", "debrief"])
def test_a_run_that_ends_while_a_model_is_awaited_is_gone_on_with(
    home: Path, files: Rehearsal, server: MessagesServer, number: signal.Signals, task: str
) -> None:
    server.by_task = {task: HANGING}
    options = ("--speech", files.speech, "--answers", files.answers, "--engine", "claude", "--id", "r1")
    with under_way(home, (), "run", files.deck, *options, "--exchanges", "1") as command:
        until("a call that hangs", lambda: any(one.fault == HANGING for one in server.requests))
        code, _, said = command.ended_by(number)
    if number == signal.SIGTERM:
        assert (code, said) == (143, "greenroom: stopped; go on with `greenroom resume r1`")
    server.by_task = {}
    server.let_go()
    done = greenroom_json(home, "resume", "r1")
    assert (done["state"], done["segments"], done["valid"]) == ("ended", 8, True)
    assert done["took_over"] is None


def test_what_a_start_that_was_killed_has_left_goes_with_the_next_command(
    home: Path, files: Rehearsal, server: MessagesServer
) -> None:
    """And what a living one makes stays."""

    def unfinished() -> list[Path]:
        return list(home.glob("sessions/.new-*"))

    server.by_task = {"tensions": HANGING}
    options = ("start", files.deck, "--engine", "claude", "--id")
    with under_way(home, (), *options, "r1") as killed, under_way(home, (), *options, "r2") as living:
        until("two that hang", lambda: len(unfinished()) == 2 and len(server.requests) == 4)
        killed.ended_by(signal.SIGKILL)
        greenroom(home, "list")
        assert len(unfinished()) == 1
        living.ended_by(signal.SIGTERM)
    assert unfinished() == []


@at_both_signals
def test_a_signal_ends_what_a_shell_has_set_aside(
    home: Path, files: Rehearsal, number: signal.Signals
) -> None:
    """A script's `greenroom run … &` has Ctrl-C ignored, and SIGTERM not."""
    greenroom(home, "start", files.deck, "--id", "r1")
    deaf = ("env", "--ignore-signal=INT")
    with under_way(home, deaf, "serve", "--port", "0") as command:
        command.is_first = False  # `env` becomes the command
        assert "http://127.0.0.1:" in command.line()
        assert command.ended_by(number)[0] == CODES[number]


def test_a_command_under_nohup_outlives_its_terminal(home: Path) -> None:
    with under_way(home, ("env", "--ignore-signal=HUP"), "serve", "--port", "0") as command:
        command.is_first = False  # `env` becomes the command
        assert "http://127.0.0.1:" in command.line()
        os.kill(command.process.pid, signal.SIGHUP)
        assert command.ended_by(signal.SIGTERM)[0] == 143


def test_a_terminal_that_is_closed_at_a_question_ends_the_run_and_keeps_it(
    home: Path, files: Rehearsal
) -> None:
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "run", str(files.deck)]
    command += ["--speech", str(files.speech), "--id", "r1", "--answers", "-"]
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, command, {**os.environ, "TERM": "xterm"})
    shown = b""
    while not shown.endswith(b"> "):
        shown += os.read(terminal, 65_536)
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 129
    with Session.open(None, home / "sessions" / "r1") as session:
        assert session.state == "interrupted"
        question = session.projection.open
        assert question is not None
        assert question.turns[-1].answer is None
