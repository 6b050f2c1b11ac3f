"""Numerals read with what stands around them: unit, counted noun, range; before they are quantities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from orchestrator.claims.nouns import counted, is_business_noun
from orchestrator.claims.numerals import Numeral, digit_numerals, spoken_numerals
from orchestrator.claims.periods import KEPT
from orchestrator.claims.rejects import Rejected, rejected
from orchestrator.claims.units import Unit, currency_before, unit_after

_LARGEST: Final = 1e15
_RANGE = re.compile(r"\s?(?:-|–|—|\bto\b|\bor\b)\s?")
_AND = re.compile(r"\s?and\s?")
_OUT_OF = re.compile(r"\s(?:out )?of\s(?:the |our |its |all )?")
_BY_BEFORE = re.compile(r"\bby\s$", re.IGNORECASE)
_FROM_BEFORE = re.compile(r"\bfrom\s+(?:about |around |just |only )?$", re.IGNORECASE)
_BETWEEN_BEFORE = re.compile(r"\bbetween\s$", re.IGNORECASE)
_LABEL_BEFORE = re.compile(r"(?:^|[.;•|]\s*)[A-Za-z][\w /&’'()-]{1,48}[:=]\s*[~≈]?$")
_REACHED_BEFORE = re.compile(
    r"\b(?:peaked at|reached|reaching|(?:grew|rose|fell|dropped|increased|decreased|went|going) (?:to|from)|"
    r"stands at|"
    r"totals|totalled|totaled|averages|averaged|averaging|exceeds|exceeded|surpassed|down to|limit of|"
    r"score of|"
    r"NPS of|rating of|headcount (?:of|is|was)|count of)\s+(?:about |around |nearly |over |more than |~)?$",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"(?<![.!?:;•|])\s([A-Z][\w+#.-]*)\s$")
_ENDS = re.compile(r"\s*(?:$|[.,;)\]|•–—]|\band\b)")
_YEAR_LIKE: Final = range(1900, 2100)


@dataclass(frozen=True, slots=True)
class Reading:
    """A numeral with what stands around it, before it is known to be a quantity."""

    value: float
    unit: Unit
    start: int
    end: int
    noun: str | None = None
    bare: bool = False  # nothing behind it says what it is


def readings(text: str, *, english: bool, bare: bool = False) -> list[Reading]:
    """The numbers of *text* that measure something, in order, ranges joined.

    Args:
        english: False leaves out spoken numbers and counted nouns.
        bare: True keeps numbers whose unit or noun only words farther away can tell; never years.
    """
    return [
        reading
        for reading in _joined(text, _readings(text, english))
        if abs(reading.value) < _LARGEST
        and not (
            reading.bare and not _stands_alone(text, reading) and not (bare and _may_be_meant(text, reading))
        )
    ]


def _may_be_meant(text: str, reading: Reading) -> bool:
    return not _year_like(text[reading.start : reading.end])


def _numerals(text: str, *, english: bool) -> list[Numeral]:
    numerals = list(digit_numerals(text))
    if english:
        numerals += spoken_numerals(text)
    if not numerals:
        return []
    no_quantities = rejected(text)
    return sorted((n for n in numerals if not _inside(n, no_quantities)), key=lambda numeral: numeral.start)


def _inside(numeral: Numeral, no_quantities: Sequence[Rejected]) -> bool:
    return any(reject.start <= numeral.start < reject.end for reject in no_quantities)


@lru_cache(maxsize=KEPT)
def _readings(text: str, english: bool) -> tuple[Reading, ...]:
    """All numbers with what stands beside them; claims, checks and facts read the same sentence in turn."""
    found: list[Reading] = []
    for numeral in _numerals(text, english=english):
        reading = _read(text, numeral, english=english)
        if not found or reading.start >= found[-1].end:
            found.append(reading)
    return tuple(found)


def _read(text: str, numeral: Numeral, *, english: bool) -> Reading:
    currency, sign, start = currency_before(text, numeral.start)
    unit = unit_after(text, numeral.end, currency)
    value = sign * numeral.value * unit.factor
    if sign < 0 and unit.name is None and not unit.scaled:
        start, value = numeral.start, -value  # a hyphen, not a minus
    if unit.name is not None:
        return Reading(value, unit, start, unit.end)
    if english and (unit.scaled or numeral.value.is_integer()):
        noun = counted(text, unit.end)
        if noun and _may_count(text, numeral, noun[0]):
            return Reading(value, replace(unit, name=noun[0]), start, noun[1], noun[0])
    return Reading(value, unit, start, unit.end, bare=True)


def _may_count(text: str, numeral: Numeral, noun: str) -> bool:
    """The number counts the noun: it is no year and no part of a name such as "Order 881"."""
    word = text[numeral.start : numeral.end]
    if len(word) == 4 and word.isdigit() and int(word) in _YEAR_LIKE:
        return is_business_noun(noun)
    if numeral.spoken and numeral.value == 1:
        return is_business_noun(noun)
    name = _NAME_BEFORE.search(text[max(0, numeral.start - 40) : numeral.start])
    return name is None or _mostly_capitals(text)


def _mostly_capitals(text: str) -> bool:
    """A headline in Title Case, where a capital says nothing."""
    words = [word for word in re.findall(r"[A-Za-z]+", text) if len(word) > 3]
    return bool(words) and sum(word[0].isupper() for word in words) > 0.6 * len(words)


def _stands_alone(text: str, reading: Reading) -> bool:
    """A number without unit or noun is a quantity where its size or a label says that it measures."""
    before, written = text[: reading.start], text[reading.start : reading.end]
    if reading.unit.scaled:
        return not (written.endswith("m") and not _LABEL_BEFORE.search(before))  # 5m: metres or minutes
    if re.search(r"\d[,’'\u00a0\u202f]\d{3}", written):
        return True
    if not _ENDS.match(text, reading.end) or _year_like(written):
        return False
    return bool(_LABEL_BEFORE.search(before[-60:]) or _REACHED_BEFORE.search(before[-60:]))


def _year_like(written: str) -> bool:
    return written.isdigit() and len(written) == 4 and int(written) in _YEAR_LIKE


def _joined(text: str, found: Sequence[Reading]) -> list[Reading]:
    """Ranges become one reading; "from 2 to 4 million" two, the first with the second's scale."""
    joined: list[Reading] = []
    position = 0
    while position < len(found):
        first = found[position]
        second = found[position + 1] if position + 1 < len(found) else None
        position += 1
        if second is None or not _is_range(text, first, second):
            joined.append(first)
            continue
        low = _with_unit(first, second)
        before = text[max(0, first.start - 20) : first.start]
        if _FROM_BEFORE.search(before):
            joined += [low, second]
        else:
            between = _BETWEEN_BEFORE.search(before)
            start = first.start - len(between[0]) if between else first.start
            joined.append(replace(low, start=start, end=second.end))
        position += 1
    return joined


