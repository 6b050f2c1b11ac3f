"""The table of files: read with its lines, given back as it was read, and checked wherever it comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator import Home, Session
from orchestrator.core.errors import ConfigurationError, HomeError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.home.table_file import read_table_file
from orchestrator.core.home.unnamed import unnamed_files
from orchestrator.core.store.application import Opening, table_of
from orchestrator.core.table import (
    AGENT,
    MAX_FILE_BYTES,
    MIB,
    Mutability,
    SessionFile,
    Table,
)
from orchestrator.panel.application import BOARD, table_of_version_1
from orchestrator.panel.records.setup import COMPANIONS, NEEDS, lacking
from tests.helpers.homes import ROOT

TABLE = """\
table: crew
version: 3
agents: [lead]
seats: {least: 1, most: 9}
files:
  shared/talk.md:    {class: append-only, by: [minutes], stream: true, withheld: true}
  shared/log.md:     {class: append-only, by: [lead, <agent>], marks: true, max: 1 KiB}
  shared/news.md:    {class: write-few, by: start, revisions: 7}
  <agent>/notes.md:  {class: overwrite, by: [<agent>], blueprint: true, max: 512}
order:
  <agent>:
    - templates/<agent>/persona.md
    - shared/talk.md
    - <agent>/notes.md
  lead: [shared/talk.md, shared/log.md]
