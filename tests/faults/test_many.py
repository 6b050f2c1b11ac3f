"""Many writers of one session, and races for one file or against the end: nothing lost, doubled or late."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.helpers.figures import note, share
from tests.helpers.stores import TRANSCRIPT, bare, blueprints, contents, is_sound, records, views
from tests.helpers.writers import (
    FORK,
    Won,
    append_many,
    append_until_the_end,
    end,
    end_each,
    race_to_write,
    run,
)

WRITERS = 8
APPENDS = share(2000)
RACES = 8 * share(125)


def test_what_eight_processes_append_two_thousand_times_is_there_once_in_each_ones_order(
    tmp_path: Path,
) -> None:
    root = tmp_path / "s"
    store = bare(root)
    blueprints(store)
    end(*[run(FORK, append_many, root, writer, APPENDS) for writer in range(WRITERS)])
    store.catch_up()
    lines = [line.removeprefix("pair ") for line in store.content(TRANSCRIPT).splitlines()[1:]]
    wanted = {
        writer: [f"{writer} {number} {'é' * (number % 50)}" for number in range(APPENDS)]
        for writer in range(WRITERS)
    }
    in_order = [
        writer
        for writer in wanted
        if [one for one in lines if one.startswith(f"{writer} ")] == wanted[writer]
    ]
    count = WRITERS * APPENDS
    once = Counter(line for own in wanted.values() for line in own) & Counter(lines)
    wrong = count - once.total() + abs(len(lines) - count) + WRITERS - len(in_order)
    note("many writers", f"appends by {WRITERS} processes to one session", count=count, wrong=wrong)
    assert len(lines) == count
    assert in_order == list(wanted)
    assert views(root, store) == contents(store)
    assert is_sound(root)
    store.close()


def test_of_eight_that_write_a_write_once_file_exactly_one_wins(tmp_path: Path) -> None:
    """Four processes with two threads each, which have one store or one each."""
    panel = ("p1", "p2", "p3", "p4", "p5")
    roots = [tmp_path / f"s{number}" for number in range(RACES // 8)]  # eight such files in each
    for root in roots:
        bare(root, panel).close()
    barrier = FORK.Barrier(8)
    pipes = [FORK.Pipe(duplex=False) for _ in range(4)]
    processes = [
        run(FORK, race_to_write, roots, number, barrier, number % 2 == 0, pipes[number][1])
        for number in range(4)
    ]
    end(*processes)
    won: Won = [each for receiver, _ in pipes for each in receiver.recv()]
    winners = Counter((number, path) for number, path, _ in won)
    written = [(roots[number] / path).read_text() == f"by {winner}\n" for number, path, winner in won]
    wrong = RACES - sum(count == 1 for count in winners.values()) + written.count(False)
    note("races", "rounds of 8 writers of one write-once file", count=RACES, wrong=wrong)
    assert wrong == 0
    assert len(won) == RACES
    for root in roots:
        files = [line["file"] for line in records(root)[1:]]
        assert len(files) == len(set(files)) == 8
        assert is_sound(root)
    assert len({winner for *_, winner in won}) > 1


def test_nothing_is_written_behind_the_end(tmp_path: Path) -> None:
    roots = [tmp_path / f"s{number}" for number in range(RACES)]
    for root in roots:
        bare(root).close()
    barrier = FORK.Barrier(3)
    pipes = [FORK.Pipe(duplex=False) for _ in range(2)]
    appending = [run(FORK, append_until_the_end, roots, barrier, sender) for _, sender in pipes]
    ending = run(FORK, end_each, roots, barrier)
    end(ending, *appending)
    counts = [receiver.recv() for receiver, _ in pipes]
    acknowledged = sum(map(sum, counts))
    wrong = [
        root.name
        for root, one, other in zip(roots, *counts, strict=True)
        if not ends_with_what_was_acknowledged(root, one, other)
    ]
    told = f"{acknowledged} appends acknowledged before the ends"
    note("races", "ends against appends by two processes", count=RACES, wrong=len(wrong), told=told)
    assert wrong == []
    assert acknowledged > RACES


def ends_with_what_was_acknowledged(root: Path, one: int, other: int) -> bool:
    """Whether the appends of both processes are in the ledger and the file, and nothing behind the end."""
    lines = records(root)
    texts = [line["text"] for line in lines[1:-1]]
    view = root / TRANSCRIPT
    return (
        [line["op"] for line in lines] == ["open", *["append"] * (one + other), "freeze"]
        and sorted(texts, key=int) == sorted([f"{n}\n" for n in [*range(one), *range(other)]], key=int)
        and (view.read_text() if view.exists() else "") == "".join(texts)
        and is_sound(root)
    )
