"""The catalogue: one row for each session, and all its words, in SQLite with full-text search.

The file is a cache. One that is damaged or of another release is removed and made anew, and an
erased session leaves no word in it: what is deleted is overwritten, in file, index and log.

Source: https://sqlite.org/fts5.html
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, sleep, time
from typing import Final, NamedTuple

from orchestrator.core.archive.bag import COMMIT_MARK
from orchestrator.core.archive.download import is_commit_mark
from orchestrator.core.archive.stores import ArchiveStore, FolderStore, open_store, side_by_side
from orchestrator.core.clock import utc_now
from orchestrator.core.errors import ArchiveError, ArchiveUnavailableError, HomeError
from orchestrator.core.store import files
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import SESSION_ID
from orchestrator.core.verify.disk import open_folder, read_file
from orchestrator.panel.home import Home, user_folder
from orchestrator.panel.records.setup import RECORDED
from orchestrator.review.reading import Entry, Passage, read

# ---------------------------------------------------------------------- catalogue


PAGE: Final = 50
"""Sessions of one page of the list."""
HITS: Final = 3
"""Places of one session that a search shows; its timeline has the others."""
RUNS: Final = 20
"""Of the same deck, to choose from for a comparison."""
TIMEOUT_S: Final = 10.0
"""How long one process waits for the writes of another; a batch of the largest update takes under one."""

_VERSION: Final = 6
"""Of the tables below, and of what stands and counts in an entry; a file of another version is made anew."""
_TABLES: Final = (
    """CREATE TABLE sessions (
      n INTEGER PRIMARY KEY,  -- milliseconds since 1970 at which it was started: newest first is n DESC
      session TEXT NOT NULL UNIQUE,
      presenter TEXT NOT NULL,
      deck TEXT NOT NULL,     -- SHA-256 of its file
      bytes INTEGER,          -- of its ledger, where it lies in the home; NULL: it is in an archive alone
      stamp TEXT NOT NULL,    -- of that ledger's file: another one, or one that was changed, has another
      archive TEXT,           -- the address of its archive; NULL: in none that is reviewed here
      endpoint TEXT NOT NULL, -- the server of that archive, as `s3.endpoint_of`
      tried_at REAL NOT NULL, -- when it could not be read, in seconds since 1970; 0: it was read
      is_read INTEGER NOT NULL,  -- 0: its words cannot be searched
      entry TEXT NOT NULL     -- JSON, `reading.Entry`
    )""",
    "CREATE INDEX by_presenter ON sessions (presenter)",
    "CREATE INDEX by_deck ON sessions (deck)",
    # rowid: the session's n, then 20 bits for the passage
    """CREATE VIRTUAL TABLE passages USING fts5(
      kind UNINDEXED, place UNINDEXED, at_s UNINDEXED, text, tokenize = 'unicode61 remove_diacritics 2'
    )""",
    """CREATE TABLE verified (
      session TEXT NOT NULL,
      place TEXT NOT NULL,    -- "": its folder in the home; else server and address of the archive
      head TEXT NOT NULL,     -- that it was held against
      is_valid INTEGER NOT NULL,
      at TEXT NOT NULL,
      PRIMARY KEY (session, place)
    )""",
    "CREATE TABLE erasures (times INTEGER NOT NULL)",
    "INSERT INTO erasures VALUES (0)",
    f"PRAGMA user_version = {_VERSION}",
)
_BITS: Final = 20
"""A two-hour session has some 300 passages; milliseconds take 41 bits, and a rowid has 63."""
_MARKS: Final = ("\x02", "\x03")
"""Around what was found, in a snippet; control characters that no page shows."""


@dataclass(frozen=True, slots=True)
class Row:
    """One session of the catalogue."""

    n: int
    entry: Entry
    is_here: bool  # in the home
    archive: str | None
    endpoint: str = ""  # of the archive, as `s3.endpoint_of`


@dataclass(frozen=True, slots=True)
class Hit:
    """Words found by a search, and their place."""

    kind: str
    place: str
    at_s: float | None
    parts: tuple[tuple[str, bool], ...]  # the words around it; True: these were looked for


class OtherVersionError(sqlite3.DatabaseError):
    """The file is of another release; never leaves this module."""


class Known(NamedTuple):
    """The sources from which one session's row was made."""

    size_bytes: int | None
    archive: str | None
    endpoint: str = ""
    stamp: str = ""
    tried_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of verifying one session at one place."""

    head: str  # that it was held against
    is_valid: bool
    at: str  # RFC 3339


class Catalogue:
    """The catalogue at one path, safe to use from several threads and processes."""

    def __init__(self, path: Path) -> None:
        """Remember *path*; nothing is created before the first use."""
        self.path = path

    # ------------------------------------------------------------------ asking

    def page(
        self,
        *,
        before: int | None = None,
        presenter: str | None = None,
        are_recorded: bool | None = None,
        most: int = PAGE,
    ) -> list[Row]:
        """Return sessions, newest first.

        Args:
            before: Only those older than this row's `n`.
            presenter: Only theirs.
            are_recorded: Only demonstrations, or none of them; None: both.
        """
        with self._open() as connection:
            found = connection.execute(
                f"{_ROW} WHERE n < ? AND (?2 IS NULL OR presenter = ?2) AND "
                "(?3 IS NULL OR (json_extract(entry, '$.engine') IS ?4) = ?3) ORDER BY n DESC LIMIT ?5",
                (_end(before), presenter, are_recorded, RECORDED, most),
            )
            return [_row(one) for one in found]

    def search(
        self, text: str, *, before: int | None = None, most: int = PAGE
    ) -> list[tuple[Row, list[Hit]]]:
        """Return sessions that hold all these words in one place, newest first, with their first places."""
        query = _query(text)
        found: list[tuple[Row, list[Hit]]] = []
        if not query:
            return found
        below = _end(before) << _BITS
        with self._open() as connection:
            connection.execute("BEGIN")  # all of one moment: a session may be erased meanwhile
            while len(found) < most:
                last = connection.execute(
                    "SELECT rowid FROM passages WHERE passages MATCH ? AND rowid < ? "
                    "ORDER BY rowid DESC LIMIT 1",
                    (query, below),
                ).fetchone()
                if last is None:
                    break
                n = last[0] >> _BITS
                below = n << _BITS
                row = connection.execute(f"{_ROW} WHERE n = ?", (n,)).fetchone()
                hits = connection.execute(
                    "SELECT kind, place, at_s, snippet(passages, 3, ?, ?, '…', 24) FROM passages "
                    "WHERE passages MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?",
                    (*_MARKS, query, below, below + (1 << _BITS) - 1, HITS),
                )
                found.append(
                    (_row(row), [Hit(kind, place, at_s, _parts(told)) for kind, place, at_s, told in hits])
                )
        return found

    def get(self, session: str) -> Row | None:
        """Return one session's row, or None if it is not in the catalogue."""
        with self._open() as connection:
            row = connection.execute(f"{_ROW} WHERE session = ?", (session,)).fetchone()
        return None if row is None else _row(row)

    def runs_beside(self, row: Row, *, most: int = RUNS) -> list[Row]:
        """Return other sessions on the same deck, newest first."""
        with self._open() as connection:
            found = connection.execute(
                f"{_ROW} WHERE deck = ? AND n != ? ORDER BY n DESC LIMIT ?",
                (row.entry.deck_sha256, row.n, most),
            )
            return [_row(one) for one in found]

    def runs_of(self, deck_sha256: str, *, most: int = RUNS) -> list[Row]:
        """Return sessions on this deck, newest first."""
        with self._open() as connection:
            found = connection.execute(f"{_ROW} WHERE deck = ? ORDER BY n DESC LIMIT ?", (deck_sha256, most))
            return [_row(one) for one in found]

    def presenters(self) -> list[tuple[str, int]]:
        """Return everybody who presented, and how often, by name."""
        with self._open() as connection:
            query = (
                "SELECT presenter, count(*) FROM sessions WHERE presenter != '' GROUP BY presenter ORDER BY 1"
            )
            return [(name, count) for name, count in connection.execute(query)]

    def verified(self, sessions: Sequence[str]) -> dict[tuple[str, str], Verified]:
        """Return the last verification of each session at each place, by session and place."""
        with self._open() as connection:
            found = connection.execute(
                "SELECT session, place, head, is_valid, at FROM verified "
                "WHERE session IN (SELECT value FROM json_each(?))",
                (json.dumps(list(sessions)),),
            )
            return {(one[0], one[1]): Verified(one[2], bool(one[3]), one[4]) for one in found}

    def unsearched(self) -> list[Entry]:
        """Return the sessions whose words cannot be searched: damaged, or unreadable now."""
        with self._open() as connection:
            found = connection.execute("SELECT entry FROM sessions WHERE is_read = 0 ORDER BY session")
            return [Entry.of(entry) for (entry,) in found]

    def known(self) -> dict[str, Known]:
        """Return what each row was made from, by session."""
        with self._open() as connection:
            found = connection.execute(
                "SELECT session, bytes, archive, endpoint, stamp, tried_at FROM sessions"
            )
            return {session: Known(*of) for session, *of in found}

    # ------------------------------------------------------------------ keeping

    def erasures(self) -> int:
        """Return the number of erasures so far; data read before the last one must not be put back."""
        with self._open() as connection:
            return int(connection.execute("SELECT times FROM erasures").fetchone()[0])

    def put(
        self, read: Sequence[tuple[Entry, Sequence[Passage], Known]], *, erasures: int | None = None
    ) -> bool:
        """Insert these sessions, replacing known ones; return False, unchanged, if *erasures* has changed."""
        with self._writing() as connection:
            if (
                erasures is not None
                and erasures != connection.execute("SELECT times FROM erasures").fetchone()[0]
            ):
                return False
            for entry, passages, of in read:
                self._take_out(connection, entry.session)
                n = _free(connection, _moment(entry))
                # A copy is found by its words, and is nobody's run of the deck: that one is there already.
                presenter, deck = ("", "") if entry.copy_of else (entry.presenter, entry.deck_sha256)
                is_read = not (entry.is_damaged or entry.unread)
                connection.execute(
                    "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        n,
                        entry.session,
                        presenter,
                        deck,
                        of.size_bytes,
                        of.stamp,
                        of.archive,
                        of.endpoint,
                        of.tried_at,
                        is_read,
                        entry.told(),
                    ),
                )
                connection.executemany(
                    "INSERT INTO passages (rowid, kind, place, at_s, text) VALUES (?, ?, ?, ?, ?)",
                    [((n << _BITS) + number, *one) for number, one in enumerate(passages)],
                )
        return True

    def note(self, moved: Mapping[str, Known]) -> None:
        """Record that known sessions now lie elsewhere, or in one more place."""
        with self._writing() as connection:
            connection.executemany(
                "UPDATE sessions SET bytes = ?, archive = ?, endpoint = ?, stamp = ? WHERE session = ?",
                [(*of[:4], session) for session, of in moved.items()],
            )

    def note_verified(self, session: str, place: str, head: str, *, is_valid: bool) -> str:
        """Record a verification of a session at a place against *head*, and return its time.

        Args:
            place: "": its folder in the home; else the server and address of the archive.
        """
        at = utc_now()
        with self._writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO verified VALUES (?, ?, ?, ?, ?)", (session, place, head, is_valid, at)
            )
        return at

    def forget(self, *sessions: str) -> None:
        """Erase every word of these sessions from rows, index, log and the gaps of the file.

        Where the file cannot be changed it is removed whole: the next update makes it anew.
        """
        if not self.path.exists():
            return
        try:
            with self._writing() as connection:
                for session in sessions:
                    connection.execute("DELETE FROM verified WHERE session = ?", (session,))
                    self._take_out(connection, session)
                connection.execute("UPDATE erasures SET times = times + 1")
            with self._open() as connection:
                # As `memory.database.wipe`: the index keeps deleted words until it is made anew, and rows
                # that move leave copies in the gaps of pages.
                connection.execute("INSERT INTO passages (passages) VALUES ('rebuild')")
                connection.execute("VACUUM")
                busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:  # a reader holds the log: the file goes from under it
                self._remove()
        except HomeError:
            self._remove()

    # ------------------------------------------------------------------ the file

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open a connection of its own; SQLite's lock between connections is the only one needed.

        Raises:
            HomeError: It cannot be used; one that is damaged was removed, so the next update makes it anew.
        """
        try:
            with closing(self._connected()) as connection:
                yield connection
        except sqlite3.Error as error:
            if _is_damage(error):
                self._remove()
                do = "it was damaged and has been removed: ask again, and it is made anew"
            else:
                do = "make room or check the disk; it can be removed at any time"
            raise HomeError(f"{self.path}: the catalogue refused ({error}): {do}", file=self.path) from error

    def _connected(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self._remove()
            return self._connect()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileExistsError):  # made here, so that nobody else can read it; SQLite follows
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(self.path, timeout=TIMEOUT_S, isolation_level=None)
        try:
            for pragma in ("secure_delete = ON", "temp_store = MEMORY", "synchronous = NORMAL"):
                connection.execute(f"PRAGMA {pragma}")
            _make(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _remove(self) -> None:
        for end in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)

    def _take_out(self, connection: sqlite3.Connection, session: str) -> None:
        row = connection.execute("SELECT n FROM sessions WHERE session = ?", (session,)).fetchone()
        if row is not None:
            first = row[0] << _BITS
            last = first + (1 << _BITS) - 1
            connection.execute("DELETE FROM passages WHERE rowid BETWEEN ? AND ?", (first, last))
            connection.execute("DELETE FROM sessions WHERE n = ?", row)


def _make(connection: sqlite3.Connection) -> None:
    """Create the tables if there are none.

    Raises:
        OtherVersionError: The file is of another release.
        sqlite3.DatabaseError: It is no database.
    """
    until = monotonic() + TIMEOUT_S
    while (version := connection.execute("PRAGMA user_version").fetchone()[0]) == 0:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in _TABLES:
                    connection.execute(statement)
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            # Two that change the mode at once: SQLite refuses one at once, whatever its patience.
            if not _is_busy(error) or monotonic() > until:
                raise
            sleep(0.01)
    if version != _VERSION:
        raise OtherVersionError(f"version {version}")


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether the error means that the file is unusable."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, OtherVersionError) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _is_busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def of_home(home: Home) -> Catalogue:
    """Return the catalogue of a home and of the archives to which it sends."""
    return Catalogue(home.root / "cache" / "review.db")


def of_archives(url: str, endpoint: str = "") -> Catalogue:
    """Return the catalogue of archives reviewed without a home, in the user's own cache folder.

    Args:
        endpoint: The server that they lie at, as `s3.endpoint_of`.

    Raises:
        UsageError: *url* is no archive address.
        HomeError: Nothing says where the user's files are.
    """
    address = f"{endpoint} {open_store(url).url}".strip()
    name = hashlib.sha256(address.encode()).hexdigest()[:16]  # an address may name a customer
    return Catalogue(user_folder("cache") / "review" / f"{name}.db")


def comments_beside(catalogue: Catalogue) -> Path:
    """Return the folder for comments written without a home."""
    return catalogue.path.with_suffix("")


_ROW: Final = "SELECT n, entry, bytes, archive, endpoint FROM sessions"


def _row(found: tuple[int, str, int | None, str | None, str]) -> Row:
    n, entry, size_bytes, archive, endpoint = found
    return Row(n, Entry.of(entry), size_bytes is not None, archive, endpoint)


def _end(before: int | None) -> int:
    return 1 << 42 if before is None else max(0, min(before, 1 << 42))


def _moment(entry: Entry) -> int:
    """Return milliseconds since 1970 for the session's time of day on the day of the rehearsal."""
    begun = datetime.fromisoformat(entry.started_at) if entry.started_at else datetime.fromtimestamp(0, UTC)
    with suppress(ValueError):  # no day of the calendar: it is shown as it was given
        given = datetime.combine(date.fromisoformat(entry.day), begun.timetz())
        if 0 < given.timestamp() * 1000 < _end(None):
            begun = given
    return int(begun.timestamp() * 1000)


