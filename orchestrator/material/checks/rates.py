"""Money, a rate and months in one sentence: how long the money lasts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.material.checks.amount import (
    TIME,
    Amount,
    UnitError,
    in_unit,
)
from orchestrator.material.checks.comparable import all_known, are_comparable, is_far
from orchestrator.material.checks.interval import Interval, IntervalError
from orchestrator.material.checks.sentence import Sentence, interval_of, is_time
from orchestrator.material.checks.written import number_text
from orchestrator.material.claims.units import is_currency
from orchestrator.material.model.claim import Tension

_PER = re.compile(
    r"\s*(?:[\w-]+ )?(?:per|a|an|each|every|/|in a)\s?(?P<unit>day|week|month|quarter|year)\b", re.IGNORECASE
)
_LASTS = re.compile(
    r"\s*(?:[\w-]+ ){0,4}(?:lasts?|is enough for|gives|buys)(?: us)?(?: for)?(?: a runway of)?\s*",
    re.IGNORECASE,
)
"""Between the money and the time: a runway that only stands beside a sum may be that of other money."""

_SLACK: Final = 0.08
"""Share of the time: a runway is counted to the end of a month and named whole, one in twelve of a year."""


def rate_tensions(sentence: Sentence) -> Iterator[Tension]:
    """Money that does not last as long, at a rate, as the sentence says."""
    text, numbers = sentence.text, sentence.numbers
    money = [number for number in numbers if is_currency(number.unit) and number.value > 0]
    rates = [(number, match) for number in money if (match := _PER.match(text, number.end))]
    if len(numbers) != 3 or len(money) != 2 or len(rates) != 1 or not are_comparable(text, money):
        return
    ((rate, per),) = rates
    (length,) = (number for number in numbers if number not in money)
    whole = money[money[0] is rate]
    if not is_time(length) or not _LASTS.fullmatch(text[whole.end : length.start]):
        return
    unit = per["unit"].lower()
    try:
        time = in_unit(Amount(length.value, interval_of(length), TIME, length.unit or ""), unit)
        lasts = interval_of(whole) / interval_of(rate)
    except (UnitError, IntervalError):
        return
    slack = max(0.5, _SLACK * time.value) if length.value == int(length.value) else 0.0
    if is_far(whole.value / rate.value, time.value) or not all_known(text, (length,)):
        return
    if not Interval(time.interval.low - slack, time.interval.high + slack).may_equal(lasts):
        months = number_text(whole.value / rate.value)
        sum_ = f"{whole.text} ÷ {rate.text} a {unit} = {months} {unit}s, not {length.text}"
        yield sentence.tension("rate", f"money, rate and time do not fit: {sum_}", sum_)
