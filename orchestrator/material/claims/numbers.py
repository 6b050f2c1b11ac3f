"""The one reader of numbers: value, unit, and the interval that the wording allows.

Which interval, where no word widens it:

- the rounding of the last digit written: "4.2M" is 4.15 to 4.25 million, "4 million" 3.5 to 4.5;
- a whole number written out is exact to half a unit ("240": 239.5 to 240.5), but of its final noughts those
  beyond the third digit may be rounded: "40,000" is 39,950 to 40,050, "1,200" 1,195 to 1,205;
- "and a half" is rounded to halves; "a third" may miss by `SHARE_SLACK`.

A range ("10-12 %", "between 10 and 12") is two numbers, and the interval of both is the whole range; a change
("from 10 to 12") is two numbers with intervals of their own. Of "€3-5M" both have the unit and the magnitude.
"1 h 50 min" and "one in five" are one number each (`neighbours`); "9 out of 10" is two.
Hedges are those of `hedges`. No numbers: dates, and what `identifiers` lists. Brackets are a minus where
they hold all of the text, as in a cell: "(1,234)".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.digits import PlainNumber, figures_in, last_place
from orchestrator.material.claims.fractions import fractions_in
from orchestrator.material.claims.hedges import SHARE_SLACK, hedge_beside
from orchestrator.material.claims.identifiers import identifiers_in
from orchestrator.material.claims.neighbours import settled
from orchestrator.material.claims.number import Number
from orchestrator.material.claims.scripts import in_ascii, is_of_a_script_without_case
from orchestrator.material.claims.spelled import spelled_in
from orchestrator.material.claims.units import (
    RAISED,
    SPACE,
    TIME_UNITS,
    measure_after,
    money_before,
    unit_after,
)
from orchestrator.material.claims.word_classes import (
    FUNCTION_WORDS,
    ONES,
    TEENS,
    TENS,
)

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
    """The numbers of *text* in order; they never overlap, and `text[n.start:n.end] == n.text`."""
    plain = in_ascii(text)
    if not _MAY_HOLD.search(plain):
        return ()
    taken = bytearray(len(text))
    for start, end in (*((date.start, date.end) for date in dates_in(text)), *identifiers_in(plain)):
        taken[start:end] = b"x" * (end - start)
    return tuple(number._replace(text=text[number.start : number.end]) for number in _numbers(plain, taken))


def cell_number(text: str) -> Number | None:
    """The number that a table's cell is, years included ("2026" among counts); None: it is not one."""
    found = _numbers(in_ascii(text), bytearray(len(text)))
    if len(found) != 1:
        return None
    around = text[: found[0].start] + text[found[0].end :]
    rest = around.replace(found[0].noun or "", "", 1)
    is_more = any(char.isalnum() and unicodedata.category(char) != "No" for char in rest)
    return None if is_more else found[0]._replace(text=text[found[0].start : found[0].end])


def _numbers(text: str, taken: bytearray) -> tuple[Number, ...]:
    """The numbers of *text* where nothing is *taken* by what is no number."""
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
    """Half of the last place that the figure is written to."""
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
"""Characters of a text that brackets may turn into a negative number: a cell, as in `checks/grid.py`."""
_BRACKETS = re.compile(r"\s*\(\s*\)\s*(?P<percent>%)?\s*")


def _negative(text: str, value: float, half: float, unit: str | None) -> Number:
    """A minus as accounts write it: "(1,234)", "(5)%"."""
    start, end, value = text.index("("), len(text.rstrip()), -abs(value)
    return Number(
        text[start:end], start, end, value, value - half, value + half, unit, None, half, scaled=True
    )


_WORDS = re.compile(rf"(?:{SPACE}|-|\n)(?P<word>[^\W\d_][\w'’-]*)")
_NOUN_WITHIN: Final = 3
"""Words in which the counted noun is looked for: "29 new members", "8 parallel CI jobs"; with one, "new"."""


def _noun(text: str, end: int, *, is_one: bool) -> str | None:
    """The first plural within three words, else the word that follows, as behind "one"."""
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
