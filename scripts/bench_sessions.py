"""What sessions that nobody ended cost: `list`, anew and once they are known, and a server that stands idle.

    scripts/bench sessions [--sessions N]

Printed is processor time for each session beyond that of an empty home, and for the server its share of a
core and its descriptors. To make a session takes longer than all that is measured.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from orchestrator import Home, Rehearsal  # noqa: E402 (the path is set first)
from tests.helpers.homes import new_home  # noqa: E402
from tests.helpers.rehearsals import DECK  # noqa: E402

PROGRAM = (sys.executable, "-m", "orchestrator.cli", "--home")
OLD_S = 3600.0
"""As old a ledger is made as one that nobody writes to any more."""
SETTLES_S = 20.0
WATCHED_S = 10.0
MAX_SHARE = 0.05
MAX_DESCRIPTORS = 64


def fill(home: Path, count: int) -> None:
    opened = Home.open(home)
    for number in range(count):
        Rehearsal.start(opened, deck_text=DECK, id=f"s{number:05}", engine="offline").close()
        ledger = home / "sessions" / f"s{number:05}" / "ledger" / "ledger.jsonl"
        os.utime(ledger, (time.time() - OLD_S, time.time() - OLD_S))


def list_s(home: Path) -> float:
    """Processor time of one list."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    subprocess.run([*PROGRAM, str(home), "list"], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return used() - before


def idle(home: Path, settles_s: float) -> tuple[float, int]:
    """A server's share of a core while nobody asks anything, and its descriptors."""
    command = [*PROGRAM, str(home), "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(settles_s)
        before, begin = _cpu_s(process.pid), time.monotonic()
        time.sleep(WATCHED_S)
        share = (_cpu_s(process.pid) - before) / (time.monotonic() - begin)
        descriptors = len(os.listdir(f"/proc/{process.pid}/fd"))
        process.terminate()
    return share, descriptors


def _cpu_s(pid: int) -> float:
    ticks = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def main(arguments: Sequence[str]) -> int:
    """Print the figures; returns the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/bench sessions", description=__doc__)
    parser.add_argument("--sessions", type=int, default=300)
    count = parser.parse_args(arguments).sessions
    with tempfile.TemporaryDirectory(prefix="greenroom-bench-") as folder:
        empty, home = new_home(Path(folder) / "empty"), new_home(Path(folder) / "home")
        fill(home, count)
        floor = min(list_s(empty) for _ in range(3))
        anew, known = list_s(home) - floor, min(list_s(home) for _ in range(3)) - floor
        each = f"anew {1e6 * anew / count:.0f} µs, known {1e6 * known / count:.0f} µs"
        print(f"list, {count:,} sessions, each   {each}")
        # The first look at each session opens it, ten in every sweep.
        share, descriptors = idle(home, SETTLES_S + count / 20)
    kept = share <= MAX_SHARE and descriptors <= MAX_DESCRIPTORS
    print(
        f"idle server, {count:,} sessions   {share:.1%} of a core, {descriptors} descriptors   "
        f"bound {MAX_SHARE:.0%}, {MAX_DESCRIPTORS}: {'kept' if kept else 'EXCEEDED'}"
    )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
