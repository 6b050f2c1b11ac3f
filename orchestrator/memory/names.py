"""Names in speech, as far as capitals tell: people, firms, products, places.

Nothing here says who or what they are, and no meaning is read: only where a word is written large
though no sentence begins with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.claims.words import word_set

_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w’'&-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?: (?:(?:of|de|van|von|and|&|for the|of the) )?{_CAPITAL}){{0,4}}")
_NOT_FIRST: Final = word_set(
    "i the a an this that these those it we you he she they our my your his her its their there here what "
    "who when where why how which if and but or so then well yes no not now today as at by for from in on "
    "of to with all both each every some any most many more one two three thank thanks good great okay ok "
    "sure please let also first second third finally next last question answer slide slides is are was "
    "were will would can could do does did has have had because although while after before since until "
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december q1 q2 q3 q4 h1 h2 usd eur gbp dr mr mrs ms um uh oh ah er "
    "yeah hello hi sorry gosh cause again come maybe look indeed however therefore overall remember"
)
"""Words that are written large without naming anybody or anything."""
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
_COMMON_ACRONYMS: Final = word_set(
    "OK CEO CFO COO CTO CIO CMO USD EUR GBP CHF AM PM FY YOY QOQ KPI KPIS OKR PDF UK US EU Q&A VAT"
)
_LONGEST_NAME: Final = 60


def names(sentence: str) -> Iterator[str]:
    """What is named in a sentence: words written large that it does not begin with, or several in a row.

    Speech without capitals, or in capitals throughout, names nobody.
    """
    if sentence.islower() or sentence.isupper():
        return
    for match in _NAME.finditer(sentence):
        if (name := _named(match[0], is_first=match.start() == 0)) is not None:
            yield name


def _named(words: str, *, is_first: bool) -> str | None:
    parts = re.sub(r"['’]s$", "", words).split()
    while parts and _is_common(parts[0]):
        parts, is_first = parts[1:], False
        if parts and not parts[0][0].isupper():
            return None
    while parts and (not parts[-1][0].isupper() or _is_common(parts[-1])):
        parts = parts[:-1]
    name = " ".join(parts).rstrip("-'’&")
    if len(name) < 2 or len(name) > _LONGEST_NAME or name.upper() in _COMMON_ACRONYMS:
        return None
    if is_first and len(parts) == 1 and not _ACRONYM.fullmatch(name):
        return None  # any word may begin a sentence
    return name


def _is_common(word: str) -> bool:
    return word.casefold().replace("’", "'").partition("'")[0] in _NOT_FIRST
