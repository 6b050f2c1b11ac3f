"""Growth against both end points in one sentence: "from 3.1M to 4.2M (+14 %)", "4.2M, up 14 % on 3.1M"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.material.checks.comparable import all_known, are_comparable, is_far
from orchestrator.material.checks.interval import Interval, IntervalError, point
from orchestrator.material.checks.sentence import Sentence, interval_of, is_amount
from orchestrator.material.checks.written import number_text
from orchestrator.material.claims.numbers import Number
from orchestrator.material.model.claim import Tension

_UP: Final = r"(?:up|down|plus|minus|\+|[−–-]|by|rise of|fall of|growth of|increase of|decrease of|drop of)"
_UP_SAID = re.compile(rf"{_UP}\s*$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s*$", re.IGNORECASE)
# "from 3.1M in 2024 to": at most four words between.
_TO = re.compile(r"(?:\s+[\w-]+){0,4}\s+to\s+", re.IGNORECASE)
# "to 4.2M in 2025, up 14 %": at most three words and a bracket before the comma.
_CHANGE_BEHIND = re.compile(
    rf"(?:\s+[\w-]+){{0,3}}(?:\s*\(\w+(?: \w+)?\))?\s*[,(:;=]+\s*(?:an? )?{_UP}?\s*", re.IGNORECASE
)
# "to 4.2M in 2025 (+14 %)".
_BRACKETED = re.compile(rf"(?:\s+[\w-]+){{0,2}}\s*\(\s*{_UP}\s*", re.IGNORECASE)
_ON = re.compile(r"\s*(?:on|from|over|against|compared with|compared to)\s+(?:the )?", re.IGNORECASE)
# "4.2M euros, up 14 % on": at most one word, which is counted.
_UP_ON = re.compile(r"(?:\s+[\w-]+)?\s*[,(:;]\s*(?:up|down)\s*(?:by )?\s*", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:[).,;]|$)")  # "14 % of which" goes on to another figure
_SPREAD = re.compile(
    r"\b(?:per(?! ?cent)|a year|annual\w*|each|every|CAGR|compound|average|points?|yearly)\b", re.IGNORECASE
)
"""The change is spread over several years, or counted in points."""


def growth_tensions(sentence: Sentence) -> Iterator[Tension]:
    """A change in percent that is not the one between the two amounts it stands beside."""
    if len(sentence.numbers) != 3 or _SPREAD.search(sentence.text) or _is_long(sentence):
        return
    for before, after, change in (*_from_to(sentence), *_up_on(sentence)):
        is_one = (
            is_amount(before) and before.value > 0 < after.value and not is_far(before.value, after.value)
        )
        is_known = is_one and are_comparable(sentence.text, (before, after))
        if not is_known or not all_known(sentence.text, (change,)) or _fits(before, after, change):
            continue
        value = 100 * (after.value / before.value - 1)
        sum_ = f"{before.text} to {after.text} is {number_text(value)} %, not {change.text}"
        yield sentence.tension("growth", f"the change is not the one between the two: {sum_}", sum_)


def _from_to(sentence: Sentence) -> Iterator[tuple[Number, Number, Number]]:
    """ "From A to B (+P %)", or "from A to B, up P %"."""
    text, (one, two, three) = sentence.text, sentence.numbers
    gap = text[two.end : three.start]
    is_tied = _FROM.search(text[: one.start]) and _TO.fullmatch(text[one.end : two.start])
    is_said = (_UP_SAID.search(gap) and _CHANGE_BEHIND.fullmatch(gap)) or _BRACKETED.fullmatch(gap)
    if is_tied and is_said and three.unit == "%" and _ENDS.match(text, three.end):
        yield one, two, three


def _up_on(sentence: Sentence) -> Iterator[tuple[Number, Number, Number]]:
    """ "B, up P % on A": nothing but what is counted stands between B and the change."""
    text, (one, two, three) = sentence.text, sentence.numbers
    gaps = text[one.end : two.start], text[two.end : three.start]
    if two.unit == "%" and _UP_ON.fullmatch(gaps[0]) and _ON.fullmatch(gaps[1]):
        yield three, one, two


def _is_long(sentence: Sentence) -> bool:
    """The sentence names years that lie further apart than one."""
    years = [date.first.year for date in sentence.dates if date.has_year]
    return bool(years) and max(years) - min(years) > 1


def _fits(before: Number, after: Number, change: Number) -> bool:
    """The change, whichever of the two it is counted from, or the one as a share of the other."""
    try:
        ratio = interval_of(after) / interval_of(before)
        back = interval_of(before) / interval_of(after)
    except IntervalError:
        return True
    said = abs(interval_of(change))
    half = Interval(said.low - 0.5, said.high + 0.5)
    readings = (ratio - point(1), back - point(1), ratio, back)
    return any(abs(reading * point(100)).may_equal(half) for reading in readings)
