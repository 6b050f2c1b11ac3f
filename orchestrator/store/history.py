"""A session's ledger, read: its records, and every file as of any of them.

Reading takes no lock, ends at the last whole transaction, and changes nothing. The records
of this process's own transaction, which are not on disk yet, are read like the others.

Source: DESIGN.md, sections 3 and 4.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from orchestrator.errors import LedgerCorruptError, SessionNotFoundError, StoreError, UsageError
from orchestrator.layout import Layout, SessionFile, layout_of
from orchestrator.store import files, ledger
from orchestrator.store.ledger import Entry, Record, Scan
from orchestrator.store.views import Views

LEDGER_NAME: Final = "ledger/ledger.jsonl"
HOW_TO_RESTORE: Final = "move its folder away and restore the session from its archive or a copy"
"""Away, because what is restored goes over nothing."""
KEPT_RECORDS: Final = 512
"""Records kept in memory, so that a record just written is not read again."""


@dataclass(slots=True)
class FileState:
    """One session file by its ledger: the records that touched it, and the last one's size and digest."""

    row: SessionFile
    seqs: list[int] = field(default_factory=list)
    revisions: int = 0
    size_bytes: int = 0
    sha256: str | None = None  # None: not read from the last record yet
    digest: Any = None  # running SHA-256 over the first `digested` records, where this process has it
    digested: int = 0


