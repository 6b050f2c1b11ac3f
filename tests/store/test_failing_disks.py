"""A disk that fails to sync, is full, or takes nothing: no write counts that is not there."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import SessionDegradedError, StoreWriteError
from orchestrator.core.store import files
from orchestrator.core.store.store import Store
from tests.helpers.stores import (
    TRANSCRIPT,
    bare,
    contents,
    every_write,
    in_memory,
    is_sound,
    ledger_of,
    on_disk,
    receipt_note,
    refused,
    views,
)

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

ROOT = Path(__file__).resolve().parents[2]

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


def test_a_failed_sync_is_never_tried_again_and_nothing_is_acknowledged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = store.root, Store(store.root)
    disk, memory = on_disk(root), in_memory(store)
    sync = FailingSync(monkeypatch)
    store.add_receipt(*receipt_note("r000000000001"))
    with pytest.raises(StoreWriteError, match=r"the sync failed \(input/output error\).*degraded.*resume"):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert len(sync.calls) == 1
    assert store.is_degraded
    assert other.is_degraded
    assert store.waiting_receipts == (receipt_note("r000000000001"),)
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


def failing(number: int) -> Callable[..., int]:
    def write(*_: Any, **__: Any) -> int:
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
    store.add_receipt(*receipt_note("r000000000001"))
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
from tests.store.test_failing_disks import fill_and_free
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
        with pytest.raises(OSError, match=r"Too many open files: '.*/s/ledger/ledger\.jsonl'"):  # it is there
            Store(store.root)
    assert on_disk(store.root) == before
    other.append(TRANSCRIPT, "x\n", by="transcript")
    other.close()


def test_a_session_that_cannot_be_written_is_said(store: Store) -> None:
    store.close()
    ledger_of(store.root).chmod(0o444)
    if os.access(ledger_of(store.root), os.W_OK):
        pytest.skip("root writes through read-only modes")
    opened = Store(store.root)
    with refused(opened, StoreWriteError, "permission denied"):
        opened.append(TRANSCRIPT, "x\n", by="transcript")
    opened.close()
