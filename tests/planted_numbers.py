"""Numbers of planted decks: chosen, written on slides, and said aloud."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SPOKEN_CURRENCY = {"EUR": "euros", "USD": "dollars", "GBP": "pounds"}
_SIGN = {"EUR": "€", "USD": "$", "GBP": "£"}


@dataclass(frozen=True, slots=True)
class Style:
    """How one deck writes its numbers."""

    currency: str = "EUR"
    percent: str = " %"  # what follows the figure
    million: str = " million"


def style(rng: Random) -> Style:
    """A deck's style."""
    return Style(
        currency=rng.choice(("EUR", "USD", "GBP")),
        percent=rng.choice((" %", "%", "%", " percent", " per cent")),
        million=rng.choice((" million", "M", " M", "m")),
    )


def chosen(rng: Random, unit: str, low: float, high: float, step: float) -> float:
    """A value between *low* and *high*, as round as such values are on slides."""
    value = math.exp(rng.uniform(math.log(low), math.log(high)))
    if unit == "money" or (unit == "count" and low >= 40):
        value = significant(value, rng.choice((2, 2, 3)))
        return value if unit == "money" else float(round(value))
    return round(round(value / step) * step, 2)


def significant(value: float, digits: int) -> float:
    """*value*, rounded to so many significant digits."""
    if not value:
        return 0.0
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def plain(value: float) -> str:
    """Digits with thousands separators, and decimals only where there are any."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}".rstrip("0").rstrip(".")


def written(value: float, unit: str, how: Style, rng: Random) -> str:
    """*value* as it stands on a slide; every form says exactly the same."""
    if unit == "%":
        return plain(value) + how.percent
    if unit in ("money", "price"):
        return _money(value, how, rng)
    if unit == "count":
        if value >= 1e4 and value % 1000 == 0 and rng.random() < 0.3:
            return plain(value / 1000) + rng.choice((",000", " thousand", "k"))
        return plain(value) if rng.random() < 0.85 or value < 1e4 else f"{value:.0f}"
    if unit in ("MW", "km", "t/ha", "hectares"):
        unit = rng.choice((unit, "ha")) if unit == "hectares" else unit
        unit = rng.choice((unit, "megawatts")) if unit == "MW" else unit
        return f"{plain(value)} {unit}"
    if unit in ("days", "hours", "minutes", "weeks", "months", "years"):
        figure = count_words(int(value)) if value <= 12 and rng.random() < 0.5 else plain(value)
        return f"{figure} {unit if value != 1 else unit[:-1]}"
    return plain(value)


def _money(value: float, how: Style, rng: Random) -> str:
    sign, code = _SIGN[how.currency], how.currency
    if value < 1000:
        figure = f"{value:.2f}" if value != round(value) else plain(value)
        return rng.choice((f"{sign}{figure}", f"{figure} {_SPOKEN_CURRENCY[code]}", f"{code} {figure}"))
    forms = [plain(value)]
    if value >= 1e6:
        forms += [plain3(value / 1e6) + how.million] * 4
    if value % 1000 == 0 and value < 2e6:
        forms += [plain(value / 1000) + rng.choice(("k", " k", " thousand"))] * 2
    figure = rng.choice(forms)
    return rng.choice((f"{sign}{figure}", f"{sign}{figure}", f"{code} {figure}", _behind(figure, code)))


def _behind(figure: str, code: str) -> str:
    if figure.endswith(("million", "thousand")) or figure[-1].isdigit():
        return f"{figure} {_SPOKEN_CURRENCY[code]}"
    return f"{code} {figure}"


def plain3(value: float) -> str:
    """As `plain`, with up to three decimals, so that a scaled value stays exact."""
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def spoken(value: float, unit: str, how: Style, rng: Random) -> str:
    """*value* as it is said, in words; about every third time as a transcriber would type it."""
    if rng.random() < 0.33:
        return _typed(value, unit, how)
    words = _scaled_words(value)
    if unit == "%":
        return f"{words} {rng.choice(('percent', 'percent', 'per cent'))}"
    if unit == "money":
        return f"{words} {_SPOKEN_CURRENCY[how.currency]}"
    if unit == "price":
        return _price_words(value, how)
    if unit == "count":
        return words
    said = {"MW": "megawatts", "km": "kilometres", "t/ha": "tons per hectare"}.get(unit, unit)
    return f"{words} {said if value != 1 else said[:-1]}"


def _typed(value: float, unit: str, how: Style) -> str:
    if unit == "%":
        return f"{plain(value)}%"
    if unit in ("money", "price"):
        if value >= 1e6:
            return f"{plain3(value / 1e6)} million {_SPOKEN_CURRENCY[how.currency]}"
        return f"{plain(value)} {_SPOKEN_CURRENCY[how.currency]}"
    said = {"MW": "megawatts", "km": "kilometers", "t/ha": "tons per hectare", "count": ""}.get(unit, unit)
    return f"{plain(value)} {said if value != 1 else said[:-1]}".strip()


def _price_words(value: float, how: Style) -> str:
    whole, cents = int(value), round(value % 1 * 100)
    words = f"{count_words(whole)} {_SPOKEN_CURRENCY[how.currency]}"
    return f"{words} {count_words(cents)}" if cents else words


def _scaled_words(value: float) -> str:
    if value >= 1e6:
        return f"{decimal_words(value / 1e6)} million"
    return decimal_words(value)


def decimal_words(value: float) -> str:
    """The words of a number with up to three decimals: "four point two"."""
    whole, _, decimals = plain3(value).replace(",", "").partition(".")
    words = count_words(int(whole))
    return " ".join([words, "point", *(_ONES[int(digit)] for digit in decimals)]) if decimals else words


def count_words(value: int) -> str:
    """The words of a whole number below a thousand million, with a British "and"."""
    if value < 20:
        return _ONES[value]
    if value < 100:
        return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    if value < 1000:
        rest = f" and {count_words(value % 100)}" if value % 100 else ""
        return f"{_ONES[value // 100]} hundred{rest}"
    size, name = (1_000_000, "million") if value >= 1_000_000 else (1000, "thousand")
    over = value % size
    joint = " and " if 0 < over < 100 else " "
    return f"{count_words(value // size)} {name}" + (f"{joint}{count_words(over)}" if over else "")


def wrong(rng: Random, value: float, unit: str, step: float, avoid: tuple[float, ...] = ()) -> float:
    """A value that cannot be meant by the same words: 12 % to 60 % away, or now and then 6 % to 10 %.

    It is as precise as *value* is, differs by at least three of its last digits, stays
    possible (no share over 100 %), and is near none of *avoid*.
    """
    for _ in range(400):
        near = rng.random() < 0.15
        distance = rng.uniform(0.06, 0.10) if near else rng.uniform(0.12, 0.60)
        found = value * (1 + distance if rng.random() < 0.5 else 1 - distance * 0.8)
        unit_of_last = _last(value, unit, step)
        found = round(round(found / unit_of_last) * unit_of_last, 2)
        if unit == "%" and not 1 <= found <= 99:
            continue
        if abs(found - value) < 2.9 * unit_of_last or abs(found / value - 1) < 0.055:
            continue
        if unit == "%" and value > 50 and abs((100 - found) / (100 - value) - 1) < 0.2:
            continue
        if all(abs(found / other - 1) > 0.04 for other in avoid if other):
            return found
    raise AssertionError(f"no wrong value near {value} {unit}")


def _last(value: float, unit: str, step: float) -> float:
    """The size of the last digit that *value* is given with."""
    if unit in ("money", "count") and value >= 40:
        size = 10.0 ** (math.floor(math.log10(value)) - (1 if significant(value, 2) == value else 2))
        return size if unit == "money" else max(size, 1.0)
    return step
