"""A program's own notes have names of its own, and are carried along unread."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import UsageError
from orchestrator.core.store.ledger import Unread
from orchestrator.panel.records.kinds import value_of


@pytest.fixture
def session(home: Path) -> Session:
    return Session.start(Home.open(home), deck_text="# One\n\nWe grew by 30 percent.\n", id="s1")


def test_it_stands_in_the_ledger_as_it_was_given(session: Session) -> None:
    with session:
        first = session.note("review.finding", {"severity": "high"}, by="coordinator")
        with session.transaction() as tx:
            second = tx.note("review.finding", {"severity": "low"}, by="coordinator")
        values = [value_of(session.rehearsal.store.record(seq)) for seq in (first, second)]
        assert values == [Unread({"type": "review.finding", "severity": one}) for one in ("high", "low")]
        assert session.verify().valid


@pytest.mark.parametrize("name", ["verdict", "finding", "Review.finding", ".finding", "review.", "", "a b.c"])
def test_a_name_without_a_prefix_is_refused(session: Session, name: str) -> None:
    with session:
        before = session.rehearsal.store.seq
        with pytest.raises(UsageError, match="give it a prefix that is yours"):
            session.note(name, {}, by="coordinator")
        with pytest.raises(UsageError), session.transaction() as tx:
            tx.note(name, {}, by="coordinator")
        assert session.rehearsal.store.seq == before


def test_its_fields_do_not_name_another_type(session: Session) -> None:
    with session, pytest.raises(UsageError, match="`type`, which is taken"):
        session.note("review.finding", {"type": "verdict"}, by="coordinator")
