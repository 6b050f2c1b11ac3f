"""Relate texts on a slide by their places: headings to texts, and labels to figures."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.material.deck.lines import (
    MIN_LABELS,
    introduces,
    is_fragment,
    is_lone_figure,
    joined,
    settled,
)
from orchestrator.material.values import Chart, Slide, Table

# ---------------------------------------------------------------------- reading order
# The order in which a reader goes through boxes that lie on a slide or page.


_OVERLAP = 0.2
"""Boxes that overlap by up to this share of the smaller one still count as apart: text boxes are drawn
larger than their text.

At 0.18 a headline that reaches into its list was read after the list. At 0.4 the title of a slide and the
text below it changed places. From 0.2 to 0.3 the 132 real pages and slides read the same.
"""

_MAX = 1_000
"""Maximum number of boxes. More boxes are a drawing, and are read by their places alone: comparing rows with
columns takes time with the square of their number."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in any unit; `top` grows downwards."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height


def around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that contains all of *boxes* (at least one box)."""
    left = min(box.left for box in boxes)
    top = min(box.top for box in boxes)
    return Box(left, top, max(box.right for box in boxes) - left, max(box.bottom for box in boxes) - top)


def reading_order(boxes: Sequence[Box], letters: Sequence[int]) -> list[int]:
    """Return the indexes of *boxes* in reading order: rows from the top, each row from the left.

    The boxes are given in drawing order, with the number of letters in each. If they form a grid that can be
    read by rows or by columns (cards side by side, each with a heading and a text), they are read by columns
    only if columns agree far better with the drawing order, and never if every row is a label with its text.
    """
    return _Page(boxes, letters).ordered(list(range(len(boxes))))


@dataclass(frozen=True, slots=True)
class _Page:
    boxes: Sequence[Box]
    letters: Sequence[int]

    def ordered(self, part: list[int]) -> list[int]:
        if len(part) < 2:
            return part
        if len(part) > _MAX:
            return self._by_lines(part)
        rows = _cut(part, [(self.boxes[i].top, self.boxes[i].bottom) for i in part])
        pieces = self._cards_together(rows) if len(rows) > 1 else self._columns(part)
        if len(pieces) == 1:
            return self._by_lines(part)
        return [index for piece in pieces for index in self.ordered(piece)]

    def _columns(self, part: list[int]) -> list[list[int]]:
        return _cut(part, [(self.boxes[i].left, self.boxes[i].right) for i in part])

    def _cards_together(self, rows: list[list[int]]) -> list[list[int]]:
        """Return *rows*, with rows that were drawn column by column replaced by their columns."""
        pieces: list[list[int]] = []
        start = 0
        while start < len(rows):
            best, best_gain, best_end = rows[start : start + 1], 0, start + 1
            for end in range(start + 2, len(rows) + 1):
                together = rows[start:end]
                columns = self._columns(sorted(index for row in together for index in row))
                if len(columns) == 1:
                    break  # further rows can only join columns, never part them
                by_rows, by_columns = _backward(together), _backward(columns)
                # Half: people read by rows, and a slide that was mended is drawn in no clear order.
                better = by_columns < by_rows / 2 and by_rows - by_columns > best_gain
                if better and not self._labelled(together, columns):
                    best, best_gain, best_end = columns, by_rows - by_columns, end
            pieces += best
            start = best_end
        return pieces

    def _labelled(self, rows: list[list[int]], columns: list[list[int]]) -> bool:
        """Return whether each row is a label on the left and a text on the right, at least twice as long.

        Two cards side by side have headings of about the same length, so the factor of two distinguishes a
        table of terms from such cards.
        """
        if len(columns) != 2:
            return False
        left = set(columns[0])
        for row in rows:
            labels = [self.letters[index] for index in row if index in left]
            texts = [self.letters[index] for index in row if index not in left]
            if labels and texts and 2 * max(labels) > min(texts):
                return False
        return True

    def _by_lines(self, part: list[int]) -> list[int]:
        """Order boxes that cannot be separated: those level with the uppermost first, from the left."""
        downwards = sorted(part, key=lambda i: (self.boxes[i].top, i))
        tops = [self.boxes[i].top for i in downwards]
        order: list[int] = []
        while len(order) < len(part):
            uppermost = self.boxes[downwards[len(order)]]
            end = bisect(tops, uppermost.top + uppermost.height / 2)
            line = downwards[len(order) : max(end, len(order) + 1)]
            order += sorted(line, key=lambda i: (self.boxes[i].left, self.boxes[i].top, i))
        return order


def _cut(part: list[int], spans: list[tuple[float, float]]) -> list[list[int]]:
    """Split *part* into pieces whose spans do not overlap much, in the order of the spans."""
    pieces: list[list[int]] = []
    end = size_at_end = 0.0
    for (low, high), index in sorted(zip(spans, part, strict=True)):
        size = high - low
        if not pieces or low >= end - _OVERLAP * min(size, size_at_end):
            pieces.append([])
            end, size_at_end = high, size
        elif high > end:
            end, size_at_end = high, size
        pieces[-1].append(index)
    return [sorted(piece) for piece in pieces]


def _backward(pieces: list[list[int]]) -> int:
    """Count the pairs of boxes that the order of *pieces* puts against their drawing order."""
    seen: list[int] = []
    pairs = 0
    for piece in pieces:
        pairs += sum(len(seen) - bisect(seen, index) for index in piece)
        seen = sorted(seen + piece)
    return pairs


# ---------------------------------------------------------------------- places


# In em, the size of the letters. "Same": the range in which the 132 pages and slides of sixteen real decks
# and PDFs read the same.
_INDENTED = 0.5  # how far a point stands to the right of the one that it is under
"""How far a point is indented from the point above it, in em. The real decks read the same from 0.25 to 1."""
_NEAR = 2.5  # the widest gap between a heading and what it heads
"""The widest gap between a heading and what it heads, in em. The real decks read the same from 2.3 to 2.8;
below, a heading loses its points, which pass for labels; above, a paragraph at the foot of the page is put
under a question that it does not answer."""
_GOES_ON = 1.0  # between a point and a paragraph under it
"""The widest gap between a point and a paragraph under it, in em. The real decks read the same from 0.5 to
1.5; at 2 a label is put under a point."""
_LABEL_BELOW, _LABEL_BESIDE = 1.2, 1.5  # the widest gap between a figure and its label
"""The widest gap between a figure and its label, below or beside it, in em. The real decks read the same from
half to twice as much."""

_LARGER = 1.1  # the ratio of sizes of a heading and its text
"""The ratio of sizes of a heading and its text. The real decks read the same from 1.05 to 1.15; at 1 any line
heads the next; from 1.2 on the headings of cards, which are set a little larger, head nothing."""
_FIGURE_LARGER = 1.3  # of a figure that is shown off, and its label
"""The ratio of sizes of a prominent figure and its label. The real decks read the same from 1 to 1.6."""
_MAX_LABEL, _MAX_HEADING, _MAX_BOLD = 12, 12, 40  # words
"""Maximum number of words of a label, a heading and a heading in bold. The real decks read the same from 6 to
24, from 11 to 12, and from 30 to 80. A heading of ten words loses its points at 9; at 13 a sentence heads
those behind it; at 20 a question in bold loses its answer."""
_MIN_TEXT = 5  # words; what is shorter than this is a label itself
"""Minimum number of words of a text beside a label; a shorter text is a label itself. At 4 an address
("Esteemed Governing Board,") is the text of a label; at 6 a title of five words is not."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A text with its box and size, both in the same unit."""

    text: str  # "" where it heads nothing: several paragraphs, or program text
    box: Box
    size: float
    item: bool = False  # has a bullet or number
    bold: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())


