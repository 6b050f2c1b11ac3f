"""Lines from standard input or from a file that grows, read in a thread that ends when it is told to."""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.changes import Changes
from orchestrator.core.home.user_list import shown_name
from orchestrator.material.speech.follow import MAX_LINE_BYTES, follow

STDIN = "-"
_CHUNK_BYTES = 65536


class Lines:
    """A source's lines as they come. None: there are no more; an error is handed on, never lost."""

    def __init__(self, source: str, *, poll_s: float, stop: Callable[[], bool]) -> None:
        """Begin to read standard input (`-`) or a file; leaves off when *stop* or `close` says so."""
        self._source, self._poll_s, self._stop = source, poll_s, stop
        self._closed = threading.Event()
        self._changes = Changes()
        self._queue: queue.Queue[str | SpeechError | None] = queue.Queue()
        # Daemon: it may hang in a read when the program ends.
        self._thread = threading.Thread(target=self._read, name="speech", daemon=True)
        self._thread.start()

    def next(self, timeout_s: float) -> str | None:
        """The next line; None: there are no more.

        Raises:
            SpeechError: The source cannot be read.
            queue.Empty: None came within *timeout_s*.
        """
        line = self._queue.get(timeout=timeout_s)
        if isinstance(line, SpeechError):
            raise line
        return line

    def close(self) -> None:
        """End the thread."""
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
    """Lines of a descriptor. It is looked at before it is read, so that *stop* is heard in silence too."""
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
