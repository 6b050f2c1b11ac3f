"""The lines of a file that another program is still writing."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from orchestrator.errors import SpeechError
from orchestrator.speech.text import shown

MAX_LINE_BYTES = 1024 * 1024
"""A longer line is no segment; our own limit."""

_CHUNK_BYTES = 65536


def follow(path: Path, *, poll_s: float, stop: Callable[[], bool]) -> Iterator[str]:
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
        poll_s: How often to look, in seconds.
        stop: Whether to end.

    Raises:
        SpeechError: The file is missing at the start, no file, not UTF-8, or has a line over 1 MB.
    """
    tail = _Tail(path)
    number = 0
    try:
        while True:
            end_bytes = tail.size_bytes() if stop() else None
            new = tail.lines()
            while new:
                for line in new:
                    number += 1
                    yield _decoded(line, path, number)
                new = tail.lines() if end_bytes is None or tail.read_bytes < end_bytes else []
            if end_bytes is not None:
                break
            time.sleep(poll_s)
            tail.look_again()
        if _is_whole(tail.partial, path):
            yield _decoded(tail.partial, path, number + 1)
    finally:
        tail.close()


class _Tail:
    """The open file, how far it was read, and the bytes of a line that has no end yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = _open(path)
        self.read_bytes = 0
        self._digest = hashlib.sha256()
        self._cut = False
        self._left: list[bytes] = []  # the last line, without its end, of a file that was replaced
        self.partial = b""

    def lines(self) -> list[bytes]:
        """The lines completed since last time, at most some 64 KB of them."""
        if self._left:
            left, self._left = self._left, []
            return left
        if self._cut:
            return []
        chunk = self._file.read(_CHUNK_BYTES)
        self.read_bytes += len(chunk)
        self._digest.update(chunk)
        *lines, self.partial = (self.partial + chunk).split(b"\n")
        if len(self.partial) > MAX_LINE_BYTES:
            raise SpeechError(f"{shown(self._path)}: a line is longer than 1 MB: give one segment a line")
        return lines if lines or not chunk else self.lines()

    def look_again(self) -> None:
        """Notice that the file was cut or replaced, and find the place to go on from."""
        here = os.fstat(self._file.fileno())
        try:
            there = self._path.stat()
        except OSError:
            return  # away: about to be replaced
        replaced = (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino)
        if not replaced and here.st_size >= self.read_bytes and not self._cut:
            return
        if there.st_size < self.read_bytes and not self._cut:
            self._cut = True  # being written anew: whoever does it may not be done
            return
        self._cut = False
        if replaced and here.st_size > self.read_bytes:
            return  # what the replaced file still holds comes first
        self._file.close()
        self._file = _open(self._path)
        if not self._begins_as_read():
            self._left = [self.partial] if _is_whole(self.partial, self._path) else []
            self._file.seek(0)
            self.read_bytes, self._digest, self.partial = 0, hashlib.sha256(), b""

    def size_bytes(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        self._file.close()

    def _begins_as_read(self) -> bool:
        """Whether the file begins with what was read; it is then placed behind it."""
        digest, left = hashlib.sha256(), self.read_bytes
        while left and (chunk := self._file.read(min(left, _CHUNK_BYTES))):
            digest.update(chunk)
            left -= len(chunk)
        return not left and digest.digest() == self._digest.digest()


def _open(path: Path) -> BinaryIO:
    name = shown(path)
    try:
        # Not blocking, so that a FIFO is refused instead of waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise SpeechError(f"{name} does not exist: start the program that writes it first") from None
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no path that can be"
        raise SpeechError(f"{name} cannot be read: {reason}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SpeechError(f"{name} is not a file: give a recording's file")
    return os.fdopen(descriptor, "rb")


def _decoded(line: bytes, path: Path, number: int) -> str:
    try:
        return line.removesuffix(b"\r").decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise SpeechError(f"{shown(path)}: line {number} is not UTF-8 text: save it as UTF-8") from None


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
