"""What a ledger costs: its bytes, and what opening a long one takes.

    scripts/bench ledger [--hours N] [--records N]

Three measures, each in a session of its own:

demo      the bytes of the bundled demo's ledger, beside those of release 0.1.0, by kind of record
crew      twenty agents for four hours: every 15 s three pieces of speech, a context for each agent, and its
          candidate question, of which one in ten is new (37.5 MB in 0.1.0; at most 20)
opening   a ledger of 42,000 records: opening it, the first context and the next, the first append and the
          next (the first context took 2.7 to 4.3 s in 0.1.0; at most a tenth)
          and, with all texts in hand, beside a plain read of these (131 to 158 in 0.1.0; aim 30)
reading   a line and a value of the demo's ledger, each beside `json.loads` of the same line
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from itertools import cycle, islice, pairwise
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator import Home, Rehearsal  # noqa: E402 (the path is set first)
from orchestrator.cli.app import run as greenroom  # noqa: E402
from orchestrator.core.store import ledger  # noqa: E402
from orchestrator.core.store.history import LEDGER_NAME  # noqa: E402
from orchestrator.core.store.ledger import Held  # noqa: E402
from orchestrator.panel.records.kinds import KINDS  # noqa: E402
from tests.helpers.homes import new_home  # noqa: E402

OLD_DEMO_BYTES = 506_307
"""Of the demo's ledger with release 0.1.0 as it stood before version 2 (26 November 2026)."""
ROUNDS_AN_HOUR = 240  # a refresh each 15 s
CREW = tuple(f"member-{number:02}" for number in range(1, 20))  # and the moderator
WORDS = (
    "we",
    "grew",
    "revenue",
    "in",
    "the",
    "north",
    "by",
    "forty",
    "percent",
    "and",
    "the",
    "hub",
    "opens",
)
DECK = "# Plan\n\nRevenue grows by 40 % to 2 million euros.\n"
TRANSCRIPT = "shared/presenter-transcript.md"


def main(arguments: Sequence[str]) -> int:
    """Print the measures; 1 where a bound is passed."""
    parser = argparse.ArgumentParser(prog="scripts/bench ledger", description=__doc__.partition("\n")[0])
    parser.add_argument("--hours", type=float, default=4.0, help="of the crew")
    parser.add_argument("--records", type=int, default=42_000, help="of the long ledger")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="greenroom-bench-") as folder:
        root = Path(folder)
        try:
            kept = [
                _demo(root / "demo"),
                _crew(root / "crew", chosen.hours),
                _opening(root / "long", chosen.records),
            ]
        finally:
            for path in root.rglob("*"):  # ended sessions are read-only
                if path.is_dir():
                    path.chmod(0o700)
    return 0 if all(kept) else 1


def _demo(root: Path) -> bool:
    root.mkdir()
    home = new_home(root)
    with redirect_stdout(StringIO()):
        code = greenroom(["--home", str(home), "--quiet", "demo", "--offline"])
    if code:
        raise SystemExit(code)
    (path,) = home.glob(f"sessions/*/{LEDGER_NAME}")
    lines = path.read_bytes().splitlines(keepends=True)
    total, by_kind = sum(map(len, lines)), Counter[str]()
    for line in lines:
        record = ledger.decode(line)
        by_kind[record.type or record.op] += len(line)
    share = total / OLD_DEMO_BYTES
    print(f"demo: {len(lines)} records, {total:,} bytes, {share:.1%} of {OLD_DEMO_BYTES:,} (at most 60 %)")
    print("  " + ", ".join(f"{kind} {size / total:.0%}" for kind, size in by_kind.most_common(6)))
    held = [record.held for line in lines if (record := ledger.decode(line)).held is not None]
    line_s = _best(lambda: [ledger.decode(line) for line in lines]) / len(lines)
    json_s = _best(lambda: [json.loads(line) for line in lines]) / len(lines)
    value_s = _best(lambda: [Held(one.fields).among(KINDS) for one in held if one]) / len(held)
    print(
        f"reading: a line {line_s * 1e6:.1f} us, json.loads of it {json_s * 1e6:.1f} us; "
        f"a value {value_s * 1e6:.1f} us"
    )
    return total <= 0.6 * OLD_DEMO_BYTES


def _best(work: Callable[[], object]) -> float:
    """The shortest of five times, seconds."""
    times = []
    for _ in range(5):
        begin = perf_counter()
        work()
        times.append(perf_counter() - begin)
    return min(times)


