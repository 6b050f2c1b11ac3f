"""Where the attacks happen: a home, a tree of canaries around it, and the four ways in, each watched.

Source: trust.md, "Bad inputs": each is refused clearly and changes nothing, or is taken as plain data.
"""

from __future__ import annotations

import gc
import hashlib
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from orchestrator.cli.app import build, run
from orchestrator.core.errors import GreenroomError
from tests.helpers.homes import ROOT, new_home

MAX_LENGTH_S: Final = 10.0
"""trust.md: no hang over 10 s."""
MAX_MB: Final = 300
"""trust.md: decks stay under 300 MB."""
REFUSED, DATA = "refused", "taken as data"
EITHER: Final = frozenset({REFUSED, DATA})
SAMPLE: Final = ROOT / "orchestrator" / "rehearsal" / "demo" / "deck.md"
_LOCKS: Final = ("/ledger/driver.lock", "/.lock", "-wal", "-shm")
"""What stands beside files for as long as they are open; it holds no word."""


@dataclass(frozen=True, slots=True)
class Case:
    """One attempt, and what came of it."""

    group: str
    where: str
    tried: str
    answer: str
    verdict: str

    @property
    def is_found(self) -> bool:
        return self.verdict not in EITHER

    def __str__(self) -> str:
        return f"{self.group:<9} {self.where:<7} {self.tried:<58} {self.verdict:<13} {self.answer}"


@dataclass(frozen=True, slots=True)
class Done:
    """A command that has ended; code None: it hung and was killed."""

    code: int | None
    out: str
    err: str
    seconds: float
    rss_mb: int  # of the largest of its processes


def picture(root: Path, *, leave_out: Sequence[str] = ()) -> dict[str, tuple[int, str]]:
    """Every name below *root*: its kind and mode, and what it holds."""
    seen = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name.endswith(_LOCKS) or name.startswith(tuple(leave_out)):
            continue
        status = path.lstat()
        held = ""
        if stat.S_ISREG(status.st_mode):
            held = _digest(str(path), status.st_ino, status.st_size, status.st_mtime_ns)
        elif stat.S_ISLNK(status.st_mode):
            held = os.readlink(path)
        seen[name] = (status.st_mode, held)
    return seen


@cache
def _digest(path: str, inode: int, size: int, changed_ns: int) -> str:
    """Worked out once as long as nothing was written: the home is looked at before and after each case."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def difference(before: dict[str, Any], after: dict[str, Any]) -> str:
    """The first names that are not what they were, or nothing."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return ", ".join(names[:3])


