"""Read speech line by line as it arrives."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import select
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.changes import Changes
from orchestrator.core.home.plain_yaml import shown_name
from orchestrator.material.speech.captions import Cue, CueReader, pieces_of, without_repeats
from orchestrator.material.speech.plain_text import read_plain_line
from orchestrator.material.speech.read import open_recording
from orchestrator.material.speech.segment_json import parse_line
from orchestrator.material.speech.speakers import is_role, labelled
from orchestrator.material.speech.times import segment_of, spoken_s
from orchestrator.material.values import LiveSegment, Segment, possible

# ---------------------------------------------------------------------- follow
# The lines of a file that another program is still writing.


MAX_LINE_BYTES = 1024 * 1024
"""Maximum size of a line; a longer line is not a segment. Our own limit."""

UNTOLD_S = 2.0
"""Seconds after which a file that is followed is looked at although no event came; a first line of which no
event tells is read that late."""

_CHUNK_BYTES = 65536  # bounds memory; a file may be large when following begins


def follow(
    path: Path, *, poll_s: float, stop: Callable[[], bool], changes: Changes | None = None
) -> Iterator[str]:
    """Yield the lines of *path*, existing ones first and then new ones, until *stop()* is true.

    A line is yielded once its line end is written. A last line without a line end is yielded at the stop (in
    a `.jsonl` file only if it is whole JSON). *stop* is called whenever everything in the file has been read,
    and text written by then is still read.

    If the file was written anew (cut, or replaced by another file) and still begins with the text that was
    read, reading continues behind that text: some programs save the whole transcript each time. Otherwise the
    file is read from its beginning, as after a log was rotated. While the file is missing, this function
    waits.

    Args:
        path: The file; it must exist when following begins.
        poll_s: Seconds between two looks at the file if no events come.
        stop: Returns whether to end.
        changes: Events of the file's folder, which then say when to look at the file. If it is None, or if
            the file grows without events, as on a network, *poll_s* applies.

    Raises:
        SpeechError: The file is missing at the start, is not a regular file, is not UTF-8, or has a line over
            1 MB.
    """
    for number, line in enumerate(_raw_lines(path, poll_s, stop, changes), start=1):
        try:
            yield line.removesuffix(b"\r").decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            raise SpeechError(
                f"{shown_name(path)}: line {number} is not UTF-8 text: save it as UTF-8"
            ) from None


def _raw_lines(
    path: Path, poll_s: float, stop: Callable[[], bool], changes: Changes | None
) -> Iterator[bytes]:
    tail = _Tail(path)
    is_told = True
    try:
        while True:
            # Asked before reading: what was written by the moment of the stop is still read.
            over, before = stop(), tail.read_bytes
            yield from tail.lines()
            if over:
                break
            if not is_told and tail.read_bytes != before:
                changes = None
            # Being written anew takes its writer several steps: an event in the middle is too early.
            if changes is None or tail.is_cut:
                time.sleep(poll_s)
                is_told = True
            else:
                is_told = _wait_for(path, changes)
            yield from tail.look_again()
        yield from tail.last_line()
    finally:
        tail.close()


def _wait_for(path: Path, changes: Changes) -> bool:
    """Wait for a change of the file, at most `UNTOLD_S`; return False if none came."""
    names = {str(path.absolute()), str(path.resolve())}
    deadline = time.monotonic() + UNTOLD_S
    while (left_s := deadline - time.monotonic()) > 0:
        paths = changes.wait(left_s)
        if not paths or names & paths:
            return bool(paths)
    return False


class _Tail:
    """The open file, the position up to which it was read, and the bytes of an unfinished line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.is_cut = False
        self._begin()

    def _begin(self) -> None:
        self._file = open_recording(self._path, missing="start the program that writes it first")
        self.read_bytes, self._digest, self._partial = 0, hashlib.sha256(), b""

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that were completed since the last call."""
        while not self.is_cut and (chunk := self._file.read(_CHUNK_BYTES)):
            self.read_bytes += len(chunk)
            self._digest.update(chunk)
            *lines, self._partial = (self._partial + chunk).split(b"\n")
            if len(self._partial) > MAX_LINE_BYTES:
                raise SpeechError(
                    f"{shown_name(self._path)}: a line is longer than 1 MB: give one segment a line"
                )
            yield from lines

    def last_line(self) -> list[bytes]:
        """Return the last line, which has no line end, if the line is complete; else an empty list."""
        return [self._partial] if _is_whole(self._partial, self._path) else []

    def look_again(self) -> list[bytes]:
        """Detect whether the file was cut or replaced, and find the position from which to continue.

        If the file was replaced by another one, return its last line, which has no line end.
        """
        here = os.fstat(self._file.fileno())
        try:
            there = self._path.stat()
        except OSError:
            return []  # away: about to be replaced
        replaced = not os.path.samestat(here, there)
        if not replaced and here.st_size >= self.read_bytes and not self.is_cut:
            return []
        # A program that saves the whole transcript each time empties the file first: one more look waits for
        # it.
        if there.st_size < self.read_bytes and not self.is_cut:
            self.is_cut = True  # being written anew: whoever does it may not be done
            return []
        self.is_cut = False
        if replaced and here.st_size > self.read_bytes:
            return []  # what the replaced file still holds comes first
        self.close()
        read_bytes, digest, partial, last = self.read_bytes, self._digest, self._partial, self.last_line()
        self._begin()
        if _digest(self._file, read_bytes) == digest.digest():
            self.read_bytes, self._digest, self._partial = read_bytes, digest, partial
            return []
        self._file.seek(0)
        return last

    def close(self) -> None:
        self._file.close()


def _digest(file: BinaryIO, size_bytes: int) -> bytes:
    """Return the SHA-256 of the next *size_bytes* of the file, and advance the file behind them."""
    digest = hashlib.sha256()
    while size_bytes and (chunk := file.read(min(size_bytes, _CHUNK_BYTES))):
        digest.update(chunk)
        size_bytes -= len(chunk)
    return digest.digest()


def _is_whole(partial: bytes, path: Path) -> bool:
    if not partial.strip():
        return False
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        return True
    try:
        json.loads(partial)
    except (ValueError, RecursionError):
        return False
    return True


# ---------------------------------------------------------------------- line reader
# Lines from standard input or from a file that grows, read in a thread that ends when it is told to.


STDIN = "-"


class Lines:
    """The lines of a source as they arrive. None ends the lines, and an error is passed on, never lost."""

    def __init__(self, source: str, *, poll_s: float, stop: Callable[[], bool]) -> None:
        """Begin to read standard input (`-`) or a file; *stop* or `close` ends the reading."""
        self._source, self._poll_s, self._stop = source, poll_s, stop
        self._closed = threading.Event()
        self._changes = Changes()
        self._queue: queue.Queue[str | SpeechError | None] = queue.Queue()
        # Daemon: it may hang in a read when the program ends.
        self._thread = threading.Thread(target=self._read, name="speech", daemon=True)
        self._thread.start()

    def next(self, timeout_s: float) -> str | None:
        """Return the next line, or None if there are no more lines.

        Raises:
            SpeechError: The source cannot be read.
            queue.Empty: No line arrived within *timeout_s*.
        """
        line = self._queue.get(timeout=timeout_s)
        if isinstance(line, SpeechError):
            raise line
        return line

    def close(self) -> None:
        """End the thread that reads the lines."""
        self._closed.set()
        self._changes.wake()
        self._thread.join(5 * self._poll_s)

    def _is_over(self) -> bool:
        return self._closed.is_set() or self._stop()

    def _read(self) -> None:
        try:
            for line in self._lines():
                self._queue.put(line)
            self._queue.put(None)
        except SpeechError as error:
            self._queue.put(error)
        except OSError as error:  # whoever waits for a line would wait for ever
            name = "standard input" if self._source == STDIN else shown_name(self._source)
            self._queue.put(SpeechError(f"{name}: cannot be read any more: {error.strerror or error}"))
        finally:
            self._changes.close()

    def _lines(self) -> Iterator[str]:
        if self._source != STDIN:
            path = Path(self._source)
            has_events = self._changes.watch(path.resolve().parent, recursive=False, writes=True) is None
            return follow(
                path, poll_s=self._poll_s, stop=self._is_over, changes=self._changes if has_events else None
            )
        try:
            fd = sys.stdin.fileno()
        except (AttributeError, OSError, ValueError):  # a program has put something else in its place
            return iter(sys.stdin)
        return _lines_of(fd, poll_s=self._poll_s, stop=self._is_over)


def _lines_of(fd: int, *, poll_s: float, stop: Callable[[], bool]) -> Iterator[str]:
    """Yield lines of a descriptor, polling before each read so that *stop* is noticed in silence too."""
    rest = b""
    while not stop():
        if not select.select([fd], [], [], poll_s)[0]:  # a read alone would not wake for the stop
            continue
        chunk = os.read(fd, _CHUNK_BYTES)
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line.removesuffix(b"\r").decode("utf-8", "replace") for line in lines)
        if not chunk:
            break
        if len(rest) > MAX_LINE_BYTES:
            raise SpeechError("standard input: a line is longer than 1 MB: give one segment a line")
    if rest:
        yield rest.decode("utf-8", "replace")


# ---------------------------------------------------------------------- stream


__all__ = ["LiveReader", "LiveSegment", "parse_line", "timed"]


def timed(live: LiveSegment, clock_s: float, previous: Segment | None = None) -> Segment:
    """Return *live* with its final times, as a segment of a live feed.

    Times that the source gives stay, but no start is before that of *previous*. Words without times have just
    been said, so they end at *clock_s* (session clock). They begin as much earlier as they take at 150 words
    a minute, but not before the end of *previous*, and they are marked as estimated.
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
    """A reader that is given a feed line by line and returns the segments that are complete.

    A line that cannot be read raises `SpeechError` with the line's number and is skipped: the reader can go
    on with the next line. Kinds: "jsonl" (a line is a segment), "txt" (a line is a segment; `Name:` is a
    speaker where it is a role, or from the second line on that begins so), "vtt" and "srt" (a cue is complete
    at the blank line or the cue after it).
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
        """Return the segments that this line completes.

        Raises:
            SpeechError: The line, or the cue that it completes, cannot be read.
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
        """Return the segments left at the end of the feed, which are those of the last cue.

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
        """Set the speaker of *piece* if `Name:` is a role, or if it was in front of words before."""
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
