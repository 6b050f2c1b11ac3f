"""--engine claude on the command line: refused at the start or not at all, and what it cost is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.panel.home import Home
from orchestrator.panel.model.usage import total
from orchestrator.rehearsal.session import Session
from tests.helpers.claude_requests import PATIENT
from tests.helpers.messages_server import MessagesServer
from tests.helpers.rehearsals import Rehearsal, contents, greenroom, greenroom_json, write_rehearsal
from tests.helpers.server_faults import Fault

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run


@pytest.fixture
def files(tmp_path: Path) -> Rehearsal:
    return write_rehearsal(tmp_path)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesServer]:
    """A server that the command line finds by the environment."""
    with MessagesServer(models=("claude-sonnet-5-5", "large")) as made:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", made.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", made.key)
        monkeypatch.setenv("GREENROOM_DEADLINES_S", json.dumps(PATIENT))
        yield made


def refused(home: Path, *arguments: str | Path) -> str:
    """The one line that refuses a command; nothing was made in the home."""
    before = sorted(home.rglob("*"))
    done = greenroom(home, *arguments, check=False)
    told = without_waiting(done.stderr)
    assert (done.returncode, done.stdout, told.count("\n")) == (1, "", 1)
    assert sorted(home.rglob("*")) == before
    return told.removeprefix("greenroom: ").removesuffix("\n")


def without_waiting(stderr: str) -> str:
    """What is told, but for what is waited for on a slow machine."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("asking the model: "))


@pytest.mark.parametrize("command", ["run", "start"])
def test_without_a_key_nothing_is_made(home: Path, files: Rehearsal, command: str) -> None:
    assert refused(home, command, files.deck, "--engine", "claude") == (
        "the claude engine needs a key: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own"
    )


