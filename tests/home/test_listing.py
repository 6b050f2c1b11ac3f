"""The list of a home: each ledger is read once, and what it then shows is what stands there now."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.home.folder import LIST_CACHE
from orchestrator.core.store.store import DEGRADED_NAME, LEDGER_NAME
from orchestrator.documents import listing
from orchestrator.documents.listing import local
from orchestrator.material.speech.stream import LiveSegment
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.rehearsal.erasing import erase_session
from orchestrator.rehearsal.rehearsal import Rehearsal
from tests.helpers.live_feeds import until
from tests.helpers.rehearsals import DECK

WORDS = "Harbour"
IDS = ("s1", "s2", "s3")


@pytest.fixture
def kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home of three sessions whose list has been read and kept."""
    monkeypatch.setattr(listing, "MIN_NEW", 1)
    opened = Home.open(home)
    for name in IDS:
        Session.start(opened, deck_text=DECK, id=name, engine="offline", presenter=WORDS).close()
    until("settled ledgers", lambda: all(listing._stamp(opened.sessions / name) for name in IDS))
    listed(opened)
    assert (home / LIST_CACHE).is_file()
    return opened


def listed(home: Home, warn: Callable[[str], None] = lambda line: None) -> dict[str, dict[str, Any]]:
    return {row["session"]: row for row in local(home, None, warn)}


def fresh(home: Home) -> dict[str, dict[str, Any]]:
    """The list of a home that keeps nothing."""
    (home.root / LIST_CACHE).unlink(missing_ok=True)
    return listed(home)


def test_a_list_opens_no_session_that_it_knows(kept: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    open_ = Rehearsal.open

    def open_and_note(home: Home | None, session: Path, **options: Any) -> Rehearsal:
        opened.append(session.name)
        return open_(home, session, **options)

    monkeypatch.setattr(Rehearsal, "open", open_and_note)
    before = listed(kept)
    assert opened == []
    with Session.open(kept, kept.sessions / "s2") as session:
        session.hear(LiveSegment("We are the leading operator."))
    opened.clear()
    assert listed(kept) == before
    assert opened == ["s2"]
    assert before == fresh(kept)


def end(session: Session) -> None:
    session.end()


def die_at_the_drive(session: Session) -> None:
    with driving(session.rehearsal, "feed") as driven:
        driven.cut_short()


def degrade(session: Session) -> None:
    (session.path / DEGRADED_NAME).write_text("")


def damage(session: Session) -> None:
    ledger = session.path / LEDGER_NAME
    raw = ledger.read_bytes()
    ledger.write_bytes(raw.replace(b"Harbour", b"Harbors", 1))


@pytest.mark.parametrize(
    ("act", "state"),
    [(end, "ended"), (die_at_the_drive, "interrupted"), (degrade, "degraded"), (damage, "damaged")],
)
def test_a_known_session_that_has_changed_is_shown_as_it_is(
    kept: Home, act: Callable[[Session], None], state: str
) -> None:
    session = Session.open(kept, "s2")
    act(session)
    session.rehearsal.store.close_files()
    for _ in range(2):  # and again once it is known
        rows = listed(kept)
        assert [rows[name]["state"] for name in IDS] == ["active", state, "active"]
    assert rows == fresh(kept)


def test_a_session_is_active_for_as_long_as_it_is_driven(kept: Home) -> None:
    with Session.open(kept, "s2") as session:
        with driving(session.rehearsal, "feed"):
            until("a known session", lambda: listing._stamp(session.path))
            assert [listed(kept)["s2"]["state"] for _ in range(2)] == ["active", "active"]
        assert listed(kept)["s2"]["state"] == "active"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{",
        "[]",
        '{"version": 1}',
        '{"version": 2, "sessions": {}}',
        '{"version": 1, "sessions": {"s1": [1]}}',
    ],
)
def test_whatever_stands_in_the_cache_the_list_is_right(kept: Home, written: str) -> None:
    before = listed(kept)
    (kept.root / LIST_CACHE).write_text(written)
    assert listed(kept) == before


def test_a_home_that_may_not_be_written_is_listed(kept: Home) -> None:
    cache = kept.root / LIST_CACHE
    before = listed(kept)
    cache.unlink()
    cache.parent.rmdir()
    cache.parent.write_text("in the way")
    assert listed(kept) == before


def test_the_cache_holds_no_words_and_goes_with_an_erased_session(kept: Home) -> None:
    assert WORDS not in (kept.root / LIST_CACHE).read_text("utf-8")
    erase_session(kept, kept.sessions / "s2", archives=True)
    assert not (kept.root / LIST_CACHE).exists()
    assert sorted(listed(kept)) == ["s1", "s3"]
    assert "s2" not in (kept.root / LIST_CACHE).read_text("utf-8")


def test_a_folder_under_another_name_is_no_session_of_that_name(kept: Home) -> None:
    os.rename(kept.sessions / "s2", kept.sessions / "s4")
    assert [listed(kept)["s4"]["state"] for _ in range(2)] == ["damaged", "damaged"]
