"""Days of the month in words: "the twenty-fifth of April" as digits, every character kept in its place."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.calendar import MONTH, SPOKEN_YEAR

_ONES: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS: Final = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth",
)  # fmt: skip
_WORDS: Final = {
    **{word: at for at, word in enumerate((*_ONES, *_TEENS, "twentieth"), 1)},
    **{f"twenty {word}": 20 + at for at, word in enumerate(_ONES, 1)},
    "thirtieth": 30,
    "thirty first": 31,
}
_ANY: Final = r"(?:(?:twenty|thirty)[ -])?(?:" + "|".join((*_ONES, *_TEENS, "twentieth", "thirtieth")) + ")"
_OF_MONTH = re.compile(rf"\b(?P<day>(?i:{_ANY}))(?=\s+of\s+{MONTH})")
_BEHIND_MONTH = re.compile(
    rf"(?<=\s){MONTH}\s+(?P<gap>the\s+)?(?P<day>(?i:{_ANY}))\b(?!\s+(?i:quarter|half|week))"
)

_YEAR = re.compile(
    rf"(?P<lead>(?:{MONTH}|(?i:spring|summer|autumn|fall)),?\s+(?i:of\s+)?)(?P<year>(?i:{SPOKEN_YEAR}))"
)

_ANY_YEAR = re.compile(rf"(?P<lead>)\b(?P<year>(?i:{SPOKEN_YEAR}))")


def digits_for_days(text: str) -> str:
    """*text*, of the same length, with spoken days of a month as digits."""
    if "twenty" in text:
        text = _YEAR.sub(_year, text)
    if "th" not in text and "first" not in text and "second" not in text and "third" not in text:
        return text
    text = _OF_MONTH.sub(lambda m: _padded(m["day"]), text)
    return _BEHIND_MONTH.sub(
        lambda m: m[0][: m.start("day") - m.start() - len(m["gap"] or "")]
        + _padded(m["day"]) + " " * len(m["gap"] or ""),
        text,
    )  # fmt: skip


def _year(match: re.Match[str]) -> str:
    words = re.split(r"[\s-]+", match["year"].lower())
    tens = {"twenty": 20, "thirty": 30, "forty": 40}.get(words[1], 0)
    teens = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen")
    ones = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    last = words[-1]
    if words[0] != "twenty" or not (tens or last in teens):
        return match[0]
    year = 2000 + (tens or 10 + teens.index(last)) + (ones.index(last) + 1 if last in ones else 0)
    return match["lead"] + str(year).ljust(len(match["year"]))


def _padded(words: str) -> str:
    day = _WORDS.get(re.sub(r"[\s-]+", " ", words.lower()))
    return words if day is None else str(day).ljust(len(words))


def years_in_digits(text: str) -> str:
    """*text*, of the same length, with spoken years as digits: "since twenty twenty-two"."""
    return _ANY_YEAR.sub(_year, text) if "twenty" in text.lower() else text
