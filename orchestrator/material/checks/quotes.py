"""Where a quote stands: the same words in the same order, found again in the source's own text.

Folded are capitals, white space and line wraps, the kinds of quotation marks and of dashes, list
marks, the seams between a row's cells and between adjoining lines, and an ellipsis between parts
that stand in order. Nothing else: one other character and the quote does not stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

LONGEST: Final = 2_000
"""Characters of a quote, a page of text: nobody is shown a longer one, and it bounds the time of a search."""

_QUOTATION: Final = "\"'“”„‟«»‹›‘’‚‛`´′″"
_DASHES: Final = "-‐‑‒–—―−⁃﹘﹣－"
_BULLETS: Final = "•●○▪■□◦‣∙➢➤►▶✓✔|"
# Soft hyphen, zero-width marks, byte-order mark: PDF leaves them.
_NOTHING: Final = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_LINE_MARK = re.compile(rf"[ \t]*(?:[*+{re.escape(_DASHES)}]|\(?\d{{1,2}}[.)]|\(?[a-h]\))[ \t]+")
"""Before a line's first word: "- ", "* ", "1. ", "a) "; white space must follow, so "-5" stays a number."""

_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.+|\[(?:…|\.\.\.)\])\s*")
_WITHIN = re.compile(r"[^\W_]|[%€£$¥]")  # a currency or percent sign belongs to its figure


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a quote that stands in one text: `text` is verbatim, ``texts[index][start:end]``."""

    index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """The source's own words that a quote names, from its first to its last, a part for each text."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The parts, each on a line of its own; of a quote from one text a substring of that text."""
        return "\n".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Broken:
    """Which rule a quote broke, and one sentence that tells whoever quoted how to mend it."""

    rule: str  # empty, long, words (some are not there), order (of the parts) or cut (within a word)
    told: str


def find_quote(quote: str, texts: Sequence[str]) -> Stretch | Broken:
    """Where *quote* stands in *texts*, which adjoin each other: one line, a slide's lines, a row's cells.

    The first place counts. A quote begins and ends with whole words: "non-profit" does not hold
    "profit", nor "1,200" the number 200. Linear in the texts but for parts that stand often.
    """
    if len(quote) > LONGEST:
        return Broken("long", f"A quote has at most {LONGEST} characters: quote less of it.")
    parts = [folded for piece in _ELLIPSIS.split(quote) if (folded := fold(piece))]
    if not any(char.isalnum() for part in parts for char in part):
        return Broken("empty", "The quote holds no word.")
    joined = _join(tuple(texts))
    at, begin = 0, -1
    for part in parts:
        found = _whole(joined.text, part, at)
        if found < 0:
            return _told(part, joined.text)
        begin = found if begin < 0 else begin
        at = found + len(part)
    return Stretch(tuple(joined.parts(begin, at, texts)))


def fold(text: str) -> str:
    """*text* as it is compared."""
    return _folded(text)[0]


@dataclass(frozen=True, slots=True)
class _Joined:
    """Folded texts with a blank between them, and where each character comes from."""

    text: str
    origins: tuple[tuple[int, int], ...]  # of each character its text and its place there

    def parts(self, begin: int, end: int, texts: Sequence[str]) -> list[Part]:
        """The texts' own stretches from *begin* to *end*."""
        spans: dict[int, tuple[int, int]] = {}
        for index, place in self.origins[begin:end]:
            if place >= 0:
                first = spans.get(index, (place, 0))[0]
                spans[index] = (first, place + 1)
        return [Part(index, a, b, texts[index][a:b]) for index, (a, b) in spans.items()]


@lru_cache(maxsize=256)
def _join(texts: tuple[str, ...]) -> _Joined:
    chars: list[str] = []
    origins: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        folded, places = _folded(text)
        if not folded:
            continue
        if chars:
            chars.append(" ")
            origins.append((index, -1))
        chars.append(folded)
        origins += [(index, place) for place in places]
    return _Joined("".join(chars), tuple(origins))


def _folded(text: str) -> tuple[str, list[int]]:
    """*text* folded, and of each character of it the place it comes from."""
    chars: list[str] = []
    places: list[int] = []
    for start, end in _without_marks(text):
        for place in range(start, end):
            for char in _fold_one(text[place]):
                if char == " " and (not chars or chars[-1] == " "):
                    continue
                chars.append(char)
                places.append(place)
    while chars and chars[-1] == " ":
        chars.pop()
        places.pop()
    return "".join(chars), places


def _without_marks(text: str) -> list[tuple[int, int]]:
    """The stretches of *text* that list marks at the beginning of lines leave over."""
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        mark = _LINE_MARK.match(line)
        skipped = mark.end() if mark and line[mark.end() :].strip() else 0
        spans.append((at + skipped, at + len(line)))
        at += len(line)
    return spans


def _fold_one(char: str) -> str:
    is_private = "\ue000" <= char <= "\uf8ff"  # private use: a symbol font's bullet
    if char.isspace() or char in _BULLETS or is_private:
        return " "
    if char in _QUOTATION:
        return "'"
    if char in _DASHES:
        return "-"
    return "" if char in _NOTHING else char.casefold()


def _whole(text: str, part: str, at: int) -> int:
    """The first place of *part* in *text* from *at* that cuts no word; -1: there is none."""
    found = text.find(part, at)
    while found >= 0:
        if not (_cuts(text, found) or _cuts(text, found + len(part))):
            return found
        found = text.find(part, found + 1)
    return -1


def _cuts(text: str, at: int) -> bool:
    """Whether a word, or a number with its sign, goes on across the place *at*."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if _WITHIN.match(before) and _WITHIN.match(after):
        return True
    if after in ".,'-" and before.isalnum():  # 1|.5, 1|,200, don|'t, non|-profit
        return at + 1 < len(text) and text[at + 1].isalnum() and (after in "'-" or text[at + 1].isdigit())
    if before in ".,'-" and after.isalnum():  # 1.|5, non-|profit, and -|5
        held = at >= 2 and text[at - 2].isalnum() and (before in "'-" or text[at - 2].isdigit())
        return held or (before == "-" and after.isdigit())
    return False


def _told(part: str, text: str) -> Broken:
    if _whole(text, part, 0) >= 0:
        return Broken("order", f'"{_short(part)}" stands before the part that the quote puts before it.')
    if part in text:
        return Broken("cut", f'"{_short(part)}" is cut out of a longer word or number: quote whole words.')
    words = part.split(" ")
    held = 0
    while held < len(words) and " ".join(words[: held + 1]) in text:
        held += 1
    if held == 0:
        return Broken("words", f'"{_short(words[0])}" does not stand there: quote its words as they are.')
    last = " ".join(words[max(0, held - 6) : held])
    return Broken("words", f'After "{_short(last)}" "{_short(words[held])}" does not follow there.')


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
