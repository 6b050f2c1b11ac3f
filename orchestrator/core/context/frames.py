"""A file inside a context: its frame, how its text is escaped, and the parts in which it was written.

Each file stands between a header line and a footer line, which begin with ``^^^``. Inside a file the
assembler puts a backslash behind every ``^``; in a frame line it puts none. So no content can contain a frame
line anywhere, whatever characters its reader takes for line ends. Escaping works on single characters, so
text that was shown once stays the same when the file grows. (The mark is ASCII, so that it never makes a text
wider in memory.)

Source: DESIGN.md, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

# In every receipt: frames that differ would rebuild another text from the same files.
FRAMES_VERSION: Final = 1

MAX_PARTS: Final = 1024
"""Maximum number of pieces of a file that are stored separately before they are joined; joining copies the
file. A rehearsal of half an hour has some 400 segments, so mostly nothing is joined; without a maximum, a
day's feed would be a hundred thousand pieces."""


def escape(text: str) -> str:
    """Escape *text* for the inside of a frame."""
    return text.replace("^", "^\\")


def unescape(text: str) -> str:
    """Return the original of a text that `escape` has escaped."""
    return text.replace("^\\", "^")


def header(index: int, count: int, path: str, mutability: str) -> str:
    """Return the header line of a file; nothing in it changes during a session."""
    return f"^^^ file {index} of {count}: {path} ({mutability})\n"


def footer(index: int, count: int, path: str) -> str:
    """Return the footer line of a file."""
    return f"^^^ end of file {index} of {count}: {path}\n"


CARRIED_HEADER: Final = "^^^ carried over from earlier sessions (no file of this session)\n"
CARRIED_FOOTER: Final = "^^^ end of what is carried over\n"


def carried_block(text: str) -> str:
    """Frame the carry-over from earlier sessions like a file; return "" if *text* is empty."""
    if not text:
        return ""
    end = "" if text.endswith("\n") else "\n"
    return f"{CARRIED_HEADER}{escape(text)}{end}{CARRIED_FOOTER}"


@dataclass(frozen=True, slots=True)
class Settled:
    """The pieces of an append-only file that no later record changes, as cut for one layout of messages."""

    ends: tuple[int, ...] = ()  # how many of the file's records each piece ends behind
    texts: tuple[str, ...] = ()  # the pieces, escaped
    chars: int = 0  # of all of them
    records: int = 0  # of the file, as it was when they were cut
    marks: int = 0  # records of the files that move the watermark, as it was then


NOTHING_SETTLED: Final = Settled()


class Cuts(dict[tuple[str, ...], Settled]):
    """The settled pieces of one text, by the purpose for which they are cut; each entry is replaced in one
    step."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[Cuts], tuple[()]]:
        return Cuts, ()  # a copy elsewhere has the text itself


@dataclass(slots=True)
class Held:
    """The escaped text of one file, as far as this process has read the file."""

    records: int = 0  # how many of the file's records are in `parts`
    parts: list[str] = field(default_factory=list)
    cuts: Cuts = field(default_factory=Cuts)

    def add(self, text: str) -> None:
        """Add text that was written since.

        Blocks that were made before keep the list with which they were made.
        """
        if not text:
            return
        # A new list, so that blocks made before keep theirs.
        if len(self.parts) >= MAX_PARTS:
            self.parts = ["".join(self.parts)]
        self.parts.append(text)


@dataclass(frozen=True, slots=True)
class Block:
    """One file of a context."""

    index: int  # 1-based
    count: int
    path: str
    mutability: str
    size_bytes: int  # of the file
    sha256: str  # of the file
    _parts: list[str]  # of the escaped text; grows, and the first `_length` are this block's
    _length: int
    stream: bool = False  # a token budget shortens it, and the watermark cuts it
    marks: bool = False  # what is written here moves the watermark
    cuts: Cuts | None = field(default=None, repr=False, compare=False)  # of this text, where it is kept

    @property
    def text(self) -> str:
        """The file's text with its frame."""
        return "".join(self.parts())

    @property
    def inner(self) -> str:
        """The file's escaped text without the frame."""
        return "".join(self._parts[: self._length])

    def after(self, chars: int) -> list[str]:
        """Return the parts of the file's escaped text without its first *chars* characters."""
        parts, left = list[str](), sum(map(len, self._parts[: self._length])) - chars
        for part in reversed(self._parts[: self._length]):
            if left <= 0:
                break
            parts.append(part[-left:])
            left -= len(part)
        return parts[::-1]

    def parts(self) -> list[str]:
        """Return the header, the file's escaped text, and the footer; a text gets a final newline if it
        has none."""
        parts = [header(self.index, self.count, self.path, self.mutability), *self._parts[: self._length]]
        if not parts[-1].endswith("\n"):
            parts.append("\n")
        parts.append(footer(self.index, self.count, self.path))
        return parts


@dataclass(frozen=True, slots=True)
class Part:
    """One record's part of an append-only file: its position and time."""

    seq: int
    clock_s: float
    end: int  # bytes of the file up to here
