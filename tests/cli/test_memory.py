"""What is remembered, from the command line: read, changed, refused and forgotten by its presenter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from orchestrator.cli.app import build
from orchestrator.core.archive.register import note_archive
from orchestrator.memory.database import NAME, MemoryDatabase
from orchestrator.memory.memories import carried_into
from orchestrator.memory.model import Memory
from orchestrator.memory.notebook import update_scratchpad
from orchestrator.memory.presenter import add_goal, set_consent
from orchestrator.panel.home import Home
from tests.conftest import ROOT
from tests.helpers.commands import Commands
from tests.helpers.memories import INES, NOW, at, keep, write_memory
from tests.helpers.rehearsals import greenroom as in_a_process_of_its_own

KEYS = {"id", "agent", "type", "content", "confidence", "tags", "source", "created_at"}


@pytest.fixture
def kept(home: Path) -> dict[str, Memory]:
    """Ines is remembered by two agents, with a page; Omar by one."""
    with MemoryDatabase.open(home) as db:
        for name in (INES, "Omar"):
            set_consent(db, name, True, NOW)
        found = {
            "churn": keep(db, "Churn is quoted per month.", source="s1/9", tags=("churn",)),
            "cash": keep(db, "Cash lasts to August.", agent="analyst", now=at(1)),
            "omar": keep(db, "Omar reads aloud.", presenter="Omar", now=at(2)),
        }
        update_scratchpad(db, "skeptic", INES, "# Ines\n\nAsk for units.\n", NOW)
    return found


@pytest.fixture
def greenroom(home: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(home, capsys)


def contents(plain: Any) -> list[str]:
    return [one["content"] for one in plain["memories"]]


def test_a_home_without_memories_says_so_and_gets_no_database(home: Path, greenroom: Commands) -> None:
    assert greenroom.json("memory", "list") == {"memories": []}
    assert greenroom.json("goal", "list") == {"goals": []}
    assert greenroom("memory", "list").stdout == "nothing is remembered\n"
    assert greenroom.json("memory", "export") == {"memories": [], "presenters": []}
    assert not (home / NAME).exists()
    refused = greenroom("memory", "off", check=False)
    assert refused.returncode == 2
    assert refused.stderr == (
        "greenroom: no presenter is known here: say who is meant with --presenter NAME\n"
    )


def test_a_real_process_prints_the_same(home: Path, greenroom: Commands, kept: dict[str, Memory]) -> None:
    said = in_a_process_of_its_own(home, "memory", "list", "--json").stdout
    assert said == greenroom("memory", "list", "--json").stdout
    assert len(json.loads(said)["memories"]) == 3


def test_list_and_show(home: Path, greenroom: Commands, kept: dict[str, Memory]) -> None:
    listed = greenroom.json("memory", "list", "--presenter", INES)["memories"]
    assert [one["content"] for one in listed] == ["Cash lasts to August.", "Churn is quoted per month."]
    assert set(listed[0]) >= KEYS
    assert listed[1]["tags"] == ["churn"]
    assert contents(greenroom.json("memory", "list", "--agent", "skeptic")) == [
        "Churn is quoted per month.",
        "Omar reads aloud.",
    ]
    assert contents(greenroom.json("memory", "list", "--presenter", "Nobody")) == []
    one = greenroom.json("memory", "show", kept["churn"].id)
    assert contents(one) == ["Churn is quoted per month."]
    whole = greenroom.json("memory", "show", "--presenter", INES)
    assert whole["consents"] == [{"presenter": INES, "consented": True}]
    assert [page["content"] for page in whole["scratchpads"]] == ["# Ines\n\nAsk for units.\n"]
    assert whole["scratchpads"][0]["characters"] == 23
    line = greenroom("memory", "list", "--presenter", "Omar").stdout
    assert line == f"{kept['omar'].id}  skeptic      lesson     0.80  Omar reads aloud.\n"
    refused = greenroom("memory", "show", "m0", check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        "greenroom: there is no memory 'm0': `greenroom memory list` shows their ids\n",
    )


def test_a_list_is_of_one_type_or_tag_where_one_is_named(
    greenroom: Commands, kept: dict[str, Memory]
) -> None:
    churn = kept["churn"]
    assert contents(greenroom.json("memory", "list", "--tag", "churn")) == [churn.content]
    assert contents(greenroom.json("memory", "list", "--tag", "none")) == []
    alike = {one.content for one in kept.values() if one.type == churn.type}
    assert set(contents(greenroom.json("memory", "list", "--type", churn.type))) == alike
    assert contents(greenroom.json("memory", "list", "--type", "strategy")) == []
    refused = greenroom("memory", "list", "--type", "fact", check=False)
    known = "insight, pattern, strategy, preference, lesson"
    assert (refused.returncode, refused.stderr) == (2, f"greenroom: --type 'fact': use {known}\n")


def test_superseded_and_left_ones_are_listed_when_asked_for(
    home: Path, greenroom: Commands, kept: dict[str, Memory]
) -> None:
    with MemoryDatabase.open(home) as db, db.transaction():
        new = write_memory(
            db,
            agent="analyst",
            presenter=INES,
            type="insight",
            content="Cash lasts to May.",
            confidence=1,
            now=at(3),
            supersedes=kept["cash"].id,
        ).memory
        for n in range(199):
            keep(db, f"More {n}.", agent="analyst", now=at(4))
    with_old = greenroom.json("memory", "list", "--presenter", INES, "--superseded")["memories"]
    assert [one["superseded_by"] for one in with_old if one["id"] == kept["cash"].id] == []  # it left first
    gone = greenroom.json("memory", "list", "--left")["memories"]
    assert [(one["id"], one["superseded_by"], one["left_at"]) for one in gone] == [
        (kept["cash"].id, new.id, at(4))
    ]


def test_edit(home: Path, greenroom: Commands, kept: dict[str, Memory]) -> None:
    changed = greenroom.json(
        "memory", "edit", kept["churn"].id, "--content", "Churn is yearly now.", "--tag", "units"
    )["memories"][0]
    assert (changed["content"], changed["tags"], changed["type"]) == (
        "Churn is yearly now.",
        ["units"],
        "lesson",
    )
    page = greenroom.json(
        "memory", "edit", "--scratchpad", "skeptic", "--presenter", INES, "--content", "New."
    )
    assert page["scratchpads"][0]["content"] == "New."
    for arguments, code, said in (
        (["m1", "--scratchpad", "skeptic"], 2, "name one memory by its ID, or one agent with --scratchpad"),
        ([kept["cash"].id], 2, "say what changes: --content, --type, --confidence or --tag"),
        ([kept["cash"].id, "--confidence", "0.1"], 1, "confidence is 0.1: must be at least 0.4"),
        (
            [kept["cash"].id, "--content", "x" * 201],
            1,
            "content has 201 characters (limit 200): shorten it by 1",
        ),
    ):
        refused = greenroom("memory", "edit", *arguments, check=False)
        assert refused.returncode == code
        assert refused.stderr.startswith(f"greenroom: {said}")
        assert refused.stderr.count("\n") == 1
    assert contents(greenroom.json("memory", "show", kept["cash"].id)) == ["Cash lasts to August."]


def test_forget_says_where_it_still_stands(
    home: Path, greenroom: Commands, kept: dict[str, Memory], tmp_path: Path
) -> None:
    (home / "sessions" / "s2").mkdir(parents=True)
    note_archive(Home.open(home), "s1", "s3://bucket/x", "s3://bucket/x/s1", head="0")
    with MemoryDatabase.open(home) as db:
        carried_into(db.path.parent, "s2", [kept["churn"].id])
    assert greenroom.json("memory", "forget", kept["churn"].id) == {
        "forgotten": [kept["churn"].id],
        "wiped": True,
        "sessions": [str(home / "sessions" / "s2")],
        "archives": ["s3://bucket/x/s1"],
        "scratchpads": [],
    }
    assert contents(greenroom.json("memory", "list", "--presenter", INES)) == ["Cash lasts to August."]
    assert b"per month" not in (home / NAME).read_bytes()
    done = greenroom("memory", "forget", kept["cash"].id)
    assert done.stdout == "forgot 1\n"
    with MemoryDatabase.open(home) as db:
        more = keep(db, "Rates are read out.", source="s1/x1")
        carried_into(db.path.parent, "s2", [more.id])
    still = f"still in the session: {home}/sessions/s2 (`greenroom erase s2` removes it)"
    assert still in greenroom("memory", "forget", more.id).stdout.splitlines()


def test_forget_all_needs_a_name_and_leaves_the_others(
    home: Path, greenroom: Commands, kept: dict[str, Memory]
) -> None:
    for arguments, said in (
        (["--all"], "2 presenters are known here: say who is meant with --presenter NAME"),
        ([], "name the memories by ID, or say --all"),
        ([kept["cash"].id, "--all"], "name the memories by ID, or say --all"),
    ):
        refused = greenroom("memory", "forget", *arguments, check=False)
        assert (refused.returncode, refused.stderr) == (2, f"greenroom: {said}\n")
    only = greenroom.json("memory", "forget", "--all", "--agent", "skeptic", "--presenter", INES)
    assert only["forgotten"] == [kept["churn"].id]
    assert greenroom.json("memory", "forget", "--all", "--presenter", INES)["forgotten"] == [kept["cash"].id]
    assert contents(greenroom.json("memory", "list")) == ["Omar reads aloud."]
    assert INES.encode() not in (home / NAME).read_bytes()


def test_export_holds_everything_of_one_presenter(
    home: Path, greenroom: Commands, kept: dict[str, Memory]
) -> None:
    with MemoryDatabase.open(home) as db:
        add_goal(db, INES, "Name the source of every number.", NOW)
    whole = json.loads(greenroom("memory", "export", "--presenter", INES).stdout)
    assert (whole["presenter"], whole["consented"]) == (INES, True)
    assert contents(whole) == ["Cash lasts to August.", "Churn is quoted per month."]
    assert [page["content"] for page in whole["scratchpads"]] == ["# Ines\n\nAsk for units.\n"]
    assert [goal["text"] for goal in whole["goals"]] == ["Name the source of every number."]
    assert [act["act"] for act in whole["history"]] == [
        "consented",
        "written",
        "written",
        "scratchpad",
        "goal added",
    ]
    assert "Omar" not in json.dumps(whole)


def test_off_and_on(home: Path, greenroom: Commands, kept: dict[str, Memory]) -> None:
    assert greenroom.json("memory", "off", "--presenter", INES) == {
        "presenter": INES,
        "consented": False,
        "kept": 2,
    }
    said = greenroom("memory", "off", "--presenter", INES).stdout
    assert said == (
        "Ines is no longer remembered; 2 memories are kept and not used: "
        "greenroom memory forget --all --presenter Ines removes them\n"
    )
    assert greenroom.json("memory", "on", "--presenter", INES)["consented"] is True


def test_goals(home: Path, greenroom: Commands) -> None:
    added = greenroom.json("goal", "add", "Name the source of every number", "--presenter", INES)["goals"]
    assert [(goal["text"], goal["state"], goal["presenter"]) for goal in added] == [
        ("Name the source of every number", "open", INES)
    ]
    greenroom.json("goal", "add", "Shorter answers")  # the only presenter known here
    done = greenroom.json("goal", "done", added[0]["id"])["goals"]
    assert [goal["state"] for goal in done] == ["done", "open"]
    lines = greenroom("goal", "list", "--presenter", INES).stdout.splitlines()
    assert [line.split(maxsplit=2)[1:] for line in lines] == [
        ["done", "Name the source of every number"],
        ["open", "Shorter answers"],
    ]
    refused = greenroom("goal", "done", "g0", check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        "greenroom: there is no goal 'g0': `greenroom goal list` shows their ids\n",
    )


def test_what_is_kept_of_several_presenters_is_listed_under_their_names(
    home: Path, greenroom: Commands, kept: dict[str, Memory]
) -> None:
    greenroom("goal", "add", "Shorter answers", "--presenter", "Omar")
    lines = greenroom("memory", "list").stdout.splitlines()
    assert [line for line in lines if not line.startswith("  m")] == [f"{INES}:", "Omar:"]
    assert lines[-1].startswith(f"  {kept['omar'].id}")
    assert greenroom("goal", "list").stdout.splitlines()[0] == "Omar:"


def test_one_presenter_has_one_name_however_it_is_spelled(home: Path, greenroom: Commands) -> None:
    greenroom("memory", "on", "--presenter", "Anna Berg")
    with MemoryDatabase.open(home) as db:
        keep(db, "Churn is quoted per month.", presenter="anna  berg")
    greenroom("goal", "add", "Shorter answers", "--presenter", "ANNA BERG")
    assert greenroom.json("memory", "show")["consents"] == [{"presenter": "Anna Berg", "consented": True}]
    (memory,) = greenroom.json("memory", "list", "--presenter", "anna berg")["memories"]
    (goal,) = greenroom.json("goal", "list")["goals"]
    assert memory["presenter"] == goal["presenter"] == "Anna Berg"
    said = greenroom("memory", "off", "--presenter", "anna berg").stdout
    assert said.startswith("Anna Berg is no longer remembered; 1 memory is kept and not used: ")
    assert "memory forget --all --presenter 'Anna Berg' removes it" in said


def test_a_proposed_goal_can_be_refused_and_one_is_done_only_by_its_presenter(
    home: Path, greenroom: Commands, kept: dict[str, Memory]
) -> None:
    with MemoryDatabase.open(home) as db:
        goal = add_goal(db, INES, "Win the board.", NOW, state="proposed", source="s1/3")
    refused = greenroom("goal", "done", goal.id, "--presenter", "Omar", check=False)
    assert (refused.returncode, refused.stderr) == (
        2,
        f"greenroom: {goal.id} is no goal of Omar: `greenroom goal list` shows whose\n",
    )
    assert greenroom("goal", "done", goal.id, "--presenter", "ines").stdout == f"{goal.id}: done\n"
    assert greenroom("goal", "drop", goal.id).stdout == f"{goal.id}: dropped\n"
    assert greenroom.json("goal", "list") == {"goals": []}


def test_forget_names_the_scratchpads_that_still_quote_it_and_how_to_mend_them(
    home: Path, greenroom: Commands, kept: dict[str, Memory]
) -> None:
    with MemoryDatabase.open(home) as db:
        memory = keep(db, 'Left open: "churn fell to 3%"', source="s1/x1")
        update_scratchpad(db, "analyst", INES, "- She says Churn fell to 3%, twice.\n", NOW)
        update_scratchpad(db, "analyst", INES, "Nothing of it here.\n", NOW)  # the earlier page has it
    said = greenroom("memory", "forget", memory.id).stdout
    way = "greenroom memory edit --scratchpad analyst --content - --presenter Ines"
    assert said.splitlines()[1:] == [f"still on analyst's scratchpad (write it anew without: `{way}`)"]
    greenroom("memory", "edit", "--scratchpad", "analyst", "--content", "New.", "--presenter", INES)
    assert b"fell to 3%" not in (home / NAME).read_bytes()


@pytest.mark.parametrize("what", [["ID"], ["--scratchpad", "skeptic", "--presenter", INES]])
def test_an_edit_with_an_address_is_refused_as_the_tools_refuse_it(
    home: Path, greenroom: Commands, kept: dict[str, Memory], what: list[str]
) -> None:
    given = [kept["churn"].id if word == "ID" else word for word in what]
    done = greenroom("memory", "edit", *given, "--content", "Write to ines@example.com", check=False)
    assert done.returncode != 0
    assert "holds an e-mail address, a phone or card number" in done.stderr
    assert b"example.com" not in (home / NAME).read_bytes()


def test_a_page_of_an_agent_that_this_home_has_not_is_refused(
    home: Path, greenroom: Commands, kept: dict[str, Memory]
) -> None:
    given = ["--scratchpad", "nobody", "--presenter", INES, "--content", "x"]
    done = greenroom("memory", "edit", *given, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("greenroom: there is no agent 'nobody' here: this home has moderator, ")


@pytest.mark.parametrize("words", [("memory",), ("memory", "goal")], ids=" ".join)
def test_the_page_of_memory_names_every_command_over_memory_and_goals(words: tuple[str, ...]) -> None:
    page = (ROOT / "orchestrator" / "docs" / "memory.md").read_text("utf-8")
    table = page[page.index("## What you can do about it") :].partition("```")[0]
    one = typer.main.get_command(build())
    for word in words:
        assert isinstance(one, TyperGroup)
        one = one.commands[word]
    assert isinstance(one, TyperGroup)
    assert [name for name in one.commands if f"`{' '.join(words)} {name}" not in table] == []
