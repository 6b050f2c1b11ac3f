"""What `greenroom serve --workers` starts: a worker; with the argument `guard`, the guard of their home."""

from __future__ import annotations

import gc
import os
import sys

from orchestrator.cli import GC_THRESHOLD, log, signals
from orchestrator.cli.arguments import guarded
from orchestrator.cli.screen import Screen, prepare_streams
from orchestrator.core.errors import GreenroomError


def main() -> int:
    """Run one worker, or the guard, until its standard input ends; return the exit code."""
    signals.listen()
    gc.set_threshold(GC_THRESHOLD)
    os.umask(os.umask(0o077) & 0o077 | 0o027)  # as every command
    prepare_streams()
    Screen.current = Screen(home=None, json=False, quiet=False)
    try:
        log.begin("serve")
        from orchestrator.cluster.process import guard, work

        if sys.argv[1:] == ["guard"]:
            return guard(guarded)
        return work()
    except (GreenroomError, OSError) as error:
        print(f"greenroom: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # a thread that waits for a model or a disk keeps nobody waiting
