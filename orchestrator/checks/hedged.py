"""What an amount can mean in its sentence: rounding, and the words "about", "nearly" and the like."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from orchestrator.checks.amounts import Amount, fractions

_BOUND = re.compile(
    r"(?:\b(?:up to|at least|at most|as many as|no more than|no fewer than|a maximum of|a minimum of|from|"
    r"under|below|less than|fewer than|within|between|beyond|upwards of|max\.?|min\.?)|[<>≤≥])\s*(?:the |"
    r"a )?$",
    re.IGNORECASE,
)
_NEARLY = re.compile(r"\b(?:nearly|almost|close to|just under|not quite)\s*(?:a |the )?$", re.IGNORECASE)
_OVER = re.compile(
    r"\b(?:over|more than|above|exceed\w*|just over|well over|a good|north of)\s*(?:a |the )?$", re.IGNORECASE
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|some|circa|approximately|approx\.?|c\.|ca\.?|an estimated)|"
    r"[~≈±])\s*(?:a |the )?$",
    re.IGNORECASE,
)
_NEAR: Final = 0.08
"""How far "about" and "nearly" may be off: 78 % is nearly 80, and not nearly 90."""
_MORE: Final = 0.15
"""How much may hide in "more than"."""
_OUT_OF = re.compile(
    r"\b(?P<part>one|two|three|four|five|six|seven|eight|nine|\d{1,2})\s+(?:[a-z]+\s+)?(?:out\s+of|in)\s+"
    r"(?:every\s+)?(?P<whole>two|three|four|five|six|seven|eight|nine|ten|twenty|hundred|a hundred|\d{1,3})\b"
    r"(?!\s?(?:%|months?|weeks?|days?|years?|hours?|minutes?|percent|million|,\d))",
    re.IGNORECASE,
)
_NUMBERS: Final = {
    word: value
    for value, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
} | {"twenty": 20, "hundred": 100, "a hundred": 100}
_WHOLES: Final = frozenset({2, 3, 4, 5, 6, 8, 10, 20, 100})
_FEWEST_POINTS: Final = 1.0
_MOST_POINTS: Final = 4.0


def is_bound(text: str, amount: Amount) -> bool:
    """The amount is a limit, or one end of a range: it says nothing about what is."""
    return bool(_BOUND.search(text[max(0, amount.start - 24) : amount.start]))


def interval(text: str, amount: Amount) -> tuple[float, float]:
    """The least and the most that the amount means."""
    before = text[max(0, amount.start - 24) : amount.start]
    low, high = amount.value - amount.half, amount.value + amount.half
    if amount.is_count and not amount.scaled and not amount.vague:
        low = high = amount.value  # what is counted is not rounded
        if amount.value >= 1_000 and amount.value % 100 == 0:
            low, high = amount.value - _zeros(amount.value) / 2, amount.value + _zeros(amount.value) / 2
    if _NEARLY.search(before):
        return min(low, amount.value * (1 - _NEAR)), amount.value * 1.005
    if _OVER.search(before):
        return amount.value * 0.995, max(high, amount.value * (1 + _MORE))
    if _ABOUT.search(before) or amount.vague:
        return min(low, amount.value * (1 - _NEAR)), max(high, amount.value * (1 + _NEAR))
    return low, high


def _zeros(value: float) -> float:
    """The worth of the last digit that is not zero, a thousandth of the number at most."""
    step = 1.0
    while value % (step * 10) == 0 and step * 10 <= value / 20:
        step *= 10
    return step


@lru_cache(maxsize=4_096)
def shares(text: str) -> tuple[Amount, ...]:
    """ "A third of", "nine in ten", "four seats out of five" as percentages, as round as such words are."""
    found = list(fractions(text))
    for match in _OUT_OF.finditer(text):
        part, whole = (_number(match[name]) for name in ("part", "whole"))
        if whole not in _WHOLES or part >= whole:
            continue
        found = [f for f in found if f.end <= match.start() or f.start >= match.end()]
        half = max(_FEWEST_POINTS, min(50 / whole, _MOST_POINTS))
        if whole == 100:
            half = 0.5
        found.append(Amount(100 * part / whole, half, "%", None, match[0], match.start(), match.end()))
    return tuple(sorted(found, key=lambda amount: amount.start))


def _number(word: str) -> int:
    low = word.lower()
    return int(low) if low.isdigit() else _NUMBERS[low]
