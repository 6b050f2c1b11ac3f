"""Read PDF files: one slide a page, with text and tables.

Charts in a PDF are drawings: their words and numbers are read as lines, row by row. Text in pictures is not
read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import BinaryIO

from pypdfium2 import PdfDocument, PdfiumError

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.limits import SHORTER, DeckLimits
from orchestrator.material.deck.lines import is_lone_figure
from orchestrator.material.deck.pdf_lines import Line, page_lines
from orchestrator.material.deck.pdf_runs import box_of, in_margin, page_runs, page_tags
from orchestrator.material.deck.pdf_tables import page_tables
from orchestrator.material.deck.places import Piece, Placed, around, heading_of, reading_order, slide_of
from orchestrator.material.deck.shown import own_words, shown
from orchestrator.material.values import Deck, Slide

# ---------------------------------------------------------------------- pdf furniture
# Headers, footers and page numbers: a PDF repeats them on its pages, and nobody says them.


_MIN_PAGES = 3
"""Minimum number of pages on which a line must occur to be furniture; it must also be on more than half of
them.

On two pages, a running head looks the same as a title that is used twice. With four, the table heads of a
document of three pages stayed.
"""
_STEP = 6.0
"""Points; lines less far apart than this are in the same place. From 3 to 12 the real PDFs read the same."""
# English and German words alone: elsewhere a bare number, or one that repeats, is found all the same.
_PAGE_NUMBER = re.compile(
    r"\W*(page|seite|slide|folie|p\.)?\s*#(\s*(/|of|von|out of)\s*#)?\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its paragraphs in reading order, its height in points, its alt texts and its page label."""

    paragraphs: tuple[Piece, ...]
    height: float
    alt_texts: tuple[str, ...]
    label: str


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """Remove page numbers, and lines that most of *pages* repeat in one place.

    Text that is larger than the rest of its page is never furniture, because a title may repeat.
    """
    small = [_small(page) for page in pages]
    places = Counter(
        place
        for number, (page, few) in enumerate(zip(pages, small, strict=True), 1)
        for place in {place for i in few for place in _places(page.paragraphs[i], number)}
    )
    enough = max(_MIN_PAGES, len(pages) // 2 + 1)
    running = {place for place, count in places.items() if count >= enough}
    return [
        replace(
            page,
            paragraphs=tuple(
                one
                for index, one in enumerate(page.paragraphs)
                if index not in few or not (running & _places(one, number) or _is_number(one, page, number))
            ),
        )
        for number, (page, few) in enumerate(zip(pages, small, strict=True), 1)
    ]


def _small(page: Page) -> frozenset[int]:
    """Return the paragraphs near the upper or lower edge that are not larger than the others."""
    sizes = sorted(paragraph.size for paragraph in page.paragraphs)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    return frozenset(
        index
        for index, paragraph in enumerate(page.paragraphs)
        if paragraph.lines
        and paragraph.size <= usual
        and in_margin(paragraph.box.top + paragraph.box.height / 2, page.height)
    )


def _places(paragraph: Piece, page_number: int) -> set[tuple[str, int]]:
    """Return a text with its place, both as it is and with each number relative to the page number.

    Only a number that counts up with the pages is a page number: a figure at the foot of each page may be its
    total.
    """
    text, step = paragraph.lines[0], round(paragraph.box.top / _STEP)
    counted = (
        f"{text[: found.start()]}#{int(found[0]) - page_number}{text[found.end() :]}"
        for found in re.finditer(r"\d{1,9}", text)
    )
    return {(one, step) for one in (text, *counted)}


def _is_number(paragraph: Piece, page: Page, page_number: int) -> bool:
    numbers = re.findall(r"\d+", paragraph.lines[0])
    without = re.sub(r"\d+", "#", paragraph.lines[0])
    is_this = numbers[:1] in ([str(page_number)], [page.label])
    return is_this and bool(_PAGE_NUMBER.fullmatch(without))


# ---------------------------------------------------------------------- pdf paragraphs
# From the lines of a PDF page to its paragraphs, in reading order.


# In em, the size of the letters. "Same": the range in which the 64 pages of seven real PDFs read the same.
_CLOSEST, _WIDEST = 0.6, 2.0  # the distance of two lines of one paragraph
"""The distance of two lines of one paragraph, in em. The real PDFs read the same from 0.3 to 0.75 and from
1.6 to 2. At 0.9 and at 1.3 wrapped lines fall apart, and at 2.2 the paragraph below is joined too."""
_ONE_BLOCK = 2.3  # the widest distance between paragraphs of one block
"""The widest distance between paragraphs of one block, in em. The real PDFs read the same from 2.3 to 3.5;
below, the columns of a table change places; at 4.6 cards below each other are one block."""
_ALIGNED = 0.6  # how far lines may begin, end or centre apart
"""How far lines may begin, end or centre apart, in em. The real PDFs read the same from 0.4 to 0.9; below,
centred lines are separated; above, lines of two columns of a table become one."""
_SLACK = 0.75  # the widths of first words are estimates
"""Tolerance for the widths of first words, which are estimates, in em. The real PDFs read the same from 0.6
to 0.75; below, a full line counts as short and its sentence ends there; above, labels in narrow columns run
together."""

_HANGING = 0.3  # how exactly a line stands below the text of its bullet
"""How exactly a line is aligned below the text of its bullet, in em. The real PDFs read the same from 0.15 to
0.6."""
_WRAPPED = 0.6  # share of the next line's width that a wrapped line has at least
"""Minimum share of the next line's width that a wrapped line has. The real PDFs read the same from 0.3 to
1.2."""
_TIGHT = 1.25  # lines further apart than the closest ones set alike by this are paragraphs
"""Lines further apart than the closest lines of the same setting, by this factor, are paragraphs. The real
PDFs read the same from 1.05 to 1.6; at 1 wrapped lines fall apart, since they are set to fractions of a
point."""

_SAME_SIZE = 1.2  # the ratio of sizes within one paragraph
"""The ratio of sizes of letters within one paragraph. The real PDFs read the same from 1.05 to 1.6; at 1, 14
of the pages differ."""
# Lines of these scripts break within words, so they are joined without a space.
_CJK = re.compile("[\u2e80-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")


def page_paragraphs(lines: Sequence[Line]) -> list[Piece]:
    """Return the paragraphs of a page in reading order, joining the lines of one sentence.

    If the file is tagged, its tags say which lines belong together. Otherwise a line continues the line above
    if it is set like that line and that line is full, or if it begins in lower case.
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
    """How the lines of a page are set: where they end, and how far apart they are."""

    edges: Edges
    pitches: Edges


def _style(line: Line) -> Style:
    # Steps of four points: an edge a little off is one place; `_edge` looks at the steps on either side.
    return line.direction, round(line.left / 4), round(line.size)


def _pitches(lines: Sequence[Line]) -> Edges:
    """Return the smallest distance between two lines, for each left edge and size of letters."""
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
    """Return where the longest line ends, for each left edge and size of letters."""
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
    """Return whether *line* is indented like a bullet's text above it, and the line above was wrapped."""
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
    """Return whether the line above *line* has no room for the first word of *line*."""
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
    """Join *lines* to a paragraph: its text on one line, its box in points from the upper left corner."""
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


# ---------------------------------------------------------------------- pdf


_MAX_FIRST_LINE = 80
"""Maximum number of characters of a first line that is used as a title without standing out: a longer line is
a sentence.

From 40 to 82 the titles of the 64 real pages are the same; at 120 two pages have a sentence for a title.
"""


def read_pdf(file: BinaryIO, name: str, sha256: str, limits: DeckLimits) -> Deck:
    """Read the deck in *file*, with one slide a page.

    Raises:
        DeckError: The file is encrypted, broken, too long or has no page. The message
            lacks the file's name: it is a predicate ("is …", "holds …").
    """
    document = _opened(file, limits)
    pages: list[Page] = []
    unreadable: dict[str, list[int]] = {}
    for number in range(1, len(document) + 1):
        read, troubles = _page(document, number - 1)  # page by page: none is kept open
        pages.append(read)
        for trouble in troubles:
            unreadable.setdefault(trouble, []).append(number)
    if len(unreadable.get(_BROKEN, [])) == len(pages):
        raise DeckError("is damaged: none of its pages can be read; export it as PDF again")
    slides = [
        replace(slide_of(number, page.paragraphs, _heading(page.paragraphs)), alt_texts=page.alt_texts)
        for number, page in enumerate(without_furniture(pages), 1)
    ]
    return Deck(
        kind="pdf",
        name=name,
        sha256=sha256,
        title=_title(document, slides) or PurePath(name).stem,
        slides=tuple(slides),
        notices=tuple(_notice(numbers, trouble) for trouble, numbers in unreadable.items()),
    )


_BROKEN = "damaged: it cannot be read"
_NO_TEXT = "without any text: a picture or a scan is not read, nor what is damaged"
_TOO_LONG = "more text than is read of one page: the rest is left out"
_NO_LETTERS = "some of the text is in a font that does not say its letters: it is not read"

_NO_COLUMNS = "a table whose columns could not be told apart is read as lines; its sums are not checked"

_PASSWORD, _SECURITY = 4, 5
"""pdfium's reasons for not opening a file: FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of fpdfview.h."""


def _opened(file: BinaryIO, limits: DeckLimits) -> PdfDocument:
    try:
        document = PdfDocument(file)
    except PdfiumError as error:
        if error.err_code == _PASSWORD:
            raise DeckError("is encrypted; save it without a password") from error
        if error.err_code == _SECURITY:
            raise DeckError(
                "is encrypted in a way that is not read here; save it without protection"
            ) from error
        raise DeckError("is damaged or has no pages, and cannot be read as a PDF; export it again") from error
    if len(document) > limits.slides:
        raise DeckError(f"has {len(document):,} pages; at most {limits.slides:,} are read; {SHORTER}")
    return document


def _page(document: PdfDocument, index: int) -> tuple[Page, list[str]]:
    """Return the content of a page, and notices about the parts of it that are not read."""
    try:
        page = document[index]
    except PdfiumError:
        return Page((), 0.0, (), ""), [_BROKEN]
    tags = page_tags(page)
    text = page_runs(page, tags.paragraphs)
    page.close()
    found = page_tables(text.runs, len(document))
    paragraphs = page_paragraphs(page_lines(found.rest))
    paragraphs += [Piece(one.box, tables=(one.table,)) for one in found.tables]
    alt_texts = tuple(dict.fromkeys(alt for alt in map(own_words, tags.alt_texts) if alt))
    read = Page(tuple(paragraphs), text.height, alt_texts, document.get_page_label(index))
    troubles = {
        _TOO_LONG: text.too_long,
        _NO_LETTERS: text.unreadable,
        _NO_COLUMNS: found.in_doubt,
        _NO_TEXT: not paragraphs and not text.unreadable,
    }
    return read, [trouble for trouble, is_so in troubles.items() if is_so]


def _title(document: PdfDocument, slides: Sequence[Slide]) -> str:
    """Return the deck's title: that of the first page or its first line, which is what a board sees.

    The title in the file's properties comes last: of eight real PDFs that have such a title, three say
    "Untitled", "Document" and "Presentation1". A line that ends in a colon names the lines below it, not the
    deck.
    """
    lines = [line for line in slides[0].lines if len(line) <= _MAX_FIRST_LINE]
    titles = [slide.title for slide in slides[1:]]
    properties = shown(document.get_metadata_value("Title"))
    named = (slides[0].title, *lines[:1], *titles, properties)
    return next((one for one in named if one and not one.endswith((":", "："))), "")


def _heading(pieces: Sequence[Piece]) -> int | None:
    """Return the index of the paragraph that stands out, else of a short first line, or None.

    The first line must not be a sentence.
    """
    found = heading_of(pieces)
    if found is None and pieces and pieces[0].lines:
        first = pieces[0].lines[0]
        item = pieces[0].placed is not None and pieces[0].placed.item
        short = len(first) <= _MAX_FIRST_LINE and not item and first[-1] not in ".,;:!?。、"
        return 0 if short and any(map(str.isalnum, first)) else None
    return found


def _notice(numbers: list[int], trouble: str) -> str:
    *others, last = map(str, numbers)
    return f"slides {', '.join(others)} and {last}: {trouble}" if others else f"slide {last}: {trouble}"
