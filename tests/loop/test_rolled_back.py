"""A step that is rolled back at any of its writes leaves nothing behind, and can be taken again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.transaction import Draft
from orchestrator.panel.loop import recorded
from orchestrator.panel.records.kinds import fold
from orchestrator.panel.records.projection import Projection
from tests.helpers.rehearsals import loaded, write_rehearsal


class RolledBackError(Exception):
    """Raised in place of a write."""


def folded(session: Session) -> Projection:
    store, anew = session.rehearsal.store, Projection()
    for entry in store.entries():
        fold(anew, store.record(entry.seq))
    return anew


def told(session: Session) -> list[tuple[Any, ...]]:
    """What every record says, but for the receipts: a context that was prepared again has one more."""
    store = session.rehearsal.store
    records = (store.record(entry.seq) for entry in store.entries() if entry.op != "receipt")
    return [
        (one.op, one.by, one.file, one.text, one.clock_s, one.held.fields if one.held is not None else None)
        for one in records
    ][1:]  # the first names the session


@pytest.mark.parametrize("mode", ["section-breaks", "hand-raise"])
def test_a_run_that_is_rolled_back_at_every_write_is_the_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    recording = write_rehearsal(tmp_path)
    with loaded(home, recording, id="whole", mode=mode) as session:
        while recorded.step(session.rehearsal):
            pass
        whole = told(session)
    write, refused = Draft._record, set[int]()

    def refused_once(draft: Draft, op: str, by: str, **more: Any) -> Record:
        # Counted without receipts: at each try another one waits.
        own = sum(one.op != "receipt" for one in draft.records)
        place = len(told(session)) + own
        if op != "receipt" and place not in refused:
            refused.add(place)
            raise RolledBackError
        return write(draft, op, by, **more)

    with loaded(home, recording, id="twin", mode=mode) as session:
        monkeypatch.setattr(Draft, "_record", refused_once)
        goes_on = True
        while goes_on:
            try:
                goes_on = recorded.step(session.rehearsal)
            except RolledBackError:
                assert session.projection == folded(session)
        assert told(session) == whole
        assert session.projection == folded(session)
    assert len(refused) > 100


def test_a_transaction_sees_its_own_records_and_nobody_else_does(home: Path) -> None:
    with Session.start(Home.open(home), deck_text="# One\n\nWe grew by 30 percent.\n", id="s1") as session:
        session.slide(1)
        before = session.projection
        with Session.open(session.home, "s1") as other, session.transaction() as tx:
            tx.append("shared/presenter-transcript.md", "We sell.\n", by="transcript")
            assert [one.text for one in session.projection.segments] == ["We sell."]
            assert session.projection.voice_from_s is not None
            assert (before.segments, before.voice_from_s, other.projection.segments) == ([], None, [])
            tx.append("shared/presenter-transcript.md", "We buy.\n", by="transcript")
            assert len(session.projection.segments) == 2
        assert session.projection is before
        assert len(before.segments) == 2
