"""A deck as values: slides with text, tables, charts and notes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table, row by row; the first row is usually its header."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a chart; a value is None where the chart has a gap."""

    name: str
    values: tuple[float | None, ...]
    percent: bool = False  # drawn as percentages: 0.25 is shown as 25 %
    unit: str = ""  # what the number format writes beside a value that it shows as stored


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart's data as stored in the deck, not as drawn."""

    kind: str
    title: str
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    axes: tuple[str, ...] = ()  # their titles, those of values first: "EUR million"
    labels: tuple[str, ...] = ()  # what somebody wrote at a point or over the chart


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide.

    `lines` holds the text in reading order, one paragraph each, without the title;
    a quote from a slide always lies within its title, one line, one table cell,
    the notes or an alt text, so that it can be found again verbatim.

    Not every line is an assertion: see `orchestrator.material.deck.asserted`.
    """

    number: int  # 1-based, as the audience counts
    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    notes: str = ""
    alt_texts: tuple[str, ...] = ()
    hidden: bool = False
    section: str | None = None  # the name of the section that the deck declares, if any
    parents: tuple[int | None, ...] = ()  # of each line the line that it stands under; empty: none has one
    furniture: tuple[int, ...] = ()  # lines that nobody asserts: footers, dial-in, what many slides repeat
    labels: tuple[int, ...] = ()  # lines that only name a part of a diagram, or a figure that nothing names
    title_is_furniture: bool = False


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Deck:
    """A whole deck, and the SHA-256 of the file it was read from."""

    kind: str  # "pptx", "pdf" or "md"
    name: str  # the file's own name, without folders
    sha256: str  # hex digest of the file's bytes
    title: str
    slides: tuple[Slide, ...]
    notices: tuple[str, ...] = ()  # what could not be read, in words for the user
