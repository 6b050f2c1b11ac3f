"""Compute complete times that never decrease for the pieces of a recording, whatever its clock did."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

from orchestrator.core.legible import clock
from orchestrator.material.values import WORDS_PER_MINUTE, LiveSegment, Segment, possible

# ---------------------------------------------------------------------- pace
# How many words are said, how long they take, and how fast that is.


CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
"""Ranges of characters (for a class in a regular expression) of scripts without spaces between words."""

_CJK = re.compile(f"[{CJK}]")
CJK_CHARACTERS_PER_WORD = 2.0
"""Characters that take as long as a word: Japanese broadcasters aim at 300 characters a minute, which is two
for each word of 150."""

SLOW_WPM: Final = 100
FAST_WPM: Final = 180
"""Words a minute above which English is too fast. Guides for speakers call 120 to 160 words a minute easy to
follow and 200 fast; professional narrators reach 175 for a minute and are not hard to follow, so a pace
between these is not a fault."""

WINDOW_S: Final = 60.0  # "in minute 7" is what a speaker can place
_MIN_SPEECH_S: Final = 30.0
"""Minimum seconds of speech in a minute that is judged: a few words say nothing about pace."""


def words_in(text: str) -> float:
    """Count the words of *text*; in scripts without spaces, count characters that take as long as a word."""
    spaced, characters = _CJK.subn(" ", text)
    return len(spaced.split()) + characters / CJK_CHARACTERS_PER_WORD


def spoken_s(text: str) -> float:
    """Return the seconds that *text* takes at 150 words a minute; at least the time of one word."""
    return round(max(words_in(text), 1.0) * 60 / WORDS_PER_MINUTE, 3)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of speech and its pace."""

    start_s: float
    end_s: float
    words_per_minute: int


def pace_of(segments: Sequence[Segment]) -> int | None:
    """Return words a minute while speaking, over all segments of known length, or None if it is unknown."""
    told = [one for one in segments if one.is_length_told and one.end_s > one.start_s]
    spoken = sum(one.end_s - one.start_s for one in told)
    if spoken < _MIN_SPEECH_S:
        return None
    return round(sum(words_in(one.text) for one in told) * 60 / spoken)


