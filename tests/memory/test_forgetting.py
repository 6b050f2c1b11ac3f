"""What is forgotten is gone: its bytes are looked for in every file of the database."""

from __future__ import annotations

import random
import re
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from orchestrator.documents.memories import export
from orchestrator.memory.database import NAME, MemoryDatabase
from orchestrator.memory.embedding import to_blob, unit
from orchestrator.memory.memories import (
    carried_into,
    edit_memory,
    embed_missing,
    forget,
    forget_agent,
    forget_presenter,
    forget_session,
    history,
    left,
    memories,
    recall,
)
from orchestrator.memory.model import MAX_MEMORIES, UnknownMemoryError
from orchestrator.memory.notebook import edit_scratchpad, scratchpad, update_scratchpad
from orchestrator.memory.presenter import add_goal, consented, forget_goal, goals, move_goal, presenters
from tests.helpers.memories import INES, NOW, at, keep, opened, write_memory

SECRET = "Zanzibarium quotas are unsourced, says Quillfeather."
TRACES = (b"anzibarium", b"quillfeath", b"uillfeather")


class Drawn:
    """An embedder that gives each text a vector of its own, for looking for its bytes."""

    model = "drawn"

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        return [unit([random.Random(f"{text}{n}").uniform(-1, 1) for n in range(96)]) for text in texts]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def db(folder: Path) -> Iterator[MemoryDatabase]:
    with opened(folder, "Omar") as database:
        yield database


def traces(folder: Path, *others: bytes) -> list[str]:
    """Which files still hold a word of the secret, or any of these bytes."""
    found = []
    for path in folder.iterdir():
        content = path.read_bytes()
        found += [f"{path.name}: {one!r}" for one in TRACES if one.lower() in content.lower()]
        found += [f"{path.name}: vector" for one in others if one in content]
    return sorted(found)


def secret_kept(db: MemoryDatabase) -> tuple[str, bytes]:
    """The secret among fifty others, indexed and with vectors; its id and a piece of its vector."""
    kept = keep(db, SECRET, source="s1/9", tags=("quillfeather",))
    for n in range(50):
        keep(db, f"Something else that is remembered, number {n} of many; nothing to hide here.")
    embed_missing(db, agent="skeptic", presenter=INES, embed=Drawn())
    (vector,) = Drawn().embed([f"{SECRET} quillfeather"])  # with its tag
    return kept.id, to_blob(vector)[40:72]


def test_the_search_for_traces_can_find_them(db: MemoryDatabase, folder: Path) -> None:
    _, piece = secret_kept(db)
    db.close()
    assert traces(folder, piece) == [f"memory.db: {one!r}" for one in sorted(TRACES)] + ["memory.db: vector"]


def test_nothing_of_a_forgotten_memory_is_left_in_any_file(db: MemoryDatabase, folder: Path) -> None:
    secret, piece = secret_kept(db)
    assert traces(folder, piece)
    done = forget(db, secret, now=at(1))
    assert (done.ids, done.sessions, done.is_wiped) == ((secret,), ("s1",), True)
    assert traces(folder, piece) == []  # while the database is open: in the log as well
    db.close()
    assert traces(folder, piece) == []
    with MemoryDatabase.open(folder) as again:
        assert len(memories(again, presenter=INES)) == 50
        assert len(recall(again, agent="skeptic", presenter=INES, topic="remembered", now=NOW)) == 5


@pytest.mark.parametrize("seed", range(6))
def test_forgetting_is_as_thorough_after_much_writing(db: MemoryDatabase, folder: Path, seed: int) -> None:
    """Overwriting what is deleted is not enough: rows that were moved leave copies in the gaps of pages."""
    draw = random.Random(seed)
    standing: list[str] = []
    secrets: list[str] = []
    with db.transaction():
        for number in range(230):
            is_secret = draw.random() < 0.6
            padding = "padding " * draw.randrange(12)
            corrected = draw.random() < 0.3 and standing
            written = write_memory(
                db,
                agent="skeptic",
                presenter=INES,
                type="lesson",
                content=f"{draw.random()} {padding}{SECRET if is_secret else ''} {number}",
                confidence=draw.uniform(0.4, 1),
                supersedes=standing.pop(draw.randrange(len(standing))) if corrected else None,
                now=at(number),
            )
            gone = {one.id for one in written.evicted}
            standing = [one for one in [*standing, written.memory.id] if one not in gone]
            secrets += [written.memory.id] if is_secret else []
    forget(db, *secrets, now=NOW)
    assert traces(folder) == []


def test_an_edit_wipes_what_was_said_before(db: MemoryDatabase, folder: Path) -> None:
    secret, piece = secret_kept(db)
    edit_memory(db, secret, content="Nothing to see.", tags=[], now=NOW)
    assert traces(folder, piece) == []


def test_what_left_or_was_superseded_can_be_forgotten_too(db: MemoryDatabase, folder: Path) -> None:
    gone = keep(db, SECRET, confidence=0.4, now=at(-900))
    with db.transaction():
        for n in range(MAX_MEMORIES):
            keep(db, f"Memory number {n}.")
    assert [one.memory.id for one in left(db, presenter=INES)] == [gone.id]
    forget(db, gone.id, now=NOW)
    assert left(db, presenter=INES) == ()
    assert traces(folder) == []

    old = keep(db, SECRET, agent="analyst")
    write_memory(
        db,
        agent="analyst",
        presenter=INES,
        type="lesson",
        content="Corrected.",
        confidence=0.9,
        now=NOW,
        supersedes=old.id,
    )
    forget(db, old.id, now=NOW)
    assert traces(folder) == []


