"""Read one sentence with its numbers and dates, as the rules of arithmetic see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from orchestrator.material.checks.amount import (
    IN_DAYS,
    IN_MONTHS,
    TIME,
    Amount,
    Interval,
    IntervalError,
    UnitError,
    alike,
    in_unit,
    point,
    years_of,
)
from orchestrator.material.checks.comparison import (
    all_known,
    are_comparable,
    is_explained,
    is_far,
    is_rounded,
    slack_of,
)
from orchestrator.material.checks.tables import FARTHEST
from orchestrator.material.checks.written import number_text, said
from orchestrator.material.claim import Place, Tension
from orchestrator.material.claims.dates import WEEKDAYS, Date, dates_in
from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.claims.sentences import MAX_SENTENCE, sentences
from orchestrator.material.claims.units import is_currency

# ---------------------------------------------------------------------- sentence


_LEFT_OPEN = re.compile(r"\b(?:if|would|could|might|suppose|imagine|assum\w+|e\.g\.|example|say)\b|\?", re.I)
"""Matches words of a sentence that supposes or asks, and so claims nothing."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, verbatim, with the numbers and dates found in it."""

    text: str
    place: Place

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return numbers_in(self.text)

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        return dates_in(self.text)

    def tension(self, kind: str, note: str, sum_: str) -> Tension:
        """Return a tension in which the sentence contradicts itself."""
        return Tension(kind, self.place, self.place, note, sum=sum_)


def sentences_of(text: str, place: Callable[[str], Place]) -> Iterator[Sentence]:
    """Yield the sentences of *text* that contain figures and claim them."""
    if not any(char.isdecimal() for char in text):
        return
    for start, end in sentences(text):
        sentence = text[start:end]
        if end - start <= MAX_SENTENCE and not _LEFT_OPEN.search(sentence):
            yield Sentence(sentence, place(sentence))


def interval_of(number: Number) -> Interval:
    """Return the values that the wording of *number* allows."""
    return Interval(number.low, number.high)


def is_time(number: Number) -> bool:
    """Return whether the number is a length of time of a day or more."""
    return number.unit in ("day", "week") or number.unit in IN_MONTHS


def is_amount(number: Number) -> bool:
    """Return whether the number is money or a count, not a share, a factor or a length of time."""
    return number.unit not in ("%", "pp", "x") and number.unit not in IN_DAYS and number.unit not in IN_MONTHS


# ---------------------------------------------------------------------- growth
# Growth against both end points in one sentence: "from 3.1M to 4.2M (+14 %)", "4.2M, up 14 % on 3.1M".


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
"""Matches words which show that a change is spread over several years, or counted in points."""


def growth_tensions(sentence: Sentence) -> Iterator[Tension]:
    """Yield each change in percent that contradicts the two amounts beside it."""
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
    """Yield the numbers of "from A to B (+P %)" or "from A to B, up P %", if the sentence has that form."""
    text, (one, two, three) = sentence.text, sentence.numbers
    gap = text[two.end : three.start]
    is_tied = _FROM.search(text[: one.start]) and _TO.fullmatch(text[one.end : two.start])
    is_said = (_UP_SAID.search(gap) and _CHANGE_BEHIND.fullmatch(gap)) or _BRACKETED.fullmatch(gap)
    if is_tied and is_said and three.unit == "%" and _ENDS.match(text, three.end):
        yield one, two, three


def _up_on(sentence: Sentence) -> Iterator[tuple[Number, Number, Number]]:
    """Yield the numbers of "B, up P % on A", if only the counted word is between B and the change."""
    text, (one, two, three) = sentence.text, sentence.numbers
    gaps = text[one.end : two.start], text[two.end : three.start]
    if two.unit == "%" and _UP_ON.fullmatch(gaps[0]) and _ON.fullmatch(gaps[1]):
        yield three, one, two


def _is_long(sentence: Sentence) -> bool:
    """Return whether the sentence names years more than one year apart."""
    years = [date.first.year for date in sentence.dates if date.has_year]
    return bool(years) and max(years) - min(years) > 1