def windows(segments: Sequence[Segment]) -> tuple[Stretch, ...]:
    """Return the pace of each minute of the clock that has at least half a minute of speech.

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
        if spoken[number] >= _MIN_SPEECH_S
    )


def stretches(minutes: Sequence[Stretch], *, fast: bool) -> tuple[Stretch, ...]:
    """Join neighbouring minutes that are too fast (or too slow, unless *fast*) to follow with ease."""
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


# ---------------------------------------------------------------------- stamps
# Times as people and programs write them: 3:20, 1:02:03.5, 12.4.


STAMP = r"(?:\d{1,2}:)?\d{1,3}:\d{2}(?:[.,]\d{1,3})?"
"""Matches a clock time within a recording: minutes and seconds, with hours and a fraction if needed."""

_CLOCK = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)(?:[.,](\d{1,3}))?")
# Bounded; "1e9", "nan" and "1_000", which float() takes, are no times.
_NUMBER = re.compile(r"[-+]?\d{1,12}(?:\.\d{1,12})?")


def clock_s(stamp: str) -> float | None:
    """Return the seconds of a stamp such as `1:02:03.5`, or None if *stamp* is not a time."""
    match = _CLOCK.fullmatch(stamp.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    if hours is not None and int(minutes) > 59:
        return None
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return round(whole + int((fraction or "0").ljust(3, "0")) / 1000, 3)


def seconds(written: str) -> float | None:
    """Return the seconds of a stamp, or of a plain number in a string, or None if it is neither."""
    if _NUMBER.fullmatch(written.strip()):
        return float(written)
    return clock_s(written)


# ---------------------------------------------------------------------- times


OVERLAP_S = 10.0
"""Seconds by which pieces may be out of order because people talk over each other; a larger difference is a
bad clock."""

_STRAY_SHARE = 0.1  # up to this share of times out of line are strays; more is a clock that was set back


def lay_out(pieces: Sequence[LiveSegment]) -> tuple[tuple[Segment, ...], tuple[str, ...]]:
    """Return the recording's segments in the order of their start, and notices about its clock.

    No start is earlier than that of the segment before, and no end is before its own start. Given times stay
    unless the clock is bad; then a notice says what was done. Pieces without times take as long as their
    words at 150 a minute, or less if the given times around them leave less.
    """
    notices: list[str] = []
    checked = _without_impossible(pieces, notices)
    ordered = _in_order(checked, notices)
    segments: list[Segment] = []
    for first, after in _groups(ordered):
        next_start_s = ordered[after].start_s if after < len(ordered) else None
        segments += _placed(ordered[first:after], next_start_s)
    return tuple(segments), tuple(notices)


def on_clock(piece: LiveSegment, *, from_s: float = 0.0, factor: float = 1.0) -> LiveSegment:
    """Return *piece* with its times counted from *from_s* and multiplied by *factor*."""
    start_s = None if piece.start_s is None else (piece.start_s - from_s) * factor
    return replace(
        piece, start_s=start_s, end_s=None if piece.end_s is None else (piece.end_s - from_s) * factor
    )


def segment_of(piece: LiveSegment, start_s: float, end_s: float) -> Segment:
    """Return *piece* as a segment with these times, marked as estimated if the piece has no times itself."""
    return Segment(
        text=piece.text,
        start_s=round(start_s, 3),
        end_s=round(end_s, 3),
        speaker=piece.speaker,
        slide=piece.slide,
        times_estimated=possible(piece.start_s) is None,
        confidence=piece.confidence,
        doubt=piece.doubt,
        end_estimated=possible(piece.start_s) is not None and possible(piece.end_s) is None,
    )


def _without_impossible(pieces: Sequence[LiveSegment], notices: list[str]) -> list[LiveSegment]:
    impossible: list[int] = []
    backwards: list[int] = []
    checked = []
    for number, piece in enumerate(pieces, start=1):
        start_s, end_s = possible(piece.start_s), possible(piece.end_s)
        if (start_s, end_s) != (piece.start_s, piece.end_s):
            impossible.append(number)
        if start_s is not None and end_s is not None and end_s < start_s:
            backwards.append(number)
            end_s = None
        checked.append(replace(piece, start_s=start_s, end_s=end_s))
    _note(notices, impossible, "has a time that cannot be (negative, over 24 hours or no number)")
    _note(notices, backwards, "ends before it starts")
    return checked


def _note(notices: list[str], numbers: list[int], what: str) -> None:
    if numbers:
        more = f", and {len(numbers) - 1} more" if len(numbers) > 1 else ""
        notices.append(f"segment {numbers[0]} {what}{more}; counted from the words instead")


def _in_order(pieces: list[LiveSegment], notices: list[str]) -> list[LiveSegment]:
    timed = [(index, piece.start_s) for index, piece in enumerate(pieces) if piece.start_s is not None]
    starts_s = [start_s for _, start_s in timed]
    latest_s = accumulate(starts_s, max, initial=0.0)
    # One step back beyond an overlap is what begins the search: an ordered recording pays nothing for it.
    if any(start_s < late_s - OVERLAP_S for start_s, late_s in zip(starts_s, latest_s, strict=False)):
        strays = _outside_longest_run(starts_s)
        if len(strays) <= max(1, _STRAY_SHARE * len(timed)):
            places = [timed[stray][0] for stray in strays]
            for index in places:
                pieces[index] = replace(pieces[index], start_s=None, end_s=None)
            _note(notices, [index + 1 for index in places], "has a time out of line with its neighbours")
        else:
            pieces = _moved_on(pieces, notices)
    groups = [pieces[first:after] for first, after in _groups(pieces)]
    # Stable, so a group without a time (there is one at most, the first) stays in front.
    groups.sort(key=lambda group: -1.0 if group[0].start_s is None else group[0].start_s)
    return [piece for group in groups for piece in group]


def _groups(pieces: Sequence[LiveSegment]) -> list[tuple[int, int]]:
    """Return index ranges, each of a piece with a time (or the very first) and the untimed ones after it."""
    firsts = [index for index, piece in enumerate(pieces) if index == 0 or piece.start_s is not None]
    return list(zip(firsts, [*firsts[1:], len(pieces)], strict=True))


def _outside_longest_run(starts_s: list[float]) -> list[int]:
    """Return the positions outside the longest series of times that never decrease."""
    ends: list[float] = []  # the lowest last time of a run of each length
    at: list[int] = []
    before: list[int] = []
    for position, start_s in enumerate(starts_s):
        # Longest run that never decreases, in n log n (patience sorting): equal starts belong to it.
        length = bisect_right(ends, start_s)
        before.append(at[length - 1] if length else -1)
        ends[length : length + 1] = [start_s]
        at[length : length + 1] = [position]
    inside = set()
    position = at[-1]
    while position >= 0:
        inside.add(position)
        position = before[position]
    return [position for position in range(len(starts_s)) if position not in inside]


def _moved_on(pieces: list[LiveSegment], notices: list[str]) -> list[LiveSegment]:
    """If the clock was set back, move the pieces after that to follow those before it."""
    moved, offset_s, latest_s, latest_end_s = [], 0.0, 0.0, 0.0
    steps: list[tuple[int, float, float]] = []
    for number, piece in enumerate(pieces, start=1):
        if piece.start_s is None:
            moved.append(piece)
            continue
        start_s = piece.start_s + offset_s
        if start_s < latest_s - OVERLAP_S:
            steps.append((number, latest_s - offset_s, piece.start_s))
            # Behind the last end and not the last start, so that nothing overlaps across the step.
            offset_s = latest_end_s - piece.start_s
            start_s = latest_end_s
        end_s = None if piece.end_s is None else piece.end_s + offset_s
        latest_s = max(latest_s, start_s)
        latest_end_s = max(latest_end_s, start_s, end_s or 0.0)
        moved.append(replace(piece, start_s=start_s, end_s=end_s))
    if steps:
        number, was_s, is_s = steps[0]
        more = f", and {len(steps) - 1} more times" if len(steps) > 1 else ""
        notices.append(
            f"the clock goes back from {clock(was_s)} to {clock(is_s)} at segment {number}{more}; "
            "what follows was moved behind it"
        )
    return moved


def _placed(group: list[LiveSegment], next_start_s: float | None) -> list[Segment]:
    """Return the segments of a group, from its given start (else 0) to the next given start at the latest."""
    head = group[0]
    begin_s = head.start_s or 0.0
    if len(group) == 1 and head.start_s is not None and head.end_s is not None:
        return [segment_of(head, begin_s, head.end_s)]
    lengths_s = [spoken_s(piece.text) for piece in group]
    if head.start_s is not None and head.end_s is not None:
        lengths_s[0] = head.end_s - begin_s
    if next_start_s is not None and begin_s + sum(lengths_s) > next_start_s:
        words_s = [spoken_s(piece.text) for piece in group]
        squeeze = (next_start_s - begin_s) / sum(words_s)
        lengths_s = [length_s * squeeze for length_s in words_s]
    edges_s = pairwise(accumulate(lengths_s, initial=begin_s))
    return [segment_of(piece, *edges) for piece, edges in zip(group, edges_s, strict=True)]
