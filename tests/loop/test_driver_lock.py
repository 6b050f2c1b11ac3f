"""A drive beside other processes: whatever they do in between, nothing is told that is not so."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.store.ledger import Value
from orchestrator.panel.loop import driver_lock
from orchestrator.panel.loop.driver_lock import driving, is_driven, state_of
from orchestrator.panel.records.moderator import Driving

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"


@pytest.fixture
def session(home: Path) -> Session:
    return Session.start(Home.open(home), deck_text=DECK, id="s1", engine="offline")


def test_an_end_elsewhere_while_a_drive_is_being_closed_is_no_error(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = session.rehearsal.store.note

    def note_behind_an_end(value: Value, *, by: str) -> int:
        if isinstance(value, Driving) and value.state == "stopped":
            elsewhere.end()  # after the drive's last look at the ledger, before its last record
        return note(value, by=by)

    monkeypatch.setattr(session.rehearsal.store, "note", note_behind_an_end)
    with session, Session.open(session.home, "s1") as elsewhere:
        with driving(session.rehearsal, "feed"):
            assert session.projection.driver == "feed"
        assert session.state == "ended"
        assert session.verify().valid


def test_a_drive_that_closes_while_somebody_looks_was_not_interrupted(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session, Session.open(session.home, "s1") as elsewhere:
        drive = driving(elsewhere.rehearsal, "feed")
        drive.__enter__()
        assert session.state == "active"

        def is_driven_no_more(root: Path) -> bool:
            drive.__exit__(None, None, None)  # between the look at the ledger and the look at the lock
            return is_driven(root)

        monkeypatch.setattr(driver_lock, "is_driven", is_driven_no_more)
        assert state_of(session.rehearsal) == "active"


def test_a_drive_that_left_no_closing_record_was_interrupted(session: Session) -> None:
    with session:
        with driving(session.rehearsal, "feed") as driven:
            driven.cut_short()
        assert session.state == "interrupted"