def test_forgetting_names_the_sessions_that_quote_it(db: MemoryDatabase) -> None:
    secret, _ = secret_kept(db)
    carried_into(db.path.parent, "s2", [secret])
    carried_into(db.path.parent, "s2", [secret])
    carried_into(db.path.parent, "s3", [secret, "m-unknown"])
    assert forget(db, secret, now=NOW).sessions == ("s1", "s2", "s3")


def test_all_are_forgotten_or_none(db: MemoryDatabase) -> None:
    kept = keep(db, "Anything.")
    with pytest.raises(UnknownMemoryError, match=r"^there is no memory 'm-none': `greenroom memory list`"):
        forget(db, kept.id, "m-none", now=NOW)
    assert memories(db, presenter=INES) == (kept,)


def test_the_history_tells_that_and_not_what_was_forgotten(db: MemoryDatabase) -> None:
    kept = keep(db, SECRET)
    forget(db, kept.id, now=at(1))
    assert [(one.act, one.item) for one in history(db, INES)][1:] == [
        ("written", kept.id),
        ("forgotten", kept.id),
    ]


def test_what_came_out_of_a_session_goes_with_it(db: MemoryDatabase, folder: Path) -> None:
    mine = keep(db, SECRET, source="s1/9")
    whole = keep(db, "From all of it.", source="s1", agent="analyst", presenter="Omar")
    other = keep(db, "From another session.", source="s11/9")
    goal = add_goal(db, INES, "Name Quillfeather.", NOW, state="proposed", source="s1/12")
    own = add_goal(db, INES, "Name every source.", NOW)
    move_goal(db, own.id, "s1/x2", NOW)
    done = forget_session(db, "s1", now=NOW)
    assert (set(done.ids), done.sessions) == ({mine.id, whole.id, goal.id}, ())
    assert memories(db, presenter=INES) == (other,)
    assert memories(db, presenter="Omar") == ()
    assert goals(db, INES) == (own,)
    assert traces(folder) == []


def test_nothing_of_a_presenter_is_left_and_everything_of_the_others(
    db: MemoryDatabase, folder: Path
) -> None:
    others = keep(db, "Omar's own.", presenter="Omar")
    before = export(db, "Omar")
    keep(db, SECRET, presenter="Nadia Q") if consented(db, "Nadia Q") else None
    secret_kept(db)
    update_scratchpad(db, "skeptic", INES, f"# {SECRET}\n", NOW)
    add_goal(db, INES, "Name Quillfeather.", NOW)
    forget_presenter(db, INES)
    assert presenters(db) == ("Omar",)
    assert history(db, INES) == ()
    assert not consented(db, INES)
    assert export(db, "Omar") == before
    assert memories(db, presenter="Omar") == (others,)
    assert traces(folder) == []
    assert not any(re.search(rb"Ines", path.read_bytes()) for path in folder.iterdir())


def test_one_agents_keepings_are_forgotten_with_its_page(db: MemoryDatabase, folder: Path) -> None:
    keep(db, SECRET)
    update_scratchpad(db, "skeptic", INES, SECRET, NOW)
    other = keep(db, "The analyst's.", agent="analyst")
    forget_agent(db, INES, "skeptic", now=NOW)
    assert memories(db, presenter=INES) == (other,)
    assert scratchpad(db, "skeptic", INES).content == ""
    assert traces(folder) == []


@pytest.mark.parametrize("content", ["", "Nothing to see.\n"])
def test_a_page_that_its_presenter_changes_leaves_no_earlier_one(
    db: MemoryDatabase, folder: Path, content: str
) -> None:
    for n in range(3):
        update_scratchpad(db, "skeptic", INES, f"{SECRET} {n}", at(n))
    edit_scratchpad(db, "skeptic", INES, content, at(3))
    assert scratchpad(db, "skeptic", INES).content == content
    assert traces(folder) == []


def test_a_forgotten_goal_leaves_no_trace(db: MemoryDatabase, folder: Path) -> None:
    goal = add_goal(db, INES, SECRET, NOW)
    assert forget_goal(db, goal.id, now=NOW)
    assert goals(db, INES) == ()
    assert traces(folder) == []


def test_a_reader_elsewhere_is_told_of_and_the_log_is_wiped_when_it_has_gone(folder: Path) -> None:
    with opened(folder) as first:
        secret, piece = secret_kept(first)
    with MemoryDatabase.open(folder, patience_s=0.05) as db:
        keep(db, f"{SECRET} once more", agent="analyst")
        reader = sqlite3.connect(folder / NAME, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        assert not forget(db, secret, now=NOW).is_wiped
        assert secret not in {one.id for one in memories(db, presenter=INES)}  # gone for everybody at once
        forget_presenter(db, INES)
        reader.execute("COMMIT")
        reader.close()
        assert db.wipe()
        assert traces(folder, piece) == []


@pytest.mark.parametrize(
    "leave", [forget_presenter, lambda db, name: forget_agent(db, name, "skeptic", now=NOW)]
)
def test_forgetting_where_nothing_is_kept_is_no_error(
    db: MemoryDatabase, leave: Callable[[MemoryDatabase, str], object]
) -> None:
    leave(db, "Nobody Known")
    assert presenters(db) == (INES, "Omar")


@pytest.mark.parametrize("session", ["*", "s?", "s%", "s_", "[s]1"])
def test_the_name_of_a_session_is_no_pattern(db: MemoryDatabase, session: str) -> None:
    kept = keep(db, "Churn is quoted per month.", source="s1/9")
    assert forget_session(db, session, now=NOW).ids == ()
    assert memories(db, presenter=INES) == (kept,)
