"""The ways in which the figures of a formula can be taken: their scales, units of time and years."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from orchestrator.material.checks.amount import (
    COUNT,
    DATE,
    FREE,
    TIME,
    Amount,
    in_unit,
)
from orchestrator.material.checks.deciding import CONVERSIONS
from orchestrator.material.checks.figures import SCALES, Figure, UnreadError
from orchestrator.material.checks.formula import Comparison
from orchestrator.material.checks.interval import point

_MOST_SCALED: Final = 3
"""Tables and charts of unknown scale in one formula, each read in four scales; with more the proposal is
refused. No finding of the bench's corpora needs more than two; with one, a true one is refused."""


def readings_of(comparison: Comparison, figures: Sequence[Figure]) -> Iterator[list[Amount]]:
    """Every way to take the figures that neither text nor layout rules out; the formula must fail in each.

    The first is the plain one: base units, and units of time converted where they meet.
    """
    plain = _counted(figures)
    yield plain
    for shift in (-1, 1) if 0 < sum(figure.is_yearless for figure in figures) < _dates(plain) else ():
        yield [
            amount + Amount(shift, point(shift), TIME, "year") if figure.is_yearless else amount
            for amount, figure in zip(plain, figures, strict=True)
        ]
    if {one.kind for one in plain} >= {TIME} and not _dates(plain) and set("*/") & set(comparison.signs):
        yield from _by_units_of_time(plain)
    groups = sorted({figure.group for figure in figures if figure.group})
    if groups and len({figure.group for figure in figures}) > 1:
        if len(groups) > _MOST_SCALED:
            raise UnreadError(
                "shape", f"A formula takes bare numbers of at most {_MOST_SCALED} tables and charts."
            )
        for scales in itertools.product(SCALES, repeat=len(groups)):
            by_group = dict(zip(groups, scales, strict=True))
            yield [
                _scaled(amount, by_group.get(figure.group, 1.0))
                for amount, figure in zip(plain, figures, strict=True)
            ]
    if comparison.constants & CONVERSIONS:
        yield [
            Amount(amount.value, figure.named or amount.interval, FREE)
            for amount, figure in zip(plain, figures, strict=True)
        ]


def _counted(figures: Sequence[Figure]) -> list[Amount]:
    """The amounts, of which whole things in running text are exact: nobody rounds three sites or four weeks.

    Lengths of time are so only where all are in one unit: nine weeks may well be called two months.
    """
    amounts = [figure.amount for figure in figures if figure.amount is not None]
    timed = {(amount.kind, amount.of) for amount in amounts if amount.kind in (TIME, DATE)}
    exact = (COUNT, TIME) if len(timed) == 1 else (COUNT,)
    return [
        replace(amount, interval=point(amount.value)) if figure.is_whole and amount.kind in exact else amount
        for amount, figure in zip(amounts, figures, strict=True)
    ]


def _by_units_of_time(amounts: Sequence[Amount]) -> Iterator[list[Amount]]:
    """Lengths as plain numbers in each unit: of a rate nobody sees whether it is by the month or the year."""
    for unit in ("day", "week", "month", "quarter", "year"):
        yield [
            replace(in_unit(one, unit), kind=FREE) if one.kind == TIME and one.of else replace(one, kind=FREE)
            for one in amounts
        ]


def _dates(amounts: Sequence[Amount]) -> int:
    return sum(amount.kind == DATE for amount in amounts)


def _scaled(amount: Amount, scale: float) -> Amount:
    return replace(amount, value=amount.value * scale, interval=amount.interval * point(scale))
