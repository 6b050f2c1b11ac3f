"""The whole life of a session of a crew that Greenroom has never heard of, through the command line."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from orchestrator.core import Home
from orchestrator.documents.models.commands import RestoredDocument
from orchestrator.documents.models.sessions import (
    ArchivedDocument,
    ContextMessages,
    ContextReceipt,
    ErasedDocument,
    SessionDocument,
    SessionList,
    StateDocument,
    VerificationDocument,
)
from tests.helpers.commands import Commands
from tests.helpers.crews import AGENTS, DIFF, OTHER_CREW, TABLE, crew_home, file_row, steady
from tests.helpers.described import held


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return crew_home(tmp_path / "crew")


@pytest.fixture
def command(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


@pytest.fixture
def diff(tmp_path: Path) -> Path:
    path = tmp_path / "change.diff"
    path.write_text(DIFF, "utf-8")
    return path


@pytest.fixture
def session(command: Commands, diff: Path) -> str:
    """A review that goes on: one thing said, one question asked from a context, one note."""
    command("session", "start", "pr-42", "--file", f"shared/pull-request.md={diff}", "--title", "PR 42")
    command("session", "append", "pr-42", "shared/meeting.md", "Alice: simpler.", "--by", "minutes")
    receipt = command.json("context", "pr-42", "tester", "--as", "receipt")["receipt"]
    question = ("pr-42", "tester/question.md", "Which test fails?", "--by", "tester")
    command("session", "write", *question, "--receipt", receipt)
    command("session", "note", "pr-42", "review.finding", '{"severity": "high"}', "--by", "coordinator")
    return "pr-42"


def test_a_session_is_started_by_the_homes_own_table(command: Commands, home: Path, diff: Path) -> None:
    given = ("--file", f"shared/pull-request.md={diff}", "--title", "PR 42")
    assert steady(command.json("session", "start", "pr-42", *given)) == {
        "version": 1,
        "session": "pr-42",
        "path": str(home / "sessions" / "pr-42"),
        "state": "active",
        "crew": "code-review",
        "title": "PR 42",
        "agents": AGENTS,
        "files": [
            "shared/pull-request.md",
            "shared/meeting.md",
            "shared/findings.md",
            "architect/question.md",
            "security/question.md",
            "tester/question.md",
        ],
        "record": 3,
        "ledger_head": "…",
    }
    with Home(home).session("pr-42") as session:
        assert session.read("shared/pull-request.md") == DIFF


REFUSED = {
    "session start pr-1 --field repository": (
        2,
        "--field 'repository': give NAME=VALUE, as in repository=greenroom",
    ),
    "session start pr-1 --field a=b --field a=c": (2, "--field names a twice: give each once"),
    "session start pr-1 --field title=b": (
        2,
        "fields names title, which the start itself gives: use another name",
    ),
    "session start pr-1 --file shared/meeting.md={diff}": (
        1,
        "shared/meeting.md: 'start' may not write this append-only file; its writers are minutes",
    ),
    "session start pr-42 --title Again": (
        1,
        "pr-42: a session with the id pr-42 is already there: choose another id",
    ),
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_a_start_that_cannot_be_meant_leaves_nothing(
    command: Commands, home: Path, diff: Path, session: str, arguments: str
) -> None:
    refused = command(*arguments.format(diff=diff).split(), check=False)
    code, message = REFUSED[arguments]
    assert (refused.returncode, refused.stderr) == (code, f"greenroom: {message}\n")
    assert sorted(one.name for one in (home / "sessions").iterdir()) == ["pr-42"]


def test_a_file_comes_from_stdin_as_it_is(
    command: Commands, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"+ x\r\n"), "utf-8"))
    command("session", "start", "pr-42", "--file", "shared/pull-request.md=-")
    with Home(home).session("pr-42") as session:
        assert session.read("shared/pull-request.md") == "+ x\r\n"


def test_it_is_listed_and_found_by_its_words(command: Commands, session: str) -> None:
    row = {
        "session": "pr-42",
        "title": "PR 42",
        "crew": "code-review",
        "state": "active",
        "deck": None,
        "date": None,
        "day": "…",
        "presenter": None,
        "exchanges": 0,
        "archive": None,
    }
    listed = command.json("list")
    assert (steady(listed), held(SessionList, listed)) == ({"sessions": [row]}, [])
    assert steady(command.json("list", "--search", "simpler")) == {"sessions": [row]}
    assert command.json("list", "--search", "nowhere") == {"sessions": []}
    day = listed["sessions"][0]["day"]
    assert command("list").stdout == f"{'pr-42':28} {day}  {'active':12} {'crew':>12}  code-review: PR 42\n"
    command("title", "pr-42", "The totals")
    assert command.json("list")["sessions"][0]["title"] == "The totals"


def test_show_has_files_notes_receipts_and_table(command: Commands, home: Path, session: str) -> None:
    shown = command.json("show", "pr-42")
    meeting = "# Meeting on PR 42\n\nAlice: simpler.\n"
    assert held(SessionDocument, shown) == []
    assert steady(shown) == {
        "session": "pr-42",
        "title": "PR 42",
        "crew": "code-review",
        "state": "active",
        "deck": None,
        "date": None,
        "day": "…",
        "presenter": None,
        "exchanges": [],
        "archive": None,
        "path": str(home / "sessions" / "pr-42"),
        "table": TABLE,
        "agents": AGENTS,
        "tensions": [],
        "said": [],
        "files": [
            file_row("shared/pull-request.md", "write-once", "start", DIFF, 1),
            file_row("shared/meeting.md", "append-only", "minutes", meeting, 0),
            file_row("shared/findings.md", "append-only", "coordinator", "", 0),
            file_row("architect/question.md", "overwrite", "architect", "", 0),
            file_row("security/question.md", "overwrite", "security", "", 0),
            file_row("tester/question.md", "overwrite", "tester", "Which test fails?", 1),
        ],
        "notes": [
            {
                "record": 7,
                "type": "review.finding",
                "by": "coordinator",
                "at": "…",
                "fields": {"severity": "high"},
            }
        ],
        "receipts": [{"receipt": "RECEIPT", "agent": "tester", "purpose": "context", "seq": 4}],
        "took_over": None,
        "warnings": [],
        "usage": None,
        "records": 7,
        "ledger_head": "…",
    }


def test_people_see_the_same(command: Commands, session: str) -> None:
    shown = command.json("show", "pr-42")
    receipt = shown["receipts"][0]["receipt"]
    assert command("show", "pr-42").stdout == (
        "pr-42  active  PR 42\n"
        "Crew code-review, table version 1\n"
        "\n"
        "       80  write-once   shared/pull-request.md  by start\n"
        "       36  append-only  shared/meeting.md       by minutes\n"
        "        0  append-only  shared/findings.md      by coordinator\n"
        "        0  overwrite    architect/question.md   by architect\n"
        "        0  overwrite    security/question.md    by security\n"
        "       17  overwrite    tester/question.md      by tester\n"
        "\n"
        'note    7  review.finding by coordinator: {"severity": "high"}\n'
        "\n"
        f"7 records, 1 receipt; ledger head {shown['ledger_head']}\n"
        f"The last context of tester: greenroom context pr-42 tester --at {receipt}\n"
    )


def test_a_context_is_given_now_and_as_it_was(command: Commands, session: str) -> None:
    receipt = command.json("show", "pr-42")["receipts"][0]["receipt"]
    then = command("context", "pr-42", "tester", "--at", receipt).stdout
    assert then.startswith("^^^ file 1 of 5: templates/tester/role.md (immutable)\n# Tester\n")
    assert ("Alice: simpler." in then, "Which test fails?" in then) == (True, False)
    assert command("context", "pr-42", "tester", "--at", "4").stdout == then
    assert "Which test fails?" in command("context", "pr-42", "tester").stdout
    facts = command.json("context", "pr-42", "tester", "--at", receipt, "--as", "receipt")
    assert (facts["receipt"], facts["bytes"], held(ContextReceipt, facts)) == (
        receipt,
        len(then.encode()),
        [],
    )
    messages = command.json("context", "pr-42", "tester", "--as", "messages", "--layout", "strict")
    assert held(ContextMessages, messages) == []
    wrong = command("context", "pr-42", "architect", "--at", receipt, check=False)
    assert wrong.stderr == f"greenroom: receipt {receipt} is of tester, not of architect\n"
    nobody = command("context", "pr-42", "skeptic", check=False)
    assert (nobody.returncode, nobody.stderr) == (
        2,
        (
            "greenroom: 'skeptic' has no seat in this session: its agents are coordinator; architect; "
            "security; tester\n"
        ),
    )


def test_a_context_is_asked_for_with_task_and_engine(command: Commands, home: Path, session: str) -> None:
    asked = ("--task", "Ask one question.", "--engine", "my-model-1")
    plain = command("context", "pr-42", "tester").stdout
    assert command("session", "context", "pr-42", "tester", *asked).stdout == plain
    with Home(home).session("pr-42") as opened:
        assert [(one.purpose, one.engine) for one in opened.receipts()] == [
            ("context", "own"),
            ("context", "own"),
            ("Ask one question.", "my-model-1"),
        ]
    shown = command.json("show", "pr-42")["receipts"][-1]
    assert (shown["agent"], shown["purpose"]) == ("tester", "Ask one question.")
    refused = command("context", "pr-42", "tester", "--at", shown["receipt"], *asked, check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        (
            "greenroom: --at excludes --task and --engine: what was given then has its receipt, which says "
            "both\n"
        ),
    )


def test_a_session_gets_an_id_day_and_fields_at_its_start(command: Commands, home: Path) -> None:
    (home / "session-templates" / "shared" / "meeting.md").write_text(
        "{{ title }} of {{ repository }}, {{ date }}\n", "utf-8"
    )
    given = ("--field", "repository=greenroom", "--date", "2026-11-27", "--title", "PR 42")
    begun = command.json("session", "start", *given)
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{6}", begun["session"])
    told = command("session", "start", *given).stdout.splitlines()
    later = told[0].partition(" ")[0]
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{6}", later)
    assert told == [
        f"{later} is active, with {', '.join(AGENTS)}: {home / 'sessions' / later}",
        f"Next: greenroom session append {later} PATH TEXT --by WRITER",
    ]
    with Home(home).session(begun["session"]) as opened:
        assert opened.read("shared/meeting.md") == "PR 42 of greenroom, 2026-11-27\n"


@pytest.mark.parametrize(
    "arguments",
    [
        "session feed pr-42 talk.vtt",
        "session slide pr-42 2",
        "session pause pr-42",
        "session ask pr-42",
        "session answer pr-42 Yes.",
        "session done pr-42",
        "session back pr-42",
        "session talk pr-42",
        "session questions pr-42",
        "session park pr-42",
        "session judge pr-42 x1 given",
        "session dismiss pr-42 c1",
        "session correct pr-42 1 Yes.",
        "session intel pr-42",
        "debrief pr-42",
        "show pr-42 --trace",
        "progress pr-42",
        "recap pr-42",
        "summarise pr-42",
    ],
)
def test_what_only_a_rehearsal_has_says_what_this_is_and_what_to_do(
    command: Commands, session: str, arguments: str
) -> None:
    refused = command(*arguments.split(), check=False)
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", f"greenroom: {OTHER_CREW}\n")


HAS_NO_PANEL = "this home is of the crew code-review and has no panel"
CHECKED = f"note: {HAS_NO_PANEL}: its table, templates and blueprints are checked\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            "briefing tester",
            1,
            f"{HAS_NO_PANEL}, so no agent has a briefing: what it is given is its context",
        ),
        (
            "panel add network",
            1,
            f"{HAS_NO_PANEL}, so an agent is added by its templates and the rows of its files in table.yaml",
        ),
        (
            "panel check tester",
            2,
            f"{HAS_NO_PANEL}: leave 'tester' out, and its table, templates and blueprints are checked",
        ),
    ],
)
def test_what_only_a_panel_has_is_refused_in_one_true_line(
    command: Commands, home: Path, arguments: str, code: int, message: str
) -> None:
    refused = command(*arguments.split(), check=False)
    assert (refused.returncode, refused.stdout, refused.stderr) == (code, "", f"greenroom: {message}\n")
    assert not (home / "templates" / "network").exists()


def test_a_crews_home_is_checked_without_a_session(command: Commands, home: Path) -> None:
    done = command("panel", "check")
    assert (done.stdout, done.stderr) == ("valid\n", CHECKED)
    assert command.json("panel", "check") == {"valid": True, "findings": []}
    assert not (home / "sessions").exists()


WRONG = {
    "table.yaml": ("files: [", "is not YAML: "),
    "templates/tester/role.md": (None, "this template cannot be read (No such file or directory), and an "),
    "session-templates/shared": (None, "there is no such blueprint, and shared/meeting.md begins as one"),
    "session-templates/shared/meeting.md": (
        "{% if %}",
        "this blueprint cannot be rendered: Expected an expression, got 'end of statement block'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_a_crews_home_is_found(command: Commands, home: Path, name: str) -> None:
    text, message = WRONG[name]
    if text is None:
        path = home / name
        path.rename(path.with_name(".aside"))
    else:
        (home / name).write_text(text, "utf-8")
    checked = command("panel", "check", check=False)
    assert checked.returncode == 1
    assert len(checked.stdout.splitlines()) == 1
    assert checked.stdout.startswith(str(home / name))
    assert message in checked.stdout


def test_what_a_start_must_give_and_what_nobody_is_given_are_notes(command: Commands, home: Path) -> None:
    meeting = home / "session-templates" / "shared" / "meeting.md"
    meeting.write_text("{{ title }} of {{ service }}\n", "utf-8")
    unused = home / "templates" / "tester" / "list.md"
    unused.write_text("# List\n", "utf-8")
    done = command("panel", "check")
    assert (done.stdout, done.stderr) == (
        "valid\n",
        (
            f"{CHECKED}note: {unused}: is in no agent's order, and nobody is given it: add it to an order in "
            "table.yaml, or take it away\n"
            f"note: {meeting}: names service: give each start these `fields`\n"
        ),
    )


def test_a_list_of_a_home_whose_table_is_broken_says_so(command: Commands, home: Path) -> None:
    assert command("list").stderr == ""
    (home / "table.yaml").write_text("table: code-review\nfiles: {}\n", "utf-8")
    done = command("list")
    assert done.stdout == "no sessions\n"
    assert done.stderr.startswith(f"greenroom: {home / 'table.yaml'}, line 1: lacks `version`")


def test_the_beginning_of_several_ids_says_what_to_do(command: Commands, home: Path) -> None:
    for name in ("inc-1", "inc-2"):
        command("session", "start", name)
    refused = command("show", "inc", check=False)
    assert refused.stderr == (
        "greenroom: 'inc' is the beginning of 2 sessions; the newest are inc-1, inc-2: name one of them, "
        "or `last`\n"
    )


def test_a_live_session_is_proved_and_a_file_of_ones_own_is_no_fault(
    command: Commands, home: Path, session: str
) -> None:
    (home / "sessions" / "pr-42" / "mine.txt").write_text("Mine.\n")
    proof = command.json("verify", "pr-42")
    assert held(VerificationDocument, proof) == []
    assert steady(proof) == {
        "valid": True,
        "findings": [],
        "notes": ["mine.txt: no file of this session; it is left alone"],
        "ended": False,
        "ledger_head": "…",
        "records": 7,
        "table": TABLE,
    }
    view = home / "sessions" / "pr-42" / "shared" / "meeting.md"
    view.chmod(0o600)
    view.write_text("Alice: something else.\n")
    repaired = command.json("resume", "pr-42")
    assert (repaired["state"], len(repaired["repaired"]), held(StateDocument, repaired)) == ("active", 1, [])
    assert view.read_text() == "# Meeting on PR 42\n\nAlice: simpler.\n"


def test_it_ends_is_archived_comes_back_and_goes(
    command: Commands, home: Path, session: str, tmp_path: Path
) -> None:
    ended = command.json("session", "end", "pr-42")
    bag = str(home / "archives" / "pr-42")
    assert ended == {
        "state": "ended",
        "debrief": None,
        "ledger_head": ended["ledger_head"],
        "archive": bag,
        "valid": True,
        "warnings": [],
    }
    assert command.json("session", "end", "pr-42") == ended
    late = command("session", "append", "pr-42", "shared/meeting.md", "x", "--by", "minutes", check=False)
    assert late.returncode == 1

    listed = command.json("list", "--archive", str(home / "archives"))
    assert held(SessionList, listed) == []
    assert listed["sessions"] == [
        {
            "session": "pr-42",
            "state": "ended",
            "deck": None,
            "date": None,
            "presenter": None,
            "exchanges": 0,
            "archive": bag,
            "title": "PR 42",
            "crew": "code-review",
        }
    ]
    assert command("list", "--archive", str(home / "archives")).stdout == (
        f"{'pr-42':28} {'':10}  {'ended':12} {'crew':>12}  code-review: PR 42\n"
    )
    sent = command.json("archive", "pr-42", "--to", str(tmp_path / "elsewhere"))
    assert (sent["archive"], held(ArchivedDocument, sent)) == (str(tmp_path / "elsewhere" / "pr-42"), [])
    back = command.json("restore", "pr-42", "--from", str(tmp_path / "elsewhere"), "--into", str(tmp_path))
    assert (back["path"], held(RestoredDocument, back)) == (str(tmp_path / "pr-42"), [])
    for place in (bag, f"file://{bag}", str(tmp_path / "pr-42")):
        proof = command.json("verify", place, "--head", ended["ledger_head"])
        assert (proof["valid"], proof["ended"], proof["table"]) == (True, True, TABLE)
    here, there = command.json("show", "pr-42"), command.json("show", f"file://{bag}")
    apart = ("archive", "path")
    assert {**here, **dict.fromkeys(apart)} == {**there, **dict.fromkeys(apart)}

    gone = command.json("erase", "pr-42", "--yes", "--archives")
    assert held(ErasedDocument, gone) == []
    places = [str(tmp_path / "elsewhere" / "pr-42"), bag, str(home / "sessions" / "pr-42")]
    assert sorted(gone["removed"]) == sorted(places)
    assert command.json("list") == {"sessions": []}


def test_an_end_goes_where_the_homes_settings_say(command: Commands, home: Path, session: str) -> None:
    (home / "greenroom.yaml").write_text(f"archive: {home / 'kept'}\n", "utf-8")
    assert command.json("session", "end", "pr-42")["archive"] == str(home / "kept" / "pr-42")


def test_an_end_that_cannot_be_archived_says_so_and_goes_on_later(
    command: Commands, home: Path, session: str
) -> None:
    (home / "archives").write_text("in the way\n")
    refused = command("session", "end", "pr-42", check=False)
    assert refused.returncode == 1
    assert refused.stderr.startswith("greenroom: not archived: ")
    assert refused.stderr.endswith("archive it with `greenroom archive pr-42 --to URL`\n")
    assert command.json("show", "pr-42")["state"] == "ended"
    (home / "archives").unlink()
    assert command.json("session", "end", "pr-42")["archive"] == str(home / "archives" / "pr-42")


def test_the_example_of_a_crew_is_seen_from_outside(
    command: Commands, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program wrote with the core alone is served as what the commands wrote."""
    import runpy

    from tests.helpers.crews import EXAMPLE

    head = runpy.run_path(str(EXAMPLE.with_suffix(".py")))["main"](home)
    proof = command.json("verify", "pr-42", "--head", head)
    assert (proof["valid"], proof["ended"]) == (True, True)
    shown = command.json("show", "pr-42")
    assert [(one["agent"], one["purpose"]) for one in shown["receipts"]] == [
        ("architect", "Ask one question."),
        ("security", "Ask one question."),
        ("tester", "Ask one question."),
    ]
    assert json.loads(command("--json", "list").stdout)["sessions"][0]["archive"] == shown["archive"]
