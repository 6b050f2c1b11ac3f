"""Files that can be made again: replaced at once, cheaply, and never through what is no file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.memory.facts import derived_folder, replace_if_different, replace_text


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    """A session's folder `made`."""
    with derived_folder(tmp_path, "made") as opened:
        yield opened


def test_a_file_is_there_whole_and_nothing_beside_it(fd: int, tmp_path: Path) -> None:
    for text in ("first\n", "second, and longer\n", ""):
        replace_text(fd, "one.json", text)
        assert (tmp_path / "made" / "one.json").read_text("utf-8") == text
    assert os.listdir(fd) == ["one.json"]


def test_what_is_there_already_is_not_written_again(fd: int) -> None:
    assert replace_if_different(fd, "one.json", "first\n")
    before = os.stat("one.json", dir_fd=fd)
    assert not replace_if_different(fd, "one.json", "first\n")
    assert os.stat("one.json", dir_fd=fd).st_ino == before.st_ino


def test_a_reader_sees_the_old_or_the_new(fd: int, tmp_path: Path) -> None:
    texts = ["a" * 15_000, "b" * 9_000]
    path = tmp_path / "made" / "one.json"
    replace_text(fd, "one.json", texts[0])
    seen: set[str] = set()
    over = threading.Event()

    def reads() -> None:
        while not over.is_set():
            seen.add(path.read_text("utf-8"))

    reader = threading.Thread(target=reads)
    reader.start()
    for number in range(300):
        replace_text(fd, "one.json", texts[number % 2])
    over.set()
    reader.join()
    assert seen <= set(texts)


def test_a_link_is_replaced_and_not_followed(fd: int, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine", "utf-8")
    (tmp_path / "made" / "one.json").symlink_to(tmp_path / "elsewhere")
    replace_text(fd, "one.json", "new")
    assert not (tmp_path / "made" / "one.json").is_symlink()
    assert (tmp_path / "elsewhere").read_text("utf-8") == "mine"


def test_a_folder_in_its_place_is_an_error_and_stays(fd: int, tmp_path: Path) -> None:
    (tmp_path / "made" / "one.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_text(fd, "one.json", "new")
    assert os.listdir(fd) == ["one.json"]
