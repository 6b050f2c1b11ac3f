"""The words of a PDF, page by page, and its title, as a program that did not print it reads them."""

from __future__ import annotations

from dataclasses import dataclass

import pypdfium2


@dataclass(frozen=True, slots=True)
class Printed:
    """A PDF that was read: white space is folded."""

    title: str
    pages: tuple[str, ...]

    @property
    def text(self) -> str:
        """All pages together."""
        return " ".join(self.pages)


def read_pdf(content: bytes) -> Printed:
    """The words and the title of a PDF."""
    document = pypdfium2.PdfDocument(content)
    try:
        pages = []
        for page in document:
            words = page.get_textpage()
            pages.append(" ".join(words.get_text_range().split()))
            words.close()
            page.close()
        return Printed(document.get_metadata_value("Title"), tuple(pages))
    finally:
        document.close()
