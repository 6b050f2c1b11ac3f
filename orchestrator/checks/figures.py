"""The value of a number that was found in a quote: its amount, as the text and the engine have it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.amount import (
    COUNT,
    DATE,
    MONEY,
    SHARE,
    TIME,
    UNITS_OF_TIME,
    Amount,
    UnitError,
    end_of,
    in_unit,
    year_of,
)
from orchestrator.checks.interval import Interval, point
from orchestrator.checks.proposal import Operand, Passage
from orchestrator.checks.rounding import is_rounded, is_whole
from orchestrator.claims.dates import Date
from orchestrator.claims.model import Place
from orchestrator.claims.numbers import Number

DIGITS = re.compile(r"[0-9]+(?:[.,’'\u00a0\u202f ][0-9]+)*")

_MAGNITUDES: Final = (1e3, 1e6, 1e9, 1e12)
_BARE_SCALES: Final = (1.0, 1e3, 1e6, 1e9)
"""What a cell's or a chart's number may stand for: the scale is in a heading, and no code reads that."""

_FISCAL_SLACK: Final = 0.75
"""Years: a fiscal year is named by its first or its last calendar year, and begins in any quarter."""


class UnreadError(ValueError):
    """An operand is not what it says; `reason` is of `proposal.REASONS`, the message tells the engine."""

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Figure:
    """An operand as code reads it."""

    passage: Passage
    start: int  # of the quote in the passage
    end: int
    text: str  # the number as the source writes it; "" where the operand names none
    at: int  # where the number begins in the passage
    amount: Amount | None  # in base units; of a date in years; None where the operand names no number
    named: Interval | None = None  # the same in the magnitude that the engine named
    group: str = ""  # of a bare number in a table or chart: which one, since all of it has one scale
    is_yearless: bool = False
    is_rounded: bool = False  # nothing but the rounding of its last digit makes `amount` inexact
    is_whole: bool = False  # a whole number in running text, written out, that no word widens

    @property
    def place(self) -> Place:
        """The source's own words."""
        passage = self.passage
        under = passage.under if passage.origin == "table" else ""
        return Place(passage.slide, passage.said_at_s, passage.text[self.start : self.end], under)


# ---------------------------------------------------------------------- dates


def dated(operand: Operand, figure: Figure, found: Date) -> Figure:
    """*figure* with the years that a date covers.

    Raises:
        UnreadError: The operand names another year.
    """
    low, high = year_of(found.first), end_of(found.last)
    if found.precision == "fiscal year":
        low, high = low - _FISCAL_SLACK, high + _FISCAL_SLACK
    shift = 0.0
    if not found.has_year:
        year = math.floor(operand.value) if operand.value is not None and operand.value >= 2 else 2000
        shift = float(year - found.first.year)
    elif operand.value is not None and not low - 0.05 <= operand.value <= high + 0.05:
        raise UnreadError("value", f'"{found.text}" is {low:.2f} to {high:.2f} as a year with its fraction.')
    interval = Interval(low + shift, high + shift)
    amount = Amount(low + shift, interval, DATE)
    return replace(
        figure,
        text=found.text,
        at=found.start,
        amount=amount,
        named=interval,
        is_yearless=not found.has_year,
    )


# ---------------------------------------------------------------------- numbers


def counted(operand: Operand, figure: Figure, found: Number, unit: str | None) -> Figure:
    """*figure* with the amount of a number, in base units.

    Raises:
        UnreadError: The operand names another value, or a unit that the text does not have.
    """
    kind, of = _kind(found, unit)
    if kind == TIME:
        amount, named = _length(operand, found, unit)
        is_own = amount.value == found.value
        return replace(
            figure,
            text=found.text,
            at=found.start,
            amount=amount,
            named=named,
            is_rounded=is_own and is_rounded(found, figure.passage.text),
            is_whole=is_own and _is_whole(figure, found),
        )
    interval = Interval(found.low, found.high)
    factor, scale = _factors(operand, figure, found, kind)
    amount = Amount(found.value * scale, interval * point(scale), kind, of)
    is_bare = _is_bare(figure, found)
    return replace(
        figure,
        text=found.text,
        at=found.start,
        amount=amount,
        named=interval * point(factor),
        group=".".join(figure.passage.id.split(".")[:2]) if is_bare else "",
        is_rounded=is_rounded(found, figure.passage.text),
        is_whole=_is_whole(figure, found),
    )


