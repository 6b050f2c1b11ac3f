"""Headers, footers and page numbers: a PDF repeats them on its pages, and nobody says them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.deck.pieces import Piece

_MARGIN = 0.14
"""Share of the page's height, at its top and bottom, in which furniture stands.

At half of it the repeated head of a table over several pages was taken for each page's title; from 0.09 to
0.28 the real PDFs read the same.
"""
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
    """A page: its paragraphs in reading order, its height in points, its alt texts."""

    paragraphs: tuple[Piece, ...]
    height: float
    alt_texts: tuple[str, ...]


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """*pages* without page numbers and without lines that most of them repeat in one place.

    What is set larger than the text of its page is never furniture: a title may repeat.
    """
    small = [_small(page) for page in pages]
    places = Counter(
        place
        for page, few in zip(pages, small, strict=True)
        for place in {_place(page.paragraphs[i]) for i in few}
    )
    enough = max(_FEWEST_PAGES, len(pages) // 2 + 1)
    running = {place for place, count in places.items() if count >= enough}
    return [
        replace(
            page,
            paragraphs=tuple(
                one
                for index, one in enumerate(page.paragraphs)
                if not (index in few and (_place(one) in running or _is_number(one, number)))
            ),
        )
        for number, (page, few) in enumerate(zip(pages, small, strict=True), 1)
    ]


def _small(page: Page) -> frozenset[int]:
    """The paragraphs near the upper or lower edge that are not set larger than the others."""
    sizes = sorted(paragraph.size for paragraph in page.paragraphs)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    upper, lower = _MARGIN * page.height, (1 - _MARGIN) * page.height
    return frozenset(
        index
        for index, paragraph in enumerate(page.paragraphs)
        if paragraph.size <= usual and not upper < paragraph.box.top + paragraph.box.height / 2 < lower
    )


def _place(paragraph: Piece) -> tuple[str, int]:
    return re.sub(r"\d+", "#", paragraph.lines[0]), round(paragraph.box.top / _STEP)


def _is_number(paragraph: Piece, page_number: int) -> bool:
    numbers = re.findall(r"\d+", paragraph.lines[0])
    without = re.sub(r"\d+", "#", paragraph.lines[0])
    return numbers[:1] == [str(page_number)] and bool(_PAGE_NUMBER.fullmatch(without))
