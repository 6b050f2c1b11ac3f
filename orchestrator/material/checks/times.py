"""Times in one sentence: a duration against its start and end, a weekday against its date."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.material.checks.amount import (
    TIME,
    Amount,
    UnitError,
    alike,
    years_of,
)
from orchestrator.material.checks.comparable import all_known, is_far
from orchestrator.material.checks.sentence import Sentence, interval_of, is_time
from orchestrator.material.checks.written import said
from orchestrator.material.claims.calendar import WEEKDAYS
from orchestrator.material.claims.dates import Date
from orchestrator.material.claims.numbers import Number
from orchestrator.material.model.claim import Tension

_TO = re.compile(r"\s*(?:to|until|till|through|–|—|-|and ends (?:on|in))\s*(?:the end of )?", re.IGNORECASE)
_FROM = re.compile(r"\s*[,:(]?\s*(?:long )?[,:(]?\s*(?:from|between)\s+(?:the )?", re.IGNORECASE)
_BEHIND = re.compile(r"\s*[,:;(=]\s*(?:that is|which is|i\.e\.|a total of|in all)?\s*", re.IGNORECASE)
# Behind it no other time may follow.
_ENDS = re.compile(r"\s*(?:long|in all|in total)?\s*(?:[).;]|$)", re.IGNORECASE)


def time_tensions(sentence: Sentence) -> Iterator[Tension]:
    """Where weekday and date, or duration, start and end, are not each other's."""
    yield from _weekdays(sentence)
    yield from _durations(sentence)


def _weekdays(sentence: Sentence) -> Iterator[Tension]:
    for date in sentence.dates:
        if date.weekday is None or not date.has_year or date.precision != "day":
            continue
        if (real := date.first.weekday()) != date.weekday:
            is_a, said_a = WEEKDAYS[real].title(), WEEKDAYS[date.weekday].title()
            sum_ = f"{date.first.day} {date.first:%B %Y} is a {is_a}, not a {said_a}"
            yield sentence.tension("date", sum_, sum_)


def _durations(sentence: Sentence) -> Iterator[Tension]:
    lengths = [number for number in sentence.numbers if is_time(number)]
    if len(lengths) != 1 or len(sentence.dates) != 2:
        return
    (length,), (start, end) = lengths, sentence.dates
    if start.has_year != end.has_year or not _adjoin(sentence, length, start, end):
        return
    first, last = years_of(start.first, start.last), years_of(end.first, end.last)
    apart = Amount(last.high - first.low, last - first, TIME, "year")
    if apart.value <= 0 or "fiscal year" in (start.precision, end.precision):
        return
    try:
        there, here = alike(apart, Amount(length.value, interval_of(length), TIME, length.unit or ""))
    except UnitError:
        return
    is_known = all_known(sentence.text, lengths) and not is_far(there.value, here.value)
    if is_known and not there.interval.may_equal(here.interval):
        sum_ = f"{start.text} to {end.text} is {said(apart)}, not {length.text}"
        yield sentence.tension("duration", sum_, sum_)


def _adjoin(sentence: Sentence, length: Number, start: Date, end: Date) -> bool:
    """ "from A to B (T)", "from A to B, T." or "T from A to B"; nothing else stands between."""
    text = sentence.text
    if not _TO.fullmatch(text[start.end : end.start]):
        return False
    if length.end <= start.start:
        return _FROM.fullmatch(text[length.end : start.start]) is not None
    behind = length.start >= end.end and _BEHIND.fullmatch(text[end.end : length.start])
    return bool(behind) and _ENDS.match(text, length.end) is not None
