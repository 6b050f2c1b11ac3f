"""Many writers at once: nothing is lost, doubled or interleaved, and everybody reads a consistent whole.

Real processes, forked and spawned, and threads; some of them are killed. No test waits for a
certain time to pass or asks how long anything took. Races for one file and against the end are run a
thousand times in tests/faults/test_many.py.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from orchestrator.core.context.assemble import Assembler, Context
from orchestrator.core.context.receipt import receipt_of
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.store import Store
from orchestrator.core.store.transaction import Draft
from tests.helpers.stores import (
    CANDIDATE,
    TRANSCRIPT,
    bare,
    blueprints,
    contents,
    is_sound,
    receipt_note,
    records,
    views,
)
from tests.helpers.writers import FORK, HISTORY, append_many, end, run

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run

WRITERS = 8
APPENDS = 300
READERS = 2
KILLS = 50
TEMPLATES = {path: f"# {path}\n" for path in packaged_table().seated(["skeptic", "analyst"]).templates}


# ---------------------------------------------------------------------- many writers


def shown_of(prepared: Context, path: str) -> str:
    """One file's text as a context shows it: nothing is escaped in these tests."""
    (block,) = [block for block in prepared.blocks if block.path == path]
    return "".join(block.parts()[1:-1])


def assemble_until(root: Path, stop: Event, found: Connection) -> None:
    """Prepare contexts; each must be a consistent cut, and go on from the one before."""
    store = Store(root)
    assembler = Assembler(store, TEMPLATES)
    before = ""
    kept: list[tuple[dict[str, Any], str]] = []
    number = 0
    while not stop.is_set():
        prepared = assembler.prepare("skeptic", purpose="test", engine="offline")
        transcript = shown_of(prepared, TRANSCRIPT)
        assert transcript.startswith(before)
        assert transcript.endswith("\n")
        pairs = [line for line in transcript.splitlines() if line.startswith("pair")]
        assert shown_of(prepared, HISTORY).splitlines()[1:] == pairs
        assert shown_of(prepared, CANDIDATE).splitlines() == (pairs[-1:] or [f"# {CANDIDATE}"])
        before = transcript
        number += 1
        if number % 7 == 0 and len(kept) < 40:
            kept.append((prepared.receipt.value(), prepared.sha256))
    store.close_files()
    found.send((number, kept))
    found.close()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_what_eight_processes_append_is_there_once_in_each_ones_order(tmp_path: Path, method: str) -> None:
    context = multiprocessing.get_context(method)
    root = tmp_path / "s"
    store = bare(root)
    blueprints(store)
    stop = context.Event()
    pipes = [context.Pipe(duplex=False) for _ in range(READERS)]
    readers = [run(context, assemble_until, root, stop, sender) for _, sender in pipes]
    for _, sender in pipes:
        sender.close()
    writers = [run(context, append_many, root, writer, APPENDS) for writer in range(WRITERS)]
    end(*writers)
    stop.set()
    seen = [receiver.recv() for receiver, _ in pipes]
    end(*readers)

    store.catch_up()
    lines = [line.removeprefix("pair ") for line in store.content(TRANSCRIPT).splitlines()[1:]]
    assert len(lines) == WRITERS * APPENDS
    for writer in range(WRITERS):
        own = [line for line in lines if line.startswith(f"{writer} ")]
        assert own == [f"{writer} {number} {'é' * (number % 50)}" for number in range(APPENDS)]
    assert views(root, store) == contents(store)
    assert is_sound(root)
    assert [line["seq"] for line in records(root)] == list(range(1, store.seq + 1))

    assembler = Assembler(store, TEMPLATES)
    for count, kept in seen:
        assert count > 0
        for value, sha256 in kept:
            assert assembler.rebuild(receipt_of(value)).sha256 == sha256
    store.close()


# ---------------------------------------------------------------------- killed


