"""Every number of a sentence, also fractions and multiples in words, with the interval of its meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.intervals import hedges, interval
from orchestrator.claims.periods import Period
from orchestrator.claims.quantities import measure
from orchestrator.claims.units import TIME_UNITS, is_currency

MONEY: Final = "m"
PERCENT: Final = "p"
POINTS: Final = "points"
MULTIPLE: Final = "x"
TIME: Final = "t"
COUNT: Final = "c"
BARE: Final = "bare"
MEASURE: Final = "u"

_DAYS: Final = {
    "milliseconds": 1 / 86_400_000,
    "seconds": 1 / 86_400,
    "minutes": 1 / 1440,
    "hours": 1 / 24,
    "days": 1.0,
    "weeks": 7.0,
    "months": 30.4375,
    "quarters": 91.3125,
    "years": 365.25,
    "decades": 3652.5,
}
"""Days in each unit of time."""

_ONE: Final = r"(?:one|a|an|1)"
_FRACTIONS: Final = (
    (re.compile(r"\btwo[- ]thirds\b", re.I), 200 / 3, 4.0),
    (re.compile(r"\bthree[- ]quarters\b", re.I), 75.0, 4.0),
    (re.compile(r"\bthree[- ]fifths\b", re.I), 60.0, 3.0),
    (re.compile(r"\bfour[- ]fifths\b", re.I), 80.0, 3.0),
    (re.compile(r"\btwo[- ]fifths\b", re.I), 40.0, 3.0),
    (re.compile(rf"\b{_ONE}[- ]third\b", re.I), 100 / 3, 3.0),
    (re.compile(rf"\b{_ONE}[- ]quarter\b(?=\s+(?:of|in)\b)|\bone[- ]quarter\b", re.I), 25.0, 2.5),
    (re.compile(rf"\b{_ONE}[- ]fifth\b", re.I), 20.0, 2.0),
    (re.compile(rf"\b{_ONE}[- ]tenth\b", re.I), 10.0, 1.0),
    (
        re.compile(
            r"\bhalf\b(?=\s+(?:of|our|the|all|its|their)\b)(?!\s+(?:of )?(?:the )?(?:a |an )?"
            r"(?:year|hour|day|month|week|decade|million|billion|\d|last|first|second|20))",
            re.I,
        ),
        50.0,
        4.0,
    ),
)
_NUMBER_WORDS: Final = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "twenty": 20,
    "fifty": 50,
    "hundred": 100,
    "a hundred": 100,
}
_N: Final = (
    r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|a hundred|hundred)"
)
_ONE_IN = re.compile(
    rf"\b(?P<part>{_N})\s+(?:out of every|out of|in every|in|of every)\s+(?P<whole>{_N})\b"
    r"(?!\s?(?:%|per\s?cent|million|thousand|billion|countries|cities|years?|months?|weeks?|days?|"
    r"sites|regions|"
    r"markets|offices|locations|hours?|minutes?|quarters?))",
    re.I,
)
_MULTIPLES: Final = (
    (re.compile(r"\b(?:doubl(?:ed|ing)|twofold|two-fold)\b", re.I), 100.0, 15.0),
    (re.compile(r"\b(?:tripl(?:ed|ing)|trebled|threefold|three-fold)\b", re.I), 200.0, 25.0),
    (re.compile(r"\b(?:quadrupl(?:ed|ing)|fourfold|four-fold)\b", re.I), 300.0, 35.0),
    (re.compile(r"\bhalved\b", re.I), -50.0, 6.0),
)
_PART_OF = re.compile(r"^(?P<part>\S+)\s(?:out )?of\s(?:the |our |its |all )?(?P<whole>\S+)", re.I)
_RANGES = re.compile(
    r"\b(?:between|(?:rang\w+|var(?:y|ies|ied|ying)|fluctuat\w+|anywhere|span\w*|go(?:es)?|"
    r"differs?) (?:widely )?from)\s+"
    r"(?:(?:about|around|the)\s+)?$",
    re.I,
)
_DESIGNATED = re.compile(
    r"\b(?:slides?|pages?|phase|stage|step|chapter|figure|table|question|number|no\.?|option|scenario|"
    r"section|item|point|"
    r"version|tier|level|article|appendix|annex)\s$",
    re.I,
)
"""Words after which a number said aloud is a name."""
_OF_THE = re.compile(r"\s+(?:out )?of\s+(?:the|our|these|those|them|its|their|all|every)\b", re.I)
_RANGE_INSIDE = re.compile(r"\d\s?(?:-|–|—|\bto\b|\bor\b)\s?[€$£]?\d|\b(?:to|or|between)\b", re.I)


@dataclass(frozen=True, slots=True)
class Number:
    """One number with its unit's class; amounts of time in days."""

    value: float
    low: float
    high: float
    kind: str  # MONEY, PERCENT, …
    unit: str | None  # as Quantity.unit
    start: int
    end: int
    text: str
    noun: str  # the noun phrase that it counts; may be empty
    subject: str
    hedged: frozenset[str]
    fraction: bool = False  # "a third", "one in five": a part of what follows
    multiple: bool = False  # "doubled"
    part: bool = False  # the 9 of "9 of 12 customers"
    is_range: bool = False


