"""What a crash, a full disk, a failing disk or a stranger's hand leaves, and how the store mends it."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import (
    GreenroomError,
    LedgerCorruptError,
    SessionDegradedError,
    SessionNotFoundError,
    StoreWriteError,
)
from orchestrator.store import files, ledger
from orchestrator.store.history import History
from orchestrator.store.store import Store
from orchestrator.store.views import Views
from tests.helpers.stores import (
    CANDIDATE,
    DECK,
    INTEL,
    NOTES,
    TRANSCRIPT,
    bare,
    blueprints,
    contents,
    in_memory,
    is_sound,
    on_disk,
    records,
    refused,
    views,
)

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A session with a record of every class, open."""
    store = bare(tmp_path / "s")
    blueprints(store)
    store.write(DECK, "# Slide 1\n", by="start")
    store.write(INTEL, "none\n", by="start")
    store.write(CANDIDATE, "Why 40 %?\n", by="skeptic")
    for number in range(3):
        store.append(TRANSCRIPT, f"[00:0{number}] Presenter: word {number}\n", by="transcript")
    yield store
    store.close_files()


def ledger_of(root: Path) -> Path:
    return root / "ledger" / "ledger.jsonl"


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


# ---------------------------------------------------------------------- a torn last record


def torn_ends(root: Path) -> Iterator[tuple[bytes, bytes]]:
    """The ledger of the session and something that a crash can leave behind it."""
    content = ledger_of(root).read_bytes()
    head, seq = ledger.scan(content).head, len(ledger.scan(content).entries)
    record = ledger.Record(
        seq=seq + 1, op="note", by="x", clock_s=0.0, at="2026-11-22T10:00:00.000001Z", value={"type": "x"}
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
    with dying.transaction():
        dying.append(TRANSCRIPT, "only in the ledger\n", by="transcript")
        dying.write(CANDIDATE, "why 40 %?\n", by="skeptic")  # as long as the one before
    assert views(store.root, store) != contents(dying)
    store.note({"type": "x"}, by="moderator")
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
    with store.transaction():
        for text in ("one", "two", "three"):
            store.append(TRANSCRIPT, text, by="transcript")
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
        {"ledger_version": 2, "panel": ["skeptic", "analyst"]},
        {"panel": ["skeptic", "analyst"]},
        {"ledger_version": 1},
        {"ledger_version": 1, "panel": "skeptic"},
        {"ledger_version": 1, "panel": ["skeptic"]},
        {"ledger_version": 1, "panel": 7},
    ],
)
def test_a_first_record_of_another_kind_is_refused(tmp_path: Path, value: dict[str, Any]) -> None:
    record = ledger.Record(1, "open", "start", 0.0, "2026-11-22T10:00:00.000001Z", value=value)
    ledger_of(tmp_path).parent.mkdir()
    ledger_of(tmp_path).write_bytes(ledger.encode(record, ledger.FIRST_HASH)[0])
    with pytest.raises(LedgerCorruptError, match="use a later release"):
        Store(tmp_path)


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


def in_memory_but_clock(store: Store) -> dict[str, Any]:
    return {**in_memory(store), "clock_s": None}


# ---------------------------------------------------------------------- views


