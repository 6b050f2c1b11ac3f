"""A thread that guards live sessions, woken by the system's events and, without any, twice a second.

Events make the guard quick, and the regular check makes it certain. Events are lost when a queue overflows,
come late when a file is moved out of the folder, and do not come at all from network file systems or beyond
the limit of watches.
"""

from __future__ import annotations

import hashlib
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

from orchestrator.core.errors import GreenroomError, LedgerCorruptError, SessionBusyError, SessionFrozenError
from orchestrator.core.home.changes import Changes
from orchestrator.core.store import files
from orchestrator.core.store.application import PLAIN, Application
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.store import Repair, Store
from orchestrator.core.verify.session_folder import home_digest, source_of

# ---------------------------------------------------------------------- watched
# One live session under guard: whether each of its files is what the ledger says, and putting it back.
#
# A look costs a `stat` for each file, and reading those that were touched since the last one. It takes no
# lock: only where a file stays other than the ledger says is the session's lock asked for, never waited
# for, and what differs under it is mended as at every opening.


SETTLED_NS: Final = 50_000_000
"""Minimum age, in nanoseconds, at which a file's last change is trusted. Within one tick of the file
system's clock (4 to 10 ms) another change would look the same, so a younger file is read again at the next
check."""
LEDGER_EVERY_S: Final = 10.0
"""Seconds between two readings of a whole ledger, which may be megabytes; a damaged ledger is not repaired
here, so there is no hurry."""
RESTS_AFTER_S: Final = 30.0
"""Seconds without a write after which a session is closed; it is opened again when one of its files
differs. A home may contain thousands of sessions that nobody has ended."""
INSIST_S: Final = 0.1
"""Seconds for which a file may differ while writers are busy; after that the guard waits for their lock
all the same."""

TRIES: Final = 100
TRY_S: Final = 0.0003
"""Seconds between two attempts to take the lock: a program that writes without a pause leaves gaps of 0.1
ms."""

_DECK: Final = (
    "is not the deck that this session was started with: put that back, or remove the file; "
    "the session cannot be ended with it"
)
_COPY: Final = (
    "is not what this session was started with, and the ledger does not hold it: put it back from a copy"
)

Signature = tuple[int, ...]


