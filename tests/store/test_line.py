"""Writers in several processes take turns at a session's lock, however slow the disk is."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from orchestrator.core.store import files, waiting
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.store import Store
from tests.helpers.board import verify_session
from tests.helpers.stores import TRANSCRIPT, bare, blueprints, is_sound
from tests.helpers.writers import FORK, end, run

WRITERS = 8


def append_without_a_pause(root: Path, sync_s: float, count: int, turns: Connection) -> None:
    """Append until the session has *count* lines of all, and tell how many were one's own."""
    sync = files.sync_file

    def sync_slowly(fd: int) -> None:
        sync(fd)
        time.sleep(sync_s)

    files.sync_file = sync_slowly
    store = Store(root)
    own = 0
    while len(store.texts(TRANSCRIPT)) < count:
        store.append(TRANSCRIPT, "Good morning.\n", by="transcript")
        own += 1
    turns.send(own)
    store.close()


@pytest.mark.parametrize("sync_s", [0.01, 0.04])
def test_each_of_eight_that_write_without_a_pause_has_its_turns(tmp_path: Path, sync_s: float) -> None:
    root = tmp_path / "s"
    store = bare(root)
    blueprints(store)
    store.close()
    pipes = [FORK.Pipe(duplex=False) for _ in range(WRITERS)]
    end(*[run(FORK, append_without_a_pause, root, sync_s, 160, sender) for _, sender in pipes])
    turns = [receiver.recv() for receiver, _ in pipes]
    assert min(turns) >= 10, turns  # 20 each, were all as fast; 1 to 9 before there was a line
    assert is_sound(root)


def test_a_place_is_behind_all_and_given_back_with_the_descriptor(tmp_path: Path) -> None:
    (tmp_path / LEDGER_NAME).parent.mkdir(parents=True)
    (tmp_path / LEDGER_NAME).touch()
    first, second, third = (
        os.open(tmp_path / LEDGER_NAME, flags) for flags in (files.APPEND, files.READ, files.APPEND)
    )
    assert not waiting.has_others_before(first, None)
    places = [waiting.join(fd) for fd in (first, second, third)]
    assert places == sorted(places, key=lambda place: place or 0)
    assert len(set(places)) == 3
    standing = zip((first, second, third), places, strict=True)
    assert [waiting.has_others_before(fd, place) for fd, place in standing] == [False, True, True]
    waiting.leave(first, places[0])
    assert not waiting.has_others_before(second, places[1])
    os.close(second)
    assert not waiting.has_others_before(third, places[2])
    assert waiting.has_others_before(first, None)
    os.close(third)
    assert not waiting.has_others_before(first, None)
    os.close(first)


def stand_in_line(root: Path, told: Connection) -> None:
    fd = os.open(root / LEDGER_NAME, files.APPEND)
    told.send(waiting.join(fd))
    signal.pause()


def test_who_was_stopped_as_it_stood_in_line_holds_nobody_up_for_long(tmp_path: Path) -> None:
    root = tmp_path / "s"
    store = bare(root)
    receiver, sender = FORK.Pipe(duplex=False)
    stopped = run(FORK, stand_in_line, root, sender)
    assert receiver.recv() is not None
    try:
        store.append(TRANSCRIPT, "Good morning.\n", by="transcript")  # within its 5 s
        assert not [note for note in verify_session(root).notes if "lock" in note]
    finally:
        stopped.kill()
        stopped.join()
    assert store.texts(TRANSCRIPT)[-1] == "Good morning.\n"
    store.close()


def test_a_write_that_waits_for_nobody_asks_only_whether_the_lock_is_free(tmp_path: Path) -> None:
    root = tmp_path / "s"
    store = bare(root)
    fd = os.open(root / LEDGER_NAME, files.APPEND)
    waiting.join(fd)
    with store.transaction(timeout_s=0) as tx:
        tx.append(TRANSCRIPT, "Good morning.\n", by="transcript")
    os.close(fd)
    store.close()


def test_where_a_system_has_no_such_locks_nobody_stands_in_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_ASK", None)
    monkeypatch.setattr(waiting, "_SET", None)
    store = bare(tmp_path / "s")
    fd = os.open(store.root / LEDGER_NAME, files.APPEND)
    assert waiting.join(fd) is None
    assert not waiting.has_others_before(fd, None)
    waiting.leave(fd, None)
    store.append(TRANSCRIPT, "Good morning.\n", by="transcript")
    os.close(fd)
    store.close()
