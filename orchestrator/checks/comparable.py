"""The one rule before every finding of arithmetic: what is not understood accuses nobody.

Figures are compared only where each has a unit that is known and is the others' too, and where
nothing that touches one was left unread. Units of measure are not converted: "900 GB" and
"1.2 TB" are two units. What is computed is never more than a hundred times what is said, or less
than a hundredth: then something was misread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.claims.dates import dates_in
from orchestrator.claims.foreign import is_function_word
from orchestrator.claims.numbers import Number, numbers_in
from orchestrator.claims.units import is_currency

_LONGEST_SHORT: Final = 5
"""Letters of a word that may be a magnitude or a unit ("Mkr", "tkr", "mil", "staff"); longer ones are nouns."""
_FARTHEST: Final = 100.0
_BEHIND = re.compile(r"(?P<space>[\s-]?)(?P<word>[^\W\d_][^\s,;:!?()\[\]/–—|\"”]*)|[¹²³⁰⁴-⁹*†‡+]*(?P<sign>\S?)")
_HARMLESS: Final = frozenset(",.;:!?)]}\"'”’»–—-−/|=…+<>~≈≤≥±([{“‘«")
"""Signs that may touch a figure, and change nothing of it."""
_ARROW = re.compile(r"[△▲▼▽]\s?$")  # a minus in Japan, and elsewhere a rise or a fall


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
    read = [(one.start, one.end) for one in (*numbers_in(text), *dates_in(text))]
    digits = (at for at in range(start, end) if text[at].isdecimal())
    return all(any(first <= at < last for first, last in read) for at in digits)


def all_known(text: str, numbers: Sequence[Number]) -> bool:
    """Whether nothing beside each of *numbers* of *text* was left unread."""
    return all(_is_known(text, number) for number in numbers)


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
    """The word behind a figure if it is short and no function word: a unit or magnitude, as far as we know."""
    match = _BEHIND.match(text, number.end)
    word = (match["word"] or "").rstrip(".'’") if match else ""
    if not word or len(word) > _LONGEST_SHORT or is_function_word(word, text):
        return None
    return word
