"""When something happens: the stretch of days that a date as written can mean."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from orchestrator.checks.spoken_days import digits_for_days
from orchestrator.claims.calendar import MONTH, MONTHS
from orchestrator.claims.periods import Period, find_periods

_ORDINALS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
}
_YEAR = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?!\d)|(?:FY|CY)\s?['’]?(\d\d)\b(?!\d)|['’‘](\d\d)\b|\bQ[1-4][ -/]?(\d\d)\b", re.I
)
_SPOKEN_YEAR = re.compile(
    r"\btwenty[ -](?:twenty|(?P<tens>thirty|forty))(?:[ -](?P<ones>one|two|three|four|five|six|seven|eight|"
    r"nine))?\b",
    re.IGNORECASE,
)
_FISCAL = re.compile(r"\bFY|fiscal|financial year", re.IGNORECASE)
_QUARTER = re.compile(
    r"\bQ\s?([1-4])(?!\d)|\b([1-4])Q|\b(first|second|third|fourth|Q (?:one|two|three|four)) quarter|\bQ "
    r"(one|two|three|four)\b",
    re.I,
)
_HALF = re.compile(r"\bH([12])(?!\d)|\b([12])H\b|\b(first|second) half", re.I)
_SEASON: Final = {"spring": (3, 6), "summer": (6, 9), "autumn": (9, 12), "fall": (9, 12)}
_SEASONS = re.compile(
    r"\b(?:in |by |this |next |early |late )?(spring|summer|autumn|fall)(?: of)? ((?:19|20)\d\d)\b", re.I
)
_MONTH = re.compile(rf"\b{MONTH}")
_MONTH_DAY = re.compile(rf"{MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}")
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b")
_NUMERIC = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./]((?:19|20)?\d\d)\b")
_BY = re.compile(
    r"\b(?:by|before|until|till|no later than|not later than|latest|within|up to|ahead of|prior to|"
    r"end(?:ing)? by)\b",
    re.I,
)
_FROM = re.compile(
    r"\b(?:after|from|since|not before|no earlier than|as of|starting|onwards?|earliest)\b", re.I
)
_LATE = re.compile(r"\b(?:end|late|close)\b|\blast (?:day|week|quarter)\b", re.I)
_EARLY = re.compile(r"\b(?:early|beginning|start)\b", re.I)
_MID = re.compile(r"\bmid\b|\bmiddle\b", re.I)
_WORDS_BEFORE: Final = 28  # characters in front of a date that say "by", "late", "before"

_KEPT: Final = 4_096  # texts: every check reads the same lines of a deck again
_NO_YEAR: Final = 2000  # a leap year, in which dates without a year are compared


@dataclass(frozen=True, slots=True)
class Moment:
    """The days that a date can mean. Where `yearless`, only its place within a year counts."""

    first: date
    last: date
    yearless: bool
    text: str  # verbatim
    start: int
    end: int
    by: bool = False  # "by May": any day up to `last`
    since: bool = False  # "from May": any day from `first`
    fiscal: bool = False
    exact: bool = True  # no "early", "late" or "mid" that would make the edges soft
    is_range: bool = False  # "March to May 2026"


@lru_cache(maxsize=_KEPT)
def moments(text: str) -> tuple[Moment, ...]:
    """The calendar dates of *text*: days, months, quarters, halves, seasons, years, in order."""
    written = text
    text = digits_for_days(re.sub(r"\bq(?=[1-4]\b)", "Q", text))
    found = [moment for period in find_periods(text) if (moment := _moment(text, period)) is not None]
    if text != written:
        found = [_as_written(m, text, written) for m in found]
    for match in _SEASONS.finditer(text):
        first, last = _SEASON[match[1].lower()]
        found = [m for m in found if m.end <= match.start() or m.start >= match.end()]
        found.append(_season(int(match[2]), first, last, match))
    return tuple(sorted(found, key=lambda moment: moment.start))


def _as_written(moment: Moment, text: str, written: str) -> Moment:
    """The moment with the words that stood where digits were read."""
    end = moment.end
    while (end < len(text) and text[end] == " " and written[end] != " ") or text[end : end + 2] == "  ":
        end += 1
    return replace(moment, text=written[moment.start : end].rstrip(), end=end)


def apart(a: Moment, b: Moment) -> bool:
    """No day fits both. A date without a year is compared by its place within the year."""
    if a.fiscal != b.fiscal and abs(a.first.year - b.first.year) < 2:
        return False  # whose year begins when is not known
    if a.yearless != b.yearless and (a.is_range or b.is_range or _whole_year(a) or _whole_year(b)):
        return False
    if a.yearless or b.yearless:
        a_first, a_last, b_first, b_last = (_in_year(d) for d in (a.first, a.last, b.first, b.last))
    else:
        a_first, a_last, b_first, b_last = a.first, a.last, b.first, b.last
    if a_last < b_first:
        return a.by or not (b.by or a.since)  # by May, by July: two deadlines
    if b_last < a_first:
        return b.by or not (a.by or b.since)
    return False


def month_span(a: Moment, b: Moment) -> tuple[float, float]:
    """Fewest and most months from *a* to *b*: between the two, and over both."""
    least = (b.first - a.last).days / 30.44
    most = ((b.last - a.first).days + 1) / 30.44
    return max(0.0, least), most


def _moment(text: str, period: Period) -> Moment | None:
    words = period.text
    if period.kind == "recurring" or (period.kind == "relative" and not _QUARTER.search(words)):
        return None
    before = text[max(0, period.start - _WORDS_BEFORE) : period.start]
    before = re.split(r"[,;:.()]", before)[-1]
    span = _days(words)
    if span is None:
        return None
    first, last, yearless, is_range = span
    around = f"{before} {words}"
    exact = True
    if re.search(
        r"(?:end|late|early|mid|start|beginning|middle|close)(?: of)?(?: the)?[ -]*$", before, re.I
    ) or (_LATE.search(words) or _EARLY.search(words) or _MID.search(words)):
        first, last, exact = _narrowed(first, last, around)
    close = re.search(r"[\w\s]*$", before)
    lead = f"{close[0] if close else ''} {words}"
    by, since = bool(_BY.search(lead)), bool(_FROM.search(lead)) and not is_range
    return Moment(
        first,
        last,
        yearless,
        words,
        period.start,
        period.end,
        by,
        since,
        bool(_FISCAL.search(words)),
        exact,
        is_range,
    )


def _days(words: str) -> tuple[date, date, bool, bool] | None:
    """First and last day, whether the year is missing, whether two dates are written."""
    if iso := _ISO.search(words):
        day = _safe(int(iso[1]), int(iso[2]), int(iso[3]))
        return (day, day, False, False) if day else None
    if numeric := _NUMERIC.search(words):
        year = int(numeric[3]) + (2000 if len(numeric[3]) == 2 else 0)
        day = _safe(year, int(numeric[2]), int(numeric[1])) or _safe(year, int(numeric[1]), int(numeric[2]))
        if day and int(numeric[1]) <= 12 and int(numeric[2]) <= 12 and "/" in words:
            return None  # 3/4/2026: March or April
        return (day, day, False, False) if day else None
    years = [int(a or f"20{b or c or d}") for a, b, c, d in _YEAR.findall(words)]
    if not years and (spoken := _SPOKEN_YEAR.search(words)):
        years = [2000 + _spoken(spoken)]
    year = years[0] if years else _NO_YEAR
    months = [MONTHS.index(m[0][:3].lower()) + 1 for m in _MONTH.finditer(words)]
    if months:
        return _month_days(words, months, years)
    if quarter := _QUARTER.search(words):
        number = _number(next(group for group in quarter.groups() if group))
        return *_months(year, 3 * number - 2, 3 * number), not years, False
    if half := _HALF.search(words):
        number = _number(next(group for group in half.groups() if group))
        return *_months(year, 6 * number - 5, 6 * number), not years, False
    if not years:
        return None
    last = years[-1] if len(years) > 1 else _short_end(words, year)
    return date(year, 1, 1), date(last, 12, 31), False, last != year


def _month_days(words: str, months: list[int], years: list[int]) -> tuple[date, date, bool, bool] | None:
    year = years[0] if years else _NO_YEAR
    if len(months) > 1:
        last_year = years[-1] if years else year
        if len(years) < 2 and months[0] > months[1]:
            year = last_year - 1
        first = date(year, months[0], 1)
        return first, _months(last_year, months[1], months[1])[1], not years, True
    day = _MONTH_DAY.search(words) or _DAY_MONTH.search(words)
    if day and (exact := _safe(year, months[0], int(day[1]))):
        return exact, exact, not years, False
    return *_months(year, months[0], months[0]), not years, False


def _narrowed(first: date, last: date, around: str) -> tuple[date, date, bool]:
    """ "Late 2026", "mid-March": the third of the stretch that is meant, with soft edges."""
    days = (last - first).days
    start, end = (
        (0.6, 1.0) if _LATE.search(around) else (0.0, 0.45) if _EARLY.search(around) else (0.25, 0.75)
    )
    low = date.fromordinal(first.toordinal() + int(days * start))
    return low, date.fromordinal(first.toordinal() + int(days * end)), False


def _season(year: int, first: int, last: int, match: re.Match[str]) -> Moment:
    begin, end = _months(year, first, last)
    by = match[0].lower().startswith("by")
    return Moment(begin, end, False, match[0], match.start(), match.end(), by, exact=False)


def _months(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])


def _safe(year: int, month: int, day: int) -> date | None:
    if not (1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]):
        return None
    return date(year, month, day)


def _in_year(day: date) -> date:
    return day.replace(year=_NO_YEAR)


def _whole_year(moment: Moment) -> bool:
    return (moment.last - moment.first).days >= 364


def _number(words: str) -> int:
    word = words.lower().split()[-1]
    return int(word) if word.isdigit() else _ORDINALS[word]


def _spoken(match: re.Match[str]) -> int:
    tens = {"thirty": 30, "forty": 40}.get((match["tens"] or "").lower(), 20)
    ones = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return tens + (ones.index(match["ones"].lower()) + 1 if match["ones"] else 0)


def _short_end(words: str, year: int) -> int:
    """2031 in "2029-31"."""
    short = re.search(r"(?:19|20)\d\d\s?[-–/]\s?(\d\d)\b", words)
    end = year // 100 * 100 + int(short[1]) if short else year
    return end if end >= year else year