"""


def read(folder: Path, text: str) -> Table:
    path = folder / "table.yaml"
    path.write_text(text, "utf-8")
    return read_table_file(path)


def again(table: Table) -> Table:
    """The table as a ledger gives it back."""
    return Table.read(json.loads(json.dumps(table.plain())), ", ".join)


def test_a_table_is_read_whole_and_seated(tmp_path: Path) -> None:
    table = read(tmp_path, TABLE)
    assert (table.name, table.version, table.agents, table.min_seats, table.max_seats) == (
        "crew", 3, ("lead",), 1, 9,
    )  # fmt: skip
    assert table.files["shared/news.md"] == SessionFile(
        "shared/news.md", Mutability.WRITE_FEW, ("start",), 16 * MIB, max_revisions=7
    )
    layout = table.seated(["ann", "bob"])
    assert layout.agents == ("lead", "ann", "bob")
    assert layout.files["shared/log.md"].writers == ("lead", "ann", "bob")
    assert layout.files["bob/notes.md"] == SessionFile(
        "bob/notes.md", Mutability.OVERWRITE, ("bob",), 512, has_blueprint=True
    )
    assert layout.order("bob") == ("templates/bob/persona.md", "shared/talk.md", "bob/notes.md")
    assert (layout.streams, layout.marks, layout.withheld) == (
        ("shared/talk.md",), ("shared/log.md",), ("shared/talk.md",),
    )  # fmt: skip
    assert layout.templates == ("templates/ann/persona.md", "templates/bob/persona.md")


def test_defaults_are_those_of_the_design(tmp_path: Path) -> None:
    few = read(tmp_path, TABLE.replace(", revisions: 7", "")).files["shared/news.md"]
    assert (few.max_revisions, few.max_bytes, few.has_blueprint) == (5, 16 * MIB, False)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("version: 3", "version: three", 2, "write a whole number from 1 to 1000000"),
        ("version: 3", "version: true", 2, "write a whole number"),
        ("version: 3\n", "", 1, "lacks `version`"),
        ("table: crew", "table: [crew]", 1, "must be a name"),
        ("agents: [lead]", "agents: [shared]", 3, "cannot name an agent"),
        ("agents: [lead]", "agents: [lead, lead]", 3, "stands here a second time"),
        ("least: 1", "least: 10", 4, "from 10 to 64"),
        ("{least: 1, most: 9}", "{lest: 1, most: 9}", 4, "did you mean least?"),
        ("class: write-few", "class: write-fw", 8, "did you mean write-few?"),
        ("class: write-few", "class: immutable", 8, "what never changes is a template"),
        ("by: start", "by: []", 8, "names no writer"),
        ("by: start", "by: [Start]", 8, "is no writer"),
        ("by: start", "by: 7", 8, "must be a list of texts"),
        ("class: write-few, ", "", 8, "lacks `class`"),
        ("revisions: 7", "revisions: 0", 8, "from 1 to 1000"),
        ("revisions: 7", "revision: 7", 8, "did you mean revisions?"),
        ("max: 1 KiB", "max: 1 GiB", 7, "write a size up to 512 MiB, as in 16 MiB"),
        ("max: 512}", "max: 0}", 9, "write a size"),
        ("max: 512}", "revisions: 2}", 9, "only a write-few file has revisions"),
        ("blueprint: true", "blueprint: maybe", 9, "write true or false"),
        ("max: 512}", "stream: true}", 9, "only an append-only file of all agents can be `stream`"),
        ("marks: true", "marks: true, stream: true", 7, "`stream` is true of shared/talk.md already"),
        ("shared/news.md", "shared/../news.md", 8, "is no path of a session file"),
        ("shared/news.md", "/shared/news.md", 8, "is no path of a session file"),
        ("shared/news.md", "Shared/news.md", 8, "is no path of a session file"),
        ("shared/news.md", '"shared/n\\u0007.md"', 8, "is no path of a session file"),
        ("shared/news.md", "news.md", 8, "is no path of a session file"),
        ("shared/news.md", "a/b/news.md", 8, "is no path of a session file"),
        ("shared/news.md", "ledger/news.md", 8, "the program's own folder"),
        ("shared/news.md", f"shared/{'n' * 122}", 8, "is longer than 128 characters"),
        ("<agent>/notes.md: ", f"<agent>/{'n' * 96}: ", 9, "is longer than 128 characters"),
        ("shared/news.md", "shared/talk.md", 8, "stands here a second time"),
        ("    - <agent>/notes.md", "    - <agent>/note.md", 14, "did you mean <agent>/notes.md?"),
        ("    - <agent>/notes.md", "    - shared/talk.md", 14, "stands here a second time"),
        ("    - <agent>/notes.md", "    - templates/../x.md", 14, "neither a row of `files` nor a path"),
        ("  lead: [shared/talk.md", "  lead: [<agent>/notes.md", 15, "cannot name files of seats"),
        ("  lead: [", "  led: [", 15, "did you mean lead?"),
        ("  lead: [shared/talk.md, shared/log.md]", "", 10, "lacks the order of lead"),
        ("  lead: [shared/talk.md, shared/log.md]", "  lead: []", 15, "names no file"),
        ("order:", "ordre:", 10, "did you mean order?"),
        ("agents: [lead]", "agents: [", 5, "is not YAML"),
        ("agents: [lead]", "agents: &a [lead]\nx: *a", 4, "has an alias"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    assert old in TABLE
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, TABLE.replace(old, new, 1))
    assert str(caught.value).startswith(f"{tmp_path}/table.yaml, line {line}"), caught.value
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).isprintable()


_WORD = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True).map(lambda word: f"w{word}")


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A table that can be meant, as text in YAML, which JSON is too."""
    agents = draw(st.lists(_WORD, min_size=1, max_size=3, unique=True))
    folders = st.sampled_from(["shared", AGENT, *agents])
    paths = draw(st.lists(st.tuples(folders, _WORD).map("/".join), min_size=1, max_size=8, unique=True))
    rows: dict[str, dict[str, Any]] = {}
    for path in paths:
        kind = draw(st.sampled_from(["write-once", "write-few", "append-only", "overwrite"]))
        row: dict[str, Any] = {
            "class": kind,
            "by": draw(st.lists(_WORD, min_size=1, max_size=3, unique=True)),
        }
        if draw(st.booleans()):
            row["max"] = draw(st.one_of(st.integers(1, MAX_FILE_BYTES), st.just("3 KiB"), st.just("64 MiB")))
        if kind == "write-few" and draw(st.booleans()):
            row["revisions"] = draw(st.integers(1, 1000))
        if kind == "append-only" and not path.startswith(AGENT):
            row["withheld"] = draw(st.booleans())
        row["blueprint"] = draw(st.booleans())
        rows[path] = row
    common = [path for path in paths if not path.startswith(AGENT)]
    order: dict[str, list[str]] = {}
    for agent in (AGENT, *agents):
        known = draw(st.permutations(paths if agent == AGENT else common))
        order[agent] = [f"templates/{agent}/persona.md", *known]
    least = draw(st.integers(0, 5))
    seats = {"least": least, "most": draw(st.integers(max(least, 1), 64))}
    plain = {"table": draw(_WORD), "version": draw(st.integers(1, 9)), "agents": agents, "seats": seats}
    return json.dumps({**plain, "files": rows, "order": order})


