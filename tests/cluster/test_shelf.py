"""Past one machine every worker lists the same sessions and comments, and what is erased is gone."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from orchestrator.cluster.connection import Connection
from orchestrator.cluster.records import STREAM as RECORDS
from orchestrator.cluster.records import merged
from orchestrator.cluster.server import Servers
from orchestrator.cluster.shelf import STREAM, Shelf
from orchestrator.core.archive.freeze import thaw
from orchestrator.core.archive.register import kept_archives, note_dismissed
from orchestrator.panel.comments import Comments
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from orchestrator.review.catalogue import of_home
from orchestrator.review.reading import Entry
from orchestrator.review.shared import Place, SharedRow, goes_first, place_of
from orchestrator.web.open_sessions import OpenSessions
from orchestrator.web.server import application
from orchestrator.web.site import Site
from tests.helpers.homes import new_home
from tests.helpers.live_feeds import until
from tests.helpers.nats import servers
from tests.helpers.reviewed import LEADING, begun, ended
from tests.helpers.served_here import served_here


class Worker:
    """A worker's home, shelf and web application, in this process."""

    def __init__(self, name: str, folder: Path, running: Servers, archives: Path) -> None:
        self.name = name
        if not folder.exists():
            new_home(folder)
            (folder / "greenroom.yaml").write_text(f"archive: {archives}\n")
        self.home = Home.open(folder)
        self.epochs: dict[str, int] = {}
        self._open = ExitStack()
        cluster = replace(running.cluster, worker=name)
        self.connection = Connection.open(cluster, name)
        self._open.callback(self.connection.close)
        self.shelf = Shelf(
            self.connection, name, self.home, str(archives), epoch_of=lambda session: self.epochs.get(session)
        )
        self.shelf.set_up()
        sessions = OpenSessions(self.home)
        self.site = Site(self.home, str(archives), sessions, shelf=self.shelf)
        self._open.callback(self.site.close)
        self.shelf.open()
        self._open.callback(self.shelf.close)
        self.client = TestClient(application(self.site), base_url="http://127.0.0.1")

    def close(self) -> None:
        self._open.close()

    def ask(self, path: str, **params: str) -> bytes:
        answer = self.client.get(path, params=params or None)
        assert answer.status_code == 200, answer.text
        return answer.content

    def listed(self, **params: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.get("/api/v1/sessions", params=params).json()
        return answer

    def names(self) -> list[str]:
        return [one["session"] for one in self.listed()["sessions"]]

    def say(self, session: str, text: str, author: str = "Dana") -> None:
        remark = {"author": author, "text": text}
        answer = self.client.post(f"/api/v1/sessions/{session}/comments", json=remark)
        assert answer.status_code == 201, answer.text

    def say_all(self, session: str, texts: list[str]) -> None:
        for text in texts:
            self.say(session, text)

    def said(self, session: str) -> list[str]:
        return [one.text for one in Comments(self.home.records).of(session)]

    def shows(self, session: str, words: bytes) -> bool:
        return words in self.ask(f"/api/v1/sessions/{session}")

    def reviews(self, session: str) -> bool:
        return f"/review/{session}".encode() in self.ask("/review")

    def has_said(self, session: str, text: str) -> bool:
        return text in self.said(session)

    def file(self, session: str, name: str) -> bytes:
        path = self.home.records / session / name
        return path.read_bytes() if path.exists() else b""


class Cluster:
    """Workers with homes of their own, and one place for archives."""

    def __init__(self, running: Servers, folder: Path) -> None:
        self.running, self.folder = running, folder
        self.archives = folder / "common"
        self._open: dict[str, Worker] = {}

    def worker(self, name: str) -> Worker:
        """A worker of this name; of the same name again, it finds the same home."""
        made = self._open[name] = Worker(name, self.folder / name, self.running, self.archives)
        return made

    def stop(self, name: str) -> None:
        self._open.pop(name).close()

    def close(self) -> None:
        for name in list(self._open):
            self.stop(name)
        for home in self.folder.iterdir():
            for root in (home / "sessions").glob("*"):
                thaw(root)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """A server that the tests of this file share; each test finds it empty."""
    servers = Servers(tmp_path_factory.mktemp("servers") / "nats", 1)
    servers.start()
    yield servers
    servers.stop()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def cluster(running: Servers, tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(running, tmp_path)
    yield made
    made.close()
    connection = Connection.open(running.cluster, "clear")
    for stream in (STREAM, RECORDS):
        connection.run(connection.js.delete_stream(stream))
    connection.close()


def archived(worker: Worker, session: str, *, speech: str = "Good morning.") -> None:
    """A session that was rehearsed on this worker, has ended and been archived to the common place."""
    ended(worker.home, session, "satisfied", speech=speech)
    worker.shelf.put(session)


def elsewhere(worker: Worker, session: str) -> None:
    """A session that has ended, and was archived where the cluster does not look."""
    own = worker.home.root / "greenroom.yaml"
    common = own.read_text()
    own.write_text("")
    ended(Home.open(worker.home.root), session, "unjudged", presenter="Tomas Vale")
    own.write_text(common)


def same(workers: list[Worker], path: str, **params: str) -> bytes:
    """What all workers answer, once they do, byte for byte."""

    def is_same() -> bool:
        return len({one.ask(path, **params) for one in workers}) == 1

    until(f"the same answer from each to {path}", is_same)
    return workers[0].ask(path, **params)


def asked(session: Session) -> None:
    """A question that was put and answered."""
    session.ask("analyst", question="Leading by which measure?", quote=LEADING)
    session.take_answer("By passengers.")
    session.judge("satisfied", reason="it names the count")


def have(workers: list[Worker], *names: str) -> None:
    """Wait until all workers list these sessions, in this order."""
    until(f"{names} on each", lambda: all(one.names() == list(names) for one in workers))


def one_file(workers: list[Worker], session: str, name: str) -> None:
    """Wait until a file beside a session is the same on all disks, and is there."""
    until(name, lambda: len({one.file(session, name) for one in workers}) == 1)
    assert workers[0].file(session, name), name


# ---------------------------------------------------------------------- lists


def test_every_worker_lists_the_same_sessions(cluster: Cluster) -> None:
    """One live, one archived, one archived elsewhere, on two disks: byte for byte from each of three."""
    a, b, c = (cluster.worker(name) for name in "abc")
    begun(a.home, "live", presenter="Ines Kroll").close()
    archived(b, "kept")
    elsewhere(b, "over")
    workers = [a, b, c]
    have(workers, "live", "kept", "over")
    api = same(workers, "/api/v1/sessions")
    assert api.count(b'"archive":null') == 1
    assert str(cluster.archives / "kept").encode() in api
    for path, shown in (
        ("/", b"Ines Kroll"),
        ("/review", b"Tomas Vale"),
        ("/review/progress", b"Tomas Vale"),
    ):
        assert shown in same(workers, path)
    c.ask("/review/kept")  # which verifies the archive
    assert b"verified" in same(workers, "/review")
    assert b"not verified yet" not in same(workers, "/review", q="kept")


def test_two_servers_are_asked_by_http(cluster: Cluster) -> None:
    """Two web applications over two homes, each at an address of its own."""
    a, b = cluster.worker("a"), cluster.worker("b")
    begun(a.home, "live").close()
    archived(b, "kept")
    with served_here(a.site) as at_a, served_here(b.site) as at_b, httpx2.Client(timeout=30) as client:

        def lists() -> list[bytes]:
            return [client.get(f"{at}/api/v1/sessions").content for at in (at_a, at_b)]

        until("both sessions from both", lambda: all(b"live" in one and b"kept" in one for one in lists()))
        assert len(set(lists())) == 1
        remark = {"author": "Dana", "text": "Say the count first."}
        assert client.post(f"{at_a}/api/v1/sessions/kept/comments", json=remark).status_code == 201
        there = f"{at_b}/api/v1/sessions/kept/comments"
        until("the comment on the other", lambda: "Say the count first." in client.get(there).text)
        assert "Say the count first." in client.get(f"{at_a}/review/kept").text


def test_a_session_that_goes_on_is_listed_as_it_is_by_everybody(cluster: Cluster) -> None:
    """Its row follows the ledger: the question that was put is counted by a worker without the folder."""
    a, b = cluster.worker("a"), cluster.worker("b")
    session = begun(a.home, "live")
    have([a, b], "live")
    assert b.listed()["sessions"][0]["exchanges"] == 0
    asked(session)
    until("the question", lambda: b.listed()["sessions"][0]["exchanges"] == 1)
    session.end()
    session.close()
    until("its end", lambda: b.listed()["sessions"][0]["state"] == "ended")
    until("its archive", lambda: b.listed()["sessions"][0]["archive"] == str(cluster.archives / "live"))


def test_a_row_holds_no_words_but_the_catalogues(cluster: Cluster) -> None:
    """What was said stays on the worker's disk and in the log until the archive has it."""
    a = cluster.worker("a")
    begun(a.home, "live", speech="Zanzibarium is what we mean.").close()
    a.shelf.put("live")
    row = a.shelf.rows["live"]
    assert "Zanzibarium" not in row.to_bytes().decode()
    assert "Where we stand" in row.to_bytes().decode()
    assert b"Zanzibarium" in (a.home.sessions / "live/ledger/ledger.jsonl").read_bytes()


def test_a_search_finds_the_same_from_each(cluster: Cluster) -> None:
    """An archived session by its words; one that goes on by its title, and it is said that it was not
    searched."""
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "kept", speech="The harbour is deep.")
    begun(a.home, "live", speech="The harbour is wide.").close()
    have([a, b], "kept", "live")
    found = json.loads(same([a, b], "/api/v1/sessions", search="harbour is"))
    assert [one["session"] for one in found["sessions"]] == ["kept"]
    assert found["not_searched"] == ["live"]
    assert [one["session"] for one in b.listed(search="ines kroll")["sessions"]] == ["kept", "live"]
    page = same([a, b], "/review", q="harbour")
    assert b"/review/kept" in page
    assert b"/review/live" not in page
    assert b"/review/live" in same([a, b], "/review", q="live")


# ---------------------------------------------------------------------- whose folder counts


def test_the_owner_s_row_goes_before_a_stale_folder(cluster: Cluster) -> None:
    """A worker that was superseded lists the session as its new owner has it, and cannot put its own row."""
    a, b = cluster.worker("a"), cluster.worker("b")
    a.epochs["talk"] = 1
    begun(a.home, "talk").close()
    a.shelf.put("talk")
    shutil.copytree(a.home.sessions / "talk", b.home.sessions / "talk", symlinks=True)
    b.epochs["talk"] = 2
    with Session.open(b.home, b.home.sessions / "talk") as session:
        asked(session)
    until("the new owner's row", lambda: a.shelf.rows["talk"].worker == "b")
    assert a.shelf.place("talk") is Place.ELSEWHERE
    with Session.open(a.home, a.home.sessions / "talk") as stale:
        stale.slide(2)
    a.shelf.put("talk")
    assert json.loads(same([a, b], "/api/v1/sessions"))["sessions"][0]["exchanges"] == 1
    assert a.names() == ["talk"]
    assert a.shelf.rows["talk"].worker == "b"


def test_an_ended_session_is_opened_from_the_archive(cluster: Cluster) -> None:
    """By a worker that has no folder of it, and by one whose folder is stale; its pages and the API."""
    a, b, c = (cluster.worker(name) for name in "abc")
    begun(b.home, "kept").close()
    shutil.copytree(b.home.sessions / "kept", a.home.sessions / "kept", symlinks=True)
    a.epochs["kept"] = 1
    with Session.open(a.home, a.home.sessions / "kept") as session:
        asked(session)
        session.end()
    a.shelf.put("kept")
    archived(a, "other")
    del a.epochs["kept"]
    until("its archive", lambda: all(one.shelf.rows["kept"].archive for one in (b, c)))
    assert (a.shelf.place("kept"), b.shelf.place("kept")) == (Place.HERE, Place.ARCHIVE)
    for path in ("/review/kept", "/debrief/kept"):
        for worker in (a, b, c):
            assert b"Leading by which measure?" in worker.ask(path), (path, worker.name)
    assert b"By passengers." in c.ask("/review/kept")
    assert b"/review/other" in same([a, b, c], "/review/compare?a=kept&b=other")
    wholes = [json.loads(one.ask("/api/v1/sessions/kept")) for one in (a, b, c)]
    for whole in wholes:
        del whole["path"]  # of a disk of its own
    assert wholes[0] == wholes[1] == wholes[2]


def test_one_that_lies_elsewhere_alone_is_not_made_up(cluster: Cluster) -> None:
    """It is said which worker has it."""
    a, b = cluster.worker("a"), cluster.worker("b")
    begun(a.home, "live").close()
    have([a, b], "live")
    answer = b.client.get("/api/v1/sessions/live")
    assert answer.status_code == 502
    assert "disk of the worker a" in answer.json()["detail"]


# ---------------------------------------------------------------------- beside sessions


def test_comments_stand_on_all_disks_in_one_order(cluster: Cluster) -> None:
    """Written by two workers at once, they come out the same to the byte; so do verdict, title and
    register."""
    a, b, c = (cluster.worker(name) for name in "abc")
    archived(a, "kept")
    have([a, b, c], "kept")
    until("the archive", lambda: all(one.shelf.rows["kept"].archive for one in (a, b, c)))
    with ThreadPoolExecutor(2) as pool:
        for worker in (a, b):
            pool.submit(worker.say_all, "kept", [f"{worker.name}{n}" for n in range(8)])
    until("sixteen on each", lambda: all(len(one.said("kept")) == 16 for one in (a, b, c)))
    until("one order", lambda: len({tuple(one.said("kept")) for one in (a, b, c)}) == 1)
    assert [text for text in c.said("kept") if text[0] == "a"] == [f"a{n}" for n in range(8)]
    verdict = {"exchange": "x1", "verdict": "partly", "by": "Dana"}
    answer = c.client.post("/api/v1/sessions/kept/judge", json=verdict)
    assert answer.status_code == 200, answer.text
    for worker in (a, b, c):
        until("the verdict", partial(worker.shows, "kept", b'"verdict":"partly"'))
    assert b.client.put("/api/v1/sessions/kept/title", json={"title": "The dry run"}).status_code == 200
    for name in ("comments.jsonl", "verdicts.jsonl", "archives.jsonl", "begun.jsonl", "title.json"):
        one_file([a, b, c], "kept", name)
    assert kept_archives(c.home, "kept") == kept_archives(a.home, "kept")
    assert b"The dry run" in same([a, b, c], "/api/v1/sessions")


def test_a_comment_is_on_the_servers_when_it_is_answered(cluster: Cluster) -> None:
    """A worker that is opened right behind the answer has it, without waiting."""
    a = cluster.worker("a")
    archived(a, "kept")
    a.say("kept", "Say the count first.")
    assert cluster.worker("b").said("kept") == ["Say the count first."]


def test_a_worker_that_was_away_catches_up_when_it_opens(cluster: Cluster) -> None:
    """Also with what was written into its own home meanwhile, which the others get."""
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "kept")
    a.say("kept", "one")
    until("one", lambda: b.said("kept") == ["one"])
    a.client.put("/api/v1/sessions/kept/title", json={"title": "First"})
    until("the title", lambda: b.file("kept", "title.json"))
    home = b.home
    cluster.stop("b")
    Comments(home.records).add("kept", "Dana", "three")
    a.say("kept", "two")
    a.client.put("/api/v1/sessions/kept/title", json={"title": "Second"})
    archived(a, "more")
    b = cluster.worker("b")
    assert b.said("kept") == ["one", "two", "three"]
    assert b.names() == ["kept", "more"]
    until("three", lambda: a.said("kept") == ["one", "two", "three"])
    same([a, b], "/api/v1/sessions")
    assert b"Second" in b.ask("/api/v1/sessions")


