"""The order in which a reader goes through boxes that lie on a slide or page."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass

_OVERLAP = 0.2
"""Boxes that overlap by up to this share of the smaller one still count as apart: text boxes are drawn
larger than their text.

At 0.18 a headline that reaches into its list was read behind it; at 0.4 the title of a slide and the text
below it changed places. From 0.2 to 0.3 the 132 real pages and slides read the same.
"""

_MOST = 1_000
"""More boxes than this are a drawing: they are read by their places alone. Rows are tried against columns,
which takes time with the square of their number."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; any unit, `top` grows downwards."""

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
    """The smallest box that holds all of *boxes* (at least one)."""
    left = min(box.left for box in boxes)
    top = min(box.top for box in boxes)
    return Box(left, top, max(box.right for box in boxes) - left, max(box.bottom for box in boxes) - top)


def reading_order(boxes: Sequence[Box], letters: Sequence[int]) -> list[int]:
    """Indexes of *boxes* in reading order: rows from the top, each row from the left.

    The boxes are given in drawing order, with the number of letters in each. Where they
    form a grid that can be read by rows or by columns (cards side by side, each with a
    heading and a text), columns are taken only if they agree far better with the drawing
    order, and not where every row is a label with its text.
    """
    return _Page(boxes, letters).ordered(list(range(len(boxes))))


@dataclass(frozen=True, slots=True)
class _Page:
    boxes: Sequence[Box]
    letters: Sequence[int]

    def ordered(self, part: list[int]) -> list[int]:
        if len(part) < 2:
            return part
        if len(part) > _MOST:
            return self._by_lines(part)
        rows = _cut(part, [(self.boxes[i].top, self.boxes[i].bottom) for i in part])
        pieces = self._cards_together(rows) if len(rows) > 1 else self._columns(part)
        if len(pieces) == 1:
            return self._by_lines(part)
        return [index for piece in pieces for index in self.ordered(piece)]

    def _columns(self, part: list[int]) -> list[list[int]]:
        return _cut(part, [(self.boxes[i].left, self.boxes[i].right) for i in part])

    def _cards_together(self, rows: list[list[int]]) -> list[list[int]]:
        """*rows*, those replaced by columns that were drawn column by column."""
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
        """Whether each row is a label on the left and a text on the right, at least twice as long.

        Two cards side by side have headings of about one length, so twice tells a table of terms from them.
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
        """Boxes that cannot be told apart: those level with the uppermost first, from the left."""
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
    """*part* in pieces whose spans do not overlap (much), in the order of the spans."""
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
    """How many pairs of boxes these pieces put against their drawing order."""
    seen: list[int] = []
    pairs = 0
    for piece in pieces:
        pairs += sum(len(seen) - bisect(seen, index) for index in piece)
        seen = sorted(seen + piece)
    return pairs
