"""The account that a ledger gives as a whole: its first record, every write, its receipts, and its end."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from orchestrator.errors import ConfigurationError, GreenroomError
from orchestrator.home.folder import packaged_table
from orchestrator.layout import AGENT, Layout, Table
from orchestrator.model.exchange import VERDICTS
from orchestrator.store.ledger import FILE_OPS, FIRST_HASH, READ_VERSIONS, Record, says_more
from orchestrator.store.recorded_table import table_of
from orchestrator.store.store import LEDGER_NAME
from orchestrator.verify.finding import Report, shown
from orchestrator.verify.ledger_lines import Line, Lines
from orchestrator.verify.receipt_check import check_receipt
from orchestrator.verify.replay import Replay, max_revisions_of
from orchestrator.verify.shape import is_sha256, read_record

# Names the panelists where the first record is lost: their own files stand in the head of every record that
# writes one, and a pattern reads those past any damage.
_OWN_FILE: Final = rb'"op":"[a-z]+","file":"([a-z][a-z0-9-]*)/(?:%s)"'


@dataclass(slots=True)
class Account:
    """The ledger's own story, and what is wrong with it (in the report)."""

    content: bytes
    report: Report
    opened: Mapping[str, Any] = field(default_factory=dict)
    frozen: Mapping[str, Any] | None = None  # the value of the record of the end
    replay: Replay | None = None
    table: Table | None = None  # by which it is judged
    templates: dict[str, str] = field(default_factory=dict)  # path: SHA-256 at the start
    head: str = FIRST_HASH
    seq: int = 0
    began: int = 1  # the first record of the last transaction
    torn_bytes: int = 0
    lost: list[int] = field(default_factory=list)  # numbers at which records could not be read
    template_sizes: dict[tuple[str, int], int] = field(default_factory=dict)  # as receipts say: first record
    _clock_s: float = 0.0
    _more: bool = False  # the last record says that others of its transaction follow

    def read(self) -> None:
        """Take in every line. Never raises, whatever the bytes are."""
        lines = Lines(self.content, self.report)
        for line in lines:
            self._take(line)
        self.torn_bytes = lines.torn_bytes
        if self.torn_bytes:
            # An ended ledger is written no more, so no crash tore it.
            kind = "torn" if self.frozen is None else "damaged"
            self._wrong(kind, "whole records to the end", f"{self.torn_bytes} bytes that are none")
        if self.replay is None:
            self._begin({})
        if not self.seq and not self.report.findings:
            self._wrong("damaged", "at least one record", "none")

    def _wrong(self, kind: str, expected: str, found: str) -> None:
        self.report.add(LEDGER_NAME, kind, expected, found)

    def _take(self, line: Line) -> None:
        self.head = line.digest
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
            self._begin({})
        if record.op in FILE_OPS and self.replay is not None:
            self.replay.take(record, line.offset)
        elif record.op == "receipt" and self.replay is not None:
            for path, size in check_receipt(
                record, self.replay, self.templates, self.opened, self.lost, self.report
            ):
                self.template_sizes.setdefault((path, size), record.seq)
        elif record.op == "note":
            self._check_verdict(record)
        elif record.op == "freeze":
            self.frozen = record.value or {}

    def _check_verdict(self, record: Record) -> None:
        """A judgement is a panelist's own, in one of the words that there are (section 5 of DESIGN.md)."""
        value = record.value or {}
        if value.get("type") != "verdict":
            return
        judgement = value.get("judgement")
        word = judgement.get("verdict") if isinstance(judgement, Mapping) else None
        panel = self.replay.layout.panel if self.replay is not None else ()
        if panel and record.by not in panel:
            self._wrong("rule", f"record {record.seq}: a verdict by a panelist", shown(record.by[:40]))
        if word not in VERDICTS:
            self._wrong(
                "rule", f"record {record.seq}: a verdict of {', '.join(VERDICTS)}", shown(str(word)[:40])
            )

    def _lose(self, seq: int) -> None:
        insort(self.lost, seq)
        if self.replay is not None:
            self.replay.lose()

    def _follow(self, record: Record, skipped: int) -> None:
        """Number, clock, and that nothing comes after the end. A skipped line may have been a record."""
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
        value = record.value or {}
        if self.replay is not None or record.seq != 1:
            self._wrong("rule", "a session is opened by its first record", f"record {record.seq}")
            return
        if value.get("ledger_version") not in READ_VERSIONS:
            known = " or ".join(map(str, READ_VERSIONS))
            self._wrong("version", known, str(value.get("ledger_version"))[:40])
        self._begin(value)

    def _table_of(self, value: Mapping[str, Any]) -> Table:
        """The table that the first record holds; this release's own where none can be read from it."""
        if not value:
            return packaged_table()
        try:
            return table_of(value)
        except ConfigurationError as error:
            self._wrong("shape", "record 1 holds a table of files that can be meant", shown(str(error)))
            return packaged_table()

    def _begin(self, value: Mapping[str, Any]) -> None:
        """Set the table up; without a first record, this release's with the names that the others use."""
        self.opened = value
        self.table = table = self._table_of(value)
        panel = value.get("panel")
        try:
            layout = table.seated(panel if isinstance(panel, list) else _seats(self.content, table))
        # Names that are none: the ledger is hashed right all the same if a program wrote it so.
        except (GreenroomError, TypeError):
            wanted = f"{table.min_seats} to {table.max_seats}"
            self._wrong("shape", f"record 1 names {wanted} panelists", "it does not")
            layout = Layout(table, (), {}, {})
        if not value:
            self._wrong("rule", "a first record that opens the session", "none that can be read")
        self.replay = Replay(layout, max_revisions_of(value), self.report)
        if self.lost:
            self.replay.lose()
        templates = value.get("templates")
        if isinstance(templates, Mapping):
            known = {path: templates.get(path) for path in layout.templates}
            self.templates = {
                path: sha for path, sha in known.items() if isinstance(sha, str) and is_sha256(sha)
            }


def _seats(content: bytes, table: Table) -> list[str]:
    """The panelists whose own files a ledger names, in the order of their first one."""
    own = (path.removeprefix(f"{AGENT}/") for path in table.files if path.startswith(f"{AGENT}/"))
    found = re.finditer(_OWN_FILE % b"|".join(re.escape(name).encode() for name in own), content)
    return list(dict.fromkeys(match[1].decode() for match in found))
