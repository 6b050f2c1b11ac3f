"""The units of numbers: currencies, magnitudes, percent, multiples and stretches of time.

Each function reads the few characters on one side of a figure and returns where it stopped.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from orchestrator.material.claims.words import HAN, han_magnitude, magnitude_of, percent_words, word_set

SPACE: Final = "[ \u00a0\u2009\u202f]"
"""Matches a space within a number: plain, no-break, thin or narrow no-break."""

RAISED: Final = re.compile("[¹²³⁰⁴-⁹]+")
"""Matches marks of footnotes, which are not digits of the figure before them."""

CODES: Final = word_set(
    "AED AFN AOA ARS AUD AWG AZN BBD BDT BGN BHD BIF BMD BND BRL BTN BWP BYN BZD CAD CDF CHF CLP CNY "
    "CRC CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS "
    "INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LBP LKR LRD LSL LYD MDL MGA MKD "
    "MMK MNT MRU MUR MVR MWK MXN MYR MZN NAD NGN NOK NPR NZD OMR PGK PHP PKR PLN PYG QAR RMB RON RSD "
    "RUB RWF SAR SBD SCR SEK SGD SYP SZL THB TJS TMT TND TTD TWD TZS UAH UGX USD UYU UZS VED VES VND "
    "VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
)
"""The currency codes that no deck writes in capitals for anything else: ISO 4217 (list one, 2025)."""
CODES_LIKE_WORDS: Final = word_set(
    "ALL AMD ANG BAM BOB BSD COP CUP CVE ERN GEL HRK LAK MAD MOP PAB PEN SDG SHP SLE SOS SRD SSP STN "
    "SVC TOP TRY"
)
"""Currency codes that are also words or names ("ALL 12 sites", "TOP 10", "COP 26"). They are read as money
only beside a large figure, as in "PEN 3 million" or "TRY 40,000". The kuna and the guilder of the Antilles
are abolished, but decks still have them."""

OF_ANY_NUMBER: Final = ("ALL", "TOP")
"""Currency codes that any large number may follow: "ALL 2,400 staff", "TOP 1,000 customers"."""

# A bare $ is the US dollar, as most decks mean it.
_SYMBOLS: Final = {
    "US$": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "S$": "SGD", "R$": "BRL", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW",
    "₽": "RUB", "₴": "UAH", "₺": "TRY", "₪": "ILS", "₫": "VND", "zł": "PLN",
    "円": "JPY", "日元": "JPY", "元": "CNY", "圆": "CNY", "人民币": "CNY", "원": "KRW", "美元": "USD",
    "欧元": "EUR", "ドル": "USD", "ユーロ": "EUR", "港元": "HKD", "Kč": "CZK", "₦": "NGN",
}  # fmt: skip
_NAMES: Final = {
    "us dollar": "USD", "dollar": "USD", "buck": "USD", "euro": "EUR", "pound sterling": "GBP",
    "pounds sterling": "GBP", "pound": "GBP", "swiss franc": "CHF", "franc": "CHF", "yen": "JPY",
    "yuan": "CNY", "renminbi": "CNY", "rupee": "INR", "swedish krona": "SEK", "zloty": "PLN",
}  # fmt: skip
_OLD_CODES: Final = {"RMB": "CNY"}  # not ISO 4217, and written as often
_WORDS: Final = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0,
    "mio": 1e6, "mln": 1e6, "mn": 1e6, "mill": 1e6, "mrd": 1e9, "mia": 1e9, "mld": 1e9, "bn": 1e9, "tn": 1e12,
    "tsd": 1e3, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
_LETTERS: Final = {"k": 1e3, "K": 1e3, "M": 1e6, "MM": 1e6, "m": 1e6, "B": 1e9, "b": 1e9, "T": 1e12}
_BESIDE_A_SIGN: Final = {"T": 1e3, "k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6, "bn": 1e9}
"""Factors of the letters joined to a currency: "T€" is a thousand euros, as in German accounts."""

_TIME: Final = {
    "millisecond": ("second", 1e-3), "ms": ("second", 1e-3), "second": ("second", 1.0),
    "sec": ("second", 1.0),
    "s": ("second", 1.0), "minute": ("minute", 1.0), "min": ("minute", 1.0), "hour": ("hour", 1.0),
    "hr": ("hour", 1.0), "h": ("hour", 1.0), "day": ("day", 1.0), "week": ("week", 1.0), "wk": ("week", 1.0),
    "fortnight": ("week", 2.0),
    "month": ("month", 1.0), "mo": ("month", 1.0), "quarter": ("quarter", 1.0), "year": ("year", 1.0),
    "yr": ("year", 1.0), "decade": ("year", 10.0),
}  # fmt: skip
TIME_UNITS: Final = frozenset(name for name, _ in _TIME.values())
"""The units of time, in the singular: "second", "minute", "hour", "day", "week", "month", "quarter",
"year"."""

_CURRENCIES: Final = (CODES - {"RMB"}) | CODES_LIKE_WORDS


def _any(words: object) -> str:
    return "|".join(sorted((re.escape(w) for w in words), key=len, reverse=True))  # type: ignore[attr-defined]


_SYMBOL = _any(_SYMBOLS)
_CODE = _any(CODES)
_LIKE_WORD = _any(CODES_LIKE_WORDS)
_DOTTED = r"(?:mio|mrd|tsd|mill|mia|mld|mln)\."
_BEFORE = re.compile(
    rf"(?P<sign>(?<![\w)%€$£])(?:[-−–]|△\s?))?(?:(?<![A-Za-z])(?P<scale>(?i:{_DOTTED}|mio|mrd|tsd){SPACE}|[TkKMm])?"
    rf"(?:(?P<symbol>{_SYMBOL})|(?P<code>{_CODE}){SPACE}?\$?){SPACE}?(?P<minus>[-−])?)?$"
)
_BEFORE_ENDS_IN: Final = frozenset("-−–△sSeE") | {
    one[-1] for words in (_SYMBOLS, CODES, CODES_LIKE_WORDS) for one in words
}
"""Last characters of a sign, of "minus", of "negative" and of all currencies: nothing else is examined."""
_OF_A_CURRENCY: Final = "".join(
    {*"-−–△. \u00a0\u2009\u202f", *"".join((*_SYMBOLS, *CODES, *_BESIDE_A_SIGN)), *"miordtslMIORDTSL"}
)
"""All characters that `_BEFORE` can match."""
_LIKE_WORD_BEFORE = re.compile(rf"(?<![A-Za-z])(?P<code>{_LIKE_WORD}){SPACE}?$")
_LARGE = re.compile(r"\d{1,3}(?:[.,’']\d{3})+(?!\d)")  # grouped: a figure that can be a sum of money
_DIGITS = re.compile(r"\d[\d.,]*")
_MINUS_SPOKEN = re.compile(r"\b(?:minus|negative)\s$", re.IGNORECASE)
_NO_UNIT: Final = frozenset((*',;:()[]|"?!', ""))
"""Characters that, like the end of the text, show that the figure before them has no unit."""
_SCALE = re.compile(
    rf"(?:{SPACE}|-)?(?:(?i:(?P<dotted>{_DOTTED})|(?P<word>{_any(_WORDS)})s?\b"
    r"(?:\s(?P<second>thousand|million|billion)\b)?))"
    rf"|{SPACE}?(?P<joined>bn|[TkKMm])(?={SPACE}?(?:{_SYMBOL})|{_CODE})"
    rf"|(?P<letter>MM|[kKMmBbT])(?![A-Za-z0-9_²³^])"
    rf"|{SPACE}(?P<spaced>MM|[kKMBm])(?![\w.])"
)
_MONEY_AFTER = re.compile(
    rf"{SPACE}?(?P<symbol>(?!\$\d)(?:{_SYMBOL}))(?P<scale>bn|[kKMm])?(?![A-Za-z])"
    rf"|{SPACE}?(?P<code>{_CODE})\b"
    rf"|(?:{SPACE}|-)(?P<name>(?i:{_any(_NAMES)}))s?\b"
)
_LIKE_WORD_AFTER = re.compile(rf"{SPACE}?(?P<code>{_LIKE_WORD})\b")
_PENCE = re.compile(rf"(?<=\d)p(?!\w|\.\w)|(?:{SPACE}|-)(?:pence|penny)\b")  # "99p", but no "1080p.mov"
_PERCENT = re.compile(rf"{SPACE}?%|(?:{SPACE}|-)per\s?cent(?!age)\b|{SPACE}(?:pct|prozent)\b", re.IGNORECASE)
_POINTS = re.compile(
    rf"(?:{SPACE}|-)?(?:%|percentage|percent|per cent)[- ]points?\b|{SPACE}?ppt?s?\b|{SPACE}?p\.p\.|"
    rf"{SPACE}prozentpunkte?n?\b",
    re.IGNORECASE,
)
_BASIS_POINTS = re.compile(rf"(?:{SPACE}|-)?(?:bps?|basis[- ]points?)\b", re.IGNORECASE)
_MULTIPLE = re.compile(
    rf"{SPACE}?[xX×](?![\w])(?!{SPACE}?\d)|-?fold\b"
    rf"|{SPACE}times\b(?={SPACE}(?:as|the|our|its|their|that|what|more|less|\w+er)\b)",
    re.IGNORECASE,
)
_DURATION = re.compile(
    rf"(?P<tight>ms|secs?|s|mins?|hrs?|h|yrs?|mo|wks?)(?![\w/])"
    rf"|{SPACE}(?P<short>ms|secs?|s|mins?|hrs?|h|yrs?|wks?)(?![\w/])"
    r"|(?:\s|-)(?P<word>milliseconds?|seconds?|minutes?|hours?|days?|weeks?|fortnights?|months?|quarters?|years?|decades?)\b",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"(?P<unit>[kcm]?m(?:[²2³3]|\^[23])?|ha|[kMGT]?Wh?|kVA?|[kMG]?Hz|[KMGTP]i?B|[km]?g|tons?|t|°C|°F|°|px|"
    r"[lL]|ft|mi)(?![\w²³])"
)


class Unit(NamedTuple):
    """The unit read from the words behind a figure."""

    name: str | None
    factor: float
    end: int  # where those words end
    scaled: bool = False  # a magnitude such as "million" or "k" was read
    is_open: bool = False  # "+": at least this many


def is_currency(unit: str | None) -> bool:
    """Return whether the unit of a number is a currency."""
    return unit in _CURRENCIES


def money_before(text: str, start: int) -> tuple[str | None, float, float, int]:
    """Return the currency before *start*, a magnitude beside it ("T€"), the sign, and where these begin."""
    left = max(0, start - 16)  # the longest before a figure: "negative ", or "mio. " and a code
    window = text[left:start]
    if (last := window[-2:].strip()[-1:]) not in _BEFORE_ENDS_IN:
        return None, 1.0, 1.0, start
    if last in "sSeE" and (spoken := _MINUS_SPOKEN.search(window)):
        return None, 1.0, -1.0, left + spoken.start()
    like = _LIKE_WORD_BEFORE.search(window)
    if like and (
        _is_scaled(text, start) or (like["code"] not in OF_ANY_NUMBER and _LARGE.match(text, start))
    ):
        return like["code"], 1.0, 1.0, left + like.start()
    match = _BEFORE.search(window, len(window.rstrip(_OF_A_CURRENCY)))
    if match is None:  # the pattern may match nothing, so this is for the type checker
        return None, 1.0, 1.0, start
    sign = -1.0 if match["sign"] or match["minus"] else 1.0
    currency = _SYMBOLS[match["symbol"]] if match["symbol"] else _current(match["code"])
    scale = (match["scale"] or "").rstrip(". \u00a0\u2009\u202f")
    factor = _BESIDE_A_SIGN.get(scale) or _WORDS.get(scale.lower(), 1.0)
    return currency, factor, sign, left + match.start()


def unit_after(text: str, end: int, currency: str | None = None) -> Unit:
    """Return the unit behind a figure that ends at *end*; *currency* is the one in front of the figure."""
    if mark := RAISED.match(text, end):  # "$320¹ million": a footnote's
        unit = unit_after(text, mark.end(), currency)
        return unit if unit.end > mark.end() else unit._replace(end=end)
    beside = text[end : end + 2]
    if beside[:1] in _NO_UNIT or (beside[0] in " -\n" and beside[1:].isdigit()):
        return Unit(currency, 1.0, end)
    factor, end, scaled = _scale(text, end, currency)
    is_open = text.startswith("+", end) and not text[end + 1 : end + 2].isdigit()
    end += is_open
    if currency:
        return Unit(currency, factor, end, scaled, is_open)
    name, own, end = _named(text, end, scaled)
    return Unit(name, factor * own, end, scaled, is_open)


def measure_after(text: str, end: int) -> str | None:
    """Return a unit of length, energy, data … written without a space ("150km"), or None."""
    match = _MEASURE.match(text, end)
    return match["unit"] if match else None


def _scale(text: str, end: int, currency: str | None) -> tuple[float, int, bool]:
    match = _SCALE.match(text, end)
    if match is None:
        return _foreign_scale(text, end, is_indian=currency in _INDIAN)
    if word := match["dotted"] or match["word"]:
        factor = _WORDS[word.lower().rstrip(".")]
        second = match["second"]
        # "A hundred" and "a dozen" count as digits do: from a thousand on a magnitude is written.
        return factor * (_WORDS[second.lower()] if second else 1.0), match.end(), factor > 100
    if joined := match["joined"]:
        return _BESIDE_A_SIGN[joined], match.end(), True
    letter = match["letter"] or match["spaced"]
    plain = "kKMB" if match["spaced"] else "kKMmBb"
    is_metre = letter == "m" and text.startswith("/", match.end())  # 5m/s
    if not currency and (is_metre or (letter not in plain and letter != "MM")):
        return 1.0, end, False
    return _LETTERS[letter], match.end(), True


_INDIAN: Final = frozenset({"INR", "PKR", "BDT", "NPR", "LKR"})
_HAN_SIGNS = re.compile(rf"{SPACE}?(?P<signs>[{HAN}]+)")
_FOREIGN = re.compile(rf"{SPACE}?(?:de )?(?P<words>(?:mil )?[^\W\d_][^\s\d.,;:!?()/]*\.?)")


def _foreign_scale(text: str, end: int, *, is_indian: bool) -> tuple[float, int, bool]:
    """Return a magnitude in the words or signs of another language: "Mrd.", "crore", "億", "млн"."""
    if signs := _HAN_SIGNS.match(text, end):
        return han_magnitude(signs["signs"]), signs.end(), True
    if match := _FOREIGN.match(text, end):
        factor = magnitude_of(match["words"], is_indian=is_indian)
        if factor is not None:
            stop = match.end() - (match["words"].endswith(".") and not text[match.end() :].strip())
            return factor, stop, True
    return 1.0, end, False


def _named(text: str, end: int, scaled: bool) -> tuple[str | None, float, int]:
    if match := _POINTS.match(text, end):
        return "pp", 1.0, match.end()
    if match := _PERCENT.match(text, end) or percent_words().match(text, end):
        return "%", 1.0, match.end()
    if match := _BASIS_POINTS.match(text, end):
        return "pp", 0.01, match.end()
    if match := _MULTIPLE.match(text, end):
        return "x", 1.0, match.end()
    if match := _MONEY_AFTER.match(text, end):
        factor = _BESIDE_A_SIGN.get(match["scale"] or "", 1.0)
        return _money(match), factor, match.end()
    if not scaled and (match := _PENCE.match(text, end)):
        return "GBP", 0.01, match.end()
    if scaled and (match := _LIKE_WORD_AFTER.match(text, end)):
        return match["code"], 1.0, match.end()
    if match := _DURATION.match(text, end):
        word = (match["tight"] or match["short"] or match["word"]).lower()
        name, factor = _TIME.get(word) or _TIME[word.removesuffix("s")]
        return name, factor, match.end()
    return None, 1.0, end


def _is_scaled(text: str, start: int) -> bool:
    figure = _DIGITS.match(text, start)
    return figure is not None and _scale(text, figure.end(), "EUR")[2]


def _money(match: re.Match[str]) -> str | None:
    if match["symbol"]:
        return _SYMBOLS[match["symbol"]]
    return _current(match["code"]) if match["code"] else _NAMES[match["name"].lower()]


def _current(code: str | None) -> str | None:
    return _OLD_CODES.get(code, code) if code else None
