"""The English words that memory relies on: content words, names, negation; `english.yaml` has the lists.

A name is recognised by its capitals alone. No meaning is read, so nothing says who or what the name stands
for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final

from orchestrator.core.packaged import packaged_yaml
from orchestrator.material.claims.dates import MONTH_NUMBERS, WEEKDAYS
from orchestrator.material.deck.lines import slide_texts
from orchestrator.material.values import Deck

# ---------------------------------------------------------------------- english


MAX_WORDS: Final = 64
"""Maximum number of words of a topic; each costs one look-up in the index, some 20 microseconds."""
_WORD: Final = re.compile(r"[^\W_]+")
_LONG_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_STEM: Final = 5
"""Number of first letters by which two forms of a word are recognised as one: "postponed", "postponing".

With fewer letters, other words are mixed up; with more, forms of short words are told apart.
"""
_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w’'&-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?: (?:(?:of|de|van|von|and|&|for|the|of the) )?{_CAPITAL}){{0,4}}")
_LARGE = re.compile(rf"\b{_CAPITAL}")
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
_MAX_NAME: Final = 60
"""Maximum number of characters of a name; a longer run of capitals is more likely a headline. Our own
limit."""


@cache
def english(name: str) -> frozenset[str]:
    """Return the list of words that `english.yaml` has under *name*."""
    return frozenset(packaged_yaml("memory/english.yaml")[name].split())


def words_of(text: str) -> tuple[str, ...]:
    """Return the content words of a topic, each once, in order of first occurrence."""
    found = (word.casefold() for word in _WORD.findall(text))
    common = english("common")
    telling = (word for word in found if word not in common and (len(word) > 1 or word.isdigit()))
    return tuple(dict.fromkeys(telling))[:MAX_WORDS]


def subjects_of(text: str) -> tuple[str, ...]:
    """Return the content words of a topic except those common to every talk."""
    return tuple(word for word in words_of(text) if word not in english("talk"))


def stems(text: str) -> set[str]:
    """Return the first letters of each longer word that shows what a sentence is about."""
    words = (word.casefold() for word in _LONG_WORD.findall(text))
    return {word[:_STEM] for word in words if word not in english("common") | english("talk")}


def is_negated(text: str) -> bool:
    """Return whether *text* contains a negation, however it is worded."""
    return _negation().search(text) is not None


@cache
def _negation() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(english('negation')))})\b|n['’]t\b", re.IGNORECASE)


def names(sentence: str) -> Iterator[str]:
    """Yield the names in a sentence: capitalised words not at its beginning, or several in a row.

    Speech without capitals, or in capitals throughout, names nobody.
    """
    if sentence.islower() or sentence.isupper():
        return
    for match in _NAME.finditer(sentence):
        words = match[0].split()
        is_first = match.start() == 0
        while words and not _names(words[0]):
            words, is_first = words[1:], False
        while words and not _names(words[-1]):
            words = words[:-1]
        name = re.sub(r"['’]s$", "", " ".join(words)).rstrip("-'’&")
        may_be_any = is_first and len(words) == 1 and not _ACRONYM.fullmatch(name)  # that begins a sentence
        if 1 < len(name) <= _MAX_NAME and not may_be_any:
            yield name


def large(text: str) -> frozenset[str]:
    """Return capitalised words, in lower case, except those that often open a sentence."""
    return frozenset(word.casefold() for word in _LARGE.findall(text)) - english("common") - english("talk")


def _names(word: str) -> bool:
    return word[0].isupper() and word.casefold().replace("’", "'").partition("'")[0] not in _no_names()


@cache
def _no_names() -> frozenset[str]:
    return english("common") | english("large") | {*MONTH_NUMBERS, *WEEKDAYS}


# ---------------------------------------------------------------------- deck names
# The names and terms that stand in a deck, for a recogniser that has never heard them.


MAX_NAMES: Final = 60
"""Maximum number of names: more than a recogniser takes. It chooses those that it does not know."""


_AROUND: Final = re.compile(r"^[\W_]+|['’]s\b|[\W_]+$")
_NAME_WORD: Final = re.compile(r"(?=.*[^\W\d_])[^\W_]+(?:[-'’&][^\W_]+)*")
"""Matches the words that make up a deck's names: Rolls-Royce, O'Neill, GPT-5, AT&T."""


def names_in(deck: Deck) -> tuple[str, ...]:
    """Return the single words of the deck's names, the commonest first, equally common ones in order.

    A word that the deck writes in small letters as well is not a name.
    """
    found: Counter[str] = Counter()
    small: set[str] = set()
    for slide in deck.slides:
        for _, text in slide_texts(slide):
            small.update(word for one in text.split() if (word := _bare(one)).islower())
            # Behind a word of no meaning, so that a name that begins a line counts as one that stands in it.
            within = [_bare(word) for name in names(f"· {text}") for word in name.split()]
            found.update(word for word in within if _NAME_WORD.fullmatch(word))
    told = (word for word, _ in found.most_common() if len(word) > 1 and word.casefold() not in small)
    return tuple(told)[:MAX_NAMES]


def _bare(word: str) -> str:
    """Return *word* without the punctuation around it and without a final 's."""
    return _AROUND.sub("", word)
