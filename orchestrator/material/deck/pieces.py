"""The pieces that stand on a slide or page, and the slide that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.material.deck.breaks import joined
from orchestrator.material.deck.furniture import FEWEST_LABELS, is_fragment
from orchestrator.material.deck.nesting import settled
from orchestrator.material.deck.places import (
    Placed,
    labels_of_figures,
    parents_by_place,
    with_label,
)
from orchestrator.material.deck.prominence import Heading, most_prominent
from orchestrator.material.deck.reading_order import Box
from orchestrator.material.model.slide import Chart, Slide, Table


@dataclass(frozen=True, slots=True)
class Piece:
    """A shape with something to say, or a paragraph of a page."""

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
    """Which piece stands out as the title, if one does; no list item and no text of several lines."""
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
    """The slide of *pieces*, which are in reading order; the piece *heading* is its title.

    Lines of a piece that stands under another one's heading stand under that heading; figures
    that are shown off are joined with their labels; names in a diagram are marked as labels.
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
        labels=tuple(sorted(code | (fragments if len(fragments) >= FEWEST_LABELS else set()))),
    )


def _with_labels(pieces: Sequence[Piece]) -> list[Piece]:
    """*pieces*, each figure that is shown off on one line with its label."""
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
