"""What stands in `sessions/` and is no session: listed, told, erased; never waited for, never followed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator import Home, Session
from orchestrator.cli.app import run
from orchestrator.core.errors import SessionStateError, UsageError
from orchestrator.documents.listing import local
from orchestrator.documents.memories import briefing_json
from orchestrator.mcp.resources import read
from orchestrator.mcp.scope import LIST, Scope
from orchestrator.rehearsal.erasing import ERASING, erase_session
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.board import verify_session

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"


def _ledger(root: Path) -> Path:
    (root / "ledger").mkdir(parents=True)
    (root / "shared").mkdir()
    (root / "shared" / "presenter-transcript.md").write_text("what was said\n")
    return root / "ledger" / "ledger.jsonl"


def _no_ledger(root: Path) -> None:
    _ledger(root)


def _pipe(root: Path) -> None:
    os.mkfifo(_ledger(root))


def _socket(root: Path) -> None:
    path = _ledger(root)
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's address has at most a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _link_to_a_pipe(root: Path) -> None:
    path = _ledger(root)
    os.mkfifo(root / "pipe")
    path.symlink_to(root / "pipe")


def _dangling(root: Path) -> None:
    root.parent.mkdir(exist_ok=True)
    root.symlink_to(root.parent / "nowhere-at-all")


def _file(root: Path) -> None:
    root.parent.mkdir(exist_ok=True)
    root.write_text("what was said\n")


def _pipe_alone(root: Path) -> None:
    root.parent.mkdir(exist_ok=True)
    os.mkfifo(root)


STRANGE: dict[str, Callable[[Path], None]] = {
    "no-ledger": _no_ledger,
    "empty": lambda root: root.mkdir(parents=True),
    "pipe": _pipe,
    "socket": _socket,
    "folder": lambda root: _ledger(root).mkdir(),
    "device": lambda root: _ledger(root).symlink_to("/dev/zero"),
    "link-to-a-pipe": _link_to_a_pipe,
    "dangling": _dangling,
    "file": _file,
    "pipe-alone": _pipe_alone,
}


@pytest.fixture
def strange(home: Path) -> Home:
    """A home with one session, and one of everything that is none."""
    opened = Home.open(home)
    Session.start(opened, deck_text=DECK, id="right", presenter="Ines Kroll", remember=True).close()
    for name, make in STRANGE.items():
        make(home / "sessions" / name)
    return opened


def test_everything_with_a_sessions_name_is_listed(strange: Home) -> None:
    told: list[str] = []
    rows = {row["session"]: row["state"] for row in local(strange, None, told.append)}
    assert rows == {**dict.fromkeys(STRANGE, "damaged"), "right": "active"}
    assert len(told) == len(STRANGE)
    for name in STRANGE:
        assert any(line.startswith(f"{name}: is ") and f"`greenroom erase {name}`" in line for line in told)


def test_each_is_told_what_it_is_and_erased_whole(strange: Home, capsys: pytest.CaptureFixture[str]) -> None:
    for name in STRANGE:
        root = strange.sessions / name
        assert run(["--home", str(strange.root), "show", name]) == 1
        shown = capsys.readouterr()
        assert (shown.out, shown.err.count("\n")) == ("", 1)
        assert run(["--home", str(strange.root), "--json", "verify", name]) == 1
        assert not json.loads(capsys.readouterr().out)["valid"]
        named = str(root) if name == "pipe" else name  # or by its path
        assert run(["--home", str(strange.root), "erase", named, "--yes"]) == 0
        assert capsys.readouterr().out == f"removed {root}\n"
        assert not os.path.lexists(root)
        assert run(["--home", str(strange.root), "erase", name, "--yes"]) == 1
        capsys.readouterr()
    assert os.listdir(strange.sessions) == ["right"]


def test_neither_server_waits_for_any_of_it(strange: Home) -> None:
    with TestClient(
        application(Site(strange, str(strange.archives), OpenSessions(strange))), base_url="http://127.0.0.1"
    ) as client:
        rows = client.get("/api/v1/sessions").json()["sessions"]
        assert {row["session"] for row in rows} == {*STRANGE, "right"}
        assert client.get("/review").status_code == 200
        for name in STRANGE:
            assert client.get(f"/api/v1/sessions/{name}").status_code == 404
            assert not client.get(f"/api/v1/sessions/{name}/verify").json()["valid"]
            assert client.delete(f"/api/v1/sessions/{name}").json()["removed"] == [
                str(strange.sessions / name)
            ]
        assert client.get("/api/v1/sessions").json()["sessions"][0]["session"] == "right"


def test_neither_mcp_nor_a_briefing_waits_for_any_of_it(strange: Home) -> None:
    found = json.loads(read(Scope(strange), LIST)[1])["sessions"]
    assert [one["session"] for one in found] == ["right"]
    briefing_json(strange, "skeptic", "Ines Kroll")
    Session.start(strange, deck_text=DECK, id="next", presenter="Ines Kroll", remember=True).close()


# ------------------------------------------------------------------ links to folders


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Path:
    """A session that lies elsewhere, with a link in its place; returns where it lies."""
    Session.start(Home.open(home), deck_text=DECK, id="talk").close()
    os.rename(home / "sessions" / "talk", tmp_path / "elsewhere")
    (home / "sessions" / "talk").symlink_to(tmp_path / "elsewhere")
    return tmp_path / "elsewhere"


def test_a_linked_session_is_not_called_removed_while_it_is_there(
    home: Path, linked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(path.relative_to(linked) for path in linked.rglob("*"))
    root = home / "sessions" / "talk"
    assert run(["--home", str(home), "erase", "talk", "--yes"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        f"greenroom: {root}: is a link to {linked}, and nothing is removed through a link"
    )
    assert root.is_symlink()
    assert sorted(path.relative_to(linked) for path in linked.rglob("*")) == before
    shutil.rmtree(linked)
    assert run(["--home", str(home), "erase", "talk", "--yes"]) == 0
    assert not os.path.lexists(root)


def test_a_link_to_a_folder_that_is_no_session_is_not_followed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letters.md").write_text("private\n")
    (home / "sessions").mkdir(exist_ok=True)
    (home / "sessions" / "talk").symlink_to(tmp_path / "mine")
    with pytest.raises(SessionStateError, match="is a link to"):
        erase_session(Home.open(home), home / "sessions" / "talk", archives=False)
    assert (tmp_path / "mine" / "letters.md").read_text() == "private\n"


def test_a_linked_session_whose_name_an_earlier_release_took_gets_it_back(
    home: Path, linked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.rename(home / "sessions" / "talk", home / "sessions" / f"{ERASING}talk")
    assert run(["--home", str(home), "erase", "talk", "--yes"]) == 1
    assert "is a link to" in capsys.readouterr().err
    assert Home.open(home).session_ids() == ("talk",)
    assert verify_session(home / "sessions" / "talk").valid


# ------------------------------------------------------------------ rights


def _as_nobody(act: Callable[[], None]) -> None:
    """Run *act* in a child that is not root, where this process is."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            act()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("part", ["", "ledger", "shared"])
