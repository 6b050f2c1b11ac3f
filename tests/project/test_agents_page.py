"""agents/README.md, the page of the context system: its tables and its drawing are those of the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from orchestrator import Home, Session
from scripts.agents_page import PAGE, order_table, read_table, with_tables
from tests.helpers.rehearsals import write_rehearsal

TEXT = PAGE.read_text("utf-8")
TABLE = read_table()
SEATS = ("skeptic", "analyst", "contrarian")


def drawn() -> Iterator[tuple[str, str]]:
    """Each path of the drawn session folder, with the class in its margin."""
    [drawing] = re.findall(r"<!-- a session's folder -->\n```\n(.*?)```", TEXT, re.DOTALL)
    folders: list[str] = []
    for line in drawing.splitlines()[1:]:
        if not line.startswith("    "):
            folders = line.split() if line.endswith("/") else [""]
        if not line.endswith("/"):
            name, kind, _ = line.split(maxsplit=2)
            yield from ((f"{folder}{name}", kind) for folder in folders)


def as_drawn(path: str) -> str:
    """The path of a real session's file as the drawing has it."""
    if path.startswith("ledger/templates/"):
        return "ledger/templates/<agent>/"
    path = re.sub(r"[0-9a-f]{64}", "<sha256>", path)
    return re.sub(r"\d{4}-\d\d-\d\d", "<date>", path)


def test_the_tables_of_the_page_are_made_from_the_table() -> None:
    assert with_tables(TEXT, TABLE) == TEXT, "write them anew: .venv/bin/python -m scripts.agents_page"


def test_a_row_has_the_folder_the_class_the_writers_and_the_limits() -> None:
    table = {
        "files": {"shared/news.md": {"class": "write-few", "by": ["start", "intel"]}},
        "order": {"<agent>": ["templates/<agent>/persona.md", "shared/news.md"]},
    }
    assert order_table(table, "<agent>").splitlines()[2:] == [
        "| 1 | `templates/<agent>/` | `persona.md` | immutable | people, in git | |",
        "| 2 | `sessions/<id>/shared/` | `news.md` | write-few | `start`, `intel` | 16 MiB, 5 revisions |",
    ]


def test_the_drawing_has_each_file_of_the_table_with_its_class() -> None:
    classes = dict(drawn())
    for path, row in TABLE["files"].items():
        for agent in SEATS if path.startswith("<agent>/") else ("",):
            assert classes[path.replace("<agent>", agent)] == row["class"]


def test_the_drawing_is_the_folder_of_a_real_session(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    with Session.start(Home.open(home), files.deck) as session:
        session.append("shared/presenter-transcript.md", "We ask for 1.8 million.", by="transcript")
        session.end()
        there = {path.relative_to(session.path) for path in session.path.rglob("*") if path.is_file()}
    # Facts come with the first that is said in so many words: the page says so.
    optional = {"facts/index.json", "facts/<date>.json"}
    assert {as_drawn(path.as_posix()) for path in there} | optional == {path for path, _ in drawn()}


def test_the_tree_names_every_folder_and_file_that_the_home_brings() -> None:
    tree = TEXT.partition("## The tree")[2].partition("```\n")[2].partition("```")[0]
    for path in sorted([*PAGE.parent.glob("templates/*/*"), *PAGE.parent.glob("session-templates/*/*")]):
        assert f"{path.parent.name}/" in tree
        assert path.name in tree
