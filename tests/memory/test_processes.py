"""Several processes write at once: nothing is lost, nothing is there twice, and the bound holds.

Real processes, spawned and forked; some are killed. No test asks how long anything took.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
from collections import Counter
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest

from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import forget, history, left, memories, recall
from orchestrator.memory.model import MAX_MEMORIES, ScratchpadChangedError
from orchestrator.memory.notebook import scratchpad, update_scratchpad
from tests.helpers import writers
from tests.helpers.memories import INES, NOW, keep, opened, write_memory
from tests.helpers.writers import run

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

WRITERS = 4
OWN = 60
SHARED = 40
PAGES = 30
ROUNDS = 25
KILLS = 12
MANY = 2 * MAX_MEMORIES - 50
"""Fewer than are kept or listed as having left, so that none is forgotten before it is looked for."""
AGENTS = ("skeptic", "analyst", "contrarian", "moderator")


end = partial(writers.end, within_s=600)


def write(db: MemoryDatabase, content: str, *, agent: str = "skeptic", source: str | None = None) -> bool:
    return write_memory(
        db,
        agent=agent,
        presenter=INES,
        type="lesson",
        content=content,
        confidence=0.8,
        source=source,
        now=NOW,
    ).is_new


def write_many(folder: Path, start: Barrier, writer: int) -> None:
    """Memories of one's own, memories that all write, pages of one's own, and one page that all extend."""
    agent = AGENTS[writer]
    start.wait()
    with MemoryDatabase.open(folder) as db:
        for n in range(OWN):
            assert write(db, f"{agent} only, number {n}", agent=agent)
            if n < SHARED:
                write(db, f"By source {n}, as {agent} says it", source=f"s1/{n}", agent="shared")
                write(db, f"By content  {n}" + "." * (writer % 2), agent="shared")
            if n < PAGES:
                update_scratchpad(db, agent, INES, f"{agent} page {n}\n" * 20, NOW)
            if n < ROUNDS:
                extend(db, f"{agent} {n}\n")


def extend(db: MemoryDatabase, line: str) -> None:
    """Add a line to the page that all share: read, and write only what was read."""
    while True:
        page = scratchpad(db, "shared", INES)
        try:
            update_scratchpad(db, "shared", INES, page.content + line, NOW, replacing=page)
        except ScratchpadChangedError:
            continue
        return


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_four_processes_lose_nothing_and_write_nothing_twice(tmp_path: Path, method: str) -> None:
    context = multiprocessing.get_context(method)
    with opened(tmp_path):
        pass
    start = context.Barrier(WRITERS)
    end(*[run(context, write_many, tmp_path, start, writer) for writer in range(WRITERS)])
    with MemoryDatabase.open(tmp_path) as db:
        for agent in AGENTS:
            own = memories(db, presenter=INES, agent=agent)
            assert [one.content for one in own] == [
                f"{agent} only, number {n}" for n in range(OWN - 1, -1, -1)
            ]
            page = scratchpad(db, agent, INES)
            assert (page.revision, page.content) == (PAGES, f"{agent} page {PAGES - 1}\n" * 20)
        shared = memories(db, presenter=INES, agent="shared")
        assert Counter(one.source for one in shared if one.source) == {f"s1/{n}": 1 for n in range(SHARED)}
        by_content = Counter(one.content.rstrip(".") for one in shared if one.source is None)
        assert by_content == {f"By content {n}": 1 for n in range(SHARED)}
        lines = scratchpad(db, "shared", INES).content.splitlines()
        assert Counter(lines) == {f"{agent} {n}": 1 for agent in AGENTS for n in range(ROUNDS)}
        for agent in AGENTS:
            assert [line for line in lines if line.startswith(agent)] == [
                f"{agent} {n}" for n in range(ROUNDS)
            ]


def fill(folder: Path, start: Barrier, writer: int, count: int) -> None:
    start.wait()
    with MemoryDatabase.open(folder) as db:
        for n in range(count):
            write(db, f"Writer {writer}, number {n}", source=f"w{writer}/{n}")
            if not n % 10:
                recall(db, agent="skeptic", presenter=INES, topic=f"number {n}", now=NOW)


def test_the_bound_holds_and_whatever_left_is_listed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    each = (MAX_MEMORIES + 120) // WRITERS
    with opened(tmp_path) as db:
        start = context.Barrier(WRITERS)
        end(*[run(context, fill, tmp_path, start, writer, each) for writer in range(WRITERS)])
        kept = [one.source for one in memories(db, presenter=INES)]
        gone = [one.memory.source for one in left(db, presenter=INES)]
        assert len(kept) == MAX_MEMORIES
        assert len(gone) == 120
        assert sorted([*kept, *gone], key=str) == sorted(
            f"w{w}/{n}" for w in range(WRITERS) for n in range(each)
        )


def open_and_close(folder: Path, start: Barrier) -> None:
    start.wait()
    for n in range(5):
        with MemoryDatabase.open(folder) as db:
            write(db, f"Process {os.getpid()} came {n} times")


def test_a_database_that_many_make_at_once_is_made_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for turn in range(5):
        home = tmp_path / str(turn)
        home.mkdir()
        start = context.Barrier(WRITERS)
        end(*[run(context, make, home, start) for _ in range(WRITERS)])
        start = context.Barrier(WRITERS)
        with opened(home):
            pass  # nobody has it open: each open makes the log anew
        end(*[run(context, open_and_close, home, start) for _ in range(WRITERS)])
        with MemoryDatabase.open(home) as db:
            assert len(memories(db, presenter=INES)) == WRITERS * 5


def make(folder: Path, start: Barrier) -> None:
    start.wait()
    MemoryDatabase.open(folder).close()


def write_until_killed(folder: Path, told: Any) -> None:
    with MemoryDatabase.open(folder) as db:
        for n in range(MANY):
            write(db, f"Process {os.getpid()}, number {n}", source=f"{os.getpid()}/{n}")
            told.send(f"{os.getpid()}/{n}")
    signal.pause()  # until it is killed, on a machine that lets it come so far


def test_what_a_killed_process_was_told_is_written_is_there(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    draw = random.Random(11)
    with opened(tmp_path) as db:
        for _ in range(KILLS):
            ours, theirs = context.Pipe()
            process = run(context, write_until_killed, tmp_path, theirs)
            theirs.close()
            acknowledged = [ours.recv() for _ in range(draw.randint(1, MANY // 2))]
            os.kill(process.pid or 0, signal.SIGKILL)
            process.join()
            while True:
                try:
                    acknowledged.append(ours.recv())
                except EOFError:
                    break
            kept = {one.source for one in memories(db, presenter=INES)}
            kept |= {one.memory.source for one in left(db, presenter=INES)}
            stored = len([one for one in kept if str(one).startswith(f"{process.pid}/")])
            assert set(acknowledged) <= kept
            assert stored in (len(acknowledged), len(acknowledged) + 1)
            forget(db, *(one.id for one in memories(db, presenter=INES)), now=NOW)


def test_threads_share_one_database(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        found: list[bool] = []

        def work() -> None:
            for n in range(40):
                found.append(write(db, f"Number {n}", source=f"s/{n}"))
                recall(db, agent="skeptic", presenter=INES, topic=f"number {n}", now=NOW)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Counter(found) == {True: 40, False: 120}
        assert len(history(db, INES)) == 41


def test_forgetting_and_writing_at_once_leave_what_they_should(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with opened(tmp_path) as db:
        doomed = [keep(db, f"Doomed {n}", agent="analyst").id for n in range(8)]
        start = context.Barrier(3)
        writers = [run(context, fill, tmp_path, start, writer, 40) for writer in range(2)]
        start.wait()
        for one in doomed:
            forget(db, one, now=NOW)
        end(*writers)
        assert memories(db, presenter=INES, agent="analyst") == ()
        assert len(memories(db, presenter=INES, agent="skeptic")) == 80
