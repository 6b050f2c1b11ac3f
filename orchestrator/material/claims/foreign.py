"""Words of other languages beside a figure, kept as data: magnitudes, totals, function words."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from orchestrator.core.packaged import packaged_yaml
from orchestrator.material.claims.language import language_of
from orchestrator.material.claims.word_classes import FUNCTION_WORDS

_HAN: Final = {
    "十": 10, "百": 100, "千": 1e3, "천": 1e3, "万": 1e4, "萬": 1e4, "만": 1e4,
    "億": 1e8, "亿": 1e8, "억": 1e8, "兆": 1e12, "조": 1e12,
}  # fmt: skip
HAN: Final = "".join(_HAN)
"""The signs of magnitude of Chinese, Japanese and Korean, which multiply: 百万 is a million."""


def _words() -> dict[str, Any]:
    words: dict[str, Any] = packaged_yaml("material/claims/words.yaml", as_written=True)
    return words


@cache
def _magnitudes() -> dict[str, float]:
    words = {word: float(factor) for factor, one in _words()["magnitudes"].items() for word in one.split()}
    return words | {word: float(factor) for word, factor in _words()["two_words"].items()}


def magnitude_of(word: str, *, is_indian: bool) -> float | None:
    """The factor of a magnitude in small letters, or None: no word for one, or one of two meanings."""
    word = word.lower().rstrip(".")
    if is_indian and word in _words()["indian"]:
        return float(_words()["indian"][word])
    return _magnitudes().get(word)


def han_magnitude(signs: str) -> float:
    """The factor of a run of signs of `HAN`."""
    factor = 1.0
    for sign in signs:
        factor *= _HAN[sign]
    return factor


@cache
def percent_words() -> re.Pattern[str]:
    """The words for "per cent" of other languages, with the space before them."""
    return re.compile(
        rf"[ \u00a0\u202f]?(?:{'|'.join(_words()['percent'].split())})(?![A-Za-z])", re.IGNORECASE
    )


@cache
def total_label() -> re.Pattern[str]:
    """A label that begins with the word for a total, in one of the languages of the list."""
    return re.compile(rf"\W*(?:grand )?(?:{'|'.join(_words()['totals'].split())})(?!\w)", re.IGNORECASE)


def is_function_word(word: str, text: str) -> bool:
    """Whether *word* of *text* is one in English or in the language of *text*: it says nothing of a size."""
    lists, word = _words()["function_words"], word.lower()
    return word in FUNCTION_WORDS or any(
        word in lists.get(code, "").split() for code in ("en", language_of(text))
    )
