"""PDF files: one slide a page, text and tables.

Charts in a PDF are drawings: their words and numbers come as lines, row by row. Text in pictures is not
read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import BinaryIO

from pypdfium2 import PdfDocument, PdfiumError

from orchestrator.core.errors import DeckError
from orchestrator.material.deck.alt_text import own_words
from orchestrator.material.deck.limits import SHORTER, DeckLimits
from orchestrator.material.deck.pdf_furniture import Page, without_furniture
from orchestrator.material.deck.pdf_lines import page_lines
from orchestrator.material.deck.pdf_paragraphs import page_paragraphs
from orchestrator.material.deck.pdf_runs import page_runs
from orchestrator.material.deck.pdf_tables import page_tables
from orchestrator.material.deck.pdf_tags import page_tags
from orchestrator.material.deck.pieces import Piece, heading_of, slide_of
from orchestrator.material.deck.shown import shown
from orchestrator.material.model.slide import Deck, Slide

_LONGEST_FIRST_LINE = 80
"""Characters; a longer first line that does not stand out is not taken for a title: it is a sentence.

From 40 to 82 the titles of the 64 real pages are the same; at 120 two pages have a sentence for a title.
"""


def read_pdf(file: BinaryIO, name: str, sha256: str, limits: DeckLimits) -> Deck:
    """The deck in *file*, each page a slide.

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
"""Reasons why pdfium opens no file: FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of fpdfview.h."""


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
    """The content of a page, and what of it is not read."""
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
    """The first page's title or first line, as that is what a board sees.

    The title in the file's properties comes last: of eight real PDFs that have one, three say
    "Untitled", "Document" and "Presentation1". What ends in a colon names the lines below it, not the deck.
    """
    lines = [line for line in slides[0].lines if len(line) <= _LONGEST_FIRST_LINE]
    titles = [slide.title for slide in slides[1:]]
    properties = shown(document.get_metadata_value("Title"))
    named = (slides[0].title, *lines[:1], *titles, properties)
    return next((one for one in named if one and not one.endswith((":", "："))), "")


def _heading(pieces: Sequence[Piece]) -> int | None:
    """The paragraph that stands out, else a short first line that is no sentence."""
    found = heading_of(pieces)
    if found is None and pieces and pieces[0].lines:
        first = pieces[0].lines[0]
        item = pieces[0].placed is not None and pieces[0].placed.item
        short = len(first) <= _LONGEST_FIRST_LINE and not item and first[-1] not in ".,;:!?。、"
        return 0 if short and any(map(str.isalnum, first)) else None
    return found


def _notice(numbers: list[int], trouble: str) -> str:
    *others, last = map(str, numbers)
    return f"slides {', '.join(others)} and {last}: {trouble}" if others else f"slide {last}: {trouble}"
