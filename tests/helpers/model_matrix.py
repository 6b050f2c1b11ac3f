"""Every failure of a model at every call of a short rehearsal: what must hold whatever happens.

Run as a program, the whole matrix, which takes minutes (`.ci/run` does)::

    python -m tests.helpers.model_matrix [--wire messages|chat] [--every N] [--faults NAME,…] [--jobs N]

The last of the failures is a server that takes a schema, tools and effort, and makes nothing of them.

The suite runs a sample of it (`tests/engines/test_model_matrix.py`).
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any, Final

from orchestrator.core.errors import GreenroomError
from orchestrator.material.deck.content import slide_texts
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import read_answers
from orchestrator.panel.engines.model.engine import ModelEngine
from orchestrator.panel.engines.model.settings import CHAT, DEADLINES_S, MESSAGES
from orchestrator.panel.home import Home
from orchestrator.panel.loop.recorded import Loading, step
from orchestrator.panel.model.exchange import Exchange
from orchestrator.rehearsal.session import Session
from tests.helpers.board import verify_path, verify_session
from tests.helpers.claude_requests import engine_on
from tests.helpers.homes import new_home
from tests.helpers.messages_replies import NOBODY_SAID
from tests.helpers.messages_server import IGNORABLE, MessagesServer
from tests.helpers.rehearsals import Rehearsal, write_rehearsal
from tests.helpers.server_faults import FAULTS, Fault

OPTIONS: Final[Mapping[str, Any]] = {"panel": ("skeptic", "analyst"), "exchanges": 2, "intensity": "friendly"}
"""Two panelists and short exchanges: two minutes of speech in at most 30 calls."""
REFRESH_S: Final = 40
MAX_CALLS: Final = 30
SETTINGS: Final[Mapping[str, Any]] = {
    "deadlines_s": dict.fromkeys(DEADLINES_S, 0.8),
    "retries": 1,
    "first_wait_s": 0.005,
}
"""A deadline that a good call keeps on a busy machine, and that a hanging one does not stretch."""
SECONDS: Final[Mapping[str, float]] = {"slow": 0.05, "rate_limit": 0.01, "stalled": 30.0}
NO_VERDICT: Final = frozenset(FAULTS) - {"slow", "search_error"}
"""Faults with which no judgement can come, if they last."""
IGNORES: Final = "ignores"
"""A schema, tools and effort are taken, and nothing is made of them: no fault of a call, but of all."""
ALL_FAULTS: Final = (*FAULTS, IGNORES)
UNJUDGED_YET: Final = 4
"""Up to this call nothing has been judged."""


@dataclass(frozen=True, slots=True)
class Case:
    """One rehearsal: a fault, at the call of this number and, if it lasts, at all after it."""

    fault: str
    call: int
    lasts: bool = False
    wire: str = MESSAGES

    def __str__(self) -> str:
        if self.fault == IGNORES:
            return f"the server ignores what it takes, {self.wire}"
        return f"{self.fault} {'from' if self.lasts else 'at'} call {self.call}, {self.wire}"


@dataclass(frozen=True, slots=True)
class Plain:
    """The rehearsal in which nothing failed, and the ways into it."""

    home: Path
    files: Rehearsal
    root: Path  # where a case plays it again
    kept: Path  # the session's folder as it was before its end
    calls: int
    points: tuple[tuple[int, int], ...]  # before each step: calls that were made, bytes of the ledger
    transcript: str
    wire: str = MESSAGES


def home_in(folder: Path) -> Path:
    """A home with the checkout's templates, whose panel looks at its questions less often."""
    home = new_home(folder / "home")
    rules = home / "templates" / "moderator" / "orchestration.md"
    rules.write_text(rules.read_text("utf-8").replace("refresh: 15", f"refresh: {REFRESH_S}"), "utf-8")
    return home


