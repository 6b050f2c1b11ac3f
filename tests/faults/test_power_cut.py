"""A power cut at any moment: what was acknowledged is there, and nothing is there by half."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from orchestrator import Home, Session
from orchestrator.core.archive.download import list_archives
from orchestrator.core.errors import GreenroomError
from orchestrator.core.home.folder import UNFINISHED
from orchestrator.core.store.store import Store
from tests.faults.told_program import BARE, FILLER, MUTANTS, work
from tests.helpers.board import verify_archive, verify_session
from tests.helpers.figures import SHARE, note, share
from tests.helpers.homes import new_home
from tests.helpers.loop_disks import LoopDisk, mounted, or_skip
from tests.helpers.stores import TRANSCRIPT, contents, views

FORK = multiprocessing.get_context("fork")
ANY_TIME = share(40)
Contents = dict[str, str]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[LoopDisk]:
    for made in or_skip("power cut", "an ext4 disk in an image file", tmp_path / "power"):
        new_home(made.folder / "home")
        os.sync()
        yield made


# ---------------------------------------------------------------------- what was acknowledged


@dataclass
class Expected:
    """A session as the program's acknowledgements have it."""

    allowed: list[Contents] = field(default_factory=list)  # two where a write was under way at the cut
    is_there: bool = False  # its start was acknowledged
    is_ending: bool = False
    head: str | None = None  # the end was acknowledged, and with it the archive


def expected_of(told: str) -> dict[str, Expected]:
    """By session, from the lines that the program told until the cut."""
    sessions: dict[str, Expected] = {}
    tried: dict[str, Any] = {}
    for line in map(json.loads, told.splitlines()):
        if "session" in line:
            tried = line
            session = sessions.setdefault(line["session"], Expected())
            session.is_ending = line["does"] == "end"
            if line["does"] == "write":
                session.allowed.append(written(session.allowed[-1], line["writes"]))
        elif tried["does"] == "write":
            del session.allowed[1 if "refused" in line else 0]
        elif tried["does"] == "start":
            session.allowed, session.is_there = [line["contents"]], True
        else:
            session.head = line["head"]
    return sessions


def written(before: Contents, writes: list[tuple[str, str, str]]) -> Contents:
    after = dict(before)
    for op, path, text in writes:
        after[path] = after[path] + text if op == "append" else text
    return after


# ---------------------------------------------------------------------- what is there


def faults(root: Path, told: str) -> list[str]:
    """What the home at *root*, which lies on a disk after a cut, breaks of the promises."""
    found: list[str] = []
    sessions = expected_of(told)
    home = Home.open(root)
    for folder in home.sessions.iterdir() if home.sessions.is_dir() else ():
        if not folder.name.startswith((UNFINISHED, ".records")):
            sessions.setdefault(folder.name, Expected())
    for name, expected in sessions.items():
        try:
            found += [f"{name}: {fault}" for fault in session_faults(home, name, expected)]
        except GreenroomError as error:
            found.append(f"{name}: {error}")
    return found


def session_faults(home: Home, name: str, expected: Expected) -> Iterator[str]:
    root = home.sessions / name
    if not expected.is_there and not root.exists():
        return
    if not expected.is_there and name == BARE:  # made in its place, since the store alone makes it
        return
    first = verify_session(root)
    mendable = () if first.ended else ("torn", "behind")
    yield from (f"{one.path} is {one.kind}" for one in first.findings if one.kind not in mendable)
    if expected.head is not None and (first.head, first.ended) != (expected.head, True):
        yield "its end was lost"
    archives = {one.session for one in list_archives(str(home.archives))}
    if expected.head is not None and name not in archives:
        yield "its archive was lost"
    if name in archives and not verify_archive(str(home.archives), name).valid:
        yield "a part of an archive is called one"
    store = Store(root)
    try:
        if not store.frozen:
            with store.transaction():
                pass
        yield from content_faults(store, expected)
        if not store.frozen and not expected.is_ending:
            store.append(TRANSCRIPT, "After the cut.\n", by="transcript")
    finally:
        store.close()
    if expected.is_ending:
        yield from unended_faults(home, name)
    yield from (f"{one.path} is {one.kind} after mending" for one in verify_session(root).findings)


