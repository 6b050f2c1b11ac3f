"""What a number can mean: the interval that its precision and the words beside it leave open."""

from __future__ import annotations

import math
import re
from typing import Final

SPOKEN_PRECISION: Final = 0.1
"""How far a round number said aloud may be from what is meant ("four million" for 4.2)."""
WRITTEN_PRECISION: Final = 0.05
"""The same for a round number that somebody wrote down."""
ROUGH_PRECISION: Final = 0.17
"""The most that "about" may cost a number of one digit: "about 300" for 350, and no more."""
_SMALL: Final = 20
"""Up to here a count is known: nobody rounds a dozen offices."""

_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|c\.|ca\.?|some|close to|something like|"
    r"in the region of|in the order of|more or less|give or take|let's say|say|maybe|perhaps|plus or minus|"
    r"on the order of)|[~≈±])\s*(?:the |a |an )?[€$£]?$",
    re.I,
)
_NEARLY = re.compile(
    r"\b(?:nearly|almost|just under|just below|just shy of|shy of|close to|approaching|nearing|not quite|"
    r"(?:a )?little (?:under|less than|below)|a bit (?:under|less than|below)|slightly (?:under|"
    r"less than|below))"
    r"\s*(?:the |a |an )?[€$£]?$",
    re.I,
)
_OVER = re.compile(
    r"(?:\b(?:over|more than|above|at least|a minimum of|minimum|not less than|no less than|no fewer than|"
    r"well over|exceed(?:s|ed|ing)?|north of|upwards of|in excess of|a good|greater than|past|beyond|"
    r"(?:a )?little (?:over|more than|above)|a bit (?:over|more than|above)|slightly (?:over|"
    r"more than|above)|"
    r"just over|just above|surpass(?:es|ed|ing)?|topp(?:ed|ing)|better than)|[>≥])\s*(?:the |a |an )?[€$£]?$",
    re.I,
)
_UNDER = re.compile(
    r"(?:\b(?:under|less than|below|fewer than|at most|no more than|not more than|a maximum of|maximum|"
    r"up to|as many as|as much as|south of|well under|within|limited to|capped at|max)|[<≤])"
    r"\s*(?:the |a |an )?[€$£]?$",
    re.I,
)
_PLUS = re.compile(r"^\s?(?:\+|plus\b|or more\b|and (?:more|counting)\b|or above\b)", re.I)
_OR_SO = re.compile(r"^\s?(?:or so\b|-?ish\b|or thereabouts\b|give or take\b|more or less\b)", re.I)
_DIGITS = re.compile(r"\d[\d,’'\u00a0\u202f]*(?:[.,]\d+)?")


def hedges(before: str, written: str, after: str) -> frozenset[str]:
    """Which of "about", "nearly", "over", "under" the words around a number say."""
    found = set()
    for name, pattern in (("nearly", _NEARLY), ("over", _OVER), ("under", _UNDER), ("about", _ABOUT)):
        if pattern.search(before[-30:]) and not (name == "under" and "over" in found):
            found.add(name)
    if written.lstrip().startswith(("~", "≈")) or _OR_SO.match(after):
        found.add("about")
    if written.lstrip().startswith((">", "≥")) or written.rstrip().endswith("+") or _PLUS.match(after):
        found.add("over")
    if written.lstrip().startswith(("<", "≤")):
        found.add("under")
    if "nearly" in found:
        found.discard("about")
    return frozenset(found)


def interval(
    value: float, written: str, *, spoken: bool, counted: bool, hedged: frozenset[str]
) -> tuple[float, float]:
    """The least and the greatest value that the words can mean.

    Args:
        value: In base units.
        written: The number's own words, which show its precision.
        counted: It counts things, so that a small number is exact.
    """
    slack = _slack(value, written, spoken=spoken, counted=counted)
    if "about" in hedged:
        round_slack = min(_last_place(abs(value)) / 2, ROUGH_PRECISION * abs(value))
        slack = max(slack, round_slack, (SPOKEN_PRECISION if spoken else 0.07) * abs(value))
    low, high = value - slack, value + slack
    if "nearly" in hedged:
        low, high = min(low, value - 0.08 * abs(value)), max(value, high if slack == 0 else value)
    if "over" in hedged:
        low, high = value if counted else low, math.inf
    if "under" in hedged:
        low, high = -math.inf, high
    return low, high


def _slack(value: float, written: str, *, spoken: bool, counted: bool) -> float:
    digits = _DIGITS.search(written)
    limit = (SPOKEN_PRECISION if spoken else WRITTEN_PRECISION) * abs(value)
    if counted and abs(value) <= _SMALL:
        return 0.0
    if digits is None:
        place = _last_place(value)
        return min(place / 2, limit) if place > 1 or not counted else 0.0
    plain = re.sub(r"[^\d.,]", "", digits[0])
    if re.search(r"[.,]\d{1,2}$", plain) or re.search(r"\.\d+$", plain):
        decimals = len(re.split(r"[.,]", plain)[-1])
        number = float(re.sub(r"[.,](?=\d{3}(?:[.,]|$))", "", plain).replace(",", "."))
        unit = abs(value) / number if number else 1.0
        return min(0.5 * 10**-decimals * unit, 0.15 * abs(value)) if number else 0.0
    number = float(re.sub(r"[^\d]", "", plain) or 0)
    if not number:
        return 0.0
    unit = abs(value) / number
    place = _last_place(number)
    if place == 1:
        return 0.0 if counted and unit <= 1.001 else min(0.5 * unit, 0.15 * abs(value))
    return min(place / 2 * unit, limit)


def _last_place(number: float) -> float:
    """The place of the last digit that is not nought: 10 for 120, 1 for 121, 0.1 for 4.2."""
    place = 1.0
    for decimals in range(4):
        if abs(number * 10**decimals - round(number * 10**decimals)) < 1e-6 * max(1.0, abs(number)):
            place = 10.0**-decimals
            break
    while number and place < 1e15 and abs(number / (place * 10) - round(number / (place * 10))) < 1e-9:
        place *= 10
    return place
