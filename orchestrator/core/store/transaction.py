"""A transaction: one block of writes that are all kept or all undone, and the session's lock for its
duration.

A transaction owns a descriptor of the ledger, the lock on it and the records. It releases all three however
it ends: regularly, by an exception at any line, or by being forgotten. It changes nothing in memory: when its
records are on the disk, they are read back (`History.read_new`).

Source: DESIGN.md, sections 3 and 4; trust.md, "The store".
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import math
import os
import threading
import weakref
from collections import ChainMap
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from orchestrator.core.clock import utc_now
from orchestrator.core.errors import (
    AlreadyWrittenError,
    AppendOnlyError,
    FileTooLargeError,
    InvalidTextError,
    ReceiptError,
    RevisionLimitError,
    SessionDegradedError,
    SessionFrozenError,
    StoreError,
    StoreWriteError,
    SupersededError,
    UsageError,
    WriterNotAllowedError,
)
from orchestrator.core.legible import HasId, receipt_id, text_argument
from orchestrator.core.replica import Replica
from orchestrator.core.store import files, ledger, requests, waiting
from orchestrator.core.store.history import LEDGER_NAME, FileState, History
from orchestrator.core.store.ledger import WITHOUT_TABLE, ReceiptNote, Record, Value, held, ids_of, own_note
from orchestrator.core.store.off_record import OffRecord
from orchestrator.core.table import MAX_APPEND_BYTES, MIB, Mutability, SessionFile

MAX_DECIDER_CHARS: Final = 64
"""Maximum characters of the name of who decided: as many as the ledger's reader accepts in a writer's name
(`store/ledger.py`)."""

# ---------------------------------------------------------------------- rules
# The rules of section 3 as functions: may this writer write this text to this file now?
#
# Pure: they look at a row of the table of files, what the ledger says of the file, and the text. The order
# of the checks is the caller's (name, immutable, frozen, writer, class, content).
#
# Source: DESIGN.md, section 3.


def named(row: SessionFile) -> str:
    """Return a file's path and class, with which messages begin."""
    return f"{row.path} ({row.mutability})"


def check_writer(row: SessionFile, by: str, writers: tuple[str, ...]) -> None:
    """Raise WriterNotAllowedError unless *by* is one of *writers*."""
    if by not in writers:
        raise WriterNotAllowedError(
            f"{row.path}: {by!r} may not write this {row.mutability} file; "
            f"its writers are {', '.join(writers)}"
        )


def check_decider(by: str) -> None:
    """Refuse the name of who noted a program's decision, unless a record can contain it.

    Raises:
        TypeError: *by* is not a str.
        UsageError: *by* is empty, longer than `MAX_DECIDER_CHARS`, not one printable line, or contains a
            quotation mark or backslash.
    """
    text_argument("by", by, do="the name of who decided")
    if not 1 <= len(by) <= MAX_DECIDER_CHARS or not by.isprintable() or '"' in by or "\\" in by:
        raise UsageError(
            f"by is {by[:40]!r}: name who decided in 1 to {MAX_DECIDER_CHARS} printable characters, "
            "without quotation marks and backslashes",
            value=by[:40],
        )


def check_create(row: SessionFile, *, is_there: bool) -> None:
    """Raise AlreadyWrittenError if the file of the blueprint already exists."""
    if is_there:
        raise AlreadyWrittenError(
            f"{row.path}: is {row.mutability} and already there: a blueprint is copied once, at the start"
        )


def check_write(row: SessionFile, *, revisions: int, max_revisions: int, is_set: bool = False) -> str:
    """Return the ledger's operation for a write of the whole file.

    Args:
        is_set: The number is not the row's: the settings of the session's home gave it.

    Raises:
        AppendOnlyError, AlreadyWrittenError, RevisionLimitError: By the file's class.
    """
    if row.mutability is Mutability.APPEND_ONLY:
        raise AppendOnlyError(f"{row.path}: is append-only and cannot be written whole: use append")
    if row.mutability is Mutability.OVERWRITE:
        return "replace"
    if row.mutability is Mutability.WRITE_ONCE:
        if revisions:
            raise AlreadyWrittenError(f"{row.path}: is write-once and has been written: it stays as it is")
        return "write"
    if revisions >= max_revisions:
        where = "`max_revisions` in greenroom.yaml" if is_set else "`revisions` of its row in table.yaml"
        raise RevisionLimitError(
            f"{row.path}: is write-few and has had its {max_revisions} revisions: raise {where}, "
            "then start a new session"
        )
    return "revise"


