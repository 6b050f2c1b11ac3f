"""Figures written with digits: English, continental, Swiss and spaced separators, fractions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from orchestrator.material.claims.language import language_of


class PlainNumber(NamedTuple):
    """A number before anything is known about its unit."""

    start: int
    end: int
    value: float
    step: float  # the place of its last digit: 0.1 for "4.2"
    is_share: bool = False  # a third, 2/3: a part of a whole, in words
    factor: float = 1.0  # of the magnitude that its last word is: 1e6 of "four million"


_THIN: Final = "\u00a0\u2009\u202f"
_MONEY_BEHIND: Final = r"\s?[€£$]|\s(?:EUR|CHF|SEK|NOK|DKK|PLN|CZK|kr)\b"  # tells "320 000 €" from two cells
_FIGURE = re.compile(
    rf"(?<![\w.'’”^])(?<!\d,)(?:"
    rf"\d{{1,3}}(?:,\d{{3}})+(?!\d|,\d)(?:\.\d+)?"  # 1,234,567.8
    rf"|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?!\d)"  # 1,23,456: lakh
    rf"|\d{{1,3}}(?:\.\d{{3}}){{2,}}(?!\d)(?:,\d+)?"  # 1.234.567,8
    rf"|\d{{1,3}}\.\d{{3}},\d+"  # 1.234,5
    rf"|\d{{1,3}}(?:['’]\d{{3}})+(?!\d)(?:\.\d+)?"  # 12'000
    rf"|\d{{1,3}}(?:[{_THIN}]\d{{3}})+(?!\d)(?:[.,]\d+)?"
    rf"|\d{{1,2}}(?:[ ]\d{{3}})+(?!\d)(?:[.,]\d+)?"
    rf"|\d{{3}}(?:[ ]\d{{3}})*[ ]000(?!\d)|\d{{3}}(?:[ ]\d{{3}})+(?!\d)(?:[.,]\d+)?(?={_MONEY_BEHIND})"
    rf"|(?<!\d[ ])\d{{3}}[ ]\d{{3}}(?![ ]?\d|[,.]\d{{3}})(?:[.,]\d+)?"  # more groups may be a row's cells
    rf"|\d+,\d{{1,2}}(?!\d|,\d)|0,\d+(?!\d|,\d)"  # 4,2 as written outside English
    rf"|\d+\.\d+|\d+|\.\d+|,\d{{1,2}}(?=\s?[€£$%]))(?!\d)",
    re.ASCII,
)
_POWER = re.compile(r"(?<![\w.,])10(?:\^(?P<plain>\d{1,2})(?![\w.])|(?P<raised>[⁰¹²³⁴-⁹]{1,2})(?!\w))")
_AFTER_LETTERS = re.compile(r"(?:(?<=[A-Z]{3})|(?<=\bx))\d+(?:[.,]\d+)?(?!\d)", re.ASCII)
"""EUR5M, x2: whether the letters are a currency is for the caller."""
_VULGAR: Final = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅛": 1 / 8}
_WITH_VULGAR = re.compile(rf"(?<![\w.,])(?P<whole>\d{{1,4}})?\s?(?P<part>[{''.join(_VULGAR)}])", re.ASCII)
# "2/3 of"; "2/3" alone is a date or a page.
_OVER = re.compile(r"(?<![\w.,/])(?P<part>\d)/(?P<whole>\d{1,2})(?=\s(?:of|the)\b)(?!/)", re.ASCII)
_ONE_DOT = re.compile(r"[1-9]\d{0,2}\.\d{3}", re.ASCII)  # 1.200 or 1.2 thousandths: the text decides
_CONTINENTAL = re.compile(r"(?<![\d,])\d+,\d{1,2}(?![\d,])|\d\.\d{3}\.\d{3}|\d\.\d{3},\d", re.ASCII)
_MOST_DIGITS: Final = 24
"""No amount has as many, and a float has 17: the rest is cut off, so that no text costs more to read."""
_COMMA_DECIMAL: Final = frozenset({"de", "nl", "es", "it", "pt", "fr", "sv", "pl"})


def figures_in(text: str) -> Iterator[PlainNumber]:
    """Each figure of *text*; those of one kind in order, so a caller sorts them."""
    dots = None
    for pattern in (_FIGURE, _AFTER_LETTERS):
        for match in pattern.finditer(text):
            written = match[0]
            if "." in written and _ONE_DOT.fullmatch(written):
                dots = _groups_by_dots(text) if dots is None else dots
                if dots or _is_beside_money(text, match.start(), match.end()):
                    written = written.replace(".", "")
            yield _figure(written, match.start(), match.end())
    for match in _POWER.finditer(text):
        power = match["plain"] or "".join(str(unicodedata.digit(sign)) for sign in match["raised"])
        yield PlainNumber(match.start(), match.end(), 10.0 ** int(power), 1.0)
    for match in _WITH_VULGAR.finditer(text):
        value = float(match["whole"] or 0) + _VULGAR[match["part"]]
        step = 0.5 if match["whole"] else 0.0
        yield PlainNumber(match.start(), match.end(), value, step, is_share=not match["whole"])
    for match in _OVER.finditer(text):
        if 0 < int(match["part"]) < int(match["whole"]):
            value = int(match["part"]) / int(match["whole"])
            yield PlainNumber(match.start(), match.end(), value, 0.0, is_share=True)


def last_place(value: float) -> float:
    """The place to which a whole number is rounded, if it ends in two noughts or more beyond three digits.

    "40,000" may stand for 39,950 and "1,200" for 1,195; "240", "100" and "1,240" stand for themselves.
    """
    place = 1.0
    while value and value % (10 * place) == 0 and abs(value) >= 1000 * place:
        place *= 10
    return 1.0 if value % 100 else place


def _figure(written: str, start: int, end: int) -> PlainNumber:
    if written.isdigit() and len(written) <= _MOST_DIGITS:
        return PlainNumber(start, end, float(written), 1.0)
    plain = re.sub(rf"['’ {_THIN}]", "", written)
    if plain.count(",") == 1 and (re.fullmatch(r"\d*,\d{1,2}|0,\d+", plain) or "." in plain.split(",")[0]):
        plain = plain.replace(".", "").replace(",", ".")
    elif plain.count(".") > 1:
        plain = plain.replace(".", "")
    plain = plain.replace(",", "")
    plain = plain[:_MOST_DIGITS]
    decimals = len(plain.partition(".")[2])
    return PlainNumber(start, end, float(plain), 10.0**-decimals)


def _groups_by_dots(text: str) -> bool:
    """Whether this text writes thousands with dots: it has decimal commas, or its language does."""
    return _CONTINENTAL.search(text) is not None or language_of(text) in _COMMA_DECIMAL


_MONEY_LEFT = re.compile(r"(?:[€£]|\b(?:EUR|CHF))\s?[-−]?$")
_MONEY_RIGHT = re.compile(r"\s?(?:[€£]|(?:EUR|CHF|Euro)\b)")


def _is_beside_money(text: str, start: int, end: int) -> bool:
    """No price has three decimals, so "1.200 €" is twelve hundred."""
    return bool(_MONEY_LEFT.search(text[max(0, start - 6) : start]) or _MONEY_RIGHT.match(text, end))
