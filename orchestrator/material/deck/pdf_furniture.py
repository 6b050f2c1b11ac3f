"""Headers, footers and page numbers: a PDF repeats them on its pages, and nobody says them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.material.deck.pdf_runs import in_margin
from orchestrator.material.deck.pieces import Piece

_FEWEST_PAGES = 3
"""A line is furniture if it stands on at least this many pages, and on more than half of them.

Of two pages nobody can tell a running head from a title that is used twice; with four, the table heads of a
document of three pages stayed.
"""
_STEP = 6.0
"""Points; lines that are less far apart stand in the same place. From 3 to 12 the real PDFs read the same."""
# English and German words alone: elsewhere a bare number, or one that repeats, is found all the same.
_PAGE_NUMBER = re.compile(
    r"\W*(page|seite|slide|folie|p\.)?\s*#(\s*(/|of|von|out of)\s*#)?\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its paragraphs in reading order, its height in points, its alt texts, its own number."""

    paragraphs: tuple[Piece, ...]
    height: float
    alt_texts: tuple[str, ...]
    label: str


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """*pages* without page numbers and without lines that most of them repeat in one place.

    What is set larger than the text of its page is never furniture: a title may repeat.
    """
    small = [_small(page) for page in pages]
    places = Counter(
        place
        for number, (page, few) in enumerate(zip(pages, small, strict=True), 1)
        for place in {place for i in few for place in _places(page.paragraphs[i], number)}
    )
    enough = max(_FEWEST_PAGES, len(pages) // 2 + 1)
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
    """The paragraphs near the upper or lower edge that are not set larger than the others."""
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
    """Where a text stands and what it says: as it is, and with each number as its distance to the page's.

    Only what counts up with the pages is a page number: a figure at the foot of each page may be its total.
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
