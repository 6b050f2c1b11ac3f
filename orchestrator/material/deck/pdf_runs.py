"""The pieces of text that a PDF page draws, with their places, as pdfium reads them.

Lines and paragraphs can only be recognised by where every piece begins and ends: pdfium's own
lines join columns and leave bullets loose. Source of the calls: pdfium's fpdf_text.h and fpdf_edit.h.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from orchestrator.material.deck.places import Box, around

# ---------------------------------------------------------------------- pdf runs


Direction = tuple[int, int]
Axis = tuple[float, float, float]  # what x, y and 1 count for: a place on the axis is their sum

# In em, the size of the letters.
_KERNING = 0.08  # letters moved further apart may be spaced out, or separate words
"""Half of `pdf_lines._WORD_GAP`: a gap between these two values may or may not separate words, and
`pdf_lines` decides."""
_WORD_SPACE = 5.0
"""The widest gap after a space that is still word space (`Tw`) and not the next column. A statute of 2000 in
narrow justified columns has gaps of 4.8, and a few of 7 and more. In the real decks only program text has a
gap of more than 1.5 behind a space."""
_WIDE_SPACE = 0.4
"""The narrowest gap after a space that may separate columns: pdfium makes one space of several."""
_ONE_WIDTH = 0.1  # pdfium rounds boxes outwards to the ink; "i" and "m" are 0.5 em apart in other fonts

_MAX_LETTERS = 200_000
"""Maximum number of letters on a page. The fullest page of the real PDFs has 8,730; about 30,000 are read in
a second."""
_MANY_LETTERS = 7
"""Number of letters of one width on a page from which their font is one of fixed pitch, whatever its flags
say: neither RobotoMono, Courier nor NimbusMonL has the flag in the files that were looked at."""
_FIXED_PITCH = 1
"""The flag of a font descriptor for fixed pitch: ISO 32000-1, 9.8.2."""
_BOLD = re.compile("bold|black|heavy", re.IGNORECASE)
"""Matches the words for bold weights in the names of fonts, as OpenType names them (OS/2 table,
usWeightClass). The weight that pdfium returns is guessed from the width of stems: 425 for Nimbus Roman, 205
for Nimbus Mono, both regular."""
_BREAKS = (0x0A, 0x0D, 0x20)  # line feed, carriage return, space: pdfium makes them up between pieces
_MARGIN = 0.14
"""Share of the page's height, at its top and at its bottom, in which headers and footers are placed.

At half of this share, the repeated head of a table over several pages was taken for each page's title. From
0.09 to 0.28 the real PDFs read the same.
"""
_HYPHEN = 0x02
"""pdfium's character for a hyphen at which a line is broken."""


@dataclass(frozen=True, slots=True)
class Run:
    """Text that is drawn in one go; `u` runs along the text and `v` across it, both in points.

    For upright text, `u` and `v` are x and y, from the upper left corner of the page as shown.
    """

    text: str
    start: float  # u where the first letter begins
    end: float  # u where the last letter ends
    v: float  # of the baseline, growing downwards
    size: float
    direction: Direction  # (1, 0) is upright
    fixed_pitch: bool  # all letters are equally wide, as in program text
    bold: bool
    paragraph: int | None  # equal for all runs of one paragraph, where the file is tagged
    cuts: tuple[tuple[int, float, float], ...] = ()  # wide gaps: where in the text, from u to u


@dataclass(frozen=True, slots=True)
class PageText:
    """The runs of a page, in the order in which they are drawn."""

    runs: list[Run]
    height: float  # of the page as shown, in points
    unreadable: bool  # text was met whose letters the file does not tell
    too_long: bool  # more letters than are read of one page


@dataclass(slots=True)
class _Font:
    flagged: bool
    bold: bool
    widths: dict[str, float] = field(default_factory=dict)  # of the letters met, in em

    def is_fixed(self) -> bool:
        widths = self.widths.values()
        return self.flagged or (len(widths) >= _MANY_LETTERS and max(widths) - min(widths) < _ONE_WIDTH)


@dataclass(frozen=True, slots=True)
class _Style:
    """The properties that all letters of a text object share."""

    u: Axis
    v: Axis
    size: float
    direction: Direction
    font: _Font
    paragraph: int | None
    artifact: str  # of `_artifact`


