# ruff: noqa: E501 - a pattern lists its wordings
"""Every number of a sentence with its unit and the interval that its wording leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from orchestrator.checks.reading.fractions import NUMBER, fractions, number_in_words
from orchestrator.checks.reading.meaning import interval, rounding
from orchestrator.checks.reading.model import (
    BARE,
    COUNT,
    MONEY,
    MULTIPLE,
    PHYSICAL,
    POINTS,
    SHARE,
    TIME,
    Amount,
)
from orchestrator.claims.periods import Period
from orchestrator.claims.quantities import measure
from orchestrator.claims.units import TIME_UNITS, is_currency

DAYS: Final = {
    "milliseconds": 1 / 86_400_000, "seconds": 1 / 86_400, "minutes": 1 / 1440, "hours": 1 / 24, "days": 1.0, "weeks": 7.0,
    "months": 30.4375, "quarters": 91.3125, "years": 365.25, "decades": 3652.5,
}  # fmt: skip
_SCALED: Final = {
    "kwh": ("wh", 1e3), "mwh": ("wh", 1e6), "gwh": ("wh", 1e9), "twh": ("wh", 1e12), "wh": ("wh", 1.0),
    "kw": ("w", 1e3), "mw": ("w", 1e6), "gw": ("w", 1e9), "kwp": ("w", 1e3), "mwp": ("w", 1e6), "gwp": ("w", 1e9),
    "g": ("g", 1.0), "kg": ("g", 1e3), "t": ("g", 1e6), "tonne": ("g", 1e6), "ton": ("g", 1e6), "kt": ("g", 1e9), "kilo": ("g", 1e3), "kilogram": ("g", 1e3), "mt": ("g", 1e12),
    "m": ("m", 1.0), "km": ("m", 1e3), "kilometre": ("m", 1e3), "kilometer": ("m", 1e3), "metre": ("m", 1.0), "meter": ("m", 1.0), "mile": ("m", 1609.0), "cm": ("m", 0.01), "mm": ("m", 0.001),
    "m²": ("m²", 1.0), "m2": ("m²", 1.0), "ha": ("m²", 1e4), "hectare": ("m²", 1e4), "km²": ("m²", 1e6), "acre": ("m²", 4047.0), "square metre": ("m²", 1.0), "square meter": ("m²", 1.0),
    "m³": ("l", 1e3), "m3": ("l", 1e3), "litre": ("l", 1.0), "liter": ("l", 1.0), "l": ("l", 1.0), "hl": ("l", 100.0), "hectolitre": ("l", 100.0), "ml": ("l", 1e6), "megalitre": ("l", 1e6), "cubic metre": ("l", 1e3), "cubic meter": ("l", 1e3),
    "gb": ("b", 1e9), "tb": ("b", 1e12), "mb": ("b", 1e6), "pb": ("b", 1e15),
}  # fmt: skip
_UNIT_BEHIND = re.compile(
    r"[ \u00a0-]?(?P<unit>[GMTk]Wp?h?|hl|Ml|kt|Mt|m[²³23]|cubic met(?:re|er)s?|square met(?:re|er)s?|hectolit(?:re|er)s?|megalit(?:re|er)s?|lit(?:re|er)s?|kilo(?:gram)?s?|kilomet(?:re|er)s?|met(?:re|er)s?|tonnes?|hectares?|ha|km|kg|t|l)(?![\w/²³'’])"
)
_POINTS = re.compile(r"[- ](?:percentage[- ])?points?\b", re.I)
_CLOCK = re.compile(
    rf"\b(?P<h>\d+|{NUMBER}|an?)\s?(?:h|hrs?|hours?)\s?(?:and\s+)?(?P<m>\d+|{NUMBER}|a quarter)(?:\s?(?:m|mins?|minutes?)\b|(?=\s*$|[,;.)]))",
    re.I,
)
_AND_A_HALF = re.compile(
    r"\b(?:an?|one|another)\s+(?P<unit>year|month|week|day|hour|minute)\s+and\s+a\s+(?P<part>half|quarter)\b",
    re.I,
)
_PART_OF_TIME = re.compile(
    r"\b(?P<n>half|a quarter of|three[- ]quarters of)\s+an?\s+(?P<unit>hour|year|day|month|century|decade)\b",
    re.I,
)
_ONE_TIME = re.compile(
    r"\b(?P<n>an?|two|three|four|five|six|half a)\s+(?P<unit>fortnight|decade|century|centuries|year|month|week)s?\b(?!\s+(?:ago|earlier|before|later|on|over))",
    re.I,
)
_LONG: Final = {
    "fortnight": 14.0,
    "century": 36525.0,
    "centurie": 36525.0,
    "decade": 3652.5,
    "year": 365.25,
    "month": 30.4375,
    "week": 7.0,
    "day": 1.0,
    "hour": 1 / 24,
    "minute": 1 / 1440,
}
_COIN = re.compile(
    rf"(?P<n>\d+(?:[.,]\d+)?)\s?(?P<unit>p|pence|cents?|ct|¢)(?=\s|$|[,;.)/])|\b(?P<said>{NUMBER})\s+(?P<coin>pence|cents?)\b"
)
_COINS = re.compile(
    rf"\s+(?:and\s+)?(?P<n>{NUMBER})(?!\s?(?:percent|per cent|thousand|million|hundred|%|people))\b", re.I
)
_DOZEN = re.compile(r"\b(?P<n>a|one|two|three|four|five|half a)\s+dozen(?:\s+(?P<noun>[a-z]+))?", re.I)
_RANGE_INSIDE = re.compile(r"\d\s?(?:-|–|—|\bto\b|\bor\b)\s?[€$£]?\d|\w\s(?:to|or)\s\w|^between\b", re.I)
_RANGE_BEFORE = re.compile(r"\b(?:between|(?:rang\w+|var\w+|fluctuat\w+|anywhere) from)\s+(?:\w+\s)?$", re.I)
_OF_WHOLE = re.compile(
    rf"(?P<part>[\d,]+|{NUMBER})\s(?:out )?of\s(?:the |our |its |all |their )?(?P<whole>[\d,]+|{NUMBER})\b",
    re.I,
)
_NAMED = re.compile(
    r"\b(?:slides?|pages?|phase|stage|step|chapter|figure|table|question|number|no\.?|nr\.?|option|scenario|section|item|version|v|tier|level|article|appendix|line|quay|route|berth|hall|gate|room|lot|week|unit|track|platform|block|building|part|class|grade|band|zone|wave|model|lesson|season|episode|round|game|chapter|day|row|floor|house|number|hull|top|under|over|aged?|age|ward|bay|pool|field|court|studio|turbine|pump|well|site|plant|team|group|cohort|arm|(?:he|she|who) (?:was|is|turn(?:s|ed)))\s$",
    re.I,
)
"""Words after which a number is a name, or an age."""
_BASE = re.compile(r"\b(?:in|out of|per|(?:of|in|for) (?:every|each|any))\s$", re.I)
_BASES: Final = (100.0, 1000.0)


def amounts(
    text: str, periods: tuple[Period, ...], *, spoken: bool = False, english: bool = True
) -> list[Amount]:
    """The numbers of *text* in order, each with what it can mean; dates and names left out."""
    found = list(_in_words(text)) if english else []
    taken = [(amount.start, amount.end) for amount in found]
    for measured in measure(text, english=english, periods=periods, bare=True):
        start, end, quantity = measured.start, measured.end, measured.quantity
        if any(s < end and start < e for s, e in taken):
            continue
        if quantity.unit not in TIME_UNITS and any(
            p.start <= start < p.end and p.kind != "recurring" for p in periods
        ):
            continue
        if quantity.unit is None and (
            _NAMED.search(text[:start]) or (quantity.value in _BASES and _BASE.search(text[:start]))
        ):
            continue
        new = _amount(text, start, end, quantity.value, quantity.unit, spoken=spoken)
        found += _part_and_whole(new) or [new]
        taken.append((new.start, new.end))
    return _ranged(text, sorted(found, key=lambda amount: amount.start))


def _ranged(text: str, found: list[Amount]) -> list[Amount]:
    """ "Ranges from 43 to 58": the second end is no value either."""
    for index in range(1, len(found)):
        between = text[found[index - 1].end : found[index].start]
        if found[index - 1].is_range and re.fullmatch(r"\s*(?:to|and|-|–)\s*(?:\w+\s)?", between):
            found[index] = replace(found[index], is_range=True)
    return found


def _part_and_whole(amount: Amount) -> list[Amount]:
    """ "46 of our 120 rooms" is two counts."""
    split = _OF_WHOLE.match(amount.text) if amount.kind == COUNT else None
    whole = number_in_words(split["whole"]) if split else None
    if split is None or whole is None:
        return []
    part = number_in_words(split["part"]) or amount.value
    middle = amount.start + split.start("whole")
    return [
        replace(
            amount,
            text=split["part"],
            end=amount.start + split.end("part"),
            value=part,
            low=part,
            high=part,
            is_range=False,
        ),
        replace(
            amount,
            text=amount.text[split.start("whole") :],
            start=middle,
            value=whole,
            low=whole,
            high=whole,
            is_range=False,
        ),
    ]


def _amount(text: str, start: int, end: int, value: float, unit: str | None, *, spoken: bool) -> Amount:
    kind, name, noun, factor = _kind(unit)
    if kind in (COUNT, BARE):
        behind = end - len(noun) if noun and text[start:end].endswith(noun) else end
        if points := _POINTS.match(text, behind):
            kind, name, noun, end = POINTS, "", "", points.end()
        elif (physical := _UNIT_BEHIND.match(text, behind)) and (known := canonical(physical["unit"])):
            (name, factor), kind, noun, end = known, PHYSICAL, "", physical.end()
        elif (
            (physical := re.match(r"\s?(?P<unit>[a-zA-Z³²]+)", noun)) and noun and (known := canonical(noun))
        ):
            (name, factor), kind, noun = known, PHYSICAL, ""
    written = text[start:end]
    number = written[: -len(noun)] if noun and written.endswith(noun) else written
    said = not any(char.isdigit() for char in number)
    if (
        kind == MONEY
        and spoken
        and said is not None
        and 0 < value < 1000
        and value == int(value)
        and (coins := _COINS.match(text, end))
    ):
        value, end = value + (number_in_words(coins["n"]) or 0.0) / 100, coins.end()
        written = number = text[start:end]
    counted = kind in (COUNT, BARE)
    slack = rounding(value, "" if said else number, counted=counted)
    if kind == SHARE and value == int(value):
        slack = 1.0 if value % 10 == 0 else 0.75 if value % 5 == 0 else 0.5
    if kind == TIME:
        slack = max(slack, 0.0 if value >= 10 else 0.2)
    low, high, rough = interval(value, slack, text[:start], text[end : end + 24], exact=counted)
    is_range = bool(_RANGE_INSIDE.search(number)) or bool(_RANGE_BEFORE.search(text[:start]))
    return Amount(
        written,
        start,
        end,
        value * factor,
        low * factor,
        high * factor,
        kind,
        name,
        noun,
        is_range=is_range,
        is_hedged=rough,
        factor=factor,
    )


def _kind(unit: str | None) -> tuple[str, str, str, float]:
    """Kind, unit, counted noun and factor to base units."""
    if unit is None:
        return BARE, "", "", 1.0
    if is_currency(unit):
        return MONEY, unit, "", 1.0
    if unit == "%":
        return SHARE, "", "", 1.0
    if unit == "points":
        return POINTS, "", "", 1.0
    if unit == "x":
        return MULTIPLE, "", "", 1.0
    if unit in TIME_UNITS:
        return TIME, "", "", DAYS[unit]
    if known := canonical(unit):
        return PHYSICAL, known[0], "", known[1]
    return COUNT, "", unit, 1.0


def canonical(unit: str) -> tuple[str, float] | None:
    """The base unit of a physical one, and how many of it; None where it is not known."""
    if unit in ("M", "MW", "Mt"):
        return _SCALED.get(unit.lower())
    low = unit.lower().strip()
    if low in _SCALED and not (low == "mt" and unit != "Mt"):
        return _SCALED[low]
    if low.endswith("s") and low[:-1] in _SCALED and len(low) > 3:
        return _SCALED[low[:-1]]
    return (low, 1.0) if "/" in low or low.startswith(("°", "barrel", "gallon")) else None


def _in_words(text: str) -> Iterator[Amount]:
    """What `measure` does not read: parts of a whole, hours with minutes, coins, dozens."""
    taken: list[tuple[int, int]] = []
    for amount in (*_stretches(text), *_parts(text), *_coins(text), *_dozens(text)):
        if not any(start < amount.end and amount.start < end for start, end in taken):
            taken.append((amount.start, amount.end))
            yield amount


def _meant(
    text: str, start: int, end: int, value: float, slack: float, kind: str, unit: str = "", noun: str = ""
) -> Amount:
    low, high, rough = interval(value, slack, text[:start], text[end : end + 24], exact=kind == SHARE)
    if rough and kind == SHARE:  # a rough part of a whole: as rough as its words are
        low = value if low == value else value - 1.7 * slack if low > float("-inf") else low
        high = value if high == value else value + 1.7 * slack if high < float("inf") else high
    return Amount(
        text[start:end],
        start,
        end,
        value,
        low,
        high,
        kind,
        unit,
        noun,
        is_fraction=kind == SHARE,
        is_hedged=rough,
    )


def _parts(text: str) -> Iterator[Amount]:
    for start, end, value, slack in fractions(text):
        yield _meant(text, start, end, value, slack, SHARE)


def _stretches(text: str) -> Iterator[Amount]:
    for match in _CLOCK.finditer(text):
        hours, minutes = (
            number_in_words(match["h"]),
            15.0 if match["m"] == "a quarter" else number_in_words(match["m"]),
        )
        if hours is not None and minutes is not None and minutes < 60:
            yield _meant(text, match.start(), match.end(), (hours * 60 + minutes) / 1440, 0.5 / 1440, TIME)
    for match in _AND_A_HALF.finditer(text):
        size = _LONG[match["unit"].lower()]
        yield _meant(
            text,
            match.start(),
            match.end(),
            size * (1.5 if match["part"].lower() == "half" else 1.25),
            size / 8,
            TIME,
        )
    for match in _PART_OF_TIME.finditer(text):
        size = _LONG[match["unit"].lower()] * {"h": 0.5, "a": 0.25, "t": 0.75}[match["n"][0].lower()]
        yield _meant(text, match.start(), match.end(), size, size * 0.05, TIME)
    for match in _ONE_TIME.finditer(text):
        unit = match["unit"].lower()
        if match["n"].lower() in ("a", "an") and unit in ("year", "month", "week"):
            continue
        if unit in ("year", "month", "week") and match["n"].lower() != "half a":
            continue
        count = 0.5 if match["n"].lower() == "half a" else number_in_words(match["n"]) or 1.0
        yield _meant(text, match.start(), match.end(), _LONG[unit] * count, _LONG[unit] * 0.05, TIME)


def _coins(text: str) -> Iterator[Amount]:
    for match in _COIN.finditer(text):
        written = match["n"] or match["said"]
        value = number_in_words(written.replace(",", "."))
        if value is not None and not text[match.end() :].startswith(".u"):
            step = 10.0 ** -len(written.partition(".")[2]) if match["n"] else 1.0
            currency = "GBP" if (match["unit"] or match["coin"]) in ("p", "pence") else ""
            yield _meant(text, match.start(), match.end(), value / 100, step / 200, MONEY, currency)


def _dozens(text: str) -> Iterator[Amount]:
    for match in _DOZEN.finditer(text):
        value = 6.0 if match["n"].lower() == "half a" else 12.0 * (number_in_words(match["n"]) or 1.0)
        found = _meant(text, match.start(), match.end(), value, 0.1 * value, COUNT)
        yield replace(found, noun=match["noun"] or "")
