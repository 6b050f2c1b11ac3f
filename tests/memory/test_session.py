"""Long-term memory in whole sessions: taken along with consent, kept in order, and never in the way."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.archive.freeze import thaw
from orchestrator.core.errors import UsageError
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import edit_memory, memories
from orchestrator.memory.notebook import edit_scratchpad, scratchpad, scratchpads
from orchestrator.panel.home import Home
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.rehearsal.session import Session
from tests.helpers.board import archive_session
from tests.helpers.rehearsals import greenroom
from tests.helpers.remembered import DECK
from tests.helpers.stores import values_of


def rehearse(home: Path, id: str, *, remember: bool = True, presenter: str = "Ines") -> Session:
    """Two questions about words of the deck without an answer, then the end; still open for reading."""
    given: dict[str, Any] = {"presenter": presenter, "remember": remember, "date": "2026-11-22"}
    session = Session.start(Home.open(home), deck_text=DECK, id=id, **given)
    for _ in range(6):
        enough = sum(one.quote is not None for one in session.projection.exchanges) >= 2
        if enough or session.ask() is None:
            break
        session.answer(None)
    session.end()
    return session


def values(session: Session) -> list[dict[str, Any]]:
    return [dict(value) for value in values_of(session.rehearsal.store)]


def angles(session: Session) -> list[str]:
    return [target.angle for targets in session.projection.targets.values() for target in targets]


def test_each_agent_is_asked_once_for_its_page_when_a_session_ends(home: Path) -> None:
    with rehearse(home, "s1") as session:
        told = values(session)
        assert [one.get("type") for one in told].count("scratchpads-asked") == 1
        assert sum(one.get("type") == "scratchpad-proposal" for one in told) == 4
        asked = session.projection.exchanges[0]
    with MemoryDatabase.open(home) as db:
        page = scratchpad(db, asked.agent, "Ines").content
        assert page.startswith("## Harbour ferries (2026-11-22)\n\n- ")
        assert (asked.quote or "the deck as a whole") in page
        assert scratchpad(db, "moderator", "Ines").revision == 1


def test_the_next_rehearsal_shows_the_moderator_its_page_and_nobody_else(home: Path) -> None:
    rehearse(home, "s1").close()
    with MemoryDatabase.open(home) as db:
        first = scratchpad(db, "moderator", "Ines").content.splitlines()[2]
    assert re.fullmatch(r"- \d questions: .*no answer\.", first)
    with Session.start(Home.open(home), deck_text=DECK, id="s2", presenter="Ines", remember=True) as again:
        assert (
            f"## Your scratchpad\n\n> ## Harbour ferries (2026-11-22)\n> {first}\n"
            in again.context("moderator").carried
        )
        assert first not in again.context("skeptic").carried


def test_the_end_comes_in_order_facts_flush_debrief_freeze(home: Path) -> None:
    with rehearse(home, "s1") as session:
        kinds = [one.get("type") for one in values(session)]
        store = session.rehearsal.store
        assert (
            kinds.index("facts")
            < kinds.index("scratchpads-asked")
            < kinds.index("settled")
            < kinds.index("flushed")
            < len(kinds) - 1
        )
        assert store.record(store.seq).op == "freeze"
        assert (session.path / "debrief.md").stat().st_size > 0
        assert session.verify().valid


def test_ten_rehearsals_of_one_deck_and_the_eleventh_is_asked_again(home: Path) -> None:
    def personas() -> list[str]:
        files = sorted((home / "templates").rglob("*.md"))
        return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]

    before = personas()
    for number in range(1, 11):
        rehearse(home, f"s{number}").close()
    with Session.start(
        Home.open(home), deck_text=DECK, id="s11", presenter="Ines", remember=True
    ) as eleventh:
        assert any(one.startswith("left open before (unresolved, 2026-") for one in angles(eleventh))
        briefs = [eleventh.read(f"{agent}/focus-brief.md") for agent in eleventh.rehearsal.options.panel]
        assert sum("left open before (unresolved, 2026-" in brief for brief in briefs) >= 1
        carried = eleventh.context("skeptic").carried
        assert "Left open before" in carried
    with Session.start(Home.open(home), deck_text=DECK, id="s12", presenter="Ines") as silent:
        assert not any("left open" in angle for angle in angles(silent))
        assert silent.context("skeptic").carried == ""
    with Session.start(Home.open(home), deck_text=DECK, id="s13", presenter="Otto", remember=True) as other:
        assert not any("left open" in angle for angle in angles(other))
    assert personas() == before


def test_without_the_wish_nothing_is_opened_or_kept(home: Path) -> None:
    with rehearse(home, "s1", remember=False) as session:
        assert not any(one.get("type") in ("scratchpads-asked", "flushed") for one in values(session))
    assert not MemoryDatabase.exists(home)


def test_nobody_without_a_name_is_remembered(home: Path) -> None:
    with pytest.raises(UsageError, match="--remember needs your name: give it with --presenter NAME"):
        Session.start(Home.open(home), deck_text=DECK, remember=True)


def test_switched_off_in_the_home_the_wish_is_kept_from_everything(home: Path) -> None:
    (home / "greenroom.yaml").write_text("memory: false\nfacts: false\ntrace: false\n")
    with rehearse(home, "s1") as session:
        assert session.verify().valid
        assert not (session.path / "trace").exists()
        assert not (session.path / "facts").exists()
    assert not MemoryDatabase.exists(home)


def test_ended_a_second_time_after_a_debrief_that_failed_nothing_is_kept_twice(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session.start(Home.open(home), deck_text=DECK, id="s1", presenter="Ines", remember=True)
    session.ask()
    session.answer(None)

    def full(rehearsal: OpenRehearsal) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("orchestrator.rehearsal.ending._write_debrief", full)
        with pytest.raises(OSError, match="No space left"):
            session.end()
    with MemoryDatabase.open(home) as db:
        kept = [one.id for one in memories(db, presenter="Ines")]
        pages = scratchpads(db, "Ines")
    session.end()
    with MemoryDatabase.open(home) as db:
        assert [one.id for one in memories(db, presenter="Ines")] == kept
        assert scratchpads(db, "Ines") == pages
    assert [one.get("type") for one in values(session)].count("scratchpads-asked") == 1
    session.close()


def test_erasing_a_session_takes_what_was_remembered_of_it(home: Path) -> None:
    from orchestrator.rehearsal.erasing import erase_session

    rehearse(home, "s1").close()
    at = Home.open(home)
    done = erase_session(at, at.find("s1"), archives=False)
    assert any(one.startswith("memory ") for one in done.removed)
    with MemoryDatabase.open(home) as db:
        assert memories(db, presenter="Ines", include_superseded=True) == ()


def test_erasing_what_is_only_archived_takes_what_was_remembered_of_it_too(
    home: Path,
) -> None:
    with rehearse(home, "s1") as session:
        archive_session(session.path, str(home / "archives"))
    thaw(session.path)
    shutil.rmtree(session.path)
    with MemoryDatabase.open(home) as db:
        kept = memories(db, presenter="Ines")
        assert {(one.source or "").partition("/")[0] for one in kept} == {"s1"}
        edit_memory(db, kept[0].id, content="The presenter's own words.", now="2026-11-23T10:00:00Z")
        edit_scratchpad(db, "skeptic", "Ines", f"Remember: {kept[1].content}", "2026-11-23T10:00:00Z")
    assert "is left in an archive only" in greenroom(home, "erase", "s1", check=False).stderr
    said = greenroom(home, "erase", "s1", "--archives", "--yes").stdout.splitlines()
    assert said[0] == f"removed {home}/archives/s1"
    assert sorted(said[1 : len(kept)]) == sorted(f"removed memory {one.id}" for one in kept[1:])
    pages = [one for one in said if "scratchpad" in one]
    assert pages[-1] == (
        "still on skeptic's scratchpad (write it anew without: "
        "`greenroom memory edit --scratchpad skeptic --content - --presenter Ines`)"
    )
    stays = f"{kept[0].id} (`greenroom memory forget {kept[0].id}` removes it)"
    assert said[len(kept) + len(pages) :] == [
        f"still remembered, since it was said elsewhere too or edited: {stays}"
    ]
    with MemoryDatabase.open(home) as db:
        assert [one.id for one in memories(db, presenter="Ines", include_superseded=True)] == [kept[0].id]
    assert not (home / "archives" / "s1").exists()


def test_what_is_carried_is_no_secret_of_the_ledger(home: Path) -> None:
    rehearse(home, "s1").close()
    with rehearse(home, "s2") as second:
        first_record = (second.path / "ledger" / "ledger.jsonl").read_text().partition("\n")[0]
        carried = json.loads(first_record)["value"]["carried"]
        assert set(carried) == {"texts", "open_points"}
        assert carried["open_points"][0]["session"] == "s1"
        assert second.verify().valid
