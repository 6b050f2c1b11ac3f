"""Operations of the command line that a fault cuts short: what they are, what must hold behind it, and how
whoever finds it goes on.
"""

from __future__ import annotations

import difflib
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import pytest

from orchestrator.core.archive.download import list_archives
from orchestrator.core.store.store import Store
from orchestrator.core.verify.session_folder import LEFTOVER
from orchestrator.memory.database import existing
from orchestrator.panel.home import Home
from orchestrator.rehearsal.session import Session
from tests.helpers.board import verify_archive, verify_session
from tests.helpers.figures import Promise, not_run
from tests.helpers.forked import Forked, Ran, why_not
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import Rehearsal, contents, write_rehearsal

COMMAND: Final = "tests.helpers.forked:command"


def commands(home: Path, files: Rehearsal) -> dict[str, tuple[str, ...]]:
    """Every operation of the command line, in an order in which they can follow each other."""
    return {
        "check": ("check", str(files.deck), "--speech", str(files.speech)),
        "start": ("start", str(files.deck), "--id", "s", "--presenter", "Ines", "--remember"),
        "feed": ("feed", "s", str(files.speech)),
        "ask": ("ask", "s"),
        "answer": ("answer", "s", "It is audited revenue for the year 2026, EUR 4.2M."),
        "end": ("end", "s"),
        "archive": ("archive", "s", "--to", str(home / "elsewhere")),
        "restore": ("restore", "s", "--from", str(home / "elsewhere"), "--into", str(home / "back")),
        "erase": ("erase", "s", "--yes", "--archives"),
        "goal": ("goal", "add", "Say who pays", "--presenter", "Ines"),
        "run": (
            "run", str(files.deck), "--speech", str(files.speech), "--answers", str(files.answers),
            "--id", "s", "--presenter", "Ines", "--remember",
        ),
    }  # fmt: skip


@contextmanager
def loaded(promise: Promise, folders: pytest.TempPathFactory) -> Iterator[Forked]:
    """The program that the children are forked from, with all loaded that the commands load.

    Where no faults can be put here the tests are skipped, which the table of promises says too.
    """
    why = why_not()
    if why is not None:
        not_run(promise, "faults at file system calls", why)
        pytest.skip(f"no faults at file system calls: {why}")
    folder = folders.mktemp("loading")
    home, files = new_home(folder / "home"), write_rehearsal(folder)
    with Forked(folder / "program") as program:
        for one in commands(home, files).values():
            program.warm(COMMAND, "--home", home, *one)
        yield program


T = TypeVar("T")


def spread(items: Sequence[T], most: int) -> list[T]:
    """All of them, or *most*, evenly."""
    step = max(1.0, len(items) / most)
    return [items[int(number * step)] for number in range(min(most, len(items)))]


def put_back(kept: Path, at: Path) -> None:
    shutil.rmtree(at, ignore_errors=True)
    shutil.copytree(kept, at, symlinks=True)


def faults_of(root: Path) -> list[str]:
    """What is wrong with the session that a kill has left at *root*; mends it as the next writer does."""
    found = verify_session(root)
    wrong = [f"{one.path}: {one.kind}" for one in found.findings if one.kind not in ("torn", "behind")]
    store = Store(root)
    for path in store.layout.files:
        seen = (root / path).read_bytes().decode() if (root / path).exists() else ""
        if seen not in {"", *(store.content(path, at_seq=seq) for seq in store.state(path).seqs)}:
            wrong.append(f"{path}: holds no state that it ever had")
    if not store.frozen:
        with store.transaction():
            pass
    store.close()
    again = verify_session(root)
    return wrong + [f"{one.path}: still {one.kind} when mended" for one in again.findings]


