"""A session's folder: the only module that changes a session file.

A write is durable when it returns: its ledger record is on disk, with one append and one
`fdatasync`. The Markdown file is then brought up to date without a sync of its own. A
refused write changes nothing. Any number of threads and processes may write one session:
each write takes an exclusive `flock` on the ledger and first catches up with the records of
others. Readers take no lock, end at the last whole transaction, and change nothing.

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

from orchestrator.core.clock import utc_now
from orchestrator.core.errors import (
    ReceiptError,
    SessionFrozenError,
    StoreWriteError,
    TransactionOpenError,
)
from orchestrator.core.legible import HasId
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
    """One session's ledger and files: what they say, and the only ways to change them."""

    def __init__(
        self,
        root: Path,
        *,
        application: Application = PLAIN,
        on_repair: Callable[[Repair], None] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Open a session that exists.

        Args:
            application: What the session's program knows of it beside its table.
            on_repair: Called with each repair; None: a warning in Python's log.
            timeout_s: Seconds for which a write waits for the session's lock.

        Raises:
            SessionNotFoundError: There is no ledger here.
            LedgerCorruptError: The ledger is damaged.
        """
        self.root = root
        self.application = application
        self.history = History(root, application)
        self._draft: Draft | None = None
        self.timeout_s = timeout_s
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
        """The first record."""
        return self.history.opened

    @property
    def opening(self) -> Opening:
        """What the first record says, as far as a store needs it."""
        return self.history.opening

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
    def ledger_path(self) -> Path:
        return self.history.path

    @property
    def is_degraded(self) -> bool:
        """Whether a sync has failed here and no `resume` has looked at the disk since."""
        return self._degraded or os.access(self._marker, os.F_OK)

    @property
    def last(self) -> int:
        """The last record's number, with those of the transaction that this thread holds."""
        return self.history.seq + len(self.history.pending)

    def catch_up(self) -> int:
        """Take in what other processes have written; return the last record's number.

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
        """Return the file of each withheld record, by number, with those of this thread's transaction."""
        return self.history.withheld() if self.decides_at_write else self.off_record().hidden

    @property
    def decides_at_write(self) -> bool:
        """Whether each record says itself if it is withheld; else a reader decides it anew (version 1)."""
        return self.history.version > ledger.WITHOUT_TABLE

    def off_record(self) -> OffRecord:
        """Return all that was said off the record so far, with this thread's transaction; read-only."""
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
        """The requests that counted, by the ids that clients gave them."""
        return self._requests.now()

    @cached_property
    def _requests(self) -> Fold[dict[str, Done]]:
        return self.history.fold(dict, take)

    def entries(self) -> Iterator[Entry]:
        """See `History.entries`."""
        return self.history.entries()

    def notes(self) -> list[int]:
        """Return the numbers of the notes, in order, with those of this thread's transaction."""
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
        """Hold the session's lock over several reads and writes, which then count all or none.

        The writes are made through what the block is given: `with store.transaction() as tx:`. They are
        durable when the block ends; whatever raises in it, and wherever, they are there whole or not at
        all, and the lock is free. In a child that was forked inside the block its end does nothing: the
        transaction is its parent's.

        Args:
            timeout_s: Seconds for which the lock is waited for; None: as long as this store was told.

        Raises:
            SessionBusyError: Somebody else holds the lock, and the time is over.
            TransactionOpenError: This thread holds it: what is written goes through that transaction.
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        return transaction(self, self.timeout_s if timeout_s is None else timeout_s, verb="transaction")

    def joined(self, tx: Draft | None) -> AbstractContextManager[Draft]:
        """Join the caller's transaction *tx*, or begin one if it is None."""
        return nullcontext(tx) if tx is not None else self.transaction()

    @property
    def draft(self) -> Draft | None:
        """What the transaction that is open in this process wants to write."""
        return self._draft

    @draft.setter
    def draft(self, draft: Draft | None) -> None:
        self._draft = self.history.draft = draft

    def check_not_within(self, verb: str) -> None:
        """Refuse to wait for a lock that this very thread holds.

        Raises:
            TransactionOpenError: It does.
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
        """Read the ledger anew within its lock, which is on *fd*, and mend the session's files.

        Raises:
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        with self.history.mutex:
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
        """Return the ledger's size, after checking that its name is still that of the file that was opened.

        Raises:
            StoreWriteError: Another file stands under its name, or it has a second name.
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
        """Mend materialised files: at the first lock all of them, later those that were written since."""
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
        """Put a rendered blueprint in place; it is not the file's one write. Only at the start.

        In an append-only file a missing final newline is added, as `append` does.

        Raises:
            AlreadyWrittenError: The file already exists; otherwise as `write`.
        """
        with self._hold(self.layout.file(path), "create") as tx:
            tx.create(path, text, value=value)

    def write(
        self, path: str, text: str, *, by: str, value: Value | None = None, receipt: str | HasId | None = None
    ) -> int:
        """Write a whole file: once, a few times or any number of times, by its class.

        Returns:
            The record's number.

        Raises:
            UnknownFileError, ImmutableFileError, SessionFrozenError, WriterNotAllowedError:
                In this order, before the class is looked at.
            AlreadyWrittenError, RevisionLimitError, AppendOnlyError: By the file's class.
            InvalidTextError, FileTooLargeError, StoreWriteError
        """
        with self._hold(self.layout.file(path), "write") as tx:
            return tx.write(path, text, by=by, value=value, receipt=receipt)

    def append(
        self, path: str, text: str, *, by: str, value: Value | None = None, receipt: str | HasId | None = None
    ) -> int:
        """Add *text* to the end of an append-only file; a missing final newline is added.

        Durable when it returns (inside a transaction: when that ends). Earlier bytes are never
        touched; writers in other processes do not interleave with this text.

        Args:
            path: As in the table of files.
            text: Valid UTF-8 without NUL, at most `MAX_APPEND_BYTES` bytes.
            by: The writer, as in the file's row.
            value: The typed value that *text* was rendered from.
            receipt: That of the context which it came from, or its id.

        Returns:
            The record's number.

        Raises:
            UnknownFileError, ImmutableFileError, SessionFrozenError, WriterNotAllowedError,
            AppendOnlyError, InvalidTextError, FileTooLargeError, StoreWriteError
        """
        with self._hold(self.layout.file(path), "append") as tx:
            return tx.append(path, text, by=by, value=value, receipt=receipt)

    def note(self, value: Value | str, fields: Mapping[str, Any] | None = None, *, by: str) -> int:
        """Record something that is no file: a decision, a state, a mark. Return its number.

        Args:
            value: A value of the panel's; or the name of a program's own type, with a prefix of its own.
            fields: What a note of one's own says.

        Raises:
            UsageError: The name of one's own type has no prefix, or *by* is no name that a record can hold.
        """
        with self._hold(None, "note") as tx:
            return tx.note(value, fields, by=by)

    def add_receipt(self, receipt_id: str, value: Value) -> None:
        """Remember a receipt; it goes to disk with the next durable record, or at `flush`.

        Once the session has ended nothing is recorded any more.
        """
        with self.history.mutex:
            if self.draft is not None and self.draft.is_here:
                self.draft.add_receipt(value)
            else:
                self.history.wait_with((*self.history.receipts, (receipt_id, value)))

    @property
    def waiting_receipts(self) -> Receipts:
        """Receipts that are not on disk yet, each behind its id."""
        return self.history.receipts

    def receipt(self, receipt_id: str) -> Value | int:
        """Return a receipt by its id: the value of one that waits, else the number of its record.

        Raises:
            ReceiptError: There is none.
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
        """Return the agent whose receipt it is.

        Raises:
            ReceiptError: There is none.
        """
        found = self.receipt(receipt_id)
        value = self.record(found).held if isinstance(found, int) else Held(found.plain())
        return agents_of(value)[receipt_id]

    def receipts_on_disk(self) -> Mapping[str, int]:
        """Return the number of each receipt's record, by receipt id, in order; read when first asked for."""
        with self.history.mutex:
            self.catch_up()
            for seq in range(self._receipts_upto + 1, self.seq + 1):
                if self.history.entry(seq).op == "receipt":
                    for receipt_id in ids_of(self.record(seq)):
                        self._receipt_seqs.setdefault(receipt_id, seq)
            self._receipts_upto = self.seq
            return self._receipt_seqs

    def flush(self, timeout_s: float | None = None) -> None:
        """Write the receipts that still wait; they are dropped if the session has ended meanwhile.

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
        """Return how often this session may revise a write-few file."""
        limit = self.opening.max_revisions
        return row.max_revisions if limit is None else limit

    def now_s(self) -> float:
        """Return the session clock in seconds, never less than the last record's, whatever the wall clock."""
        with self.history.mutex:
            # A wall clock that is set back, or another process, must not make the session's time run
            # backwards.
            last_s = self.history.clock_s()
            clock_s = self.clock() if self.clock is not None else 0.0
            self._clock_s = max(self._clock_s, last_s, clock_s)
            return self._clock_s

    def written(self, records: Sequence[Record]) -> None:
        """Bring the materialised files up to date with *records*. `Transaction` calls it, within the lock."""
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
            StoreWriteError: The disk refused. It is not asked again for these bytes: they are
                cut off, so that nothing in doubt remains, and the session is degraded.
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
        self.sync_s += perf_counter() - start

    def _degrade(self, fd: int) -> None:
        self._degraded = True
        with suppress(OSError):  # then what is left is a record that nobody was told is there
            os.ftruncate(fd, self.history.end)
        with suppress(OSError), files.descriptors() as fds:  # then only this process knows
            fds.open(self._marker, files.APPEND | os.O_CREAT)

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
        """Bring the materialised files up to date, without a sync: a failure is mended at the next lock."""
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
        """Write the last record. Afterwards every write gets `SessionFrozenError`."""
        with self._hold(None, "freeze") as tx:
            tx.freeze(value)

    def mend(self, *, timeout_s: float | None = None) -> None:
        """Compare every materialised file with the ledger once more, and redo those that differ.

        Raises:
            SessionBusyError: Somebody writes, and the time is over; nothing was done.
            SessionFrozenError, SessionDegradedError, StoreWriteError, LedgerCorruptError
        """
        self._shown = None
        with self.transaction(timeout_s):
            pass

    def close(self) -> None:
        """Write waiting receipts, then close. Closing twice is no error."""
        try:
            if self.history.is_open:
                self.flush()
        finally:
            self.close_files()

    def close_files(self) -> None:
        """Close every descriptor; nothing is written."""
        self.history.close()


def _opening(layout: SeatedTable) -> dict[str, Any]:
    return {
        "type": Opening.TYPE,
        "ledger_version": ledger.LEDGER_VERSION,
        "panel": list(layout.panel),
        "table": layout.table.plain(),
    }


def create_store(root: Path, layout: SeatedTable, value: Value, application: Application = PLAIN) -> Store:
    """Make a new session's folders and ledger at *root*, which must not exist, and open it.

    Args:
        value: What the first record says beside the ledger's version and who sits there.
        application: As at `Store`.

    Raises:
        StoreWriteError: The disk refused; what was made is left for the caller to remove.
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
