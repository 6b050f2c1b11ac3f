"""Money, a rate and months in one sentence: how long it lasts, or what it comes to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.checks.amount import TIME, Amount, UnitError, in_unit
from orchestrator.checks.interval import Interval, IntervalError
from orchestrator.checks.sentence import Sentence, interval_of, is_amount, is_time
from orchestrator.checks.written import number_text
from orchestrator.claims.model import Tension
from orchestrator.claims.numbers import Number

_PER = re.compile(
    r"\s*(?:[\w-]+ )?(?:per|a|an|each|every|/|in a)\s?(?P<unit>day|week|month|quarter|year)\b", re.IGNORECASE
)
_LASTS = re.compile(
    r"\s*(?:[\w-]+ ){0,4}(?:lasts?|is enough for|gives|buys)(?: us)?(?: for)?(?: a runway of)?\s*",
    re.IGNORECASE,
)
"""Between the money and the time: a runway that only stands beside a sum may be that of other money."""

_FOR = re.compile(r"\s*(?:,|for|over|×|x|times)\s+(?:the )?(?:next )?", re.IGNORECASE)
_COMES_TO = re.compile(
    r"\s*[,:;(]?\s*(?:=|in all|in total|altogether|(?:and )?(?:that )?(?:comes to|makes|is))\s*(?:about )?",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"\s*(?:in all|in total|altogether)\b", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,;:(]\s*")

_SLACK: Final = 0.08
"""Of the months: a runway is counted to the end of a month, and named whole."""


def rate_tensions(sentence: Sentence) -> Iterator[Tension]:
    """An amount, an amount a month and months, of which one is not what the two others give."""
    numbers = sentence.numbers
    if len(numbers) != 3:
        return
    money = [number for number in numbers if is_amount(number) and number.value > 0]
    lengths = [number for number in numbers if is_time(number)]
    rates = [
        (number, match["unit"].lower())
        for number in money
        if (match := _PER.match(sentence.text, number.end))
    ]
    if len(money) != 2 or len(lengths) != 1 or len(rates) != 1 or money[0].unit != money[1].unit:
        return
    rate, unit = rates[0]
    whole = next(number for number in money if number is not rate)
    if not (_says_how_long(sentence, whole, lengths[0]) or _says_how_much(sentence, rate, lengths[0], whole)):
        return
    if (sum_ := _wrong(whole, rate, lengths[0], unit)) is not None:
        yield sentence.tension("rate", f"money, rate and time do not fit: {sum_}", sum_)


def _is_money(number: Number) -> bool:
    return number.unit is not None and len(number.unit) == 3 and number.unit.isupper()


def _says_how_long(sentence: Sentence, whole: Number, length: Number) -> bool:
    return _is_money(whole) and _LASTS.fullmatch(sentence.text[whole.end : length.start]) is not None


def _says_how_much(sentence: Sentence, rate: Number, length: Number, whole: Number) -> bool:
    """ "R a month for T months, M in all": the three adjoin, in this order."""
    text = sentence.text
    if not rate.end < length.start < length.end <= whole.start:
        return False
    per = _PER.match(text, rate.end)
    if per is None or not _FOR.fullmatch(text[per.end() : length.start]):
        return False
    gap = text[length.end : whole.start]
    return bool(_COMES_TO.fullmatch(gap) or (_COMMA.fullmatch(gap) and _BEHIND.match(text, whole.end)))


def _wrong(whole: Number, rate: Number, length: Number, unit: str) -> str | None:
    """The sum as people write it, if it fails."""
    try:
        time = in_unit(Amount(length.value, interval_of(length), TIME, length.unit or ""), unit)
        lasts = interval_of(whole) / interval_of(rate)
    except (UnitError, IntervalError):
        return None
    slack = max(0.5, _SLACK * time.value) if _is_whole(length) else 0.0
    if Interval(time.interval.low - slack, time.interval.high + slack).may_equal(lasts):
        return None
    months = number_text(whole.value / rate.value)
    return f"{whole.text} ÷ {rate.text} a {unit} = {months} {unit}s, not {length.text}"


def _is_whole(number: Number) -> bool:
    return number.value == int(number.value)
