"""The one reader of numbers: value, unit, and the interval that the wording allows.

Which interval, where no word widens it:

- the rounding of the last digit written: "4.2M" is 4.15 to 4.25 million, "4 million" 3.5 to 4.5;
- a whole number written out is exact to half a unit ("240": 239.5 to 240.5), but of its final noughts those
  beyond the third digit may be rounded: "40,000" is 39,950 to 40,050, "1,200" 1,195 to 1,205;
- "and a half" is rounded to halves; "a third" may miss by `SHARE_SLACK`.

A range ("10-12 %", "between 10 and 12") is two numbers, and the interval of both is the whole range; a change
("from 10 to 12") is two numbers with intervals of their own. Of "€3-5M" both have the unit and the magnitude.
"1 h 50 min" and "one in five" are one number each; "9 out of 10" is two.
Hedges are those of `words`. No numbers: dates, and what `identifiers_in` finds. Brackets are a minus where
they hold all of the text, as in a cell: "(1,234)".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.language import in_ascii, is_of_a_script_without_case
from orchestrator.material.claims.numerals import (
    PlainNumber,
    figures_in,
    fractions_in,
    last_place,
    spelled_in,
)
from orchestrator.material.claims.units import (
    RAISED,
    SPACE,
    TIME_UNITS,
    measure_after,
    money_before,
    unit_after,
)
from orchestrator.material.claims.words import (
    ABOUT,
    FUNCTION_WORDS,
    HAN,
    ONES,
    SHARE_SLACK,
    TEENS,
    TENS,
    hedge_beside,
)

# ---------------------------------------------------------------------- number
# A number as it is read out of a passage.


class Number(NamedTuple):
    """A number as it stands in a passage; a tuple, since dense text holds thousands."""

    text: str  # as written, without hedge words: "4.2M", "a third", "nine weeks", "1.2 million euros"
    start: int
    end: int
    value: float  # base units: 4.2M is 4_200_000.0, "14 %" 14.0, "200 ms" 0.2 seconds, "two decades" 20 years
    low: float  # the interval that the wording allows; infinite where it is open
    high: float
    unit: str | None  # "%", "pp", an ISO 4217 code, "x", a unit of time in the singular, or None
    noun: str | None  # of a plain count, the word that is counted; None: none
    half: float  # half of the last place written: what rounding alone allows
    factor: float = 1.0  # of its magnitude
    scaled: bool = False  # a magnitude is written


# ---------------------------------------------------------------------- identifiers
# Figures that name something and measure nothing: slides, versions, standards, ids, phones, times of day.


_NUMBERED: Final = (
    "slide|page|section|chapter|figure|fig\\.|table|appendix|annex|phase|step|stage|tier|level|option|version|"
    "release|item|priority|series|article|clause|paragraph|rule|room|gate|sprint|wave|lot|batch|case|question|"
    "scenario|scope|horizon|milestone|pillar|workstream|track|class|type|zone|grade|block|building|site|unit|"
    "year|month|week|day|quarter|order|issue|ticket|ref\\.?|id|no\\.|nr\\.|number|code|licen[cs]e|web|industry|"
    "point|chart|exhibit|note|footnote|line|round|act|bill|form|windows|python"
)
"""Nouns that are numbered. "Slide 7" and "slides 3 and 4" count nothing, whatever the slides are about."""
_STANDARDS: Final = "ISO|IEC|EN|DIN|IEEE|RFC|SOC|NIST|IFRS|IAS|ANSI|ASTM|FIPS|CVE|SDG|COP|BS|FERC"
_MORE: Final = r"(?:, | ?[-–&/] ?| and | or | to | of )\d{1,4}(?![\d.,]*\d?\s?[%€$£]|[.,]?\d)"
_LIST: Final = rf"(?:\.\d{{1,2}}){{0,3}}[a-d]?(?:{_MORE})*"
# "Year 5" is numbered, and "site 5 %" is not: a figure with a unit measures.
_NO_UNIT: Final = (
    r"(?![\w%€$£°]|[.,]\d|\s?[%€$£]|\s(?:k|m|bn|mio|million|billion|thousand|EUR|USD|GBP|CHF|percent|per)\b)"
)

_PATTERNS: Final = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"\b(?:Q[1-4]|H[12]) [12]\d(?= [a-z])",  # "in Q3 25 sales": a year or a count, which nobody can tell
        r"(?i)\b(?:https?://|www\.)\S+",
        r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}",
        rf"(?i)(?<!\bper )(?<!\beach )(?<!\ba )\b(?:{_NUMBERED})s?\s#?\d{{1,5}}{_LIST}{_NO_UNIT}",
        rf"\b(?:{_STANDARDS})(?:[ /-](?:{_STANDARDS})){{0,2}}[ -][A-Z]?\d[\d.:-]*",
        r"\w\+\+\d+|#\d[\w-]*|№\s?\d+|§+\s?\d+[a-z]?",
        r"(?i)\bv\.?\s?\d+(?:\.\d+)*\b",
        r"(?<![\w.,])\d+(?:\.\d+){2,}(?![\d,])(?<!\.\d{3})",  # 1.0.4, and not 1.234.567
        r"(?<![\w.,])\d+\.\d+\.x\b",
        r"\+\d{1,3}(?! \d{3}(?: \d{3})*(?!\d))(?=[\d ()/-]{9,})(?:[ ()/-]{1,2}\d+){2,}",
        r"\(\d{3}\) ?\d{3}-\d{4}|(?<![\w-])\d{3}-\d{3}-\d{4}",
        r"(?i)\b(?:tel|phone|fax|mobile|call)\b[.:]?\s?[+(]{0,2}(?:\d[ ()/-]{0,2}){8,}",
        r"(?<![\w.,'’])(?<!\d[ \u00a0\u2009\u202f])0\d[\d/ -]*\d",  # 030 1234567, 007
        r"(?<![\w.,])\d{12,}(?![\d.,])",
        r"(?i)(?<![\w:])\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|(?<![\w.,])\d{1,2}(?:[.:]\d\d)?\s?[ap]\.?m\b\.?",
        r"(?i)(?<![\w.,])\d{1,2}(?:\.\d\d)?\s(?:o'clock|uhr)\b",
        r"(?<![\w.,])\d+:\d+(?![\d.])",
        r"(?<![\w.,/])(?:24/7|9/11|360°|365/24/7)(?![\d/])",
        rf"(?<![\w.,/])(?:{'|'.join(f'{n}/{100 - n}' for n in range(5, 100, 5))})(?![\d/])",  # 80/20
        r"\b(?:480|720|1080|1440|2160)[pi]\b|\bx(?:86|64)\b",
        r"(?<=\S)\s?\[\d{1,3}(?:[,–-] ?\d{1,3}){0,9}\]",  # a footnote
        r"(?i)\btwenty[- ]four[- /]seven\b|\bfifty[- ]fifty\b",
        r"(?:S&P|FTSE|DAX|MDAX|SMI|CAC|[Ff]ortune|Nasdaq|Formula)[ -]\d+",
        r"\b[A-Za-z]+_\w+==?-?\d[\d.]*",  # n_epochs=10: code
        r"(?<![\w.,])\d{3,5}[x×]\d{3,5}(?![\w.,]\d)",  # 1920x1080
        r"(?<![\w.,])(?:1st|2nd|3rd|\d+(?:st|nd|rd|th))\b",
        r"(?<![\w.,])(?:18|19|20)\d0s\b",
        r"(?:['’]|(?i:\b(?:the|early|late|mid|his|her|their|my|our))[ -])\d0s\b",
        r"(?m)^[ \t]*[(\[]?\d{1,2}[.)\]][ \t]+(?=\S)",  # numbering of a line
        r"(?m)^\d{1,2}[ \t](?=https?://)",  # a footnote
        r"(?m)^[ \t]*\d{1,3} ?/ ?\d{1,3}[ \t]*$",  # 3 / 12: a page
        r"(?i)\bCC[- ]BY(?:-\w\w)* \d\.\d|\b(?:GPL|LGPL|AGPL|MPL|EPL) ?v?\d(?:\.\d)?",
    )
)
_JOINED = re.compile(r"(?<![\w.,-])(?P<word>[A-Za-z][A-Za-z&]*)-\d[\w.-]*", re.ASCII)
"""COVID-19, GPT-4, F-35."""
_SPELLED_MAGNITUDES: Final = frozenset(
    {"hundred", "thousand", "million", "billion", "trillion", "mio", "mrd"}
)


def identifiers_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of figures that are not numbers, in no particular order."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match.span()
    for match in _JOINED.finditer(text):
        if match["word"].lower() not in _SPELLED_MAGNITUDES:
            yield match.span()


# ---------------------------------------------------------------------- neighbours
# Numbers that stand side by side: ranges, lists, "1 h 50 min" and "one in five".
#
# The parts of a range or a list stay numbers of their own and share a unit and a magnitude; a stretch of
# time in two units and a share in two numbers become one.


def settled(text: str, found: Sequence[Number]) -> tuple[Number, ...]:
    """Return the numbers of *text*, in order, after resolving each with its neighbours."""
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
    """Join the parts of one length of time: "1 h 50 min", "two years and six months", "4h 30m"."""
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
    """Join "1億2,000万円" into one number."""
    is_beside = one.end == other.start and one.unit is None and one.text[-1:] in HAN
    if not (is_beside and one.factor > other.factor):
        return None
    value, half = one.value + other.value, other.half
    words = text[one.start : other.end]
    return other._replace(text=words, start=one.start, value=value, low=value - half, high=value + half)


_OF_EVERY = re.compile(r"\s(?:in|(?:out\s)?of)\s(?:every|each)\s", re.IGNORECASE)
_ONE_IN = re.compile(r"(?<!number )\bone\s(?:in|out\sof)\s(?:(?:every|each)\s)?$", re.IGNORECASE)
_MAX_WHOLE: Final = 1000
"""Of a share in two numbers: "one in a thousand" is said, and "12 in 4,000" counts both."""


def _share(text: str, one: Number, other: Number) -> Number | None:
    """Join "four in ten", "1 in 5", "2 out of every 100"; "9 out of 10", two counts, stays two numbers."""
    gap = text[one.end : other.start]
    if one.unit or not (gap.lower() == " in " or _OF_EVERY.fullmatch(gap)):
        return None
    in_words = one.value == 1 or not any(char.isdigit() for char in one.text + other.text)
    return share_of(text, one.start, one.value, other) if in_words or len(gap) > 4 else None


def _one_in(text: str, after: int, whole: Number) -> Number | None:
    """Parse "one in …"; "one" alone is not read as a number, since it is mostly a pronoun."""
    left = max(after, whole.start - 20)
    if whole.start - left < len("one in ") or not (match := _ONE_IN.search(text[left : whole.start])):
        return None
    return share_of(text, left + match.start(), 1.0, whole)


def share_of(text: str, start: int, part: float, whole: Number) -> Number | None:
    """Return the share that *part* of *whole* makes, from *start* on, or None if it makes none."""
    size = whole.value
    if whole.unit or whole.scaled or not 0 < part < size <= _MAX_WHOLE:
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
    """Share the unit in lists of at least three numbers if only the last has it: "3, 2.4 and 1.7 million"."""
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
    """Return the text between the number at *at* and the one before it."""
    return text[found[at - 1].end : found[at].start]


_TO = re.compile(r"(?:\s?[-–—]\s?|\s(?:to|or|bis)\s)\+?", re.IGNORECASE)
_AND = re.compile(r"\sand\s(?:about\s)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:about\s|some\s)?$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s(?:about\s|around\s|just\s|some\s)?$", re.IGNORECASE)
_SHARED_BELOW: Final = 1_000
""" "From 2 to 4 million": a number from here on is no number of millions (`tests/claims/numbers.yaml`)."""
_MAX_APART: Final = 10
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
    """Return both ends of a range with the unit and magnitude that only one of them is written with."""
    is_small = abs(one.value) < _SHARED_BELOW and not one.scaled and (one.unit or one.factor == 1)
    is_near = abs(one.value * other.factor) <= _MAX_APART * abs(other.value)
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


# ---------------------------------------------------------------------- numbers


__all__ = ["Number", "cell_number", "numbers_in"]

KEPT: Final = 4096
"""Texts whose numbers are remembered: more than a deck and an hour of speech have sentences."""
_MAY_HOLD = re.compile(
    rf"[0-9½⅓⅔¼¾⅕⅛]|\b(?:zero|nought|{'|'.join((*ONES, *TEENS, *TENS))}|half|"
    r"an?[ -](?:fortnight|hundred|thousand|million|billion|trillion|dozen|third|quarter|fifth|"
    r"sixth|seventh|eighth|ninth|tenth))(?:fold)?\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=KEPT)
def numbers_in(text: str) -> tuple[Number, ...]:
    """Return the numbers of *text*, in order, without overlaps, and with `text[n.start:n.end] == n.text`."""
    plain = in_ascii(text)
    if not _MAY_HOLD.search(plain):
        return ()
    taken = bytearray(len(text))
    for start, end in (*((date.start, date.end) for date in dates_in(text)), *identifiers_in(plain)):
        taken[start:end] = b"x" * (end - start)
    return tuple(number._replace(text=text[number.start : number.end]) for number in _numbers(plain, taken))


def cell_number(text: str) -> Number | None:
    """Return the number that a table cell is ("2026" among counts is one), or None if it is not a number."""
    found = _numbers(in_ascii(text), bytearray(len(text)))
    if len(found) != 1:
        return None
    around = text[: found[0].start] + text[found[0].end :]
    rest = around.replace(found[0].noun or "", "", 1)
    is_more = any(char.isalnum() and unicodedata.category(char) != "No" for char in rest)
    return None if is_more else found[0]._replace(text=text[found[0].start : found[0].end])


def _numbers(text: str, taken: bytearray) -> tuple[Number, ...]:
    """Return the numbers of *text* outside the characters that are *taken*."""
    figures = sorted(
        (*fractions_in(text), *figures_in(text), *spelled_in(text)), key=lambda f: (f.start, -f.end)
    )
    found: list[Number] = []
    for figure in figures:
        if (found and figure.start < found[-1].end) or taken.find(b"x", *figure[:2]) >= 0:
            continue
        if (read := _read(text, figure, found[-1].end if found else 0)) is not None:
            found.append(read)
    return settled(text, found)


def _read(text: str, figure: PlainNumber, after: int) -> Number | None:
    closes = text.startswith(")", figure.end) and text[figure.start - 1 : figure.start] == "("
    if closes and (money := money_before(text, figure.start - 1))[0]:  # "€(4.2)m"
        figure, (currency, own_factor, _, start), sign = figure._replace(end=figure.end + 1), money, -1.0
    else:
        currency, own_factor, sign, start = money_before(text, figure.start)
    if start < after:  # the currency belongs to the number before: "5 € 3"
        currency, own_factor, sign, start = None, 1.0, 1.0, figure.start
    before = text[max(0, start - 1) : start]
    is_joined = before.isalnum() and currency is None and start == figure.start
    is_joined = is_joined and not is_of_a_script_without_case(before)
    if is_joined and _NAMED.search(text[max(0, start - 2) : start]):
        return None  # "B2B"; the codes of currencies stand without a space too
    unit = unit_after(text, figure.end, currency)
    if unit.name is None and before in ("x", "×") and _TIMES.search(text[max(0, start - 3) : start]):
        start, unit = start - 1, unit._replace(name="x")
    elif unit.name is None and before == "%" and _PERCENT_BEFORE.search(text[:start]):
        start, unit = start - 1, unit._replace(name="%")
    measure = measure_after(text, unit.end) if unit.name is None and unit.end == figure.end else None
    if is_of_a_script_without_case(text[unit.end : unit.end + 1]):
        measure = text[unit.end] if unit.name is None else None  # the word that counts: 人, 社, 台
    elif not measure and text[unit.end : unit.end + 1].isalpha() and text[unit.end - 1].isdigit():
        return None  # "5G", "2FA"
    factor = unit.factor * own_factor
    value, half = sign * figure.value * factor, abs(factor) * _half(figure, is_scaled=unit.scaled)
    if brackets := _BRACKETS.fullmatch(text[:start] + text[unit.end :]) if len(text) < _CELL else None:
        return _negative(text, value, half, "%" if brackets["percent"] else unit.name)
    if len(text) < _CELL and _MINUS_BEHIND.fullmatch(text, unit.end) and not text[:start].strip(" |"):
        value, unit = -abs(value), unit._replace(end=len(text.rstrip()))
    end = unit.end
    if unit.name in TIME_UNITS and (more := _AND_A_HALF.match(text, end)):
        end, value, half = more.end(), value + factor / 2, factor / 4
    low, high = value - half, value + half
    if hedge := hedge_beside(text, start, end, is_time=unit.name in TIME_UNITS):
        low, high = hedge.widen(value, low, high)
    elif unit.is_open:
        low, high = value, float("inf")
    noun = (measure or _noun(text, end, is_one=value == 1)) if unit.name is None else None
    scaled = unit.scaled or figure.factor > 1
    return Number(
        text[start:end], start, end, value, low, high, unit.name, noun, half, factor * figure.factor, scaled
    )


def _half(figure: PlainNumber, *, is_scaled: bool) -> float:
    """Return half of the last decimal place to which the figure is written."""
    if figure.is_share:
        return SHARE_SLACK * figure.value
    return (last_place(figure.value) if figure.step == 1 and not is_scaled else figure.step) / 2


_AND_A_HALF = re.compile(r"\sand\sa\shalf\b", re.IGNORECASE)  # "two years and a half"


# "B2B", "MP3": letters that the figure belongs to.
_NAMED = re.compile(r"(?<![^\W_])(?!x$)[^\W\d_]$|[^\W_][^\W\d_]$")
_TIMES = re.compile(r"(?:^|(?<!\d)[\s(])[x×]$|^[x×]$")
""" "x2", "×3"; "5 ×3" multiplies."""
_PERCENT_BEFORE = re.compile(r"(?:^|[\s(])%$")
""" "%12", as Turkish has it."""
_MINUS_BEHIND = re.compile(r"\s?[-−–]\s*")
""" "90.5-" in a cell, as accounting programs print it."""
_CELL: Final = 40
"""Characters of a text that brackets may turn into a negative number: a cell, as in `checks/tables.py`."""
_BRACKETS = re.compile(r"\s*\(\s*\)\s*(?P<percent>%)?\s*")


def _negative(text: str, value: float, half: float, unit: str | None) -> Number:
    """Parse a negative number as accounts write it: "(1,234)", "(5)%"."""
    start, end, value = text.index("("), len(text.rstrip()), -abs(value)
    return Number(
        text[start:end], start, end, value, value - half, value + half, unit, None, half, scaled=True
    )


_WORDS = re.compile(rf"(?:{SPACE}|-|\n)(?P<word>[^\W\d_][\w'’-]*)")
_NOUN_WITHIN: Final = 3
"""Words in which the counted noun is looked for: "29 new members", "8 parallel CI jobs"; with one, "new"."""


def _noun(text: str, end: int, *, is_one: bool) -> str | None:
    """Return the first plural within three words, else the next word, as behind "one"."""
    first = None
    end = mark.end() if (mark := RAISED.match(text, end)) else end
    for _ in range(1 if is_one else _NOUN_WITHIN):
        match = _WORDS.match(text, end)
        if match is None or len(match["word"]) == 1 or match["word"].lower() in FUNCTION_WORDS:
            break
        word = match["word"]
        first, end = first or word, match.end()
        if word.endswith("s") and not word.endswith("ss"):
            return word
    return first
