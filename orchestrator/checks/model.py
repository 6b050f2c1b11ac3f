"""A figure: a number of the deck or of speech with everything that decides what it may be compared with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from orchestrator.claims.model import Place

LEVEL: Final = "level"  # what is or was: "revenue was 4.2 M"
GROWTH: Final = "growth"  # a relative change: "grew 18 %"
CHANGE: Final = "change"  # an absolute change: "up by 0.6 M"
SHARE: Final = "share"  # a part of a named whole: "40 % of revenue"
FROM: Final = "from"  # where a change began: "from 3.6 M"
TARGET: Final = "target"  # what is to be: a goal, a plan, a forecast, a limit

ROLES: Final = (LEVEL, GROWTH, CHANGE, SHARE, FROM, TARGET)


@dataclass(frozen=True, slots=True)
class When:
    """The stretch of time that a figure holds for.

    Fiscal and calendar years are not told apart: "FY26", "2026" and "the year 2026" are one.
    """

    kind: str  # year, half, quarter, month, day, rate ("per month") or relative ("last year")
    first: date | None  # None where the words do not fix it ("Q3", "last year", "per month")
    last: date | None
    words: str  # normalised: "2026", "q3", "q3 2026", "per month", "last year"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number in its sentence, cell or chart.

    `low` and `high` bound what the words can mean, in base units: "4.2 M" is 4.15 to 4.25
    million, "over 40" is 40 and more, "10-12 weeks" the range.
    """

    claim: str | None  # Claim.id; None where the number is in no claim (a cell, a chart's point)
    place: Place  # its quote is the whole sentence, cell or row that the audience reads or hears
    text: str  # the number's own words, verbatim in place.quote, or a chart's stored value
    start: int  # where `text` begins in place.quote; -1 for a chart's point
    value: float  # as written, in base units
    low: float
    high: float
    unit: str | None  # as claims.model.Quantity.unit
    metric: str | None  # a name of the lexicon ("revenue", "churn") or "label:<the deck's own label>"
    subject: str  # what it is about, as written; may be empty
    role: str  # of ROLES
    when: tuple[When, ...] = ()
    segment: frozenset[str] = frozenset()  # normalised names of a part: a region, a product, a team
    modifiers: frozenset[str] = frozenset()  # gross, net, organic, average, at least, about, range, …
    is_ours: bool = True  # False: another company's, the market's, an example's
    origin: str = "line"  # as claims.model.Claim.origin
    about: frozenset[str] = frozenset()  # stems of all words of its clause that mean something
    scale_known: bool = True  # False for a bare number of a table or chart: it may be in millions
    index: int = -1  # of a cell its row times 1000 plus its column; of a chart's point its category