@dataclass(slots=True)
class _Piece:
    """A run to which letters may still be appended."""

    style: _Style
    text: str
    start: float
    end: float
    v: float
    origin: float  # where the last letter begins
    cuts: list[tuple[int, float, float]] = field(default_factory=list)

    def takes(self, letter: str, start: float, end: float, v: float) -> bool:
        """Append *letter* if it belongs to this run, and return whether it does."""
        em, gap = self.style.size, start - self.end
        if abs(v - self.v) > _KERNING * em:
            return False
        if start == self.origin or abs(gap) <= _KERNING * em:  # the former: the rest of a ligature
            self.end = max(self.end, end)
        elif (
            abs(end - self.start) <= _KERNING * em
        ):  # from right to left: pdfium puts letters as they are said
            self.start = start
        elif self.text[-1] == " " and len(self.text) > 2 and 0 < gap <= _WORD_SPACE * em:
            if gap > _WIDE_SPACE * em:
                self.cuts.append((len(self.text), self.end, start))
            self.end = end
        else:
            return False
        self.text += letter
        self.origin = start
        return True


def page_runs(page: PdfPage, paragraphs: Mapping[int, int]) -> PageText:
    """Return the runs of *page*; *paragraphs* maps marked-content ids to paragraphs.

    Text outside the page is left out, and so is page furniture that the file marks as such. Text that is
    drawn again over itself, for a shadow or to look bold, is left out by pdfium.
    """
    text_page = page.get_textpage()  # it is closed when nothing refers to it
    chars = text_page.raw
    count = pdfium.FPDFText_CountChars(chars)
    x_axis, y_axis, width, height = _upright(page)
    style_of = _styles(page, chars, paragraphs, x_axis, y_axis)
    x, y, box = ctypes.c_double(), ctypes.c_double(), pdfium.FS_RECTF()
    pieces: list[_Piece] = []
    before, unreadable = None, False
    for index in range(min(count, _MAX_LETTERS)):
        code = pdfium.FPDFText_GetUnicode(chars, index)
        if code in _BREAKS and pdfium.FPDFText_IsGenerated(chars, index):
            continue  # pdfium's guess; where letters are spaced out it is wrong
        style = style_of(index)
        if style is None:
            continue
        if not code or pdfium.FPDFText_HasUnicodeMapError(chars, index):
            unreadable = True
            continue
        letter = "-" if code == _HYPHEN else chr(code)
        pdfium.FPDFText_GetCharOrigin(chars, index, x, y)
        pdfium.FPDFText_GetLooseCharBox(chars, index, box)
        start, v = _on(style.u, x.value, y.value), _on(style.v, x.value, y.value)
        end = max(start, _on(style.u, box.left, box.bottom), _on(style.u, box.right, box.top))
        if letter.lower() != letter.upper():
            style.font.widths.setdefault(letter, (end - start) / style.size)
        if style is not before or not pieces[-1].takes(letter, start, end, v):
            pieces.append(_Piece(style, letter, start, end, v, start))
        before = style
    runs = [(_run(piece), piece.style.artifact) for piece in pieces]
    shown = [(run, artifact) for run, artifact in runs if _inside(run, width, height)]
    return PageText(_without_artifacts(shown, height), height, unreadable, count > _MAX_LETTERS)


def _without_artifacts(runs: Sequence[tuple[Run, str]], height: float) -> list[Run]:
    """Return the runs that are not artifacts, and those marked as artifacts that are content all the same.

    InDesign marks as artifacts whatever its author did not tag. On such a page, the artifacts are most of the
    text, or some are where no header or footer is placed. An artifact whose type is stated is one wherever it
    is placed.
    """
    letters = {True: 0, False: 0}
    for run, artifact in runs:
        letters[bool(artifact)] += len(run.text)
    in_body = any(artifact and not in_margin(place(run)[1], height) for run, artifact in runs)
    if in_body and letters[True] > letters[False]:
        return [run for run, _ in runs]
    return [
        run
        for run, artifact in runs
        if not artifact or (artifact == _UNTYPED and not in_margin(place(run)[1], height))
    ]


def in_margin(y: float, height: float) -> bool:
    """Return whether *y* is in the header or footer margin of a page *height* points high."""
    return not _MARGIN * height < y < (1 - _MARGIN) * height