def test_a_line_that_is_none_of_ours_stays_where_it_is(cluster: Cluster) -> None:
    """It is not sent, and what comes is written before it."""
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "kept")
    path = b.home.records / "kept" / "dismissed.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'no json\n{"torn')
    note_dismissed(a.home, "kept", "c1", "d" * 64)
    until("the line", lambda: path.read_bytes().count(b"\n") == 2)
    assert path.read_bytes().endswith(b'no json\n{"torn')
    assert b"no json" not in a.file("kept", "dismissed.jsonl")


# ---------------------------------------------------------------------- erased


def test_what_is_erased_is_gone_everywhere(cluster: Cluster) -> None:
    """From lists, disks and servers; a worker that was away erases it when it comes back."""
    a, b, c = (cluster.worker(name) for name in "abc")
    archived(a, "gone", speech="Quillonia is what we mean.")
    have([a, b, c], "gone")
    shutil.copytree(a.home.sessions / "gone", c.home.sessions / "gone", symlinks=True)
    a.say("gone", "Vexleyan nonsense.")
    until("the comment", lambda: b.said("gone") and c.said("gone"))
    assert on_servers(cluster, b"Vexleyan")
    assert on_servers(cluster, b"Leading by which measure?")
    away = c.home
    cluster.stop("c")
    answer = b.client.delete("/api/v1/sessions/gone", params={"archives": True})
    assert answer.status_code == 200, answer.text
    have([a, b])
    until("the folder", lambda: not (a.home.sessions / "gone").exists())
    until("what lies beside it", lambda: not (a.home.records / "gone").exists())
    assert not (cluster.archives / "gone").exists()
    assert (away.sessions / "gone").exists()
    c = cluster.worker("c")
    assert c.names() == []
    for home in (a.home, b.home, c.home):
        assert not (home.sessions / "gone").exists()
        assert not (home.records / "gone").exists()
        assert of_home(home).search("quillonia") == []
    same([a, b, c], "/review")
    assert not on_servers(cluster, b"Vexleyan")
    assert not on_servers(cluster, b"Leading by which measure?")


