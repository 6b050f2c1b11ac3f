"""The guard: what somebody changes by hand in a live session is put back, kept aside and told, once.

How soon is measured in real processes (tests/faults/test_guard.py); here only what comes of it.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core import guard as guard_module
from orchestrator.core import guard as watched
from orchestrator.core.archive.freeze import freeze, thaw
from orchestrator.core.guard import Guard
from orchestrator.core.home.changes import Changes
from orchestrator.core.store.store import Store
from orchestrator.rehearsal.erasing import erase_session
from tests.helpers.board import verify_session
from tests.helpers.live_feeds import until
from tests.helpers.sessions import SOURCE, TRANSCRIPT, Sample, live_session
from tests.helpers.stores import on_disk

LEDGER = "ledger/ledger.jsonl"
CANDIDATE = "skeptic/candidate-question.md"
PUT_BACK = "has been put back from the ledger: what stood there is kept in ledger/rejected/"


@pytest.fixture
def live(tmp_path: Path) -> Sample:
    return live_session(tmp_path)


@pytest.fixture
def told() -> list[str]:
    return []


def _has_more(told: list[str], than: int) -> bool:
    return len(told) > than


@contextmanager
def guarded(sample: Sample, told: list[str]) -> Iterator[Guard]:
    """A guard; the block ends once the session is as it should be."""
    with Guard(session=sample.root, templates=sample.home_templates, say=told.append) as guard:
        yield guard
        until("a valid session", lambda: verify_session(sample.root).valid)


# ------------------------------------------------------------------ what is put back


def edit(path: Path) -> None:
    """As long as before."""
    with path.open("r+b") as file:
        file.write(b"SECRET")


def add(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"SECRET\n")


def save(path: Path) -> None:
    """As editors do it."""
    new = path.with_name("new~")
    new.write_bytes(b"SECRET\n")
    os.replace(new, path)


def delete_and_make(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"SECRET\n")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_bytes(b"SECRET\n")


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def hard_link(path: Path) -> None:
    os.link(path, path.with_name("second"))


CHANGED, ELSE = (
    f"was changed from outside and {PUT_BACK}",
    f"something else stood in its place, which {PUT_BACK}",
)
CHANGES: list[tuple[Callable[[Path], object], str]] = [
    (edit, CHANGED),
    (add, CHANGED),
    (save, CHANGED),
    (delete_and_make, CHANGED),
    (make_folder, f"a folder stood in its place, which {PUT_BACK}"),
    (link, ELSE),
    (pipe, ELSE),
    (lambda path: os.truncate(path, 5), "brought up to date with the ledger"),
    (Path.unlink, "was missing and has been put back from the ledger"),
    (lambda path: path.chmod(0o400), "the rights to read and write it have been put back"),
]


@pytest.mark.slow
def test_every_change_is_put_back_kept_aside_and_told_once(live: Sample, told: list[str]) -> None:
    path = TRANSCRIPT
    before = {name: content for name, content in on_disk(live.root).items() if name != LEDGER}
    with guarded(live, told):
        for number, (change, words) in enumerate(CHANGES):
            change(live.root / path)
            until("a line", partial(_has_more, told, number))
            assert told[number].startswith(f"{live.id}: {path}: {words}")
            assert {name: on_disk(live.root)[name] for name in before} == before
    assert len(told) == len(CHANGES)
    kept = [line.rpartition(" kept in ")[2] for line in told if " kept in " in line]
    assert len(set(kept)) == 7
    for name in kept[:4]:
        assert b"SECRET" in (live.root / name).read_bytes()
    assert (live.root / kept[4] / "inside").read_bytes() == b"SECRET\n"
    assert os.readlink(live.root / kept[5]) == "/dev/zero"
    assert "SECRET" not in str(told)


@pytest.mark.slow
def test_a_second_name_of_a_file_is_taken_away(live: Sample, told: list[str]) -> None:
    with guarded(live, told):
        hard_link(live.root / TRANSCRIPT)
        until("a line", lambda: told)
        (live.root / TRANSCRIPT).with_name("second").unlink()
    assert told[0].startswith(f"{live.id}: {TRANSCRIPT}: {ELSE}")


def test_a_folder_that_is_moved_or_swapped_is_made_again(
    live: Sample, told: list[str], tmp_path: Path
) -> None:
    outside = shutil.copytree(live.root / "shared", tmp_path / "outside")
    before = on_disk(outside)
    with guarded(live, told):
        (live.root / "shared").rename(tmp_path / "away")
        (live.root / "shared").symlink_to(outside)
        until("a folder", lambda: not (live.root / "shared").is_symlink())
        until("all of its files", lambda: on_disk(live.root / "shared") == before)
    assert on_disk(outside) == before
    assert {line.partition(": shared/")[0] for line in told} == {live.id}


@pytest.mark.slow
def test_a_file_too_large_to_be_ours_is_kept_aside_without_being_read(live: Sample, told: list[str]) -> None:
    with guarded(live, told):
        os.truncate(live.root / TRANSCRIPT, 1 << 40)  # a hole, that nobody has the memory for
        until("a line", lambda: told)
    kept = live.root / told[0].rpartition(" kept in ")[2]
    assert kept.stat().st_size == 1 << 40


# ------------------------------------------------------------------ what is only told


def test_ledger_deck_and_copies_of_templates_are_told_once_and_left_as_they_are(
    live: Sample, told: list[str]
) -> None:
    copy = "ledger/templates/skeptic/persona.md"
    with guarded(live, told):
        for path in (SOURCE, copy):
            content = (live.root / path).read_bytes()
            (live.root / path).write_bytes(b"SECRET\n")
            until("a line", lambda: told)
            assert told.pop().startswith(f"{live.id}: {path}: is not ")
            add(live.root / TRANSCRIPT)  # looked at again
            until("a line", lambda: told)
            assert told.pop().startswith(f"{live.id}: {TRANSCRIPT}: ")
            assert (live.root / path).read_bytes() == b"SECRET\n"
            (live.root / path).write_bytes(content)
        ledger = (live.root / LEDGER).read_bytes()
        os.truncate(live.root / LEDGER, len(ledger) - 20)
        until("a line", lambda: told)
        why = "was changed from outside, so no file can be put back from it: run `greenroom verify`"
        assert told == [f"{live.id}: {LEDGER}: {why}"]
        add(live.root / TRANSCRIPT)
        (live.root / LEDGER).write_bytes(ledger)  # then it can
        until("a line", lambda: len(told) == 2)
        assert told[1].startswith(f"{live.id}: {TRANSCRIPT}: {CHANGED}")


@pytest.mark.slow
def test_a_template_that_changes_is_told_once_and_reaches_no_session(told: list[str], home: Path) -> None:
    with Session.start(Home.open(home), deck_text="# Plan\n\n- Revenue grew 18%\n") as session:
        before = session.context("skeptic").text
        with session.guard(told.append):
            for words in ("SECRET", "SECRETS"):
                persona = home / "templates" / "skeptic" / "persona.md"
                persona.write_text(f"{persona.read_text('utf-8')}\n{words}\n", "utf-8")
                until("a line", lambda: told)
                assert told.pop() == (
                    "templates/skeptic/persona.md: has changed; sessions that run keep their own copy of it"
                )
        with Session.open(Home.open(home), session.path) as again:
            assert again.context("skeptic").text == before
        session.end()
        assert session.verify().valid
        assert session.archived_at is not None
    assert told == []


# ------------------------------------------------------------------ what it leaves alone


@pytest.mark.slow
def test_writes_and_reads_of_any_process_are_no_changes(live: Sample, told: list[str]) -> None:
    with guarded(live, told), pytest.MonkeyPatch.context() as quick:
        quick.setattr("orchestrator.core.guard.GATHER_S", 0.0)
        stores = [Store(live.root), Store(live.root)]
        for number in range(150):
            store = stores[number % 2]
            store.append(TRANSCRIPT, f"Line {number}.\n", by="transcript")
            store.write(CANDIDATE, f"Why {number}?\n", by="skeptic")
            store.content(TRANSCRIPT)
            (live.root / CANDIDATE).read_bytes()
        for store in stores:
            store.close()
    assert told == []
    assert not (live.root / "ledger" / "rejected").exists()


def test_a_writer_is_never_waited_for(live: Sample, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[float | None] = []
    mend, candidate = Store.mend, live.root / CANDIDATE

    def counted(store: Store, *, timeout_s: float | None = None) -> None:
        tries.append(timeout_s)
        mend(store, timeout_s=timeout_s)

    monkeypatch.setattr(Store, "mend", counted)
    writer = Store(live.root)
    with Guard(session=live.root, say=told.append) as guard:
        with writer.transaction():
            candidate.unlink()
            until("a try", lambda: tries)
            assert not candidate.exists()
        until("the file", candidate.exists)
        with writer.transaction():
            candidate.unlink()
            before = len(tries)
            until("a try", lambda: len(tries) > before)
            guard.close()
            assert [one.name for one in threading.enumerate() if one.name == "guard"] == []
    writer.close()
    assert set(tries) == {False}


# ------------------------------------------------------------------ which sessions


def appear(folder: Path, id: str) -> Sample:
    """A session as `start` makes one: aside, and then all at once under its name."""
    made = live_session(folder / "aside", id)
    (folder / "sessions").mkdir(exist_ok=True)
    return replace(made, root=made.root.rename(folder / "sessions" / id))


@pytest.mark.slow
def test_sessions_that_come_are_taken_up_and_those_that_end_or_go_are_let_go(
    tmp_path: Path, told: list[str]
) -> None:
    sessions = tmp_path / "sessions"

    def is_guarded(root: Path) -> bool:
        told.clear()
        add(root / TRANSCRIPT)
        until("a line", lambda: told)
        return told[0].startswith(f"{root.name}: {TRANSCRIPT}: {CHANGED}")

    with Guard(sessions=sessions, say=told.append):  # there is no such folder yet
        one, other = appear(tmp_path, "one"), appear(tmp_path, "other")
        assert is_guarded(one.root)
        assert is_guarded(other.root)
        one.root.rename(sessions / ".aside")
        shutil.rmtree(sessions / ".aside")
        assert is_guarded(appear(tmp_path, "one").root)  # another one of its name
        store = Store(other.root)
        freeze(store, None)
        store.close()
        thaw(other.root)
        add(other.root / TRANSCRIPT)  # what has ended is held by its record of the end
        assert is_guarded(one.root)
    assert [finding.path for finding in verify_session(other.root).findings] == [TRANSCRIPT]
    assert len(told) == 1


@pytest.mark.slow
def test_a_session_that_is_removed_is_not_built_up_again(tmp_path: Path, told: list[str]) -> None:
    with Guard(sessions=tmp_path / "sessions", say=told.append):
        for number in range(10):
            shutil.rmtree(appear(tmp_path, f"s{number}").root)
    assert told == []
    assert list((tmp_path / "sessions").iterdir()) == []


@pytest.mark.slow
def test_a_session_that_is_erased_stays_erased(home: Path, told: list[str]) -> None:
    opened = Home.open(home)
    roots = []
    for number in range(8):
        with Session.start(opened, deck_text="# Plan\n\n- Revenue grew 18%\n", id=f"s{number}") as session:
            roots.append(session.path)
    with Guard(sessions=opened.sessions, say=told.append):
        for number, root in enumerate(roots):
            edit(root / TRANSCRIPT)
            until("a line", partial(_has_more, told, number))
            erase_session(opened, root, archives=False)
            assert not root.exists()
    assert len(told) == len(roots)
    assert opened.session_ids() == ()


# ------------------------------------------------------------------ sessions that nobody writes to


def open_ledgers(folder: Path) -> int:
    """How many descriptors this process has of ledgers below *folder*."""
    targets = [os.readlink(one) for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
    return sum(target.startswith(str(folder)) and target.endswith(LEDGER) for target in targets)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every session is one that nobody has written to for long, and no ledger waits to be read."""
    monkeypatch.setattr(watched, "RESTS_AFTER_S", -1.0)
    monkeypatch.setattr(watched, "LEDGER_EVERY_S", 0.0)


