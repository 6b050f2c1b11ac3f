"""The names and terms that stand in a deck, for a recogniser that has never heard them."""

from __future__ import annotations

from collections import Counter
from typing import Final

from orchestrator.deck.texts import slide_texts
from orchestrator.memory.english import names
from orchestrator.model.slide import Deck

MOST_NAMES: Final = 60
"""More than a recogniser takes; it chooses those that it does not know."""


def names_in(deck: Deck) -> tuple[str, ...]:
    """Return the single words of the deck's names, the commonest first, then as they come.

    A word that the deck writes in small letters as well is no name.
    """
    found: Counter[str] = Counter()
    small: set[str] = set()
    for slide in deck.slides:
        for _, text in slide_texts(slide):
            small.update(word for word in text.split() if word.islower())
            # Behind a word of no meaning, so that a name that begins a line counts as one that stands in it.
            found.update(word for name in names(f"· {text}") for word in name.split() if word.isalpha())
    told = (word for word, _ in found.most_common() if len(word) > 1 and word.casefold() not in small)
    return tuple(told)[:MOST_NAMES]
