"""Claims of deck and presenter, their places, and two places that contradict each other."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field


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
"""The kinds of claims. Old ledgers hold all; new ones are money, percent, count, duration or date."""

NEEDS = ("number", "period", "source", "base", "owner", "date", "cause", "comparison")
"""Things that a question can ask for, and that a judgement can look for in an answer."""


ARITHMETIC = "offline"
"""Who proposes the contradictions that the arithmetic of `checks` finds: this word stands in ledgers."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that a board would expect on this slide (None: in the deck) and that is not there."""

    slide: int | None
    note: str

    @property
    def line(self) -> str:
        """The note behind its place: "slide 3: This slide shows no text."."""
        return f"{'the deck' if self.slide is None else f'slide {self.slide}'}: {self.note}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: on a slide, or at a time of the speech, or both."""

    slide: int | None
    said_at_s: float | None
    quote: str
    under: str = field(default="", compare=False)  # of a table's cell its row and column: "Staff / 2026"


@dataclass(frozen=True, slots=True)
class Tension:
    """Two places that contradict each other, and why."""

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
        """Every quote of it."""
        return self.places or (self.a, self.b)

    @property
    def digest(self) -> str:
        """SHA-256 of its kind and its quotes, wherever and however often they stand."""
        quotes = sorted({place.quote for place in self.sides})
        return hashlib.sha256(json.dumps([self.kind, quotes], ensure_ascii=False).encode()).hexdigest()


OF_TWO_PLACES = ("deck-vs-deck", "speech-vs-deck", "speech-vs-speech", "date", "dropped-promise")
"""One place says one thing, and the other another."""

OF_FIGURES = ("sum", "growth", "share", "rate", "duration", "chart-vs-text")
"""Figures do not follow from each other; `note` says which, and the places are two of them."""

COMPUTED = "computed"
READ = "read"
TENSION_CLASSES = (COMPUTED, READ)
"""The arithmetic fails; or no figure decides it, both quotes stand, and no reading reconciles them."""

TENSION_KINDS = (*OF_TWO_PLACES, *OF_FIGURES)
