"""PDF files: one slide a page, text only.

Tables and charts in a PDF are drawings: their words and numbers come as lines, row by row.
Text in pictures is not read.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from orchestrator.deck.alt_text import own_words
from orchestrator.deck.limits import DeckLimits
from orchestrator.deck.pdf_fonts import typefaces
from orchestrator.deck.pdf_furniture import Page, without_furniture
from orchestrator.deck.pdf_lines import page_lines
from orchestrator.deck.pdf_paragraphs import page_paragraphs
from orchestrator.deck.pdf_runs import page_runs
from orchestrator.deck.pdf_stream import TypefaceOf
from orchestrator.deck.pdf_tags import StructureTree
from orchestrator.deck.pieces import Piece, heading_of, slide_of
from orchestrator.errors import DeckError
from orchestrator.model.slide import Deck

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

_LONGEST_FIRST_LINE = 80
"""Characters; a longer first line that does not stand out is not taken for a title."""


def read_pdf(file: BinaryIO, name: str, sha256: str, limits: DeckLimits) -> Deck:
    """The deck in *file*, each page a slide.

    Raises:
        DeckError: The file is encrypted, broken, too long or has no page. The message
            lacks the file's name: it is a predicate ("is …", "holds …").
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it warns without naming the file
    reader = _opened(file)
    tree = StructureTree(reader.trailer.get("/Root"))
    typeface_of = typefaces()
    pages: list[Page] = []
    unreadable: dict[str, list[int]] = {}
    for number, page in enumerate(_pages(reader, limits), 1):
        read, trouble = _page(page, tree, typeface_of)
        pages.append(read)
        if trouble:
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
        title=next((slide.title for slide in slides if slide.title), PurePath(name).stem),
        slides=tuple(slides),
        notices=tuple(_notice(numbers, trouble) for trouble, numbers in unreadable.items()),
    )


_BROKEN = "cannot be read: damaged"
_NO_TEXT = "without any text: a picture or a scan is not read"
_TOO_LONG = "with more text than is read of one page: the rest is left out"
_NO_LETTERS = "with text that the file does not say the letters of: it is not read"


def _opened(file: BinaryIO) -> PdfReader:
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError, EmptyFileError, PyPdfError

    try:
        reader = PdfReader(file)
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise DeckError("is encrypted; save it without a password")
    except DependencyError as error:
        raise DeckError("is encrypted in a way that is not read here; save it without protection") from error
    except EmptyFileError as error:
        raise DeckError("is empty") from error
    except DeckError:
        raise
    except (PyPdfError, *_WHATEVER) as error:
        raise DeckError("is damaged and cannot be read as a PDF; export it again") from error
    return reader


_WHATEVER = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What pypdf lets out, beside errors of its own, where a file breaks its assumptions."""


def _pages(reader: PdfReader, limits: DeckLimits) -> list[PageObject]:
    from pypdf.errors import PyPdfError

    try:
        pages = list(reader.pages)
    except (PyPdfError, *_WHATEVER) as error:
        raise DeckError("is damaged: its list of pages cannot be read; export it as PDF again") from error
    if not pages:
        raise DeckError("has no pages")
    if len(pages) > limits.slides:
        raise DeckError(f"has {len(pages):,} pages; at most {limits.slides:,} are read")
    return pages


def _page(page: PageObject, tree: StructureTree, typeface_of: TypefaceOf) -> tuple[Page, str]:
    """What is on a page, and what is wrong with it ("" if nothing is)."""
    from pypdf.errors import PyPdfError

    try:
        tags = tree.tags(page)
        text = page_runs(page, tags.paragraphs, typeface_of)
        paragraphs = page_paragraphs(page_lines(text.runs))
        alt_texts = tuple(dict.fromkeys(alt for alt in map(own_words, tags.alt_texts) if alt))
    except (PyPdfError, *_WHATEVER):
        return Page((), 0.0, ()), _BROKEN
    read = Page(tuple(paragraphs), text.height, alt_texts)
    if text.too_long:
        return read, _TOO_LONG
    if text.unreadable:
        return read, _NO_LETTERS
    return read, "" if paragraphs else _NO_TEXT


def _heading(pieces: Sequence[Piece]) -> int | None:
    """The paragraph that stands out, else a short first line that is no sentence."""
    found = heading_of(pieces)
    if found is None and pieces:
        first = pieces[0].lines[0]
        item = pieces[0].placed is not None and pieces[0].placed.item
        short = len(first) <= _LONGEST_FIRST_LINE and not item and first[-1] not in ".,;:!?。、"
        return 0 if short and any(map(str.isalnum, first)) else None
    return found


def _notice(numbers: list[int], trouble: str) -> str:
    pages = "page " if len(numbers) == 1 else "pages "
    return f"{pages}{', '.join(map(str, numbers))} {trouble}"
