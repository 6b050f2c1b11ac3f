"""A slide as a sheet: its title, lines, tables and charts, drawn from the deck's own data.

Preview, room and debrief show the same sheet; where the machine can draw pictures, they lie over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from markupsafe import Markup

from orchestrator.core.legible import one_line
from orchestrator.material.model.slide import Chart, Deck, Slide
from orchestrator.web.charts import draw_chart

Text: TypeAlias = tuple[str, bool]
"""A piece of a slide's text, and whether a question quotes it."""

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
