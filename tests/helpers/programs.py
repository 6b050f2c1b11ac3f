"""A program of a test's own that runs beside it, and its children; none of them outlives the test."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ENDS_WITHIN_S = 10


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str], told: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run *command* in a process group of its own; what it prints goes into the file *told*."""
    with told.open("wb") as file:
        program = subprocess.Popen(
            command, stdout=file, stderr=file, env={**os.environ, **environment}, start_new_session=True
        )
    try:
        yield program
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            program.wait(ENDS_WITHIN_S)
        with suppress(ProcessLookupError):  # it did not end in time, or its children did not
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
