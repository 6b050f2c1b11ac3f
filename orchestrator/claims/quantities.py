"""Numbers that measure something: money, percent, multiples, stretches of time, counts.

`find_quantities` is the public function; `measure` also tells where each one stands.
Precision comes before recall: a number whose meaning is not plain from the words beside
it is left out (a bare "45", a year, a page, a version; see `rejects.py`).

The rules are English. In text of another language only digits with a unit are read:
no spoken numbers, counted nouns or subjects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Quantity
from orchestrator.claims.periods import Period, find_periods
from orchestrator.claims.readings import Reading, readings
from orchestrator.claims.subjects import subject_of
from orchestrator.claims.units import TIME_UNITS

LONGEST_TEXT: Final = 4_000
"""Characters of one text that are read: far above any sentence, and it bounds the time."""

_OTHER_CLAUSE = re.compile(r"[,;:]|\bfrom\b")
_WHEN = re.compile(
    r"\b(?:last|past|next|previous|prior|coming|trailing|following|recent|current|first)\b", re.I
)
_DISTANCES: Final = frozenset({"km", "miles", "cm", "mm"})
_FROM_A_PLACE = re.compile(r"\s+(?:of|from|to)\b")

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Measured:
    """A quantity and where its words stand in the text."""

    quantity: Quantity
    start: int
    end: int


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities that English *text* asserts, in order; `Quantity.text` is verbatim.

    Of a range ("5-10%") the value is the first number, and the text the whole range.
    """
    return tuple(measured.quantity for measured in measure(text))


def measure(
    text: str, *, english: bool = True, periods: tuple[Period, ...] | None = None, bare: bool = False
) -> tuple[Measured, ...]:
    """The quantities of *text* with their places. Reads the first `LONGEST_TEXT` characters.

    Args:
        periods: What `find_periods` says of *text*, where the caller has it already.
        bare: True keeps numbers that the words beside them do not explain.
    """
    text = text[:LONGEST_TEXT]
    found = readings(text, english=english, bare=bare)
    if not found:
        return ()
    if periods is None:
        periods = find_periods(text)
    found = [reading for reading in found if not _says_when(reading, periods)]
    spans = [(reading.start, reading.end) for reading in found]
    return tuple(_measured(text, reading, periods, spans, english=english) for reading in found)


def _says_when(reading: Reading, periods: tuple[Period, ...]) -> bool:
    """ "Twelve months" in "in the last twelve months" says when; in "in twelve months" how long."""
    return reading.unit.name in TIME_UNITS and any(
        period.start <= reading.start and reading.end <= period.end and bool(_WHEN.search(period.text))
        for period in periods
    )


def _measured(
    text: str, reading: Reading, periods: tuple[Period, ...], spans: Spans, *, english: bool
) -> Measured:
    period = _period_of(text, reading, periods, spans)
    subject = None
    distance = reading.unit.name in _DISTANCES and _FROM_A_PLACE.match(text, reading.end)
    if english and not distance:
        subject = reading.noun or subject_of(text, reading.start, reading.end, periods)
    quantity = Quantity(
        value=reading.value,
        unit=reading.unit.name,
        period=period,
        subject=subject,
        text=text[reading.start : reading.end],
    )
    return Measured(quantity, reading.start, reading.end)


def _period_of(text: str, reading: Reading, periods: tuple[Period, ...], spans: Spans) -> str | None:
    """The time that belongs to the number: the only one there is, else the nearest with no number between."""
    others = [p for p in periods if p.end <= reading.start or p.start >= reading.end]
    if reading.unit.name in TIME_UNITS:
        others = [p for p in others if p.kind != "relative"]
    if len(others) == 1:
        between = text[min(reading.end, others[0].end) : max(reading.start, others[0].start)]
        if not (_OTHER_CLAUSE.search(between) and _crossed(reading, others[0], spans)):
            return others[0].text
    near = [(_distance(reading, p), p.text) for p in others if not _crossed(reading, p, spans)]
    return min(near)[1] if near else None


def _distance(reading: Reading, period: Period) -> int:
    return period.start - reading.end if period.start >= reading.end else reading.start - period.end


def _crossed(reading: Reading, period: Period, spans: Spans) -> bool:
    """Another number stands between the two."""
    low, high = min(reading.end, period.end), max(reading.start, period.start)
    own = (reading.start, reading.end)
    return any(low <= start and end <= high for start, end in spans if (start, end) != own)
