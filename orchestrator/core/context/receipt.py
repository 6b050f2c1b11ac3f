"""A receipt: what one agent was given once, for what, and who was to answer.

On the disk it has two forms: version 1 holds all of it, version 2 (`store.ledger.ReceiptNote`) what does not
follow from the ledger before it. Both give the same value, and the same id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar, Final, Self

from orchestrator.core.context.frames import FRAMES_VERSION, Block, escape, unescape
from orchestrator.core.errors import ReceiptError, StoreError
from orchestrator.core.store.ledger import Extra, ReceiptNote, Record, Value, kinds_of

# ---------------------------------------------------------------------- fit
# A file of a context as a model with little room gets it: whole parts of it, as the receipt names them.
#
# The context itself stays whole, as do the sizes and digests of its files; what is left out is left out of
# the messages alone, and a line says so where it stood.


Kept = Mapping[str, tuple[int, ...]]
"""By path of a file: the begin and end, in bytes, of each of its parts that the context contains, in
order."""


def fitted(blocks: Sequence[Block], kept: Kept) -> Sequence[Block]:
    """Return the blocks; each file that *kept* names is cut to the parts that *kept* lists."""
    return [_cut(one, kept[one.path]) if one.path in kept else one for one in blocks] if kept else blocks


def cut_bytes(kept: Kept, sizes: Mapping[str, int]) -> int:
    """Return the number of bytes that are left out of files of these sizes."""
    return sum(sizes[path] - sum(end - start for start, end in _pairs(ends)) for path, ends in kept.items())


def _pairs(ends: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(ends[::2], ends[1::2], strict=True))


def _cut(block: Block, ends: Sequence[int]) -> Block:
    raw = unescape(block.inner).encode()
    pieces, at = [], 0
    for start, end in [*_pairs(ends), (len(raw), len(raw))]:
        if start > at:
            pieces.append(
                f"[{start - at} bytes of this file are left out here: the model has little room.]\n"
            )
        pieces.append(raw[start:end].decode())
        at = end
    parts = [escape("".join(pieces))]
    return replace(block, _parts=parts, _length=len(parts), cuts=None)


def sections(text: str, mark: str = "## ") -> list[tuple[int, int]]:
    """Return the begin and end of each section of a Markdown text, in bytes.

    The first section is the text before the first heading, if there is any; *mark* begins a heading.
    """
    starts, at = [0], 0
    for line in text.splitlines(keepends=True):
        if line.startswith(mark) and at:
            starts.append(at)
        at += len(line.encode())
    return list(pairwise([*starts, at]))


def joined(parts: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return parts, given in order, in the form of `Kept`; adjoining parts become one."""
    ends: list[int] = []
    for start, end in parts:
        if ends and ends[-1] == start:
            ends[-1] = end
        else:
            ends += [start, end]
    return tuple(ends)


# ---------------------------------------------------------------------- receipt


OWN: Final = "own"
"""The engine's name in a receipt whose caller was a program's own loop and named no engine."""

