"""Stores with a second copy: a replica in memory, replicas that refuse, and the store's tests with one.

`TEST_REPLICA=memory` before pytest gives every store of the test's process a replica. As a program, what
`.ci/run` does: the tests of store and core with it. Arguments go to pytest::

    python -m tests.helpers.replicas [ARGUMENTS...]
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from orchestrator.core.store import files
from orchestrator.core.store.history import LEDGER_NAME

ROOT: Final = Path(__file__).resolve().parents[2]
VARIABLE: Final = "TEST_REPLICA"
TESTS: Final = ("store", "core", "context", "guard")


class InMemory:
    """A second copy in this process, which checks what it is given against the disk.

    It begins with what the ledger holds when it is made, as a log does after a takeover.
    """

    def __init__(self, root: Path) -> None:
        self.path = root / LEDGER_NAME
        self.content = bytearray(self.path.read_bytes())
        self.given: list[tuple[bytes, int]] = []

    @property
    def size(self) -> int:
        return len(self.content)

    def keep(self, content: bytes, after: int) -> int:
        with files.descriptors() as fds:  # closed whatever is raised here, and at whatever line
            fd = fds.open(self.path, files.READ)
            disk = files.read_range(fd, 0, files.size_of(fd))
        assert disk[after:] == content, "the replica is given what stands at the ledger's end"
        assert content.endswith(b"\n")
        assert after >= len(self.content), "nothing that was kept is given again"
        self.content += disk[len(self.content) :]  # with what other processes wrote in between
        self.given.append((content, after))
        return len(self.given)

    def note_refusal(self) -> None:
        pass


class Refusing:
    """A replica that raises for each write, as long as `error` is set, after `before` was called."""

    def __init__(self, error: BaseException | None, before: Callable[[], None] = lambda: None) -> None:
        self.error = error
        self.before = before
        self.size = 0
        self.refusals = 0  # of this machine's disk

    def keep(self, content: bytes, after: int) -> int:
        self.before()
        if self.error is not None:
            raise self.error
        self.size = after + len(content)
        return after

    def note_refusal(self) -> None:
        self.refusals += 1


applied = False


def apply() -> None:
    """Give every store that this process opens a replica, unless it is given one."""
    global applied
    if applied:
        return
    applied = True
    from orchestrator.core.store.store import Store

    opened = Store.__init__

    def kept(self: Store, root: Path, **options: Any) -> None:
        opened(self, root, **options)
        if self.replica is None:
            self.replica = InMemory(root)

    Store.__init__ = kept  # type: ignore[method-assign]


def main(arguments: list[str]) -> int:
    """The tests of the store, each store with a replica."""
    files = [f"tests/{name}" for name in TESTS]
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-m", "not slow", *files, *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, VARIABLE: "memory"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