def check_append(row: SessionFile, text: str) -> None:
    """Raise AppendOnlyError if the file is of another class, InvalidTextError if the text is empty."""
    if row.mutability is not Mutability.APPEND_ONLY:
        raise AppendOnlyError(f"{row.path}: is {row.mutability} and takes no appends: use write")
    if text == "":
        raise InvalidTextError(f"{named(row)}: there is nothing to append: give some text")


def ended(text: str) -> str:
    """Return *text* with a final newline; an empty text, or a value that is not a text, is returned as it
    is."""
    return text + "\n" if isinstance(text, str) and text and not text.endswith("\n") else text


def _as_text(given: object) -> str:
    """Return what to give in place of something that is no text."""
    if isinstance(given, bytes | bytearray):
        return "give text, as in `data.decode()`"
    has_text = isinstance(getattr(given, "text", None), str)
    return "give its `text`" if has_text else "give text"


def check_text(row: SessionFile, text: str) -> bytes:
    """Return the bytes of *text*, after checking it.

    Raises:
        TypeError: *text* is not a str.
        InvalidTextError: *text* is not valid Unicode, or contains NUL.
    """
    if not isinstance(text, str):
        raise TypeError(f"{row.path}: the text is {type(text).__name__}, not str: {_as_text(text)}")
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidTextError(
            f"{named(row)}: the text is not valid Unicode (position {error.start}): clean it"
        ) from error
    if "\0" in text:
        raise InvalidTextError(f"{named(row)}: the text holds NUL (position {text.index(chr(0))}): remove it")
    return raw


def check_size(row: SessionFile, *, added_bytes: int, size_bytes: int, is_append: bool) -> None:
    """Raise FileTooLargeError if the write, or the file after the write, is over its size limit."""
    if is_append and added_bytes > MAX_APPEND_BYTES:
        raise FileTooLargeError(
            f"{named(row)}: {added_bytes} bytes are over the limit of {MAX_APPEND_BYTES} "
            "for one append: split the text"
        )
    if size_bytes > row.max_bytes:
        raise FileTooLargeError(
            f"{named(row)}: {size_bytes} bytes are over this file's limit of {row.max_bytes}: "
            "shorten the text"
        )


# ---------------------------------------------------------------------- transaction


_END_BYTES: Final = 16 * MIB
"""Bytes that are reserved in the ledger for the record of the end, which contains a digest for every file."""


LARGE_BYTES: Final = files.MAX_BYTES // 2
"""Size of a ledger above which a writer is warned: if it took hours to get there, hours are left."""

log = logging.getLogger(__name__)


class Store(Protocol):
    """What a transaction needs from the session that it writes."""

    root: Path
    history: History
    draft: Draft | None
    replica: Replica | None

    def check_not_within(self, verb: str) -> None:
        """Refuse to wait for a lock that this thread itself holds."""

    def begin(self, fd: int, row: SessionFile | None) -> None:
        """Read the ledger again under its lock, which is on *fd*, and repair the session's files."""

    def sync(self, fd: int) -> None:
        """Put the ledger's new bytes on the disk."""

    def written(self, records: Sequence[Record]) -> None:
        """Bring the materialised files up to date."""

    def catch_up(self) -> int:
        """Read what other processes have written."""

    @property
    def decides_at_write(self) -> bool:
        """Whether each record itself says if it is withheld."""

    def agent_of(self, receipt_id: str) -> str:
        """Return the agent to which a receipt belongs; raise ReceiptError if there is no such receipt."""

    def off_record(self) -> OffRecord:
        """Return all that was said off the record so far, including this thread's transaction."""

    def now_s(self) -> float:
        """Return the session clock."""

    def max_revisions(self, row: SessionFile) -> int:
        """Return how often a write-few file may be revised."""


class Change(NamedTuple):
    """The state of a file after a write in a draft."""

    record: Record
    place: int  # of the record among the draft's; before it stands there, the change has not happened
    before: Change | None  # the same file's last one
    revisions: int
    digest: Any  # running SHA-256 over the whole content; never updated, but copied


