"""Slides that show too little: hidden, empty, not filled in, or with a chart that does not say of what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.material.deck.texts import slide_texts
from orchestrator.material.model.claim import Gap
from orchestrator.material.model.slide import Deck, Slide

_UNFILLED = re.compile(
    r"\blorem ipsum\b|\bclick to (?:add|edit)\b|\binsert (?:your |text|title|logo|image|date)[^.]{0,30}"
    r"|\b(?:remove|delete) (?:this )?slide\b|\byour (?:company|text|logo|name|title) here\b"
    r"|\bto be (?:determined|confirmed|announced|filled in)\b|\bplaceholder text\b|\bx{2,}\s?%"
    r"|(?-i:\b(?:TBD|TBC|TBA|TODO|FIXME|XXX+|(?:PROJECT|COMPANY|PRODUCT|CLIENT|CUSTOMER|YOUR) NAME)\b)",
    re.IGNORECASE,
)
"""Words of templates, as the makers of slide programs and of templates print them."""

_LONGEST_HEADING = 80
"""Characters, a line of a slide; a longer title is a statement, so the slide says something."""


def find_gaps(deck: Deck) -> tuple[Gap, ...]:
    """The gaps of each slide, in order: by structure only; what an argument lacks, an engine says."""
    return tuple(Gap(slide.number, note) for slide in deck.slides for note in _of_slide(deck, slide))


def _of_slide(deck: Deck, slide: Slide) -> Iterator[str]:
    if slide.hidden:
        yield "This slide is hidden: the audience does not see it."
    if not slide.title and not _body(slide):
        yield "This slide shows no text: what it says is in its pictures or in the presenter's words."
    elif _is_bare(slide) and _beside_a_bare_one(deck, slide):
        yield "This slide holds only a title, and so does the one beside it."
    unfilled = [match[0].strip() for _, text in slide_texts(slide) for match in _UNFILLED.finditer(text)]
    for words in dict.fromkeys(unfilled):
        yield f'"{words}" stands here: still to be filled in.'
    for chart in slide.charts:
        if not chart.title and not slide.title:
            yield "A chart here has no title, and neither has the slide: what its numbers are is not said."
        if any(not series.name for series in chart.series) and len(chart.series) > 1:
            yield "A chart here has series without a name: which line or bar is which is not said."
        if not chart.categories:
            yield "A chart here has no categories: what its values stand for, or when, is not said."


def _body(slide: Slide) -> bool:
    return bool(slide.lines or slide.tables or slide.charts)


def _is_bare(slide: Slide) -> bool:
    """Whether it holds nothing but a heading; the deck's own title slide is meant to be so."""
    return slide.number > 1 and 0 < len(slide.title) <= _LONGEST_HEADING and not _body(slide)


def _beside_a_bare_one(deck: Deck, slide: Slide) -> bool:
    """One bare slide opens a section; two in a row say nothing."""
    return any(_is_bare(other) for other in deck.slides if abs(other.number - slide.number) == 1)
