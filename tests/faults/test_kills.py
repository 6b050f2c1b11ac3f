"""kill -9 at every file system call that changes something, in every operation.

What was acknowledged is there, nothing is seen half, what is found says no more than that a write was cut
short, the next open mends it, and the operation can be run again.
"""

from __future__ import annotations

import difflib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from orchestrator.archive.download import list_archives, verify_archive
from orchestrator.home.folder import Home
from orchestrator.memory.database import existing
from orchestrator.session import Session
from orchestrator.store.store import Store
from orchestrator.verify import verify_session
from orchestrator.verify.session_folder import LEFTOVER
from tests.helpers.figures import not_run, note
from tests.helpers.forked import NO_FAULT, Fault, Forked, Ran, acknowledge, places, why_not
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import Rehearsal, contents, write_rehearsal
from tests.helpers.stores import CANDIDATE, DECK, INTEL, NOTES, TRANSCRIPT, bare, blueprints

COMMAND: Final = "tests.helpers.forked:command"
MOST: Final = 45
"""Points of one operation; of one with more calls as many, evenly spread. A point takes about 0.3 s."""
CANARY: Final = b"estuary"
"""A word of the deck and of the speech, which stands in no template."""


# ---------------------------------------------------------------------- what the children do


def append(root: str) -> None:
    store = Store(Path(root))
    for number in range(4):
        store.append(TRANSCRIPT, f"[00:1{number}] Presenter: more {number}\n", by="transcript")
        acknowledge()
    store.close()


def write_once(root: str) -> None:
    store = Store(Path(root))
    for path, text in ((DECK, "# Slide 1\n"), ("shared/board-dossier.md", "None.\n")):
        store.write(path, text, by="start")
        acknowledge()
    store.close()


def overwrite(root: str) -> None:
    store = Store(Path(root))
    for size in (900, 30, 400, 1):
        store.write(CANDIDATE, f"{'why ' * size}?\n", by="skeptic")
        acknowledge()
    store.close()


def transaction(root: str) -> None:
    store = Store(Path(root))
    for number in range(3):
        with store.transaction():
            store.append(TRANSCRIPT, f"word {number}\n", by="transcript")
            store.write(CANDIDATE, "why? " * (9 - 4 * number), by="skeptic")
            store.write(INTEL, f"news {number}\n", by="intel")
            store.append(NOTES, f"note {number}\n", by="skeptic")
        acknowledge()
    store.close()


RECORDS: Final[dict[Callable[[str], None], int]] = {append: 1, write_once: 1, overwrite: 1, transaction: 4}
"""Of each acknowledged write."""


# ---------------------------------------------------------------------- where they are killed


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    why = why_not()
    if why is not None:
        not_run("kill -9", "kills at every file system call", why)
        pytest.skip(f"no kills at file system calls: {why}")
    with Forked(tmp_path_factory.mktemp("forked")) as program:
        warm(program, tmp_path_factory.mktemp("warm"))
        yield program


