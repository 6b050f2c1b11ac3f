"""The briefing: the last six hours of one presenter, as one agent has to know them."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.core.clock import utc_now
from orchestrator.core.errors import UsageError
from orchestrator.core.store.off_record import OffRecord
from orchestrator.memory.briefing import FOLDER_NAME, HEADER, KEPT_S, Lately, _take, briefing, drop_briefings
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.past_sessions import Begun
from orchestrator.memory.presenter import add_goal, complete_goal, move_goal, set_consent
from orchestrator.panel.records.kinds import KINDS
from tests.helpers.rehearsals import ROOT
from tests.helpers.remembered import agree, begun, over, rehearsed
from tests.helpers.scribe_records import Tape


def told(home: Path, agent: str = "skeptic", presenter: str = "Ines", now: str | None = None) -> str:
    with MemoryDatabase.open(home) as db:
        return briefing(db, home, agent=agent, presenter=presenter, now=now or utc_now()).text


def is_cached(home: Path, agent: str = "skeptic", now: str | None = None) -> bool:
    with MemoryDatabase.open(home) as db:
        return briefing(db, home, agent=agent, presenter="Ines", now=now or utc_now()).cached


def later(**more: float) -> str:
    return (datetime.fromisoformat(utc_now()) + timedelta(**more)).isoformat()


def parts_of(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    title = ""
    for line in text.splitlines()[1:]:
        if line.startswith("- "):
            found[title].append(line[2:])
        else:
            title = line
            found[title] = []
    return found


def test_it_tells_events_goals_questions_of_others_and_what_waits(home: Path) -> None:
    agree(home, "Ines")
    session = begun(home, "s1")
    exchange = session.ask()
    assert exchange is not None
    session.answer(None)
    waiting = {
        agent: one.candidate.question
        for agent, one in session.projection.waiting.items()
        if one.status == "ready"
    }
    over(session)
    with MemoryDatabase.open(home) as db:
        goal = add_goal(db, "Ines", "Defend the revenue growth", utc_now())
        move_goal(db, goal.id, "s1/x1", utc_now())
        done = add_goal(db, "Ines", "Speak slowly", utc_now())
        complete_goal(db, done.id, utc_now())
        add_goal(db, "Ines", "Win approval", utc_now(), state="proposed", source="s1/4")
    other = next(agent for agent in waiting if agent != exchange.agent)
    text = told(home, other)
    assert text.splitlines()[0] == HEADER == "═══ CURRENT SITUATION ═══"
    parts = parts_of(text)
    assert list(parts) == ["Last 6 hours:", "Goals:", "Questions of others:", "Your questions still waiting:"]
    (event,) = parts["Last 6 hours:"]
    assert event.endswith("Harbour ferries (s1): began, 1 question (1 no answer), ended")
    assert parts["Goals:"] == [
        'open: "Defend the revenue growth" (moved by s1/x1)',
        'proposed: "Win approval"',
        'done: "Speak slowly"',
    ]
    assert parts["Questions of others:"] == [
        f's1/x1 {exchange.agent}, no answer: "{exchange.quote or exchange.turns[0].question}"'
    ]
    (line,) = parts["Your questions still waiting:"]
    assert line.startswith("s1: ")
    assert waiting[other].startswith(line.removeprefix("s1: ").removesuffix("…"))
    own = parts_of(told(home, exchange.agent))
    assert "Questions of others:" not in own


def test_at_most_five_of_each_and_the_others_are_counted(home: Path) -> None:
    agree(home, "Ines")
    session = begun(home, "s1", exchanges=10)
    for _ in range(7):
        if session.ask() is not None:
            session.answer(None)
    asked = len([one for one in session.projection.exchanges if one.agent != "skeptic"])
    session.close()
    with MemoryDatabase.open(home) as db:
        for number in range(9):
            add_goal(db, "Ines", f"Goal number {number}", utc_now())
    parts = parts_of(told(home, "moderator"))
    assert len(parts["Goals:"]) == 6
    assert parts["Goals:"][-1] == "and 4 more"
    assert parts["Goals:"][0] == 'open: "Goal number 8"'
    assert asked > 3
    assert len(parts["Questions of others:"]) <= 6


def test_what_is_older_than_six_hours_is_told_no_more(home: Path) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    assert "s1" in told(home)
    assert told(home, now=later(hours=5.9))
    assert told(home, now=later(hours=6.1)) == ""


def test_another_presenters_sessions_and_goals_are_never_told(home: Path) -> None:
    agree(home, "Ines", "Otto")
    rehearsed(home, "ines-1")
    with MemoryDatabase.open(home) as db:
        add_goal(db, "Ines", "Defend the growth", utc_now())
    assert told(home, presenter="Otto") == ""


def test_a_session_that_was_not_to_be_remembered_is_not_told(home: Path) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1", remember=False)
    assert told(home) == ""


def test_without_consent_there_is_none_and_none_is_kept(home: Path) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    assert told(home)
    with MemoryDatabase.open(home) as db:
        set_consent(db, "Ines", False, utc_now())
    assert told(home) == ""
    assert list((home / FOLDER_NAME).iterdir()) == []


def test_it_is_kept_five_minutes_for_each_agent(home: Path) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    assert not is_cached(home)
    assert is_cached(home)
    assert not is_cached(home, "analyst")
    assert is_cached(home, now=later(seconds=KEPT_S - 5))
    assert not is_cached(home, now=later(seconds=KEPT_S + 5))


def test_it_is_dropped_when_something_that_it_shows_changes(home: Path) -> None:
    agree(home, "Ines")
    with begun(home, "s1") as session:
        told(home)
        with MemoryDatabase.open(home) as db:
            goal = add_goal(db, "Ines", "Defend the growth", utc_now())
        assert "Defend the growth" in told(home)
        assert is_cached(home)
        with MemoryDatabase.open(home) as db:
            complete_goal(db, goal.id, utc_now())
        assert 'done: "Defend the growth"' in told(home)
        assert is_cached(home)
        session.ask()
        session.answer(None)
        assert "x1" in told(home, "moderator")
        assert not is_cached(home)
    shutil.rmtree(home / "sessions" / "s1")
    assert "s1" not in told(home)


def test_what_is_kept_is_its_owners_alone_names_nobody_and_can_be_dropped(home: Path) -> None:
    agree(home, "Ines", "Otto")
    rehearsed(home, "s1")
    drop_briefings(home)  # those that the session was told at its start
    told(home)
    (kept,) = (home / FOLDER_NAME).iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "ines" not in kept.name.casefold()
    drop_briefings(home, "Otto")
    assert kept.exists()
    drop_briefings(home, "Ines")
    assert not kept.exists()
    drop_briefings(home)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"text": 1}', b"\xff\xfe", b'{"built_at": "x"}'])
def test_a_damaged_one_is_as_good_as_none(home: Path, content: bytes) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    drop_briefings(home)
    before = told(home)
    (kept,) = (home / FOLDER_NAME).iterdir()
    kept.write_bytes(content)
    assert told(home) == before
    assert is_cached(home)


def test_where_nothing_can_be_kept_it_is_made_each_time(home: Path) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    shutil.rmtree(home / FOLDER_NAME)
    (home / FOLDER_NAME).write_text("in the way")
    assert told(home)
    assert not is_cached(home)


def test_a_session_whose_ledger_is_damaged_is_passed_over(home: Path) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    rehearsed(home, "s2")
    ledger = home / "sessions" / "s1" / "ledger" / "ledger.jsonl"
    os.chmod(ledger, 0o644)
    raw = ledger.read_bytes()
    ledger.write_bytes(raw[:5_000] + b"x" + raw[5_001:])
    text = told(home)
    assert "(s2)" in text
    assert "(s1)" not in text


def test_off_the_record_is_off_the_briefing(home: Path) -> None:
    from orchestrator.material.values import Segment

    agree(home, "Ines")
    session = begun(home, "s1")
    session.add_segment(Segment("Between us strictly.", 0.0, 1.0))
    session.add_segment(Segment("Off the record: profit at Nordbank grew 40% in 2026 alone.", 1.0, 9.0))
    for _ in range(4):
        if session.projection.open is not None or session.ask() is not None:
            session.answer(None)
    session.close()
    for agent in ("skeptic", "analyst", "contrarian", "moderator"):
        assert "Nordbank" not in told(home, agent)


PROGRAM = """
import sys
from pathlib import Path
from orchestrator.core.clock import utc_now
from orchestrator.memory.briefing import briefing
from orchestrator.memory.database import MemoryDatabase
home = Path(sys.argv[1])
for number in range(25):
    with MemoryDatabase.open(home) as db:
        text = briefing(db, home, agent="skeptic", presenter="Ines", now=utc_now()).text
        assert text.startswith("═══") and "(s1)" in text, text
        if number % 5 == int(sys.argv[2]):
            from orchestrator.memory.presenter import add_goal
            add_goal(db, "Ines", f"Goal {number} of {sys.argv[2]}", utc_now())
