"""A session's ledger as it was read: its records, and every file as of any of them.

Reading takes no lock, ends at the last complete transaction, and changes nothing. Only the thread that is in
a transaction also reads the records of that transaction, which are not on the disk yet.

Source: DESIGN.md, sections 3 and 4.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from orchestrator.core.errors import (
    ConfigurationError,
    LaterReleaseError,
    LedgerCorruptError,
    SessionNotFoundError,
    StoreError,
    UsageError,
)
from orchestrator.core.store import files, ledger
from orchestrator.core.store.application import (
    PLAIN,
    REHEARSAL_OF_1,
    Application,
    Opening,
    lacks_first_table,
    opening_of,
    table_of,
)
from orchestrator.core.store.ledger import Entry, Record, Scan, Value, ids_of
from orchestrator.core.store.materialised import MaterialisedFiles
from orchestrator.core.store.waiting import Waiter
from orchestrator.core.table import Mutability, SeatedTable, SessionFile

T = TypeVar("T")

LEDGER_NAME: Final = "ledger/ledger.jsonl"
HOW_TO_RESTORE: Final = "move its folder away and restore the session from its archive or a copy"
"""Advice for a damaged session. Its folder has to be moved first, since a restore overwrites nothing."""
KEPT_RECORDS: Final = 512
"""Number of records that are cached in memory, so that a record just written is not read again."""
_NOTHING: Final = hashlib.sha256().hexdigest()


Receipts = tuple[tuple[str, Value], ...]


class FileState(NamedTuple):
    """The state of one session file according to the ledger."""

    row: SessionFile
    seqs: Sequence[int]  # the records that touched it
    revisions: int  # a blueprint is not the file's one write
    size_bytes: int
    sha256: str


class Unwritten(Protocol):
    """The records of a transaction before they are on the disk, which only its own thread reads."""

    records: list[Record]
    folded: dict[object, tuple[int, Any]]
    """By fold: the number of records that the transaction's copy of the value contains, and that copy."""

    @property
    def is_here(self) -> bool:
        """Whether the current thread is in this transaction, and it is still open."""

    def state(self, row: SessionFile) -> FileState:
        """Return the file's state, including what was written in the transaction."""


class Known(NamedTuple):
    """What was read of the ledger, up to one record, and the receipts that wait to be written after it.

    The tuple is replaced in one step, and only that step changes what is known. An exception before it has
    changed nothing, whatever it left half done.
    """

    seq: int = 0
    end: int = 0  # bytes of the ledger
    head: str = ledger.FIRST_HASH
    frozen: bool = False
    receipts: Receipts = ()  # that wait for the next durable record, so that reading costs no sync


class Fold(Generic[T]):
    """A value computed from every record in order, as of the last reading of the ledger."""

    def __init__(
        self,
        history: History,
        new: Callable[[], T],
        take: Callable[[T, Record], None],
        copy: Callable[[T], T] | None = None,
        *,
        is_steady: bool = False,
    ) -> None:
        self._history = history
        self._new = new
        self._take = take
        self._copy = copy
        self._is_steady = is_steady
        self._held: tuple[int, T] | None = None  # the last record that was taken, and what came of it
        self._at = 0  # the record that is being taken
        self._passed_over: frozenset[int] = frozenset()  # records that cannot be taken

    def now(self) -> T:
        """Return the value, brought up to date with every known record.

        The value is the same object each time, unless an exception interrupted a fold; then everything is
        folded again. A record that cannot be folded raises once and is skipped from then on. The thread that
        is in a transaction gets a copy that includes the transaction's records, if the fold can copy. Nobody
        else sees that copy, and it ends with the transaction.
        """
        draft = self._history.draft
        if self._copy is None or draft is None or not (draft.is_here and draft.records):
            return self._on_disk()
        if draft.records[-1].seq <= self._history.seq:  # they are on the disk by now
            return self._on_disk()
        return self._ahead(draft, self._copy)

    def _ahead(self, draft: Unwritten, copy: Callable[[T], T]) -> T:
        # Popped first: whatever raises below, half a record is in no value that is used again.
        count, value = draft.folded.pop(self, None) or (0, copy(self._on_disk()))
        for record in draft.records[count:]:
            self._take(value, record)
            count += 1
        draft.folded[self] = count, value
        return value

    def _on_disk(self) -> T:
        held = self._held
        if held is not None and held[0] == self._history.seq:
            return held[1]
        with self._history.mutex:
            try:
                return self._caught_up()
            except Exception:
                at = self._at
                try:
                    self._caught_up()  # it was a signal's, perhaps, and not the record's
                except Exception:  # noqa: BLE001 (the first one is raised below)
                    self._passed_over |= {at}
                raise

    def _caught_up(self) -> T:
        held = self._held
        if held is not None and self._copy is not None and self._is_steady:
            upto, value = held[0], self._copy(held[1])  # whatever raises below, the one that is held stays
        else:
            self._held = None  # whatever raises below: half a record is in nobody's value
            upto, value = held or (0, self._new())
        for seq in range(upto + 1, self._history.seq + 1):
            self._at = seq
            if seq not in self._passed_over:
                self._take(value, self._history.record(seq))
        self._held = self._history.seq, value
        return value