def numbers(
    text: str, periods: tuple[Period, ...], *, english: bool = True, spoken: bool = False
) -> list[Number]:
    """The numbers of *text* in order, also those that only farther words explain."""
    found = [*_fractions(text), *_multiples(text)] if english else []
    taken = [(number.start, number.end) for number in found]
    for measured in measure(text, english=english, periods=periods, bare=True):
        if any(start < measured.end and measured.start < end for start, end in taken):
            continue
        if measured.quantity.unit not in TIME_UNITS and any(
            p.start <= measured.start < p.end and p.kind != "recurring" for p in periods
        ):
            continue
        if _DESIGNATED.search(text[: measured.start]):
            continue
        found += _measured(
            text,
            measured.quantity.value,
            measured.quantity.unit,
            measured.quantity.subject or "",
            measured.start,
            measured.end,
            spoken=spoken,
        )
    return _ranges(text, sorted(found, key=lambda number: number.start))


def _ranges(text: str, found: list[Number]) -> list[Number]:
    """ "Between 36 and 50", "ranges from 36 to 50": neither end is a value."""
    for index, number in enumerate(found[:-1]):
        before, between = text[: number.start], text[number.end : found[index + 1].start]
        if _RANGES.search(before) and re.fullmatch(r"\s*(?:and|to|or)\s*(?:\w+\s)?", between):
            found[index] = replace(number, is_range=True)
            found[index + 1] = replace(found[index + 1], is_range=True)
    return found


def number_alone(written: str, start: int) -> Number:
    """A number that has a line for itself, and a label beside it."""
    value = float(re.sub(r"[,’']", "", written))
    low, high = interval(value, written, spoken=False, counted=value == int(value), hedged=frozenset())
    return Number(value, low, high, BARE, None, start, start + len(written), written, "", "", frozenset())


def kind_of(unit: str | None) -> str:
    """Which class of units a quantity's unit belongs to."""
    if unit is None:
        return BARE
    if is_currency(unit) or unit == "pesos":
        return MONEY
    if unit == "%":
        return PERCENT
    if unit in (POINTS, MULTIPLE):
        return unit
    if unit in TIME_UNITS:
        return TIME
    if re.fullmatch(
        r"[kMGTmcn]?(?:Wh|W|V|Hz|B|iB|g|m|m²|m³)|ha|(?:k?g|t|l|[kM]Wh|km|m³)/\w+|t|"
        r"tonnes?|tons?|km²?|°[CF]|px|sq.*|square.*|miles|"
        r"lit(?:re|er)s|hectares|acres|gallons|barrels|kg",
        unit,
    ):
        return MEASURE
    return COUNT


def days(value: float, unit: str) -> float:
    """An amount of time in days."""
    return value * _DAYS[unit]


