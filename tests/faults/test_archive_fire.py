"""An archive under fire: killed at each request, and met by each kind of fault at each request.

The session is a real one, the program is the command line in a process of its own where it is
killed, and the server is the strict one of the tests (tests/helpers/strict_s3.py).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import botocore.session
import pytest

from orchestrator.cli.app import run
from orchestrator.core.archive import s3
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.register import ARCHIVES, BEGUN, archives_of
from orchestrator.core.errors import ArchiveError
from orchestrator.panel.home import Home
from tests.helpers import strict_s3 as strict
from tests.helpers.board import archive_session, bag_files, restore, verify_archive
from tests.helpers.figures import SHARE, note
from tests.helpers.homes import ROOT, new_home
from tests.helpers.sessions import Sample, tiny_session
from tests.helpers.strict_s3 import KEY, SECRET, StrictS3, strict_s3

URL = "s3://bucket/boards"
PREFIX = "boards/s1/"
MARK = f"{PREFIX}tagmanifest-sha256.txt"

PASSING = ("reset", "reset-after", "409", "500", "503", "503-empty", "stall-after", "stall-body", "truncate")
"""Faults behind which another try does what was asked."""
REFUSING = ("403", "412")
EVERY = 9 * SHARE
"""From one request that a fault is put at to the next, where the whole program is tried."""
LIES = ("drop", "corrupt", "missing", "wrong", "stale", "extra")
PUTS_ALONE, READS_ALONE, LISTS_ALONE = (
    ("drop", "corrupt"),
    ("missing", "truncate", "stall-body"),
    ("stale", "extra"),
)


@dataclass(frozen=True)
class Fired:
    """A home with one ended session, what an archive of it holds, and the server."""

    home: Path
    server: StrictS3
    expected: dict[str, bytes]

    @property
    def root(self) -> Path:
        return self.home / "sessions" / "s1"

    def forget(self, *, keeping: dict[str, bytes]) -> None:
        """As before any archive, but that the server holds *keeping*."""
        server = self.server
        server.objects = dict(keeping)
        server.metadata = dict.fromkeys(keeping, "")
        server.applied.clear()
        server.requests.clear()
        server.headers.clear()
        server.struck.clear()
        server.faults = {}
        for name in (ARCHIVES, BEGUN):
            (self.home / "sessions" / ".records" / "s1" / name).unlink(missing_ok=True)

    def archive(self, home: Path | None = None) -> list[str]:
        return ["--home", str(home or self.home), "--json", "archive", "s1", "--to", URL]

    def erase(self, home: Path) -> list[str]:
        return ["--home", str(home), "--json", "erase", "s1", "--yes", "--archives"]

    def restore(self, into: Path) -> list[str]:
        return ["--home", str(self.home), "--json", "restore", "s1", "--from", URL, "--into", str(into)]

    def verify(self) -> list[str]:
        return ["--home", str(self.home), "--json", "verify", f"{URL}/s1"]

    def requests_of(self, arguments: list[str], keeping: dict[str, bytes]) -> list[tuple[str, str]]:
        """What the command asks of the server where nothing is wrong: method and key."""
        self.forget(keeping=keeping)
        assert run(arguments) == 0
        return list(self.server.requests)


@pytest.fixture(scope="module")
def fired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fired]:
    folder = tmp_path_factory.mktemp("fired")
    home = new_home(folder / "home")
    (folder / "deck.md").write_text("# Plan\n\n- Revenue grew 18% in 2026\n\n# Costs\n\n- Costs fell by 3%\n")
    (folder / "speech.txt").write_text("Good morning. Revenue grew 20% in 2026.\n\nCosts fell by 3%.\n")
    (folder / "answers.yaml").write_text("- text: It grew 18%, I misspoke.\n")
    with pytest.MonkeyPatch.context() as patch, strict_s3() as server:
        patch.setenv("AWS_ACCESS_KEY_ID", KEY)
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        patch.setenv("GREENROOM_S3_ENDPOINT", server.endpoint_url)
        patch.setattr(s3, "BACKOFF_S", [0.0] * 5)
        patch.setattr(strict, "STALL_S", 0.6)
        # Each would read boto's tables again; connections of one session would be shared with what is forked.
        patch.setattr(botocore.session, "create_loader", cache(botocore.session.create_loader))
        given = ["--speech", "speech.txt", "--answers", "answers.yaml", "--exchanges", "1", "--id", "s1"]
        panel = ["--panel", "skeptic,analyst", "--no-source", "--archive", URL]
        patch.chdir(folder)
        assert run(["--home", str(home), "--quiet", "run", "deck.md", *given, *panel]) == 0
        expected = {f"{PREFIX}{part.name}": part.read() for part in bag_files(home / "sessions" / "s1")}
        assert server.objects == expected
        yield Fired(home, server, expected)
    thaw(home / "sessions" / "s1")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """A session of three files."""
    sample = tiny_session(tmp_path_factory.mktemp("tiny"))
    yield sample
    thaw(sample.root)


def _tree(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file and folder, with its mode and bytes."""
    paths = [root, *root.rglob("*")]
    return {
        str(path.relative_to(root)): (path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in paths
    }


def _die(fired: Fired, arguments: list[str], number: int, fault: str) -> None:
    """Run a command in a process of its own, which is killed at its *number*-th request."""
    fired.server.lock.acquire()  # no request is looked at before the victim is known
    with warnings.catch_warnings():  # later Pythons warn of forks beside threads; the child uses none of them
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            run(arguments)
        finally:
            os._exit(1)
    fired.server.victim, fired.server.faults = pid, {number: fault}
    fired.server.lock.release()
    _, status = os.waitpid(pid, 0)
    fired.server.faults = {}
    time.sleep(0.05)  # what it had sent before it died is taken in
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, (number, fault)


def _kills(requests: list[tuple[str, str]]) -> list[tuple[int, str]]:
    """Before each request is looked at, and behind each that changes something, before its answer."""
    changing = [number for number, (method, _) in enumerate(requests, 1) if method != "GET"]
    return [(number, "kill") for number in range(1, len(requests) + 1)] + [
        (one, "kill-after") for one in changing
    ]


# ---------------------------------------------------------------------- kill -9


def test_killed_at_any_request_of_archive_the_next_run_completes_it_and_sends_nothing_twice(
    fired: Fired, capsys: pytest.CaptureFixture[str]
) -> None:
    kills = _kills(fired.requests_of(fired.archive(), {}))[::SHARE]
    wrong = []
    for number, fault in kills:
        fired.forget(keeping={})
        _die(fired, fired.archive(), number, fault)
        before = dict(fired.server.objects)
        begun_well = before.items() <= fired.expected.items() and (
            MARK not in before or before == fired.expected
        )
        capsys.readouterr()
        code = run(fired.archive())
        sent = json.loads(capsys.readouterr().out).get("sent")
        is_done = (code, fired.server.objects) == (0, fired.expected)
        # What the killed one had under way may arrive behind the look at what is there.
        is_done = is_done and sent <= len(fired.expected) - len(before)
        if not (begun_well and is_done and set(fired.server.applied.values()) == {1}):
            wrong.append((number, fault))
    note("archive", "kill -9 at each request of archive, run again", count=len(kills), wrong=len(wrong))
    assert wrong == []
    assert len(kills) > 90 // SHARE


def test_killed_at_any_request_of_restore_the_next_run_restores_all_of_it(
    fired: Fired, tmp_path: Path
) -> None:
    kills = _kills(fired.requests_of(fired.restore(tmp_path / "first"), fired.expected))[::SHARE]
    expected = _tree(fired.root)
    wrong = []
    for number, fault in kills:
        into = tmp_path / f"{number}"
        fired.forget(keeping=fired.expected)
        _die(fired, fired.restore(into), number, fault)
        is_none_yet = not (into / "s1").exists()
        code = run(fired.restore(into))
        restored = code == 0 and _tree(into / "s1") == expected and os.listdir(into) == ["s1"]
        if not (is_none_yet and restored):
            wrong.append((number, fault))
    note("archive", "kill -9 at each request of restore, run again", count=len(kills), wrong=len(wrong))
    assert wrong == []
    assert len(kills) > 30 // SHARE


def test_killed_at_any_request_of_erase_the_next_run_leaves_no_object(fired: Fired, tmp_path: Path) -> None:
    fired.requests_of(fired.archive(), {})  # the register has it
    with_register = shutil.copytree(fired.home, tmp_path / "home")
    fired.forget(keeping=fired.expected)
    _erased_after(fired, with_register, fired.erase, fired.expected, 1)


def test_killed_at_any_request_of_archive_erase_leaves_no_object(fired: Fired, tmp_path: Path) -> None:
    fired.forget(keeping={})
    without_register = shutil.copytree(fired.home, tmp_path / "home")
    _erased_after(fired, without_register, fired.archive, {}, 4)


def _erased_after(
    fired: Fired, home: Path, command: Callable[[Path], list[str]], keeping: dict[str, bytes], every: int
) -> None:
    """Kill a command at *every* so manieth of its requests, each time in a copy of *home*; erase then."""
    assert run(command(shutil.copytree(home, home / "tried"))) == 0
    kills = _kills(list(fired.server.requests))[:: every * SHARE]
    wrong = []
    for number, fault in kills:
        copy = shutil.copytree(
            home, home.parent / f"{fault}-{number}", ignore=shutil.ignore_patterns("tried")
        )
        fired.server.objects, fired.server.metadata = dict(keeping), dict.fromkeys(keeping, "")
        fired.server.requests.clear()
        _die(fired, command(copy), number, fault)
        code = run(fired.erase(copy))
        if code != 0 or fired.server.objects or list((copy / "sessions").rglob("*s1*")):
            wrong.append((number, fault))
    what = f"kill -9 at requests of {'erase' if keeping else 'archive'}, then erase --archives"
    note("archive", what, count=len(kills), wrong=len(wrong))
    assert wrong == []
    assert len(kills) > 20 // SHARE


def test_the_program_itself_killed_and_run_again(fired: Fired) -> None:
    last = len(fired.requests_of(fired.archive(), {}))
    program = [sys.executable, "-m", "orchestrator.cli", *fired.archive()]
    numbers = (1, 2, last // 3, last // 2, last - 1, last)
    for number in numbers:
        fired.forget(keeping={})
        fired.server.lock.acquire()
        started = subprocess.Popen(program, cwd=ROOT)
        fired.server.victim, fired.server.faults = started.pid, {number: "kill-after"}
        fired.server.lock.release()
        assert started.wait(60) == -signal.SIGKILL
        fired.server.faults = {}
        assert subprocess.run(program, cwd=ROOT, capture_output=True, check=False).returncode == 0
        assert fired.server.objects == fired.expected
        assert set(fired.server.applied.values()) == {1}
    note("archive", "kill -9 of the installed program's archive, run again", count=len(numbers))


# ---------------------------------------------------------------------- faults and lies


def _fits(fault: str, method: str, key: str) -> bool:
    """Whether the fault is one of such a request."""
    if not key:
        return fault not in (*PUTS_ALONE, "missing")
    if fault in LISTS_ALONE:
        return False
    return fault not in (READS_ALONE if method == "PUT" else PUTS_ALONE) and (method, fault) != (
        "PUT",
        "wrong",
    )


def _refused_well(err: str) -> bool:
    """One line, which holds no key and is no traceback."""
    return err.count("\n") == 1 and not any(word in err for word in (KEY, SECRET, "Signature=", "Traceback"))


def _files(root: Path) -> dict[str, tuple[int, bytes]]:
    """As `_tree`, without folders: the small session has empty ones, which no bag carries."""
    return {path: found for path, found in _tree(root).items() if (root / path).is_file()}


@dataclass(frozen=True)
class Met:
    """What a command came to that met a fault at the request for a key."""

    key: str
    code: int
    out: str

    def names(self, key: str) -> bool:
        return key.removeprefix(PREFIX) in self.out


def _each(
    fired: Fired,
    fault: str,
    command: Callable[[], list[str]],
    keeping: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Met]:
    """The command, again for every so manieth request that the fault fits, with the fault at it.

    Each kind begins at another one, so that all kinds together are at all of them; each kind at each
    request is tried below, on a session of fewer objects.
    """
    requests = fired.requests_of(command(), keeping)
    fitting = [number for number, request in enumerate(requests, 1) if _fits(fault, *request)]
    first = [*PASSING, *REFUSING, *LIES].index(fault) % EVERY if len(fitting) > EVERY else 0
    for number in fitting[first :: EVERY if len(fitting) > EVERY else 1]:
        fired.forget(keeping=keeping)
        fired.server.faults = {number: fault}
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            if "stall" in fault:
                patch.setattr(s3, "READ_TIMEOUT_S", 0.2)
            code = run(command())
        fired.server.faults = {}
        # Eight requests are under way at once, so that their order is not the first run's.
        if fired.server.struck and _fits(fault, fired.server.requests[number - 1][0], fired.server.struck[0]):
            yield Met(fired.server.struck[0], code, capsys.readouterr().out)


def _noted(what: str, fault: str, count: int, found: int, wrong: list[Met]) -> None:
    for how, met in (("refused or found", found), ("got through", count - found)):
        note("archive", f"faults at requests of {what}: {how}", count=met, wrong=len(wrong) if met else 0)
    assert wrong == []
    assert count > 0


@pytest.mark.parametrize(
    ("there", "fault"),
    [("nothing", one) for one in (*PASSING, *REFUSING, *LIES)]
    + [("all of it", one) for one in (*PASSING, *REFUSING, *LIES) if one not in PUTS_ALONE],
)
def test_a_fault_at_any_request_of_archive_never_makes_it_archived_when_it_is_not(
    fault: str, there: str, fired: Fired, capsys: pytest.CaptureFixture[str]
) -> None:
    keeping = fired.expected if there == "all of it" else {}
    count, found, wrong = 0, 0, list[Met]()
    for met in _each(fired, fault, fired.archive, keeping, capsys):
        count += 1
        is_noted = URL in archives_of(Home.open(fired.home), "s1")
        is_right = fired.server.objects == fired.expected
        if met.code == 0:
            is_well = is_right and is_noted and fault not in REFUSING
        else:
            found += 1
            is_well = not is_noted and fault not in PASSING and _is_told(met) and _goes_on(fired, met, fault)
        if fault in LIES and met.key:
            is_well = is_well and met.code == 1 and met.names(met.key)
        if not is_well or max(fired.server.applied.values(), default=1) > 1:
            wrong.append(met)
    _noted(f"archive, {there} being there", fault, count, found, wrong)


def _is_told(met: Met) -> bool:
    """With --json an error is one document on stdout."""
    return met.code == 1 and _refused_well(json.loads(met.out)["error"]["message"] + "\n")


def _goes_on(fired: Fired, met: Met, fault: str) -> bool:
    """The next try completes it; where other bytes were stored, once they are removed as it was told."""
    if fault == "corrupt":
        if MARK in fired.server.objects and met.key != MARK:
            return False
        if run(fired.archive()) == 0:
            return False
        del fired.server.objects[met.key], fired.server.applied[met.key]
    return run(fired.archive()) == 0 and fired.server.objects == fired.expected


@pytest.mark.parametrize("fault", [*PASSING, *REFUSING, *(one for one in LIES if one not in PUTS_ALONE)])
@pytest.mark.parametrize("command", ["restore", "verify"])
def test_a_fault_at_any_request_of_restore_and_verify_is_got_through_or_told(
    command: str, fault: str, fired: Fired, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, into = _tree(fired.root), tmp_path / "into"

    def arguments() -> list[str]:
        if (into / "s1").exists():
            thaw(into / "s1")
            shutil.rmtree(into)
        return fired.verify() if command == "verify" else fired.restore(into)

    count, found, wrong = 0, 0, list[Met]()
    for met in _each(fired, fault, arguments, fired.expected, capsys):
        count += 1
        told = json.loads(met.out)
        if met.code == 0:
            is_right = told["valid"] if command == "verify" else _tree(into / "s1") == expected
            is_well = is_right and fault not in REFUSING
        else:
            found += 1
            is_well = fault not in PASSING and (bool(told.get("findings")) or _is_told(met))
            is_well = is_well and not (into.exists() and os.listdir(into))
        if fault in LIES and met.key:
            is_well = is_well and met.code == 1 and met.names(met.key)
        if not is_well:
            wrong.append(met)
    _noted(command, fault, count, found, wrong)


@pytest.mark.parametrize("command", ["archive", "verify", "restore"])
def test_each_kind_of_fault_at_each_request_of_a_small_archive(
    command: str, fired: Fired, tiny: Sample, tmp_path: Path
) -> None:
    server, into = fired.server, tmp_path / "into"
    fired.forget(keeping={})
    archive_session(tiny.root, URL, endpoint_url=server.endpoint_url)
    expected = dict(server.objects)

    def attempt() -> bool:
        """Whether it says that all is done; raises what a user is told otherwise."""
        if command == "archive":
            return archive_session(tiny.root, URL, endpoint_url=server.endpoint_url).objects == len(expected)
        if command == "verify":
            return verify_archive(URL, tiny.id, endpoint_url=server.endpoint_url).valid
        root = restore(tiny.id, URL, into, endpoint_url=server.endpoint_url)
        is_whole = _files(root) == _files(tiny.root)
        thaw(root)
        shutil.rmtree(into)
        return is_whole

    keeping = {} if command == "archive" else expected
    fired.forget(keeping=keeping)
    assert attempt()
    requests = list(server.requests)
    for kind, faults in (("passing", PASSING), ("refusing", REFUSING), ("lying", LIES)):
        count, wrong = 0, list[tuple[str, int]]()
        for fault in faults:
            for number in range(1, len(requests) + 1):
                fired.forget(keeping=keeping)
                server.faults = {number: fault}
                is_done = _attempted(attempt, "stall" in fault)
                if not server.struck or not _fits(fault, server.requests[number - 1][0], server.struck[0]):
                    continue
                count += 1
                is_right = server.objects == expected and max(server.applied.values(), default=1) == 1
                met_lie = fault in LIES and bool(server.struck[0])
                if is_done and (not is_right or met_lie or fault in REFUSING):
                    wrong.append((fault, number))
                if not is_done and fault in PASSING:
                    wrong.append((fault, number))
        note("archive", f"{kind} faults at each request of {command}, small", count=count, wrong=len(wrong))
        assert wrong == []
        assert count >= len(requests) // 2


def _attempted(attempt: Callable[[], bool], stalls: bool) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        if stalls:
            patch.setattr(s3, "READ_TIMEOUT_S", 0.2)
        try:
            return attempt()
        except ArchiveError as error:
            return not _refused_well(f"{error}\n")  # told badly counts as if it had said that all is done
