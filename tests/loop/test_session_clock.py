"""A session's clock counts the time that its driver was there; no sleep, no stop and no wall clock costs any.

The machine's clocks are injected, so no test waits; one stops a real process.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.cli.arguments import pacer
from orchestrator.core.clock import MAX_GAP_S
from orchestrator.core.store.store import DRIVER_LOCK
from orchestrator.material.speech.stream import LiveSegment
from orchestrator.panel.loop import rehearsal
from orchestrator.panel.loop.driver_lock import driver_pid, driving
from orchestrator.web.drives import Drives
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.view import room_view
from tests.helpers.live_feeds import quicken, until
from tests.helpers.rehearsals import DECK
from tests.loop.test_live_processes import feeding, is_heard, say

HOUR_S = 3600.0
SLACK_S = 60.0
"""What the test itself may take of real time, on however busy a machine; far below all that is injected."""


@dataclass
class Clocks:
    """The clocks of a machine, each moved on its own."""

    monotonic_s: float = 0.0  # beyond the real one
    wall_s: float = 0.0

    def sleep_with_the_lid_closed(self, seconds: float) -> None:
        self.wall_s += seconds

    def pass_by(self, seconds: float, look: Callable[[], object]) -> None:
        """Let time pass in which the process is there, so that somebody looks at the clock every second."""
        for _ in range(int(seconds)):
            self.monotonic_s += 1
            self.wall_s += 1
            look()

    def stop_the_process(self, seconds: float) -> None:
        self.monotonic_s += seconds
        self.wall_s += seconds


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    moved, monotonic, wall_ns = Clocks(), time.monotonic, time.time_ns
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + moved.monotonic_s)
    monkeypatch.setattr(time, "time_ns", lambda: wall_ns() + int(moved.wall_s * 1e9))

    class Wall(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Wall:
            return cls.fromtimestamp(wall_ns() / 1e9 + moved.wall_s, tz)

    # Should anything there read it again, it meets the same wall clock.
    monkeypatch.setattr("orchestrator.core.clock.datetime", Wall, raising=False)
    return moved


@pytest.fixture
def session(home: Path) -> Iterator[Session]:
    quicken(
        home, answer_pause=10 * SLACK_S, hand_raise_pause=10 * SLACK_S
    )  # no pause on a busy machine is one
    with Session.start(Home.open(home), deck_text=DECK, id="s1", engine="offline") as started:
        yield started


@pytest.fixture
def drives(home: Path, session: Session) -> Iterator[Drives]:
    sessions = OpenSessions(Home.open(home))
    sessions.add(session)
    made = Drives(sessions)
    yield made
    made.stop_all()


def now_s(session: Session) -> float:
    return session.rehearsal.now_s()


def settings(session: Session) -> list[dict[str, Any]]:
    """The records that set the clock."""
    lines = (session.path / "ledger" / "ledger.jsonl").read_text("utf-8").splitlines()
    values = (json.loads(line).get("value") or {} for line in lines)
    return [value for value in values if value.get("type") == "clock"]


def test_a_lid_closed_for_an_hour_costs_nothing(session: Session, clocks: Clocks) -> None:
    session.run_clock()
    session.hear(LiveSegment("Before the lid was closed."))
    clocks.sleep_with_the_lid_closed(HOUR_S)
    session.hear(LiveSegment("And after it was opened."))
    session.slide(2)
    session.pause()
    assert session.projection.segments[-1].end_s < SLACK_S
    assert session.projection.slides[-1].at_s < SLACK_S
    assert sum(session.projection.times(now_s(session))) < SLACK_S


@pytest.mark.parametrize("step_s", [-56 * 365 * 86_400.0, -HOUR_S, HOUR_S, 73 * 365 * 86_400.0])
def test_a_wall_clock_that_is_set_stops_nothing_and_costs_nothing(
    session: Session, clocks: Clocks, step_s: float
) -> None:
    session.run_clock()
    clocks.pass_by(10, lambda: now_s(session))
    clocks.wall_s += step_s
    before_s = now_s(session)
    clocks.pass_by(100, lambda: now_s(session))
    session.pause()
    assert 10 <= before_s < 10 + SLACK_S
    assert 100 <= now_s(session) - before_s < 100 + SLACK_S
    assert session.verify().valid


def test_time_in_which_the_process_was_stopped_costs_nothing_and_is_said_once(
    session: Session, drives: Drives, clocks: Clocks
) -> None:
    drives.begin("s1")
    clocks.stop_the_process(HOUR_S)
    until("the clock's record", lambda: len(settings(session)) == 2)
    session.hear(LiveSegment("We go on."))
    drives.stop("s1")
    assert [one["live"] for one in settings(session)] == [True, True, False]
    assert now_s(session) < SLACK_S


def test_a_stop_within_an_answer_does_not_end_it(session: Session, drives: Drives, clocks: Clocks) -> None:
    session.ask("analyst", question="Is that figure audited?")
    drives.begin("s1")
    session.hear(LiveSegment("It is, in the main"))
    until("the words", lambda: session.projection.heard)
    clocks.stop_the_process(HOUR_S)
    until("the clock's record", lambda: len(settings(session)) == 2)
    exchange = session.projection.open
    assert exchange is not None
    assert exchange.turns[-1].answer is None
    session.answer("It is.")
    drives.stop("s1")
    assert sum(session.projection.times(now_s(session))) < SLACK_S


def test_other_processes_know_the_clock_of_the_one_that_runs_it(session: Session, clocks: Clocks) -> None:
    with Session.open(session.home, "s1") as other:
        session.run_clock()
        clocks.pass_by(100, lambda: now_s(session))
        clocks.wall_s -= HOUR_S
        assert other.projection.clock.live_since is not None
        until("a beat", lambda: now_s(other) >= 100)  # the thread beats by real time
        other.hear(LiveSegment("Said by another process."))
        assert other.projection.segments[-1].end_s <= now_s(session) + rehearsal.BEAT_S
        assert room_view(other.rehearsal, is_driven_here=False).is_running
        session.pause()
        assert now_s(session) < 100 + SLACK_S


def test_a_session_left_for_a_week_has_not_used_a_week(home: Path, session: Session, clocks: Clocks) -> None:
    session.run_clock()
    clocks.pass_by(100, lambda: now_s(session))
    session.close()  # as a process that dies: no record says that the clock stands
    clocks.stop_the_process(7 * 24 * HOUR_S)
    with Session.open(Home.open(home), "s1") as later:
        assert 100 <= now_s(later) < 100 + SLACK_S
        assert not room_view(later.rehearsal, is_driven_here=False).is_running
        with driving(later.rehearsal, "feed"):
            later.run_clock()
            clocks.pass_by(10, lambda: now_s(later))
            later.pause()
        assert 110 <= now_s(later) < 110 + SLACK_S


def test_a_machine_that_was_started_anew_costs_nothing(home: Path, session: Session, clocks: Clocks) -> None:
    clocks.monotonic_s = 30 * 24 * HOUR_S
    session.run_clock()
    session.close()
    clocks.monotonic_s = 0.0
    with Session.open(Home.open(home), "s1") as later:
        assert now_s(later) < SLACK_S


@pytest.mark.parametrize(
    "written", ["", "x", "nan nan nan", "{since} 1 inf", "{since} 1 1e300", "{since} 1 -5", "{since} inf 0.1"]
)
def test_whatever_stands_in_the_lock_file_the_clock_is_a_time(
    home: Path, session: Session, written: str
) -> None:
    session.run_clock()
    session.close()
    with Session.open(Home.open(home), "s1") as later:
        since = later.projection.clock.live_since
        raw = b"12".ljust(rehearsal.PID_BYTES) + written.format(since=since).encode()
        (later.path / DRIVER_LOCK).write_bytes(raw)
        assert 0 <= now_s(later) < SLACK_S
        later.hear(LiveSegment("Still here."))
        assert later.verify().valid


def test_the_lock_file_names_its_driver_beside_the_clock(session: Session) -> None:
    with driving(session.rehearsal, "feed"):
        session.run_clock()
        assert driver_pid(session.path / DRIVER_LOCK) == os.getpid()
        session.pause()


def test_a_recording_at_its_own_pace_does_not_hurry_after_a_stop(
    clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clocks.monotonic_s += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    wait = pacer("1", lambda: False)
    assert wait is not None
    wait(0.0)
    clocks.stop_the_process(HOUR_S)
    wait(10.0)
    slept.clear()
    wait(20.0)
    assert sum(slept) > 9


@pytest.mark.slow
def test_a_feed_that_is_stopped_by_a_signal_goes_on_where_it_was(home: Path) -> None:
    with (
        Session.start(Home.open(home), deck_text=DECK, id="s1", engine="offline") as session,
        feeding(home, "s1") as feed,
    ):
        say(feed, "Before the stop.")
        until("the words", lambda: is_heard(session.path, "Before the stop."))
        feed.send_signal(signal.SIGSTOP)
        at_s = session.projection.segments[-1].end_s
        stopped_at = time.monotonic()
        until("the gap", lambda: time.monotonic() - stopped_at > 4 * MAX_GAP_S)
        stopped_s = time.monotonic() - stopped_at
        feed.send_signal(signal.SIGCONT)
        say(feed, "After it.")
        until("the words", lambda: is_heard(session.path, "After it."))
        until("the clock's record", lambda: len(settings(session)) == 2)
        gone_s = time.monotonic() - stopped_at  # of which the stop must not be counted
        assert session.projection.segments[-1].end_s - at_s <= gone_s - stopped_s + MAX_GAP_S