def _fits(before: Number, after: Number, change: Number) -> bool:
    """Return whether the change fits, measured from either amount or as one amount's share of the other."""
    try:
        ratio = interval_of(after) / interval_of(before)
        back = interval_of(before) / interval_of(after)
    except IntervalError:
        return True
    said = abs(interval_of(change))
    half = Interval(said.low - 0.5, said.high + 0.5)
    readings = (ratio - point(1), back - point(1), ratio, back)
    return any(abs(reading * point(100)).may_equal(half) for reading in readings)


# ---------------------------------------------------------------------- percentages
# A part of a whole with its share: "48 of 120 sites (45 %)", "48 of 120 sites, or 45 %, …".


_OF = re.compile(r"\s*(?:\w+ )?(?:out )?of (?:the |our |all |its |their )?\s*", re.IGNORECASE)
_OPENS = re.compile(r"\s*[\w-]*\s*\((?:or |that is |i\.e\. |about |some |~)?\s*", re.IGNORECASE)
_CLOSES = re.compile(r"\s*\)")
_OR = re.compile(r"\s*[\w-]*\s*, or (?:about |some )?", re.IGNORECASE)
_COMMA = re.compile(r"\s*,")  # "or 45 %," and no longer clause


def share_tensions(sentence: Sentence) -> Iterator[Tension]:
    """Yield each "count out of a count" whose percentage, directly behind it, does not match it."""
    numbers = sentence.numbers
    for part, whole, share in zip(numbers, numbers[1:], numbers[2:], strict=False):
        if not _is_share(sentence, part, whole, share) or _fits_share(part, whole, share):
            continue
        value = 100 * part.value / whole.value
        is_known = are_comparable(sentence.text, (part, whole)) and all_known(sentence.text, (share,))
        if is_known and not is_far(value, share.value):
            sum_ = f"{part.text} of {whole.text} is {number_text(value)} %, not {share.text}"
            yield sentence.tension("share", sum_, sum_)


def _is_share(sentence: Sentence, part: Number, whole: Number, share: Number) -> bool:
    text = sentence.text
    return (
        is_amount(part)
        and share.unit == "%"
        and 0 < part.value <= whole.value
        and _OF.fullmatch(text[part.end : whole.start]) is not None
        and any(
            opens.fullmatch(text[whole.end : share.start]) and closes.match(text[share.end :])
            for opens, closes in ((_OPENS, _CLOSES), (_OR, _COMMA))
        )
    )


def _fits_share(part: Number, whole: Number, share: Number) -> bool:
    """Return whether the share is that of the part or of the rest, or a change between part and whole."""
    try:
        ratio = interval_of(part) / interval_of(whole) * point(100)
    except IntervalError:
        return True
    said = interval_of(share)
    half = Interval(said.low - 0.5, said.high + 0.5)  # a share is cut as often as it is rounded
    return ratio.may_equal(half) or (point(100) - ratio).may_equal(half)


# ---------------------------------------------------------------------- rates
# Money, a rate and months in one sentence: how long the money lasts.


_PER = re.compile(
    r"\s*(?:[\w-]+ )?(?:per|a|an|each|every|/|in a)\s?(?P<unit>day|week|month|quarter|year)\b", re.IGNORECASE
)
_LASTS = re.compile(
    r"\s*(?:[\w-]+ ){0,4}(?:lasts?|is enough for|gives|buys)(?: us)?(?: for)?(?: a runway of)?\s*",
    re.IGNORECASE,
)
"""Matches the text between money and time: a length of time that is only near a sum may be that of other
money."""

_SLACK: Final = 0.08
"""Share of the time by which it may be off: a runway is counted to the end of a month and named whole, one in
twelve of a year."""


def rate_tensions(sentence: Sentence) -> Iterator[Tension]:
    """Yield each sum of money that does not last as long as the sentence says, at the rate stated."""
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


# ---------------------------------------------------------------------- times
# Times in one sentence: a duration against its start and end, a weekday against its date.


_TO_MULTIPLE = re.compile(
    r"\s*(?:to|until|till|through|–|—|-|and ends (?:on|in))\s*(?:the end of )?", re.IGNORECASE
)
_FROM_MULTIPLE = re.compile(r"\s*[,:(]?\s*(?:long )?[,:(]?\s*(?:from|between)\s+(?:the )?", re.IGNORECASE)
_BEHIND = re.compile(r"\s*[,:;(=]\s*(?:that is|which is|i\.e\.|a total of|in all)?\s*", re.IGNORECASE)
# Behind it no other time may follow.
_ENDS_MULTIPLE = re.compile(r"\s*(?:long|in all|in total)?\s*(?:[).;]|$)", re.IGNORECASE)