def _run(piece: _Piece) -> Run:
    style = piece.style
    fixed, bold = style.font.is_fixed(), style.font.bold
    place = (piece.start, piece.end, piece.v)
    # pdfium counts in UTF-16: a letter beyond U+FFFF comes in two halves.
    text = piece.text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return Run(text, *place, style.size, style.direction, fixed, bold, style.paragraph, tuple(piece.cuts))


def _styles(
    page: PdfPage, chars: Any, paragraphs: Mapping[int, int], x_axis: Axis, y_axis: Axis
) -> Callable[[int], _Style | None]:
    """Return a function that returns a letter's style; it reads each text object once.

    The function returns None for a letter that has no place on the page.
    """
    # Text in a form has marked-content ids of the form's own: only text of the page itself is looked up.
    objects = range(pdfium.FPDFPage_CountObjects(page.raw) if paragraphs else 0)
    own = {pointed_at(pdfium.FPDFPage_GetObject(page.raw, index)) for index in objects}
    fonts: dict[int, _Font] = {}
    styles: dict[int, _Style | None] = {}

    def font_of(found: Any) -> _Font:
        font = pdfium.FPDFTextObj_GetFont(found)
        if pointed_at(font) not in fonts:
            name = ctypes.create_string_buffer(128)  # PDF names have at most 127 bytes: ISO 32000-1, annex C
            pdfium.FPDFFont_GetBaseFontName(font, name, len(name))
            flagged = pdfium.FPDFFont_GetFlags(font) & _FIXED_PITCH
            fonts[pointed_at(font)] = _Font(bool(flagged), bool(_BOLD.search(name.value.decode("latin-1"))))
        return fonts[pointed_at(font)]

    def read(found: Any, index: int) -> _Style | None:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(chars, index, matrix)
        size = abs(pdfium.FPDFText_GetFontSize(chars, index)) * math.hypot(matrix.c, matrix.d)
        if not size or not math.isfinite(size):
            return None
        right = x_axis[0] * matrix.a + x_axis[1] * matrix.b
        down = y_axis[0] * matrix.a + y_axis[1] * matrix.b
        direction = _nearest(right, down)
        r, d = direction
        u = (x_axis[0] * r + y_axis[0] * d, x_axis[1] * r + y_axis[1] * d, x_axis[2] * r + y_axis[2] * d)
        v = (y_axis[0] * r - x_axis[0] * d, y_axis[1] * r - x_axis[1] * d, y_axis[2] * r - x_axis[2] * d)
        mark = pdfium.FPDFPageObj_GetMarkedContentID(found) if pointed_at(found) in own else -1
        return _Style(u, v, size, direction, font_of(found), paragraphs.get(mark), _artifact(found))

    def style_of(index: int) -> _Style | None:
        found = pdfium.FPDFText_GetTextObject(chars, index)
        address = pointed_at(found)
        if address not in styles:
            styles[address] = read(found, index) if found else None
        return styles[address]

    return style_of


def pointed_at(pointer: Any) -> int:
    """Return the address of a pdfium object, or 0 for a null pointer.

    In ctypes, two pointers to one object are not equal.
    """
    return ctypes.addressof(pointer.contents) if pointer else 0


_UNTYPED, _TYPED = "untyped", "typed"