def content_faults(store: Store, expected: Expected) -> Iterator[str]:
    now = contents(store)
    if views(store.root, store) != now:
        yield "a file is not what the ledger says, after mending"
    if expected.is_ending or expected.head is not None:  # the end adds to files, and replaces some
        yield from (
            f"an acknowledged write to {path} was lost"
            for path in (TRANSCRIPT, "shared/exchange-history.md", "skeptic/exchange-notes.md")
            if not now[path].startswith(expected.allowed[-1][path])
        )
    elif expected.is_there and now not in expected.allowed:
        lost = [path for path in now if all(now[path] != one[path] for one in expected.allowed)]
        yield f"an acknowledged write to {lost or 'one of several files'} was lost"


def unended_faults(home: Home, name: str) -> Iterator[str]:
    """An end that was under way is done again, and so is the archive."""
    with Session.open(home, name) as session:
        if not session.projection.ended:
            session.end()
        elif session.is_to_be_archived:
            session.archive()
    if not verify_archive(str(home.archives), name).valid:
        yield "its archive cannot be completed"


# ---------------------------------------------------------------------- the cuts


def cut(disk: LoopDisk, told: Path, pid: int, number: int) -> list[str]:
    """Cut the power while process *pid* works on the disk: what the disk then holds is looked at."""
    copy = disk.image.with_name("cut.img")
    os.kill(pid, signal.SIGSTOP)
    while not is_stopped(pid):
        sleep(0.001)
    try:
        disk.copy(copy)
        with mounted(copy, disk.image.with_name("cut")) as after:
            (after.folder / "home" / FILLER).unlink(missing_ok=True)  # else there is no room to mend anything
            return [f"cut {number}: {fault}" for fault in faults(after.folder / "home", told.read_text())]
    finally:
        os.kill(pid, signal.SIGCONT)


def cuts(disk: LoopDisk, mutant: str = "") -> Iterator[list[str]]:
    """What is wrong after a cut at each place where the program stops."""
    told = disk.image.with_name("told")
    told.touch()
    ours, theirs = FORK.Pipe()
    program = FORK.Process(target=work, args=(disk.folder / "home", told, theirs, mutant))
    program.start()
    theirs.close()
    number = 0
    try:
        while True:
            try:
                ours.recv()
            except EOFError:
                break
            number += 1
            yield cut(disk, told, program.pid or 0, number)
            ours.send(None)
    finally:
        program.kill()
        program.join()
    assert program.exitcode == 0


def test_no_acknowledged_write_is_lost_by_a_cut_at_a_call_or_behind_an_acknowledgement(
    disk: LoopDisk,
) -> None:
    wrong = list(cuts(disk))
    told = disk.image.with_name("told").read_text()
    writes = told.count('"done"')
    note(
        "power cut",
        "cuts between calls and behind acknowledgements",
        count=len(wrong),
        wrong=sum(map(bool, wrong)),
        told=f"{writes} steps acknowledged, {told.count('refused')} refused",
    )
    assert [fault for faults in wrong for fault in faults] == []
    assert len(wrong) >= 100 // SHARE
    assert '"refused"' in told


def test_no_acknowledged_write_is_lost_by_a_cut_at_any_time(disk: LoopDisk) -> None:
    """The program is stopped from outside, wherever it is."""
    chance = random.Random(20261123)
    told = disk.image.with_name("told")
    told.touch()
    program = FORK.Process(target=work, args=(disk.folder / "home", told, None))
    program.start()
    wrong: list[list[str]] = []
    try:
        while len(wrong) < ANY_TIME and program.is_alive():
            sleep(chance.uniform(0, 0.03))
            wrong.append(cut(disk, told, program.pid or 0, len(wrong)))
    finally:
        program.kill()
        program.join()
    note("power cut", "cuts at any time", count=len(wrong), wrong=sum(map(bool, wrong)))
    assert [fault for faults in wrong for fault in faults] == []


def is_stopped(pid: int) -> bool:
    """Whether a process stands still, or has ended."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "TZ"


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_store_without_one_of_its_precautions_loses_what_it_acknowledged(
    mutant: str, disk: LoopDisk
) -> None:
    tried = 0
    lost: list[str] = []
    for wrong in cuts(disk, mutant):
        tried += 1
        lost = wrong
        if lost:
            break
    note(
        "power cut", f"a store with {mutant} is caught", count=1, wrong=int(not lost), told=f"at cut {tried}"
    )
    assert lost
