"""What a review says of archives: what lies there now, held against what was archived; and never more."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.cli.app import run
from orchestrator.core.archive import s3
from orchestrator.core.archive.freeze import thaw
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.web import reviewing
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.homes import new_home
from tests.helpers.reviewed import begun, ended
from tests.helpers.strict_s3 import KEY, SECRET, strict_s3
from tests.web.test_review import text_of

LEDGER = "data/one/ledger/ledger.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Two homes, each with another session under the same id, ended and archived."""
    roots = []
    for name in ("this", "other"):
        home = Home.open(new_home(tmp_path_factory.mktemp(name) / "home"))
        ended(home, "one", "satisfied", speech=f"Good morning from {name} quay.")
        roots.append(home.root)
    yield roots[0], roots[1]
    for root in roots:
        thaw(root / "sessions" / "one")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(reviewing, "TIMEOUT_S", 60.0)  # a page waits for all that is new
    monkeypatch.setattr(reviewing, "LONG_TIMEOUT_S", 60.0)


@pytest.fixture
def home(made: tuple[Path, Path], tmp_path: Path) -> Home:
    """The first home, in which an archive can be exchanged: as it lay when it archived, and then moved."""
    shutil.copytree(made[0], tmp_path / "home")
    return Home.open(tmp_path / "home")


def opened(home: Home | None, archives: str, endpoint_url: str | None = None) -> TestClient:
    site = Site(home, archives, OpenSessions(home), endpoint_url=endpoint_url)
    return TestClient(application(site), base_url="http://127.0.0.1")


def head_of(home: Path) -> str:
    ledger = (home / "sessions" / "one" / "ledger" / "ledger.jsonl").read_bytes()
    return str(json.loads(ledger.splitlines()[-1])["hash"])


def exchange(archives: Path, other: Path) -> None:
    """Another session's archive in the place of the one that was archived here; it is valid in itself."""
    shutil.rmtree(archives / "one")
    shutil.copytree(other / "archives" / "one", archives / "one")


def remove(root: Path) -> None:
    thaw(root)
    shutil.rmtree(root)


@pytest.mark.parametrize("has_home", [True, False])
def test_an_archive_that_was_exchanged_is_replaced_however_right_it_is(
    has_home: bool, home: Home, made: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    remove(home.sessions / "one")
    with opened(home if has_home else None, str(home.archives)) as client:
        assert "this quay" in text_of(client.get("/review/one"))
        exchange(home.archives, made[1])
        for address in ("/review/one?check=true", "/review/one", "/review/one?check=true"):
            page = text_of(client.get(address), 409)
            assert "replaced" in page
            assert head_of(made[0]) in page
            assert head_of(made[1]) in page
            assert "quay" not in page
        listed = text_of(client.get("/review"))
        assert "not right" in listed
        assert " verified " not in listed
        found = client.get("/api/v1/sessions/one/verify").json()
        assert not found["valid"]
        assert [(one["path"], one["kind"], one["found"]) for one in found["findings"]] == [
            (LEDGER, "replaced", head_of(made[1]))
        ]
    if has_home:
        for address in (f"file://{home.archives}/one", str(home.archives / "one")):
            assert run(["--home", str(home.root), "--json", "verify", address]) == 1
            assert json.loads(capsys.readouterr().out)["findings"] == found["findings"]


def test_a_server_that_begins_after_the_exchange_tells_it_from_the_register(
    home: Home, made: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    remove(home.sessions / "one")
    exchange(home.archives, made[1])
    with opened(home, str(home.archives)) as client:
        assert "archive replaced" in text_of(client.get("/review"))
        assert "replaced" in text_of(client.get("/review/one"), 409)
        assert client.get("/review/one/export").status_code == 502
    arguments = ["restore", "one", "--from", str(home.archives), "--into", str(tmp_path / "back")]
    assert run(["--home", str(home.root), *arguments]) == 1
    assert f"nothing was restored, since {LEDGER} is replaced" in capsys.readouterr().err
    assert not (tmp_path / "back").exists()


def test_a_review_of_archives_alone_asks_the_register_of_the_home_that_is_known(
    home: Home, made: tuple[Path, Path]
) -> None:
    exchange(home.archives, made[1])
    site = Site(None, str(home.archives), OpenSessions(None), known=home)
    with TestClient(application(site), base_url="http://127.0.0.1") as client:
        assert "archive replaced" in text_of(client.get("/review"))
        assert f"{LEDGER} is replaced" in text_of(client.get("/review/one"), 409)
        assert [one["kind"] for one in client.get("/api/v1/sessions/one/verify").json()["findings"]] == [
            "replaced"
        ]


def test_check_again_looks_at_the_archive_of_a_session_that_is_here_too(
    home: Home, made: tuple[Path, Path]
) -> None:
    with opened(home, str(home.archives)) as client:
        page = text_of(client.get("/review/one?check=true"))
        assert page.count(" verified ") == 2
        assert f"the archive {home.archives}/one" in page
        exchange(home.archives, made[1])
        page = text_of(client.get("/review/one?check=true"))
        assert f"{LEDGER} is replaced: expected {head_of(made[0])}, as it was archived" in page
        assert "not right" in text_of(client.get("/review"))
        assert "this quay" in page  # the folder here is what it was
        found = client.get("/api/v1/sessions/one/verify", params={"archive": True}).json()
        assert [one["kind"] for one in found["findings"]] == ["replaced"]
        assert client.get("/api/v1/sessions/one/verify").json()["valid"]
        remove(home.archives / "one")
        assert "there is no archive of one" in text_of(client.get("/review/one?check=true"))
    with opened(home, str(home.archives)) as client:
        assert "archive gone" in text_of(client.get("/review"))


def test_archived_is_told_from_the_register_and_not_from_what_happens_to_lie_there(
    home: Home, made: tuple[Path, Path], tmp_path: Path
) -> None:
    with opened(home, str(tmp_path / "elsewhere")) as client:
        for address in ("/review", "/review/one"):
            page = text_of(client.get(address))
            assert " archived " in page
            assert "not archived" not in page
    shutil.rmtree(home.sessions / ".records")
    with opened(home, str(home.archives)) as client:
        assert "not archived" in text_of(client.get("/review"))


def test_a_session_that_was_rolled_back_is_not_as_it_was_archived(home: Home) -> None:
    root = home.sessions / "one"
    thaw(root)
    ledger = root / "ledger" / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:-1]))  # without the record of its end
    with opened(home, str(home.archives)) as client:
        listed = text_of(client.get("/review"))
        assert "not as it was archived" in listed
        assert "under way" not in listed
        page = text_of(client.get("/review/one"))
        assert "not right" in page
        assert "ledger/ledger.jsonl is head: expected" in page
        kinds = {one["kind"] for one in client.get("/api/v1/sessions/one/verify").json()["findings"]}
        assert "head" in kinds


