"""The one reader of dates: days, months, quarters, halves and years, as the days that they cover.

"end of 2027" covers its last quarter, "early 2027" its first, "mid-2027" April to September. A fiscal year
covers all calendar years that it is named after, and so do its quarters and halves, since nobody writes when
it begins. "3/4/2026" covers both days that it may be, and what lies between. Decades, times of day and
"last year" are no dates. "Jan–Mar 2026" are two, and the first takes the year of the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from orchestrator.material.claims.calendar import WEEKDAYS, month_days
from orchestrator.material.claims.date_forms import FORMS
from orchestrator.material.claims.scripts import in_ascii


@dataclass(frozen=True, slots=True)
class Date:
    """A date as written, and the days that it covers."""

    text: str
    start: int
    end: int
    first: date  # year 1 where no year is written
    last: date  # included
    has_year: bool
    precision: str  # "day", "month", "quarter", "half", "year" or "fiscal year"
    weekday: int | None = None  # Monday 0, where one is written beside it


@lru_cache(maxsize=256)  # a sentence's dates are asked for by its claims, its numbers and each check
def dates_in(text: str) -> tuple[Date, ...]:
    """The dates of *text* in order; they never overlap, and the longest of two that compete counts."""
    dates: list[Date] = []
    for one in sorted(_candidates(in_ascii(text)), key=lambda one: (one.start, -one.end)):
        if not dates or one.start >= dates[-1].end:
            dates.append(one)
    found = _with_the_year_behind(text, dates)
    return tuple(found) if text.isascii() else tuple(replace(o, text=text[o.start : o.end]) for o in found)


def _candidates(text: str) -> Iterator[Date]:
    for pattern, read in FORMS:
        for match in pattern.finditer(text):
            try:
                found = read(match)
            except ValueError:
                continue  # "31 February", "45.13.2026"
            if found is None:
                continue
            (first, last), has_year, precision = found
            words = match[0].rstrip(" ,").removesuffix(".")
            end = match.start() + len(words)
            weekday = _weekday(text, match.start(), end) if precision == "day" else None
            yield Date(words, match.start(), end, first, last, has_year, precision, weekday)


_WEEKDAY: Final = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_WEEKDAY_BEFORE = re.compile(rf"\b(?P<name>{_WEEKDAY})\b\.?,?\s(?:the\s)?$", re.IGNORECASE)
_WEEKDAY_AFTER = re.compile(
    rf",?\s(?:\((?P<short>{_WEEKDAY})\b|(?:a\s)?(?P<name>(?:{'|'.join(WEEKDAYS)}))\b)", re.I
)


def _weekday(text: str, start: int, end: int) -> int | None:
    before = _WEEKDAY_BEFORE.search(text[max(0, start - 18) : start])
    after = _WEEKDAY_AFTER.match(text, end)
    name = before["name"] if before else (after["short"] or after["name"]) if after else None
    if name is None:
        return None
    return next(n for n, day in enumerate(WEEKDAYS) if day.startswith(name.lower()[:3]))


_RANGE = re.compile(r"\s?[-–—/]\s?|\s(?:to|and|until|through|till|or)\s", re.IGNORECASE)
_LIST = re.compile(r",\s")


def _with_the_year_behind(text: str, dates: list[Date]) -> list[Date]:
    """ "Jan–Mar 2026", "3 March, 5 May and 5 June 2026": all are of the last one's year, or of one before."""
    has_joint = False
    for place in range(len(dates) - 2, -1, -1):
        one, following = dates[place], dates[place + 1]
        gap = text[one.end : following.start]
        has_joint = (
            not one.has_year
            and following.has_year
            and one.precision == following.precision
            and bool(_RANGE.fullmatch(gap) or (has_joint and _LIST.fullmatch(gap)))
        )
        if has_joint:
            dates[place] = _in_the_year_of(following, one)
    return dates


def _in_the_year_of(following: Date, one: Date) -> Date:
    year = following.first.year - (one.first.replace(year=following.first.year) > following.first)
    last = month_days(year, one.last.month)[1] if one.precision == "month" else one.last.replace(year=year)
    return replace(one, first=one.first.replace(year=year), last=last, has_year=True)
