"""kill -9 at every file system call that changes something, in every operation.

What was acknowledged is there, nothing is seen half, what is found says no more than that a write was cut
short, the next open mends it, and the operation can be run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from orchestrator.core.store.store import Store
from tests.helpers.cut_short import (
    COMMAND,
    Case,
    GoingOnError,
    commands,
    different,
    faults_of,
    loaded,
    picture,
    put_back,
    spread,
    wrong_in,
)
from tests.helpers.figures import note, share
from tests.helpers.forked import NO_FAULT, Fault, Forked, acknowledge, places
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import write_rehearsal
from tests.helpers.stores import CANDIDATE, DECK, INTEL, NOTES, TRANSCRIPT, bare, blueprints

MAX: Final = share(40)
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
        with store.transaction() as tx:
            tx.append(TRANSCRIPT, f"word {number}\n", by="transcript")
            tx.write(CANDIDATE, "why? " * (9 - 4 * number), by="skeptic")
            tx.write(INTEL, f"news {number}\n", by="intel")
            tx.append(NOTES, f"note {number}\n", by="skeptic")
        acknowledge()
    store.close()


RECORDS: Final[dict[Callable[[str], None], int]] = {append: 1, write_once: 1, overwrite: 1, transaction: 4}
"""Of each acknowledged write."""


# ---------------------------------------------------------------------- where they are killed


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    with loaded("kill -9", tmp_path_factory) as program:
        root = tmp_path_factory.mktemp("warm") / "session"
        made(root)
        for function in (append, overwrite, transaction):
            program.warm(f"{__name__}:{function.__name__}", root)
        yield program


def points(program: Forked, target: str, *arguments: str | Path) -> list[Fault]:
    """The calls that change something in one run of the operation, which is not killed."""
    calls = places(program.run(target, *arguments, fault=NO_FAULT), that_change=True)
    return [Fault(call, str(when), "signal=KILL") for call, when in spread(calls, MAX)]


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
    assert killed > MAX // 4


# ---------------------------------------------------------------------- the command line


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
    assert killed > MAX // 4


def holding_canary(home: Path) -> list[str]:
    """Files of the home that still hold a word of the session."""
    return [
        str(one.relative_to(home)) for one in home.rglob("*") if one.is_file() and CANARY in one.read_bytes()
    ]