def test_views_that_are_behind_are_brought_up_to_date(store: Store) -> None:
    root = store.root
    store.close()
    whole = (root / TRANSCRIPT).read_bytes()
    for raw in (b"", whole[:10], whole[: len(whole) // 2], bytes(len(whole)), whole[:20] + bytes(30)):
        (root / TRANSCRIPT).write_bytes(raw)
        assert repaired(root) == [(TRANSCRIPT, "brought up to date with the ledger")]
        assert (root / TRANSCRIPT).read_bytes() == whole
    (root / TRANSCRIPT).unlink()
    (root / CANDIDATE).write_text(f"# {CANDIDATE}\n")  # what it held before its last write
    assert repaired(root) == [
        (TRANSCRIPT, "was missing and has been put back from the ledger"),
        (CANDIDATE, "brought up to date with the ledger"),
    ]
    assert not (root / "ledger" / "rejected").exists()


def test_views_that_were_changed_from_outside_are_put_back_and_the_other_version_kept(store: Store) -> None:
    root, seq = store.root, store.seq
    store.close()
    before = on_disk(root)
    changes = {
        TRANSCRIPT: before[TRANSCRIPT] + b"and I never said that\n",
        CANDIDATE: b"Why not?\n",
        DECK: b"# Slide 1 \n",
        NOTES: b"\xff\xfe\0",
    }
    for path, raw in changes.items():
        (root / path).write_bytes(raw)
    told = dict(repaired(root))
    assert set(told) == set(changes)
    for path, raw in changes.items():
        kept = f"ledger/rejected/{seq}-{path.replace('/', '-')}"
        assert told[path] == (
            "was changed from outside and has been put back from the ledger: "
            f"what stood there is kept in {kept}"
        )
        assert (root / kept).read_bytes() == raw
    assert {path: raw for path, raw in on_disk(root).items() if "rejected" not in path} == before


def test_every_rejected_version_is_kept_also_of_one_file_at_one_record(store: Store) -> None:
    root, seq = store.root, store.seq
    store.close()
    for number in range(3):
        (root / CANDIDATE).write_text(f"change {number}\n")
        repaired(root)
    kept = root / "ledger" / "rejected"
    name = f"{seq}-skeptic-candidate-question.md"
    assert {path.name: path.read_text() for path in kept.iterdir()} == {
        name: "change 0\n",
        f"{name}-2": "change 1\n",
        f"{name}-3": "change 2\n",
    }


def test_a_disk_that_takes_no_more_is_told_with_the_file_that_it_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    (store.root / CANDIDATE).unlink()

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(StoreWriteError) as error:
        Store(store.root).append(TRANSCRIPT, "word", by="transcript")
    assert str(error.value) == (
        f"{store.root / CANDIDATE}: no space left on device while putting the files in order; nothing was "
        "written: check the disk and the rights, then try again"
    )


def test_a_file_that_was_not_written_yet_is_put_aside(tmp_path: Path) -> None:
    bare(tmp_path / "s").close()
    (tmp_path / "s" / DECK).write_text("not mine\n")
    ((path, what),) = repaired(tmp_path / "s")
    assert path == DECK
    assert what == (
        "something was there before the first write: what stood there is kept in "
        "ledger/rejected/1-shared-deck-content.md"
    )
    assert not (tmp_path / "s" / DECK).exists()


def test_reading_never_mends(store: Store) -> None:
    store.close()
    (store.root / TRANSCRIPT).write_text("changed\n")
    (store.root / CANDIDATE).unlink()
    before = on_disk(store.root)
    reader = Store(store.root)
    assert reader.content(TRANSCRIPT).endswith("word 2\n")
    assert reader.content(CANDIDATE) == "Why 40 %?\n"
    reader.close()
    assert on_disk(store.root) == before


def test_a_view_that_cannot_be_written_does_not_fail_the_write(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: Any, **named: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(files, "replace_file", full)
        store.write(CANDIDATE, "Since when?\n", by="skeptic")
    assert store.content(CANDIDATE) == "Since when?\n"
    assert (store.root / CANDIDATE).read_text() == "Why 40 %?\n"
    store.note({"type": "x"}, by="moderator")
    assert (store.root / CANDIDATE).read_text() == "Since when?\n"


# ---------------------------------------------------------------------- an interrupt


@pytest.mark.parametrize("call", range(3))
@pytest.mark.parametrize(
    ("place", "name"),
    [
        (ledger, "encode"),
        (files, "append_whole"),
        (files, "sync_file"),
        (History, "keep"),
        (History, "views"),
        (History, "tell"),
        (Views, "append"),
        (files, "replace_file"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_an_interrupt_at_any_moment_of_a_write_leaves_it_whole_or_undone(
    store: Store, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, call: int
) -> None:
    """Ctrl-C right before a step of a transaction's end, or of a single append's."""
    before, seq = store.texts(TRANSCRIPT), store.seq
    real, calls = getattr(place, name), []

    def interrupted(*given: Any, **named: Any) -> Any:
        calls.append(name)
        if len(calls) == call + 1:
            raise KeyboardInterrupt
        return real(*given, **named)

    def write() -> None:
        with store.transaction():
            store.append(TRANSCRIPT, "one\n", by="transcript")
            store.write(CANDIDATE, "Which one?\n", by="skeptic")
            store.append(NOTES, "one\n", by="skeptic")
        store.append(TRANSCRIPT, "two\n", by="transcript")
        store.append(TRANSCRIPT, "three\n", by="transcript")

    with monkeypatch.context() as patched:
        patched.setattr(place, name, interrupted)
        with suppress(KeyboardInterrupt):
            write()
    store.append(TRANSCRIPT, "after\n", by="transcript")
    written = store.texts(TRANSCRIPT)[len(before) :]
    assert written[-1] == "after\n"
    assert written[:-1] == ["one\n", "two\n", "three\n"][: len(written) - 1]
    assert store.seq == seq + 1 + len(written) - 1 + 2 * ("one\n" in written)
    assert (store.content(CANDIDATE) == "Which one?\n") is ("one\n" in written)
    assert views(store.root, store) == contents(store)
    assert is_sound(store.root)
    fresh = Store(store.root)
    assert (contents(fresh), fresh.head) == (contents(store), store.head)
    fresh.close()


# ---------------------------------------------------------------------- a failing sync


class FailingSync:
    """Stands for `files.sync_file`: fails the first time, and counts what is asked of each file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, failures: int = 1) -> None:
        self.calls: list[int] = []
        self.failures = failures
        self._real = files.sync_file
        monkeypatch.setattr(files, "sync_file", self)

    def __call__(self, fd: int) -> None:
        self.calls.append(os.fstat(fd).st_ino)
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._real(fd)


def every_write(store: Store) -> list[Callable[[], object]]:
    return [
        lambda: store.append(TRANSCRIPT, "lost\n", by="transcript"),
        lambda: store.write(CANDIDATE, "lost\n", by="skeptic"),
        lambda: store.write(INTEL, "lost\n", by="intel"),
        lambda: store.note({"type": "x"}, by="moderator"),
        lambda: store.freeze({"type": "freeze"}),
    ]


def test_a_failed_sync_is_never_tried_again_and_nothing_is_acknowledged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = store.root, Store(store.root)
    disk, memory = on_disk(root), in_memory(store)
    sync = FailingSync(monkeypatch)
    store.add_receipt("r000000000001", {"agent": "skeptic"})
    with pytest.raises(StoreWriteError, match=r"the sync failed \(input/output error\).*degraded.*resume"):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert len(sync.calls) == 1
    assert store.is_degraded
    assert other.is_degraded
    assert store.waiting_receipts == (("r000000000001", {"agent": "skeptic"}),)
    for each in (store, other, Store(root)):
        for write in every_write(each):
            with pytest.raises(SessionDegradedError, match="run `greenroom resume`"):
                write()
    assert len(sync.calls) == 1  # never called again, for these bytes or any
    assert on_disk(root) == {**disk, "ledger/degraded": b""}
    assert {**in_memory(store), "waiting": ()} == memory
    assert contents(other) == memory["contents"]  # it can still be read


def test_a_degraded_session_goes_on_once_the_disk_takes_a_new_file(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = store.root
    inode = ledger_of(root).stat().st_ino
    sync = FailingSync(monkeypatch, failures=2)
    with pytest.raises(StoreWriteError):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    disk = on_disk(root)
    with pytest.raises(StoreWriteError, match="the disk still refuses"):
        store.undegrade()
    assert store.is_degraded
    assert on_disk(root) == disk
    store.undegrade()
    assert not store.is_degraded
    assert sync.calls.count(inode) == 1
    assert on_disk(root) == {path: raw for path, raw in disk.items() if path != "ledger/degraded"}
    store.append(TRANSCRIPT, "kept\n", by="transcript")
    assert "lost" not in store.content(TRANSCRIPT)
    assert store.content(TRANSCRIPT).endswith("word 2\nkept\n")
    assert is_sound(root)
    store.undegrade()  # no harm where nothing is wrong


def test_a_failed_sync_while_a_torn_record_is_cut_degrades_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(ledger_of(store.root), "ab") as dying:
        dying.write(b'{"seq":99,"op":"app')
    sync = FailingSync(monkeypatch)
    with pytest.raises(StoreWriteError, match="degraded"):
        store.append(TRANSCRIPT, "x\n", by="transcript")
    with pytest.raises(SessionDegradedError):
        store.append(TRANSCRIPT, "x\n", by="transcript")
    assert len(sync.calls) == 1
    store.undegrade()
    store.append(TRANSCRIPT, "x\n", by="transcript")
    assert is_sound(store.root)


def test_a_session_degrades_in_this_process_where_not_even_the_mark_can_be_made(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    FailingSync(monkeypatch)

    def refuse(*given: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patched:
        patched.setattr(os, "ftruncate", refuse)
        patched.setattr(store, "_marker", str(store.root / "nowhere" / "degraded"))
        with pytest.raises(StoreWriteError, match="the sync failed"):
            store.append(TRANSCRIPT, "in doubt\n", by="transcript")
        with pytest.raises(SessionDegradedError):
            store.append(TRANSCRIPT, "x\n", by="transcript")
    assert is_sound(store.root)  # the record could not be cut off: it is whole, or the next writer cuts it


# ---------------------------------------------------------------------- a full disk


def short(limit: int) -> Callable[[int, Any], int]:
    """`os.write` that takes *limit* bytes and not one more, as a full disk does."""
    real = os.write

    def write(fd: int, content: Any) -> int:
        return real(fd, memoryview(content)[:limit])

    return write


def failing(number: int) -> Callable[[int, Any], int]:
    def write(fd: int, content: Any) -> int:
        raise OSError(number, os.strerror(number))

    return write


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (short(0), "the disk took 0 of"),
        (short(1), "the disk took 1 of"),
        (short(100), "the disk took 100 of"),
        (failing(errno.ENOSPC), "no space left on device"),
        (failing(errno.EIO), "input/output error"),
        (failing(errno.EDQUOT), "disk quota exceeded"),
        (failing(errno.EFBIG), "file too large"),
    ],
)
def test_a_write_that_the_disk_refuses_leaves_everything_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch, write: Callable[[int, Any], int], words: str
) -> None:
    store.add_receipt("r000000000001", {"agent": "skeptic"})
    for attempt in [*every_write(store), store.flush]:
        with monkeypatch.context() as patched, refused(store, StoreWriteError, "ledger.jsonl", words):
            patched.setattr(os, "write", write)
            attempt()
    store.append(TRANSCRIPT, "kept\n", by="transcript")
    assert store.content(TRANSCRIPT).endswith("word 2\nkept\n")
    assert views(store.root, store) == contents(store)
    assert is_sound(store.root)


def test_where_cutting_back_fails_as_well_the_next_writer_cuts(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, memory = on_disk(store.root), in_memory(store)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", short(30))
        patched.setattr(os, "ftruncate", failing(errno.EIO))
        with pytest.raises(StoreWriteError, match="cutting back failed as well"):
            store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert in_memory(store) == memory
    assert len(on_disk(store.root)["ledger/ledger.jsonl"]) == len(disk["ledger/ledger.jsonl"]) + 30
    store.append(TRANSCRIPT, "kept\n", by="transcript")
    assert is_sound(store.root)
    assert [repair.path for repair in store.repairs] == ["ledger/ledger.jsonl"]


def fill_and_free(root: Path, free: Callable[[], None]) -> None:
    """Append until the disk refuses, then make room and go on: nothing acknowledged is lost."""
    store = bare(root)
    kept = 0
    message = ""
    while not message:
        try:
            store.append(TRANSCRIPT, f"{kept:05} {'x' * 500}\n", by="transcript")
            kept += 1
        except StoreWriteError as error:
            message = str(error)
    assert kept > 10
    assert "nothing was written" in message
    assert "\n" not in message
    for _ in range(5):
        before = on_disk(root)["ledger/ledger.jsonl"]
        with pytest.raises(StoreWriteError):
            store.append(TRANSCRIPT, f"{kept:05} {'x' * 5000}\n", by="transcript")
        assert on_disk(root)["ledger/ledger.jsonl"] == before
    assert is_sound(root)
    reader = Store(root)
    for each in (store, reader):
        assert [line[:5] for line in each.texts(TRANSCRIPT)] == [f"{number:05}" for number in range(kept)]
        assert each.content(TRANSCRIPT).count("\n") == kept
    reader.close()
    free()
    store.append(TRANSCRIPT, "at last\n", by="transcript")
    assert views(root, store) == contents(store)
    assert is_sound(root)
    store.close()


def test_a_real_disk_of_64_kb(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount a small disk; the limit on file sizes below is tried anyway")
    try:
        projection = [*mount[:4], "remount,size=256k", str(small)]
        fill_and_free(small / "s", lambda: subprocess.run(projection, check=True).check_returncode())
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


LIMITED = """
import resource, sys
from pathlib import Path
from tests.store.test_crash import fill_and_free
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
fill_and_free(Path(sys.argv[1]), lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard)))
"""


def test_a_real_limit_on_file_sizes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path / "s")], cwd=ROOT, check=True)


def test_a_start_that_the_disk_refuses_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", failing(errno.ENOSPC))
    with pytest.raises(StoreWriteError, match="no space left on device; no session was made"):
        bare(tmp_path / "s")


def test_too_many_open_files_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Store(store.root)
    before = on_disk(store.root)
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", failing(errno.EMFILE))
        with pytest.raises(StoreWriteError, match="too many open files"):
            other.append(TRANSCRIPT, "x\n", by="transcript")
        with pytest.raises(SessionNotFoundError, match="too many open files"):
            Store(store.root)
    assert on_disk(store.root) == before
    other.append(TRANSCRIPT, "x\n", by="transcript")
    other.close()


# ---------------------------------------------------------------------- something else in a file's place


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file that is no business of ours, with a folder around it."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("file", "presenter-transcript.md", "candidate-question.md", "deck-content.md"):
        (folder / name).write_text("not ours\n")
    return folder


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """A pipe that is opened the wrong way waits for ever: better to fail."""

    def ring(*given: Any) -> None:
        raise TimeoutError("something waits that must not")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


Put = Callable[[Path, Path], object]
PUT: dict[str, Put] = {
    "link": lambda path, outside: path.symlink_to(outside / "file"),
    "dangling link": lambda path, outside: path.symlink_to(outside / "new"),
    "link to a folder": lambda path, outside: path.symlink_to(outside),
    "hard link": lambda path, outside: path.hardlink_to(outside / "file"),
    "pipe": lambda path, outside: os.mkfifo(path),
    "folder": lambda path, outside: (path / "x").mkdir(parents=True),
    "socket": lambda path, outside: os.mknod(path, 0o600 | stat.S_IFSOCK),
}
FILES = [TRANSCRIPT, CANDIDATE, DECK, "moderator/generated-phrases.md"]  # the last is not written yet


@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
@pytest.mark.parametrize("kind", PUT)
@pytest.mark.parametrize("path", FILES)
def test_what_stands_in_a_files_place_is_never_followed(
    store: Store, outside: Path, path: str, kind: str, when: str
) -> None:
    kept = on_disk(outside)
    (store.root / path).unlink(missing_ok=True)
    PUT[kind](store.root / path, outside)
    writer = store if when == "while it is open" else Store(store.root)
    expected = contents(writer)
    assert expected[TRANSCRIPT].endswith("word 2\n")  # read from the ledger, nothing waits
    writer.append(TRANSCRIPT, "more\n", by="transcript")
    writer.write(CANDIDATE, "Which?\n", by="skeptic")
    writer.append("moderator/generated-phrases.md", "And now?\n", by="moderator")
    writer.append("moderator/generated-phrases.md", "And then?\n", by="moderator")
    repaired(store.root)
    assert on_disk(outside) == kept
    assert not (outside / "new").exists()
    status = (store.root / path).lstat()
    assert (stat.S_ISREG(status.st_mode), status.st_nlink) == (True, 1)
    assert is_sound(store.root)
    if writer is not store:
        writer.close()


FOLDERS: dict[str, Put] = {
    "link": lambda path, outside: path.symlink_to(outside),
    "dangling link": lambda path, outside: path.symlink_to(outside / "new"),
    "file": lambda path, outside: path.write_text("a file"),
    "pipe": lambda path, outside: os.mkfifo(path),
    "nothing": lambda path, outside: None,
    "another folder": lambda path, outside: path.mkdir(),
}


@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
@pytest.mark.parametrize("kind", FOLDERS)
@pytest.mark.parametrize("folder", ["shared", "skeptic"])
def test_what_stands_in_a_folders_place_is_never_followed(
    store: Store, outside: Path, folder: str, kind: str, when: str
) -> None:
    kept = on_disk(outside)
    (store.root / folder).rename(store.root.parent / "moved")
    moved = on_disk(store.root.parent / "moved")
    FOLDERS[kind](store.root / folder, outside)
    writer = store if when == "while it is open" else Store(store.root)
    for number in range(3):
        writer.append(TRANSCRIPT, f"more {number}\n", by="transcript")
        writer.write(CANDIDATE, f"Which {number}?\n", by="skeptic")
    writer.note({"type": "x"}, by="moderator")
    assert views(store.root, writer) == contents(writer)
    assert on_disk(outside) == kept
    assert on_disk(store.root.parent / "moved") == moved  # nor is the folder that was there before
    assert not (outside / "new").exists()
    assert (store.root / folder).is_dir()
    assert not (store.root / folder).is_symlink()
    if writer is not store:
        writer.close()


@pytest.mark.parametrize("kind", [*PUT, "nothing"])
def test_what_stands_in_the_ledgers_place_is_refused(store: Store, outside: Path, kind: str) -> None:
    content = ledger_of(store.root).read_bytes()
    (outside / "file").write_bytes(content)
    kept = on_disk(outside)
    ledger_of(store.root).unlink()
    if kind != "nothing":
        PUT[kind](ledger_of(store.root), outside)
    with pytest.raises(GreenroomError) as caught:  # the store that has the old one open
        store.append(TRANSCRIPT, "x\n", by="transcript")
    assert isinstance(caught.value, StoreWriteError)
    assert "\n" not in str(caught.value)
    if kind == "hard link":  # can be read; a write would change both
        again = Store(store.root)
        with pytest.raises(StoreWriteError, match="has a second name"):
            again.append(TRANSCRIPT, "x\n", by="transcript")
        again.close()
    else:
        with pytest.raises(SessionNotFoundError, match="no session here"):
            Store(store.root)
    assert on_disk(outside) == kept


def test_a_ledger_folder_that_is_a_link_is_refused(store: Store, outside: Path) -> None:
    store.close()
    (store.root / "ledger").rename(outside / "ledger")
    kept = on_disk(outside)
    (store.root / "ledger").symlink_to(outside / "ledger")
    with pytest.raises(SessionNotFoundError, match="no session here"):
        Store(store.root)
    assert on_disk(outside) == kept


@pytest.mark.parametrize("name", ["torn", "rejected"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "file", "pipe"])
def test_what_stands_where_things_are_put_aside_is_put_aside_and_never_followed(
    store: Store, outside: Path, name: str, kind: str
) -> None:
    root = store.root
    store.close()
    FOLDERS[kind](root / "ledger" / name, outside)
    was = (root / "ledger" / name).lstat()
    with open(ledger_of(root), "ab") as dying:
        dying.write(b'{"seq":99,"op":"app')
    (root / TRANSCRIPT).write_text("changed\n")
    kept = on_disk(outside)
    told = " ".join(what for _, what in repaired(root))
    aside = f"ledger/rejected/in-place-of-{name}"
    assert f"(what stood in the place of ledger/{name} is kept in {aside})" in told
    assert os.path.samestat((root / aside).lstat(), was)
    assert on_disk(outside) == kept
    after = on_disk(root)
    assert b"changed\n" in after.values()
    assert b'{"seq":99,"op":"app' in after.values()
    assert is_sound(root)


@pytest.mark.parametrize("kind", PUT)
def test_what_stands_in_the_place_of_a_temporary_file_is_never_followed(
    store: Store, outside: Path, kind: str
) -> None:
    kept = on_disk(outside)
    temporary = store.root / "skeptic" / f".candidate-question.md.{os.getpid()}.tmp"
    PUT[kind](temporary, outside)
    store.write(CANDIDATE, "Which?\n", by="skeptic")
    assert store.content(CANDIDATE) == "Which?\n"
    assert on_disk(outside) == kept
    assert not (outside / "new").exists()
    if kind != "folder":
        assert (store.root / CANDIDATE).read_text() == "Which?\n"
        assert not temporary.is_symlink()
        assert not temporary.exists()


def test_a_link_swapped_in_and_out_while_writing_is_never_followed(store: Store, outside: Path) -> None:
    """A second process swaps the file, and its folder, for links, as fast as it can.

    A write may be refused where mending meets the swapping; then it has changed nothing.
    """
    kept = on_disk(outside)
    swapping = subprocess.Popen(
        [sys.executable, "-c", SWAPPING, str(store.root), str(outside)], stdout=subprocess.PIPE
    )
    assert swapping.stdout is not None
    swapping.stdout.readline()
    written: dict[str, list[str]] = {TRANSCRIPT: [], CANDIDATE: []}
    try:
        for number in range(1000):
            with suppress(StoreWriteError):
                store.append(TRANSCRIPT, f"{number}\n", by="transcript")
                written[TRANSCRIPT].append(f"{number}\n")
            with suppress(StoreWriteError):
                store.write(CANDIDATE, f"{number}\n", by="skeptic")
                written[CANDIDATE].append(f"{number}\n")
    finally:
        swapping.kill()
        swapping.wait()
        swapping.stdout.close()
    assert on_disk(outside) == kept
    assert len(written[TRANSCRIPT]) > 500
    assert store.texts(TRANSCRIPT)[4:] == written[TRANSCRIPT]
    assert store.texts(CANDIDATE)[2:] == written[CANDIDATE]
    assert is_sound(store.root)


def test_a_hard_link_to_an_equal_file_is_not_appended_to(store: Store, outside: Path) -> None:
    (outside / "file").write_bytes((store.root / TRANSCRIPT).read_bytes())
    kept = on_disk(outside)
    (store.root / TRANSCRIPT).unlink()
    (store.root / TRANSCRIPT).hardlink_to(outside / "file")
    store.append(TRANSCRIPT, "more\n", by="transcript")
    assert on_disk(outside) == kept
    assert views(store.root, store) == contents(store)


SWAPPING = """
import os, sys
root, outside = sys.argv[1:]
print("begun", flush=True)
while True:
    for path, target in (
        (f"{root}/shared/presenter-transcript.md", f"{outside}/file"),
        (f"{root}/skeptic/candidate-question.md", f"{outside}/file"),
        (f"{root}/shared", outside),
        (f"{root}/skeptic", outside),
    ):
        try:
            os.rename(path, path + ".away")
            os.symlink(target, path)
            os.unlink(path)
            os.rename(path + ".away", path)
        except OSError:
            pass
"""


def test_a_session_that_was_replaced_while_it_was_open_is_not_written_blindly(store: Store) -> None:
    """An acknowledged write into a folder that is gone would be lost."""
    root = store.root
    root.rename(root.parent / "moved")
    again = bare(root)
    again.append(TRANSCRIPT, "another session\n", by="transcript")
    disk = on_disk(root.parent)
    with pytest.raises(StoreWriteError, match=r"another file stands here.*open the session again"):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert on_disk(root.parent) == disk
    again.close()


def test_a_session_that_cannot_be_written_is_said(store: Store) -> None:
    store.close()
    ledger_of(store.root).chmod(0o444)
    if os.access(ledger_of(store.root), os.W_OK):
        pytest.skip("root writes through read-only modes")
    opened = Store(store.root)
    with refused(opened, StoreWriteError, "permission denied"):
        opened.append(TRANSCRIPT, "x\n", by="transcript")
    opened.close()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    store = bare(tmp_path / "s")
    blueprints(store)
    for number in range(20):
        store.append(TRANSCRIPT, f"{number}\n", by="transcript")
        store.write(CANDIDATE, f"{number}\n", by="skeptic")
        (tmp_path / "s" / "shared").rename(tmp_path / f"away-{number}")
        store.append(TRANSCRIPT, f"{number}\n", by="transcript")
    store.undegrade()
    store.close()
    with pytest.raises(SessionNotFoundError):
        Store(tmp_path)
    if before:
        assert len(os.listdir("/proc/self/fd")) == len(before)
    assert records(tmp_path / "s")[-1]["op"] == "append"