def _crew(root: Path, hours: float) -> bool:
    root.mkdir()
    home, rounds = new_home(root), int(hours * ROUNDS_AN_HOUR)
    table = (ROOT / "agents" / "table.yaml").read_text("utf-8")
    (home / "table.yaml").write_text(table.replace("most: 5", f"most: {len(CREW)}"), "utf-8")
    for agent in CREW:
        shutil.copytree(home / "templates" / "skeptic", home / "templates" / agent)
    session = Rehearsal.start(Home.open(home), deck_text=DECK, id="crew", presenter="Ines", panel=CREW)
    begin, asked = perf_counter(), dict[str, str]()
    for number in range(rounds):
        for piece in range(3):
            spoken = " ".join(islice(cycle(WORDS), number % 9, number % 9 + len(WORDS)))
            session.append(TRANSCRIPT, f"{spoken} {number}.{piece}", by="transcript")
        contexts = [session.context(agent, task="Ask one question.", engine="a-model") for agent in CREW]
        with session.transaction() as tx:
            for place, context in enumerate(contexts):
                agent = context.agent
                if (number + place) % 10 == 0:
                    words = " ".join(WORDS)
                    asked[agent] = f"# Candidate question\n\n> {words}\n\nQuestion: How much, {number}?\n"
                if agent in asked:
                    path = f"{agent}/candidate-question.md"
                    tx.write(path, asked[agent], by=agent, receipt=context.receipt.id)
    size = (session.path / LEDGER_NAME).stat().st_size
    seconds = perf_counter() - begin
    is_valid = session.verify().valid
    session.close()
    print(
        f"crew: {hours:g} hours of {len(CREW) + 1} agents, {rounds * len(CREW):,} contexts in "
        f"{seconds:.0f} s: {size / 1e6:.1f} MB (at most {5 * hours:g}), "
        f"{'valid' if is_valid else 'NOT VALID'}"
    )
    return is_valid and size <= 5e6 * hours


def _opening(root: Path, records: int) -> bool:
    root.mkdir()
    home = new_home(root)
    session = Rehearsal.start(Home.open(home), deck_text=DECK, id="long", presenter="Ines")
    number = 0
    while session.rehearsal.store.seq < records:
        with session.transaction() as tx:
            for _ in range(500):
                number += 1
                spoken = " ".join(islice(cycle(WORDS), number % 7, number % 7 + len(WORDS)))
                if number % 3:
                    tx.append(TRANSCRIPT, f"{spoken} {number}.", by="transcript")
                else:
                    tx.append("skeptic/exchange-notes.md", f"- {spoken} {number}.", by="skeptic")
    session.close()
    first_s = 0.0
    for _ in range(3):
        took = [perf_counter()]
        with Rehearsal.open(Home.open(home), "long") as opened:
            for step in (
                lambda: opened.context("skeptic"),
                lambda: opened.context("skeptic"),
                lambda: opened.append(TRANSCRIPT, "One more.", by="transcript"),
                lambda: opened.append(TRANSCRIPT, "One more.", by="transcript"),
            ):
                took.append(perf_counter())
                step()
            took.append(perf_counter())
        opening, first, second, append, again = (later - earlier for earlier, later in pairwise(took))
        first_s = max(first_s, first)
        print(
            f"opening: {records:,} records in {opening:.2f} s; first context {first * 1e3:.1f} ms, next "
            f"{second * 1e3:.1f} ms; first append {append:.2f} s, next {again * 1e3:.2f} ms"
        )
    _plain(home, root / "plain")
    return first_s <= 0.27  # a tenth of the least that it took before


def _plain(home: Path, plain: Path) -> None:
    """Print opening, with the check and all texts in hand, beside a plain read of these texts."""
    ours, floor = [], []
    for _ in range(9):
        begin = perf_counter()
        opened = Rehearsal.open(Home.open(home), "long")
        text = opened.context("skeptic").text
        ours.append(perf_counter() - begin)
        plain.write_text(text, "utf-8")
        begin = perf_counter()
        plain.read_text("utf-8").splitlines()
        floor.append(perf_counter() - begin)
        opened.rehearsal.store.close_files()
    print(
        f"opening: with all texts {median(ours) * 1e3:.1f} ms, a plain read {median(floor) * 1e3:.2f} ms: "
        f"ratio {median(ours) / median(floor):.1f} (aim 30)"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
