"""A number as it is read out of a passage."""

from __future__ import annotations

from typing import NamedTuple


class Number(NamedTuple):
    """One number as it stands in a passage; a tuple, since dense text holds thousands."""

    text: str  # as written, without hedge words: "4.2M", "a third", "nine weeks", "1.2 million euros"
    start: int
    end: int
    value: float  # base units: 4.2M is 4_200_000.0, "14 %" 14.0, "200 ms" 0.2 seconds, "two decades" 20 years
    low: float  # the interval that the wording allows; infinite where it is open
    high: float
    unit: str | None  # "%", "pp", an ISO 4217 code, "x", a unit of time in the singular, or None
    noun: str | None  # of a plain count, the word that is counted; None: none
    half: float  # half of the last place written: what rounding alone allows
    factor: float = 1.0  # of its magnitude
    scaled: bool = False  # a magnitude is written
