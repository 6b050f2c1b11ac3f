"""`serve --workers 2`: processes die, freeze and come back, and a rehearsal goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import sleep
from typing import Any

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from orchestrator.cluster.claims import MAX_TRIES
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.cluster.front.processes import GUARD, NATS, all_of, children, driver, gone, send
from tests.helpers.homes import new_home
from tests.helpers.live_feeds import until
from tests.helpers.rehearsals import DECK, greenroom
from tests.web.browser import Web
from tests.web.conftest import ROOT, Serve, Served
from tests.web.test_rehearsal import asked, in_room, say, started, view_of

pytestmark = pytest.mark.slow  # real servers, each of four processes

WATCH = """() => {
  const { dataset } = document.getElementById("room");
  new MutationObserver(() => {
    if (dataset.connected === "no") dataset.wasCutOff = "";
  }).observe(document.getElementById("room"), { attributes: true, attributeFilter: ["data-connected"] });
}"""
"""Marks a page that has said that it is cut off."""


def in_question(served: Served, session: str = "s1") -> dict[str, Any]:
    """The room of a session that is driven, in the middle of a question."""
    with served.client() as client:
        client.post("/api/v1/sessions", json={"deck_text": DECK, "id": session})
        client.post(f"/api/v1/sessions/{session}/drive")
        view: dict[str, Any] = client.post(f"/api/v1/sessions/{session}/ask", json={}).json()
    assert view["question"] is not None
    return view


def two_without(served: Served, dead: int) -> None:
    """Wait until two workers run, without one that was killed."""
    until("two workers", lambda: len(set(children(served.process.pid)) - {dead}) == 2)


def is_driven(served: Served, session: str) -> bool:
    return bool(view_of(served, session)["is_driven_here"])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_page_goes_on_in_the_middle_of_a_question_when_its_worker_is_killed_or_frozen(
    serve: Serve, web: Web, how: signal.Signals
) -> None:
    """Nobody presses anything; the question stands, and the answer is taken by another process."""
    served = serve()
    session = started(served)
    page = in_room(web.window().new_page(), served, session)
    page.keyboard.press("Space")
    say(page, "We are the leading ferry operator on the estuary.")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    question = asked(page)
    page.fill("#words", "By passengers, in the harbour")
    before = driver(served.home, session)
    web.forgive(r"ERR_(CONNECTION|INCOMPLETE|EMPTY)|503")
    page.evaluate(WATCH)  # it lasts half a second, at times
    send(before, how)
    page.wait_for_selector("[data-was-cut-off][data-connected=yes]")
    page.wait_for_selector("#pause:not([hidden])")
    assert driver(served.home, session) != before
    gone([before])
    assert page.inner_text("#question-text") == question
    assert page.input_value("#words") == "By passengers, in the harbour"
    say(page, "By passengers, in the harbour authority's count of 2026.")
    until("a verdict", lambda: (view_of(served, session)["question"] or {}).get("text") != question)
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.click("#ending-yes")
    page.wait_for_url(f"**/debrief/{session}")
    assert greenroom(served.home, "verify", session).returncode == 0


def test_another_worker_takes_over_without_a_page(serve: Serve) -> None:
    """The parent sees the death; nobody has to ask."""
    served = serve()
    in_question(served)
    before = driver(served.home, "s1")
    send(before, signal.SIGKILL)
    until("another driver", lambda: driver(served.home, "s1") != before)
    with served.client() as client:
        told = client.post("/api/v1/sessions/s1/answer", json={"text": "It is audited revenue of 2026."})
    assert told.status_code == 200
    assert told.json()["is_driven_here"]


def test_a_rehearsal_that_was_paused_stays_paused(serve: Serve) -> None:
    served = serve()
    in_question(served)
    before = driver(served.home, "s1")
    with served.client() as client:
        assert not client.post("/api/v1/sessions/s1/pause").json()["is_driven_here"]
        send(before, signal.SIGKILL)
        until("a new worker", lambda: len(children(served.process.pid)) == 2)
        view = client.get("/api/v1/sessions/s1/room").json()
        assert (view["is_driven_here"], view["question"] is not None) == (False, True)
        assert client.post("/api/v1/sessions/s1/drive").json()["is_driven_here"]


def test_a_worker_that_died_is_started_again_and_takes_sessions(serve: Serve) -> None:
    served = serve()
    first = children(served.process.pid)
    for pid in first:  # one after the other: of two workers, none of the first is left
        send(pid, signal.SIGKILL)
        two_without(served, pid)
    assert not set(first) & set(children(served.process.pid))
    in_question(served)
    assert driver(served.home, "s1") in children(served.process.pid)


def test_sessions_are_shared_out_and_each_has_one_driver(serve: Serve) -> None:
    served = serve()
    names = [f"s{number}" for number in range(8)]
    for name in names:
        in_question(served, name)
    drivers = {name: driver(served.home, name) for name in names}
    assert set(drivers.values()) == set(children(served.process.pid))
    for name in names:
        assert is_driven(served, name)


def test_a_deck_that_one_worker_read_is_rehearsed_by_another(serve: Serve) -> None:
    """All workers are replaced between the drop and the start; what was said of the deck is the same."""
    served = serve()
    with served.client() as client:
        read = client.post("/api/v1/decks", files={"deck": ("plan.md", DECK.encode())}).json()
        speech = "Ada: Revenue grew eighteen percent to 4.2 million euros.\n"
        talk = client.post("/api/v1/materials/speech", files={"file": ("talk.txt", speech.encode())}).json()
        first = children(served.process.pid)
        assert len(first) == 2
        for pid in first:
            send(pid, signal.SIGKILL)
            two_without(served, pid)
        assert client.get(f"/api/v1/decks/{read['deck']}").json() == read
        assert client.get(f"/api/v1/materials/kept/{talk['material']}").json() == talk
        begun = client.post(
            "/api/v1/sessions", json={"deck": read["deck"], "speech": talk["material"], "id": "s1"}
        )
        assert begun.status_code == 201, begun.text
    with Session.open(Home.open(served.home), "s1") as session:
        assert session.rehearsal.scene().deck.sha256 == read["deck"]


def test_what_was_dropped_is_for_its_user_alone_and_gone_with_the_server(serve: Serve) -> None:
    served = serve()
    with served.client() as client:
        client.post("/api/v1/decks", files={"deck": ("plan.md", DECK.encode())})
    dropped = served.home / "dropped"
    files = [one for one in dropped.rglob("*") if one.is_file()]
    assert [one.name for one in files if one.suffix == ".md"] == ["plan.md"]
    for one in (dropped, *dropped.iterdir(), *(file for file in files if file.parent.parent == dropped)):
        assert one.stat().st_mode & 0o077 == 0
    served.process.send_signal(signal.SIGINT)
    served.process.wait(30)
    assert not dropped.exists()


def test_what_a_killed_server_left_is_removed_by_the_next(serve: Serve) -> None:
    served = serve()
    with served.client() as client:
        client.post("/api/v1/decks", files={"deck": ("plan.md", DECK.encode())})
    workers = all_of(served)
    assert len(workers) == 4
    (left,) = (served.home / "dropped").iterdir()
    served.process.kill()
    gone(workers)
    assert left.is_dir()
    serve(served.home)
    assert not left.exists()


def test_ctrl_c_ends_all_and_leaves_the_session_paused(serve: Serve) -> None:
    served = serve()
    in_question(served)
    workers = all_of(served)
    assert len(workers) == 4
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(30) == 0
    gone(workers)
    assert served.process.stdout is not None
    assert served.process.stdout.read() == ""  # the address was all that was printed
    with Session.open(Home.open(served.home), "s1") as session:
        assert session.projection.clock.live_since is None
        assert session.state == "active"


def test_the_workers_end_with_a_parent_that_is_killed(serve: Serve) -> None:
    """None goes on alone, and each pauses what it drives."""
    served = serve()
    in_question(served)
    workers = all_of(served)
    assert len(workers) == 4
    served.process.kill()
    served.process.wait()
    gone(workers)
    with Session.open(Home.open(served.home), "s1") as session:
        assert session.projection.clock.live_since is None


def test_sigterm_is_said_as_with_one_process(tmp_path: Path) -> None:
    home = new_home(tmp_path / "home")
    command = ["--home", str(home), "serve", "--port", "0", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "orchestrator.cli", *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 143
    assert told == "greenroom: stopped; sessions that were open are paused; go on with `greenroom serve`\n"


@pytest.mark.parametrize("number", ["0", "65", "two"])
def test_a_number_of_workers_that_is_none_is_refused(tmp_path: Path, number: str) -> None:
    home = new_home(tmp_path / "home")
    told = greenroom(home, "serve", "--port", "0", "--workers", number, check=False)
    assert told.returncode == 2
    assert told.stderr == f"greenroom: --workers {number!r}: give a whole number from 1 to 64\n"


def test_the_stream_of_a_page_ends_with_its_worker_and_goes_on_at_the_next(serve: Serve) -> None:
    """Cut off in the middle, as the browser sees a broken connection; asked again with its last id."""
    served = serve()
    in_question(served)
    last, cut = "", False
    with served.client() as client:
        with client.stream("GET", "/api/v1/sessions/s1/room/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            try:
                for line in stream.iter_lines():
                    if line.startswith("id: "):
                        last = line.removeprefix("id: ")
                        send(driver(served.home, "s1"), signal.SIGKILL)
            except httpx2.RemoteProtocolError:
                cut = True
        assert cut
        headers = {"last-event-id": last}
        with client.stream("GET", "/api/v1/sessions/s1/room/events", headers=headers) as stream:
            assert stream.status_code == 200
            data = next(line for line in stream.iter_lines() if line.startswith("data: {"))
    assert json.loads(data.removeprefix("data: "))["seq"] >= int(last)


def test_a_body_of_60_megabytes_passes_and_one_more_is_refused_by_the_same_limit(serve: Serve) -> None:
    """The front holds no whole body; what a worker refuses is refused in its words."""
    served = serve()
    parent = served.process.pid
    before = peak_kb(parent)
    with served.client() as client:
        large = client.post("/api/v1/decks", files={"deck": ("plan.md", b"# Plan\n" + bytes(59_000_000))})
        larger = client.post("/api/v1/decks", files={"deck": ("plan.md", bytes(60_000_001))})
    assert large.status_code == 422
    assert larger.status_code == 413
    assert "60 MB" in larger.json()["detail"]
    assert peak_kb(parent) - before < 30_000  # far less than the body


def peak_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status")
    if not status.is_file():
        pytest.skip("NOT TESTED: this system does not say how much memory a process took")
    line = next(one for one in status.read_text("utf-8").splitlines() if one.startswith("VmHWM"))
    return int(line.split()[1])


def closing_code(microphone: ClientConnection) -> int | None:
    """The code by which the server closes it."""
    try:
        while True:
            microphone.recv(timeout=20)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else None


def test_a_microphone_is_closed_by_its_code_when_its_worker_dies_and_opens_at_the_next(serve: Serve) -> None:
    """1012 says that the server restarts; the page says what may be lost, and connects by itself."""
    served = serve()
    in_question(served)
    address = f"{served.url.replace('http', 'ws', 1)}/api/v1/sessions/s1/microphone"
    with served.client() as client:
        can_hear = client.get("/api/v1/speech").json()
    if not can_hear.get("recognises", True):
        pytest.skip("NOT TESTED: no speech recognition is installed")
    frame = bytes(3200)
    with connect(address, open_timeout=60) as microphone:
        microphone.send(frame)
        send(driver(served.home, "s1"), signal.SIGKILL)
        assert closing_code(microphone) == 1012
    with connect(address, open_timeout=60) as microphone:
        microphone.send(frame)
        with pytest.raises(TimeoutError):
            microphone.recv(timeout=1)  # silence says nothing, and nobody closes it


def test_many_requests_while_workers_die_are_each_answered_once(serve: Serve) -> None:
    """Words with an id of their own: none is lost, none stands twice."""
    served = serve()
    in_question(served)
    failed: list[int] = []
    number = 60

    def speak() -> None:
        with served.client() as client:
            for one in range(number):
                piece = {"text": f"This is sentence number {one}.", "id": f"p{one}"}
                headers = {"idempotency-key": f"k{one}"}
                told = client.post("/api/v1/sessions/s1/segments", json=piece, headers=headers)
                if told.status_code != 200:
                    failed.append(told.status_code)

    speaking = threading.Thread(target=speak)
    speaking.start()
    for _ in range(MAX_TRIES - 1):  # one more in a row, and the session is taken for what ends its workers
        sleep(1)
        send(driver(served.home, "s1"), signal.SIGKILL)
        until("two workers", lambda: len(children(served.process.pid)) == 2)
    speaking.join()
    assert failed == []
    with Session.open(Home.open(served.home), "s1") as session:
        said = [one.text for one in session.projection.segments]
    assert [one for one in said if one.startswith("This is sentence")] == [
        f"This is sentence number {one}." for one in range(number)
    ]
    assert greenroom(served.home, "verify", "s1").returncode == 0


def test_a_nats_server_that_dies_is_started_again(serve: Serve) -> None:
    """The one process that everything passes through."""
    served = serve()
    in_question(served)
    (before,) = children(served.process.pid, NATS)
    send(before, signal.SIGKILL)
    until("another one", lambda: [before] != children(served.process.pid, NATS) != [])
    with served.client() as client:
        until("an answer", lambda: client.get("/api/v1/sessions/s1/room").status_code == 200)
        told = client.post("/api/v1/sessions/s1/answer", json={"text": "It is audited revenue of 2026."})
    assert told.status_code == 200


def test_what_is_changed_by_hand_is_put_back_also_after_the_guard_was_killed(serve: Serve) -> None:
    """It is a process of its own, since it looks at every write of all workers."""
    served = serve()
    in_question(served)
    for _ in range(2):
        (guard,) = children(served.process.pid, GUARD)
        put_back(next((served.home / "sessions" / "s1").rglob("generated-phrases.md")))
        send(guard, signal.SIGKILL)
        another(served, guard)


def put_back(file: Path) -> None:
    """Change a file by hand, and wait until it is as it was."""
    whole = file.read_bytes()
    assert whole
    file.write_bytes(b"changed by hand\n")
    until("the file as it was", lambda: file.read_bytes().startswith(whole))


def another(served: Served, guard: int) -> None:
    until("another guard", lambda: children(served.process.pid, GUARD) not in ([], [guard]))