def _is_range(text: str, first: Reading, second: Reading) -> bool:
    """Two ends of a range, or a part and its whole ("9 of 12 customers")."""
    between = text[first.end : second.start]
    if first.bare and _year_like(text[first.start : first.end]):
        return False  # "from 3 M in 2025 to 4 M": the year belongs to the first amount
    if _BY_BEFORE.search(text[max(0, first.start - 10) : first.start]):
        return False  # "by 10 points to 25%": a change and a level
    if _OUT_OF.fullmatch(between):
        return first.bare and second.noun is not None
    separated = _RANGE.fullmatch(between) or (
        _AND.fullmatch(between) and _BETWEEN_BEFORE.search(text[max(0, first.start - 10) : first.start])
    )
    alike = first.bare or first.unit.name == second.unit.name
    scale_only = second.bare and second.unit.scaled and not first.unit.scaled  # €3–5M
    return bool(separated) and (alike or scale_only)


def _with_unit(first: Reading, second: Reading) -> Reading:
    """The first number of a pair, in the unit or scale that is written once, behind the second."""
    factor = second.unit.factor if second.unit.scaled and not first.unit.scaled else 1.0
    if not first.bare:
        return replace(first, value=first.value * factor)
    unit = replace(second.unit, end=first.unit.end)
    return replace(first, value=first.value * factor, unit=unit, noun=second.noun, bare=second.bare)
