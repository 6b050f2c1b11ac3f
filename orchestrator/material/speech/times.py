"""Whole and monotone times for the pieces of a recording, whatever its clock did."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from orchestrator.core.legible import clock
from orchestrator.material.model.segment import LiveSegment, Segment, possible
from orchestrator.material.speech.pace import spoken_s

OVERLAP_S = 10.0
"""Pieces may be this far out of order because people talk over each other; more is a bad clock."""

_STRAY_SHARE = 0.1  # up to this share of times out of line are strays; more is a clock that was set back


def lay_out(pieces: Sequence[LiveSegment]) -> tuple[tuple[Segment, ...], tuple[str, ...]]:
    """The recording's segments in the order of their start, and notices about its clock.

    No start is before the one before it and no end before its start. Told times stay as told,
    unless the clock is bad, and then a notice says what was done. Pieces without times take
    their words at 150 a minute, squeezed where the told times around them leave less.
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
    """Return the piece with its times counted from *from_s* and multiplied by *factor*."""
    start_s = None if piece.start_s is None else (piece.start_s - from_s) * factor
    return replace(
        piece, start_s=start_s, end_s=None if piece.end_s is None else (piece.end_s - from_s) * factor
    )


def segment_of(piece: LiveSegment, start_s: float, end_s: float) -> Segment:
    """The piece as a segment with these times; marked where they were not told."""
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
    """Ranges of one piece with a time (or the very first) and the pieces without that follow it."""
    firsts = [index for index, piece in enumerate(pieces) if index == 0 or piece.start_s is not None]
    return list(zip(firsts, [*firsts[1:], len(pieces)], strict=True))


def _outside_longest_run(starts_s: list[float]) -> list[int]:
    """The positions outside the longest run of times that never decrease."""
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
    """The pieces with every stretch after a clock that was set back moved behind what came before."""
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
    """Segments for one group, from its told start (else 0) to the next told start at the latest."""
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
