"""Threads and processes write one session of any crew; nothing is lost, doubled or torn."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.core import GreenroomError, Home, Session
from tests.core.crews import FINDINGS, MEETING, QUESTION
from tests.helpers.writers import end, run

WRITES = 40


def write_many(session: Session, name: str) -> list[int]:
    """Say, ask from a context, and find, in turn; return the numbers of the records."""
    seqs = []
    for number in range(WRITES):
        seqs.append(session.append(MEETING, f"{name} {number}", by="minutes"))
        context = session.context("tester", task=f"{name} {number}")
        with session.transaction(timeout_s=60) as tx:
            seqs.append(tx.write(QUESTION, f"{name} {number}?\n", by="tester", receipt=context.receipt))
            seqs.append(tx.append(FINDINGS, f"{name} {number}", by="coordinator"))
            seqs.append(tx.note("review.finding", {"of": name, "number": number}, by="coordinator"))
        assert seqs[-3:] == [seqs[-3], seqs[-3] + 1, seqs[-3] + 2]
    return seqs


def work(home: Path, name: str) -> None:
    with Home(home).session("s") as session:
        write_many(session, name)


def check(session: Session, names: list[str]) -> None:
    for path in (MEETING, FINDINGS):
        lines = [line for line in session.read(path).splitlines() if line and not line.startswith("#")]
        for name in names:
            assert [line for line in lines if line.startswith(f"{name} ")] == [
                f"{name} {number}" for number in range(WRITES)
            ]
        assert len(lines) == WRITES * len(names)
    assert len(session.notes("review.finding")) == WRITES * len(names)
    session.end()
    assert session.verify().valid
    assert len(session.receipts()) == WRITES * len(names)


def test_threads_write_one_session(crew: Path) -> None:
    names = ["a", "b", "c"]
    with Home(crew).start("s") as session, ThreadPoolExecutor(3) as pool:
        seqs = [seq for one in pool.map(lambda name: write_many(session, name), names) for seq in one]
        assert len(set(seqs)) == len(seqs) == 4 * WRITES * len(names)
        check(session, names)


@pytest.mark.slow
def test_two_processes_write_one_session_and_a_third_reads_it(crew: Path) -> None:
    with Home(crew).start("s") as session:
        spawn = multiprocessing.get_context("spawn")
        end(*[run(spawn, work, crew, name) for name in ("a", "b")])
        check(session, ["a", "b"])


def test_a_lock_that_another_holds_is_waited_for_as_long_as_one_says(crew: Path) -> None:
    with Home(crew).start("s") as holder, Home(crew).session("s") as other:
        with holder.transaction() as tx:
            tx.append(MEETING, "held", by="minutes")
            with pytest.raises(GreenroomError) as raised, other.transaction(timeout_s=0):
                pass
            assert raised.value.code == "session_busy"
            assert "held" not in other.read(MEETING)
        assert "held" in other.read(MEETING)
        other.append(MEETING, "free again", by="minutes")


def test_what_is_changed_by_hand_is_put_back_while_a_session_is_guarded(crew: Path) -> None:
    told: list[str] = []
    with Home(crew).start("s") as session:
        with session.guard(say=told.append):
            session.append(MEETING, "Alice: one.", by="minutes")
            (session.path / MEETING).chmod(0o600)
            (session.path / MEETING).write_text("Mallory was here.\n", "utf-8")
            deadline = time.monotonic() + 30
            while not told and time.monotonic() < deadline:
                time.sleep(0.01)
        assert (session.path / MEETING).read_text("utf-8") == session.read(MEETING)
        assert session.read(MEETING) == "# Meeting on \n\nAlice: one.\n"
        assert [line.split(": ")[:2] for line in told] == [["s", MEETING]]
        session.end()
        assert session.verify().valid
