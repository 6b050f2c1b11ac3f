"""A disk that is full, fails, gives out no more files or may not be written, at every call of every command.

A command that could not do its work exits with 1 and one line that names the file; what it had done is whole,
and it can be run again.
"""

from __future__ import annotations

import re
import resource
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from orchestrator.core.store.store import Store
from orchestrator.panel.records.moderator import PartFailed
from tests.helpers.cut_short import (
    COMMAND,
    Case,
    GoingOnError,
    commands,
    different,
    loaded,
    picture,
    put_back,
    spread,
    wrong_in,
)
from tests.helpers.figures import not_run, note, share
from tests.helpers.forked import NO_FAULT, Fault, Forked, Ran, command, places
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import write_rehearsal
from tests.helpers.stores import on_disk, values_of

MAX: Final = share(10)
"""Places of one error in one command; of one with more calls as many, evenly spread."""
ERRORS: Final = {
    "ENOSPC": r"write|pwrite64|openat|mkdir(at)?|rename(at2?)?|link(at)?|fsync|fdatasync",
    "EIO": r"write|pwrite64|openat|mkdir(at)?|rename(at2?)?|link(at)?|unlink(at)?|rmdir|fsync|fdatasync"
    r"|ftruncate|f?chmod(at)?",
    "EMFILE": r"openat",
}
"""The calls that may fail so."""
BEFORE: Final[dict[str, tuple[str, ...]]] = {
    "check": (),
    "start": (),
    "feed": ("start",),
    "ask": ("start", "feed"),
    "answer": ("start", "feed", "ask"),
    "end": ("start", "feed", "ask"),
    "archive": ("start", "feed", "end"),
    "restore": ("start", "feed", "end", "archive"),
    "erase": ("start", "feed", "ask", "answer", "end"),
}
AT_ONCE: Final = ("check", "start", "restore")
"""Commands that do one thing: where they fail, nothing at all has changed."""
NAMES_A_FILE: Final = re.compile(r"/|\.md|\.jsonl?|\bs\b|stdout")


