"""What tests of the store compare: a session's bytes on disk, and what a store holds in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import GreenroomError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store import ledger
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.ledger import ReceiptNote, Record, Unread
from orchestrator.core.store.store import Store, create_store
from orchestrator.panel.records.moderator import Frozen

PANEL = ("skeptic", "analyst")
TRANSCRIPT = "shared/presenter-transcript.md"
INTEL = "shared/external-intel.md"
DECK = "shared/deck-content.md"
CANDIDATE = "skeptic/candidate-question.md"
NOTES = "skeptic/exchange-notes.md"


def bare(root: Path, panel: tuple[str, ...] = PANEL, **value: Any) -> Store:
    """A session of which nothing is written yet but the first record."""
    return create_store(root, packaged_table().seated(panel), Unread({"templates": {}, **value}))


def receipt_note(receipt_id: str, agent: str = "skeptic") -> tuple[str, ReceiptNote]:
    """What `Store.add_receipt` is given."""
    return receipt_id, ReceiptNote({agent: receipt_id}, "test", 1, "offline")


def blueprints(store: Store) -> None:
    """Put a bare blueprint in place of every file that has one."""
    with store.transaction() as tx:
        for path, row in store.layout.files.items():
            if row.has_blueprint:
                tx.create(path, f"# {path}\n")


def on_disk(root: Path) -> dict[str, bytes]:
    """Every file below *root*, the ledger too."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def in_memory(store: Store) -> dict[str, Any]:
    """All that a store tells of its session without looking at the disk again."""
    return {
        "seq": store.seq,
        "head": store.head,
        "frozen": store.frozen,
        "entries": list(store.entries()),
        "waiting": store.waiting_receipts,
        "clock_s": store.now_s(),
        "files": {
            path: (tuple(state.seqs), state.revisions, state.size_bytes, state.sha256)
            for path in store.layout.files
            for state in [store.state(path)]
        },
        "contents": {path: store.content(path) for path in store.layout.files},
    }


@contextmanager
def refused(store: Store, error: type[GreenroomError], *words: str) -> Iterator[None]:
    """The block raises exactly *error*, in one line that holds *words*, and changes nothing."""
    store.catch_up()
    disk, memory = on_disk(store.root), in_memory(store)
    with pytest.raises(error) as caught:
        yield
    assert caught.type is error
    message = str(caught.value)
    assert "\n" not in message
    assert [word for word in words if word not in message] == [], message
    assert on_disk(store.root) == disk
    assert in_memory(store) == memory


def fields_of(record: Record) -> Mapping[str, Any]:
    """A record's value as JSON has it; empty where it has none."""
    return record.held.fields if record.held is not None else {}


def values_of(store: Store, *types: str) -> list[Mapping[str, Any]]:
    """The value of each record in order, as JSON has it: of these types, else of all that have one."""
    found = [fields_of(store.record(entry.seq)) for entry in store.entries()]
    return [value for value in found if value and (not types or value.get("type") in types)]


def records(root: Path) -> list[Mapping[str, Any]]:
    """The ledger's lines as plain JSON."""
    lines = ledger_of(root).read_bytes().splitlines(keepends=True)
    return [json.loads(line) for line in lines]


def views(root: Path, store: Store) -> dict[str, str]:
    """The session files as they stand on the disk; "" where there is none."""
    return {
        path: (root / path).read_bytes().decode() if (root / path).is_file() else ""
        for path in store.layout.files
    }


def contents(store: Store) -> dict[str, str]:
    """The session files as the ledger has them."""
    store.catch_up()
    return {path: store.content(path) for path in store.layout.files}


def is_sound(root: Path) -> bool:
    """Whether the whole ledger is read, to its last byte, by a scan from its beginning."""
    content = ledger_of(root).read_bytes()
    return ledger.scan(content).end == len(content)


def ledger_of(root: Path) -> Path:
    """Where the ledger of the session at *root* is."""
    return root / LEDGER_NAME


def repaired(root: Path) -> list[tuple[str, str]]:
    """Open and lock the session, as `resume` does; what was mended."""
    told: list[tuple[str, str]] = []
    opened = Store(root, on_repair=lambda repair: told.append((repair.path, repair.what)))
    with opened.transaction():
        pass
    assert told == [(repair.path, repair.what) for repair in opened.repairs]
    assert views(root, opened) == contents(opened)
    opened.close()
    return told


def every_write(store: Store) -> list[Callable[[], object]]:
    """One write of each kind, none done yet."""
    return [
        lambda: store.append(TRANSCRIPT, "lost\n", by="transcript"),
        lambda: store.write(CANDIDATE, "lost\n", by="skeptic"),
        lambda: store.write(INTEL, "lost\n", by="intel"),
        lambda: store.note(Unread({"type": "x"}), by="moderator"),
        lambda: store.freeze(Frozen({})),
    ]


def in_memory_but_clock(store: Store) -> dict[str, Any]:
    """`in_memory`, without the clock, which runs."""
    return {**in_memory(store), "clock_s": None}
