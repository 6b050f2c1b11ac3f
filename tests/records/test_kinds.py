"""Every record of a kept ledger is read as its class, and written back as it stood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import Record, Unread, held
from orchestrator.panel.records.kinds import KINDS, value_of

ARCHIVES = Path(__file__).parents[1] / "archives"
LEDGERS = sorted(ARCHIVES.rglob("ledger.jsonl"))
NOT_THE_PANELS = {"receipt", "request", "reply"}


def records_of(path: Path) -> list[Record]:
    return [ledger.decode(line) for line in path.read_bytes().splitlines(keepends=True)]


@pytest.mark.parametrize("path", LEDGERS, ids=lambda path: path.relative_to(ARCHIVES).parts[0])
def test_a_kept_ledger_is_read_as_classes_and_written_back(path: Path) -> None:
    read = 0
    for record in records_of(path):
        value = value_of(record)
        if record.held is None or value is None:
            continue
        if isinstance(value, Unread):
            assert value.type in NOT_THE_PANELS, record.seq
            continue
        again = held(value)
        assert again is not None
        assert json.dumps(again.fields) == json.dumps(record.held.fields), record.seq
        read += 1
    assert read > 200


def test_a_type_stands_for_one_class() -> None:
    assert len({type_ for type_, _ in KINDS}) == len(KINDS) == len(set(KINDS.values()))