def test_a_folder_that_its_owner_may_not_read_blinds_no_list_and_is_erased(part: str, home: Path) -> None:
    opened = Home.open(home)
    for name in ("closed", "open"):
        Session.start(opened, deck_text=DECK, id=name).close()
    (home / "sessions" / "closed" / part).chmod(0)
    if os.geteuid() == 0:
        for below, folders, files in os.walk(home):
            for name in (below, *(os.path.join(below, one) for one in (*folders, *files))):
                os.lchown(name, 65534, 65534)
        for above in home.parents:
            if not above.stat().st_mode & stat.S_IXOTH:  # the folders of the tests are for their user alone
                above.chmod(0o755)

    def act() -> None:
        rows = {row["session"]: row["state"] for row in local(opened, None, lambda line: None)}
        expected = {"closed": "active" if part == "shared" else "damaged", "open": "active"}
        assert rows == expected, rows
        erase_session(opened, home / "sessions" / "closed", archives=False)
        assert sorted(one.name for one in (home / "sessions").iterdir()) == ["open"]

    _as_nobody(act)


def test_a_copy_is_called_by_its_folders_name_and_counts_as_no_rehearsal(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = Home.open(home)
    with Session.start(opened, deck_text=DECK, id="talk", presenter="Ines Kroll", remember=True) as session:
        session.end()
    shutil.copytree(home / "sessions" / "talk", home / "sessions" / "talk-backup")
    with Session.open(opened, "talk-backup") as copy:
        assert (copy.name, copy.id, copy.archived_at) == ("talk-backup", "talk", None)
        assert not copy.is_to_be_archived
        with pytest.raises(SessionStateError, match="talk-backup: holds the session talk: give the folder"):
            copy.archive(str(home / "elsewhere"))
    assert run(["--home", str(home), "--json", "show", "talk-backup"]) == 0
    assert json.loads(capsys.readouterr().out)["session"] == "talk-backup"
    from orchestrator.memory.past_sessions import sessions_of

    assert [one.id for one in sessions_of(home, "Ines Kroll")] == ["talk"]
    with pytest.raises(SessionStateError, match="holds the session talk"):
        erase_session(opened, home / "sessions" / "talk-backup", archives=True)
    with pytest.raises(UsageError, match="outside a home"), Session.open(opened, "talk-backup") as copy:
        copy.archive()
