"""What is promised, tried on this machine, in one table: what was run, on what, and what could not be.

    scripts/trust                      all of it (about three quarters of an hour on 2 cores)
    scripts/trust faults attack        some of the steps
    scripts/trust --minutes 10         load as long as the promise has it, in place of 2 minutes
    scripts/trust --share 4            one in 4 of the cases that go into the hundreds
    scripts/trust cluster --share 10   a cluster: a minute in place of 10, 30 sessions in place of 300
    scripts/trust cluster --seconds 60 --sessions 100
    scripts/trust --write FILE         the table in FILE too

Each test, bench and script keeps its own figures (tests/helpers/figures.py), so a figure here is one that
was counted in this run. Exit 1 where a promise was broken, a step failed, or fewer cases were tried than
the promise asks for and nobody said why.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Final, get_args

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.helpers.figures import SHARE_VARIABLE, VARIABLE, Promise  # noqa: E402  # the path is set first

PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
STEPS: Final[dict[str, tuple[str, ...]]] = {
    "faults": (*PYTEST, "-n", "2", "-m", "fault", "--durations=10", "tests/faults"),
    "bags": (*PYTEST, "tests/verify/test_bagit_suite.py"),
    "page": (*PYTEST, "tests/web/test_attacks.py", "tests/web/test_security.py"),
    "attack": (sys.executable, "scripts/attack.py"),
    "load": (sys.executable, "scripts/bench.py", "load", "--minutes", "{minutes}"),
    "cluster": (sys.executable, "scripts/trust_cluster.py", "--share", "{share}"),
}
"""What is run, in this order; each keeps the figures of one promise or more."""

MIN: Final[dict[Promise, tuple[int, str]]] = {
    "kill -9": (200, "faults"),
    "power cut": (100, "faults"),
    "torn and flipped": (100_000, "faults"),
    "many writers": (16_000, "faults"),
    "races": (2_000, "faults"),
    "tampering": (1_000, "faults"),
    "bags": (54, "bags"),
    "page": (42, "page"),
}
"""How many cases the promise asks for, where it asks for a number, and the step that tries as many."""
ELSEWHERE: Final[dict[Promise, str]] = {"peers": "installs other packages: scripts/bench peers"}
"""What is not run from here, and why."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one test, bench or script counted."""

    promise: str
    what: str
    count: int
    wrong: int
    told: str


@dataclass(frozen=True, slots=True)
class Row:
    """One promise: its figures, and what they come to."""

    promise: Promise
    figures: tuple[Figure, ...]
    steps: tuple[str, ...] = tuple(STEPS)  # those that were run
    share: int = 1  # one in how many of their cases

    @property
    def verdict(self) -> str:
        """kept, BROKEN, SHORT (of cases), PART (the rest was not asked for), NOT RUN (and why), or
        MISSING (and nobody said why)."""
        if not self.figures:
            return "MISSING"
        if any(figure.wrong for figure in self.figures):
            return "BROKEN"
        count = sum(figure.count for figure in self.figures)
        if not count:
            return "NOT RUN"
        least, step = MIN.get(self.promise, (0, ""))
        if count >= least:
            return "kept"
        return "SHORT" if step in self.steps and self.share == 1 else "PART"


def main(arguments: Sequence[str]) -> int:
    """Run the steps, print the table; 1 where something is not as promised."""
    parser = argparse.ArgumentParser(prog="scripts/trust", description=__doc__.partition("\n")[0])
    parser.add_argument("steps", nargs="*", choices=[*STEPS, []], metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--minutes", default="2", help="how long the load lasts (promised for 10)")
    parser.add_argument(
        "--share", type=int, choices=(1, 2, 4, 8, 10), default=1, help="one in how many cases"
    )
    parser.add_argument("--seconds", help="how long a cluster's faults last (promised for 600)")
    parser.add_argument("--sessions", help="of a cluster (promised for 300)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the table in a file too")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="trust-") as folder:
        kept = Path(folder) / "figures"
        failed = [name for name in chosen.steps or STEPS if not run(name, kept, chosen)]
        rows = rows_of(kept, tuple(chosen.steps or STEPS), chosen.share)
    asked = [row for row in rows if row.figures or (not chosen.steps and row.promise not in ELSEWHERE)]
    table = "\n".join(lines(asked, failed))
    print(f"\n{table}")
    if chosen.write:
        chosen.write.write_text(f"{table}\n", "utf-8")
    return int(bool(failed) or any(row.verdict in ("BROKEN", "SHORT", "MISSING") for row in asked))


def run(name: str, kept: Path, chosen: argparse.Namespace) -> bool:
    """Run one step, whose output goes where ours does; whether it succeeded."""
    command = [part.format(minutes=chosen.minutes, share=chosen.share) for part in STEPS[name]]
    if name == "cluster":
        for option in ("seconds", "sessions"):
            if (value := getattr(chosen, option)) is not None:
                command += [f"--{option}", value]
    variables = {VARIABLE: str(kept), SHARE_VARIABLE: str(chosen.share)}
    print(f"== {name}", flush=True)
    began = monotonic()
    done = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False)
    print(f"== {name}: exit {done.returncode} after {monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


def rows_of(kept: Path, steps: tuple[str, ...] = tuple(STEPS), share: int = 1) -> list[Row]:
    """The figures by promise, in the promises' order; a promise without one has an empty row.

    What several tests counted of the same thing (the cases of one parametrised test) is one figure.
    """
    read = kept.read_text("utf-8").splitlines() if kept.is_file() else []
    summed: dict[tuple[str, str, str], Figure] = {}
    for figure in (Figure(**json.loads(line)) for line in read):
        key = figure.promise, figure.what, figure.told
        before = summed.get(key)
        if before is not None:
            figure = replace(before, count=before.count + figure.count, wrong=before.wrong + figure.wrong)
        summed[key] = figure
    return [
        Row(promise, tuple(figure for figure in summed.values() if figure.promise == promise), steps, share)
        for promise in get_args(Promise)
    ]


def lines(rows: Sequence[Row], failed: Sequence[str]) -> Iterator[str]:
    """The table: a line for each promise, below it one for each of its figures."""
    system = f"{platform.system()} {platform.release()}"
    yield f"{system}, Python {platform.python_version()}, {os.cpu_count()} cores"
    for row in rows:
        count = sum(figure.count for figure in row.figures)
        least = f" (at least {MIN[row.promise][0]:,})" if row.promise in MIN else ""
        yield f"{row.promise:<17} {row.verdict:<8} {count:,} cases{least}"
        for figure in row.figures:
            wrong = f", {figure.wrong:,} WRONG" if figure.wrong else ""
            told = f": {figure.told}" if figure.told else ""
            yield f"    {figure.count:>9,}{wrong}  {figure.what}{told}"
    for promise, why in ELSEWHERE.items():
        yield f"{promise:<17} NOT RUN  {why}"
    for name in failed:
        yield f"step {name}: FAILED, see above"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
