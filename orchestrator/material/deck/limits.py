"""The maximum cost of reading a deck before it is refused."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.core.errors import DeckError
from orchestrator.material.values import Deck, Slide

MIB = 2**20

LIGHTER = "save it again, or export it as PDF"
"""What a user can do if the deck costs more to read than is allowed."""

SHORTER = "give the part of it that is presented"
"""What a user can do if the deck has more text than is read."""


@dataclass(frozen=True, slots=True)
class DeckLimits:
    """Limits for reading one deck; a deck over one of them is refused with a line that names the limit.

    The defaults keep the promise of trust.md (no hang over 10 s, under 300 MB) with some
    room for the start of the interpreter and for its shared libraries, which
    `memory_bytes` does not count. The largest of the real decks that this was tried on
    takes 0.5 s and 42 MB.

    The processor time is less than the wall time, so that the kernel's signal comes first and says which of
    the two ran out. No deck of a talk comes near the counts (the real decks have up to 17 slides). They stop
    a deck that was made to do harm early, before memory and time run out.
    """

    file_bytes: int = 500 * MIB  # of the file itself; pictures and films in it are never unpacked
    memory_bytes: int = 250 * MIB  # private memory of the child process
    cpu_s: int = 8
    wall_s: float = 9.0
    unpacked_bytes: int = 200 * MIB  # of the XML parts in a .pptx
    members: int = 10_000  # files in a .pptx
    slides: int = 2_000
    slide_lines: int = 1_000  # each is held against each claim of its slide: 27,000 took 36 s
    lines: int = 10_000  # each takes about 1 ms to be understood
    cells: int = 10_000  # of tables, and points of charts; 24,000 took a rehearsal up to 26 s
    text_bytes: int = 400_000  # UTF-8, of everything that the deck says; 2 MB in one paragraph took 21 s


DEFAULT_LIMITS = DeckLimits()


def check_lines(deck: Deck, limits: DeckLimits) -> Deck:
    """Return *deck* if it has few enough lines and cells to be processed while a reader waits.

    Raises:
        DeckError: The deck has more lines or cells than that; the message lacks the file's name.
    """
    longest = max(deck.slides, key=lambda slide: len(slide.lines))
    count = sum(len(slide.lines) for slide in deck.slides)
    cells = sum(map(_cells, deck.slides))
    if len(longest.lines) > limits.slide_lines:
        told = f"has {len(longest.lines):,} lines on slide {longest.number}; at most {limits.slide_lines:,}"
    elif count > limits.lines:
        told = f"has {count:,} lines; at most {limits.lines:,}"
    elif cells > limits.cells:
        told = f"has {cells:,} cells in tables and charts; at most {limits.cells:,}"
    else:
        return deck
    raise DeckError(f"{told} are read; {SHORTER}")


def _cells(slide: Slide) -> int:
    rows = (row for table in slide.tables for row in table.rows)
    return sum(map(len, rows)) + sum(len(series.values) for chart in slide.charts for series in chart.series)
