"""From the lines of a PDF page to its paragraphs, in reading order."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.material.deck.furniture import is_lone_figure
from orchestrator.material.deck.pdf_lines import Line
from orchestrator.material.deck.pdf_runs import box_of
from orchestrator.material.deck.pieces import Piece
from orchestrator.material.deck.places import Placed
from orchestrator.material.deck.reading_order import around, reading_order

# In em, the size of the letters. "Same": the range in which the 64 pages of seven real PDFs read the same.
_CLOSEST, _WIDEST = 0.6, 2.0  # the distance of two lines of one paragraph
"""Same from 0.3 to 0.75 and from 1.6 to 2; at 0.9 and at 1.3 wrapped lines fall apart, and at 2.2 the
paragraph below is drawn in."""
_ONE_BLOCK = 2.3  # the widest distance between paragraphs of one block
"""Same from 2.3 to 3.5; below, the columns of a table change places; at 4.6 cards below each other are
one block."""
_ALIGNED = 0.6  # how far lines may begin, end or centre apart
"""Same from 0.4 to 0.9; below, centred lines part; above, lines of two columns of a table are one."""
_SLACK = 0.75  # the widths of first words are estimates
"""Same from 0.6 to 0.75; below, a full line counts as short and its sentence ends there; above, labels in
narrow columns run together."""

_HANGING = 0.3  # how exactly a line stands below the text of its bullet
"""Same from 0.15 to 0.6."""
_WRAPPED = 0.6  # share of the next line's width that a wrapped line has at least
"""Same from 0.3 to 1.2."""
_TIGHT = 1.25  # lines further apart than the closest ones set alike by this are paragraphs
"""Same from 1.05 to 1.6; at 1 wrapped lines fall apart, since they are set to fractions of a point."""

_SAME_SIZE = 1.2  # the ratio of sizes within one paragraph
"""Same from 1.05 to 1.6; at 1, 14 of the pages differ."""
# Lines of these scripts break within words, so they are joined without a space.
_CJK = re.compile("[\u2e80-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")


def page_paragraphs(lines: Sequence[Line]) -> list[Piece]:
    """The paragraphs of a page in reading order; lines of one sentence are put together.

    Where the file is tagged, its tags say which lines belong together. Elsewhere a line
    goes on with the one above it if it is set like it and that one is full, or if it
    begins in lower case.
    """
    setting = _Setting(_edges(lines), _pitches(lines))
    paragraphs: list[list[Line]] = []
    for line in lines:
        if paragraphs and _goes_on(paragraphs[-1], line, setting):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    blocks: list[list[list[Line]]] = []
    for paragraph in paragraphs:
        if blocks and _same_block(blocks[-1][-1][-1], paragraph[0]):
            blocks[-1].append(paragraph)
        else:
            blocks.append([paragraph])
    boxes = [
        around(
            [
                box_of(line.direction, line.left, line.right, line.v, line.size)
                for paragraph in block
                for line in paragraph
            ]
        )
        for block in blocks
    ]
    letters = [sum(len(line.text) for paragraph in block for line in paragraph) for block in blocks]
    order = reading_order(boxes, letters)
    return [
        _paragraph(paragraph, alone=len(blocks[index]) == len(paragraph) == 1)
        for index in order
        for paragraph in blocks[index]
    ]


Style = tuple[tuple[int, int], int, int]  # direction, place of the left edge, size
Edges = dict[Style, float]


@dataclass(frozen=True, slots=True)
class _Setting:
    """How the lines of a page are set."""

    edges: Edges
    pitches: Edges


def _style(line: Line) -> Style:
    # Steps of four points: an edge a little off is one place; `_edge` looks at the steps on either side.
    return line.direction, round(line.left / 4), round(line.size)


def _pitches(lines: Sequence[Line]) -> Edges:
    """The distance of the closest two lines, of those that begin at one place in one size."""
    pitches: Edges = {}
    last: dict[Style, float] = {}
    for line in sorted(lines, key=lambda line: line.v):
        key = _style(line)
        distance = line.v - last.get(key, -math.inf)
        if distance >= _CLOSEST * line.size:
            pitches[key] = min(distance, pitches.get(key, distance))
            last[key] = line.v
    return pitches


def _edges(lines: Sequence[Line]) -> Edges:
    """Where the longest line ends, of those that begin at one place in one size."""
    edges: Edges = {}
    for line in lines:
        key = _style(line)
        edges[key] = max(edges.get(key, line.right), line.right)
    return edges


def _edge(line: Line, edges: Edges) -> float:
    place, size = round(line.left / 4), round(line.size)
    return max(
        edges.get((line.direction, place + a, size + b), line.right) for a in (-1, 0, 1) for b in (-1, 0, 1)
    )


def _goes_on(paragraph: list[Line], line: Line, setting: _Setting) -> bool:
    last = paragraph[-1]
    distance = line.v - last.v
    em = max(last.size, line.size)
    if (
        line.direction != last.direction
        or line.item
        or (line.fixed_pitch and last.fixed_pitch)
        or (
            is_lone_figure(line.text) and is_lone_figure(last.text)
        )  # a column of them: "12 345" would be one
        or not _CLOSEST * em <= distance <= _WIDEST * em
        or em > _SAME_SIZE * min(last.size, line.size)
    ):
        return False
    if line.paragraph is not None and last.paragraph is not None:
        return line.paragraph == last.paragraph
    if distance > _TIGHT * min(setting.pitches.get(_style(line), distance), distance):
        return False
    if _hangs(paragraph, line):
        return True
    if not _aligned(paragraph, line, em):
        return False
    return line.text[0].islower() or _full(paragraph, line, setting.edges)


def _hangs(paragraph: list[Line], line: Line) -> bool:
    """Whether *line* stands below the text of a bullet, behind the bullet, and the line above was wrapped."""
    first, last = paragraph[0], paragraph[-1]
    return (
        first.item
        and first.margin < first.left - _HANGING * line.size
        and abs(line.left - first.left) <= _HANGING * line.size
        and last.bold == line.bold
        and last.right - last.left >= _WRAPPED * (line.right - line.left)
    )


def _aligned(paragraph: list[Line], line: Line, em: float) -> bool:
    last = paragraph[-1]
    return (
        abs(line.left - last.left) <= _ALIGNED * em
        or abs(line.left - paragraph[0].margin) <= _ALIGNED * em
        or (not last.item and abs(line.right - last.right) <= _ALIGNED * em)
        or (not last.item and abs(line.left + line.right - last.left - last.right) <= 2 * _ALIGNED * em)
    )


def _full(paragraph: list[Line], line: Line, edges: Edges) -> bool:
    """Whether the first word of *line* had no room left on the line above it."""
    last = paragraph[-1]
    widest = max(_edge(last, edges) - last.left, *(one.right - one.left for one in (*paragraph, line)))
    return last.right - last.left + line.first_word > widest - _SLACK * line.size


def _same_block(above: Line, line: Line) -> bool:
    return (
        above.direction == line.direction
        and 0 < line.v - above.v <= _ONE_BLOCK * max(above.size, line.size)
        and line.left < above.right
        and above.left < line.right
    )


def _paragraph(lines: list[Line], *, alone: bool) -> Piece:
    """The paragraph as a piece, its text on one line and its place in points from the upper left corner."""
    text = lines[0].text
    for line in lines[1:]:
        broken_word = text.endswith("-") and text[-2:-1].isalnum() and line.text[0].islower()
        without_space = _CJK.match(text[-1]) and _CJK.match(line.text[0])
        text += line.text if broken_word or without_space else f" {line.text}"
    box, size = (
        around([box_of(line.direction, line.left, line.right, line.v, line.size) for line in lines]),
        max(line.size for line in lines),
    )
    code = all(line.fixed_pitch for line in lines)
    placed = Placed("" if code else text, box, size, lines[0].item, all(line.bold for line in lines))
    return Piece(box, (text,), (None,), size, placed, free=alone, code=code)
