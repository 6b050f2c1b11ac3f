"""Receipts as they stand in the ledger since version 2: what was asked, of whom, and as of which record.

The files that an agent was given follow from the table and the records up to that one, so they are not said
again; a receipt's id is the digest of all of it, files and digests included. A text that an earlier receipt
holds is named by that one's number, and agents who were asked the same of the same moment share a record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from orchestrator.core.store.ledger import Record
from orchestrator.core.store.value import Held, Value

MIN_SHARED: Final = 40
"""Minimum characters of a text that is named rather than said again: a name of it takes some 25."""


@dataclass(frozen=True, slots=True)
class Extra:
    """The text of a block that is no file, or where that text stands."""

    text: str = ""
    like: int | None = None  # the number of the receipt's record that holds it
    at: int = 0  # its place among that one's texts, from 0


@dataclass(frozen=True, slots=True)
class ReceiptNote(Value):
    """The receipts of agents who were asked alike, without what follows from the ledger before them."""

    TYPE: ClassVar[str] = "receipt"
    VERSION: ClassVar[int] = 2

    ids: Mapping[str, str]  # by agent, the id of its receipt
    task: str
    seq: int  # the context is as of this record
    engine: str
    left_out: int = 0  # oldest segments that the token budget left no room for
    layout: str | None = None  # of the messages that were sent; None: none were
    ends: tuple[int, ...] | None = None  # bytes of the transcript at which each of their pieces ended
    extra: tuple[Extra, ...] = ()
    frames_version: int = 1
    tools: bool = False  # their definitions were sent as well
    kept: Mapping[str, tuple[int, ...]] | None = None  # as `context.receipt.Kept`; None: all of every file

    def joined(self, other: Value | None) -> ReceiptNote | None:
        """Return both notes as one, *other* first, or None if they do not go together."""
        if not isinstance(other, ReceiptNote) or self.ids.keys() & other.ids.keys():
            return None
        both = replace(other, ids={**other.ids, **self.ids})
        return both if replace(self, ids=both.ids) == both else None

    def sharing(self, known: Mapping[str, tuple[int, int]]) -> ReceiptNote:
        """Return the note with each text that is *known*, by its digest, named by its record and place."""
        shared = []
        for one in self.extra:
            place = known.get(digest_of(one.text)) if len(one.text) >= MIN_SHARED else None
            shared.append(Extra(like=place[0], at=place[1]) if place is not None else one)
        return replace(self, extra=tuple(shared))

    def texts(self, seq: int) -> dict[str, tuple[int, int]]:
        """Return where the note's own texts stand, by their digests, when its record has the number *seq*."""
        own = ((place, one) for place, one in enumerate(self.extra) if one.like is None)
        return {digest_of(one.text): (seq, place) for place, one in own}


def agents_of(value: Held | None) -> dict[str, str]:
    """Return the agents of the receipts that a record's value holds, by their ids; none of another shape."""
    fields = value.fields if value is not None else {}
    several, one = fields.get("ids"), (fields.get("agent"), fields.get("id"))
    pairs = several.items() if isinstance(several, Mapping) else (one,)
    return {id_: agent for agent, id_ in pairs if isinstance(id_, str) and isinstance(agent, str)}


def ids_of(record: Record) -> tuple[str, ...]:
    """Return the ids of the receipts that a record of any version holds, in order; none of another shape."""
    return tuple(agents_of(record.held))


def digest_of(text: str) -> str:
    """Return the digest that a text is known by: 128 bits of its SHA-256, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
