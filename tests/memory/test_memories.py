"""Memories are written once, bounded, corrected and edited; each belongs to one agent and one presenter."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.documents.memories import export
from orchestrator.memory.database import NAME, MemoryDatabase
from orchestrator.memory.memories import (
    KEPT_LEFT,
    edit_memory,
    forget_session,
    history,
    last_change,
    left,
    memories,
    memory,
    recall,
    search_memories,
    worth,
)
from orchestrator.memory.model import (
    MAX_MEMORIES,
    Memory,
    MemoryDatabaseError,
    MemoryRefusedError,
    NotConsentedError,
    UnknownMemoryError,
)
from orchestrator.memory.presenter import consented, presenters, set_consent
from orchestrator.memory.validation import ArgumentsRefusedError, MemoryWrite, normalised, parsed
from tests.helpers.memories import INES, NOW, at, keep, opened, write_memory


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    with opened(tmp_path, "Omar") as database:
        yield database


def write(db: MemoryDatabase, **changed: Any) -> Any:
    plain: dict[str, Any] = {
        "agent": "skeptic",
        "presenter": INES,
        "type": "insight",
        "content": "Growth was measured from a strike year.",
        "confidence": 0.9,
        "tags": ("growth",),
        "source": "s1/12",
        "now": NOW,
    }
    return write_memory(db, **{**plain, **changed})


# ---------------------------------------------------------------------- one write


def test_a_memory_comes_back_as_it_was_written(db: MemoryDatabase) -> None:
    written = write(db, tags=("Growth", "base ", "growth"))
    assert written.is_new
    assert written.evicted == ()
    assert written.memory == Memory(
        id=written.memory.id,
        agent="skeptic",
        presenter=INES,
        type="insight",
        content="Growth was measured from a strike year.",
        confidence=0.9,
        tags=("growth", "base"),
        source="s1/12",
        created_at=NOW,
    )
    assert memories(db, presenter=INES) == (written.memory,)
    assert memory(db, written.memory.id) == written.memory


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"type": "fact"},
            "type is 'fact': use one of insight, pattern, strategy, preference, lesson. Nothing was done",
        ),
        ({"confidence": 0.39}, "confidence is 0.39: must be at least 0.4. Nothing was done"),
        ({"confidence": 1.01}, "confidence is 1.01: must be at most 1. Nothing was done"),
        ({"confidence": float("nan")}, "confidence is nan: give a number. Nothing was done"),
        ({"confidence": True}, "confidence is True: give a number. Nothing was done"),
        (
            {"content": "x" * 201},
            "content has 201 characters (limit 200): shorten it by 1. Nothing was done",
        ),
        ({"content": " \n\0 "}, "content is empty: write one sentence"),
        (
            {"tags": [str(n) for n in range(11)]},
            "tags has 11 entries: keep the 10 that matter most. Nothing was done",
        ),
        (
            {"source": "s" * 201},
            "source_trace_id has 201 characters (limit 200): shorten it by 1. Nothing was done",
        ),
        (
            {"agent": "../skeptic"},
            "agent '../skeptic': is no agent's id: use lower-case letters, digits and hyphens",
        ),
        (
            {"presenter": "Presenter"},
            "nobody is named as the presenter, so nothing is remembered: name one with --presenter",
        ),
        (
            {"presenter": " "},
            "nobody is named as the presenter, so nothing is remembered: name one with --presenter",
        ),
        (
            {"presenter": "p" * 101},
            "the presenter's name has 101 characters (limit 100): shorten it by 1. Nothing was done",
        ),
    ],
)
def test_what_may_not_be_kept_is_refused_and_changes_nothing(
    db: MemoryDatabase, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(MemoryRefusedError) as refused:
        write(db, **changed)
    assert str(refused.value) == said
    assert memories(db, presenter=INES) == ()


@pytest.mark.parametrize("changed", [{"confidence": 2}, {"content": "x" * 201}, {"type": "fact"}])
def test_a_limit_has_one_wording_whichever_way_it_is_met(db: MemoryDatabase, changed: dict[str, Any]) -> None:
    given = {"type": "lesson", "content": "Growth has a base.", "confidence": 0.8, **changed}
    with pytest.raises(MemoryRefusedError) as direct:
        write(db, **changed)
    with pytest.raises(ArgumentsRefusedError) as by_tool:
        parsed(MemoryWrite, given)
    assert str(direct.value) == str(by_tool.value)


def test_the_limits_themselves_are_kept(db: MemoryDatabase) -> None:
    assert write(db, content="é" * 200, confidence=0.4).memory.content == "é" * 200
    assert write(db, content="sure", confidence=1, source=None).memory.confidence == 1.0


def test_a_time_without_a_zone_is_a_mistake_in_the_program(db: MemoryDatabase) -> None:
    with pytest.raises(ValueError, match="names no time zone"):
        write(db, now="2026-11-22T08:00:00")


@given(content=st.text(min_size=1, max_size=250))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_kept_on_one_line_or_refused(db: MemoryDatabase, content: str) -> None:
    try:
        written = write(db, content=content, source=None)
    except MemoryRefusedError:
        return
    assert written.memory.content == " ".join(written.memory.content.split())
    assert memory(db, written.memory.id) == written.memory
    search_memories(db, agent="skeptic", presenter=INES, query=content, now=NOW)


# ---------------------------------------------------------------------- the same thing twice


def test_the_same_source_is_written_once(db: MemoryDatabase) -> None:
    first = write(db)
    again = write(db, content="Something else altogether.")
    assert (again.is_new, again.memory) == (False, first.memory)
    assert memories(db, presenter=INES) == (first.memory,)


@pytest.mark.parametrize(
    "content",
    [
        "growth was  measured from a strike year",
        "Growth was measured from a strike year!",
        "ＧROWTH was measured\nfrom a strike year.",
    ],
)
def test_the_same_content_is_written_once(db: MemoryDatabase, content: str) -> None:
    first = write(db)
    again = write(db, content=content, source="s2/3")
    assert (again.is_new, again.memory) == (False, first.memory)


def test_numbers_and_signs_within_a_content_tell_two_apart() -> None:
    assert normalised("Growth of 18%") != normalised("Growth of 1.8%")
    assert normalised("-5 points") != normalised("5 points")


def test_agents_and_presenters_each_have_their_own(db: MemoryDatabase) -> None:
    written = {
        (agent, presenter): write(db, agent=agent, presenter=presenter)
        for agent in ("skeptic", "analyst")
        for presenter in (INES, "Omar")
    }
    assert all(one.is_new for one in written.values())
    for (agent, presenter), one in written.items():
        assert memories(db, presenter=presenter, agent=agent) == (one.memory,)
        assert [
            found.memory.id for found in recall(db, agent=agent, presenter=presenter, topic="growth", now=NOW)
        ] == [one.memory.id]
        assert export(db, presenter)["presenter"] == presenter
    assert presenters(db) == (INES, "Omar")
    assert memories(db, presenter="Ines B.") == ()


# ---------------------------------------------------------------------- consent


def test_nobody_is_remembered_who_did_not_agree(db: MemoryDatabase) -> None:
    with pytest.raises(NotConsentedError, match=r"^Nadia has not agreed to be remembered"):
        write(db, presenter="Nadia")
    assert not consented(db, "Nadia")
    assert presenters(db) == (INES, "Omar")


def test_who_no_longer_agrees_is_neither_written_nor_recalled(db: MemoryDatabase) -> None:
    kept = keep(db, "Growth was measured from a strike year.")
    set_consent(db, INES, False, NOW)
    with pytest.raises(NotConsentedError):
        write(db, content="More.")
    assert recall(db, agent="skeptic", presenter=INES, topic="growth", now=NOW) == ()
    assert memories(db, presenter=INES) == (kept,)  # theirs to read until they forget it
    set_consent(db, INES, True, NOW)
    assert len(recall(db, agent="skeptic", presenter=INES, topic="growth", now=NOW)) == 1


# ---------------------------------------------------------------------- correcting


def test_a_superseded_memory_is_kept_marked_and_not_recalled(db: MemoryDatabase) -> None:
    old = keep(db, "Growth was measured from a strike year.")
    new = write(db, content="Growth is measured from a usual year now.", supersedes=old.id).memory
    assert memories(db, presenter=INES) == (new,)
    marked = replace(old, superseded_by=new.id)
    assert memories(db, presenter=INES, include_superseded=True) == (new, marked)
    found = recall(db, agent="skeptic", presenter=INES, topic="strike year growth", now=NOW)
    assert [one.memory.id for one in found] == [new.id]


def test_what_was_superseded_may_be_said_again(db: MemoryDatabase) -> None:
    old = keep(db, "Growth was measured from a strike year.")
    new = write(db, content="Growth is measured from a usual year now.", source=None, supersedes=old.id)
    back = write(db, content=old.content, source=None, supersedes=new.memory.id)
    assert back.is_new
    assert memories(db, presenter=INES) == (back.memory,)


def test_only_an_own_memory_that_stands_can_be_superseded(db: MemoryDatabase) -> None:
    others = keep(db, "The analyst's own.", agent="analyst")
    old = keep(db, "Growth was measured from a strike year.")
    new = write(db, content="Corrected.", source=None, supersedes=old.id).memory
    with pytest.raises(UnknownMemoryError, match=f"^{others.id} is no memory of skeptic about Ines$"):
        write(db, content="Mine.", source=None, supersedes=others.id)
    with pytest.raises(MemoryRefusedError, match=f"was superseded by {new.id} already"):
        write(db, content="Twice.", source=None, supersedes=old.id)
    with pytest.raises(UnknownMemoryError, match=r"^there is no memory 'm0'"):
        write(db, content="Nothing.", source=None, supersedes="m0")
    assert memories(db, presenter=INES, agent="skeptic") == (new,)


def test_an_edited_memory_says_only_the_new(db: MemoryDatabase) -> None:
    old = keep(db, "Growth was measured from a strike year.")
    new = edit_memory(db, old.id, content="Churn is monthly.", confidence=0.5, tags=["Churn"], now=at(1))
    assert new == replace(old, content="Churn is monthly.", confidence=0.5, tags=("churn",))
    assert memory(db, old.id) == new
    assert search_memories(db, agent="skeptic", presenter=INES, query="strike growth", now=NOW) == ()
    assert len(search_memories(db, agent="skeptic", presenter=INES, query="churned", now=NOW)) == 1


def test_an_edit_may_not_make_two_the_same(db: MemoryDatabase) -> None:
    one, other = keep(db, "One."), keep(db, "Another.")
    with pytest.raises(MemoryRefusedError, match=f"^{one.id} says the same already"):
        edit_memory(db, other.id, content="one", now=NOW)
    assert memory(db, other.id) == other


# ---------------------------------------------------------------------- the bound


def test_of_too_many_the_least_valuable_leaves_and_can_be_listed(db: MemoryDatabase) -> None:
    first = [keep(db, f"Memory number {n}.", confidence=0.9, now=at(n)) for n in range(MAX_MEMORIES - 3)]
    unsure = keep(db, "Hardly certain.", confidence=0.4, now=at(MAX_MEMORIES))
    used = keep(db, "Old, but of use: zebra.", confidence=0.9, now=at(-400))
    superseded = keep(db, "Corrected since.", confidence=1, now=at(MAX_MEMORIES))
    recall(db, agent="skeptic", presenter=INES, topic="zebra", now=at(MAX_MEMORIES))
    now = at(MAX_MEMORIES + 1)

    written = write(db, content="The newest.", now=now, supersedes=superseded.id)
    assert [one.id for one in written.evicted] == [superseded.id]  # worth nothing, however sure
    now = at(MAX_MEMORIES + 2)
    written = write(db, content="Newer still.", source=None, now=now)
    assert [one.id for one in written.evicted] == [first[0].id]  # the oldest of equals
    for n in range(1, 150):
        write(db, content=f"Filling {n}.", source=None, now=now)

    kept = {one.id for one in memories(db, presenter=INES, include_superseded=True)}
    assert len(kept) == MAX_MEMORIES
    assert used.id in kept
    gone = left(db, presenter=INES, agent="skeptic")
    assert len(gone) == 151
    assert gone[-1].memory.content == "Corrected since."
    assert unsure.id in {one.memory.id for one in gone}
    assert {one.memory.id for one in gone} & kept == set()
    found = search_memories(db, agent="skeptic", presenter=INES, query="hardly certain", now=now)
    assert [one for one in found if one.memory.id == unsure.id] == []


def test_the_list_of_those_that_left_is_bounded_too(db: MemoryDatabase) -> None:
    with db.transaction():
        for n in range(MAX_MEMORIES + KEPT_LEFT + 40):
            keep(db, f"Memory number {n}.", now=at(n))
    gone = left(db, presenter=INES)
    assert [one.memory.content for one in gone] == [f"Memory number {n}." for n in range(239, 39, -1)]
    assert len(memories(db, presenter=INES)) == MAX_MEMORIES


def test_what_was_just_written_does_not_leave_at_once(db: MemoryDatabase) -> None:
    with db.transaction():
        for n in range(MAX_MEMORIES):
            keep(db, f"Memory number {n}.", confidence=1)
    written = write(db, content="Unsure.", confidence=0.4)
    assert written.memory.id not in {one.id for one in written.evicted}
    assert memory(db, written.memory.id) == written.memory


def test_the_bound_is_each_agents_own(db: MemoryDatabase) -> None:
    with db.transaction():
        for agent in ("skeptic", "analyst"):
            for n in range(MAX_MEMORIES):
                keep(db, f"Memory number {n}.", agent=agent)
    assert write(db, agent="contrarian").evicted == ()
    assert len(memories(db, presenter=INES)) == 2 * MAX_MEMORIES + 1


def test_worth_falls_with_age_and_grows_with_confidence_and_use() -> None:
    base = Memory("m1", "skeptic", INES, "lesson", "x", 0.8, (), None, NOW)
    assert worth(base, NOW) == pytest.approx(0.8)
    assert worth(base, at(90)) == pytest.approx(0.4)
    assert worth(replace(base, confidence=0.4), NOW) < worth(base, NOW)
    assert worth(replace(base, recalled=3, recalled_at=NOW), NOW) == pytest.approx(1.6)
    assert worth(replace(base, recalled=1, recalled_at=at(80)), at(90)) > worth(base, at(90))
    assert worth(replace(base, superseded_by="m2"), NOW) == 0


# ---------------------------------------------------------------------- the database itself


def test_the_history_tells_every_act_and_no_content(db: MemoryDatabase) -> None:
    before = last_change(db, INES)
    old = keep(db, "Growth was measured from a strike year.")
    new = write(db, content="Corrected.", source=None, supersedes=old.id).memory
    write(db, content="Corrected.", source=None)
    acts = [(one.act, one.item, one.agent) for one in history(db, INES)]
    assert acts == [
        ("consented", INES, None),
        ("written", old.id, "skeptic"),
        ("superseded", old.id, "skeptic"),
        ("written", new.id, "skeptic"),
    ]
    assert last_change(db, INES) > before
    others = last_change(db, "Omar")
    keep(db, "More.")
    assert last_change(db, "Omar") == others


def test_the_file_is_private_and_stays_in_the_home(tmp_path: Path) -> None:
    assert not MemoryDatabase.exists(tmp_path)
    with opened(tmp_path) as db:
        keep(db, "Anything.")
        for path in tmp_path.iterdir():
            assert path.name.startswith(NAME)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert MemoryDatabase.exists(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    with sqlite3.connect(tmp_path / NAME) as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    plain.close()


def test_what_is_written_is_there_after_opening_again(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        kept = keep(db, "Anything.")
    with MemoryDatabase.open(tmp_path) as db:
        assert memories(db, presenter=INES) == (kept,)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda path: path.write_bytes(b"no database at all, only text" * 50),
            r"memory\.db: is damaged or no memory database: move it aside",
        ),
        (
            lambda path: _run(path, "CREATE TABLE others (n)"),
            r"memory\.db: belongs to another program: move it aside",
        ),
        (
            lambda path: _made_then_run(path, "PRAGMA user_version = 99"),
            r"memory\.db: is of version 99, and this release reads up to 3: use a newer Greenroom",
        ),
        (lambda path: path.mkdir(), r"memory\.db: "),
    ],
)
def test_a_file_that_is_none_of_ours_is_refused_in_one_line(tmp_path: Path, spoil: Any, said: str) -> None:
    spoil(tmp_path / NAME)
    with pytest.raises(MemoryDatabaseError, match=said) as refused:
        MemoryDatabase.open(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_home_that_is_not_there_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(MemoryDatabaseError, match="cannot be made: no such file or directory"):
        MemoryDatabase.open(tmp_path / "nowhere")


def test_a_writer_that_does_not_let_go_is_named_and_nothing_changes(tmp_path: Path) -> None:
    with opened(tmp_path), MemoryDatabase.open(tmp_path, patience_s=0.01) as waiting:
        other = sqlite3.connect(tmp_path / NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MemoryDatabaseError, match="another process keeps it busy"):
            keep(waiting, "Not now.")
        other.execute("ROLLBACK")
        other.close()
        assert memories(waiting, presenter=INES) == ()


def test_a_transaction_that_fails_leaves_nothing(db: MemoryDatabase) -> None:
    def two_writes() -> None:
        with db.transaction():
            keep(db, "First of two.")
            write(db, content="")

    with pytest.raises(MemoryRefusedError):
        two_writes()
    assert memories(db, presenter=INES) == ()


def _run(path: Path, statement: str) -> None:
    plain = sqlite3.connect(path)
    plain.execute(statement)
    plain.commit()
    plain.close()


def _made_then_run(path: Path, statement: str) -> None:
    MemoryDatabase.open(path.parent).close()
    _run(path, statement)


def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        old = keep(db, "Churn is quoted per month.", source="s1/9")
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("DROP TABLE rests")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with opened(tmp_path) as db:
        assert memories(db, presenter=INES) == (old,)
        assert forget_session(db, "s1", now=NOW).ids == (old.id,)
