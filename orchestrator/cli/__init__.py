"""The command line: `greenroom`.

Results go to stdout, everything else to stderr. Errors are one line. Exit codes: 0 done,
1 refused or failed, 2 wrong usage. Only this package reads the environment and the arguments.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

GC_THRESHOLD: Final = 100_000
"""Objects made before the collector looks for circles, in place of 700: more than a small command ever holds
(64,000 for `show`). Nearly all of them are imported and stay until its end: looking through them took 8 to
12 % of its processor time at 700, and still 5 % where it happened once."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    gc.set_threshold(GC_THRESHOLD)
    # What was said is for its owner, who always may, and for the group to read at most.
    os.umask(os.umask(0o077) & 0o077 | 0o027)
    try:
        from orchestrator.cli.streams import prepare_streams

        prepare_streams()
        from orchestrator.cli.app import run

        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        print("greenroom: stopped; nothing was done", file=sys.stderr)
        code = 1
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said: the code stands
    gc.freeze()  # Python's own last collections skip what the system takes back anyway: a sixth of `show`
    sys.exit(code)
