"""The catalogue: one row for each session, and all words of the sessions, in SQLite with full-text search.

The file is a cache. If it is damaged or of another release, it is removed and made again. An erased session
leaves no word in it: deleted text is overwritten in file, index and log.

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
from typing import Final, NamedTuple, TypeAlias

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
from orchestrator.review.shared import Place, Shared, SharedRow, Verified

# ---------------------------------------------------------------------- catalogue


PAGE: Final = 50
"""Number of sessions on one page of the list."""
HITS: Final = 3
"""Number of places in one session that a search shows; the session's timeline shows the others."""
RUNS: Final = 20
"""Maximum number of sessions on the same deck that are offered for a comparison."""
TIMEOUT_S: Final = 10.0
"""Seconds that one process waits for the writes of another; a batch of the largest update takes less than
one."""

_VERSION: Final = 7
"""Version of the tables below and of the content of an entry; a file of another version is made again."""
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
      owner TEXT NOT NULL,       -- whose it is; "": of the time before people signed in, or it cannot be read
      owner_groups TEXT NOT NULL,  -- JSON: of the owner, when it was started
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
"""Bits of a rowid that number the passages of a session. A two-hour session has some 300 passages;
milliseconds take 41 bits, and a rowid has 63."""
_MARKS: Final = ("\x02", "\x03")
"""The marks around a hit in a snippet: control characters that no page shows."""


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
    """Words that a search found, and their place."""

    kind: str
    place: str
    at_s: float | None
    parts: tuple[tuple[str, bool], ...]  # the words around it; True: these were looked for


Sees: TypeAlias = Callable[[str, Sequence[str]], bool]
"""Says whether a session may be seen, by its owner ("": none) and the owner's groups."""


class OtherVersionError(sqlite3.DatabaseError):
    """The file is of another release. The error does not leave this module."""


class Known(NamedTuple):
    """The sources from which one session's row was made."""

    size_bytes: int | None
    archive: str | None
    endpoint: str = ""
    stamp: str = ""
    tried_at: float = 0.0


