"""Read PowerPoint files: slides with everything that can be quoted from them.

The parts are read straight from the package (`Package`), one slide at a time. Pictures and films are never
unpacked, shapes inside `mc:AlternateContent` are read, and a part that is broken costs a notice, not the
deck. `greenroom help measured` says why python-pptx is not used.

Source of names and defaults: ECMA-376 part 1 (PresentationML, DrawingML); [MS-PPTX] for sections (2.2.7).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import BinaryIO

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.limits import SHORTER, DeckLimits
from orchestrator.material.deck.lines import Parents, by_levels, joined
from orchestrator.material.deck.ooxml import (
    CX,
    DECORATIVE,
    DGM,
    DSP,
    MC,
    P14,
    A,
    C,
    Element,
    HostileDeckError,
    P,
    Package,
    R,
)
from orchestrator.material.deck.places import Box, Piece, Placed, around, heading_of, reading_order, slide_of
from orchestrator.material.deck.pptx_charts import read_charts
from orchestrator.material.deck.pptx_text import (
    DEFAULT_SIZE,
    font_size,
    is_withdrawn,
    paragraphs,
    smartart_lines,
    typed_lines,
)
from orchestrator.material.deck.shown import own_words, shown
from orchestrator.material.deck.tables import headed, split_tabs
from orchestrator.material.values import Chart, Deck, Slide, Table

# ---------------------------------------------------------------------- pptx placeholders
# Placeholders: shapes that take their place and size from the slide's layout and master.


TITLES = ("title", "ctrTitle")
FURNITURE = ("sldNum", "dt", "ftr", "hdr")
"""Types of the placeholders that a deck prints on every slide: number, date, footer and header."""

_ON_THE_MASTER = {"title": "title", "ctrTitle": "title"} | {kind: kind for kind in FURNITURE}
"""The type of the master's placeholder that corresponds to a layout's; all other types correspond to its
body."""


def placeholder(shape: Element) -> Element | None:
    """Return the `p:ph` of *shape*, or None if *shape* is not a placeholder."""
    for properties in shape:
        if properties.tag.startswith(f"{P}nv"):
            return properties.find(f"{P}nvPr/{P}ph")
    return None


def placeholder_type(shape: Element) -> str | None:
    """Return the type of the placeholder *shape* ("title", "body", "obj", …), or None for other shapes."""
    found = placeholder(shape)
    return None if found is None else found.get("type", "obj")


def own_box(shape: Element) -> Box | None:
    """Return the box that *shape* itself states, in the units of its parent, or None if it states none."""
    for path in (f"{P}spPr/{A}xfrm", f"{P}xfrm", f"{P}grpSpPr/{A}xfrm"):
        place = shape.find(path)
        if place is not None:
            return box_of(place.find(f"{A}off"), place.find(f"{A}ext"))
    return None


def box_of(offset: Element | None, extent: Element | None) -> Box | None:
    """Return the box of an `a:off` and an `a:ext`, or None if one is missing or damaged."""
    if offset is None or extent is None:
        return None
    try:
        left, top = float(offset.get("x", "")), float(offset.get("y", ""))
        return Box(left, top, float(extent.get("cx", "")), float(extent.get("cy", "")))
    except ValueError:
        return None


class Layouts:
    """The placeholders of a deck's layouts and masters, each read once, on demand."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._known: dict[str, list[Element]] = {}

    def box(self, slide_part: str, shape: Element) -> Box | None:
        """Return the box of a placeholder that states none itself, as its layout or master has it."""
        kind = placeholder_type(shape)
        if kind is None:
            return None
        layout = self._package.related(slide_part, "slideLayout")
        on_layout = _counterpart(self._placeholders(layout), shape, kind)
        if on_layout is not None:
            if (box := own_box(on_layout)) is not None:
                return box
            kind = placeholder_type(on_layout) or kind
        master = self._package.related(layout, "slideMaster") if layout else None
        wanted = _ON_THE_MASTER.get(kind, "body")
        for candidate in self._placeholders(master):
            if placeholder_type(candidate) == wanted:
                return own_box(candidate)
        return None

    def _placeholders(self, part: str | None) -> list[Element]:
        if part is None:
            return []
        if part not in self._known:
            try:
                shapes = self._package.xml(part).iter(f"{P}sp")
                self._known[part] = [shape for shape in shapes if placeholder(shape) is not None]
            except HostileDeckError:
                raise
            except DeckError:
                self._known[part] = []  # a layout that is broken says nothing about places, and costs no text
        return self._known[part]


