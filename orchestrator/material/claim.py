"""Claims of deck and presenter, the places of claims, and two places that contradict each other."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Final

# ---------------------------------------------------------------------- claim


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as asserted: its value in base units (4.2 M is 4 200 000), and its own words."""

    value: float
    unit: str | None  # "%", "pp", an ISO 4217 currency code, "x", a unit of time in the singular, or the noun
    period: str | None  # as written: "Q3 2026", "per month"
    subject: str | None  # as written: the words that the number stands with
    text: str  # verbatim, as in the claim's text


@dataclass(frozen=True, slots=True)
class Claim:
    """One assertion with its place.

    `id` is "d3.2" for the second claim of slide 3 and "s17.1" for the first claim of the
    transcript's 17th segment, so that ids stay the same however much is added later.
    `text` is verbatim: a substring of one line of the slide, or of the segment's text.
    """

    id: str
    kinds: tuple[str, ...]  # of CLAIM_KINDS, the most telling first
    text: str
    slide: int | None
    said_at_s: float | None  # None for a claim of the deck
    speaker: str | None = None
    quantities: tuple[Quantity, ...] = ()
    origin: str = "line"  # title, line, table, chart, notes, alt or speech


CLAIM_KINDS = (
    "money", "percent", "growth", "share", "duration", "date", "count", "comparison", "superlative",
    "promise", "future", "causal",
)  # fmt: skip
"""The kinds of claims. Old ledgers have all of them; new ledgers have money, percent, count, duration and
date."""

NEEDS = ("number", "period", "source", "base", "owner", "date", "cause", "comparison")
"""Things that a question can ask for, and that a judgement can look for in an answer."""


ARITHMETIC = "offline"
"""The name of the proposer of contradictions that the arithmetic of `checks` finds; ledgers contain this
word."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that a board would expect on a slide (in the deck, if that is None) and that is missing."""

    slide: int | None
    note: str

    @property
    def line(self) -> str:
        """The place and the note on one line: "slide 3: This slide shows no text."."""
        return f"{'the deck' if self.slide is None else f'slide {self.slide}'}: {self.note}"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a quote: a slide, a time in the speech, or both."""

    slide: int | None
    said_at_s: float | None
    quote: str
    under: str = field(default="", compare=False)  # of a table's cell its row and column: "Staff / 2026"


@dataclass(frozen=True, slots=True)
class Tension:
    """Two places that contradict each other, with the reason."""

    kind: str  # of TENSION_KINDS
    a: Place
    b: Place
    note: str  # one sentence, for people
    class_: str = "computed"  # of TENSION_CLASSES
    by: str = ARITHMETIC  # the engine that proposed it, or ARITHMETIC
    subject: str = ""  # what it is about, one phrase: shown, never parsed
    sum: str = ""  # computed: the arithmetic as people write it, "3.1 + 2.4 = 5.5, not 6.2"
    places: tuple[Place, ...] = ()  # every quote of it, where there are more than `a` and `b`
    id: str = field(default="", compare=False)  # "c1", "c2", … in a session's order; "" outside of one

    @property
    def sides(self) -> tuple[Place, ...]:
        """All quotes of the tension, with their places."""
        return self.places or (self.a, self.b)

    @property
    def digest(self) -> str:
        """The SHA-256 of the kind and the quotes, regardless of the quotes' places and number."""
        quotes = sorted({place.quote for place in self.sides})
        return hashlib.sha256(json.dumps([self.kind, quotes], ensure_ascii=False).encode()).hexdigest()


OF_TWO_PLACES = ("deck-vs-deck", "speech-vs-deck", "speech-vs-speech", "date", "dropped-promise")
"""Kinds of contradictions in which one place says one thing, and another place another."""

OF_FIGURES = ("sum", "growth", "share", "rate", "duration", "chart-vs-text")
"""Kinds of contradictions in which figures do not follow from each other; `note` names the figures, and the
places are those of two of them."""

COMPUTED = "computed"
READ = "read"
TENSION_CLASSES = (COMPUTED, READ)
"""The two classes of contradictions. COMPUTED: the arithmetic fails. READ: no figure decides it, both quotes
are in their passages, and no reading reconciles them."""

TENSION_KINDS = (*OF_TWO_PLACES, *OF_FIGURES)


# ---------------------------------------------------------------------- proposal
# A contradiction as an engine proposes it, before code has verified any of it.
#
# An engine names what is said, word for word, and a formula that ought to hold. `verify` decides.


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text that can be quoted: a title, line, cell, note, chart value or segment."""

    id: str  # "d3.title", "d3.l2", "d3.t1.r2.c3", "d3.n4", "d3.c1.s2.v3"; "s17" for the 17th segment
    text: str  # verbatim
    slide: int | None
    said_at_s: float | None  # None for the deck
    origin: str = "line"  # title, line, table, chart, notes, alt or speech
    under: str = ""  # what it stands under: of a cell its row and column, of a bullet its parent line

    @property
    def place(self) -> Place:
        """The place of the passage, with its whole text as the quote."""
        return Place(self.slide, self.said_at_s, self.text)


@dataclass(frozen=True, slots=True)
class Operand:
    """One quoted statement of a proposal."""

    passage: str  # Passage.id
    quote: str  # word for word from that passage
    number: str | None = None  # as written in the quote: "4.2M", "nine weeks", "a third", "Sep'21"
    value: float | None = None  # as the engine reads it, in `unit`; of a date the year with its fraction
    unit: str | None = None  # of UNITS, a currency code, or a unit of time in the singular ("month")


UNITS: Final = ("%", "money", "time", "count", "date", "year", "x")
"""The units that an engine may name, besides the currency or the unit of time itself. Source: READING.md,
"Contradictions"."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Two or more statements, and a formula over them that should hold and does not."""

    kind: str  # deck-vs-deck, speech-vs-deck, sum, growth or chart-vs-text
    relation: str  # over v0, v1, …: "v0 + v1 == v2", "v1 - v0 <= v2"; or NOT_BOTH
    operands: tuple[Operand, ...]
    subject: str  # what it is about, one phrase: shown, never parsed
    why: str  # one sentence, shown as the note


NOT_BOTH: Final = "not both"
"""The formula of a proposal that no figure decides: a negation, a promise, an order, a direction."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a proposal was not accepted."""

    proposal: Proposal
    reason: str  # of REASONS: counted in the ledger
    told: str  # one sentence for the engine, which may mend it once; never stored


REASONS: Final = ("passage", "quote", "number", "value", "unit", "formula", "holds", "known", "shape")
"""The check that a proposal failed. "passage", "quote": the passage does not exist, or the quote is not in
it. "number", "value", "unit": the number is not in the quote, or has another value or another unit.
"formula": it is not a formula, or decides nothing. "holds": it holds as the figures are worded. "known": the
finding is known. "shape": the proposal has too few or too many parts. Ledgers count by these words, so they
stay."""
