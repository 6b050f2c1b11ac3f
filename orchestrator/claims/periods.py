"""When a number holds: "Q3 2026", "per month", "in 18 months", "by March", "last year"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.claims.calendar import (
    ANY_YEAR,
    COUNT_WORD,
    DATE,
    FISCAL_YEAR,
    MONTH,
    QUARTER,
    SPAN_UNIT,
    SPOKEN_YEAR,
    YEAR,
    YEARS,
)

_BEFORE: Final = (
    r"(?i:(?:by|in|since|until|till|from|for|through|throughout|during|before|after|as of|as at|at|on|within|"
    r"over|"
    r"between|of|end of|start of|beginning of|late|early|mid|mid-|the)\s+){0,3}"
)
_RECUR: Final = (
    r"(?:per|a|an|each|every)\s+(?:day|week|month|quarter|year|annum|hour|minute)\b"
    r"|\bper second\b|\b(?:a|each|every) second\b(?=\s*(?:$|[.,;:)]))"  # not "a second hub"
    r"|/\s?(?:day|week|wk|month|mo|quarter|qtr|year|yr|hour|hr|h|min|s|sec)\b"
    r"|\b(?:annually|yearly|monthly|quarterly|annualized|annualised|p\.a\.)"
    r"|\b(?:weekly|daily|hourly)\b(?!\s+[a-z])"
    r"|\b(?:year|quarter|month|week)[- ](?:over|on)[- ](?:year|quarter|month|week)\b|\b(?:YoY|QoQ|MoM|WoW|"
    r"y/y|q/q|m/m)\b"
)
_RELATIVE: Final = (
    rf"(?:(?:in|over|for|during|within|since|by|through|throughout|until|from|across)\s+)?(?:the\s+)?"
    rf"(?:last|past|next|previous|coming|current|prior|this|first|same|following|trailing|final|recent)\s+"
    rf"(?:(?:{COUNT_WORD}|full|fiscal|financial|calendar)[ -]){{0,2}}{SPAN_UNIT}\b(?:\s+(?:of|"
    rf"before)\s+{ANY_YEAR})?"
    r"|\b(?:in|within|after|over|for|during)\s+(?:about |around |under |less than |only |just |the |"
    rf"~)?{COUNT_WORD}(?:\s?(?:-|–|to)\s?{COUNT_WORD})?[ -]{SPAN_UNIT}\b"
    rf"|\b{COUNT_WORD}\s+{SPAN_UNIT}\s+(?:ago|from now|earlier|later)\b"
    r"|\b(?:yesterday|today|tomorrow|tonight|right now|at present|at the moment)\b"
    r"|\b(?:last|next|this)\s+(?:summer|autumn|fall|winter|spring|night|morning|(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)day)\b"
    r"|\b(?:year|quarter|month|week)[- ]to[- ]date\b|\b(?:YTD|LTM|TTM|to date)\b"
    r"|\b(?:at |by )?(?:the )?(?:year|month|quarter)[- ]?end\b"
    r"|\b(?:in|for|during|at|by) the (?:end of the )?(?:quarter|year|month|week|half|period)\b"
    r"|\bend of (?:the )?(?:year|quarter|month|week)\b"
)
_CALENDAR: Final = (
    rf"\b{MONTH}(?:\s+{YEAR})?\s?(?:[-–]|\b(?:and|to|through|until)\b)\s?{MONTH}(?:,?\s+{YEAR}\b)?"
    rf"|{DATE}"
    rf"|\b(?:{QUARTER})(?:[ ,/-]*(?:{FISCAL_YEAR}|{ANY_YEAR})|[ /-]?\d\d\b(?!\s?%|[.,]\d|\s?per))?"
    rf"|\b{FISCAL_YEAR}"
    rf"|\b{YEARS}|\b{YEAR}\b(?!\s?%)"
    rf"|\b(?i:(?:in|by|since|until|end of|financial year|fiscal)\s+{SPOKEN_YEAR})"
    r"|\b(?i:(?:in|by|since|until|from|of|to|through|for|before|after|last|next|this|early|late|mid|end|"
    rf"and)[ -])+{MONTH}"
)

_PATTERNS: Final = (
    ("calendar", re.compile(rf"(?:\b{_BEFORE})?(?:{_CALENDAR})")),
    ("relative", re.compile(_RELATIVE, re.IGNORECASE)),
    ("recurring", re.compile(_RECUR, re.IGNORECASE)),
)
_SPEAKS_OF_TIME = re.compile(
    r"day|week|month|quarter|year|decade|half|hour|minute|sec|annu|hourly|period|to date|YTD|LTM|TTM|"
    r"o[ -]?[yqmw]\b|[yqm]/[yqm]|/\s?[a-z]|p\.a\.|now|present|moment|night|morning|summer|autumn|fall|"
    r"winter|spring",
    re.IGNORECASE,
)
"""What stands in every relative and recurring expression; most sentences hold none of it."""
_LEADING = re.compile(r"(?:of|the|at|between|on|to|and)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """A time expression and where it stands."""

    kind: str  # "calendar" (a date, quarter or year), "relative" (last year), "recurring" (per month)
    text: str
    start: int
    end: int


KEPT: Final = 4096
"""Sentences whose periods are remembered: a deck's are looked at again for every piece of speech."""


@lru_cache(maxsize=KEPT)
def find_periods(text: str) -> tuple[Period, ...]:
    """The time expressions of *text* in order, without overlaps, the longest where two compete."""
    patterns = _PATTERNS if _SPEAKS_OF_TIME.search(text) else _PATTERNS[:1]
    found = sorted(
        (match.start(), -match.end(), kind) for kind, pattern in patterns for match in pattern.finditer(text)
    )
    periods: list[Period] = []
    for start, minus_end, kind in found:
        if periods and start < periods[-1].end:
            continue
        start = _without_leading(text, start, -minus_end)
        words = text[start:-minus_end].rstrip(" ,/-")
        periods.append(Period(kind, words, start, start + len(words)))
    return tuple(periods)


def _without_leading(text: str, start: int, end: int) -> int:
    """Drop "of", "the", "at" in front: "of Q3 2026" is "Q3 2026", while "by Q3 2026" says more."""
    while match := _LEADING.match(text, start, end):
        if match[0].lower().startswith("between") and " and " in text[start:end]:
            break
        start = match.end()
    return start
