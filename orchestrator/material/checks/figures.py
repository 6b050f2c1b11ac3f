"""The value of a number found in a quote, checked against the text and the engine's operand."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from orchestrator.core.errors import reduced
from orchestrator.material.checks.amount import (
    COUNT,
    DATE,
    MONEY,
    SHARE,
    TIME,
    UNITS_OF_TIME,
    Amount,
    Interval,
    UnitError,
    in_unit,
    point,
    years_of,
)
from orchestrator.material.checks.comparison import all_known, is_rounded, is_whole
from orchestrator.material.claim import Operand, Passage, Place
from orchestrator.material.claims.dates import Date
from orchestrator.material.claims.numbers import Number
from orchestrator.material.claims.units import measure_after

DIGITS = re.compile(r"[0-9]+(?:[.,’'\u00a0\u202f ][0-9]+)*")

SCALES: Final = (1.0, 1e3, 1e6, 1e9)
"""Scales of a cell's or a chart's number: its scale is in a heading, and no code reads that."""

_FISCAL_SLACK: Final = 0.75
"""Years: a fiscal year is named by its first or its last calendar year, and begins in any quarter."""


class UnreadError(ValueError):
    """An operand differs from its source; `reason` is one of `claim.REASONS`, the message for the engine."""

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)


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
        """The place, with the source's own words."""
        passage = self.passage
        under = passage.under if passage.origin == "table" else ""
        return Place(passage.slide, passage.said_at_s, passage.text[self.start : self.end], under)


# ---------------------------------------------------------------------- dates


def dated(operand: Operand, figure: Figure, found: Date) -> Figure:
    """Return *figure* with the years that the date *found* covers.

    Raises:
        UnreadError: The operand names another year.
    """
    slack = _FISCAL_SLACK if found.precision == "fiscal year" else 0.0
    years = years_of(found.first, found.last)
    low, high = years.low - slack, years.high + slack
    shift = 0.0
    if not found.has_year:
        year = math.floor(operand.value) if operand.value is not None and operand.value >= 2 else 2000
        shift = float(year - found.first.year)
    # A twentieth of a year, 18 days: an engine may round a day's fraction, or name the month alone.
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
    """Return *figure* with the amount of the number *found*, in base units.

    Raises:
        UnreadError: The operand names another value, or a unit that the text does not have.
    """
    kind, of = _kind(found, unit)
    if kind == MONEY and not all_known(figure.passage.text, (found,)):
        raise UnreadError("unit", f'What stands beside "{found.text}" may be a magnitude: it is not read.')
    if kind == TIME:
        amount, named = _length(operand, found, unit)
    else:
        interval = Interval(found.low, found.high)
        factor, scale = _factors(operand, figure, found, kind)
        amount = Amount(found.value * scale, interval * point(scale), kind, of)
        named = interval * point(factor)
    is_own = kind != TIME or amount.value == found.value
    is_bare = kind != TIME and _is_bare(figure, found)
    in_text = figure.passage.origin not in ("table", "chart")
    return replace(
        figure,
        text=found.text,
        at=found.start,
        amount=amount,
        named=named,
        group=".".join(figure.passage.id.split(".")[:2]) if is_bare else "",
        is_rounded=is_own and is_rounded(found, figure.passage.text),
        is_whole=is_own and in_text and is_whole(found, figure.passage.text),
    )


_KINDS: Final = {
    **dict.fromkeys(("%", "pp", "x"), SHARE),
    **dict.fromkeys((*UNITS_OF_TIME, "time"), TIME),
    "money": MONEY,
    "count": COUNT,
}


def _kind(found: Number, unit: str | None) -> tuple[str, str]:
    """Return the kind of amount and its currency; the unit in the text takes precedence over *unit*."""
    own, named = (MONEY if one and one.isupper() else _KINDS.get(one or "") for one in (found.unit, unit))
    if own is None:
        is_fraction = 0 < abs(found.value) < 1 and not re.search(r"[0-9]", found.text)
        # "a third" has no unit and is no count.
        kind = SHARE if is_fraction and named in (None, COUNT) else named or COUNT
        of = unit if unit and unit.isupper() else ""
        if kind == COUNT and found.noun and measure_after(found.noun, 0) == found.noun:
            of = found.noun
        fits = unit is None or named is not None
    else:
        kind, of = own, "" if own == SHARE else found.unit or ""
        fits = unit in (None, "money", found.unit) if own == MONEY else named == own
        fits = fits or unit is None or (own == SHARE and named == COUNT)
    if not fits:
        raise UnreadError(
            "unit", f'"{found.text}" is written as {found.unit or "a plain number"}, not as {unit}.'
        )
    return kind, of


def _is_decimal(found: Number) -> bool:
    """Return whether the number is one decimal figure, not words, a fraction or a share of two counts."""
    return len(DIGITS.findall(found.text)) == 1 and "/" not in found.text


def _is_bare(figure: Figure, found: Number) -> bool:
    """Return whether a number of a cell or chart lacks a unit and magnitude; a heading may give them."""
    in_grid = figure.passage.origin in ("table", "chart")
    return in_grid and found.unit is None and found.factor == 1 and _is_decimal(found)


def _factors(operand: Operand, figure: Figure, found: Number, kind: str) -> tuple[float, float]:
    """Return the factor of the base value that gives the named value, and the scale for a bare number."""
    value = operand.value
    if value is None or _same(value, found.value, found):
        return 1.0, 1.0
    scales: tuple[float, ...] = SCALES if _is_bare(figure, found) else ()
    for scale in (*scales, 0.01, 100.0) if kind == SHARE else scales:
        if _same(value, found.value * scale, found):
            return scale, scale
    for magnitude in (*SCALES[1:], 1e12) if kind != SHARE else ():
        is_own = magnitude == found.factor or not _is_decimal(found)
        if is_own and _same(value * magnitude, found.value, found):
            return 1 / magnitude, 1.0
    raise UnreadError(
        "value",
        f'"{found.text}" in {figure.passage.id} is {found.value:.12g}, not {value:.12g}: give its value.',
    )


def _length(operand: Operand, found: Number, unit: str | None) -> tuple[Amount, Interval]:
    """Return a length of time in the unit that the engine named, else in the one that its value implies."""
    named = unit if unit in UNITS_OF_TIME else ""
    written = Amount(found.value, Interval(found.low, found.high), TIME, found.unit or named)
    for one in (named,) if named else (written.of, *sorted(UNITS_OF_TIME - {written.of})):
        try:
            length = in_unit(written, one)
        except UnitError:
            continue
        if operand.value is None or (
            _same(operand.value, length.value, found)
            if one == written.of
            # 2 %: twelve months of 30 days are a year to an engine, and to us they are 1.4 % less.
            else math.isclose(operand.value, length.value, rel_tol=0.02)
        ):
            return length, length.interval
    raise UnreadError(
        "value", f'"{found.text}" is {found.value:g} {found.unit or named}, not {operand.value:g}.'
    )


def _same(one: float, other: float, found: Number) -> bool:
    """Return whether two values are equal up to noise or, for a worded fraction ("a third"), its rounding."""
    return math.isclose(one, other, rel_tol=1e-9 if _is_decimal(found) else 0.01, abs_tol=1e-12)
