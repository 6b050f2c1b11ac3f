"""An archive in a folder: made, checked, restored, and no changed byte escapes."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.core.archive import freeze as freezing
from orchestrator.core.archive import stores
from orchestrator.core.archive.download import ArchivedSession, list_archives
from orchestrator.core.archive.freeze import (
    can_set_flags,
    freeze,
    seal,
    thaw,
)
from orchestrator.core.archive.stores import FolderStore
from orchestrator.core.archive.upload import delete_archive
from orchestrator.core.errors import (
    ArchiveConflictError,
    ArchiveError,
    SessionExistsError,
    SessionFrozenError,
    StoreError,
    StoreWriteError,
    UsageError,
)
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.store import Store
from tests.helpers.board import (
    archive_session,
    bag_files,
    fetch,
    restore,
    verify_archive,
    verify_path,
    verify_session,
    verify_unpacked,
)
from tests.helpers.sessions import TRANSCRIPT, Sample, ended_session, live_session, start, tiny_session
from tests.helpers.stores import receipt_note

EVERY = 7
"""Bytes from one changed byte to the next: no divisor of a line's length, so all kinds of places are met."""


def _write_bag(root: Path, to: Path) -> None:
    """The bag of the frozen session at *root* as a folder, as other programs would find it."""
    for part in bag_files(root):
        (to / part.name).parent.mkdir(parents=True, exist_ok=True)
        (to / part.name).write_bytes(part.read())


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """One frozen session for the module: nothing here changes it."""
    sample = ended_session(tmp_path_factory.mktemp("ended"))
    yield sample
    thaw(sample.root)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """As `ended`, of few files."""
    sample = tiny_session(tmp_path_factory.mktemp("tiny"))
    yield sample
    thaw(sample.root)


def _contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def _modes(root: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in [root, *root.rglob("*")]}


# ------------------------------------------------------------------ the freeze


def test_the_last_record_lists_every_file_and_the_templates(ended: Sample) -> None:
    lines = (ended.root / "ledger" / "ledger.jsonl").read_bytes().splitlines()
    last = json.loads(lines[-1])
    assert last["op"] == "freeze"
    listed = set(last["value"]["files"])
    assert listed == set(_contents(ended.root)) - {"ledger/ledger.jsonl"}
    assert last["value"]["templates"] == json.loads(lines[0])["value"]["templates"]


def test_a_frozen_session_is_read_only_and_refuses_writes(ended: Sample) -> None:
    assert _modes(ended.root) == {0o440, 0o550}
    store = Store(ended.root)
    with pytest.raises(SessionFrozenError):
        store.append(TRANSCRIPT, "late\n", by="transcript")
    store.close()
    assert verify_session(ended.root, home_templates=ended.home_templates).valid


def test_waiting_receipts_are_kept_and_locks_and_leftovers_are_not(tmp_path: Path) -> None:
    sample, store = start(tmp_path)
    (sample.root / "ledger" / "driver.lock").write_text("1\n")
    (sample.root / "skeptic" / ".candidate-question.md.77.tmp").write_text("half a quest")
    rejected = sample.root / "ledger" / "rejected"
    rejected.mkdir()
    (rejected / "9-shared-board-dossier.md").symlink_to("/etc/hostname")
    (tmp_path / "elsewhere").write_text("put aside")
    os.link(tmp_path / "elsewhere", rejected / "10-shared-board-dossier.md")
    store.add_receipt(*receipt_note("r0"))
    assert freeze(store, sample.home_templates) == "modes"
    store.close()
    names = set(_contents(sample.root))
    assert not {name for name in names if "driver.lock" in name or name.endswith(".tmp")}
    assert (
        rejected / "9-shared-board-dossier.md.txt"
    ).read_text() == "a symbolic link stood here; it was not kept.\n"
    assert (rejected / "10-shared-board-dossier.md").read_text() == "put aside"
    assert not [one for one in verify_session(sample.root).findings if one.kind != "receipt"]
    assert [record.op for record in _records(sample.root)][-2:] == ["receipt", "freeze"]
    thaw(sample.root)


def _records(root: Path) -> list[Record]:
    store = Store(root)
    try:
        return [store.record(entry.seq) for entry in store.entries()]
    finally:
        store.close()


