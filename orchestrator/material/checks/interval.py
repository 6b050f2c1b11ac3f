"""A figure as the interval that its wording allows, and arithmetic over such intervals.

Every result holds each value that the operation can give, so what fails for two intervals fails for
every reading of the figures behind them. The width only ever grows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

_NOISE: Final = 1e-9
"""Relative: sums of decimals in binary differ in the sixteenth digit, and no figure has nine."""


class IntervalError(ArithmeticError):
    """The operation has no result that an interval can hold: a divisor may be nought, or it overflows."""


@dataclass(frozen=True, slots=True)
class Interval:
    """All values from `low` to `high`, both included; either end may be open (infinite)."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high or self.low == math.inf or self.high == -math.inf:
            raise IntervalError(f"no value lies between {self.low:g} and {self.high:g}")

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        ends = [_product(x, y) for x in (self.low, self.high) for y in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: Interval) -> Interval:
        if other.low <= 0 <= other.high:
            raise IntervalError("a divisor may be nought")
        return self * Interval(1 / other.high, 1 / other.low)

    def __abs__(self) -> Interval:
        if self.low >= 0:
            return self
        return -self if self.high <= 0 else Interval(0.0, max(-self.low, self.high))

    def may_equal(self, other: Interval) -> bool:
        """Some value lies in both, and not only where one ends and the other begins.

        8.5 to 9.5 and 9.5 to 10.5 are the roundings of nine and of ten: no figure is both.
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        if self.is_point or other.is_point:
            return self.may_be_at_most(other) and other.may_be_at_most(self)
        return low < high and not _near(low, high)

    def may_be_at_most(self, other: Interval) -> bool:
        """Some value of this one is not above some value of the other."""
        return self.low <= other.high or _near(self.low, other.high)

    def may_be_below(self, other: Interval) -> bool:
        """Some value of this one is below some value of the other."""
        return self.low < other.high and not _near(self.low, other.high)

    @property
    def is_point(self) -> bool:
        """It holds one value, give or take noise."""
        return self.low == self.high or _near(self.low, self.high)


def point(value: float) -> Interval:
    """The interval that holds *value* alone."""
    return Interval(value, value)


def _product(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y  # nought times an open end: nought is the only value there


def _near(x: float, y: float) -> bool:
    return math.isclose(x, y, rel_tol=_NOISE, abs_tol=1e-12)  # beside nought nothing is close relatively
