"""Views that are behind, gone or changed by hand are put back from the ledger."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import StoreWriteError
from orchestrator.core.store import files
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import Store
from tests.helpers.stores import CANDIDATE, DECK, NOTES, TRANSCRIPT, bare, on_disk, repaired

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run


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
    store.note(Unread({"type": "x"}), by="moderator")
    assert (store.root / CANDIDATE).read_text() == "Since when?\n"
