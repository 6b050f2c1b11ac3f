"""Numbers as they are written with digits or spoken in English words, with their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number before anything is known about its unit."""

    value: float
    start: int
    end: int
    spoken: bool = False


_DIGITS = re.compile(
    r"(?<![\w.,])(?:"
    r"\d{1,3}(?:[,’'\u00a0\u202f]\d{3})+(?:\.\d+)?"  # 1,234.5
    r"|\d{1,3}(?:\.\d{3}){2,}"  # 1.234.567
    r"|\d+,\d{1,2}(?![\d,])"  # 4,2 as written outside English
    r"|\d+(?:\.\d+)?"
    r")(?!\.?\d)"
)
_CURRENCY_DIGITS = re.compile(r"(?<=[A-Z]{2})\d+(?:[.,]\d+)?")  # EUR5M, USD4.2

_WORD_NUMBER = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|"
    r"fifty|"
    r"sixty|seventy|eighty|ninety|hundred|thousand|million|billion|trillion)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
_SCALES: Final = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_ARTICLE_BEFORE = re.compile(r"\b(?:a|one|per|every|half a|half an)\s+$", re.IGNORECASE)
_HALF_A_BEFORE = re.compile(r"\bhalf an?\s+$", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\s+and a half\b", re.IGNORECASE)
_POINT_BEFORE = re.compile(r"\b(?:point|oh)\s+$", re.IGNORECASE)
_NO_NUMBER_ONE = re.compile(
    r"\b(?:no|any|some|every|each|this|that|which|the|another|last|first|next)\s+$",
    re.IGNORECASE,
)


def digit_numerals(text: str) -> Iterator[Numeral]:
    """Numbers written with digits, separators read as English, Swiss or continental."""
    for pattern in (_DIGITS, _CURRENCY_DIGITS):
        for match in pattern.finditer(text):
            yield Numeral(_value(match[0]), match.start(), match.end())


def spoken_numerals(text: str) -> Iterator[Numeral]:
    """Numbers in English words: "four point two million"; years such as "twenty twenty-six" are left out."""
    if not _WORD_NUMBER.search(text):
        return
    found = _word_numbers(text)
    position = 0
    while position < len(found):
        numeral = found[position]
        following = found[position + 1] if position + 1 < len(found) else None
        position += 1
        if following and _adjacent(text, numeral, following):
            if numeral.value in (19, 20) and 10 <= following.value <= 99:
                position += 1  # a year
                continue
            if numeral.value == following.value or (numeral.value == 24 and following.value == 7):
                position += 1  # fifty fifty, twenty-four seven
                continue
        if half := _AND_A_HALF.match(text, numeral.end):
            numeral = Numeral(numeral.value + 0.5, numeral.start, half.end(), True)
        if following and _adjacent(text, numeral, following) and _scale(text, following):
            numeral = Numeral(numeral.value * following.value, numeral.start, following.end, True)
            position += 1
        if (whole := _as_meant(text, numeral)) is not None:
            yield whole


def _as_meant(text: str, numeral: Numeral) -> Numeral | None:
    """The numeral with the article that belongs to it; None where the words count nothing."""
    before = text[max(0, numeral.start - 12) : numeral.start]
    word = text[numeral.start : numeral.end].lower()
    if _POINT_BEFORE.search(before) or word.endswith("s"):
        return None  # a decimal that lost its whole part; "millions"
    if word in _SCALES:
        article = _ARTICLE_BEFORE.search(before)
        if not article:
            return None  # "million" after digits: the digits' own scale
        factor = 0.5 if _HALF_A_BEFORE.search(before) else 1.0
        return Numeral(numeral.value * factor, numeral.start - len(article[0]), numeral.end, True)
    if word == "one" and _NO_NUMBER_ONE.search(before):
        return None
    return numeral


class _Token:
    """What text2num reads: a word and nothing else."""

    __slots__ = ("_word",)

    def __init__(self, word: str) -> None:
        self._word = word

    def text(self) -> str:
        return self._word

    def nt_separated(self, previous: Any) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return self._word[0].isdigit()


def _word_numbers(text: str) -> list[Numeral]:
    from text_to_num import find_numbers  # a native library: loaded when something is first spoken

    places = [(match.start(), match.end()) for match in _TOKEN.finditer(text)]
    words = (text[start:end] for start, end in places)
    found = find_numbers([_Token(word if word.isascii() else ",") for word in words], "en", 0.0)
    return [
        Numeral(float(number.value), places[number.start][0], places[number.end - 1][1], True)
        for number in found
        if not number.is_ordinal and not text[places[number.start][0]].isdigit()
    ]


def _adjacent(text: str, first: Numeral, second: Numeral) -> bool:
    between = text[first.end : second.start]
    return between in (" ", "-")


def _scale(text: str, numeral: Numeral) -> bool:
    return text[numeral.start : numeral.end].lower() in _SCALES


def _value(digits: str) -> float:
    if re.fullmatch(r"\d+,\d{1,2}", digits):
        return float(digits.replace(",", "."))
    if digits.count(".") > 1:
        return float(digits.replace(".", ""))
    return float(re.sub(r"[,’'\u00a0\u202f]", "", digits))
