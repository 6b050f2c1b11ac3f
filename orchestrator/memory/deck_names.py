"""The names and terms that stand in a deck, for a recogniser that has never heard them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from orchestrator.material.deck.texts import slide_texts
from orchestrator.material.model.slide import Deck
from orchestrator.memory.english import names

MOST_NAMES: Final = 60
"""More than a recogniser takes; it chooses those that it does not know."""


_AROUND: Final = re.compile(r"^[\W_]+|['’]s\b|[\W_]+$")
_WORD: Final = re.compile(r"(?=.*[^\W\d_])[^\W_]+(?:[-'’&][^\W_]+)*")
"""Rolls-Royce, O'Neill, GPT-5, AT&T."""


def names_in(deck: Deck) -> tuple[str, ...]:
    """Return the single words of the deck's names, the commonest first, then as they come.

    A word that the deck writes in small letters as well is no name.
    """
    found: Counter[str] = Counter()
    small: set[str] = set()
    for slide in deck.slides:
        for _, text in slide_texts(slide):
            small.update(word for one in text.split() if (word := _bare(one)).islower())
            # Behind a word of no meaning, so that a name that begins a line counts as one that stands in it.
            within = [_bare(word) for name in names(f"· {text}") for word in name.split()]
            found.update(word for word in within if _WORD.fullmatch(word))
    told = (word for word, _ in found.most_common() if len(word) > 1 and word.casefold() not in small)
    return tuple(told)[:MOST_NAMES]


def _bare(word: str) -> str:
    """A word without the punctuation around it and an 's."""
    return _AROUND.sub("", word)
