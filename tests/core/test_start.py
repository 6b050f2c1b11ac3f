"""A session of any crew begins as its home says: whole, with all that was wrong said in one line."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core import GreenroomError, Home
from tests.core.crews import MEETING, PULL_REQUEST, sessions_of

SEATED = """\
table: incident-room
version: 3
agents: [lead]
seats: {least: 1, most: 3}
files:
  shared/brief.md: {class: write-once, by: [start], blueprint: true}
  <agent>/page.md: {class: overwrite, by: [<agent>], blueprint: true}
order:
  lead: [shared/brief.md]
  <agent>: [templates/<agent>/role.md, shared/brief.md, <agent>/page.md]
"""
BRIEF = "{{ session }} | {{ title }} | {{ date }} | {{ agents | join(', ') }} | {{ service }}\n"


@pytest.fixture
def seated(crew: Path) -> Path:
    """The home of a crew with seats, whose agents have the roles of the code review."""
    (crew / "table.yaml").write_text(SEATED, "utf-8")
    shutil.rmtree(crew / "session-templates")
    for name, text in (("shared/brief.md", BRIEF), ("panelist/page.md", "The page of {{ agent }}.\n")):
        (crew / "session-templates" / name).parent.mkdir(parents=True, exist_ok=True)
        (crew / "session-templates" / name).write_text(text, "utf-8")
    shutil.rmtree(crew / "templates" / "coordinator")
    return crew


def test_blueprints_name_the_session_its_agents_and_fields_of_ones_own(seated: Path) -> None:
    with Home(seated).start(
        "inc-7", title="Down", agents=["tester", "security"], date="2026-11-27", fields={"service": "db"}
    ) as session:
        assert session.read("shared/brief.md") == (
            "inc-7 | Down | 2026-11-27 | lead, tester, security | db\n"
        )
        assert session.read("tester/page.md") == "The page of tester.\n"
        assert session.read("security/page.md") == "The page of security.\n"
        assert session.files == ("shared/brief.md", "tester/page.md", "security/page.md")
        assert (session.id, session.title, session.agents, session.state) == (
            "inc-7", "Down", ("lead", "tester", "security"), "active",
        )  # fmt: skip
        assert session.verify().valid


def test_all_who_have_a_folder_sit_where_nobody_is_named(seated: Path) -> None:
    with Home(seated).start(fields={"service": "db"}) as session:
        assert session.agents == ("lead", "architect", "security", "tester")


def test_what_is_given_takes_the_place_of_a_blueprint(seated: Path) -> None:
    with Home(seated).start(files={"shared/brief.md": "{{ this is no template }}\n"}) as session:
        assert session.read("shared/brief.md") == "{{ this is no template }}\n"


def test_the_table_is_read_anew_at_each_start(crew: Path) -> None:
    home = Home(crew)
    with home.start("one") as session:
        before = session.files
    table = crew / "table.yaml"
    row = "  tester/question.md: "
    added = "  shared/new.md: {class: overwrite, by: [tester]}\n"
    text = table.read_text("utf-8").replace(row, added + row)
    table.write_text(text, "utf-8")
    with home.start("two") as session:
        assert set(session.files) - set(before) == {"shared/new.md"}
    with home.session("one") as session:
        assert session.files == before


UNUSED = {
    "session-templates/shared/agenda.md": "is the blueprint of no session file, and is not used: "
    "add a row with `blueprint: true` for it to table.yaml, or take it away",
    "templates/tester/checklist.md": "is in no agent's order, and nobody is given it: "
    "add it to an order in table.yaml, or take it away",
}


def test_a_file_of_the_home_that_nothing_names_is_said_at_the_start(
    crew: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in UNUSED:
        (crew / name).write_text("# Mine\n", "utf-8")
    told: list[str] = []
    Home(crew).start("one", say=told.append).close()
    assert told == [f"{crew / name}: {why}" for name, why in UNUSED.items()]
    with caplog.at_level(logging.WARNING):
        Home(crew).start("two").close()
    assert caplog.messages == told


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"session_id": "taken"}, "taken: a session with the id taken is already there: choose another id"),
    ({"session_id": "TAKEN"}, "TAKEN: a session with the id taken is already there: choose another id"),
    (
        {"session_id": "../x"},
        (
            "'../x' is no session id: use 1 to 64 letters, digits, hyphens and underscores, "
            "starting with a letter or digit"
        ),
    ),
    ({"session_id": 5}, "session_id is int, not str: give an id, or None"),
    (
        {"agents": ["bob"]},
        (
            "there is no agent 'bob' in {home}/templates: those that can take a seat are "
            "architect, security, tester"
        ),
    ),
    (
        {"agents": []},
        (
            "the table incident-room seats 1 to 3 agents besides its own (lead), not 0: "
            "name them with `agents`"
        ),
    ),
    ({"agents": ["lead"]}, "lead is always there: name only those who take the other seats"),
    ({"agents": ["tester", "tester"]}, "an agent is named twice: tester, tester"),
    ({"agents": "tester"}, "agents is 'tester', not a list of names: give one, as in ['ann', 'bob']"),
    ({"date": "2026-02-30"}, "date is '2026-02-30': write it as YYYY-MM-DD"),
    ({"date": "20261127"}, "date is '20261127': write it as YYYY-MM-DD"),
    ({"title": "x" * 201}, "title has 201 characters; at most 200 are taken: shorten it"),
    ({"fields": {"title": "x"}}, "fields names title, which the start itself gives: use another name"),
    (
        {"fields": {}},
        (
            "{home}/session-templates/shared/brief.md: this blueprint cannot be rendered: "
            "'service' is undefined; the names known here are agents, date, session, title: use one, or "
            "give it in `fields`"
        ),
    ),
    (
        {"files": {"shared/no.md": "x"}},
        ("'shared/no.md' is no file of this session: the names are shared/brief.md, tester/page.md"),
    ),
    (
        {"files": {"tester/page.md": "x"}},
        ("tester/page.md: 'start' may not write this overwrite file; its writers are tester"),
    ),
    (
        {"files": {"shared/brief.md": "a\0"}},
        ("shared/brief.md (write-once): the text holds NUL (position 1): remove it"),
    ),
    ({"files": {"shared/brief.md": 5}}, "shared/brief.md: the text is int, not str: give text"),
    (
        {"files": ["shared/brief.md"]},
        'files is list, not a mapping: give one, such as {"shared/brief.md": "A brief."}',
    ),
]


def test_a_crew_without_seats_takes_no_agents(crew: Path) -> None:
    with pytest.raises(GreenroomError) as raised:
        Home(crew).start("s", agents=["tester", "security"])
    assert str(raised.value) == (
        "the table code-review has no seats, since all its agents are fixed (coordinator, architect, "
        "security, tester): leave `agents` out"
    )
    assert sessions_of(crew) == []


def test_too_few_folders_for_the_seats_are_to_be_written(seated: Path) -> None:
    for name in ("architect", "security", "tester"):
        (seated / "templates" / name / "role.md").unlink()
    with pytest.raises(GreenroomError) as raised:
        Home(seated).start("s")
    assert str(raised.value) == (
        "the table incident-room seats 1 to 3 agents besides its own (lead), not 0: "
        "write templates/NAME/role.md for each"
    )


def test_a_fixed_agent_reads_no_files_of_seats(seated: Path) -> None:
    table = SEATED.replace("lead: [shared/brief.md]", "lead: [shared/brief.md, <agent>/page.md]")
    (seated / "table.yaml").write_text(table, "utf-8")
    with pytest.raises(GreenroomError) as raised:
        Home(seated).start("s")
    assert str(raised.value) == (
        f"{seated}/table.yaml, line 9, order, lead: the order of lead, who is always there, cannot name "
        "files of seats, which differ from session to session: take it out, or make those whose files lead "
        "reads fixed agents too, with a row each in place of <agent>"
    )


@pytest.mark.parametrize(("given", "message"), REFUSED, ids=[str(given)[1:40] for given, _ in REFUSED])
def test_a_start_that_is_refused_says_why_in_one_line_and_leaves_nothing(
    seated: Path, given: dict[str, Any], message: str
) -> None:
    asked: dict[str, Any] = {"agents": ["tester"], "fields": {"service": "db"}}
    Home(seated).start("taken", **asked).close()
    with pytest.raises((GreenroomError, TypeError, ValueError)) as raised:
        Home(seated).start(**{**asked, **given})
    assert str(raised.value) == message.replace("{home}", str(seated))
    assert sessions_of(seated) == ["taken"]


BLUEPRINTS = {
    "{{ 1 / 0 }}": "division by zero",
    "{{ title + 1 }}": 'can only concatenate str (not "int") to str',
    "{% if %}": "Expected an expression, got 'end of statement block'",
    "{{ agent }}": "'agent' is undefined; the names known here are agents, date, session, "
    "title: use one, or give it in `fields`",  # in a folder that is no agent's
    "{% include 'x' %}": "no loader for this environment specified",
    "{{ ''.__class__ }}": "access to attribute '__class__' of 'str' object is unsafe.",
}


@pytest.mark.parametrize("text", BLUEPRINTS)
def test_whatever_a_blueprint_raises_is_told_with_its_name(crew: Path, text: str) -> None:
    blueprint = crew / "session-templates" / MEETING
    blueprint.write_text(text, "utf-8")
    with pytest.raises(GreenroomError) as raised:
        Home(crew).start("s")
    assert str(raised.value) == f"{blueprint}: this blueprint cannot be rendered: {BLUEPRINTS[text]}"
    assert sessions_of(crew) == []


BROKEN: list[tuple[str, Callable[[Path], object], str]] = [
    (
        "table.yaml",
        Path.unlink,
        "",
    ),
    (
        "templates/tester/role.md",
        Path.unlink,
        (
            "this template cannot be read (No such file or directory), and "
            "an order in table.yaml names it: put it there, as UTF-8"
        ),
    ),
    ("templates", shutil.rmtree, ""),
    ("session-templates", shutil.rmtree, ""),
    ("", shutil.rmtree, ""),
]


@pytest.mark.parametrize(("name", "take_away", "message"), BROKEN, ids=[name for name, *_ in BROKEN])
def test_what_a_home_lacks_is_named(
    crew: Path, name: str, take_away: Callable[[Path], object], message: str
) -> None:
    take_away(crew / name)
    with pytest.raises(GreenroomError, match=str(crew)) as raised:
        Home(crew).start("s", {PULL_REQUEST: "+"})
    if message:
        assert str(raised.value) == f"{crew / name}: {message}"
    assert "\n" not in str(raised.value)
    assert sessions_of(crew) == []


def test_a_home_without_a_table_has_the_one_that_greenroom_brings(crew: Path) -> None:
    (crew / "table.yaml").unlink()
    with pytest.raises(GreenroomError) as raised:
        Home(crew).start("s")
    assert str(raised.value).endswith(
        f"; {crew / 'table.yaml'} is not there, so the table that Greenroom brings was used: write the "
        "crew's own, as `greenroom help core` shows it"
    )
    assert sessions_of(crew) == []
    assert Home(crew).table.name == "board-panel"
