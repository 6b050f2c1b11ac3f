"""The guard in real processes: how soon every direct change is put back, and that its bytes are kept.

Each of `run`, `feed`, `serve` and `mcp` guards a live session, into which another program writes.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest

from orchestrator import Home, Session
from orchestrator.core.guard import Guard
from orchestrator.core.store.store import Store
from tests.helpers.board import verify_session
from tests.helpers.figures import not_run, note, share
from tests.helpers.rehearsals import ROOT, greenroom_json, write_rehearsal
from tests.helpers.sessions import TRANSCRIPT, live_session

ROUNDS = share(70)
"""Changes for each of the four processes."""
WITHIN_S = 1.0
"""What is promised."""
TIMEOUT_S = 60.0


def until(what: str, is_so: Callable[[], object]) -> None:
    """Wait until *is_so*."""
    end = time.monotonic() + TIMEOUT_S
    while not is_so():
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.005)


@dataclass
class Guarded:
    """A process that guards a live session, and what it has said on stderr."""

    process: subprocess.Popen[bytes]
    root: Path
    said: Path
    seconds: list[float] = field(default_factory=list)

    def lines(self) -> list[str]:
        return self.said.read_text("utf-8").splitlines()

    def told(self) -> list[str]:
        """The lines about changes."""
        return [line for line in self.lines() if "put back" in line or "brought up to date" in line]


@contextmanager
def guarding(home: Path, root: Path, said: Path, *command: str | Path) -> Iterator[Guarded]:
    """The command in a process of its own, from when its guard has put a first change back."""
    whole = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), *map(str, command)]
    with said.open("wb") as err:
        process = subprocess.Popen(
            whole, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=err
        )
    try:
        until(
            "the session", lambda: (root / "ledger" / "ledger.jsonl").exists() or process.poll() is not None
        )
        guarded = Guarded(process, root, said)
        until("the transcript", (root / TRANSCRIPT).exists)
        (root / TRANSCRIPT).unlink()
        until("the first line", lambda: guarded.told() or process.poll() is not None)
        assert process.poll() is None, guarded.lines()
        yield guarded
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=TIMEOUT_S)
        finally:
            process.kill()
            process.communicate()
    assert not [line for line in said.read_text("utf-8").splitlines() if "Traceback" in line]


# ------------------------------------------------------------------ changes, at random


def edit(path: Path, secret: bytes) -> None:
    with path.open("r+b") as file:
        file.write(secret)


def add(path: Path, secret: bytes) -> None:
    with path.open("ab") as file:
        file.write(secret)


def hold_open(path: Path, secret: bytes) -> None:
    """A program that never closes the file: no event says that it has written."""
    HELD.append(os.open(path, os.O_WRONLY | os.O_APPEND))
    os.write(HELD[-1], secret)


def save(path: Path, secret: bytes) -> None:
    new = path.with_name(".new~")
    new.write_bytes(secret)
    os.replace(new, path)


def make_again(path: Path, secret: bytes) -> None:
    path.unlink()
    path.write_bytes(secret)


def make_folder(path: Path, secret: bytes) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_bytes(secret)


def link(path: Path, secret: bytes) -> None:
    path.unlink()
    path.symlink_to(f"/dev/zero/{secret.decode()}")


def pipe(path: Path, secret: bytes) -> None:
    path.unlink()
    os.mkfifo(path)


def move_out(path: Path, secret: bytes) -> None:
    path.rename(path.parents[3] / "moved-out")


def truncate(path: Path, secret: bytes) -> None:
    os.truncate(path, path.stat().st_size // 2)


def delete(path: Path, secret: bytes) -> None:
    path.unlink()


def chmod(path: Path, secret: bytes) -> None:
    path.chmod(random.choice((0o000, 0o400, 0o444)))


HELD: list[int] = []
LEAVES_BYTES: list[Callable[[Path, bytes], None]] = [
    edit, add, hold_open, save, make_again, make_folder, link
]  # fmt: skip
LEAVES_NONE: list[Callable[[Path, bytes], None]] = [pipe, move_out, truncate, delete, chmod]
CHANGES = LEAVES_BYTES + LEAVES_NONE


def is_right(store: Store, path: str) -> bool:
    """Whether the file is what the ledger says, and its owner's."""
    there = store.root / path
    try:
        if there.is_symlink() or not there.is_file() or there.stat().st_mode & 0o600 != 0o600:
            return False
        raw = there.read_bytes()
    except OSError:
        return False
    store.catch_up()
    return raw == store.content(path).encode()


def is_kept(root: Path, secret: bytes) -> bool:
    """Whether the bytes that stood there are below `ledger/rejected/`."""
    for kept in (root / "ledger" / "rejected").rglob("*"):
        if kept.is_symlink():
            if secret.decode() in os.readlink(kept):
                return True
        elif kept.is_file() and secret in kept.read_bytes():
            return True
    return False