class Catalogue:
    """The catalogue at one path. Safe to use from several threads and processes."""

    def __init__(self, path: Path, sees: Sees | None = None) -> None:
        """Remember *path*; nothing is created before the first use.

        Args:
            sees: Says by a session's owner and the owner's groups whether its row is shown. If None, all are.
        """
        self.path = path
        self._sees = sees

    def seen_by(self, sees: Sees) -> Catalogue:
        """Return this catalogue with only the sessions that *sees* shows, whatever it is asked."""
        return Catalogue(self.path, sees)

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
            before: Return only sessions that are older than the row with this `n`.
            presenter: Return only sessions of this presenter.
            are_recorded: Whether to return only demonstrations, or only other sessions. If None, both.
        """
        with self._open() as connection:
            found = connection.execute(
                f"{_ROW} WHERE {_SEEN} AND n < ? AND (?2 IS NULL OR presenter = ?2) AND "
                "(?3 IS NULL OR (json_extract(entry, '$.engine') IS ?4) = ?3) ORDER BY n DESC LIMIT ?5",
                (_end(before), presenter, are_recorded, RECORDED, most),
            )
            return [_row(one) for one in found]

    def search(
        self, text: str, *, before: int | None = None, most: int = PAGE
    ) -> list[tuple[Row, list[Hit]]]:
        """Return sessions that contain all these words in one place, newest first, each with its first
        hits."""
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
                row = connection.execute(f"{_ROW} WHERE {_SEEN} AND n = ?", (n,)).fetchone()
                if row is None:  # somebody else's
                    continue
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
            row = connection.execute(f"{_ROW} WHERE {_SEEN} AND session = ?", (session,)).fetchone()
        return None if row is None else _row(row)

    def among(self, sessions: Sequence[str]) -> frozenset[str]:
        """Return those of these sessions that are in the catalogue."""
        with self._open() as connection:
            found = connection.execute(
                "SELECT session FROM sessions WHERE seen(owner, owner_groups) "
                "AND session IN (SELECT value FROM json_each(?))",
                (json.dumps(list(sessions)),),
            )
            return frozenset(session for (session,) in found)

    def runs_beside(self, row: Row, *, most: int = RUNS) -> list[Row]:
        """Return other sessions on the same deck, newest first."""
        with self._open() as connection:
            found = connection.execute(
                f"{_ROW} WHERE {_SEEN} AND deck = ? AND n != ? ORDER BY n DESC LIMIT ?",
                (row.entry.deck_sha256, row.n, most),
            )
            return [_row(one) for one in found]

    def runs_of(self, deck_sha256: str, *, most: int = RUNS) -> list[Row]:
        """Return sessions on this deck, newest first."""
        with self._open() as connection:
            query = f"{_ROW} WHERE {_SEEN} AND deck = ? ORDER BY n DESC LIMIT ?"
            found = connection.execute(query, (deck_sha256, most))
            return [_row(one) for one in found]

    def presenters(self) -> list[tuple[str, int]]:
        """Return the name of everybody who presented, and how often, sorted by name."""
        with self._open() as connection:
            query = (
                "SELECT presenter, count(*) FROM sessions WHERE seen(owner, owner_groups) "
                "AND presenter != '' GROUP BY presenter ORDER BY 1"
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
            found = connection.execute(
                "SELECT entry FROM sessions WHERE seen(owner, owner_groups) AND is_read = 0 ORDER BY session"
            )
            return [Entry.of(entry) for (entry,) in found]

    def known(self) -> dict[str, Known]:
        """Return, by session, the sources from which its row of the catalogue was made."""
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
        """Insert these sessions, replacing known ones.

        If *erasures* has changed, insert nothing and return False.
        """
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
                    "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                        entry.owner,
                        json.dumps(list(entry.groups)),
                        entry.told(),
                    ),
                )
                connection.executemany(
                    "INSERT INTO passages (rowid, kind, place, at_s, text) VALUES (?, ?, ?, ?, ?)",
                    [((n << _BITS) + number, *one) for number, one in enumerate(passages)],
                )
        return True

    def note(self, moved: Mapping[str, Known]) -> None:
        """Record that known sessions are now in another place, or in one more place."""
        with self._writing() as connection:
            connection.executemany(
                "UPDATE sessions SET bytes = ?, archive = ?, endpoint = ?, stamp = ? WHERE session = ?",
                [(*of[:4], session) for session, of in moved.items()],
            )

    def note_verified(
        self, session: str, place: str, head: str, *, is_valid: bool, at: str | None = None
    ) -> str:
        """Record a verification of a session at a place against *head*, and return its time.

        Args:
            place: "" for the session's folder in the home, or else the server and address of the archive.
            at: When it was verified; None: now. An earlier one than the recorded one changes nothing.
        """
        at = at or utc_now()
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO verified VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET head = excluded.head, "
                "is_valid = excluded.is_valid, at = excluded.at WHERE excluded.at >= verified.at",
                (session, place, head, is_valid, at),
            )
        return at

    def forget(self, *sessions: str) -> None:
        """Erase every word of these sessions from rows, index, log and the gaps of the file.

        If the file cannot be changed, it is removed completely, and the next update makes it again.
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
        """Open a connection for this call; SQLite's lock between connections is the only one that is needed.

        Raises:
            HomeError: The file cannot be used. A damaged file was removed, so the next update makes it again.
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
            connection.create_function("seen", 2, self._seen, deterministic=True)
        except BaseException:
            connection.close()
            raise
        return connection

    def _seen(self, owner: str, groups: str) -> bool:
        return self._sees is None or self._sees(owner, json.loads(groups))

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
        sqlite3.DatabaseError: The file is not a database.
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
    """Return the catalogue of a home, including the archives to which it sends."""
    return Catalogue(home.root / "cache" / "review.db")


def of_archives(url: str, endpoint: str = "") -> Catalogue:
    """Return the catalogue of archives that are reviewed without a home, in the user's own cache folder.

    Args:
        endpoint: The server of the archives, as `s3.endpoint_of` spells it.

    Raises:
        UsageError: *url* is not an archive address.
        HomeError: The user's own folder is not known.
    """
    address = f"{endpoint} {open_store(url).url}".strip()
    name = hashlib.sha256(address.encode()).hexdigest()[:16]  # an address may name a customer
    return Catalogue(user_folder("cache") / "review" / f"{name}.db")


def comments_beside(catalogue: Catalogue) -> Path:
    """Return the folder for comments that are written without a home."""
    return catalogue.path.with_suffix("")


_SEEN: Final = "seen(owner, owner_groups)"
"""The condition of every question that names sessions: who asks may see them."""
_ROW: Final = "SELECT n, entry, bytes, archive, endpoint FROM sessions"


def _row(found: tuple[int, str, int | None, str | None, str]) -> Row:
    n, entry, size_bytes, archive, endpoint = found
    return Row(n, Entry.of(entry), size_bytes is not None, archive, endpoint)


def _end(before: int | None) -> int:
    return 1 << 42 if before is None else max(0, min(before, 1 << 42))


def _moment(entry: Entry) -> int:
    """Return the time of the session in milliseconds since 1970: its time of day, on the day of the
    rehearsal."""
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
    """Return the FTS5 query for all words, and for quoted phrases as they are; "" if *text* has none.

    A star at the end of a word finds all words with that beginning. That is not the default, since it merges
    the places of all such words first: it takes 70 ms in 1,000 sessions, and one word takes 2 ms.
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
"""Number of sessions in one transaction, which ends within half a second, so that nobody waits long to
write."""