class Draft:
    """The reads and writes of a block.

    When the block has ended, all of its records are on the disk, or none.
    """

    __slots__ = ("_changes", "_owner", "_said", "_said_upto", "_store", "folded", "is_open", "records")

    def __init__(self, store: Store) -> None:
        self.records: list[Record] = []
        self.folded: dict[object, tuple[int, Any]] = {}
        self.is_open = True
        self._store = store
        self._changes: dict[str, Change] = {}  # the last of each file
        self._said: dict[str, tuple[int, int]] = {}  # where the texts of its receipts stand
        self._said_upto = 0  # so many of its records were looked at for them
        self._owner = os.getpid(), threading.get_ident()

    @property
    def is_here(self) -> bool:
        """Whether the current thread is in this transaction, and it is still open."""
        return self.is_open and self._owner == (os.getpid(), threading.get_ident())

    @property
    def is_own(self) -> bool:
        """Whether the transaction was begun by this process, and not by the one from which it was forked."""
        return self._owner[0] == os.getpid()

    # ------------------------------------------------------------------ reading

    def read(self, path: str) -> str:
        """Return the file's text, including what was written in this transaction; "" if nothing was ever
        written."""
        return self._store.history.content(path)

    def state(self, row: SessionFile) -> FileState:
        """Return the file's state, including what was written in this transaction."""
        before, last = self._store.history.state_of(row), self._last(row.path)
        if last is None:
            return before
        seqs = []
        change: Change | None = last
        while change is not None:
            seqs.append(change.record.seq)
            change = change.before
        size, sha256 = last.record.size_bytes or 0, last.record.sha256 or ""
        return FileState(row, [*before.seqs, *reversed(seqs)], last.revisions, size, sha256)

    def _last(self, path: str) -> Change | None:
        """Return the file's last change, or None; a change that an exception kept from being recorded does
        not count."""
        change = self._changes.get(path)
        while change is not None and not (
            change.place < len(self.records) and self.records[change.place] is change.record
        ):
            change = change.before
        return change

    # ------------------------------------------------------------------ writing

    def create(self, path: str, text: str, *, value: Value | None = None) -> None:
        """Create a file as `Store.create` does."""
        row = self._row(path)
        # Only the start puts blueprints in place, whoever may write the file later.
        check_writer(row, "start", ("start",))
        check_create(row, is_there=bool(self.state(row).seqs))
        if row.mutability is Mutability.APPEND_ONLY:
            text = ended(text)
        self._put(row, "create", "start", text, value)

    def write(
        self, path: str, text: str, *, by: str, value: Value | None = None, receipt: str | HasId | None = None
    ) -> int:
        """Write a file as `Store.write` does."""
        row = self._row(path)
        check_writer(row, by, row.writers)
        revisions = self.state(row).revisions
        most = self._store.max_revisions(row)
        is_set = self._store.history.opening.max_revisions is not None
        op = check_write(row, revisions=revisions, max_revisions=most, is_set=is_set)
        return self._put(row, op, by, text, value, receipt).record.seq

    def append(
        self, path: str, text: str, *, by: str, value: Value | None = None, receipt: str | HasId | None = None
    ) -> int:
        """Append to a file as `Store.append` does."""
        row = self._row(path)
        check_writer(row, by, row.writers)
        text = ended(text)
        check_append(row, text)
        return self._put(row, "append", by, text, value, receipt).record.seq

    def note(self, value: Value | str, fields: Mapping[str, Any] | None = None, *, by: str) -> int:
        """Record a note as `Store.note` does."""
        self._check_open(None)
        if isinstance(value, str):
            check_decider(by)
            value = own_note(value, {} if fields is None else fields)
        return self._add("note", by, value=value).seq

    def freeze(self, value: Value) -> None:
        """Write the last record."""
        self._check_open(None)
        self._add("freeze", "start", value=value)

    def add_receipt(self, value: Value) -> None:
        """Record a receipt; if this transaction has already written the last record, record nothing."""
        if not self._is_ending():
            self._take_receipts()
            self._put_receipt(value)

    def flush(self) -> None:
        """Record the receipts that wait, even if nothing else is recorded."""
        self._check_open(None)
        self._take_receipts()

    def _row(self, path: str) -> SessionFile:
        """Return the row of *path*, after checking the path and that the session has not ended.

        Source: DESIGN.md, section 3, for the order of the checks.
        """
        row = self._store.history.layout.file(path)
        self._check_open(row)
        return row

    def _check_open(self, row: SessionFile | None) -> None:
        if not self.is_here:
            where = "in another thread or process than the one that holds it" if self.is_open else "already"
            why = "is used" if self.is_open else "has ended"
            raise StoreError(
                f"{self._store.root.name}: this transaction {why} {where}; nothing was written: "
                "begin another with `session.transaction()`"
            )
        if self._is_ending():
            raise has_ended(self._store, row)

    def _put(
        self,
        row: SessionFile,
        op: str,
        by: str,
        text: str,
        value: Value | None,
        receipt: str | HasId | None = None,
    ) -> Change:
        raw, history = check_text(row, text), self._store.history
        origin = receipt_id(receipt)
        if origin is not None:
            self._check_origin(row, by, origin)
            if history.version == WITHOUT_TABLE:  # its lines have no place for it
                origin = None
        last = self._last(row.path)
        if last is not None:
            size_bytes, revisions = last.record.size_bytes or 0, last.revisions
        else:
            size_bytes, revisions = history.state_of(row).size_bytes, history.state_of(row).revisions
        size = len(raw) + (size_bytes if op == "append" else 0)
        check_size(row, added_bytes=len(raw), size_bytes=size, is_append=op == "append")
        digest = hashlib.sha256()
        if op == "append":
            digest = (last.digest if last is not None else history.digest_of(row)).copy()
        digest.update(raw)
        self._take_receipts()
        record = self._record(
            op,
            by,
            file=row.path,
            text=text,
            value=value,
            size_bytes=size,
            sha256=digest.hexdigest(),
            receipt=origin,
        )
        if self._is_withheld(record):
            record = record._replace(withheld=True)
        if op == "replace" and self._store.history.version > WITHOUT_TABLE:
            record = self._shortened(row, record)
        change = Change(record, len(self.records), last, revisions + (op not in ("create", "append")), digest)
        self._changes[row.path] = change
        self.records.append(record)  # the one step that counts: an exception before it has changed nothing
        return change

    def _check_origin(self, row: SessionFile, by: str, receipt: str) -> None:
        """Refuse a text that came from the context of an agent other than its writer, unless the writer
        has no seat."""
        agent = self._store.agent_of(receipt)
        late = dict(self._store.history.receipts).get(receipt)
        if late is not None and self.records and not self._has(receipt):
            self._put_receipt(late)  # it came while this transaction was open, and stands before the write
        if agent != by and by in self._store.history.layout.agents:
            raise ReceiptError(
                f"{named(row)}: {by!r} writes, and receipt {receipt} is of a context of {agent}; "
                "nothing was written: give the receipt of the writer's own context"
            )

    def _has(self, receipt: str) -> bool:
        return any(one.op == "receipt" and receipt in ids_of(one) for one in self.records)

    def _shortened(self, row: SessionFile, record: Record) -> Record:
        """Return the record; if the file already has its text, with a reference in place of the text."""
        change, seqs = self._last(row.path), self._store.history.state_of(row).seqs
        if change is None and not seqs:
            return record
        last = change.record if change is not None else self._store.history.record(seqs[-1])
        if (last.sha256, last.withheld) != (record.sha256, record.withheld):
            return record
        return record._replace(text=None, same=last.same or last.seq)

    def _is_withheld(self, record: Record) -> bool:
        """Decide, once for all readers, whether a record that is about to be written is withheld."""
        if not self._store.decides_at_write:
            return False
        return self._store.off_record().decide(record)

    def keep_digests(self) -> None:
        """Pass the running digests, and the positions of texts, to the history, which has the records by
        now."""
        for record in self.records:
            self._store.history.said.update(_texts(record))
        for path, change in self._changes.items():
            if change.record.op == "append" and self._last(path) is change:
                self._store.history.keep_digest(path, change.digest)

    def _take_receipts(self) -> None:
        """Put the waiting receipts before the first record; once they are on the disk, the ledger's reader
        drops them."""
        if not self.records:
            for _, value in self._store.history.receipts:
                self._put_receipt(value)

    def _put_receipt(self, value: Value) -> None:
        if isinstance(value, ReceiptNote):
            for record in self.records[self._said_upto :]:
                self._said |= _texts(record)
            # But for the last one, which may still be joined with the next.
            self._said_upto = max(self._said_upto, len(self.records) - 1)
            value = value.sharing(ChainMap(self._said, self._store.history.said))
            last = self.records[-1] if self.records and self.records[-1].op == "receipt" else None
            both = value.joined(last.held.written if last is not None and last.held is not None else None)
            if last is not None and both is not None:
                self.records[-1] = last._replace(held=held(both))
                return
        self.records.append(self._record("receipt", "start", value=value))

    def _add(self, op: str, by: str, **more: Any) -> Record:
        self._take_receipts()
        record = self._record(op, by, **more)
        self.records.append(record)
        return record

    def _record(self, op: str, by: str, *, value: Value | None = None, **more: Any) -> Record:
        seq = self._store.history.seq + len(self.records) + 1
        return Record(seq, op, by, self._store.now_s(), utc_now(), held=held(value), **more)

    def _is_ending(self) -> bool:
        """Return whether this transaction has already written the last record."""
        return bool(self.records) and self.records[-1].op == "freeze"


