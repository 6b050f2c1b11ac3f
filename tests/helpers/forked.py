"""A program that has everything loaded and is forked for each trial, so that a fault can be put at any
of its file system calls: from the fork on it makes those of the operation alone.

`Forked` is its other end, in the test: it starts `strace` on each child before it lets it go.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from orchestrator.cli.app import run
from orchestrator.cli.screen import prepare_streams
from orchestrator.core.archive import stores

ROOT: Final = Path(__file__).resolve().parents[2]
CALLS: Final = (
    "openat", "write", "pwrite64", "ftruncate", "fdatasync", "fsync", "rename", "renameat", "renameat2",
    "link", "linkat", "symlink", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "chmod", "fchmod",
    "fchmodat", "flock", "fcntl", "ioctl",
)  # fmt: skip
"""The file system calls that change something, take a lock or open; those that only look change no state."""
_CALL: Final = re.compile(r"^(\w+)\((.*)")
_LOOKS: Final = {
    "openat": re.compile(r"^(?!.*O_(CREAT|TRUNC|TMPFILE))"),
    "fcntl": re.compile(r"^(?!.*F_(OFD_)?SETLK)"),
    "ioctl": re.compile(r"^(?!.*SETFLAGS)"),
}
"""Calls of these names that only look, by their arguments."""

acknowledged: mmap.mmap | None = None
"""One byte that outlives the child: how many of its writes have returned."""


def acknowledge() -> None:
    """A write has returned. No system call, so it is no point at which a fault can be put."""
    if acknowledged is not None:  # it is, where this warms up
        acknowledged[0] += 1


def command(*arguments: str) -> int:
    """One command line, as `greenroom` runs it."""
    return run(list(arguments))


# ---------------------------------------------------------------------- the program


class _SameThread:
    """In place of the pool of `side_by_side`: with one thread the calls have one order."""

    def __init__(self, _: int) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def submit(self, action: Callable[[Any], Any], thing: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(action(thing))
        return done


def _call(target: str, arguments: Sequence[str]) -> int:
    module, _, name = target.partition(":")
    return int(getattr(import_module(module), name)(*arguments) or 0)


def _child(job: dict[str, Any], ready: int, go: int) -> None:
    global acknowledged
    code = 70  # a traceback
    try:
        for number, name in enumerate(("in", "out", "err")):
            flags = os.O_RDONLY if name == "in" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(os.devnull if name == "in" else f"{job['streams']}.{name}", flags, 0o600), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # what the parent had read is not ours
        prepare_streams()  # as the first lines of `greenroom` do
        fd = os.open(f"{job['streams']}.acknowledged", os.O_RDWR)
        acknowledged = mmap.mmap(fd, 1)
        os.close(fd)
        os.write(ready, b".")
        os.read(go, 1)
        code = _call(job["target"], job["arguments"])
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001  # it is told as Python tells it, and nothing of the parent's is run
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(code)


def main() -> None:
    """Take jobs from stdin, a line each; say each child's id, then, once it may go, how it ended."""
    vars(stores)["ThreadPoolExecutor"] = _SameThread
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a command prints while it warms up is no answer
    for line in sys.stdin:
        job = json.loads(line)
        if job["warms"]:
            print(_call(job["target"], job["arguments"]), file=answers, flush=True)
            continue
        (go, let_go), (is_ready, ready) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            _child(job, ready, go)
        os.read(is_ready, 1)
        for fd in (go, is_ready, ready):
            os.close(fd)
        print(pid, file=answers, flush=True)
        sys.stdin.readline()
        os.write(let_go, b".")
        os.close(let_go)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=answers, flush=True)


# ---------------------------------------------------------------------- its other end


@dataclass(frozen=True)
class Ran:
    """How one child ended."""

    code: int  # -9: it was killed
    acknowledged: int
    out: str
    err: str
    calls: tuple[tuple[str, str], ...]  # name, then arguments and result; of a child that was not traced none


@dataclass(frozen=True)
class Fault:
    """What is put at the *when*-th call of this name: `signal=KILL`, or `error=ENOSPC`."""

    call: str
    when: str
    what: str

    def __str__(self) -> str:
        return f"{self.call}:{self.what}:when={self.when}"


NO_FAULT: Final = Fault("", "", "")
"""The child is traced and nothing is put in its way."""


def places(ran: Ran, *, that_change: bool) -> list[tuple[str, int]]:
    """The calls of a child that was traced: each one's name, and which of its name it is."""
    counts: Counter[str] = Counter()
    found = []
    for name, arguments in ran.calls:
        counts[name] += 1
        if not (that_change and name in _LOOKS and _LOOKS[name].match(arguments)):
            found.append((name, counts[name]))
    return found


class Forked:
    """The program, started; each `run` is a child of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._streams = folder / "child"
        with (folder / "program.err").open("w") as errors:
            self._program = subprocess.Popen(
                [sys.executable, "-m", "tests.helpers.forked"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=ROOT,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._program.communicate()

    def warm(self, target: str, *arguments: str | Path) -> None:
        """Call it in the program itself, so that what it loads is there in every child."""
        assert self._ask(target, arguments, warms=True) == 0, (target, arguments)

    def run(self, target: str, *arguments: str | Path, fault: Fault | None = None) -> Ran:
        """Call it in a child; with a fault (or `NO_FAULT`) under `strace`."""
        Path(f"{self._streams}.acknowledged").write_bytes(b"\0")
        pid = self._ask(target, arguments, warms=False)
        tracer = self._trace(pid, fault) if fault is not None else None
        code = self._tell("go")
        if tracer is not None:
            tracer.communicate(timeout=60)
        lines = Path(f"{self._streams}.trace").read_text().splitlines() if tracer is not None else []
        return Ran(
            code,
            Path(f"{self._streams}.acknowledged").read_bytes()[0],
            Path(f"{self._streams}.out").read_text(),
            Path(f"{self._streams}.err").read_text(),
            tuple((found[1], found[2]) for line in lines if (found := _CALL.match(line))),
        )

    def _trace(self, pid: int, fault: Fault) -> subprocess.Popen[str]:
        inject = [] if fault is NO_FAULT else ["-e", f"inject={fault}"]
        tracer = subprocess.Popen(
            ["strace", "-y", "-p", str(pid), "-o", f"{self._streams}.trace", "-e", "signal=none",
             "-e", "trace=" + ",".join(f"?{name}" for name in CALLS), *inject],
            stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert tracer.stderr is not None
        said = tracer.stderr.readline()
        assert "attached" in said, said
        return tracer

    def _ask(self, target: str, arguments: Sequence[str | Path], *, warms: bool) -> int:
        job = {"target": target, "arguments": [str(one) for one in arguments], "warms": warms}
        return self._tell(json.dumps({**job, "streams": str(self._streams)}))

    def _tell(self, line: str) -> int:
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(f"{line}\n")
        self._program.stdin.flush()
        return int(self._program.stdout.readline())


def why_not() -> str | None:
    """Why no fault can be put at a call here; None: it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(
        ["strace", "-o", os.devnull, "-e", "inject=openat:error=EIO:when=9999", "true"],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        return f"strace may not trace here: {done.stderr.decode().strip()}"
    return None if os.geteuid() == 0 else "only root may attach strace to another process"


if __name__ == "__main__":
    import_module("tests.helpers.forked").main()  # by its name, so that there is one `acknowledged`
