"""Progress over rehearsals of one deck: whose verdict it was, and no figure for what nobody judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.core.archive.freeze import thaw
from orchestrator.panel.home import Home
from orchestrator.panel.model.exchange import PersonVerdict
from orchestrator.rehearsal.session import Session
from orchestrator.review.catalogue import Row
from orchestrator.review.progress import answers_of, progress_of
from orchestrator.review.reading import Asked, Entry
from tests.helpers.commands import Commands
from tests.helpers.homes import new_home
from tests.helpers.reviewed import DECK, ended


def run(n: int, *questions: Asked, **more: object) -> Row:
    at = f"2026-11-{n:02}T08:00:00Z"
    entry = Entry(f"s{n}", at, "Ferries", minutes=20, is_ended=True, questions=questions)
    for name, value in more.items():
        object.__setattr__(entry, name, value)
    return Row(n, entry, True, None)


def asked(number: int, outcome: str, verdict: str | None = None, by: str = "") -> Asked:
    turn = 0 if outcome in ("silent", "parked") else 1
    return Asked(f"x{number}", f"Point {number}.", f"point {number}", outcome, turn, verdict, by)


def nobody(session: str) -> list[PersonVerdict]:
    return []


def test_what_nobody_judged_has_no_figure() -> None:
    rows = [run(1, *(asked(n, "unjudged") for n in range(1, 6)), asked(6, "parked"))]
    [found] = progress_of(rows, nobody)
    assert found.sentence == "Nobody has judged the answers yet; 1 still open."
    assert answers_of(found.runs[0]) == "nobody has judged these"
    assert (found.runs[0].answered, found.runs[0].judged, found.runs[0].judges) == (5, 0, ())


def test_a_persons_verdict_counts_before_the_panels_and_it_is_said_whose() -> None:
    first = run(1, asked(1, "unresolved"), asked(2, "satisfied"), asked(3, "unjudged", "not", "Ines"))
    last = run(2, asked(1, "unjudged", "partly", "Ines"), asked(2, "satisfied"), asked(3, "unjudged"))

    def later(session: str) -> list[PersonVerdict]:
        if session == "s1":
            return []
        said = [("x1", "given"), ("x3", "not"), ("x3", None)]
        return [PersonVerdict(x, 1, verdict, "Ola", "2026-11-03T00:00:00Z") for x, verdict in said]

    [found] = progress_of([last, first], later)
    assert [answers_of(one) for one in found.runs] == [
        "1 of 3 judged gave it (the panel: 2, Ines: 1)",
        "2 of 2 judged gave it (Ola: 1, the panel: 1); 1 judged by nobody",
    ]
    assert found.sentence == (
        "Better answered: 2 of 2 judged answers gave what was asked, 1 of 3 when first judged; "
        "1 point closed, 1 still open."
    )
    assert (found.runs[1].closed, found.open) == (("Point 1.",), ("Point 3.",))


def test_few_verdicts_say_nothing_of_all_answers() -> None:
    few = [asked(n, "unjudged") for n in range(2, 7)]
    rows = [run(1, asked(1, "unresolved"), *few), run(2, asked(1, "satisfied"), *few)]
    [found] = progress_of(rows, nobody)
    assert found.sentence.startswith(
        "1 of 1 judged answer gave what was asked, 0 of 1 when first judged; 1 point"
    )
    assert not any(one.is_mostly_judged for one in found.runs)


def test_time_and_pace_stand_beside_the_first_time_and_drills_and_other_decks_stay_apart() -> None:
    rows = [
        run(1, used_s=1210.0, words_per_minute=171),
        run(2, is_drill=True),
        run(3, deck="Piers"),
        run(4, used_s=1100.0, words_per_minute=148),
    ]
    ferries, piers = progress_of(rows, nobody)
    assert [one.entry.session for one in ferries.runs] == ["s1", "s4"]
    assert piers.deck == "Piers"
    assert ferries.sentence.endswith(
        "18:20 of 20:00 used, 20:10 the first time; 148 words a minute, 171 the first time."
    )


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Home]:
    home = Home.open(new_home(tmp_path / "home"))
    ended(home, "first", "unjudged")
    ended(home, "second", "unjudged")
    yield home
    for name in ("first", "second"):
        thaw(home.sessions / name)


def test_the_command_counts_what_was_said_after_the_end(
    made: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = Commands(made.root, capsys)
    commands("judge", "first", "x1", "not", "--by", "Ola")
    commands("judge", "second", "x1", "given")
    told = commands.json("progress")
    assert told["presenter"] == "Ines Kroll"
    [deck] = told["decks"]
    assert [(one["session"], one["gave_it"], one["judged_by"]) for one in deck["runs"]] == [
        ("first", 1, {"Ola": 1, "the panel": 1}),
        ("second", 2, {"Ines Kroll": 1, "the panel": 1}),
    ]
    assert deck["runs"][1]["closed"] == ["Leading by which measure?"]
    assert deck["sentence"].startswith(
        "Better answered: 2 of 2 judged answers gave what was asked, 1 of 2 when first judged; 1 point closed"
    )
    lines = commands("progress", "--presenter", "Ines Kroll").stdout.splitlines()
    assert lines[0] == deck["deck"]
    assert lines[1] == deck["sentence"]
    assert "2 of 2 judged gave it (Ines Kroll: 1, the panel: 1); 1 point closed" in lines[3]
    assert lines[4] == "  closed: Leading by which measure?"
    assert commands("progress", "--presenter", "Nobody").stdout == "Nobody has ended no rehearsal yet\n"


def test_rehearsals_stand_in_the_order_of_their_days_and_demonstrations_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = Home.open(new_home(tmp_path / "home"))
    days: dict[str, str] = {}
    began = [("later", "2025-11-20"), ("earlier", "2025-11-10"), ("undated", None), ("demo", "2025-01-08")]
    for id_, day in began:
        engine = "recorded" if id_ == "demo" else "offline"
        with Session.start(
            home, deck_text=DECK, id=id_, presenter="Ines Kroll", engine=engine, date=day
        ) as session:
            session.end()
            days[id_] = session.debrief().day
    commands = Commands(home.root, capsys)
    rows = commands.json("list")["sessions"]
    assert [(one["session"], one["day"]) for one in rows[:2]] == [
        ("earlier", "2025-11-10"),
        ("later", "2025-11-20"),
    ]
    assert [(one["session"], one["date"], one.get("recorded")) for one in rows[2:]] == [
        ("undated", None, None),
        ("demo", "2025-01-08", True),  # as of when it was played: the day is its story's
    ]
    assert "(Ines Kroll)  recorded" in commands("list").stdout.splitlines()[3]
    assert home.find("last").name == "undated"
    [deck] = commands.json("progress")["decks"]
    told = [(one["session"], one["day"]) for one in deck["runs"]]
    assert told == [(one, days[one]) for one in ("earlier", "later", "undated")]
    [deck] = commands.json("progress", "demo")["decks"]
    assert [one["session"] for one in deck["runs"]] == ["demo"]
    for id_, _ in began:
        thaw(home.sessions / id_)


def test_a_demonstration_is_the_last_where_there_is_nothing_else(tmp_path: Path) -> None:
    home = Home.open(new_home(tmp_path / "home"))
    Session.start(home, deck_text=DECK, id="demo", engine="recorded").close()
    assert home.find("last").name == "demo"


def test_who_asks_for_a_panelist_by_name_hears_who_is_who(
    made: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Commands(made.root, capsys)("context", "first", "priya", check=False)
    assert refused.returncode == 2
    assert (
        "'priya' has no seat in this session: its agents are moderator (Diana Chen, Chair of the panel); "
        in (refused.stderr)
    )
    assert "analyst (Priya Sharma, Non-executive director, data and evidence)" in refused.stderr
