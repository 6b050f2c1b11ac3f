"""The one reader of numbers: value, unit, and the interval that the wording allows.

Which interval, where no word widens it:

- the rounding of the last digit written: "4.2M" is 4.15 to 4.25 million, "4 million" 3.5 to 4.5;
- a whole number written out is exact to half a unit ("240": 239.5 to 240.5), but of its final noughts those
  beyond the third digit may be rounded: "40,000" is 39,950 to 40,050, "1,200" 1,195 to 1,205;
- "and a half" is rounded to halves; "a third" may miss by `SHARE_SLACK`.

A range ("10-12 %", "between 10 and 12") is two numbers, and the interval of both is the whole range; a change
("from 10 to 12") is two numbers with intervals of their own. Of "€3-5M" both have the unit and the magnitude.
Hedges are those of `hedges`. No numbers: dates, and what `labels` lists. Brackets are a minus where they hold
all of the text, as in a cell: "(1,234)".
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from orchestrator.claims.dates import dates_in
from orchestrator.claims.figures import Figure, figures_in, last_place
from orchestrator.claims.hedges import SHARE_SLACK, hedge_beside
from orchestrator.claims.labels import labels_in
from orchestrator.claims.shares import shares_in
from orchestrator.claims.spelled import spelled_in
from orchestrator.claims.units import SPACE, TIME_UNITS, measure_after, money_before, unit_after
from orchestrator.claims.words import FUNCTION_WORDS, ONES, TEENS, TENS


@dataclass(frozen=True, slots=True)
class Number:
    """One number as it stands in a passage."""

    text: str  # as written, without hedge words: "4.2M", "a third", "nine weeks", "1.2 million euros"
    start: int
    end: int
    value: float  # base units: 4.2M is 4_200_000.0, "14 %" 14.0, "200 ms" 0.2 seconds, "two decades" 20 years
    low: float  # the interval that the wording allows; infinite where it is open
    high: float
    unit: str | None  # "%", "pp", an ISO 4217 code, "x", a unit of time in the singular, or None
    noun: str | None  # of a plain count, the word that is counted; None: none


@dataclass(frozen=True, slots=True)
class _Read:
    """A number before its neighbours are known."""

    number: Number
    factor: float  # of its magnitude
    scaled: bool


KEPT: Final = 4096
"""Texts whose numbers are remembered: claims, arithmetic and engine read the same sentences."""
_MAY_HOLD = re.compile(
    rf"[0-9½⅓⅔¼¾⅕⅛]|\b(?:zero|{'|'.join((*ONES, *TEENS, *TENS))}|half|an?[ -](?:hundred|thousand|million|"
    r"billion|trillion|dozen|third|quarter|fifth|sixth|seventh|eighth|ninth|tenth))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=KEPT)
def numbers_in(text: str) -> tuple[Number, ...]:
    """The numbers of *text* in order; they never overlap, and `text[n.start:n.end] == n.text`."""
    if not _MAY_HOLD.search(text):
        return ()
    taken = _merged([(d.start, d.end) for d in dates_in(text)], labels_in(text))
    return _numbers(text, taken)


def cell_number(text: str) -> Number | None:
    """The number that a table's cell is, years included ("2026" among counts); None: it is not one."""
    found = _numbers(text, [])
    if len(found) != 1:
        return None
    around = text[: found[0].start] + text[found[0].end :]
    return (
        None if any(letter.isalnum() for letter in around.replace(found[0].noun or "", "", 1)) else found[0]
    )


def _numbers(text: str, taken: Sequence[tuple[int, int]]) -> tuple[Number, ...]:
    figures = sorted(
        (*shares_in(text), *figures_in(text), *spelled_in(text)), key=lambda f: (f.start, -f.end)
    )
    found: list[_Read] = []
    for figure in figures:
        if (found and figure.start < found[-1].number.end) or _is_within(figure, taken):
            continue
        if (read := _read(text, figure, found[-1].number.end if found else 0)) is not None:
            found.append(read)
    return tuple(_in_ranges(text, found))