MANY: Final = 1_000
"""Minimum number of new sessions for which other processors help; starting them takes as long as reading
300."""
MAX_PROCESSES: Final = 4
"""Maximum number of processes that read; with more, all would wait for the one that writes."""

RETRY_S: Final = 60.0
"""Seconds after which an archive that could not be read is tried again; each try is one or more requests."""

Read = tuple[Entry, list[Passage]]


def update(
    catalogue: Catalogue,
    sessions: Path | None,
    store: ArchiveStore,
    on_read: Callable[[int, int], None] = lambda done, of: None,
    shelf: Shared | None = None,
) -> None:
    """Add the new sessions in a home's folder of *sessions* and in the archives of *store*.

    A known archive is not read again, since nothing in it ever changes. A session that is also in the home is
    read there.

    With a *shelf*, sessions of other workers are added with what their rows show. The words of a session are
    searched once it is archived, so that a search finds the same whichever worker is asked.

    Args:
        on_read: Called with the number of new sessions that have been read, and the number of all new
            sessions.

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
    rows = _elsewhere(shelf, there)
    for name in rows.keys() | _stale(shelf, here):
        here.pop(name, None)
    gone = [name for name in known if name not in here and name not in there and name not in rows]
    if gone:
        catalogue.forget(*gone)
        erasures = catalogue.erasures()

    def place_of(name: str) -> Known:
        if (row := rows.get(name)) is not None:
            stamp = hashlib.sha256(row.to_bytes()).hexdigest()
            return Known(None, row.archive or None, store.endpoint if row.archive else "", stamp)
        size_bytes, stamp = here.get(name, (None, ""))
        if shelf is not None and size_bytes is not None and name not in there:
            stamp += UNSEARCHED  # it is read again once it is archived
        archive, endpoint = (f"{store.url}/{name}", store.endpoint) if name in there else (None, "")
        return Known(size_bytes, archive, endpoint, stamp)

    new, moved = [], {}
    for name in sorted(here.keys() | there | rows.keys()):
        was, now = known.get(name), place_of(name)
        if was is None or _is_other(was, now) or 0 < was.tried_at < time() - RETRY_S:
            new.append(name)
        elif was[:4] != now[:4]:
            moved[name] = now
    if moved:
        catalogue.note(moved)

    told = [name for name in new if name in rows]
    new = [name for name in new if name not in rows]
    for start in range(0, len(told), BATCH):
        some = told[start : start + BATCH]
        found = [(rows[name].entry, rows[name].passages, place_of(name)) for name in some]
        if not catalogue.put(found, erasures=erasures):
            return update(catalogue, sessions, store, on_read, shelf)
    with _reading(sessions, store, here, new) as read_in_order:
        for start in range(0, len(new), BATCH):
            names = new[start : start + BATCH]
            found = [
                (*_searched(one, of), of._replace(tried_at=time() if one[0].unread else 0.0))
                for name, one in zip(names, read_in_order, strict=False)  # which goes on with the next
                if one is not None and (of := place_of(name))
            ]
            if not catalogue.put(found, erasures=erasures):
                return update(
                    catalogue, sessions, store, on_read, shelf
                )  # somebody erased a session meanwhile
            on_read(start + len(names), len(new))
    if failed is not None:
        raise failed
    return None


UNSEARCHED: Final = " unsearched"
"""End of the stamp of a session whose words are not in the catalogue yet."""


def _elsewhere(shelf: Shared | None, there: Collection[str]) -> dict[str, SharedRow]:
    """Return the rows of the sessions that are shown by their rows: neither read here nor in the archives of
    this server."""
    if shelf is None:
        return {}
    return {
        name: row
        for name, row in shelf.rows.items()
        if (place := shelf.place(name)) is Place.ELSEWHERE or (place is Place.ARCHIVE and name not in there)
    }


def _stale(shelf: Shared | None, here: Collection[str]) -> set[str]:
    """Return the sessions whose folders here are not read, since their archives go first."""
    return {name for name in here if shelf.place(name) is Place.ARCHIVE} if shelf is not None else set()


def _searched(one: Read, of: Known) -> Read:
    """Return what was read, without the words of a session that is not archived yet, where others tell of
    theirs by rows."""
    return (one[0], one[1][:1]) if of.stamp.endswith(UNSEARCHED) else one


def _is_other(was: Known, now: Known) -> bool:
    """Return whether to read a session again, because its file or its archive is a different one."""
    if now.size_bytes is not None:
        return (was.size_bytes, was.stamp) != (now.size_bytes, now.stamp)
    return was.size_bytes is not None or was[1:4] != now[1:4]


@contextmanager
def _reading(
    sessions: Path | None, store: ArchiveStore, here: Collection[str], names: Sequence[str]
) -> Iterator[Iterator[Read | None]]:
    """Yield an iterator over the content of each session.

    A few are read one by one, many from a disk in several processes, and those in S3 in parallel.
    """
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
    """Read one session now; return None if it was just erased or its archive is still incomplete."""
    try:
        found = _read_folder(sessions / name) if sessions is not None and name in here else _read(store, name)
    except _DamagedError:
        return Entry(name), []
    except (ArchiveUnavailableError, OSError) as error:
        why = files.reason(error) if isinstance(error, OSError) else str(error)
        return Entry(name, unread=why), []
    return None if found is None else read(name, *found)


class _DamagedError(Exception):
    """There is no readable session at the place. The error does not leave this module."""


def _here(sessions: Path) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield each name of a session in a home, with the size of its ledger and which file the ledger is."""
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
    """Return the ledger and the debrief of a session in the home, or None if it was just erased.

    Raises:
        _DamagedError: The session has no ledger, or something else in its place.
        OSError: The session cannot be read now.
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
    """Return the ledger and the debrief of an archive, or None if it has no commit mark yet and so is
    incomplete.

    Raises:
        _DamagedError: The commit mark is not valid, or there is no ledger.
        ArchiveUnavailableError: The archive cannot be read now.
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
