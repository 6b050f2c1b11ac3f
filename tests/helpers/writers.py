"""Writers in processes of their own: many appends, a race to write once, appends until the end."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.synchronize import Barrier
from pathlib import Path
from time import sleep
from typing import Any

from orchestrator.core.errors import AlreadyWrittenError, SessionFrozenError
from orchestrator.core.store.store import Store
from orchestrator.core.table import Mutability
from orchestrator.panel.records.moderator import Frozen
from tests.helpers.stores import CANDIDATE, TRANSCRIPT

HISTORY = "shared/exchange-history.md"
FORK = multiprocessing.get_context("fork")


def run(context: BaseContext, work: Callable[..., object], *given: Any) -> multiprocessing.Process:
    """Start a process; it exits with 1 and says why if *work* raises."""
    process = context.Process(target=work, args=given)  # type: ignore[attr-defined]  # of every context
    process.start()
    return process  # type: ignore[no-any-return]  # the stubs give `Process` to no base


def end(*processes: multiprocessing.Process, within_s: float = 120) -> None:
    for process in processes:
        process.join(within_s)
    assert [process.exitcode for process in processes] == [0] * len(processes)


def append_many(root: Path, writer: int, count: int) -> None:
    """Every fifth time a line in each of two files at once, else a line in the transcript."""
    store = Store(root)
    for number in range(count):
        line = f"{writer} {number} {'é' * (number % 50)}\n"
        if number % 5:
            store.append(TRANSCRIPT, line, by="transcript")
        else:
            with store.transaction() as tx:
                tx.append(TRANSCRIPT, f"pair {line}", by="transcript")
                tx.write(CANDIDATE, f"pair {line}", by="skeptic")
                tx.append(HISTORY, f"pair {line}", by="moderator")
    store.close()


Won = list[tuple[int, str, int]]


def race_as(me: int, stores: list[Store], barrier: Barrier) -> Won:
    """Write every write-once file of every session, each at the same moment as all others."""
    won: Won = []
    for number, store in enumerate(stores):
        for path, row in store.layout.files.items():
            if row.mutability is not Mutability.WRITE_ONCE:
                continue
            barrier.wait(60)
            try:
                assert store.write(path, f"by {me}\n", by=row.writers[0]) > 1
                won.append((number, path, me))
            except AlreadyWrittenError:
                continue
    return won


def race_to_write(
    roots: list[Path], number: int, barrier: Barrier, shares: bool, results: Connection
) -> None:
    """Two threads of one process, with the same stores or with stores of their own."""
    first = [Store(root) for root in roots]
    second = first if shares else [Store(root) for root in roots]
    with ThreadPoolExecutor(2) as threads:
        racing = [
            threads.submit(race_as, number * 2 + thread, stores, barrier)
            for thread, stores in enumerate((first, second))
        ]
    results.send([each for race in racing for each in race.result()])
    for store in {*first, *second}:
        store.close()


def append_until_the_end(roots: list[Path], barrier: Barrier, results: Connection) -> None:
    acknowledged = []
    for root in roots:
        store = Store(root)
        barrier.wait(60)
        count = 0
        try:
            while True:
                store.append(TRANSCRIPT, f"{count}\n", by="transcript")
                count += 1
        except SessionFrozenError:
            acknowledged.append(count)
        store.close()
    results.send(acknowledged)


def end_each(roots: list[Path], barrier: Barrier) -> None:
    chance = random.Random(7)
    for root in roots:
        store = Store(root)
        barrier.wait(60)
        sleep(chance.uniform(0, 0.004))
        store.freeze(Frozen({}))
        store.close()