def started(home: Path, files: Rehearsal, engine: ModelEngine) -> Session:
    """A session that is to be played."""
    loading = Loading(read_speech(files.speech), "run", tuple(read_answers(files.answers)))
    return Session.start(Home.open(home), files.deck, **OPTIONS, engine=engine, loading=loading)


def ended(session: Session) -> None:
    """Play what is left and end, which archives."""
    assert session.play()
    session.end()
    session.close()


def plain(folder: Path, wire: str = MESSAGES) -> Plain:
    """The rehearsal without a fault."""
    home, files = home_in(folder), write_rehearsal(folder)
    points = []
    with (
        MessagesServer(speaks=wire) as server,
        engine_on(server, wire=wire) as engine,
        started(home, files, engine) as session,
    ):
        ledger = session.path / "ledger" / "ledger.jsonl"
        is_left = True
        while is_left:
            points.append((len(server.requests), ledger.stat().st_size))
            is_left = step(session.rehearsal)
        kept = folder / "kept"
        shutil.copytree(session.path, kept)
        ended(session)
    calls, root = len(server.requests), session.path
    assert calls <= MAX_CALLS
    assert faults_of(root, home) == []
    assert "satisfied" in {one.outcome for one in exchanges_of(root)}
    whole = Plain(home, files, root, kept, calls, tuple(points), transcript_of(root), wire)
    _clear(root, home)
    return whole


def played_again(case: Case, whole: Plain, server: MessagesServer) -> Path:
    """The rehearsal from the step on in which the case's call is made, to its end."""
    made, size = max(point for point in whole.points if point[0] < case.call or point == whole.points[0])
    number = case.call - made
    with engine_on(server, wire=whole.wire, **SETTINGS) as engine:
        if case.call <= made:  # one of the start's
            number = case.call
        if case.fault != IGNORES:
            fault = Fault(case.fault, SECONDS.get(case.fault, 0.0))
            numbers = range(number, number + (10 * MAX_CALLS if case.lasts else 1))
            server.faults = dict.fromkeys(numbers, fault)
        if case.call <= made:
            session = started(whole.home, whole.files, engine)
        else:
            shutil.copytree(whole.kept, whole.root)
            os.truncate(whole.root / "ledger" / "ledger.jsonl", size)
            session = Session.open(Home.open(whole.home), whole.root, engine=engine)
        ended(session)
    return session.path


def _clear(root: Path, home: Path) -> None:
    for folder in (root, home / "archives" / root.name):
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        shutil.rmtree(folder)
    # The home remembers what it archived, and would call the next one of this id replaced.
    shutil.rmtree(home / "sessions" / ".records" / root.name)


def transcript_of(root: Path) -> str:
    return (root / "shared" / "presenter-transcript.md").read_text("utf-8")


def exchanges_of(root: Path) -> list[Exchange]:
    with Session.open(None, root) as session:
        return list(session.projection.exchanges)


