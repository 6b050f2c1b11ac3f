"""A torn last record is cut off and said; damage that no crash explains is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store import files, ledger
from orchestrator.core.store.ledger import Held, Unread
from orchestrator.core.store.store import Store
from orchestrator.panel.application import BOARD
from tests.helpers.stores import (
    CANDIDATE,
    TRANSCRIPT,
    contents,
    in_memory_but_clock,
    is_sound,
    ledger_of,
    on_disk,
    repaired,
    views,
)

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

# ---------------------------------------------------------------------- a torn last record


def torn_ends(root: Path) -> Iterator[tuple[bytes, bytes]]:
    """The ledger of the session and something that a crash can leave behind it."""
    content = ledger_of(root).read_bytes()
    head, seq = ledger.scan(content).head, len(ledger.scan(content).entries)
    record = ledger.Record(
        seq=seq + 1,
        op="note",
        by="x",
        clock_s=0.0,
        at="2026-11-22T10:00:00.000001Z",
        held=Held({"type": "x"}),
    )
    line, _ = ledger.encode(record, head)
    first, _ = ledger.encode(record, head, more=True)
    for cut in (1, 7, 60, len(line) // 2, len(line) - 2, len(line) - 1):
        yield content, line[:cut]
    yield content, first  # a transaction of which only the first record was written
    yield content, first + line[:30]
    yield content, bytes(600)
    yield content, line[:-40] + bytes(40)


def test_a_torn_last_record_is_cut_off_kept_aside_and_said(store: Store) -> None:
    root = store.root
    store.close()
    before = on_disk(root)
    ends = list(torn_ends(root))
    for content, rest in ends:
        ledger_of(root).write_bytes(content + rest)
        reader = Store(root)  # reads up to it, and changes nothing
        assert contents(reader) == views(root, reader)
        reader.close()
        assert ledger_of(root).read_bytes() == content + rest
        ((path, what),) = repaired(root)
        assert path == "ledger/ledger.jsonl"
        kept = what.rpartition(" kept in ")[2].rstrip(")")
        assert what == f"cut off a torn last record ({len(rest)} bytes kept in {kept})"
        assert (root / kept).read_bytes() == rest
        assert ledger_of(root).read_bytes() == content
        assert repaired(root) == []
    after = on_disk(root)
    assert {path: after[path] for path in before} == before
    assert len(after) == len(before) + len(ends)


def test_a_store_that_was_open_when_another_writer_died_mends_it_too(store: Store) -> None:
    store.append(TRANSCRIPT, "before\n", by="transcript")
    content = ledger_of(store.root).read_bytes()
    with open(ledger_of(store.root), "ab") as dying:
        dying.write(b'{"seq":99,"op":"app')
    assert store.catch_up() == store.seq
    store.append(TRANSCRIPT, "after\n", by="transcript")
    assert store.content(TRANSCRIPT).endswith("before\nafter\n")
    assert ledger_of(store.root).read_bytes().startswith(content)
    assert is_sound(store.root)
    assert [repair.path for repair in store.repairs] == ["ledger/ledger.jsonl"]


def test_a_view_that_a_dead_writer_left_behind_is_mended_by_the_next_write_of_any_store(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying = Store(store.root)
    monkeypatch.setattr(dying, "_show", lambda written: None)  # it dies between record and view
    with dying.transaction() as tx:
        tx.append(TRANSCRIPT, "only in the ledger\n", by="transcript")
        tx.write(CANDIDATE, "why 40 %?\n", by="skeptic")  # as long as the one before
    assert views(store.root, store) != contents(dying)
    store.note(Unread({"type": "x"}), by="moderator")
    assert views(store.root, store) == contents(store) == contents(dying)
    assert {(repair.path, repair.what) for repair in store.repairs} == {
        (path, "brought up to date with the ledger") for path in (TRANSCRIPT, CANDIDATE)
    }
    dying.close_files()


# ---------------------------------------------------------------------- damage that no crash explains


def damaged(content: bytes) -> Iterator[bytes]:
    lines = content.splitlines(keepends=True)
    for n in (0, 1, len(lines) // 2, len(lines) - 2, len(lines) - 1):
        before, line, behind = b"".join(lines[:n]), lines[n], b"".join(lines[n + 1 :])
        yield before + line.replace(b'"by"', b'"bY"') + behind
        yield before + line[:40] + b"\0" + line[41:] + behind
        yield before + line[:-1] + b" " + behind
        yield before + b"{}\n" + line + behind
        yield before + line + line + behind
        if behind:
            yield before + behind
            yield before + line[: len(line) // 2] + behind
    yield content + b"\n"
    yield content + b"someone was here\n"
    yield b"someone was here\n"


def test_damage_with_good_records_behind_it_is_refused_and_nothing_is_changed(store: Store) -> None:
    root = store.root
    store.close()
    content = ledger_of(root).read_bytes()
    for damage in damaged(content):
        ledger_of(root).write_bytes(damage)
        before = on_disk(root)
        with pytest.raises(LedgerCorruptError, match=r"ledger\.jsonl: .*restore the session") as caught:
            Store(root)
        assert "\n" not in str(caught.value)
        assert on_disk(root) == before


def test_the_damaged_record_itself_is_named_also_inside_a_transaction(store: Store) -> None:
    begun = store.seq
    with store.transaction() as tx:
        for text in ("one", "two", "three"):
            tx.append(TRANSCRIPT, text, by="transcript")
    store.close()
    ledger_of(store.root).write_bytes(ledger_of(store.root).read_bytes().replace(b'"two', b'"TWO'))
    with pytest.raises(LedgerCorruptError, match=rf"\(record {begun + 2}\)"):
        Store(store.root)


def test_damage_that_comes_while_a_store_is_open_stops_its_writes(store: Store) -> None:
    content = ledger_of(store.root).read_bytes()
    with open(ledger_of(store.root), "ab") as other:
        other.write(b"someone was here\n")
    disk = on_disk(store.root)
    for _ in range(2):
        with pytest.raises(LedgerCorruptError):
            store.append(TRANSCRIPT, "x\n", by="transcript")
        with pytest.raises(LedgerCorruptError):
            store.catch_up()
        assert on_disk(store.root) == disk
    ledger_of(store.root).write_bytes(content)
    store.append(TRANSCRIPT, "x\n", by="transcript")
    assert is_sound(store.root)


def test_a_reader_that_catches_a_writer_at_work_looks_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two bytes that it reads a writer may cut a torn record off and write another."""
    reader = Store(store.root)
    store.append(TRANSCRIPT, "one\n", by="transcript")
    store.append(TRANSCRIPT, "two\n", by="transcript")
    real, reads = files.read_range, []

    def mixed(fd: int, offset: int, size: int) -> bytes:
        reads.append(offset)
        content = real(fd, offset, size)
        return b"torn" + content[4:] if len(reads) == 1 else content

    monkeypatch.setattr(files, "read_range", mixed)
    assert reader.catch_up() == store.seq
    assert reader.content(TRANSCRIPT).endswith("one\ntwo\n")
    assert reads[0] == reads[1]
    reader.close()


