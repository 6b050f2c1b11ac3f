"""Split a line or segment into sentences, each a verbatim stretch of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.material.claims.words import word_set

_ABBREVIATIONS: Final = word_set(
    "e.g i.e etc dr mr mrs ms prof sr jr st inc ltd co corp llc plc gmbh bros no nr vs approx est fig "
    "figs eq ref cf c.f al ca dept govt gov gen rep sen hon rev vol pp ed eds jan feb mar apr jun jul aug "
    "sep sept oct nov dec u.s u.k u.n e.u ph.d m.d b.a m.a a.m p.m min max avg incl excl resp"
)
_BOUNDARY = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s+\S)")
_LAST_WORD = re.compile(r"([\w.&]+)$")
_OPENS = re.compile(r"\s*[\"'“‘(\[]*[^\W_]")  # what a next sentence begins with
# The o is a bullet of Word's that PDF makes a letter.
_MARKER = re.compile(r"(?:[•●○▪■◦‣⁃∙·*>–—✓✔➢➤→-]+|o(?=\s+[A-Z]))\s*|\(?\d{1,2}[.)]\s+")
_FINAL = re.compile(r"[^\w)%\]\"'”’+°!€£$]+$")

MAX_SENTENCE: Final = 700
"""Maximum number of characters of a sentence. A longer one has lost its punctuation, and no board could hear
it as one claim."""


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of *text*, without bullets, numbering and outer white space.

    A full stop ends a sentence only before white space and a capital, digit or opening
    quote, and never after an abbreviation or an initial: "$2.3M", "e.g." and "Dr." stay whole.
    """
    start = 0
    for match in _BOUNDARY.finditer(text):
        if _ends_sentence(text, match):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, len(text))


def without_final_stop(text: str) -> str:
    """Return the sentence without a full stop, colon, tick or dash at its end; the result is a substring."""
    return _FINAL.sub("", text)


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    opening = _OPENS.match(text, match.end())
    if opening is None or opening[0][-1].islower():
        return False
    if match[0][0] != ".":
        return True
    before = _LAST_WORD.search(text[max(0, match.start() - 30) : match.start()])
    if before is None:
        return True
    word = before[1].lower()
    if word == "etc":
        return True
    initial = len(word) == 1 and word.isalpha() and before[1].isupper()
    # "12. Next steps": a number at the very beginning numbers the line.
    return word not in _ABBREVIATIONS and not initial and not (match.start() < 4 and word.isdigit())


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        if text[start].isspace():
            start += 1
        elif marker := _MARKER.match(text, start, end):
            start = marker.end()
        else:
            break
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
