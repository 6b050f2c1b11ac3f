"""A deck and speech as passages: every stretch that can be quoted, with an id that stays the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.material.model.proposal import Passage as Passage
from orchestrator.material.model.segment import Segment
from orchestrator.material.model.slide import (
    Chart,
    Deck,
    Series,
    Slide,
    Table,
)


def deck_passages(deck: Deck) -> tuple[Passage, ...]:
    """All that is asserted on the slides that are shown, and in their notes, in order.

    Footers, dial-in lines and what repeats on many slides are left out: nobody says them.

    Every text is verbatim but for a chart's values, which no page spells out: "Revenue 2025: 4.2"
    names series and category and has the value as the deck stores it. Nothing that is empty is there.
    """
    return tuple(passage for slide in deck.slides if not slide.hidden for passage in _of_slide(slide))


def speech_passages(segments: Sequence[Segment], start_index: int = 1) -> tuple[Passage, ...]:
    """The segments in order; the first has the number *start_index* in the transcript."""
    return tuple(
        Passage(f"s{number}", segment.text, segment.slide, segment.start_s, "speech")
        for number, segment in enumerate(segments, start=start_index)
        if segment.text.strip()
    )


def value_text(chart: Chart, series: Series, category: int) -> str:
    """A chart's value as a passage says it; "" where the chart has a gap."""
    value = series.values[category] if category < len(series.values) else None
    if value is None:
        return ""
    shown = f"{100 * value:.12g} %" if series.percent else f"{value:.12g}"
    names = (series.name, chart.categories[category] if category < len(chart.categories) else "")
    label = " ".join(" ".join(name.split()) for name in names if name.strip())
    return f"{label}: {shown}" if label else shown


def cell_labels(table: Table, row: int, column: int) -> str:
    """A cell's row and column by their labels, "Power / 2025"; what labels others has at most one."""
    side = table.rows[row][0] if column else ""
    head = table.rows[0][column] if row and column < len(table.rows[0]) else ""
    return " / ".join(" ".join(label.split()) for label in (side, head) if label.strip())


def _of_slide(slide: Slide) -> Iterator[Passage]:
    for id_, text, origin, under in _texts(slide):
        if text.strip():
            yield Passage(f"d{slide.number}.{id_}", text, slide.number, None, origin, under)


def _texts(slide: Slide) -> Iterator[tuple[str, str, str, str]]:
    """Id within the slide, text, origin and what it stands under."""
    yield "title", "" if slide.title_is_furniture else slide.title, "title", ""
    for at, line in enumerate(slide.lines):
        if at not in slide.furniture:
            parent = slide.parents[at] if at < len(slide.parents) else None
            yield f"l{at + 1}", line, "line", "" if parent is None else slide.lines[parent]
    for number, table in enumerate(slide.tables, start=1):
        yield from _cells(f"t{number}", table)
    for number, chart in enumerate(slide.charts, start=1):
        yield from _points(f"c{number}", chart)
    for number, paragraph in enumerate(slide.notes.split("\n"), start=1):
        yield f"n{number}", paragraph, "notes", ""
    for number, text in enumerate(slide.alt_texts, start=1):
        yield f"a{number}", text, "alt", ""


def _cells(id_: str, table: Table) -> Iterator[tuple[str, str, str, str]]:
    for row, cells in enumerate(table.rows):
        for column, cell in enumerate(cells):
            yield f"{id_}.r{row + 1}.c{column + 1}", cell, "table", cell_labels(table, row, column)


def _points(id_: str, chart: Chart) -> Iterator[tuple[str, str, str, str]]:
    yield f"{id_}.title", chart.title, "chart", ""
    for number, category in enumerate(chart.categories, start=1):
        yield f"{id_}.k{number}", category, "chart", chart.title
    for number, series in enumerate(chart.series, start=1):
        yield f"{id_}.s{number}", series.name, "chart", chart.title
        for place in range(len(series.values)):
            yield f"{id_}.s{number}.v{place + 1}", value_text(chart, series, place), "chart", chart.title
