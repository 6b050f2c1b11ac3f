"""What a model is asked is told while it is waited for: people see it, programs do not. In real processes."""

from __future__ import annotations

import os
import pty
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.core.errors import EngineError
from orchestrator.panel.engines.in_flight import Calls
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import ROOT, greenroom, write_rehearsal
from tests.helpers.server_faults import Fault

TOLD = re.compile(
    r"asking moderator: (a first small question|what contradicts what): \d+ s so far(; the last took \d+ s)?"
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesServer]:
    """A service that takes some seconds to read a deck."""
    with MessagesServer(by_task={"tensions": Fault("slow", 4.0)}) as made:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", made.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", made.key)
        yield made


@pytest.mark.slow
def test_a_line_says_what_is_asked_and_for_how_long(
    home: Path, tmp_path: Path, server: MessagesServer
) -> None:
    """In a pipe one line a wait, and none with --json or --quiet."""
    deck = write_rehearsal(tmp_path).deck
    told = greenroom(home, "check", deck, "--engine", "claude").stderr.splitlines()
    asked = [line for line in told if line.startswith("asking ")]
    assert asked
    assert all(map(TOLD.fullmatch, asked))
    for option in ("--json", "--quiet"):
        assert "asking" not in greenroom(home, option, "check", deck, "--engine", "claude").stderr


@pytest.mark.slow
def test_at_a_terminal_the_line_is_written_over_and_gone_before_the_result(
    home: Path, tmp_path: Path, server: MessagesServer
) -> None:
    deck = write_rehearsal(tmp_path).deck
    offline = greenroom(home, "start", deck, "--id", "s1", "--engine", "offline")
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "start", str(deck)]
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, [*command, "--id", "s2", "--engine", "claude"], dict(os.environ))
    shown = b""
    try:
        while chunk := os.read(terminal, 65_536):
            shown += chunk
    except OSError:  # Linux says so where the other end is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    asked, _, after = shown.decode().rpartition("so far")
    assert asked.count("\n") == 0
    assert len(re.findall(r"\rasking moderator: what contradicts what: [2345] s ", asked)) >= 2
    cleared = after.rpartition("\r ")[2].replace("\r\n", "\n").lstrip(" \r")
    assert cleared.startswith("s2 is active: ")
    assert offline.stdout.startswith("s1 is active: ")


def test_calls_say_what_is_waited_for() -> None:
    calls = Calls()
    assert calls.line() is None
    with calls.under_way("skeptic", "focus_brief"), calls.under_way("analyst", "focus_brief"):
        assert calls.line() == "asking skeptic: what to go after, and 1 more: 0 s so far"
        assert calls.line(after_s=60) is None
    with calls.under_way("moderator", "debrief"):
        assert str(calls.line()).startswith("asking moderator: what to take home: 0 s so far; the last took ")
    assert calls.line() is None


def test_a_call_that_is_given_up_has_neither_answered_nor_failed() -> None:
    calls = Calls()
    with pytest.raises(KeyboardInterrupt), calls.under_way("skeptic", "focus_brief"):
        raise KeyboardInterrupt
    assert (calls.has_ever_answered, calls.failed_in_a_row, calls.line()) == (False, 0, None)


def test_the_reasons_of_failed_calls_are_counted_the_most_frequent_first() -> None:
    calls = Calls()
    for why in ("a", "b", "here c", "b", "d", "e", "here c", "b"):
        with pytest.raises(EngineError), calls.under_way("skeptic", "focus_brief"):
            raise EngineError(why)
    assert calls.failures("here") == "8 calls (3 times: b; 2 times: c; once: a; 2 times: for other reasons)"
