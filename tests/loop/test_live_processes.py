"""Live at the terminal: one process feeds speech, others ask and answer, and the candidate files change."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import PATIENT
from tests.helpers.live_feeds import quicken, until
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import ROOT, greenroom, greenroom_json, write_rehearsal
from tests.helpers.server_faults import Fault

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

CANDIDATE = "analyst/candidate-question.md"


@contextmanager
def feeding(home: Path, session: str) -> Iterator[subprocess.Popen[str]]:
    """`greenroom feed SESSION -` in a process of its own."""
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), "feed", session, "-"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def say(process: subprocess.Popen[str], text: str, slide: int | None = None) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"text": text, **({"slide": slide} if slide else {})}) + "\n")
    process.stdin.flush()


def is_heard(root: Path, words: str) -> bool:
    """Whether they are in the transcript."""
    return words in read(root / "shared" / "presenter-transcript.md")


def refreshes(root: Path) -> int:
    """How often the panel has looked at its questions."""
    return (root / "ledger" / "ledger.jsonl").read_bytes().count(b'"type":"refresh"')


def is_refreshed(root: Path, times: int) -> bool:
    """Whether it has done so this often."""
    return refreshes(root) >= times


def read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesServer]:
    """A service that the commands find by their environment."""
    with MessagesServer() as made:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", made.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", made.key)
        monkeypatch.setenv("GREENROOM_DEADLINES_S", json.dumps(PATIENT))
        yield made


@pytest.mark.slow
def test_speech_from_one_process_questions_and_answers_from_others(
    home: Path, tmp_path: Path, server: MessagesServer
) -> None:
    quicken(home, answer_pause=60)
    begun = greenroom_json(
        home, "start", write_rehearsal(tmp_path).deck, "--engine", "claude", "--id", "live"
    )
    root = Path(begun["path"])
    with feeding(home, "live") as feed:
        say(feed, "Revenue grew eighteen percent to 4.2 million euros in 2026.", slide=1)
        until("a question", lambda: "Status: ready" in read(root / CANDIDATE))
        said = 2
        say(feed, "We are the leading ferry operator on the estuary.")
        until("the transcript", partial(is_heard, root, "ferry operator on the estuary."))
        rounds = refreshes(root)
        until("two refreshes", partial(is_refreshed, root, rounds + 2))
        assert "Status: ready" in read(root / CANDIDATE)  # another question, or the same one kept
        greenroom(home, "slide", "live", "2")
        until("the slide", lambda: "Slide 2" in read(root / "shared" / "presenter-transcript.md"))
        asked = greenroom_json(home, "ask", "live", "--agent", "analyst")
        assert "Status: empty" in read(root / CANDIDATE)
        assert asked["quote"] in asked["question"]
        given = greenroom_json(home, "answer", "live", "It is audited, EUR 4.2M for 2026.")
        assert (given["verdict"], given["outcome"]) == ("satisfied", "satisfied")
        say(feed, "Now the pilot: three routes with electric boats.")
        until("a new question", lambda: "Status: ready" in read(root / CANDIDATE))
        assert feed.stdin is not None
        feed.stdin.close()
        feed.stdin = None
        out, err = feed.communicate(timeout=300)
    assert (feed.returncode, f"{said + 2} segments" in out) == (0, True), (out, err)  # one is the answer
    assert greenroom_json(home, "end", "live")["state"] == "ended"
    assert greenroom_json(home, "verify", "live")["valid"] is True


@pytest.mark.slow
def test_ctrl_c_ends_a_feed_whose_model_hangs(home: Path, tmp_path: Path, server: MessagesServer) -> None:
    quicken(home)
    begun = greenroom_json(
        home, "start", write_rehearsal(tmp_path).deck, "--engine", "claude", "--id", "live"
    )
    server.by_task = {"candidate_question": Fault("hang")}
    with feeding(home, "live") as feed:
        say(feed, "Revenue grew eighteen percent.", slide=1)
        until("calls", lambda: sum(one.task == "candidate_question" for one in server.requests) >= 3)
        feed.send_signal(signal.SIGINT)
        out, err = feed.communicate(timeout=300)
    assert "Traceback" not in err
    assert feed.returncode is not None
    assert feed.returncode >= 0, (out, err)
    with Session.open(None, Path(begun["path"])) as session:
        assert [one.text for one in session.projection.segments] == ["Revenue grew eighteen percent."]
        assert session.verify().valid


@pytest.mark.slow
def test_a_feed_that_is_killed_is_taken_up_by_the_next(
    home: Path, tmp_path: Path, server: MessagesServer
) -> None:
    quicken(home, refresh=600)
    begun = greenroom_json(
        home, "start", write_rehearsal(tmp_path).deck, "--engine", "claude", "--id", "live"
    )
    server.by_task = {"candidate_question": Fault("hang")}
    with feeding(home, "live") as feed:
        say(feed, "Revenue grew eighteen percent.", slide=1)
        until("calls", lambda: sum(one.task == "candidate_question" for one in server.requests) >= 3)
        os.kill(feed.pid, signal.SIGKILL)
        feed.wait()
    server.by_task = {}
    root = Path(begun["path"])
    assert greenroom_json(home, "resume", "live")["state"] == "active"
    with feeding(home, "live") as feed:
        say(feed, "We are the leading operator.", slide=2)
        until("a question", lambda: "Status: ready" in read(root / CANDIDATE))
        assert feed.stdin is not None
        feed.stdin.close()
        feed.stdin = None
        feed.communicate(timeout=300)
    with Session.open(None, root) as session:
        assert len(session.projection.segments) == 2
        assert session.verify().valid
