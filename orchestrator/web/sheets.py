"""A slide as a sheet: its title, lines, tables and charts, drawn from the deck's own data.

Preview, room and debrief show the same sheet; where the machine can draw pictures, they lie over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, TypeAlias

from markupsafe import Markup

from orchestrator.legible import one_line
from orchestrator.model.slide import Chart, Deck, Slide
from orchestrator.web.charts import draw_chart

Text: TypeAlias = tuple[str, bool]
"""A piece of a slide's text, and whether a question quotes it."""

SIZES: Final = (("large", 1.3), ("usual", 1.0), ("small", 0.8), ("tiny", 0.64), ("least", 0.5))
"""How large the letters of a sheet are, as classes of the style sheet: the first at which all of it fits."""
_LINES: Final = 11.0
"""Lines of the usual size on a sheet of 16 : 9, below its title (`.sheet` in the style sheet)."""
_LETTERS: Final = 66
"""Letters of the usual size in a line."""
_ROW: Final = 1.35
"""Height of a table's row, in lines."""
_CHART_LINES: Final = 8.0
"""What a chart wants below or beside the text, in lines."""
MAX_DEPTH: Final = 4
"""Levels that are shown by indentation; a line that is deeper stands as deep as the last."""


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph."""

    text: Text
    depth: int  # lines that it stands under
    is_beside: bool  # a footer or a label: nobody asserts it


@dataclass(frozen=True, slots=True)
class Sheet:
    """One slide as it is drawn."""

    number: int
    title: Text
    lines: tuple[Line, ...]
    tables: tuple[tuple[tuple[Text, ...], ...], ...]  # row by row
    charts: tuple[tuple[str, Markup], ...]  # each its title and the drawing
    size: str  # of SIZES
    hidden: bool
    notes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing but its title can be drawn: a slide that is a picture, say."""
        return not (self.lines or self.tables or self.charts)


def sheets(deck: Deck) -> list[Sheet]:
    """Every slide of a deck as a sheet."""
    return [sheet(slide) for slide in deck.slides]


def sheet(slide: Slide, quotes: Sequence[str] = ()) -> Sheet:
    """One slide as a sheet; *quotes* are marked where they stand."""
    wanted = [one_line(one) for one in quotes]

    def marked(text: str) -> Text:
        return text, any(quote in one_line(text) for quote in wanted)

    beside = {*slide.furniture, *slide.labels}
    return Sheet(
        number=slide.number,
        title=marked(slide.title or f"Slide {slide.number}"),
        lines=tuple(
            Line(marked(text), _depth(slide, at), at in beside) for at, text in enumerate(slide.lines)
        ),
        tables=tuple(tuple(tuple(map(marked, row)) for row in table.rows) for table in slide.tables),
        charts=tuple((one.title, _drawn(one)) for one in slide.charts),
        size=_size(slide),
        hidden=slide.hidden,
        notes=tuple(line for line in slide.notes.split("\n") if line.strip()),
    )


def _drawn(chart: Chart) -> Markup:
    return Markup(draw_chart(chart))  # noqa: S704  # every text in it is escaped where it is drawn


def _depth(slide: Slide, at: int) -> int:
    depth, above = 0, at
    while depth < MAX_DEPTH and slide.parents and (parent := slide.parents[above]) is not None:
        depth, above = depth + 1, parent
    return depth


def _size(slide: Slide) -> str:
    """The largest size at which the sheet's text, tables and charts fit below its title."""
    for name, share in SIZES:
        if _height(slide, _LETTERS / share) <= _LINES / share:
            return name
    return SIZES[-1][0]


def _height(slide: Slide, letters: float) -> float:
    """Lines that a sheet takes whose lines hold so many *letters*."""
    own = letters / 2 if slide.charts or slide.tables else letters  # text stands beside them
    text = sum(ceil(max(1, len(line)) / (own - 2 * _depth(slide, at))) for at, line in enumerate(slide.lines))
    tables = 0.0
    for table in slide.tables:
        columns = max((len(row) for row in table.rows), default=1) or 1
        room = (own if slide.lines else letters) / columns
        tables += sum(
            _ROW + max((ceil(len(cell) / room) for cell in row), default=1) - 1 for row in table.rows
        )
    charts = _CHART_LINES * min(1, len(slide.charts))
    return max(float(text), tables + charts)