def _texts(record: Record) -> dict[str, tuple[int, int]]:
    """Return the record and place of each text of a receipt to which later receipts may refer."""
    value = record.held.written if record.op == "receipt" and record.held is not None else None
    return value.texts(record.seq) if isinstance(value, ReceiptNote) else {}


class _Block:
    """The context manager of a transaction: it owns the generator that runs the transaction, which ends with
    it.

    If an exception comes in the first line of the standard library's manager, the exception's frames keep the
    manager alive, and with it the lock, until somebody drops the exception. Here begin and end are called
    without a frame that refers to the generator: `__next__` is the interpreter's own, and `_leave` has a weak
    reference.
    """

    __slots__ = ("_begin", "_end")

    def __init__(self, running: Generator[Draft, BaseException | None, None]) -> None:
        self._begin = running.__next__
        self._end = partial(_leave, weakref.ref(running))
        vars(self._end)["running"] = running  # for as long as the block has its end to call

    if TYPE_CHECKING:

        def __enter__(self) -> Draft: ...
        def __exit__(self, *_: object) -> None: ...

    else:
        __enter__ = property(attrgetter("_begin"))
        __exit__ = property(attrgetter("_end"))


def _leave(
    running: weakref.ref[Generator[Draft, BaseException | None, None]],
    kind: type[BaseException] | None,
    error: BaseException | None,
    trace: TracebackType | None,
) -> None:
    """Resume the generator after the block, which *error* has left; *error* is None after a regular end."""
    try:
        running().send(error)  # type: ignore[union-attr]  # whoever calls this holds it
    except StopIteration:
        return


