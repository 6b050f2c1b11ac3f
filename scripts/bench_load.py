"""Many live sessions at once, through Python and through the HTTP API of a server.

    scripts/bench load [--minutes N] [--sessions N,N…] [--ways python,http]

Each session is driven (its clock runs, the offline panel refreshes and asks) and written to three times
a second; every 5 seconds somebody takes a panelist's whole context, every 20 the slide changes, and a
question that is open is answered. Nothing waits for what went before: a write's time, and a context's, runs
from the moment at which it was due, so a stall is counted with all that it held up. One session's writes
go one behind the other, so that their order can be told.

At the end the ledgers are read: each acknowledged word must stand there once, in order, and every session
must be valid. `python` is one process, writers and panels in it; `http` is one server and, in a process of
its own, its clients.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Protocol

from orchestrator.core.errors import GreenroomError, SessionStateError
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.material.values import LiveSegment
from orchestrator.panel.home import Home
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web.drives import Drives
from orchestrator.web.open_sessions import OpenSessions
from scripts.bench import PANEL, folder, long_material, new_home
from tests.helpers.board import verify_session
from tests.helpers.figures import note
from tests.web.conftest import start_server

WRITES_A_SECOND = 3
CONTEXT_EVERY_S, SLIDE_EVERY_S = 5.0, 20.0
BESIDE = 8
"""Threads that take contexts, and as many that change slides and answer: none waits for another's session."""
GRACE_S = 60.0
"""How long after the last write was due those that are late may still be sent."""
SLIDES = 26


class Way(Protocol):
    """How the load comes in; each call returns once it is done, and raises if it was refused."""

    def start(self, session: str, deck: str) -> None: ...
    def hear(self, session: str, text: str) -> None: ...
    def context(self, session: str, agent: str) -> int: ...
    def slide(self, session: str, number: int) -> None: ...
    def answer(self, session: str, text: str) -> None: ...


class Python:
    """All in this process."""

    def __init__(self, home: Path) -> None:
        self.home = Home.open(home)
        self.sessions = OpenSessions(self.home)
        self.drives = Drives(self.sessions)

    def start(self, session: str, deck: str) -> None:
        self.sessions.add(Rehearsal.start(self.home, deck_text=deck, id=session, minutes=60, exchanges=100))
        self.drives.begin(session)

    def hear(self, session: str, text: str) -> None:
        self.sessions.get(session).hear(LiveSegment(text))

    def context(self, session: str, agent: str) -> int:
        return len(self.sessions.get(session).context(agent).text)

    def slide(self, session: str, number: int) -> None:
        self.sessions.get(session).slide(number)

    def answer(self, session: str, text: str) -> None:
        found = self.sessions.get(session)
        if found.projection.open is not None:
            with suppress(SessionStateError):  # what was said was the answer: the panel was quicker
                found.answer(text)

    def close(self) -> None:
        self.drives.stop_all()
        self.sessions.close()


class Http:
    """A server elsewhere; each thread has a connection of its own, as a program that feeds it would."""

    def __init__(self, url: str) -> None:
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)
        self.own = threading.local()

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        if not hasattr(self.own, "connection"):
            self.own.connection = HTTPConnection(self.host, self.port, timeout=GRACE_S)
        content = None if body is None else json.dumps(body)
        self.own.connection.request(
            method, f"/api/v1/sessions{path}", content, {"content-type": "application/json"}
        )
        answer = self.own.connection.getresponse()
        came: bytes = answer.read()
        if answer.status == HTTPStatus.CONFLICT:
            raise SessionStateError(json.loads(came)["detail"])
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise Refused(f"{answer.status} {json.loads(came)['detail']}")
        return came

    def start(self, session: str, deck: str) -> None:
        self.ask("POST", "", {"deck_text": deck, "id": session, "minutes": 60, "exchanges": 100})
        self.ask("POST", f"/{session}/drive")

    def hear(self, session: str, text: str) -> None:
        self.ask("POST", f"/{session}/segments", {"text": text})

    def context(self, session: str, agent: str) -> int:
        return len(self.ask("GET", f"/{session}/contexts/{agent}"))

    def slide(self, session: str, number: int) -> None:
        self.ask("PUT", f"/{session}/slide", {"slide": number})

    def answer(self, session: str, text: str) -> None:
        if json.loads(self.ask("GET", f"/{session}/room"))["question"] is not None:
            with suppress(SessionStateError):  # as above
                self.ask("POST", f"/{session}/answer", {"text": text})


