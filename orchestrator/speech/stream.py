"""Speech that comes in line by line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from orchestrator.errors import SpeechError
from orchestrator.speech.captions import Cue, cues, is_timing, pieces_of, without_repeats
from orchestrator.speech.labels import is_role, split_label
from orchestrator.speech.model import LiveSegment, Segment, possible
from orchestrator.speech.pace import spoken_s
from orchestrator.speech.plain import read_plain_line
from orchestrator.speech.segment_json import parse_line
from orchestrator.speech.timeline import segment_of

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
        self._block: list[str] = []
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
            return self._caption_line(text.strip("\ufeff\r\n"))
        return () if piece is None else (self._named(piece),)

    def close(self) -> tuple[LiveSegment, ...]:
        """What is left when nothing more comes: the last cue.

        Raises:
            SpeechError: The last cue cannot be read.
        """
        return self._flush()

    def _caption_line(self, line: str) -> tuple[LiveSegment, ...]:
        if not line.strip():
            return self._flush()
        done: tuple[LiveSegment, ...] = ()
        if "-->" in line and any("-->" in earlier for earlier in self._block):
            number = self._block.pop() if self._block[-1].strip().isdigit() else None
            done = self._flush()
            self._block = [number] if number is not None else []
        self._block.append(line)
        return done

    def _flush(self) -> tuple[LiveSegment, ...]:
        block, self._block = self._block, []
        if not any("-->" in line for line in block):
            return self._rest_of_cue(block)
        text = "\n".join(block)
        found = cues(f"WEBVTT\n\n{text}" if self._kind == "vtt" else text, self._kind)
        if not found and not any(map(is_timing, block)):
            raise SpeechError(f"line {self._number}: the cue before it has times that cannot be read")
        pieces: list[LiveSegment] = []
        for cue in found:
            new, _ = without_repeats([self._last, cue] if self._last else [cue])
            self._last = cue
            pieces += pieces_of(new[-1]) if len(new) > 1 or new[0] is cue else []
        return tuple(self._named(piece) for piece in pieces)

    def _rest_of_cue(self, block: list[str]) -> tuple[LiveSegment, ...]:
        """SRT has no comments: words after a blank line within a cue belong to it."""
        if self._kind != "srt" or self._last is None or all(line.strip().isdigit() for line in block):
            return ()
        found = cues("\n".join(["1", "00:00:00,000 --> 00:00:00,000", *block]), "srt")
        cue = self._last
        return tuple(
            self._named(piece)
            for rest in found
            for piece in pieces_of(Cue(cue.start_s, cue.end_s, rest.lines))
        )

    def _named(self, piece: LiveSegment) -> LiveSegment:
        """The piece with its speaker, where `Name:` is a role or has stood before words already."""
        name, words = split_label(piece.text)
        if piece.speaker is not None or name is None or self._kind == "jsonl":
            return piece
        self._labels[name] += 1
        if self._labels[name] == 1 and not is_role(name):
            return piece
        return replace(piece, text=words, speaker=name)
