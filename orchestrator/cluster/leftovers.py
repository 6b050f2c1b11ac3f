"""Leave nothing of a demonstration, also where its process was killed: run as a program of its own.

It reads lines on its standard input: `+PID` and `-PID` for a process that began and one that ended. Where the
input ends, whoever wrote it has ended: what still runs is killed, and the folder is removed.

It imports nothing but the standard library, and is run by its path, so it is there in some milliseconds.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import suppress
from time import sleep
from typing import IO, Final

TRIES: Final = 100
"""Times that the folder is removed: a process that was killed may still write for a moment."""
_AGAIN_S: Final = 0.1


def clear(lines: IO[str], folder: str) -> None:
    """Wait until *lines* end; then kill what they have named, and remove *folder*."""
    left: set[int] = set()
    for line in lines:
        with suppress(ValueError):  # the last one may be cut off
            (left.add if line.startswith("+") else left.discard)(int(line[1:]))
    for pid in left:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    for _ in range(TRIES):
        _remove(folder)
        if not os.path.lexists(folder):
            return
        sleep(_AGAIN_S)


def _remove(folder: str) -> None:
    for root, _, _ in os.walk(folder):
        with suppress(OSError):
            os.chmod(root, 0o700)  # an ended session's folders are read-only
    shutil.rmtree(folder, ignore_errors=True)


def main(arguments: list[str]) -> int:
    """Clear up after the process that writes to this one's standard input; return the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # those are for whoever is cleared up after
        signal.signal(number, signal.SIG_IGN)
    [folder] = arguments
    clear(sys.stdin, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
