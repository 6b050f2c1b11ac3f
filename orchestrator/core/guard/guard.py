"""A thread that looks after live sessions, woken by the system's events and twice a second without any.

Events make it quick, the regular look makes it certain: events are lost where a queue overflows, come late
where a file is moved out, and do not come at all from network file systems or beyond the limit of watches.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

from orchestrator.core.guard.watched import Watched
from orchestrator.core.home.changes import Changes
from orchestrator.core.store import files
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.verify.session_folder import home_digest

log = logging.getLogger(__name__)

GATHER_S: Final = 0.03
"""After an event: an editor makes several of one change."""
SWEEP_S: Final = 0.4
"""Between two looks at all sessions in use. A change that no event tells of is found, looked at twice and put
back within a second; a hundred sessions take some milliseconds."""
RESTING_A_SWEEP: Final = 10
"""Sessions looked at in a sweep beside those that somebody writes to, in turn. Of those that rest an event
tells; where events come from nowhere, all are looked at in every sweep."""
AGAIN_S: Final = 0.05
"""Before a file that differs is looked at once more: a writer has its record on disk before its file."""
ENDS_WITHIN_S: Final = 5.0


class Guard:
    """Puts back what is changed by hand in one session, or in all live ones of a home; a context manager.

    Each change is told once: which file, what happened, and where the bytes are kept. It waits for no
    lock, holds the session's own for as long as its files take to compare, and keeps no process from ending.
    """

    def __init__(
        self,
        *,
        session: Path | None = None,
        sessions: Path | None = None,
        templates: Path | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """Guard from `__enter__` on.

        Args:
            session: The folder of one session.
            sessions: A folder of sessions: the live ones, and those to come.
            templates: A home's templates: a change there is told, since it reaches no session that runs.
            say: Told a line for each change; None: a warning in Python's log.
        """
        # Events name the folder itself, and come from no link to it.
        self._session = session.resolve() if session is not None else None
        self._sessions = sessions.resolve() if sessions is not None else None
        self._templates = _Templates(templates.resolve()) if templates is not None else None
        self._listener = say
        self._changes = Changes()
        self._stopped = threading.Event()
        self._is_blind = False  # and that was said
        self._failures: set[str] = set()  # that were said
        self._watched: dict[Path, Watched] = {}
        self._in_turn: deque[Path] = deque()  # the rest of a home's sessions, in this round
        self._ended: dict[Path, tuple[int, int]] = {}  # those that have, by which file their ledger is
        self._unwatched = [one for one in (self._session, self._sessions) if one is not None]
        self._unwatched += [self._templates.folder] if self._templates is not None else []
        # Daemon: a disk that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="guard", daemon=True)

    def __enter__(self) -> Guard:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave off. Twice is no error."""
        self._stopped.set()
        self._changes.wake()
        self._thread.join(ENDS_WITHIN_S)

    def _say(self, line: str) -> None:
        if self._listener is None:
            log.warning("%s", line)
            return
        with suppress(
            OSError, ValueError
        ):  # nobody reads stderr any more; the files are put back all the same
            self._listener(line)

    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                try:
                    self._keep_looking()
                except Exception as error:  # noqa: BLE001  # a folder may be in any state: the others go on
                    why = files.reason(error) if isinstance(error, OSError) else type(error).__name__
                    self._say_failure(f"{why}: the files are looked at again")
                    self._stopped.wait(SWEEP_S)
        finally:
            self._changes.close()
            for watched in self._watched.values():
                watched.close()

    def _keep_looking(self) -> None:
        """Look at what changed, and at everything from time to time, until it is to stop."""
        dirty: set[Path] = set()
        next_sweep = 0.0
        while not self._stopped.is_set():
            if time.monotonic() >= next_sweep:
                self._watch()
                dirty.update(self._roots())
                next_sweep = time.monotonic() + SWEEP_S
            self._look(dirty)
            wait_s = AGAIN_S if dirty else max(0.0, next_sweep - time.monotonic())
            if changed := self._changes.wait(wait_s):
                self._stopped.wait(GATHER_S)
                changed |= self._changes.wait(0)
                dirty.update(root for root in map(self._root_of, changed) if root is not None)
            if (failure := self._changes.take_failure()) is not None:
                self._say_failure(f"events were lost ({failure}): the files are looked at twice a second")

    def _say_failure(self, line: str) -> None:
        """Say once what the guard outlived; of an unforeseen error its class alone: it may quote a text."""
        if line not in self._failures:
            self._failures.add(line)
            self._say(f"guard: {line}")

    def _watch(self) -> None:
        """Have events of every folder that has none yet; one may be made later."""
        for folder in [one for one in self._unwatched if one.is_dir()]:
            self._unwatched.remove(folder)
            why = self._changes.watch(folder)
            if why is not None and not self._is_blind:
                self._is_blind = True
                self._say(f"the system tells of no changes ({why}): the files are looked at twice a second")

    def _roots(self) -> Iterator[Path]:
        """The folders of all sessions that may be live."""
        if self._session is not None:
            yield self._session
        elif self._sessions is not None:
            yield from filter(self._may_be_live, self._due(self._sessions))

    def _due(self, sessions: Path) -> set[Path]:
        """Return the sessions of this sweep: those that somebody writes to, and some of the others."""
        if self._is_blind:
            return {*self._watched, *_sessions_in(sessions)}
        due = {root for root, watched in self._watched.items() if not watched.is_resting}
        if not self._in_turn:  # once a sweep
            self._in_turn.extend({*self._watched, *_sessions_in(sessions)} - due)
        due.update(self._in_turn.popleft() for _ in range(min(RESTING_A_SWEEP, len(self._in_turn))))
        return due

    def _may_be_live(self, root: Path) -> bool:
        return root in self._watched or self._ended.get(root) != _ledger_of(root)

    def _root_of(self, path: str) -> Path | None:
        """The session that a changed path belongs to; None: none that is guarded."""
        if self._session is not None:
            return self._session if path.startswith(f"{self._session}/") else None
        if self._sessions is None or not path.startswith(f"{self._sessions}/"):
            return None
        name = path[len(str(self._sessions)) + 1 :].partition("/")[0]
        root = self._sessions / name
        return root if not name.startswith(".") and self._may_be_live(root) else None

    def _look(self, dirty: set[Path]) -> None:
        """Look at these sessions; those that are to be looked at again soon stay in *dirty*."""
        for root in sorted(dirty):
            if self._stopped.is_set():
                return
            watched = self._watched.get(root)
            if watched is None:
                ledger = _ledger_of(root)
                if ledger is not None and _is_sealed(
                    root
                ):  # so a home of a thousand is not read at the start
                    self._ended[root] = ledger
                if self._ended.get(root) == ledger:  # also: there is none
                    dirty.discard(root)
                    continue
                watched = self._watched[root] = Watched(root, self._say)
            if watched.look():
                dirty.discard(root)
            if watched.is_over:
                del self._watched[root]
                self._ended.pop(root, None)
                if watched.has_ended and (ledger := _ledger_of(root)) is not None:
                    self._ended[root] = ledger
        if self._templates is not None and self._watched:
            for line in self._templates.look():
                self._say(line)


