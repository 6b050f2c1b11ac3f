"""Speech that comes in line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from orchestrator.core.errors import SpeechError
from orchestrator.material.model.segment import LiveSegment, Segment, possible
from orchestrator.material.speech.captions import (
    Cue,
    CueReader,
    pieces_of,
    without_repeats,
)
from orchestrator.material.speech.labels import is_role, labelled
from orchestrator.material.speech.pace import spoken_s
from orchestrator.material.speech.plain_text import read_plain_line
from orchestrator.material.speech.segment_json import parse_line
from orchestrator.material.speech.times import segment_of

__all__ = ["LiveReader", "LiveSegment", "parse_line", "timed"]


def timed(live: LiveSegment, clock_s: float, previous: Segment | None = None) -> Segment:
    """The segment with its times settled, for a feed that is live.

    Told times stay, but no start is before *previous*'s. Without times the words have just been
    said: they end at *clock_s* (session clock) and began their length at 150 words a minute
    before it, not before *previous* ended; they are marked as estimated.
    """
    length_s = spoken_s(live.text)
    floor_s = previous.start_s if previous else 0.0
    start_s, end_s = possible(live.start_s), possible(live.end_s)
    if start_s is not None:
        begin_s = max(start_s, floor_s)
        return segment_of(live, begin_s, max(begin_s, start_s + length_s if end_s is None else end_s))
    ended_s = max(clock_s if end_s is None else end_s, floor_s)
    # What was said before may overlap: people talk over each other.
    free_s = min(previous.end_s, ended_s) if previous else 0.0
    return segment_of(live, max(ended_s - length_s, free_s, floor_s), ended_s)


class LiveReader:
    """Takes a feed one line at a time and gives back the segments that are complete.

    A line that cannot be read raises `SpeechError` with its number and is passed over: the
    reader can go on with the next line. Kinds: "jsonl" (a line is a segment), "txt" (a line is
    a segment; `Name:` is a speaker where it is a role, or from the second line on that begins
    so), "vtt" and "srt" (a cue is complete at the blank line or the cue after it).
    """

    def __init__(self, kind: str) -> None:
        if kind not in ("jsonl", "txt", "vtt", "srt"):
            raise ValueError(f"unknown kind of feed: {kind!r}")
        self._kind = kind
        self._number = 0
        self._cues = CueReader(kind, live=True)
        self._last: Cue | None = None
        self._labels: Counter[str] = Counter()

    def line(self, text: str) -> tuple[LiveSegment, ...]:
        """The segments that this line completes.

        Raises:
            SpeechError: The line (or the cue that it completes) cannot be read.
        """
        self._number += 1
        if self._kind == "jsonl":
            piece = parse_line(text, self._number)
        elif self._kind == "txt":
            piece = read_plain_line(text)
        else:
            return self._pieces(partial(self._cues.line, text.strip("\ufeff\r\n")))
        return () if piece is None else (self._named(piece),)

    def close(self) -> tuple[LiveSegment, ...]:
        """The segments that are left when nothing more comes: those of the last cue.

        Raises:
            SpeechError: The last cue cannot be read.
        """
        return self._pieces(self._cues.close)

    def _pieces(self, read: Callable[[], Cue | None]) -> tuple[LiveSegment, ...]:
        unread = len(self._cues.unread)
        cue, before = read(), self._last
        if len(self._cues.unread) > unread:
            raise SpeechError(f"line {self._cues.number}: the cue before it has times that cannot be read")
        if cue is None:
            return ()
        self._last = cue
        kept, _ = without_repeats([before, cue] if before else [cue])
        new = pieces_of(kept[-1]) if len(kept) > 1 or kept[0] is cue else []
        return tuple(self._named(piece) for piece in new)

    def _named(self, piece: LiveSegment) -> LiveSegment:
        """The piece with its speaker, where `Name:` is a role or has stood before words already."""
        piece = replace(piece, text=" ".join(piece.text.split("\n")))
        found = labelled(piece.text)
        if piece.speaker is not None or self._kind == "jsonl":
            return piece
        if found is None or found.is_head or not found.is_clear:
            return piece
        self._labels[found.name] += 1
        if self._labels[found.name] == 1 and not is_role(found.name):
            return piece
        return replace(piece, text=found.words, speaker=found.name)
