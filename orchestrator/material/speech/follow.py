"""The lines of a file that another program is still writing."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.changes import Changes
from orchestrator.core.home.user_list import shown_name
from orchestrator.material.speech.source import open_recording

MAX_LINE_BYTES = 1024 * 1024
"""A longer line is no segment; our own limit."""

UNTOLD_S = 2.0
"""How long a file is taken for quiet because no event came; so late is the first line that none tells of."""

_CHUNK_BYTES = 65536  # bounds memory; a file may be large when following begins


def follow(
    path: Path, *, poll_s: float, stop: Callable[[], bool], changes: Changes | None = None
) -> Iterator[str]:
    """The lines of *path*, those that are there and those to come, until *stop()* is true.

    A line comes when its line end is written; the last one, without, comes at the stop (in a
    `.jsonl` file only if it is whole JSON). *stop* is asked whenever all that is there was read,
    and what was written by then is still read.

    A file that was written anew (cut, or another file put in its place) goes on behind what was
    read if it still begins with that, as it does when a program saves the whole transcript each
    time; otherwise it is read from its beginning, as after a log was rotated. While the file is
    away, this waits.

    Args:
        path: The file; it must exist when following begins.
        poll_s: How often to look, in seconds, where no events come.
        stop: Whether to end.
        changes: Events of the file's folder, which then say when to look; None, or where the file grows
            without any, as on a network: *poll_s* does.

    Raises:
        SpeechError: The file is missing at the start, no file, not UTF-8, or has a line over 1 MB.
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
    """Wait until something happens to the file, or somebody ends the wait; False: time was up."""
    names = {str(path.absolute()), str(path.resolve())}
    deadline = time.monotonic() + UNTOLD_S
    while (left_s := deadline - time.monotonic()) > 0:
        paths = changes.wait(left_s)
        if not paths or names & paths:
            return bool(paths)
    return False


class _Tail:
    """The open file, how far it was read, and the bytes of a line that has no end yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.is_cut = False
        self._begin()

    def _begin(self) -> None:
        self._file = open_recording(self._path, missing="start the program that writes it first")
        self.read_bytes, self._digest, self._partial = 0, hashlib.sha256(), b""

    def lines(self) -> Iterator[bytes]:
        """The lines that were completed since last time."""
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
        """The line without an end, if it is a whole one."""
        return [self._partial] if _is_whole(self._partial, self._path) else []

    def look_again(self) -> list[bytes]:
        """Notice that the file was cut or replaced, and find the place to go on from.

        Returns the last line, without its end, of a file that was replaced by another one.
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
    """The SHA-256 of the next bytes, which are then behind the file's place."""
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
