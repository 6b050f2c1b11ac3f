"""Output of a command: results to stdout, everything else to stderr, JSON if it is asked for."""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, TextIO

from orchestrator.core.errors import OutputError
from orchestrator.core.legible import UNSEEN, printable

if TYPE_CHECKING:
    from orchestrator.core.store.store import Repair
    from orchestrator.panel.home import Home


# ---------------------------------------------------------------------- streams
# The three standard streams of a command, whatever the caller made of them.
#
# What a stream's encoding has no sign for is written as an escape, so that no result is lost to it. stderr
# that takes nothing (closed, a full disk, nobody reads it) costs its own lines and nothing else. stdout
# that takes nothing is one line on stderr, since a result was asked for.


ESCAPES: Final = "backslashreplace"
STDOUT: Final = 1
STDERR: Final = 2


class ReaderGoneError(Exception):
    """Nobody reads stdout any more (`greenroom list | head`). The reader may stop, so this is not a failure.

    It is not an OSError, since typer itself ends the program at one for a closed pipe.
    """


@contextmanager
def _told() -> Iterator[None]:
    """Convert a failed write to stdout into an error of stdout, wherever in the program it happens."""
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
    """The wrapper of stdout."""

    def write(self, text: str, /) -> int:
        with _told():
            return super().write(text)

    def flush(self) -> None:
        with _told():
            super().flush()


class _Asides(io.TextIOWrapper):
    """The wrapper of stderr.

    Text that stderr does not accept is lost; the exit code still shows the result.
    """

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def prepare_streams() -> None:
    """Replace Python's own streams, once, when a process starts.

    A closed stdout stays None; a closed stdin reads nothing, and a closed stderr drops what is written.
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
    """Discard the text that is still to be written to stdout, so that it is not tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)


def refused_by_stdout(error: OSError) -> OutputError:
    """Return the error for an stdout that accepts no more, and discard what is still to be written."""
    drop_stdout()
    return OutputError(
        f"stdout: {(error.strerror or str(error)).lower()}: what the command had to do is done, and its "
        "result could not be shown: see `greenroom list` and `greenroom show`"
    )


def is_encodable(text: str) -> bool:
    """Return whether stdout's encoding has every character of *text*."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def write_bytes(content: bytes) -> None:
    """Write bytes with their own encoding to stdout: a page that names it, or bytes whose digest matters."""
    with _told():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()


# ---------------------------------------------------------------------- screen


WIDEST: Final = 100
"""Maximum columns of a line: longer lines are hard to read, however wide the terminal is."""
NARROWEST: Final = 40
"""Minimum columns of a line; with fewer, single words would fill lines. A narrower terminal wraps in its
own way."""


def columns(stream: TextIO) -> int:
    """Return the maximum columns of a line on *stream*: its terminal's, within bounds, or `WIDEST` without
    one."""
    if not stream.isatty():
        return WIDEST
    return max(NARROWEST, min(WIDEST, os.get_terminal_size(stream.fileno()).columns or WIDEST))


def wrapped(text: str, width: int, *, hang: int = 2) -> str:
    """Wrap *text* to at most *width* columns; lines after the first are indented by *hang* columns."""
    import textwrap

    margin = " " * (len(text) - len(text.lstrip(" ")))
    return textwrap.fill(
        text.strip(),
        width,
        initial_indent=margin,
        subsequent_indent=margin + " " * hang,
        break_long_words=False,  # an address that is broken cannot be copied
        break_on_hyphens=False,
    )


def document(plain: dict[str, Any]) -> str:
    """Return *plain* as JSON; characters that a terminal would obey or hide are escaped, which keeps the
    values."""
    text = json.dumps(plain, ensure_ascii=False, indent=1)
    if not is_encodable(text):
        return json.dumps(plain, indent=1)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def show(*lines: str) -> None:
    """Print *lines* on stdout, and flush stdout.

    Raises:
        OutputError: stdout accepts no more.
        ReaderGoneError: Nobody reads stdout any more.
    """
    Screen.clear()
    for line in lines:
        print(line)
    sys.stdout.flush()


def _tell(line: str) -> None:
    """Write a line to stderr; if that fails, only the exit code shows the result."""
    Screen.clear()
    print(printable(line), file=sys.stderr)


@dataclass(frozen=True)
class Screen:
    """The global options of this call."""

    home: str | None = None
    json: bool = False
    quiet: bool = False

    current: ClassVar[Screen]
    clear: ClassVar[Callable[[], None]] = lambda: None  # a line at the terminal that is written over again
    has_result: ClassVar[bool] = False  # a result was printed; what fails after it is told on stderr

    @property
    def command(self) -> str:
        """The words with which the user called this program, for hints that can be typed as they are."""
        return os.environ.get("GREENROOM_COMMAND", "greenroom")

    def open_home(self) -> Home:
        """Return the home of this call, after removing what a killed start has left there."""
        from orchestrator.core.home.folder import UNFINISHED
        from orchestrator.core.store.files import sweep
        from orchestrator.panel.home import find_home

        home = find_home(self.home, os.environ)
        sweep(home.sessions, UNFINISHED)
        return home

    def known_home(self) -> Home | None:
        """Return the home that this call would use, or None if there is none, for commands that need no
        home."""
        from orchestrator.panel.home import known_home

        return known_home(self.home, os.environ)

    def result(self, plain: dict[str, Any], text: str, *, is_styled: bool = False) -> None:
        """Print the result: the JSON document, or the text for people.

        Args:
            is_styled: Whether the text has our colours, and its quotations were already made printable.
        """
        Screen.has_result = True
        words = text if is_styled else printable(text)
        show(document(plain) if self.json else words.rstrip("\n"))

    def note(self, text: str) -> None:
        """Print a side note for people."""
        if not self.quiet:
            _tell(text)

    def warn(self, text: str) -> None:
        """Print a warning about something that changes what the user gets, even with --quiet.

        A command in the text can be typed as it is printed.
        """
        _tell(f"greenroom: {text.replace('`greenroom ', f'`{self.command} ')}")

    def repaired(self, repair: Repair) -> None:
        """Report that something was repaired, even with --quiet."""
        self.warn(f"{repair.path}: {repair.what}")

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees the progress at a terminal."""
        return not self.quiet and not self.json and sys.stderr.isatty()
