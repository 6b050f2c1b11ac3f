"""`greenroom cluster demo`: a cluster on this machine, of which one worker is killed in a rehearsal.

Three servers, three workers and a front, each a process of its own as anywhere else, on loopback and in a
temporary folder. This process only starts them, speaks for the presenter until the first question, and kills
the worker that drives the rehearsal. Nothing stays, however it ends (`leftovers`).

Source: cluster.md, "Order", 5.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any, Final, cast
from urllib.parse import parse_qs, quote, urlsplit
from uuid import uuid4

from httpx2 import HTTPError

from orchestrator.cluster import leftovers
from orchestrator.cluster.server import Servers, end_with_parent
from orchestrator.core.errors import OutboundError, StoreWriteError
from orchestrator.core.legible import counted
from orchestrator.core.outbound.client import client
from orchestrator.panel.home import set_up

Say = Callable[[dict[str, Any], str], None]

WORKERS: Final = ("worker-1", "worker-2", "worker-3")
PRESENTER: Final = "Dana Whitfield"
TALK: Final = (
    "Thank you, and good morning. I run operations here at Fennmark Cold Chain.",
    "I want to talk about a second hub, at Saltmere, and about the money to build it.",
    "We carry chilled food and medicines for a hundred and sixty-four customers.",
)
"""What is said before the first question, from the bundled deck's recorded talk."""
ANSWER: Final = (
    "Two of our largest customers have read the plan and asked for the same routes. Nobody outside has "
    "checked the figures yet; our auditors do so by 15 January."
)
"""What is answered with `--play`."""
SENTENCE_S: Final = 1.5
"""Seconds between two sentences of the talk, so that one can watch them come in."""
WATCHED_S: Final = 20.0
"""Seconds for which the question stands before the kill, where nobody can press Enter."""
PLAYED_S: Final = 2.0
"""The same with `--play`, where nobody watches."""
UP_WITHIN_S: Final = 60.0
"""Seconds within which all processes are there; on two busy cores it took 16."""
TAKEN_WITHIN_S: Final = 30.0
"""Seconds within which another worker has the rehearsal (cluster.md: 15 s at most)."""
_ASK_WITHIN_S: Final = 30.0
_LOOK_S: Final = 0.1


@dataclass
class _Child:
    """A process that was started here, and the file with what it said."""

    name: str
    process: subprocess.Popen[bytes]
    output: Path

    def said(self) -> str:
        """Return what it has printed so far."""
        return self.output.read_text("utf-8", "replace")


