"""The command line: `greenroom`.

Results go to stdout, everything else to stderr. Errors are one line. Exit codes: 0 done,
1 refused or failed, 2 wrong usage. Only this package reads the environment and the arguments.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    try:
        from orchestrator.cli.app import run

        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        print("greenroom: stopped; nothing was done", file=sys.stderr)
        code = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said: the code stands
    sys.exit(code)