def limited(size: str, *arguments: str) -> int:
    """A command that may write no file larger than *size* bytes: the last write of one is short."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))
    return command(*arguments)


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    with loaded("disk faults", tmp_path_factory) as program:
        yield program


@pytest.fixture
def case(forked: Forked, tmp_path: Path) -> Case:
    home = new_home(tmp_path / "home")
    (home / "greenroom.yaml").write_text("minutes: 20\n")  # which every command reads first
    return Case(forked, home, write_rehearsal(tmp_path))


def prepared(case: Case, name: str, kept: Path) -> dict[str, object]:
    """Bring the home to where the command is called, keep it so, and tell what it comes to unharmed."""
    for earlier in BEFORE[name]:
        assert case.again(earlier).code == 0, earlier
    put_back(case.home, kept)
    assert case.again(name).code == 0
    whole = picture(case.home)
    put_back(kept, case.home)
    return whole


def ill_said(ran: Ran) -> list[str]:
    """A traceback, or a failure whose last line names no file."""
    *_, last = ran.err.splitlines() or [""]
    if ran.code not in (0, 1) or "Traceback" in ran.err:
        return [f"exit {ran.code}: {ran.err[-600:]}"]
    is_said = last.startswith("greenroom: ") and NAMES_A_FILE.search(last)
    return [f"said: {ran.err}"] if ran.code == 1 and not is_said else []


def wrong_with(
    case: Case, name: str, ran: Ran, whole: dict[str, object], before: dict[str, object]
) -> list[str]:
    """What broke the promise in a command that met a fault, looking at its words and at the home."""
    wrong = ill_said(ran)
    now = picture(case.home)
    for one in (before, whole):  # the presenter's word holds, whether a session comes of it or not
        now["consents"] = one["consents"]
        if ran.code == 0 or name not in AT_ONCE or not different(one, now):
            break
    else:
        wrong.append("it failed, and the home is neither as before nor as if it had not")
    is_degraded = (case.root / "ledger" / "degraded").exists()
    if is_degraded and "`greenroom resume" not in ran.err:
        wrong.append(f"degraded, and said: {ran.err}")
    try:
        if is_degraded and case.do("resume", "s", "--repair-only").code != 0:
            wrong.append("cannot be resumed")
        wrong += wrong_in(case.home)
        if ran.code != 0:
            case.go_on(name)
    except GoingOnError as error:
        wrong.append(str(error))
    return wrong + different(whole, picture(case.home) | forgiven(case, whole))


def forgiven(case: Case, whole: dict[str, object]) -> dict[str, object]:
    """What may be otherwise: nothing in memory may stop a rehearsal, whose ledger then says what failed."""
    if not case.root.exists():
        return {}
    store = Store(case.root)
    has_warned = bool(values_of(store, PartFailed.TYPE))
    store.close()
    return {part: whole[part] for part in ("memories", "goals", "consents") if has_warned}


@pytest.mark.parametrize("name", BEFORE)
def test_a_command_that_the_disk_fails_says_so_and_leaves_nothing_half(
    name: str, case: Case, forked: Forked, tmp_path: Path
) -> None:
    whole = prepared(case, name, tmp_path / "kept")
    before, arguments = picture(case.home), ("--home", str(case.home), *commands(case.home, case.files)[name])
    unharmed = forked.run(COMMAND, *arguments, fault=NO_FAULT)
    all_places, that_change = places(unharmed, that_change=False), set(places(unharmed, that_change=True))
    wrong, counts = [], Counter[str]()
    for error, calls in ERRORS.items():
        fitting = [
            (call, number)
            for call, number in all_places
            if re.fullmatch(calls, call) and (error != "ENOSPC" or (call, number) in that_change)
        ]
        for call, number in spread(fitting, MAX):
            put_back(tmp_path / "kept", case.home)
            fault = Fault(call, str(number), f"error={error}")
            ran = forked.run(COMMAND, *arguments, fault=fault)
            counts[error] += any("(INJECTED)" in told for _, told in ran.calls)
            wrong += [f"{fault}: {one}" for one in wrong_with(case, name, ran, whole, before)]
            wrong += [f"{fault}: {one}" for one in synced_again(ran)]
    failed = len({one.partition(": ")[0] for one in wrong})
    told = ", ".join(f"{count} {error}" for error, count in counts.items())
    note("disk faults", f"greenroom {name}", count=counts.total(), wrong=failed, told=told)
    assert not wrong, "\n".join(wrong)
    assert counts.total() >= MAX


def synced_again(ran: Ran) -> list[str]:
    """Syncs of the ledger behind one that failed: the second may succeed with the data lost."""
    syncs = [told for call, told in ran.calls if call == "fdatasync" and "ledger.jsonl>" in told]
    failed = [number for number, told in enumerate(syncs) if "(INJECTED)" in told]
    return ["the ledger was synced again"] if failed and syncs[failed[0] + 1 :] else []


# ---------------------------------------------------------------------- real disks


@contextmanager
def mounted(what: str, *mount: str | Path) -> Iterator[Path]:
    """Something mounted, for as long as the block lasts; the test is skipped where nothing can be."""
    done = subprocess.run(["mount", *map(str, mount)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        not_run("disk faults", what, f"nothing can be mounted here: {done.stderr.strip()}")
        pytest.skip(f"{what}: nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield Path(mount[-1])
    finally:
        subprocess.run(["umount", "-l", str(mount[-1])], check=True)


@pytest.mark.parametrize("size_kb", [48, 64, 128, 192, 240, 272])
def test_a_disk_that_runs_full_stops_a_rehearsal_which_goes_on_once_there_is_room(
    size_kb: int, case: Case, forked: Forked, tmp_path: Path
) -> None:
    whole = prepared(case, "end", tmp_path / "kept")
    other = Case(forked, new_home(tmp_path / "small"), case.files)
    sessions = other.home / "sessions"
    sessions.mkdir()
    small = ("-t", "tmpfs", "-o", f"size={size_kb}k", "tmpfs", sessions)
    wrong, refused = [], []
    with mounted("a disk of some KB", *small):
        for name in (*BEFORE["end"], "end"):
            ran = other.again(name)
            if ran.code != 0:
                refused.append(name)
                subprocess.run(["mount", "-o", "remount,size=8m", str(sessions)], check=True)
                wrong += ill_said(ran) + wrong_in(other.home)
                other.go_on(name)
        wrong += different(whole, picture(other.home))
    note(
        "disk faults",
        f"a disk of {size_kb} KB",
        count=len(refused),
        wrong=len(wrong),
        told=", ".join(refused),
    )
    assert not wrong, "\n".join(wrong)
    assert len(refused) == 1


@pytest.mark.parametrize("name", [one for one in BEFORE if one != "check"])
def test_a_limit_on_file_sizes_is_said_and_leaves_nothing_half(
    name: str, case: Case, forked: Forked, tmp_path: Path
) -> None:
    whole = prepared(case, name, tmp_path / "kept")
    before, wrong, refused = picture(case.home), [], 0
    for size in (500, 4_000, 30_000, 60_000, 100_000, 130_000):
        put_back(tmp_path / "kept", case.home)
        arguments = ("--home", str(case.home), *commands(case.home, case.files)[name])
        ran = forked.run(f"{__name__}:limited", str(size), *arguments)
        refused += ran.code != 0
        wrong += [f"{size} bytes: {one}" for one in wrong_with(case, name, ran, whole, before)]
    note("disk faults", f"short writes in greenroom {name}", count=refused, wrong=len(wrong))
    assert not wrong, "\n".join(wrong)
    assert refused > 0


@pytest.mark.parametrize("name", BEFORE)
def test_on_a_disk_that_may_only_be_read_what_writes_is_refused_and_what_reads_works(
    name: str, case: Case, tmp_path: Path
) -> None:
    prepared(case, name, tmp_path / "kept")
    before = on_disk(case.home)
    wrong = []
    looks: list[tuple[str, ...]] = [("list",)]
    if "start" in BEFORE[name]:
        looks += [("show", "s"), ("debrief", "s"), ("verify", "s")]
    with mounted("a disk that may only be read", "--bind", case.home, case.home):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(case.home)], check=True)
        ran = case.again(name)
        if ran.code != (name != "check"):
            wrong.append(f"{name} exits with {ran.code}: {ran.err}")
        wrong += ill_said(ran)
        for look in looks:
            if (seen := case.do(*look)).code != 0:
                wrong.append(f"{look[0]} exits with {seen.code}: {seen.err}")
    if on_disk(case.home) != before:
        wrong.append("the home has changed")
    note("disk faults", f"a read-only disk, greenroom {name}", count=1 + len(looks), wrong=len(wrong))
    assert not wrong, "\n".join(wrong)
