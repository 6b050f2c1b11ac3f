"""How far a sum of rounded figures may lie from another before chance no longer explains it.

The rounding of a figure is as likely to be any value of its last digit as any other, and those of
several figures are independent. A uniform value between -h and h has the variance h²/3, and
variances add up, so the deviation of a sum has the standard deviation √(Σh²/3). Three of them are
allowed: of sums that are right, fewer than 3 in 1,000 lie further off (the normal distribution,
which a sum of a few uniform values is near to; as figures of one digit are off by whole digits, it
is up to 5 for some numbers of parts, such as four and ten, and less for most). The worst case, Σh,
is never exceeded: two or three figures of one digit (two parts and their total) cannot be off by
more than three standard deviations, so for them nothing changes; four or more can.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

from orchestrator.material.checks.amount import Amount
from orchestrator.material.checks.deciding import difference
from orchestrator.material.checks.formula import Comparison
from orchestrator.material.checks.interval import Interval
from orchestrator.material.claims.hedges import hedge_beside
from orchestrator.material.claims.numbers import Number
from orchestrator.material.claims.units import TIME_UNITS

DEVIATIONS: Final = 3.0
"""Standard deviations that one sum is allowed: 0.27 % of right ones lie beyond, by chance."""

_NORMAL: Final = NormalDist()
_DIGIT = re.compile(r"[0-9]")
_FRACTION = re.compile(r"[/½⅓⅔¼¾⅕⅛]")  # has no last digit to round


def slack_of(halves: Sequence[float], sums: int = 1) -> float:
    """By how much a sum or difference of figures may miss, where *halves* are half their last digits.

    Args:
        sums: How many sums were tried, of which one is to be blamed: the chance that is allowed
            for one is divided among them.
    """
    worst = sum(halves)
    if not math.isfinite(worst):
        return worst
    deviations = DEVIATIONS
    if sums > 1:
        deviations = -_NORMAL.inv_cdf(_NORMAL.cdf(-DEVIATIONS) / sums)
    return min(worst, deviations * math.sqrt(sum(half * half for half in halves) / 3))


def is_explained(parts: Sequence[float], total: float, slack: float) -> bool:
    """Whether the sum is right without one of *parts*, or a run of them: they are parts of others."""
    ends = [0.0, *itertools.accumulate(parts)]
    off = ends[-1] - total
    return any(abs(off - (end - start)) <= slack for start, end in itertools.combinations(ends, 2))


def likely_difference(comparison: Comparison, amounts: Sequence[Amount]) -> Interval | None:
    """Left less right as chance allows it, for *amounts* that nothing but rounding made inexact.

    None where the formula does more than add and take off each operand once, and where units differ.
    """
    only_adds = set(comparison.signs) <= {"+", "-", "negative"}
    if not only_adds or len({(amount.kind, amount.of) for amount in amounts}) > 1:
        return None
    bare = [0.0] * len(amounts)
    base = difference(comparison, bare) or 0.0
    for at in range(len(amounts)):
        moved = difference(comparison, [*bare[:at], 1.0, *bare[at + 1 :]])
        if moved is None or abs(moved - base) != 1:
            return None
    middle = difference(comparison, [(one.interval.low + one.interval.high) / 2 for one in amounts]) or 0.0
    slack = slack_of([(one.interval.high - one.interval.low) / 2 for one in amounts])
    return Interval(middle - slack, middle + slack)


def is_rounded(number: Number, text: str) -> bool:
    """Whether nothing but the rounding of its last digit makes the interval of *number* in *text*.

    Not so where a word widens it, in a range, and where it is written in words or as a fraction.
    """
    if not _DIGIT.search(number.text) or _FRACTION.search(number.text):
        return False
    if hedge_beside(text, number.start, number.end, is_time=False):
        return False
    half = number.half
    return math.isclose(number.value - number.low, half, rel_tol=1e-6) and math.isclose(
        number.high - number.value, half, rel_tol=1e-6
    )


def is_whole(number: Number, text: str) -> bool:
    """Whether *number* in *text* is a whole one, written out, that no word widens."""
    is_unit = number.value == int(number.value) and (number.low, number.high) == (
        number.value - 0.5,
        number.value + 0.5,
    )
    is_time = number.unit in TIME_UNITS
    return is_unit and hedge_beside(text, number.start, number.end, is_time=is_time) is None
