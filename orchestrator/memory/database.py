"""The database of long-term memory: `memory.db` in the home.

One SQLite file with a write-ahead log, private to its owner. Any number of processes and threads may
use it at once: a transaction that writes has the database to itself from its first statement, so
what it reads is what it changes. A write is on the disk when its transaction has ended.

Everything that reads or writes the database may raise `MemoryDatabaseError`: the disk refused, or another
process did not release its lock in time. The database is unchanged then.

Deleted rows are overwritten, and `wipe` leaves no copy of them in the file, its index or its log.
(The blocks that a file system, a disk or a backup keeps are beyond any program's reach.)

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from importlib import resources
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, Self

from orchestrator.memory.model import MemoryDatabaseError

NAME: Final = "memory.db"
TIMEOUT_S: Final = 30.0
"""Seconds that a write waits for other processes' writes. A write takes milliseconds, so a longer wait means
that a process hangs."""
KEPT_HISTORY: Final = 100_000
"""Maximum number of rows of history. At some hundred bytes each they take some ten megabytes. Our own
limit."""

_APPLICATION: Final = 0x47524D59  # "GRMY": marks the file as ours, see https://sqlite.org/fileformat2.html
_VERSIONS: Final = ("schema.sql", "schema_2.sql", "schema_3.sql")
"""The scripts that upgrade the tables, in order: each makes its version of them out of the one before."""


class MemoryDatabase:
    """One open database, thread-safe; each process opens its own."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._begun: str | None = None

    @staticmethod
    def exists(home_root: Path) -> bool:
        """Return whether this home has a file with the database's name, which `open` then opens or refuses.

        Raises:
            MemoryDatabaseError: The file's existence cannot be checked.
        """
        path = home_root / NAME
        try:
            os.lstat(path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _refusal(path, error) from error
        return True

    @classmethod
    def open(cls, home_root: Path, *, patience_s: float | None = None) -> Self:
        """Open the database of the home at *home_root*, creating it if it is missing.

        Args:
            patience_s: How long to wait for other processes. If it is None, `TIMEOUT_S`.

        Raises:
            MemoryDatabaseError: The file cannot be opened, was made by a newer release, or is not this
                database.
        """
        path = home_root / NAME
        patience_s = TIMEOUT_S if patience_s is None else patience_s
        with ExitStack() as undone:
            try:
                with suppress(FileExistsError):  # made here, so that nobody else can read it; SQLite follows
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
                connection = _connected(path, patience_s)
                undone.callback(connection.close)
                _configure(connection, patience_s)
                db = cls(path, connection)
                db._make()
            except (sqlite3.Error, OSError) as error:
                raise _refusal(path, error) from error
            undone.pop_all()
        return db

    @classmethod
    def examine(cls, home_root: Path, *, patience_s: float) -> int | None:
        """Check that memory can be read and written, without changing it; return None if there is none yet.

        Otherwise return the number of presenters who agreed to be remembered.

        Raises:
            MemoryDatabaseError: Memory cannot be read or written; a session that starts now would get the
                same error.
        """
        path = home_root / NAME
        if not cls.exists(home_root):
            return None
        with ExitStack() as undone:
            try:
                connection = _connected(path, patience_s)
                undone.callback(connection.close)
                db = cls(path, connection)
                version = _version(connection, path)
                (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
                if found != "ok" or (version == len(_VERSIONS) and not _own_tables() <= _tables(connection)):
                    raise sqlite3.DatabaseError(found)
                db.check_writable()
                agreed = "SELECT count(*) FROM consents WHERE is_given" if version else "SELECT 0"
                (count,) = connection.execute(agreed).fetchone()
            except (sqlite3.Error, OSError) as error:
                raise _refusal(path, error) from error
        return int(count)

    def check_writable(self) -> None:
        """Check, without writing, that a write would be accepted.

        Raises:
            MemoryDatabaseError: A write would be refused.
        """
        with self._lock:
            try:
                (version,) = self._connection.execute("PRAGMA user_version").fetchone()
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    self._connection.execute(f"PRAGMA user_version = {version}")  # refused where all is
                finally:
                    self._connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise _refusal(self.path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; everything that was written stays."""
        with self._lock:
            self._connection.close()

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[sqlite3.Connection]:
        """Commit all writes of the block or none; inside another transaction, the block is a part of it.

        If it is not *durable*, a power cut may undo it; nothing else can.
        """
        return self._within("BEGIN IMMEDIATE", durable)

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Open a transaction that reads from one snapshot; it neither waits for writers nor blocks them."""
        return self._within("BEGIN", True)

    def rows(self, query: str, *given: Any) -> list[sqlite3.Row]:
        """Return all rows of a query, read in a transaction as `reading` opens it."""
        with self.reading() as connection:
            return connection.execute(query, given).fetchall()

    def row(self, query: str, *given: Any) -> sqlite3.Row | None:
        """Return the first row of a query, or None if there is none."""
        return next(iter(self.rows(query, *given)), None)

    def write(self, query: str, *given: Any) -> sqlite3.Cursor:
        """Run *query*, which changes rows, in the open transaction or else in a transaction of its own."""
        with self.transaction() as connection:
            return connection.execute(query, given)

    def _make(self) -> None:
        """Upgrade the tables to the version of this release."""
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
        """Overwrite every byte of deleted rows in the file, the index and the log.

        Return False if another process still reads from the log. The log is overwritten once that process has
        finished, by the next call or when the last process closes the database.
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
    """Open the database of a home; yield None if the home is None or has no database. Never create it."""
    if home_root is None or not MemoryDatabase.exists(home_root):
        yield None
        return
    with MemoryDatabase.open(home_root) as db:
        yield db


def note(db: MemoryDatabase, at: str, act: str, presenter: str, item: str, agent: str | None) -> None:
    """Add a line to the history, in the transaction of the change that it records."""
    line = (at, act, presenter, item, agent)
    added = db.write("INSERT INTO history (at, act, presenter, item, agent) VALUES (?, ?, ?, ?, ?)", *line)
    db.write("DELETE FROM history WHERE n <= ?", (added.lastrowid or 0) - KEPT_HISTORY)


def session_of(source: str | None) -> str | None:
    """Return the session that a source names, "<session>" or "<session>/<record or exchange>".

    Queries call it too.
    """
    return None if source is None else source.partition("/")[0]


def new_id(first: str) -> str:
    """Return a random id: *first*, then 12 hex digits."""
    return first + secrets.token_hex(6)


def scope_of(db: MemoryDatabase, presenter: str, agent: str) -> int | None:
    """Return the number of *agent*'s scope for *presenter*, or None if the agent has stored nothing yet."""
    row = db.row("SELECT n FROM scopes WHERE presenter = ? AND agent = ?", presenter, agent)
    return None if row is None else int(row["n"])


def made_scope(db: MemoryDatabase, presenter: str, agent: str) -> int:
    """Return the number of *agent*'s scope for *presenter*, creating it if there is none."""
    db.write("INSERT OR IGNORE INTO scopes (presenter, agent) VALUES (?, ?)", presenter, agent)
    return scope_of(db, presenter, agent) or 0


def _connected(path: Path, patience_s: float) -> sqlite3.Connection:
    """Connect to the file at *path*.

    Raises:
        MemoryDatabaseError: What stands at *path* is not a regular file.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise MemoryDatabaseError(f"{path}: is no file: move it aside, and a new one is made", file=path)
    return sqlite3.connect(path, timeout=patience_s, isolation_level=None, check_same_thread=False)


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


def _tables(connection: sqlite3.Connection) -> frozenset[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return frozenset(str(name) for (name,) in rows)


def _own_tables() -> frozenset[str]:
    """Return the names of the tables that this release's version has."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        MemoryDatabase(Path(NAME), connection)._make()
        return _tables(connection)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of the tables, or 0 if there are no tables yet.

    Raises:
        MemoryDatabaseError: The tables belong to another program, or to a later release.
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
    """Return SQLite's error code, or 0 if the error is not SQLite's own."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF  # without what an extended code adds


def _is_busy(error: sqlite3.Error) -> bool:
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


_DISK: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_FULL: "no space is left: make room, then try again",
    sqlite3.SQLITE_IOERR: "the disk refused: check it, then try again",
    sqlite3.SQLITE_NOMEM: "no memory is left: close other programs, then try again",
    sqlite3.SQLITE_READONLY: "may only be read: make it and its folder writable, then try again",
    sqlite3.SQLITE_PERM: "may not be opened: check who owns it and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: check its folder, and how many files may be open (ulimit -n)",
    sqlite3.SQLITE_PROTOCOL: "locks do not work on this file system: use another --home",
}
"""The reason why the system refused the file, by SQLite's code."""
_DAMAGE: Final = frozenset(
    {
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_ERROR,  # a table or column of ours is missing
        0,  # a text that is no UTF-8: Python's own error
    }
)
"""SQLite's codes for a file whose content is not as we wrote it."""


def _refusal(path: Path, error: sqlite3.Error | OSError) -> MemoryDatabaseError:
    if isinstance(error, OSError):
        told = f"cannot be made: {(error.strerror or str(error)).lower()}"
    elif _is_busy(error):
        told = "another process keeps it busy: try again when that has ended"
    elif (known := _DISK.get(_code(error))) is not None:
        told = f"{known}; nothing was changed"
    elif _code(error) not in _DAMAGE:
        told = f"{error}; nothing was changed"
    else:
        told = (
            "is damaged or no memory database: move it aside (with -wal and -shm beside it), "
            "and a new one is made"
        )
    return MemoryDatabaseError(f"{path}: {told}", file=path)
