"""Dropped decks: kept while somebody may begin with them, and gone with the server."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.core.errors import DeckError
from orchestrator.panel.config.config import Config
from orchestrator.panel.loop.plan import Source
from orchestrator.web import uploads
from orchestrator.web.uploads import MAX_KEPT, Materials, Shared, Uploads

DECK = b"# Plan\n\n- Revenue grew 18% in 2026\n"


@pytest.fixture
def kept() -> Iterator[Uploads]:
    made = Uploads()
    yield made
    made.close()


def folders(kept: Uploads) -> int:
    return len(list(Path(kept._folder.name).iterdir()))


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("plan.md", "plan.md"),
        ("../../etc/plan.md", "plan.md"),
        ("C:\\decks\\plan.md", "plan.md"),
        ("..md", None),
        ("a\x00b\n.md", "a_b_.md"),
        ("x" * 400 + ".md", "x" * 197 + ".md"),
        ("plan.exe", None),
        ("", None),
    ],
)
def test_a_deck_gets_a_plain_name_in_a_folder_of_its_own(kept: Uploads, name: str, plain: str | None) -> None:
    if plain is None:
        with pytest.raises(DeckError, match="is no deck that can be read"):
            kept.take(name, DECK)
        return
    taken = kept.take(name, DECK)
    assert taken.file is not None
    assert taken.file.name == plain
    assert Path(kept._folder.name) in taken.file.parents


def test_the_same_deck_dropped_again_leaves_the_file_that_is_in_use(kept: Uploads) -> None:
    first = kept.take("plan.md", DECK)
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda _: kept.take("plan.md", DECK), range(4)))
    assert {one.file for one in again} == {first.file}
    assert first.file is not None
    assert first.file.read_bytes() == DECK
    assert folders(kept) == 1
    assert kept.take("other.md", DECK).deck.name == "other.md"
    assert folders(kept) == 1


def test_a_session_that_kept_no_copy_takes_no_file_from_who_dropped_its_deck(kept: Uploads) -> None:
    dropped = kept.take("plan.md", DECK)
    assert kept.take_again(Source(dropped.deck)).file == dropped.file
    assert dropped.file is not None
    assert dropped.file.read_bytes() == DECK


def test_what_cannot_be_read_leaves_nothing_and_names_no_folder(kept: Uploads) -> None:
    with pytest.raises(DeckError, match=r"^broken\.pdf ") as refused:
        kept.take("broken.pdf", b"%PDF-1.7 and no more")
    assert kept._folder.name not in str(refused.value)
    assert folders(kept) == 0


def test_a_failure_that_nobody_foresaw_leaves_nothing_either(
    kept: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uploads, "read_deck", fails)
    with pytest.raises(OSError, match="No space"):
        kept.take("plan.md", DECK)
    assert folders(kept) == 0


def test_the_oldest_leave_first(kept: Uploads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_KEPT", 2)
    assert MAX_KEPT > 2
    first, second, third = (kept.take("plan.md", DECK + b"- %d" % number) for number in range(3))
    with pytest.raises(DeckError, match="drop it once more"):
        kept.get(first.deck.sha256)
    assert kept.get(second.deck.sha256) == second
    assert kept.get(third.deck.sha256) == third
    assert folders(kept) == 2


def test_nothing_stays_behind_the_server() -> None:
    kept = Uploads()
    file = kept.take("plan.md", DECK).file
    assert file is not None
    folder = file.parents[1]
    kept.close()
    assert not folder.exists()


# ---------------------------------------------------------------------- several processes


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Shared]:
    with Shared.make(tmp_path) as made:
        yield made


def test_a_deck_that_one_process_read_is_known_to_another(folder: Shared) -> None:
    """With its file, and word for word, as long as nobody removes it."""
    first, second = Uploads(folder), Uploads(folder)
    taken = first.take("plan.md", DECK)
    assert second.get(taken.deck.sha256) == taken
    assert second.take("plan.md", DECK).file == taken.file
    assert taken.file is not None
    taken.file.unlink()
    for one in (first, second):
        with pytest.raises(DeckError, match="drop it once more"):
            one.get(taken.deck.sha256)


def test_a_deck_whose_session_kept_no_file_is_known_to_another_process(folder: Shared, kept: Uploads) -> None:
    deck = kept.take("plan.md", DECK).deck
    Uploads(folder).take_again(Source(deck))
    found = Uploads(folder).get(deck.sha256)
    assert (found.deck, found.file) == (deck, None)


def test_what_a_name_asks_for_never_leaves_the_folder(folder: Shared) -> None:
    (folder.folder.parent / "secret.json").write_text('{"deck": {}, "file": null}', "utf-8")
    for name in ("../secret", "secret", "", "x" * 64, "../" * 21 + "a"):
        with pytest.raises(DeckError):
            Uploads(folder).get(name)


def test_a_material_is_known_to_another_process_as_far_as_it_is_read(folder: Shared) -> None:
    first, second = Materials(folder), Materials(folder)
    board = first.take("board", "board.json", b'[{"name": "Ada Lind"}]', Config(), None)
    talk = first.take("speech", "talk.txt", b"Ada: Revenue grew 18% in 2026.\n", Config(), None)
    assert second.get(board.id).says == board.says
    assert second.file("board", board.id) == board.file
    assert second.recording(talk.id) == talk.recording
    assert second.get(talk.id).speakers == talk.speakers


def test_sound_is_being_read_until_its_process_says_or_ends(folder: Shared) -> None:
    """Whoever asks another process waits as long as that one works at it, and no longer."""
    digest, lies = "a" * 64, folder.aside()
    (lies / "talk.wav").write_bytes(b"sound")
    folder.keep(digest, {"kind": "speech", "name": "talk.wav", "file": f"{lies.name}/talk.wav"})
    lock = os.open(lies, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # as the process that recognises it
    asked = Materials(folder)
    assert (asked.get(digest).is_read, asked.get(digest).refused) == (False, "")
    os.close(lock)
    assert "choose it once more" in asked.get(digest).refused


@pytest.mark.parametrize(
    ("limit", "value"), [("MAX_SHARED", 4), ("MAX_SHARED_BYTES", 14_000), ("MAX_AGE_S", 100.0)]
)
def test_the_oldest_leave_a_shared_folder_first(
    folder: Shared, monkeypatch: pytest.MonkeyPatch, limit: str, value: float
) -> None:
    """By number, by size, by age: two decks stay, each with what is known of it."""
    monkeypatch.setattr(uploads, limit, value)
    kept = Uploads(folder)
    taken = []
    for number in range(3):
        taken.append(kept.take("plan.md", DECK + b"- %d\n" % number + b"x" * 3_000))
        for one in folder.folder.iterdir():  # as if the next came two hundred seconds later, or one
            ago = 200 if limit == "MAX_AGE_S" and number == 0 else 1
            at = one.stat().st_mtime - ago
            os.utime(one, (at, at))
    Uploads(folder).take("plan.md", DECK)
    with pytest.raises(DeckError):
        Uploads(folder).get(taken[0].deck.sha256)
    assert Uploads(folder).get(taken[2].deck.sha256) == taken[2]


def test_a_server_removes_its_folder_and_what_a_killed_one_left_and_no_other(tmp_path: Path) -> None:
    left = tmp_path / "dropped" / "left"
    left.mkdir(parents=True)
    with Shared.make(tmp_path) as first, Shared.make(tmp_path) as second:
        assert not left.exists()
        assert first.folder.is_dir()
        assert first.folder.stat().st_mode & 0o077 == 0
        assert second.folder.is_dir()
    assert not (tmp_path / "dropped").exists()