def _counterpart(layout: list[Element], shape: Element, kind: str) -> Element | None:
    """Return the placeholder of *layout* that matches *shape*: by its index, else by its type."""
    index = _index(shape)
    for candidate in layout:
        if _index(candidate) == index and (index != "0" or _same(placeholder_type(candidate), kind)):
            return candidate
    return next((candidate for candidate in layout if _same(placeholder_type(candidate), kind)), None)


def _index(shape: Element) -> str:
    found = placeholder(shape)
    return "0" if found is None else found.get("idx", "0")


def _same(kind: str | None, other: str) -> bool:
    return kind == other or (kind in TITLES and other in TITLES)


# ---------------------------------------------------------------------- pptx shapes
# The shapes on one slide of a PowerPoint file, in reading order.


_NOWHERE = Box(0, 0, 0, 0)
"""The box of a shape that states no place; such a shape is read with those that come first."""
_EMU_PER_SIZE = 127.0
"""Factor between sizes and places: sizes of letters are in hundredths of a point, places in English metric
units, 12,700 to the point."""
_DEEPEST = 32
"""Depth of nested groups that are read; PowerPoint's own decks stay below 10. Each level is a call within a
call, and Python allows some hundred before a deck of groups alone is refused."""

_HIDDEN = "words of a hidden shape were left out: the audience does not see them"
_OUTSIDE = "words beside the slide were left out: the audience does not see them"
_WITHDRAWN = "words that are struck out, or drawn without a colour, were left out"
_TOO_DEEP = f"words in groups nested deeper than {_DEEPEST} were left out; take the groups apart"
_UNREAD = {
    f"{P}contentPart": "handwriting (ink) is not read; type what it says",
    f"{A}videoFile": "a film is not read; say in the notes what it says",
    f"{A}audioFile": "a sound is not read; say in the notes what it says",
}


@dataclass(frozen=True, slots=True)
class _Shape:
    """A shape of a slide: its piece, whether it is a title, whether it is shown, and a group's shapes."""

    piece: Piece
    title: bool = False
    seen: bool = True
    inside: tuple[_Shape, ...] = ()


def read_shapes(
    package: Package, layouts: Layouts, part: str, root: Element, number: int, page: Box
) -> tuple[Slide, list[str]]:
    """Read a slide without its notes; return it with notices about what could not be read.

    *root* is the slide's element, and *part* its name in the package. Shapes that are wholly outside *page*
    are not shown, and are left out like hidden ones. A title that is not shown, which is there for screen
    readers, still names the slide, but nobody asserts it.
    """
    tree = root.find(f"{P}cSld/{P}spTree")
    notices = [_UNREAD[element.tag] for element in root.iter() if element.tag in _UNREAD]
    notices += [_WITHDRAWN for run in root.iter(f"{A}r") if is_withdrawn(run)]
    reader = _Reader(package, layouts, part, notices)
    drawn = [] if tree is None else _in_order(reader.shapes(tree, 0))
    shapes = [replace(shape, seen=shape.seen and _meets(shape.piece.box, page)) for shape in drawn]
    beside = [shape.piece for shape in shapes if not shape.seen and not shape.title]
    notices += [_OUTSIDE for piece in beside if piece.lines or piece.tables or piece.charts]
    shapes = [shape for shape in shapes if shape.seen or shape.title]
    titles = (index for index, shape in enumerate(shapes) if shape.title and _says_something(shape.piece))
    pieces = [shape.piece for shape in shapes]
    heading = next(titles, None)
    slide = slide_of(number, pieces, heading_of(pieces) if heading is None else heading)
    unseen = heading is not None and not shapes[heading].seen
    return replace(slide, title_is_furniture=unseen), list(dict.fromkeys(notices))


def _meets(box: Box, page: Box) -> bool:
    across = box.left <= page.left + page.width and box.left + box.width >= page.left
    return across and box.top <= page.top + page.height and box.top + box.height >= page.top


def _says_something(piece: Piece) -> bool:
    return any(map(str.isalnum, "".join(piece.lines)))  # a lone icon is no title


def _in_order(shapes: list[_Shape]) -> Iterator[_Shape]:
    """Yield *shapes*, and behind each group the shapes within it, in reading order."""
    for index in reading_order([shape.piece.box for shape in shapes], [_letters(shape) for shape in shapes]):
        yield shapes[index]
        yield from _in_order(list(shapes[index].inside))


