"""Combine two readings of the same sound, one plain and one with times and names, into one text.

Without times in its text, the model is nearest to what was said, but sometimes leaves out a whole sentence;
with times it leaves out none. So a sentence that the plain reading left out is inserted from the timed
reading; if the timed reading is not sure, the result is marked as doubtful. A model that is given the deck's
names recognises them, but now and then also where nobody said one. So a name only replaces words that sound
like it, and brings no other words. If no words look like it, the sound decides: the model weighs both texts,
once with the names given and once without them.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from orchestrator.material.values import CONFIDENCE, LANGUAGE, REPETITION

# ---------------------------------------------------------------------- doubt
# When recognised words are doubtful: they repeat themselves, or the model is not sure of them.
#
# A model that knows one language writes another as words of its own, again and again or with little
# confidence: both are figures, and no word is looked at.


MAX_COMPRESSED: Final = 2.4
"""Maximum ratio of a text's length to its length when compressed; Whisper's own
`compression_ratio_threshold`."""
MAX_PHRASE: Final = 8
"""Maximum number of words of a phrase that a loop repeats."""
TIMES: Final = 3
TIMES_OF_A_WORD: Final = 4
"""Number of times in a row from which a phrase, or a single word ("no, no, no"), is a loop in which the model
is caught.

None of the 145 English sentences of the measurement has such a loop, and 31 of 72 in French, German and
Italian have one.
"""
LONG_S: Final = 1.6
MIN_SURE: Final = -0.7
MIN_SURE_SHORT: Final = -1.0
"""Mean log probability of the words below which they are doubtful. There are two such limits: this one is for
a stretch shorter than `LONG_S`. It is Whisper's own, since a word or two says little for itself.

Measured with the packaged model, on sentences of Common Voice (24 each in French, German and Italian) and of
a parliament's hearing (60 in English), spoken by espeak-ng.
"""
LIKELY_LANGUAGE: Final = 0.5
"""Probability of the likeliest language from which the finding of a model of many languages is believed."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def is_unsure(sure: float, seconds: float, *, differs: bool = False) -> bool:
    """Return whether the model is not sure of the words that it recognised.

    Args:
        sure: The mean log probability of the words.
        seconds: How long the sound is, with the little silence around it.
        differs: Whether another reading of the same sound has other words; for a short sound that does not
            matter.
    """
    is_long = seconds >= LONG_S
    return sure < (MIN_SURE if is_long else MIN_SURE_SHORT) or (is_long and differs)


def told_doubt(text: str, confidence: float | None, seconds: float) -> str | None:
    """Return why words may not be what was said, given another recogniser's confidence in them (0 to 1).

    None means no doubt. Words without a confidence were typed, or are in a transcript, so somebody meant
    them.

    Words without one were typed, or stand in a transcript: they are what somebody meant.
    """
    if confidence is None:
        return None
    if repeats(text):
        return REPETITION
    return CONFIDENCE if is_unsure(math.log(confidence or math.ulp(0.0)), seconds) else None


def repeats(text: str) -> bool:
    """Return whether a text repeats itself over and over."""
    plain = text.encode()
    if len(plain) > MAX_COMPRESSED * len(zlib.compress(plain)):
        return True
    words = [word.casefold() for word in _WORD.findall(text)]
    return any(
        _times(words, at, size) >= (TIMES_OF_A_WORD if size == 1 else TIMES)
        for size in range(1, MAX_PHRASE + 1)
        for at in range(len(words) - size)
    )


def _times(words: list[str], at: int, size: int) -> int:
    """Count how often in a row the phrase of *size* words stands from *at* on."""
    phrase, times = words[at : at + size], 1
    while words[at + times * size : at + (times + 1) * size] == phrase:
        times += 1
    return times


# ---------------------------------------------------------------------- readings


LOST_WORDS: Final = 3
"""Number of words that the timed reading has more in one place from which the plain reading has left out a
sentence: "It did not." Names are not counted, because the model may have them from the list alone."""
MAX_PIECES: Final = 4
"""Maximum number of words as which the model may hear a name that it does not know ("man for nearly")."""
UNSPACED: Final = 15
"""Number of characters for each space from which a language has no spaces between its words (German has some
six)."""
ALIKE: Final = 0.5
"""Minimum share of letters that a name and the words in its place have in common (difflib's ratio).

Of 14 names that were spoken, 12 have more ("man for nearly" and Manferdelli: 0.61); of seven names that
nobody spoke, none has more (0.36 at most).
"""
MIN_AGREEMENT: Final = 0.5
"""Minimum share of words that two readings have in common; with less, neither reading is to be believed. Of
60 English sentences two have less, both of them misheard."""
_SIGNS: Final = re.compile(r"^[\W_]+|['’]s\b|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Reading:
    """The model's reading of a stretch of sound."""

    text: str
    sure: float  # mean log probability of its tokens


@dataclass(frozen=True, slots=True)
class Settled:
    """The words that are finally used for a stretch of sound."""

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
    fits: Callable[[str, str, int], bool] = lambda text, other, names: False,
) -> Settled:
    """Choose the words for a stretch of sound, and return them with the reason for any doubt.

    Args:
        timed: The reading with times, for which the model was given *names*.
        seconds: How long the sound is, with the little silence around it.
        is_other_language: Whether a model of many languages has found another language than the one that is
            set.
        fits: Returns whether the sound fits the second text better than the first. The number is that of the
            names which the second text has more.
    """
    if not plain.text:
        plain = timed
    whole = with_lost(plain.text, timed.text, names)
    is_lost = whole != plain.text
    is_taken = is_lost and timed.sure >= MIN_SURE and not repeats(timed.text)
    stands = Reading(whole, timed.sure) if is_taken else plain
    text = with_names(stands.text, timed.text, names)
    other, more = with_names_around(text, timed.text, names)
    if more and fits(text, other, more):
        text = other
    if repeats(plain.text) or repeats(timed.text):
        doubt: str | None = REPETITION
    elif is_other_language:
        doubt = LANGUAGE
    else:
        differs = agreement(text, timed.text) < MIN_AGREEMENT
        is_doubtful = is_lost != is_taken or is_unsure(stands.sure, seconds, differs=differs)
        doubt = CONFIDENCE if is_doubtful else None
    return Settled(text, stands.sure, doubt)