def meddle(guarded: Guarded, chance: random.Random) -> list[str]:
    """Change files at random, one after the other; what was wrong, a line each."""
    wrong = []
    with Session.open(None, guarded.root) as session:
        store = session.rehearsal.store
        paths = [path for path in store.layout.files if store.content(path)]
        for number in range(ROUNDS):
            change, path = chance.choice(CHANGES), chance.choice(paths)
            secret = f"SECRET-{number:03}".encode()
            until("a file to change", lambda path=path: is_right(store, path))  # type: ignore[misc]
            lines = len(guarded.told())
            begin = time.monotonic()
            change(guarded.root / path, secret)
            while not is_right(store, path) and time.monotonic() - begin < TIMEOUT_S:
                time.sleep(0.002)
            guarded.seconds.append(time.monotonic() - begin)
            what = f"{change.__name__} of {path}"
            if guarded.seconds[-1] > WITHIN_S:
                wrong.append(f"{what}: put back after {guarded.seconds[-1]:.2f} s")
            if change in LEAVES_BYTES and not is_kept(guarded.root, secret):
                wrong.append(f"{what}: its bytes were not kept")
            until("its line", lambda lines=lines: len(guarded.told()) > lines)  # type: ignore[misc]
            told = guarded.told()[lines:]
            if len(told) != 1 or f": {path}: " not in told[0]:
                wrong.append(f"{what}: told {told}")
            while HELD:
                os.close(HELD.pop())
    if "SECRET" in "\n".join(guarded.lines()):
        wrong.append("the content was told")
    return wrong


def test_every_change_in_a_live_session_is_put_back_within_a_second(home: Path, tmp_path: Path) -> None:
    files = write_rehearsal(tmp_path)
    sessions, growing = home / "sessions", tmp_path / "growing.jsonl"
    growing.touch()
    for name in ("fed", "served", "offered"):
        greenroom_json(home, "start", files.deck, "--id", name)
    slowly = ("--speed", "0.001")
    commands: dict[str, list[str | Path]] = {
        "played": ["run", files.deck, "--speech", files.speech, "--id", "played", *slowly],
        "fed": ["feed", "fed", growing, "--follow"],
        "served": ["serve", "--port", "0"],
        "offered": ["mcp"],
    }
    seconds: list[float] = []
    wrong: list[str] = []
    for name, command in commands.items():
        with guarding(home, sessions / name, tmp_path / f"{name}.err", *command) as guarded:
            wrong += [f"{command[0]}: {line}" for line in meddle(guarded, random.Random(f"{name} 1"))]
        seconds += guarded.seconds
        if not (verified := verify_session(sessions / name)).valid:
            wrong.append(f"{command[0]}: {verified.findings}")
    middle, late, most = median(seconds), sorted(seconds)[int(len(seconds) * 0.95)], max(seconds)
    told = f"put back after median {middle:.2f}, p95 {late:.2f}, at most {most:.2f} s; run, feed, serve, mcp"
    note("guard", "direct changes to files of live sessions", count=len(seconds), wrong=len(wrong), told=told)
    assert len(seconds) == 4 * ROUNDS
    assert wrong == []


# ------------------------------------------------------------------ no false alarm

WRITER = """
import sys
from pathlib import Path
from orchestrator.core.store.store import Store
store = Store(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    store.append("shared/presenter-transcript.md", f"{sys.argv[2]} {number}\\n", by="transcript")
    if number % 10 == 0:
        store.write("skeptic/candidate-question.md", f"Why {number}?\\n", by="skeptic")
store.close()
"""


def test_two_thousand_appends_each_by_its_own_and_by_another_process_are_no_changes(tmp_path: Path) -> None:
    root = live_session(tmp_path).root
    told: list[str] = []
    with Guard(session=root, say=told.append):
        other = subprocess.Popen([sys.executable, "-c", WRITER, str(root), "other", "2000"], cwd=ROOT)
        with Store(root).transaction():
            pass
        store = Store(root)
        for number in range(2000):
            store.append(TRANSCRIPT, f"own {number}\n", by="transcript")
        assert other.wait(600) == 0
        store.catch_up()
        text = store.content(TRANSCRIPT)
        store.close()
    kept = [sum(line.startswith(who) for line in text.splitlines()) for who in ("own ", "other ")]
    rejected = len(list(root.glob("ledger/rejected/*")))
    wrong = len(told) + rejected + 4000 - sum(kept)
    note("guard", "appends of 2 processes, false alarms", count=sum(kept), wrong=wrong)
    assert (told, rejected, kept) == ([], 0, [2000, 2000])
    assert verify_session(root).valid