def _free(connection: sqlite3.Connection, moment: int) -> int:
    """Return the first unused number from *moment* on."""
    n = max(1, moment)
    while connection.execute("SELECT 1 FROM sessions WHERE n = ?", (n,)).fetchone() is not None:
        n += 1
    return n


def _query(text: str) -> str:
    """Return the FTS5 query for all words and for quoted phrases as they stand, or "" without any.

    A star at a word's end finds all that begin so; only where it is asked for, since that merges the
    places of every such word first: 70 ms in 1,000 sessions, and 2 ms for one word.
    """
    found = []
    for one in re.finditer(r'"([^"]*)"?|([^\s"]+)', text):
        words = one[1] or one[2] or ""
        if re.search(r"\w", words):
            found.append(f'"{words}"' + ("*" if one[2] and words.endswith("*") else ""))
    return " ".join(found)


def _parts(snippet: str) -> tuple[tuple[str, bool], ...]:
    parts = re.split(f"([{''.join(_MARKS)}])", snippet)
    found, is_hit = [], False
    for part in parts:
        if part in _MARKS:
            is_hit = part == _MARKS[0]
        elif part:
            found.append((part, is_hit))
    return tuple(found)


# ---------------------------------------------------------------------- update
# Bringing the catalogue up to date: what is new is read, and what is gone is taken out.


