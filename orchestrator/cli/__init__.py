"""The command line: `greenroom`.

Results go to stdout, everything else to stderr. Errors are one line. Exit codes: 0 done,
1 refused or failed, 2 wrong usage. Only this package reads the environment and the arguments.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from typing import Final

GC_THRESHOLD: Final = 50_000
"""Objects made before the collector looks for circles, in place of 700. What a command imports stays until
its end: looking through it again and again took 8 to 12 % of the processor time of small commands."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    gc.set_threshold(GC_THRESHOLD)
    try:
        from orchestrator.cli.app import run

        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        print("greenroom: stopped; nothing was done", file=sys.stderr)
        code = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said: the code stands
    sys.exit(code)
