"""Read numbers in digits, words and fractions: "a third", "two thirds", "half the", "half a year"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from orchestrator.material.claims.language import language_of
from orchestrator.material.claims.words import FUNCTION_WORDS, NEXT_WORD, ONES, SLACK, SMALL_NUMBERS, word_set

# ---------------------------------------------------------------------- digits
# Figures written with digits: English, continental, Swiss and spaced separators, fractions.


class PlainNumber(NamedTuple):
    """A number whose unit is not yet known."""

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
"""Matches a figure joined to letters: EUR5M, x2. Whether the letters are a currency is for the caller to
decide."""
_VULGAR: Final = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅛": 1 / 8}
_WITH_VULGAR = re.compile(rf"(?<![\w.,])(?P<whole>\d{{1,4}})?\s?(?P<part>[{''.join(_VULGAR)}])", re.ASCII)
# "2/3 of"; "2/3" alone is a date or a page.
_OVER = re.compile(r"(?<![\w.,/])(?P<part>\d)/(?P<whole>\d{1,2})(?=\s(?:of|the)\b)(?!/)", re.ASCII)
_ONE_DOT = re.compile(r"[1-9]\d{0,2}\.\d{3}", re.ASCII)  # 1.200 or 1.2 thousandths: the text decides
_CONTINENTAL = re.compile(r"(?<![\d,])\d+,\d{1,2}(?![\d,])|\d\.\d{3}\.\d{3}|\d\.\d{3},\d", re.ASCII)
_MAX_DIGITS: Final = 24
"""Maximum number of digits that are read. No amount has as many, and a float has 17: the rest is cut off, so
that no text costs more to read."""
_COMMA_DECIMAL: Final = frozenset({"de", "nl", "es", "it", "pt", "fr", "sv", "pl"})


def figures_in(text: str) -> Iterator[PlainNumber]:
    """Yield each figure of *text*; they are in order only within one kind, so a caller sorts them."""
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
    """Return the place to which a whole number is rounded, by the zeros beyond its third digit.

    "40,000" may mean 39,950, and "1,200" may mean 1,195; "240", "100" and "1,240" mean themselves.
    """
    place = 1.0
    while value and value % (10 * place) == 0 and abs(value) >= 1000 * place:
        place *= 10
    return 1.0 if value % 100 else place


def _figure(written: str, start: int, end: int) -> PlainNumber:
    if written.isdigit() and len(written) <= _MAX_DIGITS:
        return PlainNumber(start, end, float(written), 1.0)
    plain = re.sub(rf"['’ {_THIN}]", "", written)
    if plain.count(",") == 1 and (re.fullmatch(r"\d*,\d{1,2}|0,\d+", plain) or "." in plain.split(",")[0]):
        plain = plain.replace(".", "").replace(",", ".")
    elif plain.count(".") > 1:
        plain = plain.replace(".", "")
    plain = plain.replace(",", "")
    plain = plain[:_MAX_DIGITS]
    decimals = len(plain.partition(".")[2])
    return PlainNumber(start, end, float(plain), 10.0**-decimals)


def _groups_by_dots(text: str) -> bool:
    """Return whether the text writes thousands with dots: the text or its language uses decimal commas."""
    return _CONTINENTAL.search(text) is not None or language_of(text) in _COMMA_DECIMAL


_MONEY_LEFT = re.compile(r"(?:[€£]|\b(?:EUR|CHF))\s?[-−]?$")
_MONEY_RIGHT = re.compile(r"\s?(?:[€£]|(?:EUR|CHF|Euro)\b)")


def _is_beside_money(text: str, start: int, end: int) -> bool:
    """Return whether money is beside the figure: no price has three decimals, so "1.200 €" is 1,200."""
    return bool(_MONEY_LEFT.search(text[max(0, start - 6) : start]) or _MONEY_RIGHT.match(text, end))


# ---------------------------------------------------------------------- spelled
# Numbers in English words: "two hundred and forty", "four point two million", "a dozen".


_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_TOKEN = re.compile(
    rf"\b(?:{'|'.join([*SMALL_NUMBERS, *_SCALES])}|hundred|dozen|point|and\sa\shalf)(?:\b|(?=fold\b))",
    re.IGNORECASE,
)
_MAX_WORDS: Final = 24
"""Maximum number of words of one number: "nine hundred and ninety-nine million …" has fewer."""

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
"""The kinds of word that may follow each kind of word within one number."""


@dataclass(frozen=True, slots=True)
class _Word:
    word: str
    kind: str
    start: int
    end: int


@dataclass(slots=True)
class _Sum:
    """A spelled-out number while its words are being read."""

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
        """Return the number, with its last word's place and magnitude: a whole million in "four million"."""
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
    """Yield each number in words, in order; ordinals, "one of the best" and "millions" are not numbers."""
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
    """Return the number that begins with the word at *at*, and the index of the next word."""
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
    while after < len(words) and after - at < _MAX_WORDS:
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


# ---------------------------------------------------------------------- fractions


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
"""Matches the article where it is a number: "a fortnight", "a year and a half"."""
_WHICH_HALF = re.compile(
    r"\b(?:first|second|1st|2nd|last|this|next|other|each|per|every|one|the|our)[ -]$", re.I
)


def fractions_in(text: str) -> Iterator[PlainNumber]:
    """Yield parts of a whole in words ("a third of", "two thirds", "half a year"), not "third party"."""
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
    """Return whether the match is a share, not an ordinal ("a third site"), price or stretch of time."""
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