def test_an_archive_that_is_not_erased_stays_to_be_reviewed(cluster: Cluster) -> None:
    """As with one server: the home lists the session no more, and the review shows its archive. Asked of a
    worker without a folder of it."""
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "kept")
    have([a, b], "kept")
    until("its archive", lambda: b.shelf.rows["kept"].archive)
    erased: dict[str, str] = {}
    for worker in (a, b):
        worker.shelf.on_erased.append(partial(erased.setdefault, worker.name))
    assert b.client.delete("/api/v1/sessions/kept").status_code == 200
    have([a, b])
    until("the folder", lambda: not (a.home.sessions / "kept").exists())
    assert erased == {"a": "kept", "b": "kept"}
    for worker in (a, b):
        until("the archive in the review", partial(worker.reviews, "kept"))
        assert b"Where we stand" in worker.ask("/review/kept")


def test_one_that_is_begun_under_an_erased_name_stays(cluster: Cluster) -> None:
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "again")
    have([a, b], "again")
    assert a.client.delete("/api/v1/sessions/again", params={"archives": True}).status_code == 200
    have([a, b])
    begun(b.home, "again").close()
    have([a, b], "again")
    cluster.stop("b")
    assert cluster.worker("b").names() == ["again"]


def on_servers(cluster: Cluster, words: bytes) -> bool:
    """Whether these words stand in any file of the server."""
    folder = cluster.running.all[0].folder / "data"
    return any(words in path.read_bytes() for path in folder.rglob("*") if path.is_file())


