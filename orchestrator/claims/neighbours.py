"""Numbers that stand side by side: ranges, lists, "1 h 50 min" and "one in five".

The parts of a range or a list stay numbers of their own and share a unit and a magnitude; a stretch of time
in two units and a share in two numbers become one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.claims.hedges import ABOUT, SHARE_SLACK, hedge_beside
from orchestrator.claims.number import Number, Read


def settled(text: str, found: Sequence[Read]) -> tuple[Number, ...]:
    """The numbers of *text*, in order, once each knows what stands beside it."""
    joined: list[Read] = []
    for read in found:
        before = joined[-1] if joined else None
        if whole := (before and _time(text, before, read)) or (before and _share(text, before, read)):
            joined[-1] = whole
        else:
            joined.append(_one_in(text, before, read) or read)
    return tuple(_in_ranges(text, _in_lists(text, joined)))


_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_BESIDE = re.compile(r"\s?|,?\sand\s", re.IGNORECASE)
_MINUTES = re.compile(r"[1-5]?\dm")


def _time(text: str, first: Read, second: Read) -> Read | None:
    """ "1 h 50 min", "two years and six months", "4h 30m"."""
    one, other = first.number, second.number
    if not _BESIDE.fullmatch(text[one.end : other.start]):
        return None
    value, half, unit = other.value, second.half, other.unit
    if one.unit == "hour" and _MINUTES.fullmatch(other.text):
        value, half, unit = value / second.factor, half / second.factor, "minute"
    for table in (_SECONDS, _MONTHS):
        if one.unit in table and unit in table and table[one.unit] > table[unit]:
            value += one.value * table[one.unit] / table[unit]
            low, high = value - half, value + half
            if hedge := hedge_beside(text, one.start, other.end, is_time=True):
                low, high = hedge.widen(value, low, high)
            words = text[one.start : other.end]
            return Read(Number(words, one.start, other.end, value, low, high, unit, None), 1.0, False, half)
    return None


_OF_EVERY = re.compile(r"\s(?:in|(?:out\s)?of)\s(?:every|each)\s", re.IGNORECASE)
_ONE_IN = re.compile(r"(?<!number )\bone\s(?:in|out\sof)\s(?:(?:every|each)\s)?$", re.IGNORECASE)
_LARGEST_WHOLE: Final = 1000


def _share(text: str, first: Read, second: Read) -> Read | None:
    """ "Four in ten", "1 in 5", "2 out of every 100"; "9 out of 10" counted both, and stays two numbers."""
    one, other = first.number, second.number
    gap = text[one.end : other.start]
    in_words = one.value == 1 or not any(char.isdigit() for char in one.text + other.text)
    if one.unit or not (_OF_EVERY.fullmatch(gap) or (in_words and gap.lower() == " in ")):
        return None
    return _of(text, one.start, one.value, second)


def _one_in(text: str, before: Read | None, whole: Read) -> Read | None:
    """ "One" alone is no number, since it is mostly a pronoun."""
    left = max(before.number.end if before else 0, whole.number.start - 20)
    match = _ONE_IN.search(text[left : whole.number.start])
    return _of(text, left + match.start(), 1.0, whole) if match else None


def _of(text: str, start: int, part: float, whole: Read) -> Read | None:
    number, size = whole.number, whole.number.value
    if number.unit or whole.scaled or not 0 < part < size <= _LARGEST_WHOLE:
        return None
    value, half = part / size, min(0.5 / size, SHARE_SLACK)
    low, high = value - half, value + half
    if part == 1:  # "one in five" is neither one in four nor one in six
        low, high = 1 / (size + 0.5), 1 / (size - 0.5)
    if hedge := hedge_beside(text, start, number.end, is_time=False):
        low, high = hedge.widen(value, low, high)
    words = text[start : number.end]
    return Read(Number(words, start, number.end, value, low, high, None, number.noun), 1.0, False, half)


_COMMA = re.compile(r",\s")
_LAST = re.compile(r",?\s(?:and|or)\s", re.IGNORECASE)


def _in_lists(text: str, found: list[Read]) -> list[Read]:
    """ "3.1, 2.4 and 1.7 million": three or more, of which only the last says what they are."""
    for last in range(len(found) - 1, 1, -1):
        first, gap = last, _LAST
        while (
            first and _is_bare(found[first - 1]) and gap.fullmatch(_gap(text, found[first - 1 : first + 1]))
        ):
            first, gap = first - 1, _COMMA
        if last - first > 1 and (found[last].number.unit or found[last].scaled):
            for place in range(first, last):
                shared, _ = _sharing(found[place], found[last])
                found[place] = replace(found[last], number=shared, half=found[place].half)
    return found


def _is_bare(read: Read) -> bool:
    return read.number.unit is None and read.number.noun is None and not read.scaled


def _gap(text: str, pair: Sequence[Read]) -> str:
    return text[pair[0].number.end : pair[1].number.start]


_TO = re.compile(r"(?:\s?[-–—]\s?|\s(?:to|or|bis)\s)\+?", re.IGNORECASE)
_AND = re.compile(r"\sand\s(?:about\s)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:about\s|some\s)?$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s(?:about\s|around\s|just\s|some\s)?$", re.IGNORECASE)
_SHARED_BELOW: Final = 1_000
""" "From 2 to 4 million": a number from here on is no number of millions."""
_MOST_APART: Final = 10
""" "From 500 to 2 million" starts at 500: nothing falls from 500 million in so few words."""


def _in_ranges(text: str, found: list[Read]) -> list[Number]:
    numbers = [read.number for read in found]
    for place in range(len(found) - 1):
        one, other = numbers[place], numbers[place + 1]
        before, between = text[max(0, one.start - 16) : one.start], text[one.end : other.start]
        is_change = _FROM.search(before) is not None
        is_range = bool(_TO.fullmatch(between)) or bool(_AND.fullmatch(between) and _BETWEEN.search(before))
        if not is_range or (one.unit == "%" and other.unit is None and not _is_dash(between)):
            continue  # "grew 12 % to 340,000": a change, and where it led
        one, other = _sharing(found[place], replace(found[place + 1], number=other))
        if is_change and not _is_dash(between):
            numbers[place : place + 2] = [one, other]
        elif one.value < other.value and one.unit == other.unit:
            low, high = min(one.low, other.low), max(one.high, other.high)
            hedge = hedge_beside(text, one.start, one.end, is_time=False)
            if hedge and hedge.kind == ABOUT:
                high = max(high, hedge.widen(other.value, low, high)[1])
            numbers[place] = replace(one, low=low, high=high)
            numbers[place + 1] = replace(other, low=low, high=high)
    return numbers


def _is_dash(between: str) -> bool:
    return between.strip(" +") in ("-", "–", "—")


def _sharing(first: Read, second: Read) -> tuple[Number, Number]:
    """Both ends with the unit and the magnitude that only one of them is written with."""
    one, other = first.number, second.number
    is_near = abs(one.value * second.factor) <= _MOST_APART * abs(other.value)
    factor = second.factor if is_near and abs(one.value) < _SHARED_BELOW and not first.scaled else 1.0
    if one.unit is None and one.noun is None and not first.scaled and abs(one.value) < _SHARED_BELOW:
        one = replace(one, unit=other.unit, noun=other.noun)
    elif one.unit is None or not second.scaled:
        factor = 1.0
    one = replace(one, value=one.value * factor, low=one.low * factor, high=one.high * factor)
    if other.unit is None and one.unit and (other.noun is None or one.unit.isupper()):
        other = replace(other, unit=one.unit, noun=None)
    return one, other