def append_and_tell(root: Path, round_: int, told: Connection) -> None:
    """Append for ever, and say so after each append that has returned."""
    store = Store(root)
    number = 0
    while True:
        line = f"{round_} {number} {'x' * (number * 37 % 900)}\n"
        if number % 3:
            store.append(TRANSCRIPT, line, by="transcript")
        else:
            with store.transaction() as tx:
                tx.append(TRANSCRIPT, line, by="transcript")
                tx.write(CANDIDATE, line, by="skeptic")
                tx.append(HISTORY, line, by="moderator")
        told.send(number)
        number += 1


def test_what_was_acknowledged_before_a_kill_is_there(tmp_path: Path) -> None:
    root = tmp_path / "s"
    store = bare(root)
    blueprints(store)
    store.close()
    chance = random.Random(20261122)
    stored_in_all: list[str] = []
    for round_ in range(KILLS):
        receiver, sender = FORK.Pipe(duplex=False)
        process = run(FORK, append_and_tell, root, round_, sender)
        sender.close()
        receiver.poll(60)  # it has begun
        sleep(chance.uniform(0, 0.03))
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        acknowledged = 0
        while True:
            try:
                acknowledged = receiver.recv() + 1
            except EOFError:
                break
        receiver.close()

        reader = Store(root)  # before anything is mended
        before = [line for line in reader.texts(TRANSCRIPT)[1:] if line.startswith(f"{round_} ")]
        reader.close()
        opened = Store(root)
        with opened.transaction():
            pass
        stored = [line for line in opened.texts(TRANSCRIPT)[1:] if line.startswith(f"{round_} ")]
        assert stored == before
        assert acknowledged <= len(stored) <= acknowledged + 1
        assert [int(line.split()[1]) for line in stored] == list(range(len(stored)))
        stored_in_all += stored
        assert opened.texts(TRANSCRIPT)[1:] == stored_in_all
        paired = [line for line in stored_in_all if int(line.split()[1]) % 3 == 0]
        assert opened.texts(HISTORY)[1:] == paired  # a transaction counts whole or not at all
        assert views(root, opened) == contents(opened)
        assert is_sound(root)
        opened.close()
    assert len(stored_in_all) > KILLS


# ---------------------------------------------------------------------- forks


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = bare(tmp_path / "s")
    blueprints(store)
    return store


def forked(work: Callable[..., object], *given: Any) -> multiprocessing.Process:
    """Run *work* in a forked child, which ends right behind it."""
    return run(FORK, work, *given)


def lines_of(store: Store) -> list[str]:
    store.catch_up()
    return store.content(TRANSCRIPT).splitlines()[1:]


def append(store: Store | Draft, *lines: str) -> None:
    for line in lines:
        store.append(TRANSCRIPT, line, by="transcript")


def test_a_forked_child_writes_as_a_process_of_its_own(store: Store) -> None:
    append(store, "before")
    names = [[f"{who} {number}" for number in range(100)] for who in ("child", "parent")]
    child = forked(lambda: append(store, *names[0]))
    append(store, *names[1])
    end(child)
    lines = lines_of(store)
    assert lines[0] == "before"
    assert [line for line in lines if line.startswith("child")] == names[0]
    assert [line for line in lines if line.startswith("parent")] == names[1]
    assert len(lines) == 201
    assert views(store.root, store) == contents(store)
    assert is_sound(store.root)
    store.close()


def test_a_child_forked_inside_a_transaction_ends_the_block_without_effect(store: Store) -> None:
    before = store.seq
    receiver, sender = FORK.Pipe(duplex=False)
    pid = -1
    try:
        with store.transaction() as tx:
            append(tx, "parent 1")
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
            else:
                append(tx, "parent 2")
        if pid == 0:
            append(store, "child")  # waits for the parent's transaction, then comes behind it
            sender.send(lines_of(store))
            os._exit(0)
    finally:
        if pid == 0:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert receiver.recv() == lines_of(store) == ["parent 1", "parent 2", "child"]
    assert store.seq == before + 3
    assert is_sound(store.root)
    store.close()


