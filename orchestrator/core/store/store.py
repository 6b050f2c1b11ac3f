"""A session's folder: the only module that changes a session file.

A write is durable when it returns: its ledger record is on disk, with one append and one `fdatasync`. The
materialised Markdown file is then brought up to date, without its own sync. A refused write changes nothing.
Any number of threads and processes may write one session: each write takes an exclusive `flock` on the ledger
and first reads the records of others. Readers take no lock, end at the last whole transaction, and change
nothing.

Source: DESIGN.md, sections 3 and 4; trust.md, "The store".
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, Final, TypeVar

from orchestrator.core.clock import SYNCS, utc_now
from orchestrator.core.errors import (
    ReceiptError,
    SessionFrozenError,
    StoreWriteError,
    TransactionOpenError,
)
from orchestrator.core.legible import HasId
from orchestrator.core.replica import Replica
from orchestrator.core.store import files, ledger, materialised
from orchestrator.core.store.application import PLAIN, Application, Opening
from orchestrator.core.store.history import (
    LEDGER_NAME,
    FileState,
    Fold,
    History,
    Receipts,
)
from orchestrator.core.store.ledger import Entry, Held, Record, Value, agents_of, ids_of
from orchestrator.core.store.materialised import Repair
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.store.requests import Done, take
from orchestrator.core.store.transaction import (
    Draft,
    has_ended,
    is_degraded,
    transaction,
)
from orchestrator.core.store.waiting import TIMEOUT_S
from orchestrator.core.table import SeatedTable, SessionFile

__all__ = ["DEGRADED_NAME", "DRIVER_LOCK", "LEDGER_NAME", "FileState", "Repair", "Store", "create_store"]

T = TypeVar("T")

# A file and not a record: it says that the ledger could not be written.
DEGRADED_NAME: Final = "ledger/degraded"
DRIVER_LOCK: Final = "ledger/driver.lock"

log = logging.getLogger(__name__)


class Store:
    """One session's ledger and files: what they contain, and the only methods that change them."""

    def __init__(
        self,
        root: Path,
        *,
        application: Application = PLAIN,
        on_repair: Callable[[Repair], None] | None = None,
        timeout_s: float = TIMEOUT_S,
        replica: Replica | None = None,
    ) -> None:
        """Open an existing session.

        Args:
            application: What the session's program knows about it besides its table.
            on_repair: Called with each repair. If None, the repair is a warning in Python's log.
            timeout_s: Seconds for which a write waits for the session's lock.
            replica: Where a second copy of every write is kept before it is acknowledged.

        Raises:
            SessionNotFoundError: There is no ledger at *root*.
            LedgerCorruptError: The ledger is damaged.
        """
        self.root = root
        self.application = application
        self.history = History(root, application)
        self._draft: Draft | None = None
        self.timeout_s = timeout_s
        self.replica: Replica | None = replica
        self.clock: Callable[[], float] | None = None
        self.sync_s = 0.0
        self.repairs: list[Repair] = []
        self._on_repair = on_repair
        self._shown: int | None = None  # up to this record the files are right; None: not compared
        self._degraded = False
        self._marker = str(root / DEGRADED_NAME)  # text: a path takes longer to make than to look at
        self._name = str(root / LEDGER_NAME)
        self._clock_s = 0.0
        self._receipt_seqs: dict[str, int] = {}
        self._receipts_upto = 0

    # ------------------------------------------------------------------ reading

    @property
    def layout(self) -> SeatedTable:
        return self.history.layout

    @property
    def opened(self) -> Record:
        """The first record of the ledger."""
        return self.history.opened

    @property
    def opening(self) -> Opening:
        """The content of the first record, as far as a store needs it."""
        return self.history.opening

    @property
    def seq(self) -> int:
        """The last record's number, as of the last reading of the ledger."""
        return self.history.seq

    @property
    def head(self) -> str:
        """The last record's hash. Stored elsewhere, it lets `verify` detect a roll-back."""
        return self.history.head

    @property
    def frozen(self) -> bool:
        return self.history.frozen

    @property
    def ledger_path(self) -> Path:
        return self.history.path

    @property
    def is_degraded(self) -> bool:
        """Whether a sync has failed in this session and no `resume` has checked the disk since."""
        return self._degraded or os.access(self._marker, os.F_OK)

    @property
    def last(self) -> int:
        """The last record's number, including the records of the transaction that this thread is in."""
        return self.history.seq + len(self.history.pending)

    def catch_up(self) -> int:
        """Read what other processes have written; return the last record's number.

        To read several things that belong together, call this and read them `with store.history.mutex`.
        """
        with self.history.mutex:
            if self.draft is None or not self.draft.is_here:  # it holds the lock: nothing is new
                self.history.read_new()
                self.history.tell()
            return self.seq

    def fold(
        self,
        new: Callable[[], T],
        take: Callable[[T, Record], None],
        copy: Callable[[T], T] | None = None,
    ) -> Fold[T]:
        """See `History.fold`."""
        return self.history.fold(new, take, copy)

    def hidden(self) -> Mapping[int, str]:
        """Return the file of each withheld record, by number, including those of this thread's
        transaction."""
        return self.history.withheld() if self.decides_at_write else self.off_record().hidden

    @property
    def decides_at_write(self) -> bool:
        """Whether each record itself says if it is withheld; if not (version 1), a reader decides it anew."""
        return self.history.version > ledger.WITHOUT_TABLE

    def off_record(self) -> OffRecord:
        """Return all that was said off the record so far, including this thread's transaction; do not
        change it."""
        return self._off_record.now()

    @cached_property
    def _off_record(self) -> Fold[OffRecord]:
        heard, marks = frozenset(self.layout.withheld), frozenset(self.layout.marks)

        def take(fold: OffRecord, record: Record) -> None:
            fold.take(record)

        return self.history.fold(
            lambda: OffRecord(heard, marks, self.application.kinds, self.decides_at_write),
            take,
            OffRecord.copy,
            is_steady=self.decides_at_write,
        )

    @property
    def requests(self) -> Mapping[str, Done]:
        """The requests whose work was done, by the ids that clients gave them."""
        return self._requests.now()

    @cached_property
    def _requests(self) -> Fold[dict[str, Done]]:
        return self.history.fold(dict, take)

    def entries(self) -> Iterator[Entry]:
        """See `History.entries`."""
        return self.history.entries()

    def notes(self) -> list[int]:
        """Return the numbers of the notes, in order, including those of this thread's transaction."""
        with self.history.mutex:
            noted = [entry.seq for entry in self.history.entries() if entry.op == "note"]
            return noted + [record.seq for record in self.history.pending if record.op == "note"]

    def record(self, seq: int) -> Record:
        """See `History.record`."""
        return self.history.record(seq)

    def state(self, path: str) -> FileState:
        """See `History.state`."""
        return self.history.state(path)

    def size_at(self, path: str, seq: int) -> tuple[int, str]:
        """See `History.size_at`."""
        return self.history.size_at(path, seq)

    def texts(self, path: str, start: int = 0) -> list[str]:
        """See `History.texts`."""
        return self.history.texts(path, start)

    def content(self, path: str, *, at_seq: int | None = None) -> str:
        """See `History.content`."""
        return self.history.content(path, at_seq=at_seq)

    # ------------------------------------------------------------------ locking

    def transaction(self, timeout_s: float | None = None) -> AbstractContextManager[Draft]:
        """Lock the session for several reads and writes, which are all kept or all undone.

        Write through the draft that the block is given: `with store.transaction() as tx:`. The writes are on
        the disk when the block ends. Whatever is raised in it, and wherever, either all writes are kept or
        none is, and the lock is released. In a child that was forked inside the block, the block's end does
        nothing, since the transaction belongs to the parent.

        Args:
            timeout_s: Seconds to wait for the lock. If None, the store's own `timeout_s`.

        Raises:
            SessionBusyError: Somebody else held the lock until the time-out.
            TransactionOpenError: This thread is already in a transaction: write through that one.
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        return transaction(self, self.timeout_s if timeout_s is None else timeout_s, verb="transaction")

    def joined(self, tx: Draft | None) -> AbstractContextManager[Draft]:
        """Join the caller's transaction *tx*, or begin one if it is None."""
        return nullcontext(tx) if tx is not None else self.transaction()

    @property
    def draft(self) -> Draft | None:
        """The draft of the transaction that is open in this process, or None."""
        return self._draft

    @draft.setter
    def draft(self, draft: Draft | None) -> None:
        self._draft = self.history.draft = draft

    def check_not_within(self, verb: str) -> None:
        """Refuse to wait for a lock that this thread itself holds.

        Raises:
            TransactionOpenError: This thread holds the lock.
        """
        if self.draft is not None and self.draft.is_here:
            how = "hand it on, as `tx`" if verb == "transaction" else f"use `tx.{verb}`"
            raise TransactionOpenError(
                f"{self.root.name}: this thread holds a transaction (`with session.transaction() as tx:`); "
                f"nothing was written: {how}"
            )

    def _hold(self, row: SessionFile | None, verb: str) -> AbstractContextManager[Draft]:
        return transaction(self, self.timeout_s, row, verb)

    def begin(self, fd: int, row: SessionFile | None) -> None:
        """Read the ledger again under its lock, which is on *fd*, and repair the session's files.

        Raises:
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        with self.history.mutex:
            self.history.reads_to = None  # under the lock nothing waits for a replica
            # Another process may have ended the session while this one waited.
            rest = self.history.read_new(self._checked_size(fd))
            self.history.tell()
            if self.frozen:
                raise has_ended(self, row)
            if self.is_degraded:
                raise is_degraded(self)
            try:
                if rest:
                    # Kept aside first: a crash in between leaves the torn bytes twice, and never nowhere.
                    self._repaired(materialised.keep_torn(self.history, rest))
                    os.ftruncate(fd, self.history.end)
                    self.sync(fd)
                self._mend_materialised()
            except OSError as error:
                where = self.root / (error.filename or LEDGER_NAME)
                why = (
                    f"{where}: {files.reason(error)} while putting the files in order; nothing was written: "
                    "check the disk and the rights, then try again"
                )
                raise StoreWriteError(files.explain(error, self.root.name, why)) from error

    def _checked_size(self, fd: int) -> int:
        """Return the ledger's size, after checking that its path still leads to the file that was opened.

        Raises:
            StoreWriteError: Another file has the ledger's name, or the ledger has a second name.
        """
        try:
            status, held = os.stat(self._name, follow_symlinks=False), os.fstat(fd)
        except OSError as error:
            raise StoreWriteError(
                f"{self._name}: {files.reason(error)}; nothing was written: open the session again"
            ) from error
        # Whoever moves the session away and puts a copy in its place leaves this process with the moved file:
        # without this look its writes would go where nobody reads.
        here = {(status.st_dev, status.st_ino), (held.st_dev, held.st_ino), self.history.identity}
        if len(here) > 1:
            raise StoreWriteError(
                f"{self._name}: another file stands here than when the session was opened; "
                "nothing was written: open the session again"
            )
        if status.st_nlink != 1:
            raise StoreWriteError(
                f"{self._name}: has a second name (a hard link), which a write would change too; "
                "nothing was written: put a copy of its own here"
            )
        return status.st_size

    def _mend_materialised(self) -> None:
        """Repair materialised files: at the first lock all of them, later those that were written since."""
        if self._shown is None or self.history.materialised.swapped:
            repairs = materialised.mend_all(self.history)
        elif self._shown < self.seq:
            new = map(self.history.entry, range(self._shown + 1, self.seq + 1))
            repairs = materialised.mend_written(
                self.history, dict.fromkeys(entry.file for entry in new if entry.file is not None)
            )
        else:
            return
        for repair in repairs:
            self._repaired(repair)
        self._shown = self.seq

    def _repaired(self, repair: Repair) -> None:
        self.repairs.append(repair)
        if self._on_repair is not None:
            self._on_repair(repair)
        else:
            log.warning("%s: %s: %s", self.root.name, repair.path, repair.what)

    # ------------------------------------------------------------------ writing

    def create(self, path: str, text: str, *, value: Value | None = None) -> None:
        """Create a file from its rendered blueprint; this does not count as a write.

        Only for the start of a session.

        In an append-only file a missing final newline is added, as `append` does.

        Raises:
            AlreadyWrittenError: The file already exists. All other errors are those of `write`.
        """
        with self._hold(self.layout.file(path), "create") as tx:
            tx.create(path, text, value=value)

    def write(
        self, path: str, text: str, *, by: str, value: Value | None = None, receipt: str | HasId | None = None
    ) -> int:
        """Write a whole file; the file's class says whether that is possible once, a few times or always.

        Returns:
            The record's number.

        Raises:
            UnknownFileError, ImmutableFileError, SessionFrozenError, WriterNotAllowedError:
                Checked in this order, before the file's class.
            AlreadyWrittenError, RevisionLimitError, AppendOnlyError: By the file's class.
            InvalidTextError, FileTooLargeError, StoreWriteError
        """
        with self._hold(self.layout.file(path), "write") as tx:
            return tx.write(path, text, by=by, value=value, receipt=receipt)

    def append(
        self, path: str, text: str, *, by: str, value: Value | None = None, receipt: str | HasId | None = None
    ) -> int:
        """Add *text* to the end of an append-only file; a missing final newline is added.

        The text is on the disk when this returns (in a transaction, when that ends). Earlier bytes are never
        changed, and writers in other processes do not interleave with this text.

        Args:
            path: The file's path, as the table names it.
            text: Valid UTF-8 without NUL, at most `MAX_APPEND_BYTES` bytes.
            by: The writer, as the file's row names it.
            value: The typed value that *text* was rendered from.
            receipt: The receipt, or its id, of the context that the text came from.

        Returns:
            The record's number.

        Raises:
            UnknownFileError, ImmutableFileError, SessionFrozenError, WriterNotAllowedError,
            AppendOnlyError, InvalidTextError, FileTooLargeError, StoreWriteError
        """
        with self._hold(self.layout.file(path), "append") as tx:
            return tx.append(path, text, by=by, value=value, receipt=receipt)

    def note(self, value: Value | str, fields: Mapping[str, Any] | None = None, *, by: str) -> int:
        """Record a decision, a state or a mark that is not a file; return the record's number.

        Args:
            value: A value of the panel, or the name of a program's own type of note, with a prefix.
            fields: The content of a note of a program's own type.

        Raises:
            UsageError: The name of the type has no prefix, or *by* is not a name that a record can contain.
        """
        with self._hold(None, "note") as tx:
            return tx.note(value, fields, by=by)

    def add_receipt(self, receipt_id: str, value: Value) -> None:
        """Remember a receipt; it is written to the disk with the next durable record, or by `flush`.

        Once the session has ended, nothing is recorded.
        """
        with self.history.mutex:
            if self.draft is not None and self.draft.is_here:
                self.draft.add_receipt(value)
            else:
                self.history.wait_with((*self.history.receipts, (receipt_id, value)))

    @property
    def waiting_receipts(self) -> Receipts:
        """Receipts that are not on the disk yet, as pairs of id and value."""
        return self.history.receipts

    def receipt(self, receipt_id: str) -> Value | int:
        """Return a receipt by its id: the value of a receipt that waits, or the number of a receipt's record.

        Raises:
            ReceiptError: There is no such receipt.
        """
        with self.history.mutex:
            waiting = dict(self.history.receipts).get(receipt_id)
            if waiting is not None:
                return waiting
            for record in self.history.pending:
                if record.op == "receipt" and receipt_id in ids_of(record):
                    return record.seq
            seq = self.receipts_on_disk().get(receipt_id)
        if seq is None:
            name = self.root.name
            raise ReceiptError(f"there is no receipt {receipt_id!r} in {name}: see `greenroom show {name}`")
        return seq

    def agent_of(self, receipt_id: str) -> str:
        """Return the agent to which a receipt belongs.

        Raises:
            ReceiptError: There is no such receipt.
        """
        found = self.receipt(receipt_id)
        value = self.record(found).held if isinstance(found, int) else Held(found.plain())
        return agents_of(value)[receipt_id]

    def receipts_on_disk(self) -> Mapping[str, int]:
        """Return the number of each receipt's record, by receipt id, in order; they are read on demand."""
        with self.history.mutex:
            self.catch_up()
            for seq in range(self._receipts_upto + 1, self.seq + 1):
                if self.history.entry(seq).op == "receipt":
                    for receipt_id in ids_of(self.record(seq)):
                        self._receipt_seqs.setdefault(receipt_id, seq)
            self._receipts_upto = self.seq
            return self._receipt_seqs

    def flush(self, timeout_s: float | None = None) -> None:
        """Write the receipts that still wait; if the session has ended meanwhile, drop them.

        Args:
            timeout_s: As at `transaction`.
        """
        if not self.waiting_receipts or (self.draft is not None and self.draft.is_here):
            return
        try:
            with self.transaction(timeout_s) as tx:
                tx.flush()
        except SessionFrozenError:
            self.history.wait_with(())

    def max_revisions(self, row: SessionFile) -> int:
        """Return how often a write-few file may be revised in this session."""
        limit = self.opening.max_revisions
        return row.max_revisions if limit is None else limit

    def now_s(self) -> float:
        """Return the session clock in seconds.

        It never goes below the last record's, whatever the wall clock says.
        """
        with self.history.mutex:
            # A wall clock that is set back, or another process, must not make the session's time run
            # backwards.
            last_s = self.history.clock_s()
            clock_s = self.clock() if self.clock is not None else 0.0
            self._clock_s = max(self._clock_s, last_s, clock_s)
            return self._clock_s

    def written(self, records: Sequence[Record]) -> None:
        """Bring the materialised files up to date with *records*; `Transaction` calls this under the lock."""
        self._show(records)
        self.history.tell()
        if log.isEnabledFor(logging.DEBUG):
            for record in records:
                size = self.history.entry(record.seq).size
                sizes = {"seq": record.seq, "op": record.op, "file": record.file, "bytes": size}
                log.debug("recorded", extra={"told": {"session": self.root.name, **sizes}})

    def sync(self, fd: int) -> None:
        """Flush the ledger's new bytes to the disk.

        Raises:
            StoreWriteError: The disk refused. The sync is not tried again for these bytes: they are cut off,
                so that nothing doubtful remains, and the session is degraded.
        """
        start = perf_counter()
        try:
            files.sync_file(fd)
        except OSError as error:
            self._degrade(fd)
            raise StoreWriteError(
                f"{self.ledger_path}: the sync failed ({files.reason(error)}), so nothing was acknowledged; "
                "the session is degraded: check the disk, then run `greenroom resume`"
            ) from error
        took_s = perf_counter() - start
        self.sync_s += took_s
        SYNCS.observe(took_s)

    def _degrade(self, fd: int) -> None:
        self._degraded = True
        with suppress(OSError):  # then what is left is a record that nobody was told is there
            os.ftruncate(fd, self.history.end)
        with suppress(OSError), files.descriptors() as fds:  # then only this process knows
            fds.open(self._marker, files.APPEND | os.O_CREAT)

    def undegrade(self) -> None:
        """Test the disk with a new file; if that succeeds, the session may be written again.

        Raises:
            StoreWriteError: The disk refused again; the session stays degraded.
        """
        with self.history.mutex:
            if not self.is_degraded:
                return
            name = f".probe.{os.getpid()}.tmp"
            try:
                with files.descriptors() as fds:
                    folder = fds.open(self.root / "ledger", files.FOLDER)
                    files.try_disk(folder, name)
                    files.unlink_if_there(folder, os.path.basename(DEGRADED_NAME))
                    files.sync_folder(folder)
            except OSError as error:
                why = (
                    f"{self.root}: the disk still refuses ({files.reason(error)}), so the session stays "
                    "degraded: check the disk, then run `greenroom resume`"
                )
                raise StoreWriteError(files.explain(error, self.root.name, why)) from error
            self._degraded, self._shown = False, None

    def _show(self, written: Sequence[Record]) -> None:
        """Bring the materialised files up to date, without a sync; a failure is repaired at the next lock."""
        added: dict[str, list[str]] = {}
        whole: set[str] = set()
        same: set[str] = set()  # what stands there already by the ledger
        for record in written:
            if record.file is not None and record.same is not None and record.file not in whole:
                same.add(record.file)
            if record.file is None or record.text is None:
                continue
            if record.op != "append":
                whole.add(record.file)
                added[record.file] = []
            added.setdefault(record.file, []).append(record.text)
        for path, parts in added.items():
            state = self.history.state_of(self.layout.file(path))
            content = "".join(parts).encode()
            if path not in whole and self.history.materialised.append(
                path, content, size_after=state.size_bytes
            ):
                continue
            try:
                content = content if path in whole else self.history.replay(state.seqs).encode()
                # Somebody may have changed it since the last look: what only stands there is not lost.
                raw = self.history.materialised.read(path, state.row.max_bytes)
                kept = materialised.keep_changed(self.history, path, raw, content)
                if kept is not None:
                    self._repaired(kept)
                self.history.materialised.replace(path, content)
            except OSError:
                return  # durable all the same: the record is; the view is redone at the next lock
        for path in same - added.keys():
            try:
                mended = materialised.mend(self.history, path)
            except OSError:
                return
            if mended is not None:
                self._repaired(mended)
        self._shown = self.seq

    # ------------------------------------------------------------------ ending

    def freeze(self, value: Value) -> None:
        """Write the last record; every later write raises `SessionFrozenError`."""
        with self._hold(None, "freeze") as tx:
            tx.freeze(value)

    def mend(self, *, timeout_s: float | None = None) -> None:
        """Compare every materialised file with the ledger, and write those that differ again.

        Raises:
            SessionBusyError: Somebody else held the lock until the time-out; nothing was done.
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        self._shown = None
        with self.transaction(timeout_s):
            pass

    def close(self) -> None:
        """Write the waiting receipts, then close the files. A second call does nothing."""
        try:
            if self.history.is_open:
                self.flush()
        finally:
            self.close_files()

    def close_files(self) -> None:
        """Close every descriptor without writing anything."""
        self.history.close()


def _opening(layout: SeatedTable) -> dict[str, Any]:
    return {
        "type": Opening.TYPE,
        "ledger_version": ledger.LEDGER_VERSION,
        "panel": list(layout.panel),
        "table": layout.table.plain(),
    }


def create_store(root: Path, layout: SeatedTable, value: Value, application: Application = PLAIN) -> Store:
    """Create a new session's folders and ledger at *root*, which must not exist, and open it.

    Args:
        value: What the first record says besides the ledger's version and the agents with a seat.
        application: As at `Store`.

    Raises:
        StoreWriteError: The disk refused; the caller has to remove what was created.
    """
    first = Record(
        seq=1,
        op="open",
        by="start",
        clock_s=0.0,
        at=utc_now(),
        # The version first, where a reader looks for it, and as this release writes it.
        held=Held({**_opening(layout), **value.plain(), **_opening(layout)}),
    )
    line, _ = ledger.encode(first, ledger.FIRST_HASH)
    try:
        root.mkdir(files.FOLDER_MODE, parents=True)
        for folder in ("ledger", *dict.fromkeys(path.rpartition("/")[0] for path in layout.files)):
            (root / folder).mkdir(files.FOLDER_MODE)
        # The caller makes all this under an unfinished name, syncs the folder and renames it: so the one
        # record is synced here, and no folder.
        with files.descriptors() as fds:
            fd = fds.open(root / LEDGER_NAME, files.NEW)
            files.write_all(fd, line)
            files.sync_file(fd)
    except OSError as error:
        why = f"{root}: {files.reason(error)}; no session was made"
        raise StoreWriteError(files.explain(error, root.name, why)) from error
    return Store(root, application=application)