class Refused(Exception):
    """The server's answer was no success."""


@dataclass
class Came:
    """What a load's threads have seen; each list is added to by one call that no other thread can split."""

    appended_ms: list[float] = field(default_factory=list)
    assembled_ms: list[float] = field(default_factory=list)
    acknowledged: dict[str, list[int]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    unsent: Counter[str] = field(default_factory=Counter)  # by session: so far behind that it was given up
    seconds: float = 0.0
    process: dict[str, float] = field(default_factory=dict)


def load(way: Way, sessions: Sequence[str], seconds: float, pid: int) -> Came:
    """Start the sessions, write for *seconds* and be done with what is late; process *pid* is looked at."""
    deck, speech = long_material()
    said = [line for line in speech.splitlines() if line.endswith(".")]
    empty = look(pid)
    for session in sessions:
        way.start(session, f"# Plan of {session}\n\n---\n\n{deck}")  # as many decks as sessions
    came = Came(acknowledged={session: [] for session in sessions})
    before, begin = look(pid), time.monotonic() + 0.5
    end = begin + seconds

    def tried(due: float, act: Callable[[], object], taken_ms: list[float] | None) -> bool:
        if (early := due - time.monotonic()) > 0:
            time.sleep(early)
        try:
            act()
        except (Refused, GreenroomError, OSError, HTTPException) as error:
            came.errors[f"{type(error).__name__}: {error}"[:160]] += 1
            return False
        if taken_ms is not None:
            taken_ms.append(1000 * (time.monotonic() - due))
        return True

    def present(number: int, session: str) -> None:
        for count in range(int(seconds * WRITES_A_SECOND)):
            due = begin + (count + number / len(sessions)) / WRITES_A_SECOND
            if time.monotonic() > end + GRACE_S:
                came.unsent[session] += 1
                continue
            text = f"{said[(number * 37 + count) % len(said)]} Point {count}."
            if tried(due, partial(way.hear, session, text), came.appended_ms):
                came.acknowledged[session].append(count)

    def visit(lane: int, every_s: float, call: Callable[[str, int, float], None]) -> None:
        own = range(lane, len(sessions), BESIDE)
        for turn in range(int(seconds / every_s)):
            for number in own:
                due = begin + (turn + number / len(sessions)) * every_s
                if time.monotonic() < end + GRACE_S:
                    call(sessions[number], turn + number, due)

    def take(session: str, turn: int, due: float) -> None:
        agent = PANEL[turn % len(PANEL)]
        tried(due, lambda: way.context(session, agent), came.assembled_ms)

    def steer(session: str, turn: int, due: float) -> None:
        tried(due, lambda: way.answer(session, "We signed the lease for ten years."), None)
        tried(due, lambda: way.slide(session, 1 + turn % SLIDES), None)

    threads = [threading.Thread(target=present, args=one) for one in enumerate(sessions)]
    threads += [threading.Thread(target=visit, args=(one, CONTEXT_EVERY_S, take)) for one in range(BESIDE)]
    threads += [threading.Thread(target=visit, args=(one, SLIDE_EVERY_S, steer)) for one in range(BESIDE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = look(pid)
    came.seconds = time.monotonic() - begin
    came.process = {
        "mb": after["mb"],
        "mb_a_session": (after["mb"] - empty["mb"]) / len(sessions),
        "descriptors_a_session": (before["descriptors"] - empty["descriptors"]) / len(sessions),
        "descriptors": after["descriptors"],
        "threads": after["threads"],
        "cores": (after["cpu_s"] - before["cpu_s"]) / came.seconds,
    }
    return came


def look(pid: int) -> dict[str, float]:
    """Resident memory, descriptors, threads and processor seconds of a process."""
    at = Path(f"/proc/{pid}")
    status = dict(line.split(":", 1) for line in (at / "status").read_text().splitlines())
    spent = (at / "stat").read_text().rpartition(")")[2].split()
    return {
        "mb": int(status["VmRSS"].split()[0]) / 1024,
        "threads": int(status["Threads"]),
        "descriptors": len(os.listdir(at / "fd")),
        "cpu_s": (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK"),
    }


def through_python(home: Path, sessions: Sequence[str], seconds: float) -> Came:
    """In a process of its own, so that its memory and processor time are its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_in_python, home, sessions, seconds).result()


def _in_python(home: Path, sessions: Sequence[str], seconds: float) -> Came:
    way = Python(home)
    try:
        return load(way, sessions, seconds, os.getpid())
    finally:
        way.close()


def through_http(home: Path, sessions: Sequence[str], seconds: float) -> Came:
    served = start_server(home)
    try:
        return load(Http(served.url), sessions, seconds, served.process.pid)
    finally:
        served.process.terminate()
        served.process.wait(GRACE_S)


WAYS = {"python": through_python, "http": through_http}


def stored(path: Path) -> Iterator[tuple[str, Any]]:
    """What a ledger holds of the load: ("point", its number), and ("asked", the exchange) per question."""
    for line in (path / LEDGER_NAME).read_text("utf-8").splitlines():
        value = json.loads(line).get("value") or {}
        if value.get("type") == "segment" and " Point " in value["segment"]["text"]:
            yield "point", int(value["segment"]["text"].rpartition(" Point ")[2].rstrip("."))
        elif value.get("type") == "exchange_opened":
            yield "asked", value


def measure(way: str, count: int, minutes: float) -> bool:
    """Print the figures of one load; whether nothing was refused, lost or wrong. Being behind is told."""
    sessions = [f"load-{number:04}" for number in range(count)]
    with folder() as at:
        home = new_home(at)
        came = WAYS[way](home, sessions, 60 * minutes)
        kept, lost, odd, asked, invalid = 0, 0, 0, 0, []
        for session in sessions:
            path = home / "sessions" / session
            found = [*stored(path)]
            points = [one for kind, one in found if kind == "point"]
            kept += len(points)
            asked += len(found) - len(points)
            lost += len({*came.acknowledged[session]} - {*points})
            odd += points != sorted(set(points))  # doubled, or out of order
            if not verify_session(path, home_templates=home / "templates").valid:
                invalid.append(session)
    wanted = count * int(60 * minutes * WRITES_A_SECOND)
    answered = sum(map(len, came.acknowledged.values()))
    errors = came.errors.total()
    wrong = errors + lost + odd + len(invalid)
    process = came.process
    print(f"{count} sessions, {WRITES_A_SECOND} writes a second each, {minutes:g} minutes, through {way}")
    print(f"  writes    {wanted} asked, {answered} acknowledged, {kept} stored; {errors} errors, {lost} lost")
    behind = f"{came.unsent.total()} never sent, {GRACE_S:.0f} s behind" if came.unsent else ""
    if behind:
        print(f"  BEHIND    {behind}: this machine does not keep up with so many")
    print(f"  append    {shares(came.appended_ms)}")
    print(f"  assembly  {shares(came.assembled_ms)} of {len(came.assembled_ms)}")
    print(f"  questions {asked}; sessions with words doubled or out of order: {odd}; invalid: {len(invalid)}")
    print(
        f"  process   {process['mb']:.0f} MB, {process['mb_a_session']:.2f} a session; "
        f"{process['descriptors']:.0f} descriptors, {process['descriptors_a_session']:.1f} a session; "
        f"{process['threads']:.0f} threads; {process['cores']:.2f} cores of {os.cpu_count()}"
    )
    for what, times in came.errors.most_common(5):
        print(f"  {times} x {what}")
    told = f"BEHIND, {behind}; " if behind else ""
    note(
        "load",
        f"{count} live sessions x {WRITES_A_SECOND} writes a second for {minutes:g} minutes, through {way}",
        count=wanted - came.unsent.total(),
        wrong=wrong,
        told=f"{told}append {shares(came.appended_ms)}; assembly {shares(came.assembled_ms)}; "
        f"{asked} questions; {process['mb_a_session']:.1f} MB a session; {process['cores']:.1f} cores",
    )
    return wrong == 0


def shares(taken_ms: list[float]) -> str:
    """Percentiles, in milliseconds."""
    ordered = sorted(taken_ms) or [float("nan")]
    p50, p95, p99 = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95, 0.99))
    return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms"


def main(arguments: Sequence[str]) -> int:
    """Measure each number of sessions, each way; 1 where anything was refused, lost or wrong."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench load", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--sessions", default="100", help="one number or several: 10,30,100,300")
    parser.add_argument("--ways", default="python,http")
    chosen = parser.parse_args(arguments)
    counts, ways = map(int, chosen.sessions.split(",")), chosen.ways.split(",")
    well = [measure(way, count, chosen.minutes) for count in counts for way in ways]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
