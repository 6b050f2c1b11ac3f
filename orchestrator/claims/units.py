"""What stands around a number and makes it a quantity: currency, scale, unit of measure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.currencies import CODES, CODES_LIKE_WORDS, OF_ANY_NUMBER

_SYMBOLS: Final = {
    "$": "USD",
    "US$": "USD",
    "C$": "CAD",
    "CA$": "CAD",
    "A$": "AUD",
    "AU$": "AUD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "R$": "BRL",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₴": "UAH",
    "₺": "TRY",
    "₪": "ILS",
    "₫": "VND",
    "zł": "PLN",
}
"""A bare $ is read as the US dollar, as most decks mean it."""

_CURRENCIES: Final = (CODES - {"RMB"}) | CODES_LIKE_WORDS | {"pesos"}
"""What `is_currency` knows; pesos are of several countries, so they keep their name."""

_NAMES: Final = {
    "us dollar": "USD",
    "dollar": "USD",
    "buck": "USD",
    "euro": "EUR",
    "pound sterling": "GBP",
    "pound": "GBP",
    "pounds sterling": "GBP",
    "sterling": "GBP",
    "swiss franc": "CHF",
    "franc": "CHF",
    "yen": "JPY",
    "yuan": "CNY",
    "renminbi": "CNY",
    "rupee": "INR",
    "peso": "pesos",
    "krona": "SEK",
    "krone": "NOK",
    "zloty": "PLN",
}

_SCALE_WORDS: Final = {
    "thousand": 1e3,
    "million": 1e6,
    "millions": 1e6,
    "billion": 1e9,
    "billions": 1e9,
    "trillion": 1e12,
    "mio": 1e6,
    "mln": 1e6,
    "mn": 1e6,
    "mrd": 1e9,
    "bn": 1e9,
    "tn": 1e12,
    "lakh": 1e5,
    "crore": 1e7,
}
_SCALE_LETTERS: Final = {
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "MM": 1e6,
    "m": 1e6,
    "B": 1e9,
    "b": 1e9,
    "T": 1e12,
}

_TIME: Final = {
    "ms": "milliseconds",
    "millisecond": "milliseconds",
    "s": "seconds",
    "sec": "seconds",
    "second": "seconds",
    "min": "minutes",
    "minute": "minutes",
    "h": "hours",
    "hr": "hours",
    "hour": "hours",
    "day": "days",
    "week": "weeks",
    "wk": "weeks",
    "month": "months",
    "mo": "months",
    "quarter": "quarters",
    "year": "years",
    "yr": "years",
    "decade": "decades",
}
TIME_UNITS: Final = frozenset(_TIME.values())

_MEASURES: Final = (
    r"(?:kg|g|t|l|k?Wh|MWh|km|m³)/(?:ha|m²|m2|km|t|h|d)|ha|k?Wh|[MGT]Wh|[kMGT]W|kV|[kMG]?Hz|[KMGTP]B|[kKMGT]iB|kg|tonnes?|tons?|km²|m²|m³|km|mm|cm|nm|px|°C|°F|"
    r"sq\.? ?(?:ft|m|km)|square (?:feet|metres|meters|miles)|miles|litres|liters|hectares|acres|gallons|"
    r"barrels"
)

CURRENCY_BEFORE: Final = re.compile(
    r"(?P<approx>[~≈<>≥≤±]\s?)?(?P<sign>(?<![\w)])[-−])?"
    rf"(?:(?:(?P<symbol>{'|'.join(sorted((re.escape(s) for s in _SYMBOLS), key=len, reverse=True))})\s?"
    rf"|(?<![A-Za-z])(?P<code>{'|'.join(sorted(CODES))})\s?\$?)(?P<minus>[-−])?)?$"
)
_LIKE_WORD_AFTER = re.compile(rf"\s?(?P<code>{'|'.join(sorted(CODES_LIKE_WORDS))})\b")
_LIKE_WORD_BEFORE = re.compile(
    rf"(?P<sign>(?<![\w)])[-−])?(?<![A-Za-z])(?P<code>{'|'.join(sorted(CODES_LIKE_WORDS))})\s?$"
)
_SCALED_FIGURE = re.compile(
    rf"\d[\d.,]*\s?(?:(?:{'|'.join(_SCALE_WORDS)})\b|(?:[kKmM]|MM|bn|[BT])(?![A-Za-z]))"
)
_LARGE_FIGURE = re.compile(rf"\d{{1,3}}(?:[.,’' ]\d{{3}})+(?!\d)|{_SCALED_FIGURE.pattern}")
_MINUS_SPOKEN = re.compile(r"\b(?:minus|negative)\s$", re.IGNORECASE)
_SCALE = re.compile(
    rf"[ -]?(?P<word>{'|'.join(_SCALE_WORDS)})\b|(?P<letter>MM|[kKMmBbT])(?![A-Za-z])|\s(?P<spaced>MM|"
    r"[KMB])(?![\w.])",
    re.IGNORECASE,
)
_CURRENCY_AFTER = re.compile(
    rf"\s?(?P<symbol>[€£¥₹₩₽₴]|zł|\$(?!\d))|\s?(?P<code>{'|'.join(sorted(CODES | {'COP', 'TRY'}))})\b"
    rf"|[ -](?P<name>(?i:{'|'.join(_NAMES)}))s?\b"
)
_PERCENT = re.compile(r"\s?%|[ -]per\s?cent(?!age)\b|\s?pct\b", re.IGNORECASE)
_POINTS = re.compile(r"\s?(?:%|percentage|percent)[- ]?points?\b|\s?pp\b|\s?p\.p\.", re.IGNORECASE)
_BASIS_POINTS = re.compile(r"[ -]?(?:bps?|basis[- ]points?)\b", re.IGNORECASE)
_MULTIPLE = re.compile(
    r"\s?[xX×](?![\w])|-?\s?fold\b|\s+times(?=\s+(?:as|the|faster|more|higher|larger|bigger|greater|better|"
    r"cheaper|"
    r"slower|lower|longer|revenue|sales|earnings|ebitda|arr|our|what|that)\b)",
    re.IGNORECASE,
)
_DURATION = re.compile(
    r"(?P<tight>ms|s|h|min|hr|yr|mo|wk)s?(?![\w/])"
    r"|[ -](?P<word>ms|milliseconds?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|wks?|months?|"
    r"quarters?|"
    r"years?|yrs?|decades?)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(rf"[ -]?(?P<unit>{_MEASURES})(?![\w/²³])")
_PLUS = re.compile(r"\s?\+(?![\d\w])|\s?plus\b(?=\s)")


@dataclass(frozen=True, slots=True)
class Unit:
    """What the words after a number (and a currency before it) make of it."""

    name: str | None
    factor: float
    end: int  # where the unit's words end in the text
    scaled: bool = False  # a scale such as "million" or "k" was read
    plus: bool = False  # written with "+": at least this many


def is_currency(unit: str | None) -> bool:
    """The unit of a quantity is a currency, and not the noun that was counted."""
    return unit in _CURRENCIES


def currency_before(text: str, start: int) -> tuple[str | None, float, int]:
    """Currency and sign (1 or -1) written in front of a number, and where they begin."""
    left = max(0, start - 8)
    match = CURRENCY_BEFORE.search(text[left:start])
    if match is None:  # the pattern may match nothing, so this is for the type checker
        return None, 1.0, start
    if spoken := _MINUS_SPOKEN.search(text[max(0, start - 10) : start]):
        return None, -1.0, start - len(spoken[0])
    like = _LIKE_WORD_BEFORE.search(text[left:start])
    if like and (_SCALED_FIGURE if like["code"] in OF_ANY_NUMBER else _LARGE_FIGURE).match(text, start):
        return like["code"], -1.0 if like["sign"] else 1.0, left + like.start()
    symbol, code = match["symbol"], match["code"]
    currency = _SYMBOLS[symbol] if symbol else _currency(code) if code else None
    sign = -1.0 if match["sign"] or match["minus"] else 1.0
    return currency, sign, left + match.start()


def unit_after(text: str, end: int, currency: str | None) -> Unit:
    """The unit written behind a number that ends at *end*."""
    factor, scaled = 1.0, False
    if scale := _SCALE.match(text, end):
        letter = scale["letter"] or scale["spaced"]
        if scale["word"]:
            factor, scaled, end = _SCALE_WORDS[scale["word"].lower()], True, scale.end()
        elif letter in _SCALE_LETTERS and (currency or scale["letter"]):
            factor, scaled, end = _SCALE_LETTERS[letter], True, scale.end()
    plus = False
    if sign := _PLUS.match(text, end):
        plus, end = True, sign.end()
    if currency:
        return Unit(currency, factor, end, scaled, plus)
    name, unit_factor, end = _named(text, end, scaled)
    return Unit(name, factor * unit_factor, end, scaled, plus)


def _named(text: str, end: int, scaled: bool) -> tuple[str | None, float, int]:
    if match := _POINTS.match(text, end):
        return "points", 1.0, match.end()
    if match := _PERCENT.match(text, end):
        return "%", 1.0, match.end()
    if match := _BASIS_POINTS.match(text, end):
        return "points", 0.01, match.end()
    if match := _MULTIPLE.match(text, end):
        return "x", 1.0, match.end()
    if match := _CURRENCY_AFTER.match(text, end):
        return _after(match), 1.0, match.end()
    if scaled and (match := _LIKE_WORD_AFTER.match(text, end)):
        return match["code"], 1.0, match.end()
    if not scaled and (match := _DURATION.match(text, end)):
        word = (match["tight"] or match["word"]).lower()
        return _TIME.get(word) or _TIME[word.removesuffix("s")], 1.0, match.end()
    if match := _MEASURE.match(text, end):
        return match["unit"], 1.0, match.end()
    return None, 1.0, end


def _after(match: re.Match[str]) -> str:
    if match["symbol"]:
        return _SYMBOLS[match["symbol"]]
    if match["code"]:
        return _currency(match["code"])
    return _NAMES[match["name"].lower()]


def _currency(code: str) -> str:
    return {"RMB": "CNY", "US": "USD"}.get(code, code)
