"""How many words are said, how long they take, and how fast that is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.material.model.segment import WORDS_PER_MINUTE, Segment

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
"""Character ranges (for a regular expression's class) of scripts that are not split at spaces."""

_CJK = re.compile(f"[{CJK}]")
CJK_CHARACTERS_PER_WORD = 2.0
"""300 characters a minute is the pace that Japanese broadcasters aim at: two for each word of 150."""

SLOW_WPM: Final = 100
FAST_WPM: Final = 180
"""For English. Guides for speakers call 120 to 160 words a minute easy to follow and 200 fast; professional
narrators reach 175 for a minute and are not hard to follow, so what lies between is nobody's fault."""

WINDOW_S: Final = 60.0  # "in minute 7" is what a speaker can place
_LEAST_SPEECH_S: Final = 30.0
"""A minute with less speech than this is not judged: a few words say nothing about pace."""


def words_in(text: str) -> float:
    """How many words *text* has; in scripts without spaces, what takes as long as a word."""
    spaced, characters = _CJK.subn(" ", text)
    return len(spaced.split()) + characters / CJK_CHARACTERS_PER_WORD


def spoken_s(text: str) -> float:
    """The seconds that *text* takes at 150 words a minute; at least one word's worth."""
    return round(max(words_in(text), 1.0) * 60 / WORDS_PER_MINUTE, 3)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some time of speech and its pace."""

    start_s: float
    end_s: float
    words_per_minute: int


def pace_of(segments: Sequence[Segment]) -> int | None:
    """Words a minute while speaking, over all segments whose length was told; None: there are none."""
    told = [one for one in segments if one.is_length_told and one.end_s > one.start_s]
    spoken = sum(one.end_s - one.start_s for one in told)
    if spoken < _LEAST_SPEECH_S:
        return None
    return round(sum(words_in(one.text) for one in told) * 60 / spoken)


def windows(segments: Sequence[Segment]) -> tuple[Stretch, ...]:
    """The pace of each minute of the clock in which there was speech for at least half a minute.

    A segment's words are spread evenly over its time. Segments with an estimated length do not count.
    """
    words: dict[int, float] = {}
    spoken: dict[int, float] = {}
    for one in segments:
        length_s = one.end_s - one.start_s
        if not one.is_length_told or length_s <= 0:
            continue
        number = int(one.start_s // WINDOW_S)
        while number * WINDOW_S < one.end_s:
            inside_s = min(one.end_s, (number + 1) * WINDOW_S) - max(one.start_s, number * WINDOW_S)
            words[number] = words.get(number, 0.0) + words_in(one.text) * inside_s / length_s
            spoken[number] = spoken.get(number, 0.0) + inside_s
            number += 1
    return tuple(
        Stretch(number * WINDOW_S, (number + 1) * WINDOW_S, round(words[number] * 60 / spoken[number]))
        for number in sorted(words)
        if spoken[number] >= _LEAST_SPEECH_S
    )


def stretches(minutes: Sequence[Stretch], *, fast: bool) -> tuple[Stretch, ...]:
    """Neighbouring minutes that are all too fast (else too slow) to follow with ease, joined."""
    joined: list[list[Stretch]] = []
    for minute in minutes:
        off = minute.words_per_minute > FAST_WPM if fast else minute.words_per_minute < SLOW_WPM
        if not off:
            continue
        if joined and joined[-1][-1].end_s == minute.start_s:
            joined[-1].append(minute)
        else:
            joined.append([minute])
    return tuple(
        Stretch(
            group[0].start_s,
            group[-1].end_s,
            round(sum(one.words_per_minute for one in group) / len(group)),
        )
        for group in joined
    )
