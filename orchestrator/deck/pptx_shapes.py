"""What stands on one slide of a PowerPoint file, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from orchestrator.deck.alt_text import own_words
from orchestrator.deck.furniture import FEWEST_LABELS, is_fragment
from orchestrator.deck.model import Chart, Table
from orchestrator.deck.nesting import Parents, by_levels
from orchestrator.deck.ooxml import CX, DECORATIVE, DGM, MC, A, C, Element, P, R
from orchestrator.deck.package import HostileDeckError, Package
from orchestrator.deck.places import Placed, parents_by_place
from orchestrator.deck.pptx_charts import read_charts
from orchestrator.deck.pptx_pieces import Piece, heading_of, in_order, moved, with_labels
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
from orchestrator.deck.reading_order import Box, around
from orchestrator.errors import DeckError

_NOWHERE = Box(0, 0, 0, 0)
"""The place of a shape that has none: with what comes first."""
_EMU_PER_SIZE = 127.0
"""Sizes of letters are hundredths of a point, places are English metric units: 12,700 to the point."""
_DEEPEST = 32
"""Groups within groups that are followed; PowerPoint's own decks stay below 10."""


@dataclass(slots=True)
class SlideText:
    """Everything on a slide that can be quoted, each kind in reading order."""

    title: str = ""
    lines: list[str] = field(default_factory=list)
    parents: list[int | None] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    alt_texts: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def read_shapes(package: Package, layouts: Layouts, part: str, root: Element) -> SlideText:
    """The text of the slide *root*, which is the package's *part*."""
    tree = root.find(f"{P}cSld/{P}spTree")
    text = SlideText()
    if tree is None:
        return text
    reader = _Reader(package, layouts, part, text.notices)
    pieces = list(in_order(reader.pieces(tree, 0)))
    heading = heading_of(pieces)
    if heading is not None:
        text.title = " ".join(pieces[heading].lines)
        pieces[heading] = replace(pieces[heading], lines=(), parents=(), placed=None)
    pieces = with_labels(pieces)
    _add_lines(text, [piece for piece in pieces if piece.lines])
    for piece in pieces:
        text.tables += piece.tables
        text.charts += piece.charts
        if piece.alt_text and piece.alt_text not in text.alt_texts:
            text.alt_texts.append(piece.alt_text)
    return text


def _add_lines(text: SlideText, pieces: list[Piece]) -> None:
    """The lines of *pieces*, those of a shape that stands under another one's heading under that heading."""
    placed = [piece.placed or Placed("", piece.box, 0.0) for piece in pieces]
    heads = parents_by_place(placed)
    firsts: list[int] = []
    fragments: list[int] = []
    for index, (piece, head) in enumerate(zip(pieces, heads, strict=True)):
        first = len(text.lines)
        firsts.append(first)
        above = None if head is None else firsts[head]
        text.parents += [above if parent is None else first + parent for parent in piece.parents]
        text.lines += piece.lines
        single = piece.free and len(piece.lines) == 1 and head is None and index not in heads
        if single and is_fragment(piece.lines[0]):
            fragments.append(first)
    text.labels += fragments if len(fragments) >= FEWEST_LABELS else []


class _Reader:
    """Walks the shapes of one slide."""

    def __init__(self, package: Package, layouts: Layouts, part: str, notices: list[str]) -> None:
        self._package = package
        self._layouts = layouts
        self._part = part
        self._notices = notices

    def pieces(self, tree: Element, depth: int) -> list[Piece]:
        """The pieces of a shape tree or group, in drawing order, in that group's own units."""
        found = (self._piece(shape, depth) for shape in _shapes(tree))
        return [piece for piece in found if piece is not None]

    def _piece(self, shape: Element, depth: int) -> Piece | None:
        kind = placeholder_type(shape)
        if kind in FURNITURE:
            return None
        box = own_box(shape) or self._layouts.box(self._part, shape) or _NOWHERE
        alt_text = _alt_text(shape)
        if shape.tag == f"{P}grpSp":
            inside = tuple(self.pieces(shape, depth + 1)) if depth < _DEEPEST else ()
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
        return Piece(box, lines, parents, kind in TITLES, size, placed, free=kind is None, alt_text=alt_text)

    def _graphic(self, frame: Element, box: Box, alt_text: str) -> Piece | None:
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
        return Piece(box, lines, parents, tables=tables, charts=charts, alt_text=alt_text)

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


def _group(group: Element, box: Box, alt_text: str, inside: tuple[Piece, ...]) -> Piece | None:
    """The group as one piece; what is inside is moved to where the group shows it."""
    if not inside and not alt_text:
        return None
    place = group.find(f"{P}grpSpPr/{A}xfrm")
    own = None if place is None else box_of(place.find(f"{A}chOff"), place.find(f"{A}chExt"))
    if box == _NOWHERE and inside:
        box = around([piece.box for piece in inside])
    elif own is not None and own.width and own.height:
        inside = tuple(moved(piece, own, box) for piece in inside)
    return Piece(box, alt_text=alt_text, inside=inside)


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
