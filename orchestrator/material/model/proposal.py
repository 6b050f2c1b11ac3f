"""A contradiction as an engine proposes it, before code has verified any of it.

An engine names what is said, word for word, and a formula that ought to hold. `verify` decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orchestrator.material.model.claim import Place


@dataclass(frozen=True, slots=True)
class Passage:
    """One stretch that can be quoted: a title, a line, a cell, notes, a chart's value, a segment."""

    id: str  # "d3.title", "d3.l2", "d3.t1.r2.c3", "d3.n4", "d3.c1.s2.v3"; "s17" for the 17th segment
    text: str  # verbatim
    slide: int | None
    said_at_s: float | None  # None for the deck
    origin: str = "line"  # title, line, table, chart, notes, alt or speech
    under: str = ""  # what it stands under: of a cell its row and column, of a bullet its parent line

    @property
    def place(self) -> Place:
        """The whole passage as a quote with its place."""
        return Place(self.slide, self.said_at_s, self.text)


@dataclass(frozen=True, slots=True)
class Operand:
    """One thing that is said."""

    passage: str  # Passage.id
    quote: str  # word for word from that passage
    number: str | None = None  # as written in the quote: "4.2M", "nine weeks", "a third", "Sep'21"
    value: float | None = None  # as the engine reads it, in `unit`; of a date the year with its fraction
    unit: str | None = None  # of UNITS, a currency code, or a unit of time in the singular ("month")


UNITS: Final = ("%", "money", "time", "count", "date", "year", "x")
"""Source: READING.md, "Contradictions"; an engine may also name the currency or the unit of time itself."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two or more things that are said, and the formula over them that ought to hold and does not."""

    kind: str  # deck-vs-deck, speech-vs-deck, sum, growth or chart-vs-text
    relation: str  # over v0, v1, …: "v0 + v1 == v2", "v1 - v0 <= v2"; or NOT_BOTH
    operands: tuple[Operand, ...]
    subject: str  # what it is about, one phrase: shown, never parsed
    why: str  # one sentence, shown as the note


NOT_BOTH: Final = "not both"
"""No figure decides it: a negation, a promise, an order, a direction."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a proposal was not accepted."""

    proposal: Proposal
    reason: str  # of REASONS: counted in the ledger
    told: str  # one sentence for the engine, which may mend it once; never stored


REASONS: Final = ("passage", "quote", "number", "value", "unit", "formula", "holds", "known", "shape")
"""The check that a proposal failed: its quote stands in no such passage, or not there; the number is not in
the quote, has another value or another unit; the formula is none or decides nothing; it holds as the figures
are worded; the finding is known; the proposal has too few or too many parts. Ledgers count by these words,
so they stay.
"""
