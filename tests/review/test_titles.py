"""Titles of a person's own: beside the session, one line, gone with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.core.errors import UsageError
from orchestrator.panel.home import Home
from orchestrator.review.titles import MAX_CHARS, Titles, titles_of
from tests.helpers.commands import Commands
from tests.helpers.homes import new_home
from tests.helpers.reviewed import begun


def test_a_title_is_one_line_that_anybody_can_see(tmp_path: Path) -> None:
    titles = Titles(tmp_path)
    assert titles.of("s1") == ""
    assert titles.give("s1", " For\nthe \u202eboard\u0007 ") == "For the board"
    assert titles.of("s1") == "For the board"
    with pytest.raises(UsageError, match=r"10,000 characters; at most 120 are taken"):
        titles.give("s1", "x" * 10_000)
    assert titles.of("s1") == "For the board"
    assert titles.give("s1", "\u202e ") == titles.of("s1") == ""
    assert titles.give("never-named", "") == ""
    assert [one.name for one in tmp_path.iterdir()] == ["s1"]


@pytest.mark.parametrize(
    "content", [b"\xff", b"[]", b'{"version": 2, "title": "x"}', b'{"version": 1}', b"{}"]
)
def test_a_file_that_is_none_of_ours_names_nothing(tmp_path: Path, content: bytes) -> None:
    titles = Titles(tmp_path)
    titles.give("s1", "Mine")
    (tmp_path / "s1" / "title.json").write_bytes(content)
    assert titles.of("s1") == ""
    assert titles.give("s1", "é" * MAX_CHARS) == titles.of("s1") == "é" * MAX_CHARS


def test_a_title_is_listed_and_goes_with_its_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = Home.open(new_home(tmp_path / "home"))
    begun(home, "s1").close()
    greenroom = Commands(home.root, capsys)
    before = (home.sessions / "s1" / "ledger" / "ledger.jsonl").read_bytes()
    assert greenroom("title", "s1").stdout == "s1: no title\n"
    assert greenroom.json("title", "last", "Pitch, second try") == {
        "session": "s1",
        "title": "Pitch, second try",
    }
    assert greenroom("title", "s1").stdout == "s1: Pitch, second try\n"
    assert "Pitch, second try: Where we stand" in greenroom("list").stdout
    assert greenroom.json("list")["sessions"][0]["title"] == "Pitch, second try"
    assert greenroom.json("show", "s1")["title"] == "Pitch, second try"
    assert (home.sessions / "s1" / "ledger" / "ledger.jsonl").read_bytes() == before
    greenroom("erase", "s1", "--yes")
    assert titles_of(home).of("s1") == ""
    assert not (home.sessions / ".records" / "s1").exists()