@dataclass(frozen=True)
class Case:
    """One home, as one kill has left it, and the program that goes on with it."""

    program: Forked
    home: Path
    files: Rehearsal

    @property
    def root(self) -> Path:
        return self.home / "sessions" / "s"

    def do(self, *arguments: str) -> Ran:
        return self.program.run(COMMAND, "--home", self.home, *arguments)

    def again(self, name: str) -> Ran:
        return self.do(*commands(self.home, self.files)[name])

    def go_on(self, name: str) -> None:
        """What whoever finds the killed operation does next."""
        getattr(self, f"_{name}")()

    def _check(self) -> None:
        self._done("check")

    def _start(self) -> None:
        self._done("start", or_said="is already there")

    def _feed(self) -> None:
        with self._session() as session:
            is_loaded = session.projection.playback is not None
        self._went(self.do("resume", "s") if is_loaded else self.again("feed"))

    def _ask(self) -> None:
        self._done("ask", or_said="is still open")

    def _answer(self) -> None:
        with self._session() as session:
            is_judged = session.projection.asked[0].turns[0].verdict is not None
        if not is_judged:
            self._done("answer")

    def _end(self) -> None:
        with self._session() as session:
            ended, left = session.projection.ended, session.is_to_be_archived
        if left:
            self._went(self.do("resume", "s"))
        elif not ended:
            self._done("end")

    def _archive(self) -> None:
        self._done("archive")

    def _restore(self) -> None:
        self._done("restore", or_said="is there already")

    def _erase(self) -> None:
        self._done("erase", or_said="there is no session")

    def _goal(self) -> None:
        if not remembered(self.home)["goals"]:
            self._done("goal")

    def _run(self) -> None:
        if self.root.exists():
            self._went(self.do("resume", "s"), or_said="there is nothing to go on with")
        else:
            self._done("run")

    def _session(self) -> Session:
        return Session.open(Home.open(self.home), "s")

    def _done(self, name: str, or_said: str = "\0") -> None:
        self._went(self.again(name), or_said)

    def _went(self, ran: Ran, or_said: str = "\0") -> None:
        if ran.code != 0 and or_said not in ran.err:
            raise GoingOnError(f"run again, it ends with {ran.code}: {ran.err}")


class GoingOnError(Exception):
    """The operation cannot be run again."""


def remembered(home: Path) -> dict[str, list[str]]:
    """What long-term memory holds, without ids and times."""
    with existing(home) as db:
        if db is None:
            return {"memories": [], "goals": [], "consents": []}
        return {
            "memories": sorted(one["content"] for one in db.rows("SELECT content FROM memories")),
            "goals": sorted(one["text"] for one in db.rows("SELECT text FROM goals")),
            "consents": sorted(one["presenter"] for one in db.rows("SELECT presenter FROM consents")),
        }


def session_files(root: Path) -> dict[str, str]:
    """What is read of a session; the temporary file of a write that was cut short nobody reads."""
    found = {path: raw.decode() for path, raw in contents(root).items() if not LEFTOVER.fullmatch(path)}
    return dict(sorted(found.items()))


def different(whole: dict[str, object], now: dict[str, object]) -> list[str]:
    """The parts of two pictures that differ; of files the first lines that do."""
    found = []
    for part, expected in whole.items():
        if isinstance(expected, dict):
            before, after = (json.dumps(one[part], indent=1).split("\\n") for one in (whole, now))
            found += [f"{part}: {line}" for line in difflib.unified_diff(before, after, n=0)][:6]
        elif now[part] != expected:
            found.append(f"{part}: {now[part]}, unkilled {expected}")
    return found


def picture(home: Path) -> dict[str, object]:
    """All of a home that is the same whenever the same was done in it."""
    back, archives = home / "back" / "s", [home / "archives", home / "elsewhere"]
    return {
        "session": session_files(home / "sessions" / "s"),
        "restored": session_files(back),
        "modes": sorted((str(one.relative_to(back)), one.stat().st_mode) for one in back.rglob("*")),
        "left over": [
            str(one.relative_to(home))
            for folder in (home, home / "sessions", home / "back", *archives)
            if folder.is_dir()
            for one in folder.iterdir()
            if one.name.startswith(".") and one.name not in (".records", ".briefings")
        ],
        "archives": [[one.session for one in list_archives(str(url))] for url in archives],
        **remembered(home),
    }


def wrong_in(home: Path) -> list[str]:
    """What is wrong with anything that can be seen in the home right behind a kill."""
    wrong = [one for root in home.glob("sessions/[!.]*") for one in faults_of(root)]
    back = home / "back" / "s"
    if (back / "ledger").exists():
        wrong += [f"restored {one.path}: {one.kind}" for one in verify_session(back).findings]
    for url in (home / "archives", home / "elsewhere"):
        for one in list_archives(str(url)):
            if not verify_archive(str(url), one.session).valid:
                wrong.append(f"{one.archive}: listed, and not right")
    return wrong
