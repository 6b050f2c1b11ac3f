"""Every number of a sentence or a cell as it is written: unit, precision, place; bare ones too.

Checks that look at structure (parts and their total, a rate and its time) know from the
structure what a bare number means, where `claims.quantities` rightly leaves it out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from orchestrator.claims.nouns import counted
from orchestrator.claims.numerals import Numeral, digit_numerals, spoken_numerals
from orchestrator.claims.rejects import rejected
from orchestrator.claims.units import TIME_UNITS, currency_before, is_currency, unit_after

_LONGEST: Final = 1_000
"""Characters of a text that are read; longer than any sentence a check could quote."""
_KEPT: Final = 4_096
"""Texts whose numbers are kept: every check reads the same lines of a deck again."""

_VAGUE = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|c\.|some|nearly|almost|over|under|"
    r"above|"
    r"below|up to|at least|at most|more than|less than|fewer than|as many as|between|close to|well over|"
    r"just over|just under|north of|upwards of)(?: (?:a|an|the|our))?|[~≈<>≥≤±])\s*$",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"\s*(?:\+|\bor (?:more|less|so)\b|\bplus\b|\bish\b)", re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:-|–|—|\bto\b|\bor\b)\s?")
_YEAR = range(1900, 2100)
_SPOKEN_DECIMALS = re.compile(
    r"\bpoint((?:[ -](?:zero|oh|one|two|three|four|five|six|seven|eight|nine))+)", re.I
)
_STILL_NUMBERS: Final = frozenset({"fraction", "numbering", "ordinal", "page"})
"""Rules of `claims.rejects` that do not hold where a number may stand alone, as in a cell."""


_SHARES: Final = {
    "half": (50.0, 1.0),
    "one half": (50.0, 1.0),
    "a third": (33.3, 1.0),
    "one third": (33.3, 1.0),
    "two thirds": (66.7, 1.0),
    "a quarter": (25.0, 1.0),
    "one quarter": (25.0, 1.0),
    "three quarters": (75.0, 1.0),
    "a fifth": (20.0, 1.0),
    "one fifth": (20.0, 1.0),
    "two fifths": (40.0, 1.0),
    "three fifths": (60.0, 1.0),
    "four fifths": (80.0, 1.0),
    "a tenth": (10.0, 0.5),
    "one tenth": (10.0, 0.5),
    "one in two": (50.0, 1.0),
    "one in three": (33.3, 1.0),
    "one in four": (25.0, 1.0),
    "three in four": (75.0, 1.0),
    "one in five": (20.0, 1.0),
    "one in ten": (10.0, 0.5),
}
_FRACTION = re.compile(
    r"\b(?P<words>"
    + "|".join(sorted((re.sub(" ", "[\\\\s-]", words) for words in _SHARES), key=len, reverse=True))
    + r")\b(?!\s+(?:year|hour|day|century|million|billion|dozen|of the (?:year|week|day|month|"
    r"quarter))\b)(?! (?:a|an)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """One number. `half` is half a unit of its last digit as written, in base units."""

    value: float
    half: float
    unit: str | None  # currency, "%", "x", "points", a unit of time or measure; None: bare or counting `noun`
    noun: str | None  # the plural noun right behind a count, as written
    text: str  # verbatim
    start: int
    end: int
    vague: bool = False  # "about", "over", "10+", one end of a range
    scaled: bool = False  # "million" or "k" was written

    @property
    def is_money(self) -> bool:
        return is_currency(self.unit)

    @property
    def is_time(self) -> bool:
        return self.unit in TIME_UNITS

    @property
    def is_count(self) -> bool:
        return self.unit is None


@lru_cache(maxsize=_KEPT)
def amounts(text: str) -> tuple[Amount, ...]:
    """The numbers of *text* that are no dates, versions, names or the like, in order."""
    text = text[:_LONGEST]
    if not any(char.isdigit() for char in text) and not _maybe_spoken(text):
        return ()
    bad = [(r.start, r.end) for r in rejected(text) if r.kind not in _STILL_NUMBERS]
    numerals = list(digit_numerals(text))
    taken = [(n.start, n.end) for n in numerals]
    numerals += [n for n in spoken_numerals(text) if not any(n.start < e and s < n.end for s, e in taken)]
    found: list[Amount] = []
    for numeral in sorted(numerals, key=lambda n: n.start):
        if any(s <= numeral.start < e for s, e in bad) or (found and numeral.start < found[-1].end):
            continue
        if (amount := _amount(text, numeral)) is not None:
            found.append(amount)
    return tuple(_with_ranges(text, found))


@lru_cache(maxsize=_KEPT)
def fractions(text: str) -> tuple[Amount, ...]:
    """ "Half of", "a third of", "two thirds" as percentages; rounded, as such words are."""
    found = []
    for match in _FRACTION.finditer(text):
        value, half = _SHARES[re.sub(r"[\s-]+", " ", match["words"].lower())]
        vague = bool(_VAGUE.search(text[max(0, match.start() - 24) : match.start()]))
        found.append(Amount(value, half, "%", None, match["words"], match.start(), match.end("words"), vague))
    return tuple(found)


def _maybe_spoken(text: str) -> bool:
    return (
        re.search(
            r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|"
            r"million)\b",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def _amount(text: str, numeral: Numeral) -> Amount | None:
    currency, sign, start = currency_before(text, numeral.start)
    unit = unit_after(text, numeral.end, currency)
    written = text[numeral.start : numeral.end]
    bare = unit.name is None and not unit.scaled
    if bare and written.isdigit() and len(written) == 4 and int(written) in _YEAR:
        return None
    if bare and sign < 0:
        start, sign = numeral.start, 1.0
    scale = unit.factor
    half = 0.5 * scale * _last_digit(written, numeral)
    noun, end = None, unit.end
    if unit.name is None and (counts := counted(text, unit.end)):
        noun = counts[0]
    scaled = unit.scaled or (
        numeral.spoken and re.search(r"\b(?:million|billion|thousand)$", written, re.I) is not None
    )
    before = _VAGUE.search(text[max(0, start - 24) : start])
    lasting = before is not None and before[0].lower().startswith("over") and unit.name in TIME_UNITS
    lasting = lasting or text[:start].lower().rstrip().endswith(("turned over", "turn over"))
    vague = (before is not None and not lasting) or unit.plus  # "over twelve months" says when
    vague = vague or bool(_OR_MORE.match(text, end)) or text[start : start + 1] in "~≈<>≥≤±"
    return Amount(
        sign * numeral.value * scale, half, unit.name, noun, text[start:end], start, end, vague, scaled
    )


def _last_digit(written: str, numeral: Numeral) -> float:
    """The worth of the last digit before the scale: 0.1 for "4.2", 1 for "12" and "1,234"."""
    if not numeral.spoken:
        decimals = re.search(r"[.,](\d{1,2}|\d{4,})$", written)
        return 10.0 ** -len(decimals[1]) if decimals else 1.0
    if decimals := _SPOKEN_DECIMALS.search(written):
        step = 10.0 ** -len(decimals[1].split())
    else:
        step = 1.0
    for word, factor in (("million", 1e6), ("billion", 1e9), ("thousand", 1e3), ("hundred", 1e2)):
        if written.lower().rstrip().endswith(word):
            return step * factor
    return step


def _with_ranges(text: str, found: list[Amount]) -> list[Amount]:
    """Both ends of "10-12" and "from 3 to 4 million" are vague; a unit written once holds for both."""
    for i in range(len(found) - 1):
        first, second = found[i], found[i + 1]
        if not _RANGE.fullmatch(text[first.end : second.start]):
            continue
        if first.unit is None and second.unit is not None:
            first = replace(first, unit=second.unit)
        found[i], found[i + 1] = replace(first, vague=True), replace(second, vague=True)
    return found
