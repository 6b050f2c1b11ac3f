"""A lock that somebody else holds costs time, and no word, until one is told to stop."""

from __future__ import annotations

import fcntl
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import SessionBusyError
from orchestrator.core.store import files
from orchestrator.core.store.store import Store
from orchestrator.core.store.waiting import waits_until
from orchestrator.panel.loop.live import feed_live
from tests.helpers.stores import TRANSCRIPT

DECK = "# A second cold store\n\n- It will save 2 million a year from 2028.\n"


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    with Session.start(Home.open(home), deck_text=DECK) as started:
        yield started


@contextmanager
def held(root: Path) -> Iterator[None]:
    """Another writer has the session."""
    fd = os.open(root / "ledger" / "ledger.jsonl", os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(fd)


def test_a_write_waits_as_long_as_it_is_told_and_changes_nothing(session: Session) -> None:
    before = session.ledger_head
    with held(session.path):
        with pytest.raises(SessionBusyError) as refused, session.transaction(timeout_s=0.01):
            raise AssertionError("the lock was had")
        assert session.read(TRANSCRIPT)  # whoever reads waits for nobody
        assert session.context("skeptic").text
    assert str(refused.value) == (
        f"{session.path.name}: another writer holds this session, and was waited for 0.01 s; "
        "nothing was written: try again"
    )
    assert session.ledger_head == before
    session.append(TRANSCRIPT, "Good morning.", by="transcript")


@pytest.mark.parametrize("bad", [float("nan"), -1.0])
def test_no_number_of_seconds_is_refused(session: Session, bad: float) -> None:
    with pytest.raises(ValueError, match="timeout_s is"), session.transaction(timeout_s=bad):
        raise AssertionError("the lock was had")
    session.append(TRANSCRIPT, "Good morning.", by="transcript")


def test_who_writes_without_a_pause_lets_those_go_first_that_wait(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_written, look = threading.Event(), files.is_locked

    def write() -> None:
        session.append(TRANSCRIPT, "May I say something?", by="transcript")
        has_written.set()

    patient = threading.Thread(target=write)

    def looks_late(fd: int, *, is_shared: bool = False) -> bool:
        # As a thread wakes where a hundred others want to go on.
        if threading.current_thread() is patient:
            has_written.wait(0.05)
        return look(fd, is_shared=is_shared)

    monkeypatch.setattr(files, "is_locked", looks_late)
    with session.transaction():
        patient.start()
        while not session.rehearsal.store.history.waiting:
            has_written.wait(0.001)
    turns = 0
    while not has_written.is_set() and turns < 1000:
        turns += 1
        with session.transaction():
            pass
    patient.join()
    assert turns < 100  # it had all thousand before it let anyone


def test_a_feed_keeps_its_words_while_the_session_is_held(session: Session, tmp_path: Path) -> None:
    session.rehearsal.store.timeout_s = 0.01  # far less than it is held
    spoken = [f"This is sentence number {number} of the talk." for number in range(8)]
    talk = tmp_path / "talk.jsonl"
    talk.write_text("".join(f'{{"text": "{line}"}}\n' for line in spoken))
    is_over, waited = threading.Event(), threading.Event()

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "waiting until it lets go" in record.getMessage():
                waited.set()

    logging.getLogger("orchestrator.core.store.waiting").addHandler(seen := Seen())
    feeding = threading.Thread(
        target=feed_live,
        args=(session.rehearsal, str(talk)),
        kwargs={"stop": is_over.is_set, "say": lambda line: None},
    )
    try:
        with held(session.path):
            feeding.start()
            assert waited.wait(60)
        reader = Store(session.path)
        while len(reader.texts(TRANSCRIPT)) <= len(spoken):
            assert feeding.is_alive()
            is_over.wait(0.02)
            reader.catch_up()
    finally:
        is_over.set()
        feeding.join(60)
        logging.getLogger("orchestrator.core.store.waiting").removeHandler(seen)
    said = [line for line in session.read(TRANSCRIPT).splitlines() if "sentence number" in line]
    assert [line.rpartition(": ")[2] for line in said] == spoken


def test_who_is_told_to_stop_waits_no_longer(session: Session) -> None:
    with held(session.path), waits_until(lambda: True), pytest.raises(SessionBusyError):
        session.append(TRANSCRIPT, "Good morning.", by="transcript")
    assert "Good morning." not in session.read(TRANSCRIPT)
