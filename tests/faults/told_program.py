"""A program that uses everything a session can do, and tells each step before and behind it.

It runs in a process of its own on a disk whose power is cut. What it tells goes to a file on another disk, so
that afterwards one can say what was acknowledged. At chosen file system calls it stops until it may go on.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any, Final

from orchestrator import Home, Session
from orchestrator.core.errors import AlreadyWrittenError, GreenroomError, StoreWriteError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store import files, ledger
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import Store, create_store
from orchestrator.core.store.transaction import Draft
from tests.helpers.figures import SHARE
from tests.helpers.stores import CANDIDATE, INTEL, NOTES, PANEL, TRANSCRIPT, contents

DECK: Final = "# Revenue\n\nRevenue grew 40 % in 2025, from 10 to 14 million euros.\n"
HISTORY: Final = "shared/exchange-history.md"
SESSIONS: Final = 3
BARE: Final = "bare"
"""A session that is made with the store alone, so that its write-once files are not written at the start."""
FILLER: Final = "filler"
CALLS: Final = (
    "write", "fdatasync", "fsync", "ftruncate", "rename", "link", "unlink", "mkdir", "open", "fchmod",
)  # fmt: skip
EVERY: Final = 47 if SHARE == 1 else 191
"""Calls from one stop to the next: prime, so that each kind of call is met."""
MUTANTS: Final = ("no file sync", "no folder sync", "no cut-back")

Write = tuple[str, str, str]  # "append" or "write", file, text


def break_store(mutant: str) -> None:
    """Take from this process one of the three things that keep acknowledged writes."""
    fsync = os.fsync

    def fsync_files(fd: Any) -> None:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            fsync(fd)

    if mutant == "no file sync":
        os.fdatasync = lambda fd: None
    elif mutant == "no folder sync":
        os.fsync = fsync_files
    elif mutant == "no cut-back":
        os.ftruncate = lambda fd, length: None
        # The store reads back what it wrote, and would refuse a write behind what was not cut off.
        vars(ledger)["_damage"] = lambda *_: None


@dataclass
class Stops:
    """Where the program stands still until *ask* lets it go on: behind each acknowledgement, and at calls."""

    ask: Callable[[], None]
    folder: Path
    _count: int = 0
    _stops: int = 0
    _fsync: Callable[[int], None] = os.fsync  # as it is before a mutant takes it away
    _chance: random.Random = field(default_factory=lambda: random.Random(7))

    def watch(self) -> None:
        """From now on every so many calls of this process are stopped at."""
        for name in CALLS:
            setattr(os, name, partial(self._call, name, getattr(os, name)))

    def _call(self, name: str, real: Callable[..., Any], *given: Any, **named: Any) -> Any:
        self._count += 1
        if self._count % EVERY:
            return real(*given, **named)
        self._stops += 1
        done = 0
        if name == "write" and self._stops % 2:  # in the middle of it
            fd, content = given
            done = real(fd, content[: len(content) // 2])
            given = (fd, content[done:])
        self._reach_disk()
        self.ask()
        result = real(*given, **named)
        return result + done if done else result

    def _reach_disk(self) -> None:
        """The system may write what nobody has synced: nothing of it, one file, or everything."""
        what = self._chance.choice(("nothing", "nothing", "one file", "everything"))
        path = self._chance.choice(sorted(self.folder.rglob("*.md")))
        with path.open("rb") as file:
            if what == "one file":
                self._fsync(file.fileno())
            elif what == "everything":
                ctypes.CDLL(None).syncfs(file.fileno())


@dataclass
class Teller:
    """Tells what is tried and what was acknowledged, a line each, to a file that outlives the cut."""

    fd: int
    acknowledged: Callable[[], None]
    _write: Callable[[int, bytes], int] = os.write

    def _tell(self, **line: Any) -> None:
        self._write(self.fd, json.dumps(line).encode() + b"\n")

    @contextmanager
    def step(self, session: str, does: str, **more: Any) -> Iterator[dict[str, Any]]:
        """The block is one step; what it puts into the dictionary is told with the acknowledgement."""
        self._tell(session=session, does=does, **more)
        result: dict[str, Any] = {}
        try:
            yield result
        except (StoreWriteError, AlreadyWrittenError):
            self._tell(refused=True)
        else:
            self._tell(done=True, **result)
        self.acknowledged()

    def write(self, session: str, store: Store | Session, *writes: tuple[Write, str]) -> None:
        """Writes with their writers, all in one transaction if there are several."""
        with self.step(session, "write", writes=[write for write, _ in writes]), joined(store, writes) as to:
            for (op, path, text), by in writes:
                (to.append if op == "append" else to.write)(path, text, by=by)


@contextmanager
def joined(store: Store | Session, writes: Sequence[object]) -> Iterator[Store | Session | Draft]:
    """A transaction, unless there is one write alone, which is one by itself."""
    if len(writes) == 1:
        yield store
        return
    with store.transaction() as tx:
        yield tx


def work(root: Path, told: Path, pipe: Connection | None, mutant: str = "") -> None:
    """The program: in the home at *root*, on a disk that holds nothing else."""

    one_at_a_time = Lock()  # an archive is written by several threads

    def ask() -> None:
        if pipe is not None:
            with one_at_a_time:
                pipe.send(None)
                pipe.recv()

    fd = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    home = Home.open(root)
    teller = Teller(fd, ask)
    break_store(mutant)
    if pipe is not None:
        Stops(ask, root).watch()
    with suppress(GreenroomError):  # a mutant may have broken its own ledger; what it acknowledged is told
        for number in range(SESSIONS):
            _rehearse(teller, home, f"s{number}", is_full=not number)
            if not number:
                _write_once(teller, home)
    os._exit(0)


def _rehearse(teller: Teller, home: Home, name: str, *, is_full: bool) -> None:
    chance = random.Random(name)
    with teller.step(name, "start") as told:
        session = Session.start(home, deck_text=DECK, id=name, panel=PANEL, engine="offline")
        told["contents"] = contents(session.rehearsal.store)
    for number in range(6):
        spoken = f"[00:0{number}] Presenter: {'we grew ' * chance.randrange(1, 900)}\n"
        teller.write(name, session, (("append", TRANSCRIPT, spoken), "transcript"))
        asked = f"Why {number}{'?' * chance.randrange(1, 3000)}\n"
        teller.write(name, session, (("write", CANDIDATE, asked), "skeptic"))
        session.context("skeptic")  # its receipt goes to the disk with the next write
        if number == 3:
            teller.write(name, session, (("write", INTEL, "News.\n"), "intel"))
            teller.write(name, session, (("write", "shared/deck-content.md", "Another.\n"), "start"))
        if number % 3 == 1:
            teller.write(
                name,
                session,
                (("append", HISTORY, f"## Exchange {number}\n"), "moderator"),
                (("append", NOTES, f"- {spoken}"), "skeptic"),
                (("write", CANDIDATE, "None.\n"), "skeptic"),
            )
        if is_full and number == 1:
            with full(home.root):
                for size in (30_000, 9_000, 40):
                    teller.write(name, session, (("append", TRANSCRIPT, "x" * size + "\n"), "transcript"))
    with teller.step(name, "end") as told:
        told["head"] = session.end()
    session.close()


def _write_once(teller: Teller, home: Home) -> None:
    root = home.sessions / BARE
    with teller.step(BARE, "start") as told:
        store = create_store(root, packaged_table().seated(PANEL), Unread({"id": BARE, "templates": {}}))
        for folder in (root / "ledger", root, home.sessions):  # as the start of a session does
            fd = os.open(folder, files.FOLDER)
            files.sync_folder(fd)
            os.close(fd)
        told["contents"] = contents(store)
    for path in ("shared/session-config.md", "shared/deck-content.md", "shared/board-dossier.md"):
        teller.write(BARE, store, (("write", path, f"# {path}\n" * 99), "start"))
    store.close()


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """The disk of *folder* has two blocks left."""
    path = folder / FILLER
    with path.open("wb") as filler:
        size = 1 << 26
        done = 0
        while size >= 4096:
            try:
                os.posix_fallocate(filler.fileno(), done, size)
                done += size
            except OSError:
                size //= 2
        filler.truncate(done - 2 * 4096)
    try:
        yield
    finally:
        path.unlink()
