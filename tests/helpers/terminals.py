"""The command line at a terminal: a process on a pseudo-terminal, and what is typed there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.dialogue import AGAIN, WORTH
from tests.helpers.rehearsals import ROOT

QUIET_S = 0.3
"""A prompt that has stood for so long waits for what is typed."""
MAX_LENGTH_S = 120.0
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@dataclass(frozen=True)
class Seen:
    """What stood on the terminal in the end, without its colours."""

    text: str
    code: int

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


def at_terminal(
    home: Path,
    *arguments: str | Path,
    typed: Sequence[str] = (),
    verdicts: Sequence[str] = (),
    columns: int = 100,
) -> Seen:
    """Run a command at a terminal; each of *typed* is sent, as it is, when a prompt waits for it.

    *verdicts* are sent where it is asked what an answer was worth, or whether it is asked again; when none is
    left, Enter.
    """
    command = [sys.executable, "-m", "orchestrator.cli", "--home", str(home), *map(str, arguments)]
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, command, {**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT)})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    got, waiting, ends = b"", list(typed), time.monotonic() + MAX_LENGTH_S
    judging = list(verdicts)
    changed = time.monotonic()
    while time.monotonic() < ends:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # Linux says so at the end
                break
            if not piece:
                break
            got, changed = got + piece, time.monotonic()
        elif waiting and got.endswith((b"> ", b"]: ")) and time.monotonic() - changed > QUIET_S:
            os.write(terminal, waiting.pop(0).encode())
            changed = time.monotonic()
        elif got.endswith((WORTH.encode(), AGAIN.encode())) and time.monotonic() - changed > QUIET_S:
            os.write(terminal, (judging.pop(0) if judging else "\r").encode())
            changed = time.monotonic()
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    lines = _COLOUR.sub("", got.decode()).replace("\r\n", "\n").split("\n")
    text = "\n".join(line.rpartition("\r")[2] for line in lines)  # a bar of progress is written over
    return Seen(text, os.waitstatus_to_exitcode(status))
