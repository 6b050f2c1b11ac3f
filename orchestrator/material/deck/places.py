"""Texts on a slide told by their places: which one heads which, and which figure has which label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.material.deck.furniture import is_lone_figure
from orchestrator.material.deck.nesting import introduces
from orchestrator.material.deck.reading_order import Box, around

# In em, the size of the letters. "Same": the range in which the 132 pages and slides of sixteen real decks
# and PDFs read the same.
_INDENTED = 0.5  # how far a point stands to the right of the one that it is under
"""Same from 0.25 to 1."""
_NEAR = 2.5  # the widest gap between a heading and what it heads
"""Same from 2.3 to 2.8; below, a heading loses its points, which pass for labels; above, a paragraph at the
foot of the page is put under a question that it does not answer."""
_GOES_ON = 1.0  # between a point and a paragraph under it
"""Same from 0.5 to 1.5; at 2 a label is put under a point."""
_LABEL_BELOW, _LABEL_BESIDE = 1.2, 1.5  # the widest gap between a figure and its label
"""Same from half to twice as much."""

_LARGER = 1.1  # the ratio of sizes of a heading and its text
"""Same from 1.05 to 1.15; at 1 any line heads the next; from 1.2 on the headings of cards, which are set a
little larger, head nothing."""
_FIGURE_LARGER = 1.3  # of a figure that is shown off, and its label
"""Same from 1 to 1.6."""
_LONGEST_LABEL, _LONGEST_HEADING, _LONGEST_BOLD = 12, 12, 40  # words
"""Same from 6 to 24, from 11 to 12, and from 30 to 80. A heading of ten words loses its points at 9; at 13 a
sentence heads those behind it; at 20 a question in bold loses its answer."""
_SHORTEST_TEXT = 5  # words; what is shorter than this is a label itself
"""At 4 an address ("Esteemed Governing Board,") is the text of a label, at 6 a title of five words is
none."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A text and where it stands; box and size in one unit."""

    text: str  # "" where it heads nothing: several paragraphs, or program text
    box: Box
    size: float
    item: bool = False  # has a bullet or number
    bold: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())


def parents_by_place(pieces: Sequence[Placed]) -> list[int | None]:
    """Of each text, in reading order, the one that it stands under: a point less indented, or a heading."""
    parents: list[int | None] = []
    above: list[int] = []  # texts that are open, the outermost first
    reach: list[float] = []  # down to where each text and what stands under it goes
    for index, piece in enumerate(pieces):
        while above and not _stands_under(pieces[above[-1]], reach[above[-1]], piece):
            above.pop()
        parents.append(above[-1] if above else None)
        above.append(index)
        reach.append(piece.box.bottom)
        for outer in above:
            reach[outer] = max(reach[outer], piece.box.bottom)
    for label, text in _rows(pieces):
        if parents[text] is None:
            parents[text] = label
    return parents


def _stands_under(head: Placed, reach: float, piece: Placed) -> bool:
    em = max(head.size, piece.size)
    if (
        piece.box.top < head.box.top + head.box.height / 2
        or piece.box.top - reach > (_GOES_ON if head.item and not piece.item else _NEAR) * em
        or not _overlap(_across(head.box), _across(piece.box))
        or not _below(head.box, piece.box, em)
    ):
        return False
    if head.item:
        return piece.box.left > head.box.left + _INDENTED * em and piece.size < _LARGER * head.size
    if not 0 < head.words <= (_LONGEST_BOLD if head.bold else _LONGEST_HEADING):
        return introduces(head.text) and piece.item
    if head.size >= _LARGER * piece.size:
        return True
    level = head.size * _LARGER > piece.size
    return level and (piece.item or (head.bold and not piece.bold) or _opens(head, piece))


def _below(head: Box, box: Box, em: float) -> bool:
    """Whether *box* keeps to the column of *head*: a band across several columns stands under none."""
    off_centre = abs(head.left + head.right - box.left - box.right) / 2
    return box.left >= head.left - em or off_centre <= em


def _opens(head: Placed, piece: Placed) -> bool:
    return introduces(head.text) and not introduces(piece.text) and not piece.bold


def _rows(pieces: Sequence[Placed]) -> list[tuple[int, int]]:
    """Labels with a text to the right of each; one alone is chance."""
    found = [
        (index - 1, index)
        for index, piece in enumerate(pieces)
        if index
        and 0 < pieces[index - 1].words < _SHORTEST_TEXT <= piece.words
        and not pieces[index - 1].item
        and pieces[index - 1].box.right <= piece.box.left
        and _overlap(_down(pieces[index - 1].box), _down(piece.box))
    ]
    return found if len(found) > 1 else []


def labels_of_figures(pieces: Sequence[Placed]) -> dict[int, int]:
    """Index of each figure that is shown off → index of the text that says of what it is.

    Only where there is no doubt: the text is the nearest one, and no other figure is as near to it.
    """
    figures = [index for index, piece in enumerate(pieces) if is_lone_figure(piece.text) and not piece.item]
    texts = [
        index
        for index, piece in enumerate(pieces)
        if 0 < piece.words <= _LONGEST_LABEL and not is_lone_figure(piece.text) and not piece.item
    ]
    if len(figures) * len(texts) > _MOST_PAIRS:
        return {}
    gaps = {(f, t): gap for f in figures for t in texts if (gap := _gap(pieces[f], pieces[t])) is not None}
    nearest: dict[int, int] = {}
    for figure, text in sorted(gaps, key=lambda pair: gaps[pair]):
        if figure not in nearest and text not in nearest.values():
            nearest[figure] = text
    return nearest


def with_label(figure: Placed, label: Placed) -> Placed:
    """The figure and its label as one text: from above to below, or the figure first where they are level."""
    label_first = label.box.top + label.box.height / 2 < figure.box.top
    first, then = (label, figure) if label_first else (figure, label)
    return replace(figure, text=f"{first.text} {then.text}", box=around([figure.box, label.box]))


_MOST_PAIRS = 10_000
"""More figures and texts than this make a drawing, not a row of figures that are shown off.

100 figures with 100 texts; each pair is looked at, so the number also bounds the time.
"""


def _gap(figure: Placed, text: Placed) -> float | None:
    """How far *text* is from *figure*, in the figure's em, if it can be its label."""
    if figure.size < _FIGURE_LARGER * text.size:
        return None
    if _overlap(_across(figure.box), _across(text.box)):
        below = text.box.top - figure.box.bottom
        above = figure.box.top - text.box.bottom
        gap, widest = max(below, above), _LABEL_BELOW
    elif _overlap(_down(figure.box), _down(text.box)):
        gap, widest = text.box.left - figure.box.right, _LABEL_BESIDE
    else:
        return None
    return max(gap, 0.0) / figure.size if -figure.size < gap <= widest * figure.size else None


def _across(box: Box) -> tuple[float, float]:
    return box.left, box.right


def _down(box: Box) -> tuple[float, float]:
    return box.top, box.bottom


def _overlap(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Whether two spans share at least half of the shorter one: two columns touch at their edges, no more."""
    return min(a[1], b[1]) - max(a[0], b[0]) >= 0.5 * min(a[1] - a[0], b[1] - b[0])