@pytest.mark.parametrize("kind", ["changed", "link", "copy of a template"])
def test_what_is_not_what_the_ledger_says_is_not_frozen(kind: str, tmp_path: Path) -> None:
    sample, store = start(tmp_path)
    path = sample.root / "shared" / "board-dossier.md"
    if kind == "changed":
        path.write_text("Another.\n")
    elif kind == "link":
        path.unlink()
        path.symlink_to("deck-content.md")
    else:
        path = sample.root / "ledger" / "templates" / "skeptic" / "persona.md"
        path.write_text("Another.\n")
    before = (sample.root / "ledger" / "ledger.jsonl").read_bytes()
    with pytest.raises(StoreError, match=rf"{path.name}.*the session was not ended"):
        freeze(store, None)
    assert not store.frozen
    store.close()
    assert (sample.root / "ledger" / "ledger.jsonl").read_bytes() == before


def test_a_template_that_cannot_be_read_now_keeps_the_end_from_being_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, store = start(tmp_path)

    def refuse(templates: Path, path: str) -> str:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), path)

    with monkeypatch.context() as patched:
        patched.setattr(freezing, "digest_in_home", refuse)
        with pytest.raises(StoreWriteError, match=r"too many open files: check the disk and the rights"):
            freeze(store, sample.home_templates)
    assert not store.frozen
    freeze(store, sample.home_templates)
    store.close()
    assert verify_session(sample.root, home_templates=sample.home_templates).valid
    thaw(sample.root)


def test_a_freeze_that_was_cut_short_is_finished_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, store = start(tmp_path)

    def cut(root: Path, *, immutable: bool = False) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(freezing, "seal", cut)
        with pytest.raises(KeyboardInterrupt):
            freeze(store, sample.home_templates)
    assert verify_session(sample.root).valid
    assert _modes(sample.root) != {0o440, 0o550}
    assert freeze(store, sample.home_templates) == "modes"
    assert _modes(sample.root) == {0o440, 0o550}
    store.close()
    thaw(sample.root)


def test_the_immutable_flag_is_set_where_it_can_be_and_lifted_again(tmp_path: Path) -> None:
    sample = tiny_session(tmp_path)
    try:
        able = can_set_flags(tmp_path)
        assert seal(sample.root, immutable=True) == ("flags" if able else "modes")
        if able:
            with pytest.raises(PermissionError):
                (sample.root / "shared" / "session-config.md").chmod(0o644)
        assert seal(sample.root, immutable=True) == ("flags" if able else "modes")
        assert verify_session(sample.root).valid
    finally:
        thaw(sample.root)
    shutil.rmtree(sample.root)


# ------------------------------------------------------------------ the bag


def test_a_bag_is_a_pure_function_of_the_session(ended: Sample, tmp_path: Path) -> None:
    _write_bag(ended.root, tmp_path / "one")
    elsewhere = tmp_path / "elsewhere" / "renamed"
    shutil.copytree(ended.root, elsewhere)
    _write_bag(elsewhere, tmp_path / "two")
    assert _contents(tmp_path / "one") == _contents(tmp_path / "two")


def test_its_tag_files(ended: Sample) -> None:
    parts = {part.name: part for part in bag_files(ended.root)}
    result = verify_session(ended.root)
    payload = [part for name, part in parts.items() if name.startswith("data/")]
    last = json.loads((ended.root / "ledger" / "ledger.jsonl").read_bytes().splitlines()[-1])
    assert parts["bagit.txt"].read() == b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    assert parts["bag-info.txt"].read().decode() == (
        "Bag-Software-Agent: greenroom, bag 1, ledger 2\n"
        f"Bagging-Date: {last['at'][:10]}\n"
        f"External-Identifier: {ended.id}\n"
        "Greenroom-Date: 2026-11-20\n"
        "Greenroom-Deck: plan.md\n"
        "Greenroom-Deck-Title: The plan\n"
        "Greenroom-Exchanges: 1\n"
        f"Greenroom-Ledger-Head: {result.head}\n"
        "Greenroom-Presenter: Presenter\n"
        "Greenroom-State: ended\n"
        f"Payload-Oxum: {sum(part.size_bytes for part in payload)}.{len(payload)}\n"
    )
    assert parts["manifest-sha256.txt"].read().decode() == "".join(
        f"{part.sha256}  {part.name}\n" for part in sorted(payload, key=lambda part: part.name)
    )
    assert list(parts)[-1] == "tagmanifest-sha256.txt"