BATCH: Final = 100
"""Sessions of one transaction: it ends within half a second, so that nobody waits long to write."""

MANY: Final = 1_000
"""New sessions from which on other processors help; to start them takes about as long as to read 300."""
MAX_PROCESSES: Final = 4
"""With more the one that writes is what is waited for."""

RETRY_S: Final = 60.0
"""After which an archive that could not be read is asked for again: each try is a request, or several."""

Read = tuple[Entry, list[Passage]]


def update(
    catalogue: Catalogue,
    sessions: Path | None,
    store: ArchiveStore,
    on_read: Callable[[int, int], None] = lambda done, of: None,
) -> None:
    """Add what is new in a home's folder of *sessions* and in the archives of *store*.

    An archive that is known is not read again: nothing in it ever changes. One that is also in the home
    is read there.

    Args:
        on_read: Told how many of the new sessions have been read, and how many there are.

    Raises:
        ArchiveError: The archives cannot be listed; the home's own sessions are up to date.
    """
    here = dict(_here(sessions)) if sessions is not None else {}
    erasures, known = catalogue.erasures(), catalogue.known()
    failed: ArchiveError | None = None
    try:
        there = {name for name in store.folders() if SESSION_ID.fullmatch(name)}
    except ArchiveError as error:
        failed = error
        there = {name for name, of in known.items() if of[1:3] == (f"{store.url}/{name}", store.endpoint)}
    gone = [name for name in known if name not in here and name not in there]
    if gone:
        catalogue.forget(*gone)
        erasures = catalogue.erasures()

    def place_of(name: str) -> Known:
        size_bytes, stamp = here.get(name, (None, ""))
        archive, endpoint = (f"{store.url}/{name}", store.endpoint) if name in there else (None, "")
        return Known(size_bytes, archive, endpoint, stamp)

    new, moved = [], {}
    for name in sorted(here.keys() | there):
        was, now = known.get(name), place_of(name)
        if was is None or _is_other(was, now) or 0 < was.tried_at < time() - RETRY_S:
            new.append(name)
        elif was[:4] != now[:4]:
            moved[name] = now
    if moved:
        catalogue.note(moved)

    with _reading(sessions, store, here, new) as read_in_order:
        for start in range(0, len(new), BATCH):
            names = new[start : start + BATCH]
            found = [
                (*one, place_of(name)._replace(tried_at=time() if one[0].unread else 0.0))
                for name, one in zip(names, read_in_order, strict=False)  # which goes on with the next
                if one is not None
            ]
            if not catalogue.put(found, erasures=erasures):
                return update(catalogue, sessions, store, on_read)  # somebody erased a session meanwhile
            on_read(start + len(names), len(new))
    if failed is not None:
        raise failed
    return None


