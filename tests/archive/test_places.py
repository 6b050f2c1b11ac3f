"""Neither an archive nor a restored session becomes a part of something else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.cli.app import run
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.register import kept_archives, uploads_of
from orchestrator.core.archive.s3 import S3Store, endpoint_of
from orchestrator.core.archive.stores import FolderStore, is_same_store
from orchestrator.core.errors import ArchiveError
from tests.helpers.board import archive_session, restore, verify_path
from tests.helpers.homes import new_home
from tests.helpers.sessions import Sample, tiny_session

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    sample = tiny_session(tmp_path_factory.mktemp("tiny"))
    yield sample
    thaw(sample.root)


@pytest.fixture(scope="module")
def there(tiny: Sample, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a session, and an archive of another; a link leads to it."""
    root = tmp_path_factory.mktemp("there")
    home = Home.open(new_home(root / "home"))
    Session.start(home, deck_text=DECK, id="talk").close()
    archive_session(tiny.root, str(home.archives))
    (root / "link").symlink_to(home.root)
    return home


def _tree(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


NOWHERE = [
    ("templates", "holds the templates of a home"),
    ("templates/skeptic", "holds the templates of a home"),
    ("session-templates", "holds the blueprints of a home"),
    ("sessions/talk", "is a session"),
    ("sessions/talk/shared", "is a session"),
    ("sessions/new/below", "holds the sessions of a home"),
    ("sessions/.records", "holds the sessions of a home"),
    ("archives/tiny", "is an archive"),
    ("archives/tiny/more", "is an archive"),
]


@pytest.mark.parametrize("through", ["home", "link"])
@pytest.mark.parametrize(("place", "what"), NOWHERE)
def test_neither_goes_into_a_part_of_a_home_that_takes_none(
    through: str, place: str, what: str, there: Home, tiny: Sample, tmp_path: Path
) -> None:
    before = _tree(there.root)
    target = there.root.parent / through / place
    with pytest.raises(ArchiveError, match=f"^{target}: {there.root}/.* {what}, and nothing is put into one"):
        restore(tiny.id, str(there.archives), target)
    with pytest.raises(ArchiveError, match=f"^{target}: {there.root}/.* {what}, and nothing is put into one"):
        archive_session(tiny.root, str(target))
    assert _tree(there.root) == before


def test_each_goes_where_its_kind_is_kept_and_not_where_the_other_is(there: Home, tiny: Sample) -> None:
    with pytest.raises(ArchiveError, match="holds the sessions of a home"):
        archive_session(tiny.root, str(there.sessions))
    with pytest.raises(ArchiveError, match="holds the archives of a home"):
        restore(tiny.id, str(there.archives), there.archives)
    restored = restore(tiny.id, str(there.archives), there.sessions)
    assert verify_path(restored).valid
    thaw(restored)


def test_a_session_is_not_ended_for_an_archive_that_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Session.start(Home.open(home), deck_text=DECK, id="talk").close()
    for part in ("templates", "session-templates", "sessions"):
        assert run(["--home", str(home), "end", "talk", "--archive", str(home / part)]) == 1
        told = capsys.readouterr().err
        assert told.startswith(f"greenroom: {home}/{part}: {home}/{part}")
        assert told.count("\n") == 1
    with Session.open(Home.open(home), "talk") as session:
        assert session.state == "active"


# ------------------------------------------------------------------ servers


def test_a_server_has_one_spelling(monkeypatch: pytest.MonkeyPatch) -> None:
    one = "https://r2.example"
    assert {endpoint_of(given) for given in (one, "https://R2.example:443/", "https://r2.example/")} == {one}
    assert endpoint_of("http://[::1]:9000") == "http://[::1]:9000"
    assert endpoint_of(None) == endpoint_of("https://s3.eu-central-1.amazonaws.com") == ""
    monkeypatch.setenv("AWS_ENDPOINT_URL", one)
    assert endpoint_of(None) == one
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9000/")
    assert endpoint_of(None) == "http://127.0.0.1:9000"
    monkeypatch.setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
    assert endpoint_of(None) == ""


def test_a_store_is_told_by_server_and_address(tmp_path: Path) -> None:
    store = S3Store("bucket", "boards", "http://127.0.0.1:9000")
    assert is_same_store(store, "s3://bucket/boards", "http://127.0.0.1:9000")
    assert is_same_store(store, "s3://bucket/boards", None)  # an earlier release did not note the server
    assert not is_same_store(store, "s3://bucket/boards", "http://127.0.0.1:9001")
    assert not is_same_store(store, "s3://bucket/boards", "")
    assert not is_same_store(store, "s3://bucket/other", "http://127.0.0.1:9000")
    (tmp_path / "link").symlink_to(tmp_path)
    assert is_same_store(FolderStore(tmp_path), str(tmp_path / "link"), "")


def test_the_register_notes_the_store_as_it_is_spelled_and_an_old_line_is_read(home: Path) -> None:
    opened = Home.open(home)
    with Session.start(opened, deck_text=DECK, id="talk") as session:
        session.end(archive=f"file://{home}/elsewhere/")
        head = session.ledger_head
    (kept,) = kept_archives(opened, "talk")
    assert (kept.url, kept.endpoint, kept.head) == (f"{home}/elsewhere", "", head)
    register = home / "sessions" / ".records" / "talk" / "archives.jsonl"
    old = '{"url": "s3://bucket/b/", "archive": "s3://bucket/b/talk", "at": "2026-11-20T10:00:00.000000Z"}\n'
    register.write_text(register.read_text("utf-8") + old, "utf-8")
    assert [(one.url, one.endpoint, one.head) for one in kept_archives(opened, "talk")][1:] == [
        ("s3://bucket/b", None, None)
    ]
    assert [one.archive for one in uploads_of(opened, "talk")] == [
        f"{home}/elsewhere/talk",
        "s3://bucket/b/talk",
    ]
    thaw(home / "sessions" / "talk")
    assert os.path.isdir(home / "elsewhere" / "talk")
