"""The command line: `greenroom`.

Results go to stdout, everything else to stderr. Errors are one line. Exit codes: 0 done,
1 refused or failed, 2 wrong usage, 143 and 129 stopped by SIGTERM and SIGHUP. Only this package
reads the environment and the arguments.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NoReturn

from orchestrator.cli import signals

GC_THRESHOLD: Final = 100_000
"""Number of objects made before the garbage collector looks for cycles, in place of 700: more than a small
command ever has (64,000 for `show`). Nearly all of them come from imports and stay until the end. Looking
through them took 8 to 12 % of the processor time at 700, and still 5 % if it happened once."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its exit code."""
    try:
        signals.listen()
        gc.set_threshold(GC_THRESHOLD)
        # What was said is for its owner, who always may, and for the group to read at most.
        os.umask(os.umask(0o077) & 0o077 | 0o027)
        from orchestrator.cli.screen import prepare_streams

        prepare_streams()
        from orchestrator.cli.app import run

        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        print("greenroom: stopped; nothing was done", file=sys.stderr)
        code = signals.exit_code()
    signals.ignore()
    if signals.ended_by() is not None:
        _leave(code)
    gc.freeze()  # Python's own last collections skip what the system takes back anyway: a sixth of `show`
    sys.exit(code)


def _leave(code: int) -> NoReturn:
    """Exit at once, so that a thread that waits for a model does not keep the process alive."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or its terminal is gone
            stream.flush()
    os._exit(code)
