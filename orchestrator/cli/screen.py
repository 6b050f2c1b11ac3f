"""Where a command's words go: results to stdout, the rest to stderr, JSON when asked for."""

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
    """Nobody reads stdout any more (`greenroom list | head`): that is the reader's right, and no error.

    No OSError: typer ends the program itself on one that says so.
    """


@contextmanager
def _told() -> Iterator[None]:
    """Turn a failed write to stdout into an error of stdout, wherever in the program it happens."""
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
    """The wrapper of stderr: what it does not take is lost, and the exit code still tells."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def prepare_streams() -> None:
    """Replace Python's own streams, once, at the start of a process.

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
    """Send what is still to be written nowhere, so that it is not tried again when the program ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)


def refused_by_stdout(error: OSError) -> OutputError:
    """Return the error for an stdout that took no more, and write nothing more to it."""
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
    """Write to stdout bytes that have their own encoding: a page that names it, or what a digest is of."""
    with _told():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()


# ---------------------------------------------------------------------- screen


WIDEST: Final = 100
"""Maximum columns of a line: longer lines are hard to read, however wide the terminal is."""
NARROWEST: Final = 40
"""Minimum columns of a line, below which words would stand alone; a narrower terminal wraps as it likes."""


def columns(stream: TextIO) -> int:
    """Return the maximum columns of a line on *stream*: its terminal's, within bounds, or else `WIDEST`."""
    if not stream.isatty():
        return WIDEST
    return max(NARROWEST, min(WIDEST, os.get_terminal_size(stream.fileno()).columns or WIDEST))


def wrapped(text: str, width: int, *, hang: int = 2) -> str:
    """Wrap *text* to at most *width* columns; lines behind the first begin *hang* columns deeper."""
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
    """Return *plain* as JSON, with what a terminal would obey or hide as escapes: the same values."""
    text = json.dumps(plain, ensure_ascii=False, indent=1)
    if not is_encodable(text):
        return json.dumps(plain, indent=1)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def show(*lines: str) -> None:
    """Print on stdout, and hand over all that was printed there before.

    Raises:
        OutputError: It takes no more.
        ReaderGoneError: Nobody reads it any more.
    """
    Screen.clear()
    for line in lines:
        print(line)
    sys.stdout.flush()


def _tell(line: str) -> None:
    """Write a line to stderr; where that takes nothing, the exit code still tells."""
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
        """The way in which the user called this program, for hints that can be typed as they stand."""
        return os.environ.get("GREENROOM_COMMAND", "greenroom")

    def open_home(self) -> Home:
        """Return the home that this call works in, after removing what a killed start has left there."""
        from orchestrator.core.home.folder import UNFINISHED
        from orchestrator.core.store.files import sweep
        from orchestrator.panel.home import find_home

        home = find_home(self.home, os.environ)
        sweep(home.sessions, UNFINISHED)
        return home

    def known_home(self) -> Home | None:
        """Return the home that this call would work in, if there is one, for commands that need none."""
        from orchestrator.panel.home import known_home

        return known_home(self.home, os.environ)

    def result(self, plain: dict[str, Any], text: str, *, is_styled: bool = False) -> None:
        """Print the result: the JSON document, or the words for people.

        Args:
            is_styled: The text has our colours, and what it quotes was made printable before.
        """
        Screen.has_result = True
        words = text if is_styled else printable(text)
        show(document(plain) if self.json else words.rstrip("\n"))

    def note(self, text: str) -> None:
        """Print something by the way, for people."""
        if not self.quiet:
            _tell(text)

    def warn(self, text: str) -> None:
        """Warn of something that changes what the user gets: never silently.

        A command that the text names can be typed as it stands.
        """
        _tell(f"greenroom: {text.replace('`greenroom ', f'`{self.command} ')}")

    def repaired(self, repair: Repair) -> None:
        """Report that something was mended: never silently."""
        self.warn(f"{repair.path}: {repair.what}")

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees at a terminal what happens meanwhile."""
        return not self.quiet and not self.json and sys.stderr.isatty()
