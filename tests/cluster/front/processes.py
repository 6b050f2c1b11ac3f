"""The processes of a server with several workers, as the system lists them."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.helpers.live_feeds import until
from tests.web.conftest import Served

WORKER = "orchestrator.cli.worker_process"
NATS = "server.conf"
GUARD = f"{WORKER} guard"


def children(pid: int, what: str = WORKER) -> list[int]:
    """The processes that this one started, whose arguments end with *what*."""
    listed = subprocess.run(
        ["ps", "-ww", "-A", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    )
    found = (line.split(maxsplit=3) for line in listed.stdout.splitlines())
    return [
        int(one[0])
        for one in found
        if len(one) == 4 and int(one[1]) == pid and one[3].endswith(what) and not one[2].startswith("Z")
    ]


def is_there(pid: int) -> bool:
    """Whether a process runs."""
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return bool(listed.stdout.strip()) and not listed.stdout.startswith("Z")


def gone(pids: list[int]) -> None:
    """Wait until all of them have ended."""
    until("the processes' end", lambda: not any(is_there(one) for one in pids))


def driver(home: Path, session: str) -> int:
    """The process that drives a session."""
    return int((home / "sessions" / session / "ledger" / "driver.lock").read_text("utf-8").split()[0])


def all_of(served: Served) -> list[int]:
    """The workers, the guard and the NATS server of a server."""
    return [one for what in (WORKER, GUARD, NATS) for one in children(served.process.pid, what)]


def send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
