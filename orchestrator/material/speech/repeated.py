"""Strings of words that a presenter says again and again, found by the words alone and in any language.

A string ends where a sentence does, and at a figure or a date. Left out are those that stand on a
slide: a subject is named as often as it must be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.model.segment import Segment
from orchestrator.material.speech.fillers import WORD, hesitates

MIN_WORDS: Final = 3
"""Of a string. Shorter ones are grammar: in the five talks of `tests/debrief/test_five_talks.py`, the demo's
and five more 2 to 14 pairs of words a talk came often enough ("of the", "in the"), and 0 to 4 longer ones."""
MIN_SPOKEN: Final = 2
"""Words of more than one letter in a string: the others are an abbreviation that is spelled."""
MAX_WORDS: Final = 8
MIN_TIMES: Final = 4
WORDS_A_TIME: Final = 400
"""In a long talk, once in so many words, two and a half minutes: what a listener begins to wait for."""

_SENTENCE_ENDS: Final = re.compile(r"[.!?…](?=\W|$)")


@dataclass(frozen=True, slots=True)
class Repeated:
    """A string of words, as it was said first, and when it was said each time."""

    words: str
    at_s: tuple[float, ...]  # the beginning of the piece of speech

    @property
    def times(self) -> int:
        """How often it was said."""
        return len(self.at_s)


@dataclass(frozen=True, slots=True)
class _Word:
    plain: str  # in lower case
    said: str
    at_s: float


def repeated_in(segments: Sequence[Segment], shown: Sequence[str] = ()) -> tuple[Repeated, ...]:
    """The strings that were said at least MIN_TIMES and once in WORDS_A_TIME words; the commonest first.

    No word counts for two of them: longer strings come before those within them.

    Args:
        segments: One person's words, in order.
        shown: The lines of the slides.
    """
    sentences = _sentences(segments)
    least = max(MIN_TIMES, ceil(sum(map(len, sentences)) / WORDS_A_TIME))
    lines = [" ".join(one.plain for one in _words(line, 0.0)) for line in shown]
    on_slides = f" {' | '.join(lines)} "
    taken: set[tuple[int, int]] = set()  # sentence and place of words that count already
    found = []
    for length in range(MAX_WORDS, MIN_WORDS - 1, -1):
        for string, all_places in _strings(sentences, length).items():
            places = [one for one in all_places if taken.isdisjoint(_covered(*one, length))]
            is_spelled = sum(len(word) > 1 for word in string) < MIN_SPOKEN
            if len(places) < least or is_spelled or f" {' '.join(string)} " in on_slides:
                continue
            first, at = places[0]
            words = " ".join(one.said for one in sentences[first][at : at + length])
            taken.update(pair for one in places for pair in _covered(*one, length))
            found.append(Repeated(words, tuple(sentences[number][at].at_s for number, at in places)))
    return tuple(sorted(found, key=lambda one: -one.times))


def _covered(number: int, at: int, length: int) -> list[tuple[int, int]]:
    """Sentence and place of each word of a string."""
    return [(number, at + more) for more in range(length)]


def _strings(
    sentences: Sequence[Sequence[_Word]], length: int
) -> dict[tuple[str, ...], list[tuple[int, int]]]:
    """Every string of so many words with its places, none of which overlap; the commonest string first."""
    found: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for number, words in enumerate(sentences):
        for at in range(len(words) - length + 1):
            places = found.setdefault(tuple(one.plain for one in words[at : at + length]), [])
            if not places or places[-1][0] != number or places[-1][1] + length <= at:
                places.append((number, at))
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def _sentences(segments: Sequence[Segment]) -> list[list[_Word]]:
    """The words sentence by sentence, also where captions cut one in two; without um and uh.

    A figure or a date parts a sentence as its end does.
    """
    sentences: list[list[_Word]] = [[]]
    for one in segments:
        ends = [match.span() for match in _SENTENCE_ENDS.finditer(one.text)]
        ends += [(number.start, number.end) for number in numbers_in(one.text)]
        ends += [(date.start, date.end) for date in dates_in(one.text)]
        at = 0
        for start, end in sorted(ends):
            sentences[-1] += _words(one.text[at:start], one.start_s)
            sentences.append([])
            at = max(at, end)
        sentences[-1] += _words(one.text[at:], one.start_s)
    return sentences


def _words(text: str, at_s: float) -> Iterator[_Word]:
    for match in WORD.finditer(text):
        plain = match[0].lower().replace("’", "'")
        if not hesitates(plain):
            yield _Word(plain, match[0], at_s)
