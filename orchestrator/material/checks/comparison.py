"""Decide how far a sum of rounded figures may be from another before chance no longer explains it.

The rounding of a figure is as likely to be any value of its last digit as any other, and the roundings of
several figures are independent. A uniform value between -h and h has the variance h²/3, and variances add up,
so the deviation of a sum has the standard deviation √(Σh²/3). Three standard deviations are allowed: of sums
that are right, fewer than 3 in 1,000 are further off. That holds for the normal distribution, which a sum of
a few uniform values is near to; as figures of one digit are off by whole digits, it is up to 5 in 1,000 for
some numbers of parts, such as four and ten, and less for most. The worst case, Σh, is never exceeded. Two or
three figures of one digit (two parts and their total) cannot be off by more than three standard deviations,
so for them nothing changes; four or more can.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from orchestrator.material.checks.amount import Amount, Interval
from orchestrator.material.checks.formula import Comparison, difference
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.claims.units import TIME_UNITS, is_currency
from orchestrator.material.claims.words import hedge_beside, is_function_word

# ---------------------------------------------------------------------- comparable
# The one rule before every finding of arithmetic: what is not understood accuses nobody.
#
# Figures are compared only where each has a unit that is known and is the others' too, and where nothing
# that touches one was left unread. Units of measure are not converted: "900 GB" and "1.2 TB" are two
# units. What is computed is never more than a hundred times what is said, or less than a hundredth: then
# something was misread.


_MAX_SHORT: Final = 5
"""Maximum number of letters of a word that may be a magnitude or a unit ("Mkr", "mil", "staff"); longer words
are nouns."""
_FARTHEST: Final = 100.0
_BEHIND = re.compile(
    r"(?P<space>[\s-]?)(?P<word>[^\W\d_][^\s,;:!?()\[\]/–—|\"”]*)|[¹²³⁰⁴-⁹*†‡+]*(?P<sign>\S?)"
)
_HARMLESS: Final = frozenset(",.;:!?)]}\"'”’»–—-−/|=…+<>~≈≤≥±([{“‘«")
"""Signs that may touch a figure without changing anything about it."""
_ARROW = re.compile(r"[△▲▼▽]\s?$")  # a minus in Japan, and elsewhere a rise or a fall


class Form(NamedTuple):
    """The number format of a text: its separators of thousands and decimals."""

    has_dots: bool  # thousands have dots: "1.234,5", "1.234.567"
    unsure: re.Pattern[str] | None  # the form of figures that may be thousands or thousandths


_COMMAS = re.compile(
    r"(?<![\d,.])(?:\d{1,3}(?:[.' \u00a0\u202f]\d{3})*|\d+),\d{1,2}(?![\d,.])|(?<![\d.,])0,\d", re.ASCII
)
_DOTS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d\.\d{3},\d", re.ASCII)
_ONE_COMMA = re.compile(r"[^\d,.]*\d{1,3},\d{3}[^\d,.]*", re.ASCII)
_ONE_DOT = re.compile(r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?![\d.,]\d|\d)", re.ASCII)
_ONE_DOT_ALONE = re.compile(r"[^\d,.]*[1-9]\d{0,2}\.\d{3}[^\d,.]*", re.ASCII)
_SMALL_WHOLE = re.compile(r"(?<![\d.,])\d{1,3}(?![\d%]|[.,]\d|\s?%)", re.ASCII)
_DECIMALS = re.compile(r"(?<![\d,.])\d+\.(?:\d{1,2}|\d{4,})(?![\d,.])|(?<![\d.])0\.\d", re.ASCII)


def written_form(text: str) -> Form:
    """Return the number format of *text*; "1,125" beside "0,9", or "850.000" beside "700", is ambiguous."""
    if _COMMAS.search(text):
        return Form(True, _ONE_COMMA)
    if _DOTS.search(text):
        return Form(True, None)
    is_mixed = _SMALL_WHOLE.search(text) is not None and _DECIMALS.search(text) is None
    return Form(False, _ONE_DOT_ALONE if is_mixed else None)


def without_dots(text: str) -> str:
    """Return *text* without the dots that separate thousands."""
    return _ONE_DOT.sub(r"\1\2", text)


def are_comparable(text: str, numbers: Sequence[Number], *, whole: bool = False) -> bool:
    """Return whether *numbers* of *text* can be compared: they have one unit, and every figure was read.

    Args:
        whole: Whether every figure in all of *text* must have been read, not only those between the numbers.
    """
    names = {name for number in numbers if (name := name_of(text, number)) is not None}
    if len({number.unit for number in numbers}) > 1 or len(names) > 1 or not all_known(text, numbers):
        return False
    start = 0 if whole else min(number.start for number in numbers)
    end = len(text) if whole else max(number.end for number in numbers)
    read = [(one.start, one.end) for one in numbers_in(text)]
    read += [(one.start, one.end) for one in dates_in(text)]
    digits = (at for at in range(start, end) if text[at].isdecimal())
    return all(any(first <= at < last for first, last in read) for at in digits)


def all_known(text: str, numbers: Sequence[Number], form: Form | None = None) -> bool:
    """Return whether all around *numbers* was read, and the number format of *text* is known."""
    unsure = (form or written_form(text)).unsure
    return all(
        _is_known(text, number) and not (unsure and unsure.fullmatch(number.text)) for number in numbers
    )


def is_far(one: float, other: float) -> bool:
    """Return whether two sizes differ a hundredfold, which a misstatement of one figure does not explain."""
    low, high = sorted((abs(one), abs(other)))
    return high > _FARTHEST * low


def _is_known(text: str, number: Number) -> bool:
    before, match = text[: number.start], _BEHIND.match(text, number.end)
    touches = before[-1:].strip()
    if (touches and touches not in _HARMLESS) or _ARROW.search(before) or match is None:
        return False
    if match["sign"] and match["sign"] not in _HARMLESS:
        return False
    return not is_currency(number.unit) or _short_word(text, number) is None


def name_of(text: str, number: Number) -> str | None:
    """Return what *number* counts or measures, or None if only the figures beside it may show that."""
    if number.unit is not None:
        return None
    word = _short_word(text, number) or number.noun
    # "MW" and "mW" are two units, "Sites" and "site" one noun.
    return word if word is None or len(word) < 4 else word.casefold().removesuffix("s")


def _short_word(text: str, number: Number) -> str | None:
    """Return the word behind a figure if it is short and no function word: a possible unit or magnitude."""
    match = _BEHIND.match(text, number.end)
    word = (match["word"] or "").rstrip(".'’") if match else ""
    if not word or len(word) > _MAX_SHORT or is_function_word(word, text):
        return None
    return word


# ---------------------------------------------------------------------- rounding


DEVIATIONS: Final = 3.0
"""Standard deviations by which one sum may be off: 0.27 % of right sums are further off by chance."""

_NORMAL: Final = NormalDist()
_DIGIT = re.compile(r"[0-9]")
_FRACTION = re.compile(r"[/½⅓⅔¼¾⅕⅛]")  # has no last digit to round


def slack_of(halves: Sequence[float], sums: int = 1) -> float:
    """Return how far a sum or difference may be off; *halves* are half the last digit of each figure.

    Args:
        sums: How many sums were tried, one of which is reported: the chance allowed for one sum is divided
            among all of them.
    """
    worst = sum(halves)
    if not math.isfinite(worst):
        return worst
    deviations = DEVIATIONS
    if sums > 1:
        deviations = -_NORMAL.inv_cdf(_NORMAL.cdf(-DEVIATIONS) / sums)
    return min(worst, deviations * math.sqrt(sum(half * half for half in halves) / 3))


def is_explained(parts: Sequence[float], total: float, slack: float) -> bool:
    """Return whether the sum holds without one of *parts* or a run of them (parts of other parts)."""
    ends = [0.0, *itertools.accumulate(parts)]
    off = ends[-1] - total
    return any(abs(off - (end - start)) <= slack for start, end in itertools.combinations(ends, 2))


def likely_difference(comparison: Comparison, amounts: Sequence[Amount]) -> Interval | None:
    """Return left minus right within what chance allows, if *amounts* are inexact only by rounding.

    Return None if the formula does more than add or subtract each operand once, or if units differ.
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
    """Return whether the interval of *number* in *text* comes only from rounding its last digit.

    That is not so if a word widens the interval, in a range, or if the number is in words or a fraction.
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
    """Return whether *number* in *text* is a whole number in digits whose interval no word widens."""
    is_unit = number.value == int(number.value) and (number.low, number.high) == (
        number.value - 0.5,
        number.value + 0.5,
    )
    is_time = number.unit in TIME_UNITS
    return is_unit and hedge_beside(text, number.start, number.end, is_time=is_time) is None
