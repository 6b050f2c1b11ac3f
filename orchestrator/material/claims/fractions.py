"""Parts of a whole in English words: "a third", "two thirds", "half the", "half a year"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.material.claims.digits import PlainNumber
from orchestrator.material.claims.hedges import SLACK
from orchestrator.material.claims.word_classes import (
    FUNCTION_WORDS,
    NEXT_WORD,
    ONES,
    SMALL_NUMBERS,
    word_set,
)

_PARTS: Final = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10,
}  # fmt: skip
_SHARE = re.compile(
    rf"\b(?P<count>an?|{'|'.join(ONES)})[ -](?P<part>{'|'.join(_PARTS)})(?P<many>s)?\b",
    re.IGNORECASE,
)
_HALF = re.compile(r"\bhalf\b(?P<a>[ -]an?\b)?", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|than|to|nearly|almost|about|over|under|roughly|around)\s$", re.IGNORECASE)
# "a third more" is a share.
_MORE: Final = word_set("more fewer lower higher cheaper faster slower larger smaller again")
_OF_A_WHOLE = re.compile(r"[ -](?:of(?! (?:19|20)\d\d)|the|our|its|their|all|as|it|them)\b", re.IGNORECASE)
_MEASURED = re.compile(r"\s(?:year|month|day|hour|minute|second|week|decade|per\s?cent|percent)\b", re.I)
_OF_A_MILLION = re.compile(r"(?: of an?)?(?= (?:thousand|million|billion|trillion)\b)", re.I)
_A = re.compile(
    r"(?<!once )(?<!twice )(?<!times )\ban?"
    r"(?=\s(?:fortnight|(?:decade|year|month|week|day|hour|minute)\sand\sa\shalf)\b)",
    re.IGNORECASE,
)
"""The article that is a number: "a fortnight", "a year and a half"."""
_WHICH_HALF = re.compile(
    r"\b(?:first|second|1st|2nd|last|this|next|other|each|per|every|one|the|our)[ -]$", re.I
)


def fractions_in(text: str) -> Iterator[PlainNumber]:
    """Parts of a whole in words: "a third of", "two thirds", "half the", "half a year"; no third party."""
    for match in _SHARE.finditer(text):
        count = float(SMALL_NUMBERS.get(match["count"].lower(), 1))
        if _is_share(text, match, count):
            value = count / _PARTS[match["part"].lower()]
            if many := _OF_A_MILLION.match(text, match.end()):
                yield PlainNumber(match.start(), many.end(), value, SLACK)
            else:
                yield PlainNumber(match.start(), match.end(), value, 0.0, is_share=True)
    for match in _A.finditer(text):
        yield PlainNumber(match.start(), match.end(), 1.0, 0.5)
    for match in _HALF.finditer(text):
        before = text[max(0, match.start() - 10) : match.start()]
        if _WHICH_HALF.search(before) or before[-1:] == "-":
            continue
        if match["a"] and _MEASURED.match(text, match.end()):
            yield PlainNumber(match.start(), match.end(), 0.5, 0.5)
        elif not match["a"] and (_OF_A_WHOLE.match(text, match.end()) or _BY.search(before)):
            yield PlainNumber(match.start(), match.end(), 0.5, 0.0, is_share=True)


def _is_share(text: str, match: re.Match[str], count: float) -> bool:
    """A part, and no ordinal ("a third site"), price ("a quarter") or stretch of time ("three quarters")."""
    part, of_a_whole = match["part"].lower(), bool(_OF_A_WHOLE.match(text, match.end()))
    if bool(match["many"]) != (count > 1):
        return False
    before = text[max(0, match.start() - 10) : match.start()]
    # A quarter is a stretch of time and half a word of many uses, so both need a sign that a whole is meant.
    if part == "quarter" or part == "half":
        return of_a_whole or bool(_BY.search(before) and count == 1)
    following = NEXT_WORD.match(text, match.end())
    word = following[1].lower() if following else ""
    return of_a_whole or count > 1 or not word or word in FUNCTION_WORDS or word in _MORE
