"""The stretch of time that a figure holds for, in one form however it was written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Final

from orchestrator.checks.model import When
from orchestrator.claims.calendar import MONTHS
from orchestrator.claims.periods import Period

SAME: Final = "same"
ONE_SIDED: Final = "one-sided"  # one of the two names a time, the other none
DIFFERENT: Final = "different"

_WORDS: Final = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
_YEAR = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?!\d)")
_SHORT_YEAR = re.compile(r"(?:\b(?:FY|CY)\s?|['’‘])(\d\d)\b", re.I)
_SPOKEN_YEAR = re.compile(
    r"\btwenty[ -](ten|eleven|twelve|\w+teen|(?:twenty|thirty|forty)(?:[ -](\w+))?)\b", re.I
)
_YEARS = re.compile(r"\b((?:19|20)\d\d)(?:\s?(?:[-–/]|to)\s?((?:19|20)\d\d)|[-–/](\d\d))\b")
_QUARTER = re.compile(
    r"\b(?:Q\s?([1-4])|([1-4])Q|Q (one|two|three|four)|(first|second|third|fourth|1st|2nd|3rd|4th) quarter)",
    re.I,
)
_HALF = re.compile(r"\b(?:H([12])|([12])H|(first|second|1st|2nd) half)", re.I)
_MONTH = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:[a-z]*)\b\.?\s*(\d{1,2})?(?!\d)", re.I
)
_DAY_BEFORE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?$", re.I)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b")
_NUMERIC = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./]((?:19|20)\d\d)\b")
_RATE = re.compile(
    r"(?:hour|day|week|month|quarter|year|annu|minute|second|p\.a|y|q|m|d|h|mo|wk|yr|qtr|daily)", re.I
)
_RATES: Final = (
    ("year", re.compile(r"year|annu|yr|p\.a|yoy|y/y|\by\b", re.I)),
    ("quarter", re.compile(r"quarter|qtr|qoq|q/q", re.I)),
    ("month", re.compile(r"month|\bmo\b|mom|m/m", re.I)),
    ("week", re.compile(r"week|wk|wow", re.I)),
    ("day", re.compile(r"day|daily", re.I)),
    ("hour", re.compile(r"hour|\bhr?\b", re.I)),
    ("minute", re.compile(r"min", re.I)),
    ("second", re.compile(r"sec|\bs\b", re.I)),
)
_GROWTH_RATE = re.compile(r"[- ](?:over|on)[- ]|oy|oq|om|/[yqm]", re.I)
_NOW = re.compile(
    r"\b(?:today|right now|at present|at the moment|currently|to date|this (?:week|morning))\b", re.I
)
_PREFIX = re.compile(
    r"^(?:(?:in|on|at|for|during|the|of|as|from|end|late|early|mid|start|beginning|by|over|throughout|within|"
    r"across|through|full|fiscal|financial|calendar|about|around|only|just)[\s-]+)+",
    re.I,
)
_BOUND = re.compile(r"\b(since|until|till|before|after)\b", re.I)
_CUMULATIVE = re.compile(r"\b(?:year|quarter|month)[- ]to[- ]date\b|\bytd\b", re.I)


_TYPICAL = re.compile(
    r"\b(?:an?|the|each|every|per|our)\s+(?:average|typical|normal|ordinary)\s+(day|week|month|year|"
    r"quarter)\b",
    re.I,
)


def typical_rate(text: str) -> tuple[When, ...]:
    """ "On an average day" counts per day."""
    match = _TYPICAL.search(text)
    return (When("rate", None, None, f"per {match[1].lower()}"),) if match else ()


def whens(periods: Iterable[Period]) -> tuple[When, ...]:
    """The time expressions in one form each, without repetitions."""
    found: list[When] = []
    for period in periods:
        when = _when(period)
        if when is not None and when not in found:
            found.append(when)
    return tuple(found)


def _when(period: Period) -> When | None:
    text = period.text
    if period.kind == "recurring":
        kind = next((name for name, pattern in _RATES if pattern.search(text)), "year")
        grown = bool(_GROWTH_RATE.search(text)) and "per" not in text.lower()
        return When("rate", None, None, f"{kind} on {kind}" if grown else f"per {kind}")
    if period.kind == "calendar" and (when := _calendar(text)):
        if bound := _BOUND.search(text):
            return When("relative", None, None, f"{bound[1].lower()} {when.words}")
        return when
    if _CUMULATIVE.search(text):
        return When("relative", None, None, "to date")
    words = " ".join(_PREFIX.sub("", text.lower() + " ").split())
    words = words.replace("past", "last").replace("previous", "last").replace("prior", "last")
    if _NOW.search(text) or words in ("", "now", "present"):
        return When("relative", None, None, "now")
    words = _singular_span(words)
    if words in ("a year", "1 year", "year", "12 month"):
        return When("rate", None, None, "per year")
    return When("relative", None, None, words)


def _singular_span(words: str) -> str:
    for word, number in _WORDS.items():
        words = re.sub(rf"\b{word}\b(?! quarter| half)", str(number), words) if number > 1 else words
    words = re.sub(r"\b(12 months|4 quarters|financial year|fiscal year|calendar year)\b", "year", words)
    return re.sub(r"\b(day|week|month|quarter|year|decade)s\b", r"\1", words)


def _calendar(text: str) -> When | None:
    if span := _YEARS.search(text):
        first, last = int(span[1]), int(span[2] or span[3])
        last = last if last > 100 else first // 100 * 100 + last
        return When("span", date(first, 1, 1), date(last, 12, 31), f"{first}-{last}")
    if iso := _ISO.search(text):
        return _day(int(iso[1]), int(iso[2]), int(iso[3]))
    if numeric := _NUMERIC.search(text):
        return _day(int(numeric[3]), int(numeric[2]), int(numeric[1]))
    year = year_of(text)
    for kind, pattern, months in (("quarter", _QUARTER, 3), ("half", _HALF, 6)):
        if match := pattern.search(text):
            word = next(group for group in match.groups() if group).lower()
            number = int(word) if word.isdigit() else _WORDS[word]
            return _part(kind, number, months, year)
    months_named = list(_MONTH.finditer(text))
    if len(months_named) > 1:
        return When(
            "span", None, None, " ".join(m[1].lower() for m in months_named) + f" {year or ''}".rstrip()
        )
    if months_named:
        return _month(text, months_named[0], year)
    if year:
        return When("year", date(year, 1, 1), date(year, 12, 31), str(year))
    return None


def year_of(text: str) -> int | None:
    """The year that *text* names, with four digits, two, or in words."""
    if match := _YEAR.search(text):
        return int(match[1])
    if match := _SHORT_YEAR.search(text):
        return 2000 + int(match[1])
    if match := _SPOKEN_YEAR.search(text):
        tens = match[1].lower().split(" ")[0].split("-")[0]
        return 2000 + _WORDS.get(tens, 0) + _WORDS.get((match[2] or "").lower(), 0)
    return None


def _part(kind: str, number: int, months: int, year: int | None) -> When:
    words = f"{'q' if kind == 'quarter' else 'h'}{number}"
    if year is None:
        return When(kind, None, None, words)
    first = date(year, months * (number - 1) + 1, 1)
    return When(kind, first, _month_end(year, months * number), f"{words} {year}")


def _month(text: str, match: re.Match[str], year: int | None) -> When:
    number = MONTHS.index(match[1].lower()) + 1
    before = _DAY_BEFORE.search(text[: match.start()])
    day = int(match[2]) if match[2] else int(before[1]) if before else None
    name = MONTHS[number - 1]
    if year is None:
        return When("day" if day else "month", None, None, f"{day} {name}" if day else name)
    if day and 1 <= day <= 31:
        return _day(year, number, day) or When("month", None, None, f"{name} {year}")
    return When("month", date(year, number, 1), _month_end(year, number), f"{name} {year}")


def _day(year: int, month: int, day: int) -> When | None:
    try:
        found = date(year, month, day)
    except ValueError:  # 31 June, 13/25/2026: not a day
        return None
    return When("day", found, found, found.isoformat())


def _month_end(year: int, month: int) -> date:
    return (date(year + month // 12, month % 12 + 1, 1)) - timedelta(days=1)


def fixed(when: Sequence[When]) -> tuple[When, ...]:
    """Those that say which stretch of the calendar, or which one relative to now; no rates."""
    return tuple(w for w in when if w.kind != "rate" and w.words != "now")


def rates(when: Sequence[When]) -> frozenset[str]:
    """What the figure is counted per: "year", "month", …; empty where nothing is said."""
    return frozenset(w.words.rsplit(" ", 1)[-1] for w in when if w.kind == "rate")


def compare_when(a: Sequence[When], b: Sequence[When], *, default_rate: str = "year") -> str:
    """SAME, ONE_SIDED or DIFFERENT, with rates that are not said taken as *default_rate*."""
    if (rates(a) or {default_rate}) != (rates(b) or {default_rate}):
        return DIFFERENT
    left, right = {w.words for w in fixed(a)}, {w.words for w in fixed(b)}
    if not left and not right:
        return SAME
    if left and right:
        return SAME if left == right or _contains(a, b) else DIFFERENT
    return ONE_SIDED


def _contains(a: Sequence[When], b: Sequence[When]) -> bool:
    """The same quarter or month, of which only one side says the year."""
    for one in fixed(a):
        for other in fixed(b):
            if one.words == other.words and one.kind != "relative":
                return len(fixed(a)) == len(fixed(b)) == 1
            if one.kind == other.kind and (one.first is None) != (other.first is None):
                short, long = sorted((one.words, other.words), key=len)
                if long.startswith(short + " ") and len(fixed(a)) == len(fixed(b)) == 1:
                    return True
    return False