def test_a_change_beside_a_program_that_writes_without_a_pause_is_put_back(tmp_path: Path) -> None:
    root, chance = live_session(tmp_path).root, random.Random(1)
    seconds: list[float] = []
    lost = 0
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(root), "other", "1000000000"], cwd=ROOT)
    try:
        with Guard(session=root, say=lambda line: None):
            until("the writer", lambda: b"other 100\n" in (root / TRANSCRIPT).read_bytes())
            for number in range(20):
                path = root / chance.choice(
                    (TRANSCRIPT, "shared/deck-content.md", "moderator/debrief-notes.md")
                )
                with path.open("rb") as file:
                    before = file.read(12)
                begin = time.monotonic()
                edit(path, b"SECRET-%03d" % number)
                until("the file", lambda path=path, before=before: _begins(path, before))  # type: ignore[misc]
                seconds.append(time.monotonic() - begin)
                lost += not is_kept(root, b"SECRET-%03d" % number)
    finally:
        writer.kill()
        writer.wait()
    with Store(root).transaction():
        pass
    slow = sum(one > WITHIN_S for one in seconds)
    told = f"median {median(seconds):.2f}, at most {max(seconds):.2f} s"
    note("guard", "changes beside a writer without a pause", count=len(seconds), wrong=slow + lost, told=told)
    assert (slow, lost) == (0, 0)
    assert verify_session(root).valid


def _begins(path: Path, with_these: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(with_these)) == with_these
    except OSError:
        return False


def test_a_hundred_live_sessions_are_guarded_by_one_process(home: Path, tmp_path: Path) -> None:
    with Session.start(Home.open(home), deck_text="# Plan\n\n- Revenue grew 18%\n", id="s000") as session:
        first = session.path
    roots = [first, *(shutil.copytree(first, first.with_name(f"s{n:03}")) for n in range(1, 100))]
    with guarding(home, first, tmp_path / "err", "serve", "--port", "0") as guarded:
        descriptors = len(os.listdir(f"/proc/{guarded.process.pid}/fd"))
        begun = _cpu_s(guarded.process.pid), time.monotonic()
        time.sleep(5)
        share = (_cpu_s(guarded.process.pid) - begun[0]) / (time.monotonic() - begun[1])
        seconds = []
        for root in roots[1:]:
            begin = time.monotonic()
            (root / TRANSCRIPT).unlink()
            until("the file", (root / TRANSCRIPT).exists)
            seconds.append(time.monotonic() - begin)
    slow = sum(one > WITHIN_S for one in seconds)
    told = f"at most {max(seconds):.2f} s; {share:.1%} of a processor while quiet, {descriptors} descriptors"
    note("guard", "changes in 99 of 100 live sessions", count=len(seconds), wrong=slow, told=told)
    assert slow == 0
    assert descriptors < 400


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ------------------------------------------------------------------ where events are refused


@pytest.mark.parametrize("limit", ["instances", "watches"])
def test_a_system_without_events_is_told_and_changes_are_put_back_all_the_same(
    home: Path, tmp_path: Path, limit: str
) -> None:
    what, setting = f"changes without inotify {limit}", f"/proc/sys/user/max_inotify_{limit}"
    enough = {"instances": 0, "watches": 4}[limit]
    script = f'echo {enough} > {setting} && exec "$0" "$@"'
    if subprocess.run(["unshare", "-r", "sh", "-c", f"echo 0 > {setting}"], check=False).returncode != 0:
        not_run("guard", what, "this machine has no user namespaces of its own")
        pytest.skip("needs `unshare -r` and a limit of inotify for each user namespace")
    files = write_rehearsal(tmp_path)
    greenroom_json(home, "start", files.deck, "--id", "r1")
    root, said, growing = home / "sessions" / "r1", tmp_path / "err", tmp_path / "growing.jsonl"
    growing.touch()
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home)]
    feed = [*command, "feed", "r1", str(growing), "--follow"]
    with said.open("wb") as err:
        process = subprocess.Popen(["unshare", "-r", "sh", "-c", script, *feed], cwd=ROOT, stderr=err)
    try:
        guarded = Guarded(process, root, said)
        until("the warning", lambda: "tells of no changes" in said.read_text("utf-8"))
        with growing.open("a") as speech:
            speech.write('{"text": "Good morning."}\n')
        until("the speech", lambda: "Good morning." in (root / TRANSCRIPT).read_text("utf-8"))
        seconds = []
        for _ in range(10):
            begin = time.monotonic()
            (root / TRANSCRIPT).unlink()
            until("the file", (root / TRANSCRIPT).exists)
            seconds.append(time.monotonic() - begin)
            until("its line", lambda: len(guarded.told()) == len(seconds))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT_S)
    slow = sum(one > WITHIN_S for one in seconds)
    told = f"at most {max(seconds):.2f} s"
    note("guard", what, count=len(seconds), wrong=slow, told=told)
    assert slow == 0
    assert [line for line in guarded.lines() if "tells of no changes" in line][1:] == []
