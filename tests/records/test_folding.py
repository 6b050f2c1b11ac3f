"""A record that is hashed right and still tells nothing a session could say is refused, by its number."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store.ledger import Held, Record, Unread
from orchestrator.panel.records.kinds import checked_value, fold, value_of
from orchestrator.panel.records.projection import Projection


@pytest.mark.parametrize("value", [{}, {"type": []}, {"type": "deck"}, {"type": "deck", "deck": 3}])
def test_a_value_that_is_none_of_its_type_is_refused(value: dict[str, Any]) -> None:
    record = Record(7, "note", "start", 0.0, "2026-11-23T10:00:00.000001Z", held=Held(value))
    with pytest.raises(
        LedgerCorruptError, match=r"^ledger record 7 is hashed right but is not in this format"
    ):
        fold(Projection(), record)


@pytest.mark.parametrize("type_", ["facts", "fact-run", "remembered", "tool-use", "settled"])
def test_one_of_memorys_in_another_shape_changes_nothing_and_stops_nothing(type_: str) -> None:
    value = {"type": type_, "run": "all", "tool": 3, "left_out": "x"}
    record = Record(7, "note", "x", 0.0, "2026-11-23T10:00:00.000001Z", held=Held(value))
    projection = Projection()
    fold(projection, record)
    assert projection == Projection()
    assert isinstance(value_of(record), Unread)
    with pytest.raises(LedgerCorruptError, match="ledger record 7"):  # who reads it for itself is told
        checked_value(record)
