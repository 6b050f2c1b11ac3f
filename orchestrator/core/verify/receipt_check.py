"""Whether a receipt names what its agent really had: every file as of its record, and its own id."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.core.context.frames import FRAMES_VERSION, carried_block
from orchestrator.core.context.receipt import (
    RECEIPTS,
    File,
    Receipt,
    WholeReceipt,
    carried_facts,
    whole,
)
from orchestrator.core.errors import ReceiptError, UsageError
from orchestrator.core.store.ledger import Record
from orchestrator.core.store.opening import Opening
from orchestrator.core.store.receipt import ReceiptNote, agents_of
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.core.table import Layout
from orchestrator.core.verify.finding import Report, facts, shown
from orchestrator.core.verify.replay import EMPTY_SHA256, Replay


@dataclass(slots=True)
class Receipts:
    """The receipts of one ledger, each compared with the replay of the records before it.

    *opened* is the first record, which holds what every agent carries; None where it is lost. Of *lost*
    records nobody knows what they wrote: they leave room for doubt.
    """

    replay: Replay
    templates: Mapping[str, str]  # SHA-256 at the start, by path
    opened: Opening | None
    lost: list[int]
    report: Report
    sizes: dict[tuple[str, int], int] = field(default_factory=dict)
    """What receipts of version 1 say of templates: path and bytes, with the first record that says so."""
    _with_texts: dict[int, Record] = field(default_factory=dict)
    _agents: dict[str, str] = field(default_factory=dict)  # by the receipt's id

    def check_origin(self, record: Record) -> None:
        """A write that says which context it came from says one that was given before it."""
        if record.receipt is None or self.lost:
            return
        agent = self._agents.get(record.receipt)
        if agent is None:
            self._wrong(record, "the receipt of a context before it", shown(record.receipt[:40]))
        elif agent != record.by and record.by in self.replay.layout.agents:
            self._wrong(record, f"the receipt of a context of {shown(record.by[:40])}", shown(agent[:40]))

    def check(self, record: Record) -> None:
        """Compare one; what is wrong goes into the report."""
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
        """Their files are those of the table as of their record, so an id alone says whether it fits."""
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
        """A file's bytes and SHA-256 as of record *seq*."""
        history = self.replay.files.get(path)
        state = history.as_of(seq) if history is not None else None
        return (state.size_bytes, state.sha256) if state is not None else (0, EMPTY_SHA256)

    def _check_whole(self, record: Record, receipt: Receipt) -> None:
        """A receipt of version 1 says itself what every file was."""
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
    """The value of a record of a receipt; None where it is none in either form."""
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
    return carried_facts(carried_block(opened.carried.texts.get(agent, "")))


def _is_sound(receipt: Receipt, seq: int) -> bool:
    """Whether its parts are of the right types, and it stands behind the record that it is as of."""
    return (
        isinstance(receipt.agent, str)
        and isinstance(receipt.seq, int)
        and 1 <= receipt.seq < seq
        and all(
            isinstance(path, str) and isinstance(size, int) and isinstance(sha256, str)
            for path, size, sha256 in receipt.files
        )
    )


def _in_order(receipt: Receipt, layout: Layout) -> bool:
    try:
        return tuple(path for path, _, _ in receipt.files) == layout.order(receipt.agent)
    except UsageError:
        return False
