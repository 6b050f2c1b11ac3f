"""Names in speech, as far as capitals tell: people, firms, products, places.

Nothing here says who or what they are, and no meaning is read: only where a word is written large
though no sentence begins with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from orchestrator.claims.calendar import MONTH_NUMBERS, WEEKDAYS
from orchestrator.memory.telling_words import english

_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w’'&-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?: (?:(?:of|de|van|von|and|&|for|the|of the) )?{_CAPITAL}){{0,4}}")
_LARGE = re.compile(rf"\b{_CAPITAL}")
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
_LONGEST_NAME: Final = 60
"""Characters; a longer run of capitals is a headline sooner than a name. Our own limit."""


def names(sentence: str) -> Iterator[str]:
    """Names in a sentence: words written large that it does not begin with, or several in a row.

    Speech without capitals, or in capitals throughout, names nobody.
    """
    if sentence.islower() or sentence.isupper():
        return
    for match in _NAME.finditer(sentence):
        words = match[0].split()
        is_first = match.start() == 0
        while words and not _names(words[0]):
            words, is_first = words[1:], False
        while words and not _names(words[-1]):
            words = words[:-1]
        name = re.sub(r"['’]s$", "", " ".join(words)).rstrip("-'’&")
        may_be_any = is_first and len(words) == 1 and not _ACRONYM.fullmatch(name)  # that begins a sentence
        if 1 < len(name) <= _LONGEST_NAME and not may_be_any:
            yield name


def large(text: str) -> frozenset[str]:
    """Words with a capital letter, in small ones, but for those that often open a sentence."""
    return frozenset(word.casefold() for word in _LARGE.findall(text)) - english("common") - english("talk")


def _names(word: str) -> bool:
    return word[0].isupper() and word.casefold().replace("’", "'").partition("'")[0] not in _no_names()


@cache
def _no_names() -> frozenset[str]:
    return english("common") | english("large") | {*MONTH_NUMBERS, *WEEKDAYS}
