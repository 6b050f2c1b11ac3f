"""Two readings of one stretch of sound, and the words that stand: plain ones, and ones with times and names.

Without times in its text the model is nearest to what was said, and sometimes leaves out a whole sentence;
with them it leaves out none. Given the deck's names it hears them, and now and then where nobody said one: so
a name stands only in the place of words that sound like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from orchestrator.model.segment import CONFIDENCE, LANGUAGE, REPETITION
from orchestrator.speech.doubt import LEAST_SURE, is_unsure, repeats

LOST_WORDS: Final = 4
"""Words by which the reading with times is longer, from which the plain one has left out a sentence; the
shortest sentences that a talk goes on with have as many."""
ALIKE: Final = 0.5
"""Share of letters that a name and the words in its place have in common (difflib's ratio).

Of 14 names that were spoken 12 have more ("man for nearly" and Manferdelli: 0.61), and of seven that nobody
spoke none (0.36 at most)."""
LEAST_AGREEMENT: Final = 0.5
"""Share of words that two readings have in common: below it neither is to be believed. Of 60 English
sentences two have less, both of them misheard."""
_SIGNS: Final = re.compile(r"^[\W_]+|['’]s\b|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model reads in a stretch."""

    text: str
    sure: float  # mean log probability of its tokens


@dataclass(frozen=True, slots=True)
class Settled:
    """The words of a stretch."""

    text: str
    sure: float
    doubt: str | None  # of model.segment.DOUBTS


def settle(
    plain: Reading,
    timed: Reading,
    names: Sequence[str],
    *,
    seconds: float,
    is_other_language: bool = False,
) -> Settled:
    """Return the words that stand, and the doubt in them.

    Args:
        timed: The reading with times, for which the model was given *names*.
        seconds: How long the sound is, with the little silence around it.
        is_other_language: A model of many languages has found another than the one that is set.
    """
    is_lost = has_lost(plain, timed)
    stands = timed if is_lost else Reading(with_names(plain.text, timed.text, names), plain.sure)
    if repeats(plain.text) or repeats(timed.text):
        doubt: str | None = REPETITION
    elif is_other_language:
        doubt = LANGUAGE
    else:
        differs = not is_lost and agreement(stands.text, timed.text) < LEAST_AGREEMENT
        doubt = CONFIDENCE if is_unsure(stands.sure, seconds, differs=differs) else None
    return Settled(stands.text, stands.sure, doubt)


def has_lost(plain: Reading, timed: Reading) -> bool:
    """Whether the plain reading has left out a sentence that the other one has."""
    more = len(timed.text.split()) - len(plain.text.split())
    return more >= LOST_WORDS and timed.sure >= LEAST_SURE and not repeats(timed.text)


def agreement(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, in their order."""
    return _matcher(_folded(one.split()), _folded(other.split())).ratio()


def with_names(plain: str, timed: str, names: Sequence[str]) -> str:
    """Return *plain* with the names of *timed* in the place of words that sound like them."""
    known = {_fold(name): name for name in names}
    words, others = plain.split(), timed.split()
    said, heard = _folded(words), _folded(others)
    result: list[str] = []
    for kind, a, b, c, d in _matcher(said, heard).get_opcodes():
        named = kind == "replace" and not known.keys().isdisjoint(heard[c:d])
        if named and _matcher("".join(said[a:b]), "".join(heard[c:d])).ratio() >= ALIKE:
            result += _spelled(others[c:d], known)
        else:
            result += words[a:b]
    return " ".join(result)


def _spelled(words: Sequence[str], known: dict[str, str]) -> Iterator[str]:
    """The words, of which the names are spelled as in the deck."""
    for word in words:
        name = known.get(_fold(word))
        yield word if name is None else name.join(word.casefold().split(_fold(word), 1))


def _folded(words: Sequence[str]) -> list[str]:
    return [_fold(word) for word in words]


def _fold(word: str) -> str:
    """A word without its case, its punctuation and an 's."""
    return _SIGNS.sub("", word.casefold())


def _matcher(one: Sequence[str], other: Sequence[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, one, other, autojunk=False)
