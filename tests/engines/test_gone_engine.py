"""A session whose engine is gone can be read, judged by hand, ended and kept; only asking fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.core.errors import EngineError, UsageError
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.commands import Commands
from tests.helpers.steady import DECK, SteadyEngine

GONE = (
    "there is no engine 'steady' here, which this session asks: install what brings it, or open the session "
    "in Python with Session.open(…, engine=…)"
)


@pytest.fixture
def left(home: Path) -> Home:
    """A home with one session of an engine of its program's own, which is closed while an answer waits."""
    made = Home.open(home)
    with Session.start(made, deck_text=DECK, id="mine", presenter="Ines", engine=SteadyEngine()) as session:
        session.ask("skeptic")
        session.answer("Yes, in 2027.")
        session.ask("analyst")
        session.take_answer("It is 40 %.")
    return made


def debrief_says(text: str) -> bool:
    """Whether a debrief says that its counts are the program's, and why the engine gave no words."""
    counts = "Asked and judged by the engine `steady`; times and counts are the program's."
    return f"{counts}\n\nIt gave no words for this page: {GONE}." in text


def test_commands_read_judge_end_archive_and_erase_it(
    left: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = Commands(left.root, capsys)
    shown = command.json("show", "mine")
    assert [(one["id"], one["outcome"]) for one in shown["exchanges"]] == [("x1", "satisfied")]
    assert command.json("verify", "mine")["valid"]
    assert command("context", "mine", "skeptic").stdout
    assert command("recap", "mine").stdout.startswith('"Part 1", 9 slides')
    judged = command.json("judge", "mine", "x1", "partly", "--note", "No sum.")
    assert (judged["exchange"], judged["verdict"], judged["by"]) == ("x1", "partly", "Ines")
    assert command.json("slide", "mine", "2") == {"slide": 2}

    ended = command.json("end", "mine")
    assert (ended["state"], ended["valid"]) == ("ended", True)
    assert debrief_says(Path(ended["debrief"]).read_text("utf-8"))
    asked = command.json("debrief", "mine", "--format", "json")["exchanges"]
    assert [(one["id"], one["outcome"]) for one in asked] == [("x1", "satisfied"), ("x2", "unjudged")]
    assert asked[0]["turns"][0]["person"]["verdict"] == "partly"
    assert command.json("archive", "mine", "--to", str(tmp_path / "elsewhere"))["objects"] > 30
    assert command.json("verify", "mine")["valid"]
    command("erase", "mine", "--yes", "--archives")
    assert command.json("list")["sessions"] == []


def test_a_command_that_asks_says_in_one_line_which_engine_is_gone(
    left: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = Commands(left.root, capsys)
    command("park", "mine")
    talk = tmp_path / "talk.txt"
    talk.write_text("Good morning.\n", "utf-8")
    for arguments in (["feed", "mine", str(talk)], ["summarise", "mine"]):
        refused = command(*arguments, check=False)
        assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", f"greenroom: {GONE}\n")
    news = tmp_path / "news.md"
    news.write_text("Fares rose by 4% in 2026.\n", "utf-8")
    assert (
        command("intel", "mine", str(news)).returncode == 0
    )  # it is taken in, though nobody held it against
    assert command.json("intel", "mine")["failed"] == GONE


def test_an_answer_that_waits_for_the_engine_stays_and_is_not_judged(
    left: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    answered = Commands(left.root, capsys).json("answer", "mine", "")
    assert (answered["verdict"], answered["outcome"]) == ("unjudged", "unjudged")
    assert GONE in answered["reason"]


def test_the_same_over_http(left: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    site = Site(left, str(left.archives), OpenSessions(left))
    with TestClient(application(site), base_url="http://127.0.0.1") as client:
        at = "/api/v1/sessions/mine"
        pages = ("/review/mine", "/room/mine", "/room/mine/presenter", f"{at}/debrief", f"{at}/verify")
        assert {page: client.get(page).status_code for page in (at, *pages)} == dict.fromkeys(
            (at, *pages), 200
        )
        refused = client.post(f"{at}/drive")
        assert (refused.status_code, refused.json()["code"], refused.json()["detail"]) == (
            502,
            "engine",
            GONE,
        )
        judged = client.post(f"{at}/judge", json={"exchange": "x1", "verdict": "partly"})
        assert (judged.status_code, judged.json()["verdict"]) == (200, "partly")
        closed = client.post(f"{at}/verdict", json={"verdict": "satisfied", "reason": "A figure."})
        assert closed.status_code == 200, closed.text
        ended = client.post(f"{at}/end", json={})
        assert ended.status_code == 200, ended.text
        assert ended.json()["state"] == "ended"
        assert debrief_says(client.get(f"{at}/debrief", params={"format": "md"}).text)
        assert client.get(f"{at}/verify").json()["valid"]
        assert client.post(f"{at}/archive", json={"to": str(tmp_path / "elsewhere")}).status_code == 200
        assert client.delete(at).status_code == 200
    site.close()


def test_the_same_in_python_and_who_has_the_engine_goes_on(left: Home) -> None:
    with Session.open(left, "mine") as session:
        with pytest.raises(EngineError) as refused:
            session.check_engine()
        assert str(refused.value) == GONE
        assert session.notices == []
        judged = session.judge("satisfied", reason="a figure", quote="40 %")
        assert judged.outcome == "satisfied"
    with Session.open(left, "mine", engine=SteadyEngine()) as session:
        session.check_engine()
        assert session.ask() is not None
        assert session.answer("Sure, in May.").verdict == "satisfied"
    with Session.open(left, "mine") as session:
        session.end()
        assert (session.state, session.verify().valid) == ("ended", True)
        assert debrief_says((session.path / "debrief.md").read_text("utf-8"))


def test_a_drill_asks_the_engine_that_its_session_was_given(left: Home) -> None:
    with (
        Session.open(left, "mine", engine=SteadyEngine()) as session,
        session.drill("x1") as drill,
    ):
        assert drill.answer("No.").follow_up == "Question x1 again?"
        assert drill.answer("Yes, in 2027.").verdict == "satisfied"
    with Session.open(left, "mine") as session, pytest.raises(UsageError) as refused:
        session.drill("x1")
    assert str(refused.value) == "there is no engine 'steady': use offline, claude, openai or model"


def test_a_service_whose_address_was_taken_out_of_the_settings_is_gone_as_well(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Model(SteadyEngine):
        name = "model"

    with Session.start(Home.open(home), deck_text=DECK, id="mine", engine=Model()) as session:
        session.ask("skeptic")
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    command = Commands(home, capsys)
    assert command.json("end", "mine")["valid"]
    assert "the model engine needs an address: set model_url" in command("debrief", "mine").stdout
