"""A start and an end in one sentence, and whether a duration fits them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from orchestrator.checks.amounts import Amount
from orchestrator.checks.moments import Moment, moments, month_span
from orchestrator.checks.stretches import months_of

_JOINT = re.compile(
    r"\s*(?:to|until|till|through|and|–|—|-|→|ends?(?: in| on)?|(?:and )?(?:ends?|runs? (?:until|to)|"
    r"finish\w*|is finished|is over)"
    r"(?: in| on| by)?)\s*(?:the\s+)?(?:end of\s+)?",
    re.IGNORECASE,
)
START = re.compile(
    r"\b(?:start\w*|begin\w*|from|kick-?off|opening|since|commenc\w+|between)\b", re.IGNORECASE
)
END = re.compile(
    r"\b(?:end\w*|finish\w*|complet\w+|until|clos\w+|conclu\w+|hand-?over|go-live|due|to|over)\b",
    re.IGNORECASE,
)
_SOFT: int = 2  # months that "early", "by" or "late" leave open


@dataclass(frozen=True, slots=True)
class Span:
    """From `first` to `last`; one and the same moment where one expression names both ("March to May")."""

    first: Moment
    last: Moment

    @property
    def text(self) -> str:
        return self.first.text if self.first is self.last else f"{self.first.text} to {self.last.text}"


def span_of(text: str) -> Span | None:
    """The one start and end of a sentence: "from March to May 2026", or two dates that it joins."""
    found = moments(text)
    if len(found) == 1 and found[0].is_range:
        return Span(found[0], found[0])
    if len(found) != 2 or any(moment.is_range for moment in found):
        return None
    first, last = found
    joint = text[first.end : last.start]
    before = text[: first.start] + first.text
    if not _JOINT.fullmatch(joint) and not (
        START.search(before) and END.search(joint) and len(joint.split()) < 9
    ):
        return None
    if first.yearless and not last.yearless and first.first.month <= last.first.month:
        first = _in_year(first, last.first.year)
    if first.yearless != last.yearless or last.last <= first.first:
        return None
    return Span(first, last)


def span_words(text: str, span: Span) -> str:
    """What the span belongs to: the sentence without its dates."""
    rest = text[: span.first.start] + " " + text[span.last.end :]
    return re.sub(
        r"\b(?:start(?:s|ed)?|begin(?:s)?|began|end(?:s|ed)?|finish(?:es)?|runs?|ran|lasts?|from|between|"
        r"until|goes|take|takes|place|scheduled|"
        r"planned|set)\b",
        " ",
        rest,
        flags=re.I,
    )


def months(span: Span) -> tuple[float, float]:
    """Fewest and most months that the span can be."""
    if span.first is not span.last:
        return month_span(span.first, span.last)
    full = ((span.last.last - span.first.first).days + 1) / 30.44
    return max(0.0, full - (24.0 if _of_years(span.first) else 2.0)), full


def disagree(amount: Amount, span: Span) -> bool:
    """The duration fits the span neither rounded nor with soft edges."""
    stated = months_of(amount)
    if stated is None:
        return False
    low, high = months(span)
    slack = 0.25 if amount.unit in ("days", "weeks") else 0.1
    if not (span.first.exact and span.last.exact) or span.first.by or span.last.by:
        slack += _SOFT
    return stated[1] < low - slack or stated[0] > high + slack


def _of_years(moment: Moment) -> bool:
    """ "2026-2028": its edges are years, and it says no months."""
    words = re.sub(r"\b(?:from|to|between|and|until|through|FY|CY)\b", "", moment.text)
    return not re.search(r"[A-Za-z]{3}", words)


def _in_year(moment: Moment, year: int) -> Moment:
    day = 28 if (moment.last.month, moment.last.day) == (2, 29) else moment.last.day
    return replace(
        moment,
        first=moment.first.replace(year=year),
        last=moment.last.replace(year=year, day=day),
        yearless=False,
    )
