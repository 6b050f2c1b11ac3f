"""The pieces of text that a PDF page draws, with their places.

pypdf parses the file, the content streams and the fonts; `pdf_stream` runs the text
operators, because lines and paragraphs can only be told from where every piece begins
and ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.deck.pdf_stream import Matrix, PageText, Run, State, Stream, TypefaceOf

if TYPE_CHECKING:
    from pypdf import PageObject


def page_runs(page: PageObject, paragraphs: dict[int, int], typeface_of: TypefaceOf) -> PageText:
    """The runs of *page*; *paragraphs* tells the paragraph of each marked-content id.

    Text outside the page and in artifacts (page furniture that the file marks as such)
    is left out.
    """
    from pypdf.generic import ContentStream

    box = page.cropbox
    matrix, width, height = _upright(
        page.rotation % 360, float(box.left), float(box.bottom), float(box.right), float(box.top)
    )
    text = PageText(typeface_of, height)
    contents = page.get("/Contents")
    if contents is not None:
        stream = Stream(text, paragraphs, page.get("/Resources"), State(matrix))
        stream.run(ContentStream(contents.get_object(), page.pdf).get_data())
    text.runs = [run for run in _distinct(text.runs) if _inside(run, width, height)]
    return text


def _upright(
    rotation: int, left: float, bottom: float, right: float, top: float
) -> tuple[Matrix, float, float]:
    """From the page's own space to points from the upper left corner as shown; and the size shown."""
    width, height = right - left, top - bottom
    if rotation == 90:
        return (0, 1, 1, 0, -bottom, -left), height, width
    if rotation == 180:
        return (-1, 0, 0, 1, right, -bottom), width, height
    if rotation == 270:
        return (0, -1, -1, 0, top, right), height, width
    return (1, 0, 0, -1, -left, top), width, height


def _inside(run: Run, width: float, height: float) -> bool:
    right, down = run.direction
    middle = (run.start + run.end) / 2
    x, y = middle * right - run.v * down, middle * down + run.v * right
    return -1 <= x <= width + 1 and -1 <= y <= height + 1


def _distinct(runs: list[Run]) -> Iterator[Run]:
    """Without text that is drawn twice in one place, for a shadow or to look bold."""
    seen: set[tuple[str, int, int, int]] = set()
    for run in runs:
        step = max(run.size, 1.0) / 4
        column, row = run.start / step, run.v / step
        near = {
            (run.text, round(run.size), round(column + right), round(row + down))
            for right in (-0.5, 0.5)
            for down in (-0.5, 0.5)
        }
        if len(run.text.strip()) > 1 and not seen.isdisjoint(near):
            continue
        seen |= near
        yield run