class Watched:
    """A session's files and the last state in which the guard saw each. Used from one thread only."""

    def __init__(self, root: Path, say: Callable[[str], None], application: Application = PLAIN) -> None:
        """Guard the session at *root*; call *say* with one line for each change."""
        self.root = root
        self.application = application
        self.has_ended = False
        self.is_over = False
        """Ended, erased or moved away: there is nothing to guard any more."""
        self._say = say
        self._store: Store | None = None
        self._repairs: list[Repair] = []  # that are not told yet
        self._place: tuple[object, object] = (None, None)  # which folder and ledger were opened
        self._kept: dict[str, object] = {}  # path: SHA-256 of what no record can make again
        self._right: dict[str, Signature | None] = {}  # as each file stood when it was last found right
        self._wrong: dict[str, tuple[float, object]] = {}  # since when it is not, and as what it stood
        self._doubted: dict[str, Signature | None] = {}  # as what cannot be mended stood at the last look
        self._told: dict[str, object] = {}  # what was said of what cannot be mended
        self._given_up: Signature | None = None  # the ledger that could not be read
        self._ledger: tuple[int, str] | None = None  # bytes, and their SHA-256, when it was last read
        self._ledger_read_s = 0.0
        self._written_s = time.monotonic()  # when somebody was last seen to write
        self._paths: tuple[str, ...] = ()  # all that a look looks at
        self._resting: int | None = None  # as all of it stood when the session was closed

    @property
    def is_resting(self) -> bool:
        """Whether the guard has closed the session, since nobody has written to it for a while."""
        return self._resting is not None

    def look(self) -> bool:
        """Compare the files with the ledger and undo what differs; return False if another check is due soon.

        A change that cannot be undone is reported once, and again if it becomes a different one.
        """
        try:
            return self._look()
        except SessionFrozenError:
            self._leave(has_ended=True)
        except (GreenroomError, OSError) as error:
            self.close()
            ledger = _signature(f"{self.root}/{LEDGER_NAME}")
            if not self.root.is_dir():
                self._leave(has_ended=False)
            # A folder that is being removed loses its files one by one: what is gone is looked for twice.
            elif ledger is not None or LEDGER_NAME in self._wrong:
                self._given_up = ledger
                self._tell(LEDGER_NAME, type(error), _why_given_up(error))
                self.is_over = ledger is None
            else:
                self._wrong[LEDGER_NAME] = 0.0, None
                return False
        finally:
            repairs, self._repairs = self._repairs, []
            for repair in repairs:  # with no lock held: whoever reads these lines may be slow
                self._say(f"{self.root.name}: {repair.path}: {repair.what}")
        return True

    def close(self) -> None:
        """Close the session's store, if it is open."""
        if self._store is not None:
            self._store.close_files()
        self._store = None

    def _told_of(self, repair: Repair) -> None:
        self._repairs.append(repair)

    def _leave(self, *, has_ended: bool) -> None:
        self.close()
        self.is_over, self.has_ended = True, has_ended

    def _look(self) -> bool:
        if self._given_up is not None and self._given_up == _signature(f"{self.root}/{LEDGER_NAME}"):
            return True
        if self._resting is not None and self._resting == self._stands():
            return True
        self._resting = None
        store = self._opened()
        is_idle = time.monotonic() - self._written_s > RESTS_AFTER_S
        stands = self._stands() if is_idle else None  # before it is looked at: what comes later is seen
        is_right = True
        for path in store.layout.files:
            signature = _signature(f"{self.root}/{path}")
            if path not in self._right or self._right[path] != signature or signature is None:
                is_right &= self._is_right(store, path, signature)
        is_right &= self._look_at_kept()
        self._look_at_ledger(store)
        if is_right and stands is not None and self._knows_ledger(store):
            self._rest(stands)
        if is_right or not any(map(self._is_sure, self._wrong)):
            return is_right
        if not _mended(store):
            return False
        self._wrong.clear()
        return True

    def _rest(self, stands: int) -> None:
        self.close()
        self._right.clear()
        self._resting = stands
        self._ledger_read_s = -LEDGER_EVERY_S  # so that it is read before anything is mended by it

    def _knows_ledger(self, store: Store) -> bool:
        """Return whether the whole ledger was read, so that reopening it would show that it was cut or
        changed."""
        is_settled = self._right.get(LEDGER_NAME) is not None
        return is_settled and self._ledger is not None and self._ledger[0] == store.history.end

    def _stands(self) -> int:
        """Return a digest of the status of all files."""
        return hash(tuple(_signature(f"{self.root}/{path}") for path in self._paths))

    def _opened(self) -> Store:
        """Return the session's store, opened if needed, with what others have written meanwhile.

        Raises:
            SessionFrozenError: The session has ended.
            SessionNotFoundError, LedgerCorruptError
        """
        place = _place(self.root), _place(self.root / LEDGER_NAME)
        if self._store is not None and self._place != place:
            self.close()
            self._right.clear()
            if self._place[0] == place[0] and place[1] is not None:
                self._tell(LEDGER_NAME, place, "another file stands in its place: run `greenroom verify`")
        if self._store is None:
            self._store, self._place = (
                Store(self.root, application=self.application, on_repair=self._told_of),
                place,
            )
            opening = self._store.opening
            known = opening.templates
            source = source_of(opening, _names(self.root / "source"))
            self._kept = {
                f"ledger/{path}": known[path] for path in self._store.layout.templates if path in known
            }
            self._kept |= {source[0]: source[1]} if source is not None else {}
            self._wrong.pop(LEDGER_NAME, None)
            self._paths = (*self._store.layout.files, *self._kept, LEDGER_NAME, "source")
            if _age_s(self.root / LEDGER_NAME) > RESTS_AFTER_S:
                self._written_s = -RESTS_AFTER_S
        before = self._store.seq
        if self._store.catch_up() != before:
            self._written_s = time.monotonic()
        if self._store.frozen:
            raise SessionFrozenError(self.root.name)
        self._given_up = None
        return self._store

    def _is_right(self, store: Store, path: str, signature: Signature | None) -> bool:
        """Return whether the file at *path* is what the ledger says now."""
        materialised = store.history.materialised
        raw = materialised.read(path, store.layout.files[path].max_bytes)
        digest = hashlib.sha256(raw).hexdigest() if raw is not None else None
        for _ in range(2):  # a writer may have come between the two: the ledger is ahead then
            state = store.state(path)
            if not state.seqs:
                is_same = not materialised.is_there(path)
            else:
                is_same = digest == state.sha256 and materialised.is_open_to_owner(path)
            if is_same:
                self._right[path] = _settled(signature)
                self._wrong.pop(path, None)
                return True
            store.catch_up()
        stands = (signature, digest, state.sha256)
        since, before = self._wrong.get(path, (time.monotonic(), None))
        # As it stood at the last look, and the ledger says the same: no writer is on its way to it.
        self._wrong[path] = (0.0 if before == stands else since, stands)
        return False

    def _is_sure(self, path: str) -> bool:
        return time.monotonic() - self._wrong[path][0] > INSIST_S

    def _look_at_kept(self) -> bool:
        """Check the deck and the templates of the start; report what is wrong, but repair nothing.

        Return False if a file is wrong that was right at the last check. A folder that is being removed is
        not reported.
        """
        is_known = True
        for path, sha256 in self._kept.items():
            signature = _signature(f"{self.root}/{path}")
            if path in self._right and self._right[path] == signature:
                continue
            found = _digest(self.root / path)
            if found == sha256:
                self._told.pop(path, None)
            elif self._doubted.get(path, ()) != signature:
                self._doubted[path] = signature
                is_known = False
                continue
            else:
                self._tell(path, found, _DECK if path.startswith("source/") else _COPY)
            self._right[path] = _settled(signature)
        return is_known

    def _look_at_ledger(self, store: Store) -> None:
        """Check that the part of the ledger that was read is still there; a change is reported but never
        undone.

        Raises:
            LedgerCorruptError: That part of the ledger is missing or has changed.
        """
        here, now = _signature(f"{self.root}/{LEDGER_NAME}"), time.monotonic()
        if self._right.get(LEDGER_NAME, ()) == here or now < self._ledger_read_s + LEDGER_EVERY_S:
            return
        self._ledger_read_s = now
        upto, before = self._ledger or (0, hashlib.sha256().hexdigest())
        end, running = store.history.end, hashlib.sha256()
        with open(store.ledger_path, "rb", opener=_open_plain) as ledger:
            _feed(running, ledger.fileno(), 0, upto)
            if running.hexdigest() != before:
                raise LedgerCorruptError(f"{store.ledger_path}: was changed from outside")
            _feed(running, ledger.fileno(), upto, end)
        self._ledger, self._right[LEDGER_NAME] = (end, running.hexdigest()), _settled(here)

    def _tell(self, path: str, what: object, words: str) -> None:
        if self._told.get(path) != what:
            self._told[path] = what
            self._say(f"{self.root.name}: {path}: {words}")