def test_another_program_finds_it_valid(ended: Sample, tmp_path: Path) -> None:
    import bagit

    _write_bag(ended.root, tmp_path / "bag")
    assert bagit.Bag(str(tmp_path / "bag")).validate()


def test_only_an_ended_and_right_session_is_bagged(tmp_path: Path) -> None:
    sample = live_session(tmp_path)
    with pytest.raises(ArchiveError, match=r"has not ended"):
        bag_files(sample.root)
    (sample.root / "shared" / "board-dossier.md").write_text("Changed.\n")
    with pytest.raises(ArchiveError, match=r"cannot be archived, since shared/board-dossier\.md is changed"):
        bag_files(sample.root)


def test_a_narrow_umask_is_widened_neither_by_the_freeze_nor_by_the_thaw(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        sample = tiny_session(tmp_path)
    finally:
        os.umask(before)
    assert _modes(sample.root) == {0o400, 0o500}
    thaw(sample.root)
    assert _modes(sample.root) == {0o600, 0o700}


# ------------------------------------------------------------------ there and back


def test_archived_verified_listed_restored(ended: Sample, tmp_path: Path) -> None:
    url = str(tmp_path / "archives")
    archived = archive_session(ended.root, url)
    assert (archived.session, archived.archive) == (ended.id, f"{url}/{ended.id}")
    assert archived.objects == archived.sent == len(bag_files(ended.root))
    assert archive_session(ended.root, f"file://{url}").sent == 0
    result = verify_archive(url, ended.id)
    assert (result.valid, result.ended, result.head) == (True, True, verify_session(ended.root).head)
    assert list_archives(url) == (
        ArchivedSession(
            ended.id, "ended", "The plan", "2026-11-20", "Presenter", 1, archived.archive, head=result.head
        ),
    )
    path = restore(ended.id, url, tmp_path / "back")
    assert path == tmp_path / "back" / ended.id
    assert _contents(path) == _contents(ended.root)
    assert _modes(path) == {0o440, 0o550}
    assert verify_session(path).valid
    with pytest.raises(SessionExistsError, match=r"is there already"):
        restore(ended.id, url, tmp_path / "back")
    thaw(path)
    assert _contents(fetch(ended.id, url, tmp_path / "copy")) == _contents(ended.root)
    assert delete_archive(url, ended.id) == archived.objects
    assert list_archives(url) == ()
    assert list((tmp_path / "archives").iterdir()) == []


def test_what_a_killed_restore_left_does_not_stop_the_next_and_is_swept(
    ended: Sample, tmp_path: Path
) -> None:
    url, into = str(tmp_path / "archives"), tmp_path / "back"
    archive_session(ended.root, url)
    (into / ended.id).mkdir(parents=True)  # as earlier releases held its place
    left = into / f".restore-{ended.id}-1a" / "data"
    shutil.copytree(ended.root, left)  # read-only, as the session is
    assert _contents(restore(ended.id, url, into)) == _contents(ended.root)
    assert [path.name for path in into.iterdir()] == [ended.id]
    thaw(into / ended.id)


def test_a_restored_session_is_whole_durable_and_read_only_before_it_has_its_name(
    ended: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, into = str(tmp_path / "archives"), tmp_path / "back"
    archive_session(ended.root, url)
    seen: list[set[int]] = []

    def looking(source: Path, target: Path) -> None:
        seen.append(_modes(source))
        assert verify_session(source).valid
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(target))

    monkeypatch.setattr(os, "rename", looking)
    with pytest.raises(ArchiveError, match=r"input/output error; nothing was restored: make room or check"):
        restore(ended.id, url, into)
    assert seen == [{0o440, 0o550, 0o750}]  # the folder itself must be moved
    assert not into.exists()


def test_an_unpacked_bag_is_verified_where_it_lies(ended: Sample, tmp_path: Path) -> None:
    _write_bag(ended.root, tmp_path / "any name")
    assert verify_path(tmp_path / "any name").valid
    assert verify_path(ended.root).valid


def test_there_is_no_such_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match=r"there is no archive of x: see `greenroom list --archive`$"):
        verify_archive(str(tmp_path), "x")
    with pytest.raises(UsageError):
        verify_archive(str(tmp_path), "../x")
    with pytest.raises(ArchiveError, match=r"there is no archive of x"):
        restore("x", str(tmp_path), tmp_path / "into")
    assert not (tmp_path / "into").exists()