@dataclass
class Ground:
    """The home, what lies around it, and every case so far."""

    folder: Path
    only: str | None = None
    say: Callable[[str], None] = print
    cases: list[Case] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.around = self.folder / "around"
        self.home = new_home(self.around / "home")
        self.given = self.folder / "given"
        self.given.mkdir()
        for name in ("x", "secret", "etc/passwd", "sessions/x", "home2/templates/x"):
            (self.around / name).parent.mkdir(parents=True, exist_ok=True)
            (self.around / name).write_text(f"canary {name}\n", "utf-8")
        self.canaries = self._outside()
        build()  # every command
        for module in (
            "core.archive.upload",
            "core.archive.download",
            "panel.loop.plan",
            "panel.debrief.build",
        ):
            import_module(f"orchestrator.{module}")
        gc.collect()
        gc.freeze()  # a fork shares what nobody counts again

    def _outside(self) -> dict[str, tuple[int, str]]:
        return picture(self.around, leave_out=("home/",))

    def inside(self) -> dict[str, tuple[int, str]]:
        """All of the home."""
        return picture(self.home)

    def file(self, name: str, content: bytes | str) -> Path:
        """A file that somebody gives."""
        path = self.given / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return path

    # ------------------------------------------------------------------ verdicts

    def note(self, group: str, where: str, tried: str, answer: str, verdict: str, found: str = "") -> None:
        """Keep a case; *found* says what is wrong with it. What lies outside of the home is looked at."""
        if not found and (moved := difference(self.canaries, self._outside())):
            found, self.canaries = f"{moved} outside of the home was written", self._outside()
        verdict = f"FOUND: {found}" if found else verdict
        case = Case(group, where, _line(tried, 58), _line(answer, 150), verdict)
        self.cases.append(case)
        self.say(str(case))

    def command(
        self, *arguments: str | Path, stdin: bytes = b"", real: bool = False, limit_s: float = MAX_LENGTH_S
    ) -> Done:
        """The command line in a process of its own: forked from this one, or started as a user does."""
        with ExitStack() as opened, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given = opened.enter_context(tempfile.TemporaryFile())
            given.write(stdin)
            given.seek(0)
            words = ["--home", str(self.home), *map(str, arguments)]
            began = time.monotonic()
            if real:
                line = [sys.executable, "-m", "orchestrator.cli", *words]
                started = subprocess.Popen(
                    line, stdin=given, stdout=out, stderr=err, cwd=ROOT, start_new_session=True
                )
                pid = started.pid
            else:
                pid = os.fork()
                if pid == 0:
                    os.setsid()
                    _be_the_command(words, self.folder, given.fileno(), out.fileno(), err.fileno())
            code, rss_mb = _awaited(pid, began + limit_s)
            if real:
                started.returncode = -1 if code is None else code  # it is awaited already
            for stream in (out, err):
                stream.seek(0)
            out_text, err_text = (stream.read().decode("utf-8", "replace") for stream in (out, err))
            return Done(code, out_text, err_text, time.monotonic() - began, rss_mb)

    def cli(
        self,
        group: str,
        tried: str,
        *arguments: str | Path,
        expect: frozenset[str] | set[str] | str = REFUSED,
        stdin: bytes = b"",
        check: Callable[[Done], str] = lambda done: "",
        real: bool = False,
        limit_s: float = MAX_LENGTH_S,
    ) -> Done:
        """Try a command; *check* says what is wrong with one that was taken."""
        allowed = {expect} if isinstance(expect, str) else expect
        before = self.inside()
        done = self.command(*arguments, stdin=stdin, real=real, limit_s=limit_s)
        told = [line for line in done.err.splitlines() if line and not line.startswith("note: ")]
        said = [line for line in told if line.startswith("greenroom: ")] if "-" in arguments else told
        verdict = REFUSED if done.code else DATA
        found = _fault(done)
        if not found and verdict not in allowed:
            found = f"exit code {done.code}"
        if not found and verdict == REFUSED:
            # What `verify` and `panel check` find is their result, on stdout; a live feed tells of each line.
            on_stdout = arguments[0] in ("verify", "panel") and "valid" in done.out
            is_told = len(said) == 1 or on_stdout or ("-" in arguments and said)
            if not is_told:
                found = f"{len(said)} lines on stderr"
            # It drives the session until its input ends, and takes those of its lines that are right.
            elif "-" not in arguments and (moved := difference(before, self.inside())):
                found = f"refused, and yet {moved} changed"
        if not found and verdict == DATA:
            found = check(done)
        first = said[0] if verdict == REFUSED and said else next(iter(done.out.splitlines()), "")
        self.note(group, "cli", f"{arguments[0]}: {tried}", first, verdict, found)
        return done

    def python(
        self,
        group: str,
        tried: str,
        call: Callable[[], Any],
        *,
        expect: frozenset[str] | set[str] | str = REFUSED,
        check: Callable[[Any], str] = lambda result: "",
    ) -> None:
        """Try a call of the package."""
        allowed = {expect} if isinstance(expect, str) else expect
        before = self.inside()
        result, answer, found = None, "", ""
        signal.signal(signal.SIGALRM, _too_long)
        signal.setitimer(signal.ITIMER_REAL, MAX_LENGTH_S)
        try:
            result = call()
            verdict = DATA
        except (GreenroomError, TypeError, ValueError) as error:
            verdict, answer = REFUSED, f"{type(error).__name__}: {error}"
            # A plain ValueError is what wrong arguments get; one from deep within is no answer.
            if not isinstance(error, GreenroomError) and len(traceback.extract_tb(error.__traceback__)) > 9:
                found = answer
        except TimeoutError:
            verdict, found = REFUSED, f"hangs for {MAX_LENGTH_S:g} s"
        except Exception as error:  # noqa: BLE001  # whatever else comes is what is looked for
            verdict, found = REFUSED, f"raises {type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if not found and verdict not in allowed:
            found = f"was {verdict}"
        if not found and verdict == REFUSED and (moved := difference(before, self.inside())):
            found = f"refused, and yet {moved} changed"
        self.note(
            group, "python", tried, answer, verdict, found or (check(result) if verdict == DATA else "")
        )


def _fault(done: Done) -> str:
    if done.code is None:
        return f"hangs for {MAX_LENGTH_S:g} s"
    if "Traceback" in done.err or done.code < 0 or done.code not in (0, 1, 2):
        return f"a traceback, exit code {done.code}"
    return ""


def _line(text: str, most: int) -> str:
    shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text[:400])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _too_long(*_: Any) -> None:
    raise TimeoutError


def _be_the_command(words: list[str], folder: Path, stdin: int, out: int, err: int) -> None:
    for target, source in enumerate((stdin, out, err)):
        os.dup2(source, target)
    os.chdir(folder)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    code = 70
    try:
        code = run(words)
    except BaseException:  # noqa: BLE001  # it is shown, and found there
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _awaited(pid: int, until: float) -> tuple[int | None, int]:
    """Exit code and the memory of the largest process; at the deadline all of them are killed."""
    while True:
        ended, status, used = os.wait4(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), _megabytes(used)
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
            _, _, used = os.wait4(pid, 0)
            return None, _megabytes(used)
        time.sleep(0.01)


def _megabytes(used: resource.struct_rusage) -> int:
    return used.ru_maxrss // (1024 if sys.platform != "darwin" else 2**20)