# ---------------------------------------------------------------------- servers away


# The library drops the connection of a server that stands still without closing it.
@pytest.mark.filterwarnings("ignore:unclosed <StreamWriter:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_with_the_servers_away_lists_answer_and_say_so(cluster: Cluster) -> None:
    """With what is known; a comment is taken, and shared once they are back."""
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "kept")
    have([a, b], "kept")
    until("the archive", lambda: b.shelf.rows["kept"].archive)
    assert "may_be_old" not in b.listed()
    cluster.running.kill("n1", signal.SIGSTOP)
    try:
        until("that it may be old", lambda: "may_be_old" in b.listed())
        assert "have not answered" in b.listed()["may_be_old"]
        assert b.names() == ["kept"]
        assert b"may be old" in b.ask("/review")
        assert b"may be old" in b.ask("/")
        b.say("kept", "Said meanwhile.")
        assert b.said("kept") == ["Said meanwhile."]
        assert a.said("kept") == []
    finally:
        cluster.running.kill("n1", signal.SIGCONT)
    until("the comment", lambda: a.said("kept") == ["Said meanwhile."])
    until("no word of it", lambda: "may_be_old" not in b.listed())


def test_what_the_servers_lost_is_told_again(cluster: Cluster) -> None:
    """Rows and what lies beside sessions come back from the workers' disks, once each."""
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "kept")
    begun(b.home, "live").close()
    a.say("kept", "one")
    until("all", lambda: b.said("kept") == ["one"])
    have([a, b], "kept", "live")
    for stream in (STREAM, RECORDS):
        a.connection.run(a.connection.js.delete_stream(stream))
    a.shelf.set_up()
    b.say("kept", "two")
    until("two", lambda: sorted(a.said("kept")) == ["one", "two"])
    c = cluster.worker("c")
    have([a, b, c], "kept", "live")
    until("both", lambda: all(sorted(one.said("kept")) == ["one", "two"] for one in (a, b, c)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unclosed <StreamWriter:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_each_of_three_servers_may_die(tmp_path: Path) -> None:
    """One after the other: lists and comments go on, in one order, and nothing is lost or there twice."""
    with servers(tmp_path, 3) as running:
        (tmp_path / "homes").mkdir()
        cluster = Cluster(running, tmp_path / "homes")
        try:
            a, b = cluster.worker("a"), cluster.worker("b")
            archived(a, "kept")
            have([a, b], "kept")
            for one in running.all:
                running.kill(one.name)
                a.say("kept", f"without {one.name}")
                begun(b.home, f"without-{one.name}").close()
                until("the session", partial(a.reviews, f"without-{one.name}"))
                until("the comment", partial(b.has_said, "kept", f"without {one.name}"))
                running.start_one(one.name)
                until("all three", lambda: "may_be_old" not in a.listed())
            told = [f"without {one.name}" for one in running.all]
            assert a.said("kept") == b.said("kept") == told
            same([a, b], "/api/v1/sessions")
        finally:
            cluster.close()


def test_a_file_that_cannot_be_written_keeps_no_other_from_it(cluster: Cluster) -> None:
    """It is written once it can be; what the disk refuses is said meanwhile."""
    a, b = cluster.worker("a"), cluster.worker("b")
    archived(a, "kept")
    until("the register", lambda: b.file("kept", "archives.jsonl"))
    in_the_way = b.home.records / "kept" / "comments.jsonl"
    in_the_way.mkdir()
    a.say("kept", "one")
    note_dismissed(a.home, "kept", "c1", "d" * 64)
    until("the other file", lambda: b.file("kept", "dismissed.jsonl"))
    until("that it is said", lambda: b.shelf.why is not None)
    in_the_way.rmdir()
    until("the comment", lambda: b.said("kept") == ["one"])


# ---------------------------------------------------------------------- rules

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e"]), unique=True)
ROWS = st.builds(
    lambda worker, epoch, archive, head: SharedRow(
        "s", worker, epoch, Entry("s", head=head), {"session": "s"}, archive=archive
    ),
    st.sampled_from("ab"),
    st.integers(0, 3),
    st.sampled_from(["", "there/s"]),
    st.sampled_from(["h1", "h2"]),
)


@given(LINES, LINES)
def test_merging_loses_nothing_and_keeps_the_streams_order(here: list[bytes], told: list[bytes]) -> None:
    found = merged(here, told)
    assert found[: len(told)] == told
    assert found[len(told) :] == [line for line in here if line not in told]
    assert merged(found, told) == found


@given(LINES, LINES, LINES)
def test_two_disks_are_the_same_once_all_was_told(
    one: list[bytes], other: list[bytes], told: list[bytes]
) -> None:
    """Whatever each had, and in whatever order: both send what only they have, and hear it in one order."""
    sent_by_both = list(dict.fromkeys([*told, *merged(one, told), *merged(other, told)]))
    assert merged(one, sent_by_both) == merged(other, sent_by_both) == sent_by_both


@given(st.lists(ROWS, min_size=1))
def test_the_latest_owner_s_row_stands_whoever_comes_first(rows: list[SharedRow]) -> None:
    """Of the rows of all workers, in any order, one of the highest epoch; of that epoch an archived one."""
    stands: SharedRow | None = None
    for row in rows:
        stands = row if goes_first(row, stands) else stands
    assert stands is not None
    latest = [row for row in rows if row.epoch == max(one.epoch for one in rows)]
    assert stands in latest
    assert bool(stands.archive) == any(row.archive for row in latest)


@given(st.lists(ROWS, min_size=1), st.sampled_from("ab"), st.sampled_from([None, "h1", "h2"]))
def test_a_folder_is_read_by_its_owner_or_where_it_is_what_was_archived(
    rows: list[SharedRow], worker: str, head: str | None
) -> None:
    row = rows[0]
    place = place_of(row, worker, None, lambda: head)
    assert (place is Place.ELSEWHERE) == (not row.archive and (row.worker != worker or head is None))
    assert (place is Place.ARCHIVE) == (bool(row.archive) and head != row.entry.head)
    assert place_of(row, worker, row.epoch, lambda: head) is Place.HERE
    assert place_of(None, worker, None, lambda: head) is Place.HERE


@given(ROWS)
def test_a_row_is_read_as_it_was_sent(row: SharedRow) -> None:
    assert SharedRow.of(row.to_bytes()) == row


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"null", b'{"version": 2}', b'{"version": 1, "session": "s"}', b"\xff", b"[" * 9999],
)
def test_a_row_of_another_release_is_not_shown(content: bytes) -> None:
    assert SharedRow.of(content) is None
