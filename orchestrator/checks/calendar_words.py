"""How many days, weeks and hours a stretch of time has, as the words of a slide say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EVERY_DAY = re.compile(
    r"\b(?:every (?:single )?day|all (?:the )?year(?: round)?|year[- ]round|seven days a week|7 days a week|"
    r"365 days|every day of the (?:year|week)|christmas day included|without a day off|24/7|"
    r"monday to sunday|daily, including)\b",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(
    r"\b(?:every (?:week|working|business)[ -]?day|each (?:week|working)[ -]?day|weekdays|working days?|"
    r"five days a week|5 days a week|mon(?:day)?s?\.?\s?(?:to|-|–)\s?fri(?:day)?s?)\b",
    re.IGNORECASE,
)
_SIX_DAYS = re.compile(
    r"\b(?:six days a week|6 days a week|mon(?:day)?s?\.?\s?(?:to|-|–)\s?sat(?:urday)?s?)\b", re.IGNORECASE
)
_ROUND_THE_CLOCK = re.compile(
    r"\b(?:round the clock|day and night|24 hours a day|24/7|non-?stop)\b", re.IGNORECASE
)
_DAY_RANGE = re.compile(
    r"\b(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:day)?s?\.?\s?(?:to|-|–|until|through)\s?"
    r"(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:day)?s?\b",
    re.IGNORECASE,
)
_PLURALS: Final = {"days": 1.0, "weeks": 7.0, "months": 365.25 / 12, "quarters": 365.25 / 4, "years": 365.25}


@dataclass(frozen=True, slots=True)
class Calendar:
    """Days a week on which what a slide speaks of goes on, at least and at most."""

    days: tuple[float, float]
    clock: bool  # by day and by night

    def steps(self, unit: str) -> Iterator[tuple[str, float, float, str]]:
        """From *unit* to larger ones: name, fewest, most, and the words for it."""
        few, many = self.days
        if unit == "hour" and self.clock:
            yield "day", 24, 24, "24 hours"
        if unit == "weekday":
            yield "week", 5, 5, "5 days"
            yield "year", 245, 262, "250 to 261 days"
        if unit == "day":
            yield "week", few, many, f"{_range(few, many)} days"
            low, high = (240.0, 366.0) if few != many else (few * 52 - (12 if few < 7 else 0), few * 52.3)
            yield "year", low, high, f"{_range(round(low), min(round(high), 366))} days"
            if few == 7:
                yield "month", 28, 31, "30 days"
        if unit == "week":
            yield "year", 52, 52.3, "52 weeks"
        if unit == "month":
            yield "year", 12, 12, "12 months"
            yield "quarter", 3, 3, "3 months"
        if unit == "quarter":
            yield "year", 4, 4, "4 quarters"

    def in_unit(self, low: float, high: float, own: str, unit: str) -> tuple[float, float] | None:
        """A duration of *low* to *high* minutes, written in *own*, in *unit*; None where that is unknown."""
        short = ("seconds", "minutes", "hours")
        plural = f"{unit}s"
        if own in short and plural in short:
            size = {"seconds": 1 / 60, "minutes": 1.0, "hours": 60.0}[plural]
            return low / size, high / size
        if own not in _PLURALS or plural not in _PLURALS or _PLURALS[own] < _PLURALS[plural]:
            return None
        days, many = low / 1_440, high / 1_440
        if plural != "days" or own == "days":
            return days / _PLURALS[plural], many / _PLURALS[plural]
        return days * self.days[0] / 7, many * self.days[1] / 7


def calendar_of(lines: Sequence[str]) -> Calendar:
    """What *lines* say about the days on which things go on; five to seven a week where they say nothing."""
    text = "\n".join(lines)
    clock = bool(_ROUND_THE_CLOCK.search(text))
    said = {
        count
        for count, pattern in ((7.0, _EVERY_DAY), (5.0, _WEEKDAYS), (6.0, _SIX_DAYS))
        if pattern.search(text)
    }
    return Calendar((min(said), max(said)) if said else (5.0, 7.0), clock)


def days_named(text: str) -> int | None:
    """Six for "Monday to Saturday", seven for "daily"; None where nothing is said, or two ranges are."""
    ranges = _DAY_RANGE.findall(text)
    if len(ranges) == 1:
        first, last = (next(i for i, day in enumerate(_DAYS) if day.startswith(w.lower())) for w in ranges[0])
        return (last - first) % 7 + 1
    if not ranges and re.search(r"\b(?:every day|daily|seven days a week)\b", text, re.IGNORECASE):
        return 7
    return None


def _range(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