def _artifact(found: Any) -> str:
    """Return the artifact type of the marked content around a text object, or "" if it is not an artifact.

    Source: ISO 32000-1, 14.8.2.2.
    """
    expected = "Artifact\0".encode("utf-16-le")
    name, written = (pdfium.FPDF_WCHAR * (len(expected) // 2))(), ctypes.c_ulong()
    for index in range(pdfium.FPDFPageObj_CountMarks(found)):
        mark = pdfium.FPDFPageObj_GetMark(found, index)
        # A longer name is not written.
        pdfium.FPDFPageObjMark_GetName(mark, name, len(expected), written)
        if bytes(name) == expected:
            typed = pdfium.FPDFPageObjMark_GetParamValueType(mark, b"Type") == pdfium.FPDF_OBJECT_NAME
            return _TYPED if typed else _UNTYPED
    return ""


def _upright(page: PdfPage) -> tuple[Axis, Axis, float, float]:
    """Return the page's axes and its size.

    The axes map page space to points from the upper left corner of the page as shown.
    """
    left, bottom, right, top = page.get_bbox()
    width, height = right - left, top - bottom
    match page.get_rotation():
        case 90:
            return (0, 1, -bottom), (1, 0, -left), height, width
        case 180:
            return (-1, 0, right), (0, 1, -bottom), width, height
        case 270:
            return (0, -1, top), (-1, 0, right), height, width
    return (1, 0, -left), (0, -1, top), width, height


def _on(axis: Axis, x: float, y: float) -> float:
    return axis[0] * x + axis[1] * y + axis[2]


def _nearest(right: float, down: float) -> Direction:
    """Return the direction, of the page's four, that is nearest to that of slanted text."""
    if abs(right) >= abs(down):
        return (1 if right >= 0 else -1), 0
    return 0, (1 if down > 0 else -1)


def place(run: Run) -> tuple[float, float]:
    """Return the middle of a run's baseline, in points from the upper left corner of the page as shown."""
    right, down = run.direction
    middle = (run.start + run.end) / 2
    return middle * right - run.v * down, middle * down + run.v * right


def box_of(direction: Direction, start: float, end: float, baseline: float, size: float) -> Box:
    """Return the box of a text on the page; letters reach 0.8 em above and 0.2 em below their baseline."""
    right, down = direction
    corners = [(u, v) for u in (start, end) for v in (baseline - 0.8 * size, baseline + 0.2 * size)]
    return around([Box(u * right - v * down, u * down + v * right, 0, 0) for u, v in corners])


def _inside(run: Run, width: float, height: float) -> bool:
    x, y = place(run)
    # A point of tolerance: a line on the very edge is seen, and places are rounded.
    return -1 <= x <= width + 1 and -1 <= y <= height + 1


# ---------------------------------------------------------------------- pdf tags
# The structure that a tagged PDF tells: which pieces of text are one paragraph, and alt texts.
#
# Source: ISO 32000-1, 14.7 (structure tree) and 14.8.4 (structure types); pdfium's fpdf_structtree.h.


# All other types (P, H1, LBody, TD, …) are a paragraph each.
_INSIDE_A_PARAGRAPH = ("Span", "Link", "Em", "Strong", "Sub", "Quote", "Reference", "Code", "Annot")
_AROUND_PARAGRAPHS = (
    *("Document", "Part", "Art", "Sect", "Div", "BlockQuote", "L", "LI", "Table", "TR"),
    *("THead", "TBody", "TFoot", "TOC", "NonStruct", "Private"),
)


@dataclass(frozen=True, slots=True)
class Tags:
    """For one page, the paragraph of each marked-content id, and the alt texts of its figures."""

    paragraphs: dict[int, int]
    alt_texts: tuple[str, ...]


def page_tags(page: PdfPage) -> Tags:
    """Return the tags of *page*; they are empty if the file is not tagged."""
    tree = pdfium.FPDF_StructTree_GetForPage(page.raw)
    paragraphs: dict[int, int] = {}
    alt_texts: dict[str, None] = {}
    count = pdfium.FPDF_StructTree_CountChildren(tree) if tree else 0
    waiting = [(pdfium.FPDF_StructTree_GetChildAtIndex(tree, index), -1) for index in reversed(range(count))]
    seen: set[int] = set()  # elements may refer back to one another
    while waiting:
        element, outer = waiting.pop()
        if not element or pointed_at(element) in seen:
            continue
        seen.add(pointed_at(element))
        role = _text(pdfium.FPDF_StructElement_GetType, element)
        paragraph = -1 if role in _AROUND_PARAGRAPHS else outer if role in _INSIDE_A_PARAGRAPH else len(seen)
        if role == "Figure" and (alt_text := _text(pdfium.FPDF_StructElement_GetAltText, element)):
            alt_texts[alt_text] = None
        for index in reversed(range(pdfium.FPDF_StructElement_CountChildren(element))):
            mark = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index)
            if mark >= 0 and paragraph >= 0:
                paragraphs[mark] = paragraph
            waiting.append((pdfium.FPDF_StructElement_GetChildAtIndex(element, index), paragraph))
    return Tags(paragraphs, tuple(alt_texts))


def _text(read: Callable[[Any, Any, int], int], element: Any) -> str:
    """Read a text of an element, which pdfium gives as UTF-16 with a NUL at its end."""
    size = read(element, None, 0)
    text = ctypes.create_string_buffer(size)
    read(element, text, size)
    return text.raw.decode("utf-16-le", "replace").rstrip("\0")
