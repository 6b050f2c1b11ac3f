"""Dropped decks: kept while somebody may begin with them, and gone with the server."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.core.errors import DeckError
from orchestrator.panel.loop.plan import Source
from orchestrator.web import uploads
from orchestrator.web.uploads import MAX_KEPT, Uploads

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