def cases(
    calls: int, every: int = 1, faults: tuple[str, ...] = ALL_FAULTS, wire: str = MESSAGES
) -> Iterator[Case]:
    """Each fault at each call, and each from some calls on; *every*: only each so many."""
    of_calls = [fault for fault in faults if fault != IGNORES]
    found = [Case(fault, call, wire=wire) for call in range(1, calls + 1) for fault in of_calls]
    late = (1, 4, calls // 2, calls - 3)
    found += [Case(fault, call, lasts=True, wire=wire) for call in late for fault in of_calls]
    yield from found[:: max(1, every)]
    if IGNORES in faults:
        yield Case(IGNORES, 1, lasts=True, wire=wire)


def run(case: Case, whole: Plain) -> list[str]:
    """What is wrong with the rehearsal of *case*; nothing: it holds."""
    ignored = IGNORABLE if case.fault == IGNORES else frozenset()
    with MessagesServer(speaks=whole.wire, ignores=ignored) as server:
        root = played_again(case, whole, server)
    wrong = faults_of(root, whole.home)
    said = transcript_of(root)
    if lost := [line for line in spoken(whole.transcript) if line not in said]:
        wrong.append(f"{len(lost)} pieces of speech are not in the transcript")
    wrong += praise(root)
    if case.lasts and case.fault in NO_VERDICT:
        judged = [one.id for one in exchanges_of(root) if one.outcome == "satisfied"]
        wrong += [f"{one} is satisfied, and no judgement came" for one in judged if case.call <= UNJUDGED_YET]
    _clear(root, whole.home)
    return wrong


def spoken(transcript: str) -> list[str]:
    """The lines of the recording itself; answers depend on what was asked."""
    return [line for line in transcript.splitlines() if "Ines" in line and "answer" not in line.lower()]


def faults_of(root: Path, home: Path) -> list[str]:
    """What a proof finds in the session and in its archive."""
    found = [f"session: {one.kind} {one.path}" for one in verify_session(root).findings]
    if not verify_session(root).valid:
        found.append("the session is not valid")
    bag = home / "archives" / root.name
    if not (bag / "tagmanifest-sha256.txt").is_file():
        found.append("there is no archive")
    elif not verify_path(bag).valid:
        found.append("the archive is not valid")
    return found


def praise(root: Path) -> list[str]:
    """Verdicts that read as success and rest on nothing that was said; questions that quote nobody."""
    with Session.open(None, root) as session:
        projection = session.projection
        slides = {slide.number: slide for slide in session.rehearsal.scene().deck.slides}
        wrong = []
        for one in projection.exchanges:
            texts = [text for _, text in slide_texts(slides[one.slide])] if one.slide is not None else []
            if one.said_at_s is None and one.quote is not None and not any(one.quote in t for t in texts):
                wrong.append(f"{one.id}: its quote does not stand on its slide")
            for turn in one.turns:
                if turn.verdict == "satisfied" and not (turn.quote and turn.quote in (turn.answer or "")):
                    wrong.append(f"{one.id}: satisfied without the presenter's words")
                if NOBODY_SAID in f"{turn.question} {turn.quote}":
                    wrong.append(f"{one.id}: words that nobody said")
            if one.outcome == "satisfied" and one.turns[-1].verdict != "satisfied":
                wrong.append(f"{one.id}: satisfied without a verdict")
    return wrong


def _begin(whole: Plain, folder: str) -> None:
    """In a process of its own: a home of its own to play in."""
    global _whole
    home = Path(tempfile.mkdtemp(dir=folder)) / "home"
    shutil.copytree(whole.home, home)
    _whole = replace(whole, home=home, root=home / "sessions" / whole.root.name)


def _run(case: Case) -> tuple[Case, list[str]]:
    try:
        return case, run(case, _whole)
    except (GreenroomError, AssertionError) as error:
        return case, [f"it did not end: {error}"]


def main() -> int:
    """Run the matrix; prints what does not hold, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--wire", choices=(MESSAGES, CHAT), default=MESSAGES, help="the API that is spoken")
    parser.add_argument("--every", type=int, default=1, help="only each so many of the cases")
    parser.add_argument("--faults", default=",".join(ALL_FAULTS), help="only these, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    given = parser.parse_args()
    logging.disable(logging.WARNING)  # of failures that are meant
    began_s, wrong = monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="greenroom-") as folder:
        whole = plain(Path(folder), given.wire)
        chosen = [*cases(whole.calls, given.every, tuple(given.faults.split(",")), given.wire)]
        with ProcessPoolExecutor(given.jobs, get_context("fork"), _begin, (whole, folder)) as pool:
            for case, found in pool.map(_run, chosen):
                for one in found:
                    wrong += 1
                    sys.stdout.write(f"{case}: {one}\n")
    seconds = round(monotonic() - began_s, 1)
    result = {
        "wire": given.wire,
        "cases": len(chosen),
        "calls": whole.calls,
        "wrong": wrong,
        "seconds": seconds,
    }
    sys.stdout.write(json.dumps(result) + "\n")
    return 1 if wrong else 0


_whole: Plain

if __name__ == "__main__":
    sys.exit(main())
