"""The time that an amount recurs over: "a month", "weekly"."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.checks.amounts import Amount
from orchestrator.checks.rate_tables import PER_YEAR

_UNITS: Final = r"(?P<unit>day|week|month|quarter|year|annum|hour|mo|wk|yr)s?"
_PER_TIME = re.compile(
    rf"\s*(?:(?:per|a|an|each|every|for each|for every)\s+(?:calendar |working |business )?{_UNITS}\b|"
    rf"/\s?{_UNITS.replace('unit', 'short')}\b)",
    re.I,
)
_TIME_LY = re.compile(
    r"\b(?:(?P<unit>dai|week|month|quarter|year)ly|(?P<year>annual(?:ly)?))\b(?:\s+[a-z-]+){0,4}\s*(?:[:=]|"
    r"of|is|are|was|at|costs?)?\s*$",
    re.IGNORECASE,
)
_SHORT: Final = {"mo": "month", "wk": "week", "yr": "year", "annum": "year", "dai": "day", "annual": "year"}


def rate_unit(text: str, amount: Amount) -> str | None:
    """The time that the amount recurs over: month for "€50k per month" and "monthly cost of €50k"."""
    match = _PER_TIME.match(text, amount.end)
    if (
        match is None
        and amount.noun
        and (at := text.find(amount.noun, amount.end)) in (amount.end, amount.end + 1)
    ):
        match = _PER_TIME.match(text, at + len(amount.noun))
    if match is not None:
        return _unit(match["unit"] or match["short"])
    before = _TIME_LY.search(text[max(0, amount.start - 40) : amount.start])
    return _unit(before["unit"] or "year") if before else None


def in_unit(amount: Amount, unit: str) -> tuple[float, float] | None:
    """How many of *unit* the duration is: its value and its half width."""
    own = (amount.unit or "").removesuffix("s")
    if own not in PER_YEAR or unit not in PER_YEAR:
        return None
    factor = PER_YEAR[unit] / PER_YEAR[own]
    return amount.value * factor, 0.0


def _unit(word: str) -> str:
    low = word.lower()
    return _SHORT.get(low, low)
