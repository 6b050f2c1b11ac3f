"""What a ledger says as a whole: its first record, every write, its receipts, and its end."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from orchestrator.core.context.frames import FRAMES_VERSION, carried_block
from orchestrator.core.context.receipt import RECEIPTS, File, Receipt, WholeReceipt, carried_facts, whole
from orchestrator.core.errors import ConfigurationError, GreenroomError, ReceiptError, UsageError
from orchestrator.core.home.folder import packaged_table
from orchestrator.core.store.application import (
    PLAIN,
    REHEARSAL_OF_1,
    Application,
    Ending,
    Opening,
    lacks_first_table,
    opening_of,
    table_of,
)
from orchestrator.core.store.ledger import (
    FILE_OPS,
    FIRST_HASH,
    READ_VERSIONS,
    ReceiptNote,
    Record,
    agents_of,
    says_more,
)
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import AGENT, SeatedTable, Table
from orchestrator.core.verify.finding import Report, facts, shown
from orchestrator.core.verify.replay import EMPTY_SHA256, Replay
from orchestrator.core.verify.shape import Line, Lines, is_sha256, read_record

# ---------------------------------------------------------------------- receipt check
# Whether a receipt names what its agent really had: every file as of its record, and its own id.


@dataclass(slots=True)
class Receipts:
    """The receipts of one ledger, each compared with the replay of the records before it.

    *opened* is the first record, which contains each agent's carry-over; it is None if that record is lost.
    Nobody knows what *lost* records wrote, so they leave room for doubt.
    """

    replay: Replay
    templates: Mapping[str, str]  # SHA-256 at the start, by path
    opened: Opening | None
    lost: list[int]
    report: Report
    sizes: dict[tuple[str, int], int] = field(default_factory=dict)
    """The sizes of templates that receipts of version 1 state: by path and bytes, the first record that
    states them."""
    _with_texts: dict[int, Record] = field(default_factory=dict)
    _agents: dict[str, str] = field(default_factory=dict)  # by the receipt's id

    def check_origin(self, record: Record) -> None:
        """Check that the receipt which a write names was recorded before it, and belongs to the writer."""
        if record.receipt is None or self.lost:
            return
        agent = self._agents.get(record.receipt)
        if agent is None:
            self._wrong(record, "the receipt of a context before it", shown(record.receipt[:40]))
        elif agent != record.by and record.by in self.replay.layout.agents:
            self._wrong(record, f"the receipt of a context of {shown(record.by[:40])}", shown(agent[:40]))

    def check(self, record: Record) -> None:
        """Check one receipt; each fault goes into the report."""
        value = _value_of(record)
        self._agents |= agents_of(record.held)
        if isinstance(value, ReceiptNote):
            self._check_note(record, value)
            return
        if not isinstance(value, WholeReceipt) or not _is_sound(value.receipt, record.seq):
            self._wrong(record, "a receipt of a record before it", "it is not in that format")
            return
        self._check_id(record, value.id, value.receipt)
        self._check_whole(record, value.receipt)

    def _wrong(self, record: Record, expected: str, found: str) -> None:
        self.report.add(LEDGER_NAME, "receipt", f"record {record.seq}: {expected}", found)

    def _check_id(self, record: Record, written: str, receipt: Receipt) -> None:
        if written != (own := receipt.id):
            self._wrong(record, own, shown(str(written)[:40]))

    def _check_note(self, record: Record, note: ReceiptNote) -> None:
        """Check receipts by their ids alone, since their files follow from the table and the record they
        are as of."""
        if not 1 <= note.seq < record.seq:
            self._wrong(record, "a receipt of a record before it", f"it is as of record {note.seq}")
            return
        if note.extra:
            self._with_texts[record.seq] = record
        if not note.ids or note.left_out < 0:
            self._wrong(record, "the receipts of agents", "it is not in that format")
        for agent, written in note.ids.items():
            self._check_one(record, note, agent, written)

    def _check_one(self, record: Record, note: ReceiptNote, agent: str, written: str) -> None:
        try:
            paths = self.replay.layout.order(agent)
        except UsageError:
            self._wrong(record, "an agent that has a seat", shown(agent[:40]))
            return
        if self.lost or self.opened is None:
            return  # what it stands for cannot be known
        sizes = self.opened.template_bytes
        files: list[File] = []
        for path in paths:
            if path.startswith("templates/"):
                files.append((path, sizes.get(path, 0), self.templates.get(path, "")))
            else:
                files.append((path, *self._facts(path, note.seq)))
        hidden, carried = self.replay.hidden(paths, note.seq), _carried(self.opened, agent)
        try:
            receipt = whole(note, agent, tuple(files), carried, hidden, self._texts_of)
        except ReceiptError as error:
            self._wrong(record, "texts that an earlier receipt holds", str(error))
            return
        self._check_id(record, written, receipt)

    def _texts_of(self, seq: int) -> Record:
        found = self._with_texts.get(seq)
        if found is None:
            raise ReceiptError(f"record {seq} is no receipt with texts")
        return found

    def _facts(self, path: str, seq: int) -> tuple[int, str]:
        """Return the size in bytes and the SHA-256 of a file as of record *seq*."""
        history = self.replay.files.get(path)
        state = history.as_of(seq) if history is not None else None
        return (state.size_bytes, state.sha256) if state is not None else (0, EMPTY_SHA256)

    def _check_whole(self, record: Record, receipt: Receipt) -> None:
        """Check a receipt of version 1, which itself states the size and digest of every file."""
        agent = shown(receipt.agent[:40])
        # A later release may order an agent's files in another way.
        if receipt.frames_version == FRAMES_VERSION and not _in_order(receipt, self.replay.layout):
            self._wrong(record, f"the files of {agent}, in order", "others")
        if self.opened is not None and receipt.carried != _carried(self.opened, receipt.agent):
            found = "something else" if receipt.carried else "nothing"
            self._wrong(record, f"what {agent} carries by the first record", found)
        for path, size, sha256 in receipt.files:
            if path.startswith("templates/"):
                if self.templates and self.templates.get(path) != sha256:
                    self._wrong(record, f"{shown(path)} as at the start", facts(size, sha256))
                self.sizes.setdefault((path, size), record.seq)
                continue
            history = self.replay.files.get(path)
            state = history.as_of(receipt.seq) if history is not None else None
            expected, first = self._facts(path, receipt.seq), state.seq if state is not None else 0
            # A record between the file's last known state and the receipt that could not be read may have
            # been a write: then nothing is said.
            known = bisect_right(self.lost, first) == bisect_right(self.lost, receipt.seq)
            if expected != (size, sha256) and known:
                what = f"{shown(path)} with {facts(*expected)} as of record {receipt.seq}"
                self._wrong(record, what, facts(size, sha256))


def _value_of(record: Record) -> object:
    """Return the value of a receipt's record, or None if it has neither of the two forms."""
    if record.held is None:
        return None
    try:
        value = record.held.among(RECEIPTS)
        if isinstance(value, WholeReceipt):
            _ = value.receipt.id  # computing it fails on values that are no JSON
    except (TypeError, ValueError, AttributeError, KeyError):
        return None
    return value


