"""Verbatim excerpts of longer texts: the sentence that decided an answer, and short quotes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from orchestrator.material.claims.sentences import sentences
from orchestrator.panel.debrief.parts import Source

MAX_WORDS: Final = 30
"""Maximum number of words of a quote in the debrief: as many as are read at a glance."""
MAX_OF_WHOLE: Final = 40
"""Maximum number of words of whole sentences, if no sentence decided: three lines of a terminal."""
MAX_LATE: Final = 20
"""Maximum number of words that the page suggests to say at the first asking: one breath."""


def deciding_words(answer: str, quote: str | None, most_words: int = MAX_WORDS) -> str:
    """Return the sentence of an answer that decided its verdict, verbatim.

    If *quote* is not in the answer, return the answer's beginning, in whole sentences if the first is short
    enough.
    """
    text = " ".join(answer.split())
    words = " ".join((quote or "").split())
    at = text.find(words) if words else -1
    if at < 0:
        ends = [end for _, end in sentences(text) if len(text[:end].split()) <= MAX_OF_WHOLE]
        return text[: ends[-1]] if ends else cut(text, 0, 0, most_words)
    for start, end in sentences(text):
        if start <= at and at + len(words) <= end and len(text[start:end].split()) <= most_words:
            return text[start:end]
    return cut(text, at, at + len(words), most_words)


def short(source: Source) -> Source:
    """Return the source with its words cut, verbatim, to a length read at a glance."""
    quote = " ".join(source.quote.split())
    return Source(cut(quote, 0, 0, MAX_WORDS), source.slide, source.said_at_s, source.origin, source.exchange)


def first_words(source: Source) -> Source:
    """Return the source with only its first sentences, verbatim, as many as are read at a glance."""
    return replace(source, quote=deciding_words(source.quote, None))


def last_words(source: Source) -> Source:
    """Return the source with only its last sentence, verbatim, or the last words of a long sentence."""
    text = " ".join(source.quote.split())
    *_, (start, end) = ((0, len(text)), *sentences(text))
    return replace(source, quote=" ".join(text[start:end].split()[-MAX_WORDS:]))


def cut(text: str, start: int, end: int, most_words: int) -> str:
    """Return at most *most_words* whole words of *text*, from the word at *start* on.

    The words between *start* and *end* are included as far as they fit. A text that is short enough is
    returned whole. An excerpt that would end within a sentence ends with the sentence before, if that leaves
    half of the words.
    """
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    if len(spans) <= most_words:
        return text.strip()
    first = next((number for number, (_, stop) in enumerate(spans) if stop > start), 0)
    last = next((number for number, (_, stop) in enumerate(spans) if stop >= end), len(spans) - 1)
    first = max(0, min(first, len(spans) - most_words)) if last - first < most_words else first
    words = spans[first : first + most_words]
    begin, stop = words[0][0], words[-1][1]
    whole = [end for _, end in sentences(text) if words[(most_words - 1) // 2][1] <= end <= stop]
    return text[begin : whole[-1] if whole else stop]