def test_a_child_forked_inside_a_transaction_may_write_before_the_block_ends(store: Store) -> None:
    with store.transaction() as tx:
        append(tx, "parent 1")
        child = forked(lambda: append(store, "child"))
        append(tx, "parent 2")
    end(child)
    assert lines_of(store) == ["parent 1", "parent 2", "child"]
    assert is_sound(store.root)
    store.close()


def test_a_child_does_not_see_what_its_parent_took_back(store: Store) -> None:
    def give_up() -> None:
        with store.transaction() as tx:
            append(tx, "taken back")
            children.append(forked(lambda: append(store, *["child"] * (1 + len(lines_of(store))))))
            raise ZeroDivisionError

    children: list[multiprocessing.Process] = []
    with pytest.raises(ZeroDivisionError):
        give_up()
    end(children[0])
    assert lines_of(store) == ["child"]
    store.close()


def test_waiting_receipts_are_written_once_by_whom_they_belong_to(store: Store) -> None:
    def child() -> None:
        store.add_receipt(*receipt_note("r00000000000c", "analyst"))
        assert [id for id, _ in store.waiting_receipts] == ["r00000000000c"]
        store.close()

    store.add_receipt(*receipt_note("r00000000000a"))
    end(forked(child))
    end(forked(store.close))
    assert [id for id, _ in store.waiting_receipts] == ["r00000000000a"]
    store.close()
    assert [*Store(store.root).receipts_on_disk()] == ["r00000000000c", "r00000000000a"]


def test_a_child_forked_while_another_thread_writes_is_not_stuck(store: Store) -> None:
    stop = threading.Event()
    count = 0

    def write() -> None:
        nonlocal count
        while not stop.is_set():
            append(store, f"thread {count}")
            count += 1

    writing = threading.Thread(target=write)
    writing.start()
    try:
        end(*[forked(append, store, f"child {n}") for n in range(12)])
    finally:
        stop.set()
        writing.join()
    lines = lines_of(store)
    assert [line for line in lines if line.startswith("thread")] == [f"thread {n}" for n in range(count)]
    assert sorted(line for line in lines if line.startswith("child")) == sorted(
        f"child {n}" for n in range(12)
    )
    assert is_sound(store.root)
    store.close()


# ---------------------------------------------------------------------- threads


@pytest.mark.parametrize("shares", [True, False], ids=["one store", "a store each"])
def test_what_eight_threads_append_is_there_once_in_each_ones_order(store: Store, shares: bool) -> None:
    assembler = Assembler(store, TEMPLATES)
    stores = [store if shares else Store(store.root) for _ in range(WRITERS)]
    begun = threading.Barrier(WRITERS + 2)

    def write(number: int) -> None:
        begun.wait(60)
        for n in range(60):
            if n % 4:
                append(stores[number], f"{number} {n}")
            else:
                with stores[number].transaction() as tx:
                    append(tx, f"{number} {n}")
                    tx.append(HISTORY, f"{number} {n}", by="moderator")

    def read() -> list[tuple[Context, str]]:
        begun.wait(60)
        found = []
        while not all(writing.done() for writing in writers):
            prepared = assembler.prepare("analyst", purpose="test", engine="offline")
            found.append((prepared, prepared.text))
            assert assembler.as_of("analyst", prepared.seq).text == found[-1][1]
        return found

    with ThreadPoolExecutor(WRITERS + 2) as threads:
        writers = [threads.submit(write, number) for number in range(WRITERS)]
        readers = [threads.submit(read) for _ in range(2)]
    texts = [each for reading in readers for each in reading.result()]
    for writing in writers:
        writing.result()
    lines = lines_of(store)
    assert len(lines) == WRITERS * 60
    for number in range(WRITERS):
        assert [line for line in lines if line.startswith(f"{number} ")] == [
            f"{number} {n}" for n in range(60)
        ]
    assert views(store.root, store) == contents(store)
    assert is_sound(store.root)
    assert texts
    for prepared, text in texts:
        assert prepared.text == text  # what was prepared stays what it is
        assert assembler.rebuild(prepared.receipt).text == text
    for each in {*stores, store}:
        each.close()
