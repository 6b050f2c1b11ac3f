"""The shapes of a slide that say something: their order, the title among them, figures with their labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestrator.deck.model import Chart, Table
from orchestrator.deck.places import Placed, labels_of_figures, with_label
from orchestrator.deck.prominence import Heading, most_prominent
from orchestrator.deck.reading_order import Box, reading_order


@dataclass(frozen=True, slots=True)
class Piece:
    """One shape with something to say; a group is a piece with pieces inside."""

    box: Box
    lines: tuple[str, ...] = ()
    parents: tuple[int | None, ...] = ()  # of each line, within these lines
    title: bool = False  # a title placeholder
    size: float = 0.0  # of its letters
    placed: Placed | None = None  # None: a graphic
    free: bool = False  # a text box, not a placeholder
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    alt_text: str = ""
    inside: tuple[Piece, ...] = ()


def in_order(pieces: list[Piece]) -> Iterator[Piece]:
    """*pieces* and what is inside them, in reading order."""
    for index in reading_order([piece.box for piece in pieces], [_letters(piece) for piece in pieces]):
        yield pieces[index]
        yield from in_order(list(pieces[index].inside))


def _letters(piece: Piece) -> int:
    return sum(map(len, piece.lines)) + sum(map(_letters, piece.inside))


def heading_of(pieces: list[Piece]) -> int | None:
    """Which piece is the title: the first title placeholder with text, else what stands out."""
    for index, piece in enumerate(pieces):
        if piece.title and any(map(str.isalnum, "".join(piece.lines))):  # a lone icon is no title
            return index
    return most_prominent(
        [Heading(piece.lines[0] if len(piece.lines) == 1 else "", piece.size) for piece in pieces]
    )


def with_labels(pieces: list[Piece]) -> list[Piece]:
    """*pieces*, each figure that is shown off on one line with its label."""
    placed = {index: piece.placed for index, piece in enumerate(pieces) if piece.placed}
    places = list(placed)
    labels = labels_of_figures(list(placed.values()))
    gone: set[int] = set()
    joined = list(pieces)
    for figure, label in labels.items():
        index, other = places[figure], places[label]
        whole = with_label(placed[index], placed[other])
        joined[index] = replace(
            pieces[index], lines=(whole.text,), parents=(None,), box=whole.box, placed=whole
        )
        gone.add(other)
    return [
        replace(piece, lines=(), parents=(), placed=None) if index in gone else piece
        for index, piece in enumerate(joined)
    ]


def moved(piece: Piece, own: Box, shown: Box) -> Piece:
    """*piece* from the units of its group, of which *own* is shown as *shown*."""
    across, down = shown.width / own.width, shown.height / own.height
    box = Box(
        shown.left + (piece.box.left - own.left) * across,
        shown.top + (piece.box.top - own.top) * down,
        piece.box.width * across,
        piece.box.height * down,
    )
    return replace(
        piece,
        box=box,
        placed=None if piece.placed is None else replace(piece.placed, box=box),
        inside=tuple(moved(one, own, shown) for one in piece.inside),
    )
