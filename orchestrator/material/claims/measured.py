"""The quantities of a sentence: each number with the time beside it and the words that it stands with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.material.claims.dates import Date, dates_in
from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.claims.units import TIME_UNITS, is_currency
from orchestrator.material.claims.word_classes import FUNCTION_WORDS
from orchestrator.material.model.claim import Quantity

_RECURS = re.compile(
    r"(?:per|a|an|each|every)\s(?:second|minute|hour|day|week|month|quarter|year|annum)\b"
    r"|/\s?(?:second|sec|s|minute|min|hour|hr|h|day|week|wk|month|mo|quarter|year|yr|a)\b|p\.\s?a\."
    r"|(?:annually|yearly|quarterly|monthly|weekly|daily|hourly)\b(?!\s\w)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()–—]|\.(?=\s)|\s-\s")  # a full stop only before white space: 4.2 holds none
_WORD = re.compile(r"[^\W_][\w.&/'’-]*")
_LONGEST_SUBJECT: Final = 6
"""Words, a phrase of half a line; the subject is shown beside the number and never parsed."""


def quantities_of(text: str) -> tuple[tuple[Quantity, ...], tuple[Date, ...]]:
    """The quantities of *text*, in order, and its dates; `Quantity.text` is verbatim."""
    numbers, dates = [one for one in numbers_in(text) if _measures(one)], dates_in(text)
    return tuple(_quantity(text, number, numbers, dates) for number in numbers), dates


def _measures(number: Number) -> bool:
    """Not a nought or a one in letters without a unit: "one approach", "Zero Trust"."""
    return number.unit is not None or number.value not in (0, 1) or not number.text.isalpha()


def kinds_of(quantities: Sequence[Quantity], *, has_date: bool) -> tuple[str, ...]:
    """The kinds that the numbers make a claim, the most telling first."""
    found = {_kind(quantity.unit) for quantity in quantities} | ({"date"} if has_date else set())
    return tuple(kind for kind in ("money", "percent", "count", "duration", "date") if kind in found)


def _kind(unit: str | None) -> str:
    if is_currency(unit):
        return "money"
    if unit in ("%", "pp"):
        return "percent"
    return "duration" if unit in TIME_UNITS else "count"


def _quantity(text: str, number: Number, numbers: Sequence[Number], dates: Sequence[Date]) -> Quantity:
    return Quantity(
        value=number.value,
        unit=number.unit or number.noun,
        period=_period(text, number, numbers, dates),
        subject=_subject(text, number, numbers, dates),
        text=number.text,
    )


def _period(text: str, number: Number, numbers: Sequence[Number], dates: Sequence[Date]) -> str | None:
    """ "Per month" behind the number, else the nearest date without another number between them."""
    behind = min((other.start for other in numbers if other.start >= number.end), default=len(text))
    if (match := _RECURS.search(text, number.end, behind)) and not _CLAUSE.search(
        text, number.end, match.start()
    ):
        return match[0]
    beside = [date for date in dates if not _between(number, date, numbers)]
    if not beside:
        return None
    return min(beside, key=lambda date: _distance(text, number, date)).text


def _distance(text: str, number: Number, date: Date) -> tuple[bool, int]:
    left, right = min(number.end, date.end), max(number.start, date.start)
    return _CLAUSE.search(text, left, right) is not None, right - left


def _between(number: Number, date: Date, numbers: Sequence[Number]) -> bool:
    left, right = min(number.end, date.end), max(number.start, date.start)
    return any(left <= other.start and other.end <= right for other in numbers if other != number)


def _subject(text: str, number: Number, numbers: Sequence[Number], dates: Sequence[Date]) -> str | None:
    """The noun that is counted; else the words of the clause before the number, or those behind it."""
    if number.noun is not None:
        return number.noun
    before = max((other.end for other in numbers if other.end <= number.start), default=0)
    behind = min((other.start for other in numbers if other.start >= number.end), default=len(text))
    cuts = [match.end() for match in _CLAUSE.finditer(text, before, number.start)]
    stop = _CLAUSE.search(text, number.end, behind)
    colon = cuts and not text[cuts[-1] : number.start].strip()  # "Gross margin: 64 %"
    left = _telling(
        text, ([before, *cuts][-2] if colon else [before, *cuts][-1]), number.start, from_end=True
    )
    found = left or _telling(text, number.end, stop.start() if stop else behind, from_end=False)
    return None if any(date.text == found for date in dates) else found


def _telling(text: str, start: int, end: int, *, from_end: bool) -> str | None:
    """A stretch of *text* without function words at its ends, of at most `_LONGEST_SUBJECT` words."""
    words = list(_WORD.finditer(text, start, end))
    while words and words[-1][0].lower() in FUNCTION_WORDS:
        words.pop()
    while words and words[0][0].lower() in FUNCTION_WORDS:
        words.pop(0)
    kept = words[-_LONGEST_SUBJECT:] if from_end else words[:_LONGEST_SUBJECT]
    return text[kept[0].start() : kept[-1].end()] if kept else None
