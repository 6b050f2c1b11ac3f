"""When recognised words are doubtful: they repeat themselves, or the model is not sure of them.

A model that knows one language writes another as words of its own, again and again or with little confidence:
both are figures, and no word is looked at.
"""

from __future__ import annotations

import math
import re
import zlib
from typing import Final

from orchestrator.material.model.segment import CONFIDENCE, REPETITION

MOST_COMPRESSED: Final = 2.4
"""Times that a text may be longer than itself compressed; Whisper's own `compression_ratio_threshold`."""
LONGEST_PHRASE: Final = 8
"""Words of a phrase that is said again and again."""
TIMES: Final = 3
TIMES_OF_A_WORD: Final = 4
"""So many times in a row a phrase, or a single word ("no, no, no"), is a loop that the model is caught in.

No one of the 145 English sentences of the measurement has one, and 31 of 72 in French, German and Italian."""
LONG_S: Final = 1.6
LEAST_SURE: Final = -0.7
LEAST_SURE_SHORT: Final = -1.0
"""Mean log probability of the words, below which they are doubtful; of a stretch shorter than `LONG_S` the
second, Whisper's own, since a word or two says little for itself.

Measured with the packaged model, on sentences of Common Voice (24 each in French, German and Italian) and of
a parliament's hearing (60 in English), spoken by espeak-ng."""
LIKELY_LANGUAGE: Final = 0.5
"""Probability of the likeliest language, from which a model of many is believed."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def is_unsure(sure: float, seconds: float, *, differs: bool = False) -> bool:
    """Return whether the model is not sure of its words.

    Args:
        sure: Their mean log probability.
        seconds: How long the sound is, with the little silence around it.
        differs: Another reading of the same sound has other words; a word or two may.
    """
    is_long = seconds >= LONG_S
    return sure < (LEAST_SURE if is_long else LEAST_SURE_SHORT) or (is_long and differs)


def told_doubt(text: str, confidence: float | None, seconds: float) -> str | None:
    """Return the doubt in words of which a recogniser elsewhere told its confidence, 0 to 1.

    Words without one were typed, or stand in a transcript: they are what somebody meant.
    """
    if confidence is None:
        return None
    if repeats(text):
        return REPETITION
    return CONFIDENCE if is_unsure(math.log(confidence or math.ulp(0.0)), seconds) else None


def repeats(text: str) -> bool:
    """Whether a text says the same again and again."""
    plain = text.encode()
    if len(plain) > MOST_COMPRESSED * len(zlib.compress(plain)):
        return True
    words = [word.casefold() for word in _WORD.findall(text)]
    return any(
        _times(words, at, size) >= (TIMES_OF_A_WORD if size == 1 else TIMES)
        for size in range(1, LONGEST_PHRASE + 1)
        for at in range(len(words) - size)
    )


def _times(words: list[str], at: int, size: int) -> int:
    """How often in a row the phrase of *size* words at *at* stands there."""
    phrase, times = words[at : at + size], 1
    while words[at + times * size : at + (times + 1) * size] == phrase:
        times += 1
    return times
