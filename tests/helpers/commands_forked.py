"""`greenroom` in a process of its own, forked from one that has everything loaded.

A Python that starts anew and imports the program takes ten times as long as most commands do. What depends on
the start itself (encodings, signals, a terminal, a closed stdout) starts `python -m orchestrator.cli`.
"""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import orchestrator

ROOT: Final = Path(__file__).resolve().parents[2]
TIMEOUT_S: Final = 600

_LATE: Final = ("orchestrator.web", "orchestrator.mcp", "orchestrator.cli.__main__")
"""What only servers load, and what runs when it is loaded."""
_LOADED: Final = [
    module.name
    for module in pkgutil.walk_packages(orchestrator.__path__, "orchestrator.")
    if not module.name.startswith(_LATE)
]
_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, "pydantic", "sqlite3", "zoneinfo", "jinja2", "yaml", *_LOADED])


def command(
    arguments: Sequence[str], stdin: str, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run one command line in the project's folder, with warnings as errors; as `subprocess.run` has it.

    Raises:
        subprocess.TimeoutExpired: It has not ended after ten minutes; it is killed.
    """
    with tempfile.TemporaryDirectory(prefix="command-") as folder:
        streams = [Path(folder) / name for name in ("in", "out", "err")]
        streams[0].write_text(stdin, "utf-8")
        process = _FORKS.Process(target=_child, args=(list(arguments), dict(environment), streams))
        process.start()
        process.join(TIMEOUT_S)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(list(arguments), TIMEOUT_S)
        out, err = (path.read_text("utf-8") for path in streams[1:])
        return subprocess.CompletedProcess(list(arguments), process.exitcode, out, err)


def _child(arguments: list[str], environment: dict[str, str], streams: list[Path]) -> None:
    for number, path in enumerate(streams):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)
    # As Python's own: they do not close what they write to.
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        for number, mode in enumerate("rww")
    )
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(ROOT)
    warnings.simplefilter("error")
    from orchestrator.cli import main

    main(arguments)