def _letters(shape: _Shape) -> int:
    return sum(map(len, shape.piece.lines)) + sum(map(_letters, shape.inside))


class _Reader:
    """A reader of the shapes of one slide."""

    def __init__(self, package: Package, layouts: Layouts, part: str, notices: list[str]) -> None:
        self._package = package
        self._layouts = layouts
        self._part = part
        self._notices = notices

    def shapes(self, tree: Element, depth: int) -> list[_Shape]:
        """Return the shapes of a shape tree or group, in drawing order and in that tree's own units."""
        found = (self._shape(shape, depth) for shape in _shapes(tree))
        return [shape for shape in found if shape is not None]

    def _shape(self, shape: Element, depth: int) -> _Shape | None:
        kind = placeholder_type(shape)
        if kind in FURNITURE:
            return None
        hidden = _is_hidden(shape)
        if hidden and kind not in TITLES:
            self._notices += [_HIDDEN] if _has_words(shape) else []
            return None
        box = own_box(shape) or self._layouts.box(self._part, shape) or _NOWHERE
        alt_text = _alt_text(shape)
        if shape.tag == f"{P}grpSp":
            if depth == _DEEPEST:
                self._notices += [_TOO_DEEP] if _has_words(shape) else []
                return None
            inside = tuple(self.shapes(shape, depth + 1))
            return _group(shape, box, alt_text, inside)
        if shape.tag == f"{P}graphicFrame":
            return self._graphic(shape, box, alt_text)
        body = shape.find(f"{P}txBody")
        typed, tables = split_tabs(typed_lines(body))
        lines, parents = _nested(typed)
        if not (lines or tables or alt_text):
            return None
        stated = font_size(body) if body is not None else 0.0
        size = stated or (DEFAULT_SIZE if body is not None else 0.0)
        # A size that is only inherited is a guess: nothing is told from it.
        text = lines[0] if stated and len(lines) == 1 else ""
        placed = Placed(text, box, size * _EMU_PER_SIZE) if lines else None
        single = body is not None and len(body.findall(f"{A}p")) == 1
        piece = Piece(
            box,
            lines,
            parents,
            size,
            placed,
            free=kind is None,
            single=single,
            tables=tables,
            alt_text=alt_text,
        )
        return _Shape(piece, title=kind in TITLES, seen=not hidden)

    def _graphic(self, frame: Element, box: Box, alt_text: str) -> _Shape | None:
        tables = tuple(_table(table) for table in frame.iterfind(f"{A}graphic/{A}graphicData/{A}tbl"))
        nested: list[tuple[str, int]] = []
        charts: tuple[Chart, ...] = ()
        for reference in frame.iterfind(f"{A}graphic/{A}graphicData/*"):
            if reference.tag in (f"{C}chart", f"{CX}chart"):
                charts += tuple(self._charts(reference.get(f"{R}id", "")))
            elif reference.tag == f"{DGM}relIds":
                nested += self._smartart(reference.get(f"{R}dm", ""))
        embedded = [
            shown(one.get("progId", ""))[:40] for one in frame.iter(f"{P}oleObj")
        ]  # and its alternatives
        if embedded:
            program = f" ({embedded[0]})" if embedded[0] else ""
            self._notices.append(f"an embedded object{program} is not read; put what it says on the slide")
        if not (tables or nested or charts or alt_text):
            return None
        lines, parents = _nested(nested)
        return _Shape(Piece(box, lines, parents, tables=tables, charts=charts, alt_text=alt_text))

    def _charts(self, relationship: str) -> list[Chart]:
        root = self._related(relationship, "a chart")
        if root is None:
            return []
        part = self._package.relationships(self._part)[relationship].target
        charts, is_all = read_charts(root, self._typed_over(part))
        if not is_all:
            self._notices.append("a series that a chart draws without a colour was left out")
        elif not charts:
            self._notices.append("a chart keeps no numbers in the deck; it was left out")
        return charts

    def _typed_over(self, chart: str) -> list[str]:
        """Return the words of the boxes drawn over the chart in the part *chart*."""
        try:
            drawing = self._package.related(chart, "chartUserShapes")
        except HostileDeckError:
            raise
        except DeckError:
            return []  # the chart itself has been read: what a broken list names is lost with no word known
        root = None if drawing is None else self._read(drawing, "the text over a chart")
        return [] if root is None else paragraphs(root)

    def _smartart(self, relationship: str) -> list[tuple[str, int]]:
        """Return the lines of a diagram's model, or else of its drawing: some programs write that alone."""
        root = self._related(relationship, "a SmartArt diagram")
        if root is None:
            return []
        drawing = next((one.get("relId", "") for one in root.iter(f"{DSP}dataModelExt")), "")
        lines = smartart_lines(root)
        if lines or drawing not in self._package.relationships(self._part):
            return lines
        drawn = self._related(drawing, "the drawing of a SmartArt diagram")
        return [] if drawn is None else [(line, 0) for line in paragraphs(drawn)]

    def _related(self, relationship: str, what: str) -> Element | None:
        target = self._package.relationships(self._part).get(relationship)
        if target is not None:
            return self._read(target.target, what)
        self._notices.append(f"{what} is missing from the file and was left out")
        return None

    def _read(self, part: str, what: str) -> Element | None:
        try:
            return self._package.xml(part)
        except HostileDeckError:
            raise
        except DeckError as error:
            self._notices.append(f"{what} cannot be read and was left out: the file {error}")
            return None


