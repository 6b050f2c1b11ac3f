"""Every promise of the four memory seeds, and the test that shows it; printed at the end of a run.

What Greenroom does not take over stands in `orchestrator/memory/README.md` with its reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

PROMISES: Final[list[tuple[str, str, str, str]]] = [
    (seed, promise, file, test)
    for seed, promise, file, test in yaml.safe_load(
        (Path(__file__).resolve().parents[1] / "memory" / "promises.yaml").read_text("utf-8")
    )
]
"""Seed, promise, file below `tests/` without `test_` and `.py`, test without `test_`."""


def node_of(file: str, test: str) -> str:
    """The test's id, without its parameters."""
    folder, _, name = file.rpartition("/")
    return f"tests/{folder}/test_{name}.py::test_{test}"
