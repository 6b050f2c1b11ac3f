"""`immutable: true` on a file system that has the flag: root is refused, and no command is hindered."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.archive import freeze as freezing
from orchestrator.core.archive.freeze import can_set_flags, freeze
from orchestrator.core.errors import GreenroomError
from tests.helpers.board import verify_session
from tests.helpers.commands import Commands
from tests.helpers.figures import not_run, note
from tests.helpers.homes import new_home
from tests.helpers.loop_disks import LoopDisk, or_skip
from tests.helpers.sessions import start
from tests.helpers.stores import PANEL, TRANSCRIPT

DECK = "# Revenue\n\nRevenue grew 40 % in 2025.\n"
WHAT = "changes by root under the immutable flag"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[LoopDisk]:
    for made in or_skip("tampering", WHAT, tmp_path / "flags"):
        if not can_set_flags(made.folder):
            not_run("tampering", WHAT, "the right to set the flag is missing")
            pytest.skip("the right to set the immutable flag is missing")
        yield made


@pytest.fixture
def home(disk: LoopDisk) -> Home:
    root = new_home(disk.folder / "home")
    (root / "greenroom.yaml").write_text("immutable: true\n")
    return Home.open(root)


def unprotected(root: Path) -> list[str]:
    """Files and folders of a session that lack the flag, or that somebody may write."""
    found = []
    for path in [root, *root.rglob("*")]:
        fd = os.open(path, os.O_RDONLY)
        has_flag = freezing._flags(fd) & freezing._IMMUTABLE
        if not has_flag or os.fstat(fd).st_mode & 0o222:
            found.append(path.name)
        os.close(fd)
    return found


def begun(home: Home, name: str) -> Session:
    session = Session.start(home, deck_text=DECK, id=name, panel=PANEL, engine="offline")
    session.append(TRANSCRIPT, "[00:00] Presenter: we grew.\n", by="transcript")
    return session


def tampered(root: Path) -> dict[str, Callable[[], object]]:
    """What whoever has every right would try on a session's folder."""
    file = root / TRANSCRIPT
    elsewhere = root.parent / "elsewhere"
    return {
        "write": lambda: file.write_text("another\n"),
        "append": lambda: os.close(os.open(file, os.O_WRONLY | os.O_APPEND)),
        "cut": lambda: os.truncate(file, 3),
        "remove": file.unlink,
        "rename": lambda: file.rename(elsewhere),
        "change the mode": lambda: file.chmod(0o644),
        "give away": lambda: os.chown(file, 1, 1),
        "second name": lambda: os.link(file, elsewhere),
        "add": lambda: (root / "added.md").write_text("x"),
        "add a folder": lambda: (root / "shared" / "added").mkdir(),
        "move away": lambda: root.rename(elsewhere),
        "roll back": lambda: os.truncate(root / "ledger" / "ledger.jsonl", 100),
    }


def test_root_is_refused_and_every_command_works(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    greenroom = Commands(home.root, capsys)
    flag = next(one for one in greenroom.json("doctor")["checks"] if one["name"] == "immutable flag")
    assert flag["state"] == "ok"
    begun(home, "one").close()
    head = greenroom.json("end", "one")["ledger_head"]
    root = home.sessions / "one"
    assert unprotected(root) == []

    changes = tampered(root)
    wrong = []
    for name, change in changes.items():
        try:
            change()
            wrong.append(f"{name} was not refused")
        except OSError as error:
            if error.errno != errno.EPERM:
                wrong.append(f"{name}: {error}")
    note("tampering", WHAT, count=len(changes), wrong=len(wrong), told="all refused with EPERM")
    assert wrong == []

    assert greenroom.json("verify", "one", "--head", head)["valid"]
    assert greenroom.json("show", "one")["state"] == "ended"
    for search in ([], ["--search", "grew"]):
        assert [one["session"] for one in greenroom.json("list", *search)["sessions"]] == ["one"]
    assert greenroom("debrief", "one").stdout
    assert greenroom.json("archive", "one", "--to", str(tmp_path / "archives"))["sent"] > 0
    restored = greenroom.json("restore", "one", "--from", str(tmp_path / "archives"), "--into", str(tmp_path))
    assert verify_session(Path(restored["path"])).valid
    assert json.loads(greenroom("--json", "resume", "one", check=False).stdout)["error"]
    assert unprotected(root) == []
    assert str(root) in greenroom.json("erase", "one", "--yes")["removed"]
    assert not root.exists()


def test_where_the_flag_cannot_be_set_modes_are_in_force_and_doctor_says_so(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    sample, store = start(home.root.parent / "other")
    with monkeypatch.context() as patched:
        patched.setattr(freezing, "_set_flag", refused)
        greenroom = Commands(home.root, capsys)
        flag = next(one for one in greenroom.json("doctor")["checks"] if one["name"] == "immutable flag")
        assert flag["state"] == "missing"
        assert freeze(store, sample.home_templates, immutable=True) == "modes"
    store.close()
    assert all(not path.stat().st_mode & 0o222 for path in [sample.root, *sample.root.rglob("*")])


def test_an_end_that_is_killed_while_it_protects_the_files_is_finished_by_resume(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the record of the end and the last flag; the calls are those that set modes and flags."""
    greenroom = Commands(home.root, capsys)
    wrong, tried = [], 0
    for number in range(0, 10_000, 17):
        session = begun(home, f"s{number}")
        child = os.fork()
        if child == 0:
            end_and_die(session, at=number)
        session.rehearsal.store.close_files()
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            break
        tried += 1
        done = greenroom("resume", session.id, check=False)
        if done.returncode or unprotected(session.path) or not verify_session(session.path).valid:
            wrong.append(f"{number}: {done.stderr} {unprotected(session.path)}")
    note("kill -9", "an end while it protects the files", count=tried, wrong=len(wrong))
    assert wrong == []
    assert tried > 3


def end_and_die(session: Session, *, at: int) -> None:
    """End *session*, and die at call number *at* of those that set modes and flags; else exit with 0."""
    left = at
    chmod, ioctl = os.fchmod, fcntl.ioctl

    def before(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object) -> object:
            nonlocal left
            if not left:
                os._exit(9)
            left -= 1
            return real(*given)

        return call

    os.fchmod = before(chmod)  # type: ignore[assignment]
    fcntl.ioctl = before(ioctl)  # type: ignore[assignment]
    try:
        session.end()
        os._exit(0)
    except GreenroomError:
        os._exit(1)
