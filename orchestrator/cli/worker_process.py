"""What `greenroom serve --workers` starts for each worker: `python -m orchestrator.cli.worker_process`."""

from __future__ import annotations

import gc
import os
import sys

from orchestrator.cli import GC_THRESHOLD, log, signals
from orchestrator.core.errors import GreenroomError


def main() -> int:
    """Run one worker until its standard input ends; return the exit code."""
    signals.listen()
    gc.set_threshold(GC_THRESHOLD)
    os.umask(os.umask(0o077) & 0o077 | 0o027)  # as every command
    try:
        log.begin("serve")
        from orchestrator.cluster.process import main as work

        return work()
    except (GreenroomError, OSError) as error:
        print(f"greenroom: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # a thread that waits for a model or a disk keeps nobody waiting
