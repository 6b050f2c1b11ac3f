"""The pieces of a slide that can be quoted."""

from __future__ import annotations

from orchestrator.material.model.slide import Slide


def slide_texts(slide: Slide) -> list[tuple[str, str]]:
    """Origin and text of each piece of *slide* that is not empty, in the order of the slide.

    Origins are those of `Claim.origin`: title, line, table (a cell), chart (its title, its
    categories, the names of its series, the titles of its axes, what is written at it), notes (a
    paragraph), alt. A quote that is in order lies within one piece.
    """
    pieces = [("title", slide.title)]
    pieces += [("line", line) for line in slide.lines]
    pieces += [("table", cell) for table in slide.tables for row in table.rows for cell in row]
    for chart in slide.charts:
        names = (chart.title, *chart.categories, *(series.name for series in chart.series))
        names += (*chart.axes, *chart.labels)
        pieces += [("chart", name) for name in names]
    pieces += [("notes", paragraph) for paragraph in slide.notes.split("\n")]
    pieces += [("alt", text) for text in slide.alt_texts]
    return [(origin, text) for origin, text in pieces if text]
