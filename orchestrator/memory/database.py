"""The database of long-term memory: `memory.db` in the home.

One SQLite file with a write-ahead log, private to its owner. Any number of processes and threads may
use it at once: a transaction that writes has the database to itself from its first statement, so
what it reads is what it changes. A write is on the disk when its transaction has ended.

Everything that reads or writes here may raise `MemoryDatabaseError`: the disk refused, or another process
did not let go in time. Nothing has changed then.

Deleted rows are overwritten, and `wipe` leaves no copy of them in the file, its index or its log.
(The blocks that a file system, a disk or a backup keeps are beyond any program's reach.)

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib import resources
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, Self

from orchestrator.memory.errors import MemoryDatabaseError

NAME: Final = "memory.db"
PATIENCE_S: Final = 30.0
"""A write waits so long for those of others. Each takes milliseconds, so this is a process that hangs."""
KEPT_HISTORY: Final = 100_000
"""Rows of history, some hundred bytes each: some ten megabytes. Our own limit."""

_APPLICATION: Final = 0x47524D59  # "GRMY": marks the file as ours, see https://sqlite.org/fileformat2.html
_VERSIONS: Final = ("schema.sql", "schema_2.sql", "schema_3.sql")
"""Each makes the tables of its version out of those of the one before."""


class MemoryDatabase:
    """One open database. Safe to use from several threads; each process opens its own."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._begun: str | None = None

    @staticmethod
    def exists(home_root: Path) -> bool:
        """Whether this home has one: opening makes it."""
        return (home_root / NAME).is_file()

    @classmethod
    def open(cls, home_root: Path, *, patience_s: float = PATIENCE_S) -> Self:
        """The database of the home at *home_root*, made where there is none.

        Raises:
            MemoryDatabaseError: It cannot be opened, is of a newer release, or is another file.
        """
        path = home_root / NAME
        with ExitStack() as undone:
            try:
                with suppress(FileExistsError):  # made here, so that nobody else can read it; SQLite follows
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
                connection = sqlite3.connect(
                    path, timeout=patience_s, isolation_level=None, check_same_thread=False
                )
                undone.callback(connection.close)
                _configure(connection, patience_s)
                db = cls(path, connection)
                db._make()
            except (sqlite3.Error, OSError) as error:
                raise _refusal(path, error) from error
            undone.pop_all()
        return db

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; what was written stays."""
        with self._lock:
            self._connection.close()

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[sqlite3.Connection]:
        """All that is written within happens, or nothing of it; inside another, it is part of that.

        Not *durable*: a power cut may undo it; nothing else can.
        """
        return self._within("BEGIN IMMEDIATE", durable)

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """All that is read within is of one moment; writers are neither awaited nor kept waiting."""
        return self._within("BEGIN", True)

    def rows(self, query: str, *given: Any) -> list[sqlite3.Row]:
        """All rows that answer one question, as `reading`."""
        with self.reading() as connection:
            return connection.execute(query, given).fetchall()

    def row(self, query: str, *given: Any) -> sqlite3.Row | None:
        """The first of them; None: there is none."""
        return next(iter(self.rows(query, *given)), None)

    def write(self, query: str, *given: Any) -> sqlite3.Cursor:
        """Change rows: part of the transaction that is open, else in one of its own."""
        with self.transaction() as connection:
            return connection.execute(query, given)

    def _make(self) -> None:
        """Bring the tables to the version of this release."""
        if _version(self._connection, self.path) == len(_VERSIONS):
            return
        with self.transaction() as connection:
            for name in _VERSIONS[_version(connection, self.path) :]:
                for statement in resources.files(__package__).joinpath(name).read_text("utf-8").split(";\n"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {len(_VERSIONS)}")

    @contextmanager
    def _within(self, begin: str, durable: bool) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._begun is not None:
                if begin != self._begun == "BEGIN":
                    raise RuntimeError("a transaction cannot begin within a reading")
                yield self._connection
                return
            try:
                self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._connection.execute(begin)
                self._begun = begin
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
                finally:
                    self._begun = None
            except sqlite3.Error as error:
                raise _refusal(self.path, error) from error

    def wipe(self) -> bool:
        """Leave no byte of what was deleted: in the file, the index and the log.

        False where another process still reads from the log: it is done when that has gone, by the
        next call or when the last process closes the database.
        """
        with self._lock:
            try:
                # The index keeps deleted words until its parts are merged; one made anew never had them.
                self._connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
                # Overwriting reaches what was deleted, and not copies that moving rows left in a page's gaps.
                self._connection.execute("VACUUM")
                busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                if _is_busy(error):
                    return False
                raise _refusal(self.path, error) from error
        return not busy


@contextmanager
def existing(home_root: Path | None) -> Iterator[MemoryDatabase | None]:
    """The database of a home; None where there is none, or memory is switched off: it is never made here."""
    if home_root is None or not MemoryDatabase.exists(home_root):
        yield None
        return
    with MemoryDatabase.open(home_root) as db:
        yield db


def note(db: MemoryDatabase, at: str, act: str, presenter: str, item: str, agent: str | None) -> None:
    """Add a line to the history, in the transaction of what it tells."""
    line = (at, act, presenter, item, agent)
    added = db.write("INSERT INTO history (at, act, presenter, item, agent) VALUES (?, ?, ?, ?, ?)", *line)
    db.write("DELETE FROM history WHERE n <= ?", (added.lastrowid or 0) - KEPT_HISTORY)


def session_of(source: str | None) -> str | None:
    """The session of a source, "<session>" or "<session>/<record or exchange>"; queries know it too."""
    return None if source is None else source.partition("/")[0]


def new_id(first: str) -> str:
    """An id that says nothing about what it names: *first*, then 12 hex digits."""
    return first + secrets.token_hex(6)


def scope_of(db: MemoryDatabase, presenter: str, agent: str) -> int | None:
    """The number of what *agent* keeps about *presenter*; None where there is nothing yet."""
    row = db.row("SELECT n FROM scopes WHERE presenter = ? AND agent = ?", presenter, agent)
    return None if row is None else int(row["n"])


def made_scope(db: MemoryDatabase, presenter: str, agent: str) -> int:
    """The same, made where there is none."""
    db.write("INSERT OR IGNORE INTO scopes (presenter, agent) VALUES (?, ?)", presenter, agent)
    return scope_of(db, presenter, agent) or 0


def _configure(connection: sqlite3.Connection, patience_s: float) -> None:
    until = monotonic() + patience_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # Two that change the mode at once: SQLite refuses one at once, whatever its patience.
            if not _is_busy(error) or monotonic() > until:
                raise
            sleep(0.01)
    connection.row_factory = sqlite3.Row
    connection.create_function("session_of", 1, session_of, deterministic=True)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")  # else VACUUM writes what is kept into a shared folder


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """Of which version the tables are; 0: there are none yet.

    Raises:
        MemoryDatabaseError: They are another program's, or a later release's.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not (version or application or tables):
        return 0
    if application != _APPLICATION:
        raise MemoryDatabaseError(f"{path}: belongs to another program: move it aside, and a new one is made")
    if version > len(_VERSIONS):
        raise MemoryDatabaseError(
            f"{path}: is of version {version}, and this release reads up to {len(_VERSIONS)}: "
            "use a newer Greenroom"
        )
    return int(version)


def _code(error: sqlite3.Error) -> int:
    """SQLite's own code; 0 where the error is none of SQLite's."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF  # without what an extended code adds


def _is_busy(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _refusal(path: Path, error: sqlite3.Error | OSError) -> MemoryDatabaseError:
    if isinstance(error, OSError):
        return MemoryDatabaseError(f"{path}: cannot be made: {(error.strerror or str(error)).lower()}")
    if _is_busy(error):
        return MemoryDatabaseError(f"{path}: another process keeps it busy: try again when that has ended")
    if _code(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return MemoryDatabaseError(
            f"{path}: is damaged or no memory database: move it aside (with -wal and -shm beside it), "
            "and a new one is made"
        )
    return MemoryDatabaseError(f"{path}: {error}; nothing was changed: make room or check the disk")
