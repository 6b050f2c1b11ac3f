"""Values of records, read by many threads at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import dataclasses, sys, threading
from orchestrator.core.values import from_json

sys.setswitchinterval(1e-6)
for number in range(60):
    inner = [
        dataclasses.make_dataclass(f"Inner{number}_{at}", [(f"x{n}", int) for n in range(5)], frozen=True)
        for at in range(8)
    ]
    kind = dataclasses.make_dataclass(f"Outer{number}", [(f"part{at}", inner[at]) for at in range(8)])
    plain = {f"part{at}": {f"x{n}": n for n in range(5)} for at in range(8)}
    together = threading.Barrier(6)
    read = []

    def one():
        together.wait()
        read.append(from_json(kind, plain))

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read) == 6 and all(value == read[0] for value in read)
print("read")
"""


def test_threads_that_read_a_class_for_the_first_time_at_once_end_no_process() -> None:
    """msgspec 0.22.0 does, as a server did that was asked for several sessions right after its start."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert (ran.returncode, ran.stdout) == (0, "read\n"), ran.stderr
