"""A record that is hashed right and still tells nothing a session could say is refused, by its number."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.errors import LedgerCorruptError
from orchestrator.records.kinds import fold
from orchestrator.records.projection import Projection
from orchestrator.store.ledger import Record
from orchestrator.store.value import held


@pytest.mark.parametrize("value", [{}, {"type": []}, {"type": "deck"}, {"type": "deck", "deck": 3}])
def test_a_value_that_is_none_of_its_type_is_refused(value: dict[str, Any]) -> None:
    record = Record(7, "note", "start", 0.0, "2026-11-23T10:00:00.000001Z", held=held(value))
    with pytest.raises(
        LedgerCorruptError, match=r"^ledger record 7 is hashed right but is not in this format"
    ):
        fold(Projection(), record)
