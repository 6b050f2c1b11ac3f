"""`greenroom demo`: a panel at work, from recorded replies, as the first thing that anybody sees."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from orchestrator.memory.database import MemoryDatabase
from orchestrator.panel.engines.recorded import FILE, read_recording
from orchestrator.panel.home import Home
from orchestrator.rehearsal.demo.rehearsals import ACTS, PRESENTER
from orchestrator.rehearsal.session import Session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import greenroom

pytestmark = pytest.mark.slow  # six rehearsals

MAX_LINES = 70
MAX_COLUMNS = 100


@dataclass(frozen=True)
class Played:
    home: Path
    shown: str  # what a user sees, stderr and stdout
    plain: dict[str, Any]  # of a second run in the same home


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Played:
    home = new_home(tmp_path_factory.mktemp("demo"))
    shown = greenroom(home, "demo")
    again = greenroom(home, "demo", "--json")
    assert (shown.returncode, again.returncode) == (0, 0), shown.stderr + again.stderr
    return Played(home, shown.stderr + shown.stdout, json.loads(again.stdout))


def exchanges(demo: Played) -> list[dict[str, Any]]:
    return [*demo.plain["exchanges"], *demo.plain["a_week_later"]["exchanges"]]


def test_no_reply_is_stale(demo: Played) -> None:
    """Where one is, a prompt or a persona has changed: `scripts/record_demo --by … ` asks anew for those."""
    recording = read_recording()
    assert demo.plain["recorded"] == {
        "by": recording.by,
        "on": recording.on,
        "replies": len(recording.replies),
        "stale": 0,
    }


def test_it_fits_a_terminal_and_says_first_that_the_replies_are_recorded(demo: Played) -> None:
    lines = demo.shown.splitlines()
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= MAX_COLUMNS
    assert lines[0].startswith("No key, no network: a strong reader gave the panel's replies on ")


def test_each_exchange_is_shown_once_and_three_of_them_word_for_word(demo: Played) -> None:
    shown = " ".join(demo.shown.split())
    acts = zip(ACTS, (demo.plain, demo.plain["a_week_later"]), strict=True)
    in_full = [(one["id"] in act.in_full, one) for act, plain in acts for one in plain["exchanges"]]
    assert sum(is_whole for is_whole, _ in in_full) == 3
    for is_whole, exchange in in_full:
        assert shown.count(exchange["turns"][0]["question"]) == 1
        for turn in exchange["turns"]:
            assert shown.count(turn["answer"]) == is_whole
            assert not is_whole or shown.count(turn["question"]) == 1


def test_the_panel_judges_and_asks_on(demo: Played) -> None:
    verdicts = [turn["verdict"] for one in exchanges(demo) for turn in one["turns"]]
    judged = [verdict for verdict in verdicts if verdict in ("satisfied", "follow_up", "escalate")]
    assert len(judged) >= 5
    assert "follow_up" in verdicts
    assert len(judged) == len(verdicts)


def test_the_churn_that_the_presenter_says_otherwise_is_asked_about(demo: Played) -> None:
    first = demo.plain["exchanges"][0]
    assert first["quote"] == "Churn is about eight percent a year."
    assert "eight" in first["turns"][0]["question"]


def test_every_seat_speaks_and_every_quote_stands_where_it_is_said_to(demo: Played) -> None:
    assert {one["agent"] for one in exchanges(demo)} == {"skeptic", "analyst", "contrarian"}
    deck = (FILE.parent / "deck.md").read_text("utf-8")
    quotes = [one["quote"] for one in demo.plain["exchanges"] if one["quote"] and one["said_at_s"] is None]
    assert quotes
    assert [quote for quote in quotes if quote not in deck] == []


def test_a_week_later_the_panel_remembers(demo: Played) -> None:
    """What the analyst noted after the first rehearsal stands in its context at the second."""
    home, later = Home.open(demo.home), demo.plain["a_week_later"]
    with Session.open(home, later["session"]) as session:
        context = session.context("analyst").text
    assert "27 pay, together about 390,000 in the last financial year" in context
    asked = {one["turns"][0]["question"] for one in demo.plain["exchanges"]}
    assert asked.isdisjoint(one["turns"][0]["question"] for one in later["exchanges"])


def test_its_presenter_is_in_a_memory_of_its_own(demo: Played) -> None:
    home = Home.open(demo.home)
    assert MemoryDatabase.exists(home.demo)
    assert not MemoryDatabase.exists(home.root)


def test_all_four_sessions_are_ended_archived_and_valid(demo: Played) -> None:
    home = Home.open(demo.home)
    for session in home.session_ids():
        verified = greenroom(demo.home, "verify", session, "--json")
        assert json.loads(verified.stdout)["valid"], verified.stdout
        assert (home.archives / session).is_dir()
        shown = (home.sessions / session / "debrief.md").read_text("utf-8")
        assert "Recorded: a strong reader replied to these requests" in shown
        assert PRESENTER in shown
    assert len(home.session_ids()) == 4


def test_the_browser_plays_it_and_marks_it_wherever_it_is_shown(tmp_path: Path) -> None:
    home = Home.open(new_home(tmp_path / "home"))
    site = Site(home, str(home.archives), OpenSessions(home))
    with TestClient(application(site), base_url="http://127.0.0.1") as api:
        made = api.post("/api/v1/demo")
        assert made.status_code == 201
        again = api.post("/api/v1/demo")  # looked at once more, and not played
        assert (again.status_code, again.json()) == (200, made.json())
        first, second = made.json()["sessions"]
        assert made.json() == {"sessions": [first, second], "by": read_recording().by}
        mark = '<span class="tag">recorded</span>'
        assert api.get("/").text.count(mark) == 2
        assert api.get("/review").text.count(mark) == 2
        for page in (f"/debrief/{first}", f"/review/{second}"):
            assert mark in api.get(page).text
        watched = api.get(f"/watch/{first}").text
        assert watched.index("data-shows") < watched.index("asked-answer") < watched.index("See its debrief")
        for page in (f"/watch/{first}", f"/debrief/{first}"):
            assert f'href="/watch/{second}"' in api.get(page).text
        assert f'href="/watch/{second}"' not in api.get(f"/debrief/{second}").text
        home_page = api.get("/").text
        assert "Recorded ones, to look at" in home_page
        assert "Your rehearsals" not in home_page
        assert "UTC" not in home_page
        assert "Recorded: a reader replied" in api.get(f"/review/{first}/questions/x1").text
    site.close()


def test_replies_that_fit_no_more_are_played_all_the_same(demo: Played, tmp_path: Path) -> None:
    """Somebody who has rewritten a persona still sees a panel: what it says is verified as ever."""
    home = tmp_path / "home"
    shutil.copytree(demo.home, home, ignore=shutil.ignore_patterns("sessions", "archives", "demo"))
    persona = home / "templates" / "skeptic" / "persona.md"
    persona.write_text(persona.read_text("utf-8").replace("dry", "warm", 1), "utf-8")
    plain = json.loads(greenroom(home, "demo", "--json").stdout)
    assert plain["recorded"]["stale"] > 0
    assert plain["valid"]
    assert plain["a_week_later"]["valid"]
