"""Which text on a slide or page is its heading, where the file does not say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LONGEST = 120
"""Characters; a heading is a line, not a paragraph. A real title has 104: at 90 it was lost."""
_FEWEST_LETTERS = 2
"""So that "Q3" and a lone "€" or digit are no heading, and "FAQ" and "要約" are."""
_STANDS_OUT = 1.15
"""How much larger than the other text a heading is; less is body text with some emphasis.

The 132 real pages and slides have the same titles from 1.05 to 1.15; at 1 the first line of a page of text is
one, and at 1.2 titles that are whole sentences, which are set a little smaller, are lost.
"""
_AS_LARGE = 0.75
"""Of several large texts, the first in reading order that is at least this share of the largest.

At 0.68 a smaller line above the title took its place; from 0.75 to 0.94 the real ones read the same.
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """A candidate: its text ("" if it cannot be a heading) and the size of its letters."""

    text: str
    size: float


def most_prominent(candidates: Sequence[Heading]) -> int | None:
    """The index of the heading among *candidates*, which are in reading order; None if none stands out."""
    fit = [
        index
        for index, candidate in enumerate(candidates)
        if 0 < len(candidate.text) <= _LONGEST
        and sum(character.isalpha() for character in candidate.text) >= _FEWEST_LETTERS
    ]
    if not fit:
        return None
    largest = max(candidates[index].size for index in fit)
    found = next(index for index in fit if candidates[index].size >= _AS_LARGE * largest)
    others = sorted(
        candidate.size for index, candidate in enumerate(candidates) if index != found and candidate.size
    )
    if others and candidates[found].size < _STANDS_OUT * others[len(others) // 2]:
        return None
    return found
