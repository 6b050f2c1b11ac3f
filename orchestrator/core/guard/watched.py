"""One live session under guard: whether each of its files is what the ledger says, and putting it back.

A look costs a `stat` for each file, and reading those that were touched since the last one. It takes no
lock: only where a file stays other than the ledger says is the session's lock asked for, never waited
for, and what differs under it is mended as at every opening.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from orchestrator.core.errors import (
    GreenroomError,
    LedgerCorruptError,
    SessionBusyError,
    SessionFrozenError,
)
from orchestrator.core.store import files
from orchestrator.core.store.history import LEDGER_NAME
from orchestrator.core.store.store import Repair, Store
from orchestrator.core.verify.session_folder import source_of

SETTLED_NS: Final = 50_000_000
"""A file touched more lately than this may be touched again within the same tick of the file system's clock
(4 to 10 ms), and would look the same: it is read again at the next look."""
LEDGER_EVERY_S: Final = 10.0
"""Between two readings of a whole ledger, which may hold megabytes; nothing mends a ledger, so no hurry."""
RESTS_AFTER_S: Final = 30.0
"""A session that nobody has written to for so long is closed, and opened again once one of its files differs:
a home may hold thousands that nobody has ended."""
INSIST_S: Final = 0.1
"""How long a file may differ while writers are busy before their lock is asked for all the same."""

TRIES: Final = 100
TRY_S: Final = 0.0003
"""A program that writes without a pause leaves gaps of a tenth of a millisecond between its writes."""

_DECK: Final = (
    "is not the deck that this session was started with: put that back, or remove the file; "
    "the session cannot be ended with it"
)
_COPY: Final = (
    "is not what this session was started with, and the ledger does not hold it: put it back from a copy"
)

Signature = tuple[int, ...]


class Watched:
    """A session's files, and what was last seen of each. Used from one thread."""

    def __init__(self, root: Path, say: Callable[[str], None]) -> None:
        """Guard the session at *root*; *say* is told each change in one line."""
        self.root = root
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
        """Whether it is closed here, since nobody has written to it for a while."""
        return self._resting is not None

    def look(self) -> bool:
        """Compare, and put back what differs; False: something may, so look again soon.

        A change that cannot be mended is told once, and again when it has become another one.
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
        """Close what is open of it."""
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
        """Whether all of the ledger was read, so that a cut or a change is seen when it is opened again."""
        is_settled = self._right.get(LEDGER_NAME) is not None
        return is_settled and self._ledger is not None and self._ledger[0] == store.history.end

    def _stands(self) -> int:
        """Return a digest of how all files stand."""
        return hash(tuple(_signature(f"{self.root}/{path}") for path in self._paths))

    def _opened(self) -> Store:
        """The store, with what others have written meanwhile.

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
            self._store, self._place = Store(self.root, on_repair=self._told_of), place
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
        """Whether the file is what the ledger says now."""
        views = store.history.views
        raw = views.read(path, store.layout.files[path].max_bytes)
        digest = hashlib.sha256(raw).hexdigest() if raw is not None else None
        for _ in range(2):  # a writer may have come between the two: the ledger is ahead then
            state = store.state(path)
            if not state.seqs:
                is_same = not views.is_there(path)
            else:
                is_same = digest == state.sha256 and views.is_open_to_owner(path)
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
        """The deck and the templates as they were at the start: what is wrong is told, and mended by nobody.

        False: one is wrong that was not at the last look; a folder that is being removed is no news.
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
        """Whether what was read of the ledger still stands there; that is reported, and never mended.

        Raises:
            LedgerCorruptError: It does not.
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
    """Mend in a gap between two writes; False: there was none."""
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
    """Which file or folder stands there; None: none."""
    signature = _signature(str(path))
    return signature and signature[1]


def _signature(path: str) -> Signature | None:
    """What changes whenever the file does; None: there is none."""
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
    """Return the seconds by the wall clock since the file was last written; a wrong one costs time alone."""
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
    """The SHA-256 of a plain file; None where there is none that can be read."""
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