class History:
    """One session's ledger as of the last look, and a transaction's own records behind it."""

    def __init__(self, root: Path) -> None:
        """Open the ledger of the session at *root*.

        Raises:
            SessionNotFoundError: There is no ledger here.
            LedgerCorruptError: The ledger is damaged.
            OSError: The machine cannot open it now, whatever it is: too many files are open, say.
        """
        self.root = root
        self.pending: list[Record] = []  # of the transaction that is open in this process
        self.end = 0  # bytes of the ledger that were read
        self.head = ledger.FIRST_HASH
        self.frozen = False
        self.by_others: set[str] = set()  # files that others wrote since this process had the lock
        self.undone = 0
        """How often writes that could already be read here were taken back again."""
        self.on_fork: Callable[[], None] | None = None
        self.files: dict[str, FileState] = {}
        self.layout: Layout
        self._own_mutex = threading.RLock()
        self._pid = os.getpid()
        # Opened when first needed: most readers of a ledger never look at a file.
        self._views: Views | None = None
        self._entries: list[Entry] = []
        self._cache: OrderedDict[int, Record | bytes] = OrderedDict()  # bytes: a line not decoded yet
        self._listeners: list[Callable[[Record], None]] = []
        self._told = 0
        self._fd = -1
        self._open("no session here")
        try:
            self.read_new()
            if not self._entries:
                raise LedgerCorruptError(f"{self.path}: holds no whole record: {HOW_TO_RESTORE}")
            self.opened = self._first()
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> Path:
        """Where the ledger is."""
        return self.root / LEDGER_NAME

    @property
    def seq(self) -> int:
        """The last record's number, as of the last look."""
        return len(self._entries)

    @property
    def is_open(self) -> bool:
        return self._fd >= 0

    @property
    def is_own(self) -> bool:
        """False in a forked child that has not touched the session yet."""
        return self._pid == os.getpid()

    @property
    def mutex(self) -> threading.RLock:
        """Held by the thread that reads or writes.

        A forked child shares its parent's descriptors, and with them the lock, and inherits
        whatever the parent's threads were in the middle of: before anything else it starts anew.
        """
        if not self.is_own:
            self._pid = os.getpid()
            self._own_mutex = threading.RLock()
            self.pending = []
            was_open = self.is_open
            self.close()
            if self.on_fork is not None:
                self.on_fork()
            if was_open:
                self._open("no session here any more")
                self.read_again()
        return self._own_mutex

    def _open(self, otherwise: str) -> None:
        try:
            self._fd = self.open_ledger(files.READ)[0]
        except OSError as error:
            if error.errno in files.MACHINE_FAULTS:
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            raise SessionNotFoundError(f"{self.root}: {otherwise} ({files.reason(error)})") from error

    def open_ledger(self, flags: int) -> tuple[int, os.stat_result]:
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
        # After the open and by the descriptor: a name that is looked at first can be swapped in between.
        if not stat.S_ISREG(status.st_mode):
            os.close(fd)
            raise OSError(f"{LEDGER_NAME} is no plain file")
        return fd, status

    def _first(self) -> Record:
        first = self.record(1)
        value = first.value or {}
        if first.op != "open" or value.get("ledger_version") != ledger.LEDGER_VERSION:
            raise LedgerCorruptError(
                f"{self.path}: ledger version {value.get('ledger_version')!r} is not one that "
                f"this release reads ({ledger.LEDGER_VERSION}): use a later release"
            )
        try:
            self.layout = layout_of(value["panel"])
        except (UsageError, KeyError, TypeError) as error:  # a panel of names that a later release allows
            raise LedgerCorruptError(
                f"{self.path}: the first record names no panel that this release knows: "
                f"use a later release, or {HOW_TO_RESTORE}"
            ) from error
        self.files = {path: FileState(row) for path, row in self.layout.files.items()}
        self._index(self._entries)
        return first

    def read_new(self, size: int | None = None) -> bytes:
        """Index the whole transactions behind what was read; returns what follows them.

        *size* is the ledger's, in bytes, where the caller has just looked.
        """
        if self._fd < 0:
            raise StoreError(f"{self.root.name} is closed here: open the session again")
        if size == self.end:
            return b""
        found = self._scan_new()
        if found is None:
            return b""
        if found.damage is not None:
            raise LedgerCorruptError(
                f"{self.path}: {found.damage} (record {found.last_seq + 1}): "
                f"run `greenroom verify`; {HOW_TO_RESTORE}"
            )
        if self.files:
            self._index(found.entries)
        self._entries.extend(found.entries)
        self.end, self.head = found.end, found.head
        self.tell()
        return found.rest

    def _scan_new(self) -> Scan | None:
        """The scan of the bytes behind those that were read; None: there are none."""
        before: bytes | None = None
        while True:
            size = os.fstat(self._fd).st_size
            if size == self.end:
                return None
            if size > files.MAX_BYTES:
                raise LedgerCorruptError(f"{self.path}: {files.too_large(size)}: {HOW_TO_RESTORE}")
            # A writer cuts only what no reader has taken in, so this file is another one.
            if size < self.end:
                raise LedgerCorruptError(
                    f"{self.path}: shorter than it was while it was read; open the session again"
                )
            content = files.read_range(self._fd, self.end, size - self.end)
            found = ledger.scan(content, offset=self.end, seq=self.seq, head=self.head)
            # Damage counts when it is seen twice: a reader may catch a writer while it cuts a torn
            # record off and writes the next one in its place.
            if found.damage is None or content == before:
                return found
            before = content

    def _index(self, entries: Sequence[Entry]) -> None:
        """Take in what *entries* say of the files; all of them, or none."""
        for entry in entries:
            if entry.file is not None and entry.file not in self.files:
                raise LedgerCorruptError(
                    f"{self.path}: record {entry.seq} names {entry.file}, which no row has: "
                    "use the release that wrote it"
                )
        for entry in entries:
            if entry.op == "freeze":
                self.frozen = True
            if entry.file is None:
                continue
            state = self.files[entry.file]
            state.seqs.append(entry.seq)
            state.sha256 = None
            if entry.op not in ("create", "append"):  # a blueprint is not the file's one write
                state.revisions += 1
            self.by_others.add(entry.file)

    def tell(self) -> None:
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
        with self.mutex:
            for entry in self._entries:
                listener(self.record(entry.seq))
            self._told = self.seq
            self._listeners.append(listener)

    def entries(self) -> Iterator[Entry]:
        """Every record's number, operation, file and place, without reading its text."""
        return iter(self._entries[:])

    def record(self, seq: int) -> Record:
        """One record by its number; inside a transaction also those not yet committed.

        Raises:
            StoreError: There is no such record.
        """
        with self.mutex:
            if seq > self.seq:
                for pending in self.pending:
                    if pending.seq == seq:
                        return pending
            if not 1 <= seq <= self.seq:
                raise StoreError(f"there is no record {seq}: the ledger has 1 to {self.seq}")
            cached = self._cache.get(seq)
            if isinstance(cached, Record):
                return cached
            if cached is None:
                if self._fd < 0:
                    raise StoreError(f"{self.root.name} is closed here: open the session again")
                entry = self._entries[seq - 1]
                cached = files.read_range(self._fd, entry.offset, entry.size)
            record = ledger.decode(cached)
            self.keep(seq, record)
            return record

    def lines(self, after: int, most: int) -> list[bytes]:
        """The lines of up to *most* records behind number *after*, as they are on disk, without newlines."""
        with self.mutex:
            wanted = self._entries[after : after + most]
            if not wanted:
                return []
            start, end = wanted[0].offset, wanted[-1].offset + wanted[-1].size
            return files.read_range(self._fd, start, end - start).split(b"\n")[:-1]

    def keep(self, seq: int, record: Record | bytes) -> None:
        self._cache[seq] = record
        if len(self._cache) > KEPT_RECORDS:  # the oldest goes: folds read forward
            self._cache.popitem(last=False)

    def state(self, path: str) -> FileState:
        """The state of *path* by the ledger now (inside a transaction: with its own writes).

        Raises:
            UnknownFileError, ImmutableFileError: The name is in no row, or a template's.
        """
        with self.mutex:
            return self.state_of(self.layout.file(path))

    def state_of(self, row: SessionFile) -> FileState:
        state = self.files[row.path]
        if state.sha256 is None:
            if state.seqs:
                last = self.record(state.seqs[-1])
                if last.size_bytes is None or last.sha256 is None:
                    raise LedgerCorruptError(f"{self.path}: record {last.seq} lacks size and digest")
                state.size_bytes, state.sha256 = last.size_bytes, last.sha256
            else:
                state.size_bytes, state.sha256 = 0, hashlib.sha256().hexdigest()
        return state

    def texts(self, path: str, start: int = 0) -> list[str]:
        """The texts of the records that touched *path*, from the *start*-th one on."""
        with self.mutex:
            return [self.record(seq).text or "" for seq in self.state(path).seqs[start:]]

    def content(self, path: str, *, at_seq: int | None = None) -> str:
        """The file's whole text, now or as of record *at_seq*; "" where it was not written yet.

        Taken from the ledger, or from the file itself; its digest is the recorded one.

        Raises:
            UnknownFileError, ImmutableFileError: The name is in no row, or a template's.
            LedgerCorruptError: The records do not give what they say.
        """
        with self.mutex:
            state = self.state(path)
            seqs = state.seqs if at_seq is None else [seq for seq in state.seqs if seq <= at_seq]
            if not seqs:
                return ""
            last = self.record(seqs[-1])
            if last.op != "append":
                return self.replay(seqs[-1:])
            raw = self.views().read(path, state.row.max_bytes)
            # The file is read rather than a thousand records joined, and counts only where its digest is the
            # ledger's. It may be longer than it was at *at_seq*: an append-only file's beginning is its past.
            if raw is not None and len(raw) >= (last.size_bytes or 0):
                raw = raw[: last.size_bytes]
                if hashlib.sha256(raw).hexdigest() == last.sha256:
                    return raw.decode()
            return self.replay(seqs)

    def replay(self, seqs: Sequence[int]) -> str:
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
                f"{self.path}: the records of {record.file} up to {record.seq} do not give the text "
                f"that they say: run `greenroom verify`; {HOW_TO_RESTORE}"
            )
        return text

    def views(self) -> Views:
        """The session's files, opened when they are first needed."""
        if self._views is None:
            self._views = Views(self.root)
        return self._views

    def commit(self, lines: Sequence[bytes], head: str) -> list[Record]:
        """The pending records are on disk, as *lines*, the last with the hash *head*; returns them."""
        written, self.pending = self.pending, []
        for record, line in zip(written, lines, strict=True):
            self._entries.append(Entry(record.seq, record.op, record.file, self.end, len(line)))
            self.end += len(line)
            self.keep(record.seq, line)  # decoded when asked for: what others read, not what was passed in
        self.head = head
        self.frozen = written[-1].op == "freeze"
        return written

    def undo(self) -> None:
        """Take the pending records out of memory again; the disk has seen none of them."""
        if self.pending:
            self.undone += 1
        for record in reversed(self.pending):
            if record.file is not None:
                state = self.files[record.file]
                state.seqs.pop()
                state.sha256 = state.digest = None
                state.digested = 0
                if record.op not in ("create", "append"):
                    state.revisions -= 1
        self.pending = []

    def read_again(self) -> None:
        """Start over from the ledger: an interrupt came at a moment when memory may be half done."""
        self.undone += 1
        self.pending = []
        self._entries.clear()
        self._cache.clear()
        self.end, self.head = 0, ledger.FIRST_HASH
        self.files = {path: FileState(row) for path, row in self.layout.files.items()}
        self.read_new()

    def close(self) -> None:
        """Close every descriptor."""
        if self._views is not None:
            self._views.close()
            self._views = None
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1