def with_lost(plain: str, timed: str, names: Sequence[str]) -> str:
    """Return *plain* with the words that it lacks from *timed*, each in its place."""
    known = {_fold(name) for name in names}
    gap = _gap(plain, timed)
    words, others = _split(plain, gap), _split(timed, gap)
    heard = _folded(others)
    result: list[str] = []
    for _, a, b, c, d in _matcher(_folded(words), heard).get_opcodes():
        more = sum(word not in known for word in heard[c:d]) - (b - a)
        result += others[c:d] if more >= LOST_WORDS else words[a:b]
    return gap.join(result)


def agreement(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, in the same order."""
    gap = _gap(one, other)
    return _matcher(_folded(_split(one, gap)), _folded(_split(other, gap))).ratio()


def with_names(plain: str, timed: str, names: Sequence[str]) -> str:
    """Return *plain* with the names of *timed* in place of the words that sound like them."""
    known = {_fold(name): name for name in names}
    words, others = plain.split(), timed.split()
    said, heard = _folded(words), _folded(others)
    if known.keys().isdisjoint(heard):
        return plain
    result: list[str] = []
    for kind, a, b, c, d in _matcher(said, heard).get_opcodes():
        for number in range(c, d) if kind == "replace" else ():
            if heard[number] in known:
                around = heard[c:number], heard[number], heard[number + 1 : d]
                at, to = _likest(said[a:b], *around)
                if _matcher("".join(said[a + at : a + to]), heard[number]).ratio() >= ALIKE:
                    result += [*words[a : a + at], _spelled(others[number], known)]
                    a, c = a + to, number + 1
        result += words[a:b]
    return " ".join(result)


def with_names_around(plain: str, timed: str, names: Sequence[str]) -> tuple[str, int]:
    """Replace words of *plain* by those of *timed* that contain a name; return the text and the names' count.

    The words next to a name are replaced together with it, unless that would change a figure: a talk is
    checked by its figures.
    """
    known = {_fold(name) for name in names}
    words, others = plain.split(), timed.split()
    said, heard = _folded(words), _folded(others)
    if known.isdisjoint(heard):
        return plain, 0
    result, count = [], 0
    for kind, a, b, c, d in _matcher(said, heard).get_opcodes():
        more = sum(word in known and word not in said[a:b] for word in heard[c:d])
        is_taken = kind == "replace" and more and _digits(words[a:b]) == _digits(others[c:d])
        count += more if is_taken else 0
        result += others[c:d] if is_taken else words[a:b]
    return " ".join(result), count


def _digits(words: Sequence[str]) -> str:
    return "".join(char for word in words for char in word if char.isdigit())


def _likest(said: Sequence[str], before: Sequence[str], name: str, after: Sequence[str]) -> tuple[int, int]:
    """Return where in *said* a name's words are, found by the words *before* and *after* the name."""

    def alike(place: tuple[int, int]) -> tuple[int, int]:
        at, to = place
        pairs = ((said[:at], before), (said[at:to], [name]), (said[to:], after))
        letters = sum(
            block.size
            for one, other in pairs
            for block in _matcher("".join(one), "".join(other)).get_matching_blocks()
        )
        return letters, at - to  # of two that are alike the one of fewer words

    ends = range(len(said) + 1)
    places = [(at, to) for at in ends for to in ends if at <= to <= at + MAX_PIECES]
    return max(places, key=alike)


def _spelled(word: str, known: dict[str, str]) -> str:
    """Return *word*, which is a name, in the deck's spelling."""
    return known[_fold(word)].join(word.casefold().split(_fold(word), 1))


def _gap(*texts: str) -> str:
    """Return what separates the words of these texts: a space, or nothing."""
    text = " ".join(texts)
    return "" if len(text) > UNSPACED * len(text.split()) else " "


def _split(text: str, gap: str) -> list[str]:
    return text.split() if gap else list(text)


def _folded(words: Sequence[str]) -> list[str]:
    return [_fold(word) for word in words]


def _fold(word: str) -> str:
    """Return a word without its letter case, its punctuation and a final 's."""
    return _SIGNS.sub("", word.casefold())


def _matcher(one: Sequence[str], other: Sequence[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, one, other, autojunk=False)
