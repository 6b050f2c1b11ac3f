"""The shapes on one slide of a PowerPoint file, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from orchestrator.deck.alt_text import own_words
from orchestrator.deck.nesting import Parents, by_levels
from orchestrator.deck.ooxml import CX, DECORATIVE, DGM, MC, A, C, Element, P, R
from orchestrator.deck.package import HostileDeckError, Package
from orchestrator.deck.pieces import Piece, heading_of, slide_of
from orchestrator.deck.places import Placed
from orchestrator.deck.pptx_charts import read_charts
from orchestrator.deck.pptx_placeholders import (
    FURNITURE,
    TITLES,
    Layouts,
    box_of,
    own_box,
    placeholder_type,
)
from orchestrator.deck.pptx_smartart import smartart_lines
from orchestrator.deck.pptx_text import DEFAULT_SIZE, font_size, nested_paragraphs, paragraphs
from orchestrator.deck.reading_order import Box, around, reading_order
from orchestrator.errors import DeckError
from orchestrator.model.slide import Chart, Slide, Table

_NOWHERE = Box(0, 0, 0, 0)
"""The place of a shape that has none: with what comes first."""
_EMU_PER_SIZE = 127.0
"""Sizes of letters are hundredths of a point, places are English metric units: 12,700 to the point."""
_DEEPEST = 32
"""Groups within groups that are followed; PowerPoint's own decks stay below 10. Each is a call within a
call, and Python allows some hundred before a deck of groups alone is refused."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A shape of a tree: its piece, whether it is a title, and the shapes of a group."""

    piece: Piece
    title: bool = False
    inside: tuple[_Shape, ...] = ()


def read_shapes(
    package: Package, layouts: Layouts, part: str, root: Element, number: int
) -> tuple[Slide, list[str]]:
    """The slide *root*, which is the package's *part*, without its notes; and what could not be read."""
    tree = root.find(f"{P}cSld/{P}spTree")
    notices: list[str] = []
    reader = _Reader(package, layouts, part, notices)
    shapes = [] if tree is None else list(_in_order(reader.shapes(tree, 0)))
    titles = (index for index, shape in enumerate(shapes) if shape.title and _says_something(shape.piece))
    pieces = [shape.piece for shape in shapes]
    heading = next(titles, None)
    return slide_of(number, pieces, heading_of(pieces) if heading is None else heading), notices


def _says_something(piece: Piece) -> bool:
    return any(map(str.isalnum, "".join(piece.lines)))  # a lone icon is no title


def _in_order(shapes: list[_Shape]) -> Iterator[_Shape]:
    """*shapes* and what is inside them, in reading order."""
    for index in reading_order([shape.piece.box for shape in shapes], [_letters(shape) for shape in shapes]):
        yield shapes[index]
        yield from _in_order(list(shapes[index].inside))


def _letters(shape: _Shape) -> int:
    return sum(map(len, shape.piece.lines)) + sum(map(_letters, shape.inside))