class History:
    """One session's ledger as of the last reading; for the thread in a transaction, also that
    transaction's records."""

    def __init__(self, root: Path, application: Application = PLAIN) -> None:
        """Open the ledger of the session at *root*.

        Args:
            application: What the session's program knows about it besides its table.

        Raises:
            SessionNotFoundError: There is no ledger at *root*.
            LedgerCorruptError: The ledger is damaged.
            OSError: The machine cannot open the ledger now, for example because too many files are open.
        """
        self.root = root
        self._application = application
        self.draft: Unwritten | None = None
        """What the transaction that is open in this process wants to write: only its thread reads that."""
        self.layout: SeatedTable
        self.opening: Opening
        self._known = Known()
        # What stands in these behind `_known` was left by an exception, and is cut off before it is seen.
        self._entries: list[Entry] = []
        self._seqs: dict[str, list[int]] = {}
        self._states: dict[str, tuple[int, FileState]] = {}  # as of the file's last record
        self._digests: dict[str, tuple[int, Any]] = {}  # running SHA-256 over so many of the file's records
        self._cache: OrderedDict[int, Record | bytes] = OrderedDict()  # bytes: a line not decoded yet
        self._folds: list[Fold[Any]] = []
        self.said: dict[str, tuple[int, int]] = {}
        """Where the texts of receipts stand that this process wrote, by their digests: record and place."""
        self._withheld: dict[int, str] = {}  # the file of each record that says so
        self.reads_to: int | None = None
        """Bytes of the ledger behind which this process reads nothing: a replica has not kept them yet."""
        self._own_mutex = threading.RLock()
        self._pid = os.getpid()
        self.waiting: list[Waiter] = []
        """The threads that wait for the session's lock, notified when a transaction lets go."""
        self._fds = files.Descriptors()
        self.identity = (0, 0)
        """Device and inode of the ledger: another file under its name is another ledger."""
        self.materialised = MaterialisedFiles(root)
        self._open()
        try:
            self.read_new()
            if not self.seq:
                raise LedgerCorruptError(f"{self.path}: holds no whole record: {HOW_TO_RESTORE}")
            self.opened = self._first()
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> Path:
        """The path of the ledger."""
        return self.root / LEDGER_NAME

    @property
    def seq(self) -> int:
        """The last record's number, as of the last reading of the ledger."""
        return self._known.seq

    @property
    def end(self) -> int:
        """The number of bytes of the ledger that were read."""
        return self._known.end

    @property
    def head(self) -> str:
        """The last record's hash."""
        return self._known.head

    @property
    def frozen(self) -> bool:
        """Whether the session has ended."""
        return self._known.frozen

    @property
    def pending(self) -> Sequence[Record]:
        """The records of the transaction that the current thread is in; they are not on the disk yet."""
        draft = self.draft
        return draft.records if draft is not None and draft.is_here else ()

    @property
    def is_open(self) -> bool:
        return bool(self._fds)

    @property
    def mutex(self) -> threading.RLock:
        """The lock on what this process knows of the ledger, to hold while that is read or changed.

        It is never held while the session's lock is waited for.
        """
        if self._pid != os.getpid():  # a forked child: whoever held it there holds nothing here
            self._own_mutex = threading.RLock()
            self._known = self._known._replace(receipts=())  # they are the parent's to write
            self._pid = os.getpid()
        return self._own_mutex

    @property
    def receipts(self) -> Receipts:
        """Receipts that are not on the disk yet, as pairs of id and value."""
        with self.mutex:
            return self._known.receipts

    def wait_with(self, receipts: Receipts) -> None:
        """Make these receipts wait for the next durable record, in place of those that wait now."""
        with self.mutex:
            self._known = self._known._replace(receipts=receipts)

    def _open(self) -> None:
        try:
            status = self.open_ledger(self._fds, files.READ)
        except OSError as error:
            if error.errno in files.MACHINE_FAULTS:
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            raise SessionNotFoundError(f"{self.root}: no session here ({files.reason(error)})") from error
        self.identity = (status.st_dev, status.st_ino)

    def open_ledger(self, kept: files.Descriptors, flags: int) -> os.stat_result:
        """Open the ledger, and put its descriptor at the end of *kept*.

        Neither it nor its folder may be a link.

        Raises:
            OSError: There is no ledger, or it is not a plain file.
        """
        with files.descriptors() as folder:
            folder.open(f"{self.root}/ledger", files.FOLDER)
            fd = kept.open("ledger.jsonl", flags, dir_fd=folder[-1])
        status = os.fstat(fd)
        # After the open and by the descriptor: a name that is looked at first can be swapped in between.
        if not stat.S_ISREG(status.st_mode):
            kept.close()
            raise OSError(f"{LEDGER_NAME} is no plain file")
        return status

    def _first(self) -> Record:
        first = self.record(1)
        self.opening = opening_of(first)
        self.version: int = self.opening.version
        if first.op != "open" or self.version not in ledger.READ_VERSIONS:
            is_later = first.op == "open" and self.version > ledger.LEDGER_VERSION
            raise (LaterReleaseError if is_later else LedgerCorruptError)(
                f"{self.path}: ledger version {self.opening.ledger_version!r} is not one that "
                f"this release reads ({' and '.join(map(str, ledger.READ_VERSIONS))}): use a later release"
            )
        if lacks_first_table(self.opening, self._application):
            raise UsageError(f"{self.path}: has {REHEARSAL_OF_1}: use those", file=self.path)
        try:
            table = table_of(self.opening, self._application)
        except ConfigurationError as error:
            raise LedgerCorruptError(
                f"{self.path}: {error}: use a later release, or {HOW_TO_RESTORE}"
            ) from error
        try:
            self.layout = table.seated(self.opening.panel or ())
        except UsageError as error:  # a panel of names that a later release allows
            raise LedgerCorruptError(
                f"{self.path}: the first record names no panel that this release knows: "
                f"use a later release, or {HOW_TO_RESTORE}"
            ) from error
        seqs: dict[str, list[int]] = {path: [] for path in self.layout.files}
        self._check_names(self._entries)
        for entry in self._entries:
            if entry.file is not None:
                seqs[entry.file].append(entry.seq)
        self._seqs = seqs
        return first

    def read_new(self, size: int | None = None) -> bytes:
        """Read the complete transactions after what was read before; return the bytes that follow them.

        *size* is the size of the ledger in bytes, if the caller has just looked it up.
        """
        if not self._fds:
            raise StoreError(f"{self.root.name} is closed here: open the session again")
        known = self._known
        if size == known.end:
            return b""
        found = self._scan_new()
        if found is None:
            return b""
        if found.damage is not None:
            raise LedgerCorruptError(
                f"{self.path}: {found.damage} (record {found.last_seq + 1}): "
                f"run `greenroom verify`; {HOW_TO_RESTORE}"
            )
        if len(self._entries) > known.seq:
            for path in self._seqs:
                self._seqs_of(path)
            del self._entries[known.seq :]  # last: as long as they stand there, something is left to be cut
        if self._seqs:
            self._check_names(found.entries)
        self._entries.extend(found.entries)
        self._withheld |= {
            one.seq: one.file for one in found.entries if one.withheld and one.file is not None
        }
        frozen, receipts = known.frozen, known.receipts
        for entry in found.entries:
            if entry.file is not None and self._seqs:
                self._seqs[entry.file].append(entry.seq)
            elif entry.op == "freeze":
                frozen = True
            elif entry.op == "receipt" and receipts:
                receipts = self._without(receipts, entry)
        seq = found.entries[-1].seq if found.entries else known.seq
        self._known = Known(seq, found.end, found.head, frozen, receipts)
        return found.rest

    def tell(self) -> None:
        """Bring every fold up to date, so that its value includes new records."""
        for fold in self._folds:
            fold.now()

    def _without(self, receipts: Receipts, entry: Entry) -> Receipts:
        """Return *receipts* without those that the record at *entry* has put on the disk."""
        for written in ids_of(ledger.decode(self._read(entry))):
            place = next((at for at, (id, _) in enumerate(receipts) if id == written), len(receipts))
            receipts = receipts[:place] + receipts[place + 1 :]
        return receipts

    def _scan_new(self) -> Scan | None:
        """Scan the bytes after those that were read; return None if there are none."""
        before: bytes | None = None
        while True:
            size = os.fstat(self._fds[-1]).st_size
            if self.reads_to is not None:
                size = min(size, self.reads_to)
            if size == self.end:
                return None
            if size > files.MAX_BYTES:
                raise LedgerCorruptError(f"{self.path}: {files.too_large(size)}: {HOW_TO_RESTORE}")
            # A writer cuts only what no reader has taken in, so this file is another one.
            if size < self.end:
                raise LedgerCorruptError(
                    f"{self.path}: shorter than it was while it was read; open the session again"
                )
            content = files.read_range(self._fds[-1], self.end, size - self.end)
            found = ledger.scan(content, offset=self.end, seq=self.seq, head=self.head)
            # Damage counts when it is seen twice: a reader may catch a writer while it cuts a torn
            # record off and writes the next one in its place.
            if found.damage is None or content == before:
                return found
            before = content

    def _check_names(self, entries: Sequence[Entry]) -> None:
        if {entry.file for entry in entries} <= {None, *self.layout.files}:
            return
        for entry in entries:
            if entry.file is not None and entry.file not in self.layout.files:
                raise LedgerCorruptError(
                    f"{self.path}: record {entry.seq} names {entry.file}, which no row has: "
                    "use the release that wrote it"
                )

    def fold(
        self,
        new: Callable[[], T],
        take: Callable[[T, Record], None],
        copy: Callable[[T], T] | None = None,
        *,
        is_steady: bool = False,
    ) -> Fold[T]:
        """Fold every record so far into a value, and every new record as it is read.

        Args:
            take: Adds a record to the value. It is called while the session's lock or this process's lock is
                held, so it must not write.
            copy: Returns a copy that *take* may change without changing the original. If None, a transaction
                sees the value as of the records on the disk.
            is_steady: Whether a copy costs next to nothing, so that new records are always folded into a
                copy. An exception then loses nothing that was folded before.
        """
        fold = Fold(self, new, take, copy, is_steady=is_steady)
        fold.now()
        self._folds.append(fold)
        return fold

    def entries(self) -> Iterator[Entry]:
        """Yield the number, operation, file and position of every record, without reading its text."""
        return iter(self._entries[: self.seq])

    def withheld(self) -> Mapping[int, str]:
        """Return the file of each withheld record, by number, including those of the thread's own
        transaction."""
        with self.mutex:
            # Those behind the last record were left by an exception, as in `_seqs_of`.
            known = {seq: file for seq, file in self._withheld.items() if seq <= self.seq}
            return known | {one.seq: one.file for one in self.pending if one.withheld and one.file}

    def entry(self, seq: int) -> Entry:
        """Return the number, operation, file and position of one record."""
        return self._entries[seq - 1]

    def record(self, seq: int) -> Record:
        """Return a record by its number; in the thread of a transaction also a record not yet on the disk.

        Raises:
            StoreError: There is no such record.
        """
        with self.mutex:
            if not 1 <= seq <= self.seq:
                pending = self.pending
                if 0 < seq - self.seq <= len(pending):
                    return pending[seq - self.seq - 1]
                raise StoreError(f"there is no record {seq}: the ledger has 1 to {self.seq}")
            cached = self._cache.get(seq)
            if isinstance(cached, Record):
                return cached
            record = ledger.decode(self._line(seq))
            self._keep(seq, record)
            return record

    def clock_s(self) -> float:
        """Return the session clock of the last record, including those of the thread's own transaction."""
        with self.mutex:
            pending = self.pending
            return pending[-1].clock_s if pending else ledger.clock_s(self._line(self.seq))

    def _line(self, seq: int) -> bytes:
        cached = self._cache.get(seq)
        if isinstance(cached, bytes):
            return cached
        return self._read(self._entries[seq - 1])

    def _read(self, entry: Entry) -> bytes:
        if not self._fds:
            raise StoreError(f"{self.root.name} is closed here: open the session again")
        return files.read_range(self._fds[-1], entry.offset, entry.size)

    def lines(self, after: int, most: int) -> list[bytes]:
        """Return the lines of up to *most* records after number *after*, as on the disk, without newlines."""
        with self.mutex:
            wanted = self._entries[: self.seq][after : after + most]
            if not wanted:
                return []
            start, end = wanted[0].offset, wanted[-1].offset + wanted[-1].size
            return files.read_range(self._fds[-1], start, end - start).split(b"\n")[:-1]

    def keep_digest(self, path: str, digest: Any) -> None:
        """Store the running SHA-256 of an append-only file up to its last record."""
        self._digests[path] = len(self._seqs_of(path)), digest

    def keep_lines(self, lines: Sequence[bytes]) -> None:
        """Cache the last lines of the ledger, so that they need not be read again."""
        for seq, line in enumerate(lines, self.seq - len(lines) + 1):
            self._keep(seq, line)  # decoded when asked for: what others read, not what was passed in

    def _keep(self, seq: int, record: Record | bytes) -> None:
        self._cache[seq] = record
        if len(self._cache) > KEPT_RECORDS:  # the oldest goes: folds read forward
            self._cache.popitem(last=False)

    def state(self, path: str) -> FileState:
        """Return the current state of *path* according to the ledger, including the thread's own transaction.

        Raises:
            UnknownFileError, ImmutableFileError: *path* is in no row, or is a template.
        """
        with self.mutex:
            row = self.layout.file(path)
            draft = self.draft
            return draft.state(row) if draft is not None and draft.is_here else self.state_of(row)

    def state_of(self, row: SessionFile) -> FileState:
        """Return the state of a file according to the records on the disk."""
        with self.mutex:
            seqs = self._seqs_of(row.path)
            if not seqs:
                return FileState(row, seqs, 0, 0, _NOTHING)
            kept = self._states.get(row.path)
            if kept is not None and kept[0] == seqs[-1]:
                return kept[1]
            last = ledger.size_and_digest(self._line(seqs[-1]))
            if last is None:
                raise LedgerCorruptError(f"{self.path}: record {seqs[-1]} lacks size and digest")
            is_grown = row.mutability is Mutability.APPEND_ONLY
            revisions = 0 if is_grown else len(seqs) - (self.entry(seqs[0]).op == "create")
            state = FileState(row, seqs, revisions, *last)
            self._states[row.path] = seqs[-1], state
            return state

    def size_at(self, path: str, seq: int) -> tuple[int, str]:
        """Return the size in bytes and the SHA-256 of a file as of record *seq*.

        Before the file's first write they are those of an empty text.
        """
        with self.mutex:
            seqs = self.state(path).seqs
            at = bisect_right(seqs, seq)
            if not at:
                return 0, _NOTHING
            number = seqs[at - 1]
            if number > self.seq:
                record = self.record(number)
                return record.size_bytes or 0, record.sha256 or ""
            found = ledger.size_and_digest(self._line(number))
            if found is None:
                raise LedgerCorruptError(f"{self.path}: record {number} lacks size and digest")
            return found

    def _seqs_of(self, path: str) -> list[int]:
        """Return the numbers of the records that wrote *path*, without those that an exception left
        behind."""
        seqs = self._seqs[path]
        while seqs and seqs[-1] > self.seq:
            seqs.pop()
        return seqs

    def digest_of(self, row: SessionFile) -> Any:
        """Return the running SHA-256 of an append-only file up to its last record; copy it before use."""
        with self.mutex:
            seqs = self._seqs_of(row.path)
            count, digest = self._digests.get(row.path) or (
                len(seqs),
                hashlib.sha256(self.replay(seqs).encode() if seqs else b""),
            )
            if count < len(seqs):
                digest = digest.copy()
                for seq in seqs[count:]:
                    digest.update((self.record(seq).text or "").encode())
            self._digests[row.path] = len(seqs), digest
            return digest

    def texts(self, path: str, start: int = 0) -> list[str]:
        """Return the texts of the records that wrote *path*, from index *start* on."""
        with self.mutex:
            return [self.record(seq).text or "" for seq in self.state(path).seqs[start:]]

    def content(self, path: str, *, at_seq: int | None = None) -> str:
        """Return the file's whole text now, or as of record *at_seq*; "" if it was not written by then.

        The text comes from the ledger, or from the file itself if its digest is the recorded one.

        Raises:
            UnknownFileError, ImmutableFileError: *path* is in no row, or is a template.
            LedgerCorruptError: The records do not give a text with the recorded digest.
        """
        with self.mutex:
            state = self.state(path)
            seqs = state.seqs if at_seq is None else [seq for seq in state.seqs if seq <= at_seq]
            if not seqs:
                return ""
            last = self.record(seqs[-1])
            if last.op != "append":
                return self.replay(seqs[-1:])
            raw = self._shown(path, state.row.max_bytes)
            # The file is read rather than a thousand records joined, and counts only where its digest is the
            # ledger's. It may be longer than it was at *at_seq*: an append-only file's beginning is its past.
            if raw is not None and len(raw) >= (last.size_bytes or 0):
                raw = raw[: last.size_bytes]
                if hashlib.sha256(raw).hexdigest() == last.sha256:
                    return raw.decode()
            return self.replay(seqs)

    def _shown(self, path: str, most: int) -> bytes | None:
        """Return the bytes of the materialised file.

        None if too many files are open to read it; the ledger, which is already open, has its text.
        """
        try:
            return self.materialised.read(path, most)
        except OSError as error:
            if error.errno in files.NO_DESCRIPTORS:
                return None
            raise

    def replay(self, seqs: Sequence[int]) -> str:
        """Return a file's text, built from some of its records, of which there is at least one."""
        parts: list[str] = []
        for seq in seqs:
            record = self.record(seq)
            if record.op != "append":
                parts.clear()
            parts.append((record if record.same is None else self.record(record.same)).text or "")
        text = "".join(parts)
        if hashlib.sha256(text.encode()).hexdigest() != record.sha256:
            raise LedgerCorruptError(
                f"{self.path}: the records of {record.file} up to {record.seq} do not give the text "
                f"that they say: run `greenroom verify`; {HOW_TO_RESTORE}"
            )
        return text

    def close(self) -> None:
        """Close every descriptor."""
        self._fds.close()
