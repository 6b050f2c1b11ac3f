"""Numbers in English words: "two hundred and forty", "four point two million", "a dozen"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.material.claims.digits import PlainNumber, last_place
from orchestrator.material.claims.word_classes import FUNCTION_WORDS, NEXT_WORD, SMALL_NUMBERS

_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_TOKEN = re.compile(
    rf"\b(?:{'|'.join([*SMALL_NUMBERS, *_SCALES])}|hundred|dozen|point|and\sa\shalf)(?:\b|(?=fold\b))",
    re.IGNORECASE,
)
_MOST_WORDS: Final = 24
"""Words of one number: "nine hundred and ninety-nine million …" has fewer."""

_FOLLOWS: Final = {
    "": ("digit", "teen", "ten"),
    "article": ("hundred", "scale", "dozen"),
    "digit": ("hundred", "scale", "dozen", "point", "half"),
    "teen": ("hundred", "scale", "point", "half"),
    "ten": ("digit", "scale", "point", "half"),
    "hundred": ("digit", "teen", "ten", "scale"),
    "scale": ("digit", "teen", "ten", "half"),
    "point": ("digit", "teen", "ten"),
    "decimal": ("digit", "scale"),
    "half": ("scale",),
    "dozen": (),
}
"""Which kind of word may follow which within one number."""


@dataclass(frozen=True, slots=True)
class _Word:
    word: str
    kind: str
    start: int
    end: int


@dataclass(slots=True)
class _Sum:
    """A number as its words come in."""

    start: int
    end: int
    last: str = ""
    total: float = 0.0
    current: float = 0.0
    step: float = 1.0
    largest: float = float("inf")
    decimals: str = ""

    def accepts(self, word: _Word, joint: str, following: _Word | None) -> bool:
        if word.kind not in _FOLLOWS[self.last]:
            return False
        if " and " in f" {joint.strip()} " and self.last not in ("hundred", "scale"):
            return False
        if word.kind == "scale":
            return _SCALES[word.word] < self.largest
        if word.kind == "point":
            return following is not None and following.word in SMALL_NUMBERS
        if word.kind == "digit" and self.last == "ten" and word.word == "zero":
            return False
        ends_in = following.word if following is not None and following.kind == "scale" else ""
        return self.last != "scale" or _SCALES.get(ends_in, 0.0) < self.largest

    def add(self, word: _Word) -> None:
        self.end = word.end
        if self.last in ("point", "decimal") and word.word in SMALL_NUMBERS:
            self.decimals += str(SMALL_NUMBERS[word.word])
            self.step = 10.0 ** -len(self.decimals)
            self.last = "decimal"
            return
        if word.kind == "scale":
            self._settle()
            self.largest = _SCALES[word.word]
            self.total += (self.current or 1.0) * self.largest
            self.current, self.step = 0.0, self.step * self.largest
        elif word.kind in ("hundred", "dozen"):
            self.current = (self.current or 1.0) * (100 if word.kind == "hundred" else 12)
        elif word.kind == "half":
            self.current += 0.5 * (self.largest if self.last == "scale" else 1.0)
            self.step = 0.5 * (self.largest if self.last == "scale" else 1.0)
        elif word.kind != "point":
            self.current += SMALL_NUMBERS[word.word]
            self.step = 1.0
        self.last = word.kind

    def plain(self) -> PlainNumber:
        """With the place and the magnitude of its last word: a whole million in "four million"."""
        self._settle()
        value = self.total + self.current
        place = self.step if self.last in ("scale", "half", "decimal") else last_place(value)
        factor = {"scale": self.largest, "hundred": 100.0}.get(self.last, 1.0)
        return PlainNumber(self.start, self.end, value, place, factor=factor)

    def _settle(self) -> None:
        if self.decimals:
            self.current += float(f"0.{self.decimals}")
            self.decimals = ""


def spelled_in(text: str) -> Iterator[PlainNumber]:
    """Each number in words, in order; ordinals, "one of the best" and "millions" are none."""
    words = [
        _Word(m[0].lower(), _kind(m[0].lower()), m.start(), m.end())
        for m in _TOKEN.finditer(text)
        if text[m.end() : m.end() + 1] not in ("'", "’")
    ]
    at = 0
    while at < len(words):
        number, after = _read(text, words, at)
        if (
            number is not None
            and number.last == "digit"
            and number.end == words[at].end
            and after < len(words)
        ):
            following = words[after]
            is_beside = text[number.end : following.start] == " "
            if is_beside and following.kind in ("teen", "ten"):  # "one twenty two": 122, or one and 22
                at = _read(text, words, after)[1]
                continue
        if number is not None and _counts(text, number, words[at]):
            yield number.plain()
        at = after


def _kind(word: str) -> str:
    if (small := SMALL_NUMBERS.get(word)) is not None:
        return "digit" if small < 10 else "teen" if small < 20 else "ten"
    return "scale" if word in _SCALES else "half" if word.startswith("and") else word


_ARTICLE = re.compile(r"\b(?P<half>half[ -])?an?\s$", re.IGNORECASE)
_JOINT = re.compile(r"[ -]|\s{1,2}|\sand\s", re.IGNORECASE)


def _read(text: str, words: Sequence[_Word], at: int) -> tuple[_Sum | None, int]:
    """The number that begins with the word at *at*, and the place of the word behind it."""
    first = words[at]
    number = _Sum(first.start, first.end)
    if first.kind in _FOLLOWS["article"]:
        article = _ARTICLE.search(text[max(0, first.start - 10) : first.start])
        if article is None:
            return None, at + 1  # the magnitude of digits, or "million" by itself
        number.start -= len(article[0])
        number.last = "article"
        if article["half"]:
            number.current = number.step = 0.5
    elif first.kind not in _FOLLOWS[""]:
        return None, at + 1
    number.add(first)
    after = at + 1
    while after < len(words) and after - at < _MOST_WORDS:
        word = words[after]
        joint = text[number.end : word.start]
        following = words[after + 1] if after + 1 < len(words) else None
        if following and following.start - word.end != 1:
            following = None
        if not _JOINT.fullmatch(joint) or not number.accepts(word, joint, following):
            break
        number.add(word)
        after += 1
    return number, after


_ONE_IS_A_PRONOUN = re.compile(
    r"\b(?:no|any|some|every|each|this|that|which|the|another|last|first|next)[ -]$", re.IGNORECASE
)
_ORDINAL = re.compile(
    r"[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|\w{1,7}th)\b(?! (?:party|parties))",
    re.IGNORECASE,
)
_POINT = re.compile(r"\bpoint\s$", re.IGNORECASE)
_OF_A_HUNDRED = re.compile(r"\s(?:per\s?cent|million|billion)", re.IGNORECASE)


def _counts(text: str, number: _Sum, first: _Word) -> bool:
    if text[number.end : number.end + 1] == "-" and number.last == "ten" and _ORDINAL.match(text, number.end):
        return False  # "twenty-first"
    if _POINT.search(text[max(0, number.start - 7) : number.start]) and _OF_A_HUNDRED.match(text, number.end):
        return False  # "point five per cent" has lost its nought
    if number.end == first.end and first.word == "one":
        following = NEXT_WORD.match(text, number.end)
        return (
            following is not None
            and following[1].lower() not in FUNCTION_WORDS
            and not _ONE_IS_A_PRONOUN.search(text[max(0, number.start - 12) : number.start])
        )
    return True