def _carried(opened: Opening, agent: str) -> tuple[int, str] | None:
    return carried_facts(carried_block(opened.carried.get(agent, "")))


def _is_sound(receipt: Receipt, seq: int) -> bool:
    """Return whether a receipt's parts have the right types, and its record comes after the one it is as
    of."""
    return (
        isinstance(receipt.agent, str)
        and isinstance(receipt.seq, int)
        and 1 <= receipt.seq < seq
        and all(
            isinstance(path, str) and isinstance(size, int) and isinstance(sha256, str)
            for path, size, sha256 in receipt.files
        )
    )


def _in_order(receipt: Receipt, layout: SeatedTable) -> bool:
    try:
        return tuple(path for path, _, _ in receipt.files) == layout.order(receipt.agent)
    except UsageError:
        return False


# ---------------------------------------------------------------------- account


# Names the panelists where the first record is lost: their own files stand in the head of every record that
# writes one, and a pattern reads those past any damage.
_OWN_FILE: Final = rb'"op":"[a-z]+","file":"([a-z][a-z0-9-]*)/(?:%s)"'


@dataclass(slots=True)
class Account:
    """The ledger read as a whole; its faults go into the report."""

    content: bytes
    report: Report
    application: Application = PLAIN
    opened: Opening | None = None  # what the first record says
    frozen: Ending | None = None  # what the record of the end says
    replay: Replay | None = None
    table: Table | None = None  # by which it is judged
    templates: dict[str, str] = field(default_factory=dict)  # path: SHA-256 at the start
    head: str = FIRST_HASH
    seq: int = 0
    began: int = 1  # the first record of the last transaction
    torn_bytes: int = 0
    is_unknown: bool = False  # another release wrote it, by rules that nobody knows here
    lost: list[int] = field(default_factory=list)  # numbers at which records could not be read
    template_sizes: dict[tuple[str, int], int] = field(default_factory=dict)  # as receipts say: first record
    _clock_s: float = 0.0
    _receipts: Receipts | None = None
    _more: bool = False  # the last record says that others of its transaction follow

    def read(self) -> None:
        """Read every line. This never raises, whatever the bytes are."""
        lines = Lines(self.content, self.report)
        for line in lines:
            self._take(line)
        self.torn_bytes = lines.torn_bytes
        if self.torn_bytes:
            # An ended ledger is written no more, so no crash tore it.
            kind = "torn" if self.frozen is None else "damaged"
            self._wrong(kind, "whole records to the end", f"{self.torn_bytes} bytes that are none")
        if self.replay is None and not self.is_unknown:
            self._begin(None)
        if not self.seq and not self.report.findings:
            self._wrong("damaged", "at least one record", "none")

    def _wrong(self, kind: str, expected: str, found: str) -> None:
        self.report.add(LEDGER_NAME, kind, expected, found)

    def _take(self, line: Line) -> None:
        self.head = line.digest
        if self.is_unknown:
            self.seq += 1
            return
        record, wrong = read_record(line)
        if wrong is not None:
            self._wrong("shape", f"line {line.number}: a record", wrong)
        if line.skipped:
            self._lose(self.seq + 1)
        if record is None:
            self._lose(self.seq + 1)
            self.seq += 1
            return
        self._follow(record, line.skipped)
        self.began = self.began if self._more else record.seq
        self._more = says_more(line.content)
        if record.op == "open":
            self._open(record)
        elif self.replay is None:
            self._begin(None)
        if record.op in FILE_OPS and self.replay is not None:
            self.replay.take(record, line.offset)
            self._receipts_of(self.replay).check_origin(record)
        elif record.op == "receipt" and self.replay is not None:
            self._receipts_of(self.replay).check(record)
        elif record.op == "note":
            self._check_note(record)
        elif record.op == "freeze":
            self.frozen = _frozen_of(record)

    def _receipts_of(self, replay: Replay) -> Receipts:
        if self._receipts is None:
            self._receipts = Receipts(
                replay, self.templates, self.opened, self.lost, self.report, self.template_sizes
            )
        return self._receipts

    def _check_note(self, record: Record) -> None:
        """Report each breach of the program's own rules in a note."""
        layout = self.replay.layout if self.replay is not None else None
        for expected, found in self.application.faults(record, layout):
            self._wrong("rule", f"record {record.seq}: {expected}", shown(found[:40]))

    def _lose(self, seq: int) -> None:
        insort(self.lost, seq)
        if self.replay is not None:
            self.replay.lose()

    def _follow(self, record: Record, skipped: int) -> None:
        """Check the record's number and clock, and that it does not follow the end.

        A skipped line may have been a record, so it may account for a missing number.
        """
        expected = self.seq + 1
        # Each skipped line may have been a record, or none.
        if not expected <= record.seq <= expected + skipped:
            self._wrong("sequence", f"record {expected + skipped}", f"record {record.seq}")
            self._lose(record.seq - 1)
        if record.clock_s < self._clock_s:
            self._wrong("clock", f"record {record.seq}: {self._clock_s} s or later", f"{record.clock_s} s")
        if self.frozen is not None:
            self._wrong("rule", "nothing after the end", f"record {record.seq}, {record.op}")
        self._clock_s = max(self._clock_s, record.clock_s)
        self.seq = record.seq

    def _open(self, record: Record) -> None:
        opened = opening_of(record)
        if self.replay is not None or record.seq != 1:
            self._wrong("rule", "a session is opened by its first record", f"record {record.seq}")
            return
        if opened.version not in READ_VERSIONS:
            known = " or ".join(map(str, READ_VERSIONS))
            self.is_unknown = opened.version > max(READ_VERSIONS)
            why = ", which a later release wrote: use that one" if self.is_unknown else ""
            self._wrong("version", known, f"{str(opened.ledger_version)[:40]}{why}")
        elif lacks_first_table(opened, self.application):
            self.is_unknown = True
            self._wrong("version", f"version {max(READ_VERSIONS)}", REHEARSAL_OF_1)
            return
        self._begin(opened)

    def _table_of(self, opened: Opening | None) -> Table:
        """Return the table in the first record, or this release's own table if that one cannot be read."""
        if opened is None:
            return packaged_table()
        try:
            return table_of(opened, self.application)
        except ConfigurationError as error:
            self._wrong("shape", "record 1 holds a table of files that can be meant", shown(str(error)))
            return packaged_table()

    def _begin(self, opened: Opening | None) -> None:
        """Set up the table and the seats.

        Without a first record, use this release's table, with the panelists whose files the other records
        name.
        """
        self.opened = opened
        if opened is not None and not self.application.owns(opened):
            self.application = PLAIN  # of a crew that this program does not know
        self.table = table = self._table_of(opened)
        panel = opened.panel if opened is not None else None
        try:
            layout = table.seated(panel if panel is not None else _seats(self.content, table))
        # Names that are none: the ledger is hashed right all the same if a program wrote it so.
        except (GreenroomError, TypeError):
            wanted = f"{table.min_seats} to {table.max_seats}"
            self._wrong("shape", f"record 1 names {wanted} panelists", "it does not")
            layout = SeatedTable(table, (), {}, {})
        if opened is not None and panel is None:
            self._wrong("shape", "record 1 names the panelists", "it names none")
        if opened is None:
            self._wrong("rule", "a first record that opens the session", "none that can be read")
        self.replay = Replay(layout, opened.max_revisions if opened is not None else None, self.report)
        if self.lost:
            self.replay.lose()
        if opened is not None:
            known = opened.templates.items()
            self.templates = {path: sha for path, sha in known if path in layout.templates and is_sha256(sha)}


def _frozen_of(record: Record) -> Ending:
    """Return the content of the record of the end; empty if it does not have that shape."""
    try:
        return record.held.read(Ending) if record.held is not None else Ending({})
    except ValueError:
        return Ending({})


def _seats(content: bytes, table: Table) -> list[str]:
    """Return the panelists whose own files a ledger names, in the order in which they are first named."""
    own = (path.removeprefix(f"{AGENT}/") for path in table.files if path.startswith(f"{AGENT}/"))
    found = re.finditer(_OWN_FILE % b"|".join(re.escape(name).encode() for name in own), content)
    return list(dict.fromkeys(match[1].decode() for match in found))
