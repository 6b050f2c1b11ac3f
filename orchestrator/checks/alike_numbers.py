# ruff: noqa: E501 - a pattern lists its wordings
"""Numbers as people write and say them, with the interval that each wording leaves open.

Beside what `numbers` reads: "1 h 50 min", "41.2 p a litre", "two dollars seventy", "78 of every
100", "four seats out of five", "half of all patients within 80 minutes", and hedges such as "a
shade under", "getting on for", "and a bit".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.numbers import BARE, COUNT, MEASURE, MONEY, PERCENT, TIME, Number
from orchestrator.checks.reading.fractions import NUMBER, ONES, TEENS, TENS, WHOLE, WORDS
from orchestrator.checks.sentence import Sentence

_PART = re.compile(
    rf"\b(?P<part>{NUMBER}|a|an)\s+(?:[a-z]+\s+){{0,2}}?(?:out of|of|in)\s+(?P<every>every\s+|each\s+|any\s+)?(?P<whole>{WHOLE})\b"
    r"(?!\s?(?:%|percent|per\s?cent|million|thousand|billion|years?|months?|weeks?|days?|hours?|minutes?|countries|cities|regions))",
    re.I,
)
_ORDINALS: Final = {"second": 50.0, "third": 100 / 3, "fourth": 25.0, "fifth": 20.0, "sixth": 100 / 6, "seventh": 100 / 7,
                    "eighth": 12.5, "ninth": 100 / 9, "tenth": 10.0, "twentieth": 5.0}  # fmt: skip
_EVERY = re.compile(
    rf"\bevery\s+(?P<nth>{'|'.join(_ORDINALS)})\s+(?!year|month|week|day|time|hour)[a-z]+", re.I
)
_FRACTION = re.compile(
    r"\b(?P<n>a|one|two|three|four|five|six|seven)[- ](?:good\s+|full\s+)?(?P<of>thirds?|quarters?|fifths?|sixths?|eighths?|tenths?)"
    r"\s+of\s+(?!an?\s|the (?:year|way|time)|(?:19|20)\d\d)",
    re.I,
)
_HALF_OF = re.compile(
    r"\bhalf\s+(?:of\s+)?(?:all\s+|our\s+|the\s+|its\s+|their\s+)?(?!an?\b|hour|million|thousand|dozen|hundred|billion|year|price|time|day)[a-z]+",
    re.I,
)
_CLOCK = re.compile(
    rf"\b(?P<h>\d+|{NUMBER}|an?)\s?(?:h|hrs?|hours?)\s?(?:and\s+)?(?P<m>\d+|{NUMBER}|a quarter)(?:\s?(?:m|mins?|minutes?)\b|(?=\s*$|[,;.)]))",
    re.I,
)
_AND_A_HALF = re.compile(
    r"\b(?:an?|one|another)\s+(?P<unit>year|month|week|day|hour|minute)\s+and\s+a\s+(?P<part>half|quarter)\b",
    re.I,
)
_OF_AN_HOUR = re.compile(
    r"\b(?P<n>half|a quarter of|three[- ]quarters of)\s+an?\s+(?P<unit>hour|year|day|month)\b", re.I
)
_FORTNIGHT = re.compile(r"\b(?P<n>a|one|two|three)\s+fortnights?\b", re.I)
_SMALL_COIN = re.compile(
    r"(?P<n>\d+(?:[.,]\d+)?)\s?(?P<unit>p|pence|cents?|ct|¢)(?=\s|$|[,;.)/])|\b(?P<said>"
    + NUMBER
    + r")\s+(?P<coin>pence|cents?)\b"
)
_COINS = re.compile(
    rf"\s+(?:and\s+)?(?P<n>{TENS}(?:[- ]{ONES})?|{TEENS})(?![- ]?(?:percent|per cent|thousand|million|hundred|\w*\s?(?:%|people)))(?=\s*(?:$|[,;.)]|\b))",
    re.I,
)
_DOZEN = re.compile(r"\b(?P<n>a|one|two|three|four|five|half a)\s+dozen\s+(?P<noun>[a-z]+)", re.I)
_QUARTER_MILLION = re.compile(
    r"\b(?P<n>a quarter|three[- ]quarters|half)\s+of\s+a\s+(?P<scale>million|billion)(?:\s+(?P<noun>[a-z]+))?",
    re.I,
)
_DAYS: Final = {"year": 365.25, "month": 30.4375, "week": 7.0, "day": 1.0, "hour": 1 / 24, "minute": 1 / 1440}

_TAIL: Final = r"\s*(?:the |a |an )?(?:[€$£]|[A-Z]{3}\s)?$"
_SHY = re.compile(
    r"\b(?:(?:a |just a )?(?:shade|touch|whisker|hair|fraction|tad|sliver|smidgen|notch)\s+(?:under|below|less than|short of|off|shy of)|"
    r"just (?:under|below|short of|shy of)|only just under|shy of|barely under|a little (?:under|below|less than)|"
    r"a bit (?:under|below|less than)|slightly (?:under|below|less than)|fractionally (?:under|below))"
    + _TAIL,
    re.I,
)
_NEARLY = re.compile(
    r"\b(?:nearly|almost|approaching|nearing|not quite|getting on for|getting on towards?|pushing|knocking on|close on|close to|"
    r"coming up (?:to|on|for)|going on(?: for)?|well[- ]nigh|next to|all but|practically|the best part of|best part of|nigh on)"
    + _TAIL,
    re.I,
)
_JUST_OVER = re.compile(
    r"\b(?:(?:a |just a )?(?:shade|touch|whisker|hair|fraction|tad|sliver|smidgen|notch)\s+(?:over|above|more than)|"
    r"just (?:over|above|past|north of|more than)|a (?:little|bit) (?:over|above|more than|north of)|"
    r"slightly (?:over|above|more than)|a good|a full|marginally (?:over|above))" + _TAIL,
    re.I,
)
_OVER = re.compile(
    r"(?:(?<!turned )(?<!turn )(?<!turns )(?<!left )(?<!carried )\b(?:over|more than|above|at least|a minimum of|not less than|no less than|no fewer than|well over|north of|upwards of|"
    r"in excess of|greater than|beyond|better than|exceed(?:s|ed|ing)?|past|topp(?:ed|ing)|surpass(?:ed|es|ing)?|from)|[>≥])"
    + _TAIL,
    re.I,
)
_UNDER = re.compile(
    r"(?:\b(?:under|less than|below|fewer than|at most|no more than|not more than|up to|as many as|as much as|south of|"
    r"well under|a maximum of|maximum|capped at|limited to|at the most|within|inside|max\.?)|[<≤])" + _TAIL,
    re.I,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca?\.|some|something like|somewhere (?:around|near)|in the region of|"
    r"in the order of|on the order of|more or less|give or take|let's say|say|maybe|perhaps|plus or minus|of the order of|"
    r"call it|what|probably|i think|i guess|thereabouts|an estimated|broadly|near enough)|[~≈±])"
    r",?" + _TAIL,
    re.I,
)
_BIT = re.compile(
    r"^\s?(?:\w+\s)?(?:and a bit|and something|and change|odd\b|and some\b|something\b|plus change|and then some|-odd\b)",
    re.I,
)
_ISH = re.compile(
    r"^\s?(?:\w+\s)?(?:or so\b|-?ish\b|or thereabouts\b|give or take\b|more or less\b|near enough\b|roughly\b)",
    re.I,
)
_PLUS = re.compile(
    r"^\s?(?:\+|plus\b|or more\b|and more\b|or above\b|and counting\b|upwards\b|or over\b|or better\b)", re.I
)
_LESS = re.compile(r"^\s?(?:or (?:less|fewer|lower|below|under|sooner|quicker|faster)\b)", re.I)
_MAYBE_NEXT = re.compile(
    rf"^[^.;]{{0,16}}?,?\s*(?:maybe|perhaps|or|possibly|or maybe)\s+(?P<n>{NUMBER})\b(?!\s*(?:percent|%|euros|years))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """One number of a sentence with its dimension and the interval of its meaning."""

    text: str
    value: float
    low: float
    high: float
    kind: str  # MONEY, PERCENT, TIME, COUNT, MEASURE or BARE
    unit: str | None  # currency, measure; None for money in small coin that names no currency
    start: int
    end: int
    noun: str = ""
    is_range: bool = False
    is_part: bool = False
    is_middle: bool = False  # "half of all … within 80 minutes": the median


def amounts_of(sentence: Sentence, *, spoken: bool) -> tuple[Amount, ...]:
    """The amounts that may be compared, in order."""
    text = sentence.text
    own = list(_special(text))
    taken = [(amount.start, amount.end) for amount in own]
    found = list(own)
    for number in sentence.numbers:
        if any(start < number.end and number.start < end for start, end in taken):
            continue
        if number.kind not in (MONEY, PERCENT, TIME, COUNT, MEASURE, BARE) or number.multiple:
            continue
        amount = Amount(number.text, number.value, number.low, number.high, number.kind, number.unit, number.start, number.end,
                        number.noun, number.is_range, number.part)  # fmt: skip
        if (
            number.kind == MONEY
            and spoken
            and (coins := _COINS.match(text, number.end))
            and number.value == int(number.value) < 1000
        ):
            value = number.value + (_value(coins["n"]) or 0.0) / 100
            amount = replace(amount, value=value, low=value - 0.005, high=value + 0.005, text=text[number.start : coins.end()],
                             end=coins.end())  # fmt: skip
            taken.append((number.end, coins.end()))
        else:
            amount = _meant(text, amount, number, spoken=spoken)
        found.append(amount)
    return tuple(sorted(found, key=lambda amount: amount.start))


def _special(text: str) -> Iterator[Amount]:
    taken: list[tuple[int, int]] = []
    for amount in (*_stretches(text), *_shares(text), *_coins(text), *_round_counts(text)):
        if not any(start < amount.end and amount.start < end for start, end in taken):
            taken.append((amount.start, amount.end))
            yield _meant(text, amount, None, spoken=not any(char.isdigit() for char in amount.text))


def _stretches(text: str) -> Iterator[Amount]:
    for match in _CLOCK.finditer(text):
        hours, minutes = _value(match["h"]), 15.0 if match["m"] == "a quarter" else _value(match["m"])
        if hours is not None and minutes is not None and minutes < 60:
            yield _exact(match, (hours * 60 + minutes) / 1440, TIME, "minutes", 0.5 / 1440)
    for match in _AND_A_HALF.finditer(text):
        size = _DAYS[match["unit"].lower()]
        yield _exact(
            match, size * (1.5 if match["part"] == "half" else 1.25), TIME, match["unit"] + "s", size / 8
        )
    for match in _OF_AN_HOUR.finditer(text):
        part = {"h": 0.5, "a": 0.25, "t": 0.75}[match["n"][0].lower()]
        size = _DAYS[match["unit"].lower()] * part
        yield _exact(match, size, TIME, match["unit"] + "s", size * 0.1)
    for match in _FORTNIGHT.finditer(text):
        yield _exact(match, 14.0 * (_value(match["n"]) or 1.0), TIME, "days", 0.5)


def _shares(text: str) -> Iterator[Amount]:
    for match in _PART.finditer(text):
        part, whole = _value(match["part"]), _value(match["whole"])
        joined = re.search(r"\s(?:out of|in)\s|\sof\s+(?:every|each|any)\s", match[0])
        if (
            part is None
            or not whole
            or part >= whole
            or not joined
            or (whole not in _ROUND and not match["every"])
        ):
            continue
        if re.search(r"\sin\s", match[0]) and not match["every"] and len(match[0].split()) > 3:
            continue
        slack = (
            0.5
            if whole >= 100
            else min(50 / whole / whole + 1.5, 100 / whole * 0.45)
            if part == 1
            else 50 / whole * 0.9
        )
        yield _exact(match, 100 * part / whole, PERCENT, "%", slack)
    for match in _EVERY.finditer(text):
        value = _ORDINALS[match["nth"].lower()]
        yield replace(_exact(match, value, PERCENT, "%", value * 0.12), end=match.end("nth"))
    for match in _FRACTION.finditer(text):
        whole = {"t": 3, "q": 4, "f": 5, "s": 6, "e": 8}[match["of"][0].lower()]
        whole = 10 if match["of"].lower().startswith("ten") else whole
        count = _value(match["n"]) or 1.0
        if count < whole:
            yield replace(
                _exact(match, 100 * count / whole, PERCENT, "%", 3.0 if whole < 8 else 1.5),
                end=match.end("of"),
            )
    for match in _HALF_OF.finditer(text):
        yield replace(_exact(match, 50.0, PERCENT, "%", 3.0), end=match.start() + 4)


_ROUND: Final = frozenset({2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 20.0, 50.0, 100.0, 1000.0})


def _coins(text: str) -> Iterator[Amount]:
    for match in _SMALL_COIN.finditer(text):
        written, unit = match["n"] or match["said"], match["unit"] or match["coin"]
        value = _value(written.replace(",", "."))
        if value is None:
            continue
        step = 10.0 ** -len(written.partition(".")[2]) if match["n"] else 1.0
        currency = "GBP" if unit in ("p", "pence") else None
        yield _exact(match, value / 100, MONEY, currency, step / 200)


def _round_counts(text: str) -> Iterator[Amount]:
    for match in _DOZEN.finditer(text):
        value = 6.0 if match["n"].lower() == "half a" else 12.0 * (_value(match["n"]) or 1.0)
        yield replace(_exact(match, value, COUNT, match["noun"], 0.1 * value), noun=match["noun"])
    for match in _QUARTER_MILLION.finditer(text):
        part = {"a": 0.25, "t": 0.75, "h": 0.5}[match["n"][0].lower()]
        value = part * (1e6 if match["scale"].lower() == "million" else 1e9)
        yield replace(_exact(match, value, COUNT, match["noun"], 0.08 * value), noun=match["noun"] or "")


def _exact(match: re.Match[str], value: float, kind: str, unit: str | None, slack: float) -> Amount:
    return Amount(match[0], value, value - slack, value + slack, kind, unit, match.start(), match.end())


def _value(word: str | None) -> float | None:
    if word is None:
        return None
    low = word.strip().lower().replace(",", "")
    if re.fullmatch(r"\d+(?:\.\d+)?", low):
        return float(low)
    if low in WORDS:
        return float(WORDS[low])
    parts = re.split(r"[- ]", low)
    if all(part in WORDS for part in parts):
        return float(sum(WORDS[part] for part in parts))
    return None


def _meant(text: str, amount: Amount, number: Number | None, *, spoken: bool) -> Amount:
    """The amount with the interval that the words beside it leave open."""
    before, after = text[max(0, amount.start - 34) : amount.start], text[amount.end : amount.end + 24]
    value, slack = amount.value, _rounding(amount.value, spoken=spoken)
    if amount.kind == PERCENT:
        slack = min(slack, 0.07)
    low, high = amount.low, amount.high
    if number is not None and number.hedged:  # its interval is open or wide: begin anew
        low, high = value - slack * abs(value) / 2, value + slack * abs(value) / 2
        if amount.kind == COUNT and abs(value) <= 20:
            low = high = value
    size = abs(value)
    room = slack * size if amount.kind != PERCENT else max(slack * size, 0.75 * (amount.high - amount.low))
    middle = amount.kind == TIME and bool(re.search(r"\bhalf\b(?! (?:a|an)\b)", text[: amount.start], re.I))
    if _SHY.search(before):
        low, high = value - 0.7 * room, value
    elif _NEARLY.search(before):
        low, high = value - 1.3 * room, value
    elif _JUST_OVER.search(before) or _BIT.match(after):
        low, high = value, value + 1.2 * room
    elif _ABOUT.search(before) or _ISH.match(after):
        low, high = min(low, value - room), max(high, value + room)
    elif _PLUS.match(after) or _OVER.search(before):
        low, high = (value if amount.kind == COUNT else low), math.inf
    elif _LESS.match(after) or (
        _UNDER.search(before) and not (middle and re.search(r"\b(?:with)?in(?:side)?\s*$", before))
    ):
        low, high = -math.inf, high
    if (
        (other := _MAYBE_NEXT.match(text[amount.end :]))
        and (alternative := _value(other["n"]))
        and abs(alternative / value - 1) < 0.15
    ):
        low, high = min(low, alternative), max(high, alternative)
    return replace(amount, low=low, high=high, is_middle=middle, is_range=amount.is_range)


def _rounding(value: float, *, spoken: bool) -> float:
    """How far, as a part of it, a hedged number may be from what is meant: its digits tell."""
    digits = len(f"{abs(value):.3g}".replace(".", "").split("e")[0].strip("0")) or 1
    wide = {1: 0.12, 2: 0.07}.get(digits, 0.04)
    return wide if spoken or digits < 3 else 0.03