"""


def test_four_processes_ask_at_once_and_each_gets_a_whole_one(home: Path) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    drop_briefings(home)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(home), str(number)],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for one in running:
        _, error = one.communicate(timeout=120)
        assert one.returncode == 0, error
    assert len(parts_of(told(home))["Goals:"]) == 6
    assert [path.suffix for path in (home / FOLDER_NAME).iterdir()] == [""]


# ------------------------------------------------------------------ the commands


def run(home: Path, *arguments: str, json_: bool = True) -> None:
    from orchestrator.cli.app import build
    from orchestrator.cli.screen import Screen

    Screen.current = Screen(home=str(home), json=json_)
    build(arguments[0])(list(arguments), standalone_mode=False)


def test_recap_prints_the_context_of_a_session(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agree(home, "Ines")
    asked = rehearsed(home, "s1").rehearsal.projection.exchanges
    run(home, "recap", "s1")
    plain = json.loads(capsys.readouterr().out)
    assert set(plain) >= {
        "recent_entries",
        "entities",
        "goals",
        "decisions",
        "blockers",
        "summary",
        "turn_count",
    }
    assert plain["turn_count"] > 0
    assert len(plain["open_questions"]) == len(asked) >= 2
    run(home, "recap", "last", json_=False)
    out = capsys.readouterr().out
    assert out.startswith('"Harbour ferries", 3 slides, presented by Ines.')
    assert "Left open:\n- " in out


def test_briefing_prints_what_an_agent_would_be_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agree(home, "Ines")
    rehearsed(home, "s1")
    run(home, "briefing", "skeptic")
    plain = json.loads(capsys.readouterr().out)
    assert plain["text"].startswith(HEADER)
    assert plain["cached"] is False
    assert plain["presenter"] == "Ines"
    run(home, "briefing", "skeptic", "--presenter", "Ines")
    again = json.loads(capsys.readouterr().out)
    assert again == {**plain, "cached": True}
    run(home, "briefing", "skeptic", "--presenter", "Otto", json_=False)
    assert capsys.readouterr().out.startswith("nothing to tell skeptic: Otto is not remembered here")


def test_briefing_says_what_is_wrong(home: Path) -> None:
    with pytest.raises(UsageError, match="there is no agent 'sceptic' here"):
        run(home, "briefing", "sceptic")
    with pytest.raises(UsageError, match="name whose briefing you want with --presenter"):
        run(home, "briefing", "skeptic")
    assert not MemoryDatabase.exists(home)


def test_a_parked_question_that_came_back_is_counted_once() -> None:
    tape = Tape()
    tape.close("x1", "parked", "From which base?", "Revenue grew")
    tape.close("x2", "satisfied", "From which base?", "Revenue grew", comes_back_to="x1")
    told = Lately(Begun("s1", Path("s1"), "", "", "Ines", "Ferries", "deck:ferries"))
    for record in tape.records:
        _take(told, OffRecord(kinds=KINDS), record, is_recent=True)
    assert [(one.exchange, one.outcome) for one in told.asked] == [("x2", "satisfied")]