def commands(home: Path, files: Rehearsal) -> dict[str, tuple[str, ...]]:
    """Every operation of the command line, in an order in which they can follow each other."""
    return {
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


def warm(program: Forked, folder: Path) -> None:
    """Load whatever an operation loads, in the program that the children are forked from."""
    home, files = new_home(folder / "home"), write_rehearsal(folder)
    for one in commands(home, files).values():
        program.warm(COMMAND, "--home", home, *one)
    for more in (("resume", "s"), ("list",), ("memory", "list", "--presenter", "Ines")):
        program.run(COMMAND, "--home", home, *more)
    root = folder / "session"
    made(root)
    for function in RECORDS:
        if function is not write_once:
            program.warm(f"{__name__}:{function.__name__}", root)


def points(program: Forked, target: str, *arguments: str | Path) -> list[Fault]:
    """The calls that change something in one run of the operation, which is not killed."""
    calls = places(program.run(target, *arguments, fault=NO_FAULT), that_change=True)
    step = max(1.0, len(calls) / MOST)
    chosen = [calls[int(number * step)] for number in range(min(MOST, len(calls)))]
    return [Fault(call, str(when), "signal=KILL") for call, when in chosen]


def put_back(kept: Path, at: Path) -> None:
    shutil.rmtree(at, ignore_errors=True)
    shutil.copytree(kept, at, symlinks=True)


# ---------------------------------------------------------------------- what must hold behind a kill


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


def made(root: Path) -> int:
    """A session for the store's own writes; its last record's number."""
    store = bare(root)
    blueprints(store)
    store.append(TRANSCRIPT, "Presenter: we grew.\n", by="transcript")
    store.write(CANDIDATE, "why? " * 500, by="skeptic")
    store.close()
    return store.seq


@pytest.mark.parametrize("function", RECORDS, ids=lambda one: one.__name__)
def test_what_was_acknowledged_is_there_and_nothing_else_but_the_write_under_way(
    function: Callable[[str], None], forked: Forked, tmp_path: Path
) -> None:
    kept, root, target = tmp_path / "kept", tmp_path / "s", f"{__name__}:{function.__name__}"
    before = made(kept)
    put_back(kept, root)
    wrong, killed = [], 0
    for fault in points(forked, target, root):
        put_back(kept, root)
        ran = forked.run(target, root, fault=fault)
        killed += ran.code == -9
        store = Store(root)
        stored, rest = divmod(store.seq - before, RECORDS[function])
        store.close_files()
        if rest or not ran.acknowledged <= stored <= ran.acknowledged + 1:
            wrong.append(f"{fault}: {ran.acknowledged} acknowledged, {stored} stored and {rest} records")
        wrong += [f"{fault}: {one}" for one in faults_of(root)]
    note("kill -9", f"store: {function.__name__}", count=killed, wrong=len(wrong))
    assert not wrong, "\n".join(wrong)
    assert killed > 10


# ---------------------------------------------------------------------- the command line


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

    def _start(self) -> None:
        self._done("start", or_said="is already there")

    def _feed(self) -> None:
        with self._session() as session:
            is_loaded = session.projection.playback is not None
        self._check(self.do("resume", "s") if is_loaded else self.again("feed"))

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
            self._check(self.do("resume", "s"))
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
            self._check(self.do("resume", "s"), or_said="there is nothing to go on with")
        else:
            self._done("run")

    def _session(self) -> Session:
        return Session.open(Home.open(self.home), "s")

    def _done(self, name: str, or_said: str = "\0") -> None:
        self._check(self.again(name), or_said)

    def _check(self, ran: Ran, or_said: str = "\0") -> None:
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


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("start", ()),
        ("feed", ("start",)),
        ("ask", ("start", "feed")),
        ("answer", ("start", "feed", "ask")),
        ("end", ("start", "feed", "ask")),
        ("archive", ("start", "feed", "end")),
        ("restore", ("start", "feed", "end", "archive")),
        ("erase", ("start", "feed", "ask", "answer", "end")),
        ("goal", ("start",)),
        ("run", ()),
    ],
)
def test_a_killed_command_leaves_nothing_half_and_can_be_run_again(
    name: str, before: tuple[str, ...], forked: Forked, tmp_path: Path
) -> None:
    kept, case = tmp_path / "kept", Case(forked, new_home(tmp_path / "home"), write_rehearsal(tmp_path))
    for earlier in before:
        assert case.again(earlier).code == 0, earlier
    put_back(case.home, kept)
    chosen = points(forked, COMMAND, "--home", case.home, *commands(case.home, case.files)[name])
    whole = picture(case.home)
    wrong, killed = [], 0
    for fault in chosen:
        put_back(kept, case.home)
        arguments = commands(case.home, case.files)[name]
        ran = forked.run(COMMAND, "--home", case.home, *arguments, fault=fault)
        killed += ran.code == -9
        found = wrong_in(case.home)
        try:
            case.go_on(name)
        except GoingOnError as error:
            found.append(str(error))
        now = picture(case.home)
        found += different(whole, now)
        found += [f"left in {path}" for path in holding_canary(case.home)] if name == "erase" else []
        wrong += [f"{fault}: {one}" for one in found]
    note("kill -9", f"greenroom {name}", count=killed, wrong=len({one.partition(": ")[0] for one in wrong}))
    assert not wrong, "\n".join(wrong)
    assert killed > 10


def holding_canary(home: Path) -> list[str]:
    """Files of the home that still hold a word of the session."""
    return [
        str(one.relative_to(home)) for one in home.rglob("*") if one.is_file() and CANARY in one.read_bytes()
    ]
