"""A measure: one quantity of a deck or of speech, with what it is about and what sets it apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orchestrator.checks.model import When
from orchestrator.checks.reading.terms import Term
from orchestrator.claims.model import Place

MONEY: Final = "money"
SHARE: Final = "share"  # a part of a whole, in percent
POINTS: Final = "points"
MULTIPLE: Final = "multiple"
COUNT: Final = "count"
TIME: Final = "time"  # a stretch of time, in days
PHYSICAL: Final = "physical"
BARE: Final = "bare"  # its unit is not said

ACTUAL: Final = "actual"
PLANNED: Final = "planned"
PAST: Final = "past"  # what it was before, for comparison
OTHERS: Final = "others"  # another company's, the market's
PARTIAL: Final = "partial"  # of a part that the words single out
RANGE: Final = "range"
MOVED: Final = "moved"  # by how much something changed, or is more or less than another


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit and the interval that its wording leaves open, in base units."""

    text: str
    start: int
    end: int
    value: float
    low: float
    high: float
    kind: str
    unit: str  # an ISO 4217 code, a physical unit; "" where none is said
    noun: str = ""  # what is counted, as written
    is_fraction: bool = False  # "three in four", "a third": rounder than a figure
    is_range: bool = False
    is_hedged: bool = False
    factor: float = 1.0  # from the unit that is written to the base unit


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A sentence, or a table's row, with where it stands."""

    text: str
    place: Place
    slide: int | None  # the slide that it is on, or that is shown while it is said
    order: int  # pieces of one slide or segment are numbered in reading order
    origin: str  # title, line, row or speech
    title: str = ""
    label: str = ""  # the line above that ends with a colon, or the label of a line that is only a number
    before: str = ""  # the sentence before in the same line
    line: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A quantity of a piece, with its subject."""

    amount: Amount
    piece: Piece
    place: Place
    own: tuple[Term, ...]  # of its clause, its row and its column
    around: tuple[Term, ...]  # of the title, the line above, the rest of the sentence, the sentence before
    noun: frozenset[str]  # features of the counted noun's last word
    status: str
    traits: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    when: tuple[When, ...] = ()
    rate: str = ""  # "month" where it is counted per month
    per: frozenset[str] = frozenset()  # features of what it is for one of
    row: tuple[int, int, int] | None = None  # slide, table and row of a cell
    column: int = -1
    column_label: str = ""
    head: tuple[Term, ...] = ()  # of the label before a colon
    parts: tuple[tuple[Term, ...], ...] = ()  # the phrases behind "for", "in", "among": each may be a part
    scale_known: bool = True
