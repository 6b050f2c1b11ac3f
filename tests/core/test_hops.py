"""How many files of the package an append, a context and a question pass, as orchestrator/README.md says.

An append passes 14, of which 7 call on others; a context 8, of which 4 do. The aim is 6 for each: the page
says which files the others are, and why they stay.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import orchestrator
from orchestrator.core import Session
from orchestrator.panel.home import Home
from orchestrator.rehearsal import Rehearsal
from tests.core.crews import MEETING
from tests.helpers.rehearsals import DECK

PACKAGE = Path(orchestrator.__file__).parent
PAGE = (PACKAGE / "README.md").read_text("utf-8")


def passed(act: Callable[[], object]) -> dict[str, set[str]]:
    """The files of the package that *act* passes, first to last, each with those that it calls."""
    calls: dict[str, set[str]] = {}

    def place(frame: FrameType | None) -> str | None:
        path = Path(frame.f_code.co_filename) if frame is not None else Path()
        return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else None

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (own := place(frame)) is not None:
            calls.setdefault(own, set())
            caller = place(frame.f_back)
            if caller not in (None, own):
                calls[caller].add(own)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        act()
    finally:
        sys.setprofile(before)
    return calls


def rows(section: str) -> list[str]:
    """The files that a section of the page lists, in order."""
    (text,) = re.findall(rf"^## {re.escape(section)}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def test_an_append_passes_the_files_that_the_page_lists(review: Session) -> None:
    """One that finds nothing to mend, of a process that has appended before."""

    def act() -> None:
        review.append(MEETING, "Alice: and another.", by="minutes")

    act()
    files = passed(act)
    assert list(files) == rows("The path of one append")
    assert (len(files), sum(map(bool, files.values()))) == (14, 7)  # 7 call on, 7 only answer


def test_a_context_passes_the_files_that_the_page_lists(review: Session) -> None:
    """One in whose reading order something was appended since the last."""

    def act() -> None:
        review.context("tester", task="Ask one question.")

    act()
    review.append(MEETING, "Alice: and another.", by="minutes")
    files = passed(act)
    assert list(files) == rows("The path of one context")
    assert (len(files), sum(map(bool, files.values()))) == (8, 4)


def test_a_question_passes_the_files_that_the_page_lists(home: Path, tmp_path: Path) -> None:
    """The page lists those that decide; beside them are the paths of its contexts and writes, and leaves."""
    (deck := tmp_path / "deck.md").write_text(DECK, "utf-8")
    with Rehearsal.start(Home(home), deck) as rehearsal:
        files = list(passed(rehearsal.call_on))
    listed = rows("The path of one question")
    assert [name for name in files if name in listed] == listed
    assert len(listed) >= 12
    assert len(files) <= 60
