"""A session's folder: the only module that changes a session file.

A write is durable when it returns: its ledger record is on disk, with one append and one
`fdatasync`. The Markdown file is then brought up to date without a sync of its own. A
refused write changes nothing. Any number of threads and processes may write one session:
each write takes an exclusive `flock` on the ledger and first catches up with the records of
others. Readers take no lock, end at the last whole transaction, and change nothing.

Source: DESIGN.md, sections 3 and 4; trust.md, "The store".
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from orchestrator.clock import utc_now
from orchestrator.errors import (
    FileTooLargeError,
    InvalidTextError,
    SessionDegradedError,
    SessionFrozenError,
    StoreWriteError,
)
from orchestrator.layout import MIB, Layout, Mutability, SessionFile
from orchestrator.store import files, ledger, mending, rules
from orchestrator.store.history import LEDGER_NAME, FileState, History
from orchestrator.store.interrupts import Interrupts
from orchestrator.store.ledger import Entry, Record
from orchestrator.store.lock import Lock
from orchestrator.store.mending import Repair
from orchestrator.store.transaction import Transaction

__all__ = ["DEGRADED_NAME", "DRIVER_LOCK", "LEDGER_NAME", "FileState", "Repair", "Store", "create_store"]

# A file and not a record: it says that the ledger could not be written.
DEGRADED_NAME: Final = "ledger/degraded"
DRIVER_LOCK: Final = "ledger/driver.lock"

_END_BYTES: Final = 16 * MIB
"""Room that the ledger keeps for the record of the end, which holds a digest for every file."""

log = logging.getLogger(__name__)

Receipts = tuple[tuple[str, Mapping[str, Any]], ...]


class Store:
    """One session's ledger and files: what they say, and the only ways to change them."""

    def __init__(self, root: Path, *, on_repair: Callable[[Repair], None] | None = None) -> None:
        """Open a session that exists.

        Args:
            on_repair: Told of each thing that is mended; None: a warning in Python's log.

        Raises:
            SessionNotFoundError: There is no ledger here.
            LedgerCorruptError: The ledger is damaged.
        """
        self.root = root
        self.history = History(root)
        self.history.on_fork = self._forked
        self.clock: Callable[[], float] | None = None
        self.sync_s = 0.0
        self.repairs: list[Repair] = []
        self._on_repair = on_repair
        self._depth = 0  # of transactions within each other
        self._stills = 0  # of `still` within each other; only whoever holds the mutex looks at it
        self._lock = Lock(self.history)
        self._views_checked = False
        self._receipts: Receipts = ()  # that wait for the next durable record, so that reading costs no sync
        self._before: Receipts = ()  # those that waited when the transaction began
        self._interrupts = Interrupts(Transaction.__exit__.__code__)
        self._degraded = False
        self._marker = str(root / DEGRADED_NAME)  # text: a path takes longer to make than to look at
        self._written = False  # bytes are on their way to disk that memory does not know of yet
        self._clock_s = 0.0
        self._clock_seq = 0

    def _forked(self) -> None:
        """This is a child now: the transaction and the receipts are its parent's."""
        self._depth = 0
        self._receipts = ()
        self._views_checked = self._written = False
        self._lock.close()

    # ------------------------------------------------------------------ reading

    @property
    def layout(self) -> Layout:
        return self.history.layout

    @property
    def opened(self) -> Record:
        """The first record."""
        return self.history.opened

    @property
    def seq(self) -> int:
        """The last record's number, as of the last look."""
        return self.history.seq

    @property
    def head(self) -> str:
        """The last record's hash: keep it elsewhere and `verify` detects a roll-back."""
        return self.history.head

    @property
    def frozen(self) -> bool:
        return self.history.frozen

    @property
    def undone(self) -> int:
        """How often writes that could already be read here were taken back again."""
        return self.history.undone

    @property
    def ledger_path(self) -> Path:
        return self.history.path

    @property
    def is_degraded(self) -> bool:
        """Whether a sync has failed here and no `resume` has looked at the disk since."""
        return self._degraded or os.access(self._marker, os.F_OK)

    def catch_up(self) -> int:
        """Take in what other processes have written; returns the last record's number."""
        with self.history.mutex:
            if self._depth == 0:
                self._interrupts.begin()
                try:
                    self.history.read_new()
                finally:
                    self._interrupts.end()
            return self.seq

    @contextmanager
    def still(self) -> Iterator[int]:
        """Catch up, then hold this process's view still for several reads; gives the last record's number.

        Within another, the view stays as it is: what the outer one has read may not be overtaken.
        """
        with self.history.mutex:
            if self._stills == 0:
                self.catch_up()
            self._stills += 1
            try:
                yield self.seq + len(self.history.pending)
            finally:
                self._stills -= 1

    def subscribe(self, listener: Callable[[Record], None]) -> None:
        """As `History.subscribe`."""
        self.history.subscribe(listener)

    def entries(self) -> Iterator[Entry]:
        """As `History.entries`."""
        return self.history.entries()

    def record(self, seq: int) -> Record:
        """As `History.record`."""
        return self.history.record(seq)

    def state(self, path: str) -> FileState:
        """As `History.state`."""
        return self.history.state(path)

    def texts(self, path: str, start: int = 0) -> list[str]:
        """As `History.texts`."""
        return self.history.texts(path, start)

    def content(self, path: str, *, at_seq: int | None = None) -> str:
        """As `History.content`."""
        self._interrupts.begin()  # else the file that it opens may stay open
        try:
            return self.history.content(path, at_seq=at_seq)
        finally:
            self._interrupts.end()

    # ------------------------------------------------------------------ locking

    def transaction(self) -> Transaction:
        """Hold the session's lock over several reads and writes, which then count all or none.

        The writes are durable when the block ends. An exception that leaves the block undoes
        them. Nested transactions join the outer one. In a child that was forked inside the
        block, the end of the block does nothing: the transaction is its parent's. A Ctrl-C is raised
        within the block, or once it has ended, and never in between.

        Raises:
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        return self._hold()

    def _hold(self, row: SessionFile | None = None, *, wait: bool = True) -> Transaction:
        """A transaction, for the file of *row*, which the error names if the session has ended."""
        return Transaction(self._interrupts, self.history, partial(self._begin, row, wait), self._end)

    def _begin(self, row: SessionFile | None, wait: bool) -> None:
        if self._depth == 0:
            self._before = self._receipts
            try:
                self._take_lock(row, wait)
            except BaseException as error:
                self._roll_back(error)
                self._lock.release()
                raise
        self._depth += 1

    def _end(self, error: BaseException | None) -> None:
        if self._depth > 1:
            self._depth -= 1
            return
        try:
            if error is not None:
                self._roll_back(error)
                return
            try:
                self._commit()
            except BaseException as failure:
                self._roll_back(failure)
                raise
        finally:
            self._depth = 0
            self._lock.release()

    def _take_lock(self, row: SessionFile | None, wait: bool) -> None:
        if not self._lock.is_open:
            self._read_new_or_frozen(row)  # a frozen ledger cannot be opened for writing
            self._lock.open()
        self._interrupts.let_through()  # another process may hold the lock for long
        self._lock.take(wait=wait)
        self._interrupts.is_held = True
        # Again, inside the lock: another process may have ended the session while this one waited for it.
        rest = self._read_new_or_frozen(row, self._lock.checked_size())
        if self.is_degraded:
            raise SessionDegradedError(
                f"{self.root.name}: a sync failed here earlier, so the disk is not to be trusted: "
                "check it, then run `greenroom resume`"
            )
        try:
            if rest:
                # Kept aside first: a crash between the two leaves the torn bytes twice, and never nowhere.
                self._repaired(mending.keep_torn(self.history, rest))
                os.ftruncate(self._lock.fd, self.history.end)
                self._sync()
            self._mend_views()
        except OSError as error:
            where = self.root / (error.filename or LEDGER_NAME)
            raise StoreWriteError(
                f"{where}: {files.reason(error)} while putting the files in order; nothing was written: "
                "check the disk and the rights, then try again"
            ) from error

    def _read_new_or_frozen(self, row: SessionFile | None, size: int | None = None) -> bytes:
        rest = self.history.read_new(size)
        if self.history.frozen:
            raise self._has_ended(row)
        return rest

    def _has_ended(self, row: SessionFile | None) -> SessionFrozenError:
        what = f"{rules.named(row)}: " if row is not None else ""
        return SessionFrozenError(
            f"{what}{self.root.name} has ended and is frozen: nothing is written any more; "
            "start a new session"
        )

    def _mend_views(self) -> None:
        """At the first lock all views are compared with the ledger, later those that others wrote."""
        if self._views_checked:
            repairs = mending.mend_written_by_others(self.history)
        else:
            repairs = mending.mend_all(self.history)
        self._views_checked = True
        self.history.by_others.clear()
        for repair in repairs:
            self._repaired(repair)

    def _repaired(self, repair: Repair) -> None:
        self.repairs.append(repair)
        if self._on_repair is not None:
            self._on_repair(repair)
        else:
            import logging  # whoever only reads never needs it, and it takes as long as opening a session

            log = logging.getLogger(__name__)
            log.warning("%s: %s: %s", self.root.name, repair.path, repair.what)

    # ------------------------------------------------------------------ writing

    def create(self, path: str, text: str, *, value: Mapping[str, Any] | None = None) -> None:
        """Put a rendered blueprint in place; it is not the file's one write. Only at the start.

        In an append-only file a missing final newline is added, as `append` does.

        Raises:
            AlreadyWrittenError: The file is there already; otherwise as `write`.
        """
        row = self.layout.file(path)
        with self._hold(row):
            # Only the start puts blueprints in place, whoever may write the file later.
            state = self._allowed(row, "start", ("start",))
            rules.check_create(row, is_there=bool(state.seqs))
            if row.mutability is Mutability.APPEND_ONLY:
                text = rules.ended(text)
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
            op = rules.check_write(row, revisions=state.revisions, max_revisions=self.max_revisions(row))
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
            text = rules.ended(text)
            rules.check_append(row, text)
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
        with self.history.mutex:
            if not self._depth:
                self._receipts = (*self._receipts, (receipt_id, value))
            elif not self._is_ending():
                self._add_receipt(receipt_id, value)

    @property
    def waiting_receipts(self) -> Receipts:
        """Receipts that are not on disk yet, each behind its id."""
        with self.history.mutex:
            return self._receipts

    def flush(self) -> None:
        """Write the receipts that still wait; they are dropped if the session has ended meanwhile."""
        with self.history.mutex:
            if not self._receipts or self._depth:
                return
            try:
                with self.transaction():
                    self._take_receipts()
            except SessionFrozenError:
                self._receipts = ()

    def max_revisions(self, row: SessionFile) -> int:
        """How often this session may revise a write-few file."""
        value = self.opened.value or {}
        limit = value.get("max_revisions", row.max_revisions)
        return int(limit)

    def _allowed(self, row: SessionFile, by: str, writers: tuple[str, ...]) -> FileState:
        """The third check after name and frozen: the writer. Class and content follow in the caller.

        Source: DESIGN.md, section 3, for the order.
        """
        rules.check_writer(row, by, writers)
        return self.history.state_of(row)

    def _put(self, state: FileState, op: str, by: str, text: str, value: Mapping[str, Any] | None) -> None:
        row = state.row
        raw = rules.check_text(row, text)
        size = len(raw) + (state.size_bytes if op == "append" else 0)
        rules.check_size(row, added_bytes=len(raw), size_bytes=size, is_append=op == "append")
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
            seq=self.seq + len(self.history.pending) + 1,
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
        self.history.pending.append(record)
        return record

    def _is_ending(self) -> bool:
        """Whether this transaction has written the last record already."""
        return bool(self.history.pending) and self.history.pending[-1].op == "freeze"

    def now_s(self) -> float:
        """Session clock in seconds; never less than the last record's, whatever the wall clock does."""
        if self._clock_seq != self.seq and self.seq:
            # A wall clock that is set back, or another process, must not make the session's time run
            # backwards.
            self._clock_s = max(self._clock_s, self.record(self.seq).clock_s)
            self._clock_seq = self.seq
        if self.clock is not None:
            self._clock_s = max(self._clock_s, self.clock())
        return self._clock_s

    def _take_receipts(self) -> None:
        waiting, self._receipts = self._receipts, ()  # first, since adding a record takes what waits
        for receipt_id, value in waiting:
            self._add_receipt(receipt_id, value)

    def _add_receipt(self, receipt_id: str, value: Mapping[str, Any]) -> None:
        self._add("receipt", "start", value={"type": "receipt", "id": receipt_id, **value})

    def _commit(self) -> None:
        if not self.history.pending:
            return
        lines = []
        head = self.history.head
        last = self.history.pending[-1]
        try:
            for record in self.history.pending:
                line, head = ledger.encode(record, head, more=record is not last)
                lines.append(line)
        except (UnicodeEncodeError, ValueError, RecursionError) as error:
            raise InvalidTextError(
                f"{record.file or record.op}: a value cannot be written as JSON ({error}); "
                "nothing was written: give valid Unicode and finite numbers"
            ) from error
        content = b"".join(lines)
        room = files.MAX_BYTES - self.history.end - (0 if last.op == "freeze" else _END_BYTES)
        if len(content) > room:
            raise FileTooLargeError(
                f"{self.ledger_path}: has {self.history.end} bytes, and a larger one could not be read; "
                "nothing was written: end this session and start another"
            )
        # From here on an interrupt (Ctrl-C) may come with bytes on disk that memory does not know: then
        # everything is read again.
        self._written = True
        files.append_whole(self._lock.fd, content, size=self.history.end, name=LEDGER_NAME)
        self._sync()
        pending = self.history.commit(lines, head)
        self._clock_seq = last.seq  # so that the next record need not read this one
        self._show(pending)
        self._written = False
        if log.isEnabledFor(logging.DEBUG):
            for record, line in zip(pending, lines, strict=True):
                sizes = {"seq": record.seq, "op": record.op, "file": record.file, "bytes": len(line)}
                log.debug("recorded", extra={"told": {"session": self.root.name, **sizes}})
        self.history.tell()

    def _sync(self) -> None:
        """The ledger's new bytes are on the disk when this returns.

        Raises:
            StoreWriteError: The disk refused. It is not asked again for these bytes: they are
                cut off, so that nothing in doubt remains, and the session is degraded.
        """
        start = perf_counter()
        try:
            files.sync_file(self._lock.fd)
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
            os.ftruncate(self._lock.fd, self.history.end)
        with suppress(OSError):  # then only this process knows
            os.close(os.open(self._marker, files.APPEND | os.O_CREAT, files.FILE_MODE))

    def undegrade(self) -> None:
        """Try the disk with a new file; if it takes it, the session may be written again.

        Raises:
            StoreWriteError: The disk refused again; the session stays degraded.
        """
        with self.history.mutex:
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
        views = self.history.views()
        if len(written) == 1 and written[0].op == "append":  # the usual case, and the one that is timed
            only = written[0]
            content = (only.text or "").encode()
            with suppress(OSError):  # then it is put in order below, like any other
                if views.append(only.file or "", content, size_after=only.size_bytes or 0):
                    self._views_checked = self._views_checked and not views.swapped
                    return
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
            state = self.history.files[path]
            content = "".join(parts).encode()
            try:
                if path not in whole and views.append(path, content, size_after=state.size_bytes):
                    continue
                content = content if path in whole else self.history.replay(state.seqs).encode()
                # Somebody may have changed it since the last look: what only stands there is not lost.
                raw = views.read(path, state.row.max_bytes)
                kept = mending.keep_changed(self.history, path, raw, content)
                if kept is not None:
                    self._repaired(kept)
                views.replace(path, content)
            except OSError:
                self._views_checked = False  # durable all the same: the record is; redone at the next lock
        if views.swapped:
            self._views_checked = False

    def _roll_back(self, error: BaseException) -> None:
        """Undo a transaction that failed; after an interrupt, start over from what is on disk."""
        self._receipts = self._before
        if self._written or not isinstance(error, Exception):
            self._views_checked = self._written = False
            self.history.read_again()
        else:
            self.history.undo()

    # ------------------------------------------------------------------ ending

    def mend(self, *, wait: bool = True) -> None:
        """Compare every view with the ledger once more, and redo what differs.

        Raises:
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
            BlockingIOError: Somebody writes, and *wait* says not to wait for that; nothing was done.
        """
        self._views_checked = False
        with self._hold(wait=wait):
            pass

    def freeze(self, value: Mapping[str, Any]) -> None:
        """Write the last record. Afterwards every write gets `SessionFrozenError`."""
        with self.transaction():
            self._add("freeze", "start", value=value)

    def close_files(self) -> None:
        """Close every descriptor; nothing is written."""
        self.history.close()
        self._lock.close()

    def close(self) -> None:
        """Write waiting receipts, then close. Closing twice is no error."""
        # A child has its parent's descriptors: closing writes nothing, or the receipts would stand twice.
        if not self.history.is_own:
            self.close_files()  # a forked child has nothing to write
            return
        with self.history.mutex:
            try:
                if self.history.is_open:
                    self.flush()
            finally:
                self.close_files()


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
        root.mkdir(files.FOLDER_MODE, parents=True)
        for folder in ("ledger", *dict.fromkeys(path.rpartition("/")[0] for path in layout.files)):
            (root / folder).mkdir(files.FOLDER_MODE)
        # The caller makes all this under an unfinished name, syncs the folder and renames it: so the one
        # record is synced here, and no folder.
        fd = os.open(root / LEDGER_NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, files.FILE_MODE)
        try:
            files.write_all(fd, line)
            files.sync_file(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise StoreWriteError(f"{root}: {files.reason(error)}; no session was made") from error
    return Store(root)