def parents_by_place(pieces: Sequence[Placed]) -> list[int | None]:
    """Return the parent of each text, in reading order: a point indented less, or a heading."""
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
    if not 0 < head.words <= (_MAX_BOLD if head.bold else _MAX_HEADING):
        return introduces(head.text) and piece.item
    if head.size >= _LARGER * piece.size:
        return True
    level = head.size * _LARGER > piece.size
    return level and (piece.item or (head.bold and not piece.bold) or _opens(head, piece))


def _below(head: Box, box: Box, em: float) -> bool:
    """Return whether *box* is in the column of the heading *head*; a band across several columns is not."""
    off_centre = abs(head.left + head.right - box.left - box.right) / 2
    return box.left >= head.left - em or off_centre <= em


def _opens(head: Placed, piece: Placed) -> bool:
    return introduces(head.text) and not introduces(piece.text) and not piece.bold


def _rows(pieces: Sequence[Placed]) -> list[tuple[int, int]]:
    """Return pairs of a label and the text to its right; a single such pair counts as chance."""
    found = [
        (index - 1, index)
        for index, piece in enumerate(pieces)
        if index
        and 0 < pieces[index - 1].words < _MIN_TEXT <= piece.words
        and not pieces[index - 1].item
        and pieces[index - 1].box.right <= piece.box.left
        and _overlap(_down(pieces[index - 1].box), _down(piece.box))
    ]
    return found if len(found) > 1 else []


