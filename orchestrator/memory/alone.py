"""Who runs the summariser now: at most one process, and never a dead one.

The lock is `flock` on the session's `facts/` folder itself, so nothing is left behind, and the
system gives it back the moment its holder dies. Where it cannot be had (a network file system, a
folder that cannot be made), the run goes on without: the ledger's records alone keep a window
from being counted twice; the lock keeps it from being paid for twice.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from orchestrator.memory.derived import derived_folder

_POLL_S: Final = 0.02


@contextmanager
def alone(root: Path, folder: str, *, wait_s: float = 0.0) -> Iterator[bool]:
    """Hold *folder* of the session at *root*; False: another process does, also after *wait_s* seconds.

    It makes no folder: whoever may write to the session does that before.
    """
    with ExitStack() as stack:
        try:
            fd = stack.enter_context(derived_folder(root, folder, make=False))
        except OSError:
            yield True
            return
        yield _locked(fd, wait_s)


def _locked(fd: int, wait_s: float) -> bool:
    deadline = monotonic() + wait_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if monotonic() >= deadline:
                return False
            sleep(_POLL_S)
        except OSError:
            return True  # this file system locks no folders
