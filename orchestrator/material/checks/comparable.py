"""The one rule before every finding of arithmetic: what is not understood accuses nobody.

Figures are compared only where each has a unit that is known and is the others' too, and where
nothing that touches one was left unread. Units of measure are not converted: "900 GB" and
"1.2 TB" are two units. What is computed is never more than a hundred times what is said, or less
than a hundredth: then something was misread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.foreign import is_function_word
from orchestrator.material.claims.numbers import Number, numbers_in
from orchestrator.material.claims.units import is_currency

_LONGEST_SHORT: Final = 5
"""Letters of a word that may be a magnitude or a unit ("Mkr", "mil", "staff"); longer ones are nouns."""
_FARTHEST: Final = 100.0
_BEHIND = re.compile(
    r"(?P<space>[\s-]?)(?P<word>[^\W\d_][^\s,;:!?()\[\]/–—|\"”]*)|[¹²³⁰⁴-⁹*†‡+]*(?P<sign>\S?)"
)
_HARMLESS: Final = frozenset(",.;:!?)]}\"'”’»–—-−/|=…+<>~≈≤≥±([{“‘«")
"""Signs that may touch a figure, and change nothing of it."""
_ARROW = re.compile(r"[△▲▼▽]\s?$")  # a minus in Japan, and elsewhere a rise or a fall


class Form(NamedTuple):
    """How a text writes its numbers."""

    has_dots: bool  # thousands have dots: "1.234,5", "1.234.567"
    unsure: re.Pattern[str] | None  # the form of figures that may be thousands or thousandths


_COMMAS = re.compile(
    r"(?<![\d,.])(?:\d{1,3}(?:[.' \u00a0\u202f]\d{3})*|\d+),\d{1,2}(?![\d,.])|(?<![\d.,])0,\d", re.ASCII
)
_DOTS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d\.\d{3},\d", re.ASCII)
_ONE_COMMA = re.compile(r"[^\d,.]*\d{1,3},\d{3}[^\d,.]*", re.ASCII)
_ONE_DOT = re.compile(r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?![\d.,]\d|\d)", re.ASCII)
_ONE_DOT_ALONE = re.compile(r"[^\d,.]*[1-9]\d{0,2}\.\d{3}[^\d,.]*", re.ASCII)
_SMALL_WHOLE = re.compile(r"(?<![\d.,])\d{1,3}(?![\d%]|[.,]\d|\s?%)", re.ASCII)
_DECIMALS = re.compile(r"(?<![\d,.])\d+\.(?:\d{1,2}|\d{4,})(?![\d,.])|(?<![\d.])0\.\d", re.ASCII)


def written_form(text: str) -> Form:
    """How *text* writes its numbers: "1,125" beside "0,9" and "850.000" beside "700" are unsure."""
    if _COMMAS.search(text):
        return Form(True, _ONE_COMMA)
    if _DOTS.search(text):
        return Form(True, None)
    is_mixed = _SMALL_WHOLE.search(text) is not None and _DECIMALS.search(text) is None
    return Form(False, _ONE_DOT_ALONE if is_mixed else None)


def without_dots(text: str) -> str:
    """*text* without the dots for thousands."""
    return _ONE_DOT.sub(r"\1\2", text)


def are_comparable(text: str, numbers: Sequence[Number], *, whole: bool = False) -> bool:
    """Whether *numbers* of *text* may be added and compared: all of one unit, and nothing left unread.

    Args:
        whole: No figure of all of *text* may be left unread, and not only of what lies between them.
    """
    names = {name for number in numbers if (name := name_of(text, number)) is not None}
    if len({number.unit for number in numbers}) > 1 or len(names) > 1 or not all_known(text, numbers):
        return False
    start = 0 if whole else min(number.start for number in numbers)
    end = len(text) if whole else max(number.end for number in numbers)
    read = [(one.start, one.end) for one in numbers_in(text)]
    read += [(one.start, one.end) for one in dates_in(text)]
    digits = (at for at in range(start, end) if text[at].isdecimal())
    return all(any(first <= at < last for first, last in read) for at in digits)


def all_known(text: str, numbers: Sequence[Number], form: Form | None = None) -> bool:
    """Whether nothing beside each of *numbers* was left unread, nor the form that *text* writes them in."""
    unsure = (form or written_form(text)).unsure
    return all(
        _is_known(text, number) and not (unsure and unsure.fullmatch(number.text)) for number in numbers
    )


def is_far(one: float, other: float) -> bool:
    """Whether two sizes lie a hundredfold apart: nobody means one and says the other."""
    low, high = sorted((abs(one), abs(other)))
    return high > _FARTHEST * low


def _is_known(text: str, number: Number) -> bool:
    before, match = text[: number.start], _BEHIND.match(text, number.end)
    touches = before[-1:].strip()
    if (touches and touches not in _HARMLESS) or _ARROW.search(before) or match is None:
        return False
    if match["sign"] and match["sign"] not in _HARMLESS:
        return False
    return not is_currency(number.unit) or _short_word(text, number) is None


def name_of(text: str, number: Number) -> str | None:
    """What is counted or measured; None: nothing says so, and the figures beside it may."""
    if number.unit is not None:
        return None
    word = _short_word(text, number) or number.noun
    # "MW" and "mW" are two units, "Sites" and "site" one noun.
    return word if word is None or len(word) < 4 else word.casefold().removesuffix("s")


def _short_word(text: str, number: Number) -> str | None:
    """The word behind a figure if it is short and no function word: it may be a unit or a magnitude."""
    match = _BEHIND.match(text, number.end)
    word = (match["word"] or "").rstrip(".'’") if match else ""
    if not word or len(word) > _LONGEST_SHORT or is_function_word(word, text):
        return None
    return word
