"""The structure that a tagged PDF tells: which pieces of text are one paragraph, and alt texts.

Source: ISO 32000-1, 14.7 (structure tree) and 14.8.4 (structure types); pdfium's fpdf_structtree.h.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from orchestrator.material.deck.pdf_runs import pointed_at

# All other types (P, H1, LBody, TD, …) are a paragraph each.
_INSIDE_A_PARAGRAPH = ("Span", "Link", "Em", "Strong", "Sub", "Quote", "Reference", "Code", "Annot")
_AROUND_PARAGRAPHS = (
    *("Document", "Part", "Art", "Sect", "Div", "BlockQuote", "L", "LI", "Table", "TR"),
    *("THead", "TBody", "TFoot", "TOC", "NonStruct", "Private"),
)


@dataclass(frozen=True, slots=True)
class Tags:
    """Of one page: the paragraph of each marked-content id, and the alt texts of its figures."""

    paragraphs: dict[int, int]
    alt_texts: tuple[str, ...]


def page_tags(page: PdfPage) -> Tags:
    """The tags of *page*; none where the file is not tagged."""
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
    """A text of an element, which pdfium gives as UTF-16 with a NUL at its end."""
    size = read(element, None, 0)
    text = ctypes.create_string_buffer(size)
    read(element, text, size)
    return text.raw.decode("utf-16-le", "replace").rstrip("\0")
