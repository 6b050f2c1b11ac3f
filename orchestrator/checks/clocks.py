"""From one time of day to another, and the hours that are said to lie between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.calendar_words import days_named
from orchestrator.checks.hedged import interval, is_bound
from orchestrator.checks.passages import Passage, hypothetical
from orchestrator.checks.roots import roots
from orchestrator.checks.said import clause
from orchestrator.claims.model import Tension

_CLOCK: Final = r"(\d{{1,2}})(?:[:.h](\d\d))?\s?(?P<{0}>[ap]\.?m\.?)?(?:\s?(?:h|hrs|o['’]clock)\b)?"
_RANGE = re.compile(
    rf"(?<![\d:.,€£$-]){_CLOCK.format('one')}\s?(?:to|till|until|and|-|–|—|"
    rf"→)\s?{_CLOCK.format('two')}(?![\d:.,]*\d|\s?%)",
    re.IGNORECASE,
)
_STARTS_ENDS = re.compile(
    rf"\b(?:starts?|begins?|opens?|from|leaves?)\s+(?:at\s+)?{_CLOCK.format('one')}[^\d.;]{{1,40}}?\b(?:ends?|finish\w*|clos\w+|stops?|"
    rf"until|arrives?)\s+(?:at\s+)?{_CLOCK.format('two')}",
    re.IGNORECASE,
)
_BREAK = re.compile(r"\b(?:breaks?|lunch|pause|interrupt\w*|closed (?:from|between)|siesta)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:no|without|clos\w+|shut|not|never|suspended|stopped)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:half|each (?:driver|employee|person|nurse|of)|per (?:driver|employee|person|head|nurse)|average|"
    r"overtime|notice|before|after|within|ahead|later|earlier|more|less|longer|shorter|than|until|saved?|"
    r"instead|"
    r"used to|target|plan\w*|of which|delay\w*|every|last|next|previous\w*|minimum|maximum|max|rest)\b",
    re.IGNORECASE,
)
_TIED = re.compile(
    r"\b(?:that is|that makes|that gives|this makes|makes|makes it|which (?:is|makes|means|gives)|i\.e\.|"
    r"altogether|in all|in total|total(?:ling)?|so)\b|[=→(]",
    re.IGNORECASE,
)
_PER_WEEK = re.compile(
    r"\s*(?:opening )?(?:hours?\s*)?(?:a|per|each|every|/)\s?week\b|\s*weekly\b", re.IGNORECASE
)
_PER_OTHER = re.compile(
    r"\s*(?:a|per|each|every|/)\s?(?:month|year|quarter|season|person|head)\b", re.IGNORECASE
)
_FAR: Final = 0.05
_LEAST_H: Final = 0.4
_FARTHEST: Final = 3.0
_DULL: Final = roots(
    "hours day night week time open daily nightly from until between morning evening minutes "
                     "monday tuesday wednesday thursday friday saturday sunday makes given")  # fmt: skip
_OPEN = re.compile(r"\bopen(?:ing|s|ed)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Stretch:
    hours: tuple[float, ...]  # two where it is not said whether noon or midnight is meant
    text: str
    passage: Passage
    at: int


def clock_tensions(passages: Sequence[Passage]) -> Iterator[Tension]:
    """Hours a day, a night or a week that do not fit the one stretch between two times of day.

    The stretch runs over midnight where it must. Silent where several stretches may be
    meant, or where a break may lie between.
    """
    titles = {p.slide: p.text for p in passages if p.origin == "title"}
    stretches = [one for p in passages if not hypothetical(p.text) for one in _stretches(p)]
    if not stretches:
        return
    for index, passage in enumerate(passages):
        if hypothetical(passage.text):
            continue
        before = passages[index - 1] if index else None
        for amount in amounts(passage.text):
            if not _is_hours(amount) or is_bound(passage.text, amount):
                continue
            linked = [
                s for s in stretches if _linked(s, passage, amount, before, titles.get(s.passage.slide, ""))
            ]
            if len(linked) != 1 or sum(s.passage == linked[0].passage for s in stretches) > 1:
                continue
            if tension := _against(linked[0], passage, amount):
                yield tension


def _stretches(passage: Passage) -> Iterator[_Stretch]:
    for match in (*_RANGE.finditer(passage.text), *_STARTS_ENDS.finditer(passage.text)):
        first, second, one, two = match[1], match[4], match["one"], match["two"]
        plain = match[2] is None and match[5] is None
        if plain and not (one or two):
            continue  # "from 3 to 5": of what is not said
        start = _hour(first, match[2], one or (two if int(first) < int(second) else None))
        end = _hour(second, match[5], two)
        if start is None or end is None:
            continue
        hours = (end - start) % 24
        if not hours:
            continue
        loose = not (one or two) and start < 13 and end < 13 and end < start
        yield _Stretch((hours, hours - 12) if loose else (hours,), match[0], passage, match.start())


def _hour(hour: str, minute: str | None, half: str | None) -> float | None:
    value = int(hour) + int(minute or 0) / 60
    if half:
        value = value % 12 + (12 if half.lower().startswith("p") else 0)
    return value if value <= 24 and int(minute or 0) < 60 else None


def _is_hours(amount: Amount) -> bool:
    return amount.value >= 1 and (
        amount.unit == "hours" or (amount.is_count and (amount.noun or "").lower().endswith("hours"))
    )


def _linked(stretch: _Stretch, passage: Passage, amount: Amount, before: Passage | None, title: str) -> bool:
    text = passage.text
    start, end = clause(text, amount)
    if _OTHER.search(text[start:end]) or (
        bool(_NEGATIVE.search(text[start:end])) != bool(_NEGATIVE.search(stretch.passage.text))
    ):
        return False
    if stretch.passage == passage:
        between = text[min(stretch.at, amount.start) : max(stretch.at, amount.start)]
        return len(between.split()) < 14 and not re.search(r"[;]|\bwhile\b", between)
    if stretch.passage.slide != passage.slide and not _shared(stretch, text[start:end], title):
        return False
    if stretch.passage == before and _TIED.search(text[: amount.start]):
        return True
    return bool(_shared(stretch, text[start:end], title))


def _shared(stretch: _Stretch, text: str, title: str) -> frozenset[str]:
    shared = (roots(f"{title} {stretch.passage.text}") & roots(text)) - _DULL
    if (
        not shared
        and stretch.passage.slide is not None
        and _OPEN.search(text)
        and _OPEN.search(stretch.passage.text)
    ):
        return frozenset({"open"})
    return shared


def _against(stretch: _Stretch, passage: Passage, amount: Amount) -> Tension | None:
    text = passage.text
    if _BREAK.search(text) or _BREAK.search(stretch.passage.text) or _PER_OTHER.match(text, amount.end):
        return None
    days = 1
    if _PER_WEEK.match(text, amount.end) or re.match(r"[^,.;]{0,20}\b(?:a|per) week\b", text[amount.end :]):
        named = days_named(stretch.passage.text)
        if named is None:
            return None
        days = named
    elif amount.value > 24:
        return None
    low, high = interval(text, amount)
    if not amount.vague:
        low = high = amount.value
    wanted = [hours * days for hours in stretch.hours]
    slack = max(_LEAST_H, *(_FAR * one for one in wanted))
    if any(low - slack <= one <= high + slack for one in wanted):
        return None
    if not 1 / _FARTHEST < wanted[0] / amount.value < _FARTHEST:
        return None
    times = f" on {days} days" if days > 1 else ""
    note = f"{stretch.text}{times} is {wanted[0]:g} hours, not {amount.text}."
    return Tension("duration", stretch.passage.place, passage.place, note)
