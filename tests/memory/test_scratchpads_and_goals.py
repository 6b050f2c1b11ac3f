"""Scratchpads: a page an agent and presenter, bounded and never cut. Goals: proposed, open, done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import last_change
from orchestrator.memory.model import (
    MAX_GOALS,
    Goal,
    MemoryRefusedError,
    NotConsentedError,
    Scratchpad,
    ScratchpadChangedError,
    ScratchpadTooLongError,
    UnknownGoalError,
)
from orchestrator.memory.notebook import (
    KEPT_REVISIONS,
    earlier_scratchpads,
    edit_scratchpad,
    scratchpad,
    scratchpads,
    update_scratchpad,
)
from orchestrator.memory.presenter import add_goal, complete_goal, consented, goals, move_goal, set_consent
from tests.helpers.memories import INES, NOW, at, opened

PAGE = "# Ines\n\n- asks for *one* decision\n\ttabs, CRLF\r\nand é stay\n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    with opened(tmp_path, "Omar") as database:
        yield database


# ---------------------------------------------------------------------- scratchpads


def test_a_page_comes_back_as_it_was_written(db: MemoryDatabase) -> None:
    assert scratchpad(db, "skeptic", INES) == Scratchpad("skeptic", INES, "", None, 0)
    written = update_scratchpad(db, "skeptic", INES, PAGE, NOW)
    assert written == Scratchpad("skeptic", INES, PAGE, NOW, 1)
    assert scratchpad(db, "skeptic", INES) == written
    assert scratchpad(db, "analyst", INES).content == ""
    assert scratchpad(db, "skeptic", "Omar").content == ""
    assert scratchpads(db, INES) == (written,)


def test_2000_characters_are_kept_and_2001_refused_with_the_count(db: MemoryDatabase) -> None:
    full = update_scratchpad(db, "skeptic", INES, "é" * 2_000, NOW)
    with pytest.raises(ScratchpadTooLongError) as refused:
        update_scratchpad(db, "skeptic", INES, "é" * 2_001, NOW)
    assert str(refused.value) == (
        "the scratchpad has 2,001 characters (limit 2,000): shorten it by 1. Nothing was done"
    )
    assert scratchpad(db, "skeptic", INES) == full


@pytest.mark.parametrize("content", ["a\0b", "half \ud800"])
def test_what_is_no_text_is_refused(db: MemoryDatabase, content: str) -> None:
    with pytest.raises(MemoryRefusedError, match="holds NUL or half a character: write plain text"):
        update_scratchpad(db, "skeptic", INES, content, NOW)


def test_the_same_page_again_changes_nothing(db: MemoryDatabase) -> None:
    first = update_scratchpad(db, "skeptic", INES, PAGE, NOW)
    change = last_change(db, INES)
    assert update_scratchpad(db, "skeptic", INES, PAGE, at(1)) == first
    assert last_change(db, INES) == change


def test_the_last_ten_pages_are_kept(db: MemoryDatabase) -> None:
    for n in range(15):
        update_scratchpad(db, "skeptic", INES, f"Page {n}", at(n))
    assert scratchpad(db, "skeptic", INES) == Scratchpad("skeptic", INES, "Page 14", at(14), 15)
    earlier = earlier_scratchpads(db, "skeptic", INES)
    assert [page.content for page in earlier] == [f"Page {n}" for n in range(13, 4, -1)]
    assert len(earlier) == KEPT_REVISIONS - 1


def test_an_update_of_a_page_that_changed_since_is_refused(db: MemoryDatabase) -> None:
    empty = scratchpad(db, "skeptic", INES)
    mine = update_scratchpad(db, "skeptic", INES, "Mine.", NOW, replacing=empty)
    with pytest.raises(ScratchpadChangedError, match=r"^skeptic's scratchpad was written since it was read"):
        update_scratchpad(db, "skeptic", INES, "Yours.", NOW, replacing=empty)
    assert scratchpad(db, "skeptic", INES) == mine
    assert update_scratchpad(db, "skeptic", INES, "Ours.", NOW, replacing=mine).revision == 2


def test_a_page_is_kept_only_of_who_agreed(db: MemoryDatabase) -> None:
    with pytest.raises(NotConsentedError):
        update_scratchpad(db, "skeptic", "Nadia", PAGE, NOW)
    assert scratchpad(db, "skeptic", "Nadia").revision == 0


def test_its_presenter_may_edit_and_remove_it_at_any_time(db: MemoryDatabase) -> None:
    update_scratchpad(db, "skeptic", INES, PAGE, NOW)
    set_consent(db, INES, False, NOW)
    assert edit_scratchpad(db, "skeptic", INES, "Less.", at(1)).content == "Less."
    assert earlier_scratchpads(db, "skeptic", INES) == ()
    with pytest.raises(ScratchpadTooLongError):
        edit_scratchpad(db, "skeptic", INES, "x" * 2_001, at(1))
    edit_scratchpad(db, "skeptic", INES, "", at(2))
    assert scratchpads(db, INES) == ()


# ---------------------------------------------------------------------- consent


def test_consent_is_asked_for_and_taken_back(db: MemoryDatabase) -> None:
    assert consented(db, INES)
    assert not consented(db, "Nadia")
    change = last_change(db, INES)
    set_consent(db, INES, True, at(1))
    assert last_change(db, INES) == change  # said again: nothing new
    set_consent(db, INES, False, at(1))
    assert not consented(db, INES)
    assert consented(db, "Omar")
    assert last_change(db, INES) > change


# ---------------------------------------------------------------------- goals


def test_a_goal_is_added_moved_and_reached(db: MemoryDatabase) -> None:
    goal = add_goal(db, INES, "Name the source  of every number", NOW)
    assert goal == Goal(goal.id, INES, "Name the source of every number", "open", NOW)
    move_goal(db, goal.id, "s1/x3", at(1))
    move_goal(db, goal.id, "s1/x1", at(2))
    moved = move_goal(db, goal.id, "s1/x3", at(3))
    assert moved.moved_by == ("s1/x3", "s1/x1")
    done = complete_goal(db, goal.id, at(4))
    assert (done.state, done.done_at, done.moved_by) == ("done", at(4), moved.moved_by)
    assert complete_goal(db, goal.id, at(9)) == done
    assert goals(db, INES) == (done,)
    assert goals(db, INES, include_done=False) == ()
    assert goals(db, "Omar") == ()


def test_the_same_goal_is_added_once_and_again_when_it_was_reached(db: MemoryDatabase) -> None:
    first = add_goal(db, INES, "Shorter answers", NOW)
    assert add_goal(db, INES, "shorter answers.", NOW) == first
    complete_goal(db, first.id, NOW)
    assert add_goal(db, INES, "Shorter answers", at(1)).id != first.id


def test_a_goal_heard_in_speech_is_proposed_until_it_is_taken_up(db: MemoryDatabase) -> None:
    heard = add_goal(db, INES, "Keep to ten minutes", NOW, state="proposed", source="s1/14")
    assert (heard.state, heard.source) == ("proposed", "s1/14")
    again = add_goal(db, INES, "Stay within ten minutes", NOW, state="proposed", source="s1/14")
    assert again == heard
    taken_up = add_goal(db, INES, "keep to ten minutes", NOW)
    assert (taken_up.id, taken_up.state) == (heard.id, "open")
    with pytest.raises(NotConsentedError):
        add_goal(db, "Nadia", "Be heard", NOW, state="proposed", source="s1/15")
    assert add_goal(db, "Nadia", "Be heard", NOW).state == "open"  # her own act


def test_goals_are_bounded_and_unknown_ones_refused(db: MemoryDatabase) -> None:
    for n in range(MAX_GOALS):
        add_goal(db, INES, f"Goal {n}", NOW)
    with pytest.raises(MemoryRefusedError, match=r"^Ines has 50 goals that are not done: finish some first$"):
        add_goal(db, INES, "One more", NOW)
    with pytest.raises(MemoryRefusedError, match=r"^the goal has 201 characters \(limit 200\)"):
        add_goal(db, "Omar", "x" * 201, NOW)
    with pytest.raises(
        UnknownGoalError, match=r"^there is no goal 'g0': `greenroom goal list` shows their ids$"
    ):
        complete_goal(db, "g0", NOW)
