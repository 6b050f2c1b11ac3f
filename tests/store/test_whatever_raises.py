"""Whatever raises, at any line, in any thread: what was acknowledged is on the disk, and the lock is free.

A write that returned is there for everybody; one that did not is there whole or not at all; and the next
write of the same process goes on behind it, as does one of another process.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from orchestrator import Home, Session
from orchestrator.core.store.ledger import ids_of
from orchestrator.core.store.store import Store
from orchestrator.material.values import LiveSegment
from tests.helpers.stores import (
    CANDIDATE,
    NOTES,
    TRANSCRIPT,
    bare,
    blueprints,
    contents,
    is_sound,
    receipt_note,
    views,
)

PACKAGE: Final = str(Path(sys.modules["orchestrator"].__file__ or "").parent)

ONE_WRITE, A_BLOCK = "one write", "a block"
WRITES: Final = int(os.environ.get("INTERRUPTED_WRITES", "1000"))


class RaisedError(Exception):
    """What a signal's handler raises; nobody expects it."""


def of_package(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(PACKAGE)


@contextmanager
def raising_at(number: int, kind: str) -> Iterator[list[str]]:
    """Raise at the *number*-th event of *kind* ("line" or "call") in the package; tells where."""
    seen, where = 0, list[str]()

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal seen
        if not of_package(frame):
            return None
        if event == kind:
            seen += 1
            if seen == number:
                where.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
                raise RaisedError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield where
    finally:
        sys.settrace(before)


def is_free(root: Path) -> bool:
    """Whether somebody else could take the session's lock now."""
    fd = os.open(root / "ledger" / "ledger.jsonl", os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def descriptors(root: Path) -> list[str]:
    """What this process has open at and below a session's folder; what other threads of the tests open is
    not meant. A system that does not say what is open (macOS) gives all numbers."""
    found = []
    for number in os.listdir("/dev/fd"):
        try:
            found.append(os.readlink(f"/dev/fd/{number}"))
        except FileNotFoundError:  # that of the list itself
            continue
        except OSError:
            return os.listdir("/dev/fd")
    return sorted(one for one in found if one.startswith(str(root.resolve())))


def append(store: Store, mark: str) -> list[str]:
    store.append(TRANSCRIPT, mark, by="transcript")
    return [f"{mark}\n"]


def write(store: Store, mark: str) -> list[str]:
    store.write(CANDIDATE, f"{mark}?\n", by="skeptic")
    return []


def block(store: Store, mark: str) -> list[str]:
    with store.transaction() as tx:
        tx.append(TRANSCRIPT, f"{mark} a", by="transcript")
        tx.write(CANDIDATE, f"{mark}?\n", by="skeptic")
        tx.append(TRANSCRIPT, f"{mark} b", by="transcript")
    return [f"{mark} a\n", f"{mark} b\n"]


def remembered(store: Store, mark: str) -> list[str]:
    """A write that takes a receipt along."""
    store.add_receipt(*receipt_note(f"r{abs(hash(mark)) % 10**12:012d}"))
    return append(store, mark)


Act = Callable[[Store, str], list[str]]
TOLD: Final = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""What is raised as the interpreter closes a generator is told by it, and goes no further."""
WHOLE: Final[dict[Act, int]] = {append: 1, remembered: 1, write: 0, block: 2}
"""Lines of the transcript that each adds, all or none."""


MEMORY: Final = Path("/dev/shm")
"""A file system in memory, where there is one: thousands of tries ask for a sync each."""


@pytest.fixture
def store() -> Iterator[Store]:
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        made = bare(Path(folder) / "session")
        blueprints(made)
        yield made
        made.close()


@pytest.mark.parametrize(
    ("act", "kind", "apart"),
    [
        (append, "line", 9),  # each ninth line: all of them are a slow test
        *(
            pytest.param(act, kind, 1, marks=[pytest.mark.slow, TOLD])
            for act, kind in product([append, write, block, remembered], ["line", "call"])
        ),
    ],
)
def test_an_exception_at_any_line_loses_nothing_and_holds_nothing(
    store: Store, act: Act, kind: str, apart: int
) -> None:
    act(store, "before")
    open_before = descriptors(store.root)
    number, where = 0, [""]
    while where:  # until no line is left to raise at
        number += apart
        before, told = store.texts(TRANSCRIPT), None
        candidate = store.content(CANDIDATE)
        with suppress(RaisedError), raising_at(number, kind) as where:
            told = act(store, f"{number}")
        assert is_free(store.root), where
        assert descriptors(store.root) == open_before, where
        fresh = Store(store.root)
        added = fresh.texts(TRANSCRIPT)[len(before) :]
        whole = WHOLE[act]
        assert len(added) in ((whole,) if told is not None else (0, whole)), where
        assert fresh.content(CANDIDATE) in {candidate, f"{number}?\n"}
        if act is block:
            assert (fresh.content(CANDIDATE) == f"{number}?\n") is bool(added), where
        fresh.close()
        store.append(NOTES, f"after {number}", by="skeptic")  # the very next write of this process
    assert number > 50
    assert views(store.root, store) == contents(store)
    receipts = (record for record in map(store.record, range(1, store.seq + 1)) if record.op == "receipt")
    ids = [one for record in receipts for one in ids_of(record)]
    assert len(ids) == len(set(ids))
    assert is_sound(store.root)
    again = Store(store.root)
    assert (contents(again), again.head) == (contents(store), store.head)
    again.close()


@pytest.mark.slow
def test_an_exception_at_any_line_of_a_session_loses_nothing(home: Path) -> None:
    """The same through the public session: its projection, its contexts and their receipts."""
    with Session.start(Home.open(home), deck_text="# A deck\n\n- Revenue grew by 12% in 2025.\n") as session:
        twin = Session.open(Home.open(home), session.id)

        def acts(mark: str) -> Iterator[Callable[[], object]]:
            yield lambda: session.append(TRANSCRIPT, f"{mark} one", by="transcript")
            yield lambda: session.write(CANDIDATE, f"{mark}?\n", by="skeptic")
            yield lambda: session.context("skeptic").messages()

        # Once before: a first write reads all records, and one that is cut off there reads them all again.
        # Each would have more to read than lines are gone through here; `test_…_the_first_write` has those.
        for act in acts("before"):
            act()
        left, number = {0, 1, 2}, 0
        while left:
            number += 7  # each seventh line
            for which, act in enumerate(acts(f"{number}")):
                if which in left:
                    with suppress(RaisedError), raising_at(number, "line") as where:
                        act()
                    if not where:
                        left.discard(which)
                    assert is_free(session.path), where
            context = session.context("skeptic")
            assert context.text == twin.context("skeptic").text
            assert session.projection == twin.projection
            session.rehearsal.store.flush()  # else the next ones have ever more receipts to write
        assert session.verify().valid
        twin.close()


@pytest.mark.slow
def test_an_exception_at_any_line_of_the_first_write_loses_nothing(home: Path, tmp_path: Path) -> None:
    """A session that was just opened reads its records before it writes."""
    with Session.start(Home.open(home), deck_text="# A deck\n\n- Revenue grew by 12% in 2025.\n") as begun:
        for number in range(5):
            begun.hear(LiveSegment(f"Sentence {number}."))
        was = begun.read(TRANSCRIPT)
    number, where = 0, [""]
    while where:
        number += 31  # each thirty-first line
        root = tmp_path / f"{number}" / begun.id
        shutil.copytree(begun.path, root)
        store, told = Store(root), False
        with suppress(RaisedError), raising_at(number, "line") as where:
            append(store, "one\n")
            told = True
        assert is_free(root), where
        append(store, "two\n")
        whole, second = f"{was}one\ntwo\n", f"{was}two\n"
        assert store.content(TRANSCRIPT) in ({whole} if told else {whole, second}), where
        assert is_sound(root)
        store.close()
        shutil.rmtree(root)
    assert number > 500


def write_until_enough(root: Path, work: str, count: int) -> None:
    """Write with a timer whose handler raises at random; print what was acknowledged."""
    chance = random.Random(7)
    armed = False

    def handler(number: int, frame: object) -> None:
        if armed:
            raise RaisedError

    def arm() -> None:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.000_05, 0.003))

    signal.signal(signal.SIGALRM, handler)
    store = Store(root)
    append(store, "-1")  # what the first write loads once takes longer than any timer here
    acknowledged: list[int] = [-1]
    open_before = len(descriptors(root))
    for number in range(count):
        try:
            armed = True
            arm()
            if work == ONE_WRITE:
                append(store, f"{number}")
            else:
                with store.transaction() as tx:
                    tx.append(TRANSCRIPT, f"{number}", by="transcript")
                    tx.append(TRANSCRIPT, f"{number} again", by="transcript")
            armed = False
        except RaisedError:
            armed = False
            if not is_free(root):
                sys.stdout.write("held\n")
            continue
        acknowledged.append(number)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if len(descriptors(root)) > open_before:
        sys.stdout.write("descriptors\n")
    sys.stdout.write(" ".join(map(str, acknowledged)))


@pytest.mark.slow
@pytest.mark.parametrize("work", [ONE_WRITE, A_BLOCK])
@pytest.mark.parametrize("where", ["disk", "memory"])
def test_what_was_acknowledged_under_a_timer_is_there(tmp_path: Path, work: str, where: str) -> None:
    """A timer's handler raises in the middle of writes, on a disk and on a file system in memory."""
    if where == "memory" and not os.access(MEMORY, os.W_OK):
        pytest.skip(f"there is no file system in memory at {MEMORY}")
    with tempfile.TemporaryDirectory(dir=MEMORY if where == "memory" else tmp_path) as folder:
        root = Path(folder) / "session"
        made = bare(root)
        blueprints(made)
        made.close()
        code = (
            "from tests.store.test_whatever_raises import *; "
            f"write_until_enough(Path({str(root)!r}), {work!r}, {WRITES})"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        *wrong, last = done.stdout.splitlines()
        assert wrong == []
        acknowledged = [int(word) for word in last.split()]
        other = Store(root)
        lines = other.content(TRANSCRIPT).splitlines()[1:]
        numbers = [int(line) for line in lines if not line.endswith("again")]
        if work == A_BLOCK:
            assert lines == ["-1", *(line for one in numbers[1:] for line in (f"{one}", f"{one} again"))]
        assert 1 < len(acknowledged) < WRITES
        assert set(acknowledged) <= set(numbers)
        assert numbers == sorted(set(numbers))
        other.append(TRANSCRIPT, "the lock is free", by="transcript")
        other.close()
        assert is_sound(root)


def test_an_exception_sent_to_another_thread_loses_nothing(store: Store) -> None:
    acknowledged: list[int] = []
    is_over = threading.Event()

    def work() -> None:
        number = 0
        while not is_over.is_set():
            try:
                while not is_over.is_set():
                    number += 1
                    append(store, f"{number}")
                    acknowledged.append(number)
            except RaisedError:
                continue

    writer = threading.Thread(target=work)
    writer.start()
    for sent in range(150):
        while len(acknowledged) < 2 * sent and writer.is_alive():
            is_over.wait(0.0005)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(writer.ident or 0), ctypes.py_object(RaisedError)
        )
    is_over.set()
    writer.join(60)
    assert not writer.is_alive()
    assert is_free(store.root)
    numbers = [int(line) for line in Store(store.root).texts(TRANSCRIPT)[1:]]
    assert set(acknowledged) <= set(numbers)
    assert numbers == sorted(set(numbers))
    append(store, "0")
    assert is_sound(store.root)


def test_a_transaction_that_is_forgotten_lets_go(store: Store) -> None:
    held = store.transaction()
    tx = held.__enter__()
    tx.append(TRANSCRIPT, "never written", by="transcript")
    assert not is_free(store.root)
    del held
    assert is_free(store.root)
    append(store, "written")
    assert store.texts(TRANSCRIPT)[1:] == ["written\n"]


def test_an_exception_that_somebody_keeps_keeps_no_lock(store: Store) -> None:
    """A test's `excinfo`, a debugger, a log of errors: they hold an exception's frames."""
    kept = []
    for number in range(1, 400):
        try:
            with raising_at(number, "line"), store.transaction() as tx:
                tx.append(TRANSCRIPT, f"{number}", by="transcript")
        except RaisedError as error:
            kept.append(error)
        append(store, "after")
    assert len(kept) > 100
    assert is_sound(store.root)
