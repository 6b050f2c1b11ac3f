"""The one reader of dates: days, months, quarters, halves and years, as the days that they cover.

"end of 2027" covers the year's last quarter, "early 2027" its first, and "mid-2027" April to September. A
fiscal year covers all calendar years that it is named after, and so do its quarters and halves, since nobody
writes when it begins. "3/4/2026" covers both days that it may mean, and the days between. Decades, times of
day and "last year" are not dates. "Jan–Mar 2026" is two dates, and the first gets the year of the second.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from orchestrator.material.claims.language import in_ascii
from orchestrator.material.claims.units import measure_after, money_before, unit_after
from orchestrator.material.claims.words import ONES, SMALL_NUMBERS, TEENS, TENS

# ---------------------------------------------------------------------- calendar
# The names of months and weekdays, and the first and last days of months and years.


MONTH_NAMES: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
MONTHS: Final = tuple(name[:3] for name in MONTH_NAMES)
"""The abbreviated names of the months, in order."""
_GERMAN: Final = {
    "januar": 1, "februar": 2, "märz": 3, "mrz": 3, "mai": 5, "juni": 6, "juli": 7, "okt": 10, "oktober": 10,
    "dez": 12, "dezember": 12,
}  # fmt: skip
MONTH_NUMBERS: Final = {
    **{name: n for n, name in enumerate(MONTH_NAMES, start=1)},
    **{name: n for n, name in enumerate(MONTHS, start=1)},
    "sept": 9,
    **_GERMAN,
}
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NO_YEAR: Final = 1
"""The year of a `date` for which no year is written."""


def month_days(year: int, first: int, last: int | None = None) -> tuple[date, date]:
    """Return the first day of month *first* and the last day of month *last*, or of *first* if it is None."""
    last = last or first
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def year_days(first: int, last: int | None = None) -> tuple[date, date]:
    """Return the first day of year *first* and the last day of year *last*, or of *first* if it is None."""
    return date(first, 1, 1), date(last or first, 12, 31)


def full_year(written: str) -> int:
    """Return the year that "2026", "26" or "'98" means; two digits mean 1970 to 2069, as plans reach far."""
    number = int(written.lstrip("'’‘ "))
    if number >= 100:
        return number
    return 1900 + number if number >= 70 else 2000 + number


# ---------------------------------------------------------------------- date forms
# The forms in which dates are written: a pattern for each, and the days that a match covers.


Days = tuple[tuple[date, date], bool, str]
"""The first and the last day, whether a year is written, and the precision."""

_NOT_INSIDE: Final = r"(?<![\w.,€$£])(?<!\d:)"  # no part of a word, an amount or a time of day
_NO_SLASH: Final = r"(?<!/)"  # 24/7 and the like
_FORECAST: Final = r"(?-i:[AEFP])\b"
"""Matches the letter behind a year that marks an estimate, actual, forecast or plan: "2026E", "2025A",
"FY27F"."""
_MONTH: Final = rf"(?P<month>{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})\b\.?"
_DAYS: Final = (
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?\s?(?:[-–/]|to|and|bis)\s?)?"
    r"(?P<to>\d{1,2})(?:st|nd|rd|th|\.)?(?!\d)"
)
_TWO_DIGITS: Final = rf"(?:(?:{'|'.join(TENS)})(?:[ -](?:{'|'.join(ONES)}))?|{'|'.join(TEENS)})"
_SPOKEN_YEAR: Final = (
    rf"(?P<spoken>(?:nineteen|twenty)[ -](?:{_TWO_DIGITS}|(?:oh|o)[ -](?:{'|'.join(ONES)}))"
    rf"|(?<=\b(?:in|by|of|to)\s)two\sthousand(?:\s(?:and\s)?(?:{_TWO_DIGITS}|{'|'.join(ONES)}))?)\b"
)
"""Matches a year in words: "Nineteen ninety-eight", "twenty oh six"; "two thousand and ten" is a year only
behind a preposition."""
_YEAR: Final = rf"(?:(?P<year>(?:19|20)\d\d)(?![\d%])|['’‘]\s?(?P<short>\d\d)(?!\d)|{_SPOKEN_YEAR})"
_FISCAL: Final = (
    r"(?P<fiscal>FY|GJ|CY|calendar\syear|fiscal(?:\syear)?|financial\syear)\s?['’]?"
    r"(?P<fy>(?:19|20)\d\d|\d\d)(?:\s?[/–-]\s?(?P<fy2>(?:19|20)\d\d|\d\d))?(?![\d%]|[.,]\d)"
)
_PART: Final = (
    r"(?:(?:(?-i:(?P<h1>H))|Q)(?P<n1>[1-4])|(?P<n2>[1-4])(?:(?-i:(?P<h2>H))|Q)|Q\s(?P<n3>one|two|three|four)"
    r"|(?P<n4>first|second|third|fourth|1st|2nd|3rd|4th)[ -](?:(?P<h4>half)|quarter)"
    r"|(?P<n5>[1-4])\.\s(?:(?P<h5>Halbjahr)|Quartal))"
)
_NTH: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4} | SMALL_NUMBERS  # "first quarter", "Q three"
_WHEN: Final = (
    r"(?P<when>(?:end|close|start|beginning|middle)\sof\s|(?:year-)?end[\s-]|Ende\s|Anfang\s|Mitte\s"
    r"|(?:early|late|mid)[\s-](?:in\s)?)?"
)
_QUARTERS_WHEN: Final = {"m": (2, 3), "s": (1, 1), "b": (1, 1), "a": (1, 1), "l": (3, 4), "c": (4, 4)}
"""The first and last quarter for the first letter of middle, start, beginning, Anfang, late and close; "end"
and "early" are separate."""


def _year_of(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if groups.get("spoken"):
        words = groups["spoken"].lower().replace("-", " ").split()
        decades = words[2 if words[0] == "two" else 1 :]
        return (1900 if words[0] == "nineteen" else 2000) + sum(
            SMALL_NUMBERS.get(word, 0) for word in decades
        )
    written = groups.get("year") or groups.get("short") or groups.get("two")
    return full_year(written) if written else None


def _days(match: re.Match[str], month: int) -> Days:
    year = _year_of(match)
    latest = 28 if year is None and month == 2 else 31  # year 1 has no 29 February
    first = date(year or NO_YEAR, month, min(int(match["day"] or match["to"]), latest))
    last = date(year or NO_YEAR, month, min(int(match["to"]), latest))
    if last < first:
        raise ValueError("the second day is before the first")
    return (first, last), year is not None, "day"


def _numeric(match: re.Match[str]) -> Days:
    year, one, two = full_year(match["year"]), int(match["one"]), int(match["two_"])
    if match["sep"] == "/" and one <= 12 and two <= 12:
        both = sorted((date(year, one, two), date(year, two, one)))
        return (both[0], both[1]), True, "day"
    if match["sep"] == "/" and two > 12:
        one, two = two, one
    return (date(year, two, one),) * 2, True, "day"


def _iso(match: re.Match[str]) -> Days | None:
    year, month = int(match["year"]), int(match["m"])
    if match["sep"] == "/" and not match["d"] and month == (year + 1) % 100:
        return None  # 2011/12: a fiscal year
    if match["d"]:
        return (date(year, month, int(match["d"])),) * 2, True, "day"
    return month_days(year, month), True, "month"


def _day_of_month(match: re.Match[str]) -> Days | None:
    found = _days(match, MONTH_NUMBERS[match["month"].lower()])
    if not found[1]:
        if match["month"] in ("may", "mar", "march") and not re.search(r"\d(?:st|nd|rd|th)|\sof\s", match[0]):
            return None  # "of the twelve, 10 may leave"
        if _measures(match.string, match.end()) and match["to"] and match.end("to") > match.start("month"):
            return None  # "In March 20% left"
    return found


def _month(match: re.Match[str]) -> Days | None:
    number = MONTH_NUMBERS[match["month"].lower()]
    year = _year_of(match)
    if year is None and not _is_a_month(match):
        return None
    return month_days(year or NO_YEAR, number), year is not None, "month"


# "In may", "by march": in small letters these are months only behind such a word.
_BEFORE_A_MONTH = re.compile(
    r"\b(?:in|by|since|until|till|from|to|of|end|early|late|mid|this|next|last|through|before|after|for|and|or|"
    r"between|during)[ -]$|[-–/(]\s?$|^\s*$",
    re.IGNORECASE,
)
_BEHIND_A_MONTH = re.compile(r"\s?[-–/]\s?|\s(?:to|and|until|through)\s", re.IGNORECASE)


def _is_a_month(match: re.Match[str]) -> bool:
    """Return whether a lone word is a month, by capital or preposition: "may" and "march" are verbs too."""
    word, text = match["month"], match.string
    before = text[max(0, match.start() - 9) : match.start()]
    placed = _BEFORE_A_MONTH.search(before) is not None
    if word.islower():
        return word in MONTH_NAMES and (word not in ("may", "march") or (placed and bool(before.strip())))
    if word.lower() in ("may", "march", "mar", "jan", "sun", "mai") or len(word) < 4:
        is_range = _BEHIND_A_MONTH.match(text, match.end()) is not None
        alone = not text[match.end() :].strip() and not before.strip()
        return is_range or alone or (placed and bool(before.strip()))
    return True


def _part(match: re.Match[str]) -> Days | None:
    groups = match.groupdict()
    number = next(groups[f"n{i}"] for i in range(1, 6) if groups.get(f"n{i}"))
    is_half = any(groups.get(f"h{i}") for i in (1, 2, 4, 5))
    nth = _NTH.get(number.lower()) or int(number[0])
    if is_half and nth > 2:
        return None
    if groups.get("fiscal"):
        return _fiscal(match)
    year = _year_of(match)
    months = 6 if is_half else 3
    days = month_days(year or NO_YEAR, months * (nth - 1) + 1, months * nth)
    return days, year is not None, "half" if is_half else "quarter"


def _first_months(match: re.Match[str]) -> Days:
    """Parse "9M25", the first nine months of a year."""
    return month_days(_year_of(match) or NO_YEAR, 1, int(match["n1"])), True, "part of a year"


def _fiscal(match: re.Match[str]) -> Days | None:
    first = full_year(match["fy"])
    last = full_year(match["fy2"]) if match["fy2"] else first
    if last < first or last > first + 1:
        return None
    is_calendar = match["fiscal"].lower().startswith("c") and first == last
    return year_days(first, last), True, "year" if is_calendar else "fiscal year"


def _split_year(match: re.Match[str]) -> Days | None:
    first, last = int(match["first"]), full_year(match["last"] or match["whole"])
    return (year_days(first, last), True, "fiscal year") if last == first + 1 else None


def _year(match: re.Match[str]) -> Days | None:
    year = _year_of(match)
    if year is None or _is_a_count(match, year):
        return None
    when = (match["when"] or "").lower()
    if not when:
        return year_days(year), True, "year"
    first, last = _quarters(when)
    return month_days(year, 3 * first - 2, 3 * last), True, "quarter" if first == last else "half"


def _quarters(when: str) -> tuple[int, int]:
    """Return the first and last quarter to which a word such as "end" or "early" limits a year."""
    if when.startswith(("end", "year", "ende", "close")):
        return 4, 4
    return _QUARTERS_WHEN.get(when[0], (1, 1))


_MEASURED = re.compile(r"\s(?:hours|days|minutes|seconds|weeks|months|years)\b", re.IGNORECASE)
_THINGS = re.compile(r"\s[a-z]{3,}s\b")  # a plural: "2000 customers"
_AT_A_TIME = re.compile(
    r"\b(?:in|by|since|until|till|from|to|of|during|before|after|for|year|and)\s$", re.IGNORECASE
)


def _measures(text: str, end: int) -> bool:
    unit = unit_after(text, end)
    return unit.scaled or unit.name in ("%", "pp", "x") or bool(unit.name and unit.name.isupper())


def _is_a_count(match: re.Match[str], year: int) -> bool:
    """Return whether four digits are a count or an amount, such as "2000 customers", and so not a year."""
    if not match["year"]:
        return False
    text, start, end = match.string, match.start("year"), match.end("year")
    beside = measure_after(text, end) or (text[end : end + 1] == " " and measure_after(text, end + 1))
    if money_before(text, start)[0] or beside or _measures(text, end) or _MEASURED.match(text, end):
        return True
    if text[start - 1 : start] == "-" and text[max(0, start - 2) : start - 1].isupper():
        return True  # an identifier: CVE-2024-3094
    is_round = year % 100 == 0 and _THINGS.match(text, end) is not None
    return is_round and not _AT_A_TIME.search(text[max(0, start - 8) : start])


Form = tuple[re.Pattern[str], Callable[[re.Match[str]], Days | None]]
# "Q1 26" and "Q1/26 plan", but in "Q1 26 sites" a noun behind the space says that 26 counts.
_TWO: Final = r"(?P<two>[1-3]\d)(?![\d%]|[.,]\d|\s?[%€$£])(?:(?<!\s..)|(?!\s?[a-z]))"


def _form(pattern: str, read: Callable[[re.Match[str]], Days | None], before: str = _NO_SLASH) -> Form:
    return re.compile(_NOT_INSIDE + before + pattern, re.IGNORECASE | re.ASCII), read


FORMS: Final[tuple[Form, ...]] = (
    _form(r"(?P<year>(?:19|20)\d\d)(?P<sep>[-/])(?P<m>\d\d)(?:(?P=sep)(?P<d>\d\d))?(?![\d-])", _iso),
    _form(
        r"(?P<one>\d{1,2})(?P<sep>[./-])(?P<two_>\d{1,2})(?P=sep)(?P<year>(?:19|20)\d\d|(?<!-)\d\d)(?!\d)",
        _numeric,
    ),
    _form(rf"{_DAYS}[\s-]?(?:of\s)?{_MONTH}(?:(?:,?\s*(?:of\s)?){_YEAR}|-(?P<two>\d\d)\b)?", _day_of_month),
    _form(rf"{_MONTH}\s(?:the\s)?{_DAYS}(?![.,]\d)(?:,?\s+{_YEAR})?", _day_of_month),
    _form(rf"{_MONTH}(?:,?\s?(?:of\s)?[-/]?{_YEAR}|[-/](?P<two>\d\d)(?!\d))?", _month, ""),
    _form(
        rf"{_PART}(?:,?\s?(?:(?:of|in)\s)?(?:the\s)?(?:/|-)?(?:{_FISCAL}|{_YEAR}|{_TWO}))?(?!(?!{_FORECAST})\w)",
        _part,
        "",
    ),
    _form(r"(?P<year>(?:19|20)\d\d)[\s/-]?(?:(?-i:(?P<h1>H))|Q)(?P<n1>[1-4])\b", _part),
    _form(rf"(?-i:(?P<n1>[369])M)\s?(?:{_YEAR}|['’]?(?P<two>\d\d))(?!\w)", _first_months),
    _form(rf"{_FISCAL}(?:[\s/-]?[QH][1-4]\b)?", _fiscal),
    _form(
        r"(?P<first>(?:19|20)\d\d)(?:\s?[/–-]\s?(?P<last>\d\d)|/(?P<whole>(?:19|20)\d\d))(?![\w%]|[.,]\d|\s?%)",
        _split_year,
    ),
    _form(rf"{_WHEN}(?:(?P<year>(?:19|20)\d\d)(?!(?!{_FORECAST})\w|%|[.,]\d)|{_SPOKEN_YEAR})", _year),
    _form(r"(?<=\b(?:in|by|of)\s)['’](?P<short>\d\d)(?P<year>)(?P<when>)(?!\w)", _year),
)


# ---------------------------------------------------------------------- dates


@dataclass(frozen=True, slots=True)
class Date:
    """A date as written, with the days that it covers."""

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
    """Return the dates of *text*, in order and without overlaps; of overlapping dates the longest counts."""
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
    """Give each date without a year that of the date behind it: "Jan–Mar 2026", "3 March and 5 May 2026"."""
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