class Stage:
    """The processes and the folder of one demonstration. Used by the main thread alone."""

    def __init__(self, folder: Path, cleaner: IO[str]) -> None:
        """Prepare the processes in *folder*; their ids are written to *cleaner*."""
        self._folder = folder
        self._cleaner = cleaner
        self._servers = Servers(folder / "servers", 3)
        self._children: dict[str, _Child] = {}
        self.address = ""

    def start(self) -> None:
        """Start everything, and wait until it answers.

        Raises:
            NotInstalledError: There is no nats-server.
            StoreWriteError: A process ended at once, or all together took too long.
        """
        for name in ("archives", "tmp"):
            (self._folder / name).mkdir()
        self._servers.start()
        for pid in self._servers.pids:
            self._tell("+", pid)
        # While the servers elect their first leader, the others import what they need.
        for name in WORKERS:
            self.begin_worker(name)
        self._begin("front", "front", "--port", "0")
        until = monotonic() + UP_WITHIN_S
        while not self._is_up():
            if monotonic() > until:
                raise StoreWriteError(
                    f"the processes of the demonstration were not there within {UP_WITHIN_S:g} s: try again "
                    "where less runs beside it"
                )
            sleep(_LOOK_S)

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which a command reaches this cluster, and nobody's own settings."""
        servers = self._servers.cluster
        own = {
            "GREENROOM_CLUSTER_SERVERS": ",".join(servers.servers),
            "GREENROOM_CLUSTER_TOKEN": str(servers.token),
            "GREENROOM_CLUSTER_COPIES": str(servers.copies),
            "GREENROOM_ARCHIVE": str(self._folder / "archives"),
            "TMPDIR": str(self._folder / "tmp"),  # what a killed worker leaves there goes with the rest
        }
        others = {key: value for key, value in os.environ.items() if not key.startswith("GREENROOM_")}
        return {**others, **own}

    def begin_worker(self, name: str) -> None:
        """Start a worker; it is there once `is_ready` says so."""
        self._begin(name, "worker", "--name", name)

    def is_ready(self, name: str) -> bool:
        """Return whether a worker takes sessions."""
        return "takes sessions" in self._children[name].said()

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the front; return what it answered, read from JSON.

        Raises:
            StoreWriteError: It was refused, or nobody answered.
        """
        status, answer = self._ask(method, path, body)
        if status >= 300:
            raise StoreWriteError(
                f"{method} {path}: answered {status}: {answer.get('detail', '')}: start it again"
            )
        return answer

    def view(self, session: str) -> dict[str, Any] | None:
        """Return the room as its page shows it, or None if no worker answers for it at this moment."""
        with suppress(OutboundError, HTTPError):
            status, answer = self._ask("GET", f"/api/v1/sessions/{session}/room")
            if status < 300:
                return dict(answer)
            if status < 500:  # it has ended, and is read from its archive
                return {"state": "ended", "question": None}
        return None

    def page(self, path: str) -> str:
        """Return the address of a page, with the token that lets a browser in."""
        at = urlsplit(self.address)
        return f"{at.scheme}://{at.netloc}{path}?{at.query}"

    def has_it(self, session: str) -> str:
        """Return the worker whose disk has the session, of those that live; "" if none has it yet."""
        return next(
            (one for one in self._children if (self._folder / one / "sessions" / session).is_dir()), ""
        )

    def kill(self, name: str) -> None:
        """Kill a worker, as if its machine had lost its power."""
        one = self._children.pop(name)
        one.process.kill()
        one.process.wait()
        self._tell("-", one.process.pid)

    def end(self, name: str) -> subprocess.Popen[bytes]:
        """Ask a worker to go, as whoever deploys does; return its process, which ends within a minute."""
        one = self._children.pop(name)
        one.process.terminate()
        return one.process

    def check(self) -> None:
        """Raise if a process has ended that nobody has killed.

        Raises:
            StoreWriteError
        """
        for one in self._children.values():
            if (code := one.process.poll()) is not None:
                last = (one.said().strip().splitlines() or ["it said nothing"])[-1]
                raise StoreWriteError(f"{one.name} has ended ({code}): {last}")

    def stop(self) -> None:
        """Kill everything: nothing of it is needed any more. A second call does nothing."""
        for name in tuple(self._children):
            self.kill(name)
        pids = self._servers.pids
        self._servers.stop()
        for pid in pids:
            self._tell("-", pid)

    def _begin(self, name: str, *command: str) -> None:
        set_up(self._folder / name)
        output = self._folder / f"{name}.log"
        home = str(self._folder / name)
        with output.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "orchestrator.cli", "--home", home, "cluster", *command],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=self.environment,
                start_new_session=True,  # Ctrl-C is for this process, which ends them
                preexec_fn=end_with_parent,
            )
        self._tell("+", process.pid)
        self._children[name] = _Child(name, process, output)

    def _is_up(self) -> bool:
        self.check()
        said = self._children["front"].said()
        if "open http" not in said:
            return False
        self.address = said.partition("open ")[2].split()[0]
        return all(map(self.is_ready, WORKERS))

    def _ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        at = urlsplit(self.address)
        headers = {
            "authorization": f"Bearer {parse_qs(at.query)['token'][0]}",
            "content-type": "application/json",
            "idempotency-key": uuid4().hex,  # so that the front may send it again
        }
        with client(
            f"{at.scheme}://{at.netloc}", "the demonstration's front", timeout_s=_ASK_WITHIN_S
        ) as asking:
            content = None if body is None else json.dumps(body).encode()
            reply = asking.request(
                method, f"{at.scheme}://{at.netloc}{path}", content=content, headers=headers
            )
        try:
            return reply.status_code, reply.json()
        except ValueError:
            return reply.status_code, {}

    def _tell(self, sign: str, pid: int) -> None:
        with suppress(OSError):  # it has been killed; then nobody clears up but `stop`
            self._cleaner.write(f"{sign}{pid}\n")
            self._cleaner.flush()


@contextmanager
def staged() -> Iterator[Stage]:
    """Yield the demonstration's processes, not started yet; end them with the block, and leave nothing."""
    folder = tempfile.mkdtemp(prefix="greenroom-cluster-")
    # By its path and without site packages: it must be there before anything else is.
    cleaner = subprocess.Popen(
        [sys.executable, "-I", "-S", leftovers.__file__, folder],
        stdin=subprocess.PIPE,
        text=True,
        start_new_session=True,  # it outlives this process, and whatever ends its group
    )
    told = cast("IO[str]", cleaner.stdin)
    stage: Stage | None = None
    try:
        stage = Stage(Path(folder), told)
        yield stage
    finally:
        if stage is not None:
            stage.stop()
        with suppress(OSError):
            told.close()
        cleaner.wait()


