"""Word lists of the rules."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a text, which is easier to read and to add to than a list in quotes."""
    return frozenset(words.split())
