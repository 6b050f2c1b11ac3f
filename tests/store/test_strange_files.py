"""Links, pipes and folders where a session's files should be: never followed, never waited for."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.errors import GreenroomError, SessionNotFoundError, StoreWriteError
from orchestrator.core.store.ledger import Unread
from orchestrator.core.store.store import Store
from tests.helpers.stores import (
    CANDIDATE,
    DECK,
    TRANSCRIPT,
    bare,
    blueprints,
    contents,
    is_sound,
    ledger_of,
    on_disk,
    records,
    repaired,
    views,
)

pytestmark = pytest.mark.slow  # real processes and files: the second step of .ci/run


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file that is no business of ours, with a folder around it."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("file", "presenter-transcript.md", "candidate-question.md", "deck-content.md"):
        (folder / name).write_text("not ours\n")
    return folder


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """A pipe that is opened the wrong way waits for ever: better to fail."""

    def ring(*given: Any) -> None:
        raise TimeoutError("something waits that must not")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


Put = Callable[[Path, Path], object]
PUT: dict[str, Put] = {
    "link": lambda path, outside: path.symlink_to(outside / "file"),
    "dangling link": lambda path, outside: path.symlink_to(outside / "new"),
    "link to a folder": lambda path, outside: path.symlink_to(outside),
    "hard link": lambda path, outside: path.hardlink_to(outside / "file"),
    "pipe": lambda path, outside: os.mkfifo(path),
    "folder": lambda path, outside: (path / "x").mkdir(parents=True),
    "socket": lambda path, outside: os.mknod(path, 0o600 | stat.S_IFSOCK),
}
FILES = [TRANSCRIPT, CANDIDATE, DECK, "moderator/generated-phrases.md"]  # the last is not written yet


@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
@pytest.mark.parametrize("kind", PUT)
@pytest.mark.parametrize("path", FILES)
def test_what_stands_in_a_files_place_is_never_followed(
    store: Store, outside: Path, path: str, kind: str, when: str
) -> None:
    kept = on_disk(outside)
    (store.root / path).unlink(missing_ok=True)
    PUT[kind](store.root / path, outside)
    writer = store if when == "while it is open" else Store(store.root)
    expected = contents(writer)
    assert expected[TRANSCRIPT].endswith("word 2\n")  # read from the ledger, nothing waits
    writer.append(TRANSCRIPT, "more\n", by="transcript")
    writer.write(CANDIDATE, "Which?\n", by="skeptic")
    writer.append("moderator/generated-phrases.md", "And now?\n", by="moderator")
    writer.append("moderator/generated-phrases.md", "And then?\n", by="moderator")
    repaired(store.root)
    assert on_disk(outside) == kept
    assert not (outside / "new").exists()
    status = (store.root / path).lstat()
    assert (stat.S_ISREG(status.st_mode), status.st_nlink) == (True, 1)
    assert is_sound(store.root)
    if writer is not store:
        writer.close()


FOLDERS: dict[str, Put] = {
    "link": lambda path, outside: path.symlink_to(outside),
    "dangling link": lambda path, outside: path.symlink_to(outside / "new"),
    "file": lambda path, outside: path.write_text("a file"),
    "pipe": lambda path, outside: os.mkfifo(path),
    "nothing": lambda path, outside: None,
    "another folder": lambda path, outside: path.mkdir(),
}


@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
@pytest.mark.parametrize("kind", FOLDERS)
@pytest.mark.parametrize("folder", ["shared", "skeptic"])
def test_what_stands_in_a_folders_place_is_never_followed(
    store: Store, outside: Path, folder: str, kind: str, when: str
) -> None:
    kept = on_disk(outside)
    (store.root / folder).rename(store.root.parent / "moved")
    moved = on_disk(store.root.parent / "moved")
    FOLDERS[kind](store.root / folder, outside)
    writer = store if when == "while it is open" else Store(store.root)
    for number in range(3):
        writer.append(TRANSCRIPT, f"more {number}\n", by="transcript")
        writer.write(CANDIDATE, f"Which {number}?\n", by="skeptic")
    writer.note(Unread({"type": "x"}), by="moderator")
    assert views(store.root, writer) == contents(writer)
    assert on_disk(outside) == kept
    assert on_disk(store.root.parent / "moved") == moved  # nor is the folder that was there before
    assert not (outside / "new").exists()
    assert (store.root / folder).is_dir()
    assert not (store.root / folder).is_symlink()
    if writer is not store:
        writer.close()


@pytest.mark.parametrize("kind", [*PUT, "nothing"])
def test_what_stands_in_the_ledgers_place_is_refused(store: Store, outside: Path, kind: str) -> None:
    content = ledger_of(store.root).read_bytes()
    (outside / "file").write_bytes(content)
    kept = on_disk(outside)
    ledger_of(store.root).unlink()
    if kind != "nothing":
        PUT[kind](ledger_of(store.root), outside)
    with pytest.raises(GreenroomError) as caught:  # the store that has the old one open
        store.append(TRANSCRIPT, "x\n", by="transcript")
    assert isinstance(caught.value, StoreWriteError)
    assert "\n" not in str(caught.value)
    if kind == "hard link":  # can be read; a write would change both
        again = Store(store.root)
        with pytest.raises(StoreWriteError, match="has a second name"):
            again.append(TRANSCRIPT, "x\n", by="transcript")
        again.close()
    else:
        with pytest.raises(SessionNotFoundError, match="no session here"):
            Store(store.root)
    assert on_disk(outside) == kept


def test_a_ledger_folder_that_is_a_link_is_refused(store: Store, outside: Path) -> None:
    store.close()
    (store.root / "ledger").rename(outside / "ledger")
    kept = on_disk(outside)
    (store.root / "ledger").symlink_to(outside / "ledger")
    with pytest.raises(SessionNotFoundError, match="no session here"):
        Store(store.root)
    assert on_disk(outside) == kept


@pytest.mark.parametrize("name", ["torn", "rejected"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "file", "pipe"])
def test_what_stands_where_things_are_put_aside_is_put_aside_and_never_followed(
    store: Store, outside: Path, name: str, kind: str
) -> None:
    root = store.root
    store.close()
    FOLDERS[kind](root / "ledger" / name, outside)
    was = (root / "ledger" / name).lstat()
    with open(ledger_of(root), "ab") as dying:
        dying.write(b'{"seq":99,"op":"app')
    (root / TRANSCRIPT).write_text("changed\n")
    kept = on_disk(outside)
    told = " ".join(what for _, what in repaired(root))
    aside = f"ledger/rejected/in-place-of-{name}"
    assert f"(what stood in the place of ledger/{name} is kept in {aside})" in told
    assert os.path.samestat((root / aside).lstat(), was)
    assert on_disk(outside) == kept
    after = on_disk(root)
    assert b"changed\n" in after.values()
    assert b'{"seq":99,"op":"app' in after.values()
    assert is_sound(root)


@pytest.mark.parametrize("kind", PUT)
def test_what_stands_in_the_place_of_a_temporary_file_is_never_followed(
    store: Store, outside: Path, kind: str
) -> None:
    kept = on_disk(outside)
    temporary = store.root / "skeptic" / f".candidate-question.md.{os.getpid()}.tmp"
    PUT[kind](temporary, outside)
    store.write(CANDIDATE, "Which?\n", by="skeptic")
    assert store.content(CANDIDATE) == "Which?\n"
    assert on_disk(outside) == kept
    assert not (outside / "new").exists()
    if kind != "folder":
        assert (store.root / CANDIDATE).read_text() == "Which?\n"
        assert not temporary.is_symlink()
        assert not temporary.exists()


def test_a_link_swapped_in_and_out_while_writing_is_never_followed(store: Store, outside: Path) -> None:
    """A second process swaps the file, and its folder, for links, as fast as it can.

    A write may be refused where mending meets the swapping; then it has changed nothing.
    """
    kept = on_disk(outside)
    swapping = subprocess.Popen(
        [sys.executable, "-c", SWAPPING, str(store.root), str(outside)], stdout=subprocess.PIPE
    )
    assert swapping.stdout is not None
    swapping.stdout.readline()
    written: dict[str, list[str]] = {TRANSCRIPT: [], CANDIDATE: []}
    try:
        for number in range(1000):
            with suppress(StoreWriteError):
                store.append(TRANSCRIPT, f"{number}\n", by="transcript")
                written[TRANSCRIPT].append(f"{number}\n")
            with suppress(StoreWriteError):
                store.write(CANDIDATE, f"{number}\n", by="skeptic")
                written[CANDIDATE].append(f"{number}\n")
    finally:
        swapping.kill()
        swapping.wait()
        swapping.stdout.close()
    assert on_disk(outside) == kept
    assert len(written[TRANSCRIPT]) > 500
    assert store.texts(TRANSCRIPT)[4:] == written[TRANSCRIPT]
    assert store.texts(CANDIDATE)[2:] == written[CANDIDATE]
    assert is_sound(store.root)


def test_a_hard_link_to_an_equal_file_is_not_appended_to(store: Store, outside: Path) -> None:
    (outside / "file").write_bytes((store.root / TRANSCRIPT).read_bytes())
    kept = on_disk(outside)
    (store.root / TRANSCRIPT).unlink()
    (store.root / TRANSCRIPT).hardlink_to(outside / "file")
    store.append(TRANSCRIPT, "more\n", by="transcript")
    assert on_disk(outside) == kept
    assert views(store.root, store) == contents(store)


SWAPPING = """
import os, sys
root, outside = sys.argv[1:]
print("begun", flush=True)
while True:
    for path, target in (
        (f"{root}/shared/presenter-transcript.md", f"{outside}/file"),
        (f"{root}/skeptic/candidate-question.md", f"{outside}/file"),
        (f"{root}/shared", outside),
        (f"{root}/skeptic", outside),
    ):
        try:
            os.rename(path, path + ".away")
            os.symlink(target, path)
            os.unlink(path)
            os.rename(path + ".away", path)
        except OSError:
            pass
"""


def test_a_session_that_was_replaced_while_it_was_open_is_not_written_blindly(store: Store) -> None:
    """An acknowledged write into a folder that is gone would be lost."""
    root = store.root
    root.rename(root.parent / "moved")
    again = bare(root)
    again.append(TRANSCRIPT, "another session\n", by="transcript")
    disk = on_disk(root.parent)
    with pytest.raises(StoreWriteError, match=r"another file stands here.*open the session again"):
        store.append(TRANSCRIPT, "lost\n", by="transcript")
    assert on_disk(root.parent) == disk
    again.close()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    store = bare(tmp_path / "s")
    blueprints(store)
    for number in range(20):
        store.append(TRANSCRIPT, f"{number}\n", by="transcript")
        store.write(CANDIDATE, f"{number}\n", by="skeptic")
        (tmp_path / "s" / "shared").rename(tmp_path / f"away-{number}")
        store.append(TRANSCRIPT, f"{number}\n", by="transcript")
    store.undegrade()
    store.close()
    with pytest.raises(SessionNotFoundError):
        Store(tmp_path)
    if before:
        assert len(os.listdir("/proc/self/fd")) == len(before)
    assert records(tmp_path / "s")[-1]["op"] == "append"
