"""How soon a small command is there, beside the two libraries that every command line of this kind loads.

    scripts/bench startup

Floor and measured take turns, each in a process of its own; what counts is processor time. The last
rows say which imports of ours take longest.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
FLOOR = ("-c", "import typer, rich.console")
COMMANDS = (("--help",), ("list",), ("show", "last"), ("context", "last", "skeptic"))
ROUNDS = 15
BOUND = 3.0
"""Times the floor: interfaces.md's promise for a command that asks no engine."""


def _environment() -> dict[str, str]:
    """As an installation has it, with bytecode: else our modules alone are compiled anew at every call."""
    passed_on = {name: one for name, one in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return passed_on | {"PYTHONPATH": str(ROOT)}


def _cpu_s(arguments: Sequence[str]) -> float:
    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    )
    return used() - before


def main(arguments: Sequence[str]) -> int:
    """Print the ratios; returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="greenroom-bench-") as folder:
        home = Path(folder) / "home"
        for name in ("templates", "session-templates"):
            shutil.copytree(ROOT / "agents" / name, home / name)
        program = ("-m", "orchestrator.cli", "--home", str(home))
        _cpu_s((*program, "--quiet", "demo", "--offline"))
        calls = {"floor": FLOOR} | {" ".join(one): (*program, *one) for one in COMMANDS}
        took: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(ROUNDS):
            for name, call in calls.items():
                took[name].append(_cpu_s(call))
        floor = median(took["floor"])
        print(f"floor: `python -c '{FLOOR[1]}'` {floor * 1000:.0f} ms of processor time")
        for name in list(calls)[1:]:
            ratio = median(took[name]) / floor
            kept = "kept" if ratio <= BOUND else "EXCEEDED"
            cpu_ms = median(took[name]) * 1000
            print(f"{name:<24} {cpu_ms:>4.0f} ms, {ratio:.2f} times (bound {BOUND:g}: {kept})")
        timed = subprocess.run(
            [sys.executable, "-X", "importtime", *program, "show", "last"],
            check=True,
            capture_output=True,
            text=True,
            env=_environment(),
        )
    rows = re.findall(r"import time: +(\d+) \| +\d+ \| +(\S+)", timed.stderr)
    for own_us, module in sorted(((int(us), module) for us, module in rows), reverse=True)[:10]:
        print(f"  {own_us / 1000:>5.1f} ms  {module}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