def _is_other(was: Known, now: Known) -> bool:
    """Return whether to read a session again: its file, or its archive, is another one."""
    if now.size_bytes is not None:
        return (was.size_bytes, was.stamp) != (now.size_bytes, now.stamp)
    return was.size_bytes is not None or was[1:3] != now[1:3]


@contextmanager
def _reading(
    sessions: Path | None, store: ArchiveStore, here: Collection[str], names: Sequence[str]
) -> Iterator[Iterator[Read | None]]:
    """Yield what is read of each: one by one, many from a disk in processes, and from S3 in parallel."""
    reading = partial(_read_one, sessions, store, frozenset(here))
    if not isinstance(store, FolderStore):
        starts = range(0, len(names), BATCH)
        yield chain.from_iterable(side_by_side(reading, names[at : at + BATCH]) for at in starts)
    elif len(names) < MANY:
        yield map(reading, names)
    else:
        workers = min(MAX_PROCESSES, os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            try:
                yield pool.map(reading, names, chunksize=BATCH // 2)
            finally:
                pool.shutdown(cancel_futures=True)


def _read_one(sessions: Path | None, store: ArchiveStore, here: Collection[str], name: str) -> Read | None:
    """Read one session as of now; return None if it was just erased or its archive is still incomplete."""
    try:
        found = _read_folder(sessions / name) if sessions is not None and name in here else _read(store, name)
    except _DamagedError:
        return Entry(name), []
    except (ArchiveUnavailableError, OSError) as error:
        why = files.reason(error) if isinstance(error, OSError) else str(error)
        return Entry(name, unread=why), []
    return None if found is None else read(name, *found)


class _DamagedError(Exception):
    """No readable session lies at the place; never leaves this module."""


def _here(sessions: Path) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield each entry of a home with a session's name, its ledger's size and which file the ledger is."""
    try:
        folders = os.scandir(sessions)
    except OSError:
        return
    with folders:
        for folder in folders:
            if SESSION_ID.fullmatch(folder.name):
                try:
                    status = os.stat(f"{folder.path}/{LEDGER_NAME}")
                    yield folder.name, (status.st_size, f"{status.st_mtime_ns}-{status.st_ino}")
                except OSError as error:
                    yield folder.name, (0, files.reason(error))


def _read_folder(session: Path) -> tuple[bytes, bytes | None] | None:
    """Return ledger and debrief of a session in the home, or None if it was just erased.

    Raises:
        _DamagedError: It has no ledger, or something else as one.
        OSError: It cannot be read now.
    """
    try:
        with open_folder(session) as fd:
            ledger = read_file(fd, LEDGER_NAME)
            try:
                return ledger, read_file(fd, "debrief.json")
            except OSError:
                return ledger, None
    except OSError as error:
        if not os.path.lexists(session):
            return None
        if error.errno in files.MACHINE_FAULTS | {errno.EACCES, errno.EPERM}:
            raise
        raise _DamagedError from error


def _read(store: ArchiveStore, session: str) -> tuple[bytes, bytes | None] | None:
    """Return what is read of an archive, or None if it lacks its mark and so is still incomplete.

    Raises:
        _DamagedError: Its mark is none, or it has no ledger.
        ArchiveUnavailableError: It cannot be read now.
    """
    try:
        mark = store.get(f"{session}/{COMMIT_MARK}")
    except ArchiveUnavailableError:
        raise
    except ArchiveError:
        return None
    if not is_commit_mark(mark):
        raise _DamagedError
    try:
        ledger = store.get(f"{session}/data/{session}/{LEDGER_NAME}")
    except ArchiveUnavailableError:
        raise
    except ArchiveError as error:
        raise _DamagedError from error
    try:
        return ledger, store.get(f"{session}/data/{session}/debrief.json")
    except ArchiveUnavailableError:
        raise
    except ArchiveError:  # it ended without one
        return ledger, None
