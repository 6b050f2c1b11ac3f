"""Sessions that a server drives: begun twice, stopped as they begin, broken off by the disk."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.core.errors import (
    DriverBusyError,
    SessionFrozenError,
    StoreError,
    StoreWriteError,
)
from orchestrator.material.speech.stream import LiveSegment
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import driving, is_driven
from orchestrator.panel.loop.transcript import set_clock
from orchestrator.rehearsal.session import Session
from orchestrator.web import drives as driving_module
from orchestrator.web import open_sessions
from orchestrator.web.drives import Drive, Drives
from orchestrator.web.open_sessions import OpenSessions
from tests.helpers.live_feeds import until
from tests.helpers.rehearsals import DECK
from tests.helpers.stores import TRANSCRIPT


@pytest.fixture
def sessions(home: Path) -> Iterator[OpenSessions]:
    opened = OpenSessions(Home.open(home))
    yield opened
    opened.close()


@pytest.fixture
def drives(sessions: OpenSessions) -> Iterator[Drives]:
    made = Drives(sessions)
    yield made
    made.stop_all()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("drive-")]


@pytest.fixture
def session(home: Path, sessions: OpenSessions) -> Session:
    started = Session.start(Home.open(home), deck_text=DECK, id="s1")
    sessions.add(started)
    return started


def starts(session: Session) -> int:
    """How often somebody has begun to drive it."""
    ledger = (session.path / "ledger" / "ledger.jsonl").read_text("utf-8")
    return ledger.count('"state":"started"')


def test_eight_begins_at_once_are_one(drives: Drives, session: Session) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(drives.begin, ["s1"] * 8))
    assert drives.is_driving("s1")
    assert starts(session) == 1
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(drives.stop, ["s1"] * 8))
    assert not drives.is_driving("s1")
    assert not is_driven(session.path)
    assert not session.rehearsal.projection.clock.live_since


def test_begins_and_stops_in_any_order_leave_nothing_behind(drives: Drives, session: Session) -> None:
    acts: list[Callable[[str], object]] = [
        drives.begin,
        drives.stop,
        drives.begin,
        drives.begin,
        drives.stop,
    ] * 6
    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(act, "s1") for act in acts]:
            done.result()
    drives.begin("s1")
    assert is_driven(session.path)
    assert session.projection.clock.live_since is not None
    drives.stop("s1")
    assert not is_driven(session.path)


def test_a_begin_while_it_is_being_stopped_begins_anew(
    drives: Drives, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    drives.begin("s1")
    told = threading.Event()
    may_end = threading.Event()

    def slow(rehearsal: object, *, runs: bool, why: str | None = None) -> None:
        if not runs:
            told.set()
            may_end.wait()
        set_clock(session.rehearsal, runs=runs, why=why)

    monkeypatch.setattr("orchestrator.web.drives.set_clock", slow)
    with ThreadPoolExecutor(2) as pool:
        stopped = pool.submit(drives.stop, "s1")
        told.wait()
        begun = pool.submit(drives.begin, "s1")
        may_end.set()
        stopped.result()
        begun.result()
    assert drives.is_driving("s1")
    assert starts(session) == 2


def test_one_sessions_stuck_disk_keeps_no_other_waiting(
    drives: Drives, session: Session, sessions: OpenSessions, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.add(Session.start(Home.open(home), deck_text=DECK, id="s2"))
    stuck, answers = threading.Event(), threading.Event()
    run = Drive._run

    def hanging(drive: Drive) -> None:
        if drive.session.id == "s1":
            stuck.set()
            answers.wait()
        run(drive)

    monkeypatch.setattr(Drive, "_run", hanging)
    with ThreadPoolExecutor(1) as pool:
        begun = pool.submit(drives.begin, "s1")
        stuck.wait()
        drives.begin("s2")
        assert drives.is_driving("s2")
        assert drives.stop("s2")
        answers.set()
        begun.result()


def test_a_refusal_is_told_to_everybody_who_asked_and_a_later_try_can_succeed(
    drives: Drives, session: Session, home: Path
) -> None:
    with Session.open(Home.open(home), "s1") as other, driving(other.rehearsal, "feed"):
        for _ in range(2):
            with pytest.raises(DriverBusyError, match="drives this session"):
                drives.begin("s1")
    drives.begin("s1")
    assert drives.is_driving("s1")


def test_a_drive_ends_by_itself_with_its_session(drives: Drives, session: Session) -> None:
    drives.begin("s1")
    session.end()
    until("the drive's end", lambda: not drives.is_driving("s1"))
    assert not drives.stop("s1")
    assert drives.broke_off("s1") is None
    with pytest.raises(SessionFrozenError):
        drives.begin("s1")


def test_a_full_disk_breaks_it_off_and_is_told_in_one_line(
    drives: Drives, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise StoreWriteError("ledger/ledger.jsonl: no space left on device; nothing was written")

    drives.begin("s1")
    monkeypatch.setattr(session.watch, "after_step", full)
    until("the drive's end", lambda: not drives.is_driving("s1"))
    assert drives.broke_off("s1") == "ledger/ledger.jsonl: no space left on device; nothing was written"
    monkeypatch.undo()
    drives.begin("s1")
    assert drives.broke_off("s1") is None


def test_the_end_of_the_server_stops_all_of_them(
    drives: Drives, session: Session, sessions: OpenSessions, home: Path
) -> None:
    for number in range(2, 6):
        sessions.add(Session.start(Home.open(home), deck_text=DECK, id=f"s{number}"))
    for number in range(1, 6):
        drives.begin(f"s{number}")
    drives.stop_all()
    assert not any(is_driven(home / "sessions" / f"s{number}") for number in range(1, 6))


def test_a_session_erased_and_made_anew_is_not_the_one_that_was_open(
    sessions: OpenSessions, session: Session, home: Path
) -> None:
    assert sessions.get("s1") is session
    (home / "sessions" / "s1").rename(home / "gone")
    anew = Session.start(Home.open(home), deck_text="# Another\n\n- Revenue fell 3% in 2026\n", id="s1")
    assert sessions.get("s1").rehearsal.scene().deck.sha256 == anew.rehearsal.scene().deck.sha256
    anew.close()
    session.close()


def test_asked_for_at_once_a_session_is_opened_once(home: Path, sessions: OpenSessions) -> None:
    Session.start(Home.open(home), deck_text=DECK, id="s1").close()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(sessions.get, ["s1"] * 8))
    assert len({id(one) for one in found}) == 1


def test_however_many_are_driven_another_is_opened_and_of_the_idle_only_the_last_are_kept(
    home: Path, sessions: OpenSessions, drives: Drives, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_sessions, "MAX_IDLE", 2)
    names = [f"s{number}" for number in range(1, 9)]
    for name in names:
        sessions.add(Session.start(Home.open(home), deck_text=DECK, id=name))
        if name <= "s4":
            drives.begin(name)
    idle = [sessions.get(name) for name in names[4:]]
    assert [one.rehearsal.store.catch_up() for one in idle[2:]] == [idle[2].rehearsal.store.seq] * 2
    assert all(drives.is_driving(name) for name in names[:4])
    for closed in idle[:2]:
        with pytest.raises(StoreError, match="is closed here"):
            closed.rehearsal.store.catch_up()
    with sessions.using("s5") as used:
        for name in names[5:]:
            sessions.get(name)
        assert used.rehearsal.store.catch_up() > 0
    drives.stop("s1")
    assert sessions.get("s1").rehearsal.store.catch_up() > 0
    for name in ("s5", "s6", "s7"):
        sessions.get(name)
    assert all(drives.is_driving(name) for name in names[1:4])


def test_who_speaks_waits_for_no_trace_and_the_driver_brings_it_up_to_date(
    drives: Drives, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = session.path / "trace" / "session.json"

    def last() -> int:
        return max((one.get("record", 0) for one in json.loads(trace.read_text("utf-8"))["steps"]), default=0)

    def said(text: str) -> int:
        """The record of these words."""
        session.hear(LiveSegment(text))
        return session.rehearsal.store.state(TRANSCRIPT).seqs[-1]

    drives.begin("s1")
    until("the opening words in the trace", trace.exists)
    monkeypatch.setattr(driving_module, "TRACE_EVERY_S", 1e9)
    before = trace.read_bytes()
    for number in range(3):
        spoken = said(f"We spend {number} million on it.")
    assert trace.read_bytes() == before
    monkeypatch.setattr(driving_module, "TRACE_EVERY_S", 0.0)
    until("the driver's look", lambda: last() >= spoken)
    monkeypatch.setattr(driving_module, "TRACE_EVERY_S", 1e9)
    spoken = said("That is the plan.")
    drives.stop("s1")
    assert last() > spoken  # and that the driver has stopped
    assert json.loads(trace.read_text("utf-8"))["steps"][-1]["action"]["action"] == "drive"
    spoken = said("Nobody drives it now.")
    assert last() == spoken