def transaction(
    store: Store, timeout_s: float, row: SessionFile | None = None, verb: str = "append"
) -> _Block:
    """Lock the session for a block, and write the block's draft when it has ended.

    Args:
        timeout_s: Seconds to wait for the lock. With 0, SessionBusyError is raised unless the lock is free
            now.
        row: The file that is to be written, which the error names if the session has ended.
        verb: What the caller is about to do, which the error names if this thread is already in a
            transaction.

    Raises:
        SessionBusyError, TransactionOpenError, SessionFrozenError, SessionDegradedError
        StoreWriteError, LedgerCorruptError, FileTooLargeError, InvalidTextError
        ValueError: *timeout_s* is negative or NaN.
    """
    return _Block(_transaction(store, timeout_s, row, verb))


def _transaction(
    store: Store, timeout_s: float, row: SessionFile | None, verb: str
) -> Generator[Draft, BaseException | None, None]:
    """Yield the draft for `transaction` once, then receive the error that left the block, or None."""
    if math.isnan(timeout_s) or timeout_s < 0:
        raise ValueError(f"timeout_s is {timeout_s!r}: give the seconds to wait for the lock, 0 or more")
    store.check_not_within(verb)
    draft, fds = Draft(store), files.Descriptors()
    # A generator is thrown out of its block whatever happens, also when nobody ends it: then the interpreter
    # does as it forgets it. Twice, since the exception may come within the first.
    try:
        try:
            _take_lock(store, fds, timeout_s, row)
            store.begin(fds[-1], row)
            store.draft = draft
            error = yield draft
            # In a child that was forked inside the block the transaction is its parent's.
            if error is None and draft.is_here:
                asked = requests.pending(store)
                is_marked = asked is not None and asked.mark(draft)
                _commit(store, fds[-1], draft)
                if asked is not None and is_marked:
                    asked.is_written = True
        finally:
            _let_go(store, fds, draft)
    finally:
        _let_go(store, fds, draft)


def _let_go(store: Store, fds: files.Descriptors, draft: Draft) -> None:
    """End the draft, and release the lock and the descriptor. A second call does nothing."""
    draft.is_open = False
    if store.draft is draft:
        store.draft = None
    if fds:
        # Said aloud: closing alone would leave the lock with a child that was forked meanwhile.
        if draft.is_own:
            fcntl.flock(fds[-1], fcntl.LOCK_UN)
        fds.close()
        for waiter in tuple(store.history.waiting):
            waiter.tell()