def test_a_refused_key_an_unknown_model_or_nobody_there_is_said_at_the_start(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = server.url.removeprefix("http://")
    start = ("run", files.deck, "--engine", "claude")
    monkeypatch.setenv("GREENROOM_MODEL", "nonesuch")
    assert refused(home, *start) == f"{where} does not know the model nonesuch: choose another one"
    monkeypatch.delenv("GREENROOM_MODEL")
    monkeypatch.setenv("GREENROOM_MODELS", "{judgement: nonesuch}")
    assert refused(home, *start) == f"{where} does not know the model nonesuch: choose another one"
    monkeypatch.delenv("GREENROOM_MODELS")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    assert refused(home, *start) == f"{where} refused the key: check ANTHROPIC_API_KEY"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert "cannot be reached" in refused(home, *start)


def test_a_deck_that_cannot_be_read_costs_no_call(home: Path, server: MessagesServer) -> None:
    assert "missing.md" in refused(home, "run", "missing.md", "--engine", "claude")
    assert server.requests == []


def test_a_feed_is_refused_before_anything_is_taken(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    greenroom(home, "start", files.deck, "--id", "s1", "--engine", "claude")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    before = contents(home / "sessions" / "s1")
    done = greenroom(home, "feed", "s1", files.speech, check=False)
    assert (done.returncode, without_waiting(done.stderr).count("\n")) == (1, 1)
    assert "refused the key" in done.stderr
    assert contents(home / "sessions" / "s1") == before


@pytest.mark.slow
def test_a_whole_run_says_what_it_cost_everywhere(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENROOM_MODELS", "{judgement: large}")
    arguments = (
        "--speech",
        files.speech,
        "--answers",
        files.answers,
        "--engine",
        "claude",
        "--exchanges",
        "3",
    )
    done = greenroom(home, "--json", "run", files.deck, *arguments, "--layout", "strict", "--id", "r1")
    assert "note: judgement uses large, which keeps a cache of its own: that adds 0.05 to 0.06" in done.stderr
    usage = json.loads(done.stdout)["usage"]
    with Session.open(Home.open(home), "r1") as session:
        calls, options = session.projection.calls, session.rehearsal.options
    used = total(calls)
    assert (options.engine, options.layout) == ("claude", "strict")
    asked = [taken for taken in server.requests if taken.task]  # the others are the checks at the start
    assert usage["calls"] == len(calls) == len(asked)
    assert [usage[f"{name}_tokens"] for name in ("read", "written", "new", "output")] == [
        used.read, used.written, used.new, used.output
    ]  # fmt: skip
    assert used.input == sum(taken.usage.total for taken in asked if taken.usage is not None)
    assert (usage["engine"], usage["models"]) == ("claude", ["claude-sonnet-5-5", "large"])
    assert usage["cost_usd"] is None  # no price is known for `large`
    assert usage["alarms"] == 0

    shown = greenroom_json(home, "show", "r1")["usage"]
    assert shown == usage
    line = (
        f"{used.calls} calls to claude-sonnet-5-5, large: {used.read:,} tokens read from the cache, "
        f"{used.written:,} written to it, {used.new:,} new, {used.output:,} output; the cost is not known, "
        "since no price is known for large."
    )
    assert line in greenroom(home, "show", "r1").stdout
    for form in ("md", "html"):
        assert line in greenroom(home, "debrief", "r1", "--format", form).stdout
    text = greenroom(home, "debrief", "r1", "--format", "text").stdout
    assert line in " ".join(text.split())
    assert {"engine": "claude", **greenroom_json(home, "debrief", "r1")["usage"]} == usage
    assert greenroom_json(home, "verify", "r1")["valid"]


@pytest.mark.slow
def test_a_budget_that_is_used_up_is_said_and_the_rules_go_on(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREENROOM_SESSION_TOKENS", "40000")
    done = greenroom(
        home,
        "run",
        files.deck,
        "--speech",
        files.speech,
        "--engine",
        "claude",
        "--exchanges",
        "2",
        "--id",
        "r1",
    )
    said = done.stderr.splitlines()
    assert said.count("greenroom: 80% of the session's budget is used up") == 1
    over = "greenroom: the session's budget is used up: from here on the panel works offline"
    assert said.count(over) == 1
    usage = greenroom_json(home, "show", "r1")["usage"]
    assert usage["budget_share"] >= 1
    page = greenroom(home, "debrief", "r1", "--format", "md").stdout
    assert "The session's budget was used up: from then on the panel worked offline." in page
    assert "The engine `claude` asked 1 of 2 questions; the offline panel did the rest." in page
    assert "Asked and judged by the engine" not in page
    assert greenroom_json(home, "verify", "r1")["valid"]


def test_a_process_that_opens_the_session_later_knows_what_was_spent(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    greenroom(home, "start", files.deck, "--id", "s1", "--engine", "claude")
    calls = len(server.requests)
    monkeypatch.setenv("GREENROOM_SESSION_TOKENS", "1000")  # less than the start has used
    greenroom(home, "feed", "s1", files.speech)
    assert greenroom_json(home, "ask", "s1")["question"]
    assert len(server.requests) == calls


def test_an_address_without_http_is_told_so(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    greenroom(home, "start", files.deck, "--id", "s1", "--engine", "claude")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "localhost:1")
    line = "greenroom: ANTHROPIC_BASE_URL must begin with http:// or https://: put it before\n"
    commands: list[list[str | Path]] = [
        ["run", files.deck, "--engine", "claude"],
        ["start", files.deck, "--engine", "claude"],
        ["feed", "s1", files.speech],
    ]
    for command in commands:
        done = greenroom(home, *command, check=False)
        assert (done.returncode, done.stderr) == (2, line)
    assert [one["session"] for one in greenroom_json(home, "list")["sessions"]] == ["s1"]


def test_a_busy_service_does_not_stop_a_start(home: Path, files: Rehearsal, server: MessagesServer) -> None:
    server.faults = {1: Fault("overloaded")}
    assert greenroom_json(home, "start", files.deck, "--engine", "claude")["state"] == "active"


def test_doctor_puts_one_small_question_and_says_what_the_service_can(
    home: Path, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def line() -> tuple[str, str]:
        checks = greenroom_json(home, "doctor")["checks"]
        return next((one["state"], one["detail"]) for one in checks if one["name"] == "engine claude")

    where = server.url.removeprefix("http://")
    state, detail = line()
    assert state == "ok"
    assert detail.startswith(f"claude-sonnet-5-5 at {where}: a small question took ")
    assert [taken.task for taken in server.requests] == ["check", "check_tool"]
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert line() == (
        "missing",
        f"claude-sonnet-5-5 at {where}: {where} refused the key: check ANTHROPIC_API_KEY",
    )
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    asked = len(server.requests)
    assert line() == ("off", "no key is set: ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL")
    assert len(server.requests) == asked


def test_where_no_call_ever_succeeds_the_offline_panel_sits_and_the_exit_says_so(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rehearsal itself is complete: asked, answered, ended, archived."""
    monkeypatch.setenv("GREENROOM_RETRIES", "0")
    server.faults = {1: Fault("slow")}  # by no time at all: the call at the start succeeds
    server.always = Fault("no_json")
    recorded: list[str | Path] = ["--speech", files.speech, "--answers", files.answers, "--engine", "claude"]
    recorded += ["--id", "s1"]
    done = greenroom(home, "--json", "run", files.deck, *recorded, check=False)
    plain = json.loads(done.stdout)
    assert (done.returncode, plain["state"], plain["valid"]) == (1, "ended", True)
    assert plain["exchanges"]
    where = server.url.removeprefix("http://")
    assert plain["took_over"].startswith(f"claude-sonnet-5-5 at {where} gave no usable reply to 3 calls (")
    first, used_up, last = done.stderr.splitlines()
    assert first == f"greenroom: the offline panel takes over: {plain['took_over']}"
    assert used_up.startswith("note: all 5 answers are used")
    assert last == (
        f"greenroom: the offline panel sat in the model's place: {plain['took_over']}; "
        "`greenroom doctor` tries it with one call"
    )
    with Session.open(Home.open(home), "s1") as session:
        assert session.projection.took_over == plain["took_over"]
        assert f"- Offline panel: {plain['took_over']}" in session.read("moderator/session-state.md")
    sat = f"The offline panel sat in the place of the engine claude: {plain['took_over']}."
    assert sat in greenroom(home, "show", "s1").stdout.splitlines()
    page = greenroom(home, "debrief", "s1", "--format", "text").stdout
    billed = f"{plain['usage']['calls']} calls to claude-sonnet-5-5"
    words = " ".join(page.split())
    assert billed in words
    assert "Each reply that came is a call here, also one that could not be used." in words


@pytest.mark.parametrize("fault", ["broken", "no_json"])
def test_a_server_that_never_gives_a_usable_reply_stops_no_run(
    home: Path, files: Rehearsal, server: MessagesServer, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Not even the small question at the start; the screen says so at once."""
    monkeypatch.setenv("GREENROOM_RETRIES", "0")
    server.always = Fault(fault)
    done = greenroom(
        home, "--json", "run", files.deck, "--speech", files.speech, "--engine", "claude", check=False
    )
    plain = json.loads(done.stdout)
    assert (done.returncode, plain["state"], plain["valid"]) == (1, "ended", True)
    assert " gave no usable reply to 3 calls (3 times: " in plain["took_over"]
    told = done.stderr.splitlines()
    assert told[0].startswith("greenroom: the model gave no usable reply at the start (")
    assert told[1] == f"greenroom: the offline panel takes over: {plain['took_over']}"