def labels_of_figures(pieces: Sequence[Placed]) -> dict[int, int]:
    """Return, for each prominent figure, the figure's index and that of the text that labels it.

    A figure is included only if there is no doubt: the text is the nearest one to it, and no other figure is
    as near to the text.
    """
    figures = [index for index, piece in enumerate(pieces) if is_lone_figure(piece.text) and not piece.item]
    texts = [
        index
        for index, piece in enumerate(pieces)
        if 0 < piece.words <= _MAX_LABEL and not is_lone_figure(piece.text) and not piece.item
    ]
    if len(figures) * len(texts) > _MAX_PAIRS:
        return {}
    gaps = {(f, t): gap for f in figures for t in texts if (gap := _gap(pieces[f], pieces[t])) is not None}
    nearest: dict[int, int] = {}
    for figure, text in sorted(gaps, key=lambda pair: gaps[pair]):
        if figure not in nearest and text not in nearest.values():
            nearest[figure] = text
    return nearest


def with_label(figure: Placed, label: Placed) -> Placed:
    """Join a figure and its label from top to bottom; if they are level, the figure comes first."""
    label_first = label.box.top + label.box.height / 2 < figure.box.top
    first, then = (label, figure) if label_first else (figure, label)
    return replace(figure, text=f"{first.text} {then.text}", box=around([figure.box, label.box]))


_MAX_PAIRS = 10_000
"""Maximum number of pairs of a figure and a text. A slide with more is a drawing, not a row of prominent
figures.

That is 100 figures with 100 texts. Each pair is compared, so the number also bounds the time.
"""


def _gap(figure: Placed, text: Placed) -> float | None:
    """Return the distance of *text* from *figure* in the figure's em, or None if *text* cannot label it."""
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
    """Return whether two spans share at least half of the shorter one; touching columns do not count."""
    return min(a[1], b[1]) - max(a[0], b[0]) >= 0.5 * min(a[1] - a[0], b[1] - b[0])


# ---------------------------------------------------------------------- prominence
# Which text on a slide or page is its heading, where the file does not say.