def _measured(
    text: str, value: float, unit: str | None, subject: str, start: int, end: int, *, spoken: bool
) -> list[Number]:
    written = text[start:end]
    kind = kind_of(unit)
    noun = unit or "" if kind == COUNT else ""
    said = spoken and not any(char.isdigit() for char in written)
    if kind == COUNT and (split := _PART_OF.match(written)) and _as_number(split["whole"]) is not None:
        whole = _as_number(split["whole"]) or 0.0
        place = start + split.start("whole")
        first = Number(
            value,
            value,
            value,
            COUNT,
            unit,
            start,
            start + split.end("part"),
            split["part"],
            noun,
            subject,
            frozenset(),
            part=True,
        )
        return [
            first,
            Number(whole, whole, whole, COUNT, unit, place, end, text[place:end], noun, subject, frozenset()),
        ]
    hedged = hedges(text[max(0, start - 30) : start], written, text[end : end + 20])
    shown = written[: -len(noun)] if noun and written.endswith(noun) else written
    counted = kind == COUNT or (kind == BARE and value == int(value))
    low, high = interval(value, shown, spoken=said, counted=counted, hedged=hedged)
    is_range = bool(_RANGE_INSIDE.search(shown))
    if is_range:
        ends = [_as_number(word) for word in re.findall(r"[\d.,]+|[a-z]+", shown.lower())]
        top = max((number for number in ends if number is not None), default=value)
        high = max(high, top if top >= value else high)
    if kind == TIME and unit is not None:
        value, low, high = days(value, unit), days(low, unit), days(high, unit)
        if not (said or hedged):
            spread = 0.25 * _DAYS[unit]
            low, high = max(low, value - spread), min(high, value + spread)
    part = kind in (COUNT, BARE) and bool(_OF_THE.match(text[end : end + 20]))
    return [
        Number(
            value,
            low,
            high,
            kind,
            unit,
            start,
            end,
            written,
            noun,
            subject,
            hedged,
            is_range=is_range,
            part=part,
        )
    ]


def _as_number(word: str) -> float | None:
    word = word.strip(".,").lower()
    if word in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[word])
    plain = word.replace(",", "")
    return float(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else None


def _fractions(text: str) -> list[Number]:
    found = []
    for match in _ONE_IN.finditer(text):
        part, whole = _as_number(match["part"]), _as_number(match["whole"])
        if part and whole and part < whole:
            found.append(_share(text, match, 100 * part / whole, 6.0 * part / whole + 2))
    for pattern, value, slack in _FRACTIONS:
        for match in pattern.finditer(text):
            if not any(number.start < match.end() and match.start() < number.end for number in found):
                found.append(_share(text, match, value, slack))
    return found


def _share(text: str, match: re.Match[str], value: float, slack: float) -> Number:
    hedged = hedges(
        text[max(0, match.start() - 30) : match.start()], match[0], text[match.end() : match.end() + 20]
    )
    low, high = value - slack, value + slack
    if "over" in hedged:
        low, high = value, float("inf")
    elif "under" in hedged:
        low, high = float("-inf"), value
    elif hedged:
        low, high = value - 2 * slack, value + (slack if "nearly" in hedged else 2 * slack)
    return Number(
        value, low, high, PERCENT, "%", match.start(), match.end(), match[0], "", "", hedged, fraction=True
    )


def _multiples(text: str) -> list[Number]:
    found = []
    for pattern, value, slack in _MULTIPLES:
        for match in pattern.finditer(text):
            hedged = hedges(text[max(0, match.start() - 30) : match.start()], match[0], "")
            low, high = value - slack, value + slack
            if "over" in hedged:
                low, high = value, float("inf")
            elif hedged:
                low, high = value - 2 * slack, value + slack
            found.append(
                Number(
                    value,
                    low,
                    high,
                    PERCENT,
                    "%",
                    match.start(),
                    match.end(),
                    match[0],
                    "",
                    "",
                    hedged,
                    multiple=True,
                )
            )
    return found
