# ruff: noqa: E501 - a pattern lists its wordings
"""What a number can mean: the interval that its digits and the words beside it leave open."""

from __future__ import annotations

import math
import re
from typing import Final

_TAIL: Final = r"\s*(?:the |a |an |some )?(?:[€$£]|[A-Z]{3}\s)?$"
_BIT: Final = r"(?:(?:just |only |a |just a )?(?:shade|touch|whisker|hair|fraction|tad|sliver|notch|little|bit)|just|only just|slightly|marginally|fractionally)"
_BELOW = re.compile(
    rf"\b(?:{_BIT}\s+(?:under|below|less than|short of|off|shy of)|shy of|short of|barely|hardly|scarcely|not quite|nearly|almost|approaching|nearing|getting (?:on )?(?:for|towards?)|"
    r"close to|close on|coming up (?:to|on|for)|going on(?: for)?|next to|all but|practically|virtually|(?:the )?best part of|nigh on|pushing)"
    + _TAIL,
    re.I,
)
_ABOVE = re.compile(
    rf"\b(?:{_BIT}\s+(?:over|above|more than|north of|past)|a good|a full|good)" + _TAIL, re.I
)
_OVER = re.compile(
    r"(?:(?<!turned )(?<!left )(?<!take )\b(?:over|more than|above|at least|a minimum of|not less than|no less than|no fewer than|well over|well above|north of|upwards of|in excess of|"
    r"greater than|beyond|better than|exceed(?:s|ed|ing)?|past|topp(?:ed|ing)|surpass(?:ed|es|ing)?|easily)|[>≥])"
    + _TAIL,
    re.I,
)
_UNDER = re.compile(
    r"(?:\b(?:under|less than|below|fewer than|at most|no more than|not more than|up to|south of|well under|well below|a maximum of|maximum|capped at|limited to|"
    r"within|inside|max\.?|not even)|[<≤])" + _TAIL,
    re.I,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca?\.|some|something like|somewhere (?:around|near)|in the (?:region|order) of|on the order of|"
    r"more or less|give or take|let's say|say|maybe|perhaps|plus or minus|call it|what|probably|i think|an estimated|broadly|near enough|or so)|[~≈±])"
    r",?" + _TAIL,
    re.I,
)
_AND_A_BIT = re.compile(
    r"^\s?(?:\w+\s)?(?:and a bit|and something|and change|odd\b|and some\b|something\b|-odd\b)", re.I
)
_ISH = re.compile(
    r"^\s?(?:\w+\s)?(?:or so\b|-?ish\b|or thereabouts\b|give or take\b|more or less\b|near enough\b|roughly\b)",
    re.I,
)
_PLUS = re.compile(
    r"^\s?(?:\+|plus\b|or more\b|and more\b|or above\b|and counting\b|upwards\b|or over\b|or better\b)", re.I
)
_LESS = re.compile(r"^\s?(?:or (?:less|fewer|lower|below|under|sooner)\b)", re.I)
_SMALL: Final = 20
"""Nobody rounds a count up to here."""


def rounding(value: float, written: str, *, counted: bool) -> float:
    """How far the value may be from the truth, as its digits show: half of the last place that is written."""
    size = abs(value)
    if size == 0 or (counted and size <= _SMALL and size == int(size)):
        return 0.0
    digits = re.search(r"\d[\d,’'\u00a0\u202f]*(?:[.,]\d+)?", written)
    if digits and (decimals := re.search(r"[.,](\d{1,2}|\d{4,})$", digits[0])):
        number = float(re.sub(r"[^\d.]", "", digits[0][: decimals.start()] + "." + decimals[1]))
        return 0.5 * 10.0 ** -len(decimals[1]) * size / number if number else 0.0
    number = float(re.sub(r"\D", "", digits[0]) or 0) if digits else size
    scale = size / number if number else 1.0
    place = 1.0
    while number >= place * 10 and number % (place * 10) == 0:
        place *= 10
    if place == 1 and counted and scale <= 1.001:
        return 0.0
    return min(place / 2 * scale, (0.02 if counted and digits else 0.05) * size)


def interval(
    value: float, slack: float, before: str, after: str, *, exact: bool
) -> tuple[float, float, bool]:
    """Least and greatest value that is meant, and whether a word beside the number makes it rough.

    Args:
        slack: What the digits leave open.
        exact: The words "over" and "under" count from the value itself.
    """
    size, before = abs(value), before[-36:]
    room = max(slack, _room(size))
    if _BELOW.search(before):
        return value - 1.6 * room, value, True
    if _ABOVE.search(before) or _AND_A_BIT.match(after):
        return value - (0 if exact else slack / 4), value + 1.6 * room, True
    if _ABOUT.search(before) or _ISH.match(after):
        return value - room, value + room, True
    if _PLUS.match(after) or _OVER.search(before):
        return value if exact else value - slack, math.inf, True
    if _LESS.match(after) or _UNDER.search(before):
        return -math.inf, value if exact else value + slack, True
    return value - slack, value + slack, False


def _room(size: float) -> float:
    """How far "about" reaches: the rounder the number, the farther."""
    if not size:
        return 0.0
    written = f"{size:.3g}".replace(".", "").split("e")[0].strip("0") or "1"
    last = 10.0 ** (math.floor(math.log10(size)) - len(written) + 1)
    return min(size * {1: 0.1, 2: 0.06}.get(len(written), 0.03), last * (3 if written[-1] == "5" else 1.5))