def _shapes(tree: Element) -> Iterator[Element]:
    """Yield the shapes of a tree; of alternatives, use the first one that contains a shape."""
    for child in tree:
        if child.tag in (f"{P}sp", f"{P}pic", f"{P}graphicFrame", f"{P}grpSp"):
            yield child
        elif child.tag == f"{MC}AlternateContent":
            for alternative in child:  # mc:Choice in order of preference, then mc:Fallback
                if shapes := list(_shapes(alternative)):
                    yield from shapes
                    break


def _nested(paragraphs: list[tuple[str, int]]) -> tuple[tuple[str, ...], Parents]:
    """Return the lines of a shape, and the parent of each."""
    texts = [text for text, _ in paragraphs]
    return tuple(texts), tuple(by_levels(texts, [level for _, level in paragraphs]))


def _group(group: Element, box: Box, alt_text: str, inside: tuple[_Shape, ...]) -> _Shape | None:
    """Return a group as one shape, with its contents moved to where the group shows them."""
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
    """Map *shape* from its group's child coordinates (*own*) to slide coordinates (*shown*)."""
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
    rows = [row.findall(f"{A}tc") for row in table.iterfind(f"{A}tr")]
    spans = {
        (at, column): (_count(cell, "gridSpan"), _count(cell, "rowSpan"))
        for at, row in enumerate(rows)
        for column, cell in enumerate(row)
        if cell.get("gridSpan") or cell.get("rowSpan")
    }
    return headed([[joined(paragraphs(cell.find(f"{A}txBody"))) for cell in row] for row in rows], spans)


def _count(cell: Element, name: str) -> int:
    stated = cell.get(name, "")
    return int(stated) if stated.isdecimal() and len(stated) < 5 else 1


def _is_hidden(shape: Element) -> bool:
    names = _names(shape)
    return names is not None and names.get("hidden") in ("1", "true")


def _has_words(shape: Element) -> bool:
    """Return whether *shape* holds text, or draws it from another part as charts and diagrams do."""
    held = (shown(text.text or "") for text in shape.iter(f"{A}t"))
    return any(held) or any(one.tag in (f"{C}chart", f"{CX}chart", f"{DGM}relIds") for one in shape.iter())


def _alt_text(shape: Element) -> str:
    names = _names(shape)
    if names is None or any(one.get("val") in ("1", "true") for one in names.iter(f"{DECORATIVE}decorative")):
        return ""
    return own_words(names.get("descr", ""))


def _names(shape: Element) -> Element | None:
    """Return the properties that all shapes have: name, alternative text, whether hidden."""
    properties = (one for one in shape if one.tag.startswith(f"{P}nv"))
    return next((one.find(f"{P}cNvPr") for one in properties), None)


# ---------------------------------------------------------------------- pptx


_ELSE = {
    "word/": "is a Word document, not a presentation; give the .pptx, a .pdf or a .md file",
    "xl/": "is an Excel workbook, not a presentation; give the .pptx, a .pdf or a .md file",
    "visio/": "is a Visio drawing, not a presentation; save it as .pdf",
}