@pytest.mark.usefixtures("idle")
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of descriptors on this system")
def test_sessions_that_nobody_ended_are_closed_and_each_is_guarded_in_turn(
    tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard_module, "RESTING_A_SWEEP", 2)
    monkeypatch.setattr(Changes, "watch", lambda *_, **__: None)
    samples = [live_session(tmp_path, id=f"s{number}") for number in range(5)]
    sessions = samples[0].root.parent
    with Guard(sessions=sessions, say=told.append) as guard:
        until(
            "all", lambda: len(guard._watched) == 5 and all(one.is_resting for one in guard._watched.values())
        )
        until("closed", lambda: not open_ledgers(tmp_path))
        for sample in samples:
            add(sample.root / TRANSCRIPT)
        until("a line for each", lambda: len(told) == 5)
        lines = zip(sorted(told), samples, strict=True)
        assert all(line.startswith(f"{one.id}: {TRANSCRIPT}: {CHANGED}") for line, one in lines)
        until("closed again", lambda: not open_ledgers(tmp_path))
    assert all(verify_session(sample.root).valid for sample in samples)


@pytest.mark.usefixtures("idle")
def test_a_ledger_that_is_cut_while_its_session_rests_is_told(live: Sample, told: list[str]) -> None:
    ledger = live.root / LEDGER
    whole = ledger.read_bytes()
    with guarded(live, told) as guard:
        until("rest", lambda: any(one.is_resting for one in list(guard._watched.values())))
        os.truncate(ledger, len(whole) - 20)
        until("a line", lambda: told)
        why = "was changed from outside, so no file can be put back from it: run `greenroom verify`"
        assert told == [f"{live.id}: {LEDGER}: {why}"]
        ledger.write_bytes(whole)