@given(tables())
def test_a_table_gives_itself_back(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    table = read(tmp_path_factory.mktemp("table"), text)
    assert again(table) == table
    assert again(table).sha256 == table.sha256
    assert list(again(table).files) == list(table.files)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
_PLAIN = packaged_table().plain()
_PLACES = [(key,) for key in _PLAIN] + [
    (key, inner, *more)
    for key in ("files", "order")
    for inner, value in _PLAIN[key].items()
    for more in [(), *((one,) for one in value if isinstance(value, dict))]
]


@given(st.sampled_from(_PLACES), _JSON)
def test_whatever_a_ledger_holds_is_a_table_or_is_refused(place: tuple[str, ...], odd: Any) -> None:
    plain = json.loads(json.dumps(_PLAIN))
    inner = plain
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = odd
    refused, table = "", None
    try:
        table = table_of(Opening.read({"ledger_version": 2, "table": plain}), BOARD)
    except ConfigurationError as error:
        refused = str(error)
    if table is None:
        assert refused.startswith("the table in the first record")
        assert refused.isprintable()
    else:
        assert again(table) == table


def test_the_packaged_table_has_what_the_panel_needs_and_the_rows_of_release_0_1_0() -> None:
    table, first = packaged_table(), table_of_version_1()
    assert table == read_table_file(ROOT / "agents" / "table.yaml")
    assert list(lacking(table)) == list(lacking(first)) == []
    assert (first.name, first.version) == ("board-panel", 1)
    # The proof that they still are those of 0.1.0 is its kept archive (tests/verify/test_kept_archives.py).
    assert (first.files, first.orders, first.agents) == (table.files, table.orders, table.agents)


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need.path)
def test_a_table_that_lacks_a_file_of_the_panel_is_refused_by_name(home: Path, need: Any) -> None:
    lines = (ROOT / "agents" / "table.yaml").read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if need.path not in line]
    (home / "table.yaml").write_text("".join(kept), "utf-8")
    with pytest.raises(ConfigurationError, match=f"{need.path} has no row"):
        Session.start(Home.open(home), deck_text="# Plan\n")
    assert not (home / "sessions").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{class: overwrite,   by: [<agent>]", "{class: append-only, by: [<agent>]", "needs it overwrite"),
        ("by: [start, intel]", "by: [intel]", "shared/external-intel.md is not written by start"),
        (", withheld: true", "", "shared/presenter-transcript.md is not `withheld: true`"),
        ("agents: [moderator]", "agents: [moderator, chair]", "the panel has the moderator alone"),
        ("least: 2", "least: 0", "let `least` be 1 or more"),
        ("    - templates/moderator/phrase-library.md\n", "", "lacks templates/moderator/phrase-library.md"),
    ],
)
def test_a_class_a_writer_or_a_companion_that_the_panel_needs(
    home: Path, old: str, new: str, words: str
) -> None:
    text = (ROOT / "agents" / "table.yaml").read_text("utf-8")
    assert old in text
    text = text.replace(old, new)
    if "chair" in new:
        text += "  chair: [shared/deck-content.md]\n"
    table = read(home, text)
    assert [one for one in lacking(table) if words in one]
    with pytest.raises(ConfigurationError, match="lacks what the board panel needs"):
        Session.start(Home.open(home), deck_text="# Plan\n")


def test_companions_of_the_panel_are_those_that_it_reads_as_data() -> None:
    assert {agent: packaged_table().companions(agent) for agent in COMPANIONS} == COMPANIONS


def test_files_that_nothing_names_are_said_at_the_start(home: Path) -> None:
    for path in ("session-templates/shared/extra.md", "session-templates/skeptic/diary.md",
                 "templates/skeptic/voice.md", "templates/house/rules.md"):  # fmt: skip
        (home / path).parent.mkdir(exist_ok=True)
        (home / path).write_text("# Extra\n", "utf-8")
    (home / "templates" / "skeptic" / ".DS_Store").write_bytes(b"x")
    with Session.start(Home.open(home), deck_text="# Plan\n") as session:
        said = [line for line in session.notices if "extra.md" in line or "add it to an order" in line]
        said += [line for line in session.notices if "diary.md" in line]
    assert [Path(line.partition(": ")[0]).relative_to(home).as_posix() for line in said] == [
        "session-templates/shared/extra.md",
        "templates/house/rules.md",
        "templates/skeptic/voice.md",
        "session-templates/skeptic/diary.md",
    ]


def test_rules_of_an_earlier_release_are_said_to_decide_nothing(home: Path) -> None:
    rules = home / "templates" / "moderator" / "orchestration.md"
    rules.write_text(rules.read_text("utf-8").replace("---\n", "---\nstates: [presenting]\n", 1), "utf-8")
    with Session.start(Home.open(home), deck_text="# Plan\n") as session:
        said = [line for line in session.notices if "decides nothing" in line]
    assert said == ["templates/moderator/orchestration.md, line 2: `states` decides nothing: take it out"]


def test_the_packaged_home_has_no_file_that_nothing_names(home: Path) -> None:
    opened = Home.open(home)
    assert list(unnamed_files(opened, opened.layout(("skeptic", "analyst")))) == []


def test_a_blueprint_that_is_missing_is_refused_by_name(home: Path) -> None:
    (home / "session-templates" / "moderator" / "debrief-notes.md").unlink()
    with pytest.raises(HomeError, match=r"debrief-notes\.md: there is no such blueprint"):
        Session.start(Home.open(home), deck_text="# Plan\n")


@pytest.mark.parametrize("content", [b"", b"\xff", b"- a\n", b"{" * 200])
def test_a_file_that_is_no_table_is_refused(home: Path, content: bytes) -> None:
    (home / "table.yaml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"table\.yaml"):
        Session.start(Home.open(home), deck_text="# Plan\n")