def _take_lock(store: Store, fds: files.Descriptors, timeout_s: float, row: SessionFile | None) -> None:
    """Open the ledger and wait for its lock.

    Raises:
        SessionBusyError: Somebody else held the lock until the time-out.
        SessionFrozenError, SupersededError, StoreWriteError
    """
    history = store.history
    try:
        # By its whole name: what stands there is compared with what was opened first, within the lock.
        fds.open(f"{store.root}/{LEDGER_NAME}", files.APPEND)
    except OSError as error:
        store.catch_up()
        if history.frozen:  # it cannot be opened for writing any more
            raise has_ended(store, row) from None
        is_gone = error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
        if is_gone and store.replica is not None:  # its folder is put away where another worker has it
            raise SupersededError(
                f"{store.root.name}: it is not on this worker any more; nothing was written: ask again"
            ) from error
        do = "open the session again" if is_gone else "check the rights and the disk"
        why = f"{history.path}: {files.reason(error)}; nothing was written: {do}"
        raise StoreWriteError(files.explain(error, store.root.name, why)) from error
    waiting.take(
        fds[-1],
        history.waiting,
        timeout_s,
        name=store.root.name,
        is_held_here=lambda: store.draft is not None,
    )


def _commit(store: Store, fd: int, draft: Draft) -> None:
    history = store.history
    if not draft.records:
        return
    lines = _lines(draft.records, history.head)
    content = b"".join(lines)
    room = files.MAX_BYTES - history.end - (0 if draft.records[-1].op == "freeze" else _END_BYTES)
    if len(content) > room:
        raise FileTooLargeError(
            f"{history.path}: has {history.end} bytes, and a larger one could not be read; "
            "nothing was written: end this session and start another"
        )
    size_before = history.end
    if store.replica is not None:
        _keep(store, store.replica, fd, content)
    with history.mutex:  # nobody here reads what may still be cut off again
        if store.replica is None:
            files.append_whole(fd, content, size=size_before, name=LEDGER_NAME)
            store.sync(fd)
        draft.is_open = False  # from here on its records are the ledger's
        history.read_new()
        history.keep_lines(lines)
        draft.keep_digests()
        store.written(draft.records)
    if size_before <= LARGE_BYTES < history.end:  # so one writer is told, once, however many there are
        log.warning(
            "%s: its ledger has %d MiB of the %d that it may have: end this session before it is full, "
            "and go on in another",
            store.root.name,
            history.end // MIB,
            files.MAX_BYTES // MIB,
        )


def _keep(store: Store, replica: Replica, fd: int, content: bytes) -> None:
    """Append to the ledger what the replica keeps as well; if it does not, cut it off again.

    Without the history's lock while the replica is waited for: whoever reads goes on, up to where the ledger
    ended before.
    """
    history, size = store.history, store.history.end
    try:
        history.reads_to = size
        try:
            files.append_whole(fd, content, size=size, name=LEDGER_NAME)
            store.sync(fd)
        except StoreWriteError:
            replica.note_refusal()
            raise
        replica.keep(content, size)
    except BaseException:
        if replica.size <= size and files.size_of(fd) > size:
            os.ftruncate(fd, size)
            store.sync(fd)
        raise
    finally:
        history.reads_to = None


def _lines(records: list[Record], head: str) -> list[bytes]:
    """Return the records as lines of the ledger that follow a record whose hash is *head*.

    Raises:
        InvalidTextError: A value cannot be written as JSON.
    """
    lines = []
    for record in records:
        try:
            line, head = ledger.encode(record, head, more=record is not records[-1])
        except (UnicodeEncodeError, ValueError, TypeError, RecursionError) as error:
            raise InvalidTextError(
                f"{record.file or record.op}: a value cannot be written as JSON ({error}); "
                "nothing was written: give valid Unicode and finite numbers"
            ) from error
        lines.append(line)
    return lines


def has_ended(store: Store, row: SessionFile | None) -> SessionFrozenError:
    """Make the error for a write to a session that has ended."""
    what = f"{named(row)}: " if row is not None else ""
    return SessionFrozenError(
        f"{what}{store.root.name} has ended and is frozen: nothing is written any more; start a new session"
    )


def is_degraded(store: Store) -> SessionDegradedError:
    """Make the error for a write to a session whose disk has refused a sync."""
    return SessionDegradedError(
        f"{store.root.name}: a sync failed here earlier, so the disk is not to be trusted: "
        f"check it, then run {'`session.repair()`' if store.history.opening.crew else '`greenroom resume`'}"
    )
