"""A figure with its unit, and which figures can be added to it or compared with it."""

from __future__ import annotations

import math
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import Final

# ---------------------------------------------------------------------- interval
# A figure as the interval that its wording allows, and arithmetic over such intervals.
#
# Every result holds each value that the operation can give, so what fails for two intervals fails for
# every reading of the figures behind them. The width only ever grows.


_NOISE: Final = 1e-9
"""Relative difference that is only rounding noise: sums of decimals in binary differ in the sixteenth digit,
and no figure has nine digits."""


class IntervalError(ArithmeticError):
    """An operation has no result that an interval can express: a divisor may be zero, or it overflows."""


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
        """Return whether the intervals share a value, other than an end of one where the other begins.

        The intervals 8.5 to 9.5 and 9.5 to 10.5 are the roundings of nine and of ten, and no figure is both.
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        if self.is_point or other.is_point:
            return self.may_be_at_most(other) and other.may_be_at_most(self)
        return low < high and not _near(low, high)

    def may_be_at_most(self, other: Interval) -> bool:
        """Return whether some value of this interval is at most some value of *other*."""
        return self.low <= other.high or _near(self.low, other.high)

    def may_be_below(self, other: Interval) -> bool:
        """Return whether some value of this interval is below some value of *other*."""
        return self.low < other.high and not _near(self.low, other.high)

    @property
    def is_point(self) -> bool:
        """Whether the interval contains only one value, up to rounding noise."""
        return self.low == self.high or _near(self.low, self.high)


def point(value: float) -> Interval:
    """Return the interval that contains only *value*."""
    return Interval(value, value)


def _product(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y  # nought times an open end: nought is the only value there


def _near(x: float, y: float) -> bool:
    return math.isclose(x, y, rel_tol=_NOISE, abs_tol=1e-12)  # beside nought nothing is close relatively


# ---------------------------------------------------------------------- amount


NUMBER: Final = "number"  # a constant of a formula
SHARE: Final = "share"  # percent, times, parts of a whole
COUNT: Final = "count"
MONEY: Final = "money"
TIME: Final = "time"
DATE: Final = "date"
FREE: Final = "free"  # a product or quotient: money by money is a share, or months where one is a rate

IN_DAYS: Final = {"second": 1 / 86_400, "minute": 1 / 1_440, "hour": 1 / 24, "day": 1.0, "week": 7.0}
IN_MONTHS: Final = {"month": 1.0, "quarter": 3.0, "half": 6.0, "year": 12.0, "decade": 120.0}
UNITS_OF_TIME: Final = frozenset((*IN_DAYS, *IN_MONTHS))
# Two tables, each of units that are whole numbers of each other; only an interval joins the two.
_DAYS_OF_A_MONTH: Final = Interval(28, 31)  # an interval, so that no month is blamed for February
_MEAN_MONTH: Final = 365.25 / 12  # days: the value that is shown; the interval decides


class UnitError(ValueError):
    """Two figures cannot be added or compared; the message names their units."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure's `value`, the `interval` that its wording allows, and its kind.

    `of` is the currency of money, or the unit of time or of measure; it is "" if nobody says it.

    `of` is the currency of money, the unit of time or of measure; "" where nobody says it.
    """

    value: float
    interval: Interval
    kind: str
    of: str = ""

    def __add__(self, other: Amount) -> Amount:
        if self.kind == DATE and other.kind == TIME:
            return _later(self, other)
        if self.kind == TIME and other.kind == DATE:
            return _later(other, self)
        if self.kind == other.kind == DATE:
            raise UnitError("two dates cannot be added")
        one, two = alike(self, other)
        return _like(one, two, one.value + two.value, one.interval + two.interval)

    def __sub__(self, other: Amount) -> Amount:
        if self.kind == DATE and other.kind == TIME:
            return _later(self, -other)
        if self.kind == other.kind == DATE:
            return Amount(self.value - other.value, self.interval - other.interval, TIME, "year")
        one, two = alike(self, other)
        return _like(one, two, one.value - two.value, one.interval - two.interval)

    def __mul__(self, other: Amount) -> Amount:
        kind, of = _by(self, other) or _by(other, self) or (FREE, "")
        return Amount(self.value * other.value, self.interval * other.interval, kind, of)

    def __truediv__(self, other: Amount) -> Amount:
        interval = self.interval / other.interval
        one, two = self, other
        if self.kind == other.kind and self.kind in (MONEY, TIME, COUNT):
            one, two = alike(self, other)
            interval = one.interval / two.interval
        value = one.value / two.value if two.value else interval.low
        kind, of = _by(one, two) or (FREE, "")
        return Amount(value, interval, kind, of)

    def __neg__(self) -> Amount:
        return Amount(-self.value, -self.interval, self.kind, self.of)

    def __abs__(self) -> Amount:
        return Amount(abs(self.value), abs(self.interval), self.kind, self.of)

    @property
    def is_nought(self) -> bool:
        return self.kind == NUMBER and self.interval == point(0)


def constant(value: float) -> Amount:
    """Return the amount for a number that is written in a formula itself."""
    return Amount(value, point(value), NUMBER)


def alike(one: Amount, other: Amount) -> tuple[Amount, Amount]:
    """Convert both amounts to one unit, so that they can be added and compared.

    Raises:
        UnitError: The amounts are of unlike kinds, or in two currencies.
    """
    kinds = {one.kind, other.kind}
    if one.kind == other.kind == TIME:
        return _in_one_unit(one, other)
    if one.kind == other.kind == MONEY and one.of and other.of and one.of != other.of:
        raise UnitError(f"{one.of} and {other.of} are two currencies")
    if one.kind == other.kind == COUNT and one.of and other.of and one.of != other.of:
        raise UnitError(f"{one.of} and {other.of} are two units of measure")
    fits = len(kinds) == 1 or FREE in kinds or kinds == {NUMBER, SHARE} or one.is_nought or other.is_nought
    if not fits:
        raise UnitError(f"a {_named(one)} and a {_named(other)} cannot be added or compared")
    return one, other


def years_of(first: date, last: date) -> Interval:
    """Return the years from the start of *first* to the end of *last*, counting a month as a twelfth.

    So 1 March to 1 June is a quarter exactly, as people count.
    """
    low, high = (
        day.year + (day.month - 1 + days / monthrange(day.year, day.month)[1]) / 12
        for day, days in ((first, first.day - 1), (last, last.day))
    )
    return Interval(low, high)


def in_unit(amount: Amount, unit: str) -> Amount:
    """Convert a length of time to *unit*, counting 28 to 31 days for a month."""
    if amount.of == unit:
        return amount
    sizes = IN_DAYS | IN_MONTHS
    if amount.of not in sizes or unit not in sizes:
        raise UnitError("a length of time needs its unit (day, week, month, year)")
    factor = sizes[amount.of] / sizes[unit]
    value, interval = amount.value * factor, amount.interval * point(factor)
    if amount.of in IN_MONTHS and unit in IN_DAYS:
        value, interval = value * _MEAN_MONTH, interval * _DAYS_OF_A_MONTH
    elif amount.of in IN_DAYS and unit in IN_MONTHS:
        value, interval = value / _MEAN_MONTH, interval / _DAYS_OF_A_MONTH
    return Amount(value, interval, TIME, unit)


def _in_one_unit(one: Amount, other: Amount) -> tuple[Amount, Amount]:
    if one.of == other.of:
        return one, other
    table = IN_MONTHS if {one.of, other.of} & set(IN_MONTHS) else IN_DAYS
    unit = max((of for of in (one.of, other.of) if of in table), key=table.__getitem__)
    return in_unit(one, unit), in_unit(other, unit)


def _later(start: Amount, length: Amount) -> Amount:
    years = in_unit(length, "year")
    return Amount(start.value + years.value, start.interval + years.interval, DATE)


def _like(one: Amount, other: Amount, value: float, interval: Interval) -> Amount:
    """Return an amount of the kind that both have; zero or a plain number takes the other's kind."""
    first, second = (one, other) if one.kind not in (NUMBER, FREE) else (other, one)
    return Amount(value, interval, first.kind, first.of or (second.of if second.kind == first.kind else ""))


def _by(one: Amount, other: Amount) -> tuple[str, str] | None:
    """Return the kind and unit of *one* times or divided by *other*, or None if *one* loses its kind."""
    is_plain = other.kind in (NUMBER, SHARE)
    if is_plain and one.kind == DATE:
        return FREE, ""
    return (one.kind, one.of) if is_plain or (one.kind == MONEY and other.kind == COUNT) else None


def _named(amount: Amount) -> str:
    return {TIME: "length of time", MONEY: f"sum of {amount.of or 'money'}"}.get(amount.kind, amount.kind)