def _mended(store: Store) -> bool:
    """Repair the files in a gap between two writes of others; return False if no gap came."""
    for _ in range(TRIES):
        try:
            store.mend(timeout_s=0)
        except SessionBusyError:
            time.sleep(TRY_S)
        else:
            return True
    return False


def _why_given_up(error: GreenroomError | OSError) -> str:
    if isinstance(error, LedgerCorruptError):
        return "was changed from outside, so no file can be put back from it: run `greenroom verify`"
    why = files.reason(error) if isinstance(error, OSError) else str(error)
    return f"the session's files are not looked after: {why}"


def _place(path: Path) -> object:
    """Return the device and inode at the path, or None if nothing is there."""
    signature = _signature(str(path))
    return signature and signature[1]


def _signature(path: str) -> Signature | None:
    """Return the values that change whenever the file at *path* does, or None if there is no file."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    # The time of the last change of any kind goes with it: nobody sets that one back.
    return (
        status.st_mode,
        status.st_ino,
        status.st_nlink,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _age_s(path: Path) -> float:
    """Return the seconds since the file was last written, by the wall clock.

    If that clock is wrong, the guard only loses time.
    """
    try:
        return time.time() - os.lstat(path).st_mtime
    except OSError:
        return 0.0


def _settled(signature: Signature | None) -> Signature | None:
    if signature is None or abs(time.time_ns() - max(signature[-2:])) < SETTLED_NS:
        return None
    return signature


def _names(folder: Path) -> list[str]:
    try:
        return [f"{folder.name}/{name}" for name in os.listdir(folder)]
    except OSError:
        return []


def _open_plain(path: str, _flags: int) -> int:
    return os.open(path, files.READ)


def _digest(path: Path) -> str | None:
    """Return the SHA-256 of a plain file, or None if *path* is not a plain file that can be read."""
    try:
        fd = os.open(path, files.READ)
    except OSError:
        return None
    try:
        status = os.fstat(fd)
        if not files.is_plain(status):
            return None
        digest = hashlib.sha256()
        _feed(digest, fd, 0, status.st_size)
        return digest.hexdigest()
    finally:
        os.close(fd)


def _feed(digest: hashlib._Hash, fd: int, start: int, end: int) -> None:
    while start < end and (piece := os.pread(fd, min(1 << 20, end - start), start)):
        digest.update(piece)
        start += len(piece)


# ---------------------------------------------------------------------- guard


log = logging.getLogger(__name__)

GATHER_S: Final = 0.03
"""Seconds to wait after an event, since an editor causes several events for one change."""
SWEEP_S: Final = 0.4
"""Seconds between two checks of all sessions in use. A change without an event is found, checked twice and
undone within a second; checking a hundred sessions takes some milliseconds."""
RESTING_A_SWEEP: Final = 10
"""Number of resting sessions that are checked in each sweep, in turn, beside those in use. Events report
changes in the other resting sessions; if no events come at all, every session is checked in every sweep."""
AGAIN_S: Final = 0.05
"""Seconds after which a file that differs is checked once more: a writer puts its record on the disk
before it writes its file."""
ENDS_WITHIN_S: Final = 5.0


class Guard:
    """A guard that undoes manual changes in one session, or in all live sessions of a home; a context
    manager.

    Each change is reported once: which file, what happened, and where its bytes are stored. The guard
    normally waits for no lock, holds a session's lock only while it compares the files, and keeps no process
    from ending.
    """

    def __init__(
        self,
        *,
        session: Path | None = None,
        sessions: Path | None = None,
        templates: Path | None = None,
        say: Callable[[str], None] | None = None,
        application: Application = PLAIN,
    ) -> None:
        """Prepare a guard, which starts with `__enter__`.

        Args:
            session: The folder of one session.
            sessions: A folder of sessions, to guard its live sessions and those that are started later.
            templates: A home's templates: a change there is reported, since it reaches no session that runs.
            say: Called with a line for each change. If None, the line is a warning in Python's log.
            application: What the program of the sessions knows about them besides their tables.
        """
        self._application = application
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
        """Stop guarding. A second call does nothing."""
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
        """Check what has changed, and everything from time to time, until the guard is closed."""
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
        """Report once an error that the guard survived.

        An unforeseen error is named by its class only, since its message may quote text of a session.
        """
        if line not in self._failures:
            self._failures.add(line)
            self._say(f"guard: {line}")

    def _watch(self) -> None:
        """Start to watch every folder that is not watched yet; a folder may be created later."""
        for folder in [one for one in self._unwatched if one.is_dir()]:
            self._unwatched.remove(folder)
            why = self._changes.watch(folder)
            if why is not None and not self._is_blind:
                self._is_blind = True
                self._say(f"the system tells of no changes ({why}): the files are looked at twice a second")

    def _roots(self) -> Iterator[Path]:
        """Yield the folders of all sessions that may be live."""
        if self._session is not None:
            yield self._session
        elif self._sessions is not None:
            yield from filter(self._may_be_live, self._due(self._sessions))

    def _due(self, sessions: Path) -> set[Path]:
        """Return the sessions to check in this sweep: those that somebody writes to, and some of the
        others."""
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
        """Return the session to which a changed path belongs, or None if that session is not guarded."""
        if self._session is not None:
            return self._session if path.startswith(f"{self._session}/") else None
        if self._sessions is None or not path.startswith(f"{self._sessions}/"):
            return None
        name = path[len(str(self._sessions)) + 1 :].partition("/")[0]
        root = self._sessions / name
        return root if not name.startswith(".") and self._may_be_live(root) else None

    def _look(self, dirty: set[Path]) -> None:
        """Check the sessions in *dirty*; those that have to be checked again soon stay in it."""
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
                watched = self._watched[root] = Watched(root, self._say, self._application)
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
    """A home's templates. A session has its own copies, so a change here does not reach it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[str, tuple[object, str]] = {}
        for _ in self.look():
            pass  # as they are at first

    def look(self) -> Iterator[str]:
        """Yield a line for each template that has changed since the last check."""
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
    """Return the paths in *folder* that may be sessions; the name of an unfinished session begins with a
    dot."""
    try:
        return [Path(entry) for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError:
        return []


def _ledger_of(root: Path) -> tuple[int, int] | None:
    """Return the device and inode of a session's ledger, or None if there is none."""
    try:
        status = os.lstat(root / LEDGER_NAME)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_sealed(root: Path) -> bool:
    """Return whether the ledger has the mode that the end of a session gives it."""
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