class _Reader:
    """Walks the shapes of one slide."""

    def __init__(self, package: Package, layouts: Layouts, part: str, notices: list[str]) -> None:
        self._package = package
        self._layouts = layouts
        self._part = part
        self._notices = notices

    def shapes(self, tree: Element, depth: int) -> list[_Shape]:
        """The shapes of a shape tree or group, in drawing order, in that group's own units."""
        found = (self._shape(shape, depth) for shape in _shapes(tree))
        return [shape for shape in found if shape is not None]

    def _shape(self, shape: Element, depth: int) -> _Shape | None:
        kind = placeholder_type(shape)
        if kind in FURNITURE:
            return None
        box = own_box(shape) or self._layouts.box(self._part, shape) or _NOWHERE
        alt_text = _alt_text(shape)
        if shape.tag == f"{P}grpSp":
            inside = tuple(self.shapes(shape, depth + 1)) if depth < _DEEPEST else ()
            return _group(shape, box, alt_text, inside)
        if shape.tag == f"{P}graphicFrame":
            return self._graphic(shape, box, alt_text)
        body = shape.find(f"{P}txBody")
        lines, parents = _nested(nested_paragraphs(body))
        if not lines and not alt_text:
            return None
        stated = font_size(body) if body is not None else 0.0
        size = stated or (DEFAULT_SIZE if body is not None else 0.0)
        # A size that is only inherited is a guess: nothing is told from it.
        text = lines[0] if stated and len(lines) == 1 else ""
        placed = Placed(text, box, size * _EMU_PER_SIZE) if lines else None
        piece = Piece(box, lines, parents, size, placed, free=kind is None, alt_text=alt_text)
        return _Shape(piece, title=kind in TITLES)

    def _graphic(self, frame: Element, box: Box, alt_text: str) -> _Shape | None:
        tables = tuple(_table(table) for table in frame.iterfind(f"{A}graphic/{A}graphicData/{A}tbl"))
        nested: list[tuple[str, int]] = []
        charts: tuple[Chart, ...] = ()
        for reference in frame.iterfind(f"{A}graphic/{A}graphicData/*"):
            if reference.tag in (f"{C}chart", f"{CX}chart"):
                charts += tuple(self._charts(reference.get(f"{R}id", "")))
            elif reference.tag == f"{DGM}relIds":
                nested += self._smartart(reference.get(f"{R}dm", ""))
        if not (tables or nested or charts or alt_text):
            return None
        lines, parents = _nested(nested)
        return _Shape(Piece(box, lines, parents, tables=tables, charts=charts, alt_text=alt_text))

    def _charts(self, relationship: str) -> list[Chart]:
        root = self._related(relationship, "a chart")
        if root is None:
            return []
        charts = read_charts(root)
        if not charts:
            self._notices.append("a chart keeps no numbers in the deck; it was left out")
        return charts

    def _smartart(self, relationship: str) -> list[tuple[str, int]]:
        root = self._related(relationship, "a SmartArt diagram")
        return [] if root is None else smartart_lines(root)

    def _related(self, relationship: str, what: str) -> Element | None:
        target = self._package.relationships(self._part).get(relationship)
        if target is not None:
            try:
                return self._package.xml(target.target)
            except HostileDeckError:
                raise
            except DeckError as error:
                self._notices.append(f"{what} cannot be read and was left out: the file {error}")
                return None
        self._notices.append(f"{what} is missing from the file and was left out")
        return None


def _shapes(tree: Element) -> Iterator[Element]:
    """The shapes of a tree; of alternatives the first one that holds a shape."""
    for child in tree:
        if child.tag in (f"{P}sp", f"{P}pic", f"{P}graphicFrame", f"{P}grpSp"):
            yield child
        elif child.tag == f"{MC}AlternateContent":
            for alternative in child:  # mc:Choice in order of preference, then mc:Fallback
                if shapes := list(_shapes(alternative)):
                    yield from shapes
                    break


def _nested(paragraphs: list[tuple[str, int]]) -> tuple[tuple[str, ...], Parents]:
    """The lines of a shape, and the parent of each."""
    texts = [text for text, _ in paragraphs]
    return tuple(texts), tuple(by_levels(texts, [level for _, level in paragraphs]))


def _group(group: Element, box: Box, alt_text: str, inside: tuple[_Shape, ...]) -> _Shape | None:
    """The group as one piece; what is inside is moved to where the group shows it."""
    if not inside and not alt_text:
        return None
    place = group.find(f"{P}grpSpPr/{A}xfrm")
    own = None if place is None else box_of(place.find(f"{A}chOff"), place.find(f"{A}chExt"))
    if box == _NOWHERE and inside:
        box = around([shape.piece.box for shape in inside])
    elif own is not None and own.width and own.height:
        inside = tuple(_moved(shape, own, box) for shape in inside)
    return _Shape(Piece(box, alt_text=alt_text), inside=inside)


def _moved(shape: _Shape, own: Box, shown: Box) -> _Shape:
    """*shape* from the units of its group, of which *own* is shown as *shown*."""
    across, down = shown.width / own.width, shown.height / own.height
    box, placed = shape.piece.box, shape.piece.placed
    box = Box(
        shown.left + (box.left - own.left) * across,
        shown.top + (box.top - own.top) * down,
        box.width * across,
        box.height * down,
    )
    return replace(
        shape,
        piece=replace(shape.piece, box=box, placed=None if placed is None else replace(placed, box=box)),
        inside=tuple(_moved(one, own, shown) for one in shape.inside),
    )


def _table(table: Element) -> Table:
    return Table(
        tuple(
            tuple(" ".join(paragraphs(cell.find(f"{A}txBody"))) for cell in row.iterfind(f"{A}tc"))
            for row in table.iterfind(f"{A}tr")
        )
    )


def _alt_text(shape: Element) -> str:
    for properties in shape:
        if properties.tag.startswith(f"{P}nv"):
            names = properties.find(f"{P}cNvPr")
            if names is None or _is_decorative(names):
                return ""
            return own_words(names.get("descr", ""))
    return ""


def _is_decorative(names: Element) -> bool:
    return any(mark.get("val") in ("1", "true") for mark in names.iter(f"{DECORATIVE}decorative"))
