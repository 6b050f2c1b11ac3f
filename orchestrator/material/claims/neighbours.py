"""Numbers that stand side by side: ranges, lists, "1 h 50 min" and "one in five".

The parts of a range or a list stay numbers of their own and share a unit and a magnitude; a stretch of time
in two units and a share in two numbers become one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.material.claims.foreign import HAN
from orchestrator.material.claims.hedges import ABOUT, SHARE_SLACK, hedge_beside
from orchestrator.material.claims.number import Number


def settled(text: str, found: Sequence[Number]) -> tuple[Number, ...]:
    """The numbers of *text*, in order, once each knows what stands beside it."""
    joined: list[Number] = []
    for number in found:
        before = joined[-1] if joined else None
        wholes = (_time, _share, _han)
        if whole := before and next(filter(None, (one(text, before, number) for one in wholes)), None):
            joined[-1] = whole
        else:
            joined.append(_one_in(text, before.end if before else 0, number) or number)
    return tuple(_in_ranges(text, _in_lists(text, joined)))


_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_BESIDE = re.compile(r"\s?|,?\sand\s", re.IGNORECASE)
_MINUTES = re.compile(r"[1-5]?\dm")  # of "4h 30m": there m is no million


def _time(text: str, one: Number, other: Number) -> Number | None:
    """ "1 h 50 min", "two years and six months", "4h 30m"."""
    table = _SECONDS if one.unit in _SECONDS else _MONTHS if one.unit in _MONTHS else None
    if table is None or one.unit is None or not _BESIDE.fullmatch(text[one.end : other.start]):
        return None
    value, half, unit = other.value, other.half, other.unit
    if one.unit == "hour" and _MINUTES.fullmatch(other.text):
        value, half, unit = value / other.factor, half / other.factor, "minute"
    if unit not in table or table[one.unit] <= table[unit]:
        return None
    value += one.value * table[one.unit] / table[unit]
    words = text[one.start : other.end]
    whole = Number(words, one.start, other.end, value, value - half, value + half, unit, None, half)
    return _hedged(text, whole)


def _hedged(text: str, number: Number) -> Number:
    hedge = hedge_beside(text, number.start, number.end, is_time=number.unit is not None)
    if hedge is None:
        return number
    low, high = hedge.widen(number.value, number.low, number.high)
    return number._replace(low=low, high=high)


def _han(text: str, one: Number, other: Number) -> Number | None:
    """ "1億2,000万円" is one number."""
    is_beside = one.end == other.start and one.unit is None and one.text[-1:] in HAN
    if not (is_beside and one.factor > other.factor):
        return None
    value, half = one.value + other.value, other.half
    words = text[one.start : other.end]
    return other._replace(text=words, start=one.start, value=value, low=value - half, high=value + half)


_OF_EVERY = re.compile(r"\s(?:in|(?:out\s)?of)\s(?:every|each)\s", re.IGNORECASE)
_ONE_IN = re.compile(r"(?<!number )\bone\s(?:in|out\sof)\s(?:(?:every|each)\s)?$", re.IGNORECASE)
_LARGEST_WHOLE: Final = 1000
"""Of a share in two numbers: "one in a thousand" is said, and "12 in 4,000" counts both."""


def _share(text: str, one: Number, other: Number) -> Number | None:
    """ "Four in ten", "1 in 5", "2 out of every 100"; "9 out of 10" counted both, and stays two numbers."""
    gap = text[one.end : other.start]
    if one.unit or not (gap.lower() == " in " or _OF_EVERY.fullmatch(gap)):
        return None
    in_words = one.value == 1 or not any(char.isdigit() for char in one.text + other.text)
    return share_of(text, one.start, one.value, other) if in_words or len(gap) > 4 else None


def _one_in(text: str, after: int, whole: Number) -> Number | None:
    """ "One" alone is no number, since it is mostly a pronoun."""
    left = max(after, whole.start - 20)
    if whole.start - left < len("one in ") or not (match := _ONE_IN.search(text[left : whole.start])):
        return None
    return share_of(text, left + match.start(), 1.0, whole)


def share_of(text: str, start: int, part: float, whole: Number) -> Number | None:
    """The share that *part* of *whole* makes, from *start* on; None: these make none."""
    size = whole.value
    if whole.unit or whole.scaled or not 0 < part < size <= _LARGEST_WHOLE:
        return None
    value, half = part / size, min(0.5 / size, SHARE_SLACK)
    low, high = value - half, value + half
    if part == 1:  # "one in five" is neither one in four nor one in six
        low, high = 1 / (size + 0.5), 1 / (size - 0.5)
    words = text[start : whole.end]
    return _hedged(text, Number(words, start, whole.end, value, low, high, None, whole.noun, half))


_COMMA = re.compile(r",\s")
_LAST = re.compile(r",?\s(?:and|or)\s", re.IGNORECASE)


def _in_lists(text: str, found: list[Number]) -> list[Number]:
    """ "3.1, 2.4 and 1.7 million": three or more, of which only the last says what they are."""
    for last in range(len(found) - 1, 1, -1):
        if not (found[last].unit or found[last].scaled):
            continue
        first, gap = last, _LAST
        while first and _is_bare(found[first - 1]) and gap.fullmatch(_gap(text, found, first)):
            first, gap = first - 1, _COMMA
        if last - first > 1:
            for place in range(first, last):
                factor, scaled = found[last].factor, found[last].scaled
                found[place] = _sharing(found[place], found[last])[0]._replace(factor=factor, scaled=scaled)
    return found


def _is_bare(number: Number) -> bool:
    return number.unit is None and number.noun is None and not number.scaled


def _gap(text: str, found: Sequence[Number], at: int) -> str:
    """The text between the number at *at* and the one before it."""
    return text[found[at - 1].end : found[at].start]


_TO = re.compile(r"(?:\s?[-–—]\s?|\s(?:to|or|bis)\s)\+?", re.IGNORECASE)
_AND = re.compile(r"\sand\s(?:about\s)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:about\s|some\s)?$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s(?:about\s|around\s|just\s|some\s)?$", re.IGNORECASE)
_SHARED_BELOW: Final = 1_000
""" "From 2 to 4 million": a number from here on is no number of millions (`tests/claims/numbers.yaml`)."""
_MOST_APART: Final = 10
""" "From 500 to 2 million" starts at 500; at 100 "thirty to two hundred" would be three thousand."""


def _in_ranges(text: str, found: Sequence[Number]) -> list[Number]:
    numbers = [*found]
    for place in range(1, len(numbers)):
        one, other = numbers[place - 1 : place + 1]
        between = _gap(text, numbers, place)
        before = text[max(0, one.start - 16) : one.start]
        if not (_TO.fullmatch(between) or (_AND.fullmatch(between) and _BETWEEN.search(before))):
            continue
        is_dash = between.strip(" +") in ("-", "–", "—")
        if one.unit == "%" and other.unit is None and not is_dash:
            continue  # "grew 12 % to 340,000": a change, and where it led
        one, other = _sharing(found[place - 1], other)
        if not is_dash and _FROM.search(before):
            numbers[place - 1 : place + 1] = [one, other]
        elif one.value < other.value and one.unit == other.unit:
            low, high = min(one.low, other.low), max(one.high, other.high)
            hedge = hedge_beside(text, one.start, one.end, is_time=False)
            if hedge and hedge.kind == ABOUT:
                high = max(high, hedge.widen(other.value, low, high)[1])
            numbers[place - 1] = one._replace(low=low, high=high)
            numbers[place] = other._replace(low=low, high=high)
    return numbers


def _sharing(one: Number, other: Number) -> tuple[Number, Number]:
    """Both ends with the unit and the magnitude that only one of them is written with."""
    is_small = abs(one.value) < _SHARED_BELOW and not one.scaled and (one.unit or one.factor == 1)
    is_near = abs(one.value * other.factor) <= _MOST_APART * abs(other.value)
    factor = other.factor if is_near and is_small else 1.0
    if one.unit is None and one.noun is None and is_small:
        one = one._replace(unit=other.unit, noun=other.noun)
    elif one.unit is None or not other.scaled:
        factor = 1.0
    if factor != 1.0:
        low, high, half = (end * factor for end in (one.low, one.high, one.half))
        one = one._replace(value=one.value * factor, low=low, high=high, half=half)
    if other.unit is None and one.unit and (other.noun is None or one.unit.isupper()):
        other = other._replace(unit=one.unit, noun=None)
    return one, other