def test_a_ledger_that_became_shorter_is_said(store: Store) -> None:
    content = ledger_of(store.root).read_bytes()
    os.truncate(ledger_of(store.root), len(content) // 2)
    with pytest.raises(LedgerCorruptError, match="shorter than it was"):
        store.append(TRANSCRIPT, "x\n", by="transcript")
    assert len(ledger_of(store.root).read_bytes()) == len(content) // 2


@pytest.mark.parametrize(
    "value",
    [
        {"ledger_version": 2, "panel": ["skeptic", "analyst"]},  # without a table
        {"ledger_version": 3, "panel": ["skeptic", "analyst"]},
        {"panel": ["skeptic", "analyst"]},
        {"ledger_version": 1},
        {"ledger_version": 1, "panel": "skeptic"},
        {"ledger_version": 1, "panel": ["skeptic"]},
        {"ledger_version": 1, "panel": 7},
    ],
)
def test_a_first_record_of_another_kind_is_refused(tmp_path: Path, value: dict[str, Any]) -> None:
    record = ledger.Record(1, "open", "start", 0.0, "2026-11-22T10:00:00.000001Z", held=Held(value))
    ledger_of(tmp_path).parent.mkdir()
    ledger_of(tmp_path).write_bytes(ledger.encode(record, ledger.FIRST_HASH)[0])
    with pytest.raises(LedgerCorruptError, match="use a later release"):
        Store(tmp_path, application=BOARD)


def test_a_record_of_a_file_that_no_row_has_is_refused_whole(store: Store) -> None:
    content = ledger_of(store.root).read_bytes()
    made = ledger.Record(
        seq=store.seq + 1, op="append", by="x", clock_s=0.0, at="2026-11-22T10:00:00.000001Z",
        file="shared/new-file.md", text="x", size_bytes=1, sha256="0" * 64,
    )  # fmt: skip
    ledger_of(store.root).write_bytes(content + ledger.encode(made, store.head)[0])
    memory = in_memory_but_clock(store)
    for _ in range(2):  # not only the first time
        with pytest.raises(LedgerCorruptError, match=r"names shared/new-file\.md"):
            store.catch_up()
    assert in_memory_but_clock(store) == memory