_MAX_CHARS = 120
"""Maximum number of characters of a heading, which is a line and not a paragraph. A real title has 104: at 90
it was lost."""
_MIN_LETTERS = 2
"""Minimum number of letters of a heading, so that "Q3", "€" and a lone digit are not headings, but "FAQ" and
"要約" are."""
_STANDS_OUT = 1.15
"""How much larger than the other text a heading is; text that is less large is body text with some emphasis.

The 132 real pages and slides have the same titles from 1.05 to 1.15. At 1 the first line of a page of text is
a title; at 1.2 titles that are whole sentences, which are set a little smaller, are lost.
"""
_AS_LARGE = 0.75
"""Minimum size of a heading, as a share of the largest text; of several such texts, the first in reading
order counts.

At 0.68 a smaller line above the title took its place. From 0.75 to 0.94 the real pages and slides read the
same.
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """A candidate for a slide's heading: its text ("" if it cannot be the heading), and its letters' size."""

    text: str
    size: float


def most_prominent(candidates: Sequence[Heading]) -> int | None:
    """Return the index of the heading among *candidates* (in reading order), or None if none stands out."""
    fit = [
        index
        for index, candidate in enumerate(candidates)
        if 0 < len(candidate.text) <= _MAX_CHARS
        and sum(character.isalpha() for character in candidate.text) >= _MIN_LETTERS
    ]
    if not fit:
        return None
    largest = max(candidates[index].size for index in fit)
    found = next(index for index in fit if candidates[index].size >= _AS_LARGE * largest)
    others = sorted(
        candidate.size for index, candidate in enumerate(candidates) if index != found and candidate.size
    )
    if others and candidates[found].size < _STANDS_OUT * others[len(others) // 2]:
        return None
    return found


# ---------------------------------------------------------------------- pieces
# The pieces that stand on a slide or page, and the slide that they make.


@dataclass(frozen=True, slots=True)
class Piece:
    """A shape with text on a slide, or a paragraph on a page."""

    box: Box
    lines: tuple[str, ...] = ()
    parents: tuple[int | None, ...] = ()  # of each line, within these lines
    size: float = 0.0  # of its letters
    placed: Placed | None = None  # None: a graphic
    free: bool = False  # stands alone: a text box, or a line apart from all others
    code: bool = False  # program text
    single: bool = False  # one paragraph, on however many lines
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    alt_text: str = ""


def heading_of(pieces: Sequence[Piece]) -> int | None:
    """Return the index of the piece that stands out as the title, or None.

    A list item and a text of several lines are never the title.
    """
    return most_prominent(
        [
            Heading(
                joined(piece.lines)
                if (len(piece.lines) == 1 or piece.single) and not (piece.placed and piece.placed.item)
                else "",
                piece.size,
            )
            for piece in pieces
        ]
    )


def slide_of(number: int, pieces: Sequence[Piece], heading: int | None) -> Slide:
    """Build the slide from *pieces* in reading order; the piece at the index *heading* is its title.

    Lines of a piece that is under a heading in another piece are nested under that heading. Prominent figures
    are joined with their labels. Names in a diagram are marked as labels.
    """
    said = _with_labels([piece for index, piece in enumerate(pieces) if piece.lines and index != heading])
    heads = parents_by_place([piece.placed or Placed("", piece.box, 0.0) for piece in said])
    heads = [None if piece.code else head for piece, head in zip(said, heads, strict=True)]
    firsts: list[int] = []
    lines: list[str] = []
    parents: list[int | None] = []
    fragments: set[int] = set()
    code: set[int] = set()
    for index, (piece, head) in enumerate(zip(said, heads, strict=True)):
        first = len(lines)
        firsts.append(first)
        above = None if head is None else firsts[head]
        parents += [above if parent is None else first + parent for parent in piece.parents]
        lines += piece.lines
        if piece.code:
            code.add(first)
        single = piece.free and len(piece.lines) == 1 and head is None and index not in heads
        if single and is_fragment(piece.lines[0]):
            fragments.add(first)
    return Slide(
        number=number,
        title="" if heading is None else joined(pieces[heading].lines),
        lines=tuple(lines),
        tables=tuple(table for piece in pieces for table in piece.tables),
        charts=tuple(chart for piece in pieces for chart in piece.charts),
        alt_texts=tuple(dict.fromkeys(piece.alt_text for piece in pieces if piece.alt_text)),
        parents=settled(parents),
        labels=tuple(sorted(code | (fragments if len(fragments) >= MIN_LABELS else set()))),
    )


def _with_labels(pieces: Sequence[Piece]) -> list[Piece]:
    """Return *pieces*, joining each prominent figure with its label on one line."""
    placed = {index: piece.placed for index, piece in enumerate(pieces) if piece.placed}
    places = list(placed)
    joined = dict(enumerate(pieces))
    for figure, label in labels_of_figures(list(placed.values())).items():
        index, other = places[figure], places[label]
        whole = with_label(placed[index], placed[other])
        joined[index] = replace(
            pieces[index], lines=(whole.text,), parents=(None,), box=whole.box, placed=whole, free=False
        )
        del joined[other]
    return list(joined.values())
