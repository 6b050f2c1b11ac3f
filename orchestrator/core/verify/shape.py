"""Whether a line of the ledger, hashed right, is a record in the ledger's format."""

from __future__ import annotations

import re
from typing import Any, Final

from orchestrator.core.errors import LedgerCorruptError
from orchestrator.core.store.ledger import (
    FILE_OPS,
    OTHER_OPS,
    Record,
    decode,
    encode,
)
from orchestrator.core.verify.ledger_lines import Line

_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")

MAX_CLOCK_S: Final = 1e9
"""Some thirty years; a number above it, or infinity, is no session's clock."""


def is_sha256(value: object) -> bool:
    """Whether *value* is a SHA-256 in lower-case hex."""
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def read_record(line: Line) -> tuple[Record | None, str | None]:
    """The record of *line*, if it can be read at all, and what is wrong with its shape."""
    try:
        line.content.decode()
        record = decode(line.content)
    except (LedgerCorruptError, UnicodeDecodeError, RecursionError):
        return None, "it is no JSON object with the keys of a record"
    wrong = _wrong(record)
    if wrong is not None:
        return None, wrong
    likely = b',"more":true' in line.content[-190:]  # a value may end so too: then the other is tried
    try:
        # Written again and compared byte for byte: JSON reads `1.0` and `1` alike, doubled keys and spaces
        # too, and the format has one way to write each.
        if not any(
            encode(record, line.previous, more=more)[0][:-1] == line.content for more in (likely, not likely)
        ):
            return record, "its keys are not those of a record, each once, in their order"
    except (ValueError, RecursionError):  # a lone surrogate, a number that is not finite
        return None, "it holds a number or a string that this format cannot carry"
    return record, None


def _wrong(record: Record) -> str | None:
    """The first fault in the types and the presence of the record's parts."""
    if not _is_count(record.seq) or record.seq < 1:
        return "`seq` is no number from 1 on"
    if not isinstance(record.op, str) or record.op not in FILE_OPS | OTHER_OPS:
        return "`op` is none that this release knows"
    if not isinstance(record.by, str) or not record.by:
        return "`by` names no writer"
    if not isinstance(record.clock_s, int | float) or isinstance(record.clock_s, bool):
        return "`clock_s` is no number"
    if not 0 <= record.clock_s <= MAX_CLOCK_S:
        return "`clock_s` is no time of a session"
    if not isinstance(record.at, str) or not _UTC.fullmatch(record.at):
        return "`at` is no UTC time with microseconds"
    if record.held is not None and not record.held.type:
        return "`value` is no object with a `type`"
    return _wrong_for_op(record)


def _wrong_for_op(record: Record) -> str | None:
    parts = (record.file, record.text, record.size_bytes, record.sha256)
    if record.op in OTHER_OPS:
        if any(part is not None for part in (*parts, record.same)) or record.withheld:
            return f"a record of `{record.op}` writes no file"
        return None if record.held is not None else f"a record of `{record.op}` needs a `value`"
    if not isinstance(record.file, str) or (record.text is None) == (record.same is None):
        return "`file` or `text` is missing"
    if record.same is not None and record.op != "replace":
        return f"a record of `{record.op}` has its own text"
    if not _is_count(record.size_bytes) or not is_sha256(record.sha256):
        return "`bytes` or `sha256` is missing or is none"
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