File = tuple[str, int, str]
"""Path, bytes and SHA-256 of a file in a context."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Enough to rebuild one context byte for byte."""

    agent: str
    purpose: str  # what was asked
    seq: int  # the context is as of this record
    engine: str  # who answers; OWN: a loop of one's own that did not say
    files: tuple[tuple[str, int, str], ...]  # path, bytes, SHA-256
    left_out: int = 0  # oldest segments that the token budget left no room for
    layout: str | None = None  # of the messages that were sent; None: none were
    watermark: Mapping[str, Any] | None = None
    extra: tuple[str, ...] = ()  # the text of every block that is no file
    carried: tuple[int, str] | None = None  # bytes and SHA-256 of what comes from earlier sessions
    off_record: tuple[int, ...] = ()  # records of its files that were said off the record, or quote that
    frames_version: int = FRAMES_VERSION
    tools: bool = False  # their definitions were sent as well
    kept: Kept = field(default_factory=dict)  # of files that were shortened in the messages, the parts sent

    def value(self) -> dict[str, Any]:
        """Return the receipt in the form in which a ledger record stores it; fields such as `kept` only if
        they are set."""
        carried = {"carried": list(self.carried)} if self.carried is not None else {}
        off_record = {"off_record": list(self.off_record)} if self.off_record else {}
        return {
            **carried,
            **({"tools": True} if self.tools else {}),
            **({"kept": {path: list(ends) for path, ends in self.kept.items()}} if self.kept else {}),
            **off_record,
            "agent": self.agent,
            "purpose": self.purpose,
            "seq": self.seq,
            "engine": self.engine,
            "files": [[path, size, sha256] for path, size, sha256 in self.files],
            "left_out": self.left_out,
            "layout": self.layout,
            "watermark": self.watermark,
            "extra": list(self.extra),
            "frames_version": self.frames_version,
        }

    @property
    def id(self) -> str:
        """`r` and 12 hex digits of the SHA-256 of the receipt's content.

        48 bits: a session has some thousand receipts, and two of them share an id once in a hundred million
        sessions.
        """
        # Sorted keys: the id is of the content, not of the order in which fields were added.
        plain = json.dumps(self.value(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return "r" + hashlib.sha256(plain.encode()).hexdigest()[:12]


def receipt_of(value: Mapping[str, Any]) -> Receipt:
    """Return the receipt that the value of a ledger record contains."""
    return Receipt(
        agent=value["agent"],
        purpose=value["purpose"],
        seq=value["seq"],
        engine=value["engine"],
        files=tuple((path, size, sha256) for path, size, sha256 in value["files"]),
        left_out=value["left_out"],
        layout=value["layout"],
        watermark=value["watermark"],
        extra=tuple(value["extra"]),
        carried=(value["carried"][0], value["carried"][1]) if "carried" in value else None,
        off_record=tuple(value.get("off_record", ())),
        frames_version=value["frames_version"],
        tools=value.get("tools", False),
        kept={path: tuple(ends) for path, ends in value.get("kept", {}).items()},
    )


@dataclass(frozen=True, slots=True)
class WholeReceipt(Value):
    """A receipt in the form of a ledger of version 1."""

    TYPE: ClassVar[str] = "receipt"

    id: str
    receipt: Receipt

    def plain(self) -> dict[str, Any]:
        return {"type": self.TYPE, "id": self.id, **self.receipt.value()}

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> Self:
        try:
            return cls(plain["id"], receipt_of(plain))
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"no receipt: {error}") from error


RECEIPTS: Final = kinds_of(WholeReceipt, ReceiptNote)


def recorded(receipt: Receipt, ledger_version: int) -> WholeReceipt | ReceiptNote:
    """Return a receipt in the form in which a ledger of this version stores it."""
    if ledger_version == 1:
        return WholeReceipt(receipt.id, receipt)
    ends = receipt.watermark.get("ends") if receipt.watermark is not None else None
    return ReceiptNote(
        {receipt.agent: receipt.id},
        receipt.purpose,
        receipt.seq,
        receipt.engine,
        receipt.left_out,
        receipt.layout,
        tuple(ends) if ends is not None else None,
        tuple(map(Extra, receipt.extra)),
        receipt.frames_version,
        receipt.tools,
        receipt.kept or None,
    )


def whole(
    note: ReceiptNote,
    agent: str,
    files: tuple[File, ...],
    carried: tuple[int, str] | None,
    off_record: tuple[int, ...],
    record: Callable[[int], Record],
) -> Receipt:
    """Return one agent's receipt from a note, completed by what follows from the ledger before it.

    Args:
        record: Returns a record by its number, to read a text of this receipt that an earlier one contains.

    Raises:
        ReceiptError: No receipt contains a text at the place that the note names.
    """
    return Receipt(
        agent,
        note.task,
        note.seq,
        note.engine,
        files,
        note.left_out,
        note.layout,
        {"ends": list(note.ends)} if note.ends is not None else None,
        tuple(_text(one, record) for one in note.extra),
        carried,
        off_record,
        note.frames_version,
        note.tools,
        note.kept or {},
    )


def _text(extra: Extra, record: Callable[[int], Record]) -> str:
    if extra.like is None:
        return extra.text
    try:
        found = record(extra.like)
        other = found.held.among(RECEIPTS) if found.held is not None else None
    except (StoreError, ValueError):  # there is no such record, or it is of another shape
        other = None
    if isinstance(other, ReceiptNote) and 0 <= extra.at < len(other.extra):
        one = other.extra[extra.at]
        if one.like is None:
            return one.text
    raise ReceiptError(f"record {extra.like} holds no text that a receipt can name: run `greenroom verify`")


def carried_facts(framed: str) -> tuple[int, str] | None:
    """Return the size in bytes and the SHA-256 of the carry-over, in the form of a receipt, or None if it
    is empty."""
    raw = framed.encode()
    return (len(raw), hashlib.sha256(raw).hexdigest()) if raw else None