def test_a_folder_that_was_exchanged_is_not_verified_by_the_head_of_the_one_before(
    home: Home, made: tuple[Path, Path]
) -> None:
    shutil.rmtree(home.sessions / ".records")  # no head of it was kept
    with opened(home, str(home.archives)) as client:
        assert head_of(made[0])[:12] in text_of(client.get("/review/one"))
        remove(home.sessions / "one")
        shutil.copytree(made[1] / "sessions" / "one", home.sessions / "one")
        page = text_of(client.get("/review/one"))
        assert f"ledger head {head_of(made[1])[:12]}" in page
        assert head_of(made[0])[:12] not in page
        assert "other quay" in page


def test_a_session_that_was_changed_since_it_was_verified_is_verified_again(home: Home) -> None:
    with opened(home, str(home.archives)) as client:
        assert " verified " in text_of(client.get("/review/one"))
        page = home.sessions / "one" / "debrief.md"
        thaw(home.sessions / "one")
        page.write_text(page.read_text("utf-8") + "\nAll of it went well.\n", "utf-8")
        assert "not right" in text_of(client.get("/review/one"))
        assert " verified " not in text_of(client.get("/review"))


@pytest.mark.usefixtures("_keys")
def test_an_archive_in_a_store_elsewhere_is_not_missed_in_the_homes_own(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    remove(home.archives)
    shutil.rmtree(home.sessions / ".records")
    with strict_s3() as server:
        arguments = ["archive", "one", "--to", "s3://bucket/boards", "--endpoint-url", server.endpoint_url]
        assert run(["--home", str(home.root), *arguments]) == 0
        capsys.readouterr()
        with opened(home, str(home.archives)) as client:
            page = text_of(client.get("/review"))
            assert " archived " in page
            assert "archive gone" not in page


def test_a_ledger_of_the_same_size_is_read_again(home: Home) -> None:
    with opened(home, str(home.archives)) as client:
        assert "Good morning" in text_of(client.get("/review?q=morning"))
        ledger = home.sessions / "one" / "ledger" / "ledger.jsonl"
        thaw(home.sessions / "one")
        size = ledger.stat().st_size
        ledger.write_bytes(ledger.read_bytes().replace(b"Good morning from", b"Good evening from"))
        assert ledger.stat().st_size == size
    with opened(home, str(home.archives)) as client:
        assert "Good evening" in text_of(client.get("/review?q=evening"))


@pytest.fixture
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setattr(s3, "BACKOFF_S", [])


@pytest.mark.slow
@pytest.mark.usefixtures("_keys")
@pytest.mark.parametrize("has_home", [True, False])
def test_two_servers_with_the_same_bucket_and_id_are_two_archives(
    has_home: bool, made: tuple[Path, Path], home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    url = "s3://bucket/boards"
    with strict_s3() as first, strict_s3() as second:
        for server, root in ((first, home.root), (second, made[1])):
            arguments = ["archive", "one", "--to", url, "--endpoint-url", server.endpoint_url]
            assert run(["--home", str(root), *arguments]) == 0
        remove(home.sessions / "one")
        for server, quay, head in ((first, "this", head_of(made[0])), (second, "other", head_of(made[1]))):
            with opened(home if has_home else None, url, server.endpoint_url) as client:
                page = text_of(client.get("/review/one"))
                assert f"{quay} quay" in page
                assert f"ledger head {head[:12]}" in page
                assert " verified " in text_of(client.get("/review"))
                assert client.get("/api/v1/sessions/one/verify").json()["valid"]
        # What home archived at the first server lies at the second no more than it ever did.
        first.objects, second.objects = second.objects, first.objects
        first.metadata, second.metadata = second.metadata, first.metadata
        capsys.readouterr()
        assert (
            run(["--home", str(home.root), "verify", f"{url}/one", "--endpoint-url", first.endpoint_url]) == 1
        )
        assert f"{LEDGER}: replaced: expected {head_of(made[0])}" in capsys.readouterr().out
        with opened(home if has_home else None, url, first.endpoint_url) as client:
            assert "replaced" in text_of(client.get("/review/one?check=true"), 409)


@pytest.mark.slow
@pytest.mark.usefixtures("_keys")
def test_an_archive_in_cold_storage_is_a_row_that_says_so_and_no_damage(home: Home) -> None:
    url = "s3://bucket/boards"
    with strict_s3() as server:
        arguments = ["archive", "one", "--to", url, "--endpoint-url", server.endpoint_url]
        assert run(["--home", str(home.root), *arguments]) == 0
        with opened(None, url, server.endpoint_url) as client:
            client.get("/review")
            server.cold = set(server.objects)
            for address in ("/review/one", "/review/one?check=true"):
                page = text_of(client.get(address), 502)
                assert "cannot be read now: it is in cold storage (GLACIER): restore it" in page
                assert "That says nothing of what lies there" in page
            assert "not right" not in text_of(client.get("/review"))
            answer = client.get("/api/v1/sessions/one/verify")
            assert (answer.status_code, answer.json()["code"]) == (502, "archive_unavailable")
        os.environ["XDG_CACHE_HOME"] += "-2"
        with opened(None, url, server.endpoint_url) as client:
            page = text_of(client.get("/review?q=morning"))
            assert "1 session could not be searched" in page
            assert "one: cannot be read now: s3://bucket/boards/one/" in page
            assert "It cannot be read now, so what it holds is not known" in text_of(client.get("/review"))


def test_a_search_that_could_not_look_into_all_says_so(home: Home) -> None:
    ended(home, "two", "satisfied", speech="Good morning again.")
    for archives, name in ((home.archives / "one", "data/one/ledger/ledger.jsonl"),):
        (archives / name).unlink()
    with opened(None, str(home.archives)) as client:
        page = text_of(client.get("/review?q=again"))
        assert "1 session could not be searched, so there may be more than is shown" in page
        assert "one: its records are damaged" in page
        assert "/review/two" in client.get("/review?q=again").text
        found = client.get("/api/v1/sessions", params={"search": "again"}).json()
        assert [(one["session"], one["state"]) for one in found["sessions"]] == [
            ("one", "damaged"),
            ("two", "ended"),
        ]
        assert found["not_searched"] == ["one"]
    thaw(home.sessions / "two")


# ------------------------------------------------------------------ copies of a folder


def test_a_copy_of_a_folder_never_takes_over_its_original(tmp_path: Path) -> None:
    home = Home.open(new_home(tmp_path / "home"))
    begun(home, "talk").close()
    shutil.copytree(home.sessions / "talk", home.sessions / "talk-backup")
    copy = (home.sessions / "talk-backup" / "ledger" / "ledger.jsonl").read_bytes()
    with opened(home, str(home.archives)) as client:
        shown = client.get("/api/v1/sessions/talk-backup").json()
        assert (shown["session"], shown["path"]) == ("talk-backup", str(home.sessions / "talk-backup"))
        assert client.get("/api/v1/sessions/talk-backup/room").json()["session"] == "talk-backup"
        sent = {"text": "The tide turns at nine."}
        assert client.post("/api/v1/sessions/talk/segments", json=sent).status_code == 200
        assert client.post("/api/v1/sessions/talk-backup/drive").status_code < 500
        driven = client.get("/api/v1/sessions/talk/room").json()
        assert not driven["is_driven_here"]
        client.post("/api/v1/sessions/talk-backup/pause")
        assert "copy of talk" in text_of(client.get("/review"))
        assert client.get("/api/v1/sessions/talk-backup/verify").json()["findings"][0]["kind"] == "misplaced"
        assert client.get("/api/v1/sessions/talk/verify").json()["valid"]
        rows = {one["session"]: one["state"] for one in client.get("/api/v1/sessions").json()["sessions"]}
        assert rows == {"talk": "active", "talk-backup": "damaged"}
        assert client.post("/api/v1/sessions/talk/end", json={}).status_code == 200
    with Session.open(home, "talk") as session:
        assert "The tide turns at nine." in session.read("shared/presenter-transcript.md")
        assert session.archived_at is not None
    assert b"The tide turns" not in (home.sessions / "talk-backup" / "ledger" / "ledger.jsonl").read_bytes()
    assert copy in (home.sessions / "talk-backup" / "ledger" / "ledger.jsonl").read_bytes()
    thaw(home.sessions / "talk")