def read_pptx(file: BinaryIO, name: str, sha256: str, limits: DeckLimits) -> Deck:
    """Read the deck in *file*; slides are numbered as in the slide sorter, where hidden slides count.

    Raises:
        DeckError: The file is not a presentation, is broken or too large, or has no slide.
            The message lacks the file's name: it is a predicate ("is …", "holds …").
    """
    package = Package(file, limits)
    main = package.related("", "officeDocument")
    if main is None:
        raise DeckError("is a zip file, but not a presentation; give a .pptx, .pdf or .md file")
    for folder, message in _ELSE.items():
        if main.lower().startswith(folder):
            raise DeckError(message)
    presentation = package.xml(main)
    if presentation.tag != f"{P}presentation":
        raise DeckError("is an Office file, but not a presentation; give a .pptx, .pdf or .md file")
    slides, notices = _slides(package, main, presentation, limits)
    return Deck(
        kind="pptx",
        name=name,
        sha256=sha256,
        title=next((slide.title for slide in slides if slide.title), PurePath(name).stem),
        slides=tuple(slides),
        notices=tuple(notices),
    )


def _slides(
    package: Package, main: str, presentation: Element, limits: DeckLimits
) -> tuple[list[Slide], list[str]]:
    listed = presentation.findall(f"{P}sldIdLst/{P}sldId")
    if not listed:
        raise DeckError("has no slides; add one, or give another file")
    if len(listed) > limits.slides:
        raise DeckError(f"has {len(listed):,} slides; at most {limits.slides:,} are read; {SHORTER}")
    relationships = package.relationships(main)
    sections = _sections(presentation)
    layouts = Layouts(package)
    page = _page(presentation)
    slides: list[Slide] = []
    notices: list[str] = []
    broken: list[int] = []
    for number, entry in enumerate(listed, 1):
        relationship = relationships.get(entry.get(f"{R}id", ""))
        section = sections.get(entry.get("id", ""))
        try:
            if relationship is None:
                raise DeckError(f"is damaged: it lacks slide {number}; save the presentation again")
            slides.append(_slide(package, layouts, relationship.target, number, section, page, notices))
        except HostileDeckError:
            raise
        except DeckError as error:
            if len(listed) == number and number == len(broken) + 1:
                raise  # none can be read
            broken.append(number)
            slides.append(Slide(number, "", section=section))
            notices.append(f"slide {number} was left out: the file {error}")
    return slides, notices


def _page(presentation: Element) -> Box:
    """Return the part of the drawing area that is shown; without one, PowerPoint's own default of 4:3."""
    stated = presentation.find(f"{P}sldSz")
    size = [stated.get(side, "") if stated is not None else "" for side in ("cx", "cy")]
    width, height = map(float, size if all(map(str.isdecimal, size)) else ("9144000", "6858000"))
    return Box(0, 0, width, height)


def _slide(
    package: Package,
    layouts: Layouts,
    part: str,
    number: int,
    section: str | None,
    page: Box,
    notices: list[str],
) -> Slide:
    root = package.xml(part)
    slide, troubles = read_shapes(package, layouts, part, root, number, page)
    if _has_comments(package, part):
        troubles.append("comments on it are not read")
    notices += [f"slide {number}: {trouble}" for trouble in troubles]
    notes = _notes(package, part, number, notices)
    return replace(slide, notes=notes, hidden=root.get("show") in ("0", "false"), section=section)


def _has_comments(package: Package, slide_part: str) -> bool:
    part = package.related(slide_part, "comments")
    try:
        return part is not None and bool(shown("".join(package.xml(part).itertext())))
    except HostileDeckError:
        raise
    except DeckError:
        return True


def _notes(package: Package, slide_part: str, number: int, notices: list[str]) -> str:
    """Return the speaker's notes, the body of the notes page, with one paragraph a line."""
    part = package.related(slide_part, "notesSlide")
    if part is None:
        return ""
    try:
        shapes = package.xml(part).iter(f"{P}sp")
    except HostileDeckError:
        raise
    except DeckError as error:
        notices.append(f"slide {number}: its notes were left out: the file {error}")
        return ""
    bodies = [shape for shape in shapes if placeholder_type(shape) == "body"]
    return "\n".join(line for shape in bodies for line in paragraphs(shape.find(f"{P}txBody")))


def _sections(presentation: Element) -> dict[str, str]:
    """Return, for each slide id, the name of its section in the deck."""
    return {
        entry.get("id", ""): shown(section.get("name", ""))
        for section in presentation.iter(f"{P14}section")
        for entry in section.iter(f"{P14}sldId")
        if shown(section.get("name", ""))
    }