class _Templates:
    """A home's templates. A session has its own copies, so nothing that changes here reaches it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, tuple[object, str]] = {}
        for _ in self.look():
            pass  # as they are at first

    def look(self) -> Iterator[str]:
        """A line for each template that is another one than it was at the last look."""
        there = (str(path.relative_to(self.folder)) for path in self.folder.glob("*/*.md"))
        for path in sorted({*self._seen, *there}):
            signature = _stat(self.folder / path)
            before = self._seen.get(path)
            if before is not None and before[0] == signature:
                continue
            digest = home_digest(self.folder, path)
            self._seen[path] = signature, digest
            if before is not None and before[1] != digest:
                yield f"templates/{path}: has changed; sessions that run keep their own copy of it"


def _sessions_in(folder: Path) -> list[Path]:
    """Everything there that may be a session; one that is being made has a dot."""
    try:
        return [Path(entry) for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError:
        return []


def _ledger_of(root: Path) -> tuple[int, int] | None:
    """Which file the ledger of a session is; None: there is none."""
    try:
        status = os.lstat(root / LEDGER_NAME)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_sealed(root: Path) -> bool:
    """Whether the ledger has the mode that the end of a session gives it."""
    try:
        return not os.lstat(root / LEDGER_NAME).st_mode & 0o222
    except OSError:
        return False


def _stat(path: Path) -> object:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
