"""The three standard streams of a command, whatever the caller made of them.

What a stream's encoding has no sign for is written as an escape, so that no result is lost to it. stderr
that takes nothing (closed, a full disk, nobody reads it) costs its own lines and nothing else. stdout
that takes nothing is one line on stderr, since a result was asked for.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from orchestrator.core.errors import OutputError

ESCAPES: Final = "backslashreplace"
STDOUT: Final = 1
STDERR: Final = 2


class ReaderGoneError(Exception):
    """Nobody reads stdout any more (`greenroom list | head`): that is the reader's right, and no error.

    No OSError: typer ends the program itself on one that says so.
    """


@contextmanager
def _told() -> Iterator[None]:
    """Tell a write to stdout that fails as one, wherever in the program it happens."""
    try:
        yield
    except BrokenPipeError:
        drop_stdout()
        raise ReaderGoneError from None
    except OSError as error:
        raise refused_by_stdout(error) from error


# Of the text and not of the bytes below it: a signal's exception that came between the system's write and the
# end of a method of ours would leave the bytes in the buffer, to be written once more.
class _Results(io.TextIOWrapper):
    """stdout."""

    def write(self, text: str, /) -> int:
        with _told():
            return super().write(text)

    def flush(self) -> None:
        with _told():
            super().flush()


class _Asides(io.TextIOWrapper):
    """stderr: what it does not take is lost, and the exit code still tells."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def prepare_streams() -> None:
    """Take the place of Python's own streams, once, at the start of a process.

    A stream that is closed stays None but for stdin and stderr, which read and write nothing.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # it stays open, as stdin does
    elif isinstance(sys.stdin, io.TextIOWrapper):
        # In the locale C an answer with an accent would end the rehearsal; terminals speak UTF-8.
        is_ascii = codecs.lookup(sys.stdin.encoding).name == "ascii"
        sys.stdin.reconfigure(encoding="utf-8" if is_ascii else None, errors="replace")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # the same
    elif isinstance(sys.stderr, io.TextIOWrapper):
        asides = io.BufferedWriter(io.FileIO(STDERR, "w", closefd=False))
        sys.stderr = _Asides(asides, encoding=sys.stderr.encoding, errors=ESCAPES, line_buffering=True)
    if isinstance(sys.stdout, io.TextIOWrapper):
        results = io.BufferedWriter(io.FileIO(STDOUT, "w", closefd=False))
        sys.stdout = _Results(
            results, encoding=sys.stdout.encoding, errors=ESCAPES, line_buffering=sys.stdout.line_buffering
        )


def drop_stdout() -> None:
    """Send what is still to be written nowhere: it is not tried again when the program ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)


def refused_by_stdout(error: OSError) -> OutputError:
    """The error that says that stdout took no more, which it is not asked again."""
    drop_stdout()
    return OutputError(
        f"stdout: {(error.strerror or str(error)).lower()}: what the command had to do is done, and its "
        "result could not be shown: see `greenroom list` and `greenroom show`"
    )


def is_encodable(text: str) -> bool:
    """Whether stdout's encoding has a sign for every character of *text*."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def write_bytes(content: bytes) -> None:
    """Write to stdout what has an encoding of its own: a page that names it, or bytes that a digest is of."""
    with _told():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