def _kind(found: Number, unit: str | None) -> tuple[str, str]:
    """The kind of amount, and its currency; the text's own unit goes before the one that is named."""
    written = found.unit
    is_code = unit is not None and unit.isupper()
    if written in ("%", "pp", "x"):
        fits, kind, of = unit in (None, "%", "x", "count"), SHARE, ""
    elif written in UNITS_OF_TIME:
        fits, kind, of = unit in (None, "time") or unit in UNITS_OF_TIME, TIME, written or ""
    elif written is not None:
        fits, kind, of = unit in (None, "money", written), MONEY, written
    elif unit == "money" or is_code:
        fits, kind, of = True, MONEY, unit if is_code and unit else ""
    elif unit in ("%", "x") or (unit in (None, "count") and _is_fraction(found)):
        fits, kind, of = True, SHARE, ""
    elif unit == "time" or unit in UNITS_OF_TIME:
        fits, kind, of = True, TIME, ""
    else:
        fits, kind, of = unit in (None, "count"), COUNT, ""
    if not fits:
        raise UnreadError(
            "unit", f'"{found.text}" is written as {written or "a plain number"}, not as {unit}.'
        )
    return kind, of


def _is_whole(figure: Figure, found: Number) -> bool:
    return figure.passage.origin not in ("table", "chart") and is_whole(found, figure.passage.text)


def _is_fraction(found: Number) -> bool:
    return 0 < abs(found.value) < 1 and not re.search(r"[0-9]", found.text)


def _is_bare(figure: Figure, found: Number) -> bool:
    """A number of a cell or a chart whose unit and magnitude, if any, stand in a heading."""
    return (
        figure.passage.origin in ("table", "chart") and found.unit is None and _written(found) == found.value
    )


def _written(found: Number) -> float | None:
    """The digits alone: 4.2 of "4.2M"; None where there are none or they are read in another way."""
    match = DIGITS.search(found.text)
    if match is None:
        return None
    digits = re.sub(r"[,’'\u00a0\u202f ](?=[0-9]{3}(?![0-9]))", "", match[0])
    try:
        value = float(digits.replace(",", "."))
    except ValueError:
        return None
    return -value if found.value < 0 else value


def _factors(operand: Operand, figure: Figure, found: Number, kind: str) -> tuple[float, float]:
    """Of the value named the part of the base value, and the scale that a bare number is read in."""
    if operand.value is None:
        return 1.0, 1.0
    value = operand.value
    if _same(value, found.value, found):
        return 1.0, 1.0
    if _is_bare(figure, found):
        for scale in _BARE_SCALES:
            if _same(value, found.value * scale, found):
                return scale, scale
    if kind == SHARE:
        for scale in (0.01, 100.0):
            if _same(value, found.value * scale, found):
                return scale, scale
    else:
        written = _written(found)
        for magnitude in _MAGNITUDES:
            in_digits = written is None or _same(written * magnitude, found.value, found)
            if in_digits and _same(value * magnitude, found.value, found):
                return 1 / magnitude, 1.0
    raise UnreadError(
        "value",
        f'"{found.text}" in {figure.passage.id} is {found.value:.12g}, not {value:.12g}: give its value.',
    )


def _length(operand: Operand, found: Number, unit: str | None) -> tuple[Amount, Interval]:
    """A length of time in the unit that the engine named, or in the one that its value shows."""
    written = Amount(found.value, Interval(found.low, found.high), TIME, found.unit or "")
    named = unit if unit in UNITS_OF_TIME else ""
    if not written.of:
        written = replace(written, of=named)
    if operand.value is None:
        length = in_unit(written, named) if named else written
        return length, length.interval
    if not written.of and _same(operand.value, found.value, found):
        return written, written.interval
    for one in (named,) if named else (written.of, *sorted(UNITS_OF_TIME - {written.of})):
        try:
            length = in_unit(written, one)
        except UnitError:
            continue
        is_own = one == written.of
        if (
            _same(operand.value, length.value, found)
            if is_own
            else math.isclose(operand.value, length.value, rel_tol=0.02)
        ):
            return length, length.interval
    raise UnreadError(
        "value", f'"{found.text}" is {found.value:g} {found.unit or named}, not {operand.value:g}.'
    )


def _same(one: float, other: float, found: Number) -> bool:
    """Equal but for noise; of a fraction in words or signs ("a third") but for its rounding."""
    is_decimal = len(DIGITS.findall(found.text)) == 1 and "/" not in found.text
    return math.isclose(one, other, rel_tol=1e-9 if is_decimal else 0.01, abs_tol=1e-12)