# ------------------------------------------------------------------ where events fail


def test_a_change_that_no_event_tells_of_is_put_back_too(
    live: Sample, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Changes, "watch", lambda *_, **__: None)
    with guarded(live, told):
        add(live.root / TRANSCRIPT)
        until("a line", lambda: told)


def test_where_the_system_has_no_events_left_it_is_said_once(
    live: Sample, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr("watchdog.observers.Observer", refuse)
    with guarded(live, told):
        add(live.root / TRANSCRIPT)
        until("a line", lambda: len(told) == 2)
    why = "the system tells of no changes (inotify instance limit reached)"
    assert told[0] == f"{why}: the files are looked at twice a second"


@pytest.mark.slow
def test_a_change_made_while_nobody_guards_is_found_by_the_next_guard(live: Sample, told: list[str]) -> None:
    edit(live.root / TRANSCRIPT)
    (live.root / CANDIDATE).unlink()
    with guarded(live, told):
        until("both lines", lambda: len(told) == 2)


def test_a_guard_without_a_listener_tells_the_log(live: Sample, caplog: pytest.LogCaptureFixture) -> None:
    add(live.root / TRANSCRIPT)
    with Guard(session=live.root):
        until("a line", lambda: caplog.messages)
    assert caplog.messages[0].startswith(f"{live.id}: {TRANSCRIPT}: {CHANGED}")


def test_events_go_on_after_one_that_the_library_fails_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that went away in between has met it with KeyError, in the one thread that reads events."""
    inotify = pytest.importorskip("watchdog.observers.inotify")
    take = inotify.InotifyWatchGroup.on_event
    is_broken = threading.Event()
    is_broken.set()

    def fails(self: object, event: object) -> None:
        if is_broken.is_set():
            raise KeyError(7)
        take(self, event)

    monkeypatch.setattr(inotify.InotifyWatchGroup, "on_event", fails)
    changes = Changes()
    failures: list[str | None] = []

    def failed() -> bool:
        changes.wait(0.1)
        failures.append(changes.take_failure())
        return failures[-1] is not None

    try:
        assert changes.watch(tmp_path) is None
        (tmp_path / "one").write_text("1")
        until("a failure", failed)
        is_broken.clear()
        (tmp_path / "two").write_text("2")
        until("an event", lambda: str(tmp_path / "two") in changes.wait(0.1))
    finally:
        changes.close()
    assert [one for one in failures if one] == ["KeyError"]
    assert changes.take_failure() is None


def test_folders_that_come_in_a_hurry_warn_of_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library registers some of them twice; its warning holds 4,000 characters of its own insides."""
    inotify_c = pytest.importorskip("watchdog.observers.inotify_c")
    changes = Changes()
    try:
        assert changes.watch(tmp_path) is None
        reader = changes._observer._inotify_fd  # type: ignore[union-attr]
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")  # as a program around this one may
            mask = inotify_c.WATCHDOG_ALL_EVENTS
            for _ in range(2):
                reader.add_callback(os.fsencode(tmp_path), mask, object(), 7)
            reader.remove_callbacks([(reader.add_callback(os.fsencode(tmp_path), mask, object(), 7), 7)])
    finally:
        changes.close()
    assert warned == []


def test_the_guard_outlives_what_it_does_not_foresee_and_says_it_once(
    live: Sample, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    look = Guard._look

    def fails(self: Guard, dirty: set[Path]) -> None:
        looks.append(dirty)
        if len(looks) < 3:
            raise KeyError(next(iter(dirty)))
        look(self, dirty)

    monkeypatch.setattr(Guard, "_look", fails)
    with guarded(live, told):
        (live.root / TRANSCRIPT).write_text("changed by hand")
        until("it was put back", lambda: any(PUT_BACK in line for line in told))
    assert [line for line in told if line.startswith("guard:")] == [
        "guard: KeyError: the files are looked at again"
    ]