def _merged(*spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """All spans in order, those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(span for some in spans for span in some):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


def _is_within(figure: Figure, taken: Sequence[tuple[int, int]]) -> bool:
    place = bisect_right(taken, (figure.start, sys.maxsize)) - 1
    before = place >= 0 and figure.start < taken[place][1]
    return before or (place + 1 < len(taken) and taken[place + 1][0] < figure.end)


def _read(text: str, figure: Figure, after: int) -> _Read | None:
    currency, own_factor, sign, start = money_before(text, figure.start)
    if start < after:  # the currency belongs to the number before: "5 € 3"
        currency, own_factor, sign, start = None, 1.0, 1.0, figure.start
    if currency is None and text[figure.start - 1 : figure.start].isalpha() and start == figure.start:
        return None  # "B2B"; the codes of currencies stand without a space too
    unit = unit_after(text, figure.end, currency)
    measure = measure_after(text, unit.end) if unit.name is None and unit.end == figure.end else None
    if not measure and text[unit.end : unit.end + 1].isalpha() and text[unit.end - 1].isdigit():
        return None  # "5G", "2FA"
    factor = unit.factor * own_factor
    value = sign * figure.value * factor
    half = abs(factor) * figure.step / 2
    if figure.is_share:
        half = SHARE_SLACK * abs(value)
    elif figure.step == 1 and not unit.scaled:
        half = abs(factor) * last_place(figure.value) / 2
    if brackets := _BRACKETS.fullmatch(text[:start] + text[unit.end :]) if len(text) < _CELL else None:
        return _negative(text, value, half, "%" if brackets["percent"] else unit.name)
    end = unit.end
    low, high = value - half, value + half
    if hedge := hedge_beside(text, start, end, is_time=unit.name in TIME_UNITS):
        low, high = hedge.widen(value, low, high)
    elif unit.is_open:
        low, high = value, float("inf")
    noun = (measure or _noun(text, end)) if unit.name is None else None
    return _Read(Number(text[start:end], start, end, value, low, high, unit.name, noun), factor, unit.scaled)


_CELL: Final = 40
"""Characters of a text that brackets may turn into a negative number."""
_BRACKETS = re.compile(r"\s*\(\s*\)\s*(?P<percent>%)?\s*")


def _negative(text: str, value: float, half: float, unit: str | None) -> _Read:
    """A minus as accounts write it: "(1,234)", "(5)%"."""
    start, end, value = text.index("("), len(text.rstrip()), -abs(value)
    return _Read(
        Number(text[start:end], start, end, value, value - half, value + half, unit, None), 1.0, True
    )


_WORDS = re.compile(rf"(?:{SPACE}|-|\n)(?P<word>[^\W\d_][\w'’-]*)")
_NOUN_WITHIN: Final = 3
"""Words in which the counted noun is looked for: "29 new members", "8 parallel CI jobs"."""


def _noun(text: str, end: int) -> str | None:
    """The first plural within three words, else the word that follows."""
    first = None
    for _ in range(_NOUN_WITHIN):
        match = _WORDS.match(text, end)
        if match is None or len(match["word"]) == 1 or match["word"].lower() in FUNCTION_WORDS:
            break
        word = match["word"]
        first, end = first or word, match.end()
        if word.endswith("s") and not word.endswith("ss"):
            return word
    return first


_TO = re.compile(r"\s?[-–—]\s?|\s(?:to|bis)\s", re.IGNORECASE)
_AND = re.compile(r"\sand\s(?:about\s)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:about\s|some\s)?$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s(?:about\s|around\s|just\s|some\s)?$", re.IGNORECASE)
_SHARED_BELOW: Final = 1_000
""" "From 2 to 4 million": a number from here on is no number of millions."""


def _in_ranges(text: str, found: list[_Read]) -> list[Number]:
    numbers = [read.number for read in found]
    for place in range(len(found) - 1):
        one, other = numbers[place], numbers[place + 1]
        before, between = text[max(0, one.start - 16) : one.start], text[one.end : other.start]
        is_change = _FROM.search(before) is not None
        is_range = bool(_TO.fullmatch(between)) or bool(_AND.fullmatch(between) and _BETWEEN.search(before))
        if not is_range:
            continue
        one, other = _sharing(found[place], replace(found[place + 1], number=other))
        if is_change and not _is_dash(between):
            numbers[place : place + 2] = [one, other]
        elif one.value < other.value and one.unit == other.unit:
            low, high = min(one.low, other.low), max(one.high, other.high)
            numbers[place] = replace(one, low=low, high=high)
            numbers[place + 1] = replace(other, low=low, high=high)
    return numbers


def _is_dash(between: str) -> bool:
    return between.strip() in ("-", "–", "—")


def _sharing(first: _Read, second: _Read) -> tuple[Number, Number]:
    """Both ends with the unit and the magnitude that only one of them is written with."""
    one, other = first.number, second.number
    if one.unit is None and one.noun is None and not first.scaled and abs(one.value) < _SHARED_BELOW:
        factor = second.factor
        one = replace(one, value=one.value * factor, unit=other.unit, noun=other.noun)
        one = replace(one, low=first.number.low * factor, high=first.number.high * factor)
    elif one.unit is not None and not first.scaled and second.scaled and abs(one.value) < _SHARED_BELOW:
        factor = second.factor
        one = replace(one, value=one.value * factor, low=one.low * factor, high=one.high * factor)
    if other.unit is None and one.unit and (other.noun is None or one.unit.isupper()):
        other = replace(other, unit=one.unit, noun=None)
    return one, other