def run(say: Say, *, opens: bool = True, plays: bool = False, begun: float | None = None) -> None:
    """Show the cluster; return at Ctrl-C, or with *plays* once the debrief is there.

    Args:
        say: Called with values and a line that says them, at each step.
        opens: Whether to open the page in a browser, if one is there.
        plays: Whether to answer and end in the person's place.
        begun: When the command began, of `monotonic`; for the seconds until the page is there.

    Raises:
        NotInstalledError, StoreWriteError
    """
    begun = monotonic() if begun is None else begun
    with staged() as stage:
        say({"step": "starts"}, "starting three servers, three workers and a front; nothing of them stays")
        stage.start()
        session = _begin(stage)
        driver, address = stage.has_it(session), stage.page(f"/room/{quote(session)}")
        seconds = round(monotonic() - begun, 1)
        say(
            {"step": "page", "address": address, "session": session, "worker": driver, "seconds": seconds},
            f"after {seconds:g} s: {PRESENTER} rehearses, and {driver} drives it; open {address}\n"
            "Ctrl-C ends all of it",
        )
        if opens:
            _open(address)
        question = _talk(stage, session)
        say({"step": "asked", "question": question}, f"the panel asks: {question}")
        _wait_for_enter(say, driver, PLAYED_S if plays else WATCHED_S, is_asked=not plays)
        driver = stage.has_it(session)
        stage.kill(driver)
        say(
            {"step": "killed", "worker": driver},
            f"{driver} is killed; the page says so and goes on by itself",
        )
        other, pause_s = _taken_over(stage, session, monotonic())
        say(
            {"step": "taken", "worker": other, "seconds": pause_s},
            f"after {pause_s:g} s {other} has the rehearsal, with the same question open"
            + ("" if plays else ": answer it on the page, then press End"),
        )
        if plays:
            _play_on(stage, session)
        _await_end(stage, session)
        _tell_debrief(say, stage, session)
        with suppress(KeyboardInterrupt):  # it is over: that is how one leaves
            while not plays:
                stage.check()
                sleep(_LOOK_S)


def _begin(stage: Stage) -> str:
    """Start a rehearsal of the bundled deck, and have it driven; return its id."""
    asked = {"sample": True, "presenter": PRESENTER, "engine": "offline"}
    session = str(stage.ask("POST", "/api/v1/sessions", asked)["session"])
    stage.ask("POST", f"/api/v1/sessions/{session}/drive")
    return session


def _talk(stage: Stage, session: str) -> str:
    """Say the first sentences, and have a panelist called on; return the question."""
    for sentence in TALK:
        stage.check()
        stage.ask("POST", f"/api/v1/sessions/{session}/segments", {"text": sentence})
        sleep(SENTENCE_S)
    view = stage.view(session)
    if view is None or view["question"] is None:
        view = stage.ask("POST", f"/api/v1/sessions/{session}/ask", {})
    return str(view["question"]["text"])


def _wait_for_enter(say: Say, driver: str, seconds: float, *, is_asked: bool) -> None:
    """Wait until Enter is pressed; *seconds* where nobody is at the terminal, or nobody is asked."""
    if not is_asked or sys.stdin is None or sys.stdin.closed:
        sleep(seconds)
        return
    is_there = sys.stdin.isatty()
    when = "press Enter to kill it" if is_there else f"it is killed in {seconds:g} s"
    say(
        {"step": "waits", "worker": driver},
        f"{driver} has this rehearsal: {when} in the middle of the question",
    )
    until = monotonic() + seconds
    while is_there or monotonic() < until:
        ready, _, _ = select.select([sys.stdin], [], [], _LOOK_S)
        if ready:
            if sys.stdin.readline():
                return
            sleep(max(0.0, until - monotonic()))  # it has ended, so nobody will press anything
            return


def _taken_over(stage: Stage, session: str, killed_at: float) -> tuple[str, float]:
    """Wait until another worker drives the session; return it, and after how many seconds.

    Raises:
        StoreWriteError: None has taken it in time.
    """
    while monotonic() - killed_at < TAKEN_WITHIN_S:
        stage.check()
        view = stage.view(session)
        if view is not None and (view["state"] == "ended" or view["is_driven_here"]):
            return stage.has_it(session), round(monotonic() - killed_at, 1)
        sleep(_LOOK_S)
    raise StoreWriteError(
        f"{session}: no worker has taken it over within {TAKEN_WITHIN_S:g} s: try again where less runs "
        "beside it"
    )


def _play_on(stage: Stage, session: str) -> None:
    """Answer in the person's place, and end the rehearsal."""
    stage.ask("POST", f"/api/v1/sessions/{session}/answer", {"text": ANSWER})
    stage.ask("POST", f"/api/v1/sessions/{session}/end", {})


def _await_end(stage: Stage, session: str) -> None:
    while True:
        stage.check()
        view = stage.view(session)
        if view is not None and view["state"] == "ended":
            return
        sleep(5 * _LOOK_S)


def _tell_debrief(say: Say, stage: Stage, session: str) -> None:
    found: Mapping[str, Any] = stage.ask("GET", f"/api/v1/sessions/{session}/debrief")
    address = stage.page(f"/debrief/{quote(session)}")
    answered = sum(bool(turn.get("answer")) for one in found["exchanges"] for turn in one["turns"])
    driven = found.get("driven")
    plain = {"step": "debrief", "driven": driven, "answers": answered, "address": address}
    say(plain, f"the debrief has {counted(answered, 'answer')}, and says: {driven}\n{address}")


def _open(address: str) -> None:
    """Open a page in the person's browser, if there is one that does not take the terminal."""
    import webbrowser

    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:  # one that runs in the terminal
            browser.open(address)
