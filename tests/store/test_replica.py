"""A second copy elsewhere: a write counts, and is read, only once it is kept; else it was never there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.core.errors import (
    GreenroomError,
    ReplicaAwayError,
    ReplicaBehindError,
    StoreWriteError,
    SupersededError,
)
from orchestrator.core.store import files
from orchestrator.core.store.store import Store
from tests.helpers.replicas import InMemory, Refusing
from tests.helpers.stores import (
    CANDIDATE,
    TRANSCRIPT,
    in_memory,
    is_sound,
    ledger_of,
    on_disk,
    refused,
    repaired,
)

REFUSALS = (
    SupersededError("s: the worker b has it now; nothing was written"),
    ReplicaAwayError("s: the log has not answered"),
    ReplicaBehindError("s: the log is not whole"),
    OSError(5, "input/output error"),
    KeyboardInterrupt(),
)


@pytest.fixture
def kept(store: Store) -> Iterator[InMemory]:
    """The store's replica, which must hold what the disk holds when the test ends."""
    replica = store.replica = InMemory(store.root)
    yield replica
    assert bytes(replica.content) == ledger_of(store.root).read_bytes()


def test_each_transaction_is_given_once_as_it_stands_in_the_ledger(store: Store, kept: InMemory) -> None:
    start = ledger_of(store.root).stat().st_size
    store.append(TRANSCRIPT, "one\n", by="transcript")
    with store.transaction() as tx:
        tx.append(TRANSCRIPT, "two\n", by="transcript")
        tx.append(TRANSCRIPT, "three\n", by="transcript")
    with store.transaction():
        pass  # nothing was written, so nothing is given
    given = b"".join(content for content, _ in kept.given)
    assert given == ledger_of(store.root).read_bytes()[start:]
    assert [content.count(b"\n") for content, _ in kept.given] == [1, 2]
    assert [after for _, after in kept.given] == [start, start + len(kept.given[0][0])]


def test_what_another_process_wrote_is_given_with_the_next_write(store: Store, kept: InMemory) -> None:
    other = Store(store.root)
    other.replica = None
    other.append(TRANSCRIPT, "from elsewhere\n", by="transcript")
    other.close()
    store.append(TRANSCRIPT, "from here\n", by="transcript")
    assert len(kept.given) == 1


def _write_two(store: Store) -> None:
    with store.transaction() as tx:
        tx.write(CANDIDATE, "Lost?\n", by="skeptic")
        tx.append(TRANSCRIPT, "lost\n", by="transcript")


@pytest.mark.parametrize("why", REFUSALS, ids=lambda why: type(why).__name__)
def test_a_write_that_is_not_kept_was_never_there(store: Store, why: BaseException) -> None:
    replica = store.replica = Refusing(why)
    if isinstance(why, GreenroomError):
        with refused(store, type(why), *str(why).split(";")):
            store.append(TRANSCRIPT, "lost\n", by="transcript")
    disk, memory = on_disk(store.root), in_memory(store)
    with pytest.raises(type(why)):
        _write_two(store)
    assert on_disk(store.root) == disk
    assert in_memory(store) == memory
    assert repaired(store.root) == []

    replica.error = None  # and the next one goes on
    store.append(TRANSCRIPT, "kept\n", by="transcript")
    assert store.content(TRANSCRIPT).endswith("word 2\nkept\n")
    assert is_sound(store.root)


def test_nobody_here_reads_what_is_not_kept_yet_and_reading_goes_on(store: Store) -> None:
    """While the replica takes its time, other threads read the session as it was, without waiting."""
    seen: list[tuple[str, int]] = []

    def read() -> None:
        store.catch_up()
        seen.append((store.content(TRANSCRIPT), store.seq))

    def before() -> None:
        thread = threading.Thread(target=read)
        thread.start()
        thread.join(10)
        assert not thread.is_alive(), "a reader waits for the replica"

    store.replica = Refusing(None, before)
    was = store.content(TRANSCRIPT), store.seq
    store.append(TRANSCRIPT, "new\n", by="transcript")
    assert seen == [was]
    assert store.content(TRANSCRIPT) == f"{was[0]}new\n"


def test_a_receipt_that_waited_waits_on_when_its_write_is_refused(store: Store) -> None:
    from tests.helpers.stores import receipt_note

    receipt_id, note = receipt_note("a" * 64)
    store.add_receipt(receipt_id, note)
    store.replica = Refusing(ReplicaAwayError("s: away"))
    with pytest.raises(ReplicaAwayError):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert [one for one, _ in store.waiting_receipts] == [receipt_id]
    store.replica = None
    store.append(TRANSCRIPT, "kept\n", by="transcript")
    assert store.waiting_receipts == ()
    assert receipt_id in store.receipts_on_disk()


def test_a_disk_that_refuses_is_asked_before_the_replica(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not on this disk is given to nobody."""
    replica = store.replica = InMemory(store.root)

    def fail(fd: int) -> None:
        raise OSError(5, "input/output error")

    monkeypatch.setattr(files, "sync_file", fail)
    with pytest.raises(StoreWriteError, match="the sync failed"):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert replica.given == []


def test_a_sync_that_fails_while_a_refused_write_is_cut_off_degrades_the_session(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = ledger_of(store.root).stat().st_size

    def fail(fd: int) -> None:
        raise OSError(5, "input/output error")

    store.replica = Refusing(
        ReplicaAwayError("s: away"), lambda: monkeypatch.setattr(files, "sync_file", fail)
    )
    with pytest.raises(StoreWriteError, match="degraded"):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert store.is_degraded
    assert ledger_of(store.root).stat().st_size == size


def test_a_store_is_opened_with_its_replica(tmp_path: Path, store: Store) -> None:
    replica = InMemory(store.root)
    opened = Store(store.root, replica=replica)
    opened.append(TRANSCRIPT, "word\n", by="transcript")
    opened.close()
    assert len(replica.given) == 1
