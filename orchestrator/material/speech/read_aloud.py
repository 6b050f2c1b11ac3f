"""How much of a slide was read aloud while it was shown: its own words, said in its order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from orchestrator.material.deck.texts import slide_texts
from orchestrator.material.model.slide import Deck, Slide
from orchestrator.material.speech.fillers import WORD

MIN_RUN: Final = 3
"""Words in a row that count: one or two of a slide's words are said by anybody who speaks to it."""
MIN_WORDS: Final = 12
"""Of a slide: a title and a line or two are said anyway."""
READ_SHARE: Final = 0.75
"""Our own measure, on the demo's talk and the three written for `tests/debrief/test_five_talks.py`: of slides
that are spoken to freely at most .44 is said so, of those gone through line by line .60 to 1. Three quarters
lie well within the second."""


@dataclass(frozen=True, slots=True)
class ReadAloud:
    """A slide that was read aloud."""

    slide: int
    share: float  # of its words
    words: int  # that it has


def read_aloud(deck: Deck, talk: Iterable[tuple[int | None, str]]) -> tuple[ReadAloud, ...]:
    """The slides of which READ_SHARE and more was read, in the order of the deck.

    Args:
        talk: What was presented, piece by piece, each with the slide that was shown.
    """
    said: dict[int | None, list[str]] = {}
    for slide, text in talk:
        said.setdefault(slide, []).extend(_words(text))
    shown = {one.number: _shown(one) for one in deck.slides}
    shares = ((number, words, read_share(words, said.get(number, []))) for number, words in shown.items())
    return tuple(
        ReadAloud(number, round(share, 2), len(words))
        for number, words, share in shares
        if share >= READ_SHARE and len(words) >= MIN_WORDS
    )


def read_share(shown: list[str], said: list[str]) -> float:
    """The share of the words *shown* that were *said* in their order, in runs of MIN_RUN and more."""
    if not shown:
        return 0.0
    blocks = SequenceMatcher(None, shown, said, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= MIN_RUN) / len(shown)


def _shown(slide: Slide) -> list[str]:
    """The words that the audience reads: no notes, no alternative texts."""
    return [
        word for origin, text in slide_texts(slide) if origin not in ("notes", "alt") for word in _words(text)
    ]


def _words(text: str) -> list[str]:
    return [match[0].lower().replace("’", "'") for match in WORD.finditer(text)]