def time_tensions(sentence: Sentence) -> Iterator[Tension]:
    """Yield each date that contradicts its weekday, and each duration that contradicts its start and end."""
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
    """Return whether the text is "from A to B (T)", "from A to B, T." or "T from A to B" and no more."""
    text = sentence.text
    if not _TO_MULTIPLE.fullmatch(text[start.end : end.start]):
        return False
    if length.end <= start.start:
        return _FROM_MULTIPLE.fullmatch(text[length.end : start.start]) is not None
    behind = length.start >= end.end and _BEHIND.fullmatch(text[end.end : length.start])
    return bool(behind) and _ENDS_MULTIPLE.match(text, length.end) is not None


# ---------------------------------------------------------------------- lists
# A list and its total in one sentence: "3.1M for A, 2.4M for B, 5.8M in all".


_BEHIND_LIST = re.compile(
    r"\s*(?:\w+\s+)?(?:in all|in total|altogether|all told)\s*[.;)]?\s*$", re.IGNORECASE
)
"""Matches the words after a list's total, at the end of the sentence, with at most the counted word
between."""

_BEFORE = re.compile(
    r"(?:\bin total|\bin all|\baltogether|\ba total of|\btotal(?:ling|ing)?|\bmakes|\bmake|=)[\s:,]*$",
    re.IGNORECASE,
)
"""Matches the words before a list's total, which is then the last number of the sentence."""

_NO_LIST = re.compile(
    r"\b(?:of which|of (?:these|those|them)|including|per|each|from|to|between|than|against|instead|not|"
    r"less|minus|remain\w*|left|another|every|versus|vs|times|about)\b|[×*/–]| x ",
    re.IGNORECASE,
)
"""Matches words that relate two figures in another way than as items of a list."""


def list_tensions(sentence: Sentence) -> Iterator[Tension]:
    """Yield each list of amounts in one unit that does not add up to the total at the list's end."""
    numbers = sentence.numbers
    if len(numbers) < 3 or sentence.dates:
        return
    *parts, total = numbers
    behind = sentence.text[total.end :]
    # 30 characters: the noun that is counted and a word or two; with more, the sentence goes on.
    if not (
        _BEHIND_LIST.fullmatch(behind) or (_BEFORE.search(sentence.text[: total.start]) and len(behind) < 30)
    ):
        return
    if _NO_LIST.search(sentence.text) or min(number.value for number in parts) <= 0:
        return
    if not are_comparable(sentence.text, numbers, whole=True):
        return
    if (sum_ := _wrong(parts, total, sentence.text)) is not None:
        yield sentence.tension("sum", f"the list does not add up to its total: {sum_}", sum_)


def _wrong(parts: Sequence[Number], total: Number, text: str) -> str | None:
    """Return the sum as people write it, if it fails and cannot be meant in another way, else None."""
    values = [number.value for number in parts]
    value = sum(values)
    worst = sum((number.high - number.low) / 2 for number in (*parts, total))
    if _may_hold(parts, total, text) or is_explained(values, total.value, worst):
        return None
    if not max(values) < total.value < FARTHEST * value or value > FARTHEST * total.value:
        return None
    if _is_partial(parts, total):
        return None
    return f"{' + '.join(number.text for number in parts)} = {number_text(value)}, not {total.text}"


def _may_hold(parts: Sequence[Number], total: Number, text: str) -> bool:
    """Return whether the total may be that of the parts, as worded or with each number rounded."""
    allowed = Interval(sum(number.low for number in parts), sum(number.high for number in parts))
    if not allowed.may_equal(interval_of(total)):
        return False
    if not all(is_rounded(number, text) for number in (*parts, total)):
        return True
    slack = slack_of([number.half for number in (*parts, total)])
    return abs(sum(number.value for number in parts) - total.value) <= slack * (1 + 1e-9)


def _is_partial(parts: Sequence[Number], total: Number) -> bool:
    """Return whether the list may name only the largest items of the total, or things it does not count."""
    rest = total.value - sum(number.value for number in parts)
    if total.noun is not None and any(number.noun not in (None, total.noun) for number in parts):
        return True
    return rest > 0 and (len(parts) < 3 or rest >= min(number.value for number in parts))
