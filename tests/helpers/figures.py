"""The figures of the promises: what a test or bench counted, kept where `scripts/trust` asks for it.

`scripts/trust` names a file in `TRUST_FIGURES`; without it nothing is kept, and a test is only a test.
With `TRUST_SHARE` (`--share N`) a test that tries thousands of cases tries one in N of them, evenly spread.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final, Literal

VARIABLE: Final = "TRUST_FIGURES"
SHARE_VARIABLE: Final = "TRUST_SHARE"
SHARE: Final = int(os.environ.get(SHARE_VARIABLE, "1"))
"""One in how many cases is tried: 1 for all that is promised."""

Promise = Literal[
    "kill -9", "power cut", "torn and flipped", "disk faults", "many writers", "races", "tampering", "guard",
    "archive", "bags", "decks", "page", "bad inputs", "privacy", "load", "cluster", "peers",
]  # fmt: skip
"""The rows of the table that `scripts/trust` prints, in its order."""


def share(count: int) -> int:
    """How many of *count* cases are tried: at least one."""
    return max(1, count // SHARE)


def note(promise: Promise, what: str, *, count: int, wrong: int = 0, told: str = "") -> None:
    """Keep one figure: of *count* cases of *what*, *wrong* broke the promise.

    Args:
        promise: The row it belongs to.
        what: What was done, and on what, in a few words ("kills at write, appending").
        count: How many cases were tried; 0 where none could be.
        wrong: How many of them broke the promise.
        told: What else is worth a line: a percentile with its unit, what was skipped and why.
    """
    kept = os.environ.get(VARIABLE)
    if kept is None:
        return
    line = json.dumps({"promise": promise, "what": what, "count": count, "wrong": wrong, "told": told})
    # One write of one line: the two processes that run the tests share the file.
    fd = os.open(Path(kept), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)
    try:
        os.write(fd, f"{line}\n".encode())
    finally:
        os.close(fd)


def not_run(promise: Promise, what: str, why: str) -> None:
    """Say that *what* could not be tried here, and why; a test that skips says it too."""
    note(promise, what, count=0, told=f"NOT RUN: {why}")
