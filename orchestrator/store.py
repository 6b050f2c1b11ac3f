"""A session's folder: the only module that changes a session file.

A write is durable when it returns: its ledger record is on disk, with one append and one
`fdatasync`. The Markdown file is then brought up to date without a sync of its own. A
refused write changes nothing. Any number of threads and processes may write one session:
each write takes an exclusive `flock` on the ledger and first catches up with the records of
others. Readers take no lock, end at the last whole transaction, and change nothing.

Source: DESIGN.md, sections 3 and 4; trust.md, "The store".
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from orchestrator import files, ledger
from orchestrator.clock import utc_now
from orchestrator.errors import (
    AlreadyWrittenError,
    AppendOnlyError,
    FileTooLargeError,
    InvalidTextError,
    LedgerCorruptError,
    RevisionLimitError,
    SessionDegradedError,
    SessionFrozenError,
    SessionNotFoundError,
    StoreError,
    StoreWriteError,
    UsageError,
    WriterNotAllowedError,
)
from orchestrator.layout import MAX_APPEND_BYTES, Layout, Mutability, SessionFile, layout_of
from orchestrator.ledger import Entry, Record, Scan
from orchestrator.views import Views

LEDGER_NAME: Final = "ledger/ledger.jsonl"
DEGRADED_NAME: Final = "ledger/degraded"
KEPT_RECORDS: Final = 512
"""Records kept in memory, so that a record just written is not read again."""


@dataclass(slots=True)
class FileState:
    """What the ledger says of one session file: the records that touched it, and the last one's facts."""

    row: SessionFile
    seqs: list[int] = field(default_factory=list)
    revisions: int = 0
    size_bytes: int = 0
    sha256: str | None = None  # None: not read from the last record yet
    digest: Any = None  # running SHA-256 over the first `digested` records, where this process has it
    digested: int = 0


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that was mended when a writer first took the lock."""

    path: str
    what: str


class Store:
    """One session's ledger and files, as of the last record that this process has seen."""

    def __init__(self, root: Path, *, on_repair: Callable[[Repair], None] | None = None) -> None:
        """Open a session that exists.

        Raises:
            SessionNotFoundError: There is no ledger here.
            LedgerCorruptError: The ledger is damaged.
        """
        self.root = root
        self.clock: Callable[[], float] | None = None
        self.sync_s = 0.0
        self.repairs: list[Repair] = []
        self._on_repair = on_repair
        self._own_mutex = threading.RLock()
        self._depth = 0
        self._pid = os.getpid()
        self._read_fd = -1
        self._write_fd = -1
        self._views: Views | None = None
        self._views_checked = False
        self._entries: list[Entry] = []
        self._end = 0
        self._head = ledger.FIRST_HASH
        self._cache: OrderedDict[int, Record | bytes] = OrderedDict()  # bytes: a line not decoded yet
        self._pending: list[Record] = []
        self._receipts: list[tuple[str, Mapping[str, Any]]] = []
        self._frozen = False
        self._listeners: list[Callable[[Record], None]] = []
        self._degraded = False
        self._marker = str(root / DEGRADED_NAME)  # text: a path takes longer to make than to look at
        self._ledger = str(root / LEDGER_NAME)
        self._identity = (0, 0)  # device and inode of the ledger that is open for writing
        self._written = False  # bytes are on their way to disk that memory does not know of yet
        self._told = 0
        self._clock_s = 0.0
        self._clock_seq = 0
        self._by_others: set[str] = set()  # files that others wrote since this process had the lock
        self.undone = 0
        """How often writes that could already be read here were taken back again."""
        try:
            self._read_fd = self._open_ledger(files.READ)[0]
        except OSError as error:
            raise SessionNotFoundError(f"{root}: no session here ({files.reason(error)})") from error
        self._files: dict[str, FileState] = {}
        self.layout: Layout
        try:
            self._read_new()
            if not self._entries:
                raise LedgerCorruptError(
                    f"{root / LEDGER_NAME}: holds no whole record: "
                    "restore the session from its archive or a copy"
                )
            self.opened = self._first()
        except BaseException:
            self.close_files()
            raise

    def _open_ledger(self, flags: int) -> tuple[int, os.stat_result]:
        """A descriptor of the ledger, which is a plain file in a folder that is no link, and what it is.

        Raises:
            OSError: It is not there, or something else is.
        """
        folder = os.open(self.root / "ledger", files.FOLDER)
        try:
            fd = os.open("ledger.jsonl", flags, dir_fd=folder)
        finally:
            os.close(folder)
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            os.close(fd)
            raise OSError(f"{LEDGER_NAME} is no plain file")
        return fd, status

    # ------------------------------------------------------------------ reading

    def _first(self) -> Record:
        first = self.record(1)
        value = first.value or {}
        if first.op != "open" or value.get("ledger_version") != ledger.LEDGER_VERSION:
            raise LedgerCorruptError(
                f"{self.root / LEDGER_NAME}: ledger version {value.get('ledger_version')!r} is not one that "
                f"this release reads ({ledger.LEDGER_VERSION}): use a later release"
            )
        try:
            self.layout = layout_of(value["panel"])
        except (UsageError, KeyError, TypeError) as error:
            raise LedgerCorruptError(
                f"{self.ledger_path}: the first record names no panel that this release knows: "
                "use a later release, or restore the session from its archive or a copy"
            ) from error
        self._files = {path: FileState(row) for path, row in self.layout.files.items()}
        self._index(self._entries)
        return first

    @property
    def _mutex(self) -> threading.RLock:
        """Held by the thread that reads or writes.

        A forked child shares its parent's descriptors, and with them the lock, and inherits
        whatever the parent's threads were in the middle of: before anything else it starts anew.
        """
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._own_mutex = threading.RLock()
            self._depth = 0
            self._pending = []
            self._receipts = []  # the parent writes them
            if self._read_fd >= 0:
                self.close_files()
                try:
                    self._read_fd = self._open_ledger(files.READ)[0]
                except OSError as error:
                    raise SessionNotFoundError(
                        f"{self.root}: no session here any more ({files.reason(error)})"
                    ) from error
                self._read_again()
        return self._own_mutex

    @property
    def seq(self) -> int:
        """The last record's number, as of the last look."""
        return len(self._entries)

    @property
    def head(self) -> str:
        """The last record's hash: keep it elsewhere and `verify` detects a roll-back."""
        return self._head

    @property
    def frozen(self) -> bool:
        return self._frozen

    @property
    def ledger_path(self) -> Path:
        return self.root / LEDGER_NAME

    @property
    def is_degraded(self) -> bool:
        """Whether a sync has failed here and no `resume` has looked at the disk since."""
        return self._degraded or os.access(self._marker, os.F_OK)

    def catch_up(self) -> int:
        """Take in what other processes have written; returns the last record's number."""
        with self._mutex:
            if self._depth == 0:
                self._read_new()
            return self.seq

    def _read_new(self) -> bytes:
        """Index the whole transactions behind what was read; returns what follows them."""
        if self._read_fd < 0:
            raise StoreError(f"{self.root.name} is closed here: open the session again")
        found = self._scan_new()
        if found is None:
            return b""
        if found.damage is not None:
            raise LedgerCorruptError(
                f"{self.ledger_path}: {found.damage} (record {self.seq + len(found.entries) + 1}): "
                "run `greenroom verify`; restore the session from its archive or a copy"
            )
        if self._files:
            self._index(found.entries)
        self._entries.extend(found.entries)
        self._end, self._head = found.end, found.head
        self._tell()
        return found.rest

    def _scan_new(self) -> Scan | None:
        """What stands behind what was read; None: nothing."""
        before: bytes | None = None
        while True:
            size = os.fstat(self._read_fd).st_size
            if size == self._end:
                return None
            if size < self._end:
                raise LedgerCorruptError(
                    f"{self.ledger_path}: shorter than it was while it was read; open the session again"
                )
            content = files.read_range(self._read_fd, self._end, size - self._end)
            found = ledger.scan(content, offset=self._end, seq=self.seq, head=self._head)
            # Damage counts when it is seen twice: a reader may catch a writer while it cuts a torn
            # record off and writes the next one in its place.
            if found.damage is None or content == before:
                return found
            before = content

    def _index(self, entries: Sequence[Entry]) -> None:
        """Take in what *entries* say of the files; all of them, or none."""
        for entry in entries:
            if entry.file is not None and entry.file not in self._files:
                raise LedgerCorruptError(
                    f"{self.ledger_path}: record {entry.seq} names {entry.file}, which no row has: "
                    "use the release that wrote it"
                )
        for entry in entries:
            if entry.op == "freeze":
                self._frozen = True
            if entry.file is None:
                continue
            state = self._files[entry.file]
            state.seqs.append(entry.seq)
            state.sha256 = None
            if entry.op not in ("create", "append"):
                state.revisions += 1
            self._by_others.add(entry.file)

    def _tell(self) -> None:
        """Give the listeners every record that they have not had, in order."""
        while self._listeners and self._told < self.seq:
            self._told += 1
            record = self.record(self._told)
            for listener in self._listeners:
                listener(record)

    def subscribe(self, listener: Callable[[Record], None]) -> None:
        """Call *listener* with every record so far, and from now on with every new one, in order.

        It is called under the session's lock or this process's own, and must not write.
        """
        with self._mutex:
            for entry in self._entries:
                listener(self.record(entry.seq))
            self._told = self.seq
            self._listeners.append(listener)

    def entries(self) -> Iterator[Entry]:
        """What every record is about, without reading its text."""
        return iter(self._entries[:])

    def record(self, seq: int) -> Record:
        """One record by its number; inside a transaction also those not yet committed.

        Raises:
            StoreError: There is no such record.
        """
        with self._mutex:
            if seq > self.seq:
                for pending in self._pending:
                    if pending.seq == seq:
                        return pending
            if not 1 <= seq <= self.seq:
                raise StoreError(f"there is no record {seq}: the ledger has 1 to {self.seq}")
            cached = self._cache.get(seq)
            if isinstance(cached, Record):
                return cached
            if cached is None:
                if self._read_fd < 0:
                    raise StoreError(f"{self.root.name} is closed here: open the session again")
                entry = self._entries[seq - 1]
                cached = files.read_range(self._read_fd, entry.offset, entry.size)
            record = ledger.decode(cached)
            self._keep(seq, record)
            return record

    def _keep(self, seq: int, record: Record | bytes) -> None:
        self._cache[seq] = record
        if len(self._cache) > KEPT_RECORDS:
            self._cache.popitem(last=False)

    def state(self, path: str) -> FileState:
        """What the ledger says of *path* now (inside a transaction: with its own writes).

        Raises:
            UnknownFileError, ImmutableFileError: The name is in no row, or a template's.
        """
        with self._mutex:
            return self._state(self.layout.file(path))

    def _state(self, row: SessionFile) -> FileState:
        state = self._files[row.path]
        if state.sha256 is None:
            if state.seqs:
                last = self.record(state.seqs[-1])
                if last.size_bytes is None or last.sha256 is None:
                    raise LedgerCorruptError(f"{self.ledger_path}: record {last.seq} lacks size and digest")
                state.size_bytes, state.sha256 = last.size_bytes, last.sha256
            else:
                state.size_bytes, state.sha256 = 0, hashlib.sha256().hexdigest()
        return state

    def texts(self, path: str, start: int = 0) -> list[str]:
        """The texts of the records that touched *path*, from the *start*-th one on."""
        with self._mutex:
            return [self.record(seq).text or "" for seq in self.state(path).seqs[start:]]

    def content(self, path: str, *, at_seq: int | None = None) -> str:
        """The file's whole text, now or as of record *at_seq*; "" where it was not written yet.

        Taken from the ledger, or from the file itself; its digest is the recorded one.

        Raises:
            UnknownFileError, ImmutableFileError: The name is in no row, or a template's.
            LedgerCorruptError: The records do not give what they say.
        """
        with self._mutex:
            state = self.state(path)
            seqs = state.seqs if at_seq is None else [seq for seq in state.seqs if seq <= at_seq]
            if not seqs:
                return ""
            last = self.record(seqs[-1])
            if last.op != "append":
                return self._replay(seqs[-1:])
            raw = self._open_views().read(path)
            if raw is not None and len(raw) >= (last.size_bytes or 0):
                raw = raw[: last.size_bytes]
                if hashlib.sha256(raw).hexdigest() == last.sha256:
                    return raw.decode()
            return self._replay(seqs)

    def _replay(self, seqs: Sequence[int]) -> str:
        """A file's text from some of its records, of which there is at least one."""
        parts: list[str] = []
        for seq in seqs:
            record = self.record(seq)
            if record.op != "append":
                parts.clear()
            parts.append(record.text or "")
        text = "".join(parts)
        if hashlib.sha256(text.encode()).hexdigest() != record.sha256:
            raise LedgerCorruptError(
                f"{self.ledger_path}: the records of {record.file} up to {record.seq} do not give the text "
                "that they say: run `greenroom verify`; restore the session from its archive or a copy"
            )
        return text

    def _open_views(self) -> Views:
        if self._views is None:
            self._views = Views(self.root)
        return self._views

    @contextmanager
    def still(self) -> Iterator[int]:
        """Catch up, then hold this process's view still for several reads; gives the last record's number."""
        with self._mutex:
            self.catch_up()
            yield self.seq + len(self._pending)

    # ------------------------------------------------------------------ locking

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the session's lock over several reads and writes, which then count all or none.

        The writes are durable when the block ends. An exception that leaves the block undoes
        them. Nested transactions join the outer one. In a child that was forked inside the
        block, the end of the block does nothing: the transaction is its parent's.

        Raises:
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        with self._hold():
            yield

    @contextmanager
    def _hold(self, row: SessionFile | None = None) -> Iterator[None]:
        """A transaction, for the file of *row*, which the error names if the session has ended."""
        with self._mutex:
            owner = self._pid
            if self._depth:
                self._depth += 1
                try:
                    yield
                finally:
                    if self._pid == owner:
                        self._depth -= 1
                return
            saved = self._receipts[:]
            forked = False
            try:
                self._lock(row)
                self._depth = 1
                try:
                    yield
                finally:
                    forked = owner != os.getpid()
                if not forked:
                    self._commit()
            except BaseException as error:
                if not forked:
                    self._roll_back(saved, error)
                raise
            finally:
                if not forked:
                    self._depth = 0
                    if self._write_fd >= 0:
                        fcntl.flock(self._write_fd, fcntl.LOCK_UN)

    def _lock(self, row: SessionFile | None) -> None:
        if self._write_fd < 0:
            self._read_new_or_frozen(row)  # a frozen ledger cannot be opened for writing
            self._open_for_writing()
        fcntl.flock(self._write_fd, fcntl.LOCK_EX)
        rest = self._read_new_or_frozen(row)
        if self.is_degraded:
            raise SessionDegradedError(
                f"{self.root.name}: a sync failed here earlier, so the disk is not to be trusted: "
                "check it, then run `greenroom resume`"
            )
        try:
            self._check_same_file()
            if rest:
                self._cut_torn(rest)
            self._mend_views()
        except OSError as error:
            raise StoreWriteError(
                f"{self.root}: {files.reason(error)} while putting the files in order; nothing was written: "
                "check the disk and the rights, then try again"
            ) from error

    def _open_for_writing(self) -> None:
        try:
            self._write_fd, status = self._open_ledger(files.APPEND)
        except OSError as error:
            raise StoreWriteError(
                f"{self.ledger_path}: {files.reason(error)}; nothing was written: "
                "check the rights and the disk"
            ) from error
        self._identity = (status.st_dev, status.st_ino)

    def _check_same_file(self) -> None:
        """What is written must be found under the ledger's name, and under no other."""
        status = os.stat(self._ledger, follow_symlinks=False)
        if (status.st_dev, status.st_ino) != self._identity:
            raise StoreWriteError(
                f"{self.ledger_path}: another file stands here than when the session was opened; "
                "nothing was written: open the session again"
            )
        if status.st_nlink != 1:
            raise StoreWriteError(
                f"{self.ledger_path}: has a second name (a hard link), which a write would change too; "
                "nothing was written: put a copy of its own here"
            )

    def _read_new_or_frozen(self, row: SessionFile | None) -> bytes:
        rest = self._read_new()
        if self._frozen:
            raise self._has_ended(row)
        return rest

    def _has_ended(self, row: SessionFile | None) -> SessionFrozenError:
        what = f"{_named(row)}: " if row is not None else ""
        return SessionFrozenError(
            f"{what}{self.root.name} has ended and is frozen: nothing is written any more; "
            "start a new session"
        )

    def _cut_torn(self, rest: bytes) -> None:
        """Keep a torn last record aside, then cut it off. Only ever called with the lock held."""
        name = f"torn-{self.seq + 1}-{hashlib.sha256(rest).hexdigest()[:8]}"
        self._open_views().keep_aside("torn", name, rest)
        os.ftruncate(self._write_fd, self._end)
        self._sync()
        self._repaired(
            Repair(LEDGER_NAME, f"cut off a torn last record ({len(rest)} bytes kept in ledger/torn/{name})")
        )

    def _mend_views(self) -> None:
        """Redo the views that are not what the ledger says: all of them are compared at the first lock,
        later those that others wrote, who may have died before their view was written."""
        if not self._views_checked:
            for path in self._files:
                self._mend(path)
            self._views_checked = True
            self._open_views().swapped = False
        else:
            for path in self._by_others:
                size = self.state(path).size_bytes
                is_whole = self._files[path].row.mutability is not Mutability.APPEND_ONLY
                if is_whole or self._open_views().size(path) != size:
                    self._mend(path)
        self._by_others.clear()

    def _mend(self, path: str) -> None:
        """Compare a view's digest with the ledger, and redo it if it differs.

        A view that is only behind is brought up to date; one that was changed from outside is
        first kept aside under `ledger/rejected/`.
        """
        views = self._open_views()
        state = self.state(path)
        if not state.seqs:
            if views.is_there(path):
                self._reject(path, "something was there before the first write")
            return
        raw = views.read(path)
        if (
            raw is not None
            and len(raw) == state.size_bytes
            and hashlib.sha256(raw).hexdigest() == state.sha256
        ):
            return
        content = self._replay(state.seqs).encode()
        if views.is_folder(path):
            self._reject(path, "a folder stood in its place, which has been put back from the ledger")
        elif raw is None or self._is_earlier(raw, path, content):
            self._repaired(Repair(path, "brought up to date with the ledger"))
        else:
            self._reject(path, "was changed from outside and has been put back from the ledger")
        views.replace(path, content)

    def _is_earlier(self, raw: bytes, path: str, content: bytes) -> bool:
        """Whether *raw* is what the file held before its last writes, or part of it."""
        if content.startswith(raw.rstrip(b"\0")):  # zeros: blocks that never reached the disk
            return True
        digest = hashlib.sha256(raw).hexdigest()
        return any(self.record(seq).sha256 == digest for seq in self._files[path].seqs)

    def _reject(self, path: str, why: str) -> None:
        kept = self._open_views().reject(path, self.seq)
        self._repaired(Repair(path, f"{why}: what stood there is kept in {kept}"))

    def _repaired(self, repair: Repair) -> None:
        self.repairs.append(repair)
        if self._on_repair is not None:
            self._on_repair(repair)

    # ------------------------------------------------------------------ writing

    def create(self, path: str, text: str, *, value: Mapping[str, Any] | None = None) -> None:
        """Put a rendered blueprint in place; it is not the file's one write. Only at the start.

        In an append-only file a missing final newline is added, as `append` does.

        Raises:
            AlreadyWrittenError: The file is there already; otherwise as `write`.
        """
        row = self.layout.file(path)
        with self._hold(row):
            state = self._allowed(row, "start", ("start",))
            if state.seqs:
                raise AlreadyWrittenError(
                    f"{path}: is {row.mutability} and already there: a blueprint is copied once, at the start"
                )
            if row.mutability is Mutability.APPEND_ONLY:
                text = _ended(text)
            self._put(state, "create", "start", text, value)

    def write(self, path: str, text: str, *, by: str, value: Mapping[str, Any] | None = None) -> int:
        """Write a whole file: once, a few times or any number of times, by its class.

        Returns:
            The number of this revision, from 1.

        Raises:
            UnknownFileError, ImmutableFileError, SessionFrozenError, WriterNotAllowedError:
                In this order, before the class is looked at.
            AlreadyWrittenError, RevisionLimitError, AppendOnlyError: By the file's class.
            InvalidTextError, FileTooLargeError, StoreWriteError
        """
        row = self.layout.file(path)
        with self._hold(row):
            state = self._allowed(row, by, row.writers)
            if row.mutability is Mutability.APPEND_ONLY:
                raise AppendOnlyError(f"{path}: is append-only and cannot be written whole: use append")
            if row.mutability is Mutability.WRITE_ONCE and state.revisions:
                raise AlreadyWrittenError(f"{path}: is write-once and has been written: it stays as it is")
            if row.mutability is Mutability.WRITE_FEW and state.revisions >= self.max_revisions(row):
                raise RevisionLimitError(
                    f"{path}: is write-few and has had its {self.max_revisions(row)} revisions: "
                    "start a new session, or raise max_revisions in greenroom.yaml before the next one"
                )
            op = {Mutability.WRITE_ONCE: "write", Mutability.WRITE_FEW: "revise"}.get(
                row.mutability, "replace"
            )
            self._put(state, op, by, text, value)
            return state.revisions

    def append(self, path: str, text: str, *, by: str, value: Mapping[str, Any] | None = None) -> int:
        """Add *text* to the end of an append-only file; a missing final newline is added.

        Durable when it returns (inside a transaction: when that ends). Earlier bytes are never
        touched; writers in other processes do not interleave with this text.

        Args:
            path: As in the layout table.
            text: Valid UTF-8 without NUL, at most `MAX_APPEND_BYTES` bytes.
            by: The writer, as in the file's row.
            value: The typed value that *text* was rendered from.

        Returns:
            The file's length in bytes after the append.

        Raises:
            UnknownFileError, ImmutableFileError, SessionFrozenError, WriterNotAllowedError,
            AppendOnlyError, InvalidTextError, FileTooLargeError, StoreWriteError
        """
        row = self.layout.file(path)
        with self._hold(row):
            state = self._allowed(row, by, row.writers)
            if row.mutability is not Mutability.APPEND_ONLY:
                raise AppendOnlyError(f"{path}: is {row.mutability} and takes no appends: use write")
            text = _ended(text)
            if text == "":
                raise InvalidTextError(f"{_named(row)}: there is nothing to append: give some text")
            self._put(state, "append", by, text, value)
            return state.size_bytes

    def note(self, value: Mapping[str, Any], *, by: str) -> int:
        """Record something that is no file: a decision, a state, a mark. Returns its number."""
        with self.transaction():
            return self._add("note", by, value=value).seq

    def add_receipt(self, receipt_id: str, value: Mapping[str, Any]) -> None:
        """Remember a receipt; it goes to disk with the next durable record, or at `flush`.

        Once the session has ended nothing is recorded any more.
        """
        with self._mutex:
            if not self._depth:
                self._receipts.append((receipt_id, value))
            elif not self._is_ending():
                self._add("receipt", "start", value={"type": "receipt", "id": receipt_id, **value})

    @property
    def waiting_receipts(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Receipts that are not on disk yet."""
        with self._mutex:
            return tuple(self._receipts)

    def flush(self) -> None:
        """Write the receipts that still wait; they are dropped if the session has ended meanwhile."""
        with self._mutex:
            if not self._receipts or self._depth:
                return
            try:
                with self.transaction():
                    self._take_receipts()
            except SessionFrozenError:
                self._receipts.clear()

    def max_revisions(self, row: SessionFile) -> int:
        """How often this session may revise a write-few file."""
        value = self.opened.value or {}
        limit = value.get("max_revisions", row.max_revisions)
        return int(limit)

    def _allowed(self, row: SessionFile, by: str, writers: tuple[str, ...]) -> FileState:
        """The third check after name and frozen: the writer. Class and content follow in the caller.

        Source: DESIGN.md, section 3, for the order.
        """
        if by not in writers:
            raise WriterNotAllowedError(
                f"{row.path}: {by!r} may not write this {row.mutability} file; "
                f"its writers are {', '.join(writers)}"
            )
        return self._state(row)

    def _put(self, state: FileState, op: str, by: str, text: str, value: Mapping[str, Any] | None) -> None:
        row = state.row
        raw = _checked(row, text)
        size = len(raw) + (state.size_bytes if op == "append" else 0)
        limit = row.max_bytes
        if op == "append" and len(raw) > MAX_APPEND_BYTES:
            raise FileTooLargeError(
                f"{_named(row)}: {len(raw)} bytes are over the limit of {MAX_APPEND_BYTES} "
                "for one append: split the text"
            )
        if size > limit:
            raise FileTooLargeError(
                f"{_named(row)}: {size} bytes are over this file's limit of {limit}: shorten the text"
            )
        if op == "append":
            digest = self._digest_of(state).copy()
            digest.update(raw)
        else:
            digest = hashlib.sha256(raw)
        record = self._add(
            op, by, file=row.path, text=text, value=value, size_bytes=size, sha256=digest.hexdigest()
        )
        state.seqs.append(record.seq)
        state.size_bytes, state.sha256 = size, record.sha256
        state.digest, state.digested = digest, len(state.seqs)
        if op not in ("create", "append"):
            state.revisions += 1

    def _digest_of(self, state: FileState) -> Any:
        """The running SHA-256 of an append-only file, brought up to its last record."""
        if state.digest is None:
            state.digest = hashlib.sha256(self.content(state.row.path).encode())
        else:
            for seq in state.seqs[state.digested :]:
                state.digest.update((self.record(seq).text or "").encode())
        state.digested = len(state.seqs)
        return state.digest

    def _add(
        self,
        op: str,
        by: str,
        *,
        file: str | None = None,
        text: str | None = None,
        value: Mapping[str, Any] | None = None,
        size_bytes: int | None = None,
        sha256: str | None = None,
    ) -> Record:
        if self._is_ending():
            raise self._has_ended(self.layout.files.get(file or ""))
        self._take_receipts()
        record = Record(
            seq=self.seq + len(self._pending) + 1,
            op=op,
            by=by,
            clock_s=self.now_s(),
            at=utc_now(),
            file=file,
            text=text,
            value=value,
            size_bytes=size_bytes,
            sha256=sha256,
        )
        self._pending.append(record)
        return record

    def _is_ending(self) -> bool:
        """Whether this transaction has written the last record already."""
        return bool(self._pending) and self._pending[-1].op == "freeze"

    def now_s(self) -> float:
        """Session clock in seconds; never less than the last record's, whatever the wall clock does."""
        if self._clock_seq != self.seq and self.seq:
            self._clock_s = max(self._clock_s, self.record(self.seq).clock_s)
            self._clock_seq = self.seq
        if self.clock is not None:
            self._clock_s = max(self._clock_s, self.clock())
        return self._clock_s

    def _take_receipts(self) -> None:
        waiting, self._receipts = self._receipts, []
        for receipt_id, value in waiting:
            self._add("receipt", "start", value={"type": "receipt", "id": receipt_id, **value})

    def _commit(self) -> None:
        if not self._pending:
            return
        lines = []
        head = self._head
        last = self._pending[-1]
        try:
            for record in self._pending:
                line, head = ledger.encode(record, head, more=record is not last)
                lines.append(line)
        except (UnicodeEncodeError, ValueError, RecursionError) as error:
            raise InvalidTextError(
                f"{record.file or record.op}: a value cannot be written as JSON ({error}); "
                "nothing was written: give valid Unicode and finite numbers"
            ) from error
        self._written = True
        files.append_whole(self._write_fd, b"".join(lines), size=self._end, name=LEDGER_NAME)
        self._sync()
        pending, self._pending = self._pending, []
        for record, line in zip(pending, lines, strict=True):
            self._entries.append(Entry(record.seq, record.op, record.file, self._end, len(line)))
            self._end += len(line)
            self._keep(record.seq, line)  # decoded when asked for: what others read, not what was passed in
        self._head = head
        self._clock_seq = last.seq
        self._frozen = last.op == "freeze"
        self._show(pending)
        self._written = False
        self._tell()

    def _sync(self) -> None:
        """What was written to the ledger is on the disk when this returns.

        Raises:
            StoreWriteError: The disk refused. It is not asked again for these bytes: they are
                cut off, so that nothing in doubt remains, and the session is degraded.
        """
        start = perf_counter()
        try:
            files.sync_file(self._write_fd)
        except OSError as error:
            self._degrade()
            raise StoreWriteError(
                f"{self.ledger_path}: the sync failed ({files.reason(error)}), so nothing was acknowledged; "
                "the session is degraded: check the disk, then run `greenroom resume`"
            ) from error
        self.sync_s += perf_counter() - start

    def _degrade(self) -> None:
        self._degraded = True
        with suppress(OSError):  # then what is left is a record that nobody was told is there
            os.ftruncate(self._write_fd, self._end)
        with suppress(OSError):  # then only this process knows
            os.close(os.open(self._marker, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644))

    def undegrade(self) -> None:
        """Try the disk with a new file; if it takes it, the session may be written again.

        Raises:
            StoreWriteError: The disk refused again; the session stays degraded.
        """
        with self._mutex:
            if not self.is_degraded:
                return
            name = f".probe.{os.getpid()}.tmp"
            try:
                folder = os.open(self.root / "ledger", files.FOLDER)
                try:
                    files.try_disk(folder, name)
                    files.unlink_if_there(folder, os.path.basename(DEGRADED_NAME))
                    files.sync_folder(folder)
                finally:
                    os.close(folder)
            except OSError as error:
                raise StoreWriteError(
                    f"{self.root}: the disk still refuses ({files.reason(error)}), so the session stays "
                    "degraded: check the disk, then run `greenroom resume`"
                ) from error
            self._degraded = self._views_checked = False

    def _show(self, written: list[Record]) -> None:
        """Bring the views up to date. They need no sync, and a failure is mended at the next open."""
        views = self._open_views()
        added: dict[str, list[str]] = {}
        whole: set[str] = set()
        for record in written:
            if record.file is None or record.text is None:
                continue
            if record.op != "append":
                whole.add(record.file)
                added[record.file] = []
            added.setdefault(record.file, []).append(record.text)
        for path, parts in added.items():
            state = self._files[path]
            content = "".join(parts).encode()
            try:
                if path not in whole and views.append(path, content, size_after=state.size_bytes):
                    continue
                views.replace(path, content if path in whole else self._replay(state.seqs).encode())
            except OSError:
                self._views_checked = False  # durable all the same: the record is; redone at the next lock
        if views.swapped:
            self._views_checked = False

    def _roll_back(self, receipts: list[tuple[str, Mapping[str, Any]]], error: BaseException) -> None:
        """Take the pending records out of memory again; the disk has seen none of them."""
        if self._pending:
            self.undone += 1
        for record in reversed(self._pending):
            if record.file is not None:
                state = self._files[record.file]
                state.seqs.pop()
                state.sha256 = state.digest = None
                state.digested = 0
                if record.op not in ("create", "append"):
                    state.revisions -= 1
        self._pending = []
        self._receipts = receipts
        if self._written or not isinstance(error, Exception):
            self._read_again()

    def _read_again(self) -> None:
        """Start over from the ledger: an interrupt came at a moment when memory may be half done."""
        self.undone += 1
        self._entries.clear()
        self._cache.clear()
        self._end, self._head = 0, ledger.FIRST_HASH
        self._files = {path: FileState(row) for path, row in self.layout.files.items()}
        self._views_checked = self._written = False
        self._read_new()

    # ------------------------------------------------------------------ ending

    def freeze(self, value: Mapping[str, Any]) -> None:
        """Write the last record. Afterwards every write gets `SessionFrozenError`."""
        with self.transaction():
            self._add("freeze", "start", value=value)

    def close_files(self) -> None:
        """Close every descriptor; nothing is written."""
        if self._views is not None:
            self._views.close()
            self._views = None
        for fd in (self._read_fd, self._write_fd):
            if fd >= 0:
                os.close(fd)
        self._read_fd = self._write_fd = -1

    def close(self) -> None:
        """Write waiting receipts, then close. Closing twice is no error."""
        if self._pid != os.getpid():
            self.close_files()  # a forked child has nothing to write
            return
        with self._mutex:
            try:
                if self._read_fd >= 0:
                    self.flush()
            finally:
                self.close_files()


def _named(row: SessionFile) -> str:
    """A file and its class, as messages begin."""
    return f"{row.path} ({row.mutability})"


def _ended(text: str) -> str:
    """*text* with a final newline, if it is text at all; an empty one stays empty."""
    return text + "\n" if isinstance(text, str) and text and not text.endswith("\n") else text


def _checked(row: SessionFile, text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{row.path}: the text is {type(text).__name__}, not str")
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidTextError(
            f"{_named(row)}: the text is not valid Unicode (position {error.start}): clean it"
        ) from error
    if "\0" in text:
        raise InvalidTextError(
            f"{_named(row)}: the text holds NUL (position {text.index(chr(0))}): remove it"
        )
    return raw


def create_store(root: Path, layout: Layout, value: Mapping[str, Any]) -> Store:
    """Make a new session's folders and ledger at *root*, which must not exist, and open it.

    Raises:
        StoreWriteError: The disk refused; what was made is left for the caller to remove.
    """
    first = Record(
        seq=1,
        op="open",
        by="start",
        clock_s=0.0,
        at=utc_now(),
        value={
            "type": "session",
            "ledger_version": ledger.LEDGER_VERSION,
            "panel": list(layout.panel),
            **value,
        },
    )
    line, _ = ledger.encode(first, ledger.FIRST_HASH)
    try:
        root.mkdir(parents=True)
        for folder in ("ledger", *dict.fromkeys(path.rpartition("/")[0] for path in layout.files)):
            (root / folder).mkdir()
        fd = os.open(root / LEDGER_NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            files.write_all(fd, line)
            files.sync_file(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise StoreWriteError(f"{root}: {files.reason(error)}; no session was made") from error
    return Store(root)