def test_nothing_is_archived_into_a_session(tiny: Sample, tmp_path: Path) -> None:
    before = _contents(tiny.root)
    (tmp_path / "link").symlink_to(tiny.root)
    for url in (tiny.root, tiny.root / "shared" / "x", tiny.root.parent, tmp_path / "link"):
        with pytest.raises(ArchiveError, match=f"{tiny.root} is a session, and nothing is put into one"):
            archive_session(tiny.root, str(url))
    assert _contents(tiny.root) == before


def test_another_content_is_never_overwritten(tiny: Sample, tmp_path: Path) -> None:
    url = str(tmp_path / "archives")
    path = tmp_path / "archives" / tiny.id / "data" / tiny.id / "shared" / "session-config.md"
    path.parent.mkdir(parents=True)
    path.write_text("another")
    with pytest.raises(ArchiveConflictError, match=r"session-config\.md: another content is there"):
        archive_session(tiny.root, url)
    assert path.read_text() == "another"
    assert list_archives(url) == ()


def test_a_wrong_archive_is_not_restored(tiny: Sample, tmp_path: Path) -> None:
    url = str(tmp_path / "archives")
    archive_session(tiny.root, url)
    path = tmp_path / "archives" / tiny.id / "data" / tiny.id / "shared" / "session-config.md"
    path.chmod(0o644)
    path.write_text("another")
    with pytest.raises(ArchiveError, match=r"shared/session-config\.md is changed"):
        restore(tiny.id, url, tmp_path / "into")
    assert not (tmp_path / "into").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(ArchiveError):
        restore(tiny.id, url, tmp_path / "mine")
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("unnamed_files", [True, False])
def test_killed_at_each_object_and_run_again_it_converges(
    unnamed_files: bool, tiny: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not unnamed_files:  # as on a system that cannot write a file before it has a name
        monkeypatch.setattr(stores, "_UNNAMED", None)
    expected = {part.name: part.read() for part in bag_files(tiny.root)}
    for number in range(1, 2 * len(expected) + 1):
        url = tmp_path / f"archives-{number}"
        _archive_and_die(tiny, str(url), number)
        there = set(_contents(url / tiny.id)) if url.exists() else set()
        archived = archive_session(tiny.root, str(url))
        assert archived.sent == len(expected) - len(there)
        assert _contents(url / tiny.id) == expected
        assert verify_archive(str(url), tiny.id).valid


def _archive_and_die(sample: Sample, url: str, number: int) -> None:
    """Archive in a process of its own, which kills itself at its *number*-th call that names a file,
    before it (odd numbers) or after it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        calls = 0

        def dying(real: Callable[..., None]) -> Callable[..., None]:
            def call(*arguments: object, **options: object) -> None:
                nonlocal calls
                calls += 2
                if calls > number:
                    os.kill(os.getpid(), signal.SIGKILL)
                real(*arguments, **options)
                if calls == number:
                    os.kill(os.getpid(), signal.SIGKILL)

            return call

        os.link, os.rename = dying(os.link), dying(os.rename)
        try:
            archive_session(sample.root, url)
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.mark.parametrize("name", ["../x", "/x", "a//b", "a/../b", "", "a/./b", "x\0", "~/x", "C:x"])
def test_a_folder_store_takes_no_name_that_leaves_it(name: str, tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "archives")
    with pytest.raises(ArchiveError, match=r"is no name for an object"):
        store.put_new(name, b"", "")
    with pytest.raises(ArchiveError, match=r"is no name for an object"):
        store.get(name)


def test_a_link_in_a_folder_store_is_not_followed(tiny: Sample, tmp_path: Path) -> None:
    url = tmp_path / "archives"
    archive_session(tiny.root, str(url))
    path = url / tiny.id / "data" / tiny.id / "shared" / "session-config.md"
    secret = tmp_path / "secret"
    path.rename(secret)
    path.symlink_to(secret)
    result = verify_archive(str(url), tiny.id)
    assert f"data/{tiny.id}/shared/session-config.md" in {finding.path for finding in result.findings}
    assert not verify_unpacked(url / tiny.id).valid
    with pytest.raises(ArchiveError):
        archive_session(tiny.root, str(url))


# ------------------------------------------------------------------ tampering


def _writable(root: Path) -> Path:
    thaw(root)
    return root


def _flips(path: Path) -> Iterator[int]:
    """Positions to change: every so many bytes, and the last one."""
    size = path.stat().st_size
    yield from range(0, size, EVERY)
    yield size - 1


def _flip(path: Path, position: int) -> bytes:
    """Change one byte by one bit, chosen by its position; returns what was there before."""
    before = path.read_bytes()
    changed = bytearray(before)
    changed[position] ^= 1 << (position % 8)
    path.write_bytes(changed)
    return before


@pytest.fixture
def bag(tiny: Sample, tmp_path: Path) -> Path:
    _write_bag(tiny.root, tmp_path / "bag")
    return tmp_path / "bag"


@pytest.fixture
def restored(tiny: Sample, tmp_path: Path) -> Path:
    archive_session(tiny.root, str(tmp_path / "archives"))
    return fetch(tiny.id, str(tmp_path / "archives"), tmp_path / "into")


def test_one_changed_byte_anywhere_in_a_bag_is_found_and_its_file_named(bag: Path) -> None:
    tried = 0
    for name in _contents(bag):
        for position in _flips(bag / name):
            before = _flip(bag / name, position)
            result = verify_path(bag)
            assert name in {finding.path for finding in result.findings}, (name, position)
            (bag / name).write_bytes(before)
            tried += 1
    assert verify_path(bag).valid
    assert tried > 300


def test_a_changed_tag_file_alone_is_named_alone(bag: Path) -> None:
    for name in ("manifest-sha256.txt", "tagmanifest-sha256.txt", "bag-info.txt", "bagit.txt"):
        for position in _flips(bag / name):
            before = _flip(bag / name, position)
            assert {finding.path for finding in verify_path(bag).findings} == {name}
            (bag / name).write_bytes(before)


def test_one_changed_byte_anywhere_in_a_restored_session_is_found_and_its_file_named(restored: Path) -> None:
    tried = 0
    for name in _contents(restored):
        for position in _flips(restored / name):
            before = _flip(restored / name, position)
            result = verify_path(restored)
            assert name in {finding.path for finding in result.findings}, (name, position)
            (restored / name).write_bytes(before)
            tried += 1
    assert verify_path(restored).valid
    assert tried > 150


def test_a_bag_whose_session_was_rolled_back_is_found(bag: Path, tiny: Sample) -> None:
    path = bag / "data" / tiny.id / "ledger" / "ledger.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    found = {finding.path for finding in verify_path(bag).findings}
    assert f"data/{tiny.id}/ledger/ledger.jsonl" in found


def test_tag_files_that_agree_but_are_not_this_sessions_are_found(bag: Path) -> None:
    info = bag / "bag-info.txt"
    before = hashlib.sha256(info.read_bytes()).hexdigest()
    info.write_text(info.read_text().replace("plan.md", "flan.md"))
    mark = bag / "tagmanifest-sha256.txt"
    mark.write_text(mark.read_text().replace(before, hashlib.sha256(info.read_bytes()).hexdigest()))
    assert {finding.path for finding in verify_path(bag).findings} == {
        "bag-info.txt",
        "tagmanifest-sha256.txt",
    }


def test_a_bag_of_another_version_is_held_to_its_own_manifests(bag: Path) -> None:
    info, mark = bag / "bag-info.txt", bag / "tagmanifest-sha256.txt"
    before = hashlib.sha256(info.read_bytes()).hexdigest()
    info.write_text(info.read_text().replace("bag 1", "bag 2") + "Greenroom-New: value\n")
    mark.write_text(mark.read_text().replace(before, hashlib.sha256(info.read_bytes()).hexdigest()))
    result = verify_path(bag)
    assert result.valid
    assert result.notes == (
        "this is an archive of tiny, in a folder of another name",
        "the bag was made by another version of Greenroom: its tag files were not made again",
    )
    mark.write_text(mark.read_text().upper().replace(".TXT", ".txt"))
    assert not verify_path(bag).valid
