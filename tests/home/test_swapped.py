"""Sessions and archives under each other's names: each is the one that it is named for, or it is found."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.archive.bag import payload_of, tag_files
from orchestrator.core.archive.download import list_archives
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.upload import delete_archive
from orchestrator.core.errors import ArchiveError, SessionStateError
from orchestrator.core.store import ledger
from orchestrator.core.store.ledger import Held
from orchestrator.documents.listing import local
from orchestrator.rehearsal.erasing import erase_session
from tests.helpers.board import facts_of, restore, verify_path, verify_session
from tests.helpers.stores import fields_of

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"


@pytest.fixture
def two(home: Path) -> Home:
    """A home with two sessions that have ended and are archived there."""
    opened = Home.open(home)
    for name in ("aaa", "bbb"):
        with Session.start(opened, deck_text=DECK, id=name) as session:
            session.end(without_debrief=True)
    return opened


def _swap(folder: Path) -> None:
    thaw(folder / "aaa")
    thaw(folder / "bbb")
    os.rename(folder / "aaa", folder / "ccc")
    os.rename(folder / "bbb", folder / "aaa")
    os.rename(folder / "ccc", folder / "bbb")


def _found(path: Path) -> list[tuple[str, str, str, str]]:
    return [(one.path, one.kind, one.expected, one.found) for one in verify_path(path).findings]


def test_a_swapped_session_is_found_and_neither_archived_nor_erased(two: Home, tmp_path: Path) -> None:
    _swap(two.sessions)
    misplaced = ("ledger/ledger.jsonl", "misplaced", "aaa", "bbb")
    assert misplaced in _found(two.sessions / "aaa")
    with Session.open(two, "aaa") as session:
        assert "misplaced" in {one.kind for one in session.verify().findings}
        with pytest.raises(SessionStateError, match="aaa: holds the session bbb: give the folder that name"):
            session.archive(str(tmp_path / "x"))
    with pytest.raises(SessionStateError, match="aaa: holds the session bbb"):
        erase_session(two, two.sessions / "aaa", archives=True)
    assert not (tmp_path / "x").exists()
    assert len(list_archives(str(two.archives))) == 2
    told: list[str] = []
    rows = {row["session"]: row["state"] for row in local(two, None, told.append)}
    assert rows == {"aaa": "damaged", "bbb": "damaged"}
    assert len(told) == 2


def test_a_swapped_archive_is_found_and_neither_restored_nor_removed(two: Home, tmp_path: Path) -> None:
    _swap(two.archives)
    url = str(two.archives)
    assert _found(two.archives / "aaa") == [("data", "misplaced", "aaa", "bbb")]
    assert [(one.session, one.state) for one in list_archives(url)] == [
        ("aaa", "damaged"),
        ("bbb", "damaged"),
    ]
    with pytest.raises(ArchiveError, match="nothing was restored"):
        restore("aaa", url, tmp_path)
    with pytest.raises(ArchiveError, match="aaa: is an archive of bbb, and nothing of it was removed"):
        delete_archive(url, "aaa")
    with pytest.raises(ArchiveError, match="is an archive of bbb"):
        erase_session(two, two.sessions / "aaa", archives=True)
    assert (two.sessions / "aaa").is_dir()
    assert len(list_archives(url)) == 2


def test_a_session_whose_first_record_was_given_another_id_is_found(two: Home) -> None:
    path = two.sessions / "aaa" / "ledger" / "ledger.jsonl"
    thaw(two.sessions / "aaa")
    raw = path.read_bytes()
    head, forged = ledger.FIRST_HASH, []
    for entry in ledger.scan(raw).entries:
        line = raw[entry.offset : entry.offset + entry.size]
        record = ledger.decode(line)
        if record.seq == 1:
            record = record._replace(held=Held({**fields_of(record), "id": "zzz"}))
        forged_line, head = ledger.encode(record, head, more=ledger.says_more(line))
        forged.append(forged_line)
    path.write_bytes(b"".join(forged))
    assert ("ledger/ledger.jsonl", "misplaced", "aaa", "zzz") in _found(two.sessions / "aaa")


def test_an_archive_is_of_the_session_that_its_payload_is_named_for(two: Home, tmp_path: Path) -> None:
    bag = tmp_path / "bag"
    shutil.copytree(two.archives / "aaa", bag)
    thaw(bag)
    os.rename(bag / "data" / "aaa", bag / "data" / "ccc")
    root = bag / "data" / "ccc"
    for name, content in tag_files(payload_of(root, "ccc"), facts_of(root)).items():
        (bag / name).write_bytes(content)
    assert _found(bag) == [("data/ccc/ledger/ledger.jsonl", "misplaced", "ccc", "aaa")]


def test_a_copy_elsewhere_may_have_any_name_which_is_noted(two: Home, tmp_path: Path) -> None:
    shutil.copytree(two.sessions / "aaa", tmp_path / "mine")
    shutil.copytree(two.archives / "aaa", tmp_path / "unpacked")
    for name, what in (("mine", "the session aaa"), ("unpacked", "an archive of aaa")):
        found = verify_path(tmp_path / name)
        assert (found.valid, found.notes[-1:]) == (True, (f"this is {what}, in a folder of another name",))
    with Session.open(None, tmp_path / "mine") as session:
        assert session.id == "aaa"
        assert session.archive(str(tmp_path / "archives")).archive == str(tmp_path / "archives" / "aaa")
    assert verify_session(two.sessions / "aaa").notes == ()
